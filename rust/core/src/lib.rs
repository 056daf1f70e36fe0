//! Token estimates without a tokenizer.

mod text;

pub use text::Text;
