//! AVX-512 with the byte instructions of its later generations: for ASCII, small tables stay in registers.

mod ascii;

use std::arch::x86_64::{
    _mm512_loadu_si512, _mm512_movm_epi8, _mm512_set1_epi8, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use super::block::{self, Lanes};
use super::masks::BLOCK;
use super::{Kernel, Sums, Tables};
use crate::Text;

static KERNEL: Kernel = Kernel { name: "avx512", sums };

/// The kernel, where this processor has what it is compiled for.
pub fn detect() -> Option<&'static Kernel> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    has.then_some(&KERNEL)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn sums(tables: &Tables, text: Text<'_>) -> Sums {
    match text {
        Text::Ascii(bytes) => ascii::sums(tables, bytes),
        Text::Latin1(bytes) => block::sums::<Bytes>(tables, bytes.iter().map(|&byte| u32::from(byte))),
        Text::Ucs2(units) => block::sums::<Bytes>(tables, units.iter().map(|&unit| u32::from(unit))),
        Text::Ucs4(points) => block::sums::<Bytes>(tables, points.iter().copied()),
        Text::Utf8(utf8) => block::sums::<Bytes>(tables, utf8.chars().map(u32::from)),
    }
}

/// 64 bytes at a time.
struct Bytes;

impl Lanes for Bytes {
    #[inline(always)]
    fn bits(bytes: &[u8; BLOCK]) -> [u64; 8] {
        // SAFETY: only what is compiled for these instructions names this type; the array is 64 bytes.
        unsafe {
            let bytes = _mm512_loadu_si512(bytes.as_ptr().cast());
            [0, 1, 2, 3, 4, 5, 6, 7]
                .map(|bit| _mm512_test_epi8_mask(bytes, _mm512_set1_epi8((1_u8 << bit).cast_signed())))
        }
    }

    #[inline(always)]
    fn spread(bits: u64) -> [u8; BLOCK] {
        let mut bytes = [0; BLOCK];
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), _mm512_movm_epi8(bits)) };
        bytes
    }
}
