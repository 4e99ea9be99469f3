//! Rule sets, by name and in KataGo's parts.

use serde_json::{Map, Value, json};

use super::{Answer, Command, Failure, Spec, done};
use crate::game::Rules;
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
    let value = |word: &str| match word {
        "true" | "false" => json!(word == "true"),
        _ => json!(word),
    };
    rules.parts().into_iter().map(|(key, word)| (key, value(word))).collect()
}

/// Changes one part.
fn with_part(rules: Rules, key: &str, value: &Value) -> Result<Rules, Failure> {
    let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Ok(rules.with_part(key, &word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_told_as_katago_tells_them() {
        assert_eq!(
            to_json(Rules::CHINESE),
            json!({
                "ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": false,
                "hasButton": false, "whiteHandicapBonus": "N", "friendlyPassOk": true,
            })
        );
        let rules = with_part(Rules::CHINESE, "suicide", &json!(true)).unwrap();
        assert_eq!(with_part(rules, "suicide", &json!("FALSE")), Ok(Rules::CHINESE));
    }
}
