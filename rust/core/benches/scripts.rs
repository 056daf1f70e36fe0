//! Scans over a ladder of sizes, for every instruction set of this processor, each beside a plain read of the same
//! memory: the largest unit of the text. Throughput is in bytes of storage.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ullage_core::ScriptCounts;
use ullage_core::kernels::{Kernels, available};

/// In bytes of storage: short texts, the caches, and memory.
const SIZES: [usize; 8] = [10, 100, 200, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 64 << 20];

const ENGLISH: &str = "The quick brown fox jumps over the lazy dog. ";
const FRENCH: &str = "Voix ambiguë d'un être qui, au zéphyr, préfère les jattes de kiwis. ";
const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок — да выпей чаю. ";
const CHINESE: &str = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。";
const EMOJI: &str = "Nice work 👍🏽 see you there 🎉🎉 ";

/// The units of `pattern` over and over, to a size in bytes.
fn repeat<T: Copy + TryFrom<u32>>(pattern: &str, size: usize) -> Vec<T> {
    let units: Vec<T> = pattern.chars().filter_map(|character| T::try_from(character.into()).ok()).collect();
    units.iter().copied().cycle().take(size / size_of::<T>()).collect()
}

/// The texts of one name at every size: a scan by each instruction set, and the read of the same bytes.
fn ladder<T: Copy + Ord + TryFrom<u32>>(
    criterion: &mut Criterion,
    name: &str,
    pattern: &str,
    scan: impl Fn(&Kernels, &[T]) -> ScriptCounts,
) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(400));
    for size in SIZES {
        let text = repeat::<T>(pattern, size);
        group.throughput(Throughput::Bytes(size_of_val(text.as_slice()) as u64));
        group.bench_function(BenchmarkId::new("read", size), |bench| bench.iter(|| read(black_box(&text))));
        for kernels in available() {
            let id = BenchmarkId::new(kernels.name(), size);
            group.bench_function(id, |bench| bench.iter(|| scan(kernels, black_box(&text))));
        }
    }
}

fn utf8_ladder(criterion: &mut Criterion, name: &str, pattern: &str) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(400));
    for size in SIZES {
        let text = pattern.repeat(size / pattern.len() + 1);
        let text = &text[..text.floor_char_boundary(size)];
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("read", size), |bench| bench.iter(|| read(black_box(text.as_bytes()))));
        for kernels in available() {
            let id = BenchmarkId::new(kernels.name(), size);
            group.bench_function(id, |bench| bench.iter(|| kernels.utf8(black_box(text))));
        }
    }
}

/// The read that scans are measured against, with the widest vectors that the processor has.
fn read<T: Copy + Ord>(text: &[T]) -> Option<T> {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn read_avx512<T: Copy + Ord>(text: &[T]) -> Option<T> {
            text.iter().copied().max()
        }

        #[target_feature(enable = "avx2")]
        fn read_avx2<T: Copy + Ord>(text: &[T]) -> Option<T> {
            text.iter().copied().max()
        }

        if is_x86_feature_detected!("avx512bw") {
            // SAFETY: the processor has it.
            return unsafe { read_avx512(text) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has it.
            return unsafe { read_avx2(text) };
        }
    }
    text.iter().copied().max()
}

fn scripts(criterion: &mut Criterion) {
    ladder(criterion, "latin1-english", ENGLISH, Kernels::latin1);
    ladder(criterion, "latin1-french", FRENCH, Kernels::latin1);
    ladder(criterion, "ucs2-russian", RUSSIAN, Kernels::ucs2);
    ladder(criterion, "ucs2-chinese", CHINESE, Kernels::ucs2);
    ladder(criterion, "ucs4-emoji", EMOJI, Kernels::ucs4);
    utf8_ladder(criterion, "utf8-english", ENGLISH);
    utf8_ladder(criterion, "utf8-russian", RUSSIAN);
    utf8_ladder(criterion, "utf8-chinese", CHINESE);
}

criterion_group!(benches, scripts);
criterion_main!(benches);
