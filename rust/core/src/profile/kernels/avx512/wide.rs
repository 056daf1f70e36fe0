//! Text beyond ASCII, 64 code points a step.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_alignr_epi8, _mm512_alignr_epi64, _mm512_and_si512, _mm512_cmpeq_epi8_mask,
    _mm512_cmplt_epu16_mask, _mm512_cvtepu8_epi16, _mm512_dpbusd_epi32, _mm512_i32gather_epi32, _mm512_mask_add_epi8,
    _mm512_mask_add_epi16, _mm512_mask_blend_epi8, _mm512_mask_cmplt_epu16_mask, _mm512_mask_cmpneq_epi8_mask,
    _mm512_mask_dpbusd_epi32, _mm512_mask_loadu_epi8, _mm512_mask_loadu_epi16, _mm512_mask_max_epu16,
    _mm512_mask_mov_epi16, _mm512_mask_test_epi8_mask, _mm512_mask_testn_epi8_mask, _mm512_maskz_mov_epi8,
    _mm512_maskz_mov_epi16, _mm512_mullo_epi16, _mm512_or_si512, _mm512_reduce_add_epi32, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16, _mm512_srli_epi16, _mm512_srli_epi32, _mm512_sub_epi16,
    _mm512_ternarylogic_epi64, _mm512_test_epi8_mask, _mm512_xor_si512, _pext_u64,
};
use std::sync::LazyLock;

use super::super::super::classes::Class;
use super::super::super::features::{MIX, SPREAD, Table, bucket};
use super::super::super::runs::Opening;
use super::super::super::symbols::{END, NONE};
use super::super::masks::{BLOCK, Cuts, Cutter, Sets, flags_of};
use super::super::traits::{LINE, SIGNS, TRAITS};
use super::super::{Sums, Tables};
use super::blocks::{Block, Pages, first, halves};
use super::vectors::{byte, lookup, lookup4, part, positions, shift2};

/// Blocks between two flushes. A block adds at most 512 to a lane of 32 bits.
const FLUSH: usize = 1 << 14;
const EVEN: u64 = 0x5555_5555_5555_5555;

/// Lookups by class that are the same for every profile.
#[repr(C, align(64))]
struct Lookups {
    flags: [u8; 64],
    strands: [u8; 64],
    kinds: [u8; 64],
    /// The row for a run that opens plainly, times 16, without its upper two bits.
    rows: [u8; 64],
    /// Those two bits.
    tops: [u8; 64],
}

static LOOKUPS: LazyLock<Lookups> = LazyLock::new(|| {
    let of = |value: fn(Class) -> usize| std::array::from_fn(|index| value(Class::ALL[index % Class::COUNT]) as u8);
    Lookups {
        flags: of(|class| flags_of(class).into()),
        strands: of(|class| TRAITS[class.index()].strand.into()),
        kinds: of(Class::kind),
        rows: of(|class| (class.row(Opening::Plain) & 15) << 4),
        tops: of(|class| class.row(Opening::Plain) >> 4),
    }
});

/// The sums over Latin-1.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn latin1(tables: &Tables, bytes: &[u8]) -> Sums {
    let mut rest = bytes;
    sums::<false>(tables, || {
        let count = rest.len().min(BLOCK);
        let after = rest.get(BLOCK).map_or(LINE.0, |&byte| byte.into());
        // SAFETY: the mask has one bit for each byte that is left, and what is masked out is not read.
        let bytes = unsafe { _mm512_mask_loadu_epi8(byte(LINE.0 as u8), first(count), rest.as_ptr().cast()) };
        rest = &rest[count..];
        let [low, high] = halves(bytes);
        Block::of_units([_mm512_cvtepu8_epi16(low), _mm512_cvtepu8_epi16(high)], count, after)
    })
}

/// The sums over UCS-2.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn ucs2(tables: &Tables, units: &[u16]) -> Sums {
    let mut rest = units;
    sums::<false>(tables, || {
        let count = rest.len().min(BLOCK);
        let after = rest.get(BLOCK).map_or(LINE.0, |&unit| unit.into());
        let (low, high) = rest.split_at(count.min(32));
        let load = |units: &[u16]| {
            let mask = first(units.len().min(32)) as u32;
            let line = _mm512_set1_epi16(LINE.0 as i16);
            // SAFETY: the mask has one bit for each unit that is left, and what is masked out is not read.
            unsafe { _mm512_mask_loadu_epi16(line, mask, units.as_ptr().cast()) }
        };
        let units = [load(low), load(high)];
        rest = &rest[count..];
        Block::of_units(units, count, after)
    })
}

