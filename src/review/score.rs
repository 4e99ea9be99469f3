//! What is dead, who owns what, and who wins a position.

use crate::eval::{EvalError, Ownership};
use crate::game::{Color, DeadStones, Game, Komi, Point, PointSet, Position, Score, owners};
use crate::judge::{Judge, Judgement};

use super::{Analyst, Effort};

/// Mean ownership from which a point of an unfinished game is counted for a player.
const OWNED: f32 = 0.5;

/// How sure a judgement of stones must be to count while the game goes on: a ko may be left.
const SURE: f64 = 0.9;

/// Win rates of Black between which a game that may end in a draw is one, if no more than a point is expected.
const DRAWN: std::ops::RangeInclusive<f64> = 0.35..=0.65;

/// How often such draws are right, and the most that is believed of anything; docs/results/judgements.md has the
/// measurement.
const DRAWS_RIGHT: f64 = 0.7;
const MOST_BELIEVED: f64 = 0.99;

/// What a position is worth.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// What it rests on.
    pub basis: Basis,
    /// Who wins; none for a draw.
    pub winner: Option<Color>,
    /// The score by the rules, none in `NoGo`.
    pub score: Option<Score>,
    /// Probability that the winner is right.
    pub confidence: f64,
    /// Probability that Black wins by a search, if there was one.
    pub win_rate: Option<f64>,
    /// Stones that will be captured.
    pub dead: PointSet,
    /// By [`Color::index`], the points without living stones that a player owns.
    pub territory: [PointSet; 2],
    /// Empty points of an unfinished game that nobody owns yet. Where nothing is left to play such points are
    /// neutral and not here.
    pub open: PointSet,
    /// The share of each point.
    pub ownership: Ownership,
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The game is over, and the rules say how.
    Rules,
    /// Nothing is left to play, or two passes have ended the game: its stones are judged.
    Judged,
    /// The game goes on: a search says who wins.
    Search,
}

impl Basis {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Judged => "judged",
            Self::Search => "search",
        }
    }
}

impl Estimate {
    /// Looks at a position, by a search where something is left to play.
    pub fn of(
        position: &Position,
        analyst: &Analyst<'_>,
        effort: Effort,
    ) -> Result<Self, EvalError> {
        let rules = position.rules();
        let judgement = Judge::new().judge(position);
        if rules.game == Game::NoGo {
            return if position.is_over() {
                let winner = position.winner(&PointSet::new());
                Ok(Self::without_points(position, winner, 1.0, Basis::Rules))
            } else {
                Self::of_nogo(position, analyst, effort)
            };
        }
        let counted = rules.dead_stones == DeadStones::Counted;
        if position.is_over() && counted {
            return Ok(Self::of_judgement(position, judgement, Basis::Rules));
        }
        let settled = judgement.is_settled(position);
        let judged = Self::of_judgement(position, judgement, Basis::Judged);
        if position.is_over() || settled && judged.confidence >= SURE {
            return Ok(judged);
        }
        Self::searched(position, &judged.ownership, analyst, effort)
    }

    fn of_nogo(
        position: &Position,
        analyst: &Analyst<'_>,
        effort: Effort,
    ) -> Result<Self, EvalError> {
        let report = analyst.search(position, effort)?;
        let black = black_rate(position, report.value.win_rate());
        let winner = if black >= 0.5 { Color::Black } else { Color::White };
        let confidence =
            if report.proven.is_some() { 1.0 } else { believed(black.max(1.0 - black)) };
        let estimate = Self::without_points(position, Some(winner), confidence, Basis::Search);
        Ok(Self { win_rate: Some(black), ..estimate })
    }

    /// A game in which points do not count.
    fn without_points(
        position: &Position,
        winner: Option<Color>,
        confidence: f64,
        basis: Basis,
    ) -> Self {
        Self {
            basis,
            winner,
            score: None,
            confidence,
            win_rate: None,
            dead: PointSet::new(),
            territory: [PointSet::new(); 2],
            open: PointSet::new(),
            ownership: Ownership::new(position.size()),
        }
    }

