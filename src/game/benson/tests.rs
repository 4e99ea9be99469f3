use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::game::diagram::Diagram;
use crate::game::point::BoardSize;

/// What of the two pictures differs: the second has the stones that should be alive, and `t` on
/// the points that should be territory.
fn check_alive(color: Color, suicide: Suicide, text: &str, expected: &str) {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.board();
    let alive = pass_alive(board, color, suicide);
    let picture = |p: Point| match board.stone(p) {
        _ if alive.territory.contains(p) => 't',
        Some(Color::Black) if alive.stones.contains(p) => 'X',
        Some(Color::White) if alive.stones.contains(p) => 'O',
        _ => '.',
    };
    let found: Vec<char> = board.size().points().map(picture).collect();
    let rows: Vec<String> =
        found.chunks(board.size().width()).map(|row| row.iter().collect()).collect();
    let expected: Vec<String> = expected
        .lines()
        .map(|line| line.split("   ").find(|part| !part.trim().is_empty()).unwrap_or(""))
        .map(|row| row.chars().filter(|c| !c.is_whitespace()).collect())
        .filter(|row: &String| !row.is_empty())
        .collect();
    assert_eq!(rows, expected, "{color}, {suicide:?}\n{text}");
}

fn check_both(color: Color, text: &str, expected: &str) {
    for suicide in [Suicide::Forbidden, Suicide::Allowed] {
        check_alive(color, suicide, text, expected);
    }
}

#[test]
fn two_one_point_eyes_live() {
    check_both(
        Color::Black,
        "
        . X . X .
        X X X X .
        . . . . . ",
        "
        t X t X .
        X X X X .
        . . . . . ",
    );
    check_both(
        Color::White,
        "
        . . . . . .
        . O O O O O
        . O . O . O
        . O O O O O
        . . . . . . ",
        "
        . . . . . .
        . O O O O O
        . O t O t O
        . O O O O O
        . . . . . . ",
    );
}

#[test]
fn one_eye_is_not_enough_however_big() {
    check_both(
        Color::Black,
        "
        . . . X .
        . . . X .
        X X X X .
        . . . . . ",
        "
        . . . . .
        . . . . .
        . . . . .
        . . . . . ",
    );
}

#[test]
fn an_eye_that_needs_a_connection_is_false() {
    check_both(
        Color::Black,
        "
        . X O . .      the corner is an eye of two lone stones, and D3 needs the stone at D4
        X O O X .
        . X X . X
        . X . X X
        . X X X X ",
        "
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        . . . . . ",
    );
}

#[test]
fn chains_live_together_by_regions_that_they_share() {
    check_both(
        Color::Black,
        "
        . X . . .      the lone stone lives by the corner and B4
        X . X X .
        X X . X .
        . X X X .
        . . . . . ",
        "
        t X . . .
        X t X X .
        X X t X .
        . X X X .
        . . . . . ",
    );
    check_both(
        Color::White,
        "
        . O .      four chains, each with three eyes
        O . O
        . O . ",
        "
        t O t
        O t O
        t O t ",
    );
    check_both(
        Color::Black,
        "
        . X O O      the chain at C2 has B3 alone, and the others fall with it
        X . X O
        . X X O
        O O O . ",
        "
        . . . .
        . . . .
        . . . .
        . . . . ",
    );
}

#[test]
fn an_eye_of_two_points_is_as_good_as_one() {
    check_both(
        Color::Black,
        "
        . X X X .
        X . . X .
        X X X X .
        . . . . . ",
        "
        t X X X .
        X t t X .
        X X X X .
        . . . . . ",
    );
}

#[test]
fn stones_of_the_opponent_in_a_vital_region() {
    // The white stone leaves two empty points that are liberties of the chain. With suicide White
    // can fill and lift the corner and then keep the point at its very end empty.
    let text = "
        O . X . X .
        . X X X X .
        X X . . . .
        . . . . . . ";
    check_alive(
        Color::Black,
        Suicide::Forbidden,
        text,
        "
        t t X t X .
        t X X X X .
        X X . . . .
        . . . . . . ",
    );
    check_alive(
        Color::Black,
        Suicide::Allowed,
        text,
        "
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . . ",
    );
}

#[test]
fn both_colours_live_side_by_side() {
    let text = "
        . X O .
        X X O O
        . X O .
        X X O O ";
    check_both(
        Color::Black,
        text,
        "
        t X . .
        X X . .
        t X . .
        X X . . ",
    );
    check_both(
        Color::White,
        text,
        "
        . . O t
        . . O O
        . . O t
        . . O O ",
    );
}

