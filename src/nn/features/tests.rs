use super::*;
use crate::game::{Diagram, Komi, Rules};

/// Some channels more than there are planes.
const STRIDE: usize = PLANES + 7;

/// The features of a position, written over what an earlier one may have left.
fn encoded(position: &Position, symmetry: Symmetry) -> (Vec<f32>, Vec<f32>) {
    let mut planes = vec![7.0; position.size().area() * STRIDE];
    let mut globals = vec![-7.0; GLOBALS + 2];
    encode(position, symmetry, &mut planes, STRIDE, &mut globals);
    (planes, globals)
}

/// One plane as text: `#` for 1, `.` for 0.
fn picture(size: BoardSize, planes: &[f32], plane: usize) -> String {
    let symbol = |offset: usize| match planes[offset * STRIDE + plane].to_bits() {
        0 => '.',
        0x3F80_0000 => '#',
        _ => '?',
    };
    let row = |y| (0..size.width()).map(|x| symbol(y * size.width() + x)).collect::<String>();
    (0..size.height()).map(row).collect::<Vec<_>>().join("\n")
}

/// Pictures of planes from the first of `planes` on, side by side as people compare them.
fn check_planes(position: &Position, symmetry: Symmetry, planes: &[usize], expected: &str) {
    let size = position.size();
    let (found, _) = encoded(position, symmetry);
    let pictures: Vec<_> = planes.iter().map(|&plane| picture(size, &found, plane)).collect();
    let side_by_side: Vec<_> = (0..size.height())
        .map(|y| pictures.iter().map(|p| p.lines().nth(y).unwrap()).collect::<Vec<_>>().join(" "))
        .collect();
    let expected: Vec<_> = expected.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    assert_eq!(side_by_side, expected, "planes {planes:?}");
}

fn position_of(text: &str, to_move: Color, rules: Rules) -> Position {
    let diagram = Diagram::parse(text).unwrap();
    Position::from_board(diagram.board().clone(), to_move, rules, Komi::default())
}

fn play(position: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = position.size().parse_move(text).unwrap();
        position.play(position.to_move(), mv).unwrap();
    }
}

const CHAINS: &str = "
    X X . . O
    . O X O O
    O . X . .
    . . X . . ";

#[test]
fn stones_and_liberties() {
    let position = position_of(CHAINS, Color::Black, Rules::CHINESE);
    let all = Symmetry::IDENTITY;
    // The board, own stones, the opponent's.
    check_planes(
        &position,
        all,
        &[0, 1, 2],
        "
        ##### ##... ....#
        ##### ..#.. .#.##
        ##### ..#.. #....
        ##### ..#.. .....",
    );
    // Own chains with one, two, three or more liberties, then the opponent's.
    check_planes(
        &position,
        all,
        &[3, 4, 5, 6, 7, 8],
        "
        ..... ##... ..... ..... ..... ....#
        ..... ..... ..#.. ..... .#... ...##
        ..... ..... ..#.. ..... ..... #....
        ..... ..... ..#.. ..... ..... .....",
    );
    let position = position_of(CHAINS, Color::White, Rules::CHINESE);
    check_planes(
        &position,
        all,
        &[1, 2, 3, 4, 5, 6, 7, 8],
        "
        ....# ##... ..... ..... ....# ..... ##... .....
        .#.## ..#.. ..... .#... ...## ..... ..... ..#..
        #.... ..#.. ..... ..... #.... ..... ..... ..#..
        ..... ..#.. ..... ..... ..... ..... ..... ..#..",
    );
}

#[test]
fn ko_and_what_it_forbids() {
    let mut position = position_of(
        "
        . O X .
        O X . X
        . O X . ",
        Color::White,
        Rules::CHINESE,
    );
    play(&mut position, "C2");
    // The ko, chains in atari, the last move, legal for Black and for White: in the left corners
    // Black would have no liberty, in the right ones White would take a stone.
    check_planes(
        &position,
        Symmetry::IDENTITY,
        &[9, 3, 6, 10, 15, 16],
        "
        .... ..#. .... .... ...# #..#
        .#.. .... ..#. ..#. .... .#..
        .... ..#. .... .... ...# #..#",
    );
    // Mirrored left and right.
    check_planes(
        &position,
        Symmetry::ALL[1],
        &[9, 3, 6, 10, 15, 16],
        "
        .... .#.. .... .... #... #..#
        ..#. .... .#.. .#.. .... ..#.
        .... .#.. .... .... #... #..#",
    );
}
