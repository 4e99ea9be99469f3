use super::block::place;
use super::*;
use crate::eval::Value;
use crate::game::BoardSize;
use crate::search::Proof;

fn edges(count: usize) -> Vec<u64> {
    let size = BoardSize::square(25).unwrap();
    size.points()
        .take(count)
        .enumerate()
        .map(|(i, point)| Edge { mv: Move::Place(point), prior: 1.0 / (i + 2) as f32 }.to_bits())
        .collect()
}

#[test]
fn edges_survive_as_bits() {
    let size = BoardSize::square(19).unwrap();
    for mv in size.points().map(Move::Place).chain([Move::Pass]) {
        let edge = Edge { mv, prior: 0.123 };
        assert_eq!(Edge::from_bits(edge.to_bits()), edge);
        assert_eq!(edge.to_bits() & 0xFFFF, 0, "the lowest bits are for other things");
    }
}

#[test]
fn the_other_words_follow_those_of_a_segment() {
    // Four nodes of four words, then two words for each of them.
    assert_eq!([0, 1, 2, 3].map(|index| distance(4, index) >> 2), [16, 14, 12, 10]);
    assert_eq!(distance(1024, 0) & !DISTANCE, 0, "the longest distance fits");
}

#[test]
fn children_stand_where_their_index_says() {
    assert_eq!(
        [0, 1, 2, 5, 6, 13, 14].map(place),
        [(0, 0), (0, 1), (1, 0), (1, 3), (2, 0), (2, 7), (3, 0)]
    );
    let tree = Tree::new(8 << 20);
    let mut reserve = Reserve::default();
    let edges = edges(625);
    assert!(tree.node(tree.root()).claim() && !tree.node(tree.root()).claim());
    tree.open(tree.root(), &edges, &mut reserve);
    let block = tree.moves(tree.root()).unwrap();
    assert_eq!((block.len(), block.created()), (625, 0));
    block.create(624, &mut reserve).unwrap();
    tree.count(&mut reserve);
    let mut seen = 0;
    block.for_each_child(|index, child| {
        assert_eq!(index, seen);
        assert_eq!(child.edge(), Edge::from_bits(edges[index]));
        assert_eq!(child.edge(), tree.node(block.child(index)).edge());
        seen += 1;
    });
    assert_eq!((seen, tree.nodes()), (625, 626));
}

#[test]
fn sums_are_exact_and_spread_is_the_spread() {
    let tree = Tree::new(1 << 20);
    let node = tree.node(tree.root());
    for value in [1.0, -0.5, 0.25, -1.0] {
        node.enter();
        node.record(Value::new(value), 10.0 * value, true);
    }
    assert_eq!(node.counts(), Counts { visits: 4, in_flight: 0 });
    assert_eq!(node.value(), Value::new(-0.0625));
    // Squares: (1 + 0.25 + 0.0625 + 1) / 4 = 0.578125; less 0.0625² it is 0.57421875.
    assert!((node.deviation() - 0.574_218_75_f32.sqrt()).abs() < 1e-6);
    assert!((node.score() + 0.625).abs() < 1e-3);
    assert_eq!(node.proof(), None);
    node.prove(Proof::Draw);
    assert_eq!(node.proof(), Some(Proof::Draw));
}

#[test]
fn many_threads_make_each_child_once() {
    let tree = Tree::new(16 << 20);
    let edges = edges(300);
    tree.node(tree.root()).claim();
    tree.open(tree.root(), &edges, &mut Reserve::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut reserve = Reserve::default();
                for index in 0..300 {
                    let block = tree.moves(tree.root()).unwrap();
                    let child = block.create(index, &mut reserve).unwrap();
                    tree.node(child).enter();
                    tree.node(child).record(Value::WIN, 0.0, true);
                }
                tree.count(&mut reserve);
            });
        }
    });
    assert_eq!(tree.nodes(), 301);
    tree.moves(tree.root()).unwrap().for_each_child(|index, child| {
        assert_eq!(child.counts(), Counts { visits: 8, in_flight: 0 });
        assert_eq!(child.edge(), Edge::from_bits(edges[index]));
    });
}
