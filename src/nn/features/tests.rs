use proptest::prelude::*;

use super::*;
use crate::game::{Diagram, GameEnd, Komi, Rules};

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

/// Compares pictures of planes, side by side.
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

#[test]
fn last_moves_and_passes() {
    let mut position =
        Position::new(BoardSize::new(3, 2).unwrap(), Rules::CGOS, Komi::from_points(0.5).unwrap());
    play(&mut position, "A1 B1 A2 pass C1 C2");
    // White has taken C1 and leaves Black no move: both points would be suicide.
    check_planes(
        &position,
        Symmetry::IDENTITY,
        &[10, 11, 12, 13, 14, 15, 16],
        "
        ..# ... ... #.. ... ... .#.
        ... ..# ... ... .#. ... ..#",
    );
    // Turned by half a circle.
    check_planes(
        &position,
        Symmetry::ALL[3],
        &[10, 11, 12, 13, 14, 15, 16],
        "
        ... #.. ... ... .#. ... #..
        #.. ... ... ..# ... ... .#.",
    );
}

#[test]
fn nogo_allows_neither_captures_nor_suicide() {
    let text = "
        . X . O
        X . X O
        . X O . ";
    let position = position_of(text, Color::White, Rules::NOGO);
    check_planes(
        &position,
        Symmetry::IDENTITY,
        &[15, 16],
        "
        ..#. #.#.
        .... .#..
        ...# #...",
    );
}

#[test]
fn globals_of_go() {
    let size = BoardSize::new(9, 13).unwrap();
    let mut position = Position::new(size, Rules::AGA, Komi::from_points(7.5).unwrap());
    position.set_handicap(3);
    position.play(Color::Black, Move::Pass).unwrap();
    // White has 7.5 points and two for the handicap; with 117 of the board that is 126.5.
    let white = [9.5 / 15.0, 1., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -0.5, -0.1, 1.];
    check_globals(&position, &white);
    position.set_to_move(Color::Black);
    // Two passes end an AGA game only when the second is White's.
    let black = [-9.5 / 15.0, -1., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., -0.5, -0.1, 0.];
    check_globals(&position, &black);
}

#[test]
fn globals_of_territory_scoring_count_prisoners() {
    let mut position =
        Position::new(BoardSize::square(4).unwrap(), Rules::JAPANESE, Komi::default());
    play(&mut position, "A2 A1 B1 pass");
    let black = [1.0 / 15.0, 0., 0., 1., 0., 0., 0., 1., 0., 0., 1., 0., -1., -1., 1.];
    check_globals(&position, &black);
    play(&mut position, "C1");
    let white = [-1.0 / 15.0, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., -1., -1., 0.];
    check_globals(&position, &white);
}

#[test]
fn globals_of_nogo_leave_out_what_means_nothing_there() {
    let rules = Rules { suicide: Suicide::Allowed, scoring: Scoring::Territory, ..Rules::NOGO };
    let komi = Komi::from_points(6.5).unwrap();
    for rules in [rules, Rules::NOGO] {
        let position = Position::new(BoardSize::square(9).unwrap(), rules, komi);
        let expected = [0., 0., 0., 0., 0., 0., 0., 0., 0., 1., 0., 0., -0.5, -0.5, 0.];
        check_globals(&position, &expected);
    }
}

fn check_globals(position: &Position, expected: &[f32; GLOBALS]) {
    let (_, globals) = encoded(position, Symmetry::IDENTITY);
    for (i, (found, expected)) in globals.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-6, "global {i} is {found}, not {expected}");
    }
    assert!(globals[GLOBALS..].iter().all(|&padding| padding.to_bits() == 0));
}

#[test]
fn komi_that_no_board_has_stays_in_bounds() {
    let size = BoardSize::square(2).unwrap();
    let position = Position::new(size, Rules::CGOS, Komi::from_points(1000.0).unwrap());
    let (_, globals) = encoded(&position, Symmetry::IDENTITY);
    assert!((globals[0] + 4.0 / 15.0).abs() < 1e-6);
}

#[test]
#[should_panic(expected = "a 5x3 board has no")]
fn a_rectangle_cannot_be_transposed() {
    let size = BoardSize::new(5, 3).unwrap();
    encoded(&Position::new(size, Rules::NOGO, Komi::default()), Symmetry::ALL[4]);
}

