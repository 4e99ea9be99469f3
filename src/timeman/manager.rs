//! The time manager of one player: plans, gives rules, and learns from what happened.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;

use super::account::Account;
use super::allot::{Allotted, Memory, Situation, allot};
use super::chain::{Budget, Spent, StopChain};
use super::clock::{Clock, TimeSystem};
use super::lag::Lag;
use super::params::{EarlyStopping, TimeParams};
use super::parts::{self, RuleSpec};
use super::purse::Purse;
use super::rules::{
    Doubt, EarlyStop, KappaCurrent, KappaLine, KldGain, Prolong, RandomStop, Reuse,
};
use super::stop::{StopReason, StopRule};
use super::strategy::Strategy;
use super::table::{Expected, Timetable};
use crate::util::Seed;

/// Kept in hand whatever the lag: a clock that is used to the last microsecond has run out.
const MARGIN: Duration = Duration::from_millis(10);

/// What a move is thought to take beyond what the own clock sees, whatever a server has shown.
const UNSEEN: Duration = Duration::from_millis(3);

/// Games of so many times the usual length must not run out of time.
const LONGEST: f64 = 3.0;

/// The last move is one of so many in the mean of what moves take beyond their plans.
const SURPRISE: u32 = 4;

/// That mean before the first move: the machine may be busy.
const FIRST_SURPRISE: Duration = Duration::from_millis(5);

/// How time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// By a real clock.
    Real,
    /// One second for each simulation; so many may come at once.
    Simulations(u32),
}

/// The time manager of one player.
#[derive(Clone, Debug)]
pub struct Manager {
    params: TimeParams,
    strategy: Arc<Strategy>,
    table: Timetable,
    pace: Pace,
    seed: Seed,
    lag: Lag,
    /// What comes after the search: the choice, the count, the answer.
    after: Duration,
    /// The longest gap between two looks of the last search.
    longest_gap: Duration,
    /// What moves take beyond their plans on average: much on a busy machine.
    beyond: Duration,
    memory: Memory,
    searches: u64,
    /// The plan for every move without a clock.
    without_clock: Plan,
}

/// A plan for one search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The time for it.
    pub budget: Budget,
    /// Own moves that are expected; none where the clock does not ask for it.
    pub expected: Option<Expected>,
    /// Whether some of the time is lost if it is not used.
    pub fleeting: bool,
}

impl Plan {
    /// Whether there is neither a clock nor anything to decide: nothing can be saved, and nothing learnt.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.expected.is_none() && self.budget.is_fixed()
    }
}

impl Manager {
    /// The manager for a game on a board that the table is about.
    ///
    /// # Panics
    /// If the parameters were not checked: their strategy must exist.
    #[must_use]
    pub fn new(params: &TimeParams, table: impl Into<Timetable>, seed: Seed) -> Self {
        let strategy: Strategy =
            params.strategy.parse().expect("invariant: the parameters were checked");
        Self {
            memory: Memory::before(&strategy),
            params: params.clone(),
            strategy: Arc::new(strategy),
            table: table.into(),
            pace: Pace::Real,
            seed,
            lag: Lag::default(),
            after: Duration::ZERO,
            longest_gap: Duration::ZERO,
            beyond: FIRST_SURPRISE,
            searches: 0,
            without_clock: without_clock(params, Pace::Real),
        }
    }

    /// The same manager with time measured in another way.
    #[must_use]
    pub fn paced(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self.without_clock = without_clock(&self.params, pace);
        self
    }

    /// The same manager with random numbers that start elsewhere.
    #[must_use]
    pub const fn seeded(mut self, seed: Seed) -> Self {
        self.seed = seed;
        self
    }

