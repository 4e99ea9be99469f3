//! Axes: their range, the numbers beside them, and how these are written.

/// How the numbers of an axis are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Counted things, such as games: no fractions.
    Whole,
    /// Numbers without a unit.
    Plain,
    /// Shares: 0.25 is 25 %.
    Percent,
    /// Seconds.
    Seconds,
}

/// One axis of a chart.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows.
    pub name: String,
    /// How its numbers are written.
    pub unit: Unit,
    /// Where it begins and ends; with the numbers where there is none.
    least: Option<f64>,
    most: Option<f64>,
}

impl Axis {
    /// An axis that reaches as far as its numbers do.
    #[must_use]
    pub fn new(name: &str, unit: Unit) -> Self {
        Self { name: name.to_owned(), unit, least: None, most: None }
    }

    /// An axis with these ends.
    #[must_use]
    pub fn within(name: &str, unit: Unit, low: f64, high: f64) -> Self {
        Self { least: Some(low), most: Some(high), ..Self::new(name, unit) }
    }

    /// The axis beginning at zero.
    #[must_use]
    pub fn from_zero(self) -> Self {
        Self { least: Some(0.0), ..self }
    }

    /// Where the axis begins and ends. A range of one point would be divided by.
    pub(super) fn ends(&self, found: (f64, f64)) -> (f64, f64) {
        let (low, high) = (self.least.unwrap_or(found.0), self.most.unwrap_or(found.1));
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    /// Round numbers within the ends with their texts: as many as make at most `most` steps, but two where
    /// that would leave one alone.
    pub(super) fn ticks(&self, (low, high): (f64, f64), most: f64) -> Vec<(f64, String)> {
        let step = self.step(high - low, most);
        let shown = if self.unit == Unit::Percent { 100.0 * step } else { step };
        let decimals = (0..9).find(|&d| (shown * 10f64.powi(d)).fract().abs() < 1e-6).unwrap_or(9);
        let decimals = usize::try_from(decimals).unwrap_or(0);
        let mut ticks = Vec::new();
        let mut level = (low / step - 1e-9).ceil();
        while level * step <= high + step * 1e-9 {
            // Rounding leaves crumbs, which must not become a negative zero.
            let number = if level == 0.0 { 0.0 } else { level * step };
            ticks.push((number, with_unit(number, self.unit, |x| format!("{x:.decimals$}"))));
            level += 1.0;
        }
        if ticks.len() < 2 && most < 8.0 { self.ticks((low, high), 2.0 * most) } else { ticks }
    }

    /// 1, 2 or 5 times a power of ten, so that at most `most` steps make the span.
    fn step(&self, span: f64, most: f64) -> f64 {
        let mut power = if self.unit == Unit::Whole { 0 } else { -9 };
        loop {
            for factor in [1.0, 2.0, 5.0] {
                // A negative power of ten is not exact, its inverse is.
                let step = if power < 0 {
                    factor / 10f64.powi(-power)
                } else {
                    factor * 10f64.powi(power)
                };
                if span / step <= most.max(1.0) || power > 18 {
                    return step;
                }
            }
            power += 1;
        }
    }
}

/// A number in few characters.
#[must_use]
pub fn number(x: f64, unit: Unit) -> String {
    with_unit(x, unit, |x| match x.abs() {
        size if size >= 100.0 || size.fract() == 0.0 => format!("{x:.0}"),
        size if size >= 10.0 => trimmed(&format!("{x:.1}")),
        size if size >= 0.1 => trimmed(&format!("{x:.2}")),
        _ => trimmed(&format!("{x:.4}")),
    })
}

fn with_unit(x: f64, unit: Unit, digits: impl Fn(f64) -> String) -> String {
    match unit {
        Unit::Percent => format!("{}\u{a0}%", grouped(&digits(100.0 * x))),
        Unit::Seconds => format!("{}\u{a0}s", grouped(&digits(x))),
        Unit::Whole | Unit::Plain if x.abs() >= 1e7 => {
            format!("{}M", grouped(&trimmed(&format!("{:.1}", x / 1e6))))
        }
        Unit::Whole | Unit::Plain => grouped(&digits(x)),
    }
}

fn trimmed(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

/// `12000` as `12,000`.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut grouped = sign.to_owned();
    for (at, c) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(c);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(unit: Unit, low: f64, high: f64) -> Vec<String> {
        let ticks = Axis::new("", unit).ticks((low, high), 5.0);
        ticks.into_iter().map(|(_, text)| text.replace('\u{a0}', " ")).collect()
    }

    #[test]
    fn numbers_are_short() {
        for (x, unit, text) in [
            (0.0, Unit::Plain, "0"),
            (12.0, Unit::Whole, "12"),
            (0.25, Unit::Percent, "25 %"),
            (0.125, Unit::Percent, "12.5 %"),
            (0.5, Unit::Seconds, "0.5 s"),
            (0.0021, Unit::Seconds, "0.0021 s"),
            (25_000.0, Unit::Plain, "25,000"),
            (30_000_000.0, Unit::Plain, "30M"),
            (-2.94, Unit::Plain, "-2.94"),
            (-1234.0, Unit::Plain, "-1,234"),
        ] {
            assert_eq!(number(x, unit).replace('\u{a0}', " "), text);
        }
    }

    #[test]
    fn counted_things_have_no_fractions() {
        assert_eq!(texts(Unit::Whole, 0.0, 2.0), ["0", "1", "2"]);
        assert_eq!(texts(Unit::Whole, 1.0, 2.0), ["1", "2"]);
        assert_eq!(texts(Unit::Whole, 0.0, 12_000.0), ["0", "5,000", "10,000"]);
        assert_eq!(texts(Unit::Plain, 0.0, 2.0), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
    }

    #[test]
    fn no_number_stands_alone_beside_an_axis() {
        let ticks = Axis::new("", Unit::Plain).ticks((-40.0, 40.0), 3.0);
        let texts: Vec<_> = ticks.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["-40", "-20", "0", "20", "40"]);
    }

    #[test]
    fn numbers_beside_an_axis_differ() {
        assert_eq!(texts(Unit::Plain, 2.001, 2.004), ["2.001", "2.002", "2.003", "2.004"]);
        assert_eq!(
            texts(Unit::Percent, 0.0, 1.0),
            ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
        );
        assert_eq!(texts(Unit::Plain, -0.1, 0.1), ["-0.10", "-0.05", "0.00", "0.05", "0.10"]);
        assert_eq!(texts(Unit::Seconds, 0.0, 1e-12).len(), 1);
    }
}
