//! The engine: plays a game, keeps its clock, and judges how it ends. Knows no protocol.

mod cancel;
mod choice;
mod genmove;
mod handle;
mod judge;
mod move_report;
mod params;
mod record;
mod state;
mod stopwatch;
mod timing;
mod view;

use std::cell::RefCell;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tracing::{debug, warn};

pub use cancel::{Ticket, Tickets};
pub use choice::{Decision, Purpose};
pub use handle::{Handle, ThreadGone};
pub use move_report::MoveReport;
pub use params::{EngineParams, GameParams, PlayParams};
pub use state::{GameState, StateError};
pub use view::View;

use crate::eval::{EvalError, Evaluation, Evaluator, Look, Opinion};
use crate::game::{BoardSize, Color, Game, GameRecord, Komi, Position, Rules};
use crate::judge::{Judge, Judgement};
use crate::search::{Request, Search, SearchReport, StopModel};
use crate::timeman::{Clock, SearchProgress, StopChain, StopReason, Table, TimeSystem};
use crate::util::Seed;
use choice::Resignation;
use genmove::Thought;
use stopwatch::Stopwatch;
use timing::Timing;

/// What a judgement depends on: board, stones and rules.
type Judged = (BoardSize, u64, Rules);

/// How long an analysis sleeps between two looks when there is nothing left to search.
const IDLE: Duration = Duration::from_millis(2);

/// A player of one game at a time. Several may live in one process: they share nothing.
pub struct Engine {
    params: EngineParams,
    evaluator: Arc<dyn Evaluator>,
    /// The games that the evaluator knows.
    games: Vec<Game>,
    state: GameState,
    timing: Timing,
    resignation: [Resignation; 2],
    search: Search,
    /// Judges positions where a game ends.
    judge: Judge,
    /// The last judgement, and what it is about.
    judged: RefCell<Option<(Judged, Judgement)>>,
    stop_model: Option<Arc<dyn StopModel>>,
    last_report: Option<MoveReport>,
    /// By [`Color::index`], whether the engine has moved for the player in this game.
    moved_for: [bool; 2],
    /// The player who has just moved by the engine's choice, and may think on the opponent's time.
    may_ponder: Option<Color>,
    thought: Duration,
}

impl Engine {
    /// An engine with the game that the parameters name on the board.
    #[must_use]
    pub fn new(params: EngineParams, evaluator: Arc<dyn Evaluator>) -> Self {
        let game = &params.game;
        let state = GameState::new(game.size(), game.rules(), game.komi());
        Self {
            timing: Timing::new(&params, state.position()),
            games: Game::ALL.to_vec(),
            state,
            resignation: [Resignation::default(); 2],
            search: new_search(&params, &evaluator),
            judge: Judge::new(),
            judged: RefCell::default(),
            stop_model: None,
            last_report: None,
            moved_for: [false; 2],
            may_ponder: None,
            thought: Duration::ZERO,
            params,
            evaluator,
        }
    }

    /// The game on the board.
    #[must_use]
    pub const fn state(&self) -> &GameState {
        &self.state
    }

    /// The game on the board, to be changed. What was thought of the old one is forgotten.
    pub fn state_mut(&mut self) -> &mut GameState {
        self.last_report = None;
        &mut self.state
    }

    /// The parameters in force.
    #[must_use]
    pub const fn params(&self) -> &EngineParams {
        &self.params
    }

    /// From now on only these games are played: others are not for the evaluator.
    pub fn limit_to(&mut self, games: Vec<Game>) {
        self.games = games;
    }

    fn check_game(&self, game: Game) -> Result<(), StateError> {
        if self.games.contains(&game) { Ok(()) } else { Err(StateError::OtherNetwork(game)) }
    }

