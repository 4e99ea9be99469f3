//! A query from its JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

use super::answer::Form;
use super::fields::{Fields, Read, Refusal, refusal};
use super::moves::{self, limits, moves};
use super::rules::{Wanted, handicap_bonus, komi_field, rules};
use super::settings::{Settings, Unusable};
use crate::analysis::query::{Owners, Query, Reports};
use crate::game::{Board, BoardSize, Color, Game, Komi, Move, Position, Rules};

/// The fields that mean something.
const KNOWN: [&str; 32] = [
    "action",
    "allowMoves",
    "analysisPVLen",
    "analyzeTurns",
    "avoidMoves",
    "boardXSize",
    "boardYSize",
    "firstReportDuringSearchAfter",
    "game",
    "id",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
    "includeOwnership",
    "includeOwnershipStdev",
    "includePVVisits",
    "includePolicy",
    "initialPlayer",
    "initialStones",
    "komi",
    "maxVisits",
    "moves",
    "overrideSettings",
    "priorities",
    "priority",
    "reportDuringSearchEvery",
    "rootFpuReductionMax",
    "rootPolicyTemperature",
    "rules",
    "terminateId",
    "turnNumbers",
    "whiteHandicapBonus",
];

/// The largest priority, and the smallest but for its sign.
const MOST_PRIORITY: i64 = (1 << 62) - 1;

const MOST_VISITS: i64 = 1 << 50;

/// Seconds between two reports.
const REPORT_SECONDS: std::ops::RangeInclusive<f64> = 0.001..=1_000_000.0;

/// A query with what its answers are to look like, and what is odd about it.
pub(super) struct Asked {
    pub(super) query: Query,
    pub(super) form: Form,
}

/// Reads a query. Warnings are for whoever asked, also where there is an error.
pub(super) fn read(
    object: &Map<String, Value>,
    id: &str,
    defaults: (&Settings, &[Game]),
    warnings: &mut Vec<Refusal>,
) -> Read<Asked> {
    let fields = Fields(object);
    let (settings, games) = defaults;
    let size = board_size(fields)?;
    let game = game(fields, games)?;
    let stones = stones(fields, size)?;
    let moves = moves(fields, "moves", size)?
        .ok_or_else(|| refusal("moves", "Must specify an array of [player, location] pairs"))?;
    let first = moves::player(fields, "initialPlayer")?;
    let turns = turns(fields, moves.len())?;
    let priorities = priorities(fields)?;
    let (rules, komi) = rules_and_komi(fields, game, warnings)?;
    let mut settings = overridden(fields, settings, warnings)?;
    let (form, owners) = output(fields, &mut settings)?;
    let reports = reports(fields)?;
    let priority = priority(fields)?;
    let turns =
        turns.into_iter().map(|turn| (turn, priorities.get(&turn).copied().unwrap_or(priority)));
    let limits = limits(fields, size)?;
    let start = start(size, &stones, rules, komi)?;
    let start = with_first_player(start, first, &moves);
    if settings.warn_unused {
        let unknown = object.keys().filter(|key| !KNOWN.contains(&key.as_str()));
        warnings.extend(unknown.map(|key| {
            refusal(
                key,
                "Unexpected or unused field; analysis.warn_unused = false hides this warning",
            )
        }));
    }
    let query = Query {
        id: id.to_owned(),
        start,
        turns: turns.collect(),
        moves,
        visits: settings.visits,
        time: settings.time,
        search: settings.search,
        limits,
        ignore_history: settings.ignore_history,
        owners,
        reports,
    };
    query.position(query.moves.len()).map_err(|(number, reason)| {
        let text = size.move_text(query.moves[number].1);
        refusal("moves", format!("Illegal move {number}: {text}: {reason}"))
    })?;
    Ok(Asked { query, form })
}

fn board_size(fields: Fields<'_>) -> Read<BoardSize> {
    const SIDES: [&str; 2] = ["boardXSize", "boardYSize"];
    let reason = format!("Must provide an integer from {} to {}", BoardSize::MIN, BoardSize::MAX);
    let wrong = |field| refusal(field, reason.clone());
    if let Some(missing) = SIDES.into_iter().find(|side| !fields.has(side)) {
        return Err(wrong(missing));
    }
    let side = |field| {
        let side =
            fields.get(field).and_then(Value::as_u64).and_then(|side| usize::try_from(side).ok());
        side.filter(|side| (BoardSize::MIN..=BoardSize::MAX).contains(side))
            .ok_or_else(|| wrong(field))
    };
    let (width, height) = (side(SIDES[0])?, side(SIDES[1])?);
    BoardSize::new(width, height).map_err(|_| wrong(SIDES[0]))
}

