//! Rules as KataGo names them: by a word, as an object, or in its short form.

use serde_json::Value;

use super::fields::{Fields, Read, Refusal, refusal};
use crate::game::{DeadStones, HandicapBonus, KoRule, Komi, Rules, Scoring};

/// Rules that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    /// The nearest that can be played.
    pub(super) rules: Rules,
    /// What is missing of those that were asked for.
    pub(super) missing: Vec<String>,
    /// The usual komi, or the one that stands in the object.
    pub(super) komi: f64,
}

const FIELD: &str = "rules";

/// What KataGo takes for parts that nobody mentions.
const BASE: Rules = Rules::TROMP_TAYLOR;

/// The parts of the short form, such as `koSIMPLEscoreAREAtaxNONEsui0`, longer names first.
const SHORT: [(&str, &str); 9] = [
    ("komi", "komi"),
    ("ko", "ko"),
    ("scoring", "scoring"),
    ("score", "scoring"),
    ("tax", "tax"),
    ("sui", "suicide"),
    ("button", "hasButton"),
    ("whb", "whiteHandicapBonus"),
    ("fpok", "friendlyPassOk"),
];

/// The rules of a query.
pub(super) fn rules(fields: Fields<'_>) -> Read<Wanted> {
    match fields.get(FIELD) {
        Some(Value::String(text)) => named(text),
        Some(Value::Object(parts)) => {
            let mut wanted = Parts::new();
            for (key, value) in parts {
                wanted.set(key, value).ok_or_else(|| unknown(&Value::Object(parts.clone())))?;
            }
            Ok(wanted.finish())
        }
        _ => Err(refusal(
            FIELD,
            "Must be the name of a rule set, such as \"chinese\" or \"tromp-taylor\", or an object with its parts",
        )),
    }
}

fn unknown(asked: &Value) -> Refusal {
    refusal(FIELD, format!("Could not parse rules: {asked}"))
}

fn named(text: &str) -> Read<Wanted> {
    let plain = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    let exact = |rules: Rules, komi| Wanted { rules, missing: Vec::new(), komi };
    let without =
        |rules, komi, what: &str| Wanted { missing: vec![what.to_owned()], ..exact(rules, komi) };
    let superko = KoRule::PositionalSuperko;
    let all = "the tax on all groups";
    Ok(match plain.as_str() {
        "chineseogs" | "chinese-ogs" | "chinesekgs" | "chinese-kgs" => {
            exact(Rules { ko: superko, ..Rules::CHINESE }, 7.5)
        }
        "bga" | "french" => exact(Rules::AGA, 7.5),
        "goe" | "ing" => {
            let dead_stones = DeadStones::Removed;
            exact(Rules { dead_stones, ..Rules::TROMP_TAYLOR }, 7.5)
        }
        "ancientarea" | "ancient-area" | "stonescoring" | "stone-scoring" => {
            without(Rules { handicap_bonus: HandicapBonus::Zero, ..Rules::CHINESE }, 7.5, all)
        }
        "ancientterritory" | "ancient-territory" => without(Rules::JAPANESE, 6.5, all),
        "agabutton" | "aga-button" => without(Rules::AGA, 7.0, "the button"),
        // NoGo has a field of its own.
        "nogo" => return Err(unknown(&Value::from(text))),
        _ => match plain.parse::<Rules>() {
            Ok(rules) if rules == Rules::NEW_ZEALAND => exact(rules, 7.0),
            Ok(rules) if rules.scoring == Scoring::Territory => exact(rules, 6.5),
            Ok(rules) => exact(rules, 7.5),
            Err(_) => short(text).ok_or_else(|| unknown(&Value::from(text)))?,
        },
    })
}

