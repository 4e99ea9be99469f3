//! From SGF to a record.

use std::borrow::Cow;
use std::collections::HashSet;

use sgf_parse::go::{self, Prop};

use super::parse::{USUAL_SIDE, board_size, parse, tidy};
use super::scan::scan;
use super::{SgfError, SgfLimits, SgfWarning, excerpt};
use crate::game::{BoardSize, Color, GameRecord, GameResult, Komi, Move, RecordedMove, Rules};

/// Reads the main line of the first game in a file, with what had to be left out.
///
/// Texts lose control characters, and line breaks where the standard allows none. A comment
/// without a move joins that of the move before it.
pub fn read(bytes: &[u8], limits: &SgfLimits) -> Result<(GameRecord, Vec<SgfWarning>), SgfError> {
    if bytes.len() > limits.bytes {
        return Err(SgfError::TooLarge { bytes: bytes.len(), limit: limits.bytes });
    }
    let text = String::from_utf8_lossy(bytes);
    let found = scan(&text, limits)?;
    let nodes = parse(&found)?;
    let mut reader = Reader::new(board_size(&nodes[0])?);
    let warnings = [
        (matches!(text, Cow::Owned(_)), SgfWarning::NotUtf8),
        (found.more_games, SgfWarning::MoreGames),
        (found.variations, SgfWarning::Variations),
        (found.truncated, SgfWarning::Truncated),
    ];
    reader.warnings.extend(warnings.into_iter().filter(|(due, _)| *due).map(|(_, w)| w));
    for properties in nodes {
        reader.read_node(properties)?;
    }
    Ok(reader.finish())
}

struct Reader {
    record: GameRecord,
    /// The start position, by [`BoardSize::offset`].
    stones: Vec<Option<Color>>,
    /// The value of `PL`.
    starter: Option<Color>,
    warnings: Vec<SgfWarning>,
}

impl Reader {
    fn new(size: BoardSize) -> Self {
        Self {
            record: GameRecord::new(size),
            stones: vec![None; size.area()],
            starter: None,
            warnings: Vec::new(),
        }
    }

    fn finish(self) -> (GameRecord, Vec<SgfWarning>) {
        let mut record = self.record;
        let points = record.size.points().zip(self.stones);
        record.setup = points.filter_map(|(point, stone)| Some((stone?, point))).collect();
        record.to_move = self.starter.unwrap_or_else(|| record.usual_starter());
        (record, self.warnings)
    }

    /// Stones and moves in their order first, as the rest may be about the move of the node.
    fn read_node(&mut self, properties: Vec<Prop>) -> Result<(), SgfError> {
        let before = self.record.moves.len();
        let mut rest = Vec::new();
        for property in properties {
            match tidy(property) {
                Prop::B(mv) => self.add_move(Color::Black, mv)?,
                Prop::W(mv) => self.add_move(Color::White, mv)?,
                Prop::AB(points) => self.set_up("AB", &points, Some(Color::Black))?,
                Prop::AW(points) => self.set_up("AW", &points, Some(Color::White))?,
                Prop::AE(points) => self.set_up("AE", &points, None)?,
                Prop::Invalid(name, values) => self.read_invalid(name, &values)?,
                other => rest.push(other),
            }
        }
        for property in rest {
            self.describe_move(before, &property);
            self.describe_game(property);
        }
        Ok(())
    }

    fn add_move(&mut self, color: Color, mv: go::Move) -> Result<(), SgfError> {
        let size = self.record.size;
        let small = size.width().max(size.height()) <= usize::from(USUAL_SIDE);
        let mv = match mv {
            go::Move::Pass => Move::Pass,
            // The pass of FF[3] is the point behind the last of a 19x19 board.
            go::Move::Move(point) if small && (point.x, point.y) == (USUAL_SIDE, USUAL_SIDE) => {
                Move::Pass
            }
            go::Move::Move(point) => {
                let name = color.letter().to_string();
                Move::Place(self.point(&name, point)?)
            }
        };
        self.record.moves.push(RecordedMove::new(color, mv));
        Ok(())
    }

    fn set_up(
        &mut self,
        name: &str,
        points: &HashSet<go::Point>,
        stone: Option<Color>,
    ) -> Result<(), SgfError> {
        let after_move = self.record.moves.len();
        if after_move > 0 {
            return Err(SgfError::SetupAfterMove { property: name.to_owned(), after_move });
        }
        for &point in points {
            let point = self.point(name, point)?;
            self.stones[self.record.size.offset(point)] = stone;
        }
        Ok(())
    }

