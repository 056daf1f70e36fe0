//! Profiles: fitted weights over features of one pass, for one tokenizer each.
//!
//! The estimate is linear: every code point adds a few cells of the tables that [`features`] defines. So it is the
//! same on every platform, independent of how the text is stored, and additive over pieces that begin at the beginning of a
//! line, but for the first few code points of a piece: what is before them is taken for line ends.

mod classes;
pub mod features;
pub mod kernels;
mod runs;
mod symbols;
mod tables;
mod weights;

pub use features::Table;
pub use weights::{Profile, WeightsError};
