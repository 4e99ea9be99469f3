use super::*;
use crate::eval::{EvalError, Evaluation, Evaluator, Policy};
use crate::game::{BoardSize, Komi, Move, Position, Rules};
use crate::search::leaf::Memory;
use crate::search::tree::Tree;
use crate::search::words::{Supply, Words};
use crate::search::worker::Descent;
use crate::search::{SearchParams, Selection};
use crate::util::Seed;

#[test]
fn words_add_up_to_means() {
    let bits = 3 * Amaf::bits_of(Value::WIN) + Amaf::bits_of(Value::LOSS);
    let amaf = Amaf::from_bits(bits);
    assert!((amaf.visits - 4.0).abs() < 1e-12 && (amaf.value - 0.5).abs() < 1e-12);
    let half = Amaf::from_bits(Amaf::bits_of(Value::DRAW));
    assert!(half.value.abs() < 1e-12);
    assert!(Amaf::from_bits(0).visits.abs() < 1e-12);
}

/// Says that Black wins, and that Black was first on A1 and White on B1.
struct Scripted;

impl Evaluator for Scripted {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        let evaluate = |position: &&Position| {
            let size = position.size();
            let mut first = FirstMoves::new(size);
            first.add(Color::Black, size.parse_point("A1").unwrap());
            first.add(Color::White, size.parse_point("B1").unwrap());
            let wins = position.to_move() == Color::Black;
            Evaluation {
                value: if wins { Value::WIN } else { Value::LOSS },
                policy: Policy::Uniform,
                score: None,
                ownership: None,
                first_moves: Some(first),
            }
        };
        Ok(batch.iter().map(evaluate).collect())
    }
}

/// The later moves of a search by hand: for each simulation, who was first on which point.
#[test]
fn every_simulation_counts_for_the_moves_that_were_made_in_it() {
    let size = BoardSize::square(5).unwrap();
    let position = Position::new(size, Rules::CHINESE, Komi::default());
    let params = SearchParams { rave: 100.0, formula: Selection::Ucb1, ..Default::default() };
    let room = || Words::new(&Supply::new(64 << 20), 64 << 20);
    let tree = Tree::in_words(room(), true);
    let mut shared = Shared::new(tree, position.clone(), &params, None);
    let (mut memory, mut rng) = (Memory::default(), Seed::new(1).rng());
    let root = Scripted.evaluate(&[&position]).unwrap().remove(0);
    shared.begin(&root, &params, (&mut memory, &mut rng));
    let mut expected = std::collections::HashMap::new();
    let mut leaf = Leaf::new(position.clone());
    for _ in 0..600 {
        leaf.position.clone_from(&position);
        let descent = shared.descend(&mut leaf, &mut memory, &|_| Policy::Uniform);
        assert!(matches!(descent, Descent::Leaf));
        // By hand: the moves of the path in turn, then those of the script.
        let moves = leaf.path()[1..].iter().map(|&id| shared.tree.node(id).mv());
        let mut colors = Color::BOTH.into_iter().cycle();
        let mut first: Vec<(Move, Color)> = Vec::new();
        let script = [("A1", Color::Black), ("B1", Color::White)]
            .map(|(text, color)| (size.parse_move(text).unwrap(), color));
        let path = moves.map(|mv| (mv, colors.next().unwrap()));
        for (mv, color) in path.chain(script) {
            if mv != Move::Pass && !first.iter().any(|&(other, _)| other == mv) {
                first.push((mv, color));
            }
        }
        for (mv, _) in first.into_iter().filter(|&(_, color)| color == Color::Black) {
            *expected.entry(mv).or_insert(0.0) += 1.0;
        }
        let answer = Scripted.evaluate(&[&leaf.position]).unwrap().remove(0);
        shared.grow(&leaf, &answer, &mut memory);
    }
    let block = shared.tree.moves(shared.tree.root()).unwrap();
    let (_, words) = block.amaf_words().unwrap();
    for index in 0..block.len() {
        let (mv, amaf) = (block.edge(index).mv, amaf_at(words, index));
        let visits = expected.get(&mv).copied().unwrap_or(0.0);
        assert!((amaf.visits - visits).abs() < 1e-9, "{}: {amaf:?}", size.move_text(mv));
        assert!(visits == 0.0 || (amaf.value - 1.0).abs() < 1e-9);
    }
    // The tree of the next move keeps them.
    let first = block.edge(0).mv;
    let child = shared.tree.descendant([first]).unwrap();
    let copy = shared.tree.rooted_at(child, room());
    let read = |tree: &Tree, id| {
        let (_, words) = tree.moves(id).unwrap().amaf_words().unwrap();
        words.iter().map(|word| word.load(Ordering::Relaxed)).collect::<Vec<_>>()
    };
    let kept = read(&copy, copy.root());
    assert_eq!(kept, read(&shared.tree, child));
    assert!(kept.iter().any(|&word| word > 0));
    assert_eq!(shared.simulations(), 601);
}
