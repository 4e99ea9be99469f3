//! The conversation itself and the configuration.

use super::analyze::no_search;
use super::{Answer, Command, Failure, Spec, done, listed};
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;

#[derive(Clone, Debug, PartialEq)]
pub enum Admin {
    ProtocolVersion,
    Name,
    Version,
    KnownCommand(String),
    ListCommands,
    Quit,
    DescribeEngine,
    CpuTime,
    ExplainLastMove,
    GetConfig(Option<String>),
    SetConfig { key: String, value: String },
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new("protocol_version", "", "The version of the protocol: 2.", |_| {
        ok(Admin::ProtocolVersion)
    }),
    Spec::new("name", "", "The name of the engine; --gtp-name changes it.", |_| ok(Admin::Name)),
    Spec::new("version", "", "The version of the engine; --gtp-version changes it.", |_| {
        ok(Admin::Version)
    }),
    Spec::new("known_command", "COMMAND", "`true` or `false`.", |args| {
        ok(Admin::KnownCommand(args.word("command")?.to_owned()))
    }),
    Spec::new("list_commands", "", "All commands, one on a line.", |_| ok(Admin::ListCommands)),
    Spec::new(
        "quit",
        "",
        "Ends the program. A search that has been running for a moment answers with its best move first.",
        |_| ok(Admin::Quit),
    ),
    Spec::new(
        "gomill-describe_engine",
        "",
        "Name, version and who plays on this board, in a few lines.",
        |_| ok(Admin::DescribeEngine),
    ),
    Spec::new("gomill-explain_last_move", "", "What the last search has found.", |_| {
        ok(Admin::ExplainLastMove)
    }),
    Spec::new("gomill-cpu_time", "", "Seconds of processor time used by the program.", |_| {
        ok(Admin::CpuTime)
    }),
    Spec::new("cputime", "", "Seconds of processor time used by the program.", |_| {
        ok(Admin::CpuTime)
    }),
    Spec::new(
        "tedomari-get-config",
        "[KEY]",
        "The value of a key of engine.toml, such as `time.lag_ms`, or all keys with their values.",
        |args| ok(Admin::GetConfig(args.optional().map(str::to_owned))),
    ),
    Spec::new(
        "tedomari-set-config",
        "KEY VALUE",
        "Sets a key of engine.toml in `game`, `play`, `time`, `search` or `gtp`. Keys of `game` begin a new game.",
        |args| {
            let key = args.word("key")?.to_owned();
            let value = [args.word("value")?.to_owned()]
                .into_iter()
                .chain(args.rest().iter().cloned())
                .collect::<Vec<_>>()
                .join(" ");
            ok(Admin::SetConfig { key, value })
        },
    ),
];

fn ok(command: Admin) -> Result<Command, ArgError> {
    Ok(Command::Admin(command))
}

impl Admin {
    pub(super) fn execute(self, session: &mut Session) -> Answer {
        let params = session.settings.gtp();
        match self {
            Admin::ProtocolVersion => Ok("2".to_owned()),
            Admin::Name => Ok(params.name),
            Admin::Version => Ok(version(session)),
            Admin::KnownCommand(name) => {
                Ok(listed(&params).any(|spec| spec.name == name).to_string())
            }
            Admin::ListCommands => {
                Ok(listed(&params).map(|spec| spec.name).collect::<Vec<_>>().join("\n"))
            }
            Admin::Quit => done(),
            Admin::DescribeEngine => Ok(format!(
                "{} {}\n{}",
                params.name,
                version(session),
                session.player().unwrap_or_else(|| "A tree search for Go and NoGo".to_owned())
            )),
            Admin::CpuTime => {
                let used = cpu_time::ProcessTime::try_now()?.as_duration();
                Ok(format!("{:.3}", used.as_secs_f64()))
            }
            Admin::ExplainLastMove => {
                session.engine.last_report().map(ToString::to_string).ok_or_else(no_search)
            }
            Admin::GetConfig(key) => get_config(session, key.as_deref()),
            Admin::SetConfig { key, value } => set_config(session, &key, &value),
        }
    }
}

fn version(session: &Session) -> String {
    let given = session.settings.gtp().version;
    if given.is_empty() { env!("CARGO_PKG_VERSION").to_owned() } else { given }
}

/// Sections of settings that can be changed while the engine runs.
const AT_ANY_TIME: [&str; 5] = ["game.", "play.", "time.", "search.", "gtp."];

/// Keys of these sections that are read at the start all the same.
const AT_THE_START: [&str; 5] =
    ["gtp.files", "gtp.set_config", "time.table", "time.stop_profile", "time.simulations_as_time"];

/// Sets a key and tells the engine, or changes nothing.
fn set_config(session: &mut Session, key: &str, value: &str) -> Answer {
    if !session.settings.gtp().set_config {
        return Err(Failure("switched off by gtp.set_config".to_owned()));
    }
    let before = get_config(session, Some(key));
    session.settings.set(key, value).map_err(Failure)?;
    let restore = |session: &mut Session| session.settings.set(key, &before?).map_err(Failure);
    let any_time = AT_ANY_TIME.iter().any(|section| key.starts_with(section));
    if !any_time || AT_THE_START.contains(&key) {
        restore(session)?;
        return Err(Failure(format!("{key} is read at the start: use --set or engine.toml")));
    }
    if let Err(refusal) = session.engine.configure(session.settings.engine()) {
        restore(session)?;
        return Err(refusal.into());
    }
    done()
}

fn get_config(session: &Session, key: Option<&str>) -> Answer {
    let list = session.settings.list();
    let Some(key) = key else {
        let lines: Vec<_> = list.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        return Ok(lines.join("\n"));
    };
    list.into_iter()
        .find(|(known, _)| known == key)
        .map(|(_, value)| value)
        .ok_or_else(|| Failure(format!("unknown key '{key}': tedomari-get-config lists them")))
}
