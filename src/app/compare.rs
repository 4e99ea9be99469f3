//! How far a network is from its teacher.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::evaluators;
use super::progress::Surroundings;
use crate::eval::{Evaluation, Evaluator};
use crate::game::{Board, BoardSize, Color, Komi, Move, Position, Rules, handicap};
use crate::nn::best_move;
use crate::record::{LabelParams, Labeller, Oddity, Permutation, Shard, shard_files};
use crate::util::{Seed, threads_or_cores};

/// Positions given to a network at a time.
const BATCH: usize = 64;

/// Below this, the logarithm of a prior is that of this.
const LEAST_PRIOR: f32 = 1e-6;

/// A position and the group that it counts for.
type Chosen = (&'static str, Position);

/// Positions that two networks are compared on.
#[derive(Clone, Debug)]
pub struct CompareSpec {
    /// The network.
    pub student: String,
    /// The network that it is compared with.
    pub teacher: String,
    /// Shards, or folders of them, with games to take positions from.
    pub files: Vec<PathBuf>,
    /// Positions to take from the games.
    pub positions: u64,
    /// Odd positions to make.
    pub odd: u64,
    /// Sides of the boards of odd positions.
    pub sides: RangeInclusive<usize>,
    /// Threads, 0 for as many as there are cores.
    pub threads: usize,
    /// Where the random numbers start.
    pub seed: u64,
}

/// How far they are from each other.
pub struct Comparison {
    /// By group of positions.
    pub groups: BTreeMap<&'static str, Group>,
    /// Against handicaps that everybody knows.
    pub handicaps: Vec<Handicap>,
}

/// Compares two networks.
pub fn compare(spec: &CompareSpec, around: &Surroundings<'_>) -> anyhow::Result<Comparison> {
    let config = around.config;
    ensure!(
        spec.odd > 0 || !spec.files.is_empty(),
        "there is nothing to compare on: name shards, or give --odd N"
    );
    let student = evaluators::of_net(&spec.student, config)?;
    let teacher = evaluators::of_net(&spec.teacher, config)?;
    let mut chosen = recorded(spec)?;
    chosen.extend(odd(spec, teacher.as_ref(), around)?);
    let progress = around.display.begin("comparing", chosen.len() as u64, "positions");
    let compare = |part: &[Chosen]| -> anyhow::Result<Vec<(&'static str, Difference)>> {
        let mut found = Vec::new();
        for some in part.chunks(BATCH) {
            let positions: Vec<_> = some.iter().map(|(_, position)| position).collect();
            let said = student.evaluate(&positions)?.into_iter().zip(teacher.evaluate(&positions)?);
            for ((group, position), (student, teacher)) in some.iter().zip(said) {
                found.push((*group, Difference::of(position, &student, &teacher)));
            }
            progress.add(some.len() as u64);
            progress.say(String::new());
        }
        Ok(found)
    };
    let found = in_parts(&chosen, spec.threads, &compare)?;
    progress.end();
    let mut groups = BTreeMap::<_, Group>::new();
    for (name, difference) in found {
        if name != RECORDED {
            groups.entry("odd").or_default().add(&difference);
        }
        groups.entry(name).or_default().add(&difference);
    }
    let handicaps = known_handicaps(student.as_ref(), teacher.as_ref(), &spec.sides)?;
    Ok(Comparison { groups, handicaps })
}

/// Does the same with parts of a list on several threads; what comes out has the order of the list.
fn in_parts<T: Sync, R: Send>(
    all: &[T],
    threads: usize,
    work: &(dyn Fn(&[T]) -> anyhow::Result<Vec<R>> + Sync),
) -> anyhow::Result<Vec<R>> {
    let share = all.len().div_ceil(threads_or_cores(threads).max(1)).max(1);
    let parts: Vec<Vec<R>> = thread::scope(|scope| {
        let threads: Vec<_> =
            all.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| anyhow::anyhow!("a thread has panicked"))?)
            .collect::<anyhow::Result<_>>()
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// The name of the group of positions of games.
const RECORDED: &str = "records";

/// Positions of the games in the files, drawn by the seed.
fn recorded(spec: &CompareSpec) -> anyhow::Result<Vec<Chosen>> {
    let mut files = Vec::new();
    for path in &spec.files {
        files.extend(shard_files(path)?);
    }
    let shards = files.iter().map(|file| Shard::read(file)).collect::<Result<Vec<_>, _>>()?;
    let mut starts = Vec::new();
    let mut turns = 0;
    for shard in &shards {
        for index in 0..shard.len() {
            starts.push((turns, shard, index));
            turns += shard.outline(index).1 as u64;
        }
    }
    if turns == 0 {
        return Ok(Vec::new());
    }
    let order = Permutation::new(turns, Seed::new(spec.seed).fork("positions", 0));
    let mut chosen = Vec::new();
    for place in 0..spec.positions.min(turns) {
        let turn = order.get(place);
        let (start, shard, index) = starts[starts.partition_point(|start| start.0 <= turn) - 1];
        let game = shard.game(index)?;
        let position = game.position(usize::try_from(turn - start)?, game.rules);
        let position = position
            .with_context(|| format!("in game {} of {}", index + 1, shard.path().display()))?;
        if !position.is_over() {
            chosen.push((RECORDED, position));
        }
    }
    chosen.sort_by_key(|(_, position)| position.size().area());
    Ok(chosen)
}

/// Positions that are made for it.
fn odd(
    spec: &CompareSpec,
    teacher: &dyn Evaluator,
    around: &Surroundings<'_>,
) -> anyhow::Result<Vec<Chosen>> {
    let numbers: Vec<u64> = (0..spec.odd).collect();
    let params = LabelParams::default();
    let progress = around.display.begin("odd positions", spec.odd, "positions");
    let make = |numbers: &[u64]| -> anyhow::Result<Vec<Chosen>> {
        let labeller = Labeller { teacher, params: &params, seed: Seed::new(spec.seed) };
        let step = |made: u64, _| {
            progress.add(made);
            progress.say(String::new());
            !around.stop.load(Ordering::Relaxed)
        };
        let made = labeller.odd_positions(numbers, &spec.sides, &step)?;
        let made = made.context("told to end before the positions were made")?;
        let names = numbers.iter().map(|&number| Oddity::of(number).name());
        Ok(names.zip(made).collect())
    };
    let mut made = in_parts(&numbers, spec.threads, &make)?;
    progress.end();
    made.sort_by_key(|(_, position)| position.size().area());
    Ok(made)
}

/// How far two networks are from each other in a position.
struct Difference {
    win_rate: f64,
    same_move: bool,
    /// Of the teacher's priors to the student's, and to themselves.
    cross_entropy: f64,
    entropy: f64,
    lead: Option<f64>,
    owners: Option<f64>,
}

impl Difference {
    fn of(position: &Position, student: &Evaluation, teacher: &Evaluation) -> Self {
        let priors = |evaluation: &Evaluation| -> Vec<f32> {
            let color = position.to_move();
            let legal = position.size().points().filter(|&point| position.is_legal(color, point));
            let moves = legal.map(Move::Place).chain([Move::Pass]);
            moves.map(|mv| evaluation.policy.weight(position, mv)).collect()
        };
        let (said, taught) = (priors(student), priors(teacher));
        let entropy = |of: &[f32]| -> f64 {
            let term = |(&p, &q): (&f32, &f32)| -f64::from(p) * f64::from(q.max(LEAST_PRIOR)).ln();
            taught.iter().zip(of).map(term).sum()
        };
        let owners = student.ownership.as_ref().zip(teacher.ownership.as_ref());
        Self {
            win_rate: f64::from((student.value.win_rate() - teacher.value.win_rate()).abs()),
            same_move: best_move(position, student).0 == best_move(position, teacher).0,
            cross_entropy: entropy(&said),
            entropy: entropy(&taught),
            lead: student.score.zip(teacher.score).map(|(a, b)| f64::from((a - b).abs())),
            owners: owners.map(|(a, b)| {
                let points = position.size().points();
                let apart =
                    |point| f64::from(a.of(Color::Black, point) - b.of(Color::Black, point));
                points.map(|point| apart(point).abs()).sum::<f64>() / position.size().area() as f64
            }),
        }
    }
}

/// How far two networks are from each other in the positions of a group.
#[derive(Default)]
pub struct Group {
    /// How many there are.
    pub positions: u64,
    win_rate: f64,
    squares: f64,
    same_moves: u64,
    cross_entropy: f64,
    entropy: f64,
    lead: (f64, u64),
    owners: (f64, u64),
}

impl Group {
    fn add(&mut self, difference: &Difference) {
        self.positions += 1;
        self.win_rate += difference.win_rate;
        self.squares += difference.win_rate.powi(2);
        self.same_moves += u64::from(difference.same_move);
        self.cross_entropy += difference.cross_entropy;
        self.entropy += difference.entropy;
        for (sum, found) in
            [(&mut self.lead, difference.lead), (&mut self.owners, difference.owners)]
        {
            *sum = (sum.0 + found.unwrap_or_default(), sum.1 + u64::from(found.is_some()));
        }
    }

    /// The mean of a sum over the positions.
    fn mean(&self, sum: f64) -> f64 {
        sum / self.positions.max(1) as f64
    }

    /// The mean difference of win rates, with its standard error.
    #[must_use]
    pub fn win_rate(&self) -> (f64, f64) {
        let mean = self.mean(self.win_rate);
        let variance = (self.mean(self.squares) - mean * mean).max(0.0);
        (mean, (variance / self.positions.max(1) as f64).sqrt())
    }

    /// The share of the positions in which both have the same best move.
    #[must_use]
    pub fn first_move(&self) -> f64 {
        self.mean(self.same_moves as f64)
    }

    /// The mean cross entropy of the teacher's priors to the student's, and to themselves.
    #[must_use]
    pub fn entropies(&self) -> (f64, f64) {
        (self.mean(self.cross_entropy), self.mean(self.entropy))
    }

    /// The mean difference of leads in points, where both know one.
    #[must_use]
    pub fn lead(&self) -> Option<f64> {
        known(self.lead)
    }

    /// The mean difference of owners of a point, where both know them.
    #[must_use]
    pub fn owners(&self) -> Option<f64> {
        known(self.owners)
    }

    /// All of it by stable names.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let ((win_rate, error), (cross_entropy, entropy)) = (self.win_rate(), self.entropies());
        json!({
            "positions": self.positions,
            "win_rate_difference": win_rate,
            "win_rate_error": error,
            "first_move": self.first_move(),
            "policy_cross_entropy": cross_entropy,
            "teacher_entropy": entropy,
            "lead_difference": self.lead(),
            "owner_difference": self.owners(),
        })
    }
}

/// The mean of a sum over so many, if there are any.
fn known((sum, count): (f64, u64)) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// What both say of White's chances against handicaps that everybody knows.
pub struct Handicap {
    /// The board.
    pub size: BoardSize,
    /// Black's stones.
    pub stones: usize,
    /// White's chances by the network.
    pub student: f64,
    /// White's chances by its teacher.
    pub teacher: f64,
}

/// Four stones on 9x9 and nine on 13x13 and 19x19, White to move, komi 0.5, Chinese rules.
fn known_handicaps(
    student: &dyn Evaluator,
    teacher: &dyn Evaluator,
    sides: &RangeInclusive<usize>,
) -> anyhow::Result<Vec<Handicap>> {
    let chosen = [(9, 4), (13, 9), (19, 9)].into_iter().filter(|(side, _)| sides.contains(side));
    chosen
        .map(|(side, stones)| {
            let size = BoardSize::square(side)?;
            let mut board = Board::new(size);
            for point in handicap::free(size, stones) {
                board.place(Color::Black, point);
            }
            let komi = Komi::from_points(0.5)?;
            let mut position = Position::from_board(board, Color::White, Rules::CHINESE, komi);
            position.set_handicap(u16::try_from(stones)?);
            let rate = |net: &dyn Evaluator| -> anyhow::Result<f64> {
                Ok(f64::from(net.evaluate_one(&position)?.value.win_rate()))
            };
            Ok(Handicap { size, stones, student: rate(student)?, teacher: rate(teacher)? })
        })
        .collect()
}
