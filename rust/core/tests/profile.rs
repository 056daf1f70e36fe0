//! Profiles: the features are what they say, do not depend on storage, and add up over lines.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ullage_core::{Profile, Table, Text, features};

/// How often each cell is added.
fn cells(text: Text<'_>) -> BTreeMap<(u8, usize), i64> {
    let mut counts = BTreeMap::new();
    features::visit(text, |table, cell| {
        assert!(cell < table.cells(), "{table:?} has no cell {cell}");
        *counts.entry((table as u8, cell)).or_default() += 1;
    });
    counts
}

fn count(text: &str, table: Table) -> i64 {
    cells(Text::Utf8(text)).iter().filter(|((of, _), _)| *of == table as u8).map(|(_, count)| count).sum()
}

/// The runs of a text, read off the cells for the position 0 of `Step`.
fn runs(text: &str) -> i64 {
    cells(Text::Utf8(text)).iter().filter(|((table, cell), _)| *table == 0 && cell % 16 == 0).map(|(_, n)| n).sum()
}

#[test]
fn runs_are_cut_as_stated() {
    for (text, expected) in [
        ("", 0),
        ("the", 1),
        ("the word", 2),     // the| word
        ("fooBar", 2),       // foo|Bar
        ("HTMLParser", 1),   // one run of letters: capitals do not end it
        ("it's", 2),         // it|'s
        ("f(x)", 3),         // f|(x|)
        ("f((x))", 4),       // f|((|x|))
        ("a (b)", 4),        // a| (|b|)
        ("a  b", 3),         // a| | b
        ("12345", 1),        // digits are one run
        ("v1.2", 4),         // v|1|.|2
        ("};\n    x", 3),    // };\n|   | x
        ("a\n\nb", 3),       // a|\n\n|b
        ("cafe\u{301}s", 1), // a mark belongs to its letter
        ("likeчай", 2),      // like|чай
        ("茶を飲む", 1),     // Han and Kana share runs
        ("ok👍🏽!", 3),        // ok|emoji and its modifier|!
        ("👩\u{200D}💻", 1), // a joined emoji
    ] {
        assert_eq!(runs(text), expected, "{text:?}");
    }
}

#[test]
fn every_code_point_adds_to_the_small_tables_and_to_one_neighbourhood() {
    let text = "The café (est. 1999) — чай, 茶\n\tfn main() { 👍 }\r\n";
    let points = i64::try_from(text.chars().count()).unwrap();
    let wide = i64::try_from(text.chars().filter(|c| !c.is_ascii()).count()).unwrap();
    for table in [Table::Step, Table::Pair, Table::Trio] {
        assert_eq!(count(text, table), points, "{table:?}");
    }
    assert_eq!(count(text, Table::Near) + count(text, Table::Wide2), points);
    assert_eq!(count(text, Table::Wide2), count(text, Table::Wide3));
    assert_eq!(count(text, Table::Wide1), wide);
}

#[test]
fn the_capital_of_a_title_word_and_digits_are_folded() {
    let near = |text: &str| {
        let cells = cells(Text::Utf8(text));
        cells.into_iter().filter(|((table, _), _)| *table == Table::Near as u8).collect::<Vec<_>>()
    };
    assert_eq!(near(" The"), near(" the"));
    assert_ne!(near(" THE"), near(" the"));
    assert_eq!(near("2024"), near("1999"));
    assert_ne!(near("2024"), near("202"));
}

#[test]
fn an_estimate_is_the_scaled_sum_rounded_once() {
    let mut weights = vec![0; Profile::cells()];
    // Row 0, position 0: a small letter that begins a run. Half a token for each, with a scale of 2^24 / 100.
    weights[0] = 50;
    let profile = Profile::new([167_772, 0, 0, 0, 0, 0, 0], &weights).unwrap();
    assert_eq!(profile.tokens("".into()), 0);
    assert_eq!(profile.tokens("a".into()), 1, "no text that is not empty is free");
    assert_eq!(profile.tokens("a\nb\nc\nd".into()), 2);
    assert_eq!(profile.tokens("a\nb\nc\nd\ne\nf".into()), 3);
}

#[test]
fn too_few_weights_are_refused() {
    let error = Profile::new([1; 7], &[0; 3]).unwrap_err();
    assert_eq!(error.to_string(), format!("a profile has {} weights, and 3 were given", Profile::cells()));
}

#[test]
fn lone_surrogates_are_code_points_like_others() {
    assert_eq!(cells(Text::Ucs2(&[0xD800, 0x41])), cells(Text::Ucs4(&[0xD800, 0x41])));
}

proptest! {
    #[test]
    fn storage_does_not_matter(text in "[\\PC\n\r\t é]{0,60}|[ -~\n]{0,60}|[\u{0}-\u{FF}]{0,60}") {
        let expected = cells(Text::Utf8(&text));
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        prop_assert_eq!(&cells(Text::Ucs4(&points)), &expected);
        if let Ok(units) = points.iter().map(|&point| u16::try_from(point)).collect::<Result<Vec<_>, _>>() {
            prop_assert_eq!(&cells(Text::Ucs2(&units)), &expected);
        }
        if let Ok(bytes) = points.iter().map(|&point| u8::try_from(point)).collect::<Result<Vec<_>, _>>() {
            prop_assert_eq!(&cells(Text::Latin1(&bytes)), &expected);
            if text.is_ascii() {
                prop_assert_eq!(&cells(Text::Ascii(&bytes)), &expected);
            }
        }
    }

    /// Cut after a line end, before anything but another: only one cell of `Trio` is not the same.
    #[test]
    fn lines_add_up(before in "[\\PC\t ]{0,40}\n", after in "[^\r\n][\\PC\n ]{0,40}") {
        let whole = cells(Text::Utf8(&format!("{before}{after}")));
        let mut parts = cells(Text::Utf8(&before));
        for (cell, count) in cells(Text::Utf8(&after)) {
            *parts.entry(cell).or_default() += count;
        }
        for (cell, count) in whole {
            *parts.entry(cell).or_default() -= count;
        }
        parts.retain(|_, count| *count != 0);
        prop_assert!(parts.keys().all(|(table, _)| *table == Table::Trio as u8), "{parts:?}");
        prop_assert!(parts.len() <= 2, "{parts:?}");
    }
}
