//! The module `ullage._core`: what Python sees of `ullage-core`. Each file binds one concern; none decides anything.

mod batch;
mod estimator;
mod functions;
mod rule;
mod text;

use pyo3::prelude::*;

/// The Rust half of ullage. Its public names are exported from `ullage`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::{
        estimator::Estimator,
        functions::{byte_bound, estimate, fits, scripts},
        rule::{ScriptCounts, ScriptRule},
    };

    #[pymodule_export]
    #[pyo3(name = "__version__")]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
