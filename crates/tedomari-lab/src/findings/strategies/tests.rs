use super::*;

fn played(id: &str, name: &str, [low, high]: [f64; 2]) -> Played {
    Played {
        id: id.to_owned(),
        table: "III".to_owned(),
        name: name.to_owned(),
        against: "EXP-STONES".to_owned(),
        games: 100,
        score: f64::midpoint(low, high),
        low,
        high,
        paper: Some(0.4),
        saved: None,
        plies: None,
        time_by_move: Vec::new(),
    }
}

const GO: Ground<'_> = Ground { game: "go", board: "9x9" };

fn verdict_of(rows: &[Played], id: &str) -> Option<String> {
    of_time(rows, GO, "x").into_iter().find(|found| found.id == id).map(|found| found.verdict)
}

fn begins(rows: &[Played], id: &str, words: &str) {
    let verdict = verdict_of(rows, id).unwrap_or_default();
    assert!(verdict.starts_with(words), "{id}: {verdict}");
}

#[test]
fn hurrying_is_judged_against_one_half() {
    let row = |interval| [played("C36", "endgame-hurried", interval)];
    begins(&row([0.3, 0.4]), "C36", "reproduced");
    begins(&row([0.4, 0.6]), "C36", "not decided");
    begins(&row([0.6, 0.7]), "C36", "differs");
}

#[test]
fn duels_are_judged_against_one_half() {
    let rows = |a, b| [played("C23", "x1", a), played("C23", "x2", b)];
    let (won, even, lost) = ([0.52, 0.6], [0.45, 0.55], [0.4, 0.48]);
    begins(&rows(won, won), "C23", "reproduced: won for certain in all 2");
    begins(&rows(won, even), "C23", "reproduced in part: won for certain in 1 of 2");
    begins(&rows(even, even), "C23", "not decided");
    begins(&rows(won, lost), "C23", "differs: won in 1 rows, lost in 1");
}

#[test]
fn savings_are_told_when_all_three_are_known() {
    let rows = |stop: Option<f64>| {
        [("STOP_A", Some(0.2)), ("STOP_B", Some(0.3)), ("STOP", stop)]
            .map(|(name, saved)| Played { saved, ..played("C22", name, [0.4, 0.6]) })
    };
    let found =
        of_time(&rows(Some(0.5)), GO, "x").into_iter().find(|found| found.id == "C38").unwrap();
    assert_eq!(
        (found.verdict.as_str(), found.ours.as_str()),
        (
            "reproduced: the order is the paper's",
            "STOP_A 20.0 %, STOP_B 30.0 %, STOP 50.0 % of the planned time"
        )
    );
    begins(&rows(Some(0.1)), "C38", "differs: another order");
    let mut nothing = rows(Some(0.5));
    nothing[0].saved = Some(-0.008);
    begins(&nothing, "C38", "differs: the order is the paper's, but STOP_A saves nothing");
    assert_eq!(verdict_of(&rows(None), "C38"), None);
}

#[test]
fn orders_are_judged_by_differences() {
    let row = |paper: f64, interval| Played { paper: Some(paper), ..played("C22", "x", interval) };
    let (weak, middle, strong) = (row(0.2, [0.1, 0.2]), row(0.3, [0.1, 0.3]), row(0.4, [0.5, 0.6]));
    let rows = [weak.clone(), middle.clone(), strong.clone()];
    begins(&rows, "C22", "reproduced in part: 2 of 3 pairs");
    begins(&[weak.clone(), strong.clone()], "C22", "reproduced: all 1 pairs");
    begins(&[weak.clone(), middle], "C22", "not decided");
    begins(&[row(0.9, [0.1, 0.2]), strong], "C22", "differs: 0 of 1 pairs");
    // The paper does not tell these apart.
    begins(&[weak, row(0.21, [0.6, 0.7])], "C22", "measured");
}

#[test]
fn another_game_or_board_proves_nothing_of_the_papers() {
    let rows = [
        played("C22", "STOP", [0.6, 0.7]),
        played("C22", "CLOSE", [0.4, 0.5]),
        Played { table: "V".to_owned(), ..played("C24", "STOP-19", [0.6, 0.7]) },
    ];
    begins(&rows, "C24", "measured: the numbers for 19x19");
    let on = |ground, id: &str| {
        let found = of_time(&rows, ground, "x");
        found.into_iter().find(|found| found.id == id).map(|found| found.verdict)
    };
    let large = Ground { game: "go", board: "19x19" };
    assert!(on(large, "C24").unwrap().starts_with("reproduced"));
    let nogo = Ground { game: "nogo", board: "9x9" };
    assert_eq!(on(nogo, "C22").as_deref(), Some("measured: another game"));
    assert_eq!(on(nogo, "C22b"), None);
    assert!(on(nogo, "C40").unwrap().starts_with("reproduced"));
}