    /// Forgets the game, but not what was learned of the lag and the machine.
    pub fn begin(&mut self, table: impl Into<Timetable>) {
        self.table = table.into();
        self.memory = Memory::before(&self.strategy);
        self.searches = 0;
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Takes over what a server says of the player's clock.
    pub fn correct(&mut self, clock: &mut Clock, seconds: f64, overtime: u32) {
        let allowance = Duration::from_millis(u64::from(self.params.lag_ms));
        self.lag.correct(clock, seconds, overtime, allowance);
    }

    /// Takes a move off the own clock. As long as nobody has told the time, every move is taken to have
    /// cost more than was seen: the own clock must not show more than the server's.
    pub fn spend(&self, clock: &mut Clock, used: Duration) {
        clock.spend(used + self.untold(clock.system()));
    }

    /// What a move is taken to cost unseen, as long as nobody tells the time: `time.untold_lag_ms`, or
    /// less on a clock that has not twice as much for every move of a long game.
    fn untold(&self, system: TimeSystem) -> Duration {
        if self.lag.is_told() || self.pace != Pace::Real {
            return Duration::ZERO;
        }
        let half_of = |main: Duration| main.div_f64(2.0 * (self.longest() + 1.0));
        let most = match system {
            TimeSystem::Unlimited => Duration::ZERO,
            TimeSystem::Absolute { main } => half_of(main),
            TimeSystem::Fischer { main, increment, .. } => half_of(main) + increment.mul_f64(0.9),
            TimeSystem::Canadian { period, stones, .. } => period / stones.max(1) / 2,
            TimeSystem::Byoyomi { period, .. } => period / 2,
        };
        most.min(Duration::from_millis(u64::from(self.params.untold_lag_ms)))
    }

    /// Own moves of a game that is as long as they get.
    fn longest(&self) -> f64 {
        LONGEST * self.table.own_moves()
    }

    /// What the clock offers for a move. Who does not know which stone of a Canadian period the server
    /// counts must not take more than its share for any.
    fn purse(&self, clock: &Clock) -> Option<Purse> {
        let purse = Purse::of(clock)?;
        Some(match clock.system() {
            TimeSystem::Canadian { period, stones, .. }
                if clock.overtime() > 0 && !self.lag.is_told() && self.pace == Pace::Real =>
            {
                let available = purse.available.min(period / stones.max(1));
                Purse { available, fleeting: Duration::ZERO, ..purse }
            }
            _ => purse,
        })
    }

    /// What a move is allowed to take unseen: as long as nobody tells the time, more may be known of it.
    fn lag_allowance(&self) -> u32 {
        let TimeParams { lag_ms, untold_lag_ms, .. } = self.params;
        if self.lag.is_told() { lag_ms } else { lag_ms.max(untold_lag_ms) }
    }

    /// What is kept in hand for certain, and what to be on the safe side.
    fn reserves(&self) -> (Duration, Duration) {
        match self.pace {
            Pace::Real => (
                self.lag.estimate() + self.after + self.longest_gap,
                Duration::from_millis(u64::from(self.lag_allowance())) + MARGIN,
            ),
            Pace::Simulations(at_once) => (Duration::from_secs(u64::from(at_once)), Duration::ZERO),
        }
    }

    /// What is left of a time when the reserves are kept in hand. With less than the reserves, a
    /// tenth of it is the best guess.
    fn within(&self, time: Duration) -> Duration {
        let (certain, safe) = self.reserves();
        let rest = time.saturating_sub(certain);
        rest.saturating_sub(safe).max(rest / 10)
    }

    /// What moves to come take without thinking, in a game as long as they get.
    fn unseen(
        &self,
        system: TimeSystem,
        purse: &Purse,
        at: &Situation,
        expected: Expected,
    ) -> Duration {
        if let Some(stones) = purse.moves {
            // What is kept for the later stones of a period comes back to the last.
            let (certain, safe) = self.reserves();
            return ((certain + safe) * stones.saturating_sub(1)).min(purse.pool / 2);
        }
        let played = f64::from(at.moves) / 2.0;
        let moves = (self.longest() - played).max(expected.upper);
        let each = match self.pace {
            Pace::Real => {
                UNSEEN.max((self.lag.mean() + self.beyond).mul_f64(1.25) + self.untold(system))
            }
            // A move takes a simulation at least.
            Pace::Simulations(_) => Duration::from_secs(1),
        };
        // What each move gets anew pays for it first.
        each.saturating_sub(purse.gift).mul_f64(moves)
    }

    /// Plans a move.
    #[must_use]
    pub fn plan(&self, clock: &Clock, at: &Situation) -> Plan {
        let Some(purse) = self.purse(clock) else { return self.without_clock };
        let deadline = self.within(purse.available);
        let known = (at, &self.memory, &*self.table);
        let expected = allot(&self.strategy, clock, &purse, 0.0, known).expected;
        let in_hand = self.unseen(clock.system(), &purse, at, expected);
        let (certain, safe) = self.reserves();
        let pool = purse.pool.saturating_sub(certain + safe + in_hand);
        let Allotted { seconds, expected } =
            allot(&self.strategy, clock, &purse, pool.as_secs_f64(), known);
        let share = match purse.moves {
            Some(moves) => (1.5 / f64::from(moves)).clamp(self.params.max_share, 1.0),
            None => self.params.max_share,
        };
        let hard = deadline.min(pool.mul_f64(share) + self.within(purse.gift));
        let fleeting = self.within(purse.fleeting).min(deadline);
        let hard = hard.max(fleeting);
        let wanted = Duration::try_from_secs_f64(seconds).unwrap_or(hard);
        let planned = wanted.max(fleeting).min(hard);
        let minimum = match self.params.early_stop {
            EarlyStopping::Always => Duration::ZERO,
            EarlyStopping::Never => planned,
            EarlyStopping::Kept => fleeting,
        };
        let budget = Budget { planned, minimum, hard };
        Plan { budget, expected: Some(expected), fleeting: !fleeting.is_zero() }
    }

    /// The rules for a search on a budget; none where it leaves them nothing to decide.
    #[must_use]
    pub fn chain(&self, budget: Budget) -> StopChain<'static> {
        let specs = if budget.is_fixed() { &[] } else { self.strategy.rules.as_slice() };
        StopChain::new(budget, specs.iter().map(|spec| self.rule(spec)).collect())
    }

