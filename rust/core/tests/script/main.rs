//! The script rule and its kernels, against a plain oracle.

mod oracle;
mod rule;
