//! Requests in a tree, against a list of all that were sent.

use proptest::prelude::*;
use ullage_core::{Block, Line, Place, ROOT, Requests, link};

type Unit = Vec<u8>;

/// The first block of a unit is none that stands within one.
fn digest(index: usize, block: u8) -> u128 {
    u128::from(block) + if index == 0 { 1 << 64 } else { 0 }
}

fn blocks(unit: &[u8]) -> Vec<Block> {
    let block = |(index, block): (usize, &u8)| Block { digest: digest(index, *block), tokens: u64::from(*block) };
    unit.iter().enumerate().map(block).collect()
}

/// Sends a request: the known places on its way, and how many blocks of the unit after them are known.
fn send(tree: &mut Requests<usize>, units: &mut Vec<Unit>, request: &[Unit], at: f64) -> (Vec<Place>, usize, usize) {
    let mut way = Vec::new();
    let (mut tip, mut known, mut inside) = (ROOT, 0, 0);
    for unit in request {
        let blocks = blocks(unit);
        if known == way.len()
            && let Some(place) = tree.child(tip, &blocks)
        {
            tip = place;
            known += 1;
        } else {
            if known == way.len() {
                inside = tree.known(tip, &blocks);
            }
            units.push(unit.clone());
            tip = tree.add(tip, units.len() - 1, &blocks);
        }
        way.push(tip);
    }
    tree.sent(ROOT, &way, at);
    (way, known, inside)
}

fn shared<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn requests() -> impl Strategy<Value = Vec<Vec<Unit>>> {
    let unit = prop::collection::vec(1_u8..4, 1..4);
    prop::collection::vec(prop::collection::vec(unit, 0..6), 1..8)
}

proptest! {
    #[test]
    fn the_longest_known_beginning_is_found(requests in requests()) {
        let (mut tree, mut units) = (Requests::new(usize::MAX), Vec::new());
        for (at, request) in requests.iter().enumerate() {
            let (way, known, inside) = send(&mut tree, &mut units, request, at as f64);
            let before = &requests[..at];
            prop_assert_eq!(known, before.iter().map(|old| shared(old, request)).max().unwrap_or(0));
            if known < request.len() {
                let same = before.iter().filter(|old| old.len() > known && old[..known] == request[..known]);
                let most = same.map(|old| shared(&old[known], &request[known])).max().unwrap_or(0);
                prop_assert_eq!(inside, most);
            }
            let end = way.last().copied().unwrap_or(ROOT);
            let flat: Vec<u8> = request.concat();
            prop_assert_eq!(tree.blocks(end), flat.len());
            prop_assert_eq!(tree.tokens(end), flat.iter().map(|block| u64::from(*block)).sum::<u64>());
            prop_assert_eq!(tree.ended(end), Some(at as f64));
            let mut path = ROOT;
            for place in &way {
                prop_assert_eq!(tree.latest(path), Some(*place));
                path = *place;
            }
        }
    }

    #[test]
    fn thinning_keeps_the_latest_ways(requests in requests(), copies in 1_u8..30) {
        let (mut tree, mut units) = (Requests::new(usize::MAX), Vec::new());
        let mut all = Vec::new();
        for copy in 0..copies {
            for request in &requests {
                let request: Vec<Unit> = std::iter::once(vec![100 + copy]).chain(request.iter().cloned()).collect();
                send(&mut tree, &mut units, &request, all.len() as f64);
                all.push(request);
            }
        }
        let all_blocks: Vec<Vec<Block>> = units.iter().map(|unit| blocks(unit)).collect();
        let (thin, now) = tree.thinned(|unit| &all_blocks[unit]);
        prop_assert!(thin.len() <= tree.len());
        let find = |tree: &Requests<usize>, request: &[Unit]| {
            request.iter().try_fold(ROOT, |place, unit| tree.child(place, &blocks(unit)))
        };
        // Ways that are no beginning of a later one, the latest first.
        let mut ways: Vec<&Vec<Unit>> = Vec::new();
        for request in all.iter().rev() {
            let stays = ways.len() < 64;
            if !ways.iter().any(|later| later.starts_with(request)) && stays {
                ways.push(request);
            }
            let place = find(&tree, request).unwrap();
            if ways.iter().any(|later| later.starts_with(request)) {
                prop_assert_eq!(find(&thin, request), now[place]);
                let kept = now[place].unwrap();
                prop_assert_eq!(thin.tokens(kept), tree.tokens(place));
                prop_assert_eq!(thin.ended(kept), tree.ended(place));
                prop_assert_eq!(thin.latest(kept), tree.latest(place).and_then(|latest| now[latest]));
            } else {
                prop_assert_eq!(find(&thin, request), None);
            }
        }
    }

    #[test]
    fn a_line_has_the_keys_of_its_blocks(request in prop::collection::vec(prop::collection::vec(1_u8..4, 0..4), 0..6), cut in 0_usize..7) {
        let mut line = Line::default();
        for (place, unit) in request.iter().enumerate() {
            line.push(place, &blocks(unit));
        }
        let check = |line: &Line, request: &[Unit]| {
            let (mut key, mut sum) = (0, 0);
            let flat: Vec<Block> = request.iter().flat_map(|unit| blocks(unit)).collect();
            assert_eq!(line.keys.len(), flat.len());
            for (block, at) in flat.iter().zip(0..) {
                key = link(key, block.digest);
                sum += block.tokens;
                assert_eq!((line.keys[at], line.sums[at]), (key, sum));
            }
            for units in 0..=request.len() {
                assert_eq!(line.blocks(units), request[..units].concat().len());
            }
        };
        check(&line, &request);
        let cut = cut.min(request.len());
        line.cut(cut);
        check(&line, &request[..cut]);
    }
}

#[test]
fn keys_depend_on_all_before_and_on_their_order() {
    assert_ne!(link(link(0, 1), 2), link(link(0, 2), 1));
    assert_ne!(link(0, 1), link(1, 0));
    assert_ne!(link(link(0, 1), 1), link(0, 1));
}
