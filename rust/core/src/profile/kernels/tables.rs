//! The weights of a profile, laid out as the kernels read them.

use std::mem::offset_of;
use std::ops::Range;

use super::super::classes::Class;
use super::super::features::{POSITIONS, Table};
use super::super::runs::Opening;

/// The classes of ASCII.
const ASCII: Range<usize> = 0..13;
const ASCII_ROW: usize = 16;
/// Cells of `Step` for each class and opening, where many are the same.
const OPENED: usize = Class::COUNT * Opening::COUNT * POSITIONS;
/// Zeros behind a table that lookups go to which are to add nothing, or that a load of four bytes touches.
pub const PAD: usize = 64;

/// The weights, table by table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Tables {
    /// Its first 256 cells are those of ASCII.
    pub step: [i8; Table::Step.cells() + PAD],
    /// The same for every class and opening.
    pub opened: [i8; OPENED + PAD],
    pub pair: [i8; Table::Pair.cells() + PAD],
    /// The cells of `pair` that ASCII has, by [`ascii_code`], 16 to a row.
    pub ascii_pair: [i8; ASCII_ROW * ASCII_ROW],
    pub trio: [i8; Table::Trio.cells() + PAD],
    pub near: [i8; Table::Near.cells() + PAD],
    /// Right behind `near`, see [`Tables::near_and_wide3`].
    pub wide3: [i8; Table::Wide3.cells() + PAD],
    pub wide1: [i8; Table::Wide1.cells() + PAD],
    pub wide2: [i8; Table::Wide2.cells() + PAD],
}

impl Tables {
    /// From the start of `near` to that of `wide3`.
    pub const NEAR_TO_WIDE3: usize = offset_of!(Self, wide3) - offset_of!(Self, near);

    /// Where `near` starts, and `wide3` behind it.
    pub fn near_and_wide3(&self) -> *const i8 {
        std::ptr::from_ref(self).cast::<i8>().wrapping_add(offset_of!(Self, near))
    }

    /// Takes the weights of [`Table::ALL`], one table after the other, as many as the tables have cells.
    #[expect(clippy::large_stack_arrays, reason = "on the stack for a moment, once for every profile")]
    pub fn new(weights: &[i8]) -> Box<Self> {
        let mut tables = Box::new(Self {
            step: [0; _],
            opened: [0; _],
            pair: [0; _],
            ascii_pair: [0; _],
            trio: [0; _],
            near: [0; _],
            wide1: [0; _],
            wide2: [0; _],
            wide3: [0; _],
        });
        let mut rest = weights;
        for table in Table::ALL {
            let (own, others) = rest.split_at(table.cells());
            tables.cells_mut(table)[..table.cells()].copy_from_slice(own);
            rest = others;
        }
        for (class, opening) in Class::ALL.iter().flat_map(|&class| Opening::ALL.map(|opening| (class, opening))) {
            let cells = &tables.step[class.row(opening) * POSITIONS..][..POSITIONS];
            let start = (class.index() * Opening::COUNT + opening as usize) * POSITIONS;
            tables.opened[start..][..POSITIONS].copy_from_slice(cells);
        }
        for (before, here) in ASCII.flat_map(|before| ASCII.map(move |here| (Class::ALL[before], Class::ALL[here]))) {
            let cell = usize::from(ascii_code(before)) * ASCII_ROW + usize::from(ascii_code(here));
            tables.ascii_pair[cell] = tables.pair[before.index() * Class::COUNT + here.index()];
        }
        tables
    }

    fn cells_mut(&mut self, table: Table) -> &mut [i8] {
        match table {
            Table::Step => &mut self.step,
            Table::Pair => &mut self.pair,
            Table::Trio => &mut self.trio,
            Table::Near => &mut self.near,
            Table::Wide1 => &mut self.wide1,
            Table::Wide2 => &mut self.wide2,
            Table::Wide3 => &mut self.wide3,
        }
    }
}

/// The classes of ASCII, in four bits that tell groups apart: eight or more are signs, and of the others, four and more are
/// no letters. Among those one stands for a digit or a line end, and two for any but a digit or a space; among letters, two
/// stands for a capital.
pub fn ascii_code(class: Class) -> u8 {
    match class.index() as u8 {
        1 => 0,
        2 => 2,
        4 => 4,
        3 => 5,
        6 => 6,
        5 => 7,
        0 => 8,
        sign => sign + 2,
    }
}
