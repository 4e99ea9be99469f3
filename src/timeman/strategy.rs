//! Strategies as values: parts with numbers, presets by name, and a text that users write.

use std::fmt;
use std::str::FromStr;

use super::presets::{PRESETS, Preset};
use crate::util::Limits;

/// What a part of a strategy does. Papers and numbers are with the presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Time left by the moves expected after so many moves.
    ExpMoves,
    /// Time left by the moves expected after simulated games of such a length.
    ExpSim,
    /// Time left by the moves expected with so many stones on the board.
    ExpStones,
    /// Time left by a constant.
    Basic,
    /// Time left by a constant and the moves up to a number.
    Enhanced,
    /// A fixed share of the time left.
    Fraction,
    /// The base formula of `KataGo`.
    KataGo,
    /// The base formula of Leela Zero.
    LeelaZero,
    /// The base formula of Pachi.
    Pachi,
    /// A constant factor.
    Open,
    /// A bell curve over the move number.
    Mid,
    /// A factor by the criticality that is usual at this move.
    KappaExp,
    /// A factor by the criticality of the last search.
    KappaLm,
    /// A factor that makes up for the part of the plan that searches do not use.
    Learned,
    /// A factor where the game is as good as decided.
    Decided,
    /// Prolongs when behind.
    Behind,
    /// Prolongs when the most visited move is not the best.
    Unst,
    /// Prolongs when two moves are close.
    Close,
    /// Shortens or prolongs by the criticality of the running search.
    KappaCm,
    /// Ends when the best move will not be overtaken; plans more in return.
    Stop,
    /// Ends when visits stand still.
    Kld,
    /// Ends by chance.
    Random,
    /// Counts reused visits as time spent.
    Reuse,
}

impl Kind {
    /// Whether the part gives the time that others only change.
    #[must_use]
    pub const fn is_base(self) -> bool {
        matches!(
            self,
            Kind::ExpMoves
                | Kind::ExpSim
                | Kind::ExpStones
                | Kind::Basic
                | Kind::Enhanced
                | Kind::Fraction
                | Kind::KataGo
                | Kind::LeelaZero
                | Kind::Pachi
        )
    }
}

/// A part of a strategy with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it does.
    pub kind: Kind,
    values: Vec<(&'static str, f64)>,
}

impl Part {
    /// A number by its name.
    ///
    /// # Panics
    /// If the part has no such number, which a test of all presets rules out.
    #[must_use]
    pub fn get(&self, key: &str) -> f64 {
        let found = self.values.iter().find(|(name, _)| *name == key);
        found.expect("invariant: presets give their parts all numbers").1
    }
}

/// How the time of a game is used: one base, and parts that change it before and during a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    text: String,
    parts: Vec<Part>,
}

/// A text that names no strategy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StrategyError {
    /// No preset has this name.
    #[error("there is no strategy '{0}': `tedomari time list` shows their names")]
    Unknown(String),
    /// Something behind the name is not `key=value`.
    #[error(
        "'{0}' is not KEY=NUMBER: write a name, others after +, then changes such as p_earlystop=0.5"
    )]
    NotAChange(String),
    /// The strategy has no such number.
    #[error("this strategy has no '{key}': it has {known}")]
    NoSuchKey {
        /// What was to be changed.
        key: String,
        /// What could be.
        known: String,
    },
    /// A number outside its limits.
    #[error("{key} is {value}, allowed is {low} to {high}")]
    Limit {
        /// Which number.
        key: &'static str,
        /// What it was to be.
        value: f64,
        /// The smallest that is allowed.
        low: f64,
        /// The largest.
        high: f64,
    },
}

/// The numbers of all parts, with their limits.
const LIMITS: &[(&str, f64, f64)] = &[
    ("f_opening", 0.01, 100.0),
    ("a", 0.0, 100.0),
    ("b", 0.0, 1000.0),
    ("c", 0.1, 1000.0),
    ("s_kappa", -1000.0, 1000.0),
    ("i_kappa", -1000.0, 1000.0),
    ("low", 0.01, 100.0),
    ("high", 0.01, 100.0),
    ("collect_ms", 0.0, 1e9),
    ("f_behind", 0.0, 100.0),
    ("v_behind", 0.0, 1.0),
    ("l_behind", 0.0, 100.0),
    ("f_unstable", 0.0, 100.0),
    ("l_unstable", 0.0, 100.0),
    ("f_close", 0.0, 100.0),
    ("d_close", 0.0, 1.0),
    ("l_close", 0.0, 100.0),
    ("f_earlystop", 0.01, 100.0),
    ("p_earlystop", 0.0, 1.0),
    ("C", 1.0, 1000.0),
    ("MaxPly", 0.0, 10_000.0),
    ("fraction", 0.001, 1.0),
    ("kld_gain", 0.0, 1.0),
    ("kld_interval", 1.0, 1e9),
    ("p_random", 0.0, 1.0),
    ("f_random", 0.0, 1.0),
    ("front", 0.1, 10.0),
    ("start", 0.05, 2.0),
    ("floor", 0.05, 1.0),
    ("half_life", 0.1, 1000.0),
    ("decided_above", 0.5, 1.0),
    ("f_decided", 0.01, 1.0),
    ("reuse", 0.0, 1.0),
];

