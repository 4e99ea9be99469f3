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
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        for (i, line) in lines.enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            for c in line.chars() {
                match c {
                    '\t' => f.write_str(" ")?,
                    c if c.is_control() => {}
                    c => write!(f, "{c}")?,
                }
            }
        }
        f.write_str("\n\n")
    }
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
}
