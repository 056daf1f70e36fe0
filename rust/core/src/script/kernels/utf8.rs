//! UTF-8, by the first bytes of every code point.
//!
//! Two bytes name a group of 64 code points (of three bytes) or of 4096 (of four). Nearly every group is CJK as a whole
//! or not at all; code points of the few mixed groups are decoded.

use super::super::classes::is_cjk;
use crate::ScriptCounts;

/// Bytes in a block. Lanes of 8 bits count it without overflow.
const BLOCK: usize = 64;
/// Bytes behind a block that its last code point may need.
const AHEAD: usize = 2;

/// Counts the code points of a text.
#[inline(always)]
pub fn count(text: &str) -> ScriptCounts {
    let bytes = text.as_bytes();
    let mut counts = ScriptCounts::default();
    let mut start = 0;
    while let Some(window) = bytes[start..].first_chunk() {
        counts += count_block(text, start, window);
        start += BLOCK;
    }
    // What is left is shorter than a window, yet may be longer than a block. The padding is neither ASCII nor a lead.
    while start < bytes.len() {
        let rest = &bytes[start..];
        let mut window = [0x80; BLOCK + AHEAD];
        window[..rest.len()].copy_from_slice(rest);
        counts += count_block(text, start, &window);
        start += BLOCK;
    }
    counts
}

/// Counts the code points that begin in the block at `start`.
#[inline(always)]
fn count_block(text: &str, start: usize, window: &[u8; BLOCK + AHEAD]) -> ScriptCounts {
    let (mut ascii, mut continuations, mut suspects) = (0_u8, 0_u8, 0_u8);
    for at in 0..BLOCK {
        ascii += u8::from(window[at] < 0x80);
        continuations += u8::from(window[at] & 0xC0 == 0x80);
        suspects |= u8::from(is_suspect(window[at], window[at + 1]));
    }
    let cjk = if suspects == 0 { 0 } else { cjk_in_block(text, start, window) };
    let (ascii, leads) = (u64::from(ascii), BLOCK as u64 - u64::from(continuations));
    ScriptCounts { ascii, cjk, other: leads - ascii - cjk }
}

#[inline(always)]
fn cjk_in_block(text: &str, start: usize, window: &[u8; BLOCK + AHEAD]) -> u64 {
    let (mut cjk, mut mixed) = (0_u8, [0_u8; BLOCK]);
    for at in 0..BLOCK {
        cjk += u8::from(is_cjk_group(window[at], window[at + 1]));
        mixed[at] = u8::from(is_mixed_group(window[at], window[at + 1], window[at + 2]));
    }
    let mut total = u64::from(cjk);
    for (word, flags) in mixed.as_chunks::<8>().0.iter().enumerate() {
        let mut flags = u64::from_le_bytes(*flags);
        while flags != 0 {
            let at = start + 8 * word + flags.trailing_zeros() as usize / 8;
            total += u64::from(text[at..].chars().next().is_some_and(|point| is_cjk(u32::from(point))));
            flags &= flags - 1;
        }
    }
    total
}

/// Whether the group is one that the other two questions are about: no alphabet's letters are, nor common punctuation.
#[inline(always)]
fn is_suspect(lead: u8, second: u8) -> bool {
    (lead >= 0xE3) | (lead == 0xE2) & (second >= 0xBA) | (lead == 0xE1) | (lead == 0xCB)
}

/// Whether all code points that begin so are CJK.
#[inline(always)]
fn is_cjk_group(lead: u8, second: u8) -> bool {
    (0xE5..=0xE9).contains(&lead)
        | (0xEB..=0xEC).contains(&lead)
        | (lead == 0xE3) & !((second == 0x84) | (second == 0x86) | (second == 0x87))
        | (lead == 0xE4) & (second != 0xB7)
        | (lead == 0xEA) & (second >= 0xB0)
        | (lead == 0xED) & (second <= 0x9D)
        | (lead == 0xEF) & (0xBC..=0xBE).contains(&second)
        | (lead == 0xE1) & (0x84..=0x87).contains(&second)
}

/// Whether some code points that begin so are CJK and others are not.
#[inline(always)]
fn is_mixed_group(lead: u8, second: u8, third: u8) -> bool {
    (lead == 0xCB) & (0xAA..=0xAB).contains(&second)
        | (lead == 0xE2) & (second >= 0xBA)
        | (lead == 0xE3) & ((second == 0x84) | (second == 0x86) | (second == 0x87))
        | (lead == 0xEA) & (second == 0xA5)
        | (lead == 0xED) & (second >= 0x9E)
        | (lead == 0xEF) & ((0xA4..=0xAB).contains(&second) | (second == 0xBF))
        | (lead == 0xF0) & ((0x96..=0x9B).contains(&second) | (second >= 0xA0) | (second == 0x9F) & (third == 0x88))
}
