//! This engine as a player, in this process.

use std::borrow::Cow;

use super::{Answer, GameStart, Kind, Player, Question, Reply, Trouble};
use crate::arena::time::TimeControl;
use crate::engine::{Decision, Engine, Ticket, View};
use crate::game::{Color, Move, PointSet};
use crate::timeman::TimeSystem;
use crate::util::Seed;

/// Makes an engine for a game whose random numbers start here, or says why it cannot.
pub type EngineMaker = Box<dyn FnMut(Seed) -> Result<Engine, String> + Send>;

/// An engine in this process. Each game has one of its own, so that a game depends on nothing but
/// its seed.
pub struct Inside {
    make: EngineMaker,
    engine: Option<Engine>,
    /// Nobody cancels a move of a match.
    ticket: Ticket,
}

impl Inside {
    /// A player whose engines are made like this.
    #[must_use]
    pub fn new(make: EngineMaker) -> Self {
        Self { make, engine: None, ticket: Ticket::unlimited() }
    }
}

fn started(engine: &mut Option<Engine>) -> Result<&mut Engine, Trouble> {
    engine.as_mut().ok_or_else(|| Trouble::new(Kind::Refused, "no game was started"))
}

impl Player for Inside {
    fn start(&mut self, game: &GameStart) -> Result<(), Trouble> {
        // The old one goes before the new one takes memory.
        self.engine = None;
        let mut engine =
            (self.make)(game.seed).map_err(|reason| Trouble::new(Kind::Absent, reason))?;
        engine.start(game.size, game.rules, game.komi);
        engine.set_time_system(game.time.clock().system());
        if matches!(game.time, TimeControl::Simulations(_)) {
            engine.count_simulations_as_time();
        }
        self.engine = Some(engine);
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Trouble> {
        // The referee has looked at it.
        started(&mut self.engine)?.state_mut().play_legal(color, mv);
        Ok(())
    }

    fn genmove(&mut self, question: &Question<'_>) -> Result<Reply, Trouble> {
        let Question { color, purpose, clock, .. } = *question;
        let Self { engine, ticket, .. } = self;
        let engine = started(engine)?;
        if clock.system() != TimeSystem::Unlimited {
            engine.set_time_left(color, clock.left().as_secs_f64(), clock.overtime());
        }
        let decision = engine
            .genmove(color, purpose, ticket, View::none())
            .map_err(|error| Trouble::new(Kind::Crash, error.to_string()))?;
        let report = engine.last_report().expect("invariant: it has just searched");
        Ok(Reply {
            answer: match decision {
                Decision::Play(mv) => Answer::Move(mv),
                Decision::Resign => Answer::Resign,
            },
            used: report.used,
            simulations: Some(report.search.simulations),
            stop: report.search.reason.map(|reason| Cow::Borrowed(reason.name())),
            planned: report.allotted(),
            win_rate: Some(report.search.value.win_rate()),
        })
    }

    fn dead_stones(&mut self) -> Result<Option<PointSet>, Trouble> {
        Ok(Some(started(&mut self.engine)?.judge().dead))
    }

    fn take_minor(&mut self) -> Vec<Trouble> {
        Vec::new()
    }
}
