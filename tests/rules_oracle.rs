//! The rules of the game against oracles: known numbers of legal positions, another program's
//! board, a plain reference implementation, and games that a server has counted.

#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

mod reference;
mod shared;
mod skip;

use board_game::board::{Board as _, Outcome, Player};
use board_game::games::go as other;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use reference::{Grid, Reference, all_breathe, region};
use tedomari::game::sgf::{self, SgfLimits};
use tedomari::game::{
    Board, BoardSize, Color, Game, GameResult, Illegal, KoRule, Komi, Move, Point, PointSet,
    Position, Rules,
};

/// Games for each set of rules.
const GAMES: u64 = 10_000;

// Legal positions.

/// Counts the ways to fill the points from `next` on such that every chain has a liberty. `boards`
/// holds a board for each depth, to copy without allocating.
fn count_legal(boards: &mut [Board], points: &[Point]) -> u64 {
    let (Some((&point, rest)), Some((board, deeper))) =
        (points.split_first(), boards.split_first_mut())
    else {
        return 1;
    };
    // A chain that has lost its last liberty gets none back as stones are added.
    let allowed =
        Color::BOTH.map(|color| !board.captures(color, point) && !board.is_suicide(color, point));
    if rest.is_empty() {
        return 1 + allowed.iter().map(|&yes| u64::from(yes)).sum::<u64>();
    }
    let mut count = 0;
    for color in Color::BOTH.into_iter().filter(|color| allowed[color.index()]) {
        deeper[0].clone_from(board);
        deeper[0].place(color, point);
        count += count_legal(deeper, rest);
    }
    deeper[0].clone_from(board);
    count + count_legal(deeper, rest)
}

fn legal_positions(width: usize, height: usize) -> u64 {
    let size = BoardSize::new(width, height).unwrap();
    let points: Vec<Point> = size.points().collect();
    count_legal(&mut vec![Board::new(size); points.len()], &points)
}

/// The same number by looking at all colourings.
fn slow_legal_positions(width: usize, height: usize) -> u64 {
    let area = u32::try_from(width * height).unwrap();
    let contents = [None, Some(Color::Black), Some(Color::White)];
    let coloring = |number: usize| -> Grid {
        (0..area).map(|digit| contents[number / 3usize.pow(digit) % 3]).collect()
    };
    (0..3usize.pow(area)).filter(|&number| all_breathe(width, &coloring(number))).count() as u64
}

/// Tromp and Farnebäck, "Combinatorics of Go", 2007.
#[test]
fn legal_positions_of_square_boards_have_the_known_numbers() {
    assert_eq!(legal_positions(2, 2), 57);
    assert_eq!(legal_positions(3, 3), 12_675);
    assert_eq!(legal_positions(4, 4), 24_318_165);
}

#[test]
fn legal_positions_of_small_rectangles_agree_with_a_count_of_all() {
    for (width, height) in
        [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3), (2, 5), (5, 2), (3, 4), (4, 3), (2, 6)]
    {
        let expected = slow_legal_positions(width, height);
        assert_eq!(legal_positions(width, height), expected, "{width}x{height}");
    }
}

// Another program's board.

/// One random game on our board and on that of the crate `board-game`.
struct Duel {
    ours: Position,
    theirs: other::GoBoard,
}

impl Duel {
    fn new(length: u8, rules: Rules, theirs: other::Rules) -> Self {
        let size = BoardSize::square(length.into()).unwrap();
        let komi = Komi::from_points(7.0).unwrap();
        Self {
            ours: Position::new(size, rules, komi),
            theirs: other::GoBoard::new(length, other::Komi::new(14), theirs),
        }
    }

    fn tile(&self, point: Point) -> other::Tile {
        let (x, y) = self.ours.size().coordinates(point);
        other::Tile::new(u8::try_from(x).unwrap(), u8::try_from(y).unwrap())
    }

