//! Rule sets, by name and part by part.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::color::Color;
use super::zobrist;
use crate::util::{Choice, NoChoice, choice};

/// Which of the two games is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Game {
    /// Capture and surround.
    Go,
    /// Go without captures: a move that captures or is suicide is illegal, nobody may pass, and
    /// the player without a legal move loses.
    NoGo,
}

impl Game {
    /// Both games.
    pub const ALL: [Self; 2] = [Self::Go, Self::NoGo];

    /// The game as settings and files name it: `go` or `nogo`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Go => "go",
            Self::NoGo => "nogo",
        }
    }
}

impl FromStr for Game {
    type Err = NoChoice;

    fn from_str(key: &str) -> Result<Self, NoChoice> {
        choice(key)
    }
}

impl Choice for Game {
    const ALL: &'static [Self] = &Game::ALL;

    fn word(self) -> &'static str {
        self.key()
    }
}

impl Serialize for Game {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.key())
    }
}

impl<'de> Deserialize<'de> for Game {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Go => "Go",
            Self::NoGo => "NoGo",
        })
    }
}

/// Which repetitions of a position are forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KoRule {
    /// Only the immediate recapture of a single stone.
    Simple,
    /// Any earlier position of the board.
    PositionalSuperko,
    /// Any earlier position of the board with the same player to move.
    SituationalSuperko,
}

/// Whether a player may take own stones off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suicide {
    /// A move that leaves its chain without liberties is illegal.
    Forbidden,
    /// Such a chain leaves the board.
    Allowed,
}

/// What counts at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scoring {
    /// Stones on the board and the points they surround.
    Area,
    /// Points surrounded and stones captured.
    Territory,
}

/// What happens to stones that both players think dead when the game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeadStones {
    /// They leave the board before counting.
    Removed,
    /// Every stone on the board counts; whoever thinks one dead must capture it.
    Counted,
}

/// Which passes end the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameEnd {
    /// Two in a row.
    TwoPasses,
    /// Three in a row.
    ThreePasses,
    /// Two in a row when the second is White's, otherwise three: White passes last.
    WhitePassesLast,
}

/// What White receives for the handicap stones under area scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// One point less than there are stones.
    StonesMinusOne,
    /// One point for every stone.
    Stones,
}

/// Everything that decides which moves are legal and who has won, but komi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Go or NoGo. The other parts are about Go.
    pub game: Game,
    /// Forbidden repetitions.
    pub ko: KoRule,
    /// Suicide.
    pub suicide: Suicide,
    /// What counts at the end.
    pub scoring: Scoring,
    /// Dead stones at the end.
    pub dead_stones: DeadStones,
    /// The passes that end the game.
    pub end: GameEnd,
    /// White's compensation for handicap stones.
    pub handicap_bonus: HandicapBonus,
}

/// The rule sets that have a name, with what stands in `RU` of an SGF file.
const NAMED: [(&str, &str, Rules); 8] = [
    ("tromp-taylor", "Tromp-Taylor", Rules::TROMP_TAYLOR),
    ("cgos", "CGOS", Rules::CGOS),
    ("chinese", "Chinese", Rules::CHINESE),
    ("japanese", "Japanese", Rules::JAPANESE),
    ("korean", "Korean", Rules::KOREAN),
    ("aga", "AGA", Rules::AGA),
    ("new-zealand", "NZ", Rules::NEW_ZEALAND),
    ("nogo", "NoGo", Rules::NOGO),
];

impl Rules {
    /// The logical rules of Tromp and Taylor.
    pub const TROMP_TAYLOR: Rules = Rules {
        game: Game::Go,
        ko: KoRule::PositionalSuperko,
        suicide: Suicide::Allowed,
        scoring: Scoring::Area,
        dead_stones: DeadStones::Counted,
        end: GameEnd::TwoPasses,
        handicap_bonus: HandicapBonus::Zero,
    };
    /// The Computer Go Server: Tromp-Taylor without suicide.
    pub const CGOS: Rules = Rules { suicide: Suicide::Forbidden, ..Self::TROMP_TAYLOR };
    /// Chinese rules as they are played: repetitions longer than a ko are left to the referee.
    pub const CHINESE: Rules = Rules {
        game: Game::Go,
        ko: KoRule::Simple,
        suicide: Suicide::Forbidden,
        scoring: Scoring::Area,
        dead_stones: DeadStones::Removed,
        end: GameEnd::TwoPasses,
        handicap_bonus: HandicapBonus::Stones,
    };
    /// Japanese rules.
    pub const JAPANESE: Rules =
        Rules { scoring: Scoring::Territory, handicap_bonus: HandicapBonus::Zero, ..Self::CHINESE };
    /// Korean rules differ from the Japanese ones in matters of procedure.
    pub const KOREAN: Rules = Self::JAPANESE;
    /// American Go Association: White passes last.
    pub const AGA: Rules = Rules {
        ko: KoRule::SituationalSuperko,
        end: GameEnd::WhitePassesLast,
        handicap_bonus: HandicapBonus::StonesMinusOne,
        ..Self::CHINESE
    };
    /// New Zealand Go Society.
    pub const NEW_ZEALAND: Rules = Rules {
        ko: KoRule::SituationalSuperko,
        suicide: Suicide::Allowed,
        handicap_bonus: HandicapBonus::Zero,
        ..Self::CHINESE
    };
    /// NoGo; what concerns captures, passes and counting has no meaning there.
    pub const NOGO: Rules = Rules { game: Game::NoGo, ..Self::CGOS };

