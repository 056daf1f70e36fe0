"""The values that are likely to change: the same in every storage, and what must and must not be found."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ullage._core import volatile

KINDS = {"clock", "date", "identifier", "counter", "random"}

VALUES = {
    "17:11": "clock",
    "2026-11-30T10:13:08.25Z": "clock",
    "Mon Nov 30 10:13:08 UTC 2026": "clock",
    "1796033588": "clock",
    "2026-11-30": "date",
    "30 de noviembre de 2026": "date",
    "miércoles": "date",
    "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4": "identifier",
    "toolu_01A09q90qw90lq917835lq9": "identifier",
    "9fceb02d0ae598e95dc970b74767f19372d61af8": "identifier",
}
# Each makes CPython store the text in another width.
AROUND = {"ascii": "~", "latin-1": "ñ ", "ucs-2": "茶 ", "ucs-4": "🫖 ", "surrogate": "\ud800 "}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("value", VALUES)
def test_the_same_in_every_storage(value, around):
    text = f"{around}({value}) {around}"
    start = len(around) + 1
    assert volatile(text) == [(start, start + len(value), VALUES[value])]


SPOKEN_FOR = [
    ("Current time: 2026-11-30 17:11:09", "clock", "2026-11-30 17:11:09"),
    ("The current date is Monday, November 30, 2026.", "date", "Monday, November 30, 2026"),
    ("Today is 2026-11-30.", "date", "2026-11-30"),
    ("Current Date: 11/30/2026", "date", "11/30/2026"),
    ("Today's date is Nov 30, 2026", "date", "Nov 30, 2026"),
    ("# currentDate\nToday's date is 2026-11-30.", "date", "2026-11-30"),
    ("currentDate: 2026-11-30", "date", "2026-11-30"),
    ("It is currently 17:11 in Madrid.", "clock", "17:11"),
    ("The time is 17:11.", "clock", "17:11"),
    ("The date is 2026-11-30.", "date", "2026-11-30"),
    ("System time: 17:11", "clock", "17:11"),
    ("UTC now: 2026-11-30T10:00:01Z", "clock", "2026-11-30T10:00:01Z"),
    ("Session ID: 8f3a2b1c9d7e", "identifier", "8f3a2b1c9d7e"),
    ("session_id=sess_01J8ZK2M3N4P5Q6R7S8T9V0WXY", "identifier", "sess_01J8ZK2M3N4P5Q6R7S8T9V0WXY"),
    ("Request ID: req_011CSHoEeqs5C35K2UUqR7Fy", "identifier", "req_011CSHoEeqs5C35K2UUqR7Fy"),
    ("You have 12 messages left.", "counter", "12"),
    ("Tokens remaining: 145,231", "counter", "145,231"),
    ("Remaining tokens: 1234", "counter", "1234"),
    ("Context window: 45% used", "counter", "45"),
    ("[45% of context used]", "counter", "45"),
    ("Used 12,345 / 200,000 tokens", "counter", "12,345"),
    ("Current step: 3", "counter", "3"),
    ("nonce=8f3a2b", "random", "8f3a2b"),
    ("La fecha de hoy es 30 de noviembre de 2026", "date", "30 de noviembre de 2026"),
    ("La hora actual es 17:11", "clock", "17:11"),
    ("Ahora son las 17:11", "clock", "17:11"),
    ("Heute ist Montag, 30. November 2026", "date", "Montag, 30. November 2026"),
    ("Aktuelles Datum: 30.11.2026", "date", "30.11.2026"),
    ("Nous sommes le 30 novembre 2026", "date", "30 novembre 2026"),
    ("Date du jour : 30/11/2026", "date", "30/11/2026"),
    ("Data atual: 30/11/2026", "date", "30/11/2026"),
    ("Hoje é 30 de novembro de 2026", "date", "30 de novembro de 2026"),
    ("今天是2026年11月30日", "date", "2026年11月30日"),
    ("当前时间：2026-11-30 17:11", "clock", "2026-11-30 17:11"),
    ("现在是 17:11", "clock", "17:11"),
    ("今日は2026年11月30日です", "date", "2026年11月30日"),
    ("現在の時刻は17:11です", "clock", "17:11"),
    ("현재 시간: 2026-11-30 17:11", "clock", "2026-11-30 17:11"),
    ("오늘은 2026년 11월 30일입니다", "date", "2026년 11월 30일"),
    ("<current_datetime>Mon, 30 Nov 2026 17:11:09 GMT</current_datetime>", "clock", "Mon, 30 Nov 2026 17:11:09 GMT"),
    ("current_time: 1796033588", "clock", "1796033588"),
    ('{"now": "2026-11-30T17:11:09+01:00"}', "clock", "2026-11-30T17:11:09+01:00"),
    ("Time now is 5:11 PM", "clock", "5:11 PM"),
    ("Local time is Monday 17:11", "clock", "Monday 17:11"),
    ("Current local time in Berlin (CET): 17:11", "clock", "17:11"),
    ("Right now it's 17:11", "clock", "17:11"),
    ("Date and time: 30/11/2026, 17:11:09", "clock", "30/11/2026, 17:11:09"),
    ("Timestamp: 1796033588\n", "clock", "1796033588"),
    ("<timestamp>2026-11-30T10:13:08Z</timestamp>", "clock", "2026-11-30T10:13:08Z"),
    ("Current Date and Time:\n- Monday, 30 November 2026 at 17:11", "clock", "Monday, 30 November 2026 at 17:11"),
    ("Knowledge cutoff: 2024-06-01. Current date: 2026-11-30", "date", "2026-11-30"),
    ('{"message_id": "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4"}', "identifier", "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4"),
    ("<tokens_used>1234</tokens_used>", "counter", "1234"),
    ("x-header: cc_version=2.1; cch=a3f9c;", "random", "a3f9c"),
]


@pytest.mark.parametrize(("text", "kind", "value"), SPOKEN_FOR, ids=[text for text, *_ in SPOKEN_FOR])
def test_what_alone_speaks_for(text, kind, value):
    found = volatile(text, alone=True)
    assert [(kind, text[start:stop]) for start, stop, kind in found] == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "Open 9:00 to 17:30. Founded on 4 March 2015. Copyright 2024.",
        "Dates are written as 2026-11-30, e.g. today's would be 2026-11-30.",
        "ISO 8601 format, current date: 2026-11-30",
        "Knowledge cutoff of today's model: 2024-06-01",
        "# This list was generated on Sun 03 Jan 2021 11:30:56 AM CET",
        "Local-Date: Fri, 06 Jun 2003 13:18:52 -0400",
        'A record has {"timestamp": "2018-10-08T14:05:45Z"}, and check(DateTime("20050210T11:41:23"))',
        "# changed dateTime to use localtime\n# 1999-01-16 added tests",
        "the condition fails on iteration 10, or with tokens remaining < 500",
        "integrity sha512-Zx81kQw2pLb7Rt5Yu3Io9Pa2Sd4Fg6Hj8Kl1Zx3Cv5Bn7Mq0We2Rt4Yu6Io8Pa==",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 on branch feature/oauth2-login",
        "max_tokens: 4096, up to 5 steps remaining, Step 3: press the button",
        "session_id: 00000000-0000-0000-0000-000000000000 or 123e4567-e89b-12d3-a456-426614174000",
        "seed=42, salt: none, the token: abc",
        "listen on 10.0.0.1:8080, version 2.1.30, colour #a1b2c3",
    ],
)
def test_what_alone_leaves(text):
    assert volatile(text, alone=True) == []


@pytest.mark.parametrize(
    "text",
    [
        "v1.2.3 on 10.20.30.40:8080",
        "app.py:12:30",
        "#a1b2c3",
        "x86_64-unknown-linux-gnu",
        "gpt-4o-mini",
        "$1999.00",
        "",
    ],
)
def test_what_has_no_such_form(text):
    assert volatile(text) == []


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [*VALUES, "today", "tokens used: ", "step 3", "seed=a1b2c3", "cch=", "\n", "年月日", "1", ":", "-", "T"]
        ),
        st.text(st.characters(codec=None), max_size=8),
    )
).map("".join)


@given(PIECES)
@example("1 tokens")
@example("step")
@example("0" * 30 + " left")
def test_spans_are_in_order_apart_and_within(text):
    found = volatile(text)
    ends = [0, *(stop for _, stop, _ in found)]
    for (start, stop, kind), before in zip(found, ends, strict=False):
        assert before <= start < stop <= len(text)
        assert kind in KINDS
    assert set(volatile(text, alone=True)) <= set(found)


@given(PIECES, st.sampled_from(["ñ", "茶", "🫖"]))
def test_what_follows_changes_the_storage_alone(text, wide):
    narrow = "".join(c for c in text if c.isascii())
    assert volatile(narrow + " ~ " + wide) == volatile(narrow + " ~ ~")


def test_what_is_no_text():
    with pytest.raises(TypeError, match="text must be str, not bytes; decode it first"):
        volatile(b"17:11")
