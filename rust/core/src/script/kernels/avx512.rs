//! AVX-512 with byte permutations: pages by two lookups of 64 entries.

use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpge_epu16_mask,
    _mm512_cmple_epu16_mask, _mm512_loadu_si512, _mm512_mask_cmple_epu16_mask, _mm512_maskz_loadu_epi8,
    _mm512_maskz_loadu_epi16, _mm512_max_epu16, _mm512_min_epu16, _mm512_permutexvar_epi8, _mm512_reduce_add_epi64,
    _mm512_reduce_or_epi64, _mm512_sad_epu8, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_si512,
    _mm512_srli_epi16, _mm512_sub_epi16, _mm512_ternarylogic_epi64, _mm512_test_epi8_mask, _mm512_test_epi64_mask,
    _mm512_testn_epi16_mask,
};

use super::pages::{Pages, is_cjk_page, kind};
use super::ucs2::Sketch;
use super::{Kernels, lengths, ucs2, ucs4, utf8};
use crate::ScriptCounts;

static KERNELS: Kernels = Kernels { name: "avx512", latin1, ucs2, ucs4, utf8, ucs2_bytes, ucs4_bytes };

/// The scans, where this processor has what they are compiled for.
pub fn detect() -> Option<&'static Kernels> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("popcnt");
    has.then_some(&KERNELS)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn ucs2(units: &[u16]) -> ScriptCounts {
    ucs2::count(
        units,
        |block, watch| if watch { sketch::<true>(block) } else { sketch::<false>(block) },
        |block, ranges| inside(block, ranges),
    )
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn ucs4(points: &[u32]) -> ScriptCounts {
    ucs4::count(
        points,
        |block, watch| if watch { sketch::<true>(block) } else { sketch::<false>(block) },
        |block, ranges| inside(block, ranges),
    )
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn utf8(text: &str) -> ScriptCounts {
    utf8::count(text)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn ucs2_bytes(units: &[u16]) -> u64 {
    lengths::ucs2(units)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn ucs4_bytes(points: &[u32]) -> u64 {
    lengths::ucs4(points)
}

/// Bytes of 0x80 and more.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn latin1(bytes: &[u8]) -> u64 {
    let top = _mm512_set1_epi8(i8::MIN);
    let zero = _mm512_setzero_si512();
    // Every 64-bit lane sums eight top bits, worth 0x80 each: it cannot overflow below 2^54 bytes.
    let mut sums = [zero; 4];
    let add = |sum: &mut __m512i, vector| {
        *sum = _mm512_add_epi64(*sum, _mm512_sad_epu8(_mm512_and_si512(vector, top), zero));
    };
    let (chunks, rest) = bytes.as_chunks::<256>();
    for chunk in chunks {
        for (sum, vector) in sums.iter_mut().zip(chunk.as_chunks::<64>().0) {
            // SAFETY: the vector is 64 bytes.
            add(sum, unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) });
        }
    }
    for part in rest.chunks(64) {
        // SAFETY: the mask has one bit for each byte of the part, and what is masked out is not read.
        add(&mut sums[0], unsafe { _mm512_maskz_loadu_epi8(u64::MAX >> (64 - part.len()), part.as_ptr().cast()) });
    }
    let [a, b, c, d] = sums;
    let sum = _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d));
    _mm512_reduce_add_epi64(sum) as u64 / 0x80
}

/// All four pages that share the upper six bits have CJK.
const ALL: u8 = 1;
/// Some of the four have.
const SOME: u8 = 2;

/// Entries for the upper six bits of a high byte and for the lower six. The bits that both have tell of the page: `ALL`
/// or `SOME` says that it has CJK, the others are its [`Pages`].
const TABLES: ([u8; 64], [u8; 64]) = tables();

const fn tables() -> ([u8; 64], [u8; 64]) {
    let mut upper = [0; 64];
    let mut lower = [ALL; 64];
    let mut group = 0;
    while group < 64 {
        let mut cjk = 0;
        let mut page = 0;
        while page < 4 {
            let high = (group * 4 + page) as u8;
            upper[group] |= kind(high).0;
            lower[high as usize & 63] |= kind(high).0;
            cjk += is_cjk_page(high) as u8;
            page += 1;
        }
        page = 0;
        while page < 4 {
            let high = (group * 4 + page) as u8;
            if cjk == 4 {
                upper[group] |= ALL;
            } else if is_cjk_page(high) {
                upper[group] |= SOME;
                lower[high as usize & 63] |= SOME;
            }
            page += 1;
        }
        group += 1;
    }
    let mut high = 0;
    while high < 0x100 {
        let bits = upper[high >> 2] & lower[high & 63];
        assert!((bits & (ALL | SOME) != 0) == is_cjk_page(high as u8) && bits & !(ALL | SOME) == kind(high as u8).0);
        high += 1;
    }
    (upper, lower)
}

/// How far ahead memory is asked for, in bytes: the processor alone is late when text comes from its second cache.
const AHEAD: usize = 1024;

