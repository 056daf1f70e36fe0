//! A block of 64 code points at a time, in any storage: plain loops that the compiler makes vectors of, and lookups.

use super::super::classes::Class;
use super::super::features::{MIX, POSITIONS, SPREAD, Table};
use super::super::symbols::{END, fold};
use super::masks::{BLOCK, Cutter, Sets};
use super::traits::{LINE, SIGNS, TRAITS, Traits};
use super::{Sums, Tables};
use crate::Text;

/// Code points and their classes. What is behind the end of a text are line ends.
#[derive(Clone, Copy)]
pub struct Points {
    points: [u32; BLOCK],
    classes: [u8; BLOCK],
}

impl Points {
    fn new() -> Self {
        Self { points: [LINE.0; BLOCK], classes: [LINE.1; BLOCK] }
    }

    /// Takes up to 64 code points from the front, and says how many there were.
    #[inline(always)]
    fn fill(&mut self, source: &mut impl Iterator<Item = u32>) -> usize {
        for at in 0..BLOCK {
            let Some(point) = source.next() else {
                self.points[at..].fill(LINE.0);
                self.classes[at..].fill(LINE.1);
                return at;
            };
            self.points[at] = point;
            self.classes[at] = Class::of(point).index() as u8;
        }
        BLOCK
    }
}

/// What an instruction set brings.
pub trait Lanes {
    /// For each of the eight bits of a byte, which bytes have it.
    fn bits(bytes: &[u8; BLOCK]) -> [u64; 8];
    /// For each bit, a byte of ones or zeros.
    fn spread(bits: u64) -> [u8; BLOCK];
}

/// The sums over a text.
#[inline(always)]
pub fn text<L: Lanes>(tables: &Tables, text: Text<'_>) -> Sums {
    match text {
        Text::Ascii(bytes) | Text::Latin1(bytes) => sums::<L>(tables, bytes.iter().map(|&byte| u32::from(byte))),
        Text::Ucs2(units) => sums::<L>(tables, units.iter().map(|&unit| u32::from(unit))),
        Text::Ucs4(points) => sums::<L>(tables, points.iter().copied()),
        Text::Utf8(utf8) => sums::<L>(tables, utf8.chars().map(u32::from)),
    }
}

/// The sums over code points.
#[inline(always)]
fn sums<L: Lanes>(tables: &Tables, mut source: impl Iterator<Item = u32>) -> Sums {
    let mut sums = Sums::default();
    let mut blocks = [Points::new(); 2];
    let mut count = blocks[0].fill(&mut source);
    if count == 0 {
        return sums;
    }
    let mut walk = Walk::new();
    // The end of the text lies in the last block, even if nothing else does.
    loop {
        let [block, next] = &mut blocks;
        if count < BLOCK {
            walk.step::<L>(tables, block, (1 << count) - 1, LINE.1, &mut sums);
            return sums;
        }
        count = next.fill(&mut source);
        walk.step::<L>(tables, block, u64::MAX, next.classes[0], &mut sums);
        blocks.swap(0, 1);
    }
}

/// What a block needs to know of the one before, in front of its own: as many items as it looks back.
struct Walk {
    traits: &'static [Traits; Class::COUNT],
    cutter: Cutter,
    classes: [u8; 1 + BLOCK],
    strands: [u8; 1 + BLOCK],
    kinds: [u8; 2 + BLOCK],
    symbols: [u16; 3 + BLOCK],
    /// How many code points in a row begin no run, in steps that double up to 8.
    inside: [[u8; 8 + BLOCK]; 4],
    begins: u64,
    ascii: u64,
    /// Where neighbourhoods are added up: not at the first code point.
    neighbours: u64,
}

impl Walk {
    fn new() -> Self {
        let line = &TRAITS[usize::from(LINE.1)];
        Self {
            traits: &TRAITS,
            cutter: Cutter::new(),
            classes: [LINE.1; _],
            strands: [line.strand; _],
            kinds: [line.kind; _],
            symbols: [0; _],
            inside: [[0; _]; 4],
            begins: 0,
            ascii: u64::MAX,
            neighbours: u64::MAX - 1,
        }
    }

