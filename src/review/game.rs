//! What became of a game: what each move cost, and how well the players played.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Finding, Grade, Loss};
use crate::game::{Color, GameRecord, Komi, Position, ReplayError, Rules};

/// The version of the format of `review.json`.
const FORMAT: u32 = 1;

/// Shares of the board's points that have been played where the middle game and the endgame begin.
const MIDDLE: f64 = 0.15;
const END: f64 = 0.45;

/// What is reviewed, and by whom.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The file.
    pub file: String,
    /// The record.
    pub record: GameRecord,
    /// The rules: of the record, or else of who asked.
    pub rules: Rules,
    /// The same of komi.
    pub komi: Komi,
    /// What evaluated, in words.
    pub evaluator: String,
    /// What was spent on it, in words.
    pub effort: String,
}

/// A part of a game by how full the board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The first moves.
    Opening,
    /// What follows.
    Middle,
    /// The rest.
    Endgame,
}

impl Phase {
    /// All of them in their order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::Endgame];

    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "Opening",
            Self::Middle => "Middle game",
            Self::Endgame => "Endgame",
        }
    }

    fn of(moves_before: usize, area: usize) -> Self {
        let share = moves_before as f64 / area as f64;
        if share < MIDDLE {
            Self::Opening
        } else if share < END {
            Self::Middle
        } else {
            Self::Endgame
        }
    }
}

/// A move and what it cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    /// Its number, from 1.
    pub number: usize,
    /// Who moved.
    #[serde(serialize_with = "as_word")]
    pub color: Color,
    /// Where, as GTP writes it.
    #[serde(rename = "move")]
    pub mv: String,
    /// The part of the game.
    pub phase: Phase,
    /// What it cost.
    pub loss: Loss,
    /// What it is called.
    pub grade: Grade,
    /// Whether it was the first choice of the analysis.
    pub first_choice: bool,
    /// Whether it was the first choice and everything else that was looked at was much worse.
    pub only_move: bool,
    /// Seconds that it took, if the record has clocks.
    pub seconds: Option<f64>,
}

/// How a player played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Player {
    /// The name in the record.
    pub name: Option<String>,
    /// The rank in the record.
    pub rank: Option<String>,
    /// Moves.
    pub moves: usize,
    /// The mean accuracy from 0 to 1; none without moves.
    pub accuracy: Option<f64>,
    /// The same in each phase, in the order of [`Phase::ALL`].
    pub accuracy_by_phase: [Option<f64>; 3],
    /// Points lost in a move, on average, if points are known.
    pub points_lost: Option<f64>,
    /// Probability to win that was lost in a move, on average.
    pub win_rate_lost: Option<f64>,
    /// Share of moves that were the first choice.
    pub first_choices: Option<f64>,
    /// Numbers of doubtful moves, mistakes and blunders.
    pub grades: [usize; 3],
    /// Seconds that all moves took, if the record has clocks.
    pub seconds: Option<f64>,
}

/// A game with all that was found of it.
#[derive(Clone)]
pub struct Review {
    /// What is reviewed.
    pub subject: Subject,
    /// The positions before the first move and after every move.
    pub positions: Vec<Position>,
    /// What was found of each.
    pub findings: Vec<Finding>,
    /// The moves.
    pub turns: Vec<Turn>,
    /// By [`Color::index`].
    pub players: [Player; 2],
    /// The places of the moves that lost most among all, the worst first; none that is good.
    pub worst: Vec<usize>,
}

/// Moves that are named among the worst.
const WORST: usize = 10;

/// By how much probability to win the second candidate must be worse, and its share of the visits of the first, for
/// the first to be an only move.
const ONLY: f64 = 0.15;
const LOOKED_AT: f64 = 0.02;

/// The positions of a game before the first move and after every move.
pub fn positions(
    record: &GameRecord,
    rules: Rules,
    komi: Komi,
) -> Result<Vec<Position>, ReplayError> {
    // The last one by the record itself, so that its errors are told.
    record.replay(record.moves.len(), rules, komi)?;
    let mut position = record.start(rules, komi)?;
    let mut all = Vec::with_capacity(record.moves.len() + 1);
    for recorded in &record.moves {
        // Where the players do not alternate, the record says whose turn it is.
        position.set_to_move(recorded.color);
        all.push(position.clone());
        position.play_legal(recorded.color, recorded.mv);
    }
    all.push(position);
    Ok(all)
}

