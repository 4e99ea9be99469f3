use super::*;
use crate::game::diagram::Diagram;

/// Everything that a board keeps up to date, counted anew from its stones.
pub(in crate::game) fn check_recount(board: &Board) {
    let size = board.size();
    let empty: PointSet = size.points().filter(|&p| board.stone(p).is_none()).collect();
    assert_eq!(board.empty_points().iter().copied().collect::<PointSet>(), empty);
    assert_eq!(board.empty_points().len(), empty.len());
    let mut hash = 0;
    let mut stones = [0; 2];
    for point in size.points() {
        assert_eq!(board.around(point), slow_around(board, point));
        assert_eq!(board.is_empty(point), empty.contains(point));
        if let Some(color) = board.stone(point) {
            hash ^= zobrist::stone(color, point);
            stones[color.index()] += 1;
            check_chain(board, point);
        }
    }
    assert_eq!(board.hash(), hash);
    assert_eq!(Color::BOTH.map(|color| board.stones(color)), stones);
    for color in Color::BOTH {
        for &point in board.empty_points() {
            check_move(board, color, point);
        }
    }
}

fn check_chain(board: &Board, point: Point) {
    let (chain, liberties) = slow_chain(board, &|p| board.stone(p), point);
    assert!(!liberties.is_empty(), "a chain without a liberty has stayed");
    assert_eq!(board.chain_stones(point).collect::<PointSet>(), chain);
    assert_eq!(board.chain_stones(point).count(), chain.len());
    assert_eq!(board.chain_size(point), chain.len());
    assert!(chain.contains(board.chain_head(point)));
    assert!(chain.iter().all(|p| board.chain_head(p) == board.chain_head(point)));
    assert_eq!(board.liberties(point), liberties);
    assert_eq!(board.in_atari(point), liberties.len() == 1);
    let only = liberties.iter().next().filter(|_| liberties.len() == 1);
    assert_eq!(board.last_liberty(point), only);
    for most in 1..=Few::MOST {
        let few = board.few_liberties(point, most);
        assert_eq!(few.len(), liberties.len().min(most));
        assert!(few.as_slice().iter().all(|&p| liberties.contains(p)));
    }
    let few = board.few_liberties(point, 3);
    let two = Some(few.as_slice()).filter(|few| few.len() == 2);
    assert_eq!(board.two_liberties(point).as_ref().map(|two| &two[..]), two);
}

/// What a move would do, against putting the stone down and looking.
fn check_move(board: &Board, color: Color, point: Point) {
    let after = |p| if p == point { Some(color) } else { board.stone(p) };
    let breathless = |p| slow_chain(board, &after, p).1.is_empty();
    let enemies = board.size().neighbors(point).filter(|&p| after(p) == Some(color.opponent()));
    let captured: PointSet = enemies
        .filter(|&p| breathless(p))
        .flat_map(|p| slow_chain(board, &after, p).0.iter().collect::<Vec<_>>())
        .collect();
    let suicide = captured.is_empty() && breathless(point);
    assert_eq!(board.captures(color, point), !captured.is_empty());
    assert_eq!(board.is_suicide(color, point), suicide);
    let mut played = board.clone();
    let placement = played.place(color, point);
    assert_eq!(played.hash(), board.hash_after(color, point));
    assert_eq!(usize::from(placement.captured), captured.len());
    let liberties = if suicide { 0 } else { played.liberties(point).len() };
    for most in 1..=Few::MOST {
        assert_eq!(board.liberties_after(color, point, most), liberties.min(most));
    }
    let lost = if suicide { slow_chain(board, &after, point).0 } else { PointSet::new() };
    assert_eq!(usize::from(placement.suicides), lost.len());
    for p in board.size().points() {
        let gone = captured.contains(p) || lost.contains(p);
        assert_eq!(played.stone(p), after(p).filter(|_| !gone));
    }
    for side in Color::BOTH {
        let before = board.captured(side) as usize;
        let taken = if side == color { lost.len() } else { captured.len() };
        assert_eq!(played.captured(side) as usize, before + taken);
    }
}

/// The stones and liberties of the chain on a point of an imagined board.
fn slow_chain(
    board: &Board,
    stone: &dyn Fn(Point) -> Option<Color>,
    start: Point,
) -> (PointSet, PointSet) {
    let (mut chain, mut liberties) = (PointSet::new(), PointSet::new());
    let mut open = vec![start];
    while let Some(point) = open.pop() {
        if chain.insert(point) {
            for neighbor in board.size().neighbors(point) {
                if stone(neighbor).is_none() {
                    liberties.insert(neighbor);
                } else if stone(neighbor) == stone(start) {
                    open.push(neighbor);
                }
            }
        }
    }
    (chain, liberties)
}

