//! A 128-bit digest of a tree of values: equal trees have equal digests, and others differ but for chance.
//!
//! What is hashed is a sequence of type tags, lengths and payloads from which the tree could be rebuilt, so no two trees
//! share one: `["ab"]` is not `["a", "b"]`, and `1`, `1.0` and `True` are three values. The digest tells trees apart within
//! one process; it is no signature, and it depends on how the platform stores a text.

use xxhash_rust::xxh3::Xxh3Default;

use crate::Text;

/// Takes the values of a tree in order, each container before its members, and gives the digest (XXH3, 128 bits).
pub struct Digester(Xxh3Default);

impl Digester {
    /// A digester that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(Xxh3Default::new())
    }

    /// Opens a mapping; its entries follow in their own order, each as a key and a value.
    pub fn mapping(&mut self, entries: usize) {
        self.sized(b'd', entries);
    }

    /// Opens a sequence; its items follow. `tag` tells kinds of sequence apart.
    pub fn sequence(&mut self, tag: u8, items: usize) {
        self.sized(b'l', items);
        self.0.update(&[tag]);
    }

    /// Opens an object; the name of its type and then its fields follow, each as a value of their own.
    pub fn object(&mut self, values: usize) {
        self.sized(b'o', values);
    }

    /// A text. The same characters in two kinds of storage give two digests; CPython has one storage for each text.
    pub fn text(&mut self, text: Text<'_>) {
        match text {
            Text::Ascii(bytes) | Text::Latin1(bytes) => self.payload(b'1', bytes),
            Text::Ucs2(units) => self.units(b'2', units, u16::to_le_bytes),
            Text::Ucs4(units) => self.units(b'4', units, u32::to_le_bytes),
            Text::Utf8(utf8) => self.payload(b'8', utf8.as_bytes()),
        }
    }

    /// Bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.payload(b'b', bytes);
    }

    /// An integer that fits 64 bits.
    pub fn int(&mut self, value: i64) {
        self.word(b'i', value.cast_unsigned());
    }

    /// An integer that does not fit 64 bits, in one fixed way of writing it.
    pub fn big_int(&mut self, written: &[u8]) {
        self.payload(b'I', written);
    }

    /// A float, by its bits.
    pub fn float(&mut self, value: f64) {
        self.word(b'f', value.to_bits());
    }

    /// True or False.
    pub fn bool(&mut self, value: bool) {
        self.0.update(if value { b"T" } else { b"F" });
    }

    /// None.
    pub fn none(&mut self) {
        self.0.update(b"N");
    }

    /// The digest of all that was given.
    #[must_use]
    pub fn finish(&self) -> u128 {
        self.0.digest128()
    }

    /// Opens a text of which so many code points count; they follow in UTF-8, through `raw`.
    pub(crate) fn opening(&mut self, points: usize) {
        self.sized(b's', points);
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn sized(&mut self, tag: u8, length: usize) {
        self.word(tag, length as u64);
    }

    fn payload(&mut self, tag: u8, bytes: &[u8]) {
        self.sized(tag, bytes.len());
        self.0.update(bytes);
    }

    /// Goes through a small buffer, so that the digest is the same on machines of either byte order.
    fn units<U: Copy, const N: usize>(&mut self, tag: u8, units: &[U], to_le: fn(U) -> [u8; N]) {
        self.sized(tag, units.len());
        let mut buffer = [0; 1024];
        for chunk in units.chunks(buffer.len() / N) {
            let (slots, _) = buffer.as_chunks_mut::<N>();
            for (slot, unit) in slots.iter_mut().zip(chunk) {
                *slot = to_le(*unit);
            }
            self.0.update(&buffer[..chunk.len() * N]);
        }
    }

    fn word(&mut self, tag: u8, word: u64) {
        let mut framed = [tag; 9];
        framed[1..].copy_from_slice(&word.to_le_bytes());
        self.0.update(&framed);
    }
}

impl Default for Digester {
    fn default() -> Self {
        Self::new()
    }
}