#[test]
fn pairs_are_judged_by_their_difference() {
    let rows = |unst, unst_l, close_l| {
        [
            played("C22", "UNST", unst),
            played("C22", "UNST-L", unst_l),
            played("C22", "CLOSE", [0.4, 0.5]),
            played("C22", "CLOSE-L", close_l),
        ]
    };
    // Intervals that overlap may still be apart: 0.07 with errors of 0.0255 each is 1.94, 0.08 is 2.2.
    begins(&rows([0.4, 0.5], [0.48, 0.58], [0.48, 0.58]), "C31", "reproduced: all 2");
    begins(&rows([0.4, 0.5], [0.48, 0.58], [0.47, 0.57]), "C31", "reproduced in part: 1 of 2");
    begins(&rows([0.4, 0.5], [0.47, 0.57], [0.4, 0.5]), "C31", "not decided");
    begins(
        &rows([0.6, 0.7], [0.4, 0.5], [0.6, 0.7]),
        "C31",
        "differs: 1 of 2 for certain, but UNST-L",
    );
    assert_eq!(verdict_of(&[played("C23", "x1", [0.4, 0.5])], "C31"), None);
}

/// A match against EXP-STONES itself says more than a comparison with how EXP-STONES has scored.
#[test]
fn who_was_played_against_is_one_half() {
    let stop = played("C22", "STOP", [0.51, 0.61]);
    let stones = played("C21", "EXP-STONES", [0.46, 0.56]);
    begins(&[stop.clone(), stones.clone()], "C22b", "reproduced: all 1");
    begins(std::slice::from_ref(&stop), "C22b", "reproduced: all 1");
    // In its table, too: 0.06 with an error of 0.0255 is 2.4, with that of EXP-STONES beside it 1.7.
    let paper =
        |paper, row: &Played| Played { paper: Some(paper), id: "C22".to_owned(), ..row.clone() };
    begins(&[paper(0.39, &stop), paper(0.25, &stones)], "C22", "reproduced: all 1 pairs");
    let elsewhere = Played { against: "gtp:x".to_owned(), ..stop };
    begins(&[elsewhere, stones], "C22b", "not decided");
}

#[test]
fn the_headline_is_about_the_best() {
    let rows = |stop| [played("C22", "CLOSE", [0.4, 0.5]), played("C22", "STOP", stop)];
    begins(&rows([0.6, 0.7]), "C40", "reproduced");
    begins(&rows([0.42, 0.52]), "C40", "not decided: STOP is first");
    let behind = [played("C22", "CLOSE", [0.5, 0.6]), played("C22", "STOP", [0.48, 0.58])];
    begins(&behind, "C40", "not decided: CLOSE is first");
    begins(&rows([0.2, 0.3]), "C40", "differs: STOP is below EXP-STONES");
    let above = [played("C22", "CLOSE", [0.8, 0.9]), played("C22", "STOP", [0.5, 0.6])];
    begins(&above, "C40", "differs: CLOSE is above STOP");
    // Above all others, but not above whom it has played.
    let even = [played("C22", "CLOSE", [0.2, 0.3]), played("C22", "STOP", [0.45, 0.55])];
    begins(&even, "C40", "not decided: STOP is first");
    let fixed = |interval| [rows([0.6, 0.7])[1].clone(), played("C25", "STEADY", interval)];
    begins(&fixed([0.4, 0.5]), "C25", "reproduced");
    begins(&fixed([0.6, 0.7]), "C25", "not decided");
    begins(&fixed([0.8, 0.9]), "C25", "differs");
}

#[test]
fn shapes_are_shares_of_the_time() {
    let row = |name: &str, first: f64| Played {
        time_by_move: vec![(1, Some(first)), (21, Some(50.0)), (41, Some(50.0)), (61, Some(999.0))],
        ..played("C22", name, [0.4, 0.5])
    };
    let mut rows = vec![
        row("EXP-STONES", 100.0),
        row("OPEN", 150.0),
        row("MID", 90.0),
        row("UNST", 120.0),
        row("STOP_A", 80.0),
        row("STOP_B", 120.0),
    ];
    assert_eq!(verdict_of(&rows, "C35"), None);
    rows.push(row("STOP", 110.0));
    let found = of_time(&rows, GO, "x").into_iter().find(|found| found.id == "C35").unwrap();
    assert!(found.ours.contains("EXP-STONES 50.0 %, OPEN 60.0 %"), "{}", found.ours);
    assert_eq!(found.verdict, "reproduced");
    rows[4] = row("STOP_A", 101.0);
    begins(&rows, "C35", "differs: STOP_A does not shift time to the endgame");
}

#[test]
fn lengths_are_compared() {
    let row = |id, name, plies| Played { plies: Some(plies), ..played(id, name, [0.4, 0.6]) };
    let rows = [row("C21", "EXP-STONES", 50.0), row("C37", "EXP-STONES-to-the-end", 80.0)];
    let found = of_time(&rows, GO, "x");
    let text = |id: &str| found.iter().find(|f| f.id == id).map(|f| f.ours.clone()).unwrap();
    assert_eq!(text("C37"), "50 moves with, 80 without");
    assert_eq!(text("C34"), "50 moves a game of EXP-STONES with itself");
}
