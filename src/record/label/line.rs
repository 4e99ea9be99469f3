//! A game on the way to its labels.

use rand::RngExt as _;

use super::{LabelParams, is_go};
use crate::game::{
    BoardSize, Color, DeadStones, Komi, Move, Point, Position, Rules, Scoring, handicap,
};
use crate::record::MAX_TURNS;
use crate::record::game::{IllegalTurn, Label, Outcome, TrainingGame, Turn};
use crate::util::Rng;

/// Random moves that leave a game, at the most.
const MOST_RANDOM: usize = 4;

/// The most stones of a handicap.
const MOST_STONES: usize = 9;

/// The rules that games are shown under.
pub(super) const RULES: [Rules; 6] = [
    Rules::TROMP_TAYLOR,
    Rules::CGOS,
    Rules::CHINESE,
    Rules::JAPANESE,
    Rules::AGA,
    Rules::NEW_ZEALAND,
];

/// A game that is being labelled: first positions that it has reached already, then those to which the
/// teacher's own moves lead.
pub(super) struct Line {
    game: TrainingGame,
    rng: Rng,
    /// Turns to be labelled, with the position before each.
    reached: Vec<(usize, Position)>,
    /// The position at the end.
    last: Position,
    /// Moves that the teacher still makes.
    ahead: usize,
    /// Whether the moves are not all those of the game that it comes from.
    left: bool,
}

/// How a game is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// As it was.
    Plain,
    /// Left by random moves.
    Wander,
    /// With handicap stones.
    Handicap,
    /// Played on from its last position.
    PlayOn,
}

impl Line {
    pub(super) fn new(
        source: &TrainingGame,
        params: &LabelParams,
        mut rng: Rng,
    ) -> Result<Self, IllegalTurn> {
        let kind = match kind(source, params, &mut rng) {
            // A game that has ended has nothing to play on.
            Kind::PlayOn if source.position(source.turns.len(), source.rules)?.is_over() => {
                Kind::Plain
            }
            kind => kind,
        };
        let (rules, komi) = terms(source, params, &mut rng);
        let mut game = TrainingGame {
            komi,
            turns: Vec::new(),
            outcome: Outcome::UNKNOWN,
            ..source.clone_head()
        };
        if kind == Kind::Handicap {
            game.stones = stones(source.size, &mut rng);
            if rng.random_bool(0.5) {
                // What is usual for a handicap.
                game.komi = Komi::from_points(0.5).unwrap_or_default();
            }
        }
        // Under other rules a move may be illegal.
        game.rules = rules;
        let line = Self::under(source, game.clone(), kind, params, rng.clone());
        match line {
            Err(_) if rules != source.rules => {
                Self::under(source, TrainingGame { rules: source.rules, ..game }, kind, params, rng)
            }
            line => line,
        }
    }

    /// A game of so many moves that the teacher makes from the start of `game`.
    pub(super) fn of_teacher(game: TrainingGame, moves: usize, rng: Rng) -> Self {
        let last = game.start(game.rules);
        Self { game, rng, reached: Vec::new(), last, ahead: moves, left: true }
    }

    /// The board.
    pub(super) fn size(&self) -> BoardSize {
        self.game.size
    }

    /// A line by the rules and komi of `game`, which has no turns yet.
    fn under(
        source: &TrainingGame,
        game: TrainingGame,
        kind: Kind,
        params: &LabelParams,
        rng: Rng,
    ) -> Result<Self, IllegalTurn> {
        let mut line = Self::of_teacher(game, 0, rng);
        let (turns, positions) = (source.turns.len(), params.positions);
        match kind {
            Kind::Plain => {
                let chosen = spread(turns, positions, &mut line.rng);
                line.follow(source, turns, &chosen)?;
                line.left = false;
                line.game.outcome = outcome(source, line.game.rules, line.game.komi);
                if (line.game.rules, line.game.komi) == (source.rules, source.komi) {
                    let turns = line.game.turns.iter_mut().zip(&source.turns);
                    turns.for_each(|(turn, source)| turn.value = source.value);
                }
            }
            Kind::Wander => {
                let from = line.rng.random_range(0..turns.max(1));
                line.follow(source, from, &[])?;
                line.wander();
                line.ahead = positions;
            }
            Kind::Handicap => {
                if line.rng.random_bool(0.5) {
                    let from = line.rng.random_range(0..=turns);
                    line.borrow_moves(source, from);
                }
                line.ahead = positions;
            }
            Kind::PlayOn => {
                line.follow(source, turns, &[])?;
                line.ahead = (source.size.area() / 4).max(positions);
            }
        }
        Ok(line)
    }