    #[inline(always)]
    fn step<L: Lanes>(&mut self, tables: &Tables, block: &Points, valid: u64, after: u8, sums: &mut Sums) {
        let mut flags = [0; BLOCK];
        self.classes.copy_within(BLOCK.., 0);
        self.strands.copy_within(BLOCK.., 0);
        self.kinds.copy_within(BLOCK.., 0);
        for at in 0..BLOCK {
            let class = block.classes[at];
            let traits = &self.traits[usize::from(class) % Class::COUNT];
            flags[at] = traits.flags;
            self.classes[1 + at] = class;
            self.strands[1 + at] = traits.strand;
            self.kinds[2 + at] = traits.kind;
        }
        let mut marks = [0; BLOCK];
        for at in 0..BLOCK {
            let (before, here) = (self.strands[at], self.strands[1 + at]);
            let seam = (before != here) & (before != 0) & (here != 0) & ((before ^ here) & SIGNS == 0);
            marks[at] = u8::from(seam) | u8::from(block.points[at] < 0x80) << 1;
        }
        let [seam, ascii, ..] = L::bits(&marks);
        let sets = Sets::new(L::bits(&flags), seam);
        let cuts = self.cutter.cut(&sets, &Sets::of(self.traits[usize::from(after) % Class::COUNT].flags));

        // The small tables. Lanes behind the end are turned to a cell of zero.
        let mut cells = [[0_u16; BLOCK]; 3];
        let positions = self.positions(&L::spread(cuts.begins));
        let (opening0, opening1, inside) = (L::spread(cuts.opening0), L::spread(cuts.opening1), L::spread(valid));
        for at in 0..BLOCK {
            let class = u16::from(self.classes[1 + at]);
            let opening = u16::from(opening0[at] & 1 | opening1[at] & 2);
            let step = (class * 4 + opening) * POSITIONS as u16 + u16::from(positions[at]);
            let pair = u16::from(self.classes[at]) * Class::COUNT as u16 + class;
            let kind = |back: usize| u16::from(self.kinds[2 + at - back]);
            let trio = (kind(2) * 8 + kind(1)) * 8 + kind(0);
            let own = inside[at] != 0;
            cells[0][at] = if own { step } else { tables.opened.len() as u16 - 1 };
            cells[1][at] = if own { pair } else { Table::Pair.cells() as u16 };
            cells[2][at] = if own { trio } else { Table::Trio.cells() as u16 };
        }
        sums[Table::Step as usize] += lookup(&tables.opened, &cells[0]);
        sums[Table::Pair as usize] += lookup(&tables.pair, &cells[1]);
        sums[Table::Trio as usize] += lookup(&tables.trio, &cells[2]);

        self.symbols.copy_within(BLOCK.., 0);
        for at in 0..BLOCK {
            let point = block.points[at];
            let point = if point.wrapping_sub(0x30) < 10 { 0x30 } else { point.max(2) };
            self.symbols[3 + at] = (point ^ (point >> 16).wrapping_mul(0x1234)) as u16;
        }
        for at in ones(cuts.title) {
            self.symbols[3 + at] =
                fold(block.points[at], Class::ALL[usize::from(block.classes[at]) % Class::COUNT], true);
        }
        // The end of the text ends a run like the begin of another.
        let begins = cuts.begins | !valid;
        let begins1 = begins << 1 | self.begins >> 63;
        let begins2 = begins1 | begins << 2 | self.begins >> 62;
        let neighbours = self.neighbours & (valid << 1 | 1);
        let own_ascii = begins & (ascii << 1 | self.ascii >> 63) | !begins & ascii;
        let near = L::spread(neighbours & own_ascii);
        let far = L::spread(neighbours & !own_ascii);
        let alone = L::spread(valid & !ascii);
        let (b0, b1, b2) = (L::spread(begins), L::spread(begins1), L::spread(begins2));
        let mut cells = [[0_u16; BLOCK]; 4];
        for at in 0..BLOCK {
            let [s3, s2, s1, s0] = [0, 1, 2, 3].map(|ahead| self.symbols[at + ahead]);
            let own = s0.wrapping_mul(MIX[0]);
            let s0 = if b0[at] != 0 { END } else { s0 };
            let s2 = if b1[at] != 0 { 0 } else { s2 };
            let s3 = if b2[at] != 0 { 0 } else { s3 };
            let two = s0.wrapping_add(s1.wrapping_mul(SPREAD)).wrapping_mul(MIX[0]);
            let three = two.wrapping_add(s2.wrapping_mul(MIX[1]));
            let four = three.wrapping_add(s3.wrapping_mul(SPREAD.wrapping_mul(MIX[1])));
            let cell = |table: Table, on: u8, hash: u16| {
                let cells = table.cells();
                if on != 0 { hash >> (16 - cells.trailing_zeros()) } else { cells as u16 }
            };
            cells[0][at] = cell(Table::Near, near[at], four);
            cells[1][at] = cell(Table::Wide1, alone[at], own);
            cells[2][at] = cell(Table::Wide2, far[at], two);
            cells[3][at] = cell(Table::Wide3, far[at], three);
        }
        if neighbours & own_ascii != 0 {
            sums[Table::Near as usize] += lookup(&tables.near, &cells[0]);
        }
        if neighbours & !own_ascii | valid & !ascii != 0 {
            sums[Table::Wide1 as usize] += lookup(&tables.wide1, &cells[1]);
            sums[Table::Wide2 as usize] += lookup(&tables.wide2, &cells[2]);
            sums[Table::Wide3 as usize] += lookup(&tables.wide3, &cells[3]);
        }
        (self.begins, self.ascii, self.neighbours) = (cuts.begins, ascii, u64::MAX);
    }

