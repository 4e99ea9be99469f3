//! Names at the ends of lines, none above another.

/// A name that wants to stand at a height.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Label {
    /// The end of its line.
    pub(super) from: (f64, f64),
    /// Where it stands.
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) class: String,
}

/// Moves labels apart by at least a gap, within these heights as far as that goes.
pub(super) fn spread(labels: &mut [Label], (top, bottom): (f64, f64), gap: f64) {
    labels.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut least = top;
    for label in labels.iter_mut() {
        label.y = label.y.max(least);
        least = label.y + gap;
    }
    let mut most = bottom;
    for label in labels.iter_mut().rev() {
        label.y = label.y.min(most);
        most = label.y - gap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        for heights in [vec![50.0; 6], vec![99.0, 98.0, 100.0], vec![-5.0, 0.0, 1.0], vec![]] {
            let label =
                |&y: &f64| Label { from: (0.0, y), y, text: String::new(), class: String::new() };
            let mut labels: Vec<_> = heights.iter().map(label).collect();
            spread(&mut labels, (0.0, 100.0), 14.0);
            assert!(labels.windows(2).all(|pair| pair[1].y - pair[0].y >= 14.0 - 1e-9));
            assert!(labels.iter().all(|label| (0.0..=100.0).contains(&label.y)), "{labels:?}");
        }
    }
}
