//! The three counts of a text.

use std::ops::{Add, AddAssign};

use super::kernels;
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
        Text::Latin1(bytes) => kernels::best().latin1(bytes),
        Text::Ucs2(units) => kernels::best().ucs2(units),
        Text::Ucs4(points) => kernels::best().ucs4(points),
        Text::Utf8(text) => kernels::best().utf8(text),
    }
}
