//! The bytes of a text in UTF-8: what no byte-level tokenizer exceeds.

use super::kernels;
use crate::Text;

/// Bytes of `text` in UTF-8. A lone surrogate counts 3, as if it could be encoded.
#[must_use]
pub fn byte_bound(text: Text) -> u64 {
    match text {
        Text::Ascii(bytes) => bytes.len() as u64,
        Text::Latin1(bytes) => kernels::best().latin1_bytes(bytes),
        Text::Ucs2(units) => kernels::best().ucs2_bytes(units),
        Text::Ucs4(points) => kernels::best().ucs4_bytes(points),
        Text::Utf8(text) => text.len() as u64,
    }
}
