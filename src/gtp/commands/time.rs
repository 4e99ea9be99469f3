//! Clocks.

use super::{Answer, Command, Failure, Spec, done};
use crate::game::Color;
use crate::gtp::args::{ArgError, Args};
use crate::gtp::session::Session;
use crate::timeman::{TimeSystem, seconds_to_duration};

#[derive(Clone, Debug, PartialEq)]
pub enum Time {
    Settings(TimeSystem),
    UnknownSettings(String),
    Left { color: Color, seconds: f64, overtime: u32 },
    ListSystems,
}

/// The words that `kata-time_settings` knows.
const SYSTEMS: &str = "none absolute byoyomi canadian fischer fischer-capped";

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "time_settings",
        "MAIN PERIOD STONES",
        "Main time and Canadian overtime in seconds. A period with 0 stones, or three zeros, mean no limit; no period means sudden death.",
        |args| {
            let (main, period) = (args.parse("main time")?, args.parse("period")?);
            ok(Time::Settings(gtp_system(main, period, args.count("number of stones")?)))
        },
    ),
    Spec::new(
        "time_left",
        "COLOR SECONDS STONES",
        "What is left on a clock: of the main time with 0 stones, otherwise of overtime with so many stones or periods.",
        |args| {
            ok(Time::Left {
                color: args.color()?,
                seconds: args.parse("time")?,
                overtime: args.count("number of stones")?,
            })
        },
    ),
    Spec::new(
        "kgs-time_settings",
        "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES",
        "The time systems of KGS, in seconds.",
        named_system,
    ),
    Spec::new(
        "kata-time_settings",
        "none | absolute MAIN | byoyomi MAIN PERIOD PERIODS | canadian MAIN PERIOD STONES | fischer MAIN INCREMENT | fischer-capped MAIN INCREMENT CAP MAX_MOVE",
        "All time systems, in seconds; a negative cap means none.",
        named_system,
    ),
    Spec::new("kata-list_time_settings", "", "The words that kata-time_settings knows.", |_| {
        ok(Time::ListSystems)
    }),
];

fn ok(command: Time) -> Result<Command, ArgError> {
    Ok(Command::Time(command))
}

/// The meaning of `time_settings`.
fn gtp_system(main: f64, period: f64, stones: u32) -> TimeSystem {
    let (main, period) = (seconds_to_duration(main), seconds_to_duration(period));
    match (period.is_zero(), stones) {
        (true, _) if main.is_zero() => TimeSystem::Unlimited,
        (true, _) => TimeSystem::Absolute { main },
        (false, 0) => TimeSystem::Unlimited,
        (false, stones) => TimeSystem::Canadian { main, period, stones },
    }
}

fn named_system(args: &mut Args<'_>) -> Result<Command, ArgError> {
    let word = args.word("time system")?.to_owned();
    let seconds = |args: &mut Args<'_>, name| args.parse(name).map(seconds_to_duration);
    let limit = |args: &mut Args<'_>, name| {
        args.parse::<f64>(name).map(|s| (s >= 0.0).then(|| seconds_to_duration(s)))
    };
    let system = match word.as_str() {
        "none" => TimeSystem::Unlimited,
        "absolute" => TimeSystem::Absolute { main: seconds(args, "main time")? },
        "byoyomi" => TimeSystem::Byoyomi {
            main: seconds(args, "main time")?,
            period: seconds(args, "period")?,
            periods: args.count("number of periods")?.max(1),
        },
        "canadian" => TimeSystem::Canadian {
            main: seconds(args, "main time")?,
            period: seconds(args, "period")?,
            stones: args.count("number of stones")?.max(1),
        },
        "fischer" => TimeSystem::Fischer {
            main: seconds(args, "main time")?,
            increment: seconds(args, "increment")?,
            cap: None,
            max_move: None,
        },
        "fischer-capped" => TimeSystem::Fischer {
            main: seconds(args, "main time")?,
            increment: seconds(args, "increment")?,
            cap: limit(args, "cap")?,
            max_move: limit(args, "maximum for a move")?,
        },
        _ => {
            args.rest();
            return ok(Time::UnknownSettings(word));
        }
    };
    ok(Time::Settings(system))
}

impl Time {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        match self {
            Time::Settings(system) => session.engine.set_time_system(system),
            Time::UnknownSettings(word) => {
                return Err(Failure(format!("unknown time system '{word}': choose {SYSTEMS}")));
            }
            Time::Left { color, seconds, overtime } => {
                session.engine.set_time_left(color, seconds, overtime);
            }
            Time::ListSystems => return Ok(SYSTEMS.to_owned()),
        }
        done()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_ways_to_say_no_limit() {
        for (main, period, stones) in [(0.0, 1.0, 0), (1.0, 1.0, 0), (0.0, 0.0, 0), (-1.0, 0.0, 5)]
        {
            assert_eq!(gtp_system(main, period, stones), TimeSystem::Unlimited);
        }
    }

    #[test]
    fn canadian_and_absolute() {
        let secs = Duration::from_secs;
        assert_eq!(gtp_system(300.0, 0.0, 0), TimeSystem::Absolute { main: secs(300) });
        assert_eq!(gtp_system(300.0, 0.0, 5), TimeSystem::Absolute { main: secs(300) });
        let canadian = TimeSystem::Canadian { main: secs(0), period: secs(30), stones: 10 };
        assert_eq!(gtp_system(0.0, 30.0, 10), canadian);
    }

    fn named(text: &str) -> Result<Command, ArgError> {
        let words: Vec<_> = text.split(' ').map(str::to_owned).collect();
        named_system(&mut Args::new(&words))
    }

    #[test]
    fn named_systems() {
        let secs = Duration::from_secs;
        let cases = [
            ("none", TimeSystem::Unlimited),
            ("absolute 60.5", TimeSystem::Absolute { main: Duration::from_millis(60_500) }),
            (
                "byoyomi 60 10 5",
                TimeSystem::Byoyomi { main: secs(60), period: secs(10), periods: 5 },
            ),
            (
                "canadian 60 10 5",
                TimeSystem::Canadian { main: secs(60), period: secs(10), stones: 5 },
            ),
            (
                "fischer-capped 60 5 90 -1",
                TimeSystem::Fischer {
                    main: secs(60),
                    increment: secs(5),
                    cap: Some(secs(90)),
                    max_move: None,
                },
            ),
        ];
        for (text, system) in cases {
            assert_eq!(named(text), ok(Time::Settings(system)), "{text}");
        }
        assert_eq!(named("hourglass 3"), ok(Time::UnknownSettings("hourglass".to_owned())));
        assert!(named("absolute").is_err());
        for word in SYSTEMS.split(' ') {
            assert!(!matches!(
                named(&format!("{word} 1 1 1 1")),
                Ok(Command::Time(Time::UnknownSettings(_)))
            ));
        }
    }
}
