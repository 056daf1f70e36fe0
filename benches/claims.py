"""What is promised about cost, measured: ``python -m benches.claims`` prints each claim and whether it holds.

Every claim is one function, which measures both sides of its ratio in turn and returns a Claim.
"""

import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import ullage
from benches import allocation, bandwidth, history, prefix, timing
from benches.contestants import load
from benches.texts import LADDER, MESSAGE, MESSAGES, messages, text
from ullage import Estimator

ROOT = Path(__file__).parent.parent
WHEELS = ROOT / "out" / "wheel"


@dataclass(frozen=True)
class Claim:
    """One promise: ``measured`` is at most (or at least) ``target``, in ``unit``.

    ``measured`` is the worst of all cases and ``detail`` lists them; None says that it could not be measured, and
    ``detail`` why.
    """

    name: str
    relation: str
    target: float
    unit: str
    measured: float | None
    detail: str

    @property
    def held(self):
        """Whether it holds; False as well for what was not measured."""
        if self.measured is None:
            return False
        return self.measured <= self.target if self.relation == "at most" else self.measured >= self.target


def ascii_call(*, sizes=(0, 1, 10, 100, 1_000, 10_000, 100_000, 1 << 20), rounds=60):
    """A call on ASCII text against the lambda it replaces, both in the same loop."""
    ratios = {}
    for size in sizes:
        subject = (text("English", size) if size else "").encode("ascii", "replace").decode()
        times = timing.interleave(
            {"ullage": timing.call(ullage.estimate, subject), "lambda": timing.call(lambda t: len(t) // 4, subject)},
            rounds=rounds,
            round_seconds=1e-3,
        )
        ratios[f"{size:,} B"] = times["ullage"] / times["lambda"]
    return _worst("`estimate` of ASCII text, of the call `lambda t: len(t) // 4`", "at most", 1, "×", ratios)


def bandwidth_in_cache(**sizes):
    """UCS-2 text that is read again and again."""
    return _bandwidth("in cache", bandwidth.in_cache(**sizes))


def bandwidth_streamed(**sizes):
    """UCS-2 texts of 64 MiB together, read one after the other."""
    return _bandwidth("streamed from memory", bandwidth.streamed(**sizes))


def against_tiktoken(*, size=MESSAGE, rounds=15):
    """A message in each of three languages against tiktoken's o200k_base, without special tokens."""
    name = "`estimate` of a 4 kB message, faster than tiktoken"
    try:
        tiktoken = load("tiktoken")
    except ModuleNotFoundError as missing:
        return Claim(name, "at least", 500, "×", None, f"{missing}; install the dependency group bench")
    ratios = {}
    for language in LADDER:
        subject = text(language, size)
        times = timing.interleave(
            {"ullage": timing.call(ullage.estimate, subject), "tiktoken": timing.call(tiktoken.call, subject)},
            rounds=rounds,
        )
        ratios[language] = times["tiktoken"] / times["ullage"]
    return _worst(name, "at least", 500, "×", ratios)


def profile_against_tiktoken(**timed):
    """Messages under a profile, against tiktoken's encode."""
    return _profile("tiktoken", "encode", 60, timed)


def profile_against_quicktok(**timed):
    """Messages under a profile, against quicktok's count."""
    return _profile("quicktok", "count", 12, timed)


def profile_against_gigatoken(**timed):
    """Messages under a profile, against gigatoken's encode; it has seen every message before."""
    return _profile("gigatoken", "encode", 6, timed)


def profile_of_short_text(*, size=100, rounds=60):
    """What a profile costs a short text beyond the script rule."""
    profile = Estimator(profile="o200k_base").estimate
    cases = {}
    for language in LADDER:
        subject = text(language, size)
        times = timing.interleave(
            {"profile": timing.call(profile, subject), "rule": timing.call(ullage.estimate, subject)}, rounds=rounds
        )
        cases[language] = (times["profile"] - times["rule"]) * 1e9
    return _worst("a profile's `estimate` of 100 bytes, beyond the script rule's", "at most", 150, " ns", cases)


def history_append(**sizes):
    """One message more in a history of 100,000."""
    seconds = history.append_time(**sizes)
    return Claim(
        "`History.append` to 100,000 messages", "at most", 10, " µs", seconds * 1e6, f"{seconds * 1e9:,.0f} ns"
    )


def history_update(**sizes):
    """Verify an unchanged list of 100,000 messages, against ``==`` of such lists whose dicts are not the same."""
    times = history.update_times(**sizes)
    equality = times.pop("==")
    ratios = {f"{given} ({seconds * 1e3:.3g} ms)": seconds / equality for given, seconds in times.items()}
    return _worst("`History.update` of 100,000 unchanged messages, of Python's `==`", "at most", 2, "×", ratios)


def fit_of_a_known_history(**sizes):
    """Fit 100,000 messages into 200,000 tokens when a round was added, against ``json.dumps`` of them."""
    times = history.fit_times(**sizes)
    ratio = times["fit"] / times["json.dumps"]
    detail = "; ".join(f"{name}: {seconds * 1e3:.3g} ms" for name, seconds in times.items())
    return Claim("`fit` of 100,000 messages and a new round, of `json.dumps`", "at most", 0.1, "×", ratio, detail)


def allocation_time(**sizes):
    """Share out a budget among 10,000 texts; by a profile, what its estimates take does not count."""
    seconds = allocation.times(**sizes)
    plain, batch, fitted, estimates = (seconds[name] * 1e3 for name in allocation.NAMES)
    cases = {
        f"by the script rule, of which estimates {batch:.2g} ms": plain,
        f"by a profile, beside its estimates of {estimates:.2g} ms": fitted - estimates,
    }
    return _worst("`allocate` of 10,000 texts, of which two thirds of the tokens leave", "at most", 5, " ms", cases)


def session_append(**sizes):
    """One message more in a session of 100,000, without cache rules and with those of two models."""
    times = {model or "no rules": seconds * 1e6 for model, seconds in prefix.session_append_times(**sizes).items()}
    return _worst("`Session.append` to 100,000 messages", "at most", 10, " µs", times)


def session_step(**sizes):
    """Verify 100,000 messages and one more, against ``==`` of two such lists whose dicts are not the same."""
    times = prefix.session_step_times(**sizes)
    equality = times.pop("==")
    ratios = {f"{given} ({seconds * 1e3:.3g} ms)": seconds / equality for given, seconds in times.items()}
    return _worst("`Session.step` of 100,000 messages and one more, of Python's `==`", "at most", 2, "×", ratios)


def comparison_of_equal_bodies(**sizes):
    """Two request bodies of 100,000 messages that are equal and share no object, against ``==`` of them."""
    times = prefix.difference_times(**sizes)
    ratio = times["compare"] / times["=="]
    detail = "; ".join(f"{name}: {seconds * 1e3:.3g} ms" for name, seconds in times.items())
    return Claim("comparing two bodies of 100,000 messages, of Python's `==`", "at most", 3, "×", ratio, detail)


def digests_of_messages(**sizes):
    """Both digests of each message, against ``json.dumps`` of it."""
    times, size = prefix.digest_times(**sizes)
    detail = (
        f"{size / times['digests'] / 1e6:,.0f} MB/s of JSON, json.dumps {size / times['json.dumps'] / 1e6:,.0f} MB/s"
    )
    ratio = times["digests"] / times["json.dumps"]
    return Claim("both digests of a message, of `json.dumps` of it", "at most", 1, "×", ratio, detail)


def import_time(*, rounds=25):
    """``import ullage`` in fresh interpreters, which time the statement themselves: starting them does not count."""
    code = "from time import perf_counter as t; a = t(); import ullage; print(t() - a)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) * 1e3 for _ in range(rounds)]
    detail = f"median of {rounds} interpreters; fastest {min(times):.2f} ms, slowest {max(times):.2f} ms"
    return Claim("`import ullage`, over a bare interpreter", "at most", 20, " ms", statistics.median(times), detail)


def wheel_size():
    """The wheel that ``make wheel`` has built last."""
    name = "size of the wheel"
    wheels = sorted(WHEELS.glob("ullage-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not wheels:
        return Claim(name, "at most", 1.5, " MB", None, "no wheel built; run make wheel")
    return Claim(name, "at most", 1.5, " MB", wheels[-1].stat().st_size / 1e6, wheels[-1].name)


CLAIMS = (
    ascii_call,
    bandwidth_in_cache,
    bandwidth_streamed,
    against_tiktoken,
    profile_against_tiktoken,
    profile_against_quicktok,
    profile_against_gigatoken,
    profile_of_short_text,
    history_append,
    history_update,
    fit_of_a_known_history,
    allocation_time,
    session_append,
    session_step,
    comparison_of_equal_bodies,
    digests_of_messages,
    import_time,
    wheel_size,
)


def _bandwidth(where, shares):
    detail = "; ".join(f"{size}: {share:.0%}, {said}" for size, (share, said) in shares.items())
    worst = min(share for share, _ in shares.values())
    return Claim(
        f"`estimate` of UCS-2 text of 64 KiB and more, {where}: share of the read bandwidth",
        "at least",
        80,
        " %",
        worst * 100,
        detail,
    )


def _profile(rival, does, target, timed):
    """All messages of each kind, one after the other; both have seen them before."""
    name = f"a profile's `estimate` of messages of 1-3 kB, faster than {rival}'s {does}"
    try:
        contestant = load(rival)
    except ModuleNotFoundError as missing:
        return Claim(name, "at least", target, "×", None, f"{missing}; install the dependency group bench")
    profile = Estimator(profile="o200k_base").estimate
    cases = {}
    for kind in MESSAGES:
        subjects = messages(kind)
        times = timing.interleave(
            {"ullage": timing.each(profile, subjects), rival: timing.each(contestant.call, subjects)}, **timed
        )
        speed = sum(len(subject.encode()) for subject in subjects) / times["ullage"] / 1e6
        cases[f"{kind} ({speed:,.0f} MB/s)"] = times[rival] / times["ullage"]
    return _worst(name, "at least", target, "×", cases)


def _worst(name, relation, target, unit, cases):
    worst = (max if relation == "at most" else min)(cases.values())
    detail = "; ".join(f"{case}: {value:.3g}" for case, value in cases.items())
    return Claim(name, relation, target, unit, worst, detail)


def measure():
    """All claims, measured now, on one core."""
    timing.pin()
    return [claim() for claim in CLAIMS]


def rows(claims):
    """(claim, target, measured, held) of each, as it is said to a reader."""
    for claim in claims:
        measured = "not measured" if claim.measured is None else _figure(claim.measured) + claim.unit
        yield claim.name, f"{claim.relation} {claim.target:g}{claim.unit}", measured, "yes" if claim.held else "no"


def _figure(value):
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


def main():
    """Print the table, with what each figure was made of; exit 1 when a claim does not hold."""
    claims = measure()
    for claim, row in zip(claims, rows(claims), strict=True):
        print("{}\n  {}; measured {}; held: {}\n  {}".format(*row, claim.detail))
    sys.exit(not all(claim.held for claim in claims))


if __name__ == "__main__":
    main()
