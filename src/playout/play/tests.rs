use super::*;
use crate::game::{BoardSize, Komi, Move, Rules};
use crate::util::Seed;

fn start(side: usize, rules: Rules, komi: f64) -> Position {
    Position::new(BoardSize::square(side).unwrap(), rules, Komi::from_points(komi).unwrap())
}

/// Playouts of both kinds.
fn both(position: &Position) -> [Playout; 2] {
    let patterns = Arc::new(Patterns::new());
    [Playout::new(position), Playout::with(&PlayoutParams::default(), &patterns, position)]
}

#[test]
fn a_playout_ends_with_nothing_but_eyes() {
    let position = start(9, Rules::CGOS, 7.0);
    let mut playout = Playout::new(&position);
    let mut rng = Seed::new(1).rng();
    for _ in 0..200 {
        playout.run(&position, &mut rng);
        let board = playout.board();
        assert!(board.empty_points().len() < 40);
        for &point in board.empty_points() {
            let around = board.around(point);
            assert!(!around.has_liberty() || board.empty_points().len() < 10);
        }
    }
}

#[test]
fn tactical_playouts_end_and_count_every_point() {
    let position = start(9, Rules::CGOS, 7.0);
    let [_, mut playout] = both(&position);
    let mut rng = Seed::new(1).rng();
    let mut moves = 0;
    for _ in 0..300 {
        playout.run(&position, &mut rng);
        moves += playout.moves();
        assert!(playout.moves() < 3 * 81);
        assert!((playout.points_for(Color::Black) + playout.points_for(Color::White)).abs() < 1e-6);
        assert!(playout.points_for(Color::Black).abs() <= 88.0);
    }
    assert!((60..160).contains(&(moves / 300)), "{} moves on average", moves / 300);
}

#[test]
fn komi_decides_who_wins() {
    let mut rng = Seed::new(2).rng();
    for (komi, winner) in [(-90.0, Some(Color::Black)), (90.0, Some(Color::White))] {
        let position = start(9, Rules::CHINESE, komi);
        for mut playout in both(&position) {
            assert!((0..50).all(|_| playout.run(&position, &mut rng) == winner));
        }
    }
}

#[test]
fn nogo_playouts_are_legal_games_to_the_end() {
    let position = start(9, Rules::NOGO, 0.0);
    let mut playout = Playout::new(&position);
    let mut rng = Seed::new(3).rng();
    for _ in 0..200 {
        let winner = playout.run(&position, &mut rng).unwrap();
        let board = playout.board();
        assert_eq!(board.captured(Color::Black) + board.captured(Color::White), 0);
        let lost = winner.opponent();
        let end = Position::from_board(board.clone(), lost, Rules::NOGO, Komi::default());
        assert!(end.is_over());
        // Black begins, so whoever is to move after n stones is known.
        let stones = board.stones(Color::Black) + board.stones(Color::White);
        assert_eq!(lost == Color::Black, stones.is_multiple_of(2));
    }
}

#[test]
fn first_moves_are_drawn_uniformly() {
    let position = start(5, Rules::CGOS, 0.0);
    let mut rng = Seed::new(4).rng();
    let mut counts = vec![0u32; 25];
    for _ in 0..25_000 {
        let board = position.board();
        let turn =
            Turn { board, color: Color::Black, last: None, before: None, ko: None, open_ko: None };
        let point = uniform::draw(turn, &mut Vec::new(), &mut rng).unwrap();
        counts[position.size().offset(point)] += 1;
    }
    // 1000 expected; six standard deviations are 186.
    assert!(counts.iter().all(|&n| (814..=1186).contains(&n)), "{counts:?}");
}

#[test]
fn a_pass_before_the_playout_counts() {
    let mut position = start(2, Rules::CGOS, 0.5);
    position.play(Color::Black, Move::Pass).unwrap();
    position.play(Color::White, Move::Pass).unwrap();
    let mut rng = Seed::new(5).rng();
    for mut playout in both(&position) {
        assert!(playout.run(&position, &mut rng).is_some());
    }
}

#[test]
fn one_playout_serves_boards_of_all_sizes() {
    let mut rng = Seed::new(6).rng();
    let [_, mut playout] = both(&start(9, Rules::CGOS, 7.0));
    for (side, rules) in
        [(9, Rules::CGOS), (19, Rules::CHINESE), (2, Rules::CGOS), (7, Rules::NOGO)]
    {
        assert!(playout.run(&start(side, rules, 7.5), &mut rng).is_some());
        assert_eq!(playout.board().size().width(), side);
    }
}
