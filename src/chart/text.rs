//! Text in pictures: how wide it is, how it is broken, and what must be escaped.

use std::fmt::Write as _;

/// Height of a line of text.
pub(super) const LINE: f64 = 15.0;
/// Signs that a word may be broken behind.
const SIGNS: [char; 8] = ['+', '-', ':', '=', '/', '.', ',', '_'];
/// How much wider bold type is.
const BOLD: f64 = 1.13;

/// Text as it may stand in a page or a picture.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// How wide text is at the most, in pixels: that of `DejaVu` Sans at 12 px, the widest usual type.
pub(super) fn width(text: &str) -> f64 {
    let character = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '\u{a0}' => 4.1,
        'f' | 't' | 'r' | '-' | '(' | ')' | '/' | 'I' | '"' => 5.1,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 12.0,
        'A'..='Z' | '&' | '<' | '>' | '=' | '+' | '–' => 9.9,
        c if c.is_ascii() => 7.7,
        _ => 12.5,
    };
    text.chars().map(character).sum()
}

/// Bold text in lines of this width. A word that is longer than a line is broken, behind a sign if that goes.
pub(super) fn wrapped(text: &str, width: f64) -> Vec<String> {
    let fits = |text: &str| self::width(text) * BOLD <= width;
    let mut lines = vec![String::new()];
    let mut add = |piece: &str, blank: &str| {
        let line = lines.last_mut().expect("invariant: there is a line");
        let longer =
            if line.is_empty() { piece.to_owned() } else { format!("{line}{blank}{piece}") };
        if fits(&longer) {
            *line = longer;
        } else if line.is_empty() {
            line.push_str(piece);
        } else {
            lines.push(piece.to_owned());
        }
    };
    for word in text.split_whitespace() {
        let mut blank = " ";
        let pieces: Vec<&str> = if fits(word) {
            vec![word]
        } else if word.split_inclusive(SIGNS).all(fits) {
            word.split_inclusive(SIGNS).collect()
        } else {
            word.split_inclusive(|_| true).collect()
        };
        for piece in pieces {
            add(piece, blank);
            blank = "";
        }
    }
    lines
}

/// Writes lines of text below each other from a corner on, and returns their height.
pub(super) fn block(
    svg: &mut String,
    class: &str,
    lines: &[String],
    (x, y): (f64, f64),
    scale: f64,
) -> f64 {
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = y + scale * (LINE * at as f64 + 11.0);
        let line = escaped(line);
        let _ = write!(svg, r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{line}</text>"#);
    }
    scale * LINE * lines.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_broken_and_nothing_is_lost() {
        assert_eq!(wrapped("a title of words", 82.0), ["a title of", "words"]);
        assert_eq!(wrapped("abcdeabcde x", 50.0), ["abcde", "abcde", "x"]);
        assert_eq!(wrapped("EXP-MOVES+MID+STOP", 120.0), ["EXP-MOVES+", "MID+STOP"]);
        assert_eq!(wrapped("", 50.0), [""]);
        assert_eq!(wrapped("ab", 1.0), ["a", "b"]);
    }
}
