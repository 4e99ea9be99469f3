//! Evaluation curves, drawn.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::assess::Scale;
use super::curves::Curve;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Draws curves as SVG: win probabilities with their intervals over values, and the diagonal that a
/// chance should lie on.
pub fn draw(scale: Scale, curves: &[(String, &Curve)]) -> Result<String, String> {
    let mut drawing = String::new();
    let area = SVGBackend::with_string(&mut drawing, (640, 480)).into_drawing_area();
    let drawn = draw_on(&area, scale, curves).and_then(|()| area.present().map_err(failed));
    drop(area);
    drawn.map_err(|error| error.to_string())?;
    Ok(drawing)
}

fn failed<E: std::error::Error + Send + Sync + 'static>(error: E) -> Error {
    Box::new(error)
}

fn draw_on(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    scale: Scale,
    curves: &[(String, &Curve)],
) -> Result<(), Error> {
    let values = || curves.iter().flat_map(|(_, curve)| &curve.bins).map(|bin| bin.value);
    let (x, about) = match scale {
        Scale::Chance => (0.0..1.0, "evaluation value: the chance of Black"),
        Scale::Points => {
            let far = values().map(f64::abs).fold(5.0, f64::max);
            (-far..far, "evaluation value: the points of Black")
        }
    };
    area.fill(&WHITE).map_err(failed)?;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(x, 0.0..1.0)
        .map_err(failed)?;
    let mut mesh = chart.configure_mesh();
    mesh.x_desc(about).y_desc("win probability of Black").light_line_style(WHITE);
    mesh.draw().map_err(failed)?;
    if scale == Scale::Chance {
        let diagonal = LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.3));
        chart.draw_series(diagonal).map_err(failed)?;
    }
    for (index, (name, curve)) in curves.iter().enumerate() {
        let color = Palette99::pick(index).stroke_width(2);
        let line = curve.bins.iter().map(|bin| (bin.value, bin.win_probability));
        chart
            .draw_series(LineSeries::new(line, color))
            .map_err(failed)?
            .label(name.as_str())
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], color));
        let thin = Palette99::pick(index).mix(0.6).stroke_width(1);
        let bars = curve.bins.iter().map(|bin| {
            PathElement::new(
                vec![(bin.value, bin.interval.low), (bin.value, bin.interval.high)],
                thin,
            )
        });
        chart.draw_series(bars).map_err(failed)?;
    }
    let mut labels = chart.configure_series_labels();
    labels.position(SeriesLabelPosition::UpperLeft);
    labels.background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3));
    labels.draw().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{CurveParams, Judged};

    #[test]
    fn a_line_for_each_curve() {
        let list: Vec<_> = (0..100)
            .map(|n| Judged { value: f64::from(n) / 100.0, black_won: n % 3 == 0, game: 0 })
            .collect();
        let curve = Curve::new(&list, &CurveParams { width: 0.1, least: 1 });
        for scale in [Scale::Chance, Scale::Points] {
            let curves = [("all".to_owned(), &curve), ("<some>".to_owned(), &curve)];
            let drawing = draw(scale, &curves).unwrap();
            assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
            assert!(drawing.contains("&lt;some&gt;") && !drawing.contains("NaN"));
        }
        assert!(draw(Scale::Points, &[]).is_ok());
    }
}