/// The sums over UCS-4.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn ucs4(tables: &Tables, points: &[u32]) -> Sums {
    let mut rest = points;
    sums::<true>(tables, || {
        if let Some((block, behind)) = rest.split_first_chunk() {
            rest = behind;
            return Block::of_points(block, BLOCK, rest.first().copied().unwrap_or(LINE.0));
        }
        let mut block = [LINE.0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        Block::of_points(&block, rest.len(), LINE.0)
    })
}

/// The sums over code points that are decoded one by one.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
pub fn points(tables: &Tables, mut source: impl Iterator<Item = u32>) -> Sums {
    let mut next = source.next();
    sums::<true>(tables, || {
        let mut points = [LINE.0; BLOCK];
        let mut count = 0;
        while let Some(point) = next
            && count < BLOCK
        {
            points[count] = point;
            count += 1;
            next = source.next();
        }
        Block::of_points(&points, count, next.unwrap_or(LINE.0))
    })
}

/// The sums over blocks, of which the last is not full.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn sums<const ASTRAL: bool>(tables: &Tables, next: impl FnMut() -> Block) -> Sums {
    let mut sums = Sums::default();
    let mut walk = Walk::new(next);
    let mut ends = false;
    while !ends {
        let mut lanes = [_mm512_setzero_si512(); Table::ALL.len()];
        for _ in 0..FLUSH {
            ends = walk.step::<ASTRAL>(tables, &mut lanes);
            if ends {
                break;
            }
        }
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            *sum += i64::from(_mm512_reduce_add_epi32(lanes));
        }
    }
    // `Near` was added to both.
    sums[Table::Wide3 as usize] -= sums[Table::Near as usize];
    // Where the text begins, a block sees the end of a run of nothing.
    sums[Table::Near as usize] -= i64::from(tables.near[bucket(Table::Near, [END, NONE, NONE, NONE])]);
    sums
}

/// Where the blocks come from, and what each needs to know of the one before.
struct Walk<F> {
    next: F,
    pages: Pages,
    lookups: &'static Lookups,
    cutter: Cutter,
    classes: __m512i,
    symbols: __m512i,
    begins: u64,
    ascii: u64,
}

