//! UCS-2, block by block: an instruction set looks up the page of every unit, the gaps in mixed pages are taken off.

use super::pages::{GAPS, Pages};
use crate::ScriptCounts;

/// Units in a block: 2 kB stay in the first-level cache for the second look.
pub const BLOCK: usize = 1024;

/// What an instruction set reports of a block.
#[derive(Clone, Copy)]
pub struct Sketch {
    pub ascii: u32,
    /// Units on pages that have CJK in them.
    pub cjk: u32,
    /// Which mixed pages are among them. One too many costs time, never correctness.
    pub pages: Pages,
}

/// Counts units, given how to sketch up to [`BLOCK`] of them.
#[inline(always)]
pub fn count(units: &[u16], sketch: impl Fn(&[u16]) -> Sketch) -> ScriptCounts {
    let (mut ascii, mut cjk) = (0, 0);
    for block in units.chunks(BLOCK) {
        let sketch = sketch(block);
        ascii += u64::from(sketch.ascii);
        cjk += u64::from(sketch.cjk);
        if sketch.pages.0 != 0 {
            cjk -= gaps(block, sketch.pages);
        }
    }
    ScriptCounts { ascii, cjk, other: units.len() as u64 - ascii - cjk }
}

/// Units of a block in the gaps of these mixed pages.
#[inline(always)]
fn gaps(block: &[u16], pages: Pages) -> u64 {
    let mut total = 0;
    for (kind, first, last) in GAPS {
        if pages.has(kind) {
            // A block is shorter than 2^16, so lanes of 16 bits hold the sum.
            let inside = block.iter().map(|unit| u16::from(unit.wrapping_sub(first) <= last - first));
            total += u64::from(inside.sum::<u16>());
        }
    }
    total
}
