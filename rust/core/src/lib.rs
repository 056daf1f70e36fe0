//! Token estimates without a tokenizer.

mod canonical;
mod chain;
mod difference;
mod digest;
mod profile;
mod records;
mod script;
mod text;
mod volatile;

pub use chain::{Block, Line, Place, ROOT, Requests, link};
pub use digest::Digester;
#[doc(hidden)]
pub use profile::kernels as profile_kernels;
pub use profile::{Profile, Table, WeightsError, features};
pub use records::{Kind, Matcher, Part, Record};
#[doc(hidden)]
pub use script::kernels;
pub use script::{Rate, RuleError, ScriptCounts, ScriptRule, byte_bound, scripts};
pub use text::Text;
pub use volatile::{Volatile, VolatileKind, volatile};
