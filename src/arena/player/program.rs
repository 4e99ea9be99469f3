//! A GTP program as a player.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tracing::info;

use super::process::{Process, Said, Streams};
use super::{Answer, GameStart, Kind, Player, Question, Reply, Trouble};
use crate::engine::Purpose;
use crate::game::{BoardSize, Color, Game, Move, PointSet, Rules};
use crate::timeman::{Clock, TimeSystem};

/// How long a program may take to start, and for commands other than to move.
const START: Duration = Duration::from_secs(120);
const COMMAND: Duration = Duration::from_secs(30);

/// A program that speaks GTP. It runs from game to game, and is restarted after trouble.
pub struct Program {
    words: Vec<String>,
    /// In place of the first process that the words would start.
    streams: Option<Streams>,
    setup: Vec<String>,
    /// Whether it has ever answered, here or in another game.
    proven: Arc<AtomicBool>,
    running: Option<Running>,
    minor: Vec<Trouble>,
}

struct Running {
    process: Process,
    /// The commands that it knows; empty for the simplest of programs, which get as few commands
    /// as possible.
    commands: HashSet<String>,
    size: BoardSize,
    /// It understands no fractions of a second.
    whole_seconds: bool,
    /// It has been told of a clock, and wants to know what is left.
    has_clock: bool,
    /// Byo-yomi was explained to it as Canadian time of one stone.
    canadian: bool,
}

impl Program {
    /// A player that is started by this command line and then gets these commands. One that has
    /// never answered, as all that share `proven` know, does not lose but is absent: its command
    /// line is wrong.
    #[must_use]
    pub fn new(words: Vec<String>, setup: Vec<String>, proven: Arc<AtomicBool>) -> Self {
        Self { words, streams: None, setup, proven, running: None, minor: Vec::new() }
    }

    /// A program that runs already. It cannot be started again after trouble.
    #[must_use]
    pub fn over(streams: Streams) -> Self {
        Self { streams: Some(streams), ..Self::new(Vec::new(), Vec::new(), Arc::default()) }
    }

    fn run(&mut self) -> Result<&mut Running, Trouble> {
        let running = match self.running.take() {
            Some(running) => running,
            None => self.start_process().map_err(|trouble| {
                // Ordering: nothing else is exchanged.
                if trouble.kind == Kind::Absent || self.proven.load(Ordering::Relaxed) {
                    return trouble;
                }
                Trouble::new(Kind::Absent, format!("{trouble}; does its command speak GTP?"))
            })?,
        };
        self.proven.store(true, Ordering::Relaxed);
        Ok(self.running.insert(running))
    }

    fn start_process(&mut self) -> Result<Running, Trouble> {
        let process = match self.streams.take() {
            Some(streams) => Process::over(streams),
            None => Process::start(&self.words)?,
        };
        Running::start(process, &self.setup)
    }

