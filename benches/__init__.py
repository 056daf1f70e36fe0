"""What ullage costs, beside what it replaces and what it stands in for.

``make bench`` measures everything on one core, writes benches/results/latest.json and renews the tables in the README.
``make claims`` prints only what is promised and whether it holds. ``python -m pytest benches`` times the same calls
with pytest-benchmark, to compare two commits (``--benchmark-autosave``, ``--benchmark-compare``).

A ratio is never taken between two runs: the calls are timed in turn, round by round, so that a disturbance meets all of
them (see ``timing``). A time is never given alone: ``correct`` beside it says whether the call gave the right number.
"""
