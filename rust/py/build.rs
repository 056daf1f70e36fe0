//! Passes on what the interpreter at hand allows (`Py_LIMITED_API`, `PyPy`, `GraalPy`) as cfg flags.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
