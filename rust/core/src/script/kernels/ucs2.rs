//! UCS-2, block by block: an instruction set looks up the page of every unit, the gaps in mixed pages are taken off.

use super::pages::Pages;
use crate::ScriptCounts;

/// Units in a block: whole steps of every instruction set, and no more than lanes of 8 bits can count in AVX2. Its 16 kB
/// stay in the first-level cache for the second look.
pub const BLOCK: usize = 254 * 32;

/// What an instruction set reports of a block.
#[derive(Clone, Copy)]
pub struct Sketch {
    pub ascii: u32,
    /// Units on pages that have CJK in them.
    pub cjk: u32,
    /// Which mixed pages are among them. One too many costs time, never correctness.
    pub pages: Pages,
}

/// Counts units, given how to sketch up to [`BLOCK`] of them, and how to count those inside inclusive ranges.
///
/// Chinese and Japanese have full-width forms everywhere and specials (U+FFF0 and on) nowhere. After the first form the
/// sketch is told to watch for specials; it may then leave out [`Pages::FORMS`] of a block that has none.
#[inline(always)]
pub fn count(
    units: &[u16],
    sketch: impl Fn(&[u16], bool) -> Sketch,
    inside: impl Fn(&[u16], &[(u16, u16)]) -> u32,
) -> ScriptCounts {
    let (mut ascii, mut cjk, mut watch) = (0, 0, false);
    for block in units.chunks(BLOCK) {
        let sketch = sketch(block, watch);
        ascii += u64::from(sketch.ascii);
        cjk += u64::from(sketch.cjk);
        watch |= sketch.pages.has(Pages::FORMS);
        for gaps in sketch.pages.gaps() {
            cjk -= u64::from(inside(block, gaps.ranges()));
        }
    }
    ScriptCounts { ascii, cjk, other: units.len() as u64 - ascii - cjk }
}

/// Units of a block in any of the ranges, as the compiler vectorises it.
#[inline(always)]
pub fn inside(block: &[u16], ranges: &[(u16, u16)]) -> u32 {
    let mut total = 0;
    for &(first, last) in ranges {
        // A block is shorter than 2^16, so lanes of 16 bits hold the sum.
        total += u32::from(block.iter().map(|unit| u16::from(unit.wrapping_sub(first) <= last - first)).sum::<u16>());
    }
    total
}