    fn rule(&self, spec: &RuleSpec) -> Box<dyn StopRule> {
        match *spec {
            RuleSpec::Behind(parts::Behind { factor, below, loops }) => {
                Box::new(Prolong::new(Doubt::Behind(below), factor, loops))
            }
            RuleSpec::Unstable(parts::Unstable { factor, loops }) => {
                Box::new(Prolong::new(Doubt::Unstable, factor, loops))
            }
            RuleSpec::Close(parts::Close { factor, difference, loops }) => {
                Box::new(Prolong::new(Doubt::Close(difference), factor, loops))
            }
            RuleSpec::KappaCm(parts::KappaCm { slope, intercept, low, high, collect_ms }) => {
                let line = KappaLine::new((slope, intercept), low, high);
                let after = Duration::from_millis(collect_ms.into());
                Box::new(KappaCurrent::new(line, after))
            }
            RuleSpec::Stop(parts::Stop { share }) => Box::new(EarlyStop { p: share }),
            RuleSpec::Kld(parts::Kld { gain, interval }) => {
                Box::new(KldGain::new(gain, interval.into()))
            }
            RuleSpec::Random(parts::Random { chance, share }) => {
                let drawn: f64 = self.seed.fork("random stop", self.searches).rng().random();
                Box::new(RandomStop { share: if drawn < chance { share } else { 2.0 } })
            }
            RuleSpec::Reuse(parts::Reuse { most }) => Box::new(Reuse { most }),
        }
    }

    /// Tells what became of a plan, for those who want to know.
    #[must_use]
    pub fn account(&self, plan: &Plan, spent: &Spent, used: Duration) -> Account {
        let seconds = |time: Duration| time.as_secs_f64();
        let end = spent.budget.planned;
        Account {
            strategy: Arc::clone(&self.strategy),
            allotted: seconds(plan.budget.planned),
            extended: seconds(end.saturating_sub(plan.budget.planned)),
            extended_by: spent.extended,
            limit: seconds(plan.budget.hard),
            used: seconds(used),
            saved: seconds(end.saturating_sub(used)),
            moves_left: plan.expected.map(|expected| expected.mean),
            fraction: self.memory.fraction,
            lag: seconds(self.lag.estimate()),
        }
    }

