//! From a record to SGF.

use std::fmt::{self, Write};

use crate::game::{BoardSize, Color, GameRecord, Move, Point, RecordedMove};

/// Writes a record, in one line but for the line breaks of comments.
///
/// [`read`](super::read) gives back the same record, with these exceptions: rules of no name are
/// not written, a komi above 100 that is a multiple of 25 is taken for one in hundredths, stones
/// of the start position come in reading order, and clocks are rounded to milliseconds.
#[must_use]
pub fn write(record: &GameRecord) -> String {
    let mut text = String::new();
    write_game(&mut text, record).expect("invariant: a String takes any text");
    text
}

fn write_game(out: &mut String, record: &GameRecord) -> fmt::Result {
    write_root(out, record)?;
    write_start(out, record)?;
    for recorded in &record.moves {
        write_move(out, record.size, recorded)?;
    }
    out.write_char(')')
}

fn write_root(out: &mut String, record: &GameRecord) -> fmt::Result {
    let size = record.size;
    out.write_str("(;FF[4]GM[1]CA[UTF-8]")?;
    if let Some(application) = &record.application {
        write_application(out, application)?;
    }
    if size.is_square() {
        write!(out, "SZ[{}]", size.width())?;
    } else {
        write!(out, "SZ[{}:{}]", size.width(), size.height())?;
    }
    if let Some(rules) = record.rules.and_then(|rules| rules.sgf_name()) {
        write_text(out, "RU", rules)?;
    }
    if let Some(komi) = record.komi {
        write!(out, "KM[{komi}]")?;
    }
    if record.handicap >= 2 {
        write!(out, "HA[{}]", record.handicap)?;
    }
    let [black, white] = &record.players;
    let [black_rank, white_rank] = &record.ranks;
    let texts = [
        ("PB", black),
        ("BR", black_rank),
        ("PW", white),
        ("WR", white_rank),
        ("EV", &record.event),
        ("DT", &record.date),
        ("OT", &record.overtime),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            write_text(out, name, text)?;
        }
    }
    write_seconds(out, "TM", record.time_limit)?;
    if let Some(result) = record.result {
        write!(out, "RE[{result}]")?;
    }
    Ok(())
}

/// Writes the start position and the comment on it.
fn write_start(out: &mut String, record: &GameRecord) -> fmt::Result {
    for color in Color::BOTH {
        let mut stones = record.setup.iter().filter(|stone| stone.0 == color).peekable();
        if stones.peek().is_some() {
            write!(out, "A{}", color.letter())?;
        }
        for &(_, point) in stones {
            write!(out, "[{}]", point_text(record.size, point))?;
        }
    }
    // Other programs guess in other ways when White begins.
    if record.to_move == Color::White || record.usual_starter() == Color::White {
        write!(out, "PL[{}]", record.to_move.letter())?;
    }
    match &record.comment {
        Some(comment) => write_text(out, "C", comment),
        None => Ok(()),
    }
}

fn write_move(out: &mut String, size: BoardSize, recorded: &RecordedMove) -> fmt::Result {
    let letter = recorded.color.letter();
    let place = match recorded.mv {
        Move::Place(point) => point_text(size, point),
        Move::Pass => String::new(),
    };
    write!(out, ";{letter}[{place}]")?;
    write_seconds(out, &format!("{letter}L"), recorded.seconds_left)?;
    if let Some(stones) = recorded.stones_left {
        write!(out, "O{letter}[{stones}]")?;
    }
    match &recorded.comment {
        Some(comment) => write_text(out, "C", comment),
        None => Ok(()),
    }
}

/// Two small letters, column and row from the top left.
#[must_use]
pub fn point_text(size: BoardSize, point: Point) -> String {
    let letter = |coordinate: usize| ('a'..='z').nth(coordinate).unwrap_or('z');
    let (x, y) = size.coordinates(point);
    [letter(x), letter(y)].iter().collect()
}

fn write_text(out: &mut String, name: &str, text: &str) -> fmt::Result {
    write!(out, "{name}[")?;
    escape(out, text)?;
    out.write_char(']')
}

/// Writes `name:version`. Other colons must not look like the one between the two.
fn write_application(out: &mut String, application: &str) -> fmt::Result {
    let (name, version) = application.split_once(':').unwrap_or((application, ""));
    out.write_str("AP[")?;
    escape(out, name)?;
    if name.len() < application.len() {
        out.write_char(':')?;
        let mut parts = version.split(':');
        escape(out, parts.next().unwrap_or_default())?;
        for part in parts {
            out.write_str("\\:")?;
            escape(out, part)?;
        }
    }
    out.write_char(']')
}

fn escape(out: &mut String, text: &str) -> fmt::Result {
    let mut rest = text;
    while let Some(special) = rest.find([']', '\\']) {
        let (plain, marked) = rest.split_at(special);
        out.write_str(plain)?;
        out.write_char('\\')?;
        let (character, after) = marked.split_at(1);
        out.write_str(character)?;
        rest = after;
    }
    out.write_str(rest)
}

/// Writes seconds with up to three decimals.
fn write_seconds(out: &mut String, name: &str, seconds: Option<f64>) -> fmt::Result {
    let Some(seconds) = seconds.filter(|seconds| seconds.is_finite()) else { return Ok(()) };
    let digits = format!("{seconds:.3}");
    write!(out, "{name}[{}]", digits.trim_end_matches('0').trim_end_matches('.'))
}
