//! The script rule and its kernels, against a plain oracle.

#[cfg(unix)]
mod guarded;
mod kernels;
mod oracle;
mod rule;
mod samples;
