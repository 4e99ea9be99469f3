//! The search on boards whose results are known: small boards of Go under area scoring with
//! positional superko, and NoGo against a brute-force solver.
//!
//! One thread and a seed repeat exactly, so that every figure here is the same on every run. The
//! rules of Go are those of CGOS: Tromp-Taylor without suicide. The known results hold with and
//! without it, and without it there are fewer moves to refute: proofs on 3x3 take up to eight times
//! the simulations where suicide is allowed.

#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;
use tedomari::eval::{Evaluator, UniformEvaluator};
use tedomari::game::{BoardSize, Color, Komi, Move, PointSet, Position, Rules, Suicide};
use tedomari::playout::{PlayoutEvaluator, PlayoutParams};
use tedomari::search::{Proof, Request, Search, SearchParams, SearchReport, Selection};
use tedomari::timeman::{SimulationLimit, StopReason};
use tedomari::util::{Rng, Seed};

/// What the search says without a proof, as a win rate of the side to move: above this it says won,
/// and below one less this it says lost.
const SAYS_WON: f32 = 0.55;

fn playouts() -> Arc<dyn Evaluator> {
    Arc::new(PlayoutEvaluator::with(PlayoutParams::uniform(), Seed::new(1)))
}

fn uniform() -> Arc<dyn Evaluator> {
    Arc::new(UniformEvaluator)
}

fn empty(width: usize, height: usize, rules: Rules, komi: f64) -> Position {
    Position::new(BoardSize::new(width, height).unwrap(), rules, Komi::from_points(komi).unwrap())
}

/// Looks for a proof, or for an opinion, which is sounder after more exploration.
#[derive(Clone, Copy)]
enum Aim {
    Proof,
    Opinion,
}

fn search(
    evaluator: Arc<dyn Evaluator>,
    aim: Aim,
    position: &Position,
    simulations: u64,
) -> SearchReport {
    let params = SearchParams {
        threads: 1,
        max_memory: 2000,
        formula: Selection::Puct,
        // The plain search is what proves and converges; later moves are another matter.
        rave: 0.0,
        c_puct: match aim {
            Aim::Proof => 1.25,
            Aim::Opinion => 2.0,
        },
        ..SearchParams::default()
    };
    let mut limit = SimulationLimit(simulations);
    let request = Request::new(&mut limit, &|| Duration::ZERO);
    Search::new(evaluator, params, Seed::new(3)).run(position, request).unwrap()
}

#[track_caller]
fn check_proof(evaluator: Arc<dyn Evaluator>, position: &Position, limit: u64, expected: Proof) {
    let report = search(evaluator, Aim::Proof, position, limit);
    assert_eq!(report.proven, Some(expected), "komi {}: {report}", position.komi());
    assert_eq!(report.reason, Some(StopReason::Proven));
    assert_eq!(report.value, expected.value());
    if expected == Proof::Win {
        assert_eq!(report.best().unwrap().proven, Some(Proof::Win), "{report}");
    }
}

/// Whether the search says that the side to move wins, lest it says nothing clearly.
#[track_caller]
fn says_won(report: &SearchReport) -> bool {
    let rate = report.value.win_rate();
    assert!(!(1.0 - SAYS_WON..=SAYS_WON).contains(&rate), "says nothing clearly: {report}");
    rate > SAYS_WON
}

// Go.

/// An exhaustive search of Go that gives up after a number of positions. A position knows what has
/// been on the board, so that superko is exact, and nothing is kept: two ways to the same stones are
/// two positions.
struct GoSolver {
    budget: u32,
}

impl GoSolver {
    /// The result of the side to move, if it is found in time.
    fn solve(position: &Position, budget: u32) -> Option<Proof> {
        let mut solver = Self { budget };
        Some(match solver.best(position, -1, 1)? {
            1 => Proof::Win,
            0 => Proof::Draw,
            _ => Proof::Loss,
        })
    }

    /// The result as a number from -1 to 1; between `alpha` and `beta` it is exact.
    fn best(&mut self, position: &Position, mut alpha: i32, beta: i32) -> Option<i32> {
        self.budget = self.budget.checked_sub(1)?;
        let color = position.to_move();
        if position.is_over() {
            let result = position.score(&PointSet::new()).halves().signum();
            return Some(if color == Color::Black { result } else { -result });
        }
        // A pass first where it ends the game.
        let ends = position.passes() > 0;
        let [first, last] = [ends, !ends].map(|pass| pass.then_some(Move::Pass));
        let points = position.legal_points(color).map(Move::Place);
        for mv in first.into_iter().chain(points).chain(last) {
            let mut after = position.clone();
            after.play(color, mv).unwrap();
            alpha = alpha.max(-self.best(&after, -beta, -alpha)?);
            if alpha >= beta {
                break;
            }
        }
        Some(alpha)
    }
}

