//! What reading and writing do together.

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::game::{Color, GameRecord, Move, Position, RecordedMove, Rules};

/// Reads `(;…)` and writes it again, without what every file begins with; then the warnings.
fn check(inside: &str, expected: &str, warnings: &[&str]) {
    check_file(format!("(;{inside})").as_bytes(), expected, warnings);
}

/// The same for the bytes of a whole file.
fn check_file(file: &[u8], expected: &str, warnings: &[&str]) {
    let shown = String::from_utf8_lossy(file);
    let (record, found) =
        read(file, &SgfLimits::default()).unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(write(&record), format!("(;FF[4]GM[1]CA[UTF-8]{expected})"), "{shown}");
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, warnings, "{shown}");
}

/// Reads a whole file that is at fault.
fn check_error(file: &str, message: &str) {
    let error = read(file.as_bytes(), &SgfLimits::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), message, "{file}");
}

#[test]
fn what_is_written_is_read_as_it_was() {
    for inside in [
        "SZ[9]",
        "SZ[13:7]",
        "SZ[2:25]",
        "AP[tedomari:0.1.0]SZ[9]",
        r"AP[a:b\:c]SZ[9]",
        "AP[alone]SZ[9]",
        "SZ[9]RU[NoGo]",
        "SZ[9]RU[Tromp-Taylor]KM[7.5]",
        "SZ[9]KM[-3]",
        "SZ[9]HA[2]PL[W]",
        r"SZ[9]PB[Shusai [9p\]]BR[9p]PW[a\\b: c;(]WR[2404?]",
        "SZ[9]EV[Castle game]DT[1938-06-26]OT[5x30 byo-yomi]TM[144000]RE[W+2.5]",
        "SZ[9]TM[0.125]RE[?]C[two\n\nlines, 本因坊]",
        "SZ[9]AB[aa][ca]AW[bb]PL[W]",
        "SZ[9]PL[B];W[aa]",
        "SZ[9]PL[W];W[aa]",
        "SZ[9];B[ee]BL[12.345]OB[3]C[one];W[]WL[0]OW[0];B[ff]",
        "SZ[25];B[yy];W[tt]",
    ] {
        check(inside, inside, &[]);
    }
}

#[test]
fn files_are_put_into_the_usual_form() {
    let table = [
        ("", "SZ[19]"),
        ("GM[ 1 ]SZ[ 9 ]KM[ 6.50 ]", "SZ[9]KM[6.5]"),
        ("SZ[9:9]FF[3]ST[2]RO[1]TR[zz]XX[?]", "SZ[9]"),
        ("SZ[9];B[tt];W[];B[ ]", "SZ[9];B[];W[];B[]"),
        ("SZ[9]Black[aa];White[bb]Comment[x]", "SZ[9];B[aa];W[bb]C[x]"),
        ("SZ[9]B[aa]W[bb]", "SZ[9];B[aa];W[bb]"),
        ("SZ[9]RU[nz]KM[0]HA[0]RE[Draw]", "SZ[9]RU[NZ]KM[0]RE[0]"),
        ("SZ[9]HA[1]KM[]RE[]TM[]PB[ ]AB[]C[]", "SZ[9]"),
        ("SZ[9]RE[b+Resign];RE[W+T]KM[5]", "SZ[9]KM[5]RE[B+R]"),
        ("SZ[9]PL[black]", "SZ[9]"),
        ("SZ[9]PL[w]", "SZ[9]PL[W]"),
        ("SZ[3]AB[aa:cc]AW[bb]AE[ac][ca]", "SZ[3]AB[aa][ba][ab][cb][bc][cc]AW[bb]"),
        ("SZ[3]AB[aa];AW[aa][cc];AE[cc]", "SZ[3]AW[aa]"),
        ("SZ[9]PB[a\nb\\\nc\td]C[a\r\nb\\\r\nc\td]", "SZ[9]PB[a bc d]C[a\nbc d]"),
        ("SZ[9]C[a]C[b];C[c];B[aa]C[d];C[e]", "SZ[9]C[a\nb\nc];B[aa]C[d\ne]"),
        ("SZ[9]C[a][b]PB[c][d]", "SZ[9]PB[c d]C[a\nb]"),
        ("SZ[9]BL[5];C[x]BL[4.00009]WL[7]B[aa]", "SZ[9];B[aa]BL[4]C[x]"),
    ];
    for (inside, expected) in table {
        check(inside, expected, &[]);
    }
}

