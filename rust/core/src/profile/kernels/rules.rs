//! Where runs begin, how they open and which capitals are folded, as one lookup by four neighbours.
//!
//! Filled from the definitions in `runs`, so there is no second statement of them.

use std::array::from_fn;
use std::sync::LazyLock;

use super::super::classes::{Class, Group};
use super::super::runs::{Around, Opening, begins};

/// A run begins here.
pub const BEGINS: u8 = 1;
/// A capital that is folded if a run begins here.
pub const CAPITAL: u8 = 2;
/// A capital that is folded in any case.
pub const TITLE: u8 = 4;
/// The opening of a run that begins here is in the bits from this one on.
pub const OPENING: u32 = 4;

/// Bits of a sort.
pub const BITS: u32 = 3;
/// The last four sorts, as an index.
pub const WINDOW: usize = 1 << (4 * BITS);

pub struct Rules {
    /// What the rules ask of each class, in [`BITS`] bits.
    sorts: [u8; Class::COUNT],
    /// For each class, those (by bit) that begin a run after it though their sorts do not: letters of another script, and
    /// emoji after signs and signs after emoji, which are one sort.
    seams: [u32; Class::COUNT],
    /// For each window of sorts, oldest first: what holds for the last but one.
    marks: [u8; WINDOW],
}

/// The classes that stand for the eight sorts: signs, small letters, capitals, letters without case, digits, spaces, other
/// blanks, line ends. Marks stand for letters without case, since they join letters of every script.
const SORTS: [u8; 8] = [0, 1, 2, 28, 3, 4, 6, 5];

pub static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let class = |index: usize| Class::ALL[index];
    Rules {
        sorts: from_fn(|index| sort(class(index))),
        seams: from_fn(|before| {
            (0..Class::COUNT).filter(|&here| seam(class(before), class(here))).fold(0, |set, here| set | 1 << here)
        }),
        marks: from_fn(|window| {
            let at = |age: u32| class(usize::from(SORTS[window >> (age * BITS) & 7]));
            marks(Around { second: at(3), before: at(2), here: at(1), after: at(0) })
        }),
    }
});

impl Rules {
    /// The sort of a class.
    pub fn sort(&self, class: Class) -> usize {
        usize::from(self.sorts[class.index()])
    }

    /// Whether a run begins between two classes whatever their sorts say.
    pub fn seam(&self, before: Class, here: Class) -> bool {
        self.seams[before.index()] >> here.index() & 1 != 0
    }

    /// What holds for the last but one of a window of sorts.
    pub fn marks(&self, window: usize) -> u8 {
        self.marks[window % WINDOW]
    }
}

fn sort(class: Class) -> u8 {
    let same = |&sort: &u8| {
        let other = Class::ALL[usize::from(SORTS[usize::from(sort)])];
        let group = if class.group() == Group::Emoji { Group::Sign } else { class.group() };
        group == other.group()
            && (class == Class::SPACE) == (other == Class::SPACE)
            && class.is_lower() == other.is_lower()
            && class.is_upper() == other.is_upper()
    };
    (0..8).find(same).unwrap_or(0)
}

fn seam(before: Class, here: Class) -> bool {
    match (before.group(), here.group()) {
        (Group::Letter, Group::Letter) => !before.joins(here),
        (Group::Sign, Group::Emoji) | (Group::Emoji, Group::Sign) => true,
        _ => false,
    }
}

fn marks(around: Around) -> u8 {
    let begins = begins(around);
    let capital = around.here.is_upper() && around.after.group() == Group::Letter && !around.after.is_upper();
    let title = capital && (begins || around.before.group() != Group::Letter);
    let flag = |holds, flag| if holds { flag } else { 0 };
    flag(begins, BEGINS) | flag(capital, CAPITAL) | flag(title, TITLE) | ((Opening::of(around) as u8) << OPENING)
}
