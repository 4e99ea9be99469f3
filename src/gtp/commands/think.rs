//! Moves by the engine.

use super::{Answer, Command, Spec, done};
use crate::engine::{Purpose, Ticket, View};
use crate::game::Color;
use crate::gtp::args::ArgError;
use crate::gtp::session::Session;
use crate::gtp::watch::Watch;

#[derive(Clone, Debug, PartialEq)]
pub enum Think {
    Genmove(Color, Purpose),
    RegGenmove(Color),
    Interrupt,
}

pub(super) const SPECS: &[Spec] = &[
    Spec::new(
        "genmove",
        "COLOR",
        "Thinks, plays and answers a move, `pass` or `resign`. In NoGo a player without a legal move resigns.",
        |args| ok(Think::Genmove(args.color()?, Purpose::Win)),
    ),
    Spec::new(
        "reg_genmove",
        "COLOR",
        "Thinks and answers a move without playing it; never resigns while there is a legal move.",
        |args| ok(Think::RegGenmove(args.color()?)),
    ),
    Spec::new(
        "kgs-genmove_cleanup",
        "COLOR",
        "Like genmove, but does not pass before all dead stones of the opponent are captured.",
        |args| ok(Think::Genmove(args.color()?, Purpose::CleanUp)),
    ),
    Spec::new(
        "gogui-interrupt",
        "",
        "Says that a search can be interrupted by the comment line `# interrupt`.",
        |_| ok(Think::Interrupt),
    ),
];

fn ok(command: Think) -> Result<Command, ArgError> {
    Ok(Command::Think(command))
}

impl Think {
    pub(super) fn execute(self, session: &mut Session, ticket: &Ticket) -> Answer {
        let live = session.settings.gtp().gogui_live_graphics;
        let Session { engine, graphics, .. } = session;
        let mut watch = Watch::default().draw(graphics.as_mut().filter(|_| live));
        let view = View { observer: Some(&mut watch), ..View::none() };
        let decision = match self {
            Think::Genmove(color, purpose) => engine.genmove(color, purpose, ticket, view)?,
            Think::RegGenmove(color) => engine.suggest(color, ticket, view)?,
            Think::Interrupt => return done(),
        };
        drop(watch);
        Ok(decision.text(engine.state().position().size()))
    }
}
