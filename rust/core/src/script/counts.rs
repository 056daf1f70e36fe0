//! The three counts of a text.

use std::ops::{Add, AddAssign};

use super::classes::{is_cjk, is_cjk_unit};
use crate::Text;

/// How many code points of a text are of each class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ScriptCounts {
    /// U+0000 to U+007F.
    pub ascii: u64,
    /// Han, Hiragana, Katakana, Hangul, Bopomofo, and the punctuation and full-width forms used with them.
    pub cjk: u64,
    /// Everything else: other alphabets, emoji, lone surrogates, unassigned code points.
    pub other: u64,
}

impl ScriptCounts {
    /// All code points of the text.
    #[must_use]
    pub const fn characters(self) -> u64 {
        self.ascii + self.cjk + self.other
    }
}

impl Add for ScriptCounts {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self { ascii: self.ascii + more.ascii, cjk: self.cjk + more.cjk, other: self.other + more.other }
    }
}

impl AddAssign for ScriptCounts {
    fn add_assign(&mut self, more: Self) {
        *self = *self + more;
    }
}

/// Counts the code points of `text` by class, in one pass. [`Text::Ascii`] is answered from its length.
#[must_use]
pub fn scripts(text: Text) -> ScriptCounts {
    match text {
        Text::Ascii(bytes) => ScriptCounts { ascii: bytes.len() as u64, cjk: 0, other: 0 },
        Text::Latin1(bytes) => count(bytes.iter().map(|&byte| (byte < 0x80, false))),
        Text::Ucs2(units) => count(units.iter().map(|&unit| (unit < 0x80, is_cjk_unit(unit)))),
        Text::Ucs4(points) => count(points.iter().map(|&point| (point < 0x80, is_cjk(point)))),
        Text::Utf8(text) => count(text.chars().map(|point| (point.is_ascii(), is_cjk(point.into())))),
    }
}

/// From whether each code point is ASCII, and whether it is CJK.
fn count(points: impl Iterator<Item = (bool, bool)>) -> ScriptCounts {
    let mut counts = ScriptCounts::default();
    for (ascii, cjk) in points {
        counts.ascii += u64::from(ascii);
        counts.cjk += u64::from(cjk);
        counts.other += u64::from(!ascii && !cjk);
    }
    counts
}
