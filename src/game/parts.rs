//! Rule sets part by part, by the words that KataGo has for them.

use super::rules::{DeadStones, HandicapBonus, KoRule, Rules, Scoring, Suicide};

/// Why a part of the rules cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// There is no such part.
    #[error(
        "unknown rule '{0}': choose ko, scoring, suicide, tax, hasButton, whiteHandicapBonus or friendlyPassOk"
    )]
    Unknown(String),
    /// The part cannot be that.
    #[error("{key} cannot be {word}: choose {allowed}")]
    Refused {
        /// The part.
        key: String,
        /// What was asked for.
        word: String,
        /// What it can be.
        allowed: &'static str,
    },
}

impl Rules {
    /// The parts with their words.
    #[must_use]
    pub const fn parts(&self) -> [(&'static str, &'static str); 7] {
        [
            (
                "ko",
                match self.ko {
                    KoRule::Simple => "SIMPLE",
                    KoRule::PositionalSuperko => "POSITIONAL",
                    KoRule::SituationalSuperko => "SITUATIONAL",
                },
            ),
            (
                "scoring",
                match self.scoring {
                    Scoring::Area => "AREA",
                    Scoring::Territory => "TERRITORY",
                },
            ),
            ("tax", "NONE"),
            ("suicide", yes_or_no(matches!(self.suicide, Suicide::Allowed))),
            ("hasButton", "false"),
            (
                "whiteHandicapBonus",
                match self.handicap_bonus {
                    HandicapBonus::Zero => "0",
                    HandicapBonus::StonesMinusOne => "N-1",
                    HandicapBonus::Stones => "N",
                },
            ),
            ("friendlyPassOk", yes_or_no(matches!(self.dead_stones, DeadStones::Removed))),
        ]
    }

    /// Changes one part. Taxes and buttons are not known here: their absence is accepted, and under
    /// territory scoring also the tax on seki that KataGo's Japanese rules name, though the eyes of a seki
    /// count here.
    pub fn with_part(self, key: &str, word: &str) -> Result<Self, PartError> {
        let upper = word.to_ascii_uppercase();
        let refuse =
            |allowed| PartError::Refused { key: key.to_owned(), word: word.to_owned(), allowed };
        let flag = || match upper.as_str() {
            "TRUE" => Ok(true),
            "FALSE" => Ok(false),
            _ => Err(refuse("true or false")),
        };
        Ok(match key {
            "ko" => Self {
                ko: match upper.as_str() {
                    "SIMPLE" => KoRule::Simple,
                    "POSITIONAL" => KoRule::PositionalSuperko,
                    "SITUATIONAL" => KoRule::SituationalSuperko,
                    _ => return Err(refuse("SIMPLE, POSITIONAL or SITUATIONAL")),
                },
                ..self
            },
            "scoring" => Self {
                scoring: match upper.as_str() {
                    "AREA" => Scoring::Area,
                    "TERRITORY" => Scoring::Territory,
                    _ => return Err(refuse("AREA or TERRITORY")),
                },
                ..self
            },
            "suicide" => Self {
                suicide: if flag()? { Suicide::Allowed } else { Suicide::Forbidden },
                ..self
            },
            "friendlyPassOk" => Self {
                dead_stones: if flag()? { DeadStones::Removed } else { DeadStones::Counted },
                ..self
            },
            "whiteHandicapBonus" => Self {
                handicap_bonus: match upper.as_str() {
                    "0" => HandicapBonus::Zero,
                    "N-1" => HandicapBonus::StonesMinusOne,
                    "N" => HandicapBonus::Stones,
                    _ => return Err(refuse("0, N-1 or N")),
                },
                ..self
            },
            "tax" if upper == "NONE" => self,
            "tax" if upper == "SEKI" && self.scoring == Scoring::Territory => self,
            "tax" => return Err(refuse("NONE")),
            "hasButton" if upper == "FALSE" => self,
            "hasButton" => return Err(refuse("false")),
            _ => return Err(PartError::Unknown(key.to_owned())),
        })
    }
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_rule_set_survives_its_parts() {
        for name in Rules::names() {
            let rules: Rules = name.parse().unwrap();
            let start = Rules { game: rules.game, end: rules.end, ..Rules::CHINESE };
            let back = rules.parts().into_iter().try_fold(start, |r, (k, w)| r.with_part(k, w));
            assert_eq!(back, Ok(rules), "{name}");
        }
    }

    #[test]
    fn unknown_parts_are_refused_by_name() {
        let refusal = |key, word| Rules::CHINESE.with_part(key, word).unwrap_err().to_string();
        assert!(refusal("kö", "1").contains("unknown rule 'kö'"));
        assert!(refusal("ko", "SPIGHT").contains("SIMPLE"));
        assert!(refusal("tax", "ALL").contains("NONE"));
        assert!(refusal("tax", "SEKI").contains("NONE"));
        assert!(Rules::JAPANESE.with_part("tax", "SEKI").is_ok());
        assert!(refusal("hasButton", "true").contains("false"));
    }
}
