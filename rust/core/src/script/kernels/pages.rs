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
    /// U+02xx: letters of Romanian or Azerbaijani, and two Bopomofo tone marks.
    pub const LATIN: Self = Self(0x10);
    /// U+D7xx: the last Hangul syllables, then unassigned code points and a few letters.
    pub const HANGUL: Self = Self(0x20);
    /// U+FFxx: full-width forms, then the specials.
    pub const FORMS: Self = Self(0x40);
    /// Every other mixed page.
    pub const RARE: Self = Self(0x80);

    pub const fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }
}

/// Whether any code point of a page is CJK.
pub const fn is_cjk_page(high: u8) -> bool {
    page(high).0
}

/// The kind of a page that is mixed; of any other, none.
pub const fn kind(high: u8) -> Pages {
    match (page(high), high) {
        ((true, true), 0x02) => Pages::LATIN,
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

/// What is not CJK in the mixed pages: the kind of the page, the first unit and the last. Slots not used have no kind.
///
/// A gap in a mixed page begins behind a CJK range, or ends before one.
pub const GAPS: [(Pages, u16, u16); 2 * BASIC_RANGES + 1] = {
    let mut gaps = [(Pages(0), 0, 0); 2 * BASIC_RANGES + 1];
    let mut behind = 0;
    let mut range = 0;
    while range <= BASIC_RANGES {
        let next = CJK[range].0;
        let page_end = behind | 0xFF;
        if behind & 0xFF != 0 && behind < next {
            gaps[2 * range] = gap(behind, if page_end < next { page_end } else { next - 1 });
        }
        let page_start = next & !0xFF;
        if range < BASIC_RANGES && behind <= page_start && page_start < next {
            gaps[2 * range + 1] = gap(page_start, next - 1);
        }
        behind = CJK[range].1 + 1;
        range += 1;
    }
    gaps
};

const fn gap(first: u32, last: u32) -> (Pages, u16, u16) {
    (kind((first >> 8) as u8), first as u16, last as u16)
}
