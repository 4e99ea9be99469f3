//! What the networks see, worked out by hand.

use crate::game::{BoardSize, Color, Diagram, Komi, Move, Position, Rules, Suicide, Symmetry};
use crate::nn::katago::area::areas;
use crate::nn::katago::features::{GLOBALS, PLANES, encode};

fn encoded(position: &Position) -> (Vec<f32>, Vec<f32>) {
    let mut planes = vec![0.5; position.size().area() * PLANES];
    let mut globals = vec![0.5; GLOBALS];
    encode(position, Symmetry::IDENTITY, &mut planes, &mut globals);
    assert!(planes.iter().all(|&value| value == 0.0 || value.to_bits() == 1f32.to_bits()));
    (planes, globals)
}

/// The points of a plane in reading order, as letters of their vertices.
fn points(position: &Position, plane: usize) -> String {
    let (planes, _) = encoded(position);
    let size = position.size();
    let set = size.points().filter(|&p| planes[size.offset(p) * PLANES + plane] > 0.0);
    set.map(|point| size.vertex(point).to_string()).collect::<Vec<_>>().join(" ")
}

fn near(found: f32, expected: f32) {
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

fn position(text: &str, to_move: Color, rules: Rules) -> Position {
    let board = Diagram::parse(text).unwrap().board().clone();
    Position::from_board(board, to_move, rules, Komi::from_points(7.0).unwrap())
}

fn play(position: &mut Position, moves: &str) {
    for vertex in moves.split_whitespace() {
        let mv = position.size().parse_move(vertex).unwrap();
        position.play(position.to_move(), mv).unwrap();
    }
}

#[test]
fn stones_liberties_and_the_past_are_drawn() {
    let size = BoardSize::square(5).unwrap();
    let mut position = Position::new(size, Rules::CHINESE, Komi::from_points(7.0).unwrap());
    play(&mut position, "A1 B2 C3 C4 pass B1 D3");
    assert_eq!(points(&position, 1), "C4 B2 B1");
    assert_eq!(points(&position, 2), "C3 D3 A1");
    assert_eq!(points(&position, 3), "A1");
    assert_eq!(points(&position, 4), "");
    // C4 has three liberties, B2 and B1 together four, C3 and D3 together five.
    assert_eq!(points(&position, 5), "C4");
    let last: Vec<_> = (9..14).map(|plane| points(&position, plane)).collect();
    assert_eq!(last, ["D3", "B1", "", "C4", "C3"]);
    let (_, globals) = encoded(&position);
    assert_eq!(globals[..5], [0.0, 0.0, 1.0, 0.0, 0.0]);
    // A pass out of turn ends what is remembered.
    position.play(Color::White, Move::Pass).unwrap();
    position.set_to_move(Color::White);
    assert_eq!((9..14).map(|plane| points(&position, plane)).collect::<String>(), "");
}

#[test]
fn ladders_are_drawn_now_and_before() {
    let text = "
        . . . . . . .
        . . . . . . .
        . . O O . . .
        . O X . . . .
        . . O . . . .
        . . . . . . .
        . . . . . . .";
    let mut caught = position(text, Color::White, Rules::CHINESE);
    // In atari, and a way out that ends at the edge.
    assert_eq!(points(&caught, 14), "C4");
    assert_eq!((points(&caught, 15), points(&caught, 16)), ("C4".to_owned(), "C4".to_owned()));
    assert_eq!(points(&caught, 17), "");
    // A stone in the way of the ladder saves it now; before it did not.
    play(&mut caught, "pass");
    play(&mut caught, "F4");
    assert_eq!(points(&caught, 14), "");
    assert_eq!((points(&caught, 15), points(&caught, 16)), ("C4".to_owned(), "C4".to_owned()));
}

#[test]
fn moves_that_catch_are_drawn_for_the_side_to_move_alone() {
    let text = "
        . . . . . . .
        . . . . . . .
        . . O O . . .
        . O X . . . .
        . . O . . . .
        . . . . . . .
        . . . . . . .";
    // It is in atari already.
    let white = position(text, Color::White, Rules::CHINESE);
    assert_eq!(points(&white, 17), "");
    let open = text.replace("O X", ". X");
    let white = position(&open, Color::White, Rules::CHINESE);
    assert_eq!(points(&white, 14), "C4");
    // From the other side it would get three liberties.
    assert_eq!(points(&white, 17), "B4");
    let black = position(&open, Color::Black, Rules::CHINESE);
    assert_eq!((points(&black, 14), points(&black, 17)), ("C4".to_owned(), String::new()));
}

#[test]
fn captured_stones_stand_on_the_board_before() {
    let text = "
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .";
    let mut ko = position(text, Color::Black, Rules::CHINESE);
    play(&mut ko, "C4");
    assert_eq!(points(&ko, 6), "B4");
    let boards = ko.earlier_boards();
    assert_eq!(boards.len(), 1);
    let size = ko.size();
    let stone = |vertex| boards[0].0.stone(size.parse_point(vertex).unwrap());
    assert_eq!((stone("B4"), stone("C4")), (Some(Color::White), None));
    play(&mut ko, "E1 pass");
    assert_eq!(points(&ko, 6), "");
    assert_eq!(ko.earlier_boards().len(), 2);
    assert_eq!(ko.earlier_boards()[1].1, Some(size.parse_point("B4").unwrap()));
    // Black to move again fills nothing; by superko White could not retake now either.
    let mut ko = position(text, Color::Black, Rules::TROMP_TAYLOR);
    play(&mut ko, "C4 E1 A1");
    assert_eq!(points(&ko, 6), "");
}

#[test]
fn superko_bans_are_drawn() {
    let text = "
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .";
    let mut ko = position(text, Color::Black, Rules::TROMP_TAYLOR);
    play(&mut ko, "C4 pass pass");
    // White may not recreate the first position, though two passes lifted the simple ko.
    ko.resume();
    assert_eq!(ko.to_move(), Color::White);
    assert_eq!(ko.ko(), None);
    assert_eq!(points(&ko, 6), "B4");
    // An eye of the opponent is no matter of repetition, though a stone there would change nothing.
    let text = "
        . O .
        O O .
        . . .";
    assert_eq!(points(&position(text, Color::Black, Rules::TROMP_TAYLOR), 6), "");
}

#[test]
fn area_is_what_one_colour_surrounds() {
    let text = "
        . X . O .
        X X . O O
        . . . . .
        . . . . .
        O . . . .";
    let board = Diagram::parse(text).unwrap().board().clone();
    let size = board.size();
    let text = |color: Color| {
        let area = areas(&board, Suicide::Forbidden)[color.index()];
        area.iter().map(|p| size.vertex(p).to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(text(Color::Black), "A5 B5 A4 B4");
    assert_eq!(text(Color::White), "D5 E5 D4 E4 A1");
}

#[test]
fn dead_stones_in_pass_alive_territory_belong_to_the_owner() {
    // Black lives by the eyes A5 and C5; White's stone at E5 is in a region with no inner point.
    let text = "
        . X . X O
        X X X X .
        . . . . X
        X X X X X
        . O O . O";
    let board = Diagram::parse(text).unwrap().board().clone();
    let [black, white] = areas(&board, Suicide::Forbidden);
    let at = |vertex| board.size().parse_point(vertex).unwrap();
    assert!(black.contains(at("E5")) && black.contains(at("E4")), "a dead stone");
    // Below White has stones and no life, all points touch Black: Black's as well.
    assert!(black.contains(at("B1")) && black.contains(at("D1")));
    assert!(white.is_empty());
}

#[test]
fn globals_tell_komi_and_rules() {
    let size = BoardSize::square(9).unwrap();
    let globals = |rules, komi, moves: &str| {
        let mut position = Position::new(size, rules, Komi::from_points(komi).unwrap());
        play(&mut position, moves);
        encoded(&position).1
    };
    let chinese = globals(Rules::CHINESE, 7.5, "");
    near(chinese[5], -7.5 / 20.0);
    assert_eq!(chinese[6..18], [0.0; 12]);
    // On an odd board 7 allows a draw, so that for Black -7 does, and -7.5 is half a point below.
    near(chinese[18], -0.5);
    near(globals(Rules::CHINESE, 7.0, "")[18], 0.0);
    near(globals(Rules::CHINESE, 6.5, "")[18], 0.5);
    near(globals(Rules::CHINESE, 6.0, "")[18], 0.0);
    let tromp_taylor = globals(Rules::TROMP_TAYLOR, 7.0, "E5");
    near(tromp_taylor[5], 7.0 / 20.0);
    assert_eq!(tromp_taylor[6..12], [1.0, 0.5, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(globals(Rules::AGA, 7.0, "")[6..8], [1.0, -0.5]);
    // By territory every stone played costs a point, here one of Black's more than of White's.
    let japanese = globals(Rules::JAPANESE, 6.5, "E5 E3 C3");
    near(japanese[5], (6.5 + 1.0) / 20.0);
    assert_eq!(japanese[9..12], [1.0, 1.0, 0.0]);
    near(japanese[18], 0.0);
    assert_eq!(globals(Rules::CHINESE, 7.0, "pass")[14].to_bits(), 1f32.to_bits());
    // A game that is over has no past.
    let over = globals(Rules::CHINESE, 7.0, "E5 pass pass");
    assert_eq!((over[0], over[1], over[14]), (0.0, 0.0, 0.0));
}

#[test]
fn japanese_rules_draw_no_area() {
    let text = "
        . X .
        X X .
        . . O";
    let japanese = position(text, Color::Black, Rules::JAPANESE);
    assert_eq!((points(&japanese, 18), points(&japanese, 19)), (String::new(), String::new()));
    // By area all is Black's: the chain lives by its corner and the rest, where one point alone,
    // that of the dead stone, does not touch it.
    let chinese = position(text, Color::Black, Rules::CHINESE);
    assert_eq!(points(&chinese, 18), "A3 B3 C3 A2 B2 C2 A1 B1 C1");
}
