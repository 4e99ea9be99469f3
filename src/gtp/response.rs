//! An answer as it goes out.

use std::fmt;

/// An answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The number of the request.
    pub id: Option<u32>,
    /// Text of a success, or what went wrong.
    pub text: Result<String, String>,
}

impl Response {
    /// The first line of an answer that begins as a success before it is complete.
    pub(super) fn beginning(id: Option<u32>) -> String {
        format!("={} \n", id.map(|id| id.to_string()).unwrap_or_default())
    }

    /// The end of an answer that has begun: the text and an empty line. An error comes too late to
    /// be one, and is text as well.
    pub(super) fn ending(&self) -> String {
        let (Ok(text) | Err(text)) = &self.text;
        let mut end = String::new();
        for line in lines(text) {
            end.push_str(&line);
            end.push('\n');
        }
        end.push('\n');
        end
    }
}

impl fmt::Display for Response {
    /// Writes the status, the number, a blank, the text and an empty line. The blank stands also
    /// where there is no text: some clients insist on it. The text cannot break the frame: lines
    /// without content are left out, but for a first one, and so are control characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (status, text) = match &self.text {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        write!(f, "{status}")?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        f.write_str(" ")?;
        if text.starts_with('\n') {
            f.write_str("\n")?;
        }
        for (i, line) in lines(text).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&line)?;
        }
        f.write_str("\n\n")
    }
}

/// The lines of a text that have content, without control characters.
fn lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter(|line| !line.trim().is_empty()).map(clean)
}

/// A line without control characters.
pub(super) fn clean(line: &str) -> String {
    line.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_framed() {
        let ok = |id, text: &str| Response { id, text: Ok(text.to_owned()) }.to_string();
        assert_eq!(ok(None, ""), "= \n\n");
        assert_eq!(ok(Some(7), ""), "=7 \n\n");
        assert_eq!(ok(Some(7), "D4"), "=7 D4\n\n");
        assert_eq!(ok(None, "a\n\n \nb\r\n\tc\x07"), "= a\nb\n c\n\n");
        assert_eq!(ok(None, "\n\n  A B\n"), "= \n  A B\n\n");
        let error = Response { id: Some(0), text: Err("illegal move".to_owned()) };
        assert_eq!(error.to_string(), "?0 illegal move\n\n");
    }

    #[test]
    fn answers_that_have_begun_come_to_an_end() {
        assert_eq!(Response::beginning(None), "= \n");
        assert_eq!(Response::beginning(Some(12)), "=12 \n");
        let end = |text: &str| Response { id: None, text: Ok(text.to_owned()) }.ending();
        assert_eq!(end(""), "\n");
        assert_eq!(end("info\n\nplay D4"), "info\nplay D4\n\n");
    }
}
