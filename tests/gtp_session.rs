//! Answers of a session within this process: what depends on the configuration, and that a command
//! that fails changes nothing.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::sync::Arc;

use tedomari::config::Config;
use tedomari::engine::{Engine, Ticket};
use tedomari::gtp::{Line, Session, read_line};
use tedomari::playout::PlayoutEvaluator;
use tedomari::util::Seed;

/// A session of which only the answers are looked at.
struct Client(Session);

impl Client {
    fn new(settings: &[(&str, &str)]) -> Self {
        let config = settings
            .iter()
            .fold(Config::default().with("search.max_simulations", "50"), |config, (key, value)| {
                config.unwrap().with(key, value)
            })
            .unwrap();
        let evaluator = PlayoutEvaluator::new(Seed::new(1));
        let engine = Engine::new(config.engine(), Arc::new(evaluator));
        Self(Session::new(engine, Box::new(config)))
    }

    fn ask(&mut self, line: &str) -> Result<String, String> {
        let Line::Request(request) = read_line(line.as_bytes()) else {
            panic!("{line} is no command")
        };
        self.0.answer(&request, &Ticket::unlimited()).text
    }

    #[track_caller]
    fn succeeds(&mut self, line: &str) -> String {
        self.ask(line).unwrap_or_else(|why| panic!("{line}: {why}"))
    }

    /// The command fails, its message has these words, and the game is as before.
    #[track_caller]
    fn fails(&mut self, line: &str, words: &str) {
        let before = self.game();
        let why = self.ask(line).expect_err(line);
        assert!(why.contains(words), "{line}: {why}");
        assert_eq!(self.game(), before, "{line}");
    }

    /// Everything about the game: picture, komi, whose turn it is, record, and rules.
    fn game(&mut self) -> [String; 3] {
        ["showboard", "printsgf", "kata-get-rules"].map(|line| self.succeeds(line))
    }
}

#[test]
fn chat_is_answered_only_when_it_is_switched_on() {
    let mut client = Client::new(&[]);
    assert!(!client.succeeds("list_commands").contains("kgs-chat"));
    assert_eq!(client.succeeds("known_command kgs-chat"), "false");
    client.fails("kgs-chat game Alice hello", "unknown command");
    client.succeeds("tedomari-set-config gtp.kgs_chat true");
    assert!(client.succeeds("list_commands").contains("kgs-chat"));
    assert_eq!(client.succeeds("known_command kgs-chat"), "true");
    assert_eq!(client.succeeds("kgs-chat game Alice hello there"), "The game has only begun.");
    client.succeeds("genmove b");
    assert!(client.succeeds("kgs-chat private Alice").contains("50 simulations"));
    client.fails("kgs-chat shout Alice hello", "game or private");
    client.fails("kgs-chat game", "name is missing");
}

#[test]
fn name_and_version_are_settings() {
    let mut client = Client::new(&[]);
    assert_eq!(client.succeeds("name"), "Tedomari");
    assert_eq!(client.succeeds("version"), env!("CARGO_PKG_VERSION"));
    let mut client = Client::new(&[("gtp.name", "KataGo"), ("gtp.version", "1.15")]);
    assert_eq!(client.succeeds("name"), "KataGo");
    assert_eq!(client.succeeds("version"), "1.15");
    assert!(client.succeeds("gomill-describe_engine").starts_with("KataGo 1.15\n"));
    client.succeeds("tedomari-set-config gtp.name Leela Zero");
    assert_eq!(client.succeeds("name"), "Leela Zero");
    client.fails("name please", "one argument too many");
}

#[test]
fn settings_can_be_read_and_changed() {
    let mut client = Client::new(&[]);
    client.succeeds("play b E5");
    let all = client.succeeds("tedomari-get-config");
    for (line, (key, value)) in all.lines().zip(Config::default().entries()) {
        assert!(line.starts_with(&format!("{key} = ")), "{line} is not {key} = {value}");
    }
    assert_eq!(client.succeeds("tedomari-get-config time.lag_ms"), "200");
    client.succeeds("tedomari-set-config time.lag_ms 35");
    assert_eq!(client.succeeds("tedomari-get-config time.lag_ms"), "35");
    client.fails("tedomari-set-config time.lag_ms -1", "time.lag_ms");
    client.fails("tedomari-set-config time.lag_ms many", "'many'");
    client.fails("tedomari-set-config time.lag 3", "nearest known key is 'time.lag_ms'");
    client.fails("tedomari-set-config time.lag_ms", "value is missing");
    client.fails("tedomari-get-config time.lag", "unknown key 'time.lag'");
    assert_eq!(client.succeeds("tedomari-get-config time.lag_ms"), "35");
    assert!(client.succeeds("gogui-rules_board").contains('X'));
}

#[test]
fn settings_of_the_game_begin_a_new_one() {
    let mut client = Client::new(&[]);
    client.succeeds("play b E5");
    client.succeeds("tedomari-set-config game.kind nogo");
    assert_eq!(client.succeeds("tedomari-game"), "nogo");
    assert!(!client.succeeds("gogui-rules_board").contains('X'));
    client.succeeds("tedomari-set-config game.board_size 13");
    assert_eq!(client.succeeds("gogui-rules_board_size"), "13");
    client.fails("tedomari-set-config game.board_size 26", "2 to 25");
}

#[test]
fn a_sequence_is_played_whole_or_not_at_all() {
    let mut client = Client::new(&[]);
    client.succeeds("gogui-play_sequence b C3 w G7 b pass");
    client.fails("gogui-play_sequence w E5 b E5", "move 2, black E5, is illegal");
    client.fails("gogui-play_sequence w E5 b K9", "K9 is not on the 9x9 board");
    client.fails("gogui-play_sequence w E5 b", "vertex is missing");
    client.fails("gogui-play_sequence w E5 g A1", "'g' is no color");
    client.fails("gg-undo 4", "cannot undo");
    client.succeeds("gogui-play_sequence");
    client.succeeds("gg-undo 3");
    client.fails("undo", "cannot undo");
    client.succeeds("gg-undo 0");
}

