//! The weights of a profile, and the estimate they give. All arithmetic is in integers.

use std::error::Error;
use std::fmt;

use super::features::Table;
use super::kernels::{Tables, best};
use crate::Text;

/// Fixed point: this many fractional bits of a token.
const FRACTION: u32 = 24;

/// Fitted weights: one signed byte a cell, and one scale a table, in 2^-24 tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    scales: [u32; Table::ALL.len()],
    tables: Box<Tables>,
}

impl Profile {
    /// Takes the scales and the weights of [`Table::ALL`], one table after the other.
    ///
    /// # Errors
    /// When there are not exactly as many weights as the tables have cells.
    pub fn new(scales: [u32; Table::ALL.len()], weights: &[i8]) -> Result<Self, WeightsError> {
        let expected = Self::cells();
        if weights.len() != expected {
            return Err(WeightsError { found: weights.len(), expected });
        }
        Ok(Self { scales, tables: Tables::new(weights) })
    }

    /// How many weights a profile has.
    #[must_use]
    pub fn cells() -> usize {
        Table::ALL.iter().map(|table| table.cells()).sum()
    }

    /// Estimates the tokens of a text, rounded to the nearest; an empty text has none, any other at least one.
    #[must_use]
    pub fn tokens(&self, text: Text<'_>) -> u64 {
        let sums = best().sums(self, text);
        let total: i64 = sums.iter().zip(self.scales).map(|(sum, scale)| sum * i64::from(scale)).sum();
        let rounded = (total + (1 << (FRACTION - 1))) >> FRACTION;
        u64::try_from(rounded).unwrap_or(0).max(u64::from(!text.is_empty()))
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }
}

/// The weights are not as many as the tables have cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightsError {
    found: usize,
    expected: usize,
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a profile has {} weights, and {} were given", self.expected, self.found)
    }
}

impl Error for WeightsError {}
