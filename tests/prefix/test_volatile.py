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


def test_what_alone_speaks_for():
    def alone(text):
        return [(kind, text[start:stop]) for start, stop, kind in volatile(text, alone=True)]

    assert alone("The current time is 17:11.") == [("clock", "17:11")]
    assert alone("<current_time>2026-11-30T10:13:08Z</current_time>") == [("clock", "2026-11-30T10:13:08Z")]
    assert alone("Current Date and Time:\n- Monday, 30 November 2026 at 17:11") == [
        ("clock", "Monday, 30 November 2026 at 17:11")
    ]
    assert alone("Today's date: 2026-11-30") == [("date", "2026-11-30")]
    assert alone("Hoy es lunes 30 de noviembre de 2026") == [("date", "lunes 30 de noviembre de 2026")]
    assert alone("Timestamp: 1796033588\n") == [("clock", "1796033588")]
    assert alone("<timestamp>2026-11-30T10:13:08Z</timestamp>") == [("clock", "2026-11-30T10:13:08Z")]
    assert alone("Knowledge cutoff: 2024-06-01. Current date: 2026-11-30") == [("date", "2026-11-30")]
    assert alone("<tokens_used>1234</tokens_used>") == [("counter", "1234")]
    uuid = "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4"
    assert alone(f'{{"message_id": "{uuid}"}}') == [("identifier", uuid)]
    assert alone("12345 of 200000 tokens used") == [("counter", "12345")]
    assert alone("Tokens used: 812") == [("counter", "812")]
    assert alone("x-header: cc_version=2.1; cch=a3f9c;") == [("random", "a3f9c")]


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
