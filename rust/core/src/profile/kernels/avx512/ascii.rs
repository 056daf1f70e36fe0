//! ASCII, 64 bytes a step.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_dpbusd_epi32, _mm512_i32gather_epi32, _mm512_maddubs_epi16,
    _mm512_mask_add_epi8, _mm512_mask_blend_epi8, _mm512_mask_blend_epi16, _mm512_mask_loadu_epi8,
    _mm512_mask_mov_epi8, _mm512_maskz_mov_epi8, _mm512_max_epu8, _mm512_mullo_epi16, _mm512_or_si512,
    _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_srli_epi32, _mm512_ternarylogic_epi64, _mm512_test_epi8_mask, _pext_u64,
};
use std::sync::LazyLock;

use super::super::super::classes::Class;
use super::super::super::features::{MIX, SPREAD, Table};
use super::super::super::runs::Opening;
use super::super::super::symbols::END;
use super::super::masks::{BLOCK, Cutter, Sets, flags, flags_of};
use super::super::{Sums, Tables};
use super::vectors::{byte, lookup, lookup2, lookup4, positions, shift2, shift3};

/// Blocks between two flushes. A block adds at most 512 to a lane of 32 bits.
const FLUSH: usize = 1 << 14;
const EVEN: u64 = 0x5555_5555_5555_5555;

/// Lookups that are the same for every profile.
#[repr(C, align(64))]
struct Lookups {
    /// For a byte: its class, and its kind times 16.
    classes: [u8; 128],
    /// For the lower six bits of that: the row of the class for a run that opens plainly, times 16.
    rows: [u8; 64],
    /// And the flags.
    flags: [u8; 64],
}

static LOOKUPS: LazyLock<Lookups> = LazyLock::new(|| {
    let class = |index: usize| Class::ALL[index & 15];
    Lookups {
        classes: std::array::from_fn(|byte| {
            let class = Class::of(byte as u32);
            (class.index() | class.kind() << 4) as u8
        }),
        rows: std::array::from_fn(|index| (class(index).row(Opening::Plain) << 4) as u8),
        flags: std::array::from_fn(|index| flags_of(class(index))),
    }
});

/// The sums over a text. A byte above 0x7F counts as another one.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn sums(tables: &Tables, bytes: &[u8]) -> Sums {
    let mut sums = Sums::default();
    if bytes.is_empty() {
        return sums;
    }
    let lookups = &*LOOKUPS;
    let mut walk = Walk::new();
    // The end of the text lies in the last block, even if nothing else does.
    let last = bytes.len() / BLOCK;
    for part in 0..=last / FLUSH {
        let mut lanes = [_mm512_setzero_si512(); 4];
        for block in part * FLUSH..=last.min((part + 1) * FLUSH - 1) {
            let rest = &bytes[block * BLOCK..];
            let after = rest.get(BLOCK).copied().unwrap_or(b'\n');
            let valid = if block == last { (1 << rest.len()) - 1 } else { u64::MAX };
            // SAFETY: the mask has one bit for each byte that is left, and what is masked out is not read.
            let block = unsafe { _mm512_mask_loadu_epi8(byte(b'\n'), valid, rest.as_ptr().cast()) };
            walk.step(tables, lookups, block, valid, after, &mut lanes);
        }
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            *sum += i64::from(_mm512_reduce_add_epi32(lanes));
        }
    }
    sums
}

/// What a block needs to know of the one before.
struct Walk {
    cutter: Cutter,
    classes: __m512i,
    symbols: __m512i,
    begins: u64,
    /// Where neighbourhoods are added up: not at the first code point.
    neighbours: u64,
}

impl Walk {
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn new() -> Self {
        let line = Class::LINE.index() | Class::LINE.kind() << 4;
        Self {
            cutter: Cutter::new(),
            classes: byte(line as u8),
            symbols: _mm512_setzero_si512(),
            begins: 0,
            neighbours: u64::MAX - 1,
        }
    }

