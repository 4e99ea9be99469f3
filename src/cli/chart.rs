//! Curves, drawn.

use plotters::prelude::*;

/// A curve with its name.
pub(super) type Curve<'a> = (&'a str, Vec<(f64, f64)>);

/// Draws curves as SVG, from 0 or `left` on and up to the largest values; the axes are described.
pub(super) fn draw(
    curves: &[Curve<'_>],
    left: f64,
    (x_text, y_text): (&str, &str),
) -> anyhow::Result<String> {
    let all = || curves.iter().flat_map(|(_, curve)| curve);
    let longest = all().map(|point| point.0).fold(left, f64::max);
    let right = if longest > left { longest } else { left + 1.0 };
    let highest = all().map(|point| point.1).fold(1e-3, f64::max);
    let mut drawing = String::new();
    {
        let area = SVGBackend::with_string(&mut drawing, (900, 600)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(left..right, 0.0..1.05 * highest)?;
        chart.configure_mesh().x_desc(x_text).y_desc(y_text).draw()?;
        for (index, (name, curve)) in curves.iter().enumerate() {
            let color = Palette99::pick(index).stroke_width(2);
            chart
                .draw_series(LineSeries::new(curve.iter().copied(), color))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], color));
        }
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
        area.present()?;
    }
    Ok(drawing)
}
