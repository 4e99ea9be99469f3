//! Experiments: what the papers have measured, measured again.

mod assess;
mod chart;
mod checklist;
mod curves;
pub mod findings;
mod metrics;
mod page;
mod sample;
mod study;
pub mod time;
pub mod wls;

pub use assess::{AssessError, Assessor, Memory, Programs, Scale, Searched, Watch, assess};
pub use chart::chart;
pub use checklist::{Checklist, Finding, Line, Outcome};
pub use curves::{Bin, Curve, CurveParams, Split};
pub use findings::Contest;
pub use metrics::{Estimate, Judged, Metrics, NAMES, Scores, accuracy_gain};
pub use page::study_page;
pub use sample::{Sample, Traits, Winners, samples, winner, winners};
pub use study::{Assessed, Conditioned, Gain, Study, Values, gains, of_paper};
