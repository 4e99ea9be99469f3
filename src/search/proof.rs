//! What is proven: at the end of a game, and from there towards the root.

use super::report::Proof;
use super::tree::{NodeId, Tree};
use crate::game::{DeadStones, Game, PointSet, Position};

/// What is known of the end of a path may prove the nodes before it: a move to a position that is
/// lost for the opponent wins, and where all moves are proven the best of them counts.
pub(super) fn prove_upwards(tree: &Tree, path: &[NodeId], mut proof: Proof) {
    for &id in path.iter().rev().skip(1) {
        let node = tree.node(id);
        if node.proof().is_some() {
            return;
        }
        proof = match proof {
            Proof::Loss => Proof::Win,
            Proof::Win | Proof::Draw => {
                let Some(block) = tree.moves(id) else { return };
                let mut open = block.created() < block.len();
                let (mut won, mut drawn) = (false, false);
                block.for_each_child(|_, child| match child.proof() {
                    None => open = true,
                    // Another thread has proven the child and is on its way up.
                    Some(Proof::Loss) => won = true,
                    Some(Proof::Draw) => drawn = true,
                    Some(Proof::Win) => {}
                });
                match (won, open, drawn) {
                    (true, _, _) => Proof::Win,
                    (false, true, _) => return,
                    (false, false, true) => Proof::Draw,
                    (false, false, false) => Proof::Loss,
                }
            }
        };
        node.prove(proof);
    }
}

/// The result and the score for the side to move, where the game is over and no agreement on dead
/// stones needed.
pub(super) fn result(position: &Position) -> Option<(Proof, f32)> {
    let rules = position.rules();
    let decided = rules.game == Game::NoGo || rules.dead_stones == DeadStones::Counted;
    if !decided || !position.is_over() {
        return None;
    }
    let color = position.to_move();
    let proof = match position.winner(&PointSet::new()) {
        None => Proof::Draw,
        Some(winner) if winner == color => Proof::Win,
        Some(_) => Proof::Loss,
    };
    let score = match rules.game {
        Game::NoGo => 0.0,
        #[expect(clippy::cast_possible_truncation, reason = "half points of a board")]
        Game::Go => position.score(&PointSet::new()).points_for(color) as f32,
    };
    Some((proof, score))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;
    use crate::search::tree::Edge;
    use crate::search::words::Reserve;

    /// Two threads come up from two moves of one node, the second before the first has got there:
    /// what it sees is a child that is lost for the opponent under a node without a proof.
    #[test]
    fn a_win_that_another_thread_has_not_carried_up_yet_is_no_loss() {
        for other in [Proof::Win, Proof::Draw] {
            let tree = Tree::new(1 << 20);
            let mut reserve = Reserve::default();
            assert!(tree.node(tree.root()).claim());
            let edge = |code| Edge { mv: Move::from_code(code), prior: 0.5 }.to_bits();
            tree.open(tree.root(), &[edge(1), edge(2)], &mut reserve);
            let block = tree.moves(tree.root()).unwrap();
            let [first, second] = [0, 1].map(|index| block.create(index, &mut reserve).unwrap());
            tree.node(first).prove(Proof::Loss);
            tree.node(second).prove(other);
            prove_upwards(&tree, &[tree.root(), second], other);
            assert_eq!(tree.node(tree.root()).proof(), Some(Proof::Win), "beside {other:?}");
            // The first thread arrives: nothing changes.
            prove_upwards(&tree, &[tree.root(), first], Proof::Loss);
            assert_eq!(tree.node(tree.root()).proof(), Some(Proof::Win));
        }
    }
}
