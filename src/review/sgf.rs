//! A review as additions to the record.

use std::fmt::Write as _;

use super::{Candidate, Finding, Grade, Review, Turn};
use crate::game::sgf::{Annotation, point_text};
use crate::game::{BoardSize, Color, Game, Move};

/// Moves of a variation, and variations of a position.
const LINE: usize = 10;
const VARIATIONS: usize = 2;

/// Visits that a candidate needs as a share of the best one's to be shown as a variation.
const LOOKED_AT: f64 = 0.1;

/// Probability to win from which a position is called good, and very good, for a player.
const GOOD: f64 = 0.8;
const VERY_GOOD: f64 = 0.95;

/// What is added to the nodes of a record's main line, of which some have several moves or none: `moves` says how many
/// moves have been made after each node.
#[must_use]
pub fn annotations(review: &Review, moves: &[usize]) -> Vec<Annotation> {
    let mut before = 0;
    moves
        .iter()
        .enumerate()
        .map(|(node, &after)| {
            let first = node == 0;
            // A node without a move has nothing new to say, unless it is the first one.
            let annotation = match after {
                _ if after == before && !first => Annotation::default(),
                0 => Annotation {
                    comment: format!("{}\n{}", of_game(review), of_position(&review.findings[0])),
                    properties: of_value(&review.findings[0]),
                    variations: Vec::new(),
                },
                _ => of_move(review, after - 1, after - before == 1),
            };
            before = after;
            annotation
        })
        .collect()
}

/// What is said of a move; variations only where it stands in a node of its own.
fn of_move(review: &Review, place: usize, alone: bool) -> Annotation {
    let (turn, after) = (&review.turns[place], &review.findings[place + 1]);
    let before = &review.findings[place];
    let size = review.subject.record.size;
    let mut comment = of_position(after);
    let mut properties = of_value(after);
    let mut variations = Vec::new();
    if turn.grade > Grade::Good {
        comment = format!("{}\n{comment}", of_loss(turn, before));
        properties.push(match turn.grade {
            Grade::Blunder => ("BM", "2".to_owned()),
            Grade::Mistake => ("BM", "1".to_owned()),
            _ => ("DO", String::new()),
        });
        if alone {
            let most = before.moves.first().map_or(0, |best| best.visits);
            let better = before.moves.iter().filter(|candidate| {
                candidate.mv != turn.mv
                    && f64::from(candidate.visits) >= LOOKED_AT * f64::from(most)
            });
            let text = |candidate: &Candidate| variation(candidate, turn.color, size);
            variations = better.take(VARIATIONS).map(text).collect();
        }
    } else if turn.only_move {
        properties.push(("TE", "1".to_owned()));
    }
    Annotation { comment, properties, variations }
}

/// The score as a number, Sabaki's win rate, and for whom the position is good.
fn of_value(finding: &Finding) -> Vec<(&'static str, String)> {
    let mut properties = Vec::new();
    if let Some(score) = finding.score {
        properties.push(("V", format!("{score:.1}")));
    }
    properties.push(("SBKV", format!("{:.2}", 100.0 * finding.win_rate)));
    let sides = [("GB", finding.win_rate), ("GW", 1.0 - finding.win_rate)];
    if let Some((name, rate)) = sides.into_iter().find(|(_, rate)| *rate >= GOOD) {
        properties.push((name, if rate >= VERY_GOOD { "2" } else { "1" }.to_owned()));
    }
    properties
}

fn of_game(review: &Review) -> String {
    let subject = &review.subject;
    let mut lines =
        vec![format!("Reviewed by Tedomari with {}, {}.", subject.evaluator, subject.effort)];
    for (color, player) in Color::BOTH.into_iter().zip(&review.players) {
        let Some(accuracy) = player.accuracy else { continue };
        let [doubtful, mistakes, blunders] = player.grades;
        lines.push(format!(
            "{}: accuracy {:.0} %, {blunders} blunders, {mistakes} mistakes, {doubtful} doubtful moves.",
            name(color),
            100.0 * accuracy,
        ));
    }
    lines.join("\n")
}

fn of_position(finding: &Finding) -> String {
    let mut text = format!("Black wins {:.1} %", 100.0 * finding.win_rate);
    if let Some(score) = finding.score {
        let _ = write!(text, ", score {}", score_text(score));
    }
    text + "."
}

fn of_loss(turn: &Turn, before: &Finding) -> String {
    let word = match turn.grade {
        Grade::Blunder => "Blunder",
        Grade::Mistake => "Mistake",
        _ => "Doubtful",
    };
    let mut text = format!("{word}: loses {:.1} % of the win rate", 100.0 * turn.loss.win_rate);
    if let Some(points) = turn.loss.points {
        let _ = write!(text, " and {points:.1} points");
    }
    match before.moves.iter().find(|candidate| candidate.mv != turn.mv) {
        Some(better) => text + &format!(". {} was better.", better.line.join(" ")),
        None => text + ".",
    }
}

/// `B+3.5`, for as many points as are expected.
pub(super) fn score_text(score: f64) -> String {
    format!("{}+{:.1}", if score < 0.0 { 'W' } else { 'B' }, score.abs())
}

pub(super) const fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

/// A line of play as nodes, the first of them with what is thought of it.
fn variation(candidate: &Candidate, color: Color, size: BoardSize) -> String {
    let mut color = color;
    let mut text = String::new();
    for (place, mv) in candidate.line.iter().take(LINE).enumerate() {
        let Ok(mv) = size.parse_move(mv) else { break };
        let point = match mv {
            Move::Place(point) => point_text(size, point),
            Move::Pass => String::new(),
        };
        let _ = write!(text, ";{}[{point}]", color.letter());
        if place == 0 {
            let _ = write!(text, "C[Black wins {:.1} %", 100.0 * candidate.win_rate);
            if let Some(score) = candidate.score {
                let _ = write!(text, ", score {}", score_text(score));
            }
            let _ = write!(text, ", {} visits.]", candidate.visits);
        }
        color = color.opponent();
    }
    text
}

/// Whether scores mean something in a game.
pub(super) fn has_scores(review: &Review) -> bool {
    review.subject.rules.game == Game::Go
        && review.findings.iter().any(|finding| finding.score.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::sgf::{SgfLimits, annotate, read};
    use crate::review::game::tests::{GAME, review};

    #[test]
    fn the_record_says_what_was_lost_and_what_was_better() {
        let notes = annotations(&review(), &[0, 1, 2, 3]);
        let text = annotate(GAME.as_bytes(), &SgfLimits::default(), &notes).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("(;SZ[5]KM[0.5]TM[60]PB[a <b>]PW[c]RE[B+R]V[2.0]SBKV[60.00]C["));
        assert!(text.contains(";B[cc]BL[58.5]V[2.0]SBKV[60.00]TE[1]C[Black wins 60.0 %"), "{text}");
        assert!(
            text.contains("(;W[aa]WL[50]C[why?\n\nBlunder: loses 25.0 % of the win rate and 2.5")
        );
        assert!(text.contains("]V[4.5]SBKV[85.00]GB[1]BM[2];B[dd]"), "{text}");
        assert!(
            text.contains(")(;W[db]C[Black wins 60.0 %, score B+2.0, 70 visits.];B[bd])(;W[bb]")
        );
        let (record, warnings) = read(text.as_bytes(), &SgfLimits::default()).unwrap();
        assert_eq!(record.moves.len(), 3);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }
}
