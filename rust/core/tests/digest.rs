//! The digest is XXH3 over an encoding that is written down here once more, and from which the tree can be read back:
//! two trees with one encoding would be one tree.

use proptest::prelude::*;
use ullage_core::{Digester, Text};
use xxhash_rust::xxh3::xxh3_128;

#[derive(Clone, Debug, PartialEq)]
enum Tree {
    Mapping(Vec<(Tree, Tree)>),
    Sequence(u8, Vec<Tree>),
    Object(Vec<Tree>),
    Bytes1(Vec<u8>),
    Units2(Vec<u16>),
    Units4(Vec<u32>),
    Utf8(String),
    Bytes(Vec<u8>),
    Int(i64),
    BigInt(Vec<u8>),
    Float(u64),
    Bool(bool),
    None,
}

fn feed(tree: &Tree, digester: &mut Digester) {
    match tree {
        Tree::Mapping(entries) => {
            digester.mapping(entries.len());
            for (key, value) in entries {
                feed(key, digester);
                feed(value, digester);
            }
        }
        Tree::Sequence(tag, items) => {
            digester.sequence(*tag, items.len());
            for item in items {
                feed(item, digester);
            }
        }
        Tree::Object(items) => {
            digester.object(items.len());
            for item in items {
                feed(item, digester);
            }
        }
        Tree::Bytes1(bytes) => digester.text(Text::Latin1(bytes)),
        Tree::Units2(units) => digester.text(Text::Ucs2(units)),
        Tree::Units4(units) => digester.text(Text::Ucs4(units)),
        Tree::Utf8(text) => digester.text(Text::Utf8(text)),
        Tree::Bytes(bytes) => digester.bytes(bytes),
        Tree::Int(value) => digester.int(*value),
        Tree::BigInt(written) => digester.big_int(written),
        Tree::Float(bits) => digester.float(f64::from_bits(*bits)),
        Tree::Bool(value) => digester.bool(*value),
        Tree::None => digester.none(),
    }
}

fn encode(tree: &Tree, out: &mut Vec<u8>) {
    let mut sized = |tag: u8, length: usize, payload: &[u8]| {
        out.push(tag);
        out.extend((length as u64).to_le_bytes());
        out.extend(payload);
    };
    match tree {
        Tree::Mapping(entries) => {
            sized(b'd', entries.len(), &[]);
            for (key, value) in entries {
                encode(key, out);
                encode(value, out);
            }
        }
        Tree::Sequence(tag, items) => {
            sized(b'l', items.len(), &[*tag]);
            for item in items {
                encode(item, out);
            }
        }
        Tree::Object(items) => {
            sized(b'o', items.len(), &[]);
            for item in items {
                encode(item, out);
            }
        }
        Tree::Bytes1(bytes) => sized(b'1', bytes.len(), bytes),
        Tree::Units2(units) => {
            sized(b'2', units.len(), &units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>());
        }
        Tree::Units4(units) => {
            sized(b'4', units.len(), &units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<_>>());
        }
        Tree::Utf8(text) => sized(b'8', text.len(), text.as_bytes()),
        Tree::Bytes(bytes) => sized(b'b', bytes.len(), bytes),
        Tree::Int(value) => sized(b'i', usize::from_le_bytes(value.to_le_bytes()), &[]),
        Tree::BigInt(written) => sized(b'I', written.len(), written),
        Tree::Float(bits) => sized(b'f', usize::from_le_bytes(bits.to_le_bytes()), &[]),
        Tree::Bool(value) => out.push(if *value { b'T' } else { b'F' }),
        Tree::None => out.push(b'N'),
    }
}