    /// Learns from a search that took part of its plan.
    pub fn learn(&mut self, plan: &Plan, spent: &Spent, outcome: &Outcome) {
        self.searches += 1;
        self.longest_gap = spent.longest_gap;
        // Quickly up, slowly down: a late answer costs a game.
        let after = outcome.used.saturating_sub(outcome.searched);
        self.after = after.max(self.after / 10 * 9);
        // What was added to a plan, or saved of it, is no surprise.
        let expected = spent.budget.planned.min(outcome.searched);
        let beyond = outcome.used.saturating_sub(expected);
        self.beyond = (self.beyond * (SURPRISE - 1) + beyond) / SURPRISE;
        self.memory.criticality = outcome.criticality.or(self.memory.criticality);
        self.memory.playout_length = outcome.playout_length.or(self.memory.playout_length);
        self.memory.win_rate = outcome.win_rate;
        let planned = plan.budget.planned.as_secs_f64();
        let cut_off = matches!(
            outcome.reason,
            Some(StopReason::Interrupted | StopReason::Simulations) | None
        );
        let Some(learned) = self.strategy.learned() else { return };
        if plan.fleeting || planned <= 0.0 || cut_off {
            return;
        }
        let weight = 1.0 - 0.5f64.powf(1.0 / learned.half_life);
        let used = (outcome.searched.as_secs_f64() / planned).min(2.0);
        self.memory.fraction += weight * (used - self.memory.fraction);
    }
}

/// Without a clock every move gets the same, and nothing is saved for later.
fn without_clock(params: &TimeParams, pace: Pace) -> Plan {
    let planned = match pace {
        Pace::Real => Duration::from_secs_f64(params.seconds_per_move),
        Pace::Simulations(_) => Duration::MAX,
    };
    let minimum = if params.early_stop == EarlyStopping::Always { Duration::ZERO } else { planned };
    let budget = Budget { planned, minimum, hard: planned };
    Plan { budget, expected: None, fleeting: true }
}

/// What became of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The time of the search.
    pub searched: Duration,
    /// The time of the move, with all that came after the search.
    pub used: Duration,
    /// Why it ended.
    pub reason: Option<StopReason>,
    /// Highest criticality of a point.
    pub criticality: Option<f64>,
    /// Mean length of the simulated games.
    pub playout_length: Option<f64>,
    /// Share of games that are expected to be won.
    pub win_rate: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeman::{Table, TableGame};

    /// On a machine that is so busy that every move takes 12 ms longer than it should, a game at one
    /// second is a matter of knowing it.
    #[test]
    fn a_busy_machine_is_allowed_for() {
        let table = Table::built_in(TableGame::Go, 81);
        let mut manager = Manager::new(&TimeParams::default(), table, Seed::new(1));
        let mut clock = Clock::new(TimeSystem::Absolute { main: Duration::from_secs(1) });
        for moves in (0..100).step_by(2) {
            let plan = manager.plan(&clock, &Situation { area: 81, stones: moves.min(60), moves });
            let spent = manager.chain(plan.budget).spent();
            let planned = plan.budget.planned.max(Duration::from_millis(3));
            let used = planned + Duration::from_millis(12);
            clock.spend(used);
            assert!(!clock.is_out_of_time(), "after {moves} moves");
            let outcome = Outcome {
                searched: used,
                used,
                reason: Some(StopReason::Time),
                ..Outcome::default()
            };
            manager.learn(&plan, &spent, &outcome);
        }
        let beyond = manager.beyond.as_secs_f64();
        assert!((0.011..0.02).contains(&beyond), "{beyond}");
    }
}
