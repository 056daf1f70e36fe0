//! AVX2: the loops over blocks, compiled for it, and its own sets of bits.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_slli_epi64, _mm256_storeu_si256,
};

use super::block::{self, Lanes};
use super::masks::BLOCK;
use super::{Kernel, Sums, Tables};
use crate::Text;

static KERNEL: Kernel = Kernel { name: "avx2", sums };

/// The kernel, where this processor has what it is compiled for.
pub fn detect() -> Option<&'static Kernel> {
    let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2");
    has.then_some(&KERNEL)
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn sums(tables: &Tables, text: Text<'_>) -> Sums {
    block::text::<Halves>(tables, text)
}

/// 32 bytes at a time.
struct Halves;

impl Lanes for Halves {
    #[inline(always)]
    fn bits(bytes: &[u8; BLOCK]) -> [u64; 8] {
        // SAFETY: only what is compiled for these instructions names this type; the halves are 32 bytes.
        unsafe {
            let halves = [0, 1].map(|half| _mm256_loadu_si256(bytes[half * 32..][..32].as_ptr().cast()));
            let mut sets = [0; 8];
            let mut halves = halves;
            for set in sets.iter_mut().rev() {
                // The top bit of each byte; the next one moves up.
                let [low, high] = halves.map(|half| _mm256_movemask_epi8(half).cast_unsigned());
                *set = u64::from(low) | u64::from(high) << 32;
                halves = halves.map(|half| _mm256_slli_epi64::<1>(half));
            }
            sets
        }
    }

    #[inline(always)]
    fn spread(bits: u64) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        for (half, bytes) in bytes.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            // SAFETY: as above.
            unsafe {
                // Every byte of bits eight times, and of each its own bit.
                let all = _mm256_set1_epi32(((bits >> (32 * half)) as u32).cast_signed());
                let eight = |at: i64| at * 0x0101_0101_0101_0101;
                let groups = _mm256_setr_epi64x(eight(0), eight(1), eight(2), eight(3));
                let own = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
                let spread: __m256i = _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(all, groups), own), own);
                _mm256_storeu_si256(bytes.as_mut_ptr().cast(), spread);
            }
        }
        bytes
    }
}