impl<F: FnMut() -> Block> Walk<F> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn new(next: F) -> Self {
        Self {
            next,
            pages: Pages::new(),
            lookups: &LOOKUPS,
            cutter: Cutter::new(),
            classes: byte(LINE.1),
            symbols: _mm512_setzero_si512(),
            begins: 0,
            ascii: u64::MAX,
        }
    }

    /// Adds the next block, and says whether the text ends in it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn step<const ASTRAL: bool>(&mut self, tables: &Tables, lanes: &mut [__m512i; Table::ALL.len()]) -> bool {
        let block = (self.next)();
        let valid = first(block.count);
        let (classes, ascii) = self.pages.classes(&block);
        let [classes1, classes2] = shift2(classes, self.classes);

        let strands = lookup(&self.lookups.strands, classes);
        let strands1 = lookup(&self.lookups.strands, classes1);
        let seam = _mm512_mask_test_epi8_mask(_mm512_test_epi8_mask(strands, strands), strands1, strands1);
        let seam = _mm512_mask_cmpneq_epi8_mask(seam, strands, strands1);
        let seam = _mm512_mask_testn_epi8_mask(seam, _mm512_xor_si512(strands, strands1), byte(SIGNS));
        let flags = lookup(&self.lookups.flags, classes);
        let set = |bit: u8| _mm512_test_epi8_mask(flags, byte(1 << bit));
        let sets = Sets::new([0, 1, 2, 3, 4, 5, 6, 7].map(set), seam);
        let cuts = self.cutter.cut(&sets, &Sets::of(TRAITS[Class::of(block.after).index()].flags));

        self.add_small(tables, &sets, &cuts, [classes, classes1, classes2], valid, lanes);
        let symbols = symbols::<ASTRAL>(&block, classes, cuts.title);
        self.add_neighbours(tables, &symbols, cuts.begins, ascii, valid, lanes);
        self.classes = classes;
        self.symbols = symbols[1];
        self.begins = cuts.begins;
        self.ascii = ascii;
        valid != u64::MAX
    }

    /// Adds what the tables of classes hold.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn add_small(
        &self,
        tables: &Tables,
        sets: &Sets,
        cuts: &Cuts,
        [classes, classes1, classes2]: [__m512i; 3],
        valid: u64,
        lanes: &mut [__m512i; Table::ALL.len()],
    ) {
        let ones = _mm512_maskz_mov_epi8(valid, byte(1));
        let mut add = |table: Table, weights| {
            let lanes = &mut lanes[table as usize];
            *lanes = _mm512_dpbusd_epi32(*lanes, ones, weights);
        };
        let bit = |vector, bit: u8| _mm512_test_epi8_mask(vector, byte(bit));
        let tops = lookup(&self.lookups.tops, classes);
        let (high, top) = (bit(tops, 1), bit(tops, 2));
        let low = !(high | top);
        let rows = lookup(&self.lookups.rows, classes);
        let rows = _mm512_mask_add_epi8(rows, cuts.opening0 & low & (sets.letter | sets.sign), rows, byte(16));
        let rows = _mm512_mask_add_epi8(rows, cuts.opening1 & low, rows, byte(32));
        let cells = _mm512_or_si512(rows, positions(cuts.begins, self.begins));
        let mut steps = lookup4(part(&tables.step, 0), cells);
        if !low != 0 {
            steps = _mm512_mask_blend_epi8(high, steps, lookup4(part(&tables.step, 256), cells));
            steps = _mm512_mask_blend_epi8(top, steps, lookup(part(&tables.step, 512), cells));
        }
        add(Table::Step, steps);

        // Bits of the first where the mask has ones, of the second elsewhere.
        let select = |mask: u8, a, b| _mm512_ternarylogic_epi64::<0xCA>(byte(mask), a, b);
        let cells = select(0xE0, _mm512_slli_epi16::<5>(classes1), classes);
        let (odd, upper) = (bit(classes1, 8), bit(classes1, 16));
        let quarter = |at: usize| lookup4(part(&tables.pair, at * 256), cells);
        let mut pairs = _mm512_mask_blend_epi8(odd, quarter(0), quarter(1));
        if upper != 0 {
            pairs = _mm512_mask_blend_epi8(upper, pairs, _mm512_mask_blend_epi8(odd, quarter(2), quarter(3)));
        }
        add(Table::Pair, pairs);

        let kinds = [classes, classes1, classes2].map(|classes| lookup(&self.lookups.kinds, classes));
        let cells = select(0x38, _mm512_slli_epi16::<3>(kinds[1]), kinds[0]);
        let cells = select(0xC0, _mm512_slli_epi16::<6>(kinds[2]), cells);
        let half = |at: usize| lookup4(part(&tables.trio, at * 256), cells);
        add(Table::Trio, _mm512_mask_blend_epi8(bit(kinds[2], 4), half(0), half(1)));
    }

    /// Adds what the tables of neighbours hold.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
    fn add_neighbours(
        &self,
        tables: &Tables,
        symbols: &[__m512i; 2],
        begins: u64,
        ascii: u64,
        valid: u64,
        lanes: &mut [__m512i; Table::ALL.len()],
    ) {
        // The end of the text ends a run like the begin of another.
        let begins = begins | !valid;
        let begins1 = begins << 1 | self.begins >> 63;
        let begins2 = begins1 | begins << 2 | self.begins >> 62;
        let neighbours = valid << 1 | 1;
        let own_ascii = begins & (ascii << 1 | self.ascii >> 63) | !begins & ascii;
        let (near, far, alone) = (neighbours & own_ascii, neighbours & !own_ascii, valid & !ascii);
        let last = [self.symbols, symbols[0]];
        for half in [0, 1] {
            let of = |set: u64| (set >> (32 * half)) as u32;
            let times = |symbols, factor: u16| _mm512_mullo_epi16(symbols, _mm512_set1_epi16(factor.cast_signed()));
            let [s1, s2, s3] = shift3(symbols[half], last[half]);
            let s0 = _mm512_mask_mov_epi16(symbols[half], of(begins), _mm512_set1_epi16(END.cast_signed()));
            let s2 = _mm512_maskz_mov_epi16(of(!begins1), s2);
            let s3 = _mm512_maskz_mov_epi16(of(!begins2), s3);
            let two = times(_mm512_add_epi16(s0, times(s1, SPREAD)), MIX[0]);
            let three = _mm512_add_epi16(two, times(s2, MIX[1]));
            let four = _mm512_add_epi16(three, times(s3, SPREAD.wrapping_mul(MIX[1])));
            // Cells of `Near`, and behind it those of `Wide3`. What is added at neither goes to the zeros between.
            let nothing = _mm512_set1_epi16((Table::Near.cells() as u16).cast_signed());
            let behind = _mm512_set1_epi16((Tables::NEAR_TO_WIDE3 as u16).cast_signed());
            let cells = _mm512_mask_mov_epi16(nothing, of(near), _mm512_srli_epi16::<1>(four));
            let cells = _mm512_mask_add_epi16(cells, of(far), _mm512_srli_epi16::<2>(three), behind);
            let even = of(near);
            for (cells, near) in [(low16(cells), even_bits(even)), (high16(cells), even_bits(even >> 1))] {
                // SAFETY: cells of both tables, and three bytes behind them, lie in `tables`.
                let weights = unsafe { _mm512_i32gather_epi32::<1>(cells, tables.near_and_wide3().cast()) };
                add_first(&mut lanes[Table::Wide3 as usize], u16::MAX, weights);
                add_first(&mut lanes[Table::Near as usize], near, weights);
            }
            if of(far | alone) == 0 {
                continue;
            }
            let nothing = _mm512_set1_epi16((Table::Wide2.cells() as u16).cast_signed());
            let twos = _mm512_mask_mov_epi16(nothing, of(far), _mm512_srli_epi16::<3>(two));
            let nothing = _mm512_set1_epi16((Table::Wide1.cells() as u16).cast_signed());
            let own = _mm512_srli_epi16::<5>(times(symbols[half], MIX[0]));
            let own = _mm512_mask_mov_epi16(nothing, of(alone), own);
            for (low, high) in [(low16(own), low16(twos)), (high16(own), high16(twos))] {
                // SAFETY: no cell is above the number of cells, and the table goes on for more than three bytes behind it.
                let weights = unsafe { _mm512_i32gather_epi32::<1>(low, tables.wide1.as_ptr().cast()) };
                add_first(&mut lanes[Table::Wide1 as usize], u16::MAX, weights);
                // SAFETY: as above.
                let weights = unsafe { _mm512_i32gather_epi32::<1>(high, tables.wide2.as_ptr().cast()) };
                add_first(&mut lanes[Table::Wide2 as usize], u16::MAX, weights);
            }
        }
    }
}

