use proptest::prelude::*;

use super::*;
use crate::game::board::tests::check_recount;
use crate::game::diagram::Diagram;
use crate::game::pointset::PointSet;

/// The position of a diagram, `to_move` to play at the star.
fn parse(rules: Rules, to_move: Color, text: &str) -> (Position, Diagram) {
    let diagram = Diagram::parse(text).unwrap();
    let board = diagram.board().clone();
    (Position::from_board(board, to_move, rules, Komi::default()), diagram)
}

fn check_legal(rules: Rules, color: Color, text: &str, expected: Result<(), Illegal>) {
    let (mut position, diagram) = parse(rules, color, text);
    let star = diagram.mark('*').unwrap();
    let name = rules.name();
    assert_eq!(position.check(color, Move::Place(star)), expected, "{name:?}\n{text}");
    assert_eq!(position.is_legal(color, star), expected.is_ok());
    let hash = position.hash();
    assert_eq!(position.play(color, Move::Place(star)), expected);
    assert_eq!(position.hash() == hash, expected.is_err(), "illegal moves change nothing");
}

/// Plays the marked points in turn; `-` is a pass. All but the last move must be legal.
fn check_line(rules: Rules, moves: &str, text: &str, expected: Result<(), Illegal>) {
    let (mut position, diagram) = parse(rules, Color::Black, text);
    let moves: Vec<Move> = moves
        .chars()
        .map(|c| if c == '-' { Move::Pass } else { Move::Place(diagram.mark(c).unwrap()) })
        .collect();
    let (&last, others) = moves.split_last().unwrap();
    for &mv in others {
        position.play(position.to_move(), mv).unwrap();
        check_recount(position.board());
    }
    let color = position.to_move();
    assert_eq!(position.check(color, last), expected, "{:?}\n{text}", rules.name());
}

fn with_ko(ko: KoRule) -> Rules {
    Rules { ko, ..Rules::CHINESE }
}

const SIMPLE: KoRule = KoRule::Simple;
const POSITIONAL: KoRule = KoRule::PositionalSuperko;
const SITUATIONAL: KoRule = KoRule::SituationalSuperko;

#[test]
fn a_ko_is_not_retaken_at_once() {
    let ko = "
        . X O . .      White plays at b, and Black takes at a
        X b a O .
        . X O . . ";
    for rule in [SIMPLE, POSITIONAL, SITUATIONAL] {
        let (mut position, diagram) = parse(with_ko(rule), Color::White, ko);
        let [a, b] = ['a', 'b'].map(|mark| diagram.mark(mark).unwrap());
        position.play(Color::White, Move::Place(b)).unwrap();
        position.play(Color::Black, Move::Place(a)).unwrap();
        assert_eq!(position.ko(), Some(b));
        assert_eq!(position.check(Color::White, Move::Place(b)), Err(Illegal::Ko));
        assert!(!position.is_playable(Color::White, b));
        // Black may fill it, out of turn.
        assert_eq!(position.check(Color::Black, Move::Place(b)), Ok(()));
    }
}

#[test]
fn after_two_passes_only_the_simple_rule_lets_the_ko_be_retaken() {
    let ko = "
        . X O . .
        X b a O .
        . X O . . ";
    check_line(with_ko(SIMPLE), "-ba--b", ko, Ok(()));
    check_line(with_ko(POSITIONAL), "-ba--b", ko, Err(Illegal::Superko));
    check_line(with_ko(SITUATIONAL), "-ba--b", ko, Err(Illegal::Superko));
}

#[test]
fn giving_the_turn_to_the_other_player_lifts_the_ko() {
    let ko = ". X O . .\nX b a O .\n. X O . .";
    let (mut position, diagram) = parse(with_ko(SIMPLE), Color::White, ko);
    for (color, mark) in [(Color::White, 'b'), (Color::Black, 'a')] {
        position.play(color, Move::Place(diagram.mark(mark).unwrap())).unwrap();
    }
    position.set_to_move(Color::White);
    assert!(position.ko().is_some(), "nothing has changed");
    position.set_to_move(Color::Black);
    assert_eq!(position.ko(), None);
}