/// On 2x2 every game that matters can be looked at: the first player wins by a point, and the search
/// proves what the solver finds, whatever the evaluator, with suicide and without.
#[test]
fn on_2x2_the_first_player_is_proven_to_win_by_a_point() {
    for suicide in [Suicide::Forbidden, Suicide::Allowed] {
        let rules = Rules { suicide, ..Rules::CGOS };
        for (komi, proof) in [(0.5, Proof::Win), (1.5, Proof::Loss)] {
            let position = empty(2, 2, rules, komi);
            assert_eq!(GoSolver::solve(&position, 1_000_000), Some(proof), "komi {komi}");
            for evaluator in [playouts, uniform] {
                check_proof(evaluator(), &position, 5000, proof);
            }
        }
        // A drawn move is as good as it gets, so that the others are not looked at to the end.
        let even = empty(2, 2, rules, 1.0);
        assert_eq!(GoSolver::solve(&even, 1_000_000), Some(Proof::Draw));
        for evaluator in [playouts, uniform] {
            let report = search(evaluator(), Aim::Proof, &even, 20_000);
            assert!(report.proven.is_none_or(|proof| proof == Proof::Draw), "{report}");
            assert!((report.value.win_rate() - 0.5).abs() < 0.05, "{report}");
        }
    }
}

/// Positions after random moves, with more on the board before than superko allows again: all that
/// is proven is so, as far as the solver gets.
#[test]
fn proofs_in_random_positions_of_go_are_right() {
    let mut rng = Seed::new(9).rng();
    let mut checked = [0; 3];
    for round in 0..3000 {
        let (width, height) = [(2, 2), (3, 2)][round % 2];
        let komi = f64::from(rng.random_range(-6..=6)) / 2.0;
        let mut position = empty(width, height, Rules::CGOS, komi);
        for _ in 0..rng.random_range(width * height..8 * width * height) {
            play_at_random(&mut position, &mut rng);
        }
        let report = search(playouts(), Aim::Proof, &position, 3000);
        if let Some(proven) = report.proven
            && let Some(solved) = GoSolver::solve(&position, 50_000)
        {
            assert_eq!(proven, solved, "{report}");
            checked[proven as usize] += 1;
        }
    }
    assert!(checked[0].min(checked[2]) > 40, "won, drawn, lost: {checked:?}");
}

/// Puts a stone somewhere, if there is a legal point.
fn play_at_random(position: &mut Position, rng: &mut Rng) {
    let color = position.to_move();
    let legal: Vec<_> = position.legal_points(color).collect();
    if !legal.is_empty() {
        let point = legal[rng.random_range(0..legal.len())];
        position.play(color, Move::Place(point)).unwrap();
    }
}

#[test]
fn on_3x3_the_first_player_is_proven_to_win_all_nine_points() {
    // Games that are played out find the way: 171 948 simulations.
    check_proof(playouts(), &empty(3, 3, Rules::CGOS, 8.5), 500_000, Proof::Win);
    // Here every playout is lost, so that values tell nothing and only take the search to the
    // longest games; without them it goes wide: 377 004 simulations.
    check_proof(uniform(), &empty(3, 3, Rules::CGOS, 9.5), 1_000_000, Proof::Loss);
}

/// On 4x4 the first player wins by two points: too far for a proof, near enough for an opinion.
#[test]
fn on_4x4_the_first_player_is_said_to_win_by_two_points() {
    for (komi, simulations, won) in [(1.5, 500_000, true), (2.5, 3_000_000, false)] {
        let report = search(playouts(), Aim::Opinion, &empty(4, 4, Rules::CGOS, komi), simulations);
        assert_eq!(says_won(&report), won, "komi {komi}: {report}");
    }
}

/// On 5x5 the first player wins the whole board from the centre (van der Werf 2003).
#[test]
fn on_5x5_the_opening_in_the_centre_is_said_to_win() {
    let mut position = empty(5, 5, Rules::CGOS, 20.5);
    let centre = position.size().parse_move("C3").unwrap();
    position.play(Color::Black, centre).unwrap();
    let report = search(playouts(), Aim::Opinion, &position, 200_000);
    assert!(!says_won(&report), "White has an answer: {report}");
}

// NoGo.

/// Who wins a position of NoGo, by brute force over everything that can be played from there. What
/// has been found is kept by the stones and the side to move: captures and passes are forbidden, so
/// that nothing else matters. It plays by rules of its own, on sets of points as bits.
struct NogoSolver {
    neighbors: Vec<u64>,
    known: HashMap<[u64; 2], bool>,
}

impl NogoSolver {
    fn new(width: usize, height: usize) -> Self {
        let neighbors = |point: usize| {
            let (x, y) = (point % width, point / width);
            let mut bits = 0;
            for (other_x, other_y) in
                [(x + 1, y), (x, y + 1), (x.wrapping_sub(1), y), (x, y.wrapping_sub(1))]
            {
                if other_x < width && other_y < height {
                    bits |= 1 << (other_x + width * other_y);
                }
            }
            bits
        };
        Self { neighbors: (0..width * height).map(neighbors).collect(), known: HashMap::new() }
    }