/// The symbols.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn symbols<const ASTRAL: bool>(block: &Block, classes: __m512i, title: u64) -> [__m512i; 2] {
    let digits = _mm512_cmpeq_epi8_mask(classes, byte(Class::DIGIT.index() as u8));
    [0, 1].map(|half| {
        let of = |set: u64| (set >> (32 * half)) as u32;
        let (units, pages) = (block.units[half], block.pages[half]);
        let basic = if ASTRAL { _mm512_cmplt_epu16_mask(pages, _mm512_set1_epi16(0x400)) } else { u32::MAX };
        let mut symbols = _mm512_mask_max_epu16(units, basic, units, _mm512_set1_epi16(2));
        let title = of(title);
        if title != 0 {
            symbols = _mm512_mask_add_epi16(symbols, title, symbols, steps_to_small(units, basic));
        }
        if ASTRAL {
            symbols = _mm512_xor_si512(symbols, block.planes[half]);
        }
        _mm512_mask_mov_epi16(symbols, of(digits), _mm512_set1_epi16(0x30))
    })
}

/// Adds the first of each four bytes, in lanes of the mask.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn add_first(lanes: &mut __m512i, mask: u16, weights: __m512i) {
    *lanes = _mm512_mask_dpbusd_epi32(*lanes, mask, _mm512_set1_epi32(1), weights);
}

/// How far the small letters of capitals are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn steps_to_small(units: __m512i, basic: u32) -> __m512i {
    let inside = |start: i16, length: i16| {
        let offset = _mm512_sub_epi16(units, _mm512_set1_epi16(start));
        _mm512_mask_cmplt_epu16_mask(basic, offset, _mm512_set1_epi16(length))
    };
    let by32 = inside(0x41, 26) | inside(0xC0, 31) | inside(0x410, 32);
    let steps = _mm512_mask_mov_epi16(_mm512_set1_epi16(1), by32, _mm512_set1_epi16(32));
    _mm512_mask_mov_epi16(steps, inside(0x400, 16), _mm512_set1_epi16(80))
}

/// The 16-bit lanes one, two and three before each.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn shift3(now: __m512i, last: __m512i) -> [__m512i; 3] {
    let lanes = _mm512_alignr_epi64::<6>(now, last);
    [_mm512_alignr_epi8::<14>(now, lanes), _mm512_alignr_epi8::<12>(now, lanes), _mm512_alignr_epi8::<10>(now, lanes)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn low16(cells: __m512i) -> __m512i {
    _mm512_and_si512(cells, _mm512_set1_epi32(0xFFFF))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn high16(cells: __m512i) -> __m512i {
    _mm512_srli_epi32::<16>(cells)
}

/// Every second bit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512bitalg,avx512vnni,gfni,bmi1,bmi2")]
fn even_bits(bits: u32) -> u16 {
    _pext_u64(bits.into(), EVEN) as u16
}
