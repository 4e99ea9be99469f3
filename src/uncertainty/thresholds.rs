//! Thresholds of all checkpoints chosen together: those that save most for what may be lost.

/// What the estimator of a checkpoint says of each search, and what ending each there would come to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    /// What is said; a search ends where it is below the threshold.
    pub said: Vec<f64>,
    /// What ending there loses, and the share of the simulations that is spent.
    pub ended: Vec<Outcome>,
}

/// What became of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Outcome {
    /// Value that was lost.
    pub lost: f64,
    /// Share of the simulations that it took.
    pub spent: f64,
}

impl Outcome {
    fn cost(self, price: f64) -> f64 {
        self.lost + price * self.spent
    }
}

/// Rounds after which thresholds that still improve are good enough.
const ROUNDS: usize = 20;

/// The prices of a whole search, in value, that are tried: from the lowest up, each this much higher than
/// the one before. Nothing is worth more than 2.
const LOWEST_PRICE: f64 = 1e-5;
const HIGHEST_PRICE: f64 = 2.0;
const NEXT_PRICE: f64 = 1.1;

/// One threshold for each checkpoint, in the order in which they are asked, such that the searches take
/// as few simulations as can be found while they lose no more than `limit` in the mean. `whole` is what
/// becomes of each search that none of them ends.
///
/// For a price of simulations in value, each threshold in turn is set to what is best beside the others
/// until nothing changes. Prices rise, each beginning with the thresholds of the one before.
///
/// # Panics
/// If the lists are not of the same searches.
#[must_use]
pub(super) fn thresholds_within(choices: &[Choice], whole: &[Outcome], limit: f64) -> Vec<f64> {
    for choice in choices {
        assert_eq!((choice.said.len(), choice.ended.len()), (whole.len(), whole.len()));
    }
    let orders: Vec<Vec<usize>> = choices.iter().map(|choice| order(&choice.said)).collect();
    let count = whole.len().max(1) as f64;
    let mut thresholds = vec![0.0; choices.len()];
    let mut best = (f64::INFINITY, thresholds.clone());
    let prices = std::iter::successors(Some(LOWEST_PRICE), |price| Some(price * NEXT_PRICE));
    for price in prices.take_while(|&price| price <= HIGHEST_PRICE) {
        improve(&mut thresholds, (choices, &orders, whole), price);
        let outcomes = outcomes(choices, whole, &thresholds);
        let mean = |part: fn(&Outcome) -> f64| outcomes.iter().map(part).sum::<f64>() / count;
        let (lost, spent) = (mean(|outcome| outcome.lost), mean(|outcome| outcome.spent));
        if lost <= limit && spent < best.0 {
            best = (spent, thresholds.clone());
        }
    }
    best.1
}

/// The searches by what is said of them.
fn order(said: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..said.len()).collect();
    order.sort_by(|&a, &b| said[a].total_cmp(&said[b]));
    order
}

/// What becomes of each search.
fn outcomes(choices: &[Choice], whole: &[Outcome], thresholds: &[f64]) -> Vec<Outcome> {
    (0..whole.len()).map(|i| onward(choices, whole, thresholds, i)).collect()
}

/// What becomes of a search that has come to the first of these checkpoints.
fn onward(choices: &[Choice], whole: &[Outcome], thresholds: &[f64], search: usize) -> Outcome {
    let mut asked = choices.iter().zip(thresholds);
    let ending = asked.find(|(choice, threshold)| choice.said[search] < **threshold);
    ending.map_or(whole[search], |(choice, _)| choice.ended[search])
}

/// Sets the thresholds to what is best for a price of simulations, beginning with those that are there.
fn improve(
    thresholds: &mut [f64],
    (choices, orders, whole): (&[Choice], &[Vec<usize>], &[Outcome]),
    price: f64,
) {
    for _ in 0..ROUNDS {
        let before = thresholds.to_vec();
        // Later ones first: what an earlier one saves depends on them.
        for at in (0..choices.len()).rev() {
            let choice = &choices[at];
            let reached =
                |i: usize| choices[..at].iter().zip(&*thresholds).all(|(c, &t)| c.said[i] >= t);
            let (mut sum, mut least, mut best) = (0.0, 0.0, 0.0);
            let mut groups =
                orders[at].chunk_by(|&a, &b| choice.said[a] >= choice.said[b]).peekable();
            while let Some(equal) = groups.next() {
                for &i in equal.iter().filter(|&&i| reached(i)) {
                    let later = onward(&choices[at + 1..], whole, &thresholds[at + 1..], i);
                    sum += choice.ended[i].cost(price) - later.cost(price);
                }
                if sum < least {
                    least = sum;
                    best = groups.peek().map_or(1.0, |next| choice.said[next[0]]);
                }
            }
            thresholds[at] = best;
        }
        if thresholds == before {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(said: &[f64], lost: &[f64], spent: f64) -> Choice {
        let ended = lost.iter().map(|&lost| Outcome { lost, spent }).collect();
        Choice { said: said.to_vec(), ended }
    }

    const WHOLE: Outcome = Outcome { lost: 0.0, spent: 1.0 };

    #[test]
    fn what_may_be_lost_is_spent_where_it_saves_most() {
        let said = [0.1, 0.2, 0.3, 0.4];
        // Ending the first two at once loses 0.1 in all; half-way they would lose nothing.
        let choices =
            [choice(&said, &[0.0, 0.1, 0.9, 0.9], 0.0), choice(&said, &[0.0, 0.0, 0.3, 0.9], 0.5)];
        let found = |limit| thresholds_within(&choices, &[WHOLE; 4], limit);
        // Nothing may be lost: the first ends at once, the second half-way.
        assert_eq!(found(0.0), [0.2, 0.3]);
        // 0.025 in the mean: the second may end at once.
        let some = found(0.025);
        assert_eq!(
            outcomes(&choices, &[WHOLE; 4], &some).iter().filter(|o| o.spent < 0.1).count(),
            2
        );
        // The third costs 0.3 half-way.
        let more = found(0.1);
        let spent: f64 = outcomes(&choices, &[WHOLE; 4], &more).iter().map(|o| o.spent).sum();
        assert!((spent - 1.5).abs() < 1e-12, "{more:?}");
        // Everything may be lost: all end at once.
        assert!((found(2.0)[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_limit_holds_and_equal_answers_end_together() {
        let said = [0.5, 0.5, 0.5, 0.6];
        let choices = [choice(&said, &[0.0, 0.0, 0.4, 0.0], 0.1)];
        assert_eq!(thresholds_within(&choices, &[WHOLE; 4], 0.05), [0.0], "three would lose 0.1");
        assert_eq!(thresholds_within(&choices, &[WHOLE; 4], 0.1), [1.0]);
        assert!(thresholds_within(&[], &[WHOLE; 4], 0.1).is_empty());
        assert_eq!(thresholds_within(&[choice(&[], &[], 0.1)], &[], 0.1), [0.0]);
    }

    #[test]
    fn a_search_that_would_end_soon_anyway_is_worth_little() {
        // Two searches of the same risk; one would be over by itself at 0.2.
        let choices = [choice(&[0.1, 0.2], &[0.05, 0.05], 0.1)];
        let whole = [Outcome { lost: 0.0, spent: 0.2 }, WHOLE];
        // The first saves 0.1 for 0.05, the second 0.9: one threshold takes both or none.
        assert_eq!(thresholds_within(&choices, &whole, 0.05), [1.0]);
        assert_eq!(thresholds_within(&choices, &whole, 0.02), [0.0]);
    }
}
