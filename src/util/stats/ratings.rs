//! Ratings of many players from games between some of them.

use serde::Serialize;

use super::Z95;

/// Games that an imaginary player of rating 0 draws with each player, where there would be no
/// ratings otherwise.
const IMAGINED_GAMES: f64 = 0.5;

/// Elo to the natural logarithm of the odds.
const LOG_ODDS: f64 = std::f64::consts::LN_10 / 400.0;

/// The games between two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// The index of the first player.
    pub first: usize,
    /// The index of the second player.
    pub second: usize,
    /// Games between them.
    pub games: f64,
    /// What the first player made of them, draws as half points.
    pub points: f64,
}

/// The rating of one player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// Elo above the mean of all players.
    pub elo: f64,
    /// Half the interval of 95 %, the mean of all players held fixed.
    pub error: f64,
}

/// The ratings of all players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratings {
    /// By the index of the player.
    pub players: Vec<Rating>,
    /// Whether half a game drawn with an imaginary player was added for each player: the results
    /// alone have no most likely ratings when a group of players lost no point to all others, or
    /// never met them.
    pub imagined: bool,
}

/// The most likely ratings (Bradley and Terry 1952): the odds of `i` against `j` are
/// `10^((eᵢ - eⱼ)/400)`, a draw is half a win and half a loss. Errors come from the information
/// matrix. Encounters of a player with itself, without games, or of players that do not exist are
/// left out.
#[must_use]
pub fn bradley_terry(players: usize, encounters: &[Encounter]) -> Ratings {
    let encounters: Vec<Encounter> = encounters
        .iter()
        .copied()
        .filter(|e| e.first != e.second && e.games > 0.0 && e.first.max(e.second) < players)
        .collect();
    let imagined = !all_reach_all(players, &encounters);
    let model = Model { players, encounters, imagined };
    let strengths = model.solve();
    let errors = model.errors(&strengths);
    let ratings = strengths.iter().zip(errors);
    Ratings {
        players: ratings
            .map(|(strength, error)| Rating {
                elo: strength / LOG_ODDS,
                error: Z95 * error / LOG_ODDS,
            })
            .collect(),
        imagined,
    }
}

/// Whether from each player to each other a chain of points leads: then, and only then, there are
/// most likely ratings (Ford 1957).
fn all_reach_all(players: usize, encounters: &[Encounter]) -> bool {
    let reaches = |forward: bool| {
        let mut seen = vec![false; players];
        let mut open = vec![0];
        while let Some(player) = open.pop() {
            if players == 0 || std::mem::replace(&mut seen[player], true) {
                continue;
            }
            for e in encounters {
                let lost = e.games - e.points;
                let (won, conceded) = if forward { (e.points, lost) } else { (lost, e.points) };
                if e.first == player && won > 0.0 {
                    open.push(e.second);
                }
                if e.second == player && conceded > 0.0 {
                    open.push(e.first);
                }
            }
        }
        seen.into_iter().all(|seen| seen)
    };
    reaches(true) && reaches(false)
}

struct Model {
    players: usize,
    encounters: Vec<Encounter>,
    imagined: bool,
}

