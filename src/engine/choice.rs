//! From a search report to a move: when to pass, when to resign, and how to clean up.

use std::cell::OnceCell;
use std::time::Duration;

use super::params::PlayParams;
use super::stopwatch::Stopwatch;
use crate::eval::Ownership;
use crate::game::{
    BoardSize, Color, DeadStones, Game, Move, Point, PointSet, Position, Rules, Scoring,
};
use crate::judge::{Judge, Judgement};
use crate::search::SearchReport;

/// What the engine answers when asked for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A move on the board.
    Play(Move),
    /// The game is given up.
    Resign,
}

impl Decision {
    /// The decision as GTP writes it: a vertex, `pass` or `resign`.
    #[must_use]
    pub fn text(self, size: BoardSize) -> String {
        match self {
            Decision::Play(mv) => size.move_text(mv),
            Decision::Resign => "resign".to_owned(),
        }
    }
}

/// Why a move is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To win the game.
    Win,
    /// To capture what is dead before counting: no pass while dead stones of the opponent are left.
    CleanUp,
}

/// Ownership from which a point is as good as decided.
const DECIDED: f32 = 0.8;

/// Mean ownership of a chain from which its life or death is no question.
const SETTLED: f32 = 0.6;

/// Moves for each point of the board from which a game is a long one.
const LONG: f64 = 1.5;

/// Share of empty points from which a game may be about to end.
const LATE: f64 = 0.6;

/// Ownership by the search from which a stone may be one that only fills.
const FILLED: f32 = 0.5;

/// Moves of a search that are looked at when nothing is left but to fill.
const FILLERS: u32 = 3;

/// A position in which the game may be about to end, and what the judge says of it. The judgement costs as
/// much as many simulations, and is made when somebody asks.
pub(super) struct End<'a> {
    position: &'a Position,
    judge: &'a Judge,
    judgement: OnceCell<Judgement>,
    time: Option<Time<'a>>,
}

/// When the move must be there, and how long a judgement took.
struct Time<'a> {
    watch: &'a Stopwatch,
    deadline: Duration,
    took: Duration,
}

impl<'a> End<'a> {
    pub(super) fn new(position: &'a Position, judge: &'a Judge) -> Self {
        Self { position, judge, judgement: OnceCell::new(), time: None }
    }

    /// Makes the judgement now if it is likely to be wanted after the search, where it would come after the
    /// deadline. Returns when the search must end so that there is time for the choice.
    pub(super) fn prepare(
        &mut self,
        purpose: Purpose,
        watch: &'a Stopwatch,
        deadline: Duration,
    ) -> Duration {
        let Rules { game, dead_stones, .. } = *self.position.rules();
        let near_end = is_late(self.position) || self.position.passes() > 0;
        let wanted = purpose == Purpose::CleanUp
            || near_end && dead_stones == DeadStones::Removed && game == Game::Go;
        if !wanted {
            return deadline;
        }
        let before = watch.elapsed();
        let settled = self.judgement().is_settled(self.position);
        let took = watch.elapsed().saturating_sub(before);
        self.time = Some(Time { watch, deadline, took });
        if settled { deadline.saturating_sub(took * FILLERS) } else { deadline }
    }

    /// Whether another judgement can be made before the deadline.
    fn has_time(&self) -> bool {
        let left = |time: &Time<'_>| time.deadline.saturating_sub(time.watch.elapsed());
        self.time.as_ref().is_none_or(|time| left(time) >= time.took)
    }

    fn judgement(&self) -> &Judgement {
        self.judgement.get_or_init(|| self.judge.judge(self.position))
    }

    /// Points for the side to move if the game ended now.
    fn points(&self) -> f64 {
        self.judgement().score(self.position).points_for(self.position.to_move())
    }

    /// Points that a stone gains for the side to move, by the judge.
    fn gain(&self, stone: Move) -> f64 {
        let color = self.position.to_move();
        let mut after = self.position.clone();
        after.play_legal(color, stone);
        self.judge.judge(&after).score(&after).points_for(color) - self.points()
    }
}

/// Chooses a move for the side to move; none when there is no legal move.
pub(super) fn choose(end: &End<'_>, report: &SearchReport, purpose: Purpose) -> Option<Move> {
    let position = end.position;
    let best = report.best()?.mv;
    if position.rules().game == Game::NoGo {
        return Some(best);
    }
    let stone = report.moves.iter().map(|candidate| candidate.mv).find(|mv| *mv != Move::Pass);
    let Some(stone) = stone else { return Some(Move::Pass) };
    if purpose == Purpose::CleanUp {
        return Some(clean_up(position, end.judgement()).map_or(Move::Pass, Move::Place));
    }
    if !report.moves.iter().any(|candidate| candidate.mv == Move::Pass) {
        return Some(stone);
    }
    if passes(end, report, stone) {
        return Some(Move::Pass);
    }
    Some(if is_filler(position, stone, report) { fill(end, report, stone) } else { stone })
}

