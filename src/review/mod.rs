//! Games looked at afterwards: what each move was worth, and who has won a position.
//!
//! [`analyse`] searches positions one after the other; [`Review`] makes of what was found which moves lost most and
//! how well each player played; [`annotations`] and [`page()`] show it. [`Estimate`] says of one position what is dead,
//! who owns what and who wins.

mod analyse;
mod findings;
mod game;
mod grade;
mod page;
mod score;
mod sgf;

pub use analyse::{Analyst, Candidate, Effort, Finding, analyse};
pub use findings::Findings;
pub use game::{Phase, Player, Review, Subject, Turn, positions};
pub use grade::{Grade, Loss};
pub use page::page;
pub use score::{Basis, Estimate};
pub use sgf::annotations;