impl Model {
    /// Newton's method on the log-likelihood, which is concave; a step that does not raise it is
    /// halved.
    fn solve(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.players];
        let mut likelihood = self.likelihood(&strengths);
        for _ in 0..200 {
            let Some(inverse) = inverted(self.information(&strengths)) else { break };
            let gradient = self.gradient(&strengths);
            let mut step: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&gradient).map(|(a, g)| a * g).sum())
                .collect();
            let mut raised = false;
            for _ in 0..40 {
                let next: Vec<f64> = strengths.iter().zip(&step).map(|(s, d)| s + d).collect();
                let found = self.likelihood(&next);
                if found >= likelihood {
                    (strengths, likelihood, raised) = (next, found, true);
                    break;
                }
                for part in &mut step {
                    *part *= 0.5;
                }
            }
            if !raised || step.iter().all(|d| d.abs() < 1e-12) {
                break;
            }
        }
        let mean = strengths.iter().sum::<f64>() / self.players.max(1) as f64;
        for strength in &mut strengths {
            *strength -= mean;
        }
        strengths
    }

    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let log_score = |difference: f64| -(-difference).exp().ln_1p();
        let games = self.encounters.iter().map(|e| {
            let difference = strengths[e.first] - strengths[e.second];
            e.points * log_score(difference) + (e.games - e.points) * log_score(-difference)
        });
        let imagined = strengths.iter().map(|s| {
            if self.imagined { 0.5 * IMAGINED_GAMES * (log_score(*s) + log_score(-s)) } else { 0.0 }
        });
        games.sum::<f64>() + imagined.sum::<f64>()
    }

    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        let mut gradient = vec![0.0; self.players];
        for e in &self.encounters {
            let excess = e.points - e.games * expected(strengths[e.first] - strengths[e.second]);
            gradient[e.first] += excess;
            gradient[e.second] -= excess;
        }
        if self.imagined {
            for (slope, strength) in gradient.iter_mut().zip(strengths) {
                *slope += IMAGINED_GAMES * (0.5 - expected(*strength));
            }
        }
        gradient
    }

    /// Minus the second derivatives. Without imagined games the likelihood does not change when
    /// all players become stronger alike; a constant makes up for that direction.
    fn information(&self, strengths: &[f64]) -> Vec<Vec<f64>> {
        let start = if self.imagined { 0.0 } else { 1.0 / self.players as f64 };
        let mut matrix = vec![vec![start; self.players]; self.players];
        for e in &self.encounters {
            let score = expected(strengths[e.first] - strengths[e.second]);
            let weight = e.games * score * (1.0 - score);
            matrix[e.first][e.first] += weight;
            matrix[e.second][e.second] += weight;
            matrix[e.first][e.second] -= weight;
            matrix[e.second][e.first] -= weight;
        }
        if self.imagined {
            for (player, strength) in strengths.iter().enumerate() {
                let score = expected(*strength);
                matrix[player][player] += IMAGINED_GAMES * score * (1.0 - score);
            }
        }
        matrix
    }

    /// Standard errors around the mean of all players: the diagonal of the inverse, both its sides
    /// projected on strengths that sum to zero.
    fn errors(&self, strengths: &[f64]) -> Vec<f64> {
        let Some(inverse) = inverted(self.information(strengths)) else {
            return vec![0.0; self.players];
        };
        let count = self.players as f64;
        let rows: Vec<f64> = inverse.iter().map(|row| row.iter().sum::<f64>() / count).collect();
        let all = rows.iter().sum::<f64>() / count;
        (0..self.players)
            .map(|player| (inverse[player][player] - 2.0 * rows[player] + all).max(0.0).sqrt())
            .collect()
    }
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The inverse of a symmetric, positive matrix by Gauss and Jordan, or none where rounding made it
/// singular.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (row, line) in matrix.iter_mut().enumerate() {
        line.extend((0..size).map(|column| if column == row { 1.0 } else { 0.0 }));
    }
    for column in 0..size {
        let best = (column..size)
            .max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))?;
        matrix.swap(column, best);
        let pivot = matrix[column][column];
        if pivot.is_nan() || pivot.abs() <= f64::MIN_POSITIVE {
            return None;
        }
        matrix[column].iter_mut().for_each(|x| *x /= pivot);
        let line = matrix[column].clone();
        for (row, other) in matrix.iter_mut().enumerate() {
            let factor = other[column];
            if row != column && factor != 0.0 {
                other.iter_mut().zip(&line).for_each(|(x, l)| *x -= factor * l);
            }
        }
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn met(first: usize, second: usize, points: f64, games: f64) -> Encounter {
        Encounter { first, second, games, points }
    }

    fn check(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }

    #[test]
    fn a_chain_solved_by_hand() {
        // A beats B 3:1, B beats C 3:1, A and C never met: each step is 400 log10 3, and with
        // two encounters of a chain the fit is exact.
        let step = 400.0 * 3f64.log10();
        let ratings = bradley_terry(3, &[met(0, 1, 3.0, 4.0), met(2, 1, 1.0, 4.0)]);
        assert!(!ratings.imagined);
        check(ratings.players[0].elo, step, 1e-6);
        check(ratings.players[1].elo, 0.0, 1e-6);
        check(ratings.players[2].elo, -step, 1e-6);
        // Each step has the variance 1/(4 · 3/16) = 4/3 in log-odds. A is (2 x + y)/3 above the
        // mean for steps x and y, B is (y - x)/3: variances 5/9 and 2/9 of a step's.
        let error = |share: f64| Z95 * (share * 4.0f64 / 3.0).sqrt() / LOG_ODDS;
        check(ratings.players[0].error, error(5.0 / 9.0), 1e-6);
        check(ratings.players[1].error, error(2.0 / 9.0), 1e-6);
    }

    #[test]
    fn a_circle_that_fits_solved_by_hand() {
        // Strengths 4 : 2 : 1 give 2/3, 2/3 and 4/5.
        let list = [met(0, 1, 8.0, 12.0), met(1, 2, 10.0, 15.0), met(0, 2, 16.0, 20.0)];
        let ratings = bradley_terry(3, &list);
        let double = 400.0 * 2f64.log10();
        check(ratings.players[0].elo, double, 1e-6);
        check(ratings.players[1].elo, 0.0, 1e-6);
        check(ratings.players[2].elo, -double, 1e-6);
    }

    #[test]
    fn two_players_are_as_their_score() {
        let ratings = bradley_terry(2, &[met(0, 1, 75.0, 100.0)]);
        let apart = ratings.players[0].elo - ratings.players[1].elo;
        check(apart, 400.0 * 3f64.log10(), 1e-6);
    }

    #[test]
    fn who_won_all_has_a_rating_by_imagined_games() {
        let ratings = bradley_terry(3, &[met(0, 1, 4.0, 4.0), met(1, 2, 2.0, 4.0)]);
        assert!(ratings.imagined);
        let elos: Vec<f64> = ratings.players.iter().map(|rating| rating.elo).collect();
        assert!(elos.iter().all(|elo| elo.is_finite() && elo.abs() < 2000.0), "{elos:?}");
        assert!(elos[0] > elos[1] + 200.0 && (elos[1] - elos[2]).abs() < 150.0, "{elos:?}");
        // By hand: one game won of one. ½ (½ - e) + 1 - p = 0 for the winner at +s, where
        // e = 1/(1 + exp(-s)) and p = 1/(1 + exp(-2s)): s = 1.0120, or 175.80 Elo.
        let single = bradley_terry(2, &[met(0, 1, 1.0, 1.0)]);
        let s = single.players[0].elo * LOG_ODDS;
        check(0.5 * (0.5 - expected(s)) + 1.0 - expected(2.0 * s), 0.0, 1e-9);
        check(single.players[0].elo + single.players[1].elo, 0.0, 1e-9);
    }

    #[test]
    fn players_without_games_and_groups_that_never_met() {
        let ratings = bradley_terry(4, &[met(0, 1, 6.0, 10.0)]);
        assert!(ratings.imagined);
        assert!(ratings.players.iter().all(|r| r.elo.is_finite() && r.error.is_finite()));
        assert!(ratings.players[2].error > ratings.players[0].error);
        assert!(bradley_terry(0, &[]).players.is_empty());
        assert_eq!(bradley_terry(1, &[met(0, 0, 1.0, 2.0)]).players.len(), 1);
        assert_eq!(bradley_terry(2, &[met(0, 7, 1.0, 2.0)]).players.len(), 2);
    }

    proptest! {
        #[test]
        fn ratings_are_finite_ordered_and_do_not_depend_on_who_is_first(
            points in prop::collection::vec(0u8..=20, 6),
        ) {
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let list: Vec<_> = pairs.iter().zip(&points)
                .map(|((a, b), p)| met(*a, *b, f64::from(*p) / 2.0, 10.0)).collect();
            let turned: Vec<_> = list.iter()
                .map(|e| met(e.second, e.first, e.games - e.points, e.games)).collect();
            let (ratings, other) = (bradley_terry(4, &list), bradley_terry(4, &turned));
            let mut totals = [0.0; 4];
            for e in &list {
                totals[e.first] += e.points;
                totals[e.second] += e.games - e.points;
            }
            for i in 0..4 {
                let (a, b) = (ratings.players[i], other.players[i]);
                prop_assert!(a.elo.is_finite() && a.error.is_finite() && a.error > 0.0);
                prop_assert!((a.elo - b.elo).abs() < 1e-3, "{} {}", a.elo, b.elo);
                for j in 0..4 {
                    // Everybody met everybody as often: more points, a higher rating.
                    if totals[i] > totals[j] {
                        prop_assert!(a.elo > ratings.players[j].elo);
                    }
                }
            }
        }
    }
}