/// Black adds a stone at a, White takes two at b, and Black takes one back at q: the stones are
/// those of the beginning, but it is White's turn.
#[test]
fn sending_two_and_returning_one_tells_the_superko_rules_apart() {
    let text = "
        a q b X .
        O O X X .
        . . . . . ";
    // Once q was played in the game, the stones have been there with White to move.
    let played = |rule| {
        let (mut position, diagram) = parse(with_ko(rule), Color::Black, text);
        let [a, q, b] = ['a', 'q', 'b'].map(|mark| Move::Place(diagram.mark(mark).unwrap()));
        for mv in [q, Move::Pass, a, b] {
            position.play(position.to_move(), mv).unwrap();
        }
        assert_eq!(position.ko(), None);
        position.check(Color::Black, q)
    };
    assert_eq!(played(SIMPLE), Ok(()));
    assert_eq!(played(POSITIONAL), Err(Illegal::Superko));
    assert_eq!(played(SITUATIONAL), Err(Illegal::Superko));
    // In a game that begins with the stone at q and Black to move they have not.
    let set_up = |rule| {
        let (mut position, diagram) = parse(with_ko(rule), Color::Black, text);
        let [a, q, b] = ['a', 'q', 'b'].map(|mark| diagram.mark(mark).unwrap());
        position.board.place(Color::Black, q);
        let board = position.board.clone();
        position = Position::from_board(board, Color::Black, with_ko(rule), Komi::default());
        for point in [a, b] {
            position.play(position.to_move(), Move::Place(point)).unwrap();
        }
        position.check(Color::Black, Move::Place(q))
    };
    assert_eq!(set_up(SIMPLE), Ok(()));
    assert_eq!(set_up(POSITIONAL), Err(Illegal::Superko));
    assert_eq!(set_up(SITUATIONAL), Ok(()));
}

#[test]
fn suicide_of_one_stone_is_nowhere_allowed() {
    let text = "
        * O .
        O O .
        . . . ";
    for name in Rules::names() {
        let rules: Rules = name.parse().unwrap();
        let reason = match rules {
            Rules::TROMP_TAYLOR => Illegal::Superko,
            _ => Illegal::Suicide,
        };
        check_legal(rules, Color::Black, text, Err(reason));
    }
}

#[test]
fn suicide_of_several_stones_is_for_the_rules_to_decide() {
    let text = "
        * X O
        X X O
        O O . ";
    for name in Rules::names() {
        let rules: Rules = name.parse().unwrap();
        let allowed = [Rules::TROMP_TAYLOR, Rules::NEW_ZEALAND].contains(&rules);
        let expected = if allowed { Ok(()) } else { Err(Illegal::Suicide) };
        check_legal(rules, Color::Black, text, expected);
        let (position, diagram) = parse(rules, Color::Black, text);
        assert!(!position.is_playable(Color::Black, diagram.mark('*').unwrap()));
    }
}

#[test]
fn filling_the_last_liberty_while_capturing_is_no_suicide() {
    let text = "
        * O X
        O O X
        X X . ";
    for name in Rules::names().filter(|&name| name != "nogo") {
        check_legal(name.parse().unwrap(), Color::Black, text, Ok(()));
    }
}

#[test]
fn a_snapback_is_no_ko() {
    let text = "
        X O a O X
        X O b O X
        X X X X X
        . . . . . ";
    for name in Rules::names().filter(|&name| name != "nogo") {
        check_line(name.parse().unwrap(), "aba", text, Ok(()));
    }
}

#[test]
fn an_occupied_point_is_refused() {
    let (position, _) = parse(Rules::AGA, Color::Black, "X .\n. .");
    let corner = position.size().point_at(0, 0);
    assert_eq!(position.check(Color::White, Move::Place(corner)), Err(Illegal::Occupied));
}

#[test]
fn nogo_forbids_captures_suicide_and_passes() {
    let nogo = Rules::NOGO;
    check_legal(
        nogo,
        Color::Black,
        "
        . X .        a move at the star would capture O: forbidden in NoGo
        X O *
        . X . ",
        Err(Illegal::Capture),
    );
    check_legal(
        nogo,
        Color::White,
        "
        . X .        White may extend, there is a liberty above
        X O *
        . X . ",
        Ok(()),
    );
    check_legal(
        nogo,
        Color::White,
        "
        . X .        the only liberty of the chain
        X O X
        . * X ",
        Ok(()),
    );
    check_legal(
        nogo,
        Color::White,
        "
        . X .
        X O X
        X * X ",
        Err(Illegal::Suicide),
    );
    check_legal(
        nogo,
        Color::White,
        "
        * X .        an eye of Black is closed to White
        X . .
        . . . ",
        Err(Illegal::Suicide),
    );
    let (mut position, _) = parse(nogo, Color::Black, ". .\n. .");
    assert_eq!(position.play(Color::Black, Move::Pass), Err(Illegal::Pass));
}