    /// Changes parameters. When those of the game change, a new game begins.
    pub fn configure(&mut self, params: EngineParams) -> Result<(), StateError> {
        self.check_game(params.game.rules().game)?;
        let game_changed = params.game != self.params.game;
        let search_changed = params.search != self.params.search;
        let time_changed = params.time != self.params.time;
        self.params = params;
        if search_changed || time_changed {
            self.timing.configure(&self.params, self.state.position());
        }
        if search_changed {
            self.search = new_search(&self.params, &self.evaluator);
        }
        if game_changed {
            let game = &self.params.game;
            self.state = GameState::new(game.size(), game.rules(), game.komi());
            self.begin();
        }
        Ok(())
    }

    /// Clears the board for a new game on a board of this size. Rules, komi and the time system
    /// stay; the clocks start anew.
    pub fn new_game(&mut self, size: BoardSize) {
        self.start(size, self.state.rules(), self.state.komi());
    }

    /// Clears the board for a game by these rules; the clocks start anew.
    pub fn start(&mut self, size: BoardSize, rules: Rules, komi: Komi) {
        self.state = GameState::new(size, rules, komi);
        self.begin();
    }

    /// Clears the board for a game of Go, by the configured rules, or of NoGo.
    pub fn set_game(&mut self, game: Game) -> Result<(), StateError> {
        self.check_game(game)?;
        let rules = match game {
            Game::Go if self.state.rules().game == Game::Go => self.state.rules(),
            Game::Go => self.params.game.go_rules(),
            Game::NoGo => Rules::NOGO,
        };
        self.start(self.state.position().size(), rules, self.state.komi());
        Ok(())
    }

    /// Takes over a game with its first `moves` moves. Rules and komi are those of the record
    /// where it names them; if something is illegal, nothing changes.
    pub fn load(&mut self, record: GameRecord, moves: usize) -> Result<(), StateError> {
        let rules = record.rules.unwrap_or(self.state.rules());
        self.check_game(rules.game)?;
        let mut state = GameState::new(record.size, rules, self.state.komi());
        state.load(record, moves)?;
        self.state = state;
        self.begin();
        Ok(())
    }

    /// The clock of a player.
    #[must_use]
    pub const fn clock(&self, color: Color) -> &Clock {
        self.timing.clock(color)
    }

    /// Sets the time system, and both clocks to its start.
    pub fn set_time_system(&mut self, system: TimeSystem) {
        self.timing.set_system(system, &self.params, self.state.position());
    }

    /// Until another time system is set, a simulation takes one second of the clocks, and real time none: what is
    /// played depends on no machine.
    pub fn count_simulations_as_time(&mut self) {
        self.timing.count_simulations(&self.params, self.state.position());
    }

    /// Uses a timetable for games of its kind on boards of its size.
    pub fn set_timetable(&mut self, table: Table) {
        self.timing.set_table(table, self.state.position());
    }

    /// From now on searches end where the model finds their answer certain, as far as the parameters allow it.
    pub fn set_stop_model(&mut self, model: Arc<dyn StopModel>) {
        self.stop_model = Some(model);
    }

    /// Takes over what is left on a player's clock, see [`Clock::set_left`], and learns from it what
    /// the own clock does not see.
    pub fn set_time_left(&mut self, color: Color, seconds: f64, overtime: u32) {
        self.timing.correct(color, seconds, overtime);
    }

    /// What the last search has found.
    #[must_use]
    pub const fn last_report(&self) -> Option<&MoveReport> {
        self.last_report.as_ref()
    }

    /// Time spent thinking since the start.
    #[must_use]
    pub const fn thought(&self) -> Duration {
        self.thought
    }

    /// Thinks about the position without touching board or clock. Never resigns but where there is
    /// no legal move.
    pub fn suggest(
        &mut self,
        color: Color,
        ticket: &Ticket,
        view: View<'_>,
    ) -> Result<Decision, EvalError> {
        let watch = Stopwatch::start();
        let Thought { choice, mut report, .. } =
            self.think(color, (Purpose::Win, &watch), ticket, view)?;
        report.used = watch.elapsed();
        self.thought += report.used;
        self.last_report = Some(report);
        Ok(choice.map_or(Decision::Resign, Decision::Play))
    }

