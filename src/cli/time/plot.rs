//! The mean time of each move, drawn.

use plotters::prelude::*;

use crate::timeman::Simulated;

/// Moves that fewer games have than this share of all are not drawn.
const RARE: f64 = 0.05;

/// Draws a line for each strategy as SVG.
pub(super) fn draw(results: &[(String, Simulated)]) -> anyhow::Result<String> {
    let lines: Vec<(&str, Vec<(f64, f64)>)> = results
        .iter()
        .map(|(name, result)| {
            let enough = RARE * f64::from(result.games) / 2.0;
            let points = result.seconds.iter().enumerate();
            let common = points.filter(|(_, (_, games))| f64::from(*games) >= enough);
            let line = common.map(|(own, &(seconds, _))| ((own + 1) as f64, seconds)).collect();
            (name.as_str(), line)
        })
        .collect();
    let all = || lines.iter().flat_map(|(_, line)| line);
    let longest = all().map(|point| point.0).fold(1.0, f64::max);
    let highest = all().map(|point| point.1).fold(1e-3, f64::max);
    let mut drawing = String::new();
    {
        let area = SVGBackend::with_string(&mut drawing, (900, 600)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(1.0..longest.max(2.0), 0.0..1.05 * highest)?;
        chart.configure_mesh().x_desc("own move").y_desc("mean seconds").draw()?;
        for (index, (name, line)) in lines.iter().enumerate() {
            let color = Palette99::pick(index).stroke_width(2);
            chart
                .draw_series(LineSeries::new(line.iter().copied(), color))?
                .label(*name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], color));
        }
        chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
        area.present()?;
    }
    Ok(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_strategy() {
        let line = |scale: f64| Simulated {
            games: 10,
            seconds: (0..30).map(|k| (scale * f64::from(k), 10)).collect(),
            ..Simulated::default()
        };
        let drawing = draw(&[("STOP".to_owned(), line(1.0)), ("EXP-SIM".to_owned(), line(0.5))]);
        let drawing = drawing.unwrap();
        assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"));
        assert!(drawing.contains("STOP") && drawing.contains("EXP-SIM"));
        assert!(draw(&[]).is_ok());
    }
}
