//! Answers of a session within this process: what depends on the configuration, and that a command
//! that fails changes nothing.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::sync::Arc;

use tedomari::config::Config;
use tedomari::engine::{Engine, Ticket};
use tedomari::game::GameRecord;
use tedomari::game::sgf::{self, SgfLimits};
use tedomari::gtp::{Line, Session, read_line};
use tedomari::playout::PlayoutEvaluator;
use tedomari::util::{Field, Seed};

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
    client.succeeds("kgs-chat game Alice hello there");
    client.fails("kgs-chat shout Alice hello", "game or private");
    client.fails("kgs-chat game", "name is missing");
}

#[test]
fn chat_told_any_opponent_the_planned_line_in_the_middle_of_a_game() {
    let settings = [("gtp.kgs_chat", "true"), ("gtp.kgs_operator", "Boss")];
    let mut client = Client::new(&settings);
    client.succeeds("genmove b");
    let tells = |client: &mut Client, chat: &str| {
        client.succeeds(&format!("kgs-chat {chat} what now")).contains("50 simulations")
    };
    assert!(tells(&mut client, "private Boss") && tells(&mut client, "private boss"));
    // What is said in the game is read by all.
    for chat in ["private Alice", "game Alice", "game Boss"] {
        assert!(!tells(&mut client, chat), "{chat}");
    }
    client.succeeds("kgs-game_over");
    for chat in ["private Alice", "game Alice", "game Boss"] {
        assert!(tells(&mut client, chat), "{chat}");
    }
    // Without an operator nobody is one.
    let mut client = Client::new(&settings[..1]);
    client.succeeds("genmove b");
    assert!(!tells(&mut client, "private Alice"));
}

#[test]
fn settings_that_are_read_at_the_start_are_not_changed_in_vain() {
    let mut client = Client::new(&[]);
    for (key, value) in [
        ("net.path", "builtin:go9"),
        ("gtp.files", "any"),
        ("gtp.set_config", "false"),
        ("time.table", "table.toml"),
        ("time.stop_profile", "profile.toml"),
        ("time.simulations_as_time", "true"),
    ] {
        let before = client.succeeds(&format!("tedomari-get-config {key}"));
        client.fails(&format!("tedomari-set-config {key} {value}"), "read at the start");
        assert_eq!(client.succeeds(&format!("tedomari-get-config {key}")), before);
    }
}

/// A value other than the one that a setting has, as a client writes it.
fn another(field: &Field) -> String {
    match &field.value {
        toml::Value::Boolean(value) => (!value).to_string(),
        toml::Value::Integer(value) => (value + 1).to_string(),
        toml::Value::Float(value) if *value < 0.5 => (value + 0.25).to_string(),
        toml::Value::Float(value) => (value / 2.0).to_string(),
        _ if field.name == "strategy" => "STOP".to_owned(),
        toml::Value::String(value) if field.limits.contains(", ") => {
            field.limits.split(", ").find(|word| word != value).unwrap().to_owned()
        }
        _ => "other".to_owned(),
    }
}

#[test]
fn every_setting_reaches_the_engine_or_is_refused() {
    let sections = Config::default().sections();
    for (section, field) in sections
        .iter()
        .flat_map(|section| section.fields.iter().map(move |field| (section.name, field)))
    {
        let key = format!("{section}.{}", field.name);
        let mut client = Client::new(&[]);
        let (config, engine) =
            (client.succeeds("tedomari-get-config"), client.0.engine().params().clone());
        let new = another(field);
        let answer = client.ask(&format!("tedomari-set-config {key} {new}"));
        let config_changed = client.succeeds("tedomari-get-config") != config;
        let engine_changed = *client.0.engine().params() != engine;
        match section {
            "game" | "play" | "search" | "time" if answer.is_ok() => {
                assert!(config_changed && engine_changed, "{key} {new} changes nothing");
            }
            // Read whenever they are needed; other tests show what each does.
            "gtp" if answer.is_ok() => assert!(config_changed && !engine_changed, "{key} {new}"),
            _ => {
                let why = answer.expect_err(&key);
                let refused = why.contains("read at the start") || why.contains("is no value");
                assert!(refused, "{key} {new}: {why}");
                assert!(!config_changed && !engine_changed, "{key} {new}");
            }
        }
    }
}

