//! ASCII, 64 bytes a step.
//!
//! A step would wait for itself most of the time: from bytes to classes to runs to cells to weights, each needs the one
//! before. So it works on three blocks at once: it classifies the next, cuts the one at hand, and looks up the
//! neighbourhoods of the last.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_dpbusd_epi32, _mm512_i32gather_epi32, _mm512_maddubs_epi16,
    _mm512_mask_add_epi8, _mm512_mask_blend_epi8, _mm512_mask_loadu_epi8, _mm512_mask_mov_epi8, _mm512_maskz_mov_epi8,
    _mm512_max_epu8, _mm512_movepi8_mask, _mm512_movm_epi8, _mm512_mullo_epi16, _mm512_or_si512,
    _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_srli_epi32, _mm512_ternarylogic_epi64, _mm512_test_epi8_mask, _mm512_unpackhi_epi8,
    _mm512_unpacklo_epi8,
};
use std::array::from_fn;
use std::mem::replace;
use std::sync::LazyLock;

use super::super::super::classes::Class;
use super::super::super::features::{MIX, SPREAD, Table, bucket};
use super::super::super::runs::Opening;
use super::super::super::symbols::{END, NONE};
use super::super::masks::{BLOCK, Cutter, Sets};
use super::super::tables::ascii_code;
use super::super::{Sums, Tables};
use super::vectors::{byte, load, lookup, lookup2, lookup4, part, positions, shift2, shift3};

/// Blocks between two flushes. A block adds at most 512 to a lane of 32 bits.
const FLUSH: usize = 1 << 14;

/// Lookups that are the same for every profile.
#[repr(C, align(64))]
struct Lookups {
    /// For a byte: the code of its class times 16, and its kind.
    codes: [u8; 128],
    /// For the lower six bits of that, which tell enough: the row of the class for a run that opens plainly, times 16.
    rows: [u8; 64],
}

static LOOKUPS: LazyLock<Lookups> = LazyLock::new(|| {
    let class = |byte: usize| Class::of(byte as u32);
    let codes: [u8; 128] = from_fn(|byte| code_and_kind(class(byte)));
    let mut rows = [0; 64];
    for (byte, code) in codes.iter().enumerate() {
        rows[usize::from(code % 64)] = (class(byte).row(Opening::Plain) << 4) as u8;
    }
    Lookups { codes, rows }
});

fn code_and_kind(class: Class) -> u8 {
    ascii_code(class) << 4 | class.kind() as u8
}

/// The sums over a text. A byte above 0x7F counts as another one.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn sums(tables: &Tables, bytes: &[u8]) -> Sums {
    let mut sums = Sums::default();
    if bytes.is_empty() {
        return sums;
    }
    // The end of the text lies in the last block, even if nothing else does.
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let valid = (1 << rest.len()) - 1;
    let line = byte(b'\n');
    // SAFETY: the mask has one bit for each byte that is left, and what is masked out is not read.
    let last = unsafe { _mm512_mask_loadu_epi8(line, valid, rest.as_ptr().cast()) };
    let mut walk = Walk::new(blocks.first().map_or(last, |block| load(block)));
    for part in 0..blocks.len().div_ceil(FLUSH) {
        let end = blocks.len().min((part + 1) * FLUSH);
        for at in part * FLUSH..end {
            walk.step::<true>(tables, blocks.get(at + 1).map_or(last, |block| load(block)), u64::MAX);
        }
        walk.flush(&mut sums);
    }
    walk.step::<false>(tables, line, valid);
    walk.look_up(tables);
    walk.flush(&mut sums);
    // Where the text begins, a block sees the end of a run of nothing.
    sums[Table::Near as usize] -= i64::from(tables.near[bucket(Table::Near, [END, NONE, NONE, NONE])]);
    sums
}

/// A block that is classified.
struct Block {
    bytes: __m512i,
    codes: __m512i,
    sets: Sets,
}

impl Block {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn new(lookups: &Lookups, bytes: __m512i) -> Self {
        let codes = lookup2(&lookups.codes, bytes);
        Self { bytes, codes, sets: sets(codes) }
    }
}

/// The cell behind `Near`, which is zero.
const NOTHING: i16 = i16::MIN;

/// The sums so far, and what a block needs to know of the one before.
struct Walk {
    lookups: &'static Lookups,
    /// For `Step`, `Pair`, `Trio` and `Near`, in lanes of 32 bits.
    lanes: [__m512i; 4],
    cutter: Cutter,
    /// The block at hand.
    now: Block,
    codes: __m512i,
    symbols: __m512i,
    begins: u64,
    /// Cells of `Near` that are still to be looked up.
    cells: [__m512i; 2],
}