/// Go, unless the query asks for NoGo.
fn game(fields: Fields<'_>, games: &[Game]) -> Read<Game> {
    let game = match fields.get("game") {
        None => Game::Go,
        Some(value) => {
            let game = value.as_str().and_then(|word| word.parse().ok());
            game.ok_or_else(|| refusal("game", "Must be \"go\" or \"nogo\""))?
        }
    };
    if games.contains(&game) {
        return Ok(game);
    }
    Err(refusal("game", format!("The network does not know {game}")))
}

fn stones(fields: Fields<'_>, size: BoardSize) -> Read<Vec<(Color, crate::game::Point)>> {
    const FIELD: &str = "initialStones";
    let stones = moves(fields, FIELD, size)?.unwrap_or_default();
    let point = |(color, mv): (Color, Move)| {
        let point =
            mv.point().ok_or_else(|| refusal(FIELD, "Could not parse board location: pass"));
        Ok((color, point?))
    };
    stones.into_iter().map(point).collect()
}

/// The turns that are wanted, each once.
fn turns(fields: Fields<'_>, moves: usize) -> Read<BTreeSet<usize>> {
    const FIELD: &str = "analyzeTurns";
    let Some(turns) = fields.integers(FIELD)? else { return Ok(BTreeSet::from([moves])) };
    let read = |turn: i64| {
        let number = usize::try_from(turn).ok().filter(|&turn| turn <= moves);
        number.ok_or_else(|| refusal(FIELD, format!("Invalid turn number: {turn}")))
    };
    turns.into_iter().map(read).collect()
}

/// The priorities of single turns.
fn priorities(fields: Fields<'_>) -> Read<BTreeMap<usize, i64>> {
    const FIELD: &str = "priorities";
    let Some(priorities) = fields.integers(FIELD)? else { return Ok(BTreeMap::new()) };
    let Some(turns) = fields.integers("analyzeTurns")? else {
        return Err(refusal(FIELD, "Can only specify when also specifying analyzeTurns"));
    };
    if turns.len() != priorities.len() {
        return Err(refusal(FIELD, "Must have as many entries as analyzeTurns"));
    }
    let read = |(turn, priority): (i64, i64)| {
        let allowed = (-MOST_PRIORITY..=MOST_PRIORITY).contains(&priority);
        // The turns were checked before.
        let turn = usize::try_from(turn).ok().filter(|_| allowed);
        Ok((turn.ok_or_else(|| refusal(FIELD, format!("Invalid priority: {priority}")))?, priority))
    };
    turns.into_iter().zip(priorities).map(read).collect()
}

fn priority(fields: Fields<'_>) -> Read<i64> {
    const FIELD: &str = "priority";
    if fields.has(FIELD) && fields.has("priorities") {
        return Err(refusal(FIELD, "Cannot specify both priority and priorities"));
    }
    Ok(fields.integer(FIELD, -MOST_PRIORITY..=MOST_PRIORITY)?.unwrap_or(0))
}

/// In NoGo neither rules nor komi have a meaning; they are read where they are given.
fn rules_and_komi(
    fields: Fields<'_>,
    game: Game,
    warnings: &mut Vec<Refusal>,
) -> Read<(Rules, Komi)> {
    let wanted = match game {
        Game::NoGo if !fields.has("rules") => {
            Wanted { rules: Rules::NOGO, missing: Vec::new(), komi: 0.0 }
        }
        Game::Go | Game::NoGo => rules(fields)?,
    };
    let komi = komi_field(fields)?.unwrap_or(wanted.komi);
    let komi = Komi::from_points(komi).map_err(|error| refusal("komi", error.to_string()))?;
    let rules = handicap_bonus(fields, wanted.rules)?;
    if game == Game::NoGo {
        return Ok((Rules::NOGO, Komi::default()));
    }
    warnings.extend(
        wanted
            .missing
            .into_iter()
            .map(|what| refusal("rules", format!("These rules are played without {what}"))),
    );
    Ok((rules, komi))
}