#[test]
fn a_client_could_replace_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("games");
    std::fs::create_dir(&inside).unwrap();
    let outside = folder.path().join("secret.sgf");
    std::fs::write(&outside, "(;SZ[9])").unwrap();
    let mut client = Client::new(&[("gtp.files", inside.to_str().unwrap())]);
    client.succeeds("printsgf game.sgf");
    assert!(inside.join("game.sgf").is_file());
    client.succeeds("loadsgf game.sgf");
    for name in ["../secret.sgf", outside.to_str().unwrap(), "sub/game.sgf", "..", ".hidden"] {
        client.fails(&format!("printsgf {name}"), "in the folder of gtp.files");
        client.fails(&format!("loadsgf {name}"), "in the folder of gtp.files");
    }
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "(;SZ[9])");
    let mut client = Client::new(&[("gtp.files", "off")]);
    // Nobody learns which files there are.
    for name in [outside.to_str().unwrap(), "/no/such/file"] {
        client.fails(&format!("loadsgf {name}"), "switched off by gtp.files");
        client.fails(&format!("printsgf {name}"), "switched off by gtp.files");
    }
    assert!(client.succeeds("printsgf").starts_with("(;"));
}

#[test]
fn settings_can_be_locked() {
    let mut client = Client::new(&[("gtp.set_config", "false")]);
    client.fails("tedomari-set-config time.lag_ms 5", "switched off by gtp.set_config");
    assert_eq!(client.succeeds("tedomari-get-config time.lag_ms"), "200");
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
        // KataGo refuses a point that is named twice; for GoGui the later stone counts.
        let twice = format!("{command} b A1 w J9 w A1");
        if command == "set_position" {
            client.fails(&twice, "named twice");
            client.succeeds("set_position w A1 w J9");
        } else {
            client.succeeds(&twice);
        }
        // There is nothing to take back.
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

// ---------------------------------------------------------------------------------------------
// Records

/// What a program that knows nothing of this one reads in a record.
fn root_properties(text: &str) -> Vec<String> {
    let trees = sgf_parse::go::parse(text).unwrap();
    assert_eq!(trees.len(), 1);
    trees[0].properties().map(ToString::to_string).collect()
}

/// The record with nothing left out or put right while it was read.
fn read_record(text: &str) -> GameRecord {
    let (record, warnings) = sgf::read(text.as_bytes(), &SgfLimits::default()).unwrap();
    assert_eq!(warnings, [], "{text}");
    record
}

fn play_moves(client: &mut Client, moves: usize) {
    client.succeeds("boardsize 9");
    for number in 0..moves {
        client.succeeds(["genmove b", "genmove w"][number % 2]);
    }
}

#[test]
fn a_record_was_four_kilobytes_for_each_move() {
    let mut client = Client::new(&[("play.resign", "false")]);
    play_moves(&mut client, 30);
    let text = client.succeeds("printsgf");
    assert!(text.len() < 30 * 250 + 200, "{} bytes", text.len());
    for recorded in &read_record(&text).moves {
        let comment = recorded.comment.as_ref().unwrap();
        assert_eq!(comment.lines().count(), 1, "{comment}");
        for part in ["wins ", " %", " simulations", " in ", " s (simulations)", ", line "] {
            assert!(comment.contains(part), "{part} is missing in {comment}");
        }
    }
    // The whole report, for those who ask for it.
    client.succeeds("tedomari-set-config play.record_reports true");
    client.succeeds("genmove b");
    let record = read_record(&client.succeeds("printsgf"));
    let comment = record.moves.last().unwrap().comment.as_ref().unwrap();
    let (line, json) = comment.split_once('\n').unwrap();
    assert!(line.starts_with("black wins "), "{line}");
    let report: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(report["simulations"], 50);
}

#[test]
fn a_finished_game_had_no_result_players_and_date_in_its_record() {
    let mut client = Client::new(&[("gtp.name", "Ted [9x9]")]);
    client.0 = client.0.with_calendar(|| "2026-11-18".to_owned());
    client.succeeds("boardsize 5");
    client.succeeds("time_settings 300 60 10");
    client.succeeds("cgos-opponent_name Some Body");
    let unplayed = client.succeeds("printsgf");
    for property in ["RE[", "PB[", "PW[", "DT["] {
        assert!(!unplayed.contains(property), "{unplayed}");
    }
    client.succeeds("genmove b");
    client.succeeds("play w C2");
    let unfinished = client.succeeds("printsgf");
    assert!(!unfinished.contains("RE["), "{unfinished}");
    client.succeeds("play b pass");
    client.succeeds("play w pass");
    let text = client.succeeds("printsgf");
    let record = read_record(&text);
    assert_eq!(record.players, ["Ted [9x9]", "Some Body"].map(|name| Some(name.to_owned())));
    assert_eq!(record.date.as_deref(), Some("2026-11-18"));
    assert_eq!(record.result.unwrap().to_string(), client.succeeds("final_score"));
    assert_eq!(client.succeeds("gogui-rules_final_result"), client.succeeds("final_score"));
    assert_eq!(record.application.unwrap(), concat!("Tedomari:", env!("CARGO_PKG_VERSION")));
    let root = root_properties(&text);
    for property in ["SZ[5:5]", "RU[Chinese]", "KM[7]", "TM[300]", "OT[10/60 Canadian]"] {
        assert!(root.iter().any(|known| known == property), "{property} is missing: {root:?}");
    }
    // The next game is another one.
    client.succeeds("clear_board");
    assert!(!client.succeeds("printsgf").contains("RE["));
}

#[test]
fn the_final_result_after_a_resignation_was_unknown() {
    let mut client = Client::new(&[
        ("search.max_simulations", "200"),
        ("play.resign_moves", "1"),
        ("play.resign_after", "0"),
    ]);
    client.succeeds("boardsize 5");
    client.succeeds("komi 100");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "unknown");
    client.succeeds("play b C3");
    client.succeeds("play w C2");
    assert_eq!(client.succeeds("genmove b"), "resign");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "W+R");
    assert_eq!(client.succeeds("final_score"), "W+R");
    let record = read_record(&client.succeeds("printsgf"));
    assert_eq!(record.result.unwrap().to_string(), "W+R");
    assert_eq!(record.players, [Some("Tedomari".to_owned()), None]);
    // The operator thinks better of it.
    client.succeeds("play b D3");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "unknown");
    assert!(client.succeeds("final_score").starts_with("W+7"));
    client.succeeds("cgos-gameover W+Time");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "W+T");
}

