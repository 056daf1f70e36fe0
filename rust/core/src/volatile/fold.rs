//! Any storage as one byte a code point, so that a pattern over bytes finds code points.
//!
//! Latin-1 stays as it is. Of all other characters the patterns ask only for those that write a date in Chinese, Japanese
//! and Korean, and for those that begin "today", "now" and "current" there; these stand on control characters that no text
//! uses. The rest is one byte that is no ASCII.

use std::borrow::Cow;

use crate::Text;

const YEAR: u8 = 0x90;
const MONTH: u8 = 0x91;
const DAY: u8 = 0x92;
const HOUR: u8 = 0x93;
const MINUTE: u8 = 0x94;
const SECOND: u8 = 0x95;
const TODAY: u8 = 0x96;
const NOW: u8 = 0x97;
const OTHER: u8 = 0xFF;

/// The bytes: borrowed where the storage has them already.
pub(super) fn fold(text: Text<'_>) -> Cow<'_, [u8]> {
    match text {
        Text::Ascii(bytes) | Text::Latin1(bytes) => Cow::Borrowed(bytes),
        Text::Ucs2(units) => units.iter().map(|&unit| byte(u32::from(unit))).collect(),
        Text::Ucs4(points) => points.iter().map(|&point| byte(point)).collect(),
        Text::Utf8(text) if text.is_ascii() => Cow::Borrowed(text.as_bytes()),
        Text::Utf8(text) => text.chars().map(|character| byte(u32::from(character))).collect(),
    }
}

fn byte(point: u32) -> u8 {
    if let Ok(latin1) = u8::try_from(point) {
        return latin1;
    }
    match char::from_u32(point) {
        Some('年' | '년') => YEAR,
        Some('月' | '월') => MONTH,
        Some('日' | '일') => DAY,
        Some('时' | '時' | '点' | '시') => HOUR,
        Some('分' | '분') => MINUTE,
        Some('秒' | '초') => SECOND,
        Some('今' | '늘') => TODAY,                    // 今天, 今日, 오늘
        Some('现' | '現' | '当' | '當' | '현') => NOW, // 现在, 現在, 当前, 현재
        _ => OTHER,
    }
}
