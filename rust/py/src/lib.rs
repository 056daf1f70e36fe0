//! The module `ullage._core`.