    fn play(&mut self, mv: Move) {
        let theirs = match mv {
            Move::Place(point) => other::Move::Place(self.tile(point)),
            Move::Pass => other::Move::Pass,
        };
        self.ours.play(self.ours.to_move(), mv).unwrap();
        self.theirs.play(theirs).unwrap();
    }

    fn check_stones(&self) {
        for point in self.ours.size().points() {
            let theirs = self.theirs.stone_at(self.tile(point)).map(color_of);
            assert_eq!(self.ours.board().stone(point), theirs);
        }
    }

    /// Compares all points; how many of them superko forbids.
    fn check_legality(&self) -> usize {
        let color = self.ours.to_move();
        assert_eq!(color, color_of(self.theirs.next_player()));
        for point in self.ours.size().points() {
            let theirs = self.theirs.is_available_move(other::Move::Place(self.tile(point)));
            assert_eq!(Ok(self.ours.is_legal(color, point)), theirs);
        }
        count_superko(&self.ours)
    }

    fn check_score(&self) {
        let score = self.theirs.current_score();
        let expected = 2 * (i64::from(score.a) - i64::from(score.b)) - 14;
        let nobody = PointSet::new();
        assert_eq!(i64::from(self.ours.score(&nobody).halves()), expected);
        let outcome = self.theirs.outcome();
        assert_eq!(self.ours.is_over(), outcome.is_some());
        match outcome {
            Some(Outcome::WonBy(player)) => {
                assert_eq!(self.ours.winner(&nobody), Some(color_of(player)));
            }
            Some(Outcome::Draw) => assert_eq!(self.ours.winner(&nobody), None),
            None => {}
        }
    }
}

fn color_of(player: Player) -> Color {
    match player {
        Player::A => Color::Black,
        Player::B => Color::White,
    }
}

/// A legal move at random, now and then a pass.
fn random_move(position: &Position, rng: &mut Xoshiro256PlusPlus) -> Move {
    let legal: Vec<Point> = position.legal_points(position.to_move()).collect();
    if position.rules().game == Game::Go && (legal.is_empty() || rng.random_range(0..50) == 0) {
        return Move::Pass;
    }
    Move::Place(legal[rng.random_range(0..legal.len())])
}

/// A comparison of superko rules means something only where they forbid something. The suicide
/// of one stone, a repetition too, does not count.
fn count_superko(position: &Position) -> usize {
    let color = position.to_move();
    let forbidden = |&point: &Point| {
        position.check(color, Move::Place(point)) == Err(Illegal::Superko)
            && !position.board().is_suicide(color, point)
    };
    position.size().points().filter(forbidden).count()
}

fn check_duels(rules: Rules, theirs: other::Rules, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut superkos = 0;
    for game in 0..GAMES {
        // A hundred of the games are on the large board, where fewer moves are checked in full.
        let (side, every) = if game % 100 == 0 { (19, 8) } else { (rng.random_range(2..10), 1) };
        let mut duel = Duel::new(side, rules, theirs);
        let longest = 3 * u32::from(side).pow(2) / 2 + 20;
        for number in 0..longest {
            duel.check_stones();
            if duel.ours.is_over() {
                break;
            }
            if number % every == 0 {
                superkos += duel.check_legality();
                duel.check_score();
            }
            let mv = random_move(&duel.ours, &mut rng);
            duel.play(mv);
        }
        duel.check_score();
    }
    assert!(superkos > 1000, "only {superkos} moves were forbidden by superko");
}

#[test]
fn tromp_taylor_agrees_with_another_program() {
    check_duels(Rules::TROMP_TAYLOR, other::Rules::tromp_taylor(), 1);
}

#[test]
fn cgos_agrees_with_another_program() {
    check_duels(Rules::CGOS, other::Rules::cgos(), 2);
}

// The plain reference.

