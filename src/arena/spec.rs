//! Players as users write them.

use super::time::{NoTimeControl, TimeControl};

/// A player as it was written: options, then `gtp:COMMAND LINE` or `tedomari KEY=VALUE …`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// The text itself.
    pub text: String,
    /// What the player is called.
    pub name: String,
    /// Its time, if it is not that of the match.
    pub time: Option<TimeControl>,
    /// GTP commands that a program gets once after its start.
    pub setup: Vec<String>,
    /// When to resign: `no`, or the win rate below which a game counts as lost.
    pub resign: Option<String>,
    /// Who plays.
    pub kind: PlayerKind,
}

/// Who plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A program that speaks GTP: its command and arguments.
    Program(Vec<String>),
    /// This engine in this process, with these settings.
    Engine(Vec<(String, String)>),
}

/// A text that describes no player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Neither of the two kinds.
    #[error(
        "'{0}' is no player: write [name=NAME] [time=TIME] [setup=\"COMMAND;COMMAND\"] \
         gtp:COMMAND LINE, or [name=NAME] [time=TIME] [resign=no] tedomari KEY=VALUE …"
    )]
    NoPlayer(String),
    /// A quotation mark without its partner.
    #[error("in '{0}' a quotation mark is not closed")]
    OpenQuote(String),
    /// A word before the kind that is none of the options.
    #[error("unknown option '{0}' of a player: known are name=, time=, setup= and resign=")]
    UnknownOption(String),
    /// A setting that has no value.
    #[error("'{0}' is no setting: write KEY=VALUE")]
    NoSetting(String),
    /// A bad time.
    #[error(transparent)]
    Time(#[from] NoTimeControl),
    /// An option that makes no sense for this kind.
    #[error("{0} is not for {1}")]
    NotFor(&'static str, &'static str),
}

impl PlayerSpec {
    /// Reads a player.
    pub fn read(text: &str) -> Result<Self, SpecError> {
        let mut spec = PlayerSpec {
            text: text.trim().to_owned(),
            name: String::new(),
            time: None,
            setup: Vec::new(),
            resign: None,
            kind: PlayerKind::Engine(Vec::new()),
        };
        let mut rest = text;
        loop {
            let (word, after) =
                next_word(rest)?.ok_or_else(|| SpecError::NoPlayer(text.to_owned()))?;
            if let Some(command) = rest.trim_start().strip_prefix("gtp:") {
                spec.kind = PlayerKind::Program(words(command)?);
                break;
            }
            if word == "tedomari" {
                spec.kind = PlayerKind::Engine(
                    words(after)?.iter().map(|word| setting(word)).collect::<Result<_, _>>()?,
                );
                break;
            }
            spec.option(&word, text)?;
            rest = after;
        }
        spec.complete()
    }

    fn option(&mut self, word: &str, text: &str) -> Result<(), SpecError> {
        let (key, value) =
            word.split_once('=').ok_or_else(|| SpecError::NoPlayer(text.to_owned()))?;
        match key {
            "name" => value.clone_into(&mut self.name),
            "time" => self.time = Some(value.parse()?),
            "resign" => self.resign = Some(value.to_owned()),
            "setup" => {
                let commands =
                    value.split(';').map(str::trim).filter(|command| !command.is_empty());
                self.setup = commands.map(str::to_owned).collect();
            }
            _ => return Err(SpecError::UnknownOption(word.to_owned())),
        }
        Ok(())
    }

    /// Gives a name to a player without one, and refuses what does not go together.
    fn complete(mut self) -> Result<Self, SpecError> {
        match &self.kind {
            PlayerKind::Program(words) => {
                let first = words.first().ok_or_else(|| SpecError::NoPlayer(self.text.clone()))?;
                if self.resign.is_some() {
                    return Err(SpecError::NotFor("resign=", "a GTP program, which has its own"));
                }
                if matches!(self.time, Some(TimeControl::Simulations(_))) {
                    return Err(SpecError::NotFor("time=simulations", "a GTP program"));
                }
                if self.name.is_empty() {
                    self.name = first.rsplit('/').next().unwrap_or(first).to_owned();
                }
            }
            PlayerKind::Engine(settings) => {
                if !self.setup.is_empty() {
                    return Err(SpecError::NotFor("setup=", "tedomari: write KEY=VALUE behind it"));
                }
                if self.name.is_empty() {
                    let settings = settings.iter().map(|(key, value)| format!(" {key}={value}"));
                    self.name = format!("tedomari{}", settings.collect::<String>());
                }
            }
        }
        Ok(self)
    }
}

