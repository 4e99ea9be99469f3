use super::*;
use crate::game::{BoardSize, Diagram};
use crate::util::Seed;

/// What a list function finds for Black, in the order of names.
fn check(
    list_moves: fn(Turn<'_>, Point, &mut Vec<Point>),
    last: &str,
    expected: &[&str],
    diagram: &str,
) {
    let diagram = Diagram::parse(diagram).unwrap();
    let board = diagram.board();
    let size = board.size();
    let last = size.parse_point(last).unwrap();
    let turn = turn(board, Some(last));
    let mut list = Vec::new();
    list_moves(turn, last, &mut list);
    let mut names: Vec<_> = list.iter().map(|&p| size.vertex(p).to_string()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, expected);
}

fn turn(board: &Board, last: Option<Point>) -> Turn<'_> {
    Turn { board, color: Color::Black, last, before: None, ko: None, open_ko: None }
}

#[test]
fn chains_in_atari_are_captured_or_saved() {
    // White's last stone can be captured.
    check(list_ataris, "B2", &["B1"], ". . . .\n. X . .\nX O X .\n. . . .");
    // Black's stone has come into atari: to extend, or to capture the stone at A3, which is in atari.
    check(
        list_ataris,
        "C3",
        &["A2", "B2"],
        ". . . . .\nX O . . .\nO X O . .\n. . . . .\n. . . . .",
    );
    // An extension into another atari is no escape.
    check(list_ataris, "B2", &[], "O O O .\nO X . O\n. O O .\n. . . .");
}

#[test]
fn chains_with_two_liberties_win_a_third_or_lose_one() {
    // White's stone has two liberties; put into atari from the right it cannot get away.
    check(list_two_liberties, "C2", &["D2"], ". . . . .\n. . X . .\n. X O . .\n. X . . .");
    // Black's stone has two: each extension wins a third.
    check(list_two_liberties, "C3", &["C1", "D2"], ". . . . .\n. . O . .\n. O X . .\n. . . . .");
}

#[test]
fn moves_into_atari_are_refused_as_often_as_told() {
    let diagram = Diagram::parse(". O . .\n. . O .\nO O . .\n. . . .").unwrap();
    let board = diagram.board();
    let point = board.size().parse_point("A4").unwrap();
    let mut rng = Seed::new(1).rng();
    for (probability, accepted) in [(0.0, 1000), (0.5, 500), (1.0, 0)] {
        let params = PlayoutParams { self_atari: probability, ..PlayoutParams::default() };
        let tactics = Tactics::new(&params, Arc::new(Patterns::new()));
        let turn = turn(board, None);
        let count = (0..1000).filter(|_| tactics.accepts(turn, point, &mut rng)).count();
        // Six standard deviations.
        assert!(count.abs_diff(accepted) <= 95, "{probability}: {count}");
    }
}

#[test]
fn without_any_knowledge_moves_are_drawn_uniformly() {
    let nothing = PlayoutParams {
        nakade: 0.0,
        atari: 0.0,
        two_liberties: 0.0,
        patterns: 0.0,
        ko: 0.0,
        self_atari_random: 0.0,
        ..PlayoutParams::default()
    };
    let mut tactics = Tactics::new(&nothing, Arc::new(Patterns::new()));
    let size = BoardSize::square(5).unwrap();
    let board = Board::new(size);
    let mut rng = Seed::new(4).rng();
    let mut counts = vec![0u32; 25];
    for _ in 0..25_000 {
        let last = size.point(2, 2);
        let turn = turn(&board, last);
        assert_eq!(tactics.suggest(turn, &mut rng), None);
        let point = tactics.draw(turn, &mut rng).unwrap();
        counts[size.offset(point)] += 1;
    }
    // 1000 expected; six standard deviations are 186.
    assert!(counts.iter().all(|&n| (814..=1186).contains(&n)), "{counts:?}");
}
