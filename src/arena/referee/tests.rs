use super::*;

/// A player who does what it was told beforehand.
#[derive(Default)]
struct Script {
    answers: std::vec::IntoIter<(Answer, Duration)>,
    dead: Option<PointSet>,
    purposes: Vec<Purpose>,
    seen: Vec<Move>,
    refuses: bool,
}

impl Player for Script {
    fn start(&mut self, _: &GameStart) -> Result<(), Trouble> {
        if self.refuses { Err(Trouble::new(Kind::Crash, "not today")) } else { Ok(()) }
    }

    fn play(&mut self, _: Color, mv: Move) -> Result<(), Trouble> {
        self.seen.push(mv);
        Ok(())
    }

    fn genmove(&mut self, question: &Question<'_>) -> Result<Reply, Trouble> {
        self.purposes.push(question.purpose);
        let (answer, used) = self.answers.next().expect("the script is long enough");
        Ok(Reply { answer, used, simulations: Some(30), stop: None, planned: None, win_rate: None })
    }

    fn dead_stones(&mut self) -> Result<Option<PointSet>, Trouble> {
        Ok(self.dead)
    }

    fn take_minor(&mut self) -> Vec<Trouble> {
        Vec::new()
    }
}

fn size() -> BoardSize {
    BoardSize::square(5).unwrap()
}

/// A script of moves; a number behind a word is how many milliseconds it takes.
fn script(text: &str) -> Script {
    let mut answers: Vec<(Answer, Duration)> = Vec::new();
    for word in text.split_whitespace() {
        if let Ok(milliseconds) = word.parse() {
            answers.last_mut().unwrap().1 = Duration::from_millis(milliseconds);
            continue;
        }
        let answer = match (word, size().parse_move(word)) {
            ("resign", _) => Answer::Resign,
            (_, Ok(mv)) => Answer::Move(mv),
            (word, Err(_)) => Answer::Nonsense(word.to_owned()),
        };
        answers.push((answer, Duration::ZERO));
    }
    Script { answers: answers.into_iter(), ..Script::default() }
}

fn points(text: &str) -> PointSet {
    text.split_whitespace().map(|word| size().parse_point(word).unwrap()).collect()
}

fn terms(rules: Rules, dead: DeadBy) -> Terms {
    Terms {
        size: size(),
        rules,
        komi: Komi::from_points(0.5).unwrap(),
        dead,
        max_moves: 75,
        allowance: Duration::from_millis(20),
        patience: Patience { unlimited: Duration::from_secs(9), late: Duration::from_secs(1) },
    }
}

fn context(judge: FindDead<'_>) -> GameContext<'_> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    GameContext { seed: Seed::new(1), judge, stop: &NEVER }
}

/// Plays a game; its result and its reason.
fn game(
    terms: &Terms,
    black: &mut Script,
    white: &mut Script,
    time: &str,
    verdict: &str,
) -> (Played, String) {
    let times = [time.parse().unwrap(); 2];
    let judge = |_: &Position| points(verdict);
    let played = play(terms, [black, white], times, &[], context(&judge)).unwrap();
    let text = format!("{} {:?}", played.result, played.reason);
    (played, text)
}

#[test]
fn a_game_that_is_told_to_stop_asks_for_no_move() {
    let (mut black, mut white) = (script(WALL), script(LOST));
    let terms = terms(Rules::CHINESE, DeadBy::Nobody);
    let judge = |_: &Position| PointSet::new();
    let context = GameContext { stop: &AtomicBool::new(true), ..context(&judge) };
    let times = ["none".parse().unwrap(); 2];
    let played = play(&terms, [&mut black, &mut white], times, &[], context).unwrap();
    assert_eq!((played.result, played.reason), (GameResult::Void, Reason::Void));
    assert!(black.purposes.is_empty() && played.record.moves.is_empty());
}

/// A wall in the middle and a stone that cannot live: 24.5 points if it is dead, 13.5 if not.
const WALL: &str = "C1 C2 C3 C4 C5 pass";
const LOST: &str = "A1 pass pass pass pass";

