//! Win/Loss States: a success rate in one byte.
//!
//! A program that learns while it plays keeps success rates of millions of things. A Win/Loss State
//! (Basaldúa and Moreno Vega 2013) is a small integer that stands for a proportion `n/m`, wins of
//! visits, with `m` at most the *end of scale* `e`. States are numbered in the order of confidence, so
//! that a comparison of integers compares evidence; a win or a loss is one look-up. 0 is 0/0, never
//! seen: an array of zeros is an empty memory. The authors count 26 million contexts of two moves, a
//! colour and one of 100 patterns on 19x19, which take 26 MB, and four billion updates in half an hour.
//!
//! ```
//! use tedomari::playout::Wls;
//!
//! let wls = Wls::new(21, 1.3)?;
//! let mut state = 0;
//! for won in [true, false, true, true] {
//!     state = if won { wls.win(state) } else { wls.loss(state) };
//! }
//! assert_eq!(wls.proportion(state), (3, 4));
//! assert!(state > wls.index_of_half());
//! # Ok::<(), tedomari::playout::WlsError>(())
//! ```
//!
//! At the end of scale the proportion cannot grow. Counting on there would drift to 0 or 1; instead a
//! saturated state jumps to the past (JPS), to fewer visits and so to less confidence, the farther the
//! more extreme it is. `K` says how far; the authors' best is 1.3, and 0 is the plain counter. Old
//! results are forgotten that way, the sooner the smaller `e` is. With `e = 1` a state is the result
//! of the last visit: the last good reply with forgetting (Baier and Drake 2010).

use std::fmt::Debug;

/// The quantile of the normal distribution in the confidence interval, that of an interval of 50 %.
/// The paper leaves it open; this is what its authors' program uses.
const Z: f64 = 0.674_490;

/// The longest scale: half a million states for each thousand visits squared.
const LONGEST: u16 = 4000;

/// An integer that states fit in.
pub trait State: Copy + Eq + Ord + Debug + Default {
    /// The longest scale whose states fit.
    const LONGEST: u16;

    /// The state with this number, which must fit.
    fn new(index: usize) -> Self;

    /// The number of this state.
    fn index(self) -> usize;
}

