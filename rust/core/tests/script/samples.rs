//! Code points worth trying, in texts that are the same in every run.

use ullage_core::ScriptCounts;

use crate::oracle::{self, CJK};

/// A text of one kind, with the oracle's counts of everything before each code point.
pub struct Sample {
    pub points: Vec<u32>,
    before: Vec<(ScriptCounts, u64)>,
}

impl Sample {
    fn new(points: Vec<u32>) -> Self {
        let mut sum = (ScriptCounts::default(), 0);
        let mut before = vec![sum];
        for point in &points {
            sum.0 += oracle::scripts(&[*point]);
            sum.1 += oracle::byte_bound(&[*point]);
            before.push(sum);
        }
        Self { points, before }
    }

    /// A window of `length` code points, its counts and its bytes in UTF-8. Windows of different seeds differ.
    pub fn window(&self, length: usize, seed: usize) -> (&[u32], ScriptCounts, u64) {
        let start = seed * 31 % (self.points.len() - length + 1);
        let (first, last) = (self.before[start], self.before[start + length]);
        let counts = ScriptCounts {
            ascii: last.0.ascii - first.0.ascii,
            cjk: last.0.cjk - first.0.cjk,
            other: last.0.other - first.0.other,
        };
        (&self.points[start..start + length], counts, last.1 - first.1)
    }
}

/// 4096 code points of each kind that has any below `end`.
pub fn samples(end: u32) -> Vec<Sample> {
    let kinds: [Vec<u32>; 8] = [
        edges(),
        (0..0x11_0000).step_by(97).collect(),
        (0..0x300).collect(),
        (0x20..0x7F).collect(),
        (0x410..0x450).chain(0x20..0x30).chain([0x2014]).collect(),
        (0x4E00..0xA000).step_by(9).chain((0..200).map(|_| 0xFF0C)).collect(),
        (0xAC00..0xD7A4).step_by(7).chain((0..300).map(|_| 0x20)).collect(),
        (0x1F300..0x1F700).chain(0x20..0x60).collect(),
    ];
    let mut random = 0x5EED_u64;
    let mut samples = Vec::new();
    for mut kind in kinds {
        kind.retain(|&point| point < end);
        let pick = |_| {
            // xorshift64*
            random ^= random >> 12;
            random ^= random << 25;
            random ^= random >> 27;
            kind[(random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % kind.len()]
        };
        if !kind.is_empty() {
            samples.push(Sample::new((0..4096).map(pick).collect()));
        }
    }
    samples
}

/// Both sides of every edge: of the ranges, of the pages that they end in, of the storages, of the surrogates.
fn edges() -> Vec<u32> {
    let ranges = CJK.iter().flat_map(|&(first, last)| [first, last + 1, first & !0xFF, (last | 0xFF) + 1]);
    let storages = [0x80, 0x100, 0x800, 0xD800, 0xDC00, 0xE000, 0x1_0000, 0x11_0000];
    ranges.chain(storages).flat_map(|edge| [edge - 1, edge]).filter(|&point| point < 0x11_0000).collect()
}
