//! Every instruction set that this processor has, called directly, against the oracle.

use ullage_core::kernels::{Kernels, available};
use ullage_core::{ScriptCounts, ScriptRule};

use crate::oracle;
use crate::samples::samples;

/// One storage, with what a kernel does to it: the counts, and the bytes in UTF-8.
trait Unit: Copy + PartialEq + TryFrom<u32> + 'static {
    /// No code point of this storage is so high.
    const END: u32;

    fn scan(kernels: &Kernels, text: &[Self]) -> (ScriptCounts, u64);
}

impl Unit for u8 {
    const END: u32 = 0x100;

    fn scan(kernels: &Kernels, text: &[u8]) -> (ScriptCounts, u64) {
        (kernels.latin1(text), kernels.latin1_bytes(text))
    }
}

impl Unit for u16 {
    const END: u32 = 0x1_0000;

    fn scan(kernels: &Kernels, text: &[u16]) -> (ScriptCounts, u64) {
        (kernels.ucs2(text), kernels.ucs2_bytes(text))
    }
}

impl Unit for u32 {
    const END: u32 = 0x11_0000;

    fn scan(kernels: &Kernels, text: &[u32]) -> (ScriptCounts, u64) {
        (kernels.ucs4(text), kernels.ucs4_bytes(text))
    }
}

/// The code points in their storage; none is lost, since samples are made for the storage.
fn units<T: Unit>(points: &[u32]) -> Vec<T> {
    points.iter().filter_map(|&point| T::try_from(point).ok()).collect()
}

#[repr(align(64))]
struct Aligned<T>([T; 700]);

/// All lengths at all offsets from a 64-byte boundary, in the midst of units that would be counted.
fn lengths_and_offsets<T: Unit>() {
    let samples = samples(T::END);
    let around = units::<T>(&[0xE9])[0];
    let mut buffer = Box::new(Aligned([around; 700]));
    for length in 0..=600 {
        for offset in 0..64 / size_of::<T>() {
            let sample = &samples[(length + offset) % samples.len()];
            let (points, counts, bytes) = sample.window(length, 67 * length + offset);
            buffer.0.fill(around);
            buffer.0[offset..offset + length].copy_from_slice(&units::<T>(points));
            for kernels in available() {
                let found = T::scan(kernels, &buffer.0[offset..offset + length]);
                assert_eq!(found, (counts, bytes), "{}: {length} at {offset}", kernels.name());
            }
        }
    }
}

#[test]
fn latin1_lengths_and_offsets() {
    lengths_and_offsets::<u8>();
}

#[test]
fn ucs2_lengths_and_offsets() {
    lengths_and_offsets::<u16>();
}

#[test]
fn ucs4_lengths_and_offsets() {
    lengths_and_offsets::<u32>();
}

#[test]
fn utf8_lengths_and_offsets() {
    let samples = samples(0x11_0000);
    let mut buffer = Box::new(Aligned([b'a'; 700]));
    for length in 0..=150 {
        for offset in 0..64 {
            let sample = &samples[(length + offset) % samples.len()];
            let (points, mut counts, _) = sample.window(length, 67 * length + offset);
            // Surrogates are not in UTF-8.
            let text: String = points.iter().filter_map(|&point| char::from_u32(point)).collect();
            counts.other -= (length - text.chars().count()) as u64;
            buffer.0.fill(b'a');
            buffer.0[offset..offset + text.len()].copy_from_slice(text.as_bytes());
            let text = std::str::from_utf8(&buffer.0[offset..offset + text.len()]).unwrap();
            for kernels in available() {
                assert_eq!(kernels.utf8(text), counts, "{}: {text:?} at {offset}", kernels.name());
            }
        }
    }
}

/// Longer than any block, with every block different.
fn many_blocks<T: Unit>() {
    for sample in samples(T::END) {
        let (points, counts, bytes) = sample.window(4096, 0);
        let text = units::<T>(points).repeat(5);
        let counts = counts + counts + counts + counts + counts;
        for kernels in available() {
            assert_eq!(T::scan(kernels, &text), (counts, 5 * bytes), "{}", kernels.name());
            let text: String = points.iter().filter_map(|&point| char::from_u32(point)).collect();
            assert_eq!(kernels.utf8(&text), oracle::scripts(&text.chars().map(u32::from).collect::<Vec<_>>()));
        }
    }
}

#[test]
fn many_blocks_of_each_storage() {
    many_blocks::<u8>();
    many_blocks::<u16>();
    many_blocks::<u32>();
}

#[test]
fn every_code_point() {
    for first in (0..0x11_0000).step_by(0x40) {
        let points: Vec<u32> = (first..first + 0x40).collect();
        let (counts, bytes) = (oracle::scripts(&points), oracle::byte_bound(&points));
        for kernels in available() {
            assert_eq!(u32::scan(kernels, &points), (counts, bytes), "{}: U+{first:04X}", kernels.name());
            if first < u16::END {
                assert_eq!(u16::scan(kernels, &units(&points)), (counts, bytes), "{}: U+{first:04X}", kernels.name());
            }
            for &point in &points {
                let counts = oracle::scripts(&[point]);
                assert_eq!(kernels.ucs4(&[point]), counts, "{}: U+{point:04X}", kernels.name());
                if let Ok(unit) = u16::try_from(point) {
                    assert_eq!(kernels.ucs2(&[unit]), counts, "{}: U+{point:04X}", kernels.name());
                }
                if let Some(character) = char::from_u32(point) {
                    let text = character.encode_utf8(&mut [0; 4]).to_owned();
                    assert_eq!(kernels.utf8(&text), counts, "{}: U+{point:04X}", kernels.name());
                }
            }
        }
    }
}