#[test]
fn what_is_left_out_is_said() {
    let ignored = |what: &str| format!("cannot understand {what}, it is left out");
    check("SZ[9]RU[Martian]", "SZ[9]", &["unknown rules RU[Martian]"]);
    check("SZ[9]KM[750]", "SZ[9]KM[7.5]", &["KM[750] is read as a komi of 7.5"]);
    check("SZ[9]KM[-650]", "SZ[9]KM[-6.5]", &["KM[-650] is read as a komi of -6.5"]);
    check("SZ[9]KM[375]", "SZ[9]KM[7.5]", &["KM[375] is read as a komi of 7.5"]);
    check("SZ[9]KM[3.75]", "SZ[9]KM[7.5]", &["KM[3.75] is read as a komi of 7.5"]);
    check("SZ[9]RE[B+0.25]", "SZ[9]RE[B+]", &["RE[B+0.25] is read as B+"]);
    check("SZ[9];B[aa];PL[B]", "SZ[9];B[aa]", &["PL after move 1 is left out"]);
    for what in ["KM[x]", "KM[nan]", "KM[6.1]", "KM[10050]", "HA[-1]", "HA[82]", "HA[two]"] {
        check(&format!("SZ[9]{what}"), "SZ[9]", &[&ignored(&what.replace("nan", "NaN"))]);
    }
    for what in ["RE[Black wins]", "TM[30 min]", "TM[-1]", "TM[inf]", "PL[green]"] {
        check(&format!("SZ[9]{what}"), "SZ[9]", &[&ignored(what)]);
    }
    for what in ["BL[-2]", "BL[ten]", "OB[-1]", "OB[1.5]"] {
        check(&format!("SZ[9];B[aa]{what}"), "SZ[9];B[aa]", &[&ignored(what)]);
    }
}

#[test]
fn one_line_of_one_game_is_read() {
    let games = "the file has several games: only the first is read";
    let variations = "the game has variations: only the main line is read";
    check_file(b"(;SZ[9];B[aa])\n(;SZ[5])", "SZ[9];B[aa]", &[games]);
    check_file(
        b"(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd](;B[ee])(;B[ff])))",
        "SZ[9];B[aa];W[bb];B[cc]",
        &[variations],
    );
    check_file(b"(;SZ[9];B[aa]", "SZ[9];B[aa]", &["the file ends before the game does"]);
    let not_utf8 = "the file is not UTF-8: some characters of its texts are lost";
    check_file(b"(;SZ[9]PB[Andr\xe9])", "SZ[9]PB[Andr\u{fffd}]", &[not_utf8]);
    check_file(b"\xef\xbb\xbf From: (me) \r\n(\n;SZ[9])", "SZ[9]", &[]);
}

#[test]
fn errors_name_the_culprit() {
    check_error("", "not an SGF file: there is no '(;'");
    check_error("(;C[a", "the file ends inside of C");
    check_error("(;C[a]]", "unexpected ']' at byte 6");
    check_error("(;GM[2])", "unsupported game GM[2]: only GM[1] is read, Go or NoGo");
    check_error("(;GM[x])", "unsupported game GM[x]: only GM[1] is read, Go or NoGo");
    for size in ["1", "26", "9:30", "0", "19x19", "300", ""] {
        check_error(
            &format!("(;SZ[{size}])"),
            &format!("bad board size SZ[{size}]: sides go from 2 to 25"),
        );
    }
    check_error("(;SZ[9];B[aa];W[x])", "malformed W[x] after move 1");
    check_error("(;SZ[9];B[aa][bb])", "malformed B[aa][bb] after move 0");
    check_error("(;SZ[9]AB[aa][b!])", "malformed AB[aa][b!] after move 0");
    check_error("(;SZ[9]AB[cc:aa])", "malformed AB[cc:aa] after move 0");
    check_error("(;SZ[9];B[aa];W[ja])", "W[ja] after move 1 is not on the 9x9 board");
    check_error("(;SZ[9]AW[aZ])", "AW[aZ] after move 0 is not on the 9x9 board");
    check_error("(;SZ[9:25];B[tt])", "B[tt] after move 0 is not on the 9x25 board");
    for name in ["AB", "AW", "AE"] {
        check_error(
            &format!("(;SZ[9];B[aa];{name}[bb])"),
            &format!("{name} after move 1: the board may only be set up before the first move"),
        );
    }
    let long = "x".repeat(1000);
    check_error(&format!("(;B[{long}])"), &format!("malformed B[{}…] after move 0", &long[..60]));
}

