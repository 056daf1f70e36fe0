//! `Profile`: the weights of a profile as Rust reads them. Files, checksums and margins are `ullage`'s.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ullage_core::Table;

/// Fitted weights, shared by all estimators that use them.
///
/// Args:
///     scales: one int for each table, in 2**-24 tokens.
///     weights: one signed byte for each cell of the tables, in their order.
///
/// Raises:
///     ValueError: when there are not as many as the tables need.
#[pyclass(frozen, module = "ullage._core", from_py_object)]
#[derive(Clone)]
pub(crate) struct Profile(pub(crate) Arc<ullage_core::Profile>);

#[pymethods]
impl Profile {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "what Python hands over is copied anyway")]
    fn new(scales: Vec<u32>, weights: &[u8]) -> PyResult<Self> {
        let scales = scales.as_slice().try_into().map_err(|_| {
            PyValueError::new_err(format!("a profile has {} scales, and {} were given", Table::ALL.len(), scales.len()))
        })?;
        let weights: Vec<i8> = weights.iter().map(|byte| byte.cast_signed()).collect();
        let profile = ullage_core::Profile::new(scales, &weights);
        Ok(Self(Arc::new(profile.map_err(|error| PyValueError::new_err(error.to_string()))?)))
    }
}
