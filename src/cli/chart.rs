//! Curves, drawn.

use plotters::prelude::*;

/// A curve with its name.
pub(super) type Curve<'a> = (&'a str, Vec<(f64, f64)>);

/// Width and height of a drawing; the names stand right of the curves.
const SIZE: (u32, u32) = (900, 600);
const NAMES_FROM: u32 = 700;

/// Height of a name, less where there are many of them.
const NAME: i32 = 18;

/// Curves of no more points than this have a dot for each.
const FEW: usize = 16;

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
        let area = SVGBackend::with_string(&mut drawing, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (plot, names) = area.split_horizontally(NAMES_FROM);
        let mut chart = ChartBuilder::on(&plot)
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(left..right, 0.0..1.05 * highest)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x_text).y_desc(y_text).light_line_style(WHITE).draw()?;
        let room = i32::try_from(SIZE.1)? / i32::try_from(curves.len() + 1)?;
        for (index, (name, curve)) in curves.iter().enumerate() {
            let color = Palette99::pick(index);
            chart.draw_series(LineSeries::new(curve.iter().copied(), color.stroke_width(2)))?;
            if curve.len() <= FEW {
                let dot = |&point: &(f64, f64)| Circle::new(point, 3, color.filled());
                chart.draw_series(curve.iter().map(dot))?;
            }
            let y = room.min(NAME) * (i32::try_from(index)? + 1);
            let line = vec![(0, y), (20, y)];
            names.draw(&PathElement::new(line, color.stroke_width(2)))?;
            names.draw(&Text::new(*name, (26, y - 6), ("sans-serif", 12)))?;
        }
        area.present()?;
    }
    Ok(drawing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_beside_the_curves() {
        let names: Vec<String> = (0..70).map(|n| format!("<{n}>")).collect();
        let curves: Vec<Curve<'_>> =
            names.iter().map(|name| (name.as_str(), vec![(0.5, 2.0)])).collect();
        for count in [0, 1, 70] {
            let drawing = draw(&curves[..count], 0.0, ("x", "y")).unwrap();
            assert_eq!(drawing.matches("&lt;").count(), count);
            // Every name has its line at its left, and a single point is seen.
            assert_eq!(drawing.matches("points=\"700,").count(), count, "{drawing}");
            assert_eq!(drawing.matches("<circle").count(), count);
            let ends = |line: &str| {
                line.strip_prefix("<text x=\"726\" y=\"")?.split('"').next()?.parse().ok()
            };
            let heights: Vec<f64> = drawing.lines().filter_map(ends).collect();
            assert!(heights.len() == count && heights.is_sorted_by(|a, b| a + 7.0 < *b));
            assert!(heights.iter().all(|&y| y < 600.0));
        }
    }
}