#[test]
fn passes_end_the_game() {
    let size = BoardSize::square(5).unwrap();
    for (rules, first, passes) in [
        (Rules::CHINESE, Color::Black, 2),
        (Rules::CHINESE, Color::White, 2),
        (Rules::AGA, Color::Black, 2),
        (Rules::AGA, Color::White, 3),
    ] {
        let mut position = Position::new(size, rules, Komi::default());
        position.set_to_move(first);
        for _ in 0..passes {
            assert!(!position.is_over());
            position.play(position.to_move(), Move::Pass).unwrap();
        }
        assert!(position.is_over(), "{:?} after {passes}", rules.name());
        // Play may go on, for instance to settle a dispute.
        let mut resumed = position.clone();
        resumed.resume();
        assert!(!resumed.is_over());
        position.play(position.to_move(), Move::Place(size.point_at(1, 1))).unwrap();
        assert!(!position.is_over());
    }
}

#[test]
fn last_moves_come_newest_first() {
    let size = BoardSize::square(5).unwrap();
    let mut position = Position::new(size, Rules::CGOS, Komi::default());
    for x in 0..4 {
        position.play(position.to_move(), Move::Place(size.point_at(x, 0))).unwrap();
    }
    position.play(Color::White, Move::Pass).unwrap();
    position.play(Color::White, Move::Place(size.point_at(0, 4))).unwrap();
    let last: Vec<_> = position.last_moves().collect();
    assert_eq!(last.len(), Position::REMEMBERED);
    assert_eq!(last[0], (Color::White, Move::Place(size.point_at(0, 4))));
    assert_eq!(last[1], (Color::White, Move::Pass));
    assert_eq!(last[4], (Color::White, Move::Place(size.point_at(1, 0))));
    assert_eq!((position.move_count(), position.to_move()), (6, Color::Black));
}

#[test]
fn the_hash_tells_situations_apart() {
    let size = BoardSize::square(5).unwrap();
    let start = Position::new(size, Rules::CHINESE, Komi::default());
    let changed = |change: &dyn Fn(&mut Position)| {
        let mut position = start.clone();
        change(&mut position);
        position.hash()
    };
    let hashes = [
        start.hash(),
        changed(&|p| p.set_to_move(Color::White)),
        changed(&|p| p.pass(Color::White)),
        changed(&|p| p.set_komi(Komi::from_points(7.5).unwrap())),
        changed(&|p| p.set_handicap(2)),
        changed(&|p| p.ko = Some(size.point_at(0, 0))),
        changed(&|p| p.rules = Rules::AGA),
        changed(&|p| p.play(Color::White, Move::Place(size.point_at(0, 0))).unwrap()),
    ];
    for (i, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..i].contains(hash), "number {i}");
    }
}

/// All that a copy must have in common with its original.
fn check_same(a: &Position, b: &Position) {
    assert_eq!(a.hash(), b.hash());
    assert_eq!(a.size(), b.size());
    assert_eq!(a.board().empty_points(), b.board().empty_points());
    assert_eq!((a.ko(), a.passes(), a.move_count()), (b.ko(), b.passes(), b.move_count()));
    assert!(a.last_moves().eq(b.last_moves()));
    for color in Color::BOTH {
        assert!(a.legal_points(color).eq(b.legal_points(color)));
        assert_eq!(a.board().captured(color), b.board().captured(color));
    }
    check_recount(b.board());
}

/// NoGo legality from scratch: with the stone on the board every chain has a liberty.
fn nogo_allows(position: &Position, color: Color, point: Point) -> bool {
    let board = position.board();
    let stones = board.size().points().filter_map(|p| Some((board.stone(p)?, p)));
    Board::with_stones(board.size(), stones.chain([(color, point)])).is_ok()
}