fn decode(bytes: &mut &[u8]) -> Tree {
    let tag = take(bytes, 1)[0];
    let length = match tag {
        b'T' | b'F' | b'N' => 0,
        _ => u64::from_le_bytes(take(bytes, 8).try_into().unwrap()),
    };
    let size = length as usize;
    match tag {
        b'd' => Tree::Mapping((0..length).map(|_| (decode(bytes), decode(bytes))).collect()),
        b'l' => Tree::Sequence(take(bytes, 1)[0], (0..length).map(|_| decode(bytes)).collect()),
        b'o' => Tree::Object((0..length).map(|_| decode(bytes)).collect()),
        b'1' => Tree::Bytes1(take(bytes, size).to_vec()),
        b'2' => {
            Tree::Units2(take(bytes, size * 2).as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect())
        }
        b'4' => {
            Tree::Units4(take(bytes, size * 4).as_chunks().0.iter().map(|unit| u32::from_le_bytes(*unit)).collect())
        }
        b'8' => Tree::Utf8(String::from_utf8(take(bytes, size).to_vec()).unwrap()),
        b'b' => Tree::Bytes(take(bytes, size).to_vec()),
        b'i' => Tree::Int(length.cast_signed()),
        b'I' => Tree::BigInt(take(bytes, size).to_vec()),
        b'f' => Tree::Float(length),
        b'T' => Tree::Bool(true),
        b'F' => Tree::Bool(false),
        _ => Tree::None,
    }
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    bytes.split_off(..count).unwrap()
}

fn digest(tree: &Tree) -> u128 {
    let mut digester = Digester::new();
    feed(tree, &mut digester);
    digester.finish()
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        any::<Vec<u8>>().prop_map(Tree::Bytes1),
        any::<Vec<u16>>().prop_map(Tree::Units2),
        any::<Vec<u32>>().prop_map(Tree::Units4),
        any::<String>().prop_map(Tree::Utf8),
        any::<Vec<u8>>().prop_map(Tree::Bytes),
        any::<i64>().prop_map(Tree::Int),
        any::<Vec<u8>>().prop_map(Tree::BigInt),
        any::<u64>().prop_map(Tree::Float),
        any::<bool>().prop_map(Tree::Bool),
        Just(Tree::None),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec((inner.clone(), inner.clone()), 0..5).prop_map(Tree::Mapping),
            (any::<u8>(), proptest::collection::vec(inner.clone(), 0..5))
                .prop_map(|(tag, items)| Tree::Sequence(tag, items)),
            proptest::collection::vec(inner, 0..5).prop_map(Tree::Object),
        ]
    })
}

proptest! {
    #[test]
    fn the_digest_is_that_of_an_encoding_that_reads_back(tree in trees()) {
        let mut encoded = Vec::new();
        encode(&tree, &mut encoded);
        prop_assert_eq!(digest(&tree), xxh3_128(&encoded));
        prop_assert_eq!(decode(&mut encoded.as_slice()), tree);
    }
}

#[test]
fn neighbours_are_told_apart() {
    let text = |text: &str| Tree::Utf8(text.into());
    let list = |items: &[Tree]| Tree::Sequence(b'l', items.to_vec());
    let trees = [
        list(&[text("ab")]),
        list(&[text("a"), text("b")]),
        list(&[list(&[text("a")]), text("b")]),
        list(&[list(&[text("a"), text("b")])]),
        Tree::Sequence(b't', vec![text("ab")]),
        Tree::Mapping(vec![(text("a"), text("b"))]),
        Tree::Int(1),
        Tree::Float(1.0_f64.to_bits()),
        Tree::Bool(true),
        text("1"),
        Tree::Bytes(b"1".to_vec()),
        Tree::None,
    ];
    for (index, tree) in trees.iter().enumerate() {
        for other in &trees[..index] {
            assert_ne!(digest(tree), digest(other), "{tree:?} and {other:?}");
        }
    }
}

#[test]
fn long_units_cross_the_buffer() {
    for length in [511, 512, 513, 1024, 5000] {
        let units: Vec<u16> = (0..length).map(|unit| 0x0400 + unit % 256).collect();
        let tree = Tree::Units2(units);
        let mut encoded = Vec::new();
        encode(&tree, &mut encoded);
        assert_eq!(digest(&tree), xxh3_128(&encoded), "{length} units");
    }
}
