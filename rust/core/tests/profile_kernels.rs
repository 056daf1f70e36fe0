//! The kernels that add up a profile's weights, each against the definition of the features, table by table.

#[cfg(unix)]
#[path = "script/guarded.rs"]
mod guarded;

use std::sync::LazyLock;

use proptest::prelude::*;
use ullage_core::profile_kernels::{Kernel, Sums, available, best};
use ullage_core::{Profile, Table, Text, features};

/// Weights of all sizes, so that a wrong cell shows, and the extremes often.
static WEIGHTS: LazyLock<Vec<i8>> = LazyLock::new(|| {
    let mut random = Random(1);
    let weight = |random: &mut Random| match random.below(8) {
        0 => i8::MIN,
        1 => i8::MAX,
        _ => (random.below(256) as u8).cast_signed(),
    };
    (0..Profile::cells()).map(|_| weight(&mut random)).collect()
});
static PROFILE: LazyLock<Profile> = LazyLock::new(|| Profile::new([1; 7], &WEIGHTS).unwrap());

/// A small generator, so that failures come back.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn oracle(text: Text<'_>) -> Sums {
    let mut starts = [0; Table::ALL.len()];
    for table in &Table::ALL[1..] {
        starts[*table as usize] = starts[*table as usize - 1] + Table::ALL[*table as usize - 1].cells();
    }
    let mut sums = Sums::default();
    features::visit(text, |table, cell| sums[table as usize] += i64::from(WEIGHTS[starts[table as usize] + cell]));
    sums
}

fn check(text: Text<'_>) {
    check_against(oracle(text), text);
}

fn check_against(expected: Sums, text: Text<'_>) {
    for kernel in available() {
        let sums = kernel.sums(&PROFILE, text);
        assert!(sums == expected, "{}: {sums:?} is not {expected:?} for {text:?}", kernel.name());
    }
}

/// Checks all storages that can hold the code points.
fn check_points(points: &[u32]) {
    let expected = oracle(Text::Ucs4(points));
    check_against(expected, Text::Ucs4(points));
    if let Some(utf8) = points.iter().map(|&point| char::from_u32(point)).collect::<Option<String>>() {
        check_against(expected, Text::Utf8(&utf8));
    }
    if let Ok(units) = points.iter().map(|&point| u16::try_from(point)).collect::<Result<Vec<_>, _>>() {
        check_against(expected, Text::Ucs2(&units));
    }
    if let Ok(bytes) = points.iter().map(|&point| u8::try_from(point)).collect::<Result<Vec<_>, _>>() {
        check_against(expected, Text::Latin1(&bytes));
        if bytes.is_ascii() {
            check_against(expected, Text::Ascii(&bytes));
        }
    }
}

/// One of each class of ASCII, and what differs within a class.
const ASCII: &str = "\0\u{1}\u{2}\u{7F}azAZ09 \n\r\t'\"!,(]/\\#=_~";
/// One of each class beyond ASCII, and what differs within: capitals at each distance, marks, planes.
const WIDE: &str = "\u{85}\u{A0}«éßÀÞĀĄωΩяёЯЁЀҐҐאبक\u{94D}ক\u{301}ไ漢字あア한각²①½—…“”、。！\u{2028}\u{3000}👍🏽\u{200D}\u{FE0F}🇩🏴\u{E0067}𠀀𝐀𐐀";

fn sample(random: &mut Random, alphabet: &[char], length: usize) -> Vec<u32> {
    let mut points = Vec::new();
    while points.len() < length {
        let point = u32::from(random.pick(alphabet));
        // Runs of every length, the long ones included.
        let times = random.pick(&[1, 1, 1, 1, 2, 3, 5, 14, 15, 16, 17, 40]);
        points.extend(std::iter::repeat_n(point, times));
    }
    points.truncate(length);
    points
}

fn alphabets() -> [Vec<char>; 7] {
    let of = |text: &str| text.chars().collect::<Vec<_>>();
    [
        of(ASCII),
        of("abcdefghijklmnopqrstuvwxyz ABC.\n"),
        of("aB1 -\n"),
        of(&format!("{ASCII}éÀ«\u{A0}²")),
        of("приветПРИВЕТ, ё.\nok"),
        of("天地玄黄宇宙洪荒。，かなカナ ok1\n"),
        of(&format!("{ASCII}{WIDE}")),
    ]
}

#[test]
fn lengths_and_alignments() {
    let mut random = Random(2);
    for alphabet in alphabets() {
        for length in 0..=600 {
            check_points(&sample(&mut random, &alphabet, length));
        }
    }
    let text: Vec<u8> = sample(&mut random, &alphabets()[0], 800).iter().map(|&point| point as u8).collect();
    let units: Vec<u16> = sample(&mut random, &alphabets()[5], 800).iter().map(|&point| point as u16).collect();
    for start in 0..64 {
        for length in (0..=200).chain([255, 256, 257, 600]) {
            check(Text::Ascii(&text[start..start + length]));
            check(Text::Latin1(&text[start..start + length]));
            check(Text::Ucs2(&units[start..start + length]));
        }
    }
}