macro_rules! state {
    ($type:ty, $longest:expr) => {
        impl State for $type {
            const LONGEST: u16 = $longest;

            fn new(index: usize) -> Self {
                Self::try_from(index).expect("invariant: the scale was checked against LONGEST")
            }

            #[inline]
            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

state!(u8, 21);
state!(u16, 360);
state!(u32, LONGEST);

/// No such Win/Loss States.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WlsError {
    /// The states would not fit.
    #[error("an end of scale of {e} is not possible here: write 1 to {longest}")]
    Scale {
        /// What was asked for.
        e: u16,
        /// The longest that fits.
        longest: u16,
    },
    /// Jumps cannot go farther than to the beginning.
    #[error("jumps to the past of K = {k} are not possible: write 0 to 2, the usual is 1.3")]
    Jump {
        /// What was asked for.
        k: f64,
    },
}

/// The tables of the Win/Loss States of one end of scale.
#[derive(Clone, Debug)]
pub struct Wls<S = u8> {
    e: u16,
    win: Box<[S]>,
    loss: Box<[S]>,
    /// Wins and visits of each state.
    proportions: Box<[(u16, u16)]>,
    /// The state of `n/m` at `m (m + 1) / 2 + n`.
    places: Box<[S]>,
    half: S,
}

impl Wls<u8> {
    /// States of a byte for an end of scale up to 21, with jumps of `k`, which counts to the
    /// thousandth.
    pub fn new(e: u16, k: f64) -> Result<Self, WlsError> {
        Self::with_states(e, k)
    }
}

impl<S: State> Wls<S> {
    /// The same as [`Wls::new`] with states of another size: `u16` up to 360, `u32` up to 4000.
    pub fn with_states(e: u16, k: f64) -> Result<Self, WlsError> {
        if !(1..=S::LONGEST).contains(&e) {
            return Err(WlsError::Scale { e, longest: S::LONGEST });
        }
        if !(0.0..=2.0).contains(&k) {
            return Err(WlsError::Jump { k });
        }
        let order = in_order(e);
        let mut places = vec![S::default(); order.len()];
        for (index, &(n, m)) in order.iter().enumerate() {
            places[place(n, m)] = S::new(index);
        }
        let jumps = Jumps { e, thousandths: thousandths(k), places: &places };
        let next = |&(n, m): &(u16, u16), won: bool| match (m == e, won) {
            (false, _) => places[place(n + u16::from(won), m + 1)],
            (true, true) => jumps.after_win(n),
            (true, false) => jumps.after_loss(n),
        };
        let win = order.iter().map(|proportion| next(proportion, true)).collect();
        let loss = order.iter().map(|proportion| next(proportion, false)).collect();
        let half = order.partition_point(|&(n, m)| 2 * n < m || m == 0);
        Ok(Self {
            e,
            win,
            loss,
            half: S::new(half),
            proportions: order.into(),
            places: places.into(),
        })
    }

    /// The state after a win.
    #[inline]
    #[must_use]
    pub fn win(&self, state: S) -> S {
        self.win[state.index()]
    }

    /// The state after a loss.
    #[inline]
    #[must_use]
    pub fn loss(&self, state: S) -> S {
        self.loss[state.index()]
    }

    /// The state after a result; without a branch, for results that no processor foresees.
    #[inline]
    #[must_use]
    pub fn update(&self, state: S, won: bool) -> S {
        [&self.loss, &self.win][usize::from(won)][state.index()]
    }

    /// The first state that does not speak against winning: 1/2, and 1/1 for `e = 1`, where there is
    /// no 1/2. States above it are better than even; add to it for a higher threshold.
    #[inline]
    #[must_use]
    pub const fn index_of_half(&self) -> S
    where
        S: Copy,
    {
        self.half
    }

    /// The state of `n` wins in `m` visits; none beyond the end of scale.
    #[must_use]
    pub fn index_of(&self, n: u16, m: u16) -> Option<S> {
        (n <= m && m <= self.e).then(|| self.places[place(n, m)])
    }

    /// Wins and visits that a state stands for.
    #[must_use]
    pub fn proportion(&self, state: S) -> (u16, u16) {
        self.proportions[state.index()]
    }

    /// Wins by visits; none of the state that was never seen.
    #[must_use]
    pub fn rate(&self, state: S) -> Option<f64> {
        let (n, m) = self.proportion(state);
        (m > 0).then(|| f64::from(n) / f64::from(m))
    }

    /// How many states there are: `(e + 1)(e + 2) / 2`.
    #[must_use]
    pub fn states(&self) -> usize {
        self.win.len()
    }

    /// The end of scale.
    #[must_use]
    pub const fn end_of_scale(&self) -> u16 {
        self.e
    }
}

/// How sure it is that `n` wins of `m` visits are above or below one half (condition 1): the bound of
/// the interval of Agresti and Coull (1998) that is nearer to one half. Upper bounds are shifted below
/// all lower ones. For sorting only.
#[must_use]
pub fn confidence(n: u16, m: u16) -> f64 {
    let visits = f64::from(m) + Z * Z;
    let rate = (f64::from(n) + Z * Z / 2.0) / visits;
    let margin = Z * (rate * (1.0 - rate) / visits).sqrt();
    if 2 * n >= m { rate - margin } else { rate + margin - 1.0 }
}

/// All proportions by confidence, 0/0 before all others.
fn in_order(e: u16) -> Vec<(u16, u16)> {
    let seen = (1..=e).flat_map(|m| (0..=m).map(move |n| (n, m)));
    let mut sorted: Vec<_> = seen.map(|(n, m)| (confidence(n, m), (n, m))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    std::iter::once((0, 0)).chain(sorted.into_iter().map(|(_, proportion)| proportion)).collect()
}

/// Where `n/m` stands in a triangle of all proportions.
fn place(n: u16, m: u16) -> usize {
    let (n, m) = (usize::from(n), usize::from(m));
    m * (m + 1) / 2 + n
}

fn thousandths(k: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2000")]
    let thousandths = (k * 1000.0).round() as u32;
    thousandths
}

/// The Jump-to-Past-State heuristic of section IV.
struct Jumps<'a, S> {
    e: u16,
    thousandths: u32,
    places: &'a [S],
}

impl<S: State> Jumps<'_, S> {
    /// The smallest state with visits of the past that is above `n/e`.
    fn after_win(&self, n: u16) -> S {
        let here = self.at(n, self.e);
        let above = |j: u16| (0..=j).map(|n| self.at(n, j)).find(|&state| state > here);
        if n == self.e { here } else { self.first(n, above) }
    }

    /// The biggest state with visits of the past that is below `n/e`.
    fn after_loss(&self, n: u16) -> S {
        let here = self.at(n, self.e);
        let below = |j: u16| (0..=j).rev().map(|n| self.at(n, j)).find(|&state| state < here);
        if n == 0 { here } else { self.first(n, below) }
    }

    /// What `found` finds for the visits to go back to, or for the next that has such a state: one
    /// with `e` visits always exists.
    fn first(&self, n: u16, found: impl FnMut(u16) -> Option<S>) -> S {
        let back = self.visits_after_jump(n);
        (back..=self.e)
            .find_map(found)
            .expect("invariant: the neighbour in the column of e is found")
    }

    /// `j = e - round(K e |n/e - 1/2|)`, at least 1. The product is computed exactly and ties go to
    /// the even number: for odd `e` and K = 1 every jump is a tie.
    fn visits_after_jump(&self, n: u16) -> u16 {
        let twice = self.thousandths * u32::from((2 * n).abs_diff(self.e));
        let (whole, rest) = (twice / 2000, twice % 2000);
        let up = rest > 1000 || rest == 1000 && whole % 2 == 1;
        let jump = u16::try_from(whole + u32::from(up)).unwrap_or(u16::MAX);
        self.e.saturating_sub(jump).max(1)
    }

    fn at(&self, n: u16, m: u16) -> S {
        self.places[place(n, m)]
    }
}

#[cfg(test)]
mod tests;
