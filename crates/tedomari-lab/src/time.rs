//! The strategies of Baier and Winands (2015), Tables I to V and XIII, and players that imitate how
//! they spread their time.

use serde::Serialize;

use tedomari::timeman::{Estimate, Table};

/// A row of one of the tables: a strategy, and what the paper says of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeRow {
    /// The row of the checklist.
    pub id: &'static str,
    /// The table.
    pub table: &'static str,
    /// The strategy, by the name of its preset.
    pub strategy: &'static str,
    /// Whom it plays against, by the name of its preset; none for the opponent of the tables.
    pub against: Option<&'static str>,
    /// Times the usual number of simulations for a game.
    pub times: u64,
    /// The paper's win rate in per cent, if it has one; against GNU Go on 13x13, or against the other strategy.
    pub paper: Option<f64>,
    /// What the player of the row does.
    pub kind: RowKind,
}

/// What the player of a row does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum RowKind {
    /// It plays by the strategy.
    Strategy,
    /// It imitates the strategy's times without its rules.
    Imitated,
    /// It and its opponent take the same time for every move, but it a tenth of that at the end.
    Hurried,
    /// It takes the same time for every move, in a game of the usual length as much as its opponent has.
    Steady,
    /// It and its opponent never give up.
    ToTheEnd,
}

const fn row(id: &'static str, table: &'static str, strategy: &'static str, paper: f64) -> TimeRow {
    let paper = Some(paper);
    TimeRow { id, table, strategy, against: None, times: 1, paper, kind: RowKind::Strategy }
}