#[test]
fn the_end_of_nogo_is_in_its_record() {
    let mut client = Client::new(&[("game.kind", "nogo"), ("game.board_size", "2")]);
    client.succeeds("play b A1");
    client.succeeds("play w B2");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "unknown");
    client.succeeds("play b A2");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "B+R");
    let text = client.succeeds("printsgf");
    assert!(text.contains("RU[NoGo]") && text.contains("RE[B+R]"), "{text}");
    assert!(!text.contains("KM["), "{text}");
}

#[test]
fn what_a_loaded_record_says_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    fs::write(&path, "(;GM[1]SZ[5]PB[Lee]PW[Gu]DT[1990-01-02]RE[B+R]AP[X:1];B[cc];W[cd])").unwrap();
    let mut client = Client::new(&[]);
    client.0 = client.0.with_calendar(|| "2026-11-18".to_owned());
    client.succeeds(&format!("loadsgf {}", path.display()));
    let record = read_record(&client.succeeds("printsgf"));
    assert_eq!(record.players, ["Lee", "Gu"].map(|name| Some(name.to_owned())));
    assert_eq!(record.date.as_deref(), Some("1990-01-02"));
    assert_eq!(record.result.unwrap().to_string(), "B+R");
    assert_eq!(client.succeeds("gogui-rules_final_result"), "B+R");
    // The engine goes on with it: another game, of one new player.
    client.succeeds("genmove b");
    let record = read_record(&client.succeeds("printsgf"));
    assert_eq!(record.players, ["Tedomari", "Gu"].map(|name| Some(name.to_owned())));
    assert_eq!(record.result, None);
}
