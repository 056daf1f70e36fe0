//! For every processor.

use super::block::{self, Lanes};
use super::masks::BLOCK;
use super::{Kernel, Sums, Tables};
use crate::Text;

pub static KERNEL: Kernel = Kernel { name: "portable", sums };

fn sums(tables: &Tables, text: Text<'_>) -> Sums {
    block::text::<Words>(tables, text)
}

/// Eight bytes at a time, in words of 64 bits.
struct Words;

impl Lanes for Words {
    #[inline(always)]
    fn bits(bytes: &[u8; BLOCK]) -> [u64; 8] {
        let mut bits = [[0; 8]; 8];
        for (group, bytes) in bytes.as_chunks().0.iter().enumerate() {
            for (bits, byte) in bits.iter_mut().zip(transpose(u64::from_le_bytes(*bytes)).to_le_bytes()) {
                bits[group] = byte;
            }
        }
        bits.map(u64::from_le_bytes)
    }

    #[inline(always)]
    fn spread(bits: u64) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        for (bytes, bits) in bytes.as_chunks_mut().0.iter_mut().zip(bits.to_le_bytes()) {
            // Each byte keeps a bit of its own, and what is left moves up to its top bit, and fills it.
            let own = (u64::from(bits) * ONES) & 0x8040_2010_0804_0201;
            let top = ((own + 0x7F * ONES) | own) & (0x80 * ONES);
            *bytes = ((top >> 7) * 0xFF).to_le_bytes();
        }
        bytes
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Turns a matrix of 8 x 8 bits, by blocks of one, two and four.
#[inline(always)]
fn transpose(matrix: u64) -> u64 {
    let swap = |matrix: u64, mask: u64, distance: u32| {
        let changed = (matrix ^ matrix >> distance) & mask;
        matrix ^ changed ^ changed << distance
    };
    let matrix = swap(matrix, 0x00AA_00AA_00AA_00AA, 7);
    let matrix = swap(matrix, 0x0000_CCCC_0000_CCCC, 14);
    swap(matrix, 0x0000_0000_F0F0_F0F0, 28)
}