#[test]
fn files_that_cost_too_much_are_refused() {
    let limits = SgfLimits::default();
    let large = format!("(;C[{}])", "x".repeat(limits.bytes));
    let message = format!("the file has {} bytes, at most {} are read", large.len(), limits.bytes);
    check_error(&large, &message);
    let deep = |depth| format!("{}{}", "(;".repeat(depth), ")".repeat(depth));
    check_file(deep(limits.depth).as_bytes(), "SZ[19]", &[]);
    check_error(&deep(limits.depth + 1), "variations are nested deeper than 200");
    let long = format!("(;SZ[9]{})", ";B[aa]".repeat(limits.nodes));
    check_error(&long, "the game has more than 20000 nodes");
    let stones = format!("(;AB{})", "[aa:ss]".repeat(limits.setup_values + 1));
    check_error(&stones, "AB, AW and AE have more than 2000 values");
}

/// The parser's tree is as deep as the game is long: neither reading nor any error may drop it
/// by recursion. The stack is that of a spawned thread.
#[test]
fn long_games_need_no_stack() {
    let limits = SgfLimits { nodes: 500_000, ..SgfLimits::default() };
    let moves = |end: &str| format!("{}{end}", ";B[aa]".repeat(400_000));
    let files = [
        (format!("(;SZ[9]{})", moves("")), None),
        (format!("(;SZ[9]{})", moves(";B[zz]")), Some("after move 400000")),
        (format!("(;SZ[9]{})", moves(";AB[bb]")), Some("AB after move 400000")),
        (format!("(;SZ[1]{})", moves("")), Some("bad board size")),
        (format!("(;GM[2]{})", moves("")), Some("unsupported game")),
        (format!("(;GM[1]GM[2]{}", moves("")), None),
    ];
    let check = move || {
        for (file, expected) in files {
            let answer = read(file.as_bytes(), &limits);
            match (answer, expected) {
                (Ok((record, _)), None) => assert_eq!(record.moves.len(), 400_000),
                (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{error}"),
                (answer, _) => panic!("{expected:?}: {:?}", answer.err()),
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap();
    thread.join().unwrap();
}

/// Not more than a moment for the dearest file that the limits allow.
#[test]
fn repeated_texts_and_rectangles_are_cheap() {
    let limits = SgfLimits::default();
    let comments = format!("(;{})", ";C[0123456789 0123456789]".repeat(19_000));
    let (record, _) = read(comments.as_bytes(), &limits).unwrap();
    assert_eq!(record.comment.map(|text| text.len()), Some(19_000 * 22 - 1));
    let stones = format!("(;SZ[25]AB{})", "[aa:yy]".repeat(limits.setup_values));
    let (record, _) = read(stones.as_bytes(), &limits).unwrap();
    assert_eq!(record.setup.len(), 625);
}

/// Text of one line, without blanks around it.
fn name() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(r"[\PC]{1,12}")
        .prop_map(|text| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}

fn comment() -> impl Strategy<Value = Option<String>> {
    proptest::option::weighted(0.2, r"([\PC]|\n|\]|\\){0,20}x")
}

fn seconds() -> impl Strategy<Value = Option<f64>> {
    proptest::option::of((0_u32..100_000_000).prop_map(|ms| f64::from(ms) / 1000.0))
}

fn result() -> impl Strategy<Value = Option<GameResult>> {
    let color = proptest::sample::select(Color::BOTH.to_vec());
    proptest::option::of((color, 1_u32..1000, 0..8).prop_map(|(winner, halves, kind)| match kind {
        0 => GameResult::Score { winner, halves },
        1 => GameResult::Resignation(winner),
        2 => GameResult::Time(winner),
        3 => GameResult::Forfeit(winner),
        4 => GameResult::Win(winner),
        5 => GameResult::Draw,
        6 => GameResult::Void,
        _ => GameResult::Unknown,
    }))
}

/// A record with everything about the game but stones and moves.
fn header() -> impl Strategy<Value = GameRecord> {
    let numbers = (2_usize..=25, 2_usize..=25, -200_i32..=200, 0_u16..5, 0_usize..9);
    let texts = (name(), name(), name(), name(), name(), name(), name(), name());
    (numbers, texts, comment(), seconds(), result()).prop_map(
        |(numbers, texts, comment, time_limit, result)| {
            let (width, height, halves, handicap, rules) = numbers;
            let (black, white, black_rank, white_rank, event, date, overtime, application) = texts;
            let named: Option<Rules> = Rules::names().nth(rules).map(|name| name.parse().unwrap());
            GameRecord {
                rules: named,
                komi: named.map(|_| Komi::from_points(f64::from(halves) / 2.0).unwrap()),
                handicap: if handicap == 1 { 0 } else { handicap.min(4) },
                players: [black, white],
                ranks: [black_rank, white_rank],
                event,
                date,
                time_limit,
                overtime,
                result,
                application,
                comment,
                ..GameRecord::new(BoardSize::new(width, height).unwrap())
            }
        },
    )
}

/// The legal move that `choice` picks, now and then a pass where the rules allow it.
fn pick(position: &Position, color: Color, choice: Index) -> Option<Move> {
    let points: Vec<_> = position.legal_points(color).collect();
    if choice.index(16) == 0 && position.check(color, Move::Pass).is_ok() || points.is_empty() {
        return position.check(color, Move::Pass).ok().map(|()| Move::Pass);
    }
    Some(Move::Place(*choice.get(&points)))
}

/// Random records of legal games.
fn game() -> impl Strategy<Value = GameRecord> {
    let choices = proptest::collection::vec((any::<Index>(), any::<bool>()), 0..12);
    let clock = (seconds(), proptest::option::of(0_u32..30), comment());
    let moves = proptest::collection::vec((any::<Index>(), clock), 0..80);
    (header(), choices, moves, any::<bool>()).prop_map(|(mut record, stones, moves, white)| {
        // Stones that NoGo allows leave every chain a liberty.
        let mut start = Position::new(record.size, Rules::NOGO, Komi::default());
        for (choice, black) in &stones {
            let color = Color::BOTH[usize::from(*black)];
            if let Some(mv) = pick(&start, color, *choice) {
                start.play(color, mv).unwrap();
                record.setup.push((color, mv.point().unwrap()));
            }
        }
        let size = record.size;
        record.setup.sort_by_key(|&(_, point)| size.offset(point));
        record.to_move = Color::BOTH[usize::from(white)];
        let rules = record.rules.unwrap_or(Rules::CGOS);
        let mut position = record.start(rules, Komi::default()).unwrap();
        for (choice, (seconds_left, stones_left, comment)) in moves {
            let color = position.to_move();
            let Some(mv) = pick(&position, color, choice) else { break };
            position.play(color, mv).unwrap();
            record.moves.push(RecordedMove { color, mv, seconds_left, stones_left, comment });
        }
        record
    })
}

/// A way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    Replace(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Truncate(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte =
        prop_oneof![any::<u8>(), proptest::sample::select(b"()[];:\\ \nBWACatz019.-".to_vec())];
    prop_oneof![
        4 => (any::<Index>(), byte.clone()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        4 => (any::<Index>(), byte).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        4 => any::<Index>().prop_map(Damage::Remove),
        1 => any::<Index>().prop_map(Damage::Truncate),
    ]
}

fn apply(file: &mut Vec<u8>, damage: &Damage) {
    if file.is_empty() {
        return;
    }
    match damage {
        Damage::Replace(at, byte) => *at.get_mut(file) = *byte,
        Damage::Insert(at, byte) => file.insert(at.index(file.len()), *byte),
        Damage::Remove(at) => {
            file.remove(at.index(file.len()));
        }
        Damage::Truncate(at) => file.truncate(at.index(file.len())),
    }
}

/// Whatever can be read is the same when it is written and read again.
fn check_stable(file: &[u8]) -> Result<(), TestCaseError> {
    let Ok((record, _)) = read(file, &SgfLimits::default()) else { return Ok(()) };
    let (again, warnings) = read(write(&record).as_bytes(), &SgfLimits::default()).unwrap();
    prop_assert_eq!(again, record);
    prop_assert_eq!(warnings, vec![]);
    Ok(())
}

proptest! {
    #[test]
    fn records_survive_a_round_trip(record in game()) {
        let (again, warnings) = read(write(&record).as_bytes(), &SgfLimits::default()).unwrap();
        prop_assert_eq!(&again, &record);
        prop_assert_eq!(warnings, vec![]);
        let rules = record.rules.unwrap_or(Rules::CGOS);
        prop_assert!(again.replay(usize::MAX, rules, Komi::default()).is_ok());
    }

    #[test]
    fn no_bytes_are_too_strange(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        tokens in proptest::collection::vec(
            proptest::sample::select(vec![
                "(", "(;", ";", ")", "B[aa]", "W[", "]", "[", "AB", "AE[aa:cc]", "SZ[9]", "SZ[5:7]",
                "GM[1]", "KM[750]", "\\", "\n", ":", "C[a]", "RE[B+", "HA[2]", "PL[", "tt", "é",
            ]),
            0..60,
        ),
    ) {
        check_stable(&bytes)?;
        check_stable(tokens.concat().as_bytes())?;
        check_stable(format!("(;{}", tokens.concat()).as_bytes())?;
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        record in game(),
        damages in proptest::collection::vec(damage(), 1..8),
    ) {
        let mut file = write(&record).into_bytes();
        for damage in &damages {
            apply(&mut file, damage);
        }
        check_stable(&file)?;
    }
}
