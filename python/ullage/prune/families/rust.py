"""cargo test and rustc."""

from ullage.prune.families.family import Family

CARGO_TEST = Family(
    signs=("test result: ", " ... FAILED", "error: test failed"),
    pattern=r"""
      (?P<status> test\ result:\ FAILED | error:\ (?:test\ failed|\d+\ targets?\ failed|doctest\ failed) )
    | (?P<passed> test\ result:\ ok )
    | (?P<name> test\ .*\ \.\.\.\ FAILED$ )
    | (?P<head> ----\ .*\ ---- )
    | (?P<message> thread\ '.*panicked\ at | \s*(?:left|right):\  | Error:\  )
    | (?P<noise> stack\ backtrace:$ | \s+\d+:\ \S | \s+at\ \S+:\d+:\d+$ | note:\ (?:Some\ details|run\ with)
                 | test\ .*\ ok$ )
    | (?P<end> (?:failures|successes):$ )
    """,
    follow=2,
)

RUSTC = Family(
    signs=("error: ", "error[E", "warning: "),
    pattern=r"""
      (?P<status> error:\ (?:could\ not\ compile|aborting\ due\ to|build\ failed) )
    | (?P<passed> warning:\ (?:.*\ generated\ \d+\ warnings?|\d+\ warnings?\ emitted) )
    | (?P<item> error(?:\[\w+\])?:\  )
    | (?P<warning> warning(?:\[\w+\])?:\  )
    | (?P<place> \s*-->\ \S+:\d+:\d+ )
    | (?P<noise> Some\ errors\ have\ detailed | For\ more\ information\ about )
    | (?P<end> \s*$ )
    """,
    block_lines=40,
)
