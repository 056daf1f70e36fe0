//! Whether a text fits a limit, read no further than the answer needs.

use super::rule::Parts;
use super::{ScriptRule, scripts};
use crate::Text;

/// Code units scanned between two looks at the limit: far above the cost of a look, far below a cache.
const BLOCK: usize = 4096;

impl ScriptRule {
    /// Whether the estimate of `text` is at most `limit`. Reads nothing where the length decides, else block by block
    /// until what is read and the length of the rest decide.
    #[must_use]
    pub fn fits(self, text: Text, limit: u64) -> bool {
        let room = u128::from(limit) * u128::from(self.scale);
        let mut rest = text;
        let mut used = 0;
        loop {
            let (least, most) = self.parts.by_length(rest);
            if used + most <= room {
                return true;
            }
            if used + least > room {
                return false;
            }
            let (block, after) = split(rest);
            used += self.parts_of(scripts(block));
            rest = after;
        }
    }
}

impl Parts {
    /// The fewest and the most parts that a text of this storage and length can cost: the same number for no text.
    fn by_length(self, text: Text) -> (u128, u128) {
        let Self { ascii, cjk, other } = self;
        let bounds = |length: usize, cheapest: u64, dearest: u64| {
            (length as u128 * u128::from(cheapest), length as u128 * u128::from(dearest))
        };
        match text {
            Text::Ascii(bytes) => bounds(bytes.len(), ascii, ascii),
            Text::Latin1(bytes) => bounds(bytes.len(), ascii.min(other), ascii.max(other)),
            Text::Ucs2(units) => bounds(units.len(), ascii.min(cjk).min(other), ascii.max(cjk).max(other)),
            Text::Ucs4(points) => bounds(points.len(), ascii.min(cjk).min(other), ascii.max(cjk).max(other)),
            // ASCII is one byte, everything else two to four.
            Text::Utf8(text) => {
                let all_ascii = text.len() as u128 * u128::from(ascii);
                let least = (text.len() / 4) as u128 * u128::from(cjk.min(other));
                let most = text.len().div_ceil(2) as u128 * u128::from(cjk.max(other));
                (all_ascii.min(least), all_ascii.max(most))
            }
        }
    }
}

/// The first block of a text and what follows it.
fn split(text: Text<'_>) -> (Text<'_>, Text<'_>) {
    match text {
        Text::Ascii(bytes) => {
            let (block, rest) = bytes.split_at(bytes.len().min(BLOCK));
            (Text::Ascii(block), Text::Ascii(rest))
        }
        Text::Latin1(bytes) => {
            let (block, rest) = bytes.split_at(bytes.len().min(BLOCK));
            (Text::Latin1(block), Text::Latin1(rest))
        }
        Text::Ucs2(units) => {
            let (block, rest) = units.split_at(units.len().min(BLOCK));
            (Text::Ucs2(block), Text::Ucs2(rest))
        }
        Text::Ucs4(points) => {
            let (block, rest) = points.split_at(points.len().min(BLOCK));
            (Text::Ucs4(block), Text::Ucs4(rest))
        }
        Text::Utf8(text) => {
            let (block, rest) = text.split_at(text.floor_char_boundary(BLOCK));
            (Text::Utf8(block), Text::Utf8(rest))
        }
    }
}
