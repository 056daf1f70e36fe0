//! Tokens from counts, exactly: every character costs a whole number of parts of a token.

use std::fmt;

use super::rate::{Rate, RuleError, lcm};
use super::{ScriptCounts, scripts};
use crate::Text;

/// Characters a token for each class of [`ScriptCounts`]. The default is 4, 1 and 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScriptRule {
    ascii: Rate,
    cjk: Rate,
    other: Rate,
    /// Parts in a token: the least common multiple of the numerators.
    pub(super) scale: u64,
    pub(super) parts: Parts,
}

/// What one character of each class costs: below 2^62, so that 2^64 characters of every class still fit 128 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Parts {
    pub ascii: u64,
    pub cjk: u64,
    pub other: u64,
}

/// The dearest character costs 1000 tokens, which is below 2^62 parts.
const MAX_SCALE: u64 = 1 << 52;

impl ScriptRule {
    /// A rule from three rates, each in characters a token.
    ///
    /// # Errors
    /// [`RuleError`] when a rate is not from 1/1000 to 1000, or when the numerators (in lowest terms) have a least
    /// common multiple above 2^52; three numerators up to 165,140 never have.
    pub fn new(ascii: Rate, cjk: Rate, other: Rate) -> Result<Self, RuleError> {
        for (name, rate) in [("ascii", ascii), ("cjk", cjk), ("other", other)] {
            if !rate.is_allowed() {
                return Err(RuleError::OutOfRange { name, rate });
            }
        }
        let [ascii, cjk, other] = [ascii, cjk, other].map(Rate::lowest_terms);
        let scale = [ascii, cjk, other]
            .iter()
            .try_fold(1, |scale, rate| lcm(scale, rate.numerator.into(), MAX_SCALE))
            .ok_or(RuleError::TooFine)?;
        let parts = |rate: Rate| scale / u64::from(rate.numerator) * u64::from(rate.denominator);
        let parts = Parts { ascii: parts(ascii), cjk: parts(cjk), other: parts(other) };
        Ok(Self { ascii, cjk, other, scale, parts })
    }

    /// ASCII characters a token, in lowest terms.
    #[must_use]
    pub const fn ascii(self) -> Rate {
        self.ascii
    }

    /// Chinese, Japanese and Korean characters a token, in lowest terms.
    #[must_use]
    pub const fn cjk(self) -> Rate {
        self.cjk
    }

    /// Other characters a token, in lowest terms.
    #[must_use]
    pub const fn other(self) -> Rate {
        self.other
    }

    /// `ceil(ascii / rate + cjk / rate + other / rate)`, exactly; 0 for no characters.
    ///
    /// Counts above 10^16, which no memory holds, can exceed the result's type and then give its maximum.
    #[must_use]
    pub fn tokens(self, counts: ScriptCounts) -> u64 {
        let parts = self.parts_of(counts);
        let scale = u128::from(self.scale);
        let tokens = if self.scale.is_power_of_two() {
            // As in the default rule. A 128-bit division would cost more than scanning a short text.
            (parts + scale - 1) >> self.scale.trailing_zeros()
        } else {
            parts.div_ceil(scale)
        };
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }

    /// The tokens of a text: [`ScriptRule::tokens`] of its [`scripts`].
    #[must_use]
    pub fn estimate(self, text: Text) -> u64 {
        self.tokens(scripts(text))
    }

    pub(super) fn parts_of(self, counts: ScriptCounts) -> u128 {
        u128::from(counts.ascii) * u128::from(self.parts.ascii)
            + u128::from(counts.cjk) * u128::from(self.parts.cjk)
            + u128::from(counts.other) * u128::from(self.parts.other)
    }
}

impl Default for ScriptRule {
    fn default() -> Self {
        Self {
            ascii: Rate { numerator: 4, denominator: 1 },
            cjk: Rate { numerator: 1, denominator: 1 },
            other: Rate { numerator: 2, denominator: 1 },
            scale: 4,
            parts: Parts { ascii: 1, cjk: 4, other: 2 },
        }
    }
}

impl fmt::Debug for ScriptRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ScriptRule(ascii={}, cjk={}, other={})", self.ascii, self.cjk, self.other)
    }
}
