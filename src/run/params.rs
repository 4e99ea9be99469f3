//! What can be told to a run.

use std::str::FromStr;

use crate::util::{Any, params};

params! {
    /// Generations of self-play, training and matches, by `tedomari run`.
    pub struct RunParams {
        /// Folder of the run; it goes on where it was left.
        pub folder: String = "runs/run".to_owned(), Any;
        /// Name of its networks.
        pub name: String = "net".to_owned(), Any;
        /// Blocks and filters of the network, such as 6x64.
        pub shape: String = "6x64".to_owned(), Any;
        /// Network to start from, a file or builtin:NAME; empty to start from games without one.
        pub start: String = String::new(), Any;
        /// Folders of games to start from, separated by spaces; empty to play them by random games.
        pub warm_data: String = String::new(), Any;
        /// Games by random games that the first network learns from.
        pub warm_games: u64 = 2000, 1..=10_000_000;
        /// Simulations of each of their moves.
        pub warm_simulations: u64 = 1000, 1..=1_000_000;
        /// Steps of training on them.
        pub warm_steps: u64 = 5000, 1..=1_000_000_000;
        /// Generations after that: how many with how many simulations a move, such as 4x8 4x16 8x32.
        pub schedule: String = "4x8 4x16 8x32".to_owned(), Any;
        /// Games of a generation.
        pub games: u64 = 500, 1..=10_000_000;
        /// Network that labels the games, from whose labels the training then learns; empty to learn from the games themselves.
        pub teacher: String = String::new(), Any;
        /// How often the positions of a generation are trained on, in the mean.
        pub reuse: f64 = 4.0, 0.01..=100.0;
        /// Games of a candidate against the best network so far.
        pub gate_games: u64 = 100, 2..=100_000;
        /// Simulations of both.
        pub gate_simulations: u64 = 64, 1..=1_000_000;
        /// Share of the points that it needs to take its place.
        pub gate_score: f64 = 0.5, 0.0..=1.0;
        /// Games of a new best network against each of the players below, 0 for none.
        pub measure_games: u64 = 20, 0..=100_000;
        /// Simulations of the player without a network, 0 for no such player.
        pub measure_playouts: u64 = 1000, 0..=100_000_000;
        /// Command line of a GTP program to be measured against, empty for none.
        pub measure_program: String = String::new(), Any;
        /// Where the random numbers start.
        pub seed: u64 = 1, 0..=9_223_372_036_854_775_807;
    }
}

/// Simulations of a move, by generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Vec<(u64, u64)>);

/// A text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no schedule: write GENERATIONSxSIMULATIONS, such as 4x8 4x16 8x32")]
pub struct NotASchedule(String);

impl FromStr for Schedule {
    type Err = NotASchedule;

    fn from_str(text: &str) -> Result<Self, NotASchedule> {
        let entry = |word: &str| {
            let (count, simulations) = word.split_once('x')?;
            let numbers = (count.parse::<u64>().ok()?, simulations.parse::<u64>().ok()?);
            (numbers.0 > 0 && numbers.0 <= 100_000 && numbers.1 > 0).then_some(numbers)
        };
        let entries: Option<Vec<_>> = text.split_whitespace().map(entry).collect();
        entries.map(Schedule).ok_or_else(|| NotASchedule(text.to_owned()))
    }
}

impl Schedule {
    /// Generations in all, without the first, which has no network.
    #[must_use]
    pub fn generations(&self) -> u64 {
        self.0.iter().map(|&(count, _)| count).sum()
    }

    /// Simulations of a move in a generation, counted from 1.
    #[must_use]
    pub fn simulations(&self, generation: u64) -> Option<u64> {
        let mut left = generation.checked_sub(1)?;
        for &(count, simulations) in &self.0 {
            if left < count {
                return Some(simulations);
            }
            left -= count;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read() {
        let schedule: Schedule = "2x8 1x16".parse().unwrap();
        assert_eq!(schedule.generations(), 3);
        let simulations: Vec<_> = (0..5).map(|g| schedule.simulations(g)).collect();
        assert_eq!(simulations, [None, Some(8), Some(8), Some(16), None]);
        assert_eq!("".parse::<Schedule>().unwrap().generations(), 0);
        for text in ["8", "x8", "0x8", "8x0", "ax8", "4x8,4x16"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
        assert!(RunParams::default().schedule.parse::<Schedule>().is_ok());
    }
}
