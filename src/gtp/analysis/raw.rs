//! What the evaluator says of a position before any search, as KataGo writes it.

use std::fmt::Write;

use crate::eval::Opinion;
use crate::game::{Color, Move, Point, Position, Symmetry};

/// The symmetry that KataGo has under a number below 8: bits for top and bottom exchanged, for left
/// and right, and for the main diagonal after that.
pub(crate) fn numbered(number: u8) -> Symmetry {
    let flips = usize::from(number & 1) << 1 | usize::from(number & 2) >> 1;
    let diagonal = if number & 4 == 0 { Symmetry::IDENTITY } else { Symmetry::ALL[4] };
    Symmetry::ALL[flips].compose(diagonal)
}

/// What was said of `position`, seen by White, under the number of a symmetry.
pub(crate) fn raw_block(symmetry: u8, position: &Position, opinion: &Opinion) -> String {
    let Opinion { evaluation, no_result, score } = opinion;
    let sign = match position.to_move() {
        Color::Black => -1.0,
        Color::White => 1.0,
    };
    let white = match position.to_move() {
        Color::Black => evaluation.value.flipped(),
        Color::White => evaluation.value,
    };
    let mut text = format!(
        "symmetry {symmetry}\nwhiteWin {:.6}\nwhiteLoss {:.6}\nnoResult {no_result:.6}\n",
        white.win_rate() - no_result / 2.0,
        white.flipped().win_rate() - no_result / 2.0,
    );
    if let Some(lead) = evaluation.score {
        let _ = writeln!(text, "whiteLead {:.3}", sign * lead);
    }
    if let Some((mean, deviation)) = score {
        let square = mean * mean + deviation * deviation;
        let mean = sign * mean;
        let _ = writeln!(text, "whiteScoreSelfplay {mean:.3}\nwhiteScoreSelfplaySq {square:.3}");
    }
    let policy = evaluation.probabilities(position);
    text.push_str("policy\n");
    text.push_str(&grid(position, |point| {
        let weight = policy.iter().find(|(mv, _)| *mv == Move::Place(point));
        weight.map_or("     NAN".to_owned(), |(_, weight)| format!("{weight:8.6}"))
    }));
    let pass = policy.iter().find(|(mv, _)| *mv == Move::Pass).map_or(0.0, |(_, weight)| *weight);
    let _ = writeln!(text, "policyPass {pass:.6}");
    if let Some(ownership) = &evaluation.ownership {
        text.push_str("whiteOwnership\n");
        text.push_str(&grid(position, |p| format!("{:9.6}", ownership.of(Color::White, p))));
    }
    text
}

/// Rows of the board from the top.
fn grid(position: &Position, cell: impl Fn(Point) -> String) -> String {
    let cells: Vec<_> = position.size().points().map(cell).collect();
    cells.chunks(position.size().width()).map(|row| row.join(" ") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluation, Ownership, Policy, Value};
    use crate::game::{BoardSize, Komi, Rules};

    #[test]
    fn everything_is_seen_by_white_and_illegal_moves_have_no_number() {
        let size = BoardSize::square(2).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::default());
        position.play(Color::White, size.parse_move("A2").unwrap()).unwrap();
        let evaluation = Evaluation {
            value: Value::new(0.5),
            policy: Policy::Weights { points: vec![9.0, 1.0, 2.0, 4.0], pass: 1.0 },
            score: Some(2.0),
            ownership: Some(Ownership::of_black(size, vec![-1.0, 0.0, 0.5, 1.0])),
            first_moves: None,
        };
        assert_eq!(
            raw_block(3, &position, &evaluation.clone().into()),
            "symmetry 3\nwhiteWin 0.250000\nwhiteLoss 0.750000\nnoResult 0.000000\n\
             whiteLead -2.000\npolicy\n     NAN 0.125000\n0.250000 0.500000\n\
             policyPass 0.125000\nwhiteOwnership\n 1.000000 -0.000000\n-0.500000 -1.000000\n"
        );
        // Of ten games one has no result, and Black wins seven of the others.
        let value = Value::new(0.5);
        let evaluation = Evaluation { value, ..evaluation };
        let opinion = Opinion { evaluation, no_result: 0.1, score: Some((2.0, 3.0)) };
        let text = raw_block(0, &position, &opinion);
        let expected = "whiteWin 0.200000\nwhiteLoss 0.700000\nnoResult 0.100000\nwhiteLead -2.000\n\
                        whiteScoreSelfplay -2.000\nwhiteScoreSelfplaySq 13.000\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn symmetries_have_the_numbers_that_they_have_in_katago() {
        // KataGo takes the point in column 1 and row 0 of a board of 4x4 to these.
        let expected = [(1, 0), (1, 3), (2, 0), (2, 3), (0, 1), (3, 1), (0, 2), (3, 2)];
        let size = BoardSize::square(4).unwrap();
        for (number, place) in (0..8).zip(expected) {
            let point = size.point(1, 0).unwrap();
            assert_eq!(size.coordinates(numbered(number).apply(size, point)), place, "{number}");
        }
    }
}