impl Review {
    /// Makes a review of a game, its positions, and what was found of each.
    ///
    /// # Panics
    /// If there is not a position more than moves, and a finding for each.
    #[must_use]
    pub fn new(subject: Subject, positions: Vec<Position>, findings: Vec<Finding>) -> Self {
        let record = &subject.record;
        assert_eq!(
            positions.len(),
            record.moves.len() + 1,
            "a position for each move and one more"
        );
        assert_eq!(positions.len(), findings.len(), "a finding for each position");
        let seconds = seconds(record);
        let turns: Vec<_> = (0..record.moves.len())
            .map(|place| {
                let [before, after] = [&findings[place], &findings[place + 1]];
                let recorded = &record.moves[place];
                let mv = record.size.move_text(recorded.mv);
                let loss = Loss::between(before, after, recorded.color);
                let first_choice = before.moves.first().is_some_and(|best| best.mv == mv);
                Turn {
                    number: place + 1,
                    color: recorded.color,
                    phase: Phase::of(place, record.size.area()),
                    loss,
                    grade: loss.grade(),
                    first_choice,
                    only_move: first_choice
                        && loss.grade() == Grade::Good
                        && is_only(before, recorded.color),
                    seconds: seconds[place],
                    mv,
                }
            })
            .collect();
        let players = Color::BOTH.map(|color| Player::of(color, record, &turns));
        let mut worst: Vec<usize> =
            (0..turns.len()).filter(|&place| turns[place].grade > Grade::Good).collect();
        let weight = |place: &usize| turns[*place].loss.weight();
        worst.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        worst.truncate(WORST);
        Self { subject, positions, findings, turns, players, worst }
    }

    /// Everything as one JSON object, the content of `review.json`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let Subject { file, record, rules, komi, evaluator, effort } = &self.subject;
        let worst: Vec<_> = self.worst.iter().map(|place| place + 1).collect();
        json!({
            "format": FORMAT,
            "file": file,
            "width": record.size.width(),
            "height": record.size.height(),
            "game": rules.game.to_string(),
            "rules": rules.name(),
            "komi": komi.points(),
            "handicap": record.handicap,
            "event": record.event,
            "date": record.date,
            "result": record.result.map(|result| result.to_string()),
            "evaluator": evaluator,
            "effort": effort,
            "players": { "black": self.players[0], "white": self.players[1] },
            "worst": worst,
            "moves": self.turns,
            "positions": self.findings,
        })
    }
}

