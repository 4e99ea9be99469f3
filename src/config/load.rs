//! Reading a configuration, with errors that say where and what to do.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, Section};
use crate::util::{LimitError, Params, ReadError, edit_distance, read_limited};

/// Short names of keys that are used often, for players of a match.
pub const SHORT: [(&str, &str); 3] =
    [("simulations", "search.max_simulations"), ("net", "net.path"), ("threads", "search.threads")];

/// The key of engine.toml that a key of a player means.
#[must_use]
pub fn long_name(key: &str) -> &str {
    SHORT.iter().find(|(short, _)| *short == key).map_or(key, |(_, long)| long)
}

/// Bytes of the largest configuration file.
const MAX_BYTES: usize = 1 << 20;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is not UTF-8.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// Not TOML, or a value of the wrong type.
    #[error("line {line}: {message}")]
    Toml {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A key that does not exist.
    #[error("line {line}: unknown key '{key}'; the nearest known key is '{nearest}'")]
    UnknownKey {
        /// Counted from 1.
        line: usize,
        /// The key with its section.
        key: String,
        /// The known key that looks most like it.
        nearest: String,
    },
    /// A value outside its limits.
    #[error("line {line}: {section}.{error}")]
    Limit {
        /// Counted from 1; 0 where the value did not come from a file.
        line: usize,
        /// The section of the key.
        section: &'static str,
        /// The key, its value and what is allowed.
        error: LimitError,
    },
    /// A key was set to something of the wrong type.
    #[error("'{value}' is no value for {key}: {message}")]
    Value {
        /// The key.
        key: String,
        /// What it was set to.
        value: String,
        /// What is wrong.
        message: String,
    },
    /// A key that does not exist was to be set.
    #[error("unknown key '{key}'; the nearest known key is '{nearest}'")]
    NoSuchKey {
        /// The key with its section.
        key: String,
        /// The known key that looks most like it.
        nearest: String,
    },
}

impl Config {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let bytes = read_limited(path, MAX_BYTES)?;
        Self::from_toml(std::str::from_utf8(&bytes).map_err(|_| ConfigError::NotText)?)
    }

    /// Reads the text of a file. Keys that are not there have their defaults.
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        let toml_error = |error: &toml::de::Error, table: Option<&DeTable<'_>>| {
            let setting = error.span().zip(table).and_then(|(span, table)| {
                let key = key_at(table, span.start)?;
                Some(format!("{key} = {}: ", text.get(span)?))
            });
            ConfigError::Toml {
                line: error.span().map_or(1, |span| line_of(text, span.start)),
                message: setting.unwrap_or_default() + error.message(),
            }
        };
        let table = DeTable::parse(text).map_err(|error| toml_error(&error, None))?;
        let table = table.get_ref();
        refuse_unknown_keys(text, table)?;
        let config: Config =
            toml::from_str(text).map_err(|error| toml_error(&error, Some(table)))?;
        config.check().map_err(|(section, error)| {
            let line = line_of_key(text, table, section, error.name);
            ConfigError::Limit { line, section, error }
        })?;
        Ok(config)
    }

    /// The same configuration with one key set, its value written as in a file. Words need no
    /// quotes.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, ConfigError> {
        let sections = self.sections();
        let (section, field) = key
            .split_once('.')
            .and_then(|(name, field)| {
                let section = sections.iter().find(|section| section.name == name)?;
                Some((section, section.fields.iter().find(|known| known.name == field)?))
            })
            .ok_or_else(|| ConfigError::NoSuchKey {
                key: key.to_owned(),
                nearest: nearest(key, &sections),
            })?;
        let refuse = |message: String| ConfigError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            message,
        };
        let parsed = parse_value(value, &field.value);
        let mut table = toml::Table::try_from(self).map_err(|error| refuse(error.to_string()))?;
        if let Some(toml::Value::Table(fields)) = table.get_mut(section.name) {
            fields.insert(field.name.to_owned(), parsed);
        }
        let config: Config = table
            .try_into()
            .map_err(|error: toml::de::Error| refuse(error.message().to_owned()))?;
        config.check().map_err(|(_, error)| refuse(format!("allowed is {}", error.limits)))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), (&'static str, LimitError)> {
        self.memory.check().map_err(|error| ("memory", error))?;
        self.search.check().map_err(|error| ("search", error))?;
        self.engine().check()?;
        self.net.check().map_err(|error| ("net", error))?;
        self.playout.check().map_err(|error| ("playout", error))?;
        self.selfplay.check().map_err(|error| ("selfplay", error))?;
        self.label.check().map_err(|error| ("label", error))?;
        self.train.check().map_err(|error| ("train", error))?;
        self.uncertainty.check().map_err(|error| ("uncertainty", error))?;
        self.run.check().map_err(|error| ("run", error))?;
        self.gtp.check().map_err(|error| ("gtp", error))?;
        self.log.check().map_err(|error| ("log", error))
    }
}

