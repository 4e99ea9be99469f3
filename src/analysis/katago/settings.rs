//! KataGo's search parameters that have an equivalent here.

use std::time::Duration;

use crate::analysis::params::{AnalysisParams, History, Perspective};
use crate::search::SearchParams;

/// How a query is searched and told of where it says nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Visits of a position at the most.
    pub visits: u64,
    /// Time for a position at the most.
    pub time: Option<Duration>,
    /// Whose win rates are told.
    pub winrates: Perspective,
    /// Moves of a line of play after the first.
    pub pv_length: usize,
    /// Whether the network is not to know which moves led to a position.
    pub ignore_history: bool,
    /// Whether to warn of fields that mean nothing.
    pub warn_unused: bool,
    /// The search.
    pub search: SearchParams,
    /// The flatness of the priors at the root that `rootPolicyTemperature` asks for, and that `wideRootNoise` adds.
    flatness: (f64, f64),
}

/// Why a parameter has no effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// There is nothing like it here.
    #[error("{0} has no equivalent")]
    Unknown(String),
    /// The value is none.
    #[error("{key} cannot be {value}: {reason}")]
    Value {
        /// The parameter.
        key: String,
        /// What it was to be.
        value: String,
        /// What it can be.
        reason: String,
    },
}

/// Visits beyond which nothing is counted.
const MOST_VISITS: f64 = (1_u64 << 50) as f64;

impl Settings {
    /// The settings of a configuration, in which somebody has decided what networks see.
    #[must_use]
    pub fn new(params: &AnalysisParams, search: SearchParams) -> Self {
        Self {
            visits: params.max_visits,
            time: None,
            winrates: params.winrates,
            pv_length: params.pv_length,
            ignore_history: params.history == History::Hidden,
            warn_unused: params.warn_unused,
            flatness: (search.root_temperature, 1.0),
            search,
        }
    }

    /// Sets one of KataGo's parameters.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), Unusable> {
        let text = Text { key, value: value.trim() };
        let search = &mut self.search;
        match key {
            "maxVisits" | "maxPlayouts" => self.visits = text.whole(1.0, MOST_VISITS)?,
            "maxTime" => {
                let seconds = text.number(0.0, 1e20)?;
                self.time = Duration::try_from_secs_f64(seconds).ok();
            }
            "reportAnalysisWinratesAs" => self.winrates = text.perspective()?,
            "ignorePreRootHistory" => self.ignore_history = text.flag()?,
            "warnUnusedFields" => self.warn_unused = text.flag()?,
            "analysisPVLen" => self.pv_length = text.size(1.0, 1000.0)?,
            "rootPolicyTemperature" | "rootPolicyTemperatureEarly" => {
                self.set_root_temperature(text.number(0.01, 100.0)?);
            }
            "wideRootNoise" => {
                // What KataGo raises the priors at the root to.
                self.flatness.1 = 1.0 + 4.0 * text.number(0.0, 5.0)?;
                self.flatten();
            }
            "rootFpuReductionMax" => search.root_first_play_reduction = text.number(0.0, 2.0)?,
            "fpuReductionMax" => search.first_play_reduction = text.number(0.0, 2.0)?,
            "cpuctExploration" => search.c_puct = text.number(0.0, 10.0)?,
            "cpuctExplorationLog" => search.c_puct_growth = text.number(0.0, 10.0)?,
            "rootNumSymmetriesToSample" => search.root_symmetries = text.whole(1.0, 8.0)? > 1,
            "lcbStdevs" => search.lower_bound_width = text.number(1.0, 10.0)?,
            "rootNoiseEnabled" => search.noise = if text.flag()? { 0.25 } else { 0.0 },
            "rootDirichletNoiseTotalConcentration" => {
                search.noise_alpha = text.number(0.01, 1000.0)?;
            }
            "rootDirichletNoiseWeight" => search.noise = text.number(0.0, 1.0)?,
            _ => return Err(Unusable::Unknown(key.to_owned())),
        }
        Ok(())
    }

    /// How flat the priors at the root are.
    pub(super) fn set_root_temperature(&mut self, temperature: f64) {
        self.flatness.0 = temperature;
        self.flatten();
    }

    fn flatten(&mut self) {
        self.search.root_temperature = (self.flatness.0 * self.flatness.1).clamp(0.01, 100.0);
    }
}