fn check_legality(position: &Position) {
    for color in Color::BOTH {
        for point in position.size().points() {
            let legal = position.is_legal(color, point);
            match position.rules().game {
                Game::NoGo => assert_eq!(legal, nogo_allows(position, color, point)),
                Game::Go if !position.board().is_empty(point) => assert!(!legal),
                Game::Go => {
                    let mut board = position.board().clone();
                    let suicides = board.place(color, point).suicides;
                    let allowed = position.rules().suicide == Suicide::Allowed && suicides != 1;
                    assert!(!legal || suicides == 0 || allowed);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn random_games_agree_with_a_recount(
        width in 2usize..10,
        height in 2usize..10,
        name in prop::sample::select(Rules::names().collect::<Vec<_>>()),
        choices in prop::collection::vec(any::<u16>(), 1..160),
    ) {
        let size = BoardSize::new(width, height).unwrap();
        let mut position = Position::new(size, name.parse().unwrap(), Komi::default());
        let mut copy = Position::new(BoardSize::square(3).unwrap(), Rules::CGOS, Komi::default());
        for (i, &choice) in choices.iter().enumerate() {
            let color = position.to_move();
            let legal: Vec<Point> = position.legal_points(color).collect();
            if legal.is_empty() {
                break;
            }
            let point = legal[usize::from(choice) % legal.len()];
            let expected = position.board().hash_after(color, point);
            position.play(color, Move::Place(point)).unwrap();
            prop_assert_eq!(position.board().hash(), expected);
            if i % 8 == 0 || i > 120 {
                check_recount(position.board());
                check_legality(&position);
            }
        }
        check_recount(position.board());
        check_legality(&position);
        copy.clone_from(&position);
        check_same(&position, &copy);
        check_same(&position, &position.clone());
        if position.rules().game == Game::NoGo {
            let captured = Color::BOTH.map(|color| position.board().captured(color));
            prop_assert_eq!(captured, [0, 0]);
            let winner = position.winner(&PointSet::new());
            prop_assert_eq!(winner.is_some(), position.is_over());
        }
    }
}

#[test]
fn positions_that_score_differently_hash_differently() {
    let size = |width, height| BoardSize::new(width, height).unwrap();
    let komi = |points| Komi::from_points(points).unwrap();
    let hash = |size, rules, points, handicap| {
        let mut position = Position::new(size, rules, komi(points));
        position.set_handicap(handicap);
        position.hash()
    };
    let nine = size(9, 9);
    let even = hash(nine, Rules::CHINESE, 7.5, 0);
    assert_ne!(even, hash(size(9, 7), Rules::CHINESE, 7.5, 0));
    assert_ne!(even, hash(size(13, 13), Rules::CHINESE, 7.5, 0));
    assert_ne!(even, hash(nine, Rules::CHINESE, 6.5, 0));
    // Two points of compensation are as good as two points of komi.
    assert_eq!(hash(nine, Rules::CHINESE, 7.5, 2), hash(nine, Rules::CHINESE, 9.5, 0));
    assert_ne!(hash(nine, Rules::CHINESE, 7.5, 2), hash(nine, Rules::CHINESE, 3.5, 0));
}

#[test]
fn earlier_boards_are_those_that_were_there() {
    let mut state = 7u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % bound
    };
    let mut captures = 0;
    for rules in [Rules::TROMP_TAYLOR, Rules::JAPANESE, Rules::NOGO] {
        for side in [2, 4, 5] {
            let size = BoardSize::square(side).unwrap();
            let mut position = Position::new(size, rules, Komi::default());
            let mut seen = Vec::new();
            for _ in 0..120 {
                seen.push(position.clone());
                let color =
                    if next(9) == 0 { position.to_move().opponent() } else { position.to_move() };
                let legal: Vec<_> = position.legal_points(color).collect();
                let mv = match legal.len() {
                    0 if rules.game == Game::NoGo => break,
                    0 => Move::Pass,
                    count => Move::Place(legal[next(count)]),
                };
                let before: u32 = Color::BOTH.map(|c| position.board().captured(c)).iter().sum();
                position.play(color, mv).unwrap();
                let after: u32 = Color::BOTH.map(|c| position.board().captured(c)).iter().sum();
                captures += after - before;
                let boards = position.earlier_boards();
                assert_eq!(boards.len(), seen.len().min(2));
                for ((board, ko), expected) in boards.iter().zip(seen.iter().rev()) {
                    assert_eq!(board.hash(), expected.board().hash());
                    assert_eq!(*ko, expected.ko());
                }
            }
            // Playouts do not keep track, and what is out of date is not used.
            let color = position.to_move();
            let point = position.legal_points(color).next();
            if let Some(point) = point {
                position.place(color, point);
                assert!(position.earlier_boards().is_empty());
            }
        }
    }
    assert!(captures > 100, "{captures} stones were captured");
}
