//! Where texts part, and texts without their white space, in every storage.

use proptest::prelude::*;
use ullage_core::{Digester, Text};

/// A text's code points in each storage that can hold them.
struct Stored {
    points: Vec<u32>,
    bytes: Option<Vec<u8>>,
    units: Option<Vec<u16>>,
    utf8: Option<String>,
}

impl Stored {
    fn of(points: Vec<u32>) -> Self {
        let bytes = points.iter().map(|point| u8::try_from(*point).ok()).collect();
        let units = points.iter().map(|point| u16::try_from(*point).ok()).collect();
        let utf8 = points.iter().map(|point| char::from_u32(*point)).collect();
        Self { points, bytes, units, utf8 }
    }

    fn views(&self) -> Vec<Text<'_>> {
        let bytes = self.bytes.as_deref();
        [
            Some(Text::Ucs4(&self.points)),
            self.units.as_deref().map(Text::Ucs2),
            bytes.map(Text::Latin1),
            bytes.filter(|bytes| bytes.is_ascii()).map(Text::Ascii),
            self.utf8.as_deref().map(Text::Utf8),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

fn points() -> impl Strategy<Value = Vec<u32>> {
    let point = prop_oneof![
        4 => prop::sample::select(vec![0x61, 0x20, 0x0A, 0x85, 0xA0, 0xE9, 0x3000, 0x4E16, 0xD800, 0x1F600, 0x1F601]),
        1 => 0_u32..0x11_0000,
    ];
    prop::collection::vec(point, 0..12)
}

fn unspaced(text: Text<'_>) -> u128 {
    let mut digester = Digester::new();
    digester.unspaced(text);
    digester.finish()
}

proptest! {
    #[test]
    fn texts_part_where_their_code_points_do(start in points(), left in points(), right in points()) {
        let a = Stored::of([start.clone(), left].concat());
        let b = Stored::of([start, right].concat());
        let shared = a.points.iter().zip(&b.points).take_while(|(a, b)| a == b).count();
        let expected = (a.points != b.points).then_some(shared);
        for (x, y) in a.views().into_iter().flat_map(|x| b.views().into_iter().map(move |y| (x, y))) {
            prop_assert_eq!(x.first_difference(y), expected);
        }
    }

    #[test]
    fn storage_and_white_space_do_not_count(text in points(), repeat in 1_usize..300) {
        let long = Stored::of(text.repeat(repeat));
        let is_space = |point: &u32| char::from_u32(*point).is_some_and(char::is_whitespace);
        let bare = Stored::of(long.points.iter().copied().filter(|point| !is_space(point)).collect());
        let expected = unspaced(Text::Ucs4(&bare.points));
        for view in long.views().into_iter().chain(bare.views()) {
            prop_assert_eq!(unspaced(view), expected);
        }
    }

    #[test]
    fn all_else_counts(a in points(), b in points()) {
        let is_space = |point: &&u32| char::from_u32(**point).is_some_and(char::is_whitespace);
        let same = a.iter().filter(|point| !is_space(point)).eq(b.iter().filter(|point| !is_space(point)));
        prop_assert_eq!(unspaced(Text::Ucs4(&a)) == unspaced(Text::Ucs4(&b)), same);
    }
}
