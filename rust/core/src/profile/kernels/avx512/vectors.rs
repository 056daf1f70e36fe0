//! What is done to 64 bytes at once: lookups in tables that registers hold, and steps along runs.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_alignr_epi8, _mm512_alignr_epi64, _mm512_andnot_si512,
    _mm512_gf2p8affine_epi64_epi8, _mm512_loadu_si512, _mm512_mask_add_epi8, _mm512_mask_blend_epi8,
    _mm512_mask_set1_epi64, _mm512_min_epu8, _mm512_movepi8_mask, _mm512_multishift_epi64_epi8,
    _mm512_permutex2var_epi8, _mm512_permutexvar_epi8, _mm512_popcnt_epi8, _mm512_set1_epi8, _mm512_set1_epi64,
    _mm512_testn_epi8_mask,
};

/// The positions in their runs, up to 15, from where runs begin in this block and in the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn positions(begins: u64, last: u64) -> __m512i {
    // For each code point, its own bit and the 15 before it, as two bytes. The first two groups of eight reach back into
    // the last block: theirs is a word that starts 16 bits before this one.
    let words = _mm512_set1_epi64(begins.cast_signed());
    let words = _mm512_mask_set1_epi64(words, 0b11, (begins << 16 | last >> 48).cast_signed());
    let window = |offsets: &[u8; 64]| {
        let window = _mm512_multishift_epi64_epi8(load(offsets), words);
        // The newest bit first, so that the zeros before the nearest begin are at the bottom, and turn to ones.
        let window = _mm512_gf2p8affine_epi64_epi8::<0>(window, _mm512_set1_epi64(REVERSE.cast_signed()));
        let below = _mm512_add_epi8(window, _mm512_set1_epi8(-1));
        (window, _mm512_popcnt_epi8(_mm512_andnot_si512(window, below)))
    };
    let (near, positions) = window(&OFFSETS.1);
    let (_, farther) = window(&OFFSETS.0);
    let far = _mm512_testn_epi8_mask(near, near);
    _mm512_min_epu8(_mm512_mask_add_epi8(positions, far, positions, farther), byte(15))
}

/// The bit matrix that turns bytes around.
const REVERSE: u64 = 0x8040_2010_0804_0201;

/// For each byte of a block, where the window of 16 bits that ends at its bit starts, in two steps of eight bits.
static OFFSETS: ([u8; 64], [u8; 64]) = (offsets(15), offsets(7));

const fn offsets(back: u8) -> [u8; 64] {
    let mut offsets = [0; 64];
    let mut at = 0;
    while at < 64 {
        offsets[at] = if at < 16 { at as u8 + 16 - back } else { at as u8 - back };
        at += 1;
    }
    offsets
}

/// The bytes one and two before each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn shift2(now: __m512i, last: __m512i) -> [__m512i; 2] {
    let lanes = _mm512_alignr_epi64::<6>(now, last);
    [_mm512_alignr_epi8::<15>(now, lanes), _mm512_alignr_epi8::<14>(now, lanes)]
}

/// The bytes one, two and three before each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn shift3(now: __m512i, last: __m512i) -> [__m512i; 3] {
    let lanes = _mm512_alignr_epi64::<6>(now, last);
    [_mm512_alignr_epi8::<15>(now, lanes), _mm512_alignr_epi8::<14>(now, lanes), _mm512_alignr_epi8::<13>(now, lanes)]
}

/// Looks up the lower six bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn lookup<T: Byte>(table: &[T; 64], index: __m512i) -> __m512i {
    _mm512_permutexvar_epi8(index, load(table))
}

/// Looks up the lower seven bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn lookup2<T: Byte>(table: &[T; 128], index: __m512i) -> __m512i {
    let (low, high) = table.split_at(64);
    _mm512_permutex2var_epi8(load(low.first_chunk().unwrap()), index, load(high.first_chunk().unwrap()))
}

/// What tables are made of.
pub trait Byte {}
impl Byte for u8 {}
impl Byte for i8 {}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn load<T: Byte>(table: &[T; 64]) -> __m512i {
    // SAFETY: the table is 64 bytes.
    unsafe { _mm512_loadu_si512(table.as_ptr().cast()) }
}

/// Looks up all eight bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn lookup4(table: &[i8; 256], index: __m512i) -> __m512i {
    let (low, high) = table.split_at(128);
    let upper = _mm512_movepi8_mask(index);
    let low = lookup2(low.first_chunk().unwrap(), index);
    let high = lookup2(high.first_chunk().unwrap(), index);
    _mm512_mask_blend_epi8(upper, low, high)
}

/// The same byte everywhere.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn byte(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte.cast_signed())
}

/// Cells of a table.
pub fn part<const N: usize, const M: usize>(table: &[i8; N], start: usize) -> &[i8; M] {
    table[start..].first_chunk().unwrap_or(&[0; M])
}
