"""Profiles as estimators: chosen, loaded, refused; their bounds; what they learn."""

import copy
import pickle
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from importlib import resources

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ullage
from test_estimate import TEXTS
from test_profile_file import NUMBERS, signed
from ullage import Calibration, Estimate, Estimator, InvalidProfile, ScriptRule, UnknownModel, loading
from ullage.models import FAMILIES
from ullage.profile_file import pack, unpack

KEYS = [key for key in ullage.profiles() if key != "script"]
O200K = Estimator(profile="o200k_base")
CALIBRATED = O200K.observe(1000, 1400).observe(3000, 4000)
ESTIMATORS = st.sampled_from([Estimator(), Estimator(ScriptRule(cjk=0.5)), O200K, CALIBRATED])
RATES = st.floats(0.001, 0.1)


def shipped(key: str) -> bytes:
    return (resources.files("ullage") / "fitted" / f"{key}.profile").read_bytes()


def test_every_key_is_listed_loaded_and_meant_by_its_models():
    assert set(KEYS) == set(FAMILIES)
    for key in KEYS:
        estimator = Estimator(profile=key)
        assert estimator.profile == key
        assert estimator.about["tokenizer"] == key
        assert estimator.rule is None
        assert estimator.estimate("") == 0
        assert 5 <= estimator.estimate("The room left in a vessel.") <= 10
        assert len(shipped(key)) <= 64 * 1024
        for model in FAMILIES[key]:
            assert Estimator.for_model(model) == estimator
            assert model in ullage.profiles()[key]
    assert Estimator(profile="script") == Estimator()
    assert Estimator().profile == "script"
    assert not Estimator().about


def test_the_files_are_written_as_pack_writes_them():
    for key in KEYS:
        assert pack(unpack(shipped(key))) == shipped(key)


@given(TEXTS)
def test_a_model_at_module_level_is_its_estimator(text):
    for model, key in [("gpt-4o", "o200k_base"), ("claude-opus-4-8", "claude_4_8")]:
        estimator = Estimator(profile=key)
        tokens = estimator.estimate(text)
        assert ullage.estimate(text, model) == ullage.estimate(text, model=model) == tokens
        for limit in (tokens - 1, tokens, tokens + 1):
            assert ullage.fits(text, limit, model) is estimator.fits(text, limit) is (tokens <= limit)
        assert ullage.upper_bound(text, model) == estimator.upper_bound(text)
        assert ullage.estimate_range(text, model, 0.05) == estimator.estimate_range(text, 0.05)
    assert ullage.upper_bound(text) == ullage.byte_bound(text)
    assert ullage.estimate_range(text) == Estimator().estimate_range(text)


@given(st.text(st.characters(max_codepoint=0x7F)), st.sampled_from("éж👩"))
def test_the_estimate_does_not_depend_on_the_storage(text, wide):
    # The wide character stands on a line of its own, so that it changes the storage and not its neighbours.
    alone = O200K.estimate(f"\n\n{wide}\n\n")
    together = O200K.estimate(f"{text}\n\n{wide}\n\n")
    assert abs(together - alone - O200K.estimate(text)) <= 2


@given(st.lists(TEXTS), st.sampled_from([None, 1, 3]), ESTIMATORS)
def test_a_batch_is_each_text_by_itself(texts, threads, estimator):
    assert estimator.estimate_batch(texts, threads=threads).tolist() == [estimator.estimate(text) for text in texts]


def test_a_large_batch_of_ascii_runs_on_threads():
    texts = ["The quick brown fox. " * (500 + index % 5) for index in range(1700)]
    assert sum(map(len, texts)) > 16 << 20
    expected = {text: O200K.estimate(text) for text in texts[:5]}
    assert O200K.estimate_batch(texts).tolist() == [expected[text] for text in texts]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("o200k", "there is no profile 'o200k': the nearest are o200k_base"),
        ("", "there is no profile '': there are script, o200k_base"),
        ("gpt-4o", "there are script, o200k_base, .*, gemma3; "),
        ("gpt-4o", r"Estimator\.for_model\(\.\.\.\) takes the name of a model"),
        ("../o200k_base", "there is no profile"),
    ],
)
def test_an_unknown_key_names_the_nearest(key, message):
    with pytest.raises(ValueError, match=message):
        Estimator(profile=key)


