//! Sums of small numbers over a text, in lanes that are flushed before they can overflow; and UTF-8 lengths by them.

/// The sum of `value` over all items. No value is above 3.
#[inline(always)]
pub fn sum<T: Copy>(items: &[T], value: impl Fn(T) -> u8) -> u64 {
    // Each chunk is summed in 8 bits by the compiler's vectors, so it must not hold more than 255 / 3 items.
    let mut total = 0;
    for chunk in items.chunks(64) {
        total += u64::from(chunk.iter().map(|&item| value(item)).sum::<u8>());
    }
    total
}

/// Bytes in UTF-8; a lone surrogate counts 3.
#[inline(always)]
pub fn ucs2(units: &[u16]) -> u64 {
    sum(units, |unit| 1 + u8::from(unit >= 0x80) + u8::from(unit >= 0x800))
}

/// Bytes in UTF-8; a lone surrogate counts 3.
#[inline(always)]
pub fn ucs4(points: &[u32]) -> u64 {
    let continuation = |point| u8::from(point >= 0x80) + u8::from(point >= 0x800) + u8::from(point >= 0x1_0000);
    points.len() as u64 + sum(points, continuation)
}