    /// Plays the first moves of a game, and keeps the positions before some of them.
    fn follow(
        &mut self,
        source: &TrainingGame,
        count: usize,
        chosen: &[usize],
    ) -> Result<(), IllegalTurn> {
        for (ply, turn) in source.turns[..count].iter().enumerate() {
            if chosen.contains(&ply) && !self.last.is_over() {
                self.reached.push((ply, self.last.clone()));
            }
            let color = self.last.to_move();
            self.last
                .check(color, turn.mv)
                .map_err(|reason| IllegalTurn { turn: ply + 1, reason })?;
            self.play(turn.mv);
        }
        Ok(())
    }

    /// Plays as many moves of a game as can be made on a board that has other stones: each player
    /// the own ones in their order.
    fn borrow_moves(&mut self, source: &TrainingGame, count: usize) {
        let by = |color: Color| {
            let turns = source.turns.iter().enumerate();
            let own = turns.filter(move |(ply, _)| source.color(*ply) == color);
            own.filter_map(|(_, turn)| turn.mv.point())
        };
        let mut moves = [by(Color::BOTH[0]), by(Color::BOTH[1])];
        for _ in 0..count {
            let color = self.last.to_move();
            let own = &mut moves[usize::from(color == Color::BOTH[1])];
            let Some(point) = own.find(|&point| self.last.is_legal(color, point)) else { break };
            self.play(Move::Place(point));
        }
    }

    /// Plays some random moves, but none that fills an own eye.
    fn wander(&mut self) {
        for _ in 0..self.rng.random_range(1..=MOST_RANDOM) {
            let color = self.last.to_move();
            if self.last.is_over() {
                break;
            }
            let mut points: Vec<_> = self.last.legal_points(color).collect();
            points.retain(|&point| !self.last.board().around(point).is_eye_of(color));
            // In an order that does not depend on how the board came about.
            points.sort_unstable_by_key(|&point| self.game.size.offset(point));
            if points.is_empty() {
                break;
            }
            let point = points[self.rng.random_range(0..points.len())];
            self.play(Move::Place(point));
        }
    }

    fn play(&mut self, mv: Move) {
        self.game.turns.push(Turn {
            mv,
            policy: Vec::new(),
            value: None,
            weight: 0.0,
            label: None,
        });
        self.last.play_legal(self.last.to_move(), mv);
    }

    /// Whether the teacher is to be asked about the last position.
    fn goes_on(&self) -> bool {
        self.ahead > 0 && !self.last.is_over() && self.game.turns.len() < MAX_TURNS
    }

    /// The positions that the teacher is to be asked about.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &Position> {
        let last = self.goes_on().then_some(&self.last);
        self.reached.iter().map(|(_, position)| position).chain(last)
    }

    /// Takes what the teacher says of them, and goes on.
    pub(super) fn take(&mut self, labels: &mut impl Iterator<Item = Label>) {
        let goes_on = self.goes_on();
        for (ply, _) in std::mem::take(&mut self.reached) {
            self.keep(ply, labels.next());
        }
        if goes_on && let Some(label) = labels.next() {
            let mv = self.draw(&label.policy);
            self.play(mv);
            self.keep(self.game.turns.len() - 1, Some(label));
            self.ahead -= 1;
        }
    }

    fn keep(&mut self, ply: usize, label: Option<Label>) {
        let turn = &mut self.game.turns[ply];
        turn.weight = if label.is_some() { 1.0 } else { 0.0 };
        turn.label = label.map(Box::new);
    }

    /// A legal move, as likely as the teacher likes it.
    fn draw(&mut self, policy: &[(Move, f32)]) -> Move {
        let mut rest = self.rng.random_range(0.0..1.0_f32);
        let color = self.last.to_move();
        for &(mv, weight) in policy {
            rest -= weight;
            if rest < 0.0 && self.last.check(color, mv).is_ok() {
                return mv;
            }
        }
        let legal = policy.iter().filter(|&&(mv, _)| self.last.check(color, mv).is_ok());
        let best = legal.max_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Move::Pass, |&(mv, _)| mv)
    }

    /// Whether nothing is left to ask.
    pub(super) fn is_done(&self) -> bool {
        self.reached.is_empty() && !self.goes_on()
    }

    /// The game with its labels.
    pub(super) fn finish(self) -> TrainingGame {
        let Self { mut game, last, left, .. } = self;
        let counted = !is_go(&game) || game.rules.dead_stones == DeadStones::Counted;
        if left && last.is_over() && counted {
            game.outcome = Outcome::as_it_stands(&last);
        }
        game
    }
}

