use super::*;
use crate::game::{Komi, Move, Rules};
use crate::record::{Outcome, Turn};

fn sample() -> TraceFile {
    let size = BoardSize::square(3).unwrap();
    let mv = |offset| Move::Place(size.point_at_offset(offset).unwrap());
    let turn = |mv| Turn { mv, policy: vec![(mv, 1.0)], value: None, weight: 1.0, label: None };
    let game = TrainingGame {
        size,
        rules: Rules::TROMP_TAYLOR,
        komi: Komi::from_points(0.5).unwrap(),
        stones: Vec::new(),
        turns: vec![turn(mv(4)), turn(mv(1))],
        outcome: Outcome::UNKNOWN,
    };
    let trace = Trace {
        moves: vec![(mv(4), 0.75), (Move::Pass, 0.25)],
        steps: vec![Step { first: 1, value: -1.0 }, Step { first: 0, value: 1.0 }],
        proven: vec![(0, true), (1, false)],
    };
    let games = vec![TracedGame { game, searches: vec![(1, trace)] }];
    TraceFile { net: "abc".to_owned(), simulations: 3, games }
}

fn error(bytes: &[u8]) -> String {
    TraceFile::from_bytes(Path::new("x.traces"), bytes).unwrap_err().to_string()
}

#[test]
fn what_was_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = sample();
    file.write(&folder.path().join("a.traces")).unwrap();
    file.write(&folder.path().join("b.traces")).unwrap();
    assert_eq!(TraceFile::read(&folder.path().join("a.traces")).unwrap(), file);
    assert_eq!(TraceFile::read_folder(folder.path()).unwrap().games.len(), 2);
    TraceFile { simulations: 4, ..file }.write(&folder.path().join("c.traces")).unwrap();
    let error = TraceFile::read_folder(folder.path()).unwrap_err().to_string();
    assert!(error.contains("c.traces was made with another network"), "{error}");
}

#[test]
fn damage_is_named_and_never_a_panic() {
    let bytes = sample().to_bytes().unwrap();
    assert!(error(b"something").contains("no file of traces"));
    for end in 0..bytes.len() {
        assert!(!error(&bytes[..end]).is_empty());
    }
    let mut other = bytes.clone();
    other[8] = 9;
    assert!(error(&other).contains("version 9"));
    // Behind a checksum that fits, every byte may be anything.
    for index in 12..bytes.len() - CHECKSUM {
        for flip in [1, 0x80, 0xFF] {
            let mut body = bytes[..bytes.len() - CHECKSUM].to_vec();
            body[index] ^= flip;
            let checksum = Sha256::digest(&body);
            body.extend(checksum);
            let _ = TraceFile::from_bytes(Path::new("x.traces"), &body);
        }
    }
    let mut flipped = bytes;
    flipped[20] ^= 1;
    assert!(error(&flipped).contains("checksum"));
    let folder = tempfile::tempdir().unwrap();
    let nothing = TraceFile::read_folder(folder.path()).unwrap_err().to_string();
    assert!(nothing.contains("uncertainty generate"), "{nothing}");
}

#[test]
fn the_first_version_is_read_as_well() {
    let mut file = sample();
    file.games[0].searches[0].1.proven.clear();
    let mut old = file.to_bytes().unwrap();
    old.truncate(old.len() - CHECKSUM);
    // It has no number of proofs, which is 0 here and stands last.
    assert_eq!(old.pop(), Some(0));
    old[8] = 1;
    let checksum = Sha256::digest(&old);
    old.extend(checksum);
    assert_eq!(TraceFile::from_bytes(Path::new("x.traces"), &old).unwrap(), file);
}