fn check_dead(dead: DeadBy, opinions: [Option<&str>; 2], verdict: &str, expected: &str) {
    let (mut black, mut white) = (script(WALL), script(LOST));
    [black.dead, white.dead] = opinions.map(|opinion| opinion.map(points));
    let (_, text) = game(&terms(Rules::CHINESE, dead), &mut black, &mut white, "none", verdict);
    assert_eq!(text, expected, "{dead:?} {opinions:?} {verdict}");
}

#[test]
fn dead_stones_by_agreement_or_by_the_judge() {
    let (dead, alive) = ("B+24.5 Score", "B+13.5 Score");
    check_dead(DeadBy::Nobody, [Some("A1"), Some("A1")], "A1", alive);
    check_dead(DeadBy::Judge, [None, None], "A1", dead);
    check_dead(DeadBy::Judge, [Some("A1"), Some("A1")], "", alive);
    check_dead(DeadBy::Agreement, [Some("A1"), Some("A1")], "", dead);
    check_dead(DeadBy::Agreement, [Some(""), Some("")], "A1", alive);
    check_dead(DeadBy::Agreement, [Some("A1"), Some("")], "A1", dead);
    check_dead(DeadBy::Agreement, [Some("A1"), Some("")], "", alive);
    check_dead(DeadBy::Agreement, [Some("A1"), None], "", alive);
    // Where there is no stone, none can be dead.
    check_dead(DeadBy::Agreement, [Some("B1"), Some("B1")], "A1", dead);
}

#[test]
fn a_game_is_played_on_until_nothing_happens() {
    // The first end; then Black captures, and both pass twice: once with stones before, once not.
    let mut black = script(&format!("{WALL} A2 B1 pass pass"));
    let mut white = script(&format!("{LOST} pass pass pass pass"));
    let terms = terms(Rules::CHINESE, DeadBy::PlayOn);
    let (played, text) = game(&terms, &mut black, &mut white, "none", "");
    assert_eq!(text, "B+24.5 Score");
    assert_eq!(black.purposes.iter().filter(|p| **p == Purpose::CleanUp).count(), 4);
    assert_eq!(black.purposes[..6], [Purpose::Win; 6]);
    assert_eq!(played.record.moves.len(), black.purposes.len() + white.purposes.len());
    // Nobody captures anything: it counts as it stands.
    let mut black = script(&format!("{WALL} pass"));
    let mut white = script(&format!("{LOST} pass"));
    let (_, text) = game(&terms, &mut black, &mut white, "none", "A1");
    assert_eq!(text, "B+13.5 Score");
}

#[test]
fn games_end_in_many_ways() {
    let usual = terms(Rules::CHINESE, DeadBy::Nobody);
    let end = |black: &str, white: &str| {
        let (played, text) = game(&usual, &mut script(black), &mut script(white), "none", "");
        (text, played.broken, played.faults.len())
    };
    let clean = |text: &str| (text.to_owned(), [false; 2], 0);
    assert_eq!(end("C3 resign", "B2"), clean("W+R Resignation"));
    assert_eq!(end("C3", "resign"), clean("B+R Resignation"));
    assert_eq!(end("pass", "pass"), clean("W+0.5 Score"));
    let fault = |text: &str, white: bool| (text.to_owned(), [!white, white], 1);
    assert_eq!(end("C3", "C3"), fault("B+F Illegal", true));
    assert_eq!(end("C3 Q7", "B2"), fault("W+F Illegal", false));
    // A ko: White may not retake at once.
    assert_eq!(end("B1 A2 B3 E5 C2", "C1 C3 D2 B2 B2"), fault("B+F Illegal", true));
    let long = Terms { max_moves: 3, ..usual };
    let (played, text) = game(&long, &mut script("A1 A2"), &mut script("E5"), "none", "");
    assert_eq!((text.as_str(), played.moves.len()), ("B+0.5 Length", 3));
}

