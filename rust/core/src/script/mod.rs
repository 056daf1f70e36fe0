//! The script rule: how many code points of a text are ASCII, how many are Chinese, Japanese or Korean, and the tokens
//! that this suggests.
//!
//! `classes` decides one code point, `kernels` count a text; `rule` turns counts into tokens.

mod byte_bound;
mod classes;
mod counts;
mod fits;
#[doc(hidden)]
pub mod kernels;
mod rate;
mod rule;
mod tables;

pub use byte_bound::byte_bound;
pub use counts::{ScriptCounts, scripts};
pub use rate::{Rate, RuleError};
pub use rule::ScriptRule;