/// Reads a value as TOML would; what is not TOML, or where a word is wanted, is a word.
fn parse_value(text: &str, like: &toml::Value) -> toml::Value {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"));
    match (parsed, like) {
        (Some(toml::Value::String(word)), _) => toml::Value::String(word),
        (Some(other), like) if !like.is_str() => other,
        _ => toml::Value::String(text.to_owned()),
    }
}

fn refuse_unknown_keys(text: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
    let sections = Config::default().sections();
    let unknown = |key: &Spanned<_>, name: String| ConfigError::UnknownKey {
        line: line_of(text, key.span().start),
        nearest: nearest(&name, &sections),
        key: name,
    };
    for (key, value) in table {
        let name = key.get_ref();
        let Some(section) = sections.iter().find(|section| section.name == name) else {
            return Err(unknown(key, name.to_string()));
        };
        let DeValue::Table(fields) = value.get_ref() else { continue };
        for (key, _) in fields {
            if !section.fields.iter().any(|field| field.name == key.get_ref()) {
                return Err(unknown(key, format!("{name}.{}", key.get_ref())));
            }
        }
    }
    Ok(())
}

/// The key whose value begins here.
fn key_at(table: &DeTable<'_>, offset: usize) -> Option<String> {
    table.iter().find_map(|(section, fields)| {
        let mut fields = fields.get_ref().as_table()?.iter();
        let (field, _) = fields.find(|(_, value)| value.span().start == offset)?;
        Some(format!("{}.{}", section.get_ref(), field.get_ref()))
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count()
}

fn line_of_key(text: &str, table: &DeTable<'_>, section: &str, field: &str) -> usize {
    let find = |table: &DeTable<'_>, name: &str| {
        table.iter().find(|(key, _)| key.get_ref() == name).map(|(key, _)| key.span().start)
    };
    let fields = table.iter().find(|(key, _)| key.get_ref() == section);
    fields
        .and_then(|(_, value)| value.get_ref().as_table())
        .and_then(|fields| find(fields, field))
        .map_or(0, |offset| line_of(text, offset))
}

/// The known key that takes the fewest changes to get to. A key without a section is compared
/// with short names, with keys without theirs, and with sections.
fn nearest(key: &str, sections: &[Section]) -> String {
    let candidates = sections.iter().flat_map(|section| {
        let fields = section.fields.iter().map(move |field| {
            let full = format!("{}.{}", section.name, field.name);
            let compared = if key.contains('.') { full.clone() } else { field.name.to_owned() };
            (compared, full)
        });
        fields.chain([(section.name.to_owned(), section.name.to_owned())])
    });
    let short = SHORT.iter().filter(|_| !key.contains('.'));
    let short = short.map(|&(short, long)| (short.to_owned(), long.to_owned()));
    short
        .chain(candidates)
        .min_by_key(|(compared, _)| edit_distance(key, compared))
        .map(|(_, full)| full)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;

    fn error(text: &str) -> String {
        Config::from_toml(text).unwrap_err().to_string()
    }

    #[test]
    fn unknown_keys_are_named_with_line_and_neighbour() {
        assert_eq!(
            error("[time]\nlag_ms = 3\nlagms = 4\n"),
            "line 3: unknown key 'time.lagms'; the nearest known key is 'time.lag_ms'"
        );
        assert_eq!(
            error("\n[tim]\nlag_ms = 3\n"),
            "line 2: unknown key 'tim'; the nearest known key is 'time'"
        );
        assert_eq!(
            error("komi = 7.5\n"),
            "line 1: unknown key 'komi'; the nearest known key is 'game.komi'"
        );
    }

    #[test]
    fn wrong_types_and_values_are_named_with_their_line() {
        assert!(
            error("[time]\n\nlag_ms = \"x\"\n")
                .starts_with("line 3: time.lag_ms = \"x\": invalid type")
        );
        assert!(error("[time\n").starts_with("line 1: "));
        assert!(error("time = 3\n").starts_with("line 1: invalid type"));
        assert_eq!(
            error("[game]\nkind = \"go\"\nboard_size = 99"),
            "line 3: game.board_size is 99, allowed is 2 to 25"
        );
        assert_eq!(
            error("[game]\nkomi = 3.3"),
            "line 2: game.komi is 3.3, allowed is a multiple of 0.5"
        );
        assert!(error("[game]\nrules = \"mars\"").contains("tromp-taylor"));
        assert_eq!(
            error("[play]\n[game]\nkind = 'chess'"),
            "line 3: game.kind = 'chess': allowed is go, nogo"
        );
        assert_eq!(
            error("[label]\npositions = 0"),
            "line 2: label.positions is 0, allowed is 1 to 10000"
        );
        assert!(error("[time]\nseconds_per_move = nan").contains("allowed is"));
    }

    #[test]
    fn single_keys_can_be_set() {
        let config = Config::default();
        assert_eq!(config.with("game.kind", "nogo").unwrap().game.kind, Game::NoGo);
        assert_eq!(config.with("game.kind", "\"nogo\"").unwrap().game.kind, Game::NoGo);
        assert_eq!(config.with("gtp.version", "1.5").unwrap().gtp.version, "1.5");
        assert_eq!(config.with("time.lag_ms", "35").unwrap().time.lag_ms, 35);
        assert!(!config.with("play.resign", "false").unwrap().play.resign);
        let message = |key, value| config.with(key, value).unwrap_err().to_string();
        assert_eq!(
            message("time.lag", "3"),
            "unknown key 'time.lag'; the nearest known key is 'time.lag_ms'"
        );
        assert!(message("time.lag_ms", "many").contains("'many' is no value for time.lag_ms"));
        assert!(message("game.board_size", "1").contains("allowed is 2 to 25"));
        assert!(message("log.level", "loud").contains("debug"));
    }

    #[test]
    fn a_misspelt_key_is_answered_with_the_one_that_is_meant() {
        let message = |key| Config::default().with(key, "3").unwrap_err().to_string();
        assert!(message("simulatons").ends_with("is 'search.max_simulations'"));
        assert!(message("search.max_simulatons").ends_with("is 'search.max_simulations'"));
        assert!(message("boardsize").ends_with("is 'game.board_size'"));
        assert!(message("kommi").ends_with("is 'game.komi'"));
        assert!(message("thread").ends_with("is 'search.threads'"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = Config::from_toml(&text);
        }

        #[test]
        fn no_toml_like_text_panics(
            lines in proptest::collection::vec("(\\[(time|game|x)\\]|[a-z_]{0,9} ?= ?[-0-9a-z.\"{}\\[\\]]{0,9})", 0..20)
        ) {
            let _ = Config::from_toml(&lines.join("\n"));
        }

        #[test]
        fn no_setting_panics(key in "[a-z_.]{0,20}", value in "\\PC{0,20}") {
            let _ = Config::default().with(&key, &value);
            let _ = Config::default().with("time.lag_ms", &value);
        }
    }
}