/// Reads the short form.
fn short(text: &str) -> Option<Wanted> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut wanted = Parts::new();
    while !rest.is_empty() {
        let (name, key) = SHORT.iter().find(|(name, _)| rest.starts_with(name))?;
        rest = rest[name.len()..].trim_start();
        // A value ends where the next name begins: values are in capitals or numbers.
        let end = rest.find(|c: char| c.is_ascii_lowercase()).unwrap_or(rest.len());
        let (value, after) = rest.split_at(end);
        let value = value.trim();
        let value = match *key {
            "suicide" | "hasButton" | "friendlyPassOk" => match value {
                "0" => Value::Bool(false),
                "1" => Value::Bool(true),
                _ => return None,
            },
            "komi" => Value::from(value.parse::<f64>().ok()?),
            _ => Value::from(value),
        };
        wanted.set(key, &value)?;
        rest = after;
    }
    Some(wanted.finish())
}

/// Rules put together from their parts.
struct Parts {
    rules: Rules,
    missing: Vec<String>,
    komi: Option<f64>,
    has_button: bool,
    taxes_seki: bool,
}

impl Parts {
    fn new() -> Self {
        Self { rules: BASE, missing: Vec::new(), komi: None, has_button: false, taxes_seki: false }
    }

    /// Sets one part; nothing if there is no such part or value.
    fn set(&mut self, key: &str, value: &Value) -> Option<()> {
        let word = || value.as_str().map(str::to_ascii_uppercase);
        match key {
            "komi" => self.komi = Some(komi(value)?),
            "tax" => match word()?.as_str() {
                "NONE" => {}
                "SEKI" => self.taxes_seki = true,
                "ALL" => self.missing.push("the tax on all groups".to_owned()),
                _ => return None,
            },
            "hasButton" => {
                self.has_button = value.as_bool()?;
                self.missing.extend(self.has_button.then(|| "the button".to_owned()));
            }
            "ko" if word()? == "SPIGHT" => {
                self.rules.ko = KoRule::SituationalSuperko;
                self.missing.push("Spight's superko, which is situational superko here".to_owned());
            }
            "suicide" | "friendlyPassOk" => {
                let word = if value.as_bool()? { "true" } else { "false" };
                self.rules = self.rules.with_part(key, word).ok()?;
            }
            "score" => self.rules = self.rules.with_part("scoring", &word()?).ok()?,
            _ => self.rules = self.rules.with_part(key, &word()?).ok()?,
        }
        Some(())
    }

    fn finish(self) -> Wanted {
        let Self { mut rules, mut missing, komi, has_button, taxes_seki } = self;
        let territory = rules.scoring == Scoring::Territory;
        if territory {
            // Nobody has to capture what is dead, whatever a friendly pass is.
            rules.dead_stones = DeadStones::Removed;
        } else if taxes_seki {
            // Under territory scoring KataGo's own Japanese rules name it, and nobody is told.
            missing.push("the tax on seki".to_owned());
        }
        let usual = if territory {
            6.5
        } else if has_button {
            7.0
        } else {
            7.5
        };
        Wanted { rules, missing, komi: komi.unwrap_or(usual) }
    }
}

/// A number of points that can be komi in KataGo.
fn komi(value: &Value) -> Option<f64> {
    let points = value.as_f64().filter(|points| (-400.0..=400.0).contains(points))?;
    Komi::from_points(points).ok().map(Komi::points)
}

/// The komi of a query.
pub(super) fn komi_field(fields: Fields<'_>) -> Read<Option<f64>> {
    let reason = "Must be a whole or half number from -400 to 400";
    let read = |value| komi(value).ok_or_else(|| refusal("komi", reason));
    fields.get("komi").map(read).transpose()
}

