use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::game::Move;

/// A game on 3x3 that Black wins by 9 points before komi, ended by two passes.
const COUNTED: &str = "(;SZ[3]KM[2]RE[B+7]BR[2467?]WR[2400]DT[2016-03-01];B[bb];W[];B[];W[])";

fn import(filters: Filters, sgf: &str) -> Result<TrainingGame, Skipped> {
    Importer::new(filters, 0.0, Seed::new(1)).import(sgf.as_bytes()).map(|taken| taken.game)
}

/// What is known of the outcome, in words: result for Black, score, owners.
fn check_outcome(sgf: &str, expected: &str) {
    check_outcome_with(Filters::default(), sgf, expected);
}

fn check_outcome_with(filters: Filters, sgf: &str, expected: &str) {
    let game = import(filters, sgf).unwrap();
    let number = |number: Option<f32>| number.map_or("?".to_owned(), |number| number.to_string());
    let owners = game.outcome.owners.as_ref().map_or("?".to_owned(), |owners| {
        owners.iter().map(|owner| owner.map_or('.', Color::letter)).collect()
    });
    let found =
        format!("{} {} {owners}", number(game.outcome.for_black()), number(game.outcome.score));
    assert_eq!(found, expected, "{sgf}");
}

#[test]
fn moves_and_rules_are_taken() {
    let game = import(Filters::default(), COUNTED).unwrap();
    assert_eq!(game.turns.len(), 4);
    assert!(game.turns.iter().all(|turn| turn.policy == [(turn.mv, 1.0)]));
    assert_eq!(game.turns[1].mv, Move::Pass);
    assert_eq!((game.rules, game.komi.points()), (Rules::CHINESE, 2.0));
    let rules = Filters { rules: Some(Rules::CGOS), ..Filters::default() };
    assert_eq!(import(rules, COUNTED).unwrap().rules, Rules::CGOS);
    let named = "(;SZ[3]RU[Japanese];B[bb];W[])";
    assert_eq!(import(Filters::default(), named).unwrap().rules, Rules::JAPANESE);
}

#[test]
fn outcomes_are_believed_as_far_as_the_board_agrees() {
    check_outcome(COUNTED, "1 7 BBBBBBBBB");
    // Another margin, and another winner.
    check_outcome(&COUNTED.replace("B+7", "B+6"), "1 ? ?");
    check_outcome(&COUNTED.replace("B+7", "W+1"), "-1 ? ?");
    let written = Filters { scores: ScoreTrust::Written, ..Filters::default() };
    check_outcome_with(written.clone(), &COUNTED.replace("B+7", "B+6"), "1 6 ?");
    check_outcome_with(written.clone(), &COUNTED.replace("B+7", "B+60"), "1 ? ?");
    // One pass is no end.
    check_outcome(&COUNTED.replace(";B[];W[])", ")"), "1 ? ?");
    check_outcome_with(written, &COUNTED.replace(";B[];W[])", ")"), "1 ? ?");
    check_outcome(&COUNTED.replace("B+7", "W+R"), "-1 ? ?");
    check_outcome(&COUNTED.replace("KM[2]RE[B+7]", "KM[9]RE[0]"), "0 0 BBBBBBBBB");
    check_outcome(&COUNTED.replace("B+7", "Draw"), "0 0 ?");
    for unknown in ["B+T", "W+F", "Void", "?", ""] {
        check_outcome(&COUNTED.replace("B+7", unknown), "? ? ?");
    }
}

#[test]
fn in_nogo_the_board_tells_who_has_won() {
    // White cannot move in the corner of 2x2: see the tests of the score.
    let over = "(;SZ[2]RU[NoGo]KM[7]RE[W+R];B[ab];W[ba];B[aa])";
    check_outcome(over, "1 0 BWB.");
    assert_eq!(import(Filters::default(), over).unwrap().komi, Komi::default());
    check_outcome("(;SZ[5]RU[NoGo]RE[W+R];B[ab];W[ba];B[aa])", "-1 ? ?");
    check_outcome("(;SZ[5]RU[NoGo]RE[W+T];B[ab];W[ba];B[aa])", "? ? ?");
}

