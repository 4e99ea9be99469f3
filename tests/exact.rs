//! What a network says of a position is the same to the bit in every batch, on any number of threads
//! and with any memory, and so is what self-play and recorded searches write.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod shared;
mod skip;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use rand::RngExt as _;
use tedomari::eval::{CachedEvaluator, EvalError, Evaluation, Evaluator, Policy};
use tedomari::game::{
    BoardSize, Color, Game, KoRule, Komi, Move, Position, Rules, Suicide, Symmetry,
};
use tedomari::nn::katago::features as katago;
use tedomari::nn::{Network, Orientation, builtin, features};
use tedomari::util::Seed;

/// The positions of a game of random moves.
fn random_game(size: BoardSize, rules: Rules, moves: usize, seed: Seed) -> Vec<Position> {
    let mut rng = seed.rng();
    let mut position = Position::new(size, rules, Komi::default());
    let mut positions = vec![position.clone()];
    for _ in 0..moves {
        let color = position.to_move();
        let mut legal: Vec<_> = position.legal_points(color).map(Move::Place).collect();
        legal.sort_unstable();
        if rules.game == Game::Go && rng.random_bool(0.1) {
            legal.push(Move::Pass);
        }
        if legal.is_empty() {
            break;
        }
        position.play(color, legal[rng.random_range(0..legal.len())]).unwrap();
        if position.is_over() {
            break;
        }
        positions.push(position.clone());
    }
    positions
}

/// So many positions from the whole course of random games, and the start again by another way.
fn random_positions(side: usize, rules: Rules, count: usize) -> Vec<Position> {
    let size = BoardSize::square(side).unwrap();
    let games = (0..).flat_map(|game| {
        let all = random_game(size, rules, 3 * size.area(), Seed::new(7).fork("game", game));
        let step = (all.len() / 11).max(1);
        all.into_iter().step_by(step)
    });
    let mut positions: Vec<_> = games.take(count - 2).collect();
    // The same stones with other last moves.
    for moves in [["A1", "C3", "B2"], ["B2", "C3", "A1"]] {
        let mut position = Position::new(size, rules, Komi::default());
        for text in moves {
            position.play(position.to_move(), size.parse_move(text).unwrap()).unwrap();
        }
        positions.push(position);
    }
    positions
}

/// Every number of an evaluation, to the bit.
fn bits(evaluation: &Evaluation, position: &Position) -> Vec<u32> {
    let Policy::Weights { points, pass } = &evaluation.policy else { panic!("no weights") };
    let owners = evaluation.ownership.as_ref().unwrap();
    let owners = position.size().points().map(|point| owners.of(Color::Black, point));
    let rest = [*pass, evaluation.value.get(), evaluation.score.unwrap()];
    points.iter().copied().chain(rest).chain(owners).map(f32::to_bits).collect()
}

/// Asks about positions in some order and in batches, and compares with what was said of each alone.
fn check_batches(
    evaluator: &dyn Evaluator,
    (positions, alone): (&[Position], &[Vec<u32>]),
    sizes: &[usize],
    seed: Seed,
) {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    let mut rng = seed.rng();
    for &size in sizes {
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
        for some in order.chunks(size) {
            let batch: Vec<_> = some.iter().map(|&index| &positions[index]).collect();
            let answers = evaluator.evaluate(&batch).unwrap();
            for (&index, answer) in some.iter().zip(&answers) {
                let found = bits(answer, &positions[index]);
                assert!(found == alone[index], "position {index} in a batch of {size}");
            }
        }
    }
}

/// What is made anew for each memory.
struct Boxed(Box<dyn Evaluator>);

impl Evaluator for Boxed {
    fn evaluate(&self, batch: &[&Position]) -> Result<Vec<Evaluation>, EvalError> {
        self.0.evaluate(batch)
    }
}

/// The same on one thread and on two, without a memory and with small and large ones.
fn check_exact(make: impl Fn() -> Box<dyn Evaluator>, positions: &[Position]) {
    let evaluator = make();
    let alone: Vec<_> = positions
        .iter()
        .map(|position| bits(&evaluator.evaluate(&[position]).unwrap()[0], position))
        .collect();
    let known = (positions, alone.as_slice());
    let check = |evaluator: &dyn Evaluator, sizes: &[usize], seed| {
        check_batches(evaluator, known, sizes, Seed::new(seed));
    };
    check(evaluator.as_ref(), &[2, 3, 5, 8, 16, 33], 1);
    thread::scope(|scope| {
        for seed in [2, 3] {
            let evaluator = evaluator.as_ref();
            scope.spawn(move || check(evaluator, &[3, 16], seed));
        }
    });
    // Nothing fits, ten positions or so do, or all.
    for bytes in [0, 10 * 8 * positions[0].size().area() + 4000, 1 << 24] {
        let cached = CachedEvaluator::new(Boxed(make()), 1, bytes);
        check(&cached, &[5, 33], 4);
    }
}

