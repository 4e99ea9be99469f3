//! From records to a network by the command line, and what it says of input that does not fit.

mod shared;
mod skip;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tedomari::game::Rules;
use tedomari::nn::NetFile;
use tedomari::record::{Filters, Importer};
use tedomari::util::Seed;

fn tedomari(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tedomari"));
    command.current_dir(folder).args(line.split_whitespace()).output().expect("the binary runs")
}

fn json(folder: &Path, line: &str) -> serde_json::Value {
    let output = tedomari(folder, line);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// What a command that must fail says.
fn refusal(folder: &Path, line: &str) -> String {
    let output = tedomari(folder, line);
    assert!(!output.status.success(), "{line} succeeds");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Games on 5x5 in which the players walk over the board in different steps.
fn records() -> String {
    let letter = |i: usize| char::from(b'a' + u8::try_from(i).expect("a small number"));
    let game = |n: usize| {
        let step = [1, 2, 3, 4, 6, 7, 8, 9][n % 8];
        let moves: Vec<_> = (0..14)
            .map(|i| {
                let point = (n + i * step) % 25;
                let color = if i % 2 == 0 { 'B' } else { 'W' };
                format!(";{color}[{}{}]", letter(point % 5), letter(point / 5))
            })
            .collect();
        let winner = if n.is_multiple_of(3) { 'W' } else { 'B' };
        format!("(;SZ[5]KM[6.5]RE[{winner}+R]{})\n", moves.concat())
    };
    (0..60).map(game).collect::<Vec<_>>().concat()
}

#[test]
fn records_become_a_network_that_can_be_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("games.sgfs"), records()).unwrap();
    let import = json(at, "record import --out games games.sgfs --holdout 0.2 --board 5 --json");
    let count = |key: &str| import[key].as_u64().unwrap();
    assert!(count("games") >= 40 && count("held_out") > 0, "{import}");
    assert_eq!(import["with_result"], import["games"]);
    let info = json(at, "record info games games/holdout --json");
    assert_eq!((&info["games"], &info["rows"]), (&import["games"], &import["rows"]));

    let train = "train --data games --out run --shape 1x8 --batch 16 --set train.log_every=2 \
                 --set train.validate_rows=64 --json";
    let first = json(at, &format!("{train} --steps 6"));
    assert_eq!((&first["step"], &first["finished"]), (&6.into(), &true.into()));
    let more = json(at, &format!("{train} --steps 10"));
    assert_eq!((&more["step"], &more["samples"]), (&10.into(), &160.into()));
    assert_eq!(json(at, "net verify run/run.safetensors --json")["ok"], true);
    let net = NetFile::load(&at.join("run/run.safetensors")).unwrap();
    assert_eq!((net.manifest.boards, net.manifest.games), ([5, 5], vec!["go".to_owned()]));

    let tuned = "train --data games --out tuned --init run/run.safetensors --steps 2 --json";
    json(at, tuned);
    let net = NetFile::load(&at.join("tuned/tuned.safetensors")).unwrap();
    assert!(net.manifest.training.starts_with("started from run ("), "{}", net.manifest.training);
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("games.sgfs"), records()).unwrap();
    json(at, "record import --out games games.sgfs --json");
    let again = refusal(at, "record import --out games games.sgfs");
    assert!(again.contains("holds shards already"), "{again}");
    let table = [
        ("record import --out x nothing.sgf", "nothing.sgf"),
        ("record import --out x games.sgfs --since yesterday", "YYYY"),
        ("record import --out x games.sgfs --min-rating strong", "no rating"),
        ("record info nowhere", "nowhere"),
        ("train --data nowhere --out run", "nowhere"),
        ("train --data games --out run --shape huge", "BLOCKSxFILTERS"),
        ("train --data games --out run --init missing.safetensors", "missing"),
        ("train --data games --out run --set train.clop=1", "train.clip"),
        ("train --data games --out run --batch 0", "batch is 0"),
        ("train --data games --out run --minutes=-1", "--minutes"),
        ("train --data games --out run --name a/b", "no name"),
        ("train --data games --out games.sgfs --name x", "games.sgfs"),
    ];
    for (line, expected) in table {
        let said = refusal(at, line);
        assert!(said.contains(expected), "{line}: {said}");
        assert!(!said.contains("panicked"), "{line}: {said}");
    }
    let shard = at.join("games/000000.shard");
    let mut bytes = fs::read(&shard).unwrap();
    bytes[100] ^= 1;
    fs::write(&shard, bytes).unwrap();
    let damaged = refusal(at, "train --data games --out run");
    assert!(damaged.contains("000000.shard is damaged"), "{damaged}");
}

/// Every one of these games was counted by its server, dead stones captured: ours must agree.
#[test]
fn counted_games_are_counted_alike() {
    let Some(lines) = shared::sgf_lines("go9/cgos9_scored10k.sgfs.gz") else { return };
    let filters = Filters { rules: Some(Rules::CGOS), ..Filters::default() };
    let mut importer = Importer::new(filters, 0.0, Seed::new(1));
    let mut games = 0;
    for line in lines.iter().step_by(10) {
        let game = importer.add(line).map(|taken| taken.game);
        // The same game may have been played twice.
        let Some(game) = game else { continue };
        games += 1;
        assert!(game.outcome.owners.is_some(), "{}", String::from_utf8_lossy(line));
    }
    assert!(games > 900, "{games}");
}
