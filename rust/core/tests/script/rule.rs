//! Counts of every code point, and the arithmetic of the rule.

use crate::oracle;
use proptest::prelude::*;
use ullage_core::{Rate, RuleError, ScriptCounts, ScriptRule, Text, byte_bound, scripts};

fn rate(numerator: u32, denominator: u32) -> Rate {
    Rate { numerator, denominator }
}

fn counts(ascii: u64, cjk: u64, other: u64) -> ScriptCounts {
    ScriptCounts { ascii, cjk, other }
}

#[test]
fn every_code_point_alone() {
    for point in 0..=0x10_FFFF_u32 {
        let expected = oracle::scripts(&[point]);
        assert_eq!(scripts(Text::Ucs4(&[point])), expected, "U+{point:04X}");
        if let Ok(byte) = u8::try_from(point) {
            assert_eq!(byte_bound(Text::Latin1(&[byte])), oracle::byte_bound(&[point]), "U+{point:04X}");
            assert_eq!(scripts(Text::Latin1(&[byte])), expected, "U+{point:04X}");
        }
        assert_eq!(byte_bound(Text::Ucs4(&[point])), oracle::byte_bound(&[point]), "U+{point:04X}");
        if let Ok(unit) = u16::try_from(point) {
            assert_eq!(byte_bound(Text::Ucs2(&[unit])), oracle::byte_bound(&[point]), "U+{point:04X}");
            assert_eq!(scripts(Text::Ucs2(&[unit])), expected, "U+{point:04X}");
        }
        if let Some(character) = char::from_u32(point) {
            let text = character.encode_utf8(&mut [0; 4]).to_owned();
            assert_eq!(scripts(Text::Utf8(&text)), expected, "U+{point:04X}");
            assert_eq!(byte_bound(Text::Ucs4(&[point])), text.len() as u64, "U+{point:04X}");
        }
    }
}

#[test]
fn classes_worth_knowing() {
    for (text, expected) in [
        ("", counts(0, 0, 0)),
        ("plain", counts(5, 0, 0)),
        ("né", counts(1, 0, 1)),
        ("Привет, мир", counts(2, 0, 9)),
        ("你好，世界。", counts(0, 6, 0)),
        ("ひらがな カタカナ ｶﾅ", counts(2, 10, 0)),
        ("한국어", counts(0, 3, 0)),
        ("ㄅㄆㄇ", counts(0, 3, 0)),
        ("l·l", counts(2, 0, 1)),
        ("👩‍👩‍👧", counts(0, 0, 5)),
        ("𠀀𪜀", counts(0, 2, 0)),
    ] {
        assert_eq!(scripts(text.into()), expected, "{text}");
        assert_eq!(scripts(text.into()).characters(), text.chars().count() as u64);
    }
    assert_eq!(scripts(Text::Ucs2(&[0xD800, 0xDFFF])), counts(0, 0, 2));
    assert_eq!(byte_bound(Text::Ucs2(&[0xD800, 0x41])), 4);
}

#[test]
fn default_rule_rounds_quarters_up() {
    let rule = ScriptRule::default();
    for (counts, tokens) in [
        (counts(0, 0, 0), 0),
        (counts(1, 0, 0), 1),
        (counts(4, 0, 0), 1),
        (counts(5, 0, 0), 2),
        (counts(0, 3, 0), 3),
        (counts(0, 0, 3), 2),
        (counts(2, 0, 1), 1),
        (counts(26_492, 0, 73_600), 43_423),
    ] {
        assert_eq!(rule.tokens(counts), tokens, "{counts:?}");
    }
    assert_eq!(rule, ScriptRule::new(rate(8, 2), 1.into(), rate(2, 1)).unwrap());
    assert_eq!(format!("{rule:?}"), "ScriptRule(ascii=4, cjk=1, other=2)");
}

#[test]
fn sums_beyond_32_and_64_bits() {
    let rule = ScriptRule::default();
    assert_eq!(rule.tokens(counts((1 << 34) + 1, 1 << 33, 1 << 33)), (1 << 32) + (1 << 33) + (1 << 32) + 1);
    assert_eq!(rule.tokens(counts(0, u64::MAX, 0)), u64::MAX);
    assert_eq!(rule.tokens(counts(u64::MAX, u64::MAX, u64::MAX)), u64::MAX);
    assert_eq!(rule.tokens(counts(u64::MAX, 0, 0)), 1 << 62);
    let thousandth = ScriptRule::new(rate(1, 1000), rate(1, 1000), rate(1, 1000)).unwrap();
    assert_eq!(thousandth.tokens(counts(1 << 50, 1, 2)), (1 << 50) * 1000 + 3000);
    // Where binary fractions would be off by one: 3 characters at 1.1 a token and 8 at 2.2 are more than 6.36 tokens.
    let elevenths = ScriptRule::new(rate(11, 10), 1.into(), rate(22, 10)).unwrap();
    assert_eq!(elevenths.tokens(counts(11, 0, 11)), 15);
    assert_eq!(elevenths.tokens(counts(11_000_000_000_000_000, 0, 11)), 10_000_000_000_000_005);
    assert_eq!(elevenths.tokens(counts(11_000_000_000_000_001, 0, 11)), 10_000_000_000_000_006);
}