    /// The positions in their runs, up to 15, from bytes of ones where runs begin.
    #[inline(always)]
    fn positions(&mut self, begins: &[u8; BLOCK]) -> [u8; BLOCK] {
        let [one, two, four, eight] = &mut self.inside;
        let positions = begins.map(|begins| !begins & 1);
        let positions = longer::<1>(one, positions);
        let positions = longer::<2>(two, positions);
        let positions = longer::<4>(four, positions);
        let positions = longer::<8>(eight, positions);
        positions.map(|position| position.min(POSITIONS as u8 - 1))
    }
}

/// Given how many code points in a row begin no run, up to `BACK` of them, the same up to twice that. `inside` holds what
/// was given for the block before, and then what is given for this one.
#[inline(always)]
fn longer<const BACK: usize>(inside: &mut [u8; 8 + BLOCK], given: [u8; BLOCK]) -> [u8; BLOCK] {
    inside.copy_within(BLOCK.., 0);
    inside[8..].copy_from_slice(&given);
    let mut before = [0; BLOCK];
    before.copy_from_slice(&inside[8 - BACK..][..BLOCK]);
    let mut longer = [0; BLOCK];
    for at in 0..BLOCK {
        let all = if given[at] == BACK as u8 { 0xFF } else { 0 };
        longer[at] = given[at] + (before[at] & all);
    }
    longer
}

/// The numbers of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (at < BLOCK).then_some(at)
    })
}

/// The sum of cells.
#[inline(always)]
fn lookup<const N: usize>(table: &[i8; N], cells: &[u16; BLOCK]) -> i64 {
    let mut sums = [0_i32; 4];
    for cells in cells.as_chunks::<4>().0 {
        for (sum, &cell) in sums.iter_mut().zip(cells) {
            *sum += i32::from(table[usize::from(cell)]);
        }
    }
    i64::from(sums.iter().sum::<i32>())
}
