//! How bad a move is.

use serde::Serialize;

/// What a move has cost the player who made it. Nothing is below 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Loss {
    /// In probability to win.
    pub win_rate: f64,
    /// In points, if they are known.
    pub points: Option<f64>,
}

/// What a move is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing to be said.
    Good,
    /// Somewhat worse than the best move.
    Doubtful,
    /// Bad.
    Mistake,
    /// Very bad.
    Blunder,
}

/// Losses from which a move is called so, in probability to win and in points.
const GRADES: [(Grade, f64, f64); 3] =
    [(Grade::Blunder, 0.20, 8.0), (Grade::Mistake, 0.10, 4.0), (Grade::Doubtful, 0.05, 2.0)];

/// Losses that halve the accuracy of a move.
const HALF_POINTS: f64 = 2.0;
const HALF_WIN_RATE: f64 = 0.10;

impl Loss {
    /// What it is called: by the worse of both.
    #[must_use]
    pub fn grade(&self) -> Grade {
        let points = self.points.unwrap_or(0.0);
        let found = GRADES.iter().find(|grade| self.win_rate >= grade.1 || points >= grade.2);
        found.map_or(Grade::Good, |grade| grade.0)
    }

    /// How much it weighs beside others: 1 where it begins to be worth a word.
    #[must_use]
    pub fn weight(&self) -> f64 {
        let (_, win_rate, points) = GRADES[GRADES.len() - 1];
        (self.win_rate / win_rate).max(self.points.unwrap_or(0.0) / points)
    }

    /// From 1 where nothing is lost towards 0: a half for every two points, or where points are not known for a tenth
    /// of probability to win.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let halves = match self.points {
            Some(points) => points / HALF_POINTS,
            None => self.win_rate / HALF_WIN_RATE,
        };
        0.5f64.powf(halves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_and_accuracy_by_hand() {
        let loss = |win_rate, points| Loss { win_rate, points };
        for (loss, grade, accuracy) in [
            (loss(0.0, Some(0.0)), Grade::Good, 1.0),
            (loss(0.06, Some(0.0)), Grade::Doubtful, 1.0),
            (loss(0.0, Some(4.0)), Grade::Mistake, 0.25),
            (loss(0.5, None), Grade::Blunder, 1.0 / 32.0),
            (loss(0.1, None), Grade::Mistake, 0.5),
        ] {
            assert_eq!(loss.grade(), grade);
            assert!((loss.accuracy() - accuracy).abs() < 1e-9);
            assert_eq!(loss.weight() >= 1.0, grade > Grade::Good);
        }
    }
}