/// STOP against ERICA-BASELINE, by the paper's numbers for one board or the other.
const fn duel(
    (id, table): (&'static str, &'static str),
    [strategy, against]: [&'static str; 2],
    times: u64,
    paper: f64,
) -> TimeRow {
    let (kind, paper) = (RowKind::Strategy, Some(paper));
    TimeRow { id, table, strategy, against: Some(against), times, paper, kind }
}

const IV: (&str, &str) = ("C23", "IV");
const STOP_OR_ERICA: [&str; 2] = ["STOP", "ERICA-BASELINE"];
/// Table V is of 19x19: its rows play by the numbers for that board, on whichever board there is.
const V: (&str, &str) = ("C24", "V");
const STOP_OR_ERICA_19: [&str; 2] = ["STOP-19", "ERICA-BASELINE-19"];

const fn imitation(strategy: &'static str, paper: f64) -> TimeRow {
    let (id, table, paper) = ("C33", "XIII", Some(paper));
    TimeRow { id, table, strategy, against: None, times: 1, paper, kind: RowKind::Imitated }
}

/// The endgame experiment: how much is lost by hurrying from ten turns before the usual end on.
const HURRIED: TimeRow = TimeRow {
    id: "C36",
    table: "endgame",
    strategy: "EXP-MOVES",
    against: Some("EXP-MOVES"),
    // Nobody runs out of time, however long a game is.
    times: 4,
    paper: Some(38.4),
    kind: RowKind::Hurried,
};

/// Who takes the same time for every move, at four times the clock so that it never runs out.
const STEADY: TimeRow = TimeRow {
    id: "C25",
    table: "fixed",
    strategy: "EXP-MOVES",
    against: None,
    times: 4,
    paper: Some(27.6),
    kind: RowKind::Steady,
};

/// How long games are that nobody gives up.
const TO_THE_END: TimeRow = TimeRow {
    id: "C37",
    table: "length",
    strategy: "EXP-STONES",
    against: Some("EXP-STONES"),
    times: 1,
    paper: None,
    kind: RowKind::ToTheEnd,
};

/// Own moves before the usual end from which a player hurries.
const HURRIED_MOVES: f64 = 10.0;

/// The rows, each imitation behind the strategy that it imitates.
pub const ROWS: &[TimeRow] = &[
    row("C20", "I", "ERICA-BASIC", 28.6),
    row("C20", "I", "ERICA-ENHANCED", 31.4),
    row("C20", "I", "ERICA-BASELINE", 35.3),
    row("C21", "II", "EXP-MOVES", 24.0),
    row("C21", "II", "EXP-SIM", 23.5),
    row("C21", "II", "EXP-STONES", 25.5),
    row("C21", "II", "OPEN", 32.0),
    row("C21", "II", "MID", 30.6),
    row("C21", "II", "KAPPA-EXP", 31.7),
    row("C21", "II", "KAPPA-LM", 31.1),
    row("C22", "III", "BEHIND", 29.9),
    row("C22", "III", "BEHIND-L", 30.5),
    row("C22", "III", "UNST", 33.6),
    row("C22", "III", "UNST-L", 35.8),
    row("C22", "III", "CLOSE", 32.6),
    row("C22", "III", "CLOSE-L", 36.5),
    row("C22", "III", "KAPPA-CM", 27.3),
    row("C22", "III", "STOP_A", 25.3),
    row("C22", "III", "STOP_B", 36.7),
    row("C22", "III", "STOP", 39.1),
    duel(IV, STOP_OR_ERICA, 1, 63.7),
    duel(IV, STOP_OR_ERICA, 2, 59.4),
    duel(IV, STOP_OR_ERICA, 4, 60.7),
    duel(V, STOP_OR_ERICA_19, 1, 62.7),
    duel(V, STOP_OR_ERICA_19, 3, 60.2),
    imitation("BEHIND", 31.3),
    imitation("UNST", 32.6),
    imitation("CLOSE", 31.0),
    imitation("STOP_A", 18.7),
    imitation("STOP_B", 29.8),
    imitation("STOP", 32.8),
    HURRIED,
    STEADY,
    TO_THE_END,
];

impl TimeRow {
    /// A name that no other row has.
    #[must_use]
    pub fn name(&self) -> String {
        match (self.kind, self.against) {
            (RowKind::Hurried, _) => "endgame-hurried".to_owned(),
            (RowKind::Steady, _) => "STEADY".to_owned(),
            (RowKind::ToTheEnd, _) => format!("{}-to-the-end", self.strategy),
            (_, Some(against)) => format!("{}-{against}-x{}", self.strategy, self.times),
            (RowKind::Imitated, None) => format!("{}-imitated", self.strategy),
            (RowKind::Strategy, None) => self.strategy.to_owned(),
        }
    }
}

/// What the games of a row say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// The row of the checklist.
    pub id: String,
    /// The table.
    pub table: String,
    /// The name of the row.
    pub name: String,
    /// The strategy, or the program, that it was played against.
    pub against: String,
    /// Games that count.
    pub games: u64,
    /// Points for each game.
    pub score: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// The paper's score, if it has one.
    pub paper: Option<f64>,
    /// The share of its planned time that the player did not use.
    pub saved: Option<f64>,
    /// Mean moves of a game.
    pub plies: Option<f64>,
    /// Mean simulations of a move, by the first move of each class.
    pub time_by_move: Vec<(u64, Option<f64>)>,
}

/// Timetables with which EXP-MOVES takes the same time for every move, and with which it takes a tenth of
/// that from ten own moves before the usual end on. `budget` is what the first takes for a game of the
/// usual length; the clock must have `times` as much.
#[must_use]
pub fn endgame_tables(base: &Table, budget: f64, times: u64) -> Option<[Table; 2]> {
    let own_moves = base.own_moves();
    let each = budget / own_moves;
    let start = 2.0 * (own_moves - HURRIED_MOVES).max(0.0);
    // Moves of both players in a class: as few as there are at once.
    let classes = (1..).step_by(2).take_while(|&ply| ply as f64 <= 2.0 * times as f64 * own_moves);
    let table = |hurried: bool| {
        let time = |ply: u64| if hurried && ply as f64 > start { each / 10.0 } else { each };
        let rows: Vec<_> = classes.clone().map(|ply| (ply, Some(time(ply)))).collect();
        imitation_table(base, &rows, 2, budget * times as f64)
    };
    Some([table(true)?, table(false)?])
}