/// White's compensation for a handicap, where a query has a word of its own for it.
pub(super) fn handicap_bonus(fields: Fields<'_>, rules: Rules) -> Read<Rules> {
    const FIELD: &str = "whiteHandicapBonus";
    let Some(value) = fields.get(FIELD) else { return Ok(rules) };
    let word = value.as_str().ok_or_else(|| refusal(FIELD, "Must be a string: 0, N or N-1"))?;
    rules.with_part(FIELD, word).map_err(|error| refusal(FIELD, error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(rules_field: &Value) -> Read<Wanted> {
        rules(Fields(json!({ "rules": rules_field }).as_object().unwrap()))
    }

    fn check_exact(asked: &Value, expected: Rules, komi: f64) {
        let missing = Vec::new();
        assert_eq!(read(asked), Ok(Wanted { rules: expected, missing, komi }), "{asked}");
    }

    #[test]
    fn rules_have_names_parts_and_a_short_form() {
        check_exact(&json!("Chinese"), Rules::CHINESE, 7.5);
        check_exact(&json!("new zealand"), Rules::NEW_ZEALAND, 7.0);
        check_exact(&json!("korean"), Rules::JAPANESE, 6.5);
        check_exact(&json!("tromp_taylor"), Rules::TROMP_TAYLOR, 7.5);
        check_exact(&json!("bga"), Rules::AGA, 7.5);
        let ogs = Rules { ko: KoRule::PositionalSuperko, ..Rules::CHINESE };
        check_exact(&json!("chinese-ogs"), ogs, 7.5);
        check_exact(&json!({}), Rules::TROMP_TAYLOR, 7.5);
        let situational = Rules { ko: KoRule::SituationalSuperko, ..Rules::TROMP_TAYLOR };
        let parts = json!({
            "ko": "SITUATIONAL", "scoring": "AREA", "tax": "NONE", "suicide": true, "hasButton": false,
            "whiteHandicapBonus": "0", "friendlyPassOk": false, "komi": 6,
        });
        check_exact(&parts, situational, 6.0);
        let japanese =
            json!({"ko": "simple", "score": "TERRITORY", "tax": "SEKI", "suicide": false});
        check_exact(&japanese, Rules::JAPANESE, 6.5);
        check_exact(&json!("koSIMPLEscoreTERRITORYtaxSEKIsui0"), Rules::JAPANESE, 6.5);
        check_exact(&json!("koSIMPLE score AREA sui0 whbN fpok1 komi-5.5"), Rules::CHINESE, -5.5);
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        for (asked, what, komi) in [
            (json!("stone_scoring"), "tax", 7.5),
            (json!("aga-button"), "button", 7.0),
            (json!({"hasButton": true}), "button", 7.0),
            (json!({"ko": "SPIGHT"}), "superko", 7.5),
            (json!("taxALL"), "tax", 7.5),
            (json!({"tax": "SEKI"}), "seki", 7.5),
        ] {
            let wanted = read(&asked).unwrap();
            assert!(wanted.missing.len() == 1 && wanted.missing[0].contains(what), "{asked}");
            assert!((wanted.komi - komi).abs() < 1e-9, "{asked}");
        }
    }

    #[test]
    fn rules_that_nobody_knows_are_refused() {
        for asked in [
            json!("mars"),
            json!(""),
            json!("nogo"),
            json!("koFOO"),
            json!("sui2"),
            json!(5),
            json!(null),
            json!({"ko": 1}),
            json!({"kö": "SIMPLE"}),
            json!({"suicide": "true"}),
            json!({"komi": 6.25}),
            json!({"komi": 500}),
        ] {
            assert_eq!(
                read(&asked).map_err(|refusal| refusal.field),
                Err("rules".to_owned()),
                "{asked}"
            );
        }
    }

    #[test]
    fn komi_and_the_handicap_bonus_have_fields_of_their_own() {
        let fields = |value: Value| value.as_object().unwrap().clone();
        for (komi, expected) in
            [(json!(7), Some(7.0)), (json!(-0.5), Some(-0.5)), (json!(400.0), Some(400.0))]
        {
            assert_eq!(komi_field(Fields(&fields(json!({ "komi": komi })))), Ok(expected));
        }
        for komi in [json!(7.25), json!(400.5), json!("7"), json!(null)] {
            assert!(komi_field(Fields(&fields(json!({ "komi": komi })))).is_err(), "{komi}");
        }
        let bonus = |value: Value| {
            let object = fields(json!({ "whiteHandicapBonus": value }));
            handicap_bonus(Fields(&object), Rules::CHINESE).map(|rules| rules.handicap_bonus)
        };
        assert_eq!(bonus(json!("N-1")), Ok(HandicapBonus::StonesMinusOne));
        assert!(bonus(json!(0)).is_err() && bonus(json!("2")).is_err());
    }
}