impl Loss {
    /// What a move cost that led from one position to another.
    fn between(before: &Finding, after: &Finding, color: Color) -> Self {
        let sign = if color == Color::Black { 1.0 } else { -1.0 };
        let lost = |before: f64, after: f64| rounded((sign * (before - after)).max(0.0));
        Self {
            win_rate: lost(before.win_rate, after.win_rate),
            points: before.score.zip(after.score).map(|(before, after)| lost(before, after)),
        }
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Whether the best move was much better than the second.
fn is_only(before: &Finding, color: Color) -> bool {
    let [best, second, ..] = before.moves.as_slice() else { return false };
    let looked_at = f64::from(second.visits) >= LOOKED_AT * f64::from(best.visits);
    let gap = best.win_rate - second.win_rate;
    looked_at && if color == Color::Black { gap >= ONLY } else { -gap >= ONLY }
}

/// What each move took, by the clocks of the record: none where they are not known or overtime began anew.
fn seconds(record: &GameRecord) -> Vec<Option<f64>> {
    let mut left = [record.time_limit; 2];
    let taken = |recorded: &crate::game::RecordedMove| {
        let left = &mut left[recorded.color.index()];
        let before = std::mem::replace(left, recorded.seconds_left);
        let taken = before.zip(recorded.seconds_left).map(|(before, after)| before - after);
        taken.filter(|&taken| taken >= 0.0).map(|taken| (taken * 1e3).round() / 1e3)
    };
    record.moves.iter().map(taken).collect()
}

impl Player {
    fn of(color: Color, record: &GameRecord, turns: &[Turn]) -> Self {
        let own: Vec<&Turn> = turns.iter().filter(|turn| turn.color == color).collect();
        let accuracy = |phase: Option<Phase>| {
            let part = own.iter().filter(|turn| phase.is_none_or(|phase| turn.phase == phase));
            mean(part.map(|turn| turn.loss.accuracy()))
        };
        let count = |grade| own.iter().filter(|turn| turn.grade == grade).count();
        let points: Option<Vec<f64>> = own.iter().map(|turn| turn.loss.points).collect();
        let seconds: Vec<f64> = own.iter().filter_map(|turn| turn.seconds).collect();
        Self {
            name: record.players[color.index()].clone(),
            rank: record.ranks[color.index()].clone(),
            moves: own.len(),
            accuracy: accuracy(None),
            accuracy_by_phase: Phase::ALL.map(|phase| accuracy(Some(phase))),
            points_lost: points.and_then(|points| mean(points.into_iter())),
            win_rate_lost: mean(own.iter().map(|turn| turn.loss.win_rate)),
            first_choices: mean(own.iter().map(|turn| f64::from(u8::from(turn.first_choice)))),
            grades: [Grade::Doubtful, Grade::Mistake, Grade::Blunder].map(count),
            seconds: (!seconds.is_empty()).then(|| rounded(seconds.iter().sum())),
        }
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = numbers.fold((0.0, 0u32), |(sum, count), number| (sum + number, count + 1));
    (count > 0).then(|| rounded(sum / f64::from(count)))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_word<S: serde::Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(color)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::sgf::{self, SgfLimits};
    use crate::review::Candidate;

    /// A game on 5x5 whose second move loses two points and a fifth of the game, with clocks.
    pub(in crate::review) const GAME: &str = "(;SZ[5]KM[0.5]TM[60]PB[a <b>]PW[c]RE[B+R];B[cc]BL[58.5];W[aa]WL[50]\
                                               C[why?];B[dd]BL[58])";

    pub(in crate::review) fn review() -> Review {
        let (record, _) = sgf::read(GAME.as_bytes(), &SgfLimits::default()).unwrap();
        let komi = record.komi.unwrap();
        let candidate = |mv: &str, visits, win_rate, score| Candidate {
            mv: mv.to_owned(),
            visits,
            win_rate,
            score: Some(score),
            line: vec![mv.to_owned(), "B2".to_owned()],
        };
        let finding = |win_rate, score, moves| Finding {
            win_rate,
            score: Some(score),
            simulations: 100,
            certain: false,
            moves,
        };
        let findings = vec![
            finding(0.6, 2.0, vec![candidate("C3", 80, 0.6, 2.0), candidate("B2", 20, 0.3, -1.0)]),
            finding(0.6, 2.0, vec![candidate("D4", 70, 0.6, 2.0), candidate("B4", 30, 0.62, 2.5)]),
            finding(0.85, 4.5, vec![candidate("D4", 90, 0.85, 4.5)]),
            finding(0.84, 4.5, Vec::new()),
        ];
        let positions = positions(&record, Rules::CHINESE, komi).unwrap();
        let subject = Subject {
            file: "game.sgf".to_owned(),
            record,
            rules: Rules::CHINESE,
            komi,
            evaluator: "nobody".to_owned(),
            effort: "100 visits".to_owned(),
        };
        Review::new(subject, positions, findings)
    }

    #[test]
    fn losses_grades_and_times_by_hand() {
        let review = review();
        let grades: Vec<_> = review.turns.iter().map(|turn| turn.grade).collect();
        assert_eq!(grades, [Grade::Good, Grade::Blunder, Grade::Good]);
        assert_eq!(review.turns[1].loss, Loss { win_rate: 0.25, points: Some(2.5) });
        assert_eq!(review.turns[2].loss, Loss { win_rate: 0.01, points: Some(0.0) });
        assert!(review.turns[0].only_move && !review.turns[2].only_move);
        let seconds: Vec<_> = review.turns.iter().map(|turn| turn.seconds).collect();
        assert_eq!(seconds, [Some(1.5), Some(10.0), Some(0.5)]);
        assert_eq!(review.worst, [1]);
        let [black, white] = &review.players;
        assert_eq!((black.moves, black.accuracy, black.first_choices), (2, Some(1.0), Some(0.5)));
        assert_eq!((white.grades, white.seconds), ([0, 0, 1], Some(10.0)));
        assert_eq!(white.accuracy, Some(rounded(0.5f64.powf(1.25))));
        assert_eq!(white.accuracy_by_phase, [white.accuracy, None, None]);
        let json = review.to_json();
        assert_eq!((&json["worst"], &json["moves"][1]["grade"]), (&json!([2]), &json!("blunder")));
        assert_eq!(json["positions"][0]["moves"][0]["move"], "C3");
    }

    #[test]
    fn phases_follow_the_board() {
        let phases = [0, 11, 13, 36, 37].map(|moves| Phase::of(moves, 81));
        assert_eq!(phases[..2], [Phase::Opening; 2]);
        assert_eq!(phases[2..], [Phase::Middle, Phase::Middle, Phase::Endgame]);
    }
}
