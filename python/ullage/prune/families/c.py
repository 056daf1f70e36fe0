"""gcc, clang, their linkers, and make around them."""

from ullage.prune.families.family import Family

C = Family(
    signs=(": error: ", ": fatal error: ", ": warning: ", "undefined reference to", " *** ", "ld returned"),
    pattern=r"""
      (?P<status> \d+\ (?:warnings?|errors?)(?:\ and\ \d+\ errors?)?\ generated\. | compilation\ terminated\.
                  | collect2:\ error: | clang(?:\+\+)?:\ error:
                  | g?make(?:\[\d+\])?:\ \*\*\*\  | ninja:\ build\ stopped )
    | (?P<item> [^\s:][^:]*:\d+(?::\d+)?:\ (?:fatal\ |internal\ compiler\ )?error:\  | .*:\ undefined\ reference\ to\b
                | .*:\ multiple\ definition\ of\  | \S*\bld(?:\.\w+)?:\ cannot\ find\  | \w+:\ (?:fatal\ )?error:\  )
    | (?P<warning> [^\s:][^:]*:\d+(?::\d+)?:\ warning:\  )
    | (?P<lead> [^\s:][^:]*:\ In\ .*:$ | In\ file\ included\ from\  | \s+from\ \S+:\d+[:,]
                | [^\s:][^:]*:\d+:\d+:\ +required\ from\  )
    | (?P<end> g?make(?:\[\d+\])?:\  | \[\s*\d+(?:%|/\d+)\] | (?:\S*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)\ - )
    """,
    block_lines=12,
)
