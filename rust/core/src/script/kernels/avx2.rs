//! AVX2: pages by lookups of 16 entries, for both halves of a high byte.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi16, _mm256_extract_epi64, _mm256_loadu_si256, _mm256_min_epu16, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_packus_epi16, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_sub_epi8, _mm256_testz_si256,
};

use super::pages::{Pages, is_cjk_page, kind};
use super::ucs2::Sketch;
use super::{Kernels, lengths, ucs2, ucs4, utf8};
use crate::ScriptCounts;

static KERNELS: Kernels = Kernels { name: "avx2", latin1, ucs2, ucs4, utf8, ucs2_bytes, ucs4_bytes };

/// The scans, where this processor has what they are compiled for.
pub fn detect() -> Option<&'static Kernels> {
    (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")).then_some(&KERNELS)
}

#[target_feature(enable = "avx2,popcnt")]
fn ucs2(units: &[u16]) -> ScriptCounts {
    ucs2::count(units, |block, _watch| sketch(block), ucs2::inside)
}

#[target_feature(enable = "avx2,popcnt")]
fn ucs4(points: &[u32]) -> ScriptCounts {
    ucs4::count(points, |block, _watch| sketch(block), ucs2::inside)
}

#[target_feature(enable = "avx2,popcnt")]
fn utf8(text: &str) -> ScriptCounts {
    utf8::count(text)
}

#[target_feature(enable = "avx2,popcnt")]
fn ucs2_bytes(units: &[u16]) -> u64 {
    lengths::ucs2(units)
}

#[target_feature(enable = "avx2,popcnt")]
fn ucs4_bytes(points: &[u32]) -> u64 {
    lengths::ucs4(points)
}

/// Bytes of 0x80 and more.
#[target_feature(enable = "avx2,popcnt")]
fn latin1(bytes: &[u8]) -> u64 {
    let top = _mm256_set1_epi8(i8::MIN);
    let zero = _mm256_setzero_si256();
    // Every 64-bit lane sums eight top bits, worth 0x80 each: it cannot overflow below 2^54 bytes.
    let mut sums = [zero; 4];
    let (chunks, rest) = bytes.as_chunks::<128>();
    for chunk in chunks {
        for (sum, vector) in sums.iter_mut().zip(chunk.as_chunks::<32>().0) {
            // SAFETY: the vector is 32 bytes.
            let vector = unsafe { _mm256_loadu_si256(vector.as_ptr().cast()) };
            *sum = _mm256_add_epi64(*sum, _mm256_sad_epu8(_mm256_and_si256(vector, top), zero));
        }
    }
    let [a, b, c, d] = sums;
    let sum = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
    lanes(sum).iter().sum::<u64>() / 0x80 + lengths::sum(rest, |byte| byte >> 7)
}

/// Entries for the upper half of a high byte and for the lower. The bits that both have tell of the page: every bit
/// stands for some members of a row of 16 pages.
struct Tables {
    upper: [u8; 16],
    lower: [u8; 16],
}

impl Tables {
    const EMPTY: Self = Self { upper: [0; 16], lower: [0; 16] };

    const fn add(&mut self, row: usize, members: u16, bit: u32) {
        assert!(bit < 8, "the rows have too many patterns");
        self.upper[row] |= 1 << bit;
        let mut page = 0;
        while page < 16 {
            self.lower[page] |= ((members >> page & 1) as u8) << bit;
            page += 1;
        }
    }
}

/// The pages that have CJK. Rows with the same members share a bit.
const CJK: Tables = {
    let mut tables = Tables::EMPTY;
    let mut bits = 0;
    let mut rows = [0_u16; 16];
    let mut row = 0;
    while row < 16 {
        let mut page = 0;
        while page < 16 {
            rows[row] |= (is_cjk_page((row * 16 + page) as u8) as u16) << page;
            page += 1;
        }
        let mut same = 0;
        while rows[same] != rows[row] {
            same += 1;
        }
        if same < row {
            tables.upper[row] = tables.upper[same];
        } else if rows[row] != 0 {
            tables.add(row, rows[row], bits);
            bits += 1;
        }
        row += 1;
    }
    tables
};

