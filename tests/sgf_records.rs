//! Records of real games are read, written and replayed.
//!
//! The games lie beside the package; where they are absent, the tests say so and pass.

mod shared;
mod skip;

use shared::sgf_lines;
use tedomari::game::sgf::{self, SgfLimits, SgfWarning};
use tedomari::game::{GameRecord, Komi, Rules};

/// Reads every `step`-th game of a file.
fn records(path: &str, step: usize) -> Option<Vec<(GameRecord, Vec<SgfWarning>)>> {
    let lines = sgf_lines(path)?;
    let read = |line: &Vec<u8>| {
        sgf::read(line, &SgfLimits::default())
            .unwrap_or_else(|error| panic!("{path}: {error}: {}", String::from_utf8_lossy(line)))
    };
    Some(lines.iter().step_by(step).map(read).collect())
}

/// Reads every `step`-th game of a file, at least `count` of them; each must be the same when it
/// is written and read again.
fn check_round_trips(path: &str, step: usize, count: usize) {
    let Some(records) = records(path, step) else { return };
    assert!(records.len() >= count, "{path} has {} games", records.len());
    for (record, _) in &records {
        let text = sgf::write(record);
        let again = sgf::read(text.as_bytes(), &SgfLimits::default());
        assert_eq!(again.as_ref(), Ok(&(record.clone(), vec![])), "{path}: {text}");
    }
}

#[test]
fn ogs_games_survive_a_round_trip() {
    check_round_trips("go9/ogs9_dan.sgfs.gz", 1, 4000);
}

#[test]
fn kgs_games_survive_a_round_trip() {
    check_round_trips("go19/kgs6d_even.sgfs.gz", 10, 1700);
}

#[test]
fn games_of_programs_survive_a_round_trip() {
    check_round_trips("go19/ai_games.sgfs.gz", 10, 690);
}

#[test]
fn cgos_games_survive_a_round_trip() {
    check_round_trips("go9/cgos9_both2400.sgfs.gz", 10, 7900);
}

#[test]
fn nogo_games_survive_a_round_trip() {
    check_round_trips("nogo9/nogo_mcts.sgfs.gz", 1, 300);
}

/// Replays every `step`-th game of a file to its end, under `rules` or the rules it names.
fn check_replays(path: &str, step: usize, rules: Option<Rules>) {
    let Some(records) = records(path, step) else { return };
    for (record, _) in &records {
        let rules = rules.or(record.rules).unwrap_or(Rules::CHINESE);
        let komi = record.komi.unwrap_or_default();
        let end = record.replay(usize::MAX, rules, komi);
        let end = end.unwrap_or_else(|error| panic!("{path}: {error}: {}", sgf::write(record)));
        assert_eq!(end.move_count() as usize, record.moves.len());
    }
}

#[test]
fn moves_of_cgos_are_legal_under_its_rules() {
    check_replays("go9/cgos9_both2400.sgfs.gz", 10, Some(Rules::CGOS));
}

#[test]
fn moves_on_servers_are_legal_under_the_rules_of_the_game() {
    check_replays("go9/ogs9_dan.sgfs.gz", 1, None);
    check_replays("go19/kgs6d_even.sgfs.gz", 10, None);
}

/// Every move of the NoGo games is legal. Of the 321 games 156 go on until the player to move has
/// no legal move, 130 end before with a resignation, and 35 have no result. Whoever moved last is
/// the winner where there is one.
#[test]
fn nogo_games_end_with_the_last_legal_move_or_before() {
    let Some(records) = records("nogo9/nogo_mcts.sgfs.gz", 1) else { return };
    let (mut played_out, mut resigned, mut unfinished) = (0, 0, 0);
    for (record, warnings) in &records {
        assert_eq!((record.rules, warnings.len()), (Some(Rules::NOGO), 0));
        let end = record.replay(usize::MAX, Rules::NOGO, Komi::default());
        let end = end.unwrap_or_else(|error| panic!("{error}: {}", sgf::write(record)));
        let over = !end.has_legal_point(end.to_move());
        assert_eq!(end.is_over(), over);
        if let Some(result) = record.result {
            assert_eq!(result.winner(), Some(end.to_move().opponent()));
            let count = if over { &mut played_out } else { &mut resigned };
            *count += 1;
        } else {
            assert!(!over);
            unfinished += 1;
        }
    }
    assert_eq!((played_out, resigned, unfinished), (156, 130, 35));
}
