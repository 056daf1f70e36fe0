//! The 32 classes of code points that profiles tell apart, and the coarser groups and scripts that cut text into runs.

use super::runs::Opening;
use super::tables::{BLOCKS, CLASSES};

/// One of 32 classes. The order is that of `scripts/gen_profile_tables.py`, and of the weights in every profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Class(u8);

/// What a run is made of. Marks belong to the letters that they stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Punctuation, symbols, controls: what is nothing else.
    Sign,
    /// Letters and combining marks.
    Letter,
    /// ASCII digits and every other number.
    Digit,
    /// White space within a line.
    Blank,
    /// Line feed and carriage return.
    Line,
    /// Emoji, their modifiers, selectors and joiners.
    Emoji,
}

impl Class {
    /// How many classes there are.
    pub const COUNT: usize = 32;
    /// All of them, by number.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = [Self(0); Self::COUNT];
        let mut index = 0;
        while index < Self::COUNT {
            all[index] = Self(index as u8);
            index += 1;
        }
        all
    };
    /// Controls, surrogates, private and unassigned code points.
    pub const CONTROL: Self = Self(0);
    /// a to z.
    pub const LOWER: Self = Self(1);
    /// A to Z.
    pub const UPPER: Self = Self(2);
    /// 0 to 9.
    pub const DIGIT: Self = Self(3);
    /// U+0020 alone.
    pub const SPACE: Self = Self(4);
    /// Line feed and carriage return.
    pub const LINE: Self = Self(5);
    const LATIN: Self = Self(13);
    const LATIN_UPPER: Self = Self(14);
    const GREEK: Self = Self(15);
    const CYRILLIC: Self = Self(16);
    const CYRILLIC_UPPER: Self = Self(17);
    const HAN: Self = Self(23);
    const EMOJI: Self = Self(30);

    /// The class of any 32-bit value. Above U+20000 the planes are told apart as wholes.
    #[inline]
    pub fn of(point: u32) -> Self {
        match point {
            0..0x20000 => Self(CLASSES[usize::from(BLOCKS[(point >> 6) as usize]) << 6 | (point & 63) as usize]),
            0x20000..0x40000 => Self::HAN,
            0xE0000..0xE0200 => Self::EMOJI,
            _ => Self::CONTROL,
        }
    }

    /// The number of the class, below [`Class::COUNT`].
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The group of the class.
    #[inline]
    pub fn group(self) -> Group {
        match self.0 {
            1 | 2 | 13..=28 => Group::Letter,
            3 | 31 => Group::Digit,
            4 | 6 => Group::Blank,
            5 => Group::Line,
            30 => Group::Emoji,
            _ => Group::Sign,
        }
    }

    /// How many rows the weights by position have.
    pub const ROWS: usize = 16 + Self::COUNT - 13;

    /// The row of the weights by position: ASCII letters have one for each opening, signs one for runs that open with a
    /// space and one for others.
    #[inline]
    pub fn row(self, opening: Opening) -> usize {
        match self.0 {
            1 => opening as usize,
            2 => Opening::COUNT + opening as usize,
            3..=6 => self.index() + 5,
            0 | 7..13 => 12 + usize::from(opening == Opening::Space),
            _ => self.index() + 3,
        }
    }

    /// How many kinds there are.
    pub const KINDS: usize = 8;

    /// The class in eight kinds: letters, capitals, digits, spaces, other white space, marks of a sentence, brackets and
    /// slashes, anything else.
    #[inline]
    pub fn kind(self) -> usize {
        match self.0 {
            2 | 14 | 17 => 1,
            1 | 13..=28 => 0,
            3 | 31 => 2,
            4 => 3,
            5 | 6 => 4,
            7..=9 => 5,
            10 | 11 => 6,
            _ => 7,
        }
    }

    /// Whether this is a capital of a script that profiles split by case.
    #[inline]
    pub fn is_upper(self) -> bool {
        matches!(self, Self::UPPER | Self::LATIN_UPPER | Self::CYRILLIC_UPPER)
    }

    /// Whether a capital after this class begins a new run.
    #[inline]
    pub fn is_lower(self) -> bool {
        matches!(self, Self::LOWER | Self::LATIN | Self::GREEK | Self::CYRILLIC)
    }

    /// Whether two classes of letters can share a run: the same script, or a mark, which joins any.
    #[inline]
    pub fn joins(self, other: Self) -> bool {
        let (a, b) = (self.script(), other.script());
        a == b || a == 0 || b == 0
    }

    /// A number for each script. Han and Kana share words, so they share a number; marks have 0.
    pub fn script(self) -> u8 {
        match self.0 {
            1 | 2 | 13 | 14 => 1,
            15 => 2,
            16 | 17 => 3,
            18..=22 => self.0 - 14,
            23 | 24 => 9,
            25..=27 => self.0 - 15,
            _ => 0,
        }
    }
}
