//! What a profile adds up: for each code point, a few cells of its tables. This is the one definition of the features.
//!
//! Fitting and the scalar estimate both go through [`visit`]; a vector kernel has to add up the same cells. Features do not
//! depend on the storage of the text.

use super::classes::Class;
use super::runs::{Around, Opening, begins};
use super::symbols::{END, NONE, symbol};
use crate::Text;

/// A table of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Row of the class and the opening of the run x position in the run up to 15.
    Step,
    /// Class before x class.
    Pair,
    /// Kind two before x kind before x kind: the classes in eight kinds.
    Trio,
    /// ASCII: a code point and the three before it in its run, hashed; at the end of a run its last three.
    Near,
    /// Not ASCII: the code point alone.
    Wide1,
    /// Not ASCII: with the one before it.
    Wide2,
    /// Not ASCII: with the two before it.
    Wide3,
}

impl Table {
    /// All tables, in the order that their weights have in a profile.
    pub const ALL: [Self; 7] = [Self::Step, Self::Pair, Self::Trio, Self::Near, Self::Wide1, Self::Wide2, Self::Wide3];

    /// How many weights the table has.
    #[must_use]
    pub const fn cells(self) -> usize {
        match self {
            Self::Step => Class::ROWS * POSITIONS,
            Self::Pair => Class::COUNT * Class::COUNT,
            Self::Trio => Class::KINDS * Class::KINDS * Class::KINDS,
            Self::Near => 1 << 15,
            Self::Wide1 => 1 << 11,
            Self::Wide2 => 1 << 13,
            Self::Wide3 => 1 << 14,
        }
    }
}

/// Positions in a run that are told apart; the last stands for all beyond.
pub(super) const POSITIONS: usize = 16;
/// What the farther symbol of two is multiplied by before both are added. Odd, so that no bit is lost; below 256, so that
/// ASCII pairs are one byte multiply-add.
pub(super) const SPREAD: u16 = 149;
/// The multipliers of the nearer and the farther two symbols of a neighbourhood: odd, and of many tried those with the
/// fewest collisions.
pub(super) const MIX: [u16; 2] = [0x6301, 0x7609];

/// Calls `add(table, cell)` for every cell that the text adds up.
pub fn visit(text: Text<'_>, mut add: impl FnMut(Table, usize)) {
    match text {
        Text::Ascii(bytes) | Text::Latin1(bytes) => walk(bytes.iter().map(|&byte| u32::from(byte)), &mut add),
        Text::Ucs2(units) => walk(units.iter().map(|&unit| u32::from(unit)), &mut add),
        Text::Ucs4(points) => walk(points.iter().copied(), &mut add),
        Text::Utf8(utf8) => walk(utf8.chars().map(u32::from), &mut add),
    }
}

fn walk(mut points: impl Iterator<Item = u32>, add: &mut impl FnMut(Table, usize)) {
    let Some(mut point) = points.next() else { return };
    let mut around = Around { second: Class::LINE, before: Class::LINE, here: Class::of(point), after: Class::LINE };
    // The symbols of the run so far, newest first.
    let mut run = [NONE; 4];
    let mut opening = Opening::Plain;
    let mut position = 0;
    let mut ascii = true;
    let mut first = true;
    loop {
        let next = points.next();
        around.after = next.map_or(Class::LINE, Class::of);
        let begins = first || begins(around);
        let symbol = symbol(point, around, begins);
        if begins {
            if !first {
                end(run, ascii, add);
            }
            opening = Opening::of(around);
            position = 0;
            run = [symbol, NONE, NONE, NONE];
        } else {
            position = (position + 1).min(POSITIONS - 1);
            run = [symbol, run[0], run[1], run[2]];
        }
        ascii = point < 0x80;
        add(Table::Step, around.here.row(opening) * POSITIONS + position);
        add(Table::Pair, around.before.index() * Class::COUNT + around.here.index());
        let kinds = [around.second, around.before, around.here].map(Class::kind);
        add(Table::Trio, (kinds[0] * Class::KINDS + kinds[1]) * Class::KINDS + kinds[2]);
        if !ascii {
            add(Table::Wide1, bucket(Table::Wide1, [symbol, NONE, NONE, NONE]));
        }
        if !begins {
            neighbours(run, ascii, add);
        }
        let Some(next) = next else { break };
        point = next;
        around = Around { second: around.before, before: around.here, here: around.after, after: Class::LINE };
        first = false;
    }
    end(run, ascii, add);
}

/// The end of a run, as a neighbourhood of its last symbols. `ascii` says whether the last code point was.
fn end(run: [u16; 4], ascii: bool, add: &mut impl FnMut(Table, usize)) {
    neighbours([END, run[0], run[1], run[2]], ascii, add);
}

fn neighbours(run: [u16; 4], ascii: bool, add: &mut impl FnMut(Table, usize)) {
    if ascii {
        add(Table::Near, bucket(Table::Near, run));
    } else {
        add(Table::Wide2, bucket(Table::Wide2, [run[0], run[1], NONE, NONE]));
        add(Table::Wide3, bucket(Table::Wide3, [run[0], run[1], run[2], NONE]));
    }
}

/// The cell that a neighbourhood hashes to: the top bits of a linear form in 16 bits.
#[inline]
pub(super) fn bucket(table: Table, run: [u16; 4]) -> usize {
    let near = run[0].wrapping_add(run[1].wrapping_mul(SPREAD)).wrapping_mul(MIX[0]);
    let far = run[2].wrapping_add(run[3].wrapping_mul(SPREAD)).wrapping_mul(MIX[1]);
    usize::from(near.wrapping_add(far)) >> (16 - table.cells().trailing_zeros())
}
