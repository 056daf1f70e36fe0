//! For every processor: what the compiler can vectorise, it does.

use super::super::classes::is_cjk_unit;
use super::pages::Pages;
use super::ucs2::Sketch;
use super::{Kernels, lengths, ucs2, ucs4, utf8};

pub static KERNELS: Kernels = Kernels {
    name: "portable",
    latin1: |bytes| lengths::sum(bytes, |byte| byte >> 7),
    ucs2: |units| ucs2::count(units, sketch, ucs2::inside),
    ucs4: |points| ucs4::count(points, sketch, ucs2::inside),
    utf8: |text| utf8::count(text),
    ucs2_bytes: |units| lengths::ucs2(units),
    ucs4_bytes: |points| lengths::ucs4(points),
};

/// Without lookups in vectors, a block is looked up unit by unit unless comparisons show that nothing in it is CJK.
fn sketch(units: &[u16], _watch: bool) -> Sketch {
    let ascii = units.iter().map(|&unit| u16::from(unit < 0x80)).sum::<u16>();
    let suspects = units.iter().map(|&unit| {
        u16::from(unit >= 0x2E80) | u16::from(unit.wrapping_sub(0x1100) < 0x100) | u16::from(unit & !1 == 0x02EA)
    });
    let mut cjk = 0;
    if suspects.sum::<u16>() > 0 {
        cjk = units.iter().map(|&unit| u32::from(is_cjk_unit(unit))).sum();
    }
    Sketch { ascii: ascii.into(), cjk, pages: Pages::default() }
}
