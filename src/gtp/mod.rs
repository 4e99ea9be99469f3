//! The Go Text Protocol, version 2: bytes to lines, lines to typed commands, commands to answers.

mod analysis;
mod args;
mod commands;
mod docs;
mod graphics;
mod line;
mod output;
mod response;
mod server;
mod session;
mod watch;

pub use commands::{Command, Spec, specs};
pub use docs::reference;
pub use line::{Line, Request, read_line};
pub use output::Output;
pub use response::Response;
pub use server::{MAX_LINE, ServeError, serve};
pub use session::{Describe, GtpParams, Models, Session, Settings};
