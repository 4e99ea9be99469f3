use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::game::diagram::Diagram;
use crate::game::point::BoardSize;

/// The chased chain is the one next to the mark `a` or `*`: `*` is the move that works, and where
/// there is none, `a` marks a liberty of the chain.
fn check(text: &str, question: fn(&Board, Point) -> Option<Point>, chased: Color) {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.board();
    let liberty = diagram.mark('a').or(diagram.mark('*')).unwrap();
    let mut neighbors = board.size().neighbors(liberty);
    let chain = neighbors.find(|&p| board.stone(p) == Some(chased)).unwrap();
    let vertex = |p: Option<Point>| p.map(|p| board.size().vertex(p).to_string());
    assert_eq!(vertex(question(board, chain)), vertex(diagram.mark('*')), "{text}");
}

#[test]
fn a_simple_ladder_works() {
    check(
        "
        . . . . . .
        . . . . . .
        . . . . . .
        . . * . . .      the stone is driven to the top right
        . X O . . .
        . . X X . . ",
        capturing_move,
        Color::White,
    );
}

#[test]
fn a_breaker_on_the_way_saves_the_stone() {
    check(
        "
        . . . . . . .
        . . . . . . .
        . . . . . O .
        . . . . . . .
        . . a . . . .
        . X O . . . .
        . . X X . . . ",
        capturing_move,
        Color::White,
    );
}

#[test]
fn a_stone_in_atari_with_nowhere_to_go() {
    check(
        "
        . . . . . .
        . . . . . .
        . . X . . .
        . X O a . .      already in atari: extending leads into the ladder
        . . X X . .
        . . . . . . ",
        escaping_move,
        Color::White,
    );
    check(
        "
        . . . . . .
        . . . . . .
        . . X . O .
        . X O * . .
        . . X X . .
        . . . . . . ",
        escaping_move,
        Color::White,
    );
}

#[test]
fn capturing_an_attacker_is_an_escape() {
    check(
        "
        . . . O . .
        . . O X * .      the cutting stone has one liberty left
        . X X O a .
        . . . X X .
        . . . . . . ",
        escaping_move,
        Color::White,
    );
}

#[test]
fn a_chain_in_atari_is_captured_at_once() {
    check(". X .\nX O *\n. X .", capturing_move, Color::White);
}

#[test]
fn three_liberties_are_not_a_ladder() {
    check(". a .\nX O .\n. . .", capturing_move, Color::White);
    check(". . .\nX O a\n. . .", escaping_move, Color::White);
}

#[test]
fn along_the_edge_only_the_outer_liberty_works() {
    check(
        "
        . . . . . .
        . X X X . .
        . X O * . .      on the second line; below, the edge helps the attacker
        . X . . . .
        . . . . . . ",
        capturing_move,
        Color::White,
    );
}

/// The stones of a ladder that runs from the bottom left to the top right of a square board.
fn long_ladder(length: usize, extra: &[(Color, &str)]) -> (Board, Point) {
    let size = BoardSize::square(length).unwrap();
    let start =
        [(Color::White, "D4"), (Color::Black, "C4"), (Color::Black, "D3"), (Color::Black, "E3")];
    let stones = start.iter().chain(extra);
    let stones = stones.map(|&(color, vertex)| (color, size.parse_point(vertex).unwrap()));
    (Board::with_stones(size, stones).unwrap(), size.parse_point("D4").unwrap())
}

fn check_long(side: usize, extra: &[(Color, &str)], expected: Option<&str>) {
    let (board, chain) = long_ladder(side, extra);
    let found = capturing_move(&board, chain).map(|p| board.size().vertex(p).to_string());
    assert_eq!(found.as_deref(), expected, "{side}x{side} with {extra:?}");
}

#[test]
fn ladders_are_read_across_the_whole_board() {
    for side in [9, 13, 19, 25] {
        check_long(side, &[], Some("D5"));
    }
    for breaker in ["Q16", "R17", "L11", "F6", "Q15", "P16"] {
        check_long(19, &[(Color::White, breaker)], None);
        check_long(19, &[(Color::Black, breaker)], Some("D5"));
    }
    // Beside the way a stone changes nothing.
    for far in ["Q4", "D16", "T1", "K14"] {
        check_long(19, &[(Color::White, far)], Some("D5"));
    }
    check_long(25, &[(Color::White, "W22")], None);
}

#[test]
fn a_question_without_a_chain_has_no_answer() {
    let board = Board::new(BoardSize::square(5).unwrap());
    let point = board.size().points().next().unwrap();
    assert_eq!(capturing_move(&board, point), None);
    assert_eq!(escaping_move(&board, point), None);
}

/// A plain reader without short cuts: whether the chain falls, the attacker to move.
fn falls(board: &Board, chain: Point, defender: Color, ko: Option<Point>, left: &mut u32) -> bool {
    let liberties = board.liberties(chain);
    if liberties.len() == 1 {
        return liberties.iter().next() != ko;
    }
    liberties.len() == 2
        && liberties.iter().any(|attack| {
            if *left == 0 || Some(attack) == ko || board.is_suicide(defender.opponent(), attack) {
                return false;
            }
            *left -= 1;
            let mut attacked = board.clone();
            let ko = attacked.place(defender.opponent(), attack).ko;
            !rescue_exists(&attacked, chain, defender, ko, left)
        })
}

fn rescue_exists(
    board: &Board,
    chain: Point,
    defender: Color,
    ko: Option<Point>,
    left: &mut u32,
) -> bool {
    let around: Vec<Point> =
        board.chain_stones(chain).flat_map(|s| board.size().neighbors(s)).collect();
    let enemies = around.iter().filter(|&&p| board.stone(p) == Some(defender.opponent()));
    let captures = enemies.flat_map(|&p| board.liberties(p).iter().collect::<Vec<_>>());
    let tries: Vec<Point> = captures.chain(board.liberties(chain).iter()).collect();
    tries.into_iter().any(|defense| {
        let helps = board.captures(defender, defense) || board.liberties(chain).contains(defense);
        if *left == 0 || !helps || Some(defense) == ko || board.is_suicide(defender, defense) {
            return false;
        }
        *left -= 1;
        let mut after = board.clone();
        let ko = after.place(defender, defense).ko;
        !falls(&after, chain, defender, ko, left)
    })
}

#[test]
fn random_boards_agree_with_a_plain_reader() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(77);
    let mut answers = [0; 4];
    for _ in 0..3000 {
        let size = BoardSize::new(rng.random_range(3..8), rng.random_range(3..8)).unwrap();
        let mut board = Board::new(size);
        let stones = rng.random_range(4..size.area());
        for i in 0..stones {
            let empty = board.empty_points();
            let point = empty[rng.random_range(0..empty.len())];
            let color = Color::BOTH[i % 2];
            if !board.is_suicide(color, point) {
                board.place(color, point);
            }
        }
        for point in size.points().filter(|&p| !board.is_empty(p) && board.chain_head(p) == p) {
            let color = board.stone(point).unwrap();
            let mut left = 2000;
            let captured = falls(&board, point, color, None, &mut left);
            let saved =
                board.in_atari(point) && rescue_exists(&board, point, color, None, &mut left);
            if left == 0 {
                continue;
            }
            assert_eq!(capturing_move(&board, point).is_some(), captured);
            assert_eq!(escaping_move(&board, point).is_some(), saved);
            answers[usize::from(captured)] += 1;
            answers[2 + usize::from(saved)] += 1;
        }
    }
    assert!(answers.iter().all(|&n| n > 300), "{answers:?}");
}
