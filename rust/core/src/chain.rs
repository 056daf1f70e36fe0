//! Requests as paths in a tree: what several of them begin with is stored once.
//!
//! A unit (a message, or all that stands before the messages) is one or more blocks; its first block is told apart by
//! what it says of the unit (a role, say). Each block is known by a key that stands for it and all before it, so that a
//! unit is found under its parent by one look-up, however many requests there were. From every node the way of the
//! latest request through it can be followed.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_128;

/// The key of a block, given that of the block before it (0 for the first one) and its own digest.
///
/// Both have a fixed length, so no two sequences of digests are written alike.
#[must_use]
pub fn link(before: u128, digest: u128) -> u128 {
    let mut both = [0; 32];
    both[..16].copy_from_slice(&before.to_le_bytes());
    both[16..].copy_from_slice(&digest.to_le_bytes());
    xxh3_128(&both)
}

/// A block: its digest, and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Of the block alone.
    pub digest: u128,
    /// Its cost in tokens.
    pub tokens: u64,
}

/// A place in the tree: the end of a unit.
pub type Place = usize;

/// Where every request begins.
pub const ROOT: Place = 0;

/// How many separate ways are kept when the tree is thinned.
const WAYS: usize = 64;
/// A tree is thinned when it has so many places more than twice what was left the last time.
const SLACK: usize = 1 << 16;

struct Node<U> {
    parent: Place,
    /// The child on the way of the latest request that went on from here.
    latest: Option<Place>,
    unit: U,
    /// Of its last block.
    key: u128,
    /// Blocks and tokens of all up to here.
    blocks: usize,
    tokens: u64,
    /// When the last request that ended here was sent, in seconds, and as which.
    ended: Option<(f64, u64)>,
}

/// All requests so far, or the latest ways of them. `U` is what is known of a unit.
pub struct Requests<U> {
    nodes: Vec<Node<U>>,
    children: HashMap<(Place, u128), Place>,
    /// Keys of the blocks that are not the last one of their unit.
    inner: HashSet<u128>,
    sent: u64,
    /// How many places there may be before the tree is thinned.
    most: usize,
}

impl<U: Copy> Requests<U> {
    /// No request. The root takes a unit that stands for nothing.
    #[must_use]
    pub fn new(nothing: U) -> Self {
        let root = Node { parent: ROOT, latest: None, unit: nothing, key: 0, blocks: 0, tokens: 0, ended: None };
        Self { nodes: vec![root], children: HashMap::new(), inner: HashSet::new(), sent: 0, most: SLACK }
    }

    /// How many places there are, the root among them.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there always is the root")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What is known of the unit that ends here.
    #[must_use]
    pub fn unit(&self, place: Place) -> U {
        self.nodes[place].unit
    }

    /// Puts something else in its place.
    pub fn replace(&mut self, place: Place, unit: U) {
        self.nodes[place].unit = unit;
    }

    /// Where the latest request through this place went on.
    #[must_use]
    pub fn latest(&self, place: Place) -> Option<Place> {
        self.nodes[place].latest
    }

    /// All places on the latest way from here on, without this one.
    pub fn onward(&self, place: Place) -> impl Iterator<Item = Place> {
        std::iter::successors(self.latest(place), |place| self.latest(*place))
    }

    /// Blocks of all up to this place.
    #[must_use]
    pub fn blocks(&self, place: Place) -> usize {
        self.nodes[place].blocks
    }

    /// Tokens of all up to this place.
    #[must_use]
    pub fn tokens(&self, place: Place) -> u64 {
        self.nodes[place].tokens
    }

    /// When a request was last sent that ended here.
    #[must_use]
    pub fn ended(&self, place: Place) -> Option<f64> {
        self.nodes[place].ended.map(|(at, _)| at)
    }

    /// Whether a request went on from here after the last one that ended here.
    #[must_use]
    pub fn is_outgrown(&self, place: Place) -> bool {
        let sent = |place: Place| self.nodes[place].ended.map(|(_, order)| order);
        self.onward(place).any(|further| sent(further) > sent(place))
    }

    /// The place after this one where a unit of these blocks ends.
    #[must_use]
    pub fn child(&self, place: Place, blocks: &[Block]) -> Option<Place> {
        self.children.get(&(place, self.key_after(place, blocks))).copied()
    }

    /// How many of these blocks are known to follow this place: some unit after it begins with them, or is them.
    #[must_use]
    pub fn known(&self, place: Place, blocks: &[Block]) -> usize {
        let mut key = self.nodes[place].key;
        let known = |block: &&Block| {
            key = link(key, block.digest);
            self.inner.contains(&key) || self.children.contains_key(&(place, key))
        };
        blocks.iter().take_while(known).count()
    }

