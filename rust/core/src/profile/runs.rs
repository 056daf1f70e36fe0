//! Where runs begin. A run is what a byte-pair tokenizer splits a text into before it merges, roughly.
//!
//! The rule follows the spirit of the pattern that `o200k_base` splits by: a word with the one blank or sign before it, digits,
//! signs with the space before them and the line ends after them, white space. It looks at most two code points back and
//! one ahead, so that it is bit logic on masks in a vector kernel.

use super::classes::{Class, Group};

/// The classes around one code point. Before the text there is a line end, and so there is after it.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The class two before.
    pub second: Class,
    /// The class before.
    pub before: Class,
    /// The class of the code point itself.
    pub here: Class,
    /// The class after.
    pub after: Class,
}

/// Whether a run begins here. (The first code point of a text always begins one.)
pub fn begins(around: Around) -> bool {
    use Group::{Blank, Digit, Emoji, Letter, Line, Sign};
    let Around { second, before, here, after } = around;
    match (here.group(), before.group()) {
        (Letter, Letter) => (before.is_lower() && here.is_upper()) || !before.joins(here),
        // A sign leads the word after it when it is alone, with no sign and no space before it.
        (Letter, Sign | Emoji) => matches!(second.group(), Sign | Emoji) || second == Class::SPACE,
        // Any blank leads the word after it.
        (Letter, Blank) | (Sign, Sign) | (Emoji, Emoji) | (Digit, Digit) => false,
        (Sign | Emoji, _) => before != Class::SPACE,
        (Line, group) => matches!(group, Letter | Digit),
        // The last blank before a word, and the last space before a sign, leave the white space that they end.
        (Blank, Blank) => leads(here, after),
        _ => true,
    }
}

/// Whether a blank belongs to what comes after it.
fn leads(blank: Class, after: Class) -> bool {
    match after.group() {
        Group::Letter => true,
        Group::Sign | Group::Emoji => blank == Class::SPACE,
        _ => false,
    }
}

/// How a run opens: what its weights by position are chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// In any other way.
    Plain,
    /// With a space.
    Space,
    /// With a letter after a letter: a capital after small letters, or another script.
    Letter,
    /// With a letter after a digit.
    Digit,
}

impl Opening {
    /// How many openings there are.
    pub const COUNT: usize = 4;
    /// All of them, by number.
    pub const ALL: [Self; Self::COUNT] = [Self::Plain, Self::Space, Self::Letter, Self::Digit];

    /// The opening of a run that begins here.
    pub fn of(around: Around) -> Self {
        match (around.here.group(), around.before.group()) {
            (_, _) if around.here == Class::SPACE => Self::Space,
            (Group::Letter, Group::Letter) => Self::Letter,
            (Group::Letter, Group::Digit) => Self::Digit,
            _ => Self::Plain,
        }
    }
}
