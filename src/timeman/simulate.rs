//! Strategies tried on a virtual clock, without playing: games have a length and the stones on the
//! board, searches have visits that grow as those of a search might.

use std::time::Duration;

use rand::RngExt as _;

use super::allot::Situation;
use super::chain::StopChain;
use super::clock::{Clock, TimeSystem};
use super::manager::{Manager, Outcome};
use super::stop::{Root, SearchProgress, Stop as _, StopReason, Summary};
use super::table::{Table, quantile};
use crate::util::{Rng, Seed};

/// Games to try strategies on: for each, the stones on the board before every move.
#[derive(Clone, Debug, PartialEq)]
pub struct GameModel {
    /// Points of the board.
    pub area: u32,
    /// The games.
    pub games: Vec<Vec<u32>>,
}

impl GameModel {
    /// Games with the lengths of a timetable, each stretched by a factor.
    #[must_use]
    pub fn synthetic(table: &Table, games: u32, stretch: f64, seed: Seed) -> Self {
        let mut rng = seed.fork("lengths of games", 0).rng();
        let game = |_| {
            let length = stretch * quantile(&table.length, rng.random());
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a number of moves"
            )]
            let plies = (length.round() as u32).max(2);
            let stones = |ply: u32| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a number of stones"
                )]
                let stones = table.stones.at(f64::from(ply)).max(0.0) as u32;
                stones.min(ply)
            };
            (0..plies).map(stones).collect()
        };
        Self { area: table.area, games: (0..games).map(game).collect() }
    }
}

/// What a server tells of the time left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// Nothing.
    Nothing,
    /// Whole seconds, rounded down.
    Seconds,
    /// Everything.
    Exactly,
}

/// The circumstances of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The clock.
    pub system: TimeSystem,
    /// What the server counts beyond what the engine sees, for every move.
    pub lag: Duration,
    /// What the server tells of the time left.
    pub tells: Tells,
    /// Simulations a second.
    pub rate: f64,
    /// Where the random numbers start.
    pub seed: Seed,
}

/// What came of a strategy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simulated {
    /// Games.
    pub games: u32,
    /// Games lost on time.
    pub forfeits: u32,
    /// Share of the main time that was left at the end, on average.
    pub unused_share: f64,
    /// The largest share of what was left that a move took.
    pub worst_move_share: f64,
    /// Share of the planned time that searches used, on average.
    pub used_of_plan: f64,
    /// Mean seconds of the first own move, the second and so on, with the number of games that had it.
    pub seconds: Vec<(f64, u32)>,
}

/// Plays the clock of one player through all games.
#[must_use]
pub fn simulate(manager: &Manager, table: &Table, model: &GameModel, terms: &Terms) -> Simulated {
    let mut result = Simulated::default();
    let (mut used_of_plan, mut searches) = (0.0, 0.0);
    let mut manager = manager.clone();
    for (number, stones) in model.games.iter().enumerate() {
        manager.begin(table.clone());
        let mut game = Trial {
            server: Clock::new(terms.system),
            own: Clock::new(terms.system),
            rng: terms.seed.fork("trial", number as u64).rng(),
            last_simulations: 0,
        };
        let color = number % 2;
        for (ply, &stones) in stones.iter().enumerate().skip(color).step_by(2) {
            #[expect(clippy::cast_possible_truncation, reason = "a number of moves")]
            let at = Situation { area: model.area, stones, moves: ply as u32 };
            let before = game.server.left();
            let (planned, used) = game.turn(&mut manager, &at, terms);
            let share = used.as_secs_f64() / before.as_secs_f64().max(1e-9);
            result.worst_move_share = result.worst_move_share.max(share);
            used_of_plan += used.as_secs_f64() / planned.as_secs_f64().max(1e-9);
            searches += 1.0;
            if result.seconds.len() <= ply / 2 {
                result.seconds.resize(ply / 2 + 1, (0.0, 0));
            }
            let (sum, count) = &mut result.seconds[ply / 2];
            *sum += used.as_secs_f64();
            *count += 1;
            if game.server.is_out_of_time() {
                result.forfeits += 1;
                break;
            }
        }
        result.games += 1;
        result.unused_share += game.unused();
    }
    result.unused_share /= f64::from(result.games.max(1));
    result.used_of_plan = used_of_plan / f64::max(searches, 1.0);
    for (sum, count) in &mut result.seconds {
        *sum /= f64::from((*count).max(1));
    }
    result
}

