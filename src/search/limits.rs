//! Moves that a search must not consider, by player and depth.

use std::collections::BTreeMap;

use crate::game::{Color, Move};

/// Moves that a player must avoid, or must choose from, in the first plies of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Whose moves.
    pub player: Color,
    /// Which moves.
    pub moves: Vec<Move>,
    /// Plies that are limited: 1 for the first move alone, 2 for the answer to it as well.
    pub until_depth: u32,
    /// What becomes of these moves.
    pub kind: LimitKind,
}

/// What a limit says of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// They are not considered.
    Avoid,
    /// All others are not considered. Several limits of this kind allow the moves of each.
    Allow,
}

/// All limits of a search. The default limits nothing.
///
/// A search writes down the moves that it may consider and no others, so that limits cost nothing where there
/// are none. Where no move is left, the position is judged as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// By [`Color::index`].
    players: [PlayerLimits; 2],
}

/// Limits of one player, each with the number of plies that it holds for; that is never 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PlayerLimits {
    avoid: BTreeMap<Move, u32>,
    allow: BTreeMap<Move, u32>,
    /// How long moves that are not among the allowed ones are excluded; 0 if none are named.
    outside: u32,
}

/// The limits of one player at one depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlyLimits<'a> {
    player: &'a PlayerLimits,
    ply: u32,
}

impl PlyLimits<'_> {
    pub(super) fn allow(self, mv: Move) -> bool {
        let Self { player: PlayerLimits { avoid, allow, outside }, ply } = self;
        let holds = |moves: &BTreeMap<Move, u32>| moves.get(&mv).is_some_and(|&until| ply < until);
        !holds(avoid) && (ply >= *outside || holds(allow))
    }
}

impl Limits {
    /// Whether a player may consider a move so many plies below the root.
    #[must_use]
    pub fn allow(&self, player: Color, ply: usize, mv: Move) -> bool {
        self.at(player, ply).is_none_or(|limits| limits.allow(mv))
    }

    /// The limits of a player so many plies below the root; none if all moves may be considered.
    pub(super) fn at(&self, player: Color, ply: usize) -> Option<PlyLimits<'_>> {
        let player = &self.players[player.index()];
        let ply = u32::try_from(ply).unwrap_or(u32::MAX);
        (ply < player.reach()).then_some(PlyLimits { player, ply })
    }

    /// Plies in which somebody is limited.
    pub(super) fn reach(&self) -> u32 {
        self.players.iter().map(PlayerLimits::reach).max().unwrap_or(0)
    }

    /// What is left of the limits so many moves later with `to_move` to move. Two are equal if they allow the same
    /// moves of alternating players, unless they name moves that are limited anyway.
    pub(super) fn after(&self, moves: usize, to_move: Color) -> Self {
        let moves = u32::try_from(moves).unwrap_or(u32::MAX);
        let mut left = Self::default();
        for color in Color::BOTH {
            let until = |until: u32| {
                // The last ply that is the player's own counts.
                let until = until.saturating_sub(moves);
                let odd = until % 2 == 1;
                if odd == (color == to_move) { until } else { until.saturating_sub(1) }
            };
            let moves_left = |moves: &BTreeMap<Move, u32>| {
                let left = moves.iter().map(|(&mv, &depth)| (mv, until(depth)));
                left.filter(|&(_, depth)| depth > 0).collect()
            };
            let PlayerLimits { avoid, allow, outside } = &self.players[color.index()];
            left.players[color.index()] = PlayerLimits {
                avoid: moves_left(avoid),
                allow: moves_left(allow),
                outside: until(*outside),
            };
        }
        left
    }
}

impl PlayerLimits {
    fn reach(&self) -> u32 {
        self.avoid.values().copied().chain([self.outside]).max().unwrap_or(0)
    }
}

impl FromIterator<Limit> for Limits {
    fn from_iter<T: IntoIterator<Item = Limit>>(limits: T) -> Self {
        let mut all = Self::default();
        for Limit { player, moves, until_depth, kind } in limits {
            let player = &mut all.players[player.index()];
            let named = match kind {
                LimitKind::Avoid => &mut player.avoid,
                LimitKind::Allow => {
                    player.outside = player.outside.max(until_depth);
                    &mut player.allow
                }
            };
            for mv in moves.into_iter().filter(|_| until_depth > 0) {
                let until = named.entry(mv).or_default();
                *until = until_depth.max(*until);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use Color::{Black, White};
    use LimitKind::{Allow, Avoid};

    fn mv(text: &str) -> Move {
        BoardSize::square(5).unwrap().parse_move(text).unwrap()
    }

    fn limits(all: &[(LimitKind, Color, &str, u32)]) -> Limits {
        let limit = |&(kind, player, moves, until_depth): &(_, _, &str, _)| {
            let moves = moves.split_whitespace().map(mv).collect();
            Limit { player, moves, until_depth, kind }
        };
        all.iter().map(limit).collect()
    }

    #[test]
    fn a_limit_is_for_a_player_and_the_first_plies() {
        let limits = limits(&[(Avoid, Black, "C3", 3), (Allow, White, "A1 pass", 2)]);
        let allowed = |player, ply, text: &str| limits.allow(player, ply, mv(text));
        assert_eq!([0, 2, 3].map(|ply| allowed(Black, ply, "C3")), [false, false, true]);
        assert!(allowed(Black, 0, "A1") && !allowed(White, 1, "C3") && allowed(White, 2, "C3"));
        assert!(allowed(White, 1, "A1") && allowed(White, 1, "pass"));
        assert_eq!(limits.reach(), 3);
    }

    #[test]
    fn limits_add_up() {
        let limits = limits(&[
            (Allow, Black, "A1 B1", 1),
            (Allow, Black, "C1", 3),
            (Avoid, Black, "B1", 1),
            (Avoid, Black, "D1", 0),
        ]);
        let allowed = |ply| {
            let all = ["A1", "B1", "C1", "D1"];
            all.into_iter().filter(|text| limits.allow(Black, ply, mv(text))).collect::<Vec<_>>()
        };
        assert_eq!(allowed(0), ["A1", "C1"]);
        assert_eq!(allowed(1), ["C1"], "the first limit has ended");
        assert_eq!(allowed(3).len(), 4);
        assert!(
            !super::Limits::from_iter([Limit {
                player: White,
                moves: Vec::new(),
                until_depth: 1,
                kind: Allow
            }])
            .allow(White, 0, mv("A1"))
        );
    }

    #[test]
    fn what_is_left_after_some_moves_is_compared() {
        let nothing = Limits::default();
        let left = |all: &[_], moves, to_move| limits(all).after(moves, to_move);
        assert_eq!(left(&[(Avoid, Black, "C3", 1)], 1, White), nothing);
        assert_eq!(
            left(&[(Avoid, White, "C3", 1)], 0, Black),
            nothing,
            "White does not move there"
        );
        assert_eq!(left(&[(Avoid, White, "C3", 2)], 0, Black), limits(&[(Avoid, White, "C3", 2)]));
        assert_eq!(left(&[(Avoid, White, "C3", 3)], 0, Black), limits(&[(Avoid, White, "C3", 2)]));
        assert_eq!(left(&[(Allow, Black, "C3", 4)], 2, Black), limits(&[(Allow, Black, "C3", 1)]));
        assert_ne!(left(&[(Avoid, Black, "C3", 3)], 1, White), nothing);
    }
}
