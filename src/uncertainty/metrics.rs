//! How good an estimate of uncertainty is.

use serde::{Deserialize, Serialize};

/// Estimates `u` beside what was true: whether more search would have mattered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores(pub Vec<(f64, bool)>);

/// What can be said of estimates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quality {
    /// How many there are.
    pub states: usize,
    /// Share that was uncertain.
    pub uncertain: f64,
    /// Area under the ROC curve: how often an uncertain state has the higher estimate.
    pub auc: f64,
    /// Area under the curve of precision over recall, by steps.
    pub average_precision: f64,
    /// Mean squared error.
    pub brier: f64,
    /// Expected calibration error over ten bins.
    pub calibration_error: f64,
    /// Share of estimates on the right side of one half.
    pub accuracy: f64,
}

/// States whose estimates lie in one tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tenth {
    /// How many.
    pub states: usize,
    /// Mean estimate.
    pub said: f64,
    /// Share that was uncertain.
    pub came: f64,
}

/// What a threshold does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtThreshold {
    /// Below it a search stops.
    pub threshold: f64,
    /// Share of the uncertain states that go on.
    pub recall: f64,
    /// Share of the certain states that stop: alpha of equation 6.
    pub specificity: f64,
}

impl Scores {
    fn share(&self, of: impl Fn(bool) -> bool, hit: impl Fn(f64) -> bool) -> f64 {
        let chosen = self.0.iter().filter(|(_, truth)| of(*truth));
        let (mut all, mut hits) = (0_usize, 0_usize);
        for (u, _) in chosen {
            all += 1;
            hits += usize::from(hit(*u));
        }
        if all == 0 { 0.0 } else { hits as f64 / all as f64 }
    }

    /// All in one.
    #[must_use]
    pub fn quality(&self) -> Quality {
        let count = self.0.len().max(1) as f64;
        let truth = |truth: bool| f64::from(u8::from(truth));
        let brier = self.0.iter().map(|&(u, t)| (u - truth(t)).powi(2)).sum::<f64>() / count;
        let right = self.0.iter().filter(|&&(u, t)| (u >= 0.5) == t).count() as f64;
        let gap = |tenth: &Tenth| tenth.states as f64 * (tenth.said - tenth.came).abs();
        Quality {
            states: self.0.len(),
            uncertain: self.0.iter().filter(|(_, t)| *t).count() as f64 / count,
            auc: self.auc(),
            average_precision: self.average_precision(),
            brier,
            calibration_error: self.reliability().iter().map(gap).sum::<f64>() / count,
            accuracy: right / count,
        }
    }

    /// Area under the ROC curve by ranks (Mann and Whitney 1947), equal estimates counting half;
    /// one half where all states are alike.
    #[must_use]
    pub fn auc(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut certain_below, mut sum, mut uncertain) = (0.0, 0.0, 0.0);
        for equal in sorted.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let yes = equal.iter().filter(|(_, truth)| *truth).count() as f64;
            let no = equal.len() as f64 - yes;
            sum += yes * (certain_below + no / 2.0);
            certain_below += no;
            uncertain += yes;
        }
        let pairs = certain_below * uncertain;
        if pairs > 0.0 { sum / pairs } else { 0.5 }
    }

    /// The precision at every step of recall, from the highest estimates down: the sum of
    /// `(R_k - R_(k-1)) P_k` over different estimates. The share of uncertain states is what chance gives.
    #[must_use]
    pub fn average_precision(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut seen, mut found, mut sum) = (0.0, 0.0, 0.0);
        for equal in sorted.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let yes = equal.iter().filter(|(_, truth)| *truth).count() as f64;
            seen += equal.len() as f64;
            found += yes;
            sum += yes * found / seen;
        }
        if found > 0.0 { sum / found } else { 0.0 }
    }

    /// The reliability curve in ten bins.
    #[must_use]
    pub fn reliability(&self) -> Vec<Tenth> {
        let mut bins = vec![Tenth::default(); 10];
        for &(u, truth) in &self.0 {
            #[expect(clippy::cast_possible_truncation, reason = "clamped to the bins")]
            #[expect(clippy::cast_sign_loss, reason = "clamped to the bins")]
            let bin = &mut bins[((u * 10.0).clamp(0.0, 9.0)) as usize];
            bin.states += 1;
            bin.said += u;
            bin.came += f64::from(u8::from(truth));
        }
        for bin in &mut bins {
            let count = bin.states.max(1) as f64;
            bin.said /= count;
            bin.came /= count;
        }
        bins
    }

    /// What a threshold does.
    #[must_use]
    pub fn at(&self, threshold: f64) -> AtThreshold {
        AtThreshold {
            threshold,
            recall: self.share(|truth| truth, |u| u >= threshold),
            specificity: self.share(|truth| !truth, |u| u < threshold),
        }
    }

    /// The largest threshold that still catches this share of the uncertain states; 0, which stops
    /// nothing, where there are none to learn it from.
    #[must_use]
    pub fn threshold(&self, recall: f64) -> f64 {
        let mut uncertain: Vec<f64> =
            self.0.iter().filter(|(_, truth)| *truth).map(|(u, _)| *u).collect();
        uncertain.sort_by(f64::total_cmp);
        let missed = (1.0 - recall) * uncertain.len() as f64;
        #[expect(clippy::cast_possible_truncation, reason = "a share of a count")]
        #[expect(clippy::cast_sign_loss, reason = "a share of a count")]
        let missed = (missed + 1e-9) as usize;
        uncertain.get(missed).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores() -> Scores {
        Scores(vec![(0.1, false), (0.2, false), (0.3, true), (0.4, false), (0.9, true)])
    }

    #[test]
    fn numbers_worked_out_by_hand() {
        let quality = scores().quality();
        // Of six pairs the one of 0.3 and 0.4 is the wrong way round.
        assert!((quality.auc - 5.0 / 6.0).abs() < 1e-9);
        // 0.9 is right, 0.3 is the third.
        assert!((quality.average_precision - 5.0 / 6.0).abs() < 1e-9);
        let tied = Scores(vec![(0.5, true), (0.5, false), (0.1, true)]);
        assert!((tied.average_precision() - 7.0 / 12.0).abs() < 1e-9);
        assert!(Scores::default().average_precision().abs() < 1e-9);
        assert!((quality.brier - (0.01 + 0.04 + 0.49 + 0.16 + 0.01) / 5.0).abs() < 1e-9);
        assert!((quality.accuracy - 0.8).abs() < 1e-9);
        assert!((quality.uncertain - 0.4).abs() < 1e-9);
        // Bins 1, 2, 3, 4 and 9 with one state each: gaps 0.1, 0.2, 0.7, 0.4, 0.1.
        assert!((quality.calibration_error - 1.5 / 5.0).abs() < 1e-9);
        assert!((Scores(vec![(0.5, true), (0.5, false)]).auc() - 0.5).abs() < 1e-9);
        assert!((Scores::default().auc() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_threshold_catches_what_it_should() {
        let scores = scores();
        assert!((scores.threshold(1.0) - 0.3).abs() < 1e-9);
        assert!((scores.threshold(0.5) - 0.9).abs() < 1e-9);
        let at = scores.at(0.3);
        assert!((at.recall - 1.0).abs() < 1e-9 && (at.specificity - 2.0 / 3.0).abs() < 1e-9);
        let at = scores.at(0.9);
        assert!((at.recall - 0.5).abs() < 1e-9 && (at.specificity - 1.0).abs() < 1e-9);
        assert!(Scores(vec![(0.2, false)]).threshold(0.96).abs() < 1e-9);
    }
}
