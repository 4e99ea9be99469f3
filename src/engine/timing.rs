//! The clocks of both players, and how they are spent.

use std::time::Duration;

use super::move_report::MoveReport;
use super::params::EngineParams;
use crate::game::{Color, Game, Position};
use crate::timeman::{
    Account, Clock, Manager, Outcome, Pace, Plan, Situation, Spent, StopChain, Table, TableGame,
    TimeSystem, Timetable,
};
use crate::util::Seed;

/// A search takes so long at the least, however late it is: shorter it would end with nothing.
pub(super) const LEAST: Duration = Duration::from_millis(3);

/// The clocks of both players with their managers.
pub(super) struct Timing {
    clocks: [Clock; 2],
    managers: [Manager; 2],
    table: Option<Table>,
    pace: Pace,
}

impl Timing {
    /// Clocks without a limit.
    pub(super) fn new(params: &EngineParams, position: &Position) -> Self {
        let pace = if params.time.simulations_as_time { simulations(params) } else { Pace::Real };
        Self {
            clocks: [Clock::new(TimeSystem::Unlimited); 2],
            managers: managers(params, built_in(position), pace),
            table: None,
            pace,
        }
    }

    pub(super) const fn clock(&self, color: Color) -> &Clock {
        &self.clocks[color.index()]
    }

    pub(super) const fn is_virtual(&self) -> bool {
        matches!(self.pace, Pace::Simulations(_))
    }

    /// From now on a simulation takes one second.
    pub(super) fn count_simulations(&mut self, params: &EngineParams, position: &Position) {
        self.pace = simulations(params);
        self.managers = managers(params, self.table_for(position), self.pace);
    }

    /// Other parameters, for the game that is on the board. The clocks run on.
    pub(super) fn configure(&mut self, params: &EngineParams, position: &Position) {
        let was_virtual = self.is_virtual();
        if params.time.simulations_as_time || was_virtual {
            self.pace = simulations(params);
        }
        self.managers = managers(params, self.table_for(position), self.pace);
    }

    /// A timetable to be used for the games that it is about.
    pub(super) fn set_table(&mut self, table: Table, position: &Position) {
        self.table = Some(table);
        let table = self.table_for(position);
        self.managers.iter_mut().for_each(|manager| manager.begin(table.clone()));
    }

    /// A new game: the clocks start anew.
    pub(super) fn begin(&mut self, position: &Position) {
        self.clocks = self.clocks.map(|clock| Clock::new(clock.system()));
        let table = self.table_for(position);
        self.managers.iter_mut().for_each(|manager| manager.begin(table.clone()));
    }

    /// Another time system, by real time unless the parameters say otherwise.
    pub(super) fn set_system(
        &mut self,
        system: TimeSystem,
        params: &EngineParams,
        position: &Position,
    ) {
        self.clocks = [Clock::new(system); 2];
        if self.is_virtual() && !params.time.simulations_as_time {
            self.pace = Pace::Real;
            self.managers = managers(params, self.table_for(position), self.pace);
        }
    }

    /// Takes over what somebody else's clock shows.
    pub(super) fn correct(&mut self, color: Color, seconds: f64, overtime: u32) {
        let index = color.index();
        self.managers[index].correct(&mut self.clocks[index], seconds, overtime);
    }

    /// Plans the next move of a player, and gives the rules for it.
    pub(super) fn plan(&self, color: Color, position: &Position) -> (Plan, StopChain<'static>) {
        let manager = &self.managers[color.index()];
        let plan = manager.plan(self.clock(color), &situation(position));
        (plan, manager.chain(plan.budget))
    }

    /// When a search must have ended by real time; never where a number of simulations is all that ends it.
    pub(super) fn deadline(&self, plan: &Plan, simulations: Option<u64>) -> Option<Duration> {
        let has_clock = plan.expected.is_some() || simulations.is_none();
        (has_clock && !self.is_virtual()).then_some(plan.budget.hard)
    }

    /// Simulations at the most, where time or a parameter limits them.
    pub(super) fn simulations(&self, plan: &Plan, most: u64) -> Option<u64> {
        let most = (most > 0).then_some(most);
        let ticks = plan.budget.hard.as_secs().max(1);
        match (self.is_virtual(), self.clocks[0].system()) {
            (true, system) if system != TimeSystem::Unlimited => {
                Some(most.map_or(ticks, |most| most.min(ticks)))
            }
            _ => most,
        }
    }

    /// What became of a plan, for those who want to know.
    pub(super) fn account(
        &self,
        color: Color,
        (plan, spent): (&Plan, &Spent),
        used: Duration,
    ) -> Account {
        self.managers[color.index()].account(plan, spent, used)
    }

    /// Takes a move off the clock, and learns from it. Whether the time has run out with it.
    pub(super) fn settle(
        &mut self,
        color: Color,
        (plan, spent): (&Plan, &Spent),
        outcome: &Outcome,
    ) -> bool {
        if plan.is_bare() {
            return false;
        }
        let used = if self.is_virtual() { outcome.searched } else { outcome.used };
        let clock = &mut self.clocks[color.index()];
        let was_out = clock.is_out_of_time();
        self.managers[color.index()].spend(clock, used);
        let is_out = clock.is_out_of_time();
        let outcome = Outcome { used, ..*outcome };
        self.managers[color.index()].learn(plan, spent, &outcome);
        is_out && !was_out
    }

    fn table_for(&self, position: &Position) -> Timetable {
        let fits = |table: &&Table| table.game == game(position) && table.area == area(position);
        match self.table.as_ref().filter(fits) {
            Some(table) => table.clone().into(),
            None => built_in(position),
        }
    }
}

fn managers(params: &EngineParams, table: Timetable, pace: Pace) -> [Manager; 2] {
    let seed = Seed::new(params.search.seed);
    let first = Manager::new(&params.time, table, seed.fork("time", 0)).paced(pace);
    let second = first.clone().seeded(seed.fork("time", 1));
    [first, second]
}

/// All threads may have a batch under way when the time is over. Where the evaluator chooses how large it is, one
/// position is kept in hand for each: the search makes no more simulations than the clock has.
fn simulations(params: &EngineParams) -> Pace {
    let at_once = params.search.thread_count() * params.search.batch.max(1);
    Pace::Simulations(u32::try_from(at_once).unwrap_or(u32::MAX))
}

fn game(position: &Position) -> TableGame {
    match position.rules().game {
        Game::Go => TableGame::Go,
        Game::NoGo => TableGame::NoGo,
    }
}

fn area(position: &Position) -> u32 {
    u32::try_from(position.size().area()).unwrap_or(u32::MAX)
}

fn built_in(position: &Position) -> Timetable {
    Timetable::built_in(game(position), area(position))
}

/// What the time manager learns of a move.
pub(super) fn outcome(MoveReport { search: report, used, .. }: &MoveReport) -> Outcome {
    Outcome {
        searched: report.elapsed,
        used: *used,
        reason: report.reason,
        criticality: report.criticality,
        playout_length: report.playout_length,
        win_rate: Some(f64::from(report.value.win_rate())),
    }
}

fn situation(position: &Position) -> Situation {
    let empty = u32::try_from(position.board().empty_points().len()).unwrap_or(u32::MAX);
    let area = area(position);
    Situation { area, stones: area.saturating_sub(empty), moves: position.move_count() }
}
