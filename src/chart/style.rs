//! Colours and type, of pages and of pictures.

use std::fmt::Write as _;

/// What each colour is by day and by night. Those of series, c0 to c5, differ for people who see no red, no
/// green or no blue, too.
const COLOURS: [(&str, &str, &str); 14] = [
    ("paper", "#f7f5f0", "#181a1b"),
    ("card", "#fffefb", "#202324"),
    ("ink", "#23211d", "#e8e4db"),
    ("muted", "#6f6a60", "#a09a8e"),
    ("line", "#e4dfd4", "#34383a"),
    ("ghost", "#cfc8ba", "#4a4f51"),
    ("draw", "#c9c3b6", "#5a5c58"),
    ("warn", "#a4472f", "#e58a6f"),
    ("c0", "#0b6e69", "#4fb3a9"),
    ("c1", "#de7128", "#de8a12"),
    ("c2", "#4f3682", "#417ab7"),
    ("c3", "#9a60cb", "#cd4855"),
    ("c4", "#2aa893", "#8ff0dc"),
    ("c5", "#772800", "#d1d436"),
];
/// Colours for series; they begin again after the last.
const SERIES: usize = 6;

const CHART: &str = include_str!("chart.css");
const PAGE: &str = include_str!("page.css");

/// The class of a series: `l` for lines, `f` for areas, `s` for what stands on a page; `x` instead of a
/// number for those without a colour.
pub(super) fn class(kind: char, colour: Option<usize>) -> String {
    match colour {
        Some(colour) => format!("{kind}{}", colour % SERIES),
        None => format!("{kind}x"),
    }
}

/// The style of a page, which takes the colours of the reader's system.
pub(super) fn of_page() -> String {
    let colours = |night: bool| {
        let mut list = String::new();
        for (name, day, dark) in COLOURS {
            let _ = write!(list, " --{name}: {};", if night { dark } else { day });
        }
        list
    };
    let mut sheet = format!(
        ":root {{ color-scheme: light dark;{} }}\n@media (prefers-color-scheme: dark) {{ :root {{{} }} }}\n",
        colours(false),
        colours(true)
    );
    for series in 0..SERIES {
        let _ = writeln!(
            sheet,
            ".s{series} {{ background: var(--c{series}); --swatch: var(--c{series}); }}"
        );
    }
    sheet + &rules() + PAGE
}

/// The style of a file. Not every viewer knows variables, so that colours are written out.
pub(super) fn of_file() -> String {
    let written_out = |night: bool| {
        let with = |sheet: String, (name, day, dark): &(&str, &str, &str)| {
            sheet.replace(&format!("var(--{name})"), if night { dark } else { day })
        };
        COLOURS.iter().fold(rules(), with)
    };
    format!(
        "\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
        written_out(false),
        written_out(true)
    )
}

/// The rules of charts.
fn rules() -> String {
    let mut sheet = CHART.to_owned();
    for series in 0..SERIES {
        let _ = writeln!(
            sheet,
            "svg .l{series} {{ stroke: var(--c{series}); }}\nsvg .f{series} {{ fill: var(--c{series}); }}"
        );
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What people who lack one kind of cones see, for linear RGB (Machado, Oliveira and Fernandes 2009,
    /// severity 1), and what others see.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    fn linear(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn product(matrix: [[f64; 3]; 3], [a, b, c]: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * a + row[1] * b + row[2] * c)
    }

    /// Oklab (Ottosson 2020), in which distances are as large as they look.
    fn seen(colour: &str, eye: [[f64; 3]; 3]) -> [f64; 3] {
        let light = product(eye, linear(colour)).map(|part| part.clamp(0.0, 1.0));
        let cones = product(
            [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            light,
        );
        product(
            [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ],
            cones.map(f64::cbrt),
        )
    }

    #[test]
    fn colour_blind_people_can_tell_lines_apart() {
        for night in [false, true] {
            let pick = |colour: &(&'static str, &'static str, &'static str)| {
                if night { colour.2 } else { colour.1 }
            };
            let series: Vec<&str> = COLOURS[COLOURS.len() - SERIES..].iter().map(pick).collect();
            for (at, a) in series.iter().enumerate() {
                for b in &series[..at] {
                    for eye in EYES {
                        let (a, b) = (seen(a, eye), seen(b, eye));
                        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
                        assert!(squares.sum::<f64>().sqrt() > 0.12, "{series:?} {at}");
                    }
                }
            }
            let light = |colour: &str| {
                let [r, g, b] = linear(colour);
                0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
            };
            let card = light(pick(&COLOURS[1]));
            for colour in &series {
                let ratio = light(colour) / card;
                assert!(ratio.max(1.0 / ratio) > 2.85, "{colour} is too near to the card");
            }
        }
    }

    #[test]
    fn a_file_needs_no_variables() {
        assert!(!of_file().contains("var("));
        let page = of_page();
        for name in page.split("var(--").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(page.contains(&format!("--{name}:")), "{name} is no colour");
        }
    }
}
