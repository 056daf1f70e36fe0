//! UCS-4: narrowed block by block to UCS-2, with one neutral unit for everything beyond the basic plane.

use super::super::classes::is_cjk;
use super::ucs2::{self, Sketch};
use crate::ScriptCounts;

/// Points in a block: what clearing its units costs is felt in a short text.
const BLOCK: usize = 512;

/// Stands for a code point beyond the basic plane: other, like nearly all of them, and on no mixed page.
const BEYOND: u16 = 0xE000;

/// Counts code points, given how [`ucs2::count`] counts units.
#[inline(always)]
pub fn count(
    points: &[u32],
    sketch: impl Fn(&[u16], bool) -> Sketch,
    inside: impl Fn(&[u16], &[(u16, u16)]) -> u32,
) -> ScriptCounts {
    let mut counts = ScriptCounts::default();
    let mut units = [0; BLOCK];
    for block in points.chunks(BLOCK) {
        let units = &mut units[..block.len()];
        let mut rare = false;
        for (unit, &point) in units.iter_mut().zip(block) {
            *unit = if point < 0x1_0000 { point as u16 } else { BEYOND };
            rare |= may_be_cjk(point);
        }
        counts += ucs2::count(units, &sketch, &inside);
        if rare {
            let cjk = block.iter().filter(|&&point| point > 0xFFFF && is_cjk(point)).count() as u64;
            counts.cjk += cjk;
            counts.other -= cjk;
        }
    }
    counts
}

/// Whether a code point beyond the basic plane lies where some are CJK.
#[inline(always)]
fn may_be_cjk(point: u32) -> bool {
    (0x1_6FE2..=0x1_B168).contains(&point) | (point == 0x1_F200) | (0x2_0000..=0x3_3479).contains(&point)
}