    /// Adds a unit after this place; it must not be there.
    pub fn add(&mut self, place: Place, unit: U, blocks: &[Block]) -> Place {
        let key = self.key_after(place, blocks);
        let tokens = blocks.iter().fold(self.tokens(place), |sum, block| sum.saturating_add(block.tokens));
        let added = self.nodes.len();
        let count = self.blocks(place) + blocks.len();
        self.nodes.push(Node { parent: place, latest: None, unit, key, blocks: count, tokens, ended: None });
        self.children.insert((place, key), added);
        self.note_inner(place, blocks);
        added
    }

    /// Notes that a request was sent at `at` seconds: to a place on the way that the latest one through each place took,
    /// and this way on to its end.
    pub fn sent(&mut self, mut from: Place, way: &[Place], at: f64) {
        for place in way {
            self.nodes[from].latest = Some(*place);
            from = *place;
        }
        self.sent += 1;
        self.nodes[from].ended = Some((at, self.sent));
    }

    /// Whether there are so many places that those of old requests should go.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.nodes.len() > self.most
    }

    /// The tree with only the latest ways, up to 64 that part somewhere, and where each old place is now.
    ///
    /// `blocks_of` gives the blocks of a unit.
    #[must_use]
    pub fn thinned<'a>(&self, blocks_of: impl Fn(U) -> &'a [Block]) -> (Self, Vec<Option<Place>>) {
        let mut ends: Vec<_> =
            (0..self.nodes.len()).filter_map(|place| Some((self.nodes[place].ended?.1, place))).collect();
        ends.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept = vec![false; self.nodes.len()];
        let mut ways = 0;
        for (_, end) in ends {
            if ways == WAYS {
                break;
            }
            ways += usize::from(!kept[end]);
            let mut place = end;
            while !std::mem::replace(&mut kept[place], true) {
                place = self.nodes[place].parent;
            }
        }
        let mut thin = Self { sent: self.sent, ..Self::new(self.unit(ROOT)) };
        let mut now = vec![None; kept.len()];
        now[ROOT] = Some(ROOT);
        // A place stands behind its parent.
        for (old, node) in self.nodes.iter().enumerate().skip(1) {
            if let (true, Some(parent)) = (kept[old], now[node.parent]) {
                let place = thin.add(parent, node.unit, blocks_of(node.unit));
                thin.nodes[place].ended = node.ended;
                now[old] = Some(place);
            }
        }
        for (old, node) in self.nodes.iter().enumerate() {
            if let (Some(place), Some(latest)) = (now[old], node.latest) {
                thin.nodes[place].latest = now[latest];
            }
        }
        thin.nodes[ROOT].ended = self.nodes[ROOT].ended;
        thin.most = 2 * thin.nodes.len() + SLACK;
        (thin, now)
    }

    fn key_after(&self, place: Place, blocks: &[Block]) -> u128 {
        blocks.iter().fold(self.nodes[place].key, |key, block| link(key, block.digest))
    }

    fn note_inner(&mut self, place: Place, blocks: &[Block]) {
        let mut key = self.nodes[place].key;
        for block in &blocks[..blocks.len().saturating_sub(1)] {
            key = link(key, block.digest);
            self.inner.insert(key);
        }
    }
}

/// One request: the way to where it ends, and its blocks with what each makes of all before it.
#[derive(Default)]
pub struct Line {
    /// The places where its units end.
    pub places: Vec<Place>,
    /// How many blocks there are up to the end of each unit.
    pub ends: Vec<usize>,
    /// The key of each block.
    pub keys: Vec<u128>,
    /// Tokens up to the end of each block.
    pub sums: Vec<u64>,
}

impl Line {
    /// How many blocks the first so many units have.
    #[must_use]
    pub fn blocks(&self, units: usize) -> usize {
        units.checked_sub(1).map_or(0, |last| self.ends[last])
    }

    /// Keeps only the first so many units.
    pub fn cut(&mut self, units: usize) {
        let blocks = self.blocks(units);
        self.places.truncate(units);
        self.ends.truncate(units);
        self.keys.truncate(blocks);
        self.sums.truncate(blocks);
    }

    /// Adds a unit that ends at a place.
    pub fn push(&mut self, place: Place, blocks: &[Block]) {
        let (mut key, mut sum) = (self.keys.last().copied().unwrap_or(0), self.sums.last().copied().unwrap_or(0));
        for block in blocks {
            key = link(key, block.digest);
            sum = sum.saturating_add(block.tokens);
            self.keys.push(key);
            self.sums.push(sum);
        }
        self.places.push(place);
        self.ends.push(self.keys.len());
    }
}