fn check_against_reference(position: &Position, reference: &Reference) {
    let color = position.to_move();
    assert_eq!(color, reference.to_move);
    for (at, point) in position.size().points().enumerate() {
        let legal = reference.after(at).is_some();
        assert_eq!(
            position.is_legal(color, point),
            legal,
            "{:?}",
            position.check(color, Move::Place(point))
        );
    }
    assert_eq!(position.is_over(), reference.is_over());
}

/// Stones and prisoners, and the score with a few chains taken for dead.
fn check_count(position: &Position, reference: &Reference, rng: &mut Xoshiro256PlusPlus) {
    let size = position.size();
    let stones: Grid = size.points().map(|p| position.board().stone(p)).collect();
    assert_eq!(stones, reference.grid);
    for color in Color::BOTH {
        assert_eq!(position.board().captured(color) as usize, reference.captured[color.index()]);
    }
    let mut dead: Vec<usize> = Vec::new();
    for at in 0..size.area() {
        if stones[at].is_some() && !dead.contains(&at) && rng.random_range(0..8) == 0 {
            dead.extend(region(size.width(), &stones, at).0);
        }
    }
    dead.sort_unstable();
    dead.dedup();
    let marked = dead.iter().map(|&at| size.point_at_offset(at).unwrap()).collect();
    if position.rules().game == Game::Go {
        assert_eq!(position.score(&marked).halves(), 2 * reference.score(&dead));
    }
}

fn check_reference(rules: Rules, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut kos, mut superkos) = (0, 0);
    for _ in 0..GAMES {
        let size = BoardSize::new(rng.random_range(2..7), rng.random_range(2..7)).unwrap();
        let mut position = Position::new(size, rules, Komi::default());
        let mut reference = Reference::new(size.width(), size.height(), rules);
        for _ in 0..2 * size.area() + 10 {
            check_against_reference(&position, &reference);
            kos += usize::from(position.ko().is_some());
            superkos += count_superko(&position);
            if position.is_over() {
                break;
            }
            let mv = random_move(&position, &mut rng);
            position.play(position.to_move(), mv).unwrap();
            match mv {
                Move::Place(point) => reference.play(size.offset(point)),
                Move::Pass => reference.pass(),
            }
        }
        check_against_reference(&position, &reference);
        check_count(&position, &reference, &mut rng);
    }
    assert_eq!(kos > 1000, rules.game == Game::Go, "{kos} kos");
    let has_superko = rules.game == Game::Go && rules.ko != KoRule::Simple;
    assert_eq!(superkos > 1000, has_superko, "{superkos} moves were forbidden by superko");
}

#[test]
fn simple_ko_agrees_with_the_reference() {
    check_reference(Rules::CHINESE, 3);
}

#[test]
fn territory_agrees_with_the_reference() {
    check_reference(Rules::JAPANESE, 4);
}

#[test]
fn situational_superko_agrees_with_the_reference() {
    check_reference(Rules::AGA, 5);
}

#[test]
fn situational_superko_with_suicide_agrees_with_the_reference() {
    check_reference(Rules::NEW_ZEALAND, 6);
}

#[test]
fn nogo_agrees_with_the_reference() {
    check_reference(Rules::NOGO, 7);
}

// Games that a server has counted.

#[test]
fn cgos_games_are_legal_and_score_as_the_server_says() {
    let Some(lines) = shared::sgf_lines("go9/cgos9_scored10k.sgfs.gz") else { return };
    assert_eq!(lines.len(), 10_000);
    let komi = Komi::from_points(7.0).unwrap();
    for (number, line) in lines.iter().enumerate() {
        let (record, _) = sgf::read(line, &SgfLimits::default()).unwrap();
        let position = record.replay(usize::MAX, Rules::CGOS, komi);
        let position = position.unwrap_or_else(|error| panic!("game {number}: {error}"));
        let score = position.score(&PointSet::new());
        assert_eq!(record.result, Some(GameResult::from(score)), "game {number}");
        assert!(position.is_over(), "game {number}");
    }
}
