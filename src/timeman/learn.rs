//! Timetables from games.

use super::table::{Curve, Estimate, Table, TableGame};

/// Steps between the quantiles of the length of games.
const LENGTH_STEPS: u32 = 20;

/// Positions that a row needs.
const ENOUGH: usize = 20;

/// A position in a game, before a move is made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ply {
    /// Stones on the board.
    pub stones: u32,
    /// Mean length of random games from here.
    pub playout_length: Option<f64>,
    /// Highest criticality of a point in them.
    pub criticality: Option<f64>,
}

/// Learns how many moves are left from games, each given by the positions before its moves. None
/// if there are too few.
#[must_use]
pub fn learn_table(
    game: TableGame,
    area: u32,
    source: String,
    games: &[Vec<Ply>],
) -> Option<Table> {
    if games.is_empty() {
        return None;
    }
    let mut lengths: Vec<f64> = games.iter().map(|plies| plies.len() as f64).collect();
    lengths.sort_by(f64::total_cmp);
    let step = |k: u32| super::table::quantile(&lengths, f64::from(k) / f64::from(LENGTH_STEPS));
    // A player's moves left, its next included.
    let left = |plies: &[Ply], at: usize| (plies.len() - at).div_ceil(2) as f64;
    let collect = |key: &dyn Fn(usize, &Ply) -> Option<f64>| -> Vec<(f64, f64)> {
        let of_game = |plies: &Vec<Ply>| -> Vec<_> {
            let pair = |(at, ply)| Some((key(at, ply)?, left(plies, at)));
            plies.iter().enumerate().filter_map(pair).collect()
        };
        games.iter().flat_map(of_game).collect()
    };
    let curve = |value: &dyn Fn(&Ply) -> Option<f64>| -> Vec<(f64, f64)> {
        let of_game = |plies: &Vec<Ply>| -> Vec<_> {
            let pair = |(at, ply)| Some((at as f64, value(ply)?));
            plies.iter().enumerate().filter_map(pair).collect()
        };
        games.iter().flat_map(of_game).collect()
    };
    let width = (f64::from(area) / 20.0).round().max(1.0);
    Some(Table {
        format: 1,
        game,
        area,
        games: u32::try_from(games.len()).ok()?,
        source,
        length: (0..=LENGTH_STEPS).map(step).collect(),
        stones: means(&curve(&|ply| Some(f64::from(ply.stones))), width)?,
        by_moves: estimate(&collect(&|at, _| Some(at as f64)), width)?,
        by_stones: estimate(&collect(&|_, ply| Some(f64::from(ply.stones))), width)?,
        by_playouts: estimate(&collect(&|_, ply| ply.playout_length), width),
        criticality: means(&curve(&|ply| ply.criticality), width),
    })
}

/// Pairs with neighbouring keys together, by rising key.
fn buckets(pairs: &[(f64, f64)], width: f64) -> Vec<(f64, Vec<f64>)> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let same = |a: &(f64, f64), b: &(f64, f64)| (a.0 / width).floor() >= (b.0 / width).floor();
    let bucket = |chunk: &[(f64, f64)]| {
        let key = chunk.iter().map(|pair| pair.0).sum::<f64>() / chunk.len() as f64;
        (key, chunk.iter().map(|pair| pair.1).collect())
    };
    sorted.chunk_by(same).filter(|chunk| chunk.len() >= ENOUGH).map(bucket).collect()
}

fn means(pairs: &[(f64, f64)], width: f64) -> Option<Curve> {
    let row = |(key, values): (f64, Vec<f64>)| {
        [rounded(key), rounded(values.iter().sum::<f64>() / values.len() as f64)]
    };
    let rows: Vec<_> = buckets(pairs, width).into_iter().map(row).collect();
    (!rows.is_empty()).then_some(Curve(rows))
}

fn estimate(pairs: &[(f64, f64)], width: f64) -> Option<Estimate> {
    let row = |(key, mut values): (f64, Vec<f64>)| {
        values.sort_by(f64::total_cmp);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let at = |share| rounded(super::table::quantile(&values, share));
        [rounded(key), rounded(mean), at(0.5), at(0.95)]
    };
    let rows: Vec<_> = buckets(pairs, width).into_iter().map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let mut learned = Estimate { error: 0.0, rows };
    let errors = pairs.iter().map(|&(key, left)| (learned.at(key).mean - left).abs());
    learned.error = rounded(errors.sum::<f64>() / pairs.len() as f64);
    Some(learned)
}

/// Two digits are more than the games tell.
fn rounded(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_one_length_leave_no_doubt() {
        // 30 games of 40 moves on 9x9 without captures.
        let game: Vec<_> = (0..40).map(|stones| Ply { stones, ..Ply::default() }).collect();
        let games = vec![game; 30];
        let table = learn_table(TableGame::Go, 81, "a test".to_owned(), &games).unwrap();
        assert_eq!((table.games, table.by_playouts.is_none()), (30, true));
        assert!((table.own_moves() - 20.0).abs() < 1e-9);
        // Keys 0 to 3: 20, 20, 19 and 19 moves are left.
        let first = table.by_moves.rows[0].map(|x| format!("{x:.2}"));
        assert_eq!(first, ["1.50", "19.50", "19.50", "20.00"]);
        assert_eq!(table.by_stones, table.by_moves);
        let last = table.by_moves.at(1000.0);
        assert!((last.mean - 1.5).abs() < 1e-9 && (last.upper - 2.0).abs() < 1e-9);
        assert!((table.stones.at(21.5) - 21.5).abs() < 1e-9);
        assert!(table.by_moves.error < 0.51, "{}", table.by_moves.error);
        assert_eq!(Table::from_toml(&table.to_toml()), Ok(table));
    }

    #[test]
    fn quantiles_stand_beside_the_mean() {
        // Half of the games have 20 moves, half 60.
        let games: Vec<_> = (0..100).map(|k| vec![Ply::default(); 20 + 40 * (k % 2)]).collect();
        let table = learn_table(TableGame::NoGo, 81, String::new(), &games).unwrap();
        let start = table.by_moves.at(1.5);
        assert!((start.mean - 19.5).abs() < 1e-9 && start.upper >= 29.0, "{start:?}");
        assert!(learn_table(TableGame::Go, 81, String::new(), &[]).is_none());
    }
}
