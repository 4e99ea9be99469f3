//! Who plays whom, with which opening.

use std::fmt;
use std::str::FromStr;

/// Which players meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Two players.
    Pairs,
    /// Each with each.
    RoundRobin,
    /// The first with each of the others.
    Gauntlet,
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pairing::Pairs => "pairs",
            Pairing::RoundRobin => "round-robin",
            Pairing::Gauntlet => "gauntlet",
        })
    }
}

/// A part of a schedule, such as the second of three; the parts have no game in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { part: 1, of: 1 };
}

/// No part of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no part of a match: write such as 2/3 for the second of three")]
pub struct NoShard(String);

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let numbers = text.split_once('/').and_then(|(part, of)| {
            let shard = Shard { part: part.parse().ok()?, of: of.parse().ok()? };
            (1..=shard.of).contains(&shard.part).then_some(shard)
        });
        numbers.ok_or_else(|| NoShard(text.to_owned()))
    }
}

/// A game of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Its number, from 0.
    pub game: u64,
    /// The number of its pair: two games with the same opening, colours swapped.
    pub pair: u64,
    /// The number of its opening.
    pub opening: u64,
    /// The index of the player that has Black.
    pub black: usize,
    /// The index of the player that has White.
    pub white: usize,
}

/// All games of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// How many players there are.
    pub players: usize,
    /// Which of them meet.
    pub pairing: Pairing,
    /// Games of every two players that meet.
    pub games: u64,
}

impl Schedule {
    /// The players that meet.
    fn meetings(&self) -> Vec<(usize, usize)> {
        let firsts = match self.pairing {
            Pairing::Gauntlet => 0..1,
            Pairing::Pairs | Pairing::RoundRobin => 0..self.players,
        };
        firsts
            .flat_map(|first| (first + 1..self.players).map(move |second| (first, second)))
            .collect()
    }

    /// How many openings are needed: every two players that meet get the same ones.
    #[must_use]
    pub const fn openings(&self) -> u64 {
        self.games.div_ceil(2)
    }

    /// How many games there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.games * self.meetings().len() as u64
    }

    /// The games of a part, in the order in which they are played.
    pub fn part(&self, shard: Shard) -> impl Iterator<Item = Scheduled> + use<> {
        let meetings = self.meetings();
        let (count, games) = (meetings.len() as u64, self.games);
        let pairs =
            (0..self.openings() * count).filter(move |pair| pair % shard.of + 1 == shard.part);
        pairs.flat_map(move |pair| {
            let opening = pair / count;
            let index = usize::try_from(pair % count).unwrap_or_default();
            let (first, second) = meetings[index];
            // An odd number of games leaves the last pair half.
            let swaps = if 2 * opening + 1 < games { 2 } else { 1 };
            [(first, second), (second, first)].into_iter().zip(0..swaps).map(
                move |((black, white), swap)| Scheduled {
                    game: 2 * pair + swap,
                    pair,
                    opening,
                    black,
                    white,
                },
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn games(players: usize, pairing: Pairing, games: u64, shard: Shard) -> Vec<Scheduled> {
        Schedule { players, pairing, games }.part(shard).collect()
    }

    #[test]
    fn two_players_swap_colours_on_every_opening() {
        let list = games(2, Pairing::Pairs, 5, Shard::WHOLE);
        let short: Vec<_> =
            list.iter().map(|g| (g.game, g.pair, g.opening, g.black, g.white)).collect();
        assert_eq!(
            short,
            [(0, 0, 0, 0, 1), (1, 0, 0, 1, 0), (2, 1, 1, 0, 1), (3, 1, 1, 1, 0), (4, 2, 2, 0, 1)]
        );
    }

    #[test]
    fn all_meet_all_with_the_same_openings() {
        let list = games(4, Pairing::RoundRobin, 4, Shard::WHOLE);
        assert_eq!(list.len(), 24);
        assert_eq!(Schedule { players: 4, pairing: Pairing::RoundRobin, games: 4 }.total(), 24);
        let different: HashSet<_> = list.iter().map(|g| (g.black, g.white, g.opening)).collect();
        assert_eq!(different.len(), 24);
        assert!(list.iter().all(|g| g.black != g.white && g.opening < 2));
        let gauntlet = games(4, Pairing::Gauntlet, 4, Shard::WHOLE);
        assert_eq!(gauntlet.len(), 12);
        assert!(gauntlet.iter().all(|g| (g.black == 0) != (g.white == 0)));
    }

    #[test]
    fn parts_have_nothing_in_common_and_leave_nothing_out() {
        let whole = games(3, Pairing::RoundRobin, 7, Shard::WHOLE);
        let mut parts: Vec<_> = (1..=4)
            .flat_map(|part| games(3, Pairing::RoundRobin, 7, Shard { part, of: 4 }))
            .collect();
        parts.sort_by_key(|game| game.game);
        assert_eq!(parts, whole);
        let numbers: HashSet<_> = whole.iter().map(|game| game.game).collect();
        assert_eq!(numbers.len(), whole.len());
    }

    #[test]
    fn parts_are_read() {
        assert_eq!("2/3".parse(), Ok(Shard { part: 2, of: 3 }));
        for text in ["", "2", "0/3", "4/3", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