    /// Thinks about the position until another request comes, however clear the answer is, and
    /// touches neither board nor clock.
    pub fn analyze(
        &mut self,
        color: Color,
        ticket: &Ticket,
        view: View<'_>,
    ) -> Result<SearchReport, EvalError> {
        let watch = Stopwatch::start();
        let other = self.state.position_for(color);
        let position = other.as_deref().unwrap_or(self.state.position());
        let View { limits, owner_spreads, mut observer } = view;
        let mut stop = StopChain::until(ticket.superseded());
        let line = self.state.line_to(position);
        let elapsed = || watch.elapsed();
        let request = Request {
            deadline: Some(Duration::MAX),
            line: line.as_deref(),
            limits,
            also_one_move: true,
            owner_spreads,
            observer: observer.as_mut().map(|one| &mut **one as _),
            ..Request::new(&mut stop, &elapsed)
        };
        let mut report = self.search.run(position, request)?;
        while !ticket.is_superseded() {
            thread::sleep(IDLE);
            report.elapsed = watch.elapsed();
            let SearchReport { simulations, elapsed, .. } = report;
            let progress = SearchProgress { simulations, elapsed, ..SearchProgress::default() };
            if let Some(observer) = &mut observer {
                observer.look(&progress, &|| report.clone());
            }
        }
        self.thought += watch.elapsed();
        self.last_report = Some(report.clone().into());
        Ok(report)
    }

    /// Thinks about the opponent's moves after an own one, if that is configured, until `wanted`
    /// says that there is something else to do. What is found is used by the next search.
    pub fn ponder(&mut self, wanted: &dyn Fn() -> bool) {
        let position = self.state.position();
        let due = self.may_ponder == Some(position.to_move().opponent());
        if !self.params.play.ponder || !due || self.is_over() {
            return;
        }
        let watch = Stopwatch::start();
        let end = Duration::from_secs_f64(self.params.play.ponder_seconds);
        let mut stop =
            StopChain::until(|_: &SearchProgress<'_>| wanted().then_some(StopReason::Interrupted));
        let line = self.state.line_to(position);
        let elapsed = || watch.elapsed();
        let request = Request {
            deadline: Some(end),
            line: line.as_deref(),
            ..Request::new(&mut stop, &elapsed)
        };
        let found = self.search.run(position, request);
        match found {
            Ok(report) if !wanted() => {
                // Nothing more to find, or no time for it: once is enough.
                self.may_ponder = None;
                debug!(%report, "pondered");
            }
            Ok(report) => debug!(%report, "pondered"),
            Err(error) => {
                self.may_ponder = None;
                warn!(%error, "pondering ended");
            }
        }
    }

    /// What the evaluator says of the position with `color` to move, without a search.
    pub fn evaluate(&self, color: Color) -> Result<Evaluation, EvalError> {
        let other = self.state.position_for(color);
        let position = other.as_deref().unwrap_or(self.state.position());
        self.evaluator.evaluate_one(position)
    }

    /// The same in a certain way, and everything that there is to say, with the position that was
    /// looked at.
    pub fn look(&self, color: Color, look: Look) -> Result<(Position, Opinion), EvalError> {
        let other = self.state.position_for(color);
        let position = other.as_deref().unwrap_or(self.state.position());
        Ok((position.clone(), self.evaluator.look(position, look)?))
    }

    fn begin(&mut self) {
        self.timing.begin(self.state.position());
        self.resignation = [Resignation::default(); 2];
        self.last_report = None;
        self.moved_for = [false; 2];
        self.may_ponder = None;
        self.search.forget();
    }
}

fn new_search(params: &EngineParams, evaluator: &Arc<dyn Evaluator>) -> Search {
    let seed = Seed::new(params.search.seed);
    Search::new(Arc::clone(evaluator), params.search.clone(), seed)
}