/// After a block of full-width forms, blocks with one other unit: the kernels then look out for what follows the forms.
#[test]
fn one_unit_after_full_width_forms() {
    const BLOCK: usize = 254 * 32;
    for unit in (0xFEF0..=0xFFFF).chain([0x41, 0xE9, 0x2EA, 0x2FF, 0x4E00, 0xD7A3, 0xD7A4]) {
        for at in [BLOCK, BLOCK + 33, 2 * BLOCK - 1, 2 * BLOCK] {
            let mut text = vec![0xFF0C; 2 * BLOCK + 1];
            text[at] = unit;
            let one = oracle::scripts(&[unit.into()]);
            let counts = one + ScriptCounts { ascii: 0, cjk: 2 * BLOCK as u64, other: 0 };
            for kernels in available() {
                assert_eq!(kernels.ucs2(&text), counts, "{}: U+{unit:04X} at {at}", kernels.name());
            }
        }
    }
}

/// One code point a million times: more than any lane holds that is not flushed.
#[test]
fn lanes_do_not_overflow() {
    const LENGTH: usize = 1 << 20;
    for point in [0x41, 0xE9, 0x2EA, 0x2FF, 0x4E00, 0xD7A3, 0xD7FF, 0xFF0C, 0xFFFD, 0x1_F600, 0x2_0000] {
        let one = oracle::scripts(&[point]);
        let times = |count: u64| count * LENGTH as u64;
        let counts = ScriptCounts { ascii: times(one.ascii), cjk: times(one.cjk), other: times(one.other) };
        let bytes = times(oracle::byte_bound(&[point]));
        for kernels in available() {
            assert_eq!(u32::scan(kernels, &vec![point; LENGTH]), (counts, bytes), "{}", kernels.name());
            if let Ok(unit) = u16::try_from(point) {
                assert_eq!(u16::scan(kernels, &vec![unit; LENGTH]), (counts, bytes), "{}", kernels.name());
            }
            if let Ok(byte) = u8::try_from(point) {
                assert_eq!(u8::scan(kernels, &vec![byte; LENGTH]), (counts, bytes), "{}", kernels.name());
            }
            let text = char::from_u32(point).map(|character| character.to_string().repeat(LENGTH)).unwrap();
            assert_eq!(kernels.utf8(&text), counts, "{}", kernels.name());
        }
    }
}

#[test]
#[ignore = "takes 2 GiB of memory"]
fn a_text_of_one_gibibyte() {
    let hanzi = vec![0x4E00_u16; 1 << 29];
    let accents = vec![0xE9_u8; 1 << 30];
    for kernels in available() {
        let counts = kernels.ucs2(&hanzi);
        assert_eq!(counts, ScriptCounts { ascii: 0, cjk: 1 << 29, other: 0 }, "{}", kernels.name());
        assert_eq!(kernels.ucs2_bytes(&hanzi), 3 << 29);
        assert_eq!(ScriptRule::default().tokens(counts), 1 << 29);
        assert_eq!(kernels.latin1(&accents), ScriptCounts { ascii: 0, cjk: 0, other: 1 << 30 }, "{}", kernels.name());
    }
}

/// The text touches memory that must not be read, behind it or before it.
#[cfg(unix)]
#[test]
fn nothing_outside_the_text_is_read() {
    use crate::guarded::Guarded;

    fn at_the_guards<T: Unit>() {
        let mut guarded = Guarded::new();
        let samples = samples(T::END);
        for length in 0..=600 {
            let (points, counts, bytes) = samples[length % samples.len()].window(length, length);
            for at_end in [true, false] {
                // SAFETY: any bytes are a valid integer; the pages are aligned for it.
                let (_, buffer, _) = unsafe { guarded.bytes().align_to_mut::<T>() };
                let start = if at_end { buffer.len() - length } else { 0 };
                let text = &mut buffer[start..start + length];
                text.copy_from_slice(&units::<T>(points));
                for kernels in available() {
                    assert_eq!(T::scan(kernels, text), (counts, bytes), "{}: {length}", kernels.name());
                }
            }
        }
    }

    at_the_guards::<u8>();
    at_the_guards::<u16>();
    at_the_guards::<u32>();

    let mut guarded = Guarded::new();
    for length in 0..=300 {
        let text: String = "né 你😀".chars().cycle().take(length).collect();
        let counts = oracle::scripts(&text.chars().map(u32::from).collect::<Vec<_>>());
        for start in [0, Guarded::LENGTH - text.len()] {
            let place = &mut guarded.bytes()[start..start + text.len()];
            place.copy_from_slice(text.as_bytes());
            for kernels in available() {
                assert_eq!(kernels.utf8(std::str::from_utf8(place).unwrap()), counts, "{}: {length}", kernels.name());
            }
        }
    }
}