impl Strategy {
    /// The parts; the first is the base.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part of a kind.
    #[must_use]
    pub fn part(&self, kind: Kind) -> Option<&Part> {
        self.parts.iter().find(|part| part.kind == kind)
    }

    /// The strategy as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All numbers, as they can be changed: `f_earlystop=2.5 p_earlystop=0.4`.
    #[must_use]
    pub fn numbers(&self) -> String {
        let values = self.parts.iter().flat_map(|part| &part.values);
        values.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }

    fn of_preset(preset: &Preset) -> Vec<Part> {
        let part = |&(kind, values): &(Kind, &[(&'static str, f64)])| Part {
            kind,
            values: values.to_vec(),
        };
        preset.parts.iter().map(part).collect()
    }

    fn change(&mut self, change: &str) -> Result<(), StrategyError> {
        let not_a_change = || StrategyError::NotAChange(change.to_owned());
        let (key, value) = change.split_once('=').ok_or_else(not_a_change)?;
        let value: f64 = value.parse().map_err(|_| not_a_change())?;
        let mut found = false;
        for (name, old) in self.parts.iter_mut().flat_map(|part| &mut part.values) {
            if *name == key {
                check_limits(name, value)?;
                *old = value;
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        let values = self.parts.iter().flat_map(|part| &part.values);
        let known: Vec<_> = values.map(|&(name, _)| name).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(StrategyError::NoSuchKey { key: key.to_owned(), known })
    }
}

fn check_limits(key: &'static str, value: f64) -> Result<(), StrategyError> {
    let limits = LIMITS.iter().find(|(name, ..)| *name == key);
    let &(_, low, high) = limits.expect("invariant: all numbers have limits");
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(StrategyError::Limit { key, value, low, high })
    }
}

fn preset(name: &str) -> Result<&'static Preset, StrategyError> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let found = PRESETS.iter().find(|preset| plain(preset.name) == plain(name));
    found.ok_or_else(|| StrategyError::Unknown(name.to_owned()))
}

impl FromStr for Strategy {
    type Err = StrategyError;

    /// Reads a name, further names after `+` whose parts are added, and changes of numbers:
    /// `EXP-STONES+MID+STOP a=1.5`.
    fn from_str(text: &str) -> Result<Self, StrategyError> {
        let mut words = text.split_whitespace();
        let names = words.next().unwrap_or_default();
        let mut names = names.split('+');
        let first = preset(names.next().unwrap_or_default())?;
        let mut parts = Self::of_preset(first);
        for name in names {
            for part in Self::of_preset(preset(name)?) {
                if part.kind.is_base() {
                    continue;
                }
                parts.retain(|other| other.kind != part.kind);
                parts.push(part);
            }
        }
        let mut strategy = Self { text: text.trim().to_owned(), parts };
        words.try_for_each(|change| strategy.change(change))?;
        Ok(strategy)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The limits of a key that names a strategy.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrategyText;

impl Limits<String> for StrategyText {
    fn allow(&self, value: &String) -> bool {
        value.parse::<Strategy>().is_ok()
    }

    fn describe(&self) -> String {
        "a name of `tedomari time list`, others after +, then changes such as p_earlystop=0.5"
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Strategy {
        text.parse().unwrap()
    }

    #[test]
    fn every_preset_can_be_read_has_one_base_and_keeps_to_its_limits() {
        for preset in PRESETS {
            let strategy = read(preset.name);
            let bases = strategy.parts().iter().filter(|part| part.kind.is_base()).count();
            assert_eq!(bases, 1, "{}", preset.name);
            assert!(strategy.parts()[0].kind.is_base());
            for (key, value) in strategy.parts.iter().flat_map(|part| &part.values) {
                assert_eq!(check_limits(key, *value), Ok(()), "{}", preset.name);
            }
        }
    }

    #[test]
    fn names_are_joined_and_numbers_changed() {
        let stop = read("EXP-STONES+STOP");
        assert_eq!(stop.parts(), read("STOP").parts());
        assert!((stop.part(Kind::Stop).unwrap().get("f_earlystop") - 2.5).abs() < 1e-12);
        let mixed = read("exp-moves+mid+STOP_B a=1.5 f_earlystop=1.25");
        assert_eq!(mixed.parts()[0].kind, Kind::ExpMoves);
        assert!((mixed.part(Kind::Mid).unwrap().get("a") - 1.5).abs() < 1e-12);
        assert_eq!(mixed.numbers(), "a=1.5 b=40 c=20 f_earlystop=1.25 p_earlystop=1");
        // The later name wins.
        let other = read("STOP_A+STOP");
        assert!((other.part(Kind::Stop).unwrap().get("p_earlystop") - 0.4).abs() < 1e-12);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| text.parse::<Strategy>().unwrap_err().to_string();
        assert!(error("EXP-STONE").contains("'EXP-STONE'"));
        assert!(error("").contains("time list"));
        assert!(error("STOP p").contains("'p' is not KEY=NUMBER"));
        assert!(error("STOP p_earlystop=x").contains("KEY=NUMBER"));
        assert!(error("STOP p_earlystop=1.5").contains("allowed is 0 to 1"));
        assert!(error("STOP p_earlystop=nan").contains("allowed is 0 to 1"));
        assert!(error("STOP f_close=1").contains("f_earlystop, p_earlystop"));
        assert!(error("STOP+").contains("no strategy ''"));
    }
}