/// A timetable with which EXP-MOVES takes, on the mean, the times that another strategy has taken: the
/// moves that it expects are the time left by the time to take. `times` are mean seconds of own moves
/// by moves of both players (the first of each class, and the class's width), `budget` the seconds of a
/// game.
#[must_use]
pub fn imitation_table(
    base: &Table,
    times: &[(u64, Option<f64>)],
    width: u64,
    budget: f64,
) -> Option<Table> {
    let own_moves = width as f64 / 2.0;
    let mut left = budget;
    let mut rows = Vec::new();
    for &(start, mean) in times {
        let Some(mean) = mean.filter(|mean| *mean > 0.0) else { continue };
        // In the middle of the class half of its moves have been made.
        let there = left - mean * (own_moves - 1.0).max(0.0) / 2.0;
        let expected = (there / mean).clamp(1.0, 9e4);
        rows.push([(start - 1) as f64 + own_moves, expected, expected, expected]);
        left -= mean * own_moves;
        if left <= 0.0 {
            break;
        }
    }
    if rows.is_empty() {
        return None;
    }
    let by_moves = Estimate { error: 0.0, rows };
    let source = "mean times of a strategy, to be imitated by EXP-MOVES".to_owned();
    Some(Table { source, by_moves, ..base.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tedomari::timeman::{PRESETS, TableGame};

    #[test]
    fn rows_name_strategies_and_differ() {
        let mut names: Vec<String> = ROWS.iter().map(TimeRow::name).collect();
        for row in ROWS {
            let known = |name: &str| PRESETS.iter().any(|preset| preset.name == name);
            assert!(known(row.strategy) && row.against.is_none_or(known), "{row:?}");
            let imitated = ROWS.iter().position(|other| other == row);
            let original =
                ROWS.iter().position(|o| o.strategy == row.strategy && o.kind == RowKind::Strategy);
            assert!(original <= imitated);
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ROWS.len());
    }

    #[test]
    fn who_hurries_takes_a_tenth_at_the_end() {
        let base = Table::built_in(TableGame::Go, 81);
        let own_moves = base.own_moves();
        let tables = endgame_tables(&base, 1000.0 * own_moves, 4).unwrap();
        for (table, hurries) in tables.iter().zip([true, false]) {
            let mut left = 4000.0 * own_moves;
            for number in 0..60u32 {
                let time = left / table.by_moves.at(f64::from(2 * number)).mean;
                let at_the_end = f64::from(number) >= own_moves - 9.0;
                let expected = if hurries && at_the_end { 100.0 } else { 1000.0 };
                let near_the_edge = (f64::from(number) - own_moves + 10.0).abs() <= 1.5;
                let fits = (time - expected).abs() < 0.1 * expected;
                assert!(fits || near_the_edge && hurries, "move {number}: {time}, {hurries}");
                left -= time;
            }
        }
    }

    /// What EXP-MOVES takes with the table, the time left by the moves expected, adds up to what was
    /// taken before.
    #[test]
    fn an_imitation_takes_the_same_times() {
        let base = Table::built_in(TableGame::Go, 81);
        let times = [(1, Some(30.0)), (11, Some(20.0)), (21, Some(10.0)), (31, None)];
        let table = imitation_table(&base, &times, 10, 400.0).unwrap();
        assert!(Table::from_toml(&table.to_toml()).is_ok());
        let (mut left, mut sums) = (400.0, [0.0; 3]);
        for ply in (0..30u8).step_by(2) {
            let time = left / table.by_moves.at(f64::from(ply)).mean;
            sums[usize::from(ply) / 10] += time;
            left -= time;
        }
        for (sum, expected) in sums.into_iter().zip([150.0, 100.0, 50.0]) {
            assert!((sum - expected).abs() < 0.15 * expected, "{sums:?}");
        }
        assert_eq!(imitation_table(&base, &[(1, None)], 10, 400.0), None);
    }
}
