//! Token estimates without a tokenizer.

mod script;
mod text;

#[doc(hidden)]
pub use script::kernels;
pub use script::{Rate, RuleError, ScriptCounts, ScriptRule, byte_bound, scripts};
pub use text::Text;
