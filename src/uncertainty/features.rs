//! What an uncertainty network sees of a search: T(s, n) of Lan et al. 2021.
//!
//! | channel | is for the move at a point |
//! |---|---|
//! | 0 | its prior |
//! | 1, 2, 3 | its share of the visits, its value, the standard deviation of its value |
//! | 4, 5, 6 | the same over the latest half of the simulations |
//!
//! A move without visits has the value -1 and the deviation 1, and so has a point where nobody may
//! play; one visit has the deviation 0. A pass has no point: it is left out, but its visits count
//! among all. Nothing tells how many simulations were done.

use crate::timeman::Tally;

/// Channels of T.
pub const CHANNELS: usize = 7;

/// T(s, n) of a board of so many points in reading order, channels last, from the moves at the root
/// after `n` simulations and after half of them.
///
/// # Panics
/// If the two are not about the same moves, or a move is beside the board.
#[must_use]
pub fn features(points: usize, now: &[Tally], half: &[Tally]) -> Vec<f32> {
    assert_eq!(now.len(), half.len(), "both are about the same moves");
    let late: Vec<Tally> = now.iter().zip(half).map(|(now, half)| since(now, half)).collect();
    let nowhere = [0.0, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0];
    let mut planes = nowhere.repeat(points);
    let sum = |tallies: &[Tally]| tallies.iter().map(|tally| f64::from(tally.visits)).sum::<f64>();
    let (all, all_late) = (sum(now), sum(&late));
    for (whole, late) in now.iter().zip(&late) {
        let Some(point) = whole.point else { continue };
        let planes = &mut planes[CHANNELS * point..][..CHANNELS];
        planes[0] = whole.prior;
        planes[1..4].copy_from_slice(&statistics(whole, all));
        planes[4..7].copy_from_slice(&statistics(late, all_late));
    }
    planes
}

/// What has come since an earlier look.
fn since(now: &Tally, earlier: &Tally) -> Tally {
    Tally {
        visits: now.visits.saturating_sub(earlier.visits),
        sum: now.sum - earlier.sum,
        squares: now.squares - earlier.squares,
        ..*now
    }
}

/// Share of all visits, value and standard deviation.
#[expect(clippy::cast_possible_truncation, reason = "inputs of a network need no more digits")]
fn statistics(tally: &Tally, all: f64) -> [f32; 3] {
    if tally.visits == 0 {
        return [0.0, -1.0, 1.0];
    }
    let visits = f64::from(tally.visits);
    let mean = tally.sum / visits;
    let variance = (tally.squares / visits - mean * mean).max(0.0);
    let deviation = if tally.visits == 1 { 0.0 } else { variance.sqrt() };
    [(visits / all) as f32, mean as f32, deviation as f32]
}

#[cfg(test)]
mod tests;
