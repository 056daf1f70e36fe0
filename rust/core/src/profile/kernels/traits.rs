//! What is asked of each class, in the numbers that blocks work with.

use std::sync::LazyLock;

use super::super::classes::{Class, Group};
use super::masks::flags_of;

/// A line feed, which stands for what is behind a text: the code point and its class.
pub const LINE: (u32, u8) = (0x0A, 5);

/// Set in the strands of signs and emoji, and not in those of letters.
pub const SIGNS: u8 = 64;

#[derive(Clone, Copy)]
pub struct Traits {
    pub flags: u8,
    pub kind: u8,
    /// Letters of two strands do not share a run, and neither do signs; 0 is in no strand.
    pub strand: u8,
}

pub static TRAITS: LazyLock<[Traits; Class::COUNT]> = LazyLock::new(|| {
    Class::ALL.map(|class| Traits {
        flags: flags_of(class),
        kind: class.kind() as u8,
        strand: match class.group() {
            Group::Letter => class.script(),
            Group::Sign => SIGNS,
            Group::Emoji => SIGNS | 1,
            _ => 0,
        },
    })
});