/// Whether to pass rather than to play the best stone.
fn passes(end: &End<'_>, report: &SearchReport, stone: Move) -> bool {
    let position = end.position;
    let prefers_pass = report.best().is_some_and(|best| best.mv == Move::Pass);
    // Where a network and the judge differ, the game goes on.
    let agreed = || {
        report.playout_length.is_some()
            || Judgement::of(position, &report.ownership).is_won(position)
    };
    let wins = || match position.rules().dead_stones {
        DeadStones::Removed => agreed() && end.judgement().is_won(position),
        // Every stone counts as it stands: there is nothing to judge.
        DeadStones::Counted => {
            position.score(&PointSet::new()).winner() == Some(position.to_move())
        }
    };
    // The game ends with this pass, and it is won. Who knows more than random games looks closer: no
    // stone may be in doubt.
    let may_end = position.passes() > 0;
    if may_end
        && (!tells_moves_apart(report) || no_stone_in_doubt(position, &report.ownership))
        && wins()
    {
        return true;
    }
    // Whatever else is left would only destroy what one has.
    if prefers_pass && fills_own_eye(position, stone) {
        return true;
    }
    // Nothing is left to decide, and stones inside territory cost points or nothing. Who tells moves
    // apart knows when to pass: it plays in its territory where it has to defend it.
    if is_decided(position, stone, &report.ownership) && !tells_moves_apart(report) {
        return wins() || position.rules().scoring == Scoring::Territory || is_long(position);
    }
    prefers_pass && wins()
}

/// Whether a stone may be one that gains nothing: it goes where the search finds the owner decided, and
/// dead stones need not be captured.
fn is_filler(position: &Position, stone: Move, report: &SearchReport) -> bool {
    position.rules().dead_stones == DeadStones::Removed
        && is_late(position)
        && stone.point().is_some_and(|point| {
            report.ownership.of(Color::Black, point).abs() >= FILLED
                || fills_own_eye(position, stone)
        })
}

/// What to do with a stone that may gain nothing. On a settled board a stone in a territory costs a point
/// where territory counts, and must not cost one where the area counts: there a stone that loses nothing is
/// played, for neutral points are worth one and captures do not matter.
fn fill(end: &End<'_>, report: &SearchReport, stone: Move) -> Move {
    if !end.judgement().is_settled(end.position) {
        return stone;
    }
    let is_enough = |gain: f64| match end.position.rules().scoring {
        Scoring::Territory => gain > 0.0,
        Scoring::Area => gain >= 0.0,
    };
    let stones = report.moves.iter().map(|candidate| candidate.mv).filter(|mv| *mv != Move::Pass);
    let mut stones = stones.take(FILLERS as usize).take_while(|_| end.has_time());
    stones.find(|&mv| is_enough(end.gain(mv))).unwrap_or(Move::Pass)
}

/// Whether so much of the board is filled that the game may be about to end.
fn is_late(position: &Position) -> bool {
    let empty = position.board().empty_points().len();
    empty as f64 <= LATE * position.size().area() as f64
}

/// Whether the evaluator finds some moves more likely than others, not counting those that it leaves
/// out. Who plays games to the end learns from these, and not from the moves, when all is decided.
fn tells_moves_apart(report: &SearchReport) -> bool {
    if report.playout_length.is_some() {
        return false;
    }
    let mut priors = report.moves.iter().map(|candidate| candidate.prior).filter(|&p| p > 0.0);
    let Some(first) = priors.next() else { return false };
    priors.any(|prior| (prior - first).abs() > 1e-3 * first)
}

/// Whether it is clear of every stone on the board whether it will stay.
fn no_stone_in_doubt(position: &Position, ownership: &Ownership) -> bool {
    let board = position.board();
    let is_clear = |head: Point| {
        let sum: f32 = board.chain_stones(head).map(|p| ownership.of(Color::Black, p)).sum();
        sum.abs() >= SETTLED * board.chain_size(head) as f32
    };
    let mut points = position.size().points();
    points.all(|p| board.is_empty(p) || board.chain_head(p) != p || is_clear(p))
}

/// Whether the best stone goes where ownership is decided already, nothing else is open, and dead
/// stones need not be captured. A stone in one's own territory may be what keeps it: where it costs
/// nothing, all points must be decided, where it costs a point, all stones settled; in a long game
/// neither.
fn is_decided(position: &Position, stone: Move, ownership: &Ownership) -> bool {
    let decided = |point: Point| ownership.of(Color::Black, point).abs() >= DECIDED;
    let all = || match position.rules().scoring {
        Scoring::Area => position.size().points().all(decided),
        Scoring::Territory => no_stone_in_doubt(position, ownership),
    };
    let removed = position.rules().dead_stones == DeadStones::Removed;
    removed && stone.point().is_some_and(decided) && (is_long(position) || all())
}

