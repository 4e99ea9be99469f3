//! The arguments that all analyses share.

use std::time::Duration;

use crate::game::{BoardSize, Color, Game, Move, Position, VertexError};
use crate::gtp::analysis::Parts;
use crate::gtp::args::{ArgError, Args, VertexText};

/// How they are written.
pub(super) const USAGE: &str = "[COLOR] [CENTISECONDS] [KEY VALUE]...";

/// How those are written that have to do with a move that is answered alone.
pub(super) const MOVE_USAGE: &str =
    "[COLOR] [avoid COLOR VERTEX,... DEPTH]... [allow COLOR VERTEX,... DEPTH]...";

/// The longest interval between reports, in hundredths of a second: about a year.
const LONGEST: f64 = 3e9;

/// Who is to move, how often to report, what, and which moves may be considered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The side to move; otherwise it is as on the board.
    pub color: Option<Color>,
    /// Time between reports, if one is asked for.
    pub interval: Option<Duration>,
    /// What is reported.
    pub parts: Parts,
    limits: Vec<Limit>,
}

/// Moves that a player must not make, or must make one of.
#[derive(Clone, Debug, PartialEq)]
struct Limit {
    kind: Kind,
    color: Color,
    moves: Vec<VertexText>,
    /// Plies from the root; the search limits the first one alone.
    until_depth: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Avoid,
    Allow,
}

impl Options {
    /// Only the side to move is given.
    pub(super) fn of_color(color: Color) -> Self {
        Self { color: Some(color), ..Self::default() }
    }

    pub(super) fn read(args: &mut Args<'_>) -> Result<Self, ArgError> {
        let mut options = Self::default();
        while let Some(word) = args.optional() {
            options.read_one(word, args)?;
        }
        Ok(options)
    }

    /// Refuses what reports of Leela Zero's form have no place for.
    pub(super) fn of_leela(self) -> Result<Self, ArgError> {
        let Parts { root_info, ownership, .. } = self.parts;
        let wanted = [(root_info, "rootInfo"), (ownership, "ownership")];
        match wanted.iter().find(|(wanted, _)| *wanted) {
            Some((_, key)) => Err(invalid(key, "part of these reports: use those of kata-analyze")),
            None => Ok(self),
        }
    }

    /// Refuses what has to do with reports, since there are none.
    pub(super) fn of_a_move(self) -> Result<Self, ArgError> {
        if self.interval.is_some() || self.parts != Parts::default() {
            let expected = "argument here, where a move is all that is answered: use \
                            kata-search_analyze for reports";
            return Err(invalid("a report", expected));
        }
        Ok(self)
    }

    fn read_one(&mut self, word: &str, args: &mut Args<'_>) -> Result<(), ArgError> {
        let parts = &mut self.parts;
        match word {
            "interval" => {
                self.interval = interval(args.word("interval in hundredths of a second")?)?;
            }
            "minmoves" => parts.min_moves = args.parse("number of moves")?,
            "maxmoves" => parts.max_moves = args.parse("number of moves")?,
            "rootInfo" => parts.root_info = switch(args)?,
            "pvVisits" => parts.pv_visits = switch(args)?,
            "pvEdgeVisits" => parts.pv_edge_visits = switch(args)?,
            "ownership" => parts.ownership = switch(args)?,
            // Clients ask for it in advance; a report without it is complete for them.
            "movesOwnership" => drop(switch(args)?),
            "ownershipStdev" | "movesOwnershipStdev" => {
                if switch(args)? {
                    return Err(invalid("true", "value here: deviations of owners are not known"));
                }
            }
            "avoid" => self.limits.push(Limit::read(Kind::Avoid, args)?),
            "allow" => self.limits.push(Limit::read(Kind::Allow, args)?),
            _ => match word.parse::<Color>() {
                Ok(color) if self.color.is_none() => self.color = Some(color),
                _ => self.interval = interval(word)?,
            },
        }
        Ok(())
    }

    /// Which moves `color` may consider in `position`; nothing if there are no limits, and an
    /// error if no legal move is left.
    pub(super) fn allowed(
        &self,
        position: &Position,
        color: Color,
    ) -> Result<Option<Allowed>, NotAllowed> {
        let size = position.size();
        let (mut avoid, mut allow) = (Vec::new(), Vec::new());
        for limit in self.limits.iter().filter(|limit| limit.until_depth > 0) {
            let moves = limit.moves(size)?;
            if limit.color == color {
                match limit.kind {
                    Kind::Avoid => avoid.extend(moves),
                    Kind::Allow => allow.extend(moves),
                }
            }
        }
        if avoid.is_empty() && allow.is_empty() {
            return Ok(None);
        }
        let allowed = Allowed { avoid, allow };
        let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
        let mut legal = position.legal_points(color).map(Move::Place).chain(pass);
        if legal.any(|mv| allowed.contains(mv)) { Ok(Some(allowed)) } else { Err(NotAllowed::All) }
    }
}

impl Limit {
    fn read(kind: Kind, args: &mut Args<'_>) -> Result<Self, ArgError> {
        let color = args.color()?;
        let moves = args.word("moves, separated by commas")?;
        let moves = moves.split(',').map(|mv| VertexText(mv.to_owned())).collect();
        Ok(Self { kind, color, moves, until_depth: args.parse("depth")? })
    }

