//! A line of input: an optional number, a command, and its arguments.

/// What a line of input means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing to answer: an empty line or a comment.
    Nothing,
    /// The comment `# interrupt`: whatever is being thought about should come to an end.
    Interrupt,
    /// A command.
    Request(Request),
}

/// A command that wants an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The number that the answer repeats.
    pub id: Option<u32>,
    /// The command's name.
    pub command: String,
    /// The words after it.
    pub arguments: Vec<String>,
}

/// Reads a line: control characters are dropped, tabs are blanks, and `#` starts a comment.
#[must_use]
pub fn read_line(bytes: &[u8]) -> Line {
    let text: String = String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control())
        .collect();
    let (text, comment) = text.split_once('#').unwrap_or((&text, ""));
    let mut words = text.split_whitespace().peekable();
    let id = words.peek().and_then(|word| read_id(word));
    if id.is_some() {
        words.next();
    }
    match words.next() {
        Some(command) => Line::Request(Request {
            id,
            command: command.to_owned(),
            arguments: words.map(str::to_owned).collect(),
        }),
        None if id.is_none() && comment.trim() == "interrupt" => Line::Interrupt,
        None => Line::Nothing,
    }
}

/// An id is a whole number below 2^31.
fn read_id(word: &str) -> Option<u32> {
    let digits = word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|id| i32::try_from(*id).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: Option<u32>, words: &str) -> Line {
        let mut words = words.split(' ').map(str::to_owned);
        let command = words.next().unwrap();
        Line::Request(Request { id, command, arguments: words.collect() })
    }

    #[test]
    fn lines_are_read_as_the_protocol_says() {
        let cases: [(&[u8], Line); 12] = [
            (b"name", request(None, "name")),
            (b"  name  ", request(None, "name")),
            (b"12 play b D4\r", request(Some(12), "play b D4")),
            (b"0\tname", request(Some(0), "name")),
            (b"na\x01me\x7f", request(None, "name")),
            (b"name # what is it", request(None, "name")),
            (b"", Line::Nothing),
            (b" \t \r", Line::Nothing),
            (b"# just a comment", Line::Nothing),
            (b"17", Line::Nothing),
            (b"# interrupt", Line::Interrupt),
            (b"#interrupt\r", Line::Interrupt),
        ];
        for (bytes, expected) in cases {
            assert_eq!(read_line(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn an_id_is_a_number_of_31_bits() {
        assert_eq!(read_line(b"2147483647 name"), request(Some(2_147_483_647), "name"));
        assert_eq!(read_line(b"2147483648 name"), request(None, "2147483648 name"));
        assert_eq!(read_line(b"-1 name"), request(None, "-1 name"));
        assert_eq!(read_line(b"1a name"), request(None, "1a name"));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(read_line(b"\xff\xfe"), request(None, "\u{fffd}\u{fffd}"));
        assert_eq!(read_line(b"kgs-chat game A \xc3\xa9"), request(None, "kgs-chat game A \u{e9}"));
    }
}
