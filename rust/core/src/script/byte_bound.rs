//! The bytes of a text in UTF-8: what no byte-level tokenizer exceeds.

use crate::Text;

/// Bytes of `text` in UTF-8. A lone surrogate counts 3, as if it could be encoded.
#[must_use]
pub fn byte_bound(text: Text) -> u64 {
    match text {
        Text::Ascii(bytes) => bytes.len() as u64,
        Text::Latin1(bytes) => bytes.iter().map(|&byte| 1 + u64::from(byte >= 0x80)).sum(),
        Text::Ucs2(units) => units.iter().map(|&unit| 1 + u64::from(unit >= 0x80) + u64::from(unit >= 0x800)).sum(),
        Text::Ucs4(points) => points
            .iter()
            .map(|&point| 1 + u64::from(point >= 0x80) + u64::from(point >= 0x800) + u64::from(point >= 0x1_0000))
            .sum(),
        Text::Utf8(text) => text.len() as u64,
    }
}