impl TrainingGame {
    /// The same without turns.
    fn clone_head(&self) -> Self {
        Self {
            size: self.size,
            rules: self.rules,
            komi: self.komi,
            stones: self.stones.clone(),
            turns: Vec::new(),
            outcome: Outcome::UNKNOWN,
        }
    }
}

fn kind(source: &TrainingGame, params: &LabelParams, rng: &mut Rng) -> Kind {
    let go = is_go(source);
    let mut rest = rng.random_range(0.0..1.0_f64);
    let kinds = [
        (Kind::Wander, params.wander, true),
        (Kind::Handicap, params.handicap, go),
        (Kind::PlayOn, params.play_on, go),
    ];
    for (kind, share, possible) in kinds {
        rest -= share;
        if rest < 0.0 && possible {
            return kind;
        }
    }
    Kind::Plain
}

/// Rules and komi to write a game under.
fn terms(source: &TrainingGame, params: &LabelParams, rng: &mut Rng) -> (Rules, Komi) {
    let [other_rules, other_komi] = [(); 2].map(|()| rng.random_bool(params.varied));
    let rules = RULES[rng.random_range(0..RULES.len())];
    let (distance, sign) = (rng.random_range(f64::EPSILON..1.0), rng.random_bool(0.5));
    if !is_go(source) {
        return (source.rules, source.komi);
    }
    // As far from zero as the waiting time of something that may happen at any moment.
    let halves = (-2.0 * params.komi_spread * distance.ln()).round() / 2.0;
    let points = source.komi.points() + if sign { halves } else { -halves };
    let komi = Komi::from_points(points).unwrap_or(source.komi);
    (if other_rules { rules } else { source.rules }, if other_komi { komi } else { source.komi })
}

/// Handicap stones: where they usually stand, or anywhere but near the edge.
pub(super) fn stones(size: BoardSize, rng: &mut Rng) -> Vec<Point> {
    let most = MOST_STONES.min(size.area() / 9).max(2);
    let count = rng.random_range(2..=most);
    if rng.random_bool(0.5) {
        return handicap::free(size, count);
    }
    let mut free: Vec<_> = size.points().filter(|&point| !near_edge(size, point)).collect();
    let mut stones = Vec::new();
    while stones.len() < count && !free.is_empty() {
        stones.push(free.swap_remove(rng.random_range(0..free.len())));
    }
    if stones.len() < 2 { handicap::free(size, 2) } else { stones }
}

fn near_edge(size: BoardSize, point: Point) -> bool {
    let (x, y) = size.coordinates(point);
    x.min(y).min(size.width() - 1 - x).min(size.height() - 1 - y) < 2
}

/// So many of the turns, spread evenly but for chance, with the last one among them.
fn spread(turns: usize, count: usize, rng: &mut Rng) -> Vec<usize> {
    if turns <= count {
        return (0..turns).collect();
    }
    let part = |i: usize| i * turns / count..(i + 1) * turns / count;
    let mut chosen: Vec<_> = (0..count).map(|i| rng.random_range(part(i))).collect();
    chosen[count - 1] = turns - 1;
    chosen
}

/// What is known of the outcome of a game under other rules or with another komi: its score, if both
/// count areas and its last board was counted.
pub(super) fn outcome(source: &TrainingGame, rules: Rules, komi: Komi) -> Outcome {
    if (rules, komi) == (source.rules, source.komi) {
        return source.outcome.clone();
    }
    let both_areas = [rules, source.rules].iter().all(|rules| rules.scoring == Scoring::Area);
    match &source.outcome {
        Outcome { score: Some(score), owners: Some(owners), .. }
            if both_areas && source.stones.is_empty() && is_go(source) =>
        {
            let halves = (source.komi.halves() - komi.halves()) as f32;
            let score = score + halves / 2.0;
            let winner = match score {
                score if score > 0.0 => Some(Color::Black),
                score if score < 0.0 => Some(Color::White),
                _ => None,
            };
            Outcome { winner, score: Some(score), owners: Some(owners.clone()) }
        }
        _ => Outcome::UNKNOWN,
    }
}

#[cfg(test)]
mod tests;
