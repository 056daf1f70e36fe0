//! The module `ullage._core`: what Python sees of `ullage-core`. Each file binds one concern; none decides anything.

#![allow(
    clippy::doc_markdown,
    clippy::doc_link_with_quotes,
    reason = "the docstrings are read in Python, not by rustdoc"
)]

mod batch;
mod chain;
mod difference;
mod digests;
mod estimator;
mod fault;
mod features;
mod fields;
mod functions;
mod profile;
mod records;
mod rule;
mod text;
mod tree;
mod value;
mod volatile;
mod walk;

use pyo3::prelude::*;

/// The Rust half of ullage. Its public names are exported from `ullage`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::{
        chain::Chain,
        difference::first_difference,
        digests::digests,
        estimator::Estimator,
        features::{profile_features, profile_tables},
        functions::{byte_bound, estimate, fits, scripts},
        profile::Profile,
        records::Records,
        rule::{ScriptCounts, ScriptRule},
        volatile::volatile,
    };

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
