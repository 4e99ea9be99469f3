//! A client: lines come, lines go.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::answer::{Complaint, NoResults};
use super::fields::{Fields, Read, Refusal, refusal};
use super::query::{self, Asked};
use super::settings::Settings;
use crate::analysis::query::Query;
use crate::analysis::service::Client;
use crate::analysis::worker::Outcome;
use crate::game::Game;

/// Takes the lines of answers.
pub trait Output: Send + Sync {
    /// Takes a line that may not be lost, and may wait for the reader.
    fn send(&self, line: String);

    /// Takes a report of a search that goes on: it is dropped rather than waited for.
    fn send_report(&self, line: String);
}

/// Tells of the networks.
pub type Models = dyn Fn() -> Result<Value, String> + Send + Sync;

/// What all clients have in common.
pub struct Context {
    /// How queries are searched where they say nothing else.
    pub settings: Settings,
    /// The games that the evaluator knows.
    pub games: Vec<Game>,
    /// What `query_models` answers.
    pub models: Box<Models>,
    /// What `query_version` answers.
    pub version: String,
}

/// A conversation with one client.
pub struct Session {
    client: Client,
    context: Arc<Context>,
    output: Arc<dyn Output>,
}

impl Session {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(client: Client, context: Arc<Context>, output: Arc<dyn Output>) -> Self {
        Self { client, context, output }
    }

    /// Does what a line asks for. Answers that are known at once are given before it returns.
    pub fn line(&self, bytes: &[u8]) {
        let text = bytes.trim_ascii();
        if text.is_empty() {
            return;
        }
        match object(text) {
            Ok((object, id)) => self.request(object, &id),
            Err(reason) => self.complain(reason),
        }
    }

    /// Says that a line was longer than it may be.
    pub fn too_long(&self, most: usize) {
        self.complain(format!("Request line is longer than {most} bytes, ignoring it"));
    }

    fn request(&self, object: Map<String, Value>, id: &str) {
        if let Some(Value::String(action)) = object.get("action") {
            let action = action.clone();
            return self.action(object, id, &action);
        }
        let Context { settings, games, .. } = &*self.context;
        let mut warnings = Vec::new();
        let asked = query::read(&object, id, (settings, games), &mut warnings);
        for Refusal { field, reason } in warnings {
            self.tell(&Complaint {
                field: Some(field),
                id: Some(id.to_owned()),
                warning: Some(reason),
                error: None,
            });
        }
        match asked {
            Ok(Asked { query, form }) => {
                let output = Arc::clone(&self.output);
                let listener = move |query: &Query, turn: usize, outcome: Outcome<'_>| {
                    let nothing = |error| NoResults {
                        error,
                        id: query.id.clone(),
                        is_during_search: false,
                        no_results: true,
                        turn_number: turn,
                    };
                    match outcome {
                        Outcome::Partial(found) => {
                            output.send_report(line_of(&form.analysis(query, turn, found)));
                        }
                        Outcome::Final(found) => {
                            output.send(line_of(&form.analysis(query, turn, found)));
                        }
                        Outcome::Terminated => output.send(line_of(&nothing(None))),
                        Outcome::Failed(error) => {
                            output.send(line_of(&nothing(Some(error.to_string()))));
                        }
                    }
                };
                self.client.submit(query, Arc::new(listener));
            }
            Err(refusal) => self.refuse(id, refusal),
        }
    }

    /// Does something else than search, and answers the request with what is new in it.
    fn action(&self, mut object: Map<String, Value>, id: &str, action: &str) {
        let done = match action {
            "query_version" => {
                object.insert("version".to_owned(), self.context.version.clone().into());
                object.insert("git_hash".to_owned(), "<omitted>".into());
                Ok(())
            }
            "query_models" => (self.context.models)()
                .map(|models| drop(object.insert("models".to_owned(), models)))
                .map_err(|reason| refusal("action", reason)),
            "clear_cache" => {
                self.client.forget();
                Ok(())
            }
            "terminate" => self.terminate(Fields(&object), true),
            "terminate_all" => self.terminate(Fields(&object), false),
            _ => {
                return self.complain(
                    "'action' must be query_version, query_models, clear_cache, terminate or terminate_all"
                        .to_owned(),
                );
            }
        };
        match done {
            Ok(()) => self.tell(&object),
            Err(refusal) => self.refuse(id, refusal),
        }
    }

    /// Terminates queries: of one name or of all, and of some turns or of all.
    fn terminate(&self, fields: Fields<'_>, named: bool) -> Read<()> {
        const FIELD: &str = "terminateId";
        let name = named.then(|| fields.get(FIELD).and_then(Value::as_str));
        if name == Some(None) {
            return Err(refusal(FIELD, "Must be a string, the id of the queries to terminate"));
        }
        let turns = fields.integers("turnNumbers")?;
        let wanted = |turn: usize| {
            let is = |&other: &i64| usize::try_from(other) == Ok(turn);
            turns.as_ref().is_none_or(|turns| turns.iter().any(is))
        };
        self.client
            .terminate(&|id, turn| name.flatten().is_none_or(|name| name == id) && wanted(turn));
        Ok(())
    }

    fn refuse(&self, id: &str, Refusal { field, reason }: Refusal) {
        let (error, id) = (Some(reason), Some(id.to_owned()));
        self.tell(&Complaint { error, field: Some(field), id, warning: None });
    }

    fn complain(&self, reason: String) {
        self.tell(&Complaint { error: Some(reason), ..Complaint::default() });
    }

    fn tell(&self, message: &impl Serialize) {
        self.output.send(line_of(message));
    }
}

/// Bytes of a wrong line that an error repeats.
const REPEATED: usize = 200;

/// The object of a line with its id, or what is wrong with the line.
fn object(text: &[u8]) -> Result<(Map<String, Value>, String), String> {
    let shown = || {
        let start = &text[..text.len().min(REPEATED)];
        String::from_utf8_lossy(start).into_owned()
    };
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        format!("Could not parse input line as json request: {error}: {}", shown())
    })?;
    let Value::Object(object) = value else {
        return Err(format!(
            "Request line was valid json but was not an object, ignoring: {}",
            shown()
        ));
    };
    match object.get("id") {
        Some(Value::String(id)) => {
            let id = id.clone();
            Ok((object, id))
        }
        _ => Err("Request must have a string \"id\" field".to_owned()),
    }
}

fn line_of(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("invariant: numbers, words and lists are JSON values")
}
