//! Strategies as values: parts with numbers, presets by name, and a text that users write.

use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;

use super::parts::{Base, Factor, Learned, Numbers, RuleSpec};
use super::presets::{PRESETS, Preset};
use crate::util::Limits;

/// How the time of a game is used: one base, and parts that change it before and during a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    text: String,
    /// What gives a move its time.
    pub base: Base,
    /// What that is multiplied by.
    pub factors: Vec<Factor>,
    /// What ends or prolongs searches.
    pub rules: Vec<RuleSpec>,
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
    /// A count that is not whole.
    #[error("{key} is {value}, allowed are whole numbers")]
    NoCount {
        /// Which number.
        key: &'static str,
        /// What it was to be.
        value: f64,
    },
}

impl Strategy {
    /// The part that learns how much of their plans searches use.
    pub(super) fn learned(&self) -> Option<&Learned> {
        self.factors.iter().find_map(|part| match part {
            Factor::Learned(learned) => Some(learned),
            _ => None,
        })
    }

    /// The strategy as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All numbers, as they can be changed: `f_earlystop=2.5 p_earlystop=0.4`.
    #[must_use]
    pub fn numbers(&self) -> String {
        let all = self.all_numbers().into_iter();
        all.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    }

    fn all_numbers(&self) -> Vec<(&'static str, f64)> {
        let factors = self.factors.iter().flat_map(Numbers::numbers);
        let rules = self.rules.iter().flat_map(Numbers::numbers);
        self.base.numbers().into_iter().chain(factors).chain(rules).collect()
    }

    /// Takes the parts of another strategy but for its base.
    fn add(&mut self, preset: &Preset) {
        replace(&mut self.factors, preset.factors);
        replace(&mut self.rules, preset.rules);
    }

    fn change(&mut self, change: &str) -> Result<(), StrategyError> {
        let not_a_change = || StrategyError::NotAChange(change.to_owned());
        let (key, value) = change.split_once('=').ok_or_else(not_a_change)?;
        let value: f64 = value.parse().map_err(|_| not_a_change())?;
        let base = self.base.set(key, value);
        let factors = self.factors.iter_mut().filter_map(|part| part.set(key, value));
        let rules = self.rules.iter_mut().filter_map(|part| part.set(key, value));
        // Parts may share a number.
        let changed: Vec<_> = base.into_iter().chain(factors).chain(rules).collect();
        if !changed.is_empty() {
            return changed.into_iter().collect();
        }
        let known: Vec<_> = self.all_numbers().into_iter().map(|(name, _)| name).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(StrategyError::NoSuchKey { key: key.to_owned(), known })
    }
}

/// Adds parts; those of the same kind make way.
fn replace<T: Copy>(parts: &mut Vec<T>, others: &[T]) {
    for &part in others {
        parts.retain(|old| discriminant(old) != discriminant(&part));
        parts.push(part);
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
        let mut strategy = Self {
            text: text.trim().to_owned(),
            base: first.base,
            factors: first.factors.to_vec(),
            rules: first.rules.to_vec(),
        };
        for name in names {
            strategy.add(preset(name)?);
        }
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
    fn every_preset_can_be_read_and_keeps_to_its_limits() {
        for preset in PRESETS {
            let mut strategy = read(preset.name);
            for (key, value) in strategy.all_numbers() {
                assert_eq!(strategy.change(&format!("{key}={value}")), Ok(()), "{}", preset.name);
            }
            assert_eq!(strategy, read(preset.name));
        }
    }

    #[test]
    fn names_are_joined_and_numbers_changed() {
        let (stop, joined) = (read("STOP"), read("EXP-STONES+STOP"));
        assert_eq!((stop.base, &stop.factors), (joined.base, &joined.factors));
        assert_eq!(stop.rules, joined.rules);
        assert_eq!(stop.numbers(), "f_earlystop=2.5 p_earlystop=0.4");
        let mixed = read("exp-moves+mid+STOP_B a=1.5 f_earlystop=1.25");
        assert_eq!(mixed.base, read("EXP-MOVES").base);
        assert_eq!(mixed.numbers(), "a=1.5 b=40 c=20 f_earlystop=1.25 p_earlystop=1");
        // The later name wins.
        assert_eq!(read("STOP_A+STOP").rules, stop.rules);
        // Numbers that two parts share are changed in both.
        let both = read("KAPPA-EXP+KAPPA-LM low=0.75").numbers();
        assert_eq!(both.matches("low=0.75").count(), 2);
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
        assert!(error("BEHIND l_behind=1.5").contains("whole numbers"));
        assert!(error("STOP f_close=1").contains("f_earlystop, p_earlystop"));
        assert!(error("STOP+").contains("no strategy ''"));
    }
}
