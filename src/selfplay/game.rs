//! One game of an evaluator with itself, stepped from outside.

use std::collections::HashMap;
use std::sync::Arc;

use rand::RngExt as _;

use super::run::Selfplay;
use crate::eval::{EvalError, Evaluation, Evaluator};
use crate::game::{Color, Game, Komi, Move, Position};
use crate::record::{Outcome, TrainingGame, Turn};
use crate::search::{SearchReport, Stepper};
use crate::util::{Rng, Seed, standard_normal};

/// A game under way.
pub(super) struct Play<'a> {
    games: Selfplay<'a>,
    number: u64,
    rng: Rng,
    position: Position,
    turns: Vec<Turn>,
    /// Moves of the archive that it began with.
    given: usize,
    stepper: Stepper,
    /// How the search under way is done.
    effort: Effort,
    /// Own moves in a row that looked lost, by colour.
    lost_turns: [u32; 2],
    /// The first who would have resigned.
    would_resign: Option<Color>,
    control: bool,
    /// Who evaluates for this game alone, if anybody does.
    own: Option<Box<dyn Evaluator>>,
    /// What was said of positions, by [`Position::hash_with_past`].
    remembered: HashMap<u64, Arc<Evaluation>>,
    resigned: Option<Color>,
    counts: Counts,
}

/// How a search is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    Full,
    /// To go on with the game.
    Fast,
    /// A full one that was ended, as its answer would not change.
    Ended,
}

/// What a game cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Positions that the evaluator was asked about.
    pub(super) evaluations: u64,
    /// Positions that were answered from memory.
    pub(super) remembered: u64,
    /// Searches that were ended early.
    pub(super) ended_early: u64,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Played {
    /// Which of the games it is.
    pub number: u64,
    /// The game.
    pub game: TrainingGame,
    /// What became of resignation.
    pub resignation: Resignation,
    /// Moves from the archive at its beginning.
    pub given: usize,
    /// Positions that the evaluator was asked about.
    pub evaluations: u64,
    /// Positions that were answered from memory.
    pub remembered: u64,
    /// Searches that ended because their answer would not change.
    pub ended_early: u64,
}

/// What a game tells of resignation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resignation {
    /// Nobody resigned or would have.
    None,
    /// Somebody did.
    Resigned,
    /// A game of the control group: somebody would have, and lost in the end.
    Right,
    /// The same, but did not lose.
    Wrong,
}

impl<'a> Play<'a> {
    pub(super) fn new(games: &Selfplay<'a>, number: u64) -> Self {
        let Selfplay { evaluator, params, start, archive, seed, .. } = *games;
        let mut rng = seed.fork("game", number).rng();
        let komi = match start.rules.game {
            Game::Go => spread(start.komi, params.komi_spread, &mut rng),
            Game::NoGo => start.komi,
        };
        let control = rng.random_bool(params.resign_control);
        let mut position = Position::new(start.size, start.played_rules(), komi);
        let mut turns = Vec::new();
        if rng.random_bool(params.archive_share) {
            let most = params.longest_game(start.size) / 2;
            for &mv in archive.draw(&mut rng).unwrap_or_default().iter().take(most) {
                let mut next = position.clone();
                if next.play(next.to_move(), mv).is_err() || next.is_over() {
                    break;
                }
                position = next;
                turns.push(Turn { mv, policy: Vec::new(), value: None, weight: 0.0, label: None });
            }
        }
        let (effort, stepper) = games.search(&position, &mut rng);
        let own = evaluator.apart(&position, seed.fork("evaluator of a game", number));
        Self {
            games: *games,
            number,
            rng,
            position,
            given: turns.len(),
            turns,
            stepper,
            effort,
            lost_turns: [0; 2],
            would_resign: None,
            control,
            own,
            remembered: HashMap::new(),
            resigned: None,
            counts: Counts::default(),
        }
    }

    /// Gives the search what is known of the position that it wants to know about.
    fn tell(&mut self, evaluation: &Evaluation) {
        self.stepper.answer(evaluation);
        if self.stepper.end_early() {
            self.effort = Effort::Ended;
            self.counts.ended_early += 1;
        }
    }

    /// Goes on as far as possible without the evaluator: the position to ask about next, or none at
    /// the end of the game.
    pub(super) fn next(&mut self) -> Option<&Position> {
        loop {
            while let Some(leaf) = self.stepper.leaf() {
                let Some(known) = self.remembered.get(&leaf.hash_with_past()) else { break };
                let known = Arc::clone(known);
                self.counts.remembered += 1;
                self.tell(&known);
            }
            if self.stepper.leaf().is_some() {
                return self.stepper.leaf();
            }
            if !self.turn() {
                return None;
            }
        }
    }

    /// Whether nobody but this game asks its evaluator.
    pub(super) fn is_apart(&self) -> bool {
        self.own.is_some()
    }

