//! KataGo's JSON protocol: a query on each line, answers as lines, see `docs/analysis.md`.

mod answer;
mod fields;
mod hash;
mod moves;
mod query;
mod rules;
mod schema;
mod session;
mod settings;

pub use answer::{Analysis, Complaint, MoveInfo, NoResults, RootInfo};
pub use schema::schema;
pub use session::{Context, Models, Output, Session};
pub use settings::{Settings, Unusable};