#[test]
fn games_are_skipped_for_the_reason_that_is_noted() {
    let none = Filters::default;
    let rating = |least: &str| Filters { min_rating: Some(least.parse().unwrap()), ..none() };
    let since = |day: &str| Filters { since: Some(day.to_owned()), ..none() };
    let until = |day: &str| Filters { until: Some(day.to_owned()), ..none() };
    let result = |result| Filters { result, ..none() };
    let check = |filters: Filters, sgf: &str, expected: Option<Skipped>| {
        assert_eq!(import(filters, sgf).err(), expected, "{sgf}");
    };
    check(none(), "nonsense", Some(Skipped::Unreadable));
    check(none(), "(;SZ[3];B[bb];B[aa])", Some(Skipped::Start));
    check(none(), "(;SZ[3];W[bb];B[aa])", Some(Skipped::Start));
    check(none(), "(;SZ[5]AB[aa];W[bb];B[ab])", Some(Skipped::Start));
    check(none(), "(;SZ[9]HA[2];B[bb];W[ab])", Some(Skipped::Start));
    check(none(), "(;SZ[3];B[bb];W[bb])", Some(Skipped::Illegal));
    check(none(), "(;SZ[3])", Some(Skipped::Length));
    check(Filters { min_moves: 5, ..none() }, COUNTED, Some(Skipped::Length));
    check(Filters { max_moves: Some(3), ..none() }, COUNTED, Some(Skipped::Length));
    check(Filters { min_moves: 4, max_moves: Some(4), ..none() }, COUNTED, None);
    check(Filters { size: BoardSize::square(9).ok(), ..none() }, COUNTED, Some(Skipped::Board));
    check(rating("2400"), COUNTED, None);
    check(rating("2401"), COUNTED, Some(Skipped::Rating));
    check(rating("1d"), COUNTED, Some(Skipped::Rating));
    check(rating("1d"), "(;SZ[3]BR[6d]WR[P9];B[bb])", None);
    check(rating("1d"), "(;SZ[3]BR[6d];B[bb])", Some(Skipped::Rating));
    for (day, before) in
        [("2016", false), ("2016-03-01", false), ("2016-03-02", true), ("2017", true)]
    {
        check(since(day), COUNTED, before.then_some(Skipped::Date));
    }
    for (day, after) in [("2016", false), ("2016-03", false), ("2016-02", true), ("2015", true)] {
        check(until(day), COUNTED, after.then_some(Skipped::Date));
    }
    check(since("2000"), "(;SZ[3];B[bb])", Some(Skipped::Date));
    check(until("2000"), "(;SZ[3];B[bb])", Some(Skipped::Date));
    check(result(ResultFilter::Counted), COUNTED, None);
    let resigned = COUNTED.replace("B+7", "B+R");
    check(result(ResultFilter::Counted), &resigned, Some(Skipped::Result));
    check(result(ResultFilter::Known), &resigned, None);
    check(result(ResultFilter::Known), &COUNTED.replace("B+7", "B+T"), Some(Skipped::Result));
}

#[test]
fn every_game_comes_once_and_is_held_out_by_seed() {
    let mut importer = Importer::new(Filters::default(), 0.3, Seed::new(3));
    let letters = "abcdefghi";
    let mut held_out = Vec::new();
    for a in letters.chars() {
        for b in letters.chars() {
            let sgf = format!("(;SZ[9];B[{a}{b}];W[])");
            held_out.push(importer.add(sgf.as_bytes()).unwrap().held_out);
            assert!(importer.add(sgf.as_bytes()).is_none());
        }
    }
    let summary = importer.summary();
    assert_eq!((summary.games, summary.rows), (81, 162));
    assert_eq!(summary.skipped, BTreeMap::from([(Skipped::Duplicate, 81)]));
    // The number is binomial with mean 24.3 and standard deviation 4.1.
    assert!((9..40).contains(&summary.held_out), "{}", summary.held_out);
    let mut again = Importer::new(Filters::default(), 0.3, Seed::new(3));
    let last = again.add(b"(;SZ[9];B[ii];W[])").unwrap();
    assert_eq!(last.held_out, held_out[80]);
}

#[test]
fn files_of_all_kinds_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("inner/a.sgf"), "(;SZ[3]\n;B[bb])\n").unwrap();
    fs::write(path("b.SGFS"), "(;SZ[3];B[aa])\n\n(;SZ[3];B[ab])").unwrap();
    let mut gz = GzEncoder::new(fs::File::create(path("c.sgfs.gz")).unwrap(), Compression::fast());
    gz.write_all(b"(;SZ[3];B[ca])\n(;SZ[3];B[cb])\n").unwrap();
    gz.finish().unwrap();
    fs::write(path("notes.txt"), "nothing").unwrap();
    let files = sgf_files(&[folder.path().to_owned()]).unwrap();
    assert_eq!(files, [path("b.SGFS"), path("c.sgfs.gz"), path("inner/a.sgf")]);
    let mut importer = Importer::new(Filters::default(), 0.0, Seed::new(1));
    for file in &files {
        read_games(file, |sgf| {
            importer.add(sgf);
            ControlFlow::Continue(())
        })
        .unwrap();
    }
    assert_eq!((importer.summary().games, importer.summary().skipped.len()), (5, 0));
    let mut count = 0;
    read_games(&files[0], |_| {
        count += 1;
        ControlFlow::Break(())
    })
    .unwrap();
    assert_eq!(count, 1);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("a.txt");
    assert!(sgf_files(&[other]).unwrap_err().to_string().contains("a.txt"));
    let bad = folder.path().join("b.sgfs.gz");
    fs::write(&bad, "not compressed at all").unwrap();
    let error = read_games(&bad, |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("b.sgfs.gz"), "{error}");
    let missing = folder.path().join("c.sgf");
    let error = read_games(&missing, |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("c.sgf"), "{error}");
}
