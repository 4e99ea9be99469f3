//! Games against GNU Go, where it is installed: another program's opinion on every move of ours
//! and on every result.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "results for people, shown with --nocapture")]

mod client;
mod skip;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use tedomari::game::{BoardSize, Color, GameResult, Komi, Move, Position, Rules};

use client::{Client, tedomari};

const GAMES: usize = 10;
const KOMI: f64 = 7.0;
const SIMULATIONS: u64 = 1000;

/// GNU Go in the search path or where distributions put games.
fn find_gnugo() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/games")]);
    folders.map(|folder| folder.join("gnugo")).find(|file| file.is_file())
}

fn start_gnugo(program: &Path, seed: usize) -> Client {
    let mut command = Command::new(program);
    command.args(["--mode", "gtp", "--chinese-rules", "--level", "1", "--seed"]);
    command.arg((seed + 1).to_string());
    Client::start(command)
}

fn start_tedomari(seed: usize) -> Client {
    Client::start(tedomari(&[
        "--set",
        "play.resign=false",
        "--set",
        &format!("search.max_simulations={SIMULATIONS}"),
        "--set",
        &format!("search.seed={seed}"),
        // With one thread the games are the same every time.
        "--set",
        "search.threads=1",
    ]))
}

/// How a game ended.
enum End {
    Resigned,
    Passed,
}

/// Plays a game: `players` are Black and White. The referee checks every move, and each program
/// must accept the other's.
fn play(players: &mut [&mut Client; 2]) -> (End, Position) {
    let size = BoardSize::square(9).unwrap();
    let komi = Komi::from_points(KOMI).unwrap();
    let mut referee = Position::new(size, Rules::CHINESE, komi);
    for player in players.iter_mut() {
        player.ask("boardsize 9");
        player.ask("clear_board");
        player.ask(&format!("komi {KOMI}"));
    }
    while !referee.is_over() {
        assert!(referee.move_count() < 400, "the game does not end");
        let color = referee.to_move();
        let vertex = players[color.index()].ask(&format!("genmove {color}"));
        if vertex.eq_ignore_ascii_case("resign") {
            return (End::Resigned, referee);
        }
        let mv: Move = size.parse_move(&vertex).unwrap();
        let number = referee.move_count() + 1;
        let checked = referee.play(color, mv);
        checked.unwrap_or_else(|why| panic!("move {number}, {color} {vertex}: {why}"));
        players[color.opponent().index()].ask(&format!("play {color} {vertex}"));
    }
    (End::Passed, referee)
}

fn dead_stones(player: &mut Client) -> BTreeSet<String> {
    player.ask("final_status_list dead").split_whitespace().map(str::to_ascii_uppercase).collect()
}

/// Points by which Black has won.
fn points(result: &str) -> f64 {
    let sign = if result.starts_with('B') { 1.0 } else { -1.0 };
    result.split_once('+').map_or(0.0, |(_, points)| sign * points.parse::<f64>().unwrap())
}

/// What both programs say about a finished game.
struct Verdicts {
    scores: [String; 2],
    same_dead: bool,
}

/// Asks both programs how a game has ended. Where they think the same stones dead, they must agree
/// on the score.
fn compare(ours: &mut Client, gnugo: &mut Client, game: usize) -> Verdicts {
    let scores = [&mut *ours, &mut *gnugo].map(|player| player.ask("final_score"));
    let dead = [&mut *ours, &mut *gnugo].map(dead_stones);
    let same_dead = dead[0] == dead[1];
    if same_dead && (points(&scores[0]) - points(&scores[1])).abs() > 0.25 {
        let picture = ours.ask("showboard");
        panic!("game {game}: {scores:?} with the same dead stones {:?}\n{picture}", dead[0]);
    }
    Verdicts { scores, same_dead }
}

#[test]
fn ten_games_against_gnu_go() {
    let Some(program) = find_gnugo() else {
        skip::skip("gnugo");
        return;
    };
    let (mut wins, mut resigned, mut other_dead) = (0, 0, 0);
    let mut results = Vec::new();
    for game in 0..GAMES {
        let mut ours = start_tedomari(game);
        let mut gnugo = start_gnugo(&program, game);
        let our_color = [Color::Black, Color::White][game % 2];
        let mut players = [&mut ours, &mut gnugo];
        if our_color == Color::White {
            players.reverse();
        }
        let winner = match play(&mut players) {
            (End::Resigned, referee) => {
                resigned += 1;
                results.push("resigned".to_owned());
                Some(referee.to_move().opponent())
            }
            (End::Passed, _) => {
                let verdicts = compare(&mut ours, &mut gnugo, game);
                other_dead += usize::from(!verdicts.same_dead);
                results.push(verdicts.scores.join("/"));
                verdicts.scores[1].parse::<GameResult>().ok().and_then(GameResult::winner)
            }
        };
        wins += usize::from(winner == Some(our_color));
    }
    eprintln!(
        "{GAMES} games against GNU Go, {wins} won, {resigned} resigned, {other_dead} with another \
         opinion on dead stones; our score/its score: {}",
        results.join(" ")
    );
}

/// Programs of unequal strength leave boards that are hard to judge. Games of GNU Go with itself
/// come to a proper end, so that both agree on most of them.
#[test]
fn games_of_gnu_go_with_itself_are_counted_alike() {
    let Some(program) = find_gnugo() else {
        skip::skip("gnugo");
        return;
    };
    let mut results = Vec::new();
    let mut same_dead = 0;
    for game in 0..GAMES {
        let mut ours = start_tedomari(game);
        let mut gnugo = start_gnugo(&program, 100 + game);
        for player in [&mut ours, &mut gnugo] {
            player.ask("boardsize 9");
            player.ask(&format!("komi {KOMI}"));
        }
        let (mut passes, mut moves) = (0, 0);
        while passes < 2 {
            assert!(moves < 400, "the game does not end");
            let color = Color::BOTH[moves % 2];
            let vertex = gnugo.ask(&format!("genmove {color}"));
            ours.ask(&format!("play {color} {vertex}"));
            passes = if vertex == "PASS" { passes + 1 } else { 0 };
            moves += 1;
        }
        let verdicts = compare(&mut ours, &mut gnugo, game);
        same_dead += usize::from(verdicts.same_dead);
        results.push(verdicts.scores.join("/"));
    }
    eprintln!("{same_dead} of {GAMES} with the same dead stones: {}", results.join(" "));
    assert!(same_dead >= 9, "{same_dead} of {GAMES} games were judged alike");
}
