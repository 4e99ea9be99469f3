//! Analysis: what a search finds, told while it goes on.

mod options;
mod raw;

use std::time::Duration;

use super::{Answer, Call, Command, Failure, Spec, done};
use crate::engine::{MoveReport, Purpose, Tickets, View};
use crate::gtp::analysis::{cgos_line, kata_line, lz_line};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;
use crate::gtp::watch::Watch;
use crate::search::SearchReport;
use options::{MOVE_USAGE, Options, USAGE};
use raw::RawQuestion;

/// The command that ends a search by its mere arrival.
pub(crate) const STOP: &str = "stop";

/// Time between the reports of an analysis that nobody has given an interval.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq)]
pub enum Analyze {
    Stop,
    Search(Act, Form, Options),
    RawNn(RawQuestion),
    Models,
    Report,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// To learn about the position, until something else is wanted.
    Analyze,
    /// To play a move.
    Play,
    /// To find a move.
    Suggest,
    /// To find a move, unless something else is wanted before.
    SuggestCancellable,
}

/// How the client wants to hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The move alone, at the end.
    MoveOnly,
    Lz,
    Kata,
    Cgos,
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "analyze",
        USAGE,
        "Searches until any further input comes, and reports like `kata-analyze`; the name that Sabaki looks for.",
        |args| ok(Act::Analyze, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "genmove_analyze",
        USAGE,
        "Like `kata-genmove_analyze`; the name that Sabaki looks for.",
        |args| ok(Act::Play, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "lz-analyze",
        USAGE,
        "Searches until any further input comes. Reports are lines of `info move D4 visits 12 winrate 5123 prior 1234 lcb 5000 order 0 pv D4 Q16` for each move, in ten thousandths, for the side to move.",
        |args| ok(Act::Analyze, Form::Lz, Options::read(args)?.of_leela()?),
    ),
    Spec::new(
        "lz-genmove_analyze",
        USAGE,
        "Thinks and plays like `genmove` with reports like those of `lz-analyze`; the last lines are a report and `play MOVE`.",
        |args| ok(Act::Play, Form::Lz, Options::read(args)?.of_leela()?),
    ),
    Spec::new(
        "kata-analyze",
        USAGE,
        "Searches until any further input comes. Reports are lines of `info move D4 visits 12 … winrate 0.512300 … pv D4 Q16` for each move, with scores if they are known, all for the side to move. `avoid` and `allow` limit the moves of a player in so many plies from the position on, 1 for the first move alone.",
        |args| ok(Act::Analyze, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "kata-genmove_analyze",
        USAGE,
        "Thinks and plays like `genmove` with reports like those of `kata-analyze`; the last lines are a report and `play MOVE`.",
        |args| ok(Act::Play, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "cgos-genmove_analyze",
        "COLOR",
        "Thinks and plays like `genmove`; answers a line of JSON for the server, then `play MOVE`.",
        |args| ok(Act::Play, Form::Cgos, Options::of_color(args.color()?)),
    ),
    Spec::new("kata-search", MOVE_USAGE, "Thinks and answers a move without playing it.", |args| {
        ok(Act::Suggest, Form::MoveOnly, Options::read(args)?.of_a_move()?)
    }),
    Spec::new(
        "kata-search_cancellable",
        MOVE_USAGE,
        "Like `kata-search`, but any further input ends it, and the answer is then `cancelled`.",
        |args| ok(Act::SuggestCancellable, Form::MoveOnly, Options::read(args)?.of_a_move()?),
    ),
    Spec::new(
        "kata-search_analyze",
        USAGE,
        "Like `kata-genmove_analyze` without playing the move.",
        |args| ok(Act::Suggest, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "kata-search_analyze_cancellable",
        USAGE,
        "Like `kata-search_analyze`, but any further input ends it, and the last line is then `play cancelled`.",
        |args| ok(Act::SuggestCancellable, Form::Kata, Options::read(args)?),
    ),
    Spec::new(
        "kata-raw-nn",
        "[COLOR] SYMMETRY|all [OPTIMISM]",
        "What the evaluator says before any search, seen by White, with COLOR or whose turn it is to move: of the board turned by a symmetry, with KataGo's numbers, or by all that the board has. OPTIMISM from 0 to 1 is the share of a network's optimistic policy, 0 if nothing is said.",
        |args| Ok(Command::Analyze(Analyze::RawNn(RawQuestion::read(args)?))),
    ),
    Spec::new(
        "kata-get-models",
        "",
        "The networks that are asked, as a list in JSON with `name` (the file), `internalName`, `maxBatchSize`, `usesHumanSLProfile` (false: none is), `version` and `usingFP16`.",
        |_| Ok(Command::Analyze(Analyze::Models)),
    ),
    Spec::new("tedomari-search-report", "", "The last search as one line of JSON.", |_| {
        Ok(Command::Analyze(Analyze::Report))
    }),
    Spec::new(
        STOP,
        "",
        "Its arrival ends whatever the engine is thinking about; a move that is being searched comes at once.",
        |_| Ok(Command::Analyze(Analyze::Stop)),
    ),
];

fn ok(act: Act, form: Form, options: Options) -> Result<Command, ArgError> {
    Ok(Command::Analyze(Analyze::Search(act, form, options)))
}

impl Analyze {
    pub(super) fn execute(self, session: &mut Session, call: &mut Call<'_>) -> Answer {
        match self {
            Analyze::Stop => done(),
            Analyze::Search(act, form, options) => search(session, call, (act, form), &options),
            Analyze::Models => session.models().map_err(Failure),
            Analyze::RawNn(question) => question.answer(&session.engine),
            Analyze::Report => {
                session.engine.last_report().map(MoveReport::to_json).ok_or_else(no_search)
            }
        }
    }
}

/// There is nothing to tell of.
pub(super) fn no_search() -> Failure {
    Failure("there was no search since the board changed".to_owned())
}

impl Form {
    /// A line of a report, if there is something to tell.
    fn line(self, report: &SearchReport, options: &Options) -> Option<String> {
        match self {
            Form::MoveOnly => None,
            Form::Lz => lz_line(report, &options.parts),
            Form::Kata => kata_line(report, &options.parts),
            Form::Cgos => Some(cgos_line(report)),
        }
    }

    /// How often to report while the search runs; the last report of a move always comes.
    fn interval(self, act: Act, options: &Options) -> Option<Duration> {
        match self {
            Form::MoveOnly | Form::Cgos => None,
            Form::Lz | Form::Kata if act == Act::Analyze => {
                Some(options.interval.unwrap_or(DEFAULT_INTERVAL))
            }
            Form::Lz | Form::Kata => options.interval,
        }
    }
}

fn search(
    session: &mut Session,
    call: &mut Call<'_>,
    (act, form): (Act, Form),
    options: &Options,
) -> Answer {
    let live = session.settings.gtp().gogui_live_graphics;
    let Session { engine, graphics, .. } = session;
    let position = engine.state().position();
    let (size, color) = (position.size(), options.color.unwrap_or(position.to_move()));
    let limits = options.limits(position, color)?;
    let owner_spreads = options.parts.owner_spreads();
    let Call { ticket, output } = call;
    if form != Form::MoveOnly {
        output.begin();
    }
    let mut watch = Watch::default().draw(graphics.as_mut().filter(|_| live));
    if let Some(interval) = form.interval(act, options) {
        watch = watch.report(interval, |report| {
            form.line(report, options).into_iter().for_each(|line| output.line(line));
        });
    }
    let cancelled = Tickets::default();
    if act == Act::SuggestCancellable {
        watch = watch.end_with(ticket, &cancelled);
    }
    let view = View { limits, owner_spreads, observer: Some(&mut watch) };
    let decision = match act {
        Act::Analyze => {
            engine.analyze(color, ticket, view)?;
            return done();
        }
        Act::Play => engine.genmove(color, Purpose::Win, ticket, view)?,
        Act::Suggest => engine.suggest(color, ticket, view)?,
        Act::SuggestCancellable => engine.suggest(color, &cancelled.ticket(0), view)?,
    };
    drop(watch);
    let ended = cancelled.ticket(0).is_cancelled();
    let chosen = if ended { "cancelled".to_owned() } else { decision.text(size) };
    if form == Form::MoveOnly {
        return Ok(chosen);
    }
    let last = engine.last_report().and_then(|report| form.line(&report.search, options));
    Ok(last.into_iter().chain([format!("play {chosen}")]).collect::<Vec<_>>().join("\n"))
}