    fn point(&self, name: &str, point: go::Point) -> Result<crate::game::Point, SgfError> {
        let size = self.record.size;
        size.point(point.x.into(), point.y.into()).ok_or_else(|| {
            let letter = |i: u8| ('a'..='z').chain('A'..='Z').nth(i.into()).unwrap_or('?');
            SgfError::OffBoard {
                property: name.to_owned(),
                value: [letter(point.x), letter(point.y)].iter().collect(),
                size,
                after_move: self.record.moves.len(),
            }
        })
    }

    /// What even [`tidy`] could not save.
    fn read_invalid(&mut self, name: String, values: &[String]) -> Result<(), SgfError> {
        let value = values.concat();
        match name.as_str() {
            // A list of no points.
            "AB" | "AE" | "AW" if value.is_empty() => {}
            "AB" | "AE" | "AW" | "B" | "W" => {
                let after_move = self.record.moves.len();
                let value = excerpt(&values.join("]["));
                return Err(SgfError::BadValue { property: name, value, after_move });
            }
            "AP" => fill(&mut self.record.application, one_line(&value)),
            "PL" if value.parse::<Color>().is_ok() => self.set_starter(value.parse().ok()),
            // The parser knows no handicap below two, which is none.
            "HA" if matches!(value.as_str(), "0" | "1") => {}
            "GM" | "SZ" => {}
            _ if value.is_empty() => {}
            _ => self.ignore(&name, &value),
        }
        Ok(())
    }

    fn ignore(&mut self, name: &str, value: &str) {
        let (property, value) = (name.to_owned(), excerpt(value));
        self.warnings.push(SgfWarning::Ignored { property, value });
    }

    fn set_starter(&mut self, color: Option<Color>) {
        match self.record.moves.len() {
            0 => self.starter = color,
            after_move => self.warnings.push(SgfWarning::LatePlayer { after_move }),
        }
    }

    /// Clocks and comments; `before` is the number of moves in the nodes before this one.
    fn describe_move(&mut self, before: usize, property: &Prop) {
        match property {
            Prop::BL(seconds) => self.set_clock(before, Color::Black, *seconds),
            Prop::WL(seconds) => self.set_clock(before, Color::White, *seconds),
            Prop::OB(stones) => self.set_stones_left(before, Color::Black, *stones),
            Prop::OW(stones) => self.set_stones_left(before, Color::White, *stones),
            Prop::C(text) => self.add_comment(&text.text),
            _ => {}
        }
    }

    /// The move of `color` in this node. Without one a clock is that of the start, or of a player
    /// whose turn it is not.
    fn move_of(&mut self, before: usize, color: Color) -> Option<&mut RecordedMove> {
        self.record.moves[before..].iter_mut().rev().find(|recorded| recorded.color == color)
    }

    fn set_clock(&mut self, before: usize, color: Color, seconds: f64) {
        match (milliseconds(seconds), self.move_of(before, color)) {
            (Some(seconds), Some(recorded)) => recorded.seconds_left = Some(seconds),
            (None, Some(_)) => self.ignore(&format!("{}L", color.letter()), &seconds.to_string()),
            (_, None) => {}
        }
    }

    fn set_stones_left(&mut self, before: usize, color: Color, stones: i64) {
        match (u32::try_from(stones), self.move_of(before, color)) {
            (Ok(stones), Some(recorded)) => recorded.stones_left = Some(stones),
            (Err(_), Some(_)) => self.ignore(&format!("O{}", color.letter()), &stones.to_string()),
            (_, None) => {}
        }
    }

    fn add_comment(&mut self, text: &str) {
        let Some(text) = several_lines(text) else { return };
        let record = &mut self.record;
        let comment = match record.moves.last_mut() {
            Some(last) => &mut last.comment,
            None => &mut record.comment,
        };
        match comment {
            Some(earlier) => {
                earlier.push('\n');
                earlier.push_str(&text);
            }
            None => *comment = Some(text),
        }
    }

