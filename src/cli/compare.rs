//! `tedomari net compare`: how far a network is from its teacher.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;

use anyhow::{Context, ensure};
use clap::Args;
use serde_json::{Value, json};

use super::progress::Bars;
use super::{print, print_json, stop};
use crate::app::evaluators;
use crate::app::progress::Display as _;
use crate::config::Config;
use crate::eval::{Evaluation, Evaluator};
use crate::game::{Board, BoardSize, Color, Komi, Move, Position, Rules, handicap};
use crate::nn::best_move;
use crate::record::{LabelParams, Labeller, Oddity, Permutation, Shard, shard_files};
use crate::util::{Seed, threads_or_cores};

/// Positions given to a network at a time.
const BATCH: usize = 64;

/// Below this, the logarithm of a prior is that of this.
const LEAST_PRIOR: f32 = 1e-6;

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The network: NAME.safetensors, one of KataGo's files, or builtin:NAME
    student: String,
    /// Shards, or folders of them, with games to take positions from
    files: Vec<PathBuf>,
    /// The network that it is compared with
    #[arg(long)]
    teacher: String,
    /// Positions to take from the games
    #[arg(long, default_value_t = 2000)]
    positions: u64,
    /// Odd positions to make: handicap, komi from -20 to 30, and settled boards in turn
    #[arg(long, default_value_t = 0)]
    odd: u64,
    /// Sides of the boards of odd positions, A-B
    #[arg(long, default_value = "9-19", value_parser = sides)]
    sides: RangeInclusive<usize>,
    /// Threads, 0 for as many as there are cores
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Reads `A-B`, or a single side.
fn sides(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let side = |text: &str| text.trim().parse::<usize>().ok();
    let known = BoardSize::MIN..=BoardSize::MAX;
    match side(from).zip(side(to)) {
        Some((from, to)) if from <= to && known.contains(&from) && known.contains(&to) => {
            Ok(from..=to)
        }
        _ => Err(format!("write A-B with {} <= A <= B <= {}", BoardSize::MIN, BoardSize::MAX)),
    }
}

/// A position and the group that it counts for.
type Chosen = (&'static str, Position);

pub(super) fn run(args: &CompareArgs, config: &Config) -> anyhow::Result<()> {
    ensure!(
        args.odd > 0 || !args.files.is_empty(),
        "there is nothing to compare on: name shards, or give --odd N"
    );
    let student = evaluators::of_net(&args.student, config)?;
    let teacher = evaluators::of_net(&args.teacher, config)?;
    let mut chosen = recorded(args)?;
    chosen.extend(odd(args, teacher.as_ref())?);
    let progress = Bars.begin("comparing", chosen.len() as u64, "positions");
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
    let found = in_parts(&chosen, args.threads, &compare)?;
    progress.end();
    let mut groups = BTreeMap::<&str, Group>::new();
    for (name, difference) in found {
        if name != RECORDED {
            groups.entry("odd").or_default().add(&difference);
        }
        groups.entry(name).or_default().add(&difference);
    }
    let stones = known_handicaps(student.as_ref(), teacher.as_ref(), &args.sides)?;
    report(args, &groups, &stones)
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
fn recorded(args: &CompareArgs) -> anyhow::Result<Vec<Chosen>> {
    let mut files = Vec::new();
    for path in &args.files {
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
    let order = Permutation::new(turns, Seed::new(args.seed).fork("positions", 0));
    let mut chosen = Vec::new();
    for place in 0..args.positions.min(turns) {
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
fn odd(args: &CompareArgs, teacher: &dyn Evaluator) -> anyhow::Result<Vec<Chosen>> {
    let numbers: Vec<u64> = (0..args.odd).collect();
    let stop = stop::flag(None)?;
    let params = LabelParams::default();
    let progress = Bars.begin("odd positions", args.odd, "positions");
    let make = |numbers: &[u64]| -> anyhow::Result<Vec<Chosen>> {
        let labeller = Labeller { teacher, params: &params, seed: Seed::new(args.seed) };
        let step = |made: u64, _| {
            progress.add(made);
            progress.say(String::new());
            !is_set(&stop)
        };
        let made = labeller.odd_positions(numbers, &args.sides, &step)?;
        let made = made.context("told to end before the positions were made")?;
        let names = numbers.iter().map(|&number| Oddity::of(number).name());
        Ok(names.zip(made).collect())
    };
    let mut made = in_parts(&numbers, args.threads, &make)?;
    progress.end();
    made.sort_by_key(|(_, position)| position.size().area());
    Ok(made)
}

fn is_set(stop: &AtomicBool) -> bool {
    stop.load(std::sync::atomic::Ordering::Relaxed)
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

/// Sums over positions.
#[derive(Default)]
struct Group {
    positions: u64,
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

    /// The standard error of the mean difference of win rates.
    fn error(&self) -> f64 {
        let mean = self.mean(self.win_rate);
        ((self.mean(self.squares) - mean * mean).max(0.0) / self.positions.max(1) as f64).sqrt()
    }

    fn to_json(&self) -> Value {
        let known = |(sum, count): (f64, u64)| (count > 0).then(|| sum / count as f64);
        json!({
            "positions": self.positions,
            "win_rate_difference": self.mean(self.win_rate),
            "win_rate_error": self.error(),
            "first_move": self.mean(self.same_moves as f64),
            "policy_cross_entropy": self.mean(self.cross_entropy),
            "teacher_entropy": self.mean(self.entropy),
            "lead_difference": known(self.lead),
            "owner_difference": known(self.owners),
        })
    }
}

/// What both say of White's chances against handicaps that everybody knows.
struct Handicap {
    size: BoardSize,
    stones: usize,
    student: f64,
    teacher: f64,
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

fn report(
    args: &CompareArgs,
    groups: &BTreeMap<&str, Group>,
    stones: &[Handicap],
) -> anyhow::Result<()> {
    if args.json {
        let handicaps = stones.iter().map(|found| {
            json!({
                "board": found.size.to_string(),
                "stones": found.stones,
                "student": found.student,
                "teacher": found.teacher,
            })
        });
        let groups = groups.iter().map(|(name, group)| ((*name).to_owned(), group.to_json()));
        return print_json(&json!({
            "student": args.student,
            "teacher": args.teacher,
            "groups": groups.collect::<serde_json::Map<_, _>>(),
            "handicaps": handicaps.collect::<Vec<_>>(),
        }));
    }
    let mut text = format!(
        "{:10} {:>9}  {:>17}  {:>10}  {:>20}  {:>6}  {:>6}\n",
        "positions",
        "number",
        "win rate apart",
        "first move",
        "cross entropy (own)",
        "points",
        "owners"
    );
    for (name, group) in groups {
        let known = |(sum, count): (f64, u64)| match count {
            0 => "-".to_owned(),
            count => format!("{:.3}", sum / count as f64),
        };
        let _ = writeln!(
            text,
            "{name:10} {:>9}  {:>8.4} ± {:.4}  {:>8.1} %  {:>11.3} ({:.3})  {:>6}  {:>6}",
            group.positions,
            group.mean(group.win_rate),
            group.error(),
            100.0 * group.mean(group.same_moves as f64),
            group.mean(group.cross_entropy),
            group.mean(group.entropy),
            known(group.lead),
            known(group.owners),
        );
    }
    for found in stones {
        let _ = writeln!(
            text,
            "{} stones on {}: White wins {:.2} %, as the teacher says {:.2} %",
            found.stones,
            found.size,
            100.0 * found.student,
            100.0 * found.teacher,
        );
    }
    print(&text)
}