    fn moves(&self, size: BoardSize) -> Result<Vec<Move>, VertexError> {
        self.moves.iter().map(|mv| mv.to_move(size)).collect()
    }
}

/// The moves that may be considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allowed {
    avoid: Vec<Move>,
    /// Empty if there is no such limit.
    allow: Vec<Move>,
}

impl Allowed {
    pub(super) fn contains(&self, mv: Move) -> bool {
        !self.avoid.contains(&mv) && (self.allow.is_empty() || self.allow.contains(&mv))
    }
}

/// The limits make no sense on this board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotAllowed {
    #[error(transparent)]
    Vertex(#[from] VertexError),
    #[error("no legal move is allowed")]
    All,
}

/// An interval in hundredths of a second; 0 means that none is asked for.
fn interval(word: &str) -> Result<Option<Duration>, ArgError> {
    let centiseconds: f64 = word.parse().ok().filter(|c: &f64| *c >= 0.0).ok_or_else(|| {
        invalid(word, "color, interval in hundredths of a second, or key of an analysis")
    })?;
    let seconds = centiseconds.min(LONGEST) / 100.0;
    Ok((seconds > 0.0).then(|| Duration::from_secs_f64(seconds)))
}

fn switch(args: &mut Args<'_>) -> Result<bool, ArgError> {
    args.parse("true or false")
}

fn invalid(text: &str, expected: &'static str) -> ArgError {
    ArgError::Invalid { text: text.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Komi, Rules};

    fn read(text: &str) -> Result<Options, ArgError> {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        let mut args = Args::new(&words);
        let options = Options::read(&mut args)?;
        args.finish().map(|()| options)
    }

    #[test]
    fn color_and_interval_may_stand_alone_or_together() {
        let half = Some(Duration::from_millis(500));
        for (text, color, interval) in [
            ("", None, None),
            ("B 50", Some(Color::Black), half),
            ("w", Some(Color::White), None),
            ("50", None, half),
            ("50 white", Some(Color::White), half),
            ("interval 50", None, half),
            ("b 0", Some(Color::Black), None),
            ("b 1e300 ownership true", Some(Color::Black), Some(Duration::from_secs(30_000_000))),
        ] {
            let options = read(text).unwrap();
            assert_eq!((options.color, options.interval), (color, interval), "{text}");
        }
    }

    #[test]
    fn keys_are_read_and_others_refused() {
        let parts = read("b 10 minmoves 3 maxmoves 7 rootInfo true pvVisits true ownership true");
        assert_eq!(
            parts.unwrap().parts,
            Parts {
                min_moves: 3,
                max_moves: 7,
                root_info: true,
                pv_visits: true,
                pv_edge_visits: false,
                ownership: true
            }
        );
        assert!(read("movesOwnership true ownershipStdev false pvEdgeVisits true").is_ok());
        for text in [
            "x",
            "b w",
            "b -1",
            "nan",
            "minmoves",
            "minmoves x",
            "ownership",
            "ownership yes",
            "ownershipStdev true",
            "avoid",
            "avoid b",
            "avoid b D4",
            "avoid x D4 1",
            "allow b D4 x",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        for text in ["ownership true", "b 10 rootInfo true"] {
            let error = read(text).unwrap().of_leela().unwrap_err().to_string();
            assert!(error.contains("kata-analyze"), "{error}");
        }
        assert!(read("b 10 ownership false pvVisits true minmoves 2").unwrap().of_leela().is_ok());
        for text in ["b 10", "interval 5", "maxmoves 3", "pvVisits true"] {
            let error = read(text).unwrap().of_a_move().unwrap_err().to_string();
            assert!(error.contains("kata-search_analyze"), "{error}");
        }
        assert!(read("b ownership false avoid b C3 1").unwrap().of_a_move().is_ok());
    }

    #[test]
    fn moves_can_be_avoided_and_allowed() {
        let size = BoardSize::square(5).unwrap();
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let allowed = |text: &str, color| read(text).unwrap().allowed(&position, color);
        let names = |text: &str| {
            let allowed = allowed(text, Color::Black).unwrap().unwrap();
            let moves = size.points().map(Move::Place).chain([Move::Pass]);
            moves.filter(|&mv| allowed.contains(mv)).count()
        };
        assert_eq!(allowed("b 10", Color::Black), Ok(None));
        assert_eq!(allowed("avoid w C3 1", Color::Black), Ok(None));
        assert_eq!(allowed("avoid b C3 0", Color::Black), Ok(None));
        assert_eq!(names("avoid b C3,d4 1"), 24);
        assert_eq!(names("avoid b C3 1 avoid b pass 5 avoid w A1 1"), 24);
        assert_eq!(names("allow b C3,PASS 1"), 2);
        assert_eq!(names("allow b C3,D4 1 avoid b C3 1"), 1);
        assert_eq!(allowed("allow b C3 1 avoid b C3 1", Color::Black), Err(NotAllowed::All));
        assert!(matches!(allowed("avoid b Z9 1", Color::Black), Err(NotAllowed::Vertex(_))));
    }
}
