//! The basic plane by pages of 256 code points: the high byte of a UCS-2 unit.
//!
//! Most pages are CJK as a whole or not at all. A mixed page is first taken as CJK; the gaps in it are counted afterwards
//! and taken off, in the few blocks of a text that have such a page.

use super::super::classes::{BASIC_RANGES, page_bits};
use super::super::tables::CJK;

/// A set of kinds of mixed pages.
#[derive(Clone, Copy, Default)]
pub struct Pages(pub u8);

impl Pages {
    /// U+31xx: Bopomofo, Hangul letters and strokes, with gaps between.
    pub const LETTERS: Self = Self(0x08);
    /// U+02xx: letters of Romanian or Azerbaijani, and two Bopomofo tone marks.
    pub const LATIN: Self = Self(0x10);
    /// U+D7xx: the last Hangul syllables, then unassigned code points and a few letters.
    pub const HANGUL: Self = Self(0x20);
    /// U+FFxx: full-width forms, then the specials.
    pub const FORMS: Self = Self(0x40);
    /// Every other mixed page.
    pub const RARE: Self = Self(0x80);
}

/// Whether any code point of a page is CJK.
pub const fn is_cjk_page(high: u8) -> bool {
    page(high).0
}

/// The kind of a page that is mixed; of any other, none.
pub const fn kind(high: u8) -> Pages {
    match (page(high), high) {
        ((true, true), 0x02) => Pages::LATIN,
        ((true, true), 0x31) => Pages::LETTERS,
        ((true, true), 0xD7) => Pages::HANGUL,
        ((true, true), 0xFF) => Pages::FORMS,
        ((true, true), _) => Pages::RARE,
        _ => Pages(0),
    }
}

/// Whether a page has CJK in it, and whether it has anything else.
const fn page(high: u8) -> (bool, bool) {
    let [a, b, c, d] = page_bits(high);
    (a | b | c | d != 0, a & b & c & d != u64::MAX)
}

/// What is not CJK in the mixed pages of one kind, as inclusive ranges.
#[derive(Clone, Copy)]
pub struct Gaps {
    ranges: [(u16, u16); BASIC_RANGES],
    length: usize,
}

impl Gaps {
    const NONE: Self = Self { ranges: [(0, 0); BASIC_RANGES], length: 0 };

    pub fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges[..self.length]
    }
}

impl Pages {
    pub const fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }

    /// The gaps of every kind in the set.
    pub fn gaps(self) -> impl Iterator<Item = &'static Gaps> {
        (0..8).filter(move |bit| self.0 >> bit & 1 == 1).map(|bit| &GAPS[bit])
    }
}

/// By the bit of the kind. A gap in a mixed page begins behind a CJK range, or ends before one.
static GAPS: [Gaps; 8] = {
    let mut gaps = [Gaps::NONE; 8];
    let mut behind = 0;
    let mut range = 0;
    while range <= BASIC_RANGES {
        let next = CJK[range].0;
        if behind & 0xFF != 0 && behind < next {
            let page_end = behind | 0xFF;
            add_gap(&mut gaps, behind, if page_end < next { page_end } else { next - 1 });
        }
        let page_start = next & !0xFF;
        if range < BASIC_RANGES && behind <= page_start && page_start < next {
            add_gap(&mut gaps, page_start, next - 1);
        }
        behind = CJK[range].1 + 1;
        range += 1;
    }
    gaps
};

const fn add_gap(gaps: &mut [Gaps; 8], first: u32, last: u32) {
    let gaps = &mut gaps[kind((first >> 8) as u8).0.trailing_zeros() as usize];
    gaps.ranges[gaps.length] = (first as u16, last as u16);
    gaps.length += 1;
}