    /// What is about the game as a whole, in whichever node it stands. The first value counts.
    fn describe_game(&mut self, property: Prop) {
        let record = &mut self.record;
        let [black, white] = &mut record.players;
        let [black_rank, white_rank] = &mut record.ranks;
        match property {
            Prop::PB(text) => fill(black, one_line(&text.text)),
            Prop::PW(text) => fill(white, one_line(&text.text)),
            Prop::BR(text) => fill(black_rank, one_line(&text.text)),
            Prop::WR(text) => fill(white_rank, one_line(&text.text)),
            Prop::EV(text) => fill(&mut record.event, one_line(&text.text)),
            Prop::DT(text) => fill(&mut record.date, one_line(&text.text)),
            Prop::OT(text) => fill(&mut record.overtime, one_line(&text.text)),
            Prop::AP((name, version)) => {
                let text = format!("{}:{}", name.text, version.text);
                fill(&mut record.application, one_line(&text));
            }
            Prop::RU(text) => self.set_rules(one_line(&text.text)),
            Prop::RE(text) => self.set_result(one_line(&text.text)),
            Prop::KM(points) => self.set_komi(points),
            Prop::HA(stones) => self.set_handicap(stones),
            Prop::TM(seconds) => match milliseconds(seconds) {
                Some(seconds) => fill(&mut record.time_limit, Some(seconds)),
                None => self.ignore("TM", &seconds.to_string()),
            },
            Prop::PL(sgf_parse::Color::Black) => self.set_starter(Some(Color::Black)),
            Prop::PL(sgf_parse::Color::White) => self.set_starter(Some(Color::White)),
            _ => {}
        }
    }

    fn set_rules(&mut self, name: Option<String>) {
        let Some(name) = name else { return };
        match name.parse::<Rules>() {
            Ok(rules) => fill(&mut self.record.rules, Some(rules)),
            Err(_) => self.warnings.push(SgfWarning::UnknownRules { name: excerpt(&name) }),
        }
    }

    /// A margin that makes no sense still leaves the winner.
    fn set_result(&mut self, text: Option<String>) {
        let Some(text) = text else { return };
        let winner = text.split_once('+').and_then(|(player, _)| player.trim().parse().ok());
        let result = match (text.parse(), winner.map(GameResult::Win)) {
            (Ok(result), _) => result,
            (Err(_), Some(result)) => {
                let written = excerpt(&text);
                self.warnings.push(SgfWarning::UnknownMargin { written, result });
                result
            }
            (Err(_), None) => return self.ignore("RE", &text),
        };
        fill(&mut self.record.result, Some(result));
    }

    /// Reads komi in points. Some servers write it times 100, and some of those in Chinese
    /// counting units, which are two points each: nothing else ends in a quarter.
    fn set_komi(&mut self, written: f64) {
        let large = written.abs() > 100.0 && written.abs() <= 10_000.0;
        let hundredths = large && written % 25.0 == 0.0;
        let plain = if hundredths { written / 100.0 } else { written };
        let units = (plain * 4.0).fract() == 0.0 && (plain * 2.0).fract() != 0.0;
        match Komi::from_points(if units { plain * 2.0 } else { plain }) {
            Ok(komi) => {
                if hundredths || units {
                    self.warnings.push(SgfWarning::KomiScaled { written, komi });
                }
                fill(&mut self.record.komi, Some(komi));
            }
            Err(_) => self.ignore("KM", &written.to_string()),
        }
    }

    fn set_handicap(&mut self, stones: i64) {
        match u16::try_from(stones) {
            Ok(stones) if usize::from(stones) <= self.record.size.area() => {
                self.record.handicap = stones;
            }
            _ => self.ignore("HA", &stones.to_string()),
        }
    }
}

/// Stores the first value of a property.
fn fill<T>(slot: &mut Option<T>, value: Option<T>) {
    if slot.is_none() {
        *slot = value;
    }
}

/// Seconds on a clock, rounded to what [`write`](super::write()) writes.
fn milliseconds(seconds: f64) -> Option<f64> {
    /// More than thirty years.
    const LONGEST: f64 = 1e9;
    // The absolute value is for `-0`.
    (0.0..=LONGEST).contains(&seconds).then(|| (seconds.abs() * 1000.0).round() / 1000.0)
}

/// A text that has no line breaks by the standard; none if it is empty.
fn one_line(text: &str) -> Option<String> {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// A text that may have line breaks, each of them `\n`; none if it is empty.
fn several_lines(text: &str) -> Option<String> {
    let text = text.replace("\r\n", "\n").replace("\n\r", "\n").replace('\r', "\n");
    let plain: String =
        text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    (!plain.trim().is_empty()).then_some(plain)
}