/// The settings with those that the query changes.
fn overridden(
    fields: Fields<'_>,
    settings: &Settings,
    warnings: &mut Vec<Refusal>,
) -> Read<Settings> {
    const FIELD: &str = "overrideSettings";
    let mut settings = settings.clone();
    let mut unknown = Vec::new();
    if let Some(value) = fields.get(FIELD) {
        let object = value.as_object().ok_or_else(|| refusal(FIELD, "Must be an object"))?;
        for (key, value) in object {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match settings.set(key, &text) {
                Ok(()) => {}
                Err(Unusable::Unknown(key)) if key == "humanSLProfile" => {
                    let reason = "Could not set settings: humanSLProfile needs a human model, and none can be used";
                    return Err(refusal(FIELD, reason));
                }
                Err(Unusable::Unknown(key)) => unknown.push(key),
                Err(error @ Unusable::Value { .. }) => {
                    return Err(refusal(FIELD, format!("Could not set settings: {error}")));
                }
            }
        }
    }
    if !unknown.is_empty() {
        let reason = format!("Parameters without an equivalent here: {}", unknown.join(","));
        warnings.push(refusal(FIELD, reason));
    }
    if let Some(visits) = fields.integer("maxVisits", 1..=MOST_VISITS)? {
        settings.visits = visits.unsigned_abs();
    }
    Ok(settings)
}

/// What the answers are to tell.
fn output(fields: Fields<'_>, settings: &mut Settings) -> Read<(Form, Owners)> {
    let pv_length = fields.integer("analysisPVLen", 1..=1000)?;
    let pv_length = pv_length.and_then(|length| usize::try_from(length).ok());
    if let Some(reduction) = fields.number("rootFpuReductionMax", 0.0..=2.0)? {
        settings.search.root_first_play_reduction = reduction;
    }
    if let Some(temperature) = fields.number("rootPolicyTemperature", 0.01..=100.0)? {
        settings.set_root_temperature(temperature);
    }
    let owners = Owners {
        of_moves: fields.flag("includeMovesOwnership")?,
        deviation_of_moves: fields.flag("includeMovesOwnershipStdev")?,
        mean: fields.flag("includeOwnership")?,
        deviation: fields.flag("includeOwnershipStdev")?,
    };
    let form = Form {
        winrates: settings.winrates,
        pv_length: pv_length.unwrap_or(settings.pv_length),
        policy: fields.flag("includePolicy")?,
        pv_visits: fields.flag("includePVVisits")?,
        no_result: fields.flag("includeNoResultValue")?,
    };
    Ok((form, owners))
}

fn reports(fields: Fields<'_>) -> Read<Option<Reports>> {
    let seconds = |field| Ok(fields.number(field, REPORT_SECONDS)?.map(Duration::from_secs_f64));
    let every = seconds("reportDuringSearchEvery")?;
    let first = seconds("firstReportDuringSearchAfter")?.or(every);
    Ok(first.map(|first| Reports { first, every }))
}

/// The position before the first move. In Go stones are put down one after the other; NoGo knows no captures.
fn start(
    size: BoardSize,
    stones: &[(Color, crate::game::Point)],
    rules: Rules,
    komi: Komi,
) -> Read<Position> {
    let stones = stones.iter().copied();
    let board = match rules.game {
        Game::Go => Board::with_stones_in_order(size, stones),
        Game::NoGo => Board::with_stones(size, stones)
            .map_err(|error| refusal("initialStones", error.to_string()))?,
    };
    Ok(Position::from_board(board, Color::Black, rules, komi))
}

/// Whoever is named moves first, or made the first move, or has given a handicap.
fn with_first_player(
    mut start: Position,
    named: Option<Color>,
    moves: &[(Color, Move)],
) -> Position {
    let stones = |color| start.board().stones(color);
    let handicap = stones(Color::White) == 0 && stones(Color::Black) > 1;
    let usual = if handicap { Color::White } else { Color::Black };
    let first = named.or_else(|| moves.first().map(|&(color, _)| color));
    start.set_to_move(first.unwrap_or(usual));
    start
}
