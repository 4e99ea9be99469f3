use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::arena::{Fault, GameLine, Reason};
use crate::util::stats::Verdict;

const NAMES: [&str; 2] = ["Te <b>&</b>", "GNU \"Go\""];

fn info(players: &[&str], sprt: &Value) -> Value {
    json!({
        "format": 1, "players": players, "board": 9, "rules": "chinese", "komi": 7.0, "seed": 7,
        "games": 8, "schedule": "pairs", "time": vec!["fixed:0.5"; players.len()],
        "openings": "random", "sprt": sprt, "shard": [1, 1], "specs": players, "opening_plies": 8,
        "dead": "Agreement", "max_moves": 243, "allowance_ms": 20,
    })
}

/// A game of four moves behind an opening of two; game 1 is the second of pair 0.
fn game(number: u64, players: &[&str], sides: [usize; 2], winner: Option<usize>) -> GameLine {
    let result = match winner {
        Some(winner) if winner == sides[0] => "B+3.5",
        Some(_) => "W+R",
        None => "0",
    };
    GameLine {
        game: number,
        pair: number / 2,
        players: players.iter().map(|name| (*name).to_owned()).collect(),
        black: sides[0],
        white: sides[1],
        winner,
        result: result.to_owned(),
        reason: if result == "W+R" { Reason::Resignation } else { Reason::Score },
        opening: "D4 E5".to_owned(),
        opening_plies: 2,
        plies: 6,
        moves: ["D4", "E5", "C3", "F6", "G7", "pass"].map(str::to_owned).to_vec(),
        seconds: vec![0.5, 0.25, 1.5, 0.75],
        simulations: vec![Some(400), None, Some(200), None],
        stops: vec![None; 4],
        planned: Vec::new(),
        faults: Vec::new(),
    }
}

/// Games of two players by the winners; colours change from game to game.
fn games(winners: &[Option<usize>]) -> Vec<GameLine> {
    let sides = |number: u64| if number.is_multiple_of(2) { [0, 1] } else { [1, 0] };
    (0..)
        .zip(winners)
        .map(|(number, winner)| game(number, &NAMES, sides(number), *winner))
        .collect()
}

fn text(lines: &[GameLine]) -> String {
    lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect()
}

fn directory(info: &Value, lines: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("match.json"), info.to_string()).unwrap();
    fs::write(folder.path().join("games.jsonl"), lines).unwrap();
    folder
}

fn read(folders: &[&TempDir]) -> Result<Results, ReportError> {
    Results::read(&folders.iter().map(|folder| folder.path().to_owned()).collect::<Vec<_>>())
}

/// Reads, writes all files, and checks what holds of every page.
fn report(folder: &TempDir) -> (Summary, String) {
    let results = read(&[folder]).unwrap();
    let (summary, files) = write(&results, folder.path()).unwrap();
    assert!(files.iter().all(|file| file.is_file()));
    let page = fs::read_to_string(folder.path().join("summary.html")).unwrap();
    for word in ["NaN", "inf%", "inf ", ">inf", "http:", "https:", "src=", "url(", "@import"] {
        assert!(!page.contains(word), "'{word}' is on the page");
    }
    let json = fs::read_to_string(folder.path().join("summary.json")).unwrap();
    assert_eq!(json, serde_json::to_string_pretty(&summary).unwrap() + "\n");
    (summary, page)
}