def test_what_does_not_choose_an_estimator_is_refused():
    with pytest.raises(TypeError, match="rule and profile exclude each other"):
        Estimator(ScriptRule(), profile="o200k_base")
    with pytest.raises(TypeError, match="profile must be str, not int"):
        Estimator(profile=3)
    with pytest.raises(TypeError, match="rule must be a ScriptRule, not str"):
        Estimator("o200k_base")
    with pytest.raises(TypeError, match="calibration must be a Calibration, not float"):
        O200K.with_calibration(1.3)


@pytest.mark.parametrize("function", [ullage.estimate, ullage.upper_bound, ullage.estimate_range])
def test_an_unknown_model_is_an_error(function):
    with pytest.raises(UnknownModel, match="no profile is known for model 'gtp-4o': the nearest known are gpt-4o"):
        function("text", "gtp-4o")
    for model in (4, ["gpt-4o"]):
        with pytest.raises(TypeError, match=f"model must be str, not {type(model).__name__}|unhashable"):
            function("text", model)
    with pytest.raises(TypeError, match="text must be str, not bytes"):
        function(b"text", "gpt-4o")


def test_a_file_of_your_own(tmp_path):
    path = tmp_path / "own.profile"
    path.write_bytes(shipped("llama3"))
    for given_path in (path, str(path)):
        estimator = Estimator.from_file(given_path)
        assert estimator.profile is None
        assert estimator.about["tokenizer"] == "llama3"
        assert estimator == Estimator(profile="llama3")
        assert estimator.estimate("tea чай 茶") == Estimator(profile="llama3").estimate("tea чай 茶")
    path.unlink()
    assert pickle.loads(pickle.dumps(estimator)) == estimator
    with pytest.raises(FileNotFoundError):
        Estimator.from_file(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "own.profile: not a profile"),
        (shipped("llama3")[:-100], "own.profile: the profile is damaged"),
        (shipped("llama3").replace(b"profile 1", b"profile 9", 1), "own.profile: profile version 9 .* update ullage"),
        (bytes(1 << 23), "own.profile: not a profile: it is larger than any profile is"),
        (signed(b'{"margins":{}}\n' + NUMBERS), "own.profile: the profile's margins cannot be read"),
    ],
)
def test_a_bad_file_is_refused_with_its_path(tmp_path, data, message):
    path = tmp_path / "own.profile"
    path.write_bytes(data)
    with pytest.raises(InvalidProfile, match=message):
        Estimator.from_file(path)


@pytest.mark.parametrize("found", [None, b"", shipped("tekken")[:-1]])
def test_a_damaged_installation_says_so(monkeypatch, found):
    monkeypatch.setattr(pkgutil, "get_data", lambda *_: found)
    with pytest.raises(InvalidProfile, match=r"the installed profile 'tekken' cannot be read .*: install ullage again"):
        loading.load.__wrapped__("tekken")


def test_a_profile_without_margins_is_bounded_by_bytes_or_not_at_all(tmp_path):
    path = tmp_path / "own.profile"
    path.write_bytes(signed(b'{"byte_level":true}\n' + shipped("llama3").split(b"\n", 2)[2]))
    estimator = Estimator.from_file(path)
    assert estimator.estimate_range("чай") == Estimate(estimator.estimate("чай"), 1, 6)
    with pytest.raises(ValueError, match="nothing bounds it from above"):
        estimator.bound(100)
    path.write_bytes(signed(b"{}\n" + shipped("llama3").split(b"\n", 2)[2]))
    with pytest.raises(ValueError, match="nothing bounds it from above"):
        Estimator.from_file(path).upper_bound("чай")


