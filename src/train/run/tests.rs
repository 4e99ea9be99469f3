use std::fs;
use std::sync::atomic::AtomicU64;

use rand::Rng as _;

use super::*;
use crate::game::{BoardSize, Color, Komi, Move, Position, Rules};
use crate::nn::random_weights;
use crate::record::{Outcome, TrainingGame, Turn, write_shard};
use crate::util::Seed;

fn tiny() -> NetShape {
    NetShape {
        blocks: 1,
        filters: 4,
        pool_every: 1,
        head_filters: 4,
        value_neurons: 4,
        extra_planes: 0,
    }
}

/// Random games on two sizes of boards.
fn window(seed: u64, folder: &Path) -> Window {
    let mut rng = Seed::new(seed).rng();
    let mut games = Vec::new();
    for number in 0..12 {
        let size = BoardSize::square(if number % 3 == 0 { 7 } else { 5 }).unwrap();
        let mut position = Position::new(size, Rules::CGOS, Komi::from_points(7.0).unwrap());
        let mut turns = Vec::new();
        for _ in 0..12 {
            let color = position.to_move();
            let legal: Vec<_> = position.legal_points(color).collect();
            let mv = Move::Place(legal[rng.next_u32() as usize % legal.len()]);
            position.play(color, mv).unwrap();
            turns.push(Turn { mv, policy: vec![(mv, 1.0)], value: None, weight: 1.0, label: None });
        }
        let winner = if rng.next_u32().is_multiple_of(2) { Color::Black } else { Color::White };
        let outcome = Outcome { winner: Some(winner), score: None, owners: None };
        games.push(TrainingGame {
            size,
            rules: Rules::CGOS,
            komi: position.komi(),
            stones: Vec::new(),
            turns,
            outcome,
        });
    }
    let path = folder.join(format!("{seed}.shard"));
    write_shard(&path, &games).unwrap();
    Window::open(&[path], None).unwrap()
}

fn params() -> TrainParams {
    TrainParams {
        steps: 30,
        batch: 8,
        threads: 1,
        warmup: 5,
        log_every: 5,
        validate_every: 20,
        validate_rows: 40,
        checkpoint_minutes: 0.5,
        ..TrainParams::default()
    }
}

struct Scene {
    _data: tempfile::TempDir,
    out: tempfile::TempDir,
    data: Window,
    held_out: Window,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (data, held_out) = (window(1, folder.path()), window(2, folder.path()));
        Self { _data: folder, out: tempfile::tempdir().unwrap(), data, held_out }
    }

    fn job(&self, params: TrainParams) -> Job<'_> {
        Job {
            params,
            folder: self.out.path().to_owned(),
            name: "tiny".to_owned(),
            shape: tiny(),
            start: random_weights(&tiny(), Seed::new(1)),
            origin: "started from random weights".to_owned(),
            data: &self.data,
            held_out: &self.held_out,
            newer: None,
        }
    }

    /// Trains on a clock that gains a second whenever it is looked at, up to a number of them.
    fn train(&self, params: TrainParams, seconds: Option<u64>) -> Result<Summary, TrainError> {
        let now = AtomicU64::new(0);
        train(
            &self.job(params),
            &mut Control {
                clock: &|| Duration::from_secs(now.fetch_add(1, Ordering::Relaxed)),
                stop: &AtomicBool::new(false),
                limit: seconds.map(Duration::from_secs),
                observe: &mut |_| (),
            },
        )
    }

    fn state(&self) -> State {
        State::load(&self.out.path().join(CHECKPOINT)).unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.out.path().join(name)).unwrap()
    }
}

#[test]
fn a_training_that_was_cut_off_gives_the_same_weights() {
    let whole = Scene::new();
    assert!(whole.train(params(), None).unwrap().finished);
    for seconds in [20, 37, 51] {
        let cut = Scene::new();
        let first = cut.train(params(), Some(seconds)).unwrap();
        assert!(!first.finished && first.step > 0, "{first:?}");
        // What was done after the last checkpoint is lost when the program is killed.
        let last = cut.train(params(), None).unwrap();
        assert!(last.finished && last.step == 30);
        assert!(cut.state() == whole.state(), "differs after {}", first.step);
        for name in ["tiny.safetensors", "tiny.toml"] {
            assert!(cut.read(name) == whole.read(name), "{name} differs after {}", first.step);
        }
    }
}

