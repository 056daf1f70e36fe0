//! The 16-bit symbols that neighbour hashes are made of: code points, but digits alike and the capital of a Title word small.

use super::classes::{Class, Group};
use super::runs::Around;

/// Stands before the beginning of a run.
pub const NONE: u16 = 0;
/// Stands after the end of a run.
pub const END: u16 = 1;
/// Stands for U+0000 and U+0001, whose own numbers mean something else.
const CONTROL: u16 = 2;

/// The symbol of a code point. `begins` says whether a run begins here.
pub fn symbol(point: u32, around: Around, begins: bool) -> u16 {
    let first = begins || around.before.group() != Group::Letter;
    let title = first && around.after.group() == Group::Letter && !around.after.is_upper();
    fold(point, around.here, title)
}

/// The symbol of a code point of a class; `title` says whether a capital becomes small.
#[inline]
pub fn fold(point: u32, class: Class, title: bool) -> u16 {
    if class == Class::DIGIT {
        return u16::from(b'0');
    }
    let point = if title { small(point, class) } else { point };
    match point {
        0 | 1 => CONTROL,
        0x0002..0x10000 => point as u16,
        // Any mixture would do; this one is a permutation within a plane.
        _ => (point ^ (point >> 16).wrapping_mul(0x1234)) as u16,
    }
}

/// The small letter of a capital, where scripts keep them at a fixed distance; not exact, and the same everywhere.
fn small(point: u32, class: Class) -> u32 {
    match point {
        _ if !class.is_upper() => point,
        0x41..=0x5A | 0xC0..=0xDE | 0x410..=0x42F => point + 32,
        0x400..=0x40F => point + 80,
        _ => point + 1,
    }
}
