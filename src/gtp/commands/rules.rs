//! Rule sets, by name and in KataGo's parts.

use serde_json::{Map, Value, json};

use super::{Answer, Command, Failure, Spec, done};
use crate::game::{DeadStones, HandicapBonus, KoRule, Rules, Scoring, Suicide};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;

#[derive(Clone, Debug, PartialEq)]
pub enum RulesCommand {
    Get,
    Set(String),
    SetPart { key: String, value: String },
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new("kgs-rules", "NAME", "Chooses a rule set by its name on KGS.", |args| {
        let name = args.word("rules")?.to_owned();
        // Servers may add more.
        args.rest();
        ok(RulesCommand::Set(name))
    }),
    Spec::new("kata-get-rules", "", "The rules in force as a JSON object.", |_| {
        ok(RulesCommand::Get)
    }),
    Spec::new(
        "kata-set-rules",
        "NAME | JSON",
        "Chooses rules by name (tromp-taylor, cgos, chinese, japanese, korean, aga, new-zealand) or part by part as a JSON object like that of kata-get-rules.",
        |args| {
            let first = args.word("rules")?.to_owned();
            let rest = args.rest().iter().cloned();
            ok(RulesCommand::Set([first].into_iter().chain(rest).collect::<Vec<_>>().join(" ")))
        },
    ),
    Spec::new("kata-set-rule", "KEY VALUE", "Changes one part of the rules.", |args| {
        let key = args.word("key")?.to_owned();
        ok(RulesCommand::SetPart { key, value: args.word("value")?.to_owned() })
    }),
];

fn ok(command: RulesCommand) -> Result<Command, ArgError> {
    Ok(Command::Rules(command))
}

impl RulesCommand {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        let current = session.engine.state().rules();
        let rules = match self {
            RulesCommand::Get => return Ok(to_json(current).to_string()),
            RulesCommand::Set(text) if text.starts_with('{') => {
                let parts: Map<String, Value> = serde_json::from_str(&text)?;
                parts
                    .iter()
                    .try_fold(current, |rules, (key, value)| with_part(rules, key, value))?
            }
            RulesCommand::Set(name) => name.parse()?,
            RulesCommand::SetPart { key, value } => {
                // `true`, `false` and numbers mean themselves, everything else is a word.
                let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
                with_part(current, &key, &value)?
            }
        };
        session.engine.state_mut().set_rules(rules)?;
        done()
    }
}

fn to_json(rules: Rules) -> Value {
    json!({
        "ko": match rules.ko {
            KoRule::Simple => "SIMPLE",
            KoRule::PositionalSuperko => "POSITIONAL",
            KoRule::SituationalSuperko => "SITUATIONAL",
        },
        "scoring": match rules.scoring {
            Scoring::Area => "AREA",
            Scoring::Territory => "TERRITORY",
        },
        "tax": "NONE",
        "suicide": rules.suicide == Suicide::Allowed,
        "hasButton": false,
        "whiteHandicapBonus": match rules.handicap_bonus {
            HandicapBonus::Zero => "0",
            HandicapBonus::StonesMinusOne => "N-1",
            HandicapBonus::Stones => "N",
        },
        "friendlyPassOk": rules.dead_stones == DeadStones::Removed,
    })
}

/// Changes one part. Taxes and buttons are not known here: their absence is accepted, and under
/// territory scoring also the tax on seki that KataGo's Japanese rules name, though the eyes of a seki
/// count here.
fn with_part(rules: Rules, key: &str, value: &Value) -> Result<Rules, Failure> {
    let word = match value {
        Value::String(word) => word.to_ascii_uppercase(),
        other => other.to_string().to_ascii_uppercase(),
    };
    let refuse = |allowed| Failure(format!("{key} cannot be {value}: choose {allowed}"));
    Ok(match key {
        "ko" => Rules {
            ko: match word.as_str() {
                "SIMPLE" => KoRule::Simple,
                "POSITIONAL" => KoRule::PositionalSuperko,
                "SITUATIONAL" => KoRule::SituationalSuperko,
                _ => return Err(refuse("SIMPLE, POSITIONAL or SITUATIONAL")),
            },
            ..rules
        },
        "scoring" => Rules {
            scoring: match word.as_str() {
                "AREA" => Scoring::Area,
                "TERRITORY" => Scoring::Territory,
                _ => return Err(refuse("AREA or TERRITORY")),
            },
            ..rules
        },
        "suicide" => Rules {
            suicide: match word.as_str() {
                "TRUE" => Suicide::Allowed,
                "FALSE" => Suicide::Forbidden,
                _ => return Err(refuse("true or false")),
            },
            ..rules
        },
        "friendlyPassOk" => Rules {
            dead_stones: match word.as_str() {
                "TRUE" => DeadStones::Removed,
                "FALSE" => DeadStones::Counted,
                _ => return Err(refuse("true or false")),
            },
            ..rules
        },
        "whiteHandicapBonus" => Rules {
            handicap_bonus: match word.as_str() {
                "0" => HandicapBonus::Zero,
                "N-1" => HandicapBonus::StonesMinusOne,
                "N" => HandicapBonus::Stones,
                _ => return Err(refuse("0, N-1 or N")),
            },
            ..rules
        },
        "tax" if word == "NONE" => rules,
        "tax" if word == "SEKI" && rules.scoring == Scoring::Territory => rules,
        "tax" => return Err(refuse("NONE")),
        "hasButton" if word == "FALSE" => rules,
        "hasButton" => return Err(refuse("false")),
        _ => {
            return Err(Failure(format!(
                "unknown rule '{key}': choose ko, scoring, suicide, tax, hasButton, \
                 whiteHandicapBonus or friendlyPassOk"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_rule_set_survives_json() {
        for name in Rules::names() {
            let rules: Rules = name.parse().unwrap();
            let Value::Object(parts) = to_json(rules) else { panic!("not an object") };
            let back = parts.iter().try_fold(
                Rules { game: rules.game, end: rules.end, ..Rules::CHINESE },
                |r, (k, v)| with_part(r, k, v),
            );
            assert_eq!(back, Ok(rules), "{name}");
        }
    }

    #[test]
    fn unknown_parts_are_refused_by_name() {
        let refusal = |key, value: Value| with_part(Rules::CHINESE, key, &value).unwrap_err().0;
        assert!(refusal("kö", json!(1)).contains("unknown rule 'kö'"));
        assert!(refusal("ko", json!("SPIGHT")).contains("SIMPLE"));
        assert!(refusal("tax", json!("ALL")).contains("NONE"));
        assert!(refusal("tax", json!("SEKI")).contains("NONE"));
        assert!(with_part(Rules::JAPANESE, "tax", &json!("SEKI")).is_ok());
        assert!(refusal("hasButton", json!(true)).contains("false"));
    }
}