/// One look at the pages of up to [`ucs2::BLOCK`] units. To watch for specials costs a tenth of the speed.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn sketch<const WATCH: bool>(units: &[u16]) -> Sketch {
    let load = |table: &[u8; 64]| {
        // SAFETY: the table is 64 bytes.
        unsafe { _mm512_loadu_si512(table.as_ptr().cast()) }
    };
    let (upper, lower) = (load(&TABLES.0), load(&TABLES.1));
    let high_bytes = _mm512_set1_epi16(0xFF00_u16.cast_signed());
    let not_ascii = _mm512_set1_epi16(!0x7F);
    let mut ascii = 0;
    let mut cjk = 0;
    let mut pages = _mm512_setzero_si512();
    let mut largest = [_mm512_setzero_si512(); 2];
    let mut step = |a: __m512i, b: __m512i| {
        ascii += _mm512_testn_epi16_mask(a, not_ascii).count_ones();
        ascii += _mm512_testn_epi16_mask(b, not_ascii).count_ones();
        // The high bytes of both, in an order that does not matter: (a >> 8) | (b & 0xFF00).
        let high = _mm512_ternarylogic_epi64::<0xF8>(_mm512_srli_epi16::<8>(a), b, high_bytes);
        // A lookup takes the lowest six bits of every index, so what comes in from the neighbour does no harm.
        let upper = _mm512_permutexvar_epi8(_mm512_srli_epi16::<2>(high), upper);
        let lower = _mm512_permutexvar_epi8(high, lower);
        cjk += _mm512_test_epi8_mask(upper, lower).count_ones();
        pages = _mm512_ternarylogic_epi64::<0xF8>(pages, upper, lower);
        if WATCH {
            largest = [_mm512_max_epu16(largest[0], a), _mm512_max_epu16(largest[1], b)];
        }
    };
    let (pairs, rest) = units.as_chunks::<64>();
    for pair in pairs {
        let start = pair.as_ptr().cast::<i8>();
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(AHEAD));
        _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(AHEAD + 64));
        let (vectors, _) = pair.as_chunks::<32>();
        // SAFETY: each vector is 32 units.
        let [a, b] = [0, 1].map(|at| unsafe { _mm512_loadu_si512(vectors[at].as_ptr().cast()) });
        step(a, b);
    }
    if !rest.is_empty() {
        let (first, second) = rest.split_at(rest.len().min(32));
        let [a, b] = [first, second].map(|part| load_part(part).0);
        step(a, b);
        ascii -= 64 - rest.len() as u32;
    }
    let largest = _mm512_max_epu16(largest[0], largest[1]);
    let no_specials = WATCH && _mm512_cmpge_epu16_mask(largest, _mm512_set1_epi16(0xFFF0_u16.cast_signed())) == 0;
    let noted = !(ALL | SOME | if no_specials { Pages::FORMS.0 } else { 0 });
    let mixed = _mm512_and_si512(pages, _mm512_set1_epi8(noted.cast_signed()));
    if _mm512_test_epi64_mask(mixed, mixed) == 0 {
        return Sketch { ascii, cjk, pages: Pages::default() };
    }
    let lanes = (_mm512_reduce_or_epi64(mixed) as u64).to_ne_bytes();
    Sketch { ascii, cjk, pages: Pages(lanes.iter().fold(0, |all, lane| all | lane)) }
}

/// Units inside any of the ranges.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn inside(units: &[u16], ranges: &[(u16, u16)]) -> u32 {
    let (vectors, rest) = units.as_chunks::<32>();
    let (rest, mask) = load_part(rest);
    let mut total = 0;
    for &(first, last) in ranges {
        let (start, length) = (_mm512_set1_epi16(first.cast_signed()), _mm512_set1_epi16((last - first).cast_signed()));
        let offset = |units| _mm512_sub_epi16(units, start);
        let offsets = vectors.iter().map(|vector| {
            // SAFETY: the vector is 32 units.
            offset(unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) })
        });
        // Most often nothing is inside, and to see that takes less than to count.
        let nearest = offsets.clone().fold(_mm512_set1_epi16(-1), |nearest, offset| _mm512_min_epu16(nearest, offset));
        if _mm512_cmple_epu16_mask(nearest, length) != 0 {
            total += offsets.map(|offset| _mm512_cmple_epu16_mask(offset, length).count_ones()).sum::<u32>();
        }
        total += _mm512_mask_cmple_epu16_mask(mask, offset(rest), length).count_ones();
    }
    total
}

/// Up to 32 units, with zeros behind them, and a mask with a bit for each unit.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,popcnt")]
fn load_part(part: &[u16]) -> (__m512i, u32) {
    assert!(part.len() <= 32);
    let mask = ((1_u64 << part.len()) - 1) as u32;
    // SAFETY: the mask has one bit for each unit of the part, and what is masked out is not read.
    (unsafe { _mm512_maskz_loadu_epi16(mask, part.as_ptr().cast()) }, mask)
}