#[test]
fn a_seki_is_not_pass_alive() {
    for color in Color::BOTH {
        check_both(
            color,
            "
            X X . O O      whoever fills one of the two liberties is captured
            X X . O O ",
            "
            . . . . .
            . . . . . ",
        );
    }
}

#[test]
fn an_empty_board_has_nothing() {
    check_both(Color::Black, ". .\n. .", ". .\n. .");
    check_both(Color::White, "X .\n. .", ". .\n. .");
}

/// All boards that the opponent of `owner` can reach while `owner` passes, none if they are too many.
/// Ko plays no part: the owner's passes lift it.
fn reachable(start: &Board, owner: Color, suicide: Suicide, limit: usize) -> Option<Vec<Board>> {
    let attacker = owner.opponent();
    let mut seen = HashSet::from([start.hash()]);
    let mut boards = vec![start.clone()];
    let mut next = 0;
    while next < boards.len() {
        let board = boards[next].clone();
        next += 1;
        for &point in board.empty_points() {
            if suicide == Suicide::Forbidden && board.is_suicide(attacker, point) {
                continue;
            }
            let mut after = board.clone();
            after.place(attacker, point);
            if seen.insert(after.hash()) {
                boards.push(after);
            }
        }
        if boards.len() > limit {
            return None;
        }
    }
    Some(boards)
}

/// The theorem in both directions: alive are just the stones that no sequence of moves captures.
#[test]
fn small_boards_agree_with_an_exhaustive_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1976);
    let (mut searched, mut living) = (0, 0);
    for _ in 0..4000 {
        let size = BoardSize::new(rng.random_range(2..6), rng.random_range(2..5)).unwrap();
        let stones: Vec<_> = size
            .points()
            .filter_map(|p| match rng.random_range(0..10) {
                0..6 => Some((Color::Black, p)),
                6 => Some((Color::White, p)),
                _ => None,
            })
            .collect();
        let Ok(board) = Board::with_stones(size, stones) else { continue };
        for suicide in [Suicide::Forbidden, Suicide::Allowed] {
            let Some(boards) = reachable(&board, Color::Black, suicide, 3000) else { continue };
            let survives = |p: &Point| boards.iter().all(|b| b.stone(*p) == Some(Color::Black));
            let expected: PointSet = size.points().filter(survives).collect();
            let found = pass_alive(&board, Color::Black, suicide);
            assert_eq!(found.stones, expected, "{suicide:?}");
            searched += 1;
            living += usize::from(!expected.is_empty());
        }
    }
    assert!(searched > 1000 && living > 300, "{searched} searched, {living} with life");
}

/// Plays a random game that fills no eyes, so that something lives in the end.
fn random_board(rng: &mut Xoshiro256PlusPlus) -> Board {
    let size = BoardSize::new(rng.random_range(3..10), rng.random_range(3..10)).unwrap();
    let mut board = Board::new(size);
    let mut color = Color::Black;
    for _ in 0..size.area() * 2 {
        let empty = board.empty_points();
        let point = empty[rng.random_range(0..empty.len())];
        if !board.around(point).is_eye_of(color) && !board.is_suicide(color, point) {
            board.place(color, point);
        }
        color = color.opponent();
    }
    board
}

#[test]
fn what_is_pass_alive_survives_random_play() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2718);
    let mut living = 0;
    for _ in 0..1500 {
        let start = random_board(&mut rng);
        for (owner, suicide) in [
            (Color::Black, Suicide::Forbidden),
            (Color::White, Suicide::Forbidden),
            (Color::Black, Suicide::Allowed),
            (Color::White, Suicide::Allowed),
        ] {
            let alive = pass_alive(&start, owner, suicide);
            living += usize::from(!alive.stones.is_empty());
            if alive.stones.is_empty() {
                continue;
            }
            let mut board = start.clone();
            for _ in 0..3 * board.size().area() {
                let empty = board.empty_points();
                let point = empty[rng.random_range(0..empty.len())];
                let attacker = owner.opponent();
                if suicide == Suicide::Allowed || !board.is_suicide(attacker, point) {
                    board.place(attacker, point);
                }
            }
            assert!(alive.stones.iter().all(|p| board.stone(p) == Some(owner)));
        }
    }
    assert!(living > 1000, "only {living} boards had life");
}
