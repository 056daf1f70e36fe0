"""The table of cache rules in docs/caching.md: ``python -m tests.cache.table`` prints it."""

from ullage.cache.rules import all_rules

HEAD = ("provider", "models", "least", "steps", "can be read", "markers", "life", "write", "read")
WHAT = {
    "markers": "what ended at a marker, {back} blocks back",
    "requests": "whole requests, and what ended at a marker",
    "prefix": "any common beginning",
}
LIVES = {300: "5 min", 1800: "30 min", 3600: "1 h", 7200: "2 h", 86400: "24 h"}


def row(rules):
    contested = {field: f" ({low:,} to {high:,})" for field, low, high, _ in rules.contested if field != "lives"}
    lives = ", ".join(LIVES[life] for life in rules.lives) or "not published"
    if any(each.field == "lives" for each in rules.contested):
        lives += " (contested)"
    return (
        rules.provider,
        ", ".join(rules.models) or "all",
        f"{rules.minimum:,}{contested.get('minimum', '')}",
        f"{rules.step}{contested.get('step', '')}",
        WHAT[rules.match].format(back=rules.look_back),
        str(rules.markers or "none"),
        lives,
        (", ".join(f"{price:g}x" for price in rules.write) or "1x") + contested.get("write", ""),
        f"{rules.read:g}x{contested.get('read', '')}",
    )


def table():
    rows = [HEAD, ("---",) * len(HEAD), *map(row, all_rules())]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def sources():
    found = {}
    for rules in all_rules():
        pages = found.setdefault(rules.provider, {})
        pages.update(dict.fromkeys([*rules.sources, *(each.source for each in rules.contested)]))
    return "\n".join(f"- {provider}: {', '.join(f'<{page}>' for page in pages)}" for provider, pages in found.items())


if __name__ == "__main__":
    print(table(), sources(), sep="\n\n")
