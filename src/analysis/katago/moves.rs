//! Players, points and moves as KataGo writes them.

use serde_json::Value;

use super::fields::{Fields, Read, Refusal, refusal};
use crate::game::{BoardSize, Color, Move};
use crate::search::{Limit, LimitKind};

/// The largest depth of a limit.
const DEEPEST: i64 = 1_000_000_000;

/// A vertex such as `D4`, a pass, or column and row from the top left, such as `(3,5)`.
fn read_move(size: BoardSize, text: &str) -> Option<Move> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("pss") {
        return Some(Move::Pass);
    }
    let Some(pair) = text.strip_prefix('(') else { return size.parse_move(text).ok() };
    let (x, y) = pair.strip_suffix(')')?.split_once(',')?;
    let number = |text: &str| text.trim().parse().ok();
    size.point(number(x)?, number(y)?).map(Move::Place)
}

/// The same; says what was wrong.
fn must_be_move(size: BoardSize, field: &str, text: &str) -> Read<Move> {
    read_move(size, text)
        .ok_or_else(|| refusal(field, format!("Could not parse board location: {text}")))
}

/// A list of pairs of a player and a move.
pub(super) fn moves(
    fields: Fields<'_>,
    field: &str,
    size: BoardSize,
) -> Read<Option<Vec<(Color, Move)>>> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let malformed =
        || refusal(field, "Must be an array of pairs of a player, \"b\" or \"w\", and a vertex");
    let read = |pair: &Value| {
        let [Value::String(player), Value::String(mv)] =
            pair.as_array().ok_or_else(malformed)?.as_slice()
        else {
            return Err(malformed());
        };
        let color = player.parse();
        let color =
            color.map_err(|_| refusal(field, format!("Could not parse player: {player}")))?;
        Ok((color, must_be_move(size, field, mv)?))
    };
    value.as_array().ok_or_else(malformed)?.iter().map(read).collect::<Read<_>>().map(Some)
}

/// A player.
pub(super) fn player(fields: Fields<'_>, field: &str) -> Read<Option<Color>> {
    let Some(value) = fields.get(field) else { return Ok(None) };
    let color = value.as_str().and_then(|text| text.parse().ok());
    color.ok_or_else(|| refusal(field, "Must be \"b\" or \"w\"")).map(Some)
}

/// The moves that are not to be searched, or no others.
pub(super) fn limits(fields: Fields<'_>, size: BoardSize) -> Read<Vec<Limit>> {
    let (field, kind) = match (fields.has("allowMoves"), fields.has("avoidMoves")) {
        (false, false) => return Ok(Vec::new()),
        (true, true) => {
            let reason = "Cannot specify both allowMoves and avoidMoves";
            return Err(refusal("allowMoves", reason));
        }
        (true, false) => ("allowMoves", LimitKind::Allow),
        (false, true) => ("avoidMoves", LimitKind::Avoid),
    };
    let malformed =
        || refusal(field, "Must be a list of objects with the fields player, moves and untilDepth");
    let list = fields.get(field).and_then(Value::as_array).ok_or_else(malformed)?;
    if kind == LimitKind::Allow && list.len() > 2 {
        return Err(refusal(field, "Must have one entry for each player at the most"));
    }
    let mut all: Vec<Limit> = Vec::with_capacity(list.len());
    for entry in list {
        let one = limit(entry, kind, size, &malformed)?;
        if kind == LimitKind::Allow && all.iter().any(|other| other.player == one.player) {
            return Err(refusal(field, "Cannot have two entries for the same player"));
        }
        all.push(one);
    }
    Ok(all)
}

fn limit(
    entry: &Value,
    kind: LimitKind,
    size: BoardSize,
    malformed: &dyn Fn() -> Refusal,
) -> Read<Limit> {
    let fields = Fields(entry.as_object().ok_or_else(malformed)?);
    if !["player", "moves", "untilDepth"].iter().all(|field| fields.has(field)) {
        return Err(malformed());
    }
    let player = player(fields, "player")?.ok_or_else(malformed)?;
    let no_list = || refusal("moves", "Must be an array of vertices");
    let list = fields.get("moves").and_then(Value::as_array).ok_or_else(no_list)?;
    let read = |value: &Value| must_be_move(size, "moves", value.as_str().ok_or_else(no_list)?);
    let moves = list.iter().map(read).collect::<Read<_>>()?;
    let depth = fields.integer("untilDepth", 1..=DEEPEST)?.ok_or_else(malformed)?;
    let until_depth = u32::try_from(depth).unwrap_or(u32::MAX);
    Ok(Limit { player, moves, until_depth, kind })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn size() -> BoardSize {
        BoardSize::new(9, 7).unwrap()
    }

    #[test]
    fn moves_have_several_spellings() {
        let point = |x, y| size().point(x, y).map(Move::Place);
        for (text, expected) in [
            ("D4", point(3, 3)),
            (" j7 ", point(8, 0)),
            ("(3,6)", point(3, 6)),
            ("( 0 , 0 )", point(0, 0)),
            ("PASS", Some(Move::Pass)),
            ("pss", Some(Move::Pass)),
            ("I3", None),
            ("A8", None),
            ("(9,0)", None),
            ("(1,2", None),
            ("(1;2)", None),
            ("(-1,2)", None),
            ("", None),
            ("ä1", None),
        ] {
            assert_eq!(read_move(size(), text), expected, "{text}");
        }
    }

    /// The field that is complained of, or the number of limits.
    fn check_limits(query: &Value, expected: Result<usize, &str>) {
        let fields = Fields(query.as_object().unwrap());
        let read = limits(fields, size());
        let found = read.as_ref().map(Vec::len).map_err(|refusal| refusal.field.as_str());
        assert_eq!(found, expected, "{query}");
    }

    #[test]
    fn limits_are_checked_as_katago_checks_them() {
        let entry = |player: &str, depth: i64| json!({"player": player, "moves": ["C3", "pass"], "untilDepth": depth});
        check_limits(&json!({}), Ok(0));
        check_limits(&json!({"avoidMoves": []}), Ok(0));
        let many = [entry("B", 1), entry("b", 2), entry("white", 1_000_000_000)];
        check_limits(&json!({"avoidMoves": many}), Ok(3));
        check_limits(&json!({"allowMoves": many}), Err("allowMoves"));
        check_limits(&json!({"allowMoves": [entry("B", 1), entry("W", 2)]}), Ok(2));
        check_limits(&json!({"allowMoves": [entry("B", 1), entry("B", 2)]}), Err("allowMoves"));
        check_limits(&json!({"allowMoves": [], "avoidMoves": []}), Err("allowMoves"));
        check_limits(&json!({"avoidMoves": "C3"}), Err("avoidMoves"));
        check_limits(&json!({"avoidMoves": [1]}), Err("avoidMoves"));
        check_limits(&json!({"avoidMoves": [{"player": "B"}]}), Err("avoidMoves"));
        check_limits(&json!({"avoidMoves": [entry("X", 1)]}), Err("player"));
        check_limits(&json!({"avoidMoves": [entry("B", 0)]}), Err("untilDepth"));
        let off_board = json!([{"player": "B", "moves": ["C3", "Z9"], "untilDepth": 1}]);
        check_limits(&json!({"avoidMoves": off_board}), Err("moves"));
        let no_list = json!([{"player": "B", "moves": "C3", "untilDepth": 1}]);
        check_limits(&json!({"avoidMoves": no_list}), Err("moves"));
    }
}
