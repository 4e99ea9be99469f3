//! Evaluation curves as charts.

use super::assess::Scale;
use super::curves::Curve;
use tedomari::chart::{Axis, Chart, Line, Marks, Unit};

/// Win probabilities with their intervals over values. `all` is a curve that the others are compared with;
/// chances are compared with the diagonal that they should lie on, too.
#[must_use]
pub fn chart(title: &str, scale: Scale, all: Option<&Curve>, curves: &[(String, &Curve)]) -> Chart {
    let shown = || curves.iter().map(|(_, curve)| *curve).chain(all);
    let values = || shown().flat_map(|curve| &curve.bins).map(|bin| bin.value);
    let mut lines = Vec::new();
    let x = match scale {
        Scale::Chance => {
            lines.push(Line::reference("calibrated", vec![(0.0, 0.0), (1.0, 1.0)]));
            Axis::within("value: the chance of Black", Unit::Percent, 0.0, 1.0)
        }
        Scale::Points => {
            let far = values().map(f64::abs).fold(5.0, f64::max);
            Axis::within("value: the points of Black", Unit::Plain, -far, far)
        }
    };
    let line = |curve: &Curve, name: &str, colour| Line {
        name: name.to_owned(),
        colour,
        points: curve.bins.iter().map(|bin| (bin.value, bin.win_probability)).collect(),
        band: curve.bins.iter().map(|bin| (bin.interval.low, bin.interval.high)).collect(),
    };
    if let Some(all) = all {
        lines.push(Line { band: Vec::new(), ..line(all, "all", None) });
    }
    let coloured = curves.iter().enumerate();
    lines.extend(coloured.map(|(colour, (name, curve))| line(curve, name, Some(colour))));
    Chart {
        title: title.to_owned(),
        x,
        y: Axis::within("games won by Black", Unit::Percent, 0.0, 1.0),
        marks: Marks::Lines(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CurveParams, Judged};

    #[test]
    fn a_line_for_each_curve() {
        let list: Vec<_> = (0..100)
            .map(|n| Judged { value: f64::from(n) / 100.0, black_won: n % 3 == 0, game: 0 })
            .collect();
        let curve = Curve::new(&list, &CurveParams { width: 0.1, least: 1 });
        for scale in [Scale::Chance, Scale::Points] {
            let curves = [("some".to_owned(), &curve), ("<others>".to_owned(), &curve)];
            let drawing = chart("curves", scale, Some(&curve), &curves).file();
            assert_eq!(drawing.matches("class=\"band").count(), 2);
            assert!(drawing.contains("&lt;others&gt;") && !drawing.contains("NaN"));
        }
        assert!(chart("none", Scale::Points, None, &[]).is_empty());
    }
}