/// Whether so much has been played that the game should end, also for who has lost: stones that are
/// thrown into what is decided could go on for ever.
fn is_long(position: &Position) -> bool {
    f64::from(position.move_count()) >= LONG * position.size().area() as f64
}

fn fills_own_eye(position: &Position, mv: Move) -> bool {
    let is_eye = |point| position.board().around(point).is_eye_of(position.to_move());
    mv.point().is_some_and(is_eye)
}

/// A move that helps to capture dead stones of the opponent: at a liberty of the dead chain with
/// the fewest, not into atari if that can be helped.
fn clean_up(position: &Position, judgement: &Judgement) -> Option<Point> {
    let color = position.to_move();
    let board = position.board();
    let mut liberties: Vec<(usize, bool, Point)> = judgement
        .dead
        .iter()
        .filter(|&point| {
            board.stone(point) == Some(color.opponent()) && board.chain_head(point) == point
        })
        .flat_map(|head| {
            let set = board.liberties(head);
            set.iter().map(|liberty| (set.len(), liberty)).collect::<Vec<_>>()
        })
        .filter(|&(_, liberty)| position.is_legal(color, liberty))
        .map(|(count, liberty)| {
            let mut after = board.clone();
            after.place(color, liberty);
            (count, after.stone(liberty).is_none() || after.in_atari(liberty), liberty)
        })
        .collect();
    liberties.sort_by_key(|&(count, atari, _)| (count > 1, atari, count));
    liberties.first().map(|&(_, _, point)| point)
}

/// Counts own moves in a row that look lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resignation {
    lost_in_a_row: u32,
}

/// Visits of the root from which its value is believed.
const TRUSTED_VISITS: u64 = 100;

/// The win rate below which a game counts as lost. White gives handicap in order to catch up: its
/// threshold rises from nothing as the board fills.
fn threshold(position: &Position, params: &PlayParams) -> f64 {
    if position.handicap() == 0 || position.to_move() == Color::Black {
        return params.resign_below;
    }
    let filled = f64::from(position.move_count()) / position.size().area() as f64;
    params.resign_below * filled.min(1.0)
}

impl Resignation {
    /// Takes note of a search, and says whether to give up.
    pub(super) fn update(
        &mut self,
        position: &Position,
        report: &SearchReport,
        params: &PlayParams,
    ) -> bool {
        // A few simulations prove nothing.
        let trusted = report.visits >= TRUSTED_VISITS || report.proven.is_some();
        let lost = || f64::from(report.value.win_rate()) < threshold(position, params);
        self.lost_in_a_row = if trusted && lost() { self.lost_in_a_row + 1 } else { 0 };
        let first = || params.resign_after * position.size().area() as f64;
        params.resign
            && self.lost_in_a_row >= params.resign_moves
            && f64::from(position.move_count()) >= first()
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::eval::Value;
    use crate::game::{BoardSize, Diagram, Komi, Rules};
    use crate::search::RootMove;

    /// A search that prefers A1, in what is Black's already, to a pass.
    fn report(position: &Position, priors: [f32; 2]) -> SearchReport {
        let root =
            |mv, visits, prior| RootMove { prior, ..RootMove::blank(mv, visits, Value::WIN) };
        let size = position.size();
        let stone = size.parse_move("A1").unwrap();
        SearchReport {
            moves: vec![root(stone, 20, priors[0]), root(Move::Pass, 1, priors[1])],
            value: Value::WIN,
            ownership: Ownership::of_black(size, vec![1.0; size.area()]),
            simulations: 22,
            visits: 22,
            nodes: 3,
            ..SearchReport::blank(size, position.to_move())
        }
    }

    /// The move that is chosen where the judge has said this.
    fn chosen_with(position: &Position, report: &SearchReport, judgement: Judgement) -> Move {
        let judge = Judge::new();
        let end = End { judgement: OnceCell::from(judgement), ..End::new(position, &judge) };
        choose(&end, report, Purpose::Win).unwrap()
    }

    #[test]
    fn own_territory_is_defended_by_those_who_tell_moves_apart() {
        let size = BoardSize::square(3).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::from_points(0.5).unwrap());
        position.play(Color::Black, size.parse_move("B2").unwrap()).unwrap();
        position.set_to_move(Color::Black);
        let chosen = |priors| {
            let report = report(&position, priors);
            let judgement =
                Judgement { dead: PointSet::new(), ownership: report.ownership.clone() };
            chosen_with(&position, &report, judgement)
        };
        // Random games see nothing but whose it is; a network knows that it has to be defended.
        assert_eq!(chosen([0.5, 0.5]), Move::Pass);
        assert_eq!(chosen([0.9, 0.1]), size.parse_move("A1").unwrap());
    }

