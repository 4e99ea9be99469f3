//! Who owns what, and who has won.

use std::fmt;

use super::board::Board;
use super::color::Color;
use super::point::Point;
use super::pointset::PointSet;
use super::position::Position;
use super::rules::{DeadStones, Game, Scoring};

/// A result in half points: Black's points minus White's, komi included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score {
    halves: i32,
}

impl Score {
    /// A score of so many half points, positive when Black is ahead.
    #[must_use]
    pub const fn from_halves(halves: i32) -> Self {
        Self { halves }
    }

    /// Half points, positive when Black is ahead.
    #[must_use]
    pub const fn halves(self) -> i32 {
        self.halves
    }

    /// Points, positive when Black is ahead.
    #[must_use]
    pub fn points(self) -> f64 {
        f64::from(self.halves) / 2.0
    }

    /// Points that a player is ahead.
    #[must_use]
    pub fn points_for(self, color: Color) -> f64 {
        match color {
            Color::Black => self.points(),
            Color::White => -self.points(),
        }
    }

    /// Who has more points, none in a draw.
    #[must_use]
    pub const fn winner(self) -> Option<Color> {
        match self.halves {
            1.. => Some(Color::Black),
            0 => None,
            _ => Some(Color::White),
        }
    }
}

impl fmt::Display for Score {
    /// Writes `B+3.5`, `W+7`, or `0` for a draw, as GTP and SGF do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(color) => write!(f, "{}+{}", color.letter(), self.points().abs()),
            None => f.write_str("0"),
        }
    }
}

/// The points that each player has by area: living stones, and the regions that they surround.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Owners {
    points: [PointSet; 2],
}

impl Owners {
    /// Who has a point, none where both or neither reach it.
    #[must_use]
    pub fn owner(&self, point: Point) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.points(color).contains(point))
    }

    /// All points of a player.
    #[must_use]
    pub const fn points(&self, color: Color) -> &PointSet {
        &self.points[color.index()]
    }

    /// Number of points of a player.
    #[must_use]
    pub fn area(&self, color: Color) -> usize {
        self.points(color).len()
    }
}

/// Gives every point to its owner once the stones in `dead` are off the board. Stones own their
/// points; a region without stones belongs to the one colour that it touches, if it is one.
#[must_use]
pub fn owners(board: &Board, dead: &PointSet) -> Owners {
    let (stones, mut open) = board.sets();
    for point in dead.iter() {
        open.insert(point);
    }
    let [black, white] = stones.map(|stones| {
        let mut reached = stones.without(dead);
        reached.flood(&open, board.size());
        reached
    });
    Owners { points: [black.without(&white), white.without(&black)] }
}

impl Position {
    /// The score of the position as it stands, by the rules in force, with komi and White's
    /// compensation for handicap stones.
    ///
    /// `dead` are the stones that both players think dead; rules that count every stone on the
    /// board ignore them. Under territory scoring a point counts wherever it is surrounded: the
    /// eyes of a seki count too, unlike in Japanese rules, since that would need to know which
    /// groups live in seki. NoGo counts no points, the score is 0 there; see [`Position::winner`].
    #[must_use]
    pub fn score(&self, dead: &PointSet) -> Score {
        let rules = self.rules();
        if rules.game == Game::NoGo {
            return Score::default();
        }
        let none = PointSet::new();
        let dead = match rules.dead_stones {
            DeadStones::Removed => dead,
            DeadStones::Counted => &none,
        };
        let owners = owners(self.board(), dead);
        let [black, white] = Color::BOTH.map(|color| match rules.scoring {
            Scoring::Area => count(owners.area(color)),
            Scoring::Territory => territory(self.board(), dead, &owners, color),
        });
        let bonus = i32::from(rules.handicap_points(self.handicap()));
        Score::from_halves(2 * (black - white - bonus) - self.komi().halves())
    }

