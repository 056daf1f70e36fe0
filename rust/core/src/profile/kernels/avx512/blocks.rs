//! Blocks of 64 code points, whatever the storage, and their classes.

use std::arch::x86_64::{
    __m256i, __m512i, _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_cmpeq_epi16_mask, _mm512_cmplt_epu16_mask,
    _mm512_cvtepi16_epi8, _mm512_cvtepi32_epi16, _mm512_cvtusepi32_epi16, _mm512_extracti64x4_epi64,
    _mm512_inserti64x4, _mm512_loadu_si512, _mm512_mask_permutexvar_epi8, _mm512_mullo_epi16, _mm512_permutex2var_epi8,
    _mm512_set1_epi16, _mm512_setzero_si512, _mm512_srli_epi16, _mm512_srli_epi32, _mm512_storeu_si512,
    _mm512_sub_epi16,
};
use std::ops::Range;

use super::super::super::classes::Class;
use super::super::super::tables::{BLOCKS, CLASSES};
use super::super::masks::BLOCK;
use super::vectors::{byte, load};

/// 64 code points.
pub struct Block {
    /// Their lower 16 bits.
    pub units: [__m512i; 2],
    /// What is left of them above the lower six bits; all ones if that is more than 16 bits.
    pub pages: [__m512i; 2],
    /// What the symbols of code points beyond U+FFFF are mixed with; zero for others.
    pub planes: [__m512i; 2],
    /// How many there are before the end of the text.
    pub count: usize,
    /// The code point behind.
    pub after: u32,
}

impl Block {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    pub fn of_units(units: [__m512i; 2], count: usize, after: u32) -> Self {
        let pages = units.map(|units| _mm512_srli_epi16::<6>(units));
        Self { units, pages, planes: [_mm512_setzero_si512(); 2], count, after }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    pub fn of_points(points: &[u32; BLOCK], count: usize, after: u32) -> Self {
        // SAFETY: each part is 64 bytes.
        let load = |at: usize| unsafe { _mm512_loadu_si512(points[at * 16..][..16].as_ptr().cast()) };
        let both = |narrow: fn(__m512i) -> __m256i| [0, 2].map(|at| join(narrow(load(at)), narrow(load(at + 1))));
        Self {
            units: both(|points| _mm512_cvtepi32_epi16(points)),
            pages: both(|points| _mm512_cvtusepi32_epi16(_mm512_srli_epi32::<6>(points))),
            planes: both(|points| {
                let plane = _mm512_srli_epi32::<16>(points);
                _mm512_cvtepi32_epi16(_mm512_mullo_epi16(plane, _mm512_set1_epi16(0x1234)))
            }),
            count,
            after,
        }
    }
}

/// The pages that a text used last, and their classes.
pub struct Pages {
    known: [(u16, &'static [u8; 64]); 3],
    oldest: usize,
}

impl Pages {
    pub fn new() -> Self {
        Self { known: [(0, row(0)); 3], oldest: 0 }
    }

    /// The classes of a block, and which of its code points are ASCII.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    pub fn classes(&mut self, block: &Block) -> (__m512i, u64) {
        let low = block.units.map(|units| _mm512_cvtepi16_epi8(units));
        let low = join(low[0], low[1]);
        let ascii = set16(block.pages.map(|pages| _mm512_cmplt_epu16_mask(pages, _mm512_set1_epi16(2))));
        let mut classes = _mm512_permutex2var_epi8(load(row(0)), low, load(row(1)));
        let mut left = !ascii;
        if left == 0 {
            return (classes, ascii);
        }
        let mut take = |left: u64, set: u64, row: __m512i| {
            classes = _mm512_mask_permutexvar_epi8(classes, set, low, row);
            left & !set
        };
        let within = |range: Range<u16>| {
            let length = _mm512_set1_epi16((range.end - range.start).cast_signed());
            let start = _mm512_set1_epi16(range.start.cast_signed());
            set16(block.pages.map(|pages| _mm512_cmplt_epu16_mask(_mm512_sub_epi16(pages, start), length)))
        };
        let on = |page: u16| {
            let page = _mm512_set1_epi16(page.cast_signed());
            set16(block.pages.map(|pages| _mm512_cmpeq_epi16_mask(pages, page)))
        };
        left = take(left, within(HAN.0), byte(HAN.1));
        for (page, row) in self.known {
            left = take(left, on(page), load(row));
        }
        if left == 0 {
            return (classes, ascii);
        }
        left = take(left, within(HANGUL.0), byte(HANGUL.1));
        let mut pages = [0_u16; BLOCK];
        for (half, vector) in block.pages.into_iter().enumerate() {
            // SAFETY: half of the array is 64 bytes.
            unsafe { _mm512_storeu_si512(pages[half * 32..][..32].as_mut_ptr().cast(), vector) };
        }
        while left != 0 {
            let page = pages[left.trailing_zeros() as usize % BLOCK];
            left = if usize::from(page) < BLOCKS.len() {
                self.known[self.oldest] = (page, row(page));
                self.oldest = (self.oldest + 1) % self.known.len();
                take(left, on(page), load(row(page)))
            } else {
                // Up there, pages are of one class.
                take(left, on(page), byte(Class::of(u32::from(page) << 6).index() as u8))
            };
        }
        (classes, ascii)
    }
}

/// The classes of a page below U+20000.
fn row(page: u16) -> &'static [u8; 64] {
    CLASSES[usize::from(BLOCKS[usize::from(page)]) * 64..].first_chunk().unwrap_or(&[0; 64])
}

/// Pages that are common and many, and their one class.
const HAN: (Range<u16>, u8) = (0x138..0x280, 23);
const HANGUL: (Range<u16>, u8) = (0x2B0..0x35E, 25);

const _: () = assert!(is_uniform(&HAN) && is_uniform(&HANGUL));

const fn is_uniform((pages, class): &(Range<u16>, u8)) -> bool {
    let mut point = pages.start as usize * 64;
    while point < pages.end as usize * 64 {
        if CLASSES[BLOCKS[point >> 6] as usize * 64 + (point & 63)] != *class {
            return false;
        }
        point += 1;
    }
    true
}

/// The first bits of a set.
pub fn first(count: usize) -> u64 {
    if count < BLOCK { (1 << count) - 1 } else { u64::MAX }
}

/// A set from its halves.
pub fn set16([low, high]: [u32; 2]) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Two halves of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn halves(vector: __m512i) -> [__m256i; 2] {
    [_mm512_castsi512_si256(vector), _mm512_extracti64x4_epi64::<1>(vector)]
}

/// A vector of two halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn join(low: __m256i, high: __m256i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}