#[test]
fn restoring_is_the_way_back() {
    for size in [BoardSize::square(4).unwrap(), BoardSize::new(5, 3).unwrap()] {
        let values: Vec<_> = (0..size.area()).map(|i| i as f32).collect();
        for &symmetry in Symmetry::for_size(size) {
            let mut turned = vec![0.0; size.area()];
            for point in size.points() {
                turned[size.offset(symmetry.apply(size, point))] = values[size.offset(point)];
            }
            let restored: Vec<_> = restore(size, symmetry, &turned).collect();
            assert_eq!(restored, values);
            // To go back is also to turn by the inverse.
            for point in size.points() {
                let source = symmetry.inverse().apply(size, point);
                let found = turned[size.offset(point)] - values[size.offset(source)];
                assert!(found.abs() < 1e-6);
            }
        }
    }
}

/// What the planes should hold, point by point and by the slowest way.
fn check_slowly(position: &Position) {
    let (size, board) = (position.size(), position.board());
    let (planes, _) = encoded(position, Symmetry::IDENTITY);
    let own = position.to_move();
    let last: Vec<_> = position.last_moves().map(|(_, mv)| mv.point()).collect();
    let rules = Rules { ko: KoRule::Simple, ..*position.rules() };
    let other_side = Position::from_board(board.clone(), own.opponent(), rules, Komi::default());
    for point in size.points() {
        let liberties = board.liberties(point).len().min(3);
        let chain = |color, count| board.stone(point) == Some(color) && liberties == count;
        let mut expected = vec![true];
        let colors = [own, own.opponent()];
        expected.extend(colors.map(|color| board.stone(point) == Some(color)));
        expected.extend(colors.iter().flat_map(|&color| (1..=3).map(move |n| chain(color, n))));
        expected.push(position.ko() == Some(point));
        expected.extend((0..5).map(|age| last.get(age) == Some(&Some(point))));
        expected.push(position.is_legal(own, point));
        expected.push(other_side.is_legal(own.opponent(), point));
        let start = size.offset(point) * STRIDE;
        let found: Vec<_> =
            planes[start..start + PLANES].iter().map(|&value| value.to_bits() != 0).collect();
        assert_eq!(found, expected, "{}", size.vertex(point));
        let padding = &planes[start + PLANES..start + STRIDE];
        assert!(padding.iter().all(|&value| value.to_bits() == 0));
    }
}

/// Plays the same game on several boards, turned for each; whoever is to move begins.
fn play_games(games: &mut [(Position, Symmetry)], choices: &[u16]) {
    let size = games[0].0.size();
    for &choice in choices {
        let (leader, _) = &games[0];
        let color = leader.to_move();
        let legal: Vec<_> = size.points().filter(|&p| leader.is_legal(color, p)).collect();
        let mv = match legal.get(usize::from(choice) % (legal.len() + 1)) {
            Some(&point) => Move::Place(point),
            None if leader.rules().game == Game::Go => Move::Pass,
            None if legal.is_empty() => break,
            None => Move::Place(legal[0]),
        };
        for (position, symmetry) in &mut *games {
            let mover = position.to_move();
            position.play(mover, symmetry.apply_move(size, mv)).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn features_follow_symmetry_and_colour(
        width in 2usize..8,
        height in 2usize..8,
        square in any::<bool>(),
        rules in prop::sample::select(Rules::names().collect::<Vec<_>>()),
        half_points in -30i32..30,
        choices in prop::collection::vec(any::<u16>(), 0..90),
    ) {
        let size = BoardSize::new(width, if square { width } else { height }).unwrap();
        // White passing last is the one rule that knows colours.
        let rules = Rules { end: GameEnd::TwoPasses, ..rules.parse().unwrap() };
        let komi = |sign: f64| Komi::from_points(sign * f64::from(half_points) / 2.0).unwrap();
        let start = Position::new(size, rules, komi(1.0));
        let swapped = Position::from_board(Board::new(size), Color::White, rules, komi(-1.0));
        let mut games = vec![(start.clone(), Symmetry::IDENTITY), (swapped, Symmetry::IDENTITY)];
        games.extend(Symmetry::for_size(size).iter().map(|&symmetry| (start.clone(), symmetry)));
        play_games(&mut games, &choices);

        let position = &games[0].0;
        check_slowly(position);
        let as_it_is = |position| encoded(position, Symmetry::IDENTITY);
        prop_assert_eq!(as_it_is(position), as_it_is(&games[1].0));
        for (image, symmetry) in &games[2..] {
            prop_assert_eq!(encoded(position, *symmetry), as_it_is(image));
        }

        let mut other_side = position.clone();
        other_side.set_to_move(position.to_move().opponent());
        let (_, here) = as_it_is(position);
        let (_, there) = as_it_is(&other_side);
        prop_assert!(here.iter().zip(&there).take(2).all(|(a, b)| (a + b).abs() < 1e-6));
        prop_assert!(here.iter().zip(&there).skip(2).all(|(a, b)| (a - b).abs() < 1e-6));
    }
}