/// A parameter with its value.
struct Text<'a> {
    key: &'a str,
    value: &'a str,
}

impl Text<'_> {
    fn unusable(&self, reason: impl Into<String>) -> Unusable {
        let (key, value) = (self.key.to_owned(), self.value.to_owned());
        Unusable::Value { key, value, reason: reason.into() }
    }

    fn number(&self, low: f64, high: f64) -> Result<f64, Unusable> {
        let number = self.value.parse().ok().filter(|number| (low..=high).contains(number));
        number.ok_or_else(|| self.unusable(format!("it is a number from {low} to {high}")))
    }

    fn whole(&self, low: f64, high: f64) -> Result<u64, Unusable> {
        let number = self.number(low, high)?;
        if number.fract() != 0.0 {
            return Err(self.unusable("it is a whole number"));
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked by the caller's limits")]
        #[expect(clippy::cast_sign_loss, reason = "checked by the caller's limits")]
        Ok(number as u64)
    }

    fn size(&self, low: f64, high: f64) -> Result<usize, Unusable> {
        Ok(usize::try_from(self.whole(low, high)?).unwrap_or(usize::MAX))
    }

    fn flag(&self) -> Result<bool, Unusable> {
        match self.value.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(self.unusable("it is true or false")),
        }
    }

    fn perspective(&self) -> Result<Perspective, Unusable> {
        match self.value.to_ascii_uppercase().as_str() {
            "B" | "BLACK" => Ok(Perspective::Black),
            "W" | "WHITE" => Ok(Perspective::White),
            "SIDETOMOVE" => Ok(Perspective::SideToMove),
            _ => Err(self.unusable("it is BLACK, WHITE or SIDETOMOVE")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Settings, Unusable> {
        let mut settings = Settings::new(&AnalysisParams::default(), SearchParams::default());
        pairs.iter().try_for_each(|(key, value)| settings.set(key, value))?;
        Ok(settings)
    }

    #[test]
    fn parameters_with_an_equivalent_take_effect() {
        let settings = with(&[
            ("maxVisits", "1000"),
            ("maxTime", "0.5"),
            ("reportAnalysisWinratesAs", "SIDETOMOVE"),
            ("ignorePreRootHistory", "true"),
            ("analysisPVLen", "3"),
            ("rootFpuReductionMax", "0"),
            ("cpuctExploration", "1.5"),
            ("rootNumSymmetriesToSample", "8"),
            ("rootNoiseEnabled", "true"),
        ])
        .unwrap();
        assert_eq!((settings.visits, settings.time), (1000, Some(Duration::from_millis(500))));
        assert_eq!((settings.winrates, settings.pv_length), (Perspective::SideToMove, 3));
        let search = &settings.search;
        assert!(settings.ignore_history && search.root_symmetries);
        let numbers = [search.root_first_play_reduction, search.c_puct, search.noise];
        assert_eq!(numbers.map(|number| number.to_string()), ["0", "1.5", "0.25"]);
        assert_eq!(with(&[("maxTime", "1e20")]).unwrap().time, None);
    }

    #[test]
    fn two_parameters_flatten_the_root_in_any_order() {
        let wide = ("wideRootNoise", "0.25");
        let warm = ("rootPolicyTemperature", "1.5");
        for pairs in [[wide, warm], [warm, wide]] {
            assert!((with(&pairs).unwrap().search.root_temperature - 3.0).abs() < 1e-9);
        }
    }

    #[test]
    fn wrong_values_and_unknown_parameters_are_named() {
        for (key, value) in [
            ("maxVisits", "0"),
            ("maxVisits", "many"),
            ("maxTime", "-1"),
            ("maxTime", "nan"),
            ("reportAnalysisWinratesAs", "GREY"),
            ("ignorePreRootHistory", "maybe"),
            ("analysisPVLen", "2.5"),
        ] {
            let error = with(&[(key, value)]).unwrap_err();
            assert!(matches!(&error, Unusable::Value { .. }), "{error}");
            assert!(error.to_string().contains(key) && error.to_string().contains(value));
        }
        assert_eq!(
            with(&[("antiMirror", "true")]),
            Err(Unusable::Unknown("antiMirror".to_owned()))
        );
    }
}