    /// The names that [`Rules::from_str`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|&(name, _, _)| name)
    }

    /// The name of this rule set, none for a combination of its own.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        NAMED.iter().find(|(_, _, rules)| rules == self).map(|&(name, _, _)| name)
    }

    /// What to write into the property `RU` of an SGF file.
    #[must_use]
    pub fn sgf_name(&self) -> Option<&'static str> {
        NAMED.iter().find(|(_, _, rules)| rules == self).map(|&(_, sgf, _)| sgf)
    }

    /// Points that White receives on top of komi for `stones` of handicap.
    #[must_use]
    pub fn handicap_points(&self, stones: u16) -> u16 {
        match self.handicap_bonus {
            _ if stones < 2 || self.scoring == Scoring::Territory => 0,
            HandicapBonus::Zero => 0,
            HandicapBonus::StonesMinusOne => stones - 1,
            HandicapBonus::Stones => stones,
        }
    }

    /// Whether `passes` in a row, the last by `last`, end the game.
    #[must_use]
    pub fn ends_after(&self, passes: u8, last: Color) -> bool {
        match self.end {
            _ if self.game == Game::NoGo => false,
            GameEnd::TwoPasses => passes >= 2,
            GameEnd::ThreePasses => passes >= 3,
            GameEnd::WhitePassesLast => passes >= 3 || passes == 2 && last == Color::White,
        }
    }

    /// Tells rule sets apart in the hash of a position.
    pub(super) fn hash(self) -> u64 {
        [
            self.game as u32,
            self.ko as u32,
            self.suicide as u32,
            self.scoring as u32,
            self.dead_stones as u32,
            self.end as u32,
            self.handicap_bonus as u32,
        ]
        .into_iter()
        .zip(1..)
        .fold(0, |hash, (value, kind)| hash ^ zobrist::feature(kind, value))
    }
}

/// No rule set has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rules '{name}': choose one of {}", Rules::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownRules {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Rules {
    type Err = UnknownRules;

    /// Reads a name in any case, with `-`, `_`, or a blank between words, and the abbreviations
    /// in use in SGF files and on servers.
    fn from_str(name: &str) -> Result<Self, UnknownRules> {
        let plain = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let full = match plain.as_str() {
            "nz" | "newzealand" => "new-zealand",
            "jp" | "japan" => "japanese",
            "cn" | "china" | "goe" | "ing" => "chinese",
            "tt" | "tromptaylor" => "tromp-taylor",
            other => other,
        };
        NAMED
            .iter()
            .find(|(known, _, _)| *known == full)
            .map(|&(_, _, rules)| rules)
            .ok_or_else(|| UnknownRules { name: name.to_owned() })
    }
}

/// Points for White that even out the first move, counted in halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Komi {
    halves: i32,
}

/// The number is no komi.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("komi must be a multiple of 0.5 between -{max} and {max}", max = Komi::MAX)]
pub struct KomiError;

impl Komi {
    /// The largest komi in points: more than the largest board has.
    pub const MAX: i32 = 1000;

    /// Reads a number of points.
    pub fn from_points(points: f64) -> Result<Self, KomiError> {
        let halves = points * 2.0;
        if halves.fract() != 0.0 || points.abs() > f64::from(Self::MAX) {
            return Err(KomiError);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked above")]
        Ok(Self { halves: halves as i32 })
    }

    /// Komi in points.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.halves) / 2.0
    }

    /// Komi in half points.
    #[must_use]
    pub const fn halves(self) -> i32 {
        self.halves
    }
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.points())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_set_is_found_by_its_name() {
        for name in Rules::names() {
            let rules: Rules = name.parse().unwrap();
            // Korean rules are Japanese rules, so that the first name stands for both.
            let expected = if name == "korean" { "japanese" } else { name };
            assert_eq!(rules.name(), Some(expected));
        }
        assert_eq!("New_Zealand".parse(), Ok(Rules::NEW_ZEALAND));
        assert_eq!("Tromp Taylor".parse(), Ok(Rules::TROMP_TAYLOR));
        assert!("martian".parse::<Rules>().unwrap_err().to_string().contains("tromp-taylor"));
        assert_eq!(Rules { suicide: Suicide::Allowed, ..Rules::AGA }.name(), None);
    }

    #[test]
    fn handicap_is_paid_for_under_area_rules() {
        assert_eq!(Rules::CHINESE.handicap_points(4), 4);
        assert_eq!(Rules::AGA.handicap_points(4), 3);
        assert_eq!(Rules::JAPANESE.handicap_points(4), 0);
        assert_eq!(Rules::CHINESE.handicap_points(1), 0);
        let mixed = Rules { scoring: Scoring::Territory, ..Rules::CHINESE };
        assert_eq!(mixed.handicap_points(4), 0);
    }

    #[test]
    fn passes_end_the_game_as_the_rules_say() {
        assert!(!Rules::CHINESE.ends_after(1, Color::White));
        assert!(Rules::CHINESE.ends_after(2, Color::Black));
        assert!(!Rules::AGA.ends_after(2, Color::Black));
        assert!(Rules::AGA.ends_after(2, Color::White));
        assert!(Rules::AGA.ends_after(3, Color::White));
        let three = Rules { end: GameEnd::ThreePasses, ..Rules::CHINESE };
        assert!(!three.ends_after(2, Color::White));
        assert!(three.ends_after(3, Color::Black));
    }

    #[test]
    fn komi_is_counted_in_halves() {
        for points in [0.0, 0.5, 7.0, 7.5, -3.5, 1000.0] {
            assert_eq!(Komi::from_points(points).unwrap().points().to_bits(), points.to_bits());
        }
        for points in [3.75, f64::NAN, f64::INFINITY, 1000.5, -2000.0] {
            assert!(Komi::from_points(points).is_err(), "{points}");
        }
        assert_eq!(Komi::from_points(7.0).unwrap().to_string(), "7");
        assert_eq!(Komi::from_points(6.5).unwrap().to_string(), "6.5");
    }
}
