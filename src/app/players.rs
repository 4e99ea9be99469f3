//! The players of a match, put together from their descriptions.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};

use super::engine::Equipment;
use super::evaluators;
use crate::arena::{Contestant, EngineMaker, PlayerKind, PlayerSpec, Source, Terms, TimeControl};
use crate::config::{Config, long_name};
use crate::timeman::TimeParams;
use crate::util::Seed;

/// The players, before it is known how many games are played at the same time.
pub struct Team {
    members: Vec<Member>,
    /// Threads of the player that has most.
    pub threads: usize,
}

struct Member {
    spec: PlayerSpec,
    time: TimeControl,
    /// None for programs.
    config: Option<Config>,
}

/// Reads the settings of all players.
pub fn gather(
    specs: &[PlayerSpec],
    base: &Config,
    terms: &Terms,
    time: TimeControl,
) -> anyhow::Result<Team> {
    let mut team = Team { members: Vec::new(), threads: 1 };
    for spec in specs {
        let time = spec.time.unwrap_or(time);
        let config = match &spec.kind {
            PlayerKind::Program(_) => {
                ensure!(
                    !matches!(time, TimeControl::Simulations(_)),
                    "a GTP program has no clock of simulations: give {} a time= of its own",
                    spec.name
                );
                None
            }
            PlayerKind::Engine(settings) => {
                let config = configure(spec, settings, base, terms)
                    .and_then(|config| adapt(config, base, time))
                    .with_context(|| format!("in --player {}", spec.text))?;
                team.threads = team.threads.max(config.search.thread_count());
                Some(config)
            }
        };
        team.members.push(Member { spec: spec.clone(), time, config });
    }
    Ok(team)
}

/// The settings of a player: those of the command line or of its file, and its own. No time is kept for the way
/// to a server unless they name another number than the default.
fn configure(
    spec: &PlayerSpec,
    settings: &[(String, String)],
    base: &Config,
    terms: &Terms,
) -> anyhow::Result<Config> {
    let mut config = file_of(base, settings)?;
    if config.time.lag_ms == TimeParams::default().lag_ms {
        // The referee is in the same process and has the time from the engine itself.
        config = config.with("time.lag_ms", "0")?;
    }
    for (key, value) in settings.iter().filter(|(key, _)| key != "config") {
        config = config.with(long_name(key), value)?;
    }
    match spec.resign.as_deref() {
        None => {}
        Some("no") => config = config.with("play.resign", "false")?,
        Some(rate) => config = config.with("play.resign_below", rate).context("in resign=")?,
    }
    // The evaluator is chosen by the game.
    config = config.with("game.kind", terms.rules.game.key())?;
    if terms.size.is_square() {
        config = config.with("game.board_size", &terms.size.width().to_string())?;
    }
    evaluators::check_game(&config)?;
    Ok(config)
}

/// The file that the settings of a player name, or else the configuration of the command line.
fn file_of(base: &Config, settings: &[(String, String)]) -> anyhow::Result<Config> {
    let mut files = settings.iter().filter(|(key, _)| key == "config").map(|(_, file)| file);
    files.next_back().map_or(Ok(base.clone()), |file| {
        Config::load(Path::new(file)).with_context(|| format!("in {file}"))
    })
}

/// The settings of a player in any game.
pub(super) fn with_settings(
    base: &Config,
    settings: &[(String, String)],
) -> anyhow::Result<Config> {
    let mut own = settings.iter().filter(|(key, _)| key != "config");
    own.try_fold(file_of(base, settings)?, |config, (key, value)| {
        config.with(long_name(key), value).with_context(|| format!("in {key}={value}"))
    })
}

/// What is different in a match where nobody says otherwise: one thread, and no clock where the
/// number of simulations is the limit.
fn adapt(mut config: Config, base: &Config, time: TimeControl) -> anyhow::Result<Config> {
    if config.search.threads == 0 {
        config = config.with("search.threads", "1")?;
    }
    let unlimited = time == TimeControl::NONE && config.search.max_simulations > 0;
    let untouched = config.time.seconds_per_move.to_bits() == base.time.seconds_per_move.to_bits();
    if unlimited && untouched {
        config = config.with("time.seconds_per_move", "86400.0")?;
    }
    Ok(config)
}