    /// Asks the evaluator of this game alone about that position.
    pub(super) fn ask_own(&mut self) -> Result<(), EvalError> {
        if let (Some(own), Some(leaf)) = (&self.own, self.stepper.leaf()) {
            let answer = own.evaluate(&[leaf])?.swap_remove(0);
            self.answer(answer);
        }
        Ok(())
    }

    /// Takes what the evaluator says of that position.
    pub(super) fn answer(&mut self, evaluation: Evaluation) {
        self.counts.evaluations += 1;
        let Some(leaf) = self.stepper.leaf() else { return };
        let hash = leaf.hash_with_past();
        self.tell(&evaluation);
        if self.remembered.len() >= self.games.params.remembered {
            self.remembered.clear();
        }
        if self.games.params.remembered > 0 {
            self.remembered.insert(hash, Arc::new(evaluation));
        }
    }

    /// Plays the move that the search found and begins the next search; false at the end of the game.
    fn turn(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        let report = self.stepper.report();
        if self.resigns(&report) {
            return false;
        }
        let Some(mv) = self.choose(&report) else { return false };
        let weight = match self.effort {
            Effort::Full => 1.0,
            Effort::Fast => 0.0,
            #[expect(clippy::cast_possible_truncation, reason = "a share")]
            Effort::Ended => self.games.params.early_weight as f32,
        };
        // What was evaluated but not searched says nothing of the moves, but its game has a result.
        let told = self.effort == Effort::Full || weight > 0.0 && report.simulations > 1;
        let policy = if told { report.policy } else { Vec::new() };
        self.turns.push(Turn { mv, policy, value: Some(report.value), weight, label: None });
        self.position.play_legal(self.position.to_move(), mv);
        if self.is_over() {
            return false;
        }
        (self.effort, self.stepper) = self.games.search(&self.position, &mut self.rng);
        true
    }

    fn is_over(&self) -> bool {
        self.resigned.is_some()
            || self.position.is_over()
            || self.turns.len() >= self.games.params.longest_game(self.position.size())
    }

    /// Whether the side to move gives up.
    fn resigns(&mut self, report: &SearchReport) -> bool {
        let color = self.position.to_move();
        let threshold = self.games.params.resign_value;
        let lost = threshold > -1.0 && f64::from(report.value.get()) < threshold;
        let count = &mut self.lost_turns[color.index()];
        *count = if lost { *count + 1 } else { 0 };
        if *count < self.games.params.resign_moves {
            return false;
        }
        self.would_resign.get_or_insert(color);
        if !self.control {
            self.resigned = Some(color);
        }
        self.resigned.is_some()
    }

    /// The move to play: the best one, or one drawn by how good it looks.
    fn choose(&mut self, report: &SearchReport) -> Option<Move> {
        let early = self.turns.len() - self.given < self.games.params.drawn_moves;
        if early || self.rng.random_bool(self.games.params.drawn_share) {
            let mut rest = self.rng.random_range(0.0..1.0_f32);
            for &(mv, weight) in &report.policy {
                rest -= weight;
                if weight > 0.0 && rest < 0.0 {
                    return Some(mv);
                }
            }
        }
        Some(report.moves.first()?.mv)
    }

    pub(super) fn finish(self) -> Played {
        let outcome = match self.resigned {
            Some(loser) => Outcome { winner: Some(loser.opponent()), score: None, owners: None },
            None => Outcome::as_it_stands(&self.position),
        };
        let resignation = match (self.resigned, self.would_resign) {
            (Some(_), _) => Resignation::Resigned,
            (None, None) => Resignation::None,
            (None, Some(color)) if outcome.winner == Some(color.opponent()) => Resignation::Right,
            (None, Some(_)) => Resignation::Wrong,
        };
        Played {
            number: self.number,
            game: TrainingGame {
                size: self.position.size(),
                rules: *self.position.rules(),
                komi: self.position.komi(),
                stones: Vec::new(),
                turns: self.turns,
                outcome,
            },
            resignation,
            given: self.given,
            evaluations: self.counts.evaluations,
            remembered: self.counts.remembered,
            ended_early: self.counts.ended_early,
        }
    }
}

impl Selfplay<'_> {
    /// A full or a fast search of a position. Only a full one may end early.
    fn search(&self, position: &Position, rng: &mut Rng) -> (Effort, Stepper) {
        let full = rng.random_bool(self.params.full_share);
        let stepper_rng = Seed::new(rng.random()).rng();
        let search = self.params.search(full, self.search);
        let stepper = Stepper::new(position.clone(), search, stepper_rng);
        if full {
            (Effort::Full, stepper.with_model(self.stop_model))
        } else {
            (Effort::Fast, stepper)
        }
    }
}

/// Komi around a middle.
fn spread(middle: Komi, points: f64, rng: &mut Rng) -> Komi {
    let komi = middle.points() + (2.0 * points * standard_normal(rng)).round() / 2.0;
    Komi::from_points(komi).unwrap_or(middle)
}
