//! For every processor: code point by code point, without branches.

#![expect(clippy::needless_bitwise_bool, reason = "branches here depend on the text")]

use super::super::classes::Class;
use super::super::features::{POSITIONS, Table, bucket};
use super::super::runs::Opening;
use super::super::symbols::{END, NONE, fold};
use super::rules::{BEGINS, BITS, CAPITAL, OPENING, RULES, TITLE};
use super::{Kernel, Sums, Tables};
use crate::Text;

pub static KERNEL: Kernel = Kernel { name: "portable", sums };

/// The sums over a text in any storage.
pub fn sums(tables: &Tables, text: Text<'_>) -> Sums {
    match text {
        Text::Ascii(bytes) | Text::Latin1(bytes) => walk(tables, bytes.iter().map(|&byte| u32::from(byte))),
        Text::Ucs2(units) => walk(tables, units.iter().map(|&unit| u32::from(unit))),
        Text::Ucs4(points) => walk(tables, points.iter().copied()),
        Text::Utf8(utf8) => walk(tables, utf8.chars().map(u32::from)),
    }
}

fn walk(tables: &Tables, mut points: impl Iterator<Item = u32>) -> Sums {
    let rules = &*RULES;
    let mut sums = Sums::default();
    let mut add = |table: Table, weight: i8| sums[table as usize] += i64::from(weight);
    let Some(mut point) = points.next() else { return sums };
    let (mut before, mut here) = (Class::LINE, Class::of(point));
    let line = rules.sort(Class::LINE);
    let mut window = ((line << BITS | line) << BITS) | rules.sort(here);
    let mut kinds = Class::LINE.kind() * (Class::KINDS + 1);
    // The symbols of the run so far, newest first.
    let mut run = [NONE; 3];
    let mut opening = Opening::Plain;
    let mut position = 0;
    let mut ascii = true;
    let mut first = true;
    loop {
        let next = points.next();
        let after = next.map_or(Class::LINE, Class::of);
        window = window << BITS | rules.sort(after);
        let marks = rules.marks(window);
        let begins = first | (marks & BEGINS != 0) | rules.seam(before, here);
        let symbol = fold(point, here, marks & TITLE != 0 || begins && marks & CAPITAL != 0);
        position = if begins { 0 } else { (position + 1).min(POSITIONS - 1) };
        opening = if begins { Opening::ALL[usize::from(marks >> OPENING)] } else { opening };
        kinds = (kinds * Class::KINDS + here.kind()) % Table::Trio.cells();
        add(Table::Step, tables.step[here.row(opening) * POSITIONS + position]);
        add(Table::Pair, tables.pair[before.index() * Class::COUNT + here.index()]);
        add(Table::Trio, tables.trio[kinds]);
        let here_ascii = point < 0x80;
        if !here_ascii {
            add(Table::Wide1, tables.wide1[bucket(Table::Wide1, [symbol, NONE, NONE, NONE])]);
        }
        if !first {
            let newest = if begins { END } else { symbol };
            let own_ascii = if begins { ascii } else { here_ascii };
            neighbours(tables, [newest, run[0], run[1], run[2]], own_ascii, &mut add);
        }
        run = if begins { [symbol, NONE, NONE] } else { [symbol, run[0], run[1]] };
        ascii = here_ascii;
        let Some(next) = next else { break };
        (point, before, here, first) = (next, here, after, false);
    }
    neighbours(tables, [END, run[0], run[1], run[2]], ascii, &mut add);
    sums
}

fn neighbours(tables: &Tables, run: [u16; 4], ascii: bool, add: &mut impl FnMut(Table, i8)) {
    if ascii {
        add(Table::Near, tables.near[bucket(Table::Near, run)]);
    } else {
        add(Table::Wide2, tables.wide2[bucket(Table::Wide2, [run[0], run[1], NONE, NONE])]);
        add(Table::Wide3, tables.wide3[bucket(Table::Wide3, [run[0], run[1], run[2], NONE])]);
    }
}
