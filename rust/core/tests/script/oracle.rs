//! The script rule once more, as plainly as it can be said.

use ullage_core::ScriptCounts;

#[path = "../../src/script/tables.rs"]
mod tables;

pub use tables::CJK;

pub fn scripts(points: &[u32]) -> ScriptCounts {
    let mut counts = ScriptCounts::default();
    for &point in points {
        if point < 0x80 {
            counts.ascii += 1;
        } else if CJK.iter().any(|&(first, last)| first <= point && point <= last) {
            counts.cjk += 1;
        } else {
            counts.other += 1;
        }
    }
    counts
}

pub fn byte_bound(points: &[u32]) -> u64 {
    points
        .iter()
        .map(|&point| match point {
            0..0x80 => 1,
            0x80..0x800 => 2,
            0x800..0x10000 => 3,
            _ => 4,
        })
        .sum()
}
