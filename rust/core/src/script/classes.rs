//! The class of one code point: the table of ranges, with a bitmap for the basic plane.

use super::tables::CJK;

/// How many of the ranges are below 0x10000.
pub const BASIC_RANGES: usize = {
    let mut ranges = 0;
    while CJK[ranges].1 <= 0xFFFF {
        ranges += 1;
    }
    ranges
};

/// One bit for each code point below 0x10000.
const BASIC_PLANE: [u64; 0x400] = basic_plane();

const fn basic_plane() -> [u64; 0x400] {
    let mut bits = [0; 0x400];
    let mut range = 0;
    while range < BASIC_RANGES {
        let mut point = CJK[range].0;
        while point <= CJK[range].1 {
            bits[(point >> 6) as usize] |= 1 << (point & 63);
            point += 1;
        }
        range += 1;
    }
    bits
}

/// Whether each code point of a page of 256 is CJK.
pub const fn page_bits(high: u8) -> [u64; 4] {
    let first = high as usize * 4;
    [BASIC_PLANE[first], BASIC_PLANE[first + 1], BASIC_PLANE[first + 2], BASIC_PLANE[first + 3]]
}

/// Whether a code point of the basic plane is CJK.
pub fn is_cjk_unit(unit: u16) -> bool {
    BASIC_PLANE[usize::from(unit >> 6)] >> (unit & 63) & 1 == 1
}

/// Whether any 32-bit value is a CJK code point.
pub fn is_cjk(point: u32) -> bool {
    match u16::try_from(point) {
        Ok(unit) => is_cjk_unit(unit),
        Err(_) => CJK.get(CJK.partition_point(|range| range.1 < point)).is_some_and(|range| range.0 <= point),
    }
}