/// The mixed pages, and the kind that each bit stands for.
const MIXED: (Tables, [Pages; 8]) = {
    let mut tables = Tables::EMPTY;
    let mut kinds = [Pages(0); 8];
    let mut bits = 0;
    let mut row = 0;
    while row < 16 {
        let mut wanted = 1_u8;
        while wanted != 0 {
            let mut members = 0_u16;
            let mut page = 0;
            while page < 16 {
                members |= ((kind((row * 16 + page) as u8).0 == wanted) as u16) << page;
                page += 1;
            }
            if members != 0 {
                tables.add(row, members, bits);
                kinds[bits as usize] = Pages(wanted);
                bits += 1;
            }
            wanted <<= 1;
        }
        row += 1;
    }
    (tables, kinds)
};

/// One look at the pages of up to [`ucs2::BLOCK`] units.
#[target_feature(enable = "avx2,popcnt")]
fn sketch(units: &[u16]) -> Sketch {
    let load = |table: &[u8; 16]| {
        // SAFETY: the table is 16 bytes.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
    };
    let [cjk_upper, cjk_lower] = [load(&CJK.upper), load(&CJK.lower)];
    let [mixed_upper, mixed_lower] = [load(&MIXED.0.upper), load(&MIXED.0.lower)];
    let zero = _mm256_setzero_si256();
    let last_ascii = _mm256_set1_epi16(0x7F);
    let half = _mm256_set1_epi8(0x0F);
    // Lanes of 8 bits: a block is 254 steps, and a step adds at most 1.
    let (mut ascii, mut not_cjk, mut mixed) = (zero, zero, zero);
    let mut step = |a: __m256i, b: __m256i| {
        let is_ascii = |units| _mm256_cmpeq_epi16(_mm256_min_epu16(units, last_ascii), units);
        ascii = _mm256_sub_epi8(ascii, _mm256_packs_epi16(is_ascii(a), is_ascii(b)));
        // The high bytes of both, in an order that does not matter.
        let high = _mm256_packus_epi16(_mm256_srli_epi16::<8>(a), _mm256_srli_epi16::<8>(b));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(high), half);
        let lower = _mm256_and_si256(high, half);
        let common = |a, b| _mm256_and_si256(_mm256_shuffle_epi8(a, upper), _mm256_shuffle_epi8(b, lower));
        not_cjk = _mm256_sub_epi8(not_cjk, _mm256_cmpeq_epi8(common(cjk_upper, cjk_lower), zero));
        mixed = _mm256_or_si256(mixed, common(mixed_upper, mixed_lower));
    };
    let mut read = |pair: &[u16; 32]| {
        let (vectors, _) = pair.as_chunks::<16>();
        // SAFETY: each vector is 16 units.
        let [a, b] = [0, 1].map(|at| unsafe { _mm256_loadu_si256(vectors[at].as_ptr().cast()) });
        step(a, b);
    };
    let (pairs, rest) = units.as_chunks::<32>();
    for pair in pairs {
        read(pair);
    }
    let mut padding = 0;
    if !rest.is_empty() {
        let mut pair = [0; 32];
        pair[..rest.len()].copy_from_slice(rest);
        read(&pair);
        padding = 32 - rest.len() as u32;
    }
    let total = |counts| lanes(_mm256_sad_epu8(counts, zero)).iter().sum::<u64>() as u32;
    Sketch {
        ascii: total(ascii) - padding,
        cjk: units.len() as u32 + padding - total(not_cjk),
        pages: if _mm256_testz_si256(mixed, mixed) == 1 { Pages::default() } else { kinds(mixed) },
    }
}

/// The kinds that the bits of `MIXED` stand for.
#[target_feature(enable = "avx2,popcnt")]
fn kinds(mixed: __m256i) -> Pages {
    let bits = lanes(mixed).iter().fold(0, |all, lane| all | lane);
    let bits = bits.to_ne_bytes().iter().fold(0, |all, lane| all | lane);
    Pages((0..8).filter(|bit| bits >> bit & 1 == 1).fold(0, |all, bit| all | MIXED.1[bit].0))
}

#[target_feature(enable = "avx2,popcnt")]
fn lanes(vector: __m256i) -> [u64; 4] {
    [
        _mm256_extract_epi64::<0>(vector) as u64,
        _mm256_extract_epi64::<1>(vector) as u64,
        _mm256_extract_epi64::<2>(vector) as u64,
        _mm256_extract_epi64::<3>(vector) as u64,
    ]
}
