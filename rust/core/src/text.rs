//! The views of text that every scan takes: CPython's three storage widths and UTF-8.

/// A borrowed text, in the storage it already has. Nothing is ever copied to another encoding.
///
/// Code points are what is counted, whatever the storage. In [`Text::Ucs2`] every unit is one code point (CPython never
/// stores surrogate pairs), and a lone surrogate is a code point like any other.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// One byte a code point, and the owner knows that all are below 0x80.
    Ascii(&'a [u8]),
    /// One byte a code point, U+0000 to U+00FF. This is not UTF-8.
    Latin1(&'a [u8]),
    /// Two bytes a code point, U+0000 to U+FFFF.
    Ucs2(&'a [u16]),
    /// Four bytes a code point, U+0000 to U+10FFFF.
    Ucs4(&'a [u32]),
    /// UTF-8, as Rust and Arrow have it.
    Utf8(&'a str),
}

impl Text<'_> {
    /// Whether there is no code point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Text::Ascii(bytes) | Text::Latin1(bytes) => bytes.is_empty(),
            Text::Ucs2(units) => units.is_empty(),
            Text::Ucs4(points) => points.is_empty(),
            Text::Utf8(text) => text.is_empty(),
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Utf8(text)
    }
}
