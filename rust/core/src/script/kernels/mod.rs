//! The scans, one file an instruction set, chosen at run time.
//!
//! The algorithms (`ucs2`, `ucs4`, `utf8`, `lengths`) are written once, and compiled for each instruction set. It brings
//! its own inner loops only where the compiler's are too slow: for Latin-1, and for the pages of UCS-2.

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set that calls it")]
#![expect(clippy::needless_bitwise_bool, reason = "a loop that branches does not become vectors")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod lengths;
mod pages;
mod portable;
mod ucs2;
mod ucs4;
mod utf8;

use std::sync::LazyLock;

use super::ScriptCounts;

/// All scans, compiled for one instruction set. Values of this type exist only where the processor has it.
pub struct Kernels {
    name: &'static str,
    latin1: unsafe fn(&[u8]) -> u64,
    ucs2: unsafe fn(&[u16]) -> ScriptCounts,
    ucs4: unsafe fn(&[u32]) -> ScriptCounts,
    utf8: unsafe fn(&str) -> ScriptCounts,
    ucs2_bytes: unsafe fn(&[u16]) -> u64,
    ucs4_bytes: unsafe fn(&[u32]) -> u64,
}

impl Kernels {
    /// The name of the instruction set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Counts Latin-1: nothing in it is CJK.
    #[must_use]
    pub fn latin1(&self, bytes: &[u8]) -> ScriptCounts {
        // SAFETY: `available` hands out only what this processor can run, as in the methods below.
        let other = unsafe { (self.latin1)(bytes) };
        ScriptCounts { ascii: bytes.len() as u64 - other, cjk: 0, other }
    }

    /// Counts UCS-2: one code point a unit.
    #[must_use]
    pub fn ucs2(&self, units: &[u16]) -> ScriptCounts {
        // SAFETY: as in `latin1`.
        unsafe { (self.ucs2)(units) }
    }

    /// Counts UCS-4.
    #[must_use]
    pub fn ucs4(&self, points: &[u32]) -> ScriptCounts {
        // SAFETY: as in `latin1`.
        unsafe { (self.ucs4)(points) }
    }

    /// Counts UTF-8.
    #[must_use]
    pub fn utf8(&self, text: &str) -> ScriptCounts {
        // SAFETY: as in `latin1`.
        unsafe { (self.utf8)(text) }
    }

    /// Bytes in UTF-8 of Latin-1.
    #[must_use]
    pub fn latin1_bytes(&self, bytes: &[u8]) -> u64 {
        // SAFETY: as in `latin1`.
        bytes.len() as u64 + unsafe { (self.latin1)(bytes) }
    }

    /// Bytes in UTF-8 of UCS-2.
    #[must_use]
    pub fn ucs2_bytes(&self, units: &[u16]) -> u64 {
        // SAFETY: as in `latin1`.
        unsafe { (self.ucs2_bytes)(units) }
    }

    /// Bytes in UTF-8 of UCS-4.
    #[must_use]
    pub fn ucs4_bytes(&self, points: &[u32]) -> u64 {
        // SAFETY: as in `latin1`.
        unsafe { (self.ucs4_bytes)(points) }
    }
}

/// What this processor can run, the widest first.
pub fn available() -> impl Iterator<Item = &'static Kernels> {
    #[cfg(target_arch = "x86_64")]
    let wide = [avx512::detect(), avx2::detect()];
    #[cfg(not(target_arch = "x86_64"))]
    let wide: [Option<&'static Kernels>; 0] = [];
    wide.into_iter().flatten().chain([&portable::KERNELS])
}

/// The widest that this processor can run.
#[must_use]
pub fn best() -> &'static Kernels {
    static BEST: LazyLock<&Kernels> = LazyLock::new(|| available().next().unwrap_or(&portable::KERNELS));
    &BEST
}
