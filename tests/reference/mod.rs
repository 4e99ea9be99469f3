//! The rules of Go and NoGo written as plainly as can be, to compare the engine with: a board is a
//! list of points, chains are found by flood fill, and every position is remembered as it was.

use std::collections::HashSet;

use tedomari::game::{Color, DeadStones, Game, GameEnd, KoRule, Rules, Scoring, Suicide};

/// Stones in reading order.
pub(crate) type Grid = Vec<Option<Color>>;

/// A game in progress.
pub(crate) struct Reference {
    pub(crate) grid: Grid,
    pub(crate) to_move: Color,
    pub(crate) captured: [usize; 2],
    width: usize,
    rules: Rules,
    passes: usize,
    /// All boards so far, with the player to move.
    seen: HashSet<(Grid, Color)>,
    /// The board before the last move, unless that was a pass.
    before: Option<Grid>,
}

impl Reference {
    pub(crate) fn new(width: usize, height: usize, rules: Rules) -> Self {
        let grid: Grid = vec![None; width * height];
        Self {
            to_move: Color::Black,
            captured: [0; 2],
            width,
            rules,
            passes: 0,
            seen: HashSet::from([(grid.clone(), Color::Black)]),
            before: None,
            grid,
        }
    }

    /// The board after a stone of the player to move, none if the move is illegal.
    pub(crate) fn after(&self, at: usize) -> Option<Grid> {
        let color = self.to_move;
        if self.grid[at].is_some() {
            return None;
        }
        let mut after = self.grid.clone();
        after[at] = Some(color);
        let mut captured = 0;
        for neighbor in neighbors(self.width, &after, at) {
            if after[neighbor] == Some(color.opponent()) {
                captured += lift_breathless(self.width, &mut after, neighbor);
            }
        }
        let suicides = lift_breathless(self.width, &mut after, at);
        let legal = match self.rules.game {
            Game::NoGo => captured == 0 && suicides == 0,
            Game::Go => self.allows_suicide(suicides) && !self.repeats(&after),
        };
        legal.then_some(after)
    }

    pub(crate) fn play(&mut self, at: usize) {
        let after = self.after(at).expect("the move is legal");
        for color in Color::BOTH {
            let count = |grid: &Grid| grid.iter().filter(|&&stone| stone == Some(color)).count();
            let played = usize::from(color == self.to_move);
            self.captured[color.index()] += count(&self.grid) + played - count(&after);
        }
        self.before = Some(std::mem::replace(&mut self.grid, after));
        self.passes = 0;
        self.end_turn();
    }

    pub(crate) fn pass(&mut self) {
        self.before = None;
        self.passes += 1;
        self.end_turn();
    }

    pub(crate) fn is_over(&self) -> bool {
        if self.rules.game == Game::NoGo {
            return (0..self.grid.len()).all(|at| self.after(at).is_none());
        }
        match self.rules.end {
            GameEnd::TwoPasses => self.passes >= 2,
            GameEnd::ThreePasses => self.passes >= 3,
            GameEnd::WhitePassesLast => {
                self.passes >= 3 || self.passes == 2 && self.to_move == Color::Black
            }
        }
    }

    /// Black's points minus White's, without komi and handicap.
    pub(crate) fn score(&self, dead: &[usize]) -> i32 {
        let dead = if self.rules.dead_stones == DeadStones::Removed { dead } else { &[] };
        let mut grid = self.grid.clone();
        let mut prisoners = self.captured;
        for &at in dead {
            let color = grid[at].take().expect("a dead stone is a stone");
            prisoners[color.index()] += 1;
        }
        let mut points = [0usize; 2];
        for at in 0..grid.len() {
            let owner = match (grid[at], self.rules.scoring) {
                (Some(color), Scoring::Area) => Some(color),
                (Some(_), Scoring::Territory) => None,
                (None, _) => surrounded_by(self.width, &grid, at),
            };
            if let Some(color) = owner {
                points[color.index()] += 1;
            }
        }
        if self.rules.scoring == Scoring::Territory {
            points = [points[0] + prisoners[1], points[1] + prisoners[0]];
        }
        i32::try_from(points[0]).unwrap() - i32::try_from(points[1]).unwrap()
    }

    fn end_turn(&mut self) {
        self.to_move = self.to_move.opponent();
        self.seen.insert((self.grid.clone(), self.to_move));
    }

    /// A single stone is never given away: it would be a pass.
    fn allows_suicide(&self, stones: usize) -> bool {
        stones == 0 || stones > 1 && self.rules.suicide == Suicide::Allowed
    }

    fn repeats(&self, after: &Grid) -> bool {
        let seen = |to_move| self.seen.contains(&(after.clone(), to_move));
        match self.rules.ko {
            KoRule::Simple => self.before.as_ref() == Some(after),
            KoRule::PositionalSuperko => Color::BOTH.into_iter().any(seen),
            KoRule::SituationalSuperko => seen(self.to_move.opponent()),
        }
    }
}

/// Whether every chain of a board has a liberty.
pub(crate) fn all_breathe(width: usize, grid: &Grid) -> bool {
    (0..grid.len()).all(|at| grid[at].is_none() || !region(width, grid, at).1.is_empty())
}

pub(crate) fn neighbors(width: usize, grid: &Grid, at: usize) -> Vec<usize> {
    let (x, area) = (at % width, grid.len());
    let mut found = Vec::with_capacity(4);
    if at >= width {
        found.push(at - width);
    }
    if x > 0 {
        found.push(at - 1);
    }
    if x + 1 < width {
        found.push(at + 1);
    }
    if at + width < area {
        found.push(at + width);
    }
    found
}

/// The connected points with the same content, and the empty points beside them.
pub(crate) fn region(width: usize, grid: &Grid, start: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut points, mut liberties) = (vec![start], Vec::new());
    let mut next = 0;
    while next < points.len() {
        for neighbor in neighbors(width, grid, points[next]) {
            if grid[neighbor] == grid[start] && !points.contains(&neighbor) {
                points.push(neighbor);
            } else if grid[neighbor].is_none() && !liberties.contains(&neighbor) {
                liberties.push(neighbor);
            }
        }
        next += 1;
    }
    (points, liberties)
}

/// Takes the chain at a point off the board if it has no liberty; how many stones left.
fn lift_breathless(width: usize, grid: &mut Grid, at: usize) -> usize {
    if grid[at].is_none() {
        return 0;
    }
    let (stones, liberties) = region(width, grid, at);
    if !liberties.is_empty() {
        return 0;
    }
    for &stone in &stones {
        grid[stone] = None;
    }
    stones.len()
}

/// The colour around an empty region, if it is one.
fn surrounded_by(width: usize, grid: &Grid, at: usize) -> Option<Color> {
    let points = region(width, grid, at).0;
    let touched: HashSet<Color> = points
        .iter()
        .flat_map(|&point| neighbors(width, grid, point))
        .filter_map(|neighbor| grid[neighbor])
        .collect();
    touched.iter().copied().next().filter(|_| touched.len() == 1)
}
