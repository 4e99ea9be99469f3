//! One conversation: the engine, the settings, and what the client has told about itself.

use std::io;
use std::path::{Path, PathBuf};

use tracing::info;

use super::commands::{self, Call, Command};
use super::graphics::LiveGraphics;
use super::line::Request;
use super::output::{Collected, Output};
use super::response::Response;
use crate::engine::{Engine, EngineParams, Ticket};
use crate::game::{BoardSize, Color, Game};
use crate::util::{Any, params};

/// Instead of the name of a folder: any file, or none.
const ANY_FILE: &str = "any";
const NO_FILE: &str = "off";

params! {
    /// The protocol.
    pub struct GtpParams {
        /// What `name` answers; some clients choose their features by it.
        pub name: String = "Tedomari".to_owned(), Any;
        /// What `version` answers; empty for the version of this program.
        pub version: String = String::new(), Any;
        /// Answer chat on KGS; some versions of kgsGtp stumble over engines that do.
        pub kgs_chat: bool = false, Any;
        /// Who may ask on KGS, in private, what the engine thinks while the game goes on; everybody is told after it.
        pub kgs_operator: String = String::new(), Any;
        /// Files that `loadsgf` and `printsgf` may touch: `any`, `off`, or the folder in which they are. For bots whose GTP others can reach.
        pub files: String = ANY_FILE.to_owned(), Any;
        /// Whether `tedomari-set-config` changes settings.
        pub set_config: bool = true, Any;
        /// Show GoGui what a search finds while it runs, by live graphics on standard error.
        pub gogui_live_graphics: bool = false, Any;
    }
}

/// The configuration as a conversation sees it: keys and values, and the parameters they mean.
pub trait Settings: Send {
    /// All keys with their values, as they stand in a configuration file.
    fn list(&self) -> Vec<(String, String)>;
    /// Sets a key to a value written as in a configuration file; quotes around words may be left
    /// out. A refusal changes nothing and says why.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String>;
    /// The parameters of the engine.
    fn engine(&self) -> EngineParams;
    /// The parameters of the protocol.
    fn gtp(&self) -> GtpParams;
}

/// A conversation with one client.
pub struct Session {
    pub(super) engine: Engine,
    pub(super) settings: Box<dyn Settings>,
    pub(super) opponent: Option<String>,
    pub(super) graphics: Option<LiveGraphics>,
    today: Option<fn() -> String>,
    player: Option<Describe>,
    models: Option<Models>,
    /// The game and the board that the log has told the player of.
    announced: Option<(Game, BoardSize)>,
}

/// Tells of the networks as a list in JSON; why not where there is none. May wait for them.
pub type Models = Box<dyn Fn() -> Result<serde_json::Value, String> + Send + Sync>;

/// Says in words who plays a game on a board of this size.
pub type Describe = Box<dyn Fn(Game, BoardSize) -> String + Send>;

impl Session {
    /// A conversation about an engine.
    #[must_use]
    pub fn new(engine: Engine, settings: Box<dyn Settings>) -> Self {
        Self {
            engine,
            settings,
            opponent: None,
            graphics: None,
            today: None,
            player: None,
            models: None,
            announced: None,
        }
    }

    /// The engine that the conversation is about.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The file that a client means by a name, if it may touch it.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf, String> {
        let is_plain = !name.starts_with('.') && !name.contains(['/', '\\']);
        match self.settings.gtp().files.as_str() {
            ANY_FILE => Ok(name.into()),
            NO_FILE => Err("files are switched off by gtp.files".to_owned()),
            folder if is_plain => Ok(Path::new(folder).join(name)),
            _ => Err(format!("{name} is no name of a file in the folder of gtp.files")),
        }
    }

    /// The same with a place for GoGui's live graphics, which is written to by its own thread and
    /// only when `gtp.gogui_live_graphics` is on.
    #[must_use]
    pub fn with_graphics(self, place: Box<dyn io::Write + Send>) -> Self {
        Self { graphics: Some(LiveGraphics::new(place)), ..self }
    }

    /// The same with somebody who knows the date, as it stands in records.
    #[must_use]
    pub fn with_calendar(self, today: fn() -> String) -> Self {
        Self { today: Some(today), ..self }
    }

    /// The same with somebody who can say who plays.
    #[must_use]
    pub fn with_description(self, player: Describe) -> Self {
        Self { player: Some(player), ..self }
    }

    /// The same with somebody who can tell of the networks.
    #[must_use]
    pub fn with_models(self, models: Models) -> Self {
        Self { models: Some(models), ..self }
    }

    /// The networks as a list in JSON.
    pub(super) fn models(&self) -> Result<String, String> {
        let models = self.models.as_ref().map(|models| models()).transpose()?;
        Ok(models.map_or_else(|| "[]".to_owned(), |models| models.to_string()))
    }

    /// Who plays on the board, in words, if anybody can say.
    pub(super) fn player(&self) -> Option<String> {
        let position = self.engine.state().position();
        Some(self.player.as_ref()?(position.rules().game, position.size()))
    }

    /// Tells the log who plays, once for each game and board.
    fn announce(&mut self) {
        let position = self.engine.state().position();
        let (game, size) = (position.rules().game, position.size());
        if self.announced != Some((game, size)) {
            self.announced = Some((game, size));
            if let Some(player) = self.player() {
                info!(%game, %size, player, "the board");
            }
        }
    }

    /// Answers a request. A search ends early when its ticket is cancelled, an analysis ends only
    /// when its ticket is superseded.
    pub fn answer(&mut self, request: &Request, ticket: &Ticket) -> Response {
        let mut pieces = Collected::default();
        let rest = self.answer_in_pieces(request, ticket, &mut pieces);
        pieces.complete(rest)
    }

    /// Answers a request like [`Session::answer`], but says what is known while it goes on. What
    /// is returned is the rest of the answer if it has begun, and all of it otherwise.
    pub fn answer_in_pieces(
        &mut self,
        request: &Request,
        ticket: &Ticket,
        output: &mut dyn Output,
    ) -> Response {
        self.announce();
        let mut call = Call { ticket, output };
        let text = commands::parse(request, &self.settings.gtp())
            .map_err(|error| error.to_string())
            .and_then(|command| command.execute(self, &mut call).map_err(|failure| failure.0));
        Response { id: request.id, text }
    }

    /// Writes into the record who plays and when. The engine has its own name where it has moved;
    /// the other player has the one that the server has told.
    pub(super) fn describe_game(&mut self) {
        let name = self.settings.gtp().name;
        let players = Color::BOTH.map(|color| {
            if self.engine.moved_for(color) {
                Some(name.clone())
            } else {
                let opponent = self.engine.moved_for(color.opponent());
                self.opponent.clone().filter(|_| opponent)
            }
        });
        self.engine.describe_game(players, self.today.map(|today| today()));
    }

    /// Thinks on the opponent's time until something else is wanted, if that is configured.
    pub fn ponder(&mut self, wanted: &dyn Fn() -> bool) {
        self.engine.ponder(wanted);
    }

    /// Whether the command, by its mere arrival, ends what the engine is thinking about.
    #[must_use]
    pub fn stops(request: &Request) -> bool {
        request.command == commands::STOP && commands::parse(request, &GtpParams::default()).is_ok()
    }

    /// Whether the command ends the conversation.
    #[must_use]
    pub fn ends_with(request: &Request) -> bool {
        matches!(
            commands::parse(request, &GtpParams::default()),
            Ok(Command::Admin(commands::Admin::Quit))
        )
    }
}
