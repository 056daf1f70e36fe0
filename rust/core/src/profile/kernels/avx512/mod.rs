//! AVX-512 with the byte instructions of its later generations: small tables are looked up in registers.

mod ascii;
mod blocks;
mod vectors;
mod wide;

use super::{Kernel, Sums, Tables};
use crate::Text;

static KERNEL: Kernel = Kernel { name: "avx512", sums };

/// The kernel, where this processor has what it is compiled for.
pub fn detect() -> Option<&'static Kernel> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bitalg")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    has.then_some(&KERNEL)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn sums(tables: &Tables, text: Text<'_>) -> Sums {
    match text {
        Text::Ascii(bytes) => ascii::sums(tables, bytes),
        Text::Latin1(bytes) => wide::latin1(tables, bytes),
        Text::Ucs2(units) => wide::ucs2(tables, units),
        Text::Ucs4(points) => wide::ucs4(tables, points),
        Text::Utf8(utf8) if utf8.is_ascii() => ascii::sums(tables, utf8.as_bytes()),
        Text::Utf8(utf8) => wide::points(tables, utf8.chars().map(u32::from)),
    }
}
