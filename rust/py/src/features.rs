//! The features of texts as a sparse matrix, for fitting.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyString;
use ullage_core::{Table, features};

use crate::text::{View, expect_str};

/// Row starts, columns and values of a matrix in compressed rows.
type Rows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>);

/// Count the features of each text: what a profile multiplies by its weights.
///
/// Args:
///     texts: an iterable of str.
///
/// Returns:
///     The three arrays of a matrix in compressed sparse rows, a row for each text and a column for each weight of a
///     profile: row starts (int64, one more than there are texts), columns (int32, ascending in each row) and counts
///     (float32).
///
/// Raises:
///     TypeError: when an item is not a str.
#[pyfunction]
#[expect(clippy::cast_possible_wrap, reason = "columns are few, and so is what fits in memory")]
pub(crate) fn profile_features<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
    let py = texts.py();
    let mut first_column = [0; Table::ALL.len()];
    let mut columns = 0;
    for table in Table::ALL {
        first_column[table as usize] = columns;
        columns += table.cells();
    }
    let mut seen = vec![0_u32; columns];
    let (mut starts, mut indices, mut values) = (vec![0_i64], Vec::<i32>::new(), Vec::<f32>::new());
    for (index, item) in texts.try_iter()?.enumerate() {
        let item = item?;
        expect_str(&item, &format!("texts[{index}]"))?;
        let string = item.cast_into::<PyString>()?;
        let mut row = Vec::new();
        features::visit(View::of(&string)?.text(), |table, cell| {
            let column = first_column[table as usize] + cell;
            if seen[column] == 0 {
                row.push(column);
            }
            seen[column] += 1;
        });
        row.sort_unstable();
        for column in row {
            indices.push(column as i32);
            values.push(std::mem::take(&mut seen[column]) as f32);
        }
        starts.push(indices.len() as i64);
    }
    Ok((PyArray1::from_vec(py, starts), PyArray1::from_vec(py, indices), PyArray1::from_vec(py, values)))
}

/// The tables of a profile and how many weights each has, in their order.
#[pyfunction]
pub(crate) fn profile_tables() -> Vec<(String, usize)> {
    Table::ALL.iter().map(|table| (format!("{table:?}").to_lowercase(), table.cells())).collect()
}
