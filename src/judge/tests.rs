use rand::RngExt as _;

use super::*;
use crate::game::{BoardSize, Diagram, Move, Rules, Symmetry};

fn position(text: &str, rules: Rules) -> Position {
    let diagram = Diagram::parse(text).unwrap();
    Position::from_board(diagram.board().clone(), Color::Black, rules, Komi::default())
}

/// The dead stones by their vertices, and the scores by area and by territory without komi.
fn check(text: &str, dead: &str, area: f64, territory: f64) {
    let judge = Judge::new();
    for (rules, expected) in [(Rules::CHINESE, area), (Rules::JAPANESE, territory)] {
        let mut position = position(text, rules);
        position.set_komi(Komi::from_points(0.0).unwrap());
        let size = position.size();
        let judgement = judge.judge(&position);
        let found: Vec<_> = judgement.dead.iter().map(|p| size.vertex(p).to_string()).collect();
        assert_eq!(found.join(" "), dead, "{text}");
        let score = judgement.score(&position).points();
        assert!((score - expected).abs() < 1e-9, "{score} instead of {expected} in {text}");
    }
}

#[test]
fn a_pass_does_not_change_the_score() {
    let mut position = position(
        "
        . X O O .      Black's stone at D1 is dead
        X X O O O
        . X O O .
        X X O O O
        . X O X . ",
        Rules::CHINESE,
    );
    position.set_komi(Komi::from_points(7.0).unwrap());
    let judge = Judge::new();
    let first = judge.judge(&position);
    assert_eq!(first.score(&position).to_string(), "W+12");
    assert_eq!(first.dead.len(), 1);
    for color in [Color::Black, Color::White, Color::Black] {
        position.play(color, Move::Pass).unwrap();
        assert_eq!(judge.judge(&position), first);
    }
}

#[test]
fn stones_in_atari_without_an_eye_are_dead() {
    check(
        "
        . X . O O .
        X X X O . O
        . X O O O X      the stone at F3 is in atari
        X X O . O .
        . X O O O O ",
        "F3",
        -7.0,
        -3.0,
    );
}

#[test]
fn three_points_in_a_row_with_the_middle_taken_are_one_eye() {
    check(
        "
        X X . X . X X
        X X X X X X X
        O O O O X X .
        . X . O X X X
        O O O O X . X ",
        "A3 B3 C3 D3 D2 A1 B1 C1 D1",
        35.0,
        24.0,
    );
}

#[test]
fn a_bent_four_in_the_corner_is_dead() {
    check(
        "
        X X . X . X X
        X X X X X X X
        O O X X X X .
        . O O O O X X
        X X X . O X . ",
        "A3 B3 B2 C2 D2 E2 E1",
        35.0,
        20.0,
    );
}

/// Positions at the end of games of people.
#[test]
fn both_live_in_a_seki() {
    check(
        "
        . . . . O X X . .
        . . . . . O X . .
        . . . . O O X . .
        . O . . O O X . .
        O . . O O X X X .
        X O O O O O X X .
        X X X X X O O X X
        X X O . X X O O X
        . O O X X O O . . ",
        "",
        -7.0,
        -8.0,
    );
    check(
        "
        . O . O X X X X .      White can connect at C9
        X X O O O X . X O
        O X O X X X . . X
        O . O O X O X . X
        O O O X X O X X .
        X X X X O O X . .
        X O O O . O X X .
        X X O O X O O X .
        X X O . O O X X X ",
        "J8 E2",
        15.0,
        7.0,
    );
    // One eye each and two common liberties.
    check(
        "
        . O X . X . O . O
        O O X X X X O O O
        . O X X X . O O O
        O O O O X X O X X
        . O O O O O X X X
        O O O O O X X . X
        O O O O O X X X X
        O O O O O X . X X
        O O O O O X X X X ",
        "",
        -13.0,
        -1.0,
    );
}

/// A position as random games leave it, far from any order.
fn random_position(rng: &mut crate::util::Rng, size: BoardSize, rules: Rules) -> Position {
    let mut position = Position::new(size, rules, Komi::default());
    for _ in 0..rng.random_range(size.area() / 2..2 * size.area()) {
        let color = position.to_move();
        let sensible = |p: &Point| !position.board().around(*p).is_eye_of(color);
        let points: Vec<_> = position.legal_points(color).filter(sensible).collect();
        if points.is_empty() {
            break;
        }
        position.play_legal(color, Move::Place(points[rng.random_range(0..points.len())]));
    }
    position
}

fn exchanged(position: &Position) -> Position {
    let mut board = Board::new(position.size());
    for point in position.size().points() {
        if let Some(color) = position.board().stone(point) {
            board.place(color.opponent(), point);
        }
    }
    Position::from_board(board, Color::White, *position.rules(), Komi::default())
}

#[test]
fn judgements_depend_on_nothing_but_stones_and_rules() {
    let judge = Judge::new();
    let mut rng = Seed::new(5).rng();
    let all = [(9, 9), (7, 7), (5, 9)];
    for (round, (width, height)) in (0..12).zip(all.into_iter().cycle()) {
        let size = BoardSize::new(width, height).unwrap();
        let rules = [Rules::CHINESE, Rules::TROMP_TAYLOR, Rules::NOGO][round % 3];
        let mut position = random_position(&mut rng, size, rules);
        let first = judge.judge(&position);
        // Another judge, and another player to move.
        assert_eq!(Judge::new().judge(&position), first);
        let board = Image::of(position.board());
        assert_eq!(Image::of(&board.board()).board().hash(), board.board().hash());
        position.set_to_move(position.to_move().opponent());
        assert_eq!(judge.judge(&position), first);
        let swapped = judge.judge(&exchanged(&position));
        assert_eq!(swapped.dead, first.dead);
        for &symmetry in Symmetry::for_size(size) {
            let turned = judge.judge(&position.turned(symmetry));
            for point in size.points() {
                let there = symmetry.apply(size, point);
                assert_eq!(turned.dead.contains(there), first.dead.contains(point));
                for color in Color::BOTH {
                    let owned = first.ownership.of(color, point);
                    assert!((turned.ownership.of(color, there) - owned).abs() < f32::EPSILON);
                    let other = swapped.ownership.of(color.opponent(), point);
                    assert!((other - owned).abs() < f32::EPSILON);
                }
            }
        }
    }
}

#[test]
fn boards_that_are_symmetric_are_judged_symmetrically() {
    let judgement = Judge::new().judge(&position(
        "
        . . . . .
        . X . O .
        . . . . .
        . O . X .
        . . . . . ",
        Rules::CHINESE,
    ));
    let size = BoardSize::square(5).unwrap();
    for point in size.points() {
        let there = Symmetry::ALL[1].apply(size, point);
        let [here, there] = [point, there].map(|p| judgement.ownership.of(Color::Black, p));
        assert!((here + there).abs() < f32::EPSILON);
    }
}

#[test]
fn a_board_is_settled_when_only_neutral_points_are_left() {
    let settled = |text: &str| {
        let position = position(text, Rules::JAPANESE);
        Judge::new().judge(&position).is_settled(&position)
    };
    let finished = "
        . X . X O . O
        X X X X O O O
        . X . X . O .
        X X X X O O O
        . X . X O . O ";
    assert!(settled(finished));
    assert!(!settled(&finished.replace(". X . X . O .", ". X . . . O .")));
}