    /// The stones as they are judged: dead ones are off, and regions belong to who surrounds them.
    fn of_judgement(position: &Position, judgement: Judgement, basis: Basis) -> Self {
        let score = judgement.score(position);
        let counted = position.rules().dead_stones == DeadStones::Counted;
        let dead = if counted { PointSet::new() } else { judgement.dead };
        let owners = owners(position.board(), &dead);
        let confidence = match basis {
            Basis::Rules => 1.0,
            _ => confidence(position, &judgement.ownership, score).min(MOST_BELIEVED),
        };
        let territory = Color::BOTH.map(|color| {
            let free = |point: &Point| position.board().stone(*point) != Some(color);
            owners.points(color).iter().filter(free).collect()
        });
        Self {
            basis,
            winner: score.winner(),
            score: Some(score),
            confidence,
            win_rate: None,
            dead,
            territory,
            open: PointSet::new(),
            ownership: judgement.ownership,
        }
    }

    /// What a search thinks: the winner by its value, owners and score by the evaluations in its tree.
    fn searched(
        position: &Position,
        judged: &Ownership,
        analyst: &Analyst<'_>,
        effort: Effort,
    ) -> Result<Self, EvalError> {
        let report = analyst.search(position, effort)?;
        let known = report.ownership.samples() > 0;
        let ownership = if known { report.ownership } else { judged.clone() };
        let black = black_rate(position, report.value.win_rate());
        let ahead = if black >= 0.5 { Color::Black } else { Color::White };
        let points = report.score.map(|points| match position.to_move() {
            Color::Black => f64::from(points),
            Color::White => -f64::from(points),
        });
        let points = points.unwrap_or_else(|| expected(position, &ownership));
        let whole = whole_score(points, position.komi()).halves();
        // With half a point of komi there are no draws.
        let is_drawn = DRAWN.contains(&black) && whole.abs() <= 2 && whole % 2 == 0;
        let (winner, confidence) = if is_drawn {
            (None, DRAWS_RIGHT)
        } else {
            (Some(ahead), believed(black.max(1.0 - black)))
        };
        let score =
            winner.map_or(Score::default(), |winner| nearest(points, winner, position.komi()));
        let board = position.board();
        let dead = Judgement::of(position, &ownership).dead;
        let lives = |point, color| board.stone(point) == Some(color) && !dead.contains(point);
        let territory = Color::BOTH.map(|color| {
            let own = |point: &Point| {
                ownership.of(color, *point) >= OWNED
                    && !lives(*point, Color::Black)
                    && !lives(*point, Color::White)
            };
            position.size().points().filter(own).collect()
        });
        let [black_land, white_land]: &[PointSet; 2] = &territory;
        let open = position.size().points().filter(|&point| {
            let taken = black_land.contains(point) || white_land.contains(point);
            board.is_empty(point) && !taken
        });
        Ok(Self {
            basis: Basis::Search,
            winner,
            score: Some(score),
            confidence,
            win_rate: Some(black),
            open: open.collect(),
            dead,
            territory,
            ownership,
        })
    }
}

/// The rate of the side to move as Black's.
fn black_rate(position: &Position, rate: f32) -> f64 {
    match position.to_move() {
        Color::Black => f64::from(rate),
        Color::White => 1.0 - f64::from(rate),
    }
}

/// How often a winner is right of whom a search says so: as often as it says.
fn believed(rate: f64) -> f64 {
    rate.clamp(0.5, MOST_BELIEVED)
}

/// Black's points by the mean owners, under area scoring.
fn expected(position: &Position, ownership: &Ownership) -> f64 {
    let points = position.size().points();
    let area: f64 = points.map(|point| f64::from(ownership.of(Color::Black, point))).sum();
    let bonus = position.rules().handicap_points(position.handicap());
    area - f64::from(bonus) - position.komi().points()
}

/// The probability that a score has the right sign: as if every point fell to one of the players by itself with its
/// mean, which makes nearly a normal distribution.
fn confidence(position: &Position, ownership: &Ownership, score: Score) -> f64 {
    let owner = |point| f64::from(ownership.of(Color::Black, point));
    let variance: f64 = position.size().points().map(|point| 1.0 - owner(point).powi(2)).sum();
    let margin = score.points().abs().max(0.5);
    // The logistic function that is nearest to the normal distribution.
    1.0 / (1.0 + (-1.702 * margin / variance.max(1e-6).sqrt()).exp())
}

