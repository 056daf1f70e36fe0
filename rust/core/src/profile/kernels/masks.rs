//! Where runs begin, how they open and which capitals are folded, for 64 code points at once: the rules of `runs` and
//! `symbols` as logic on sets, one bit a code point.

use super::super::classes::{Class, Group};
use super::super::runs::Opening;

/// Code points in a block.
pub const BLOCK: usize = 64;

/// What is asked of a class, a bit each.
pub mod flags {
    pub const LETTER: u8 = 1;
    pub const UPPER: u8 = 2;
    /// A capital after it begins a run.
    pub const SMALL: u8 = 4;
    pub const DIGIT: u8 = 8;
    pub const BLANK: u8 = 16;
    pub const SPACE: u8 = 32;
    pub const LINE: u8 = 64;
    /// Signs and emoji.
    pub const SIGN: u8 = 128;
}

/// The flags of a class.
pub fn flags_of(class: Class) -> u8 {
    let group = match class.group() {
        Group::Letter => flags::LETTER,
        Group::Digit => flags::DIGIT,
        Group::Blank => flags::BLANK,
        Group::Line => flags::LINE,
        Group::Sign | Group::Emoji => flags::SIGN,
    };
    let flag = |holds, flag| if holds { flag } else { 0 };
    group
        | flag(class.is_upper(), flags::UPPER)
        | flag(class.is_lower(), flags::SMALL)
        | flag(class == Class::SPACE, flags::SPACE)
}

/// The code points of a block that have each flag.
#[derive(Clone, Copy, Default)]
pub struct Sets {
    pub letter: u64,
    pub upper: u64,
    pub small: u64,
    pub digit: u64,
    pub blank: u64,
    pub space: u64,
    pub line: u64,
    pub sign: u64,
    /// Letters after letters of another script, emoji after signs and signs after emoji.
    pub seam: u64,
}

impl Sets {
    /// Of one code point that has these flags.
    pub fn of(flags: u8) -> Self {
        Self::new([0, 1, 2, 3, 4, 5, 6, 7].map(|bit| u64::from(flags >> bit & 1)), 0)
    }

    /// From the sets of each bit of the flags.
    #[inline(always)]
    pub fn new([letter, upper, small, digit, blank, space, line, sign]: [u64; 8], seam: u64) -> Self {
        Self { letter, upper, small, digit, blank, space, line, sign, seam }
    }
}

/// What the logic finds.
pub struct Cuts {
    pub begins: u64,
    /// Capitals that are folded.
    pub title: u64,
    /// The lower bit of the opening of the run that each code point is in.
    pub opening0: u64,
    /// The upper bit. Only letters are in runs that have it.
    pub opening1: u64,
}

const _: () = assert!(Opening::Space as u8 == 1 && Opening::Letter as u8 == 2 && Opening::Digit as u8 == 3);

/// What the next block needs to know of those before.
pub struct Cutter {
    sets: Sets,
    opening0: u64,
    opening1: u64,
    first: u64,
}

impl Cutter {
    /// Before a text there is a line end.
    pub fn new() -> Self {
        Self { sets: Sets { line: u64::MAX, ..Sets::default() }, opening0: 0, opening1: 0, first: 1 }
    }

    /// Takes the sets of the next block, and those of the one after it, of which the first code point counts.
    #[inline(always)]
    pub fn cut(&mut self, sets: &Sets, after: &Sets) -> Cuts {
        let last = &self.sets;
        let before = |now: u64, last: u64| now << 1 | last >> 63;
        let second = |now: u64, last: u64| now << 2 | last >> 62;
        let next = |now: u64, after: u64| now >> 1 | after << 63;

        let letter_before = before(sets.letter, last.letter);
        let digit_before = before(sets.digit, last.digit);
        let sign_before = before(sets.sign, last.sign);
        let space_before = before(sets.space, last.space);
        let letter_next = next(sets.letter, after.letter);

        let blank_before = before(sets.blank, last.blank);
        // After a digit or a line end, which are what is left.
        let letter = !(letter_before | sign_before | blank_before)
            | sign_before & (second(sets.sign, last.sign) | second(sets.space, last.space))
            | before(sets.small, last.small) & sets.upper;
        let blank = !blank_before | letter_next | sets.space & next(sets.sign, after.sign);
        let begins = sets.letter & letter
            | sets.sign & !(sign_before | space_before)
            | sets.line & (letter_before | digit_before)
            | sets.digit & !digit_before
            | sets.blank & blank
            | sets.seam
            | self.first;
        let title = sets.upper & (begins | !letter_before) & letter_next & !next(sets.upper, after.upper);

        let after_digit = begins & sets.letter & digit_before;
        let opening0 = fill(begins & sets.space | after_digit, begins, self.opening0 >> 63);
        let opening1 = fill(begins & sets.letter & letter_before | after_digit, begins, self.opening1 >> 63);
        *self = Self { sets: *sets, opening0, opening1, first: 0 };
        Cuts { begins, title, opening0, opening1 }
    }
}

/// Everything in the runs that begin at `starts`, and in the run from the block before if `carry` is 1.
#[inline(always)]
fn fill(starts: u64, begins: u64, carry: u64) -> u64 {
    // An addition right after each start turns the rest of its run to zeros.
    let rest = !begins;
    starts | rest & !rest.wrapping_add(starts << 1 | carry)
}