fn check_built_in(name: &str, side: usize, rules: Rules, count: usize) {
    let net = builtin::named(name).unwrap();
    let make = || Box::new(net.evaluator(Orientation::ByHash)) as Box<dyn Evaluator>;
    check_exact(make, &random_positions(side, rules, count));
}

#[test]
fn go_on_9x9_is_exact_in_every_batch() {
    check_built_in("go9", 9, Rules::CHINESE, 70);
    check_built_in("go9small", 9, Rules::CGOS, 70);
}

#[test]
fn go_on_larger_boards_is_exact_in_every_batch() {
    check_built_in("go19", 19, Rules::CHINESE, 20);
    check_built_in("go19", 13, Rules::JAPANESE, 35);
}

#[test]
fn nogo_is_exact_in_every_batch() {
    check_built_in("nogo9", 9, Rules::NOGO, 70);
    check_built_in("nogo9small", 9, Rules::NOGO, 70);
}

#[test]
fn a_network_of_katago_is_exact_in_every_batch() {
    let Some(folder) = shared::nets_dir() else { return };
    let path = folder.join("g170-b6c96-s175395328-d26788732.bin.gz");
    let Network::KataGo(net) = Network::load(path.to_str().unwrap()).unwrap() else {
        panic!("one of KataGo's")
    };
    for (side, count) in [(9, 35), (19, 10)] {
        let make = || Box::new(net.evaluator(Orientation::ByHash)) as Box<dyn Evaluator>;
        check_exact(make, &random_positions(side, Rules::TROMP_TAYLOR, count));
    }
}

/// What our own networks and KataGo's see of a position.
fn seen(position: &Position) -> Vec<u32> {
    let area = position.size().area();
    let mut planes = vec![0.0; area * features::PLANES];
    let mut globals = vec![0.0; features::GLOBALS];
    let upright = Symmetry::IDENTITY;
    features::encode(position, upright, &mut planes, features::PLANES, &mut globals);
    let mut other_planes = vec![0.0; area * katago::PLANES];
    let mut other_globals = vec![0.0; katago::GLOBALS];
    katago::encode(position, upright, &mut other_planes, &mut other_globals);
    [planes, globals, other_planes, other_globals].concat().into_iter().map(f32::to_bits).collect()
}

#[test]
fn positions_with_one_hash_looked_different() {
    let size = BoardSize::square(3).unwrap();
    let suicide = Suicide::Allowed;
    let superko = [KoRule::Simple, KoRule::PositionalSuperko, KoRule::SituationalSuperko];
    for rules in superko.map(|ko| Rules { ko, suicide, ..Rules::CHINESE }) {
        let mut by_situation = HashMap::new();
        let mut with_past = HashMap::new();
        let (mut changed, mut met_again) = (0, 0);
        for game in 0..3000 {
            for position in random_game(size, rules, 12, Seed::new(11).fork("game", game)) {
                let now = seen(&position);
                let first = by_situation.entry(position.hash()).or_insert_with(|| now.clone());
                changed += usize::from(*first != now);
                if let Some(before) = with_past.insert(position.hash_with_past(), now.clone()) {
                    met_again += 1;
                    assert!(before == now, "{rules:?}");
                }
            }
        }
        assert!(changed > 100 && met_again > 100, "{changed} {met_again}");
    }
}

fn tedomari(args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_tedomari")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a command into a folder with one thread and with two, and compares all files.
fn check_threads(args: &[&str], files: usize) {
    let root = tempfile::tempdir().unwrap();
    let folders = ["1", "2"].map(|threads| {
        let out = root.path().join(threads);
        let settings = ["selfplay.threads", "uncertainty.threads"];
        let settings = settings.map(|name| format!("{name}={threads}"));
        let mut args = args.to_vec();
        args.extend(["--out", out.to_str().unwrap()]);
        for setting in &settings {
            args.extend(["--set", setting]);
        }
        tedomari(&args);
        out
    });
    let [one, two] = folders.each_ref().map(|folder| contents(folder));
    assert_eq!(one.len(), files);
    for (name, bytes) in &one {
        assert!(two.get(name) == Some(bytes), "{name} differs");
    }
}

fn contents(folder: &Path) -> HashMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

#[test]
fn self_play_with_playouts_differed_with_two_threads() {
    let mut args = vec!["selfplay", "--playouts", "--board", "7", "--games", "24"];
    args.extend(["--games-per-file", "3", "--set", "selfplay.simulations=12"]);
    check_threads(&args, 8);
    // Where no network fits, the same playouts evaluate.
    args.retain(|&word| word != "--playouts");
    check_threads(&args, 8);
}

#[test]
fn recorded_searches_differed_with_two_threads() {
    let mut args = vec!["uncertainty", "generate", "--game", "nogo", "--board", "9"];
    args.extend(["--net", "builtin:nogo9small", "--games", "4", "--games-per-file", "1"]);
    // Searches of one position after the other meet the same stones by many ways.
    args.extend(["--set", "uncertainty.every=1", "--set", "uncertainty.simulations=100"]);
    args.extend(["--set", "selfplay.simulations=4"]);
    check_threads(&args, 4);
}