#[test]
fn every_border_of_a_block() {
    let mut random = Random(3);
    for alphabet in alphabets() {
        let [before, after] = [70, 70].map(|length| sample(&mut random, &alphabet, length));
        for filler in ["a", " ", "-", "9", "\n", "B", "я"] {
            for start in 0..=130 {
                let filler: Vec<u32> = filler.repeat(start).chars().map(u32::from).collect();
                check_points(&[&filler[..], &before, &filler[..start % 33], &after].concat());
            }
        }
    }
}

#[test]
fn every_short_text() {
    let alphabet: Vec<u32> = "\0aZ9 \n\t'(-éЯя漢\u{301}👍".chars().map(u32::from).collect();
    for length in 1..=4_u32 {
        for number in 0..alphabet.len().pow(length) {
            let text: Vec<u32> =
                (0..length).map(|at| alphabet[number / alphabet.len().pow(at) % alphabet.len()]).collect();
            check_points(&text);
        }
    }
}

#[test]
fn every_window_over_a_border() {
    let alphabet: Vec<u32> = "aZ9 \n\t(".chars().map(u32::from).collect();
    for number in 0..alphabet.len().pow(5) {
        let window: Vec<u32> = (0..5).map(|at| alphabet[number / alphabet.len().pow(at) % alphabet.len()]).collect();
        for start in [60, 62] {
            let mut text = vec![u32::from(b'x'); start];
            text.extend(&window);
            check_points(&text);
        }
    }
}

#[test]
fn every_code_point() {
    let points: Vec<u32> = (0..0x11_0000).collect();
    check(Text::Ucs4(&points));
    let alone: Vec<u32> = (0..0x2_0400).flat_map(|point| [point, 0x20, point, 0x61, point]).collect();
    check(Text::Ucs4(&alone));
    check(Text::Ucs4(&[u32::MAX, 0x11_0000, 0x61, u32::MAX]));
    let utf8: String = points.iter().filter_map(|&point| char::from_u32(point)).collect();
    check(Text::Utf8(&utf8));
    let units: Vec<u16> = (0..=u16::MAX).flat_map(|unit| [unit, 0x61, unit]).collect();
    check(Text::Ucs2(&units));
    let bytes: Vec<u8> = (0..=u8::MAX).flat_map(|byte| [byte, b'a', byte]).collect();
    check(Text::Latin1(&bytes));
}

#[test]
fn lanes_do_not_overflow() {
    let profile = Profile::new([1; 7], &vec![i8::MIN; Profile::cells()]).unwrap();
    for (text, cells) in [("a".repeat(1 << 20), [1, 1, 1, 1, 0, 0, 0]), ("я".repeat(1 << 18), [1, 1, 1, 0, 1, 1, 1])] {
        let points = i64::try_from(text.chars().count()).unwrap();
        for kernel in available() {
            let sums = kernel.sums(&profile, Text::Utf8(&text));
            assert_eq!(sums, cells.map(|cells| cells * points * -128), "{}", kernel.name());
        }
    }
}

#[test]
fn a_promise_of_ascii_that_is_broken_does_no_harm() {
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(1000).collect();
    for kernel in available() {
        let _ = kernel.sums(&PROFILE, Text::Ascii(&bytes));
    }
}

#[test]
fn the_best_is_the_first() {
    assert_eq!(Some(best().name()), available().next().map(Kernel::name));
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_text_is_read() {
    let mut guarded = guarded::Guarded::new();
    let bytes = guarded.bytes();
    let sample = b"The quick (brown) fox, 1999\n";
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = sample[at % sample.len()];
    }
    for length in 0..=300 {
        for text in [&bytes[..length], &bytes[bytes.len() - length..]] {
            check(Text::Ascii(text));
            check(Text::Latin1(text));
            check(Text::Utf8(std::str::from_utf8(text).unwrap()));
            // SAFETY: any bits are a unit, and what is not aligned is left out.
            let (_, units, _) = unsafe { text.align_to::<u16>() };
            check(Text::Ucs2(units));
            // SAFETY: as above.
            let (_, points, _) = unsafe { text.align_to::<u32>() };
            check(Text::Ucs4(points));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text(text in "[\\PC\n\r\t é]{0,200}|[ -~\n]{0,300}|[\u{0}-\u{FF}]{0,200}|[a-zA-Z ,\n]{0,300}") {
        check_points(&text.chars().map(u32::from).collect::<Vec<_>>());
    }

    #[test]
    fn any_points(points in proptest::collection::vec(0_u32..0x3000, 0..200)) {
        check_points(&points);
    }

    #[test]
    fn any_mixture(seed in any::<u64>(), alphabet in 0_usize..7, length in 0_usize..400) {
        check_points(&sample(&mut Random(seed), &alphabets()[alphabet], length));
    }
}