    /// Who has won the position as it stands: in Go the player with the better [`Position::score`],
    /// in NoGo the opponent of a player who has to move and cannot. None if nobody has.
    #[must_use]
    pub fn winner(&self, dead: &PointSet) -> Option<Color> {
        match self.rules().game {
            Game::Go => self.score(dead).winner(),
            Game::NoGo => self.is_over().then(|| self.to_move().opponent()),
        }
    }
}

/// Surrounded points and prisoners of `color`.
fn territory(board: &Board, dead: &PointSet, owners: &Owners, color: Color) -> i32 {
    let enemy = color.opponent();
    let surrounded = owners
        .points(color)
        .iter()
        .filter(|&p| board.stone(p) != Some(color) || dead.contains(p))
        .count();
    let killed = dead.iter().filter(|&p| board.stone(p) == Some(enemy)).count();
    count(surrounded + killed) + board.captured(enemy).cast_signed()
}

fn count(points: usize) -> i32 {
    i32::try_from(points).expect("invariant: a board has at most 625 points")
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;

    use super::*;
    use crate::game::diagram::Diagram;
    use crate::game::point::{BoardSize, Move};
    use crate::game::rules::{Komi, Rules};
    use crate::util::Seed;

    fn position(text: &str, rules: Rules, komi: f64) -> (Position, Diagram) {
        let diagram = Diagram::parse(text).unwrap();
        let komi = Komi::from_points(komi).unwrap();
        (Position::from_board(diagram.board().clone(), Color::Black, rules, komi), diagram)
    }

    /// `dead` lists stones by their vertices.
    fn check_score(rules: Rules, komi: f64, text: &str, dead: &str, expected: &str) {
        let (position, _) = position(text, rules, komi);
        let dead = dead.split_whitespace().map(|v| position.size().parse_point(v).unwrap());
        let score = position.score(&dead.collect());
        assert_eq!(score.to_string(), expected, "{text}");
        assert_eq!(position.winner(&PointSet::new()).is_some(), {
            position.score(&PointSet::new()).halves() != 0
        });
    }

    const SPLIT: &str = "
        . X O . .      White's stone at E1 is in White's area, Black's at D4 is dead
        . X O X .
        . X O . .
        . X O . O ";

    #[test]
    fn area_counts_stones_and_what_they_surround() {
        check_score(Rules::CHINESE, 0.0, SPLIT, "D3", "W+4");
        check_score(Rules::CHINESE, 7.5, SPLIT, "D3", "W+11.5");
        check_score(Rules::CHINESE, -4.0, SPLIT, "D3", "0");
        // With the black stone alive nobody has the right side: 9 to 5.
        check_score(Rules::CHINESE, 0.0, SPLIT, "", "B+4");
        check_score(Rules::TROMP_TAYLOR, 0.0, SPLIT, "D3", "B+4");
    }

    #[test]
    fn territory_counts_surrounded_points_and_prisoners() {
        // Four points against seven, that of the dead stone among them, and one prisoner.
        check_score(Rules::JAPANESE, 0.0, SPLIT, "D3", "W+4");
        check_score(Rules::JAPANESE, 6.5, SPLIT, "D3", "W+10.5");
        check_score(Rules::JAPANESE, 0.0, SPLIT, "", "B+4");
    }

    #[test]
    fn captured_stones_are_prisoners_under_territory_scoring() {
        let (mut position, diagram) = position(
            "
            X O .
            * O .
            X O . ",
            Rules::JAPANESE,
            0.0,
        );
        position.play(Color::White, Move::Place(diagram.mark('*').unwrap())).unwrap();
        // Two prisoners and five surrounded points.
        assert_eq!(position.score(&PointSet::new()).to_string(), "W+7");
    }

    #[test]
    fn regions_that_touch_both_or_neither_belong_to_nobody() {
        check_score(Rules::CHINESE, 0.0, ". . .\n. . .\n. . .", "", "0");
        check_score(Rules::CHINESE, 0.0, "X . O\nX . O\n. . .", "", "0");
        check_score(Rules::CHINESE, 0.0, ". . .\n. X .\n. . .", "", "B+9");
        let diagram = Diagram::parse(". X .\nX X O\n. O .").unwrap();
        let owners = owners(diagram.board(), &PointSet::new());
        let letters: String = (diagram.board().size().points())
            .map(|p| owners.owner(p).map_or('.', Color::letter))
            .collect();
        assert_eq!(letters, "BB.BBW.WW");
        assert_eq!((owners.area(Color::Black), owners.area(Color::White)), (4, 3));
    }

    /// Who has each point, one region after the other.
    fn owners_by_regions(board: &Board, dead: &PointSet) -> Vec<Option<Color>> {
        let size = board.size();
        let living = |point| board.stone(point).filter(|_| !dead.contains(point));
        let owner = |start: Point| {
            let (mut region, mut touched) = (vec![start], PointSet::new());
            let mut next = 0;
            while let Some(&point) = region.get(next) {
                next += 1;
                for neighbor in size.neighbors(point) {
                    match living(neighbor) {
                        Some(_) => _ = touched.insert(neighbor),
                        None if region.contains(&neighbor) => {}
                        None => region.push(neighbor),
                    }
                }
            }
            let mut colors = touched.iter().map(living);
            let first = colors.next()?;
            colors.all(|color| color == first).then_some(first)?
        };
        size.points().map(|point| living(point).or_else(|| owner(point))).collect()
    }

    #[test]
    fn all_regions_are_found_on_boards_of_any_size() {
        let mut rng = Seed::new(3).rng();
        for round in 0..200 {
            let [width, height] = [0; 2].map(|_| rng.random_range(2..=25));
            let size = BoardSize::new(width, height).unwrap();
            let mut board = Board::new(size);
            let stones = rng.random_range(0..=size.area());
            for _ in 0..stones {
                let point = board.empty_points()[rng.random_range(0..board.empty_points().len())];
                let color = Color::BOTH[rng.random_range(0..2)];
                if !board.is_suicide(color, point) {
                    board.place(color, point);
                }
            }
            let is_dead = |_: &Point| round % 2 == 1 && rng.random_bool(0.3);
            let dead: PointSet = size.points().filter(is_dead).collect();
            let owners = owners(&board, &dead);
            let found: Vec<_> = size.points().map(|point| owners.owner(point)).collect();
            assert_eq!(found, owners_by_regions(&board, &dead), "{size}");
        }
    }

    #[test]
    fn handicap_is_compensated() {
        for (rules, expected) in
            [(Rules::CHINESE, "B+5"), (Rules::AGA, "B+6"), (Rules::TROMP_TAYLOR, "B+9")]
        {
            let (mut position, _) = position("X . .\n. X .\nX . X", rules, 0.0);
            position.set_handicap(4);
            assert_eq!(position.score(&PointSet::new()).to_string(), expected);
        }
    }

    #[test]
    fn in_nogo_the_player_who_cannot_move_has_lost() {
        let size = BoardSize::square(2).unwrap();
        let mut position = Position::new(size, Rules::NOGO, Komi::default());
        let nobody = PointSet::new();
        for vertex in ["A1", "B2", "A2"] {
            assert_eq!(position.winner(&nobody), None);
            position.play(position.to_move(), size.parse_move(vertex).unwrap()).unwrap();
        }
        // White's only point is B1, where the stones at B1 and B2 would be without a liberty.
        assert_eq!(position.winner(&nobody), Some(Color::Black));
        assert_eq!(position.score(&nobody).halves(), 0);
    }

    #[test]
    fn scores_are_written_as_in_records() {
        for (halves, text) in [(7, "B+3.5"), (-14, "W+7"), (0, "0"), (1, "B+0.5"), (-1, "W+0.5")] {
            assert_eq!(Score::from_halves(halves).to_string(), text);
        }
        assert!(Score::from_halves(-3) < Score::from_halves(2));
    }
}