    #[test]
    fn a_settled_board_is_filled_only_where_that_costs_nothing() {
        let chosen = |rules| {
            let board = "
                . X . X O . O
                X X X X O O O
                . X . X . O .
                X X X X O O O
                . X . X O . O ";
            let diagram = Diagram::parse(board).unwrap();
            let board = diagram.board().clone();
            let position = Position::from_board(board, Color::Black, rules, Komi::default());
            let report = report(&position, [0.9, 0.1]);
            let judge = Judge::new();
            let end = End::new(&position, &judge);
            position.size().move_text(choose(&end, &report, Purpose::Win).unwrap()).to_lowercase()
        };
        // A1 is an eye: a stone there costs a point of territory, and none of the area.
        assert_eq!(chosen(Rules::JAPANESE), "pass");
        assert_eq!(chosen(Rules::CHINESE), "a1");
    }

    #[test]
    fn random_games_pass_when_nothing_is_open() {
        let size = BoardSize::square(3).unwrap();
        let chosen_after = |(passes, komi): (usize, f64), rules, stone: &str, open: &str| {
            let mut position = Position::new(size, rules, Komi::from_points(komi).unwrap());
            for _ in 0..passes {
                position.pass(position.to_move());
                position.resume();
            }
            position.set_to_move(Color::Black);
            position.play(Color::Black, size.parse_move(stone).unwrap()).unwrap();
            position.set_to_move(Color::Black);
            let mut owners = vec![1.0; size.area()];
            owners[size.offset(size.parse_point(open).unwrap())] = 0.5;
            let ownership = Ownership::of_black(size, owners);
            let report = SearchReport {
                ownership: ownership.clone(),
                playout_length: Some(20.0),
                ..report(&position, [0.5, 0.5])
            };
            let judgement = Judgement { dead: PointSet::new(), ownership };
            size.move_text(chosen_with(&position, &report, judgement))
        };
        let chosen = |rules, stone, open| chosen_after((0, 0.5), rules, stone, open);
        // An open point elsewhere: the stone costs nothing where the area counts, and is played.
        assert_eq!(chosen(Rules::CHINESE, "B2", "C3"), "A1");
        // 14 moves on nine points are many, also for who has lost.
        for komi in [0.5, 20.0] {
            assert_eq!(chosen_after((12, komi), Rules::CHINESE, "B2", "C3"), "A1");
            let after = chosen_after((13, komi), Rules::CHINESE, "B2", "C3");
            assert_eq!(after.to_lowercase(), "pass");
        }
        // Who has lost does not pass before.
        assert_eq!(chosen_after((0, 20.0), Rules::CHINESE, "B2", "A1"), "A1");
        // Where it costs a point, it is played only while a chain is in danger.
        assert_eq!(chosen(Rules::JAPANESE, "B2", "C3").to_lowercase(), "pass");
        assert_eq!(chosen(Rules::JAPANESE, "C3", "C3"), "A1");
    }

    #[test]
    fn a_pass_that_ends_the_game_waits_until_no_stone_is_in_doubt() {
        let size = BoardSize::square(3).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::from_points(0.5).unwrap());
        for (color, mv) in [(Color::Black, "B2"), (Color::White, "A2"), (Color::Black, "pass")] {
            position.play(color, size.parse_move(mv).unwrap()).unwrap();
        }
        position.set_to_move(Color::Black);
        let stone = size.parse_point("A2").unwrap();
        let mut dead = PointSet::new();
        dead.insert(stone);
        let chosen = |priors, owner| {
            let mut owners = vec![1.0; size.area()];
            owners[size.offset(stone)] = owner;
            let ownership = Ownership::of_black(size, owners);
            let report = SearchReport { ownership, ..report(&position, priors) };
            let judgement = Judgement { dead, ownership: report.ownership.clone() };
            chosen_with(&position, &report, judgement)
        };
        assert_eq!(chosen([0.9, 0.1], 0.9), Move::Pass);
        assert_eq!(chosen([0.9, 0.1], 0.3), size.parse_move("A1").unwrap());
        assert_eq!(chosen([0.5, 0.5], 0.3), Move::Pass);
    }

    #[test]
    fn white_is_patient_in_a_handicap_game() {
        let size = BoardSize::square(9).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::default());
        let params = PlayParams::default();
        position.set_to_move(Color::White);
        assert!((threshold(&position, &params) - params.resign_below).abs() < 1e-12);
        position.set_handicap(4);
        assert!(threshold(&position, &params) < 1e-12);
        position.set_to_move(Color::Black);
        assert!((threshold(&position, &params) - params.resign_below).abs() < 1e-12);
    }
}