    /// Adds a block, of which all or the first few bytes are valid; `after` is the byte after it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn step(
        &mut self,
        tables: &Tables,
        lookups: &Lookups,
        bytes: __m512i,
        valid: u64,
        after: u8,
        lanes: &mut [__m512i; 4],
    ) {
        let classes = lookup2(&lookups.classes, bytes);
        let flags = lookup(&lookups.flags, classes);
        let set = |flag: u8| _mm512_test_epi8_mask(flags, byte(flag));
        let digit = set(flags::DIGIT);
        let (upper, small, space) = (set(flags::UPPER), set(flags::SMALL), set(flags::SPACE));
        let sets = Sets {
            letter: upper | small,
            upper,
            small,
            digit,
            blank: set(flags::BLANK),
            space,
            line: set(flags::LINE),
            sign: set(flags::SIGN),
            seam: 0,
        };
        let after = lookups.flags[usize::from(lookups.classes[usize::from(after & 0x7F)] & 63)];
        let cuts = self.cutter.cut(&sets, after);

        // The small tables.
        let ones = _mm512_maskz_mov_epi8(valid, byte(1));
        let mut add = |table: Table, weights| {
            let lanes = &mut lanes[table as usize];
            *lanes = _mm512_dpbusd_epi32(*lanes, ones, weights);
        };
        let rows = lookup(&lookups.rows, classes);
        let rows = _mm512_mask_add_epi8(rows, cuts.opening0 & (sets.letter | sets.sign), rows, byte(16));
        let rows = _mm512_mask_add_epi8(rows, cuts.opening1, rows, byte(32));
        let steps = _mm512_or_si512(rows, positions(cuts.begins, self.begins));
        add(Table::Step, lookup4(tables.step.first_chunk().unwrap(), steps));
        let [classes1, classes2] = shift2(classes, self.classes);
        // Bits of the first where the mask has ones, of the second elsewhere.
        let select = |mask: u8, a, b| _mm512_ternarylogic_epi64::<0xCA>(byte(mask), a, b);
        let pairs = select(0xF0, _mm512_slli_epi16::<4>(classes1), classes);
        add(Table::Pair, lookup4(&tables.ascii_pair, pairs));
        let trios = select(0x38, _mm512_srli_epi16::<1>(classes1), _mm512_srli_epi16::<4>(classes));
        let trios = select(0xC0, _mm512_slli_epi16::<2>(classes2), trios);
        let (low, high) = tables.trio.split_at(256);
        let high_half = _mm512_test_epi8_mask(classes2, byte(0x40));
        let trios = _mm512_mask_blend_epi8(
            high_half,
            lookup4(low.first_chunk().unwrap(), trios),
            lookup4(high.first_chunk().unwrap(), trios),
        );
        add(Table::Trio, trios);

        // Symbols, and the neighbourhoods of two code points in each lane of 16 bits: those at even places, those at odd.
        let symbols = _mm512_mask_mov_epi8(bytes, digit, byte(b'0'));
        let symbols = _mm512_mask_add_epi8(symbols, cuts.title, symbols, byte(0x20));
        let symbols = _mm512_max_epu8(symbols, byte(2));
        let [symbols1, symbols2, symbols3] = shift3(symbols, self.symbols);
        // The end of the text ends a run like the begin of another.
        let begins = cuts.begins | !valid;
        let begins1 = cuts.begins << 1 | self.begins >> 63;
        let begins2 = begins1 | cuts.begins << 2 | self.begins >> 62;
        let end = byte(END as u8);
        let even_near = _mm512_mask_mov_epi8(symbols1, (begins & EVEN) << 1, end);
        let odd_near = _mm512_mask_mov_epi8(symbols, begins & !EVEN, end);
        let even_far = _mm512_maskz_mov_epi8(!(begins2 & EVEN | (begins1 & EVEN) << 1), symbols3);
        let odd_far = _mm512_maskz_mov_epi8(!((begins2 & !EVEN) >> 1 | begins1 & !EVEN), symbols2);
        let mut even = hash(even_near, even_far);
        let mut odd = hash(odd_near, odd_far);
        let neighbours = self.neighbours & (valid << 1 | 1);
        if neighbours != u64::MAX {
            // The cell behind the table is zero.
            let nothing = _mm512_set1_epi16(i16::MIN);
            even = _mm512_mask_blend_epi16(_pext_u64(neighbours, EVEN) as u32, nothing, even);
            odd = _mm512_mask_blend_epi16(_pext_u64(neighbours, !EVEN) as u32, nothing, odd);
        }
        let near = &mut lanes[Table::Near as usize];
        for cells in [even, odd] {
            let low = _mm512_and_si512(cells, _mm512_set1_epi32(0xFFFF));
            let high = _mm512_srli_epi32::<16>(cells);
            for cells in [low, high] {
                // SAFETY: no cell is above 0x8000, and the table goes on for more than three bytes behind it.
                let weights = unsafe { _mm512_i32gather_epi32::<1>(cells, tables.near.as_ptr().cast()) };
                // Of the four bytes, the first is the weight.
                *near = _mm512_dpbusd_epi32(*near, _mm512_set1_epi32(1), weights);
            }
        }

        self.classes = classes;
        self.symbols = symbols;
        self.begins = cuts.begins;
        self.neighbours = u64::MAX;
    }
}

/// The cells of `Near` for 32 neighbourhoods: in each lane, the farther of the two nearest symbols and the nearest, and so
/// the two beyond.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn hash(near: __m512i, far: __m512i) -> __m512i {
    let spread = _mm512_set1_epi16((SPREAD | 1 << 8).cast_signed());
    let mix = |symbols, mix: u16| {
        _mm512_mullo_epi16(_mm512_maddubs_epi16(spread, symbols), _mm512_set1_epi16(mix.cast_signed()))
    };
    _mm512_srli_epi16::<1>(_mm512_add_epi16(mix(near, MIX[0]), mix(far, MIX[1])))
}