impl Walk {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn new(first: __m512i) -> Self {
        let lookups = &*LOOKUPS;
        Self {
            lookups,
            lanes: [_mm512_setzero_si512(); 4],
            cutter: Cutter::new(),
            now: Block::new(lookups, first),
            codes: byte(code_and_kind(Class::LINE)),
            symbols: _mm512_setzero_si512(),
            begins: 0,
            cells: [_mm512_set1_epi16(NOTHING); 2],
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn flush(&mut self, sums: &mut Sums) {
        for (sum, lanes) in sums.iter_mut().zip(&mut self.lanes) {
            *sum += i64::from(_mm512_reduce_add_epi32(*lanes));
            *lanes = _mm512_setzero_si512();
        }
    }

    /// Adds the block at hand, of which all or the first few bytes are valid, and takes the next.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn step<const FULL: bool>(&mut self, tables: &Tables, next: __m512i, valid: u64) {
        self.look_up(tables);
        let next = Block::new(self.lookups, next);
        let Block { bytes, codes, sets } = replace(&mut self.now, next);
        let cuts = self.cutter.cut(&sets, &self.now.sets);

        // The small tables.
        let ones = if FULL { byte(1) } else { _mm512_maskz_mov_epi8(valid, byte(1)) };
        let mut add = |table: Table, weights| {
            let lanes = &mut self.lanes[table as usize];
            *lanes = _mm512_dpbusd_epi32(*lanes, ones, weights);
        };
        let rows = lookup(&self.lookups.rows, codes);
        let rows = _mm512_mask_add_epi8(rows, cuts.opening0 & (sets.letter | sets.sign), rows, byte(16));
        let rows = _mm512_mask_add_epi8(rows, cuts.opening1, rows, byte(32));
        let steps = _mm512_or_si512(rows, positions(cuts.begins, self.begins));
        add(Table::Step, lookup4(part(&tables.step, 0), steps));
        let [codes1, codes2] = shift2(codes, self.codes);
        // Bits of the first where the mask has ones, of the second elsewhere.
        let select = |mask: u8, a, b| _mm512_ternarylogic_epi64::<0xCA>(byte(mask), a, b);
        let pairs = select(0xF0, codes1, _mm512_srli_epi16::<4>(codes));
        add(Table::Pair, lookup4(&tables.ascii_pair, pairs));
        let trios = select(0x38, _mm512_slli_epi16::<3>(codes1), codes);
        let trios = select(0xC0, _mm512_slli_epi16::<6>(codes2), trios);
        let half = |at: usize| lookup4(part(&tables.trio, at * 256), trios);
        let upper = _mm512_test_epi8_mask(codes2, byte(4));
        add(Table::Trio, _mm512_mask_blend_epi8(upper, half(0), half(1)));

        // Symbols, and neighbourhoods of them cut at the begins of runs.
        let symbols = _mm512_mask_mov_epi8(bytes, sets.digit, byte(b'0'));
        let symbols = _mm512_mask_add_epi8(symbols, cuts.title, symbols, byte(0x20));
        let symbols = _mm512_max_epu8(symbols, byte(2));
        let [s1, s2, s3] = shift3(symbols, self.symbols);
        // The end of the text ends a run like the begin of another.
        let s0 = _mm512_mask_mov_epi8(symbols, if FULL { cuts.begins } else { cuts.begins | !valid }, byte(END as u8));
        let begins1 = cuts.begins << 1 | self.begins >> 63;
        let begins2 = cuts.begins << 2 | self.begins >> 62;
        let s2 = _mm512_maskz_mov_epi8(!begins1, s2);
        let s3 = _mm512_maskz_mov_epi8(!(begins1 | begins2), s3);
        let mut cells = [
            hash(_mm512_unpacklo_epi8(s0, s1), _mm512_unpacklo_epi8(s2, s3)),
            hash(_mm512_unpackhi_epi8(s0, s1), _mm512_unpackhi_epi8(s2, s3)),
        ];
        if !FULL {
            let nothing = _mm512_set1_epi16(NOTHING);
            let keep = _mm512_movm_epi8(valid << 1 | 1);
            let keep = [_mm512_unpacklo_epi8(keep, keep), _mm512_unpackhi_epi8(keep, keep)];
            cells = [0, 1].map(|half| _mm512_ternarylogic_epi64::<0xCA>(keep[half], cells[half], nothing));
        }

        self.cells = cells;
        self.codes = codes;
        self.symbols = symbols;
        self.begins = cuts.begins;
    }

    /// Looks up the neighbourhoods of the last block.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn look_up(&mut self, tables: &Tables) {
        let near = &mut self.lanes[Table::Near as usize];
        for cells in self.cells {
            let low = _mm512_and_si512(cells, _mm512_set1_epi32(0xFFFF));
            let high = _mm512_srli_epi32::<16>(cells);
            for cells in [low, high] {
                // SAFETY: no cell is above 0x8000, and the table goes on for more than three bytes behind it.
                let weights = unsafe { _mm512_i32gather_epi32::<1>(cells, tables.near.as_ptr().cast()) };
                // Of the four bytes, the first is the weight.
                *near = _mm512_dpbusd_epi32(*near, _mm512_set1_epi32(1), weights);
            }
        }
    }
}

/// The sets that the bits of the codes tell, see [`ascii_code`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn sets(codes: __m512i) -> Sets {
    let bit = |bit: u8| _mm512_test_epi8_mask(codes, byte(bit));
    let (sign, four, two, one) = (_mm512_movepi8_mask(codes), bit(0x40), bit(0x20), bit(0x10));
    let letter = !(sign | four);
    let (no_letter, blank) = (four & !sign, four & !sign & !one);
    Sets {
        letter,
        upper: letter & two,
        small: letter & !two,
        digit: no_letter & one & !two,
        blank,
        space: blank & !two,
        line: no_letter & one & two,
        sign,
        seam: 0,
    }
}

/// The cells of `Near` for 32 neighbourhoods: in each lane, the nearest two symbols, and the two beyond.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn hash(near: __m512i, far: __m512i) -> __m512i {
    let spread = _mm512_set1_epi16((1 | SPREAD << 8).cast_signed());
    let mix = |symbols, mix: u16| {
        _mm512_mullo_epi16(_mm512_maddubs_epi16(spread, symbols), _mm512_set1_epi16(mix.cast_signed()))
    };
    _mm512_srli_epi16::<1>(_mm512_add_epi16(mix(near, MIX[0]), mix(far, MIX[1])))
}
