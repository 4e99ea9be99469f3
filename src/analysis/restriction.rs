//! Moves that a search may not make, or no others.

use crate::game::{Color, Move};

/// What becomes of the moves of a [`Restriction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// They are not searched.
    Avoid,
    /// No others are searched.
    Allow,
}

/// Limits the moves of one player near the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// Whose moves.
    pub player: Color,
    /// Which moves.
    pub moves: Vec<Move>,
    /// From the root, which has depth 0, to the depth before this one.
    pub until_depth: u32,
    /// What becomes of them.
    pub rule: Rule,
}

impl Restriction {
    fn permits(&self, player: Color, mv: Move, depth: u32) -> bool {
        let concerned = self.player == player && depth < self.until_depth;
        !concerned || self.moves.contains(&mv) == (self.rule == Rule::Allow)
    }
}

/// All restrictions of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restrictions(pub Vec<Restriction>);

impl Restrictions {
    /// Whether a player may make a move at a depth.
    #[must_use]
    pub fn permit(&self, player: Color, mv: Move, depth: u32) -> bool {
        self.0.iter().all(|restriction| restriction.permits(player, mv, depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use Color::{Black, White};

    #[test]
    fn moves_are_avoided_or_alone_until_a_depth() {
        let size = BoardSize::square(9).unwrap();
        let mv = |text: &str| size.parse_move(text).unwrap();
        let with = |rule| {
            let moves = vec![mv("C3"), Move::Pass];
            Restrictions(vec![Restriction { player: Black, moves, until_depth: 3, rule }])
        };
        let avoid = with(Rule::Avoid);
        assert!(!avoid.permit(Black, mv("C3"), 0) && !avoid.permit(Black, Move::Pass, 2));
        assert!(avoid.permit(Black, mv("C3"), 3) && avoid.permit(White, mv("C3"), 0));
        assert!(avoid.permit(Black, mv("D3"), 0));
        let allow = with(Rule::Allow);
        assert!(allow.permit(Black, mv("C3"), 0) && !allow.permit(Black, mv("D3"), 2));
        assert!(allow.permit(Black, mv("D3"), 3) && allow.permit(White, mv("D3"), 0));
        assert!(Restrictions::default().permit(Black, Move::Pass, 0));
    }
}