#[test]
fn a_small_match_by_hand() {
    let test = json!({"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05});
    // Pairs of the first player: 1 + 1, ½ + 0, 0 + 1; then a game whose pair is not over.
    let winners = [Some(0), Some(0), None, Some(1), Some(1), Some(0), Some(0)];
    let folder = directory(&info(&NAMES, &test), &text(&games(&winners)));
    let (summary, page) = report(&folder);
    assert_eq!((summary.games, summary.void, summary.duplicates), (7, 0, 0));
    let pairing = &summary.pairings[0];
    let outcomes = &pairing.outcomes;
    assert_eq!((outcomes.wins, outcomes.draws, outcomes.losses), (4, 1, 2));
    assert_eq!(outcomes.pairs, [0, 1, 1, 0, 1]);
    assert!((pairing.score.unwrap() - 4.5 / 7.0).abs() < 1e-12);
    let sprt = pairing.sprt.as_ref().unwrap();
    assert_eq!((sprt.verdict, sprt.decided_after), (Verdict::Open, None));
    assert_eq!(sprt.curve.iter().map(|point| point.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!((sprt.llr - sprt.test.llr([0, 1, 1, 0, 1])).abs() < 1e-12);
    // Black won games 0, 3 and 6.
    assert_eq!(summary.colours, [3, 1, 3]);
    assert_eq!(summary.reasons["resignation"], 3);
    assert_eq!(summary.reasons["score"], 4);
    // The first player: with Black 0.5 and 1.5 s in four games, with White 0.25 and 0.75 s in three.
    let first = &summary.players[0];
    assert_eq!((first.as_black, first.as_white), ([2, 1, 1], [2, 0, 1]));
    assert_eq!(first.seconds.count, 14);
    assert!((first.seconds.mean.unwrap() - (4.0 * 2.0 + 3.0) / 14.0).abs() < 1e-12);
    assert_eq!((first.simulations.count, first.simulations.mean), (8, Some(300.0)));
    assert_eq!(first.saved, None);
    // Moves 3, 4, 5 and 6 of the game; its own number 3 was played with Black only.
    assert_eq!(summary.time_by_move.width, 1);
    assert_eq!(summary.time_by_move.mean[0][2..], [Some(0.5), Some(0.25), Some(1.5), Some(0.75)]);
    assert_eq!(summary.time_by_move.mean[0][0], None);
    assert_eq!(
        (summary.lengths.mean, summary.length_histogram.starts.clone()),
        (Some(6.0), vec![6])
    );
    assert!(summary.ratings.is_none());
    assert!(page.contains("Te &lt;b&gt;&amp;&lt;/b&gt;") && !page.contains("Te <b>"));
    assert!(page.contains("GNU &quot;Go&quot;"));
}

#[test]
fn the_table_is_that_of_twogtp() {
    let mut lines = games(&[Some(0), Some(0), None, Some(1)]);
    lines[3].faults =
        vec![Fault { player: 0, ply: 6, kind: "junk".into(), detail: "a\tb\n".into() }];
    lines.push(GameLine { reason: Reason::Void, result: "Void".into(), ..lines[0].clone() });
    lines[4].game = 4;
    let folder = directory(&info(&NAMES, &Value::Null), &text(&lines));
    report(&folder);
    let table = fs::read_to_string(folder.path().join("match.dat")).unwrap();
    let (head, rows) = table.split_once("#GAME").unwrap();
    assert!(head.contains("# Size: 9\n") && head.contains("# Komi: 7\n"), "{head}");
    assert!(head.lines().all(|line| line.starts_with('#')));
    // The first player, who has White in games 1 and 3, is twogtp's Black.
    assert_eq!(
        rows,
        "\tRES_B\tRES_W\tRES_R\tALT\tDUP\tLEN\tTIME_B\tTIME_W\tCPU_B\tCPU_W\tERR\tERR_MSG\n\
         0\tB+3.5\tB+3.5\t?\t0\t-\t6\t2.0\t1.0\t0\t0\t0\t\n\
         1\tB+R\tB+R\t?\t1\t-\t6\t1.0\t2.0\t0\t0\t0\t\n\
         2\t0\t0\t?\t0\t-\t6\t2.0\t1.0\t0\t0\t0\t\n\
         3\tW+3.5\tW+3.5\t?\t1\t-\t6\t1.0\t2.0\t0\t0\t0\tjunk: a b \n\
         4\t?\t?\t?\t0\t-\t6\t2.0\t1.0\t0\t0\t1\t\n"
    );
}

#[test]
fn shards_are_put_together_and_no_game_counts_twice() {
    let lines = games(&[Some(0), Some(0), Some(1), Some(0), None, None]);
    let (mut one, mut two) = (info(&NAMES, &Value::Null), info(&NAMES, &Value::Null));
    (one["shard"], two["shard"]) = (json!([1, 2]), json!([2, 2]));
    let first = directory(&one, &text(&lines[..4]));
    let second = directory(&two, &text(&lines[2..]));
    fs::create_dir(second.path().join("sgf")).unwrap();
    fs::write(second.path().join("sgf/000005.sgf"), "(;GM[1])").unwrap();
    let merged = read(&[&first, &second]).unwrap();
    assert_eq!((merged.games.len(), merged.duplicates), (6, 2));
    let out = tempfile::tempdir().unwrap();
    let (summary, _) = write(&merged, out.path()).unwrap();
    let whole = directory(&info(&NAMES, &Value::Null), &text(&lines));
    assert_eq!(summary.pairings, report(&whole).0.pairings);
    // Links lead from the summary to the shard.
    let link = summary.list[5].sgf.as_ref().unwrap();
    assert!(out.path().join(link).is_file(), "{link}");
    assert_eq!(summary.list[0].sgf, None);
}

#[test]
fn different_matches_are_not_mixed() {
    let error = |change: &dyn Fn(&mut Value)| {
        let mut other = info(&NAMES, &Value::Null);
        change(&mut other);
        let (here, there) = (directory(&info(&NAMES, &Value::Null), ""), directory(&other, ""));
        read(&[&here, &there]).unwrap_err().to_string()
    };
    let komi = error(&|info| info["komi"] = json!(6.5));
    assert!(komi.contains("'komi' is 7.0 in the first and 6.5 in the second"), "{komi}");
    assert!(error(&|info| info["players"][1] = json!("x")).contains("'players'"));
    assert!(
        error(&|info| info["sprt"] = json!({"elo0":0,"elo1":1,"alpha":0.1,"beta":0.1}))
            .contains("'sprt'")
    );
    let dead = error(&|info| info["dead"] = json!("PlayOn"));
    assert!(dead.contains("'dead' is \"Agreement\" in the first and \"PlayOn\""), "{dead}");
}

#[test]
fn damaged_directories_are_refused_in_words() {
    let error = |folder: &TempDir| read(&[folder]).unwrap_err().to_string();
    let missing = error(&tempfile::tempdir().unwrap());
    assert!(missing.contains("is not a results directory") && missing.contains("match.json"));
    let with = |change: &dyn Fn(&mut Value)| {
        let mut damaged = info(&NAMES, &Value::Null);
        change(&mut damaged);
        error(&directory(&damaged, ""))
    };
    assert!(with(&|info| info["format"] = json!(9)).contains("format 9"));
    assert!(with(&|info| info["players"] = json!(["a"])).contains("two players"));
    assert!(with(&|info| info["komi"] = json!("x")).contains("match.json is damaged"));
    let unsound = json!({"elo0": 5, "elo1": 0, "alpha": 0.05, "beta": 0.05});
    assert!(with(&|info| info["sprt"] = unsound.clone()).contains("elo0 < elo1"));
    assert!(matches!(Results::read(&[]), Err(ReportError::Nothing)));
    let folder = directory(&info(&NAMES, &Value::Null), "");
    fs::write(folder.path().join("match.json"), b"\xff{").unwrap();
    assert!(error(&folder).contains("damaged"));
}

#[test]
fn damaged_lines_are_left_out_and_named() {
    let lines = games(&[Some(0), Some(0), Some(1)]);
    let mut text = text(&lines[..2]);
    text.push_str("garbage\n\n{\"game\": 1}\n");
    let mut wrong = lines[2].clone();
    wrong.black = 7;
    text += &(serde_json::to_string(&wrong).unwrap() + "\n");
    wrong = lines[2].clone();
    wrong.seconds[0] = -1.0;
    text += &(serde_json::to_string(&wrong).unwrap() + "\n");
    let torn = serde_json::to_string(&lines[2]).unwrap();
    text.push_str(&torn[..torn.len() / 2]);
    let folder = directory(&info(&NAMES, &Value::Null), &text);
    let (summary, page) = report(&folder);
    assert_eq!(summary.games, 2);
    assert_eq!(summary.warnings.len(), 5, "{:?}", summary.warnings);
    assert!(summary.warnings[0].starts_with("line 3 of "));
    assert!(summary.warnings[2].contains("black and white are not two players"));
    assert!(summary.warnings[4].contains("line 8") && summary.warnings[4].contains("cut off"));
    assert!(page.contains("line 3 of "));
    // Not text at all.
    let noise: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    fs::write(folder.path().join("games.jsonl"), noise).unwrap();
    assert_eq!(report(&folder).0.games, 0);
}

#[test]
fn a_match_without_games_has_a_page() {
    let test = json!({"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05});
    let folder = directory(&info(&NAMES, &test), "");
    fs::remove_file(folder.path().join("games.jsonl")).unwrap();
    let (summary, page) = report(&folder);
    assert_eq!((summary.games, summary.pairings.len()), (0, 0));
    assert!(page.contains("No games yet"));
    // Three players without games still have a table.
    let folder = directory(&info(&["a", "b", "c"], &test), "");
    let (summary, _) = report(&folder);
    assert!(summary.ratings.unwrap().imagined);
    // And so has one whose games do not count.
    let mut void = games(&[None, None]);
    for line in &mut void {
        line.reason = Reason::Void;
    }
    let (summary, _) = report(&directory(&info(&NAMES, &test), &text(&void)));
    assert_eq!((summary.games, summary.void, summary.pairings.len()), (2, 2, 0));
}

#[test]
fn plans_are_compared_with_what_the_clock_counts() {
    let mut line = game(0, &NAMES, [0, 1], Some(0));
    line.simulations = vec![Some(60), Some(300), Some(30), Some(500)];
    line.planned = vec![Some(100.0), None, Some(80.0), Some(400.0)];
    let mut info = info(&NAMES, &Value::Null);
    info["time"] = json!(["simulations:1000", "simulations:1000"]);
    let (summary, page) = report(&directory(&info, &text(&[line.clone()])));
    let saved = |summary: &Summary| [0, 1].map(|player: usize| summary.players[player].saved);
    assert_eq!(saved(&summary), [Some(0.5), Some(-0.25)]);
    assert_eq!(summary.time_by_move.mean[0][2..], [Some(60.0), None, Some(30.0), None]);
    assert!(page.contains("Mean simulations for a move"));
    // The same by real time: 0.5 and 1.5 s of 4.
    info["time"] = json!(["sudden:10", "none"]);
    line.planned = vec![Some(1.0), None, Some(3.0), None];
    let (summary, page) = report(&directory(&info, &text(&[line])));
    assert_eq!(saved(&summary), [Some(0.5), None]);
    assert!(page.contains("Mean seconds for a move"));
}

#[test]
fn one_sided_and_drawn_matches_have_pages() {
    let test = json!({"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05});
    for winners in [
        vec![Some(0)],
        vec![Some(1)],
        vec![None],
        vec![Some(0); 60],
        vec![Some(1); 60],
        vec![None; 60],
    ] {
        let mut lines = games(&winners);
        for line in &mut lines {
            line.simulations = vec![Some(0); 4];
            line.seconds = vec![0.0; 4];
        }
        let (summary, page) = report(&directory(&info(&NAMES, &test), &text(&lines)));
        assert_eq!(summary.games, winners.len() as u64);
        let elo = summary.pairings[0].elo;
        assert_eq!(elo.elo.is_some(), winners[0].is_none(), "{elo:?}");
        assert!(page.contains("Simulations"));
    }
    // Records that know nothing of time and simulations.
    let mut bare = games(&[Some(0), Some(1)]);
    for line in &mut bare {
        (line.seconds, line.simulations, line.plies) = (Vec::new(), Vec::new(), 0);
    }
    let (summary, page) = report(&directory(&info(&NAMES, &Value::Null), &text(&bare)));
    assert_eq!(summary.players[0].seconds.mean, None);
    assert!(page.contains("None are known."));
}

#[test]
fn faults_are_named_with_their_player() {
    let mut lines = games(&[Some(0), Some(1)]);
    let fault =
        |kind: &str| Fault { player: 1, ply: 5, kind: kind.into(), detail: "<late>".into() };
    lines[0].faults = vec![fault("late"), fault("a/b~c")];
    lines[1].faults = vec![fault("late")];
    let (summary, page) = report(&directory(&info(&NAMES, &Value::Null), &text(&lines)));
    assert_eq!(summary.players[1].faults["late"], 2);
    assert!(summary.players[0].faults.is_empty());
    assert_eq!((summary.faults.len(), summary.faults[2].game), (3, 1));
    assert!(page.contains("&lt;late&gt;") && page.contains("/players/1/faults/a~1b~0c"));
}

#[test]
fn more_players_have_ratings_and_a_table_for_each_pairing() {
    let names = ["a", "b", "c"];
    let mut lines = Vec::new();
    // a beats b and b beats c 3:1, a and c do not meet: steps of 400 log10 3.
    for (first, winners) in [(0, [0, 0, 1, 0]), (1, [1, 1, 1, 2])] {
        for winner in winners {
            let number = lines.len() as u64;
            let sides =
                if number.is_multiple_of(2) { [first, first + 1] } else { [first + 1, first] };
            lines.push(game(number, &names, sides, Some(winner)));
        }
    }
    let folder = directory(&info(&names, &Value::Null), &text(&lines));
    let (summary, page) = report(&folder);
    let ratings = summary.ratings.unwrap();
    assert!(!ratings.imagined);
    assert!((ratings.players[0].elo - 400.0 * 3f64.log10()).abs() < 1e-6);
    assert!(ratings.players[1].elo.abs() < 1e-6);
    assert_eq!(summary.pairings.len(), 2);
    assert!(page.contains("+191") && page.contains("Pairings"));
    assert!(folder.path().join("match-0-1.dat").is_file());
    assert!(!folder.path().join("match-0-2.dat").exists());
}