    /// Does something with the program, and gives it up when that fails.
    fn with<T>(
        &mut self,
        act: impl FnOnce(&mut Running, &mut Vec<Trouble>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut minor = Vec::new();
        let result = self.run().and_then(|running| act(running, &mut minor));
        if let Some(running) = &mut self.running {
            self.minor.extend(running.process.take_minor());
        }
        self.minor.extend(minor);
        if result.is_err() {
            self.running = None;
        }
        result
    }
}

impl Player for Program {
    fn start(&mut self, game: &GameStart) -> Result<(), Trouble> {
        let kept = self.running.is_some();
        let begun = self.with(|running, minor| running.begin(game, minor));
        match begun {
            // One that has ended since its last game is started again: it has lost nothing.
            Err(trouble) if kept && matches!(trouble.kind, Kind::Crash | Kind::Closed) => {
                self.minor.push(trouble);
                self.with(|running, minor| running.begin(game, minor))
            }
            begun => begun,
        }
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Trouble> {
        self.with(|running, _| {
            let vertex = running.size.move_text(mv);
            running.must(&format!("play {} {vertex}", letter(color)))
        })
    }

    fn genmove(&mut self, question: &Question<'_>) -> Result<Reply, Trouble> {
        self.with(|running, _| running.genmove(question))
    }

    fn dead_stones(&mut self) -> Result<Option<PointSet>, Trouble> {
        self.with(|running, _| {
            if !running.knows("final_status_list") {
                return Ok(None);
            }
            let Ok(text) = running.ask("final_status_list dead", COMMAND)?.text else {
                return Ok(None);
            };
            let points = text.split_whitespace().map(|word| running.size.parse_point(word).ok());
            Ok(points.collect::<Option<Vec<_>>>().map(|points| points.into_iter().collect()))
        })
    }

    fn take_minor(&mut self) -> Vec<Trouble> {
        std::mem::take(&mut self.minor)
    }
}

impl Running {
    fn start(mut process: Process, setup: &[String]) -> Result<Self, Trouble> {
        let listed = process.ask("list_commands", START)?.text.unwrap_or_default();
        let commands: HashSet<String> = listed.split_whitespace().map(str::to_owned).collect();
        // The simplest of programs do not know numbers either.
        process.numbered = !commands.is_empty();
        let size = BoardSize::square(19).expect("invariant: 19 is a size of boards");
        let mut running = Self {
            process,
            commands,
            size,
            whole_seconds: false,
            has_clock: false,
            canadian: false,
        };
        for command in setup {
            if let Err(reason) = running.ask(command, START)?.text {
                let detail = format!("the set-up command '{command}' was refused: {reason}");
                return Err(Trouble::new(Kind::Absent, detail));
            }
        }
        Ok(running)
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn ask(&mut self, command: &str, limit: Duration) -> Result<Said, Trouble> {
        self.process.ask(command, limit)
    }

    /// Sends a command without which there is no game.
    fn must(&mut self, command: &str) -> Result<(), Trouble> {
        match self.ask(command, COMMAND)?.text {
            Ok(_) => Ok(()),
            Err(reason) => {
                Err(Trouble::new(Kind::Refused, format!("'{command}' was refused: {reason}")))
            }
        }
    }

    fn begin(&mut self, game: &GameStart, minor: &mut Vec<Trouble>) -> Result<(), Trouble> {
        self.process.begin_game();
        self.size = game.size;
        let go = game.rules.game == Game::Go;
        if self.knows("tedomari-game") {
            self.must(if go { "tedomari-game go" } else { "tedomari-game nogo" })?;
        }
        let (width, height) = (game.size.width(), game.size.height());
        if width == height {
            self.must(&format!("boardsize {width}"))?;
        } else if self.knows("rectangular_boardsize") {
            self.must(&format!("rectangular_boardsize {width} {height}"))?;
        } else {
            self.must(&format!("boardsize {width} {height}"))?;
        }
        self.must("clear_board")?;
        if go {
            self.tell_rules(game.rules, minor)?;
            let command = format!("komi {}", game.komi);
            if let Err(reason) = self.ask(&command, COMMAND)?.text {
                let detail = format!("'{command}' was refused: {reason}");
                minor.push(Trouble::new(Kind::Refused, detail));
            }
        }
        self.tell_time(game.time.clock().system())
    }

    /// Tells the rules to programs that can be told, under the names that they may know.
    fn tell_rules(&mut self, rules: Rules, minor: &mut Vec<Trouble>) -> Result<(), Trouble> {
        let Some(name) = rules.name() else { return Ok(()) };
        let commands = if self.knows("kata-set-rules") {
            // Not all know the server's rules; Tromp-Taylor without suicide is what they are.
            let other = if rules == Rules::CGOS { "tromp-taylor" } else { name };
            vec![format!("kata-set-rules {name}"), format!("kata-set-rules {other}")]
        } else if self.knows("kgs-rules") {
            let kgs = if name == "new-zealand" { "new_zealand" } else { name };
            vec![format!("kgs-rules {kgs}")]
        } else {
            return Ok(());
        };
        let mut refusal = String::new();
        for command in commands {
            match self.ask(&command, COMMAND)?.text {
                Ok(_) => return Ok(()),
                Err(reason) => refusal = format!("'{command}' was refused: {reason}"),
            }
        }
        minor.push(Trouble::new(Kind::Refused, refusal));
        Ok(())
    }

    /// Explains the time system in the words that the program knows. What it does not understand
    /// it is not told: the referee's clock runs all the same.
    fn tell_time(&mut self, system: TimeSystem) -> Result<(), Trouble> {
        (self.has_clock, self.canadian) = (false, false);
        let fischer = Some("kata-time_settings").filter(|name| self.knows(name));
        let byoyomi = Some("kgs-time_settings").filter(|name| self.knows(name)).or(fischer);
        let (command, numbers) = match (system, byoyomi, fischer) {
            (TimeSystem::Byoyomi { main, period, periods }, Some(name), _) => {
                let numbers = [Number::Time(main), Number::Time(period), Number::Count(periods)];
                (format!("{name} byoyomi"), numbers.to_vec())
            }
            (TimeSystem::Fischer { main, increment, .. }, _, Some(name)) => {
                (format!("{name} fischer"), vec![Number::Time(main), Number::Time(increment)])
            }
            _ => {
                self.canadian = matches!(system, TimeSystem::Byoyomi { .. });
                ("time_settings".to_owned(), gtp_settings(system))
            }
        };
        let name = command.split(' ').next().unwrap_or_default();
        if !self.knows(name) {
            return Ok(());
        }
        for whole in [self.whole_seconds, true] {
            let numbers: Option<Vec<_>> = numbers.iter().map(|number| number.text(whole)).collect();
            let Some(numbers) = numbers else { break };
            let line = format!("{command} {}", numbers.join(" "));
            match self.ask(&line, COMMAND)?.text {
                Ok(_) => {
                    self.whole_seconds = whole;
                    self.has_clock = system != TimeSystem::Unlimited && self.knows("time_left");
                    return Ok(());
                }
                Err(reason) => info!(line, reason, "the program does not take its time"),
            }
        }
        Ok(())
    }

    fn tell_time_left(&mut self, color: Color, clock: &Clock) -> Result<(), Trouble> {
        if !self.has_clock {
            return Ok(());
        }
        let stones = if self.canadian { clock.overtime().min(1) } else { clock.overtime() };
        let seconds = seconds_text(clock.left(), self.whole_seconds);
        let line = format!("time_left {} {seconds} {stones}", letter(color));
        if let Err(reason) = self.ask(&line, COMMAND)?.text {
            info!(line, reason, "the program does not take its time");
            // One that wants whole seconds is told so from now on; any other has its own reasons.
            (self.has_clock, self.whole_seconds) = (!self.whole_seconds, true);
        }
        Ok(())
    }

    fn genmove(&mut self, question: &Question<'_>) -> Result<Reply, Trouble> {
        let Question { color, purpose, clock, limit } = *question;
        self.tell_time_left(color, clock)?;
        let command = match purpose {
            Purpose::CleanUp if self.knows("kgs-genmove_cleanup") => "kgs-genmove_cleanup",
            _ => "genmove",
        };
        let said = self.ask(&format!("{command} {}", letter(color)), limit)?;
        let answer = match &said.text {
            Ok(word) if word.eq_ignore_ascii_case("resign") => Answer::Resign,
            Ok(word) => match self.size.parse_move(word) {
                Ok(mv) => Answer::Move(mv),
                Err(_) => Answer::Nonsense(word.chars().take(100).collect()),
            },
            Err(reason) => {
                let detail = format!("'{command}' was refused: {reason}");
                return Err(Trouble::new(Kind::Refused, detail));
            }
        };
        let mut reply = Reply {
            answer,
            used: said.used,
            simulations: None,
            stop: None,
            planned: None,
            win_rate: None,
        };
        if self.knows("tedomari-search-report")
            && let Ok(text) = self.ask("tedomari-search-report", COMMAND)?.text
            && let Ok(report) = serde_json::from_str::<serde_json::Value>(&text)
        {
            reply.simulations = report["simulations"].as_u64();
            reply.stop = report["reason"].as_str().map(|reason| reason.to_owned().into());
            #[expect(clippy::cast_possible_truncation, reason = "a probability")]
            let win_rate = report["winrate"].as_f64().map(|rate| rate as f32);
            reply.win_rate = win_rate;
        }
        Ok(reply)
    }
}

const fn letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

/// A number of a time system.
#[derive(Clone, Copy, Debug)]
enum Number {
    /// Seconds.
    Time(Duration),
    /// Stones or periods.
    Count(u32),
}

impl Number {
    /// How it is written; none for some time that becomes none by rounding.
    fn text(self, whole: bool) -> Option<String> {
        match self {
            Number::Count(count) => Some(count.to_string()),
            Number::Time(time) if whole && time.as_secs() == 0 && !time.is_zero() => None,
            Number::Time(time) => Some(seconds_text(time, whole)),
        }
    }
}

/// What `time_settings` says of a system, which is all that some programs know.
fn gtp_settings(system: TimeSystem) -> Vec<Number> {
    let (main, period, stones) = match system {
        TimeSystem::Unlimited => (Duration::ZERO, Duration::from_secs(1), 0),
        TimeSystem::Absolute { main } | TimeSystem::Fischer { main, .. } => {
            (main, Duration::ZERO, 0)
        }
        TimeSystem::Canadian { main, period, stones } => (main, period, stones),
        // One stone in each period: a little less than what it has.
        TimeSystem::Byoyomi { main, period, .. } => (main, period, 1),
    };
    vec![Number::Time(main), Number::Time(period), Number::Count(stones)]
}

/// Seconds, rounded down to milliseconds or to whole ones.
fn seconds_text(time: Duration, whole: bool) -> String {
    if whole || time.subsec_millis() == 0 {
        return time.as_secs().to_string();
    }
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::time::TimeControl;

    fn settings(text: &str, whole: bool) -> Option<String> {
        let system = text.parse::<TimeControl>().unwrap().clock().system();
        let numbers: Option<Vec<_>> =
            gtp_settings(system).into_iter().map(|number| number.text(whole)).collect();
        numbers.map(|numbers| numbers.join(" "))
    }

    #[test]
    fn time_systems_in_the_words_of_gtp() {
        let cases = [
            ("none", "0 1 0"),
            ("fixed:0.5", "0 0.5 1"),
            ("sudden:300", "300 0 0"),
            ("canadian:60+10/30.25", "60 30.25 10"),
            ("byoyomi:60+3x10", "60 10 1"),
            ("fischer:5+0.1", "5 0 0"),
        ];
        for (text, expected) in cases {
            assert_eq!(settings(text, false).as_deref(), Some(expected));
        }
        assert_eq!(settings("canadian:60.9+10/30.25", true).as_deref(), Some("60 30 10"));
        // Half a second in whole ones would be none at all.
        assert_eq!(settings("fixed:0.5", true), None);
    }

    #[test]
    fn seconds_are_rounded_down() {
        let text = |milliseconds, whole| seconds_text(Duration::from_millis(milliseconds), whole);
        assert_eq!(text(1999, true), "1");
        assert_eq!(text(1999, false), "1.999");
        assert_eq!(text(1500, false), "1.5");
        assert_eq!(text(10_000, false), "10");
        assert_eq!(text(50, false), "0.05");
    }
}