impl Team {
    /// The players for so many games at the same time, which share the memory.
    #[must_use]
    pub fn contestants(self, concurrency: usize) -> Vec<Contestant> {
        let contestant = |Member { spec, time, config }: Member| {
            let source = match (spec.kind, config) {
                (PlayerKind::Program(words), _) => {
                    Source::Program { words, setup: spec.setup, proven: Arc::default() }
                }
                (PlayerKind::Engine(_), config) => {
                    let mut config = config.unwrap_or_default();
                    if config.search.max_memory == 0 {
                        let share = config.memory().whole / concurrency.max(1) / 2;
                        config.memory.limit = (share >> 20).max(1);
                    }
                    Source::Engine(Arc::new(move || {
                        maker(config.clone()).map_err(|error| format!("{error:#}"))
                    }))
                }
            };
            Contestant { name: spec.name, time, source }
        };
        self.members.into_iter().map(contestant).collect()
    }
}

/// Makes the engines of one player for games one after the other. A network is loaded once;
/// what playouts learnt in one game is forgotten in the next, so that games do not depend on those before them.
fn maker(config: Config) -> anyhow::Result<EngineMaker> {
    let evaluator = evaluators::make(&config)?;
    let equipment = Equipment::of(&config)?;
    Ok(Box::new(move |seed: Seed| {
        let mut config = config.clone();
        // Seeds of the configuration are positive in 64 bits.
        config.search.seed = seed.fork("engine", config.search.seed).number() >> 1;
        evaluator.begin_game(Seed::new(config.search.seed));
        Ok(equipment.engine(&config, Arc::clone(&evaluator)))
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::{DeadBy, Patience};
    use crate::engine::{Purpose, Ticket, View};
    use crate::game::{BoardSize, Color, Komi, Rules};

    /// The configuration of a player that is described like this.
    fn configured(text: &str, base: &Config) -> Config {
        let spec = PlayerSpec::read(text).unwrap();
        let PlayerKind::Engine(settings) = &spec.kind else { panic!("no engine: {text}") };
        let terms = Terms {
            size: BoardSize::square(9).unwrap(),
            rules: Rules::CHINESE,
            komi: Komi::default(),
            dead: DeadBy::Nobody,
            max_moves: 100,
            allowance: Duration::ZERO,
            patience: Patience { unlimited: Duration::ZERO, late: Duration::ZERO },
        };
        configure(&spec, settings, base, &terms).unwrap()
    }

    #[test]
    fn a_player_in_this_process_keeps_no_time_for_a_server() {
        let base = Config::default();
        assert_eq!(configured("tedomari", &base).time.lag_ms, 0);
        assert_eq!(configured("tedomari time.lag_ms=50", &base).time.lag_ms, 50);
        let far = base.with("time.lag_ms", "70").unwrap();
        assert_eq!(configured("tedomari", &far).time.lag_ms, 70);
    }

    #[test]
    fn half_a_second_for_a_move_is_planned_in_full() {
        let config = configured("tedomari net.path=none threads=1", &Config::default());
        let mut engine = maker(config).unwrap()(Seed::new(1)).unwrap();
        engine.start(BoardSize::square(9).unwrap(), Rules::CHINESE, Komi::default());
        let time: TimeControl = "fixed:0.5".parse().unwrap();
        engine.set_time_system(time.clock().system());
        engine.set_time_left(Color::Black, 0.5, 1);
        let ticket = Ticket::unlimited();
        engine.genmove(Color::Black, Purpose::Win, &ticket, View::none()).unwrap();
        let report = engine.last_report().unwrap();
        let planned = report.allotted().unwrap();
        assert!((0.47..0.5).contains(&planned), "{planned}");
        assert!(report.used >= Duration::from_millis(450), "{:?}", report.used);
    }
}
