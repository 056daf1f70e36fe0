//! Token estimates without a tokenizer.

mod profile;
mod script;
mod text;

pub use profile::{Profile, Table, WeightsError, features};
#[doc(hidden)]
pub use script::kernels;
pub use script::{Rate, RuleError, ScriptCounts, ScriptRule, byte_bound, scripts};
pub use text::Text;
