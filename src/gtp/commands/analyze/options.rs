//! The arguments that all analyses share.

use std::time::Duration;

use crate::game::{Color, Game, Move, Position, VertexError};
use crate::gtp::analysis::Parts;
use crate::gtp::args::{ArgError, Args, VertexText};
use crate::search::{Limit, LimitKind, Limits};

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
    limits: Vec<LimitText>,
}

/// A limit whose moves are on no board yet.
#[derive(Clone, Debug, PartialEq)]
struct LimitText {
    kind: LimitKind,
    player: Color,
    moves: Vec<VertexText>,
    until_depth: u32,
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
        let parts = &self.parts;
        let wanted = [
            (parts.root_info, "rootInfo"),
            (parts.ownership, "ownership"),
            (parts.ownership_stdev, "ownershipStdev"),
            (parts.moves_ownership, "movesOwnership"),
            (parts.moves_ownership_stdev, "movesOwnershipStdev"),
        ];
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
            "ownershipStdev" => parts.ownership_stdev = switch(args)?,
            "movesOwnership" => parts.moves_ownership = switch(args)?,
            "movesOwnershipStdev" => parts.moves_ownership_stdev = switch(args)?,
            "avoid" => self.limits.push(LimitText::read(LimitKind::Avoid, args)?),
            "allow" => self.limits.push(LimitText::read(LimitKind::Allow, args)?),
            _ => match word.parse::<Color>() {
                Ok(color) if self.color.is_none() => self.color = Some(color),
                _ => self.interval = interval(word)?,
            },
        }
        Ok(())
    }

    /// The moves that must not be considered in a search of `position` with `color` to move; an error if no legal
    /// move is left.
    pub(super) fn limits(&self, position: &Position, color: Color) -> Result<Limits, NotAllowed> {
        let limit = |text: &LimitText| -> Result<Limit, VertexError> {
            let LimitText { kind, player, moves, until_depth } = text;
            let moves =
                moves.iter().map(|mv| mv.to_move(position.size())).collect::<Result<_, _>>();
            Ok(Limit { player: *player, moves: moves?, until_depth: *until_depth, kind: *kind })
        };
        let limits = self.limits.iter().map(limit).collect::<Result<Limits, _>>()?;
        let pass = (position.rules().game == Game::Go).then_some(Move::Pass);
        let mut legal = position.legal_points(color).map(Move::Place).chain(pass).peekable();
        let none = legal.peek().is_some() && !legal.any(|mv| limits.allow(color, 0, mv));
        if none { Err(NotAllowed::All) } else { Ok(limits) }
    }
}

impl LimitText {
    fn read(kind: LimitKind, args: &mut Args<'_>) -> Result<Self, ArgError> {
        let player = args.color()?;
        let moves = args.word("moves, separated by commas")?;
        let moves = moves.split(',').map(|mv| VertexText(mv.to_owned())).collect();
        Ok(Self { kind, player, moves, until_depth: args.parse("depth")? })
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
    use crate::game::{BoardSize, Komi, Rules};

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
                ownership: true,
                ..Parts::default()
            }
        );
        let parts =
            read("movesOwnership true ownershipStdev false pvEdgeVisits true").unwrap().parts;
        assert!(parts.moves_ownership && parts.owner_spreads() && parts.pv_edge_visits);
        assert!(!parts.ownership_stdev && !parts.moves_ownership_stdev);
        for text in [
            "x",
            "b w",
            "b -1",
            "nan",
            "minmoves",
            "minmoves x",
            "ownership",
            "ownership yes",
            "ownershipStdev",
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
        for text in ["ownership true", "b 10 rootInfo true", "movesOwnership true"] {
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
        let limits = |text: &str, color| read(text).unwrap().limits(&position, color);
        let count = |text: &str, player, ply| {
            let limits = limits(text, Color::Black).unwrap();
            let moves = size.points().map(Move::Place).chain([Move::Pass]);
            moves.filter(|&mv| limits.allow(player, ply, mv)).count()
        };
        let names = |text: &str| count(text, Color::Black, 0);
        assert_eq!(limits("b 10", Color::Black), Ok(Limits::default()));
        assert_eq!(limits("avoid b C3 0", Color::Black), Ok(Limits::default()));
        assert_eq!(names("avoid w C3 1"), 26);
        assert_eq!(names("avoid b C3,d4 1"), 24);
        assert_eq!(names("avoid b C3 1 avoid b pass 5 avoid w A1 1"), 24);
        assert_eq!(names("allow b C3,PASS 1"), 2);
        assert_eq!(names("allow b C3,D4 1 avoid b C3 1"), 1);
        assert_eq!(count("allow w C3,PASS 2", Color::White, 1), 2);
        assert_eq!(count("allow w C3,PASS 2", Color::White, 3), 26);
        assert_eq!(limits("allow b C3 1 avoid b C3 1", Color::Black), Err(NotAllowed::All));
        assert!(matches!(limits("avoid b Z9 1", Color::Black), Err(NotAllowed::Vertex(_))));
    }
}