/// One game of a trial.
struct Trial {
    server: Clock,
    own: Clock,
    rng: Rng,
    last_simulations: u64,
}

impl Trial {
    /// Plans and searches for one move, and lets the clocks run. What was planned and what was used.
    fn turn(
        &mut self,
        manager: &mut Manager,
        at: &Situation,
        terms: &Terms,
    ) -> (Duration, Duration) {
        let left = self.server.left();
        let told = match terms.tells {
            Tells::Nothing => None,
            Tells::Seconds => Some(left.as_secs() as f64),
            Tells::Exactly => Some(left.as_secs_f64()),
        };
        if let Some(seconds) = told {
            manager.correct(&mut self.own, seconds, self.server.overtime());
        }
        let plan = manager.plan(&self.own, at);
        let mut chain = manager.chain(plan.budget);
        let root = ModelRoot::draw(&mut self.rng);
        // About a third of the last tree lies under the two moves since.
        let reused = self.last_simulations * 3 / 10;
        let (used, reason, simulations) = search(&mut chain, root, reused, terms.rate);
        self.last_simulations = simulations + reused;
        self.server.spend(used + terms.lag);
        manager.spend(&mut self.own, used);
        let spent = chain.spent();
        manager.learn(
            &plan,
            &spent,
            &Outcome {
                searched: used,
                used,
                reason: Some(reason),
                criticality: Some(root.kappa),
                playout_length: Some(f64::from(at.area) * 1.3 - f64::from(at.stones)),
                win_rate: Some(root.win_rate),
            },
        );
        (spent.budget.planned, used)
    }

    /// Share of the main time that is left.
    fn unused(&self) -> f64 {
        let main = match self.server.system() {
            TimeSystem::Unlimited => Duration::ZERO,
            TimeSystem::Absolute { main }
            | TimeSystem::Canadian { main, .. }
            | TimeSystem::Byoyomi { main, .. }
            | TimeSystem::Fischer { main, .. } => main,
        };
        if main.is_zero() || self.server.overtime() > 0 {
            return 0.0;
        }
        self.server.left().as_secs_f64() / main.as_secs_f64()
    }
}

/// Runs rules over a model of a search until they end it.
fn search(
    chain: &mut StopChain<'_>,
    root: ModelRoot,
    reused: u64,
    rate: f64,
) -> (Duration, StopReason, u64) {
    let (shortest, longest) = (Duration::from_micros(200), Duration::from_millis(10));
    let step = (chain.spent().budget.planned / 200).clamp(shortest, longest);
    let mut elapsed = Duration::ZERO;
    loop {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of simulations"
        )]
        let simulations = (elapsed.as_secs_f64() * rate) as u64;
        let now = ModelRoot { visits: (simulations + reused) as f64, ..root };
        let root: Option<&dyn Root> = Some(&now);
        let progress =
            SearchProgress { simulations, elapsed, reused, root, ..SearchProgress::default() };
        if let Some(reason) = chain.should_stop(&progress) {
            return (elapsed, reason, simulations);
        }
        elapsed += step;
    }
}

/// A root whose moves get constant shares of the visits.
#[derive(Clone, Copy, Debug)]
struct ModelRoot {
    visits: f64,
    best: f64,
    second: f64,
    win_rate: f64,
    best_is_highest: bool,
    kappa: f64,
}

impl ModelRoot {
    fn draw(rng: &mut Rng) -> Self {
        let best = rng.random_range(0.15..0.95);
        Self {
            visits: 0.0,
            best,
            second: (1.0f64 - best).min(best) * rng.random_range(0.2..1.0),
            win_rate: rng.random_range(0.2..0.8),
            best_is_highest: rng.random_range(0.0..1.0) < 0.75,
            kappa: rng.random_range(0.1..0.4),
        }
    }
}

impl Root for ModelRoot {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of visits"
    )]
    fn summary(&self) -> Option<Summary> {
        Some(Summary {
            best: (self.best * self.visits) as u32,
            second: (self.second * self.visits) as u32,
            win_rate: self.win_rate,
            best_is_highest: self.best_is_highest,
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of visits"
    )]
    fn visits(&self) -> Vec<u32> {
        let rest = (1.0 - self.best - self.second).max(0.0);
        [self.best, self.second, rest].map(|share| (share * self.visits) as u32).to_vec()
    }

    fn criticality(&self) -> Option<f64> {
        Some(self.kappa)
    }
}

#[cfg(test)]
mod tests;
