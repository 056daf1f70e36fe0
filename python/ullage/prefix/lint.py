"""`lint`: what in one request spoils its prompt cache, or will. The rules are in `ullage.prefix.linting`.

One request shows less than two: a value is called volatile only where the words around it say so, and an order is
called chance only where several orders are seen. What two requests show, `ullage.compare` tells.
"""

from ullage.prefix.linting.finding import Finding
from ullage.prefix.linting.key_order import key_order
from ullage.prefix.linting.marker_rules import marker_rules
from ullage.prefix.linting.printed_objects import printed_objects
from ullage.prefix.linting.section_order import section_order
from ullage.prefix.linting.subject import Subject
from ullage.prefix.linting.tool_order import tool_order
from ullage.prefix.linting.volatile_values import volatile_values

_RULES = (marker_rules, volatile_values, section_order, printed_objects, key_order, tool_order)
_SEVERITIES = ("error", "warning", "note")


def lint(
    request: object, *, format: str | None = None, model: str | None = None, provider: str | None = None
) -> tuple[Finding, ...]:
    """Find what in one request spoils its prompt cache.

    Looked at are the tools, the system prompt and the settings that stand before the messages, the cache markers
    everywhere, and the first message, where other ones follow it. Without any doubt nothing is found only by `compare`
    of two requests.

    Args:
        request: a body of any of the formats, or a list of messages.
        format: of its messages; by default, detected.
        model: for estimates, and for what its provider caches; by default, that of the request.
        provider: who serves the model; by default, by the model's name or the format.

    Returns:
        The findings, errors first, then warnings, then notes; none where nothing was found.

    Raises:
        ValueError: when the format is not known.
        UnknownModel: when the model or the provider is not known.
        InvalidHistory: when values nest deeper than 256.
        TypeError: when the request is a str or bytes; when the tools are not a list, or something on the way is not a
            message.

    >>> from ullage import lint
    >>> body = {"system": "You help. It is now 17:11.", "messages": [{"role": "user", "content": "Hi"}]}
    >>> for finding in lint(body, format="anthropic"):
    ...     print(finding.severity, finding.rule, finding.path, finding.excerpt)
    warning volatile-clock system You help. It is now 17:11.
    """
    if isinstance(request, str | bytes | bytearray):
        raise TypeError(
            f"request must be a body or a list of messages, not {type(request).__name__}; json.loads gives it"
        )
    subject = Subject.of(request, format, model, provider)
    found = [finding for rule in _RULES for finding in rule(subject)]
    return tuple(sorted(found, key=lambda finding: _SEVERITIES.index(finding.severity)))
