//! A text as it counts where white space does not.

use crate::{Digester, Text};

/// How many bytes are gathered before they are hashed; a code point takes up to four.
const BUFFER: usize = 1024;

impl Digester {
    /// A text without its white space (Unicode's property `White_Space`); its storage does not matter.
    pub fn unspaced(&mut self, text: Text<'_>) {
        match text {
            Text::Ascii(bytes) => self.unspaced_ascii(bytes),
            Text::Utf8(utf8) if utf8.is_ascii() => self.unspaced_ascii(utf8.as_bytes()),
            _ => {
                let kept = text.points().filter(|point| !is_space(*point)).count();
                self.opening(kept);
                let mut points = text.points().filter(|point| !is_space(*point)).peekable();
                let mut buffer = [0; BUFFER];
                while points.peek().is_some() {
                    let mut length = 0;
                    for point in points.by_ref().take(BUFFER / 4) {
                        length += encode(point, &mut buffer[length..]);
                    }
                    self.raw(&buffer[..length]);
                }
            }
        }
    }

    fn unspaced_ascii(&mut self, bytes: &[u8]) {
        self.opening(bytes.iter().filter(|byte| !is_ascii_space(**byte)).count());
        let mut buffer = [0; BUFFER];
        for chunk in bytes.chunks(BUFFER) {
            let mut length = 0;
            for byte in chunk {
                buffer[length] = *byte;
                length += usize::from(!is_ascii_space(*byte));
            }
            self.raw(&buffer[..length]);
        }
    }
}

fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Lone surrogates are no white space.
fn is_space(point: u32) -> bool {
    char::from_u32(point).is_some_and(char::is_whitespace)
}

/// UTF-8, in which surrogates are written like others, and how many bytes it takes.
fn encode(point: u32, out: &mut [u8]) -> usize {
    if let Some(character) = char::from_u32(point) {
        return character.encode_utf8(out).len();
    }
    let continued = |shift: u32| 0x80 | (point >> shift & 0x3F) as u8;
    out[..3].copy_from_slice(&[0xE0 | (point >> 12) as u8, continued(6), continued(0)]);
    3
}