#[test]
fn a_training_that_was_killed_goes_on_from_its_checkpoint() {
    let whole = Scene::new();
    whole.train(params(), None).unwrap();
    let killed = Scene::new();
    killed.train(params(), Some(25)).unwrap();
    let checkpoint = killed.read(CHECKPOINT);
    killed.train(params(), Some(25)).unwrap();
    // As if nothing after the first checkpoint had been saved, but the log had been.
    fs::write(killed.out.path().join(CHECKPOINT), checkpoint).unwrap();
    killed.train(params(), None).unwrap();
    assert!(killed.state() == whole.state());
    let steps = |scene: &Scene| -> Vec<u64> {
        let text = String::from_utf8(scene.read("log.jsonl")).unwrap();
        let lines =
            text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines
            .filter(|line| line["losses"].is_object())
            .map(|line| line["step"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(steps(&killed), [5, 10, 15, 20, 25, 30]);
    assert_eq!(steps(&killed), steps(&whole));
}

#[test]
fn what_is_exported_is_a_good_network() {
    let scene = Scene::new();
    let mut validated = 0;
    let summary = train(
        &scene.job(TrainParams { threads: 2, ..params() }),
        &mut Control {
            clock: &|| Duration::ZERO,
            stop: &AtomicBool::new(false),
            limit: None,
            observe: &mut |event| {
                validated += u32::from(matches!(event, Event::Validation { verdict: Some(_), .. }));
            },
        },
    )
    .unwrap();
    assert_eq!((summary.step, summary.samples, validated), (30, 240, 2));
    let net = NetFile::load(&summary.file).unwrap();
    assert_eq!(net.verify().unwrap(), 4);
    assert_eq!((net.manifest.games, net.manifest.boards), (vec!["go".to_owned()], [5, 7]));
    assert!(
        net.manifest.training.contains("30 of 30 steps, 240 samples, on 144 positions of 12 games")
    );
    let svg = String::from_utf8(scene.read("loss.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains(">held out</text>"));
}

#[test]
fn the_caller_can_stop_it() {
    let scene = Scene::new();
    let stop = AtomicBool::new(false);
    let summary = train(
        &scene.job(params()),
        &mut Control {
            clock: &|| Duration::ZERO,
            stop: &stop,
            limit: None,
            observe: &mut |event| {
                stop.store(matches!(event, Event::Progress { .. }), Ordering::Relaxed);
            },
        },
    )
    .unwrap();
    assert_eq!((summary.step, summary.finished), (5, false));
    assert!(NetFile::load(&summary.file).is_ok());
}

#[test]
fn what_does_not_fit_is_refused() {
    let scene = Scene::new();
    scene.train(TrainParams { steps: 2, ..params() }, None).unwrap();
    let before = scene.read(CHECKPOINT);
    let mut other = scene.job(params());
    other.shape.filters = 5;
    other.start = random_weights(&other.shape, Seed::new(1));
    let refused = |job: &Job<'_>| {
        let mut observe = |_: &Event<'_>| ();
        let stop = AtomicBool::new(false);
        let mut control =
            Control { clock: &|| Duration::ZERO, stop: &stop, limit: None, observe: &mut observe };
        train(job, &mut control).unwrap_err().to_string()
    };
    assert!(refused(&other).contains("1x4 network, not of a 1x5 one"));
    let nothing = Window::default();
    assert!(refused(&Job { data: &nothing, ..scene.job(params()) }).contains("no position"));
    assert!(scene.read(CHECKPOINT) == before);
    fs::write(scene.out.path().join(CHECKPOINT), b"nonsense").unwrap();
    assert!(refused(&scene.job(params())).contains("is damaged"));
    fs::remove_file(scene.out.path().join(CHECKPOINT)).unwrap();
    let mut lacking = scene.job(params());
    lacking.start.remove("policy.pass.bias");
    assert!(refused(&lacking).contains("lack the tensor policy.pass.bias"));
}

#[test]
fn weights_that_grow_without_limit_end_the_training() {
    let scene = Scene::new();
    let wild = TrainParams { learning_rate: 1.0, clip: 0.0, warmup: 0, steps: 500, ..params() };
    let mut job = scene.job(wild);
    for values in job.start.values_mut() {
        values.fill(1e30);
    }
    let stop = AtomicBool::new(false);
    let mut observe = |_: &Event<'_>| ();
    let mut control =
        Control { clock: &|| Duration::ZERO, stop: &stop, limit: None, observe: &mut observe };
    let error = train(&job, &mut control).unwrap_err();
    assert!(matches!(error, TrainError::Diverged { .. }), "{error}");
}