/// The score that a game with this komi can end with that is nearest to so many points and has this winner.
fn nearest(points: f64, winner: Color, komi: Komi) -> Score {
    let mut halves = whole_score(points, komi).halves();
    let step = if winner == Color::Black { 2 } else { -2 };
    while Score::from_halves(halves).winner() != Some(winner) {
        halves += step;
    }
    Score::from_halves(halves)
}

/// The score that a game with this komi can end with that is nearest to so many points.
fn whole_score(points: f64, komi: Komi) -> Score {
    #[expect(clippy::cast_possible_truncation, reason = "the points of a board")]
    let whole = (points + komi.points()).round() as i32;
    Score::from_halves(2 * whole - komi.halves())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::HashedEvaluator;
    use crate::game::{Diagram, Rules};
    use crate::search::SearchParams;
    use std::sync::Arc;
    use std::time::Duration;

    /// The estimate of a board, after so many passes.
    fn estimate(diagram: &str, rules: Rules, passes: usize) -> Estimate {
        let board = Diagram::parse(diagram).unwrap().board().clone();
        let komi = Komi::from_points(0.5).unwrap();
        let mut position = Position::from_board(board, Color::Black, rules, komi);
        for _ in 0..passes {
            position.pass(position.to_move());
        }
        let analyst = Analyst {
            evaluator: Arc::new(HashedEvaluator),
            params: SearchParams { threads: 1, max_memory: 64, ..SearchParams::default() },
            clock: &|| Duration::ZERO,
        };
        Estimate::of(&position, &analyst, Effort::Visits(50)).unwrap()
    }

    const SPLIT: &str = "
        . X O . .      White's stone at E1 is in White's area, Black's at D3 is dead
        . X O X .
        . X O . .
        . X O . O
        . X O . . ";

    #[test]
    fn a_game_that_is_over_is_counted() {
        let found = estimate(SPLIT, Rules::CHINESE, 2);
        assert_eq!(found.basis, Basis::Judged);
        assert_eq!(found.score.unwrap().to_string(), "W+5.5");
        assert_eq!((found.winner, found.dead.len()), (Some(Color::White), 1));
        assert_eq!(found.territory[0].len(), 5);
        // The dead stone is White's point.
        assert_eq!(found.territory[1].len(), 9);
        assert!(found.confidence > 0.5 && found.open.is_empty());
        // Where every stone counts, nothing is dead.
        let found = estimate(SPLIT, Rules::CGOS, 2);
        assert_eq!((found.basis, found.dead.len()), (Basis::Rules, 0));
        assert!((found.confidence - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_open_board_is_searched() {
        let found = estimate(". . . .\n. X O .\n. . . .\n. . . .", Rules::CHINESE, 0);
        assert_eq!(found.basis, Basis::Search);
        assert_eq!(found.score.unwrap().winner(), found.winner);
        assert!((0.5..=1.0).contains(&found.confidence) && found.win_rate.is_some());
    }

    #[test]
    fn who_cannot_move_in_nogo_has_lost() {
        let found = estimate(". O\nO .", Rules::NOGO, 0);
        assert_eq!((found.basis, found.winner), (Basis::Rules, Some(Color::White)));
        assert!(found.score.is_none() && found.confidence >= 1.0);
        let found = estimate(". . .\n. . .\n. . .", Rules::NOGO, 0);
        assert_eq!(found.basis, Basis::Search);
    }

    #[test]
    fn scores_fit_the_komi_and_the_winner() {
        for (points, winner, komi, expected) in [
            (3.2, Color::Black, 7.0, "B+3"),
            (3.2, Color::Black, 6.5, "B+3.5"),
            (-0.2, Color::Black, 7.0, "B+1"),
            (0.3, Color::White, 6.5, "W+0.5"),
        ] {
            let komi = Komi::from_points(komi).unwrap();
            assert_eq!(nearest(points, winner, komi).to_string(), expected);
        }
    }
}
