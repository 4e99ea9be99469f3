//! The form of the answers, for those who read them.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use super::answer::{Analysis, Complaint, NoResults};

/// A line of the output. What answers an `action` is the request itself with what is new in it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its form is wanted")]
enum Answer {
    /// What is known of a position.
    Analysis(Box<Analysis>),
    /// A position was not searched.
    NoResults(NoResults),
    /// Something is wrong with a query.
    Complaint(Complaint),
}

/// The JSON Schema of the answers to queries.
#[must_use]
pub fn schema() -> String {
    let schema = schema_for!(Answer);
    let text = serde_json::to_string_pretty(&schema);
    text.expect("invariant: a schema is a JSON value") + "\n"
}
