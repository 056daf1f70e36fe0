"""pytest and unittest."""

from ullage.prune.families.family import Family

PYTEST = Family(
    signs=(" test session starts ", " short test summary info ", " passed in ", " failed in ", " warnings in "),
    pattern=r"""
      (?P<status> (?:=+\ )? (?:\d+\ (?:failed|passed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun)
                  (?:,\ )?)+ \ in\ [\d.:]+ | =+\ no\ tests\ ran | !+\ .*\ !+$ | INTERNALERROR>\ \S )
    | (?P<passed> collected\ \d+ | collecting\ \.\.\.\ collected )
    | (?P<name> (?:FAILED|ERROR)\ [^\s] )
    | (?P<head> _{3,}\ .*\ _{3,}$ )
    | (?P<message> E(?:\ |$) | ERROR:\ | \w[\w.]*(?:Error|Exception|Exit|Interrupt|Failed)(?::\ |$) )
    | (?P<place> >(?:\ |$) | \S[^:]*:\d+:(?:\ |$) | \ \ File\ ".*",\ line\ \d+ )
    | (?P<end> ={3,}\ .*\ ={3,}$ )
    """,
    innermost_last=True,
)

UNITTEST = Family(
    signs=("\nRan ",),
    pattern=r"""
      (?P<status> Ran\ \d+\ tests?\ in\  | (?:FAILED|OK|NO\ TESTS\ RAN)(?:\ \(.*\))?$ )
    | (?P<item> (?:FAIL|ERROR|UNEXPECTED\ SUCCESS):\  )
    | (?P<message> \w[\w.]*(?:Error|Exception|Exit|Interrupt|Failed|Warning)(?::\ |$) )
    | (?P<place> \ \ File\ ".*",\ line\ \d+ )
    | (?P<noise> -{20,}$ | Traceback\ \(most\ recent\ call\ last\):$ )
    | (?P<end> ={20,}$ )
    """,
    follow=2,
    innermost_last=True,
)