/// Makes names different from each other: later ones of the same name get a number.
pub fn distinguish(specs: &mut [PlayerSpec]) {
    for index in 1..specs.len() {
        let name = specs[index].name.clone();
        let taken = |name: &str| specs[..index].iter().any(|spec| spec.name == name);
        let mut number = 2;
        let mut candidate = name.clone();
        while taken(&candidate) {
            candidate = format!("{name} #{number}");
            number += 1;
        }
        specs[index].name = candidate;
    }
}

fn setting(word: &str) -> Result<(String, String), SpecError> {
    let (key, value) = word.split_once('=').ok_or_else(|| SpecError::NoSetting(word.to_owned()))?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Splits a command line at blanks outside of quotation marks, as a shell does.
fn words(text: &str) -> Result<Vec<String>, SpecError> {
    let (mut list, mut rest) = (Vec::new(), text);
    while let Some((word, after)) = next_word(rest)? {
        list.push(word);
        rest = after;
    }
    Ok(list)
}

/// The first word and what comes behind it; none at the end. A backslash takes the meaning from the
/// character behind it, but not between single quotation marks.
fn next_word(text: &str) -> Result<Option<(String, &str)>, SpecError> {
    let text = text.trim_start();
    if text.is_empty() {
        return Ok(None);
    }
    let (mut word, mut quote) = (String::new(), None);
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => word.extend(characters.next().map(|(_, next)| next)),
            ('"' | '\'', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            (_, None) if character.is_whitespace() => return Ok(Some((word, &text[at..]))),
            _ => word.push(character),
        }
    }
    match quote {
        Some(_) => Err(SpecError::OpenQuote(text.to_owned())),
        None => Ok(Some((word, ""))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Vec<String> {
        match PlayerSpec::read(text).unwrap().kind {
            PlayerKind::Program(words) => words,
            PlayerKind::Engine(_) => panic!("{text} is no program"),
        }
    }

    #[test]
    fn programs_are_split_as_by_a_shell() {
        assert_eq!(program("gtp:gnugo --mode gtp"), ["gnugo", "--mode", "gtp"]);
        assert_eq!(
            program(r#"gtp:"/opt/my go/go" -c 'a "b" \' x\ y "q\"q" """#),
            ["/opt/my go/go", "-c", "a \"b\" \\", "x y", "q\"q", ""]
        );
        let spec = PlayerSpec::read(
            r#" name="GNU Go" time=sudden:60 setup="level 3; komi_x 5;" gtp:/usr/games/gnugo -q"#,
        )
        .unwrap();
        assert_eq!(spec.name, "GNU Go");
        assert_eq!(spec.setup, ["level 3", "komi_x 5"]);
        assert_eq!(spec.time.unwrap().to_string(), "sudden:60");
        assert_eq!(PlayerSpec::read("gtp:/usr/games/gnugo -q").unwrap().name, "gnugo");
    }

    #[test]
    fn engines_have_settings() {
        let spec =
            PlayerSpec::read("resign=no tedomari simulations=400 net='a b.safetensors'").unwrap();
        let settings = [("simulations", "400"), ("net", "a b.safetensors")];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(spec.kind, PlayerKind::Engine(settings.to_vec()));
        assert_eq!(spec.name, "tedomari simulations=400 net=a b.safetensors");
        assert_eq!(spec.resign.as_deref(), Some("no"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| PlayerSpec::read(text).unwrap_err().to_string();
        assert!(error("").contains("is no player"));
        assert!(error("gnugo").contains("is no player"));
        assert!(error("gtp:").contains("is no player"));
        assert!(error("gtp:gnugo 'x").contains("not closed"));
        assert!(error("nmae=x tedomari").contains("nmae=x"));
        assert!(error("tedomari fast").contains("KEY=VALUE"));
        assert!(error("time=5 tedomari").contains("fixed:SECONDS"));
        assert!(error("resign=no gtp:x").contains("resign="));
        assert!(error("setup=x tedomari").contains("setup="));
        assert!(error("time=simulations:5 gtp:x").contains("GTP program"));
    }

    #[test]
    fn names_are_made_different() {
        let mut specs: Vec<_> =
            ["tedomari", "gtp:x", "tedomari", "name='x #2' gtp:y", "gtp:x", "tedomari"]
                .map(|text| PlayerSpec::read(text).unwrap())
                .into();
        distinguish(&mut specs);
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["tedomari", "x", "tedomari #2", "x #2", "x #3", "tedomari #3"]);
    }
}
