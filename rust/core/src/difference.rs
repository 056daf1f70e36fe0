//! Where two texts part.

use crate::Text;

impl Text<'_> {
    /// The index of the first code point in which two texts differ, or the length of the shorter one where it begins the
    /// other. `None` when they are the same.
    ///
    /// Texts in the same storage are compared as bytes first; only those that differ are read code point by code point.
    #[must_use]
    pub fn first_difference(self, other: Text<'_>) -> Option<usize> {
        match (self, other) {
            (Text::Ascii(a) | Text::Latin1(a), Text::Ascii(b) | Text::Latin1(b)) => parted(a, b),
            (Text::Ucs2(a), Text::Ucs2(b)) => parted(a, b),
            (Text::Ucs4(a), Text::Ucs4(b)) => parted(a, b),
            (Text::Utf8(a), Text::Utf8(b)) => {
                let byte = parted(a.as_bytes(), b.as_bytes())?;
                // What both have before the first byte that differs may end within a character.
                Some(a[..a.floor_char_boundary(byte)].chars().count())
            }
            _ => {
                let (mut a, mut b) = (self.points(), other.points());
                let mut index = 0;
                loop {
                    match (a.next(), b.next()) {
                        (None, None) => return None,
                        (a, b) if a != b => return Some(index),
                        _ => index += 1,
                    }
                }
            }
        }
    }

    /// The code points, one by one.
    pub(crate) fn points(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match *self {
            Text::Ascii(bytes) | Text::Latin1(bytes) => Box::new(bytes.iter().map(|byte| u32::from(*byte))),
            Text::Ucs2(units) => Box::new(units.iter().map(|unit| u32::from(*unit))),
            Text::Ucs4(points) => Box::new(points.iter().copied()),
            Text::Utf8(text) => Box::new(text.chars().map(u32::from)),
        }
    }
}

fn parted<U: PartialEq>(a: &[U], b: &[U]) -> Option<usize> {
    if a == b {
        return None;
    }
    let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    Some(shared)
}
