"""go test, go build and go vet."""

from collections.abc import Iterator
from dataclasses import dataclass

from ullage.prune.families.family import Family, Found, Tier


@dataclass(frozen=True, slots=True)
class _Go(Family):
    """With ``-v`` a test's output comes before its verdict, between ``=== RUN`` and ``--- FAIL``."""

    def find(self, lines: list[str]) -> Iterator[Found]:
        yield from Family.find(self, lines)
        output: dict[str, list[int]] = {}
        running: list[int] = []
        for number, line in enumerate(lines):
            words = line.split(maxsplit=3)
            if len(words) > 2 and words[0] == "===" and words[1] in {"RUN", "NAME", "CONT"}:
                running = output.setdefault(words[2], [])
            elif len(words) > 2 and words[0] == "---":
                if words[1] == "FAIL:":
                    # The last words of a test are what it failed with.
                    for nth, said in enumerate(reversed(output.pop(words[2], [])[-self.block_lines :]), 1):
                        yield Found(said, Tier.MESSAGE, nth)
                running = []
            else:
                running.append(number)


GO = _Go(
    signs=("--- FAIL: ", "\nFAIL\t", "FAIL\t", "ok  \t", "=== RUN ", ".go:"),
    pattern=r"""
      (?P<status> FAIL$ | PASS$ | exit\ status\ \d )
    | (?P<passed> ok\ \ \t )
    | (?P<name> FAIL\t )
    | (?P<item> \s*---\ FAIL:\  | [^\s:][^:]*\.go:\d+:(?:\d+:)?\  | WARNING:\ DATA\ RACE )
    | (?P<message> panic:\  | \tpanic:\  | fatal\ error:\  )
    | (?P<noise> goroutine\ \d+\ \[ | \s+\S*/(?:src|libexec/src)/(?:runtime|testing)/\S+\.go:\d+
                 | (?:testing|runtime)\.\S+\( | created\ by\ testing )
    | (?P<place> \s+\S+\.go:\d+\ \+0x )
    | (?P<lead> [#]\ \S+ )
    | (?P<end> \s*---\ (?:PASS|SKIP):\  | ===\  )
    """,
    follow=3,
)
