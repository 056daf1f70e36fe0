"""jest, node's own test runner, npm and tsc."""

from ullage.prune.families.family import Family

JEST = Family(
    signs=("Test Suites: ", "\n  \N{BLACK CIRCLE} "),
    pattern=r"""
      (?P<status> (?:Test\ Suites|Tests|Snapshots|Time):\ +\S )
    | (?P<item> \s{0,2}\N{BLACK CIRCLE}\ (?!Console) )
    | (?P<place> \s++>\ +\d+\ \| | \s++at\ (?!.*(?:node:|node_modules)).*:\d+:\d+\)?$ | \s*+FAIL\ +\S )
    | (?P<message> \s++(?:Expected|Received)\b | \s++(?:\w+)?Error:\  | \s++[-+]\ \s*\S )
    | (?P<noise> \s++at\  )
    | (?P<end> \s*+(?:PASS|RUNS)\ +\S | \s{0,2}\N{BLACK CIRCLE}\  | Ran\ all\ test\ suites )
    """,
    follow=2,
)

NODE_TEST = Family(
    signs=("\n# tests ", "\n# fail ", "\nnot ok ", "\N{INFORMATION SOURCE} tests "),
    pattern=r"""
      (?P<status> [#\N{INFORMATION SOURCE}]\ (?:tests|pass|fail|cancelled)\ \d )
    | (?P<item> \s*+not\ ok\  | \s*+\N{HEAVY MULTIPLICATION X}\ (?!failing\ tests) )
    | (?P<message> \s++error:\  | \s++\w*Error\b.*:\  | \s++(?:expected|actual):\  )
    | (?P<place> \s++location:\  | test\ at\  )
    | (?P<noise> \s++(?:at\ )?(?:async\ )?[\w.<>$ ]+\ \(node: | \s++duration_ms: )
    | (?P<end> \s*+(?:ok|\N{HEAVY CHECK MARK}|[#]\ Subtest|\N{BLACK RIGHT-POINTING TRIANGLE})\  | \s++\.\.\.$ )
    """,
    follow=1,
    block_lines=30,
)

NPM = Family(
    signs=("npm ERR!", "npm error"),
    pattern=r"""
      (?P<status> npm\ (?:ERR!|error)\ (?:code|[Mm]issing\ script|[A-Z]\d{3}|\d{3}\ )\b )
    | (?P<noise> npm\ (?:ERR!|error)(?:$|\s++at\ |\ A\ complete\ log|\ +/.*debug) )
    | (?P<message> npm\ (?:ERR!|error)\ (?:command|Lifecycle|
                   .*(?:[Ee]rror|[Ff]ail|[Ff]atal|[Cc]annot|[Nn]ot\ found|[Cc]onflict|[Uu]nable)) )
    | (?P<place> npm\ (?:ERR!|error)\  )
    | (?P<warning> npm\ (?:WARN|warn)\  )
    """,
    block_lines=1,
)

TSC = Family(
    signs=("error TS",),
    pattern=r"""
      (?P<status> Found\ \d+\ errors? )
    | (?P<item> .*\berror\ TS\d+:\  )
    """,
    follow=1,
    block_lines=6,
)