#[test]
fn a_position_is_set_up_whole_or_not_at_all() {
    for command in ["set_position", "gogui-setup"] {
        let mut client = Client::new(&[]);
        client.succeeds("gogui-play_sequence b C3 w G7");
        client.fails(&format!("{command} b A1 w A2 w B1"), "no liberty");
        client.fails(&format!("{command} b A1 w pass"), "'pass'");
        client.fails(&format!("{command} b A1 w K1"), "K1 is not on the 9x9 board");
        client.fails(&format!("{command} b A1 w"), "vertex is missing");
        // The later stone on a point counts, and there is nothing to take back.
        client.succeeds(&format!("{command} b A1 w J9 w A1"));
        let board = client.succeeds("gogui-rules_board");
        assert_eq!((board.matches('X').count(), board.matches('O').count()), (0, 2));
        assert_eq!(client.succeeds("gogui-rules_side_to_move"), "black");
        client.fails("undo", "cannot undo");
        client.succeeds("gogui-setup_player w");
        assert_eq!(client.succeeds("gogui-rules_side_to_move"), "white");
        client.succeeds(command);
        assert!(!client.succeeds("gogui-rules_board").contains('O'));
    }
}

#[test]
fn a_game_is_loaded_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut client = Client::new(&[]);
    client.succeeds("gogui-play_sequence b C3 w G7");
    client.succeeds("komi 3.5");
    let cases = [
        ("empty", "", "not an SGF file"),
        ("text", "hello", "not an SGF file"),
        ("chess", "(;GM[3])", "unsupported game"),
        ("large", "(;SZ[99])", "bad board size"),
        ("outside", "(;SZ[9];B[zz])", "not on the 9x9 board"),
        ("illegal", "(;SZ[9]KM[0.5];B[aa];W[aa])", "is illegal"),
        ("no_liberty", "(;SZ[9]AB[aa]AW[ab][ba])", "no liberty"),
        ("unfinished", "(;SZ[9];B[a", "ends inside of B"),
    ];
    for (name, text, words) in cases {
        fs::write(path(name), text).unwrap();
        client.fails(&format!("loadsgf {}", path(name)), words);
    }
    client.fails(&format!("loadsgf {}", path("absent")), "absent");
    client.fails(&format!("loadsgf {}", folder.path().to_str().unwrap()), "cannot load file");
    client.fails(&format!("printsgf {}", path("no/such/folder")), "cannot write");
    // What was written can be read.
    let before = client.game();
    client.succeeds(&format!("printsgf {}", path("written")));
    client.succeeds("boardsize 19");
    assert_eq!(client.succeeds(&format!("loadsgf {}", path("written"))), "black");
    assert_eq!(client.game(), before);
}

#[test]
fn rules_are_chosen_by_name_or_part_by_part() {
    let mut client = Client::new(&[]);
    client.succeeds("kata-set-rules tromp-taylor");
    let tromp_taylor = client.succeeds("kata-get-rules");
    client.succeeds("kata-set-rules japanese");
    assert!(client.succeeds("kata-get-rules").contains(r#""scoring":"TERRITORY""#));
    // The whole object as it was given, with blanks or without, and a part of it.
    client.succeeds(&format!("kata-set-rules {tromp_taylor}"));
    assert_eq!(client.succeeds("kata-get-rules"), tromp_taylor);
    client.succeeds(r#"kata-set-rules { "ko": "simple", "suicide": false }"#);
    let rules = client.succeeds("kata-get-rules");
    assert!(rules.contains(r#""ko":"SIMPLE""#) && rules.contains(r#""suicide":false"#), "{rules}");
    assert!(rules.contains(r#""scoring":"AREA""#), "{rules}");
    client.fails(r#"kata-set-rules {"suicide":true,"ko":"SPIGHT"}"#, "ko cannot be");
    client.fails(r#"kata-set-rules {"suicide":true,"colour":"red"}"#, "unknown rule 'colour'");
    client.fails(r#"kata-set-rules {"ko":"#, "EOF");
    client.fails("kata-set-rules martian", "unknown rules 'martian'");
    client.fails("kata-set-rules nogo", "rules are for NoGo");
    client.fails("kata-set-rule ko", "value is missing");
    client.succeeds("kata-set-rule whiteHandicapBonus N-1");
    assert!(client.succeeds("kata-get-rules").contains(r#""whiteHandicapBonus":"N-1""#));
}

#[test]
fn a_move_can_be_had_after_the_game_was_ended_by_passes() {
    for command in ["genmove w", "reg_genmove w", "kgs-genmove_cleanup w"] {
        for rules in ["chinese", "japanese", "tromp-taylor", "aga"] {
            let mut client = Client::new(&[("game.rules", rules), ("game.board_size", "5")]);
            client.succeeds("gogui-play_sequence b C3 w B3 b pass w pass b pass");
            assert_ne!(client.succeeds(command), "resign", "{command} by {rules} rules");
        }
    }
}

#[test]
fn a_search_can_be_explained_until_the_board_changes() {
    let mut client = Client::new(&[]);
    client.fails("gomill-explain_last_move", "no search");
    client.succeeds("genmove b");
    assert!(client.succeeds("gomill-explain_last_move").starts_with("black wins "));
    client.succeeds("play w pass");
    client.fails("gomill-explain_last_move", "no search");
}
