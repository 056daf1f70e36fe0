//! Token estimates without a tokenizer.

mod script;
mod text;

pub use script::{Rate, RuleError, ScriptCounts, ScriptRule, byte_bound, scripts};
pub use text::Text;
