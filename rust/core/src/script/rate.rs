//! A rate, exactly: characters a token, as a fraction.

use std::error::Error;
use std::fmt;

/// Characters a token, as a fraction. A [`ScriptRule`](super::ScriptRule) takes rates from 1/1000 to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    /// So many characters ...
    pub numerator: u32,
    /// ... in so many tokens.
    pub denominator: u32,
}

impl Rate {
    pub(super) fn lowest_terms(self) -> Self {
        let divisor = gcd(self.numerator.into(), self.denominator.into()).max(1) as u32;
        Self { numerator: self.numerator / divisor, denominator: self.denominator / divisor }
    }

    pub(super) fn is_allowed(self) -> bool {
        let (numerator, denominator) = (u64::from(self.numerator), u64::from(self.denominator));
        denominator > 0 && numerator * 1000 >= denominator && numerator <= denominator * 1000
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(formatter, "{}", self.numerator),
            _ => write!(formatter, "{}/{}", self.numerator, self.denominator),
        }
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A whole number of characters a token.
impl From<u32> for Rate {
    fn from(characters: u32) -> Self {
        Self { numerator: characters, denominator: 1 }
    }
}

/// Why three rates make no rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleError {
    /// A rate is below 1/1000 or above 1000, or its denominator is zero.
    OutOfRange {
        /// `ascii`, `cjk` or `other`.
        name: &'static str,
        /// The rate as it was given.
        rate: Rate,
    },
    /// The numerators have a least common multiple above 2^52, so sums over any text would not be exact.
    TooFine,
}

impl fmt::Display for RuleError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { name, rate } => {
                write!(formatter, "{name} is {rate} characters a token: give a rate from 1/1000 to 1000")
            }
            Self::TooFine => formatter.write_str("the three rates have too many digits together: round them"),
        }
    }
}

impl Error for RuleError {}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple of two numbers that are not zero, the second below 2^32; `None` above `limit`.
pub(super) fn lcm(a: u64, b: u64, limit: u64) -> Option<u64> {
    (a / gcd(a, b)).checked_mul(b).filter(|&multiple| multiple <= limit)
}