@given(TEXTS, ESTIMATORS, RATES, RATES)
def test_bounds_are_in_order(text, estimator, first, second):
    few, many = sorted((first, second))
    wide, narrow = estimator.estimate_range(text, few), estimator.estimate_range(text, many)
    assert wide.low <= narrow.low <= narrow.tokens <= narrow.high <= wide.high
    assert narrow.tokens == estimator.estimate(text)
    assert narrow.high == estimator.upper_bound(text, many)
    if estimator.calibration == Calibration():
        assert wide.high <= max(ullage.byte_bound(text), wide.tokens)
        assert wide.high <= max(estimator.bound(wide.tokens, few), _least(ullage.scripts(text)))


@given(TEXTS, TEXTS)
def test_the_bound_of_a_sum_bounds_the_bytes_under_the_script_rule(first, second):
    rule = ScriptRule(ascii=3, cjk=1.5, other=0.7)
    for estimator in (Estimator(), Estimator(rule)):
        total = estimator.estimate(first) + estimator.estimate(second)
        assert estimator.bound(total) >= ullage.byte_bound(first + second)
    assert Estimator().bound(1000) == 8000
    assert Estimator().bound(0) == 0


def _least(counts):
    """Half of what the script rule estimates, in whole tokens: no bound of a profile is below it."""
    return -(-(counts.ascii + 4 * counts.cjk + 2 * counts.other) // 8)


@given(st.lists(TEXTS, min_size=1, max_size=4), RATES)
@example(["FFAIIIBIIBJIBJIBJIBJIBJIBJIBJIBJIBJIBJIBJIBJIBJBI"], 0.0625)
def test_the_bound_of_a_sum_is_closer_where_its_scripts_are_known(texts, rate):
    tokens = sum(map(O200K.estimate, texts))
    counts = sum(map(ullage.scripts, texts), ullage.ScriptCounts())
    assert tokens <= O200K.bound(tokens, rate, counts=counts) <= max(O200K.bound(tokens, rate), _least(counts))
    alone = O200K.estimate(texts[0])
    known = O200K.bound(alone, rate, counts=ullage.scripts(texts[0]))
    assert O200K.upper_bound(texts[0], rate) == max(alone, min(known, ullage.byte_bound(texts[0])))


def test_a_history_is_fitted_by_the_estimate_of_the_script_rule():
    messages = [{"role": "user", "content": "How much room is left? " * 100}]
    by_rule = ullage.what_if(messages, 10_000, estimator=Estimator())
    assert by_rule == ullage.what_if(messages, 10_000)
    assert by_rule.limit == 10_000


def test_a_bound_is_for_tokens():
    with pytest.raises(TypeError, match="tokens must be int, not float"):
        O200K.bound(1.5)
    with pytest.raises(ValueError, match="tokens must be 0 or more, not -1"):
        O200K.bound(-1)
    for estimator in (Estimator(), O200K):
        with pytest.raises(ValueError, match=r"tokens must be below 2\*\*64"):
            estimator.bound(1 << 64)
        assert estimator.bound((1 << 64) - 1) >= (1 << 64) - 1
    with pytest.raises(TypeError, match="counts must be ScriptCounts, not tuple"):
        O200K.bound(10, counts=(40, 0, 0))
    with pytest.raises(ValueError, match="miss_rate must be from"):
        O200K.bound(10, 0.5)


@given(TEXTS, st.integers(1, 500), ESTIMATORS, RATES)
def test_the_bound_is_at_least_half_of_the_script_rule(text, times, estimator, rate):
    text *= times
    assert estimator.upper_bound(text, rate) >= Estimator().estimate(text) / 2 * min(1, estimator.factor)


@pytest.mark.parametrize("character", "!X.中啊ㅋ…—")
def test_one_character_over_and_over_is_not_bounded_by_next_to_nothing(character):
    text = character * 3000
    for key in KEYS:
        assert Estimator(profile=key).upper_bound(text) >= Estimator().estimate(text) / 2


def test_what_a_profile_says_of_itself_is_a_copy():
    O200K.about["margins"]["up"]["constant"][0] = 99
    assert Estimator(profile="o200k_base").about["margins"]["up"]["constant"][0] != 99


@given(TEXTS.filter(bool), ESTIMATORS, st.integers(1, 1 << 30), st.lists(st.integers(1, 5000), max_size=5))
def test_the_upper_bound_never_falls_below_what_was_observed(text, estimator, usage, later):
    tokens = estimator.estimate(text)
    raw = tokens / estimator.factor
    estimator = estimator.observe(tokens, usage)
    for more in later:
        estimator = estimator.observe(1000, more)
    seen = min(usage, int(2 * raw))
    assert estimator.upper_bound(text) >= seen
    assert estimator.bound(estimator.estimate(text)) >= seen


@given(TEXTS, st.floats(0.5, 2))
def test_a_correction_is_applied_exactly(text, factor):
    for plain in (Estimator(), O200K):
        tokens = plain.estimate(text)
        learned = plain.observe(1000, round(1000 * factor))
        exact = tokens * Fraction(round(learned.calibration.factor() * 65536), 65536)
        assert learned.estimate(text) == max(min(tokens, 1), int(exact + Fraction(1, 2)))
        assert learned.fits(text, learned.estimate(text))
        assert not learned.fits(text, learned.estimate(text) - 1)


def test_observing_takes_its_own_correction_out_again():
    estimator, line = O200K, "The room left in a vessel.\n"
    for times in range(100, 2000, 100):
        estimator = estimator.observe(estimator.estimate(line * times), round(1.3 * O200K.estimate(line * times)))
    assert estimator.estimate(line * 1000) == pytest.approx(1.3 * O200K.estimate(line * 1000), rel=0.01)
    by_kind = O200K.with_calibration(estimator.calibration).observe({"text": 1300, "image": 1000}, 2300)
    raw = estimator.calibration.observe({"text": 1300 / estimator.factor, "image": 1000}, 2300)
    assert by_kind.calibration == raw


def test_observing_changes_nothing_in_place():
    before = repr(O200K), hash(O200K), O200K.estimate("tea")
    learned = O200K.observe(1000, 1300)
    assert learned != O200K
    assert (repr(O200K), hash(O200K), O200K.estimate("tea")) == before
    assert learned.calibration.observations == 1
    assert O200K.calibration == Calibration()


def test_values_compare_hash_pickle_and_print():
    values = [Estimator(), Estimator(ScriptRule(ascii=3)), O200K, CALIBRATED, Estimator(profile="llama3")]
    for value in values:
        for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert again == value
            assert hash(again) == hash(value)
            assert again.profile == value.profile
            assert again.estimate("tea чай 茶 " * 50) == value.estimate("tea чай 茶 " * 50)
        assert sum(value == other for other in values) == 1
        for name in ("something", "_fitted", "calibration"):
            with pytest.raises(AttributeError):
                setattr(value, name, 1)
            with pytest.raises(AttributeError):
                delattr(value, name)
    assert repr(O200K) == "Estimator(profile='o200k_base')"
    assert repr(CALIBRATED) == "<Estimator(profile='o200k_base') calibrated by 2 requests>"
    assert O200K != "Estimator(profile='o200k_base')"


def test_one_estimator_on_many_threads():
    texts = [f"чай 茶 tea {times} " * times for times in range(100)]
    expected = [CALIBRATED.estimate(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: [CALIBRATED.estimate(text) for text in texts], range(16)))
        loaded = list(pool.map(lambda _: loading.load.__wrapped__("gemma3"), range(16)))
    assert all(result == expected for result in results)
    assert all(fitted == loaded[0] for fitted in loaded)


def test_estimating_by_a_model_needs_no_numpy():
    code = (
        "import sys, ullage; assert ullage.estimate('tea', 'gpt-4o') == 1; ullage.upper_bound('tea', 'gpt-4o');"
        "ullage.Estimator(profile='llama3').observe(100, 130); assert 'numpy' not in sys.modules; print('ok')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "ok\n"


@settings(max_examples=20)
@given(st.lists(TEXTS, max_size=4))
def test_a_history_estimates_with_the_profile_and_its_correction(texts):
    messages = [{"role": "user", "content": text} for text in texts]
    framing = ullage.History([{"role": "user", "content": ""}] * len(texts)).total
    for estimator in (O200K, CALIBRATED):
        expected = framing + sum(map(estimator.estimate, texts))
        assert ullage.History(messages, estimator=estimator).total == expected
