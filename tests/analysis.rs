//! KataGo's JSON protocol: what KataGo has answered to recorded queries, how wrong queries are answered, and what becomes of
//! many queries at once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod shared;
mod skip;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value as Json, json};
use tedomari::analysis::katago::{Context, Output, Session, Settings};
use tedomari::analysis::{AnalysisParams, Service, Setup};
use tedomari::app::analysis::{self, Analysis};
use tedomari::config::Config;
use tedomari::eval::HashedEvaluator;
use tedomari::game::Game;
use tedomari::search::SearchParams;

/// Keeps all answers.
#[derive(Default)]
struct Answers(Mutex<Vec<Json>>);

impl Output for Answers {
    fn send(&self, line: String) {
        self.0.lock().unwrap().push(serde_json::from_str(&line).unwrap());
    }

    fn send_report(&self, line: String) {
        self.send(line);
    }
}

impl Answers {
    fn take(&self) -> Vec<Json> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A clock that stands still: nothing here depends on time but what says so.
fn no_time() -> Box<dyn Fn() -> Duration + Send + Sync> {
    Box::new(|| Duration::ZERO)
}

#[expect(clippy::disallowed_methods, reason = "a search by time needs a clock")]
fn real_time() -> Box<dyn Fn() -> Duration + Send + Sync> {
    let start = std::time::Instant::now();
    Box::new(move || start.elapsed())
}

/// A clock that goes on by a millisecond whenever somebody looks at it.
fn looks_as_time() -> Box<dyn Fn() -> Duration + Send + Sync> {
    let looks = AtomicU64::new(0);
    Box::new(move || Duration::from_millis(looks.fetch_add(1, Ordering::Relaxed)))
}

/// A service with an evaluator that takes no time.
fn quick(threads: usize) -> (Service, Arc<Context>) {
    quick_by(threads, no_time())
}

/// The same with a clock.
fn quick_by(
    threads: usize,
    now: Box<dyn Fn() -> Duration + Send + Sync>,
) -> (Service, Arc<Context>) {
    let evaluator = Arc::new(HashedEvaluator);
    let service = Service::start(Setup { evaluator, threads, now }).unwrap();
    let search = SearchParams { threads: 1, max_memory: 4, ..SearchParams::default() };
    let params = AnalysisParams { max_visits: 20, ..AnalysisParams::default() };
    let context = Context {
        settings: Settings::new(&params, search),
        games: Game::ALL.to_vec(),
        models: Box::new(|| Ok(json!([{"name": "quick"}]))),
        version: "1.2.3".to_owned(),
    };
    (service, Arc::new(context))
}

/// All answers to some lines.
fn ask((service, context): (Service, Arc<Context>), lines: &[String]) -> Vec<Json> {
    let answers = Arc::new(Answers::default());
    let session = Session::new(service.client(), context, Arc::clone(&answers) as _);
    for line in lines {
        session.line(line.as_bytes());
    }
    service.finish();
    answers.take()
}

fn keys(object: &Json) -> BTreeSet<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

/// All keys of a list of objects; where the record is shortened, words stand for the rest.
fn keys_of_list(list: &Json) -> BTreeSet<String> {
    list.as_array().unwrap().iter().filter(|one| one.is_object()).flat_map(keys).collect()
}

/// What a recording has and an answer has not, and the other way round, without what need not be there.
fn check_keys(place: &str, ours: &BTreeSet<String>, theirs: &BTreeSet<String>, absent: &[&str]) {
    let missing: Vec<_> =
        theirs.difference(ours).filter(|key| !absent.contains(&key.as_str())).collect();
    let more: Vec<_> = ours.difference(theirs).collect();
    assert!(missing.is_empty() && more.is_empty(), "{place}: missing {missing:?}, more {more:?}");
}

/// Queries with KataGo's answers.
fn recorded() -> Option<Vec<(String, Vec<Json>)>> {
    let path = shared::shared_dir()?.join("analysis/katago_answers.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        skip::skip(&path.display().to_string());
        return None;
    };
    let read = |line: &str| {
        let mut entry: Json = serde_json::from_str(line).unwrap();
        let answers = entry["answers"].take().as_array().unwrap().clone();
        (entry["query"].as_str().unwrap().to_owned(), answers)
    };
    Some(text.lines().map(read).collect())
}

/// The name of a query, the turn and what kind of answer it is.
fn kind(answer: &Json) -> String {
    let field = |key: &str| answer.get(key).map_or(String::new(), ToString::to_string);
    let about = [field("id"), field("turnNumber"), field("field"), field("action")].join(" ");
    let what = ["error", "warning", "moveInfos"].into_iter().find(|key| answer.get(key).is_some());
    format!("{about} {}", what.unwrap_or("echo"))
}

/// Asks what KataGo was asked, and compares.
fn check_recorded(net: &str, absent: &[&str]) {
    let Some(recorded) = recorded() else { return };
    let config = Config::default().with("net.path", net).unwrap();
    let config = config.with("search.max_memory", "64").unwrap();
    let Analysis { service, context } = analysis::start(&config, &[], real_time()).unwrap();
    let lines: Vec<_> = recorded.iter().map(|(query, _)| query.clone()).collect();
    let ours = ask((service, context), &lines);
    let finals = |answers: &[Json]| {
        let over = answers.iter().filter(|answer| answer["isDuringSearch"] != true);
        let mut kinds: Vec<_> = over.map(kind).collect();
        kinds.sort();
        kinds
    };
    let theirs: Vec<_> = recorded.into_iter().flat_map(|(_, answers)| answers).collect();
    assert_eq!(finals(&ours), finals(&theirs));
    let by_kind: BTreeMap<_, _> = ours.iter().map(|answer| (kind(answer), answer)).collect();
    let (mut compared, mut clear_ones) = (0, 0);
    for answer in theirs.iter().filter(|answer| answer.get("moveInfos").is_some()) {
        let found = by_kind[&kind(answer)];
        let place = kind(answer);
        check_keys(&place, &keys(found), &keys(answer), absent);
        check_keys(&place, &keys(&found["rootInfo"]), &keys(&answer["rootInfo"]), absent);
        let moves = (keys_of_list(&found["moveInfos"]), keys_of_list(&answer["moveInfos"]));
        check_keys(&place, &moves.0, &moves.1, absent);
        let win_rates = [found, answer].map(|one| one["rootInfo"]["winrate"].as_f64().unwrap());
        // Whoever is far ahead is ahead in the eyes of every network.
        let clear = (win_rates[1] - 0.5).abs() > 0.4;
        let alike = (win_rates[0] > 0.5) == (win_rates[1] > 0.5);
        assert!(alike || !clear, "{place}: seen by the other player? {win_rates:?}");
        clear_ones += usize::from(clear);
        let number_of = |one: &Json| one["rootInfo"]["currentPlayer"].clone();
        assert_eq!(number_of(found), number_of(answer), "{place}");
        compared += 1;
    }
    assert!(compared > 20 && clear_ones > 2, "{compared}, {clear_ones} clear");
}

/// Symmetric moves are searched here as all others are.
const NEVER: [&str; 1] = ["isSymmetryOf"];

#[test]
fn recorded_queries_are_answered_as_katago_does_with_its_network() {
    let Some(net) = shared::net_file("g170-b6c96-s175395328-d26788732.bin.gz") else { return };
    check_recorded(net.to_str().unwrap(), &NEVER);
}

#[test]
fn recorded_queries_are_answered_with_the_built_in_networks() {
    // What these networks do not say.
    let more = ["scoreStdev", "rawScoreSelfplay", "rawScoreSelfplayStdev"];
    check_recorded("", &[&NEVER[..], &more].concat());
}

/// A query about an empty 5x5 board with three moves, changed: fields of null are left out.
fn query(changes: &Json) -> String {
    let mut query = json!({
        "id": "q", "rules": "chinese", "komi": 7, "boardXSize": 5, "boardYSize": 5, "maxVisits": 8,
        "moves": [["B", "C3"], ["W", "C4"], ["B", "D4"]],
    });
    let object = query.as_object_mut().unwrap();
    for (key, value) in changes.as_object().unwrap() {
        object.insert(key.clone(), value.clone());
    }
    let kept: Map<_, _> = object
        .iter()
        .filter(|(_, value)| !value.is_null())
        .collect::<Vec<_>>()
        .into_iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Json::from(kept).to_string()
}

/// The fields that errors and warnings name, and the turns that are answered, such as `!komi ?rules 3`.
fn check_answers(changes: &Json, expected: &str) {
    let answers = ask(quick(1), &[query(changes)]);
    let told: Vec<_> = answers
        .iter()
        .map(|answer| match answer {
            _ if answer.get("error").is_some() => format!("!{}", answer["field"].as_str().unwrap()),
            _ if answer.get("warning").is_some() => {
                format!("?{}", answer["field"].as_str().unwrap())
            }
            _ => answer["turnNumber"].to_string(),
        })
        .collect();
    assert_eq!(told.join(" "), expected, "{changes}");
    assert!(answers.iter().all(|answer| answer["id"] == "q"));
}

#[test]
fn fields_are_checked_one_by_one() {
    check_answers(&json!({}), "3");
    check_answers(&json!({"analyzeTurns": [2, 0, 2]}), "0 2");
    check_answers(&json!({"analyzeTurns": []}), "");
    check_answers(&json!({"boardXSize": null}), "!boardXSize");
    check_answers(&json!({"boardYSize": 1}), "!boardYSize");
    check_answers(&json!({"boardYSize": 26}), "!boardYSize");
    check_answers(&json!({"boardXSize": "5"}), "!boardXSize");
    check_answers(&json!({"boardXSize": 5.0}), "!boardXSize");
    check_answers(&json!({"boardXSize": 25, "boardYSize": 2, "moves": [["w", "z1"]]}), "1");
    check_answers(&json!({"moves": null}), "!moves");
    check_answers(&json!({"moves": [["B", "C9"]]}), "!moves");
    check_answers(&json!({"moves": [["B"]]}), "!moves");
    check_answers(&json!({"moves": [["B", 3]]}), "!moves");
    check_answers(&json!({"moves": [["G", "C3"]]}), "!moves");
    check_answers(&json!({"moves": [["B", "C3"], ["W", "C3"]]}), "!moves");
    check_answers(&json!({"moves": [["B", "C3"], ["B", "C4"], ["black", "(0,0)"]]}), "3");
    check_answers(&json!({"initialStones": [["B", "pass"]]}), "!initialStones");
    check_answers(&json!({"initialStones": 3}), "!initialStones");
    check_answers(&json!({"initialStones": [["W", "A1"], ["B", "A1"]]}), "3");
    check_answers(&json!({"initialPlayer": "G"}), "!initialPlayer");
    check_answers(&json!({"initialPlayer": "w"}), "3");
    check_answers(&json!({"analyzeTurns": [4]}), "!analyzeTurns");
    check_answers(&json!({"analyzeTurns": [-1]}), "!analyzeTurns");
    check_answers(&json!({"analyzeTurns": ["1"]}), "!analyzeTurns");
    check_answers(&json!({"analyzeTurns": 1}), "!analyzeTurns");
    check_answers(&json!({"priorities": [1]}), "!priorities");
    check_answers(&json!({"priorities": [1], "analyzeTurns": [0, 1]}), "!priorities");
    let most = 1_i64 << 62;
    check_answers(&json!({"priorities": [most], "analyzeTurns": [0]}), "!priorities");
    check_answers(&json!({"priorities": [1, 2], "analyzeTurns": [0, 1]}), "1 0");
    check_answers(&json!({"priorities": [1], "analyzeTurns": [0], "priority": 1}), "!priority");
    check_answers(&json!({"priority": -most}), "!priority");
    check_answers(&json!({"priority": 1.5}), "!priority");
    check_answers(&json!({"rules": null}), "!rules");
    check_answers(&json!({"rules": "mars"}), "!rules");
    check_answers(&json!({"rules": "stone-scoring"}), "?rules 3");
    check_answers(&json!({"rules": {"scoring": "AREA", "tax": "ALL"}}), "?rules 3");
    check_answers(&json!({"komi": null}), "3");
    check_answers(&json!({"komi": 6.25}), "!komi");
    check_answers(&json!({"komi": -400.5}), "!komi");
    check_answers(&json!({"whiteHandicapBonus": 0}), "!whiteHandicapBonus");
    check_answers(&json!({"whiteHandicapBonus": "N"}), "3");
}

#[test]
fn settings_of_the_search_and_of_the_answers_are_checked() {
    check_answers(&json!({"overrideSettings": []}), "!overrideSettings");
    check_answers(&json!({"overrideSettings": {"maxTime": -1}}), "!overrideSettings");
    check_answers(&json!({"overrideSettings": {"antiMirror": true}}), "?overrideSettings 3");
    check_answers(&json!({"overrideSettings": {"wideRootNoise": 0.04, "maxTime": 10}}), "3");
    let human = json!({"overrideSettings": {"humanSLProfile": "rank_5k"}});
    check_answers(&human, "!overrideSettings");
    for field in ["maxVisits", "analysisPVLen"] {
        for value in [json!(0), json!(1.0), json!(true), json!("9")] {
            check_answers(&json!({ field: value }), &format!("!{field}"));
        }
        check_answers(&json!({ field: 1 }), "3");
    }
    check_answers(&json!({"maxVisits": (1_u64 << 50) + 1}), "!maxVisits");
    check_answers(&json!({"analysisPVLen": 1001}), "!analysisPVLen");
    check_answers(&json!({"rootFpuReductionMax": 2.5}), "!rootFpuReductionMax");
    check_answers(&json!({"rootFpuReductionMax": 0}), "3");
    check_answers(&json!({"rootPolicyTemperature": 0}), "!rootPolicyTemperature");
    check_answers(&json!({"rootPolicyTemperature": 2}), "3");
    for flag in [
        "includeMovesOwnership",
        "includeMovesOwnershipStdev",
        "includeOwnership",
        "includeOwnershipStdev",
        "includePolicy",
        "includePVVisits",
        "includeNoResultValue",
    ] {
        check_answers(&json!({ flag: 1 }), &format!("!{flag}"));
        check_answers(&json!({ flag: true }), "3");
    }
    for field in ["reportDuringSearchEvery", "firstReportDuringSearchAfter"] {
        for value in [json!(0), json!(1e7), json!("1")] {
            check_answers(&json!({ field: value }), &format!("!{field}"));
        }
        check_answers(&json!({ field: 100 }), "3");
    }
}

#[test]
fn reports_come_while_a_position_is_searched() {
    let asked = |reports: Json| {
        let mut changes = json!({"maxVisits": 400});
        changes.as_object_mut().unwrap().extend(reports.as_object().unwrap().clone());
        let answers = ask(quick_by(1, looks_as_time()), &[query(&changes)]);
        let (last, before) = answers.split_last().unwrap();
        assert_eq!(last["isDuringSearch"], false);
        assert!(before.iter().all(|answer| answer["isDuringSearch"] == true));
        let visits = |answer: &Json| answer["rootInfo"]["visits"].as_u64().unwrap();
        assert!(answers.is_sorted_by_key(visits), "{answers:?}");
        before.len()
    };
    assert_eq!(asked(json!({})), 0);
    assert_eq!(asked(json!({"firstReportDuringSearchAfter": 0.05})), 1);
    let few = asked(json!({"reportDuringSearchEvery": 0.1}));
    let many = asked(json!({"reportDuringSearchEvery": 0.02}));
    assert!(few > 0 && many > 2 * few, "{few} {many}");
}

#[test]
fn moves_are_restricted_and_unknown_fields_are_warned_of() {
    let avoid = json!([{"player": "W", "moves": ["A1"], "untilDepth": 1}]);
    check_answers(&json!({"avoidMoves": avoid}), "3");
    check_answers(&json!({"allowMoves": avoid}), "3");
    check_answers(&json!({"allowMoves": avoid, "avoidMoves": avoid}), "!allowMoves");
    check_answers(&json!({"avoidMoves": [{"player": "W", "moves": ["A1"]}]}), "!avoidMoves");
    check_answers(&json!({"x": 1, "b": 2}), "?b ?x 3");
    // What is odd is told before what is wrong, as in KataGo.
    check_answers(&json!({"x": 1, "moves": [["B", "C3"], ["W", "C3"]]}), "?x !moves");
    check_answers(&json!({"x": 1, "moves": [["B", "Z9"]]}), "!moves");
    let answer = |changes: &Json| ask(quick(1), &[query(changes)]).remove(0);
    let moves = |answer: &Json| -> Vec<String> {
        let list = answer["moveInfos"].as_array().unwrap();
        list.iter().map(|info| info["move"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(moves(&answer(&json!({"allowMoves": avoid}))), ["A1"], "one move is searched, too");
    let all = answer(&json!({"maxVisits": 60}));
    let without = answer(&json!({"maxVisits": 60, "avoidMoves": avoid}));
    assert!(moves(&all).contains(&"A1".to_owned()) && !moves(&without).contains(&"A1".to_owned()));
}

#[test]
fn answers_hold_what_was_asked_for_and_no_more() {
    let ask = |changes: &Json| ask(quick(1), &[query(changes)]).remove(0);
    let plain = ask(&json!({}));
    assert!(plain.get("policy").is_none() && plain["moveInfos"][0].get("pvVisits").is_none());
    let full = ask(&json!({
        "includePolicy": true, "includePVVisits": true, "includeNoResultValue": true,
        "analysisPVLen": 1, "maxVisits": 200,
    }));
    let policy: Vec<_> =
        full["policy"].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect();
    let size = policy.len();
    assert_eq!((size, policy.iter().filter(|&&share| share < 0.0).count()), (26, 3));
    let sum: f64 = policy.iter().filter(|&&share| share > 0.0).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    let best = &full["moveInfos"][0];
    assert_eq!(best["pv"].as_array().unwrap().len(), 2, "the move and one after it");
    assert_eq!(best["pvVisits"].as_array().unwrap().len(), 2);
    assert_eq!(best["noResultValue"], 0.0);
    let visits: u64 =
        full["moveInfos"].as_array().unwrap().iter().map(|mv| mv["visits"].as_u64().unwrap()).sum();
    assert_eq!((visits + 1, full["rootInfo"]["visits"].as_u64()), (200, Some(200)));
}

#[test]
fn numbers_are_those_of_the_player_that_is_asked_for() {
    let rate = |who: &str| {
        let settings = json!({"overrideSettings": {"reportAnalysisWinratesAs": who}});
        let answer = ask(quick(1), &[query(&settings)]).remove(0);
        let of =
            |object: &Json| [&object["winrate"], &object["utility"]].map(|n| n.as_f64().unwrap());
        (of(&answer["rootInfo"]), of(&answer["moveInfos"][0]))
    };
    let (black, white) = (rate("BLACK"), rate("WHITE"));
    // White is to move.
    assert_eq!(white, rate("SIDETOMOVE"));
    for (black, white) in [(black.0, white.0), (black.1, white.1)] {
        assert!((black[0] + white[0] - 1.0).abs() < 2e-6 && (black[1] + white[1]).abs() < 2e-6);
        assert!((white[0] - 0.5).abs() > 1e-3, "{white:?}");
    }
}

#[test]
fn nogo_is_asked_for_by_name() {
    let nogo = |more: Json| {
        let mut query = json!({"game": "nogo", "rules": null, "komi": null});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    check_answers(&nogo(json!({})), "3");
    check_answers(&nogo(json!({"moves": [["B", "pass"]]})), "!moves");
    check_answers(&nogo(json!({"moves": [["B", "A2"], ["W", "A1"], ["B", "B1"]]})), "!moves");
    check_answers(&json!({"game": "chess"}), "!game");
    let answer = ask(quick(1), &[query(&nogo(json!({"includePolicy": true})))]).remove(0);
    assert_eq!(answer["policy"].as_array().unwrap()[25], -1.0, "nobody passes");
    // On 2x2 the player who has no move left has lost.
    let lost = json!({
        "boardXSize": 2, "boardYSize": 2, "moves": [["B", "A1"], ["W", "B2"], ["B", "A2"]],
    });
    let over = ask(quick(1), &[query(&nogo(lost))]).remove(0);
    assert_eq!(over["moveInfos"], json!([]));
    assert_eq!(over["rootInfo"]["winrate"], 1.0);
}

#[test]
fn lines_that_are_no_queries_are_answered_without_a_name() {
    for line in ["{", "[]", "3", "{\"id\":3}", "{}", "\u{1}", "{\"id\":\"x\",\"action\":\"dance\"}"]
    {
        let answers = ask(quick(1), &[line.to_owned()]);
        assert_eq!(answers.len(), 1, "{line}");
        assert_eq!(keys(&answers[0]), BTreeSet::from(["error".to_owned()]), "{line}");
    }
    assert!(ask(quick(1), &[String::new(), "  \r".to_owned()]).is_empty());
}

#[test]
fn actions_are_echoed_with_what_is_new() {
    let action = |more: Json| {
        let mut request = json!({"id": "a", "note": [1]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = ask(quick(1), &[request.to_string()]).remove(0);
        (request, answer)
    };
    let (request, answer) = action(json!({"action": "clear_cache"}));
    assert_eq!(answer, request);
    let (_, version) = action(json!({"action": "query_version"}));
    assert_eq!((&version["version"], &version["note"]), (&json!("1.2.3"), &json!([1])));
    assert!(version["git_hash"].is_string());
    let (_, models) = action(json!({"action": "query_models"}));
    assert_eq!(models["models"], json!([{"name": "quick"}]));
    let (request, answer) = action(json!({"action": "terminate_all", "turnNumbers": [1]}));
    assert_eq!(answer, request);
    for (wrong, field) in [
        (json!({"action": "terminate"}), "terminateId"),
        (json!({"action": "terminate", "terminateId": 1}), "terminateId"),
        (json!({"action": "terminate", "terminateId": "a", "turnNumbers": "1"}), "turnNumbers"),
        (json!({"action": "terminate_all", "turnNumbers": 1}), "turnNumbers"),
    ] {
        let (_, answer) = action(wrong);
        assert!(answer["field"] == field && answer["error"].is_string(), "{answer}");
    }
    // An action that is no word is no action.
    check_answers(&json!({"action": 3}), "3");
}

#[test]
fn a_search_that_is_terminated_answers_with_what_it_has() {
    let (service, context) = quick(1);
    let answers = Arc::new(Answers::default());
    let session = Session::new(service.client(), context, Arc::clone(&answers) as _);
    let endless = |id: &str| query(&json!({"id": id, "maxVisits": 1_u64 << 40}));
    session.line(endless("a").as_bytes());
    session.line(endless("b").as_bytes());
    let waiting = service.client();
    while waiting.counts() != (1, 1) {
        thread::yield_now();
    }
    session.line(br#"{"id":"t","action":"terminate","terminateId":"b"}"#);
    let at_once = answers.take();
    assert_eq!(
        at_once[0],
        json!({"id": "b", "isDuringSearch": false, "noResults": true, "turnNumber": 3})
    );
    assert_eq!(at_once[1]["terminateId"], "b");
    session.line(br#"{"id":"t","action":"terminate_all","turnNumbers":[0]}"#);
    assert_eq!(waiting.counts(), (0, 1), "another turn");
    session.line(br#"{"id":"t","action":"terminate_all","turnNumbers":[3]}"#);
    service.finish();
    let answers = answers.take();
    let a = answers.iter().find(|answer| answer["id"] == "a").unwrap();
    assert!(a["isDuringSearch"] == false && a["rootInfo"]["visits"].as_u64() >= Some(1), "{a}");
}

#[test]
fn clients_do_not_terminate_what_others_ask() {
    let (service, context) = quick(1);
    let clients: Vec<_> = (0..2)
        .map(|_| {
            let answers = Arc::new(Answers::default());
            let output = Arc::clone(&answers) as _;
            (Session::new(service.client(), Arc::clone(&context), output), answers)
        })
        .collect();
    clients[0].0.line(query(&json!({"maxVisits": 1_u64 << 40})).as_bytes());
    let counting = service.client();
    while counting.counts() != (0, 1) {
        thread::yield_now();
    }
    clients[1].0.line(query(&json!({})).as_bytes());
    clients[1].0.line(br#"{"id":"t","action":"terminate_all"}"#);
    assert_eq!(counting.counts(), (0, 1));
    clients[0].0.line(br#"{"id":"t","action":"terminate","terminateId":"q"}"#);
    service.finish();
    assert_eq!(clients[1].1.take()[0]["noResults"], true);
    assert_eq!(clients[0].1.take().iter().filter(|one| one.get("rootInfo").is_some()).count(), 1);
}

#[test]
fn the_same_query_has_the_same_answer_whatever_came_before() {
    let line = query(&json!({"maxVisits": 100}));
    let other = query(&json!({"analyzeTurns": [0, 1], "maxVisits": 50}));
    let answers = ask(quick(1), &[line.clone(), other, line]);
    assert_eq!(answers[0], answers[3]);
}

/// What one writer does: queries of several turns, and terminations of its own earlier ones.
fn write(session: &Session, number: u64, queries: usize) -> BTreeSet<(String, usize)> {
    let mut rng = SmallRng::seed_from_u64(number);
    let mut asked = BTreeSet::new();
    for count in 0..queries {
        let id = format!("{number}-{count}");
        let turns: BTreeSet<usize> =
            (0..rng.random_range(1..4)).map(|_| rng.random_range(0..4)).collect();
        asked.extend(turns.iter().map(|&turn| (id.clone(), turn)));
        session.line(
            query(&json!({
                "id": id, "analyzeTurns": turns, "maxVisits": rng.random_range(1..200),
                "priority": rng.random_range(-2..3), "reportDuringSearchEvery": 0.001,
            }))
            .as_bytes(),
        );
        let request = match rng.random_range(0..16) {
            0 => {
                let other = rng.random_range(0..=count);
                json!({"id": "t", "action": "terminate", "terminateId": format!("{number}-{other}")})
            }
            1 => {
                json!({"id": "t", "action": "terminate_all", "turnNumbers": [rng.random_range(0..4)]})
            }
            2 => json!({"id": "t", "action": "clear_cache"}),
            _ => continue,
        };
        session.line(request.to_string().as_bytes());
    }
    asked
}

#[test]
fn of_a_thousand_queries_each_position_has_one_final_answer() {
    let (service, context) = quick(3);
    let writers: Vec<_> = (0..4)
        .map(|number| {
            let answers = Arc::new(Answers::default());
            let output = Arc::clone(&answers) as _;
            let session = Session::new(service.client(), Arc::clone(&context), output);
            (thread::spawn(move || write(&session, number, 250)), answers)
        })
        .collect();
    let writers: Vec<_> =
        writers.into_iter().map(|(thread, answers)| (thread.join().unwrap(), answers)).collect();
    service.finish();
    let (mut searched, mut terminated) = (0, 0);
    for (asked, answers) in writers {
        let mut found = BTreeMap::new();
        for answer in answers.take() {
            if answer.get("turnNumber").is_some() && answer["isDuringSearch"] == false {
                let turn = usize::try_from(answer["turnNumber"].as_u64().unwrap()).unwrap();
                let id = answer["id"].as_str().unwrap().to_owned();
                *found.entry((id, turn)).or_insert(0) += 1;
                if answer.get("noResults").is_some() { terminated += 1 } else { searched += 1 }
            }
        }
        assert!(found.values().all(|&count| count == 1));
        assert_eq!(found.into_keys().collect::<BTreeSet<_>>(), asked);
    }
    assert!(searched > 20 && terminated > 20, "{searched} searched, {terminated} terminated");
}
