//! The sums of a profile for every instruction set of this processor: over the texts in `corpora`, in the storage that
//! CPython gives them, and over short texts beside the script rule. Throughput is in bytes of UTF-8.
//!
//! The weights are random: speed does not depend on them.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ullage_core::profile_kernels::available;
use ullage_core::{Profile, Text, scripts};

/// A name, the folder, and what the names of its files begin or end with.
const KINDS: [(&str, &str, &[&str]); 6] = [
    ("english", "text", &["en"]),
    ("code", "code", &[""]),
    ("json", "data", &[".json"]),
    ("log", "data", &[".log"]),
    ("russian", "text", &["ru"]),
    ("chinese", "text", &["zh"]),
];

/// A text in the narrowest storage that holds it.
enum Message {
    Ascii(Vec<u8>),
    Latin1(Vec<u8>),
    Ucs2(Vec<u16>),
    Ucs4(Vec<u32>),
}

impl Message {
    fn new(text: &str) -> Self {
        fn narrow<T: TryFrom<u32>>(text: &str) -> Option<Vec<T>> {
            text.chars().map(|point| T::try_from(point.into()).ok()).collect()
        }
        if text.is_ascii() {
            return Self::Ascii(text.into());
        }
        narrow(text)
            .map(Self::Latin1)
            .or_else(|| narrow(text).map(Self::Ucs2))
            .unwrap_or_else(|| Self::Ucs4(text.chars().map(u32::from).collect()))
    }

    fn text(&self) -> Text<'_> {
        match self {
            Self::Ascii(bytes) => Text::Ascii(bytes),
            Self::Latin1(bytes) => Text::Latin1(bytes),
            Self::Ucs2(units) => Text::Ucs2(units),
            Self::Ucs4(points) => Text::Ucs4(points),
        }
    }
}

fn profile() -> Profile {
    let mut state = 1_u64;
    let weights: Vec<i8> = (0..Profile::cells())
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as i8
        })
        .collect();
    Profile::new([1 << 18; 7], &weights).expect("as many weights as cells")
}

fn corpora(criterion: &mut Criterion) {
    let profile = profile();
    let mut group = criterion.benchmark_group("corpora");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(400));
    for (kind, folder, marks) in KINDS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora").join(folder);
        let mut texts = Vec::new();
        for entry in fs::read_dir(folder).expect("the corpora of this repository") {
            let path = entry.expect("a file").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if marks.iter().any(|mark| name.starts_with(mark) || name.ends_with(mark)) {
                texts.push(fs::read_to_string(path).expect("UTF-8"));
            }
        }
        let messages: Vec<Message> = texts.iter().map(|text| Message::new(text)).collect();
        group.throughput(Throughput::Bytes(texts.iter().map(String::len).sum::<usize>() as u64));
        for kernel in available() {
            group.bench_function(BenchmarkId::new(kernel.name(), kind), |bench| {
                bench.iter(|| messages.iter().map(|message| kernel.sums(&profile, message.text())[0]).sum::<i64>());
            });
        }
    }
}

fn short(criterion: &mut Criterion) {
    let profile = profile();
    let mut group = criterion.benchmark_group("short");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(400));
    for size in [0, 10, 100, 200, 1000] {
        let text: String = "The quick brown fox jumps over the lazy dog. ".chars().cycle().take(size).collect();
        group.throughput(Throughput::Bytes(size as u64));
        group.bench_function(BenchmarkId::new("script", size), |bench| {
            bench.iter(|| scripts(Text::Latin1(black_box(text.as_bytes()))));
        });
        group.bench_function(BenchmarkId::new("profile", size), |bench| {
            bench.iter(|| profile.tokens(Text::Ascii(black_box(text.as_bytes()))));
        });
    }
}

criterion_group!(benches, corpora, short);
criterion_main!(benches);