fn slow_around(board: &Board, point: Point) -> Around {
    let (x, y) = board.size().coordinates(point);
    let order = [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
    let fields = order.into_iter().zip(0..).map(|((dx, dy), k)| {
        let neighbor = x.checked_add_signed(dx).zip(y.checked_add_signed(dy));
        let code = match neighbor.and_then(|(x, y)| board.size().point(x, y)) {
            None => 3,
            Some(p) => board.stone(p).map_or(0, |color| if color == Color::Black { 1 } else { 2 }),
        };
        code << (2 * k)
    });
    Around(fields.sum())
}

/// Plays at the star.
fn check_place(color: Color, text: &str, expected: Placement, after: &str) {
    let diagram = Diagram::parse(text).unwrap();
    let mut board = diagram.board().clone();
    check_recount(&board);
    let placement = board.place(color, diagram.mark('*').unwrap());
    assert_eq!(placement, expected, "{text}");
    assert_eq!(board.hash(), Diagram::parse(after).unwrap().board().hash(), "{text}");
    check_recount(&board);
}

#[test]
fn several_chains_are_captured_at_once() {
    check_place(
        Color::Black,
        "
        . X O X .
        X O * O X
        . X O X . ",
        Placement { captured: 4, suicides: 0, ko: None },
        "
        . X . X .
        X . X . X
        . X . X . ",
    );
}

#[test]
fn a_lone_stone_that_takes_one_makes_a_ko() {
    let ko = BoardSize::new(4, 3).unwrap().parse_point("B2").ok();
    check_place(
        Color::White,
        "
        . O X .
        O X * X
        . O X . ",
        Placement { captured: 1, suicides: 0, ko },
        "
        . O X .
        O . O X
        . O X . ",
    );
}

#[test]
fn taking_one_stone_with_a_chain_or_with_room_is_no_ko() {
    check_place(
        Color::White,
        "
        . O X .
        O X * .
        . O X .
        . . . . ",
        Placement { captured: 1, suicides: 0, ko: None },
        "
        . O X .
        O . O .
        . O X .
        . . . . ",
    );
    check_place(
        Color::White,
        "
        . O X .
        O X * O
        . O X . ",
        Placement { captured: 1, suicides: 0, ko: None },
        "
        . O X .
        O . O O
        . O X . ",
    );
}

#[test]
fn taking_one_stone_with_two_is_no_ko_even_with_one_liberty() {
    check_place(
        Color::White,
        "
        . O X * O X      Black may take both stones back at once
        . . O X X X
        . . . . . . ",
        Placement { captured: 1, suicides: 0, ko: None },
        "
        . O . O O X
        . . O X X X
        . . . . . . ",
    );
}

#[test]
fn an_empty_point_has_no_chain() {
    let diagram = Diagram::parse("* X O\nX . O\n. . *").unwrap();
    let mut board = diagram.board().clone();
    for _ in 0..2 {
        for &point in board.empty_points() {
            assert_eq!(board.last_liberty(point), None);
            assert!(board.liberties(point).is_empty());
            assert_eq!(board.chain_stones(point).count(), 0);
        }
        // The second time, some of the points have held stones.
        let corner = diagram.mark('*').unwrap();
        if board.is_empty(corner) {
            board.place(Color::White, corner);
        }
    }
}

#[test]
fn suicide_takes_the_whole_chain() {
    check_place(
        Color::Black,
        "
        * X O
        X X O
        O O . ",
        Placement { captured: 0, suicides: 4, ko: None },
        "
        . . O
        . . O
        O O . ",
    );
}

#[test]
fn a_copy_into_a_board_of_another_size_is_the_same_board() {
    let source = Diagram::parse(". X . O\n. X . O").unwrap();
    for (w, h) in [(2, 2), (3, 2), (19, 19)] {
        let mut target = Board::new(BoardSize::new(w, h).unwrap());
        target.place(Color::White, target.empty_points()[0]);
        target.clone_from(source.board());
        check_recount(&target);
        assert_eq!(target.hash(), source.board().hash());
        assert_eq!(target.empty_points(), source.board().empty_points());
    }
}

#[test]
fn the_quick_count_is_exact_when_empty_regions_are_single_points() {
    let diagram = Diagram::parse(
        "
        . X O .
        X X O O
        . X . O
        X X O O ",
    )
    .unwrap();
    let board = diagram.board();
    let owners = crate::game::owners(board, &PointSet::new());
    assert!(board.size().points().all(|p| board.quick_owner(p) == owners.owner(p)));
    assert_eq!(board.quick_area(), 8 - 7);
}
