//! Answers that come in pieces: an analysis says what it has found while it goes on.

use tokio::sync::mpsc;

use super::response::Response;

/// Takes what is known of an answer before it is complete.
pub trait Output {
    /// The answer will be a success, and the client may know.
    fn begin(&mut self);
    /// A line of the answer. Never waits: it may be lost when the client is slower than the engine.
    fn line(&mut self, line: String);
}

/// A piece on its way to the writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Begin,
    Line(String),
}

/// The first piece finds an empty channel, so that a beginning is never lost.
impl Output for mpsc::Sender<Piece> {
    fn begin(&mut self) {
        let _ = self.try_send(Piece::Begin);
    }

    fn line(&mut self, line: String) {
        let _ = self.try_send(Piece::Line(line));
    }
}

/// Keeps all pieces until the answer is complete.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// Nothing until the answer begins.
    lines: Option<Vec<String>>,
}

impl Output for Collected {
    fn begin(&mut self) {
        self.lines.get_or_insert_default();
    }

    fn line(&mut self, line: String) {
        self.lines.get_or_insert_default().push(line);
    }
}

impl Collected {
    /// The whole answer, as the client reads it in the end.
    pub(super) fn complete(self, rest: Response) -> Response {
        let Some(mut lines) = self.lines else { return rest };
        lines.insert(0, String::new());
        lines.push(rest.text.unwrap_or_else(|error| error));
        Response { id: rest.id, text: Ok(lines.join("\n")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_client_loses_lines_but_not_the_beginning() {
        let (mut sender, mut receiver) = mpsc::channel(2);
        sender.begin();
        for line in ["a", "b", "c"] {
            sender.line(line.to_owned());
        }
        assert_eq!(receiver.try_recv(), Ok(Piece::Begin));
        assert_eq!(receiver.try_recv(), Ok(Piece::Line("a".to_owned())));
        assert!(receiver.try_recv().is_err());
        sender.line("d".to_owned());
        assert_eq!(receiver.try_recv(), Ok(Piece::Line("d".to_owned())));
    }

    #[test]
    fn collected_pieces_are_one_answer() {
        let rest = |text: &str| Response { id: Some(4), text: Ok(text.to_owned()) };
        assert_eq!(Collected::default().complete(rest("D4")), rest("D4"));
        let mut pieces = Collected::default();
        pieces.begin();
        pieces.line("info".to_owned());
        let whole = pieces.complete(rest("play D4"));
        assert_eq!(whole.to_string(), "=4 \ninfo\nplay D4\n\n");
    }
}