#[test]
fn rates_that_are_refused() {
    for bad in [rate(0, 1), rate(1, 0), rate(0, 0), rate(1, 1001), rate(1001, 1), rate(u32::MAX, 1)] {
        let error = ScriptRule::new(4.into(), 1.into(), bad).unwrap_err();
        assert_eq!(error, RuleError::OutOfRange { name: "other", rate: bad });
    }
    assert_eq!(
        ScriptRule::new(rate(1, 1001), 1.into(), 2.into()).unwrap_err().to_string(),
        "ascii is 1/1001 characters a token: give a rate from 1/1000 to 1000"
    );
    assert!(ScriptRule::new(1000.into(), rate(1, 1000), rate(2000, 2)).is_ok());
    // Three primes just below 2^32, over denominators that keep the rates near 1.
    let (a, b, c) = (rate(4_294_967_291, 1 << 31), rate(4_294_967_279, 1 << 31), rate(4_294_967_231, 1 << 31));
    assert_eq!(ScriptRule::new(a, b, c), Err(RuleError::TooFine));
    assert!(ScriptRule::new(a, a, a).is_ok());
    assert!(ScriptRule::new(rate(165_139, 165_140), rate(165_137, 165_140), rate(165_131, 165_140)).is_ok());
}

fn any_rate() -> impl Strategy<Value = Rate> {
    (1..=5000_u32, 1..=5000_u32)
        .prop_map(|(numerator, denominator)| rate(numerator, denominator))
        .prop_filter("allowed", |rate| {
            rate.numerator <= rate.denominator * 1000 && rate.denominator <= rate.numerator * 1000
        })
}

fn any_rule() -> impl Strategy<Value = ScriptRule> {
    prop_oneof![
        Just(ScriptRule::default()),
        (any_rate(), any_rate(), any_rate())
            .prop_map(|(ascii, cjk, other)| ScriptRule::new(ascii, cjk, other).unwrap()),
    ]
}

proptest! {
    /// The smallest `tokens` with `tokens >= sum of counts / rates`, over the product of the numerators.
    #[test]
    fn tokens_are_the_least_that_cover(rates in [any_rate(), any_rate(), any_rate()], n in [0..1_u64 << 40, 0..1_u64 << 40, 0..1_u64 << 40]) {
        let [a, b, c] = rates.map(|rate| (u128::from(rate.numerator), u128::from(rate.denominator)));
        let product = a.0 * b.0 * c.0;
        let sum = u128::from(n[0]) * a.1 * b.0 * c.0 + u128::from(n[1]) * b.1 * a.0 * c.0 + u128::from(n[2]) * c.1 * a.0 * b.0;
        let tokens = u128::from(ScriptRule::new(rates[0], rates[1], rates[2]).unwrap().tokens(counts(n[0], n[1], n[2])));
        prop_assert!(tokens * product >= sum);
        prop_assert!(tokens == 0 || (tokens - 1) * product < sum);
    }

    /// `fits` is the comparison it stands for, in every storage, at and around the estimate.
    #[test]
    fn fits_is_estimate_at_most_limit(
        rule in any_rule(),
        pattern in proptest::collection::vec(any::<char>(), 1..40),
        repeats in 0..400_usize,
        off in -3..=3_i64,
    ) {
        let text: String = pattern.iter().collect::<String>().repeat(repeats);
        let ucs4: Vec<u32> = text.chars().map(u32::from).collect();
        let ucs2: Vec<u16> = ucs4.iter().map(|&point| point as u16).collect();
        let latin1: Vec<u8> = ucs4.iter().map(|&point| point as u8).collect();
        for text in [Text::Utf8(&text), Text::Ucs4(&ucs4), Text::Ucs2(&ucs2), Text::Latin1(&latin1), Text::Ascii(&latin1)] {
            let estimate = rule.estimate(text);
            for limit in [0, estimate.saturating_add_signed(off), estimate / 2, estimate * 2, u64::MAX] {
                prop_assert_eq!(rule.fits(text, limit), estimate <= limit, "limit {} of {}", limit, estimate);
            }
        }
    }

    /// Every storage of the same text has the same counts and the same length in UTF-8.
    #[test]
    fn storages_agree(text in any::<String>()) {
        let ucs4: Vec<u32> = text.chars().map(u32::from).collect();
        prop_assert_eq!(scripts(Text::Utf8(&text)), oracle::scripts(&ucs4));
        prop_assert_eq!(scripts(Text::Ucs4(&ucs4)), oracle::scripts(&ucs4));
        prop_assert_eq!(byte_bound(Text::Utf8(&text)), byte_bound(Text::Ucs4(&ucs4)));
    }
}