    /// Whether the side to move wins.
    fn wins(&mut self, position: &Position) -> bool {
        let size = position.size();
        let stones = |color| {
            let points = size.points().filter(|&p| position.board().stone(p) == Some(color));
            points.fold(0, |bits, point| bits | 1 << size.offset(point))
        };
        let color = position.to_move();
        self.mover_wins([stones(color), stones(color.opponent())])
    }

    /// The same for the owner of the first set of stones. The players are equals in NoGo.
    fn mover_wins(&mut self, stones: [u64; 2]) -> bool {
        if let Some(&known) = self.known.get(&stones) {
            return known;
        }
        let wins = (0..self.neighbors.len()).any(|point| {
            let [mine, theirs] = [stones[0] | 1 << point, stones[1]];
            let free = (stones[0] | theirs) >> point & 1 == 0;
            free && self.all_breathe([mine, theirs], point) && !self.mover_wins([theirs, mine])
        });
        self.known.insert(stones, wins);
        wins
    }

    /// Whether the chain at a point and those beside it have liberties.
    fn all_breathe(&self, stones: [u64; 2], point: usize) -> bool {
        let around = self.neighbors[point];
        let empty = !(stones[0] | stones[1]) & self.around(u64::MAX);
        let breathes = |own: u64, start: u64| {
            let mut chain = start;
            loop {
                let grown = chain | self.around(chain) & own;
                if grown == chain {
                    return self.around(chain) & empty != 0;
                }
                chain = grown;
            }
        };
        let beside =
            (0..self.neighbors.len()).map(|p| 1 << p).filter(|p| around & stones[1] & p != 0);
        breathes(stones[0], 1 << point)
            && beside.into_iter().all(|start| breathes(stones[1], start))
    }

    /// The points next to some of these.
    fn around(&self, points: u64) -> u64 {
        let neighbors = self.neighbors.iter().enumerate();
        neighbors.filter(|&(p, _)| points >> p & 1 == 1).fold(0, |bits, (_, near)| bits | near)
    }

    /// Whatever the search has proven, of the position and of each move, is so.
    #[track_caller]
    fn check(&mut self, position: &Position, report: &SearchReport) {
        let proof = |wins| if wins { Proof::Win } else { Proof::Loss };
        if let Some(proven) = report.proven {
            assert_eq!(proven, proof(self.wins(position)), "{report}");
        }
        for found in &report.moves {
            let mut after = position.clone();
            after.play(position.to_move(), found.mv).unwrap();
            if let Some(proven) = found.proven {
                assert_eq!(proven, proof(!self.wins(&after)), "{:?} in {report}", found.mv);
            }
        }
    }
}

#[test]
fn small_boards_of_nogo_are_proven_as_brute_force_says() {
    for (width, height) in [(2, 2), (3, 2), (2, 4), (5, 2), (2, 6), (3, 3), (4, 3)] {
        let mut solver = NogoSolver::new(width, height);
        for to_move in Color::BOTH {
            let mut position = empty(width, height, Rules::NOGO, 0.0);
            position.set_to_move(to_move);
            let report = search(playouts(), Aim::Proof, &position, 500_000);
            assert!(report.proven.is_some(), "{width}x{height}: {report}");
            solver.check(&position, &report);
        }
    }
}

/// 4x4 is too far for a proof, near enough for an opinion.
#[test]
fn on_4x4_the_opinion_of_nogo_is_that_of_brute_force() {
    let position = empty(4, 4, Rules::NOGO, 0.0);
    let report = search(playouts(), Aim::Proof, &position, 2_000_000);
    let mut solver = NogoSolver::new(4, 4);
    solver.check(&position, &report);
    assert_eq!(says_won(&report), solver.wins(&position), "{report}");
}

/// Positions after random moves: all that is proven within a few thousand simulations is right, and
/// near the end of the game everything is proven.
#[test]
fn proofs_in_random_positions_of_nogo_are_right() {
    let mut rng = Seed::new(7).rng();
    let mut proven = [0; 2];
    for (width, height) in [(3, 3), (4, 3), (4, 4), (5, 3), (7, 2)] {
        let mut solver = NogoSolver::new(width, height);
        for _ in 0..100 {
            let mut position = empty(width, height, Rules::NOGO, 0.0);
            for _ in 0..rng.random_range(width * height / 2..=width * height * 2 / 3) {
                play_at_random(&mut position, &mut rng);
            }
            let choices = position.legal_points(position.to_move()).count();
            for evaluator in [playouts, uniform] {
                let report = search(evaluator(), Aim::Proof, &position, 20_000);
                solver.check(&position, &report);
                // Without a choice there is no search.
                if choices > 1 {
                    let proof = report.proven.unwrap_or_else(|| panic!("not proven: {report}"));
                    proven[usize::from(proof == Proof::Win)] += 1;
                }
            }
        }
    }
    assert!(proven.iter().all(|&count| count > 100), "lost and won: {proven:?}");
}
