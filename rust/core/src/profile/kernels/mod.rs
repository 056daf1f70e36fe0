//! The sums that an estimate is made of, one file an instruction set, chosen at run time.
//!
//! Every kernel gives the sums of the cells that [`super::features::visit`] defines, and all give the same.

#![expect(clippy::inline_always, reason = "what is not inlined is not compiled for the instruction set that calls it")]
#![expect(clippy::needless_bitwise_bool, reason = "a loop that branches does not become vectors")]
#![expect(clippy::needless_range_loop, reason = "several arrays go side by side")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod masks;
mod portable;
mod tables;
mod traits;

use std::sync::LazyLock;

use super::features::Table;
use super::weights::Profile;
use crate::Text;
pub(super) use tables::Tables;

/// The sum of the weights of a text, for each of [`Table::ALL`].
pub type Sums = [i64; Table::ALL.len()];

/// Sums of weights, compiled for one instruction set. Values of this type exist only where the processor has it.
pub struct Kernel {
    name: &'static str,
    sums: unsafe fn(&Tables, Text<'_>) -> Sums,
}

impl Kernel {
    /// The name of the instruction set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Adds up the weights of a text.
    #[must_use]
    pub fn sums(&self, profile: &Profile, text: Text<'_>) -> Sums {
        // SAFETY: `available` hands out only what this processor can run.
        unsafe { (self.sums)(profile.tables(), text) }
    }
}

/// What this processor can run, the widest first.
pub fn available() -> impl Iterator<Item = &'static Kernel> {
    #[cfg(target_arch = "x86_64")]
    let wide = [avx512::detect(), avx2::detect()];
    #[cfg(not(target_arch = "x86_64"))]
    let wide: [Option<&'static Kernel>; 0] = [];
    wide.into_iter().flatten().chain([&portable::KERNEL])
}

/// The widest that this processor can run.
#[must_use]
pub fn best() -> &'static Kernel {
    static BEST: LazyLock<&Kernel> = LazyLock::new(|| available().next().unwrap_or(&portable::KERNEL));
    &BEST
}
