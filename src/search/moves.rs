//! The moves of a node in the order of their priors.

use super::limits::PlyLimits;
use super::tree::Edge;
use crate::eval::Policy;
use crate::game::{Game, Move, Position};

/// Writes all legal moves that may be considered as edges, by falling prior. The priors add up to one. Where
/// nothing is known of the moves, their order is random, but always the same for a position.
pub(super) fn sorted_moves(
    position: &Position,
    policy: &Policy,
    limits: Option<PlyLimits<'_>>,
    edges: &mut Vec<u64>,
) {
    let color = position.to_move();
    let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
    let moves = position.legal_points(color).map(Move::Place).chain(pass);
    let moves = moves.filter(|&mv| limits.is_none_or(|limits| limits.allow(mv)));
    edges.clear();
    edges.extend(moves.map(|mv| Edge { mv, prior: 0.0 }.to_bits()));
    let plain = matches!(policy, Policy::Sensible | Policy::OnDemand);
    if plain {
        shuffle(edges, position.hash());
    }
    if *policy != Policy::Uniform {
        let weight = |edge: u64| policy.weight(position, Edge::from_bits(edge).mv).max(0.0);
        let sum: f32 = edges.iter().map(|&edge| weight(edge)).sum();
        if sum > 0.0 && sum.is_finite() {
            for edge in edges.iter_mut() {
                let mv = Edge::from_bits(*edge).mv;
                *edge = Edge { mv, prior: weight(*edge) / sum }.to_bits();
            }
            if plain {
                edges.sort_by_key(|&edge| Edge::from_bits(edge).prior <= 0.0);
            } else {
                // The larger the prior, the larger the number.
                edges.sort_unstable_by(|a, b| b.cmp(a));
            }
            return;
        }
    }
    let prior = Edge { mv: Move::from_code(0), prior: 1.0 / edges.len() as f32 }.to_bits();
    for edge in edges.iter_mut() {
        *edge |= prior;
    }
    shuffle(edges, position.hash());
}

/// Shuffles by numbers drawn from a hash.
fn shuffle(edges: &mut [u64], hash: u64) {
    let mut state = hash;
    for index in (1..edges.len()).rev() {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        // The high bits, scaled to the places left.
        let place = ((state >> 32) * (index as u64 + 1)) >> 32;
        edges.swap(index, place as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};

    fn edges(policy: &Policy) -> Vec<Edge> {
        let size = BoardSize::new(3, 2).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let mut bits = vec![1, 2, 3];
        sorted_moves(&position, policy, None, &mut bits);
        bits.into_iter().map(Edge::from_bits).collect()
    }

    #[test]
    fn moves_stand_in_the_order_of_their_priors() {
        let points = vec![1.0, 0.0, 3.0, 0.0, 2.0, 0.0];
        let edges = edges(&Policy::Weights { points, pass: 4.0 });
        let priors: Vec<_> = edges.iter().map(|edge| edge.prior).collect();
        assert_eq!(priors, [0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]);
        assert_eq!(edges[0].mv, Move::Pass);
    }

    #[test]
    fn own_eyes_come_last() {
        let diagram = crate::game::Diagram::parse(". X .\nX X .\n. . .").unwrap();
        let board = diagram.board().clone();
        let black = crate::game::Color::Black;
        let position = Position::from_board(board, black, Rules::CHINESE, Komi::default());
        let mut bits = Vec::new();
        sorted_moves(&position, &Policy::Sensible, None, &mut bits);
        let last = Edge::from_bits(bits[bits.len() - 1]);
        assert_eq!(position.size().move_text(last.mv), "A3");
        assert!(last.prior.abs() < 1e-9);
        let first = Edge::from_bits(bits[0]);
        assert!((first.prior - 1.0 / 6.0).abs() < 1e-6, "five points and the pass");
    }

    #[test]
    fn without_priors_all_moves_are_equal() {
        for policy in [Policy::Uniform, Policy::Weights { points: vec![0.0; 6], pass: 0.0 }] {
            let edges = edges(&policy);
            assert!(edges.iter().all(|edge| (edge.prior - 1.0 / 7.0).abs() < 1e-7));
            let mut moves: Vec<_> = edges.iter().map(|edge| edge.mv).collect();
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), 7);
        }
    }
}