#[test]
fn in_nogo_whoever_has_no_move_loses() {
    let size = BoardSize::square(2).unwrap();
    let terms = Terms { size, ..terms(Rules::NOGO, DeadBy::Nobody) };
    let at = |text: &str| (Answer::Move(size.parse_move(text).unwrap()), Duration::ZERO);
    let player = |moves: &[&str]| Script {
        answers: moves.iter().map(|mv| at(mv)).collect::<Vec<_>>().into_iter(),
        ..Script::default()
    };
    let (_, text) = game(&terms, &mut player(&["A1", "A2"]), &mut player(&["B2"]), "none", "");
    assert_eq!(text, "B+R NoMove");
    let pass = Script {
        answers: vec![(Answer::Move(Move::Pass), Duration::ZERO)].into_iter(),
        ..Script::default()
    };
    let (_, text) = game(&terms, &mut { pass }, &mut player(&[]), "none", "");
    assert_eq!(text, "W+F Illegal");
}

#[test]
fn clocks_are_strict_but_for_the_allowance() {
    let usual = terms(Rules::CHINESE, DeadBy::Nobody);
    let end = |time: &str, white: &str| {
        let (played, text) =
            game(&usual, &mut script("A1 B1 C1 D1 E1 pass"), &mut script(white), time, "");
        (text, played)
    };
    // One millisecond before the end with the allowance of 20, and at the end.
    assert_eq!(end("fixed:0.5", "A3 519 B3 519 resign").0, "B+R Resignation");
    let (text, played) = end("fixed:0.5", "A3 519 B3 520");
    assert_eq!(text, "B+T Time");
    assert_eq!(played.faults[0].2.to_string(), "late: 0.520 s for a move that had 0.500 s");
    assert_eq!(played.record.moves.len(), 3, "a late move is not on the board");
    assert_eq!(played.moves.len(), 4, "but its time is known");
    // 480 + 480 are charged, then there are 40 ms left.
    assert_eq!(end("sudden:1", "A3 500 B3 500 C3 59 resign").0, "B+R Resignation");
    assert_eq!(end("sudden:1", "A3 500 B3 500 C3 60").0, "B+T Time");
    assert_eq!(end("fischer:0.5+0.2", "A3 500 B3 230 C3 400").0, "B+T Time");
    assert_eq!(end("byoyomi:0.5+2x0.3", "A3 1000 B3 300 C3 330").0, "B+T Time");
    assert_eq!(end("byoyomi:0.5+2x0.3", "A3 1000 B3 300 C3 310 resign").0, "B+R Resignation");
    assert_eq!(end("canadian:0.1+2/0.5", "A3 300 B3 300 C3 400 resign").0, "B+R Resignation");
    assert_eq!(end("canadian:0.1+2/0.5", "A3 300 B3 400").0, "B+T Time");
    // By simulations, of which a script uses 30 for each move: 61 are not enough for three.
    assert_eq!(end("simulations:61", "A3 5000 B3 5000 C3").0, "W+T Time");
    // The clock stands in the record.
    let (_, played) = end("sudden:1", "A3 520 resign");
    assert_eq!(played.record.moves[1].seconds_left, Some(0.5));
}

#[test]
fn who_cannot_start_loses_and_two_make_no_game() {
    let usual = terms(Rules::CHINESE, DeadBy::Nobody);
    let bad = || Script { refuses: true, ..Script::default() };
    let (_, text) = game(&usual, &mut script(""), &mut bad(), "none", "");
    assert_eq!(text, "B+F Crash");
    let (played, text) = game(&usual, &mut bad(), &mut bad(), "none", "");
    assert_eq!((text.as_str(), played.faults.len()), ("Void Void", 2));
}

#[test]
fn both_are_told_of_the_opening_and_of_each_other() {
    let usual = terms(Rules::CHINESE, DeadBy::Nobody);
    let (mut black, mut white) = (script("D4 resign"), script("B2"));
    let opening = ["C3", "C4"].map(|text| size().parse_move(text).unwrap());
    let judge = |_: &Position| PointSet::new();
    let times = [TimeControl::NONE; 2];
    let players: [&mut dyn Player; 2] = [&mut black, &mut white];
    let played = play(&usual, players, times, &opening, context(&judge)).unwrap();
    let text = |moves: &[Move]| moves.iter().map(|&mv| size().move_text(mv)).collect::<Vec<_>>();
    assert_eq!(text(&black.seen), ["C3", "C4", "B2"]);
    assert_eq!(text(&white.seen), ["C3", "C4", "D4"]);
    assert_eq!(played.record.moves.len(), 4);
    assert_eq!(played.moves.len(), 3);
}
