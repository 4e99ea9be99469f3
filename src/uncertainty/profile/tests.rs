use super::*;
use crate::game::{Komi, Rules};
use crate::nn::{NetShape, builtin, random_weights};
use crate::uncertainty::CHANNELS;
use crate::util::Seed;

fn net(extra_planes: usize) -> NetFile {
    let shape = NetShape { extra_planes, ..NetShape::new(1, 4) };
    let manifest = builtin::named("untrained").unwrap().manifest;
    let manifest = crate::nn::Manifest { shape, canaries: Vec::new(), ..manifest };
    NetFile { manifest, weights: random_weights(&shape, Seed::new(1)) }
}

fn profile(state: &NetFile, mcts: &NetFile) -> StopProfile {
    let point = |simulations, threshold| Checkpoint {
        simulations,
        threshold,
        recall: 0.96,
        specificity: 0.5,
        reliability: vec![Tenth::default(); 10],
    };
    StopProfile {
        format: PROFILE_FORMAT,
        net: "abc".to_owned(),
        state_net: state.manifest.sha256.clone(),
        mcts_net: mcts.manifest.sha256.clone(),
        game: "nogo".to_owned(),
        board: 9,
        simulations: 400,
        epsilon: 0.05,
        made: "by hand".to_owned(),
        average_simulations: 0.5,
        changed_moves: 0.1,
        false_stops: 0.02,
        checkpoints: vec![point(0, 0.1), point(40, 0.05)],
    }
}

/// The files of a profile in a folder.
fn written(folder: &Path) -> ProfileFiles {
    let files = ProfileFiles::new(folder, "net");
    let (mut state, mut mcts) = (net(0), net(CHANNELS));
    state.save(&files.state).unwrap();
    mcts.save(&files.mcts).unwrap();
    profile(&state, &mcts).write(&files.profile).unwrap();
    files
}

#[test]
fn a_profile_watches_the_positions_that_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let files = written(folder.path());
    assert_eq!(files, ProfileFiles::beside(&folder.path().join("net.safetensors")));
    assert_eq!(files, ProfileFiles::named(&files.profile));
    let stopper = files.load("abc").unwrap();
    let watches = |side, rules| {
        let size = BoardSize::square(side).unwrap();
        stopper.rule(&Position::new(size, rules, Komi::default())).is_some()
    };
    assert!(watches(9, Rules::NOGO));
    assert!(!watches(9, Rules::CHINESE) && !watches(7, Rules::NOGO));
}

#[test]
fn foreign_and_damaged_profiles_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = written(folder.path());
    let error = |files: &ProfileFiles, net| files.load(net).map(|_| ()).unwrap_err().to_string();
    assert!(error(&files, "xyz").contains("for the network abc, not for xyz"));
    // The networks have changed places.
    let swapped =
        ProfileFiles { state: files.mcts.clone(), mcts: files.state.clone(), ..files.clone() };
    assert!(error(&swapped, "abc").contains("State-UN"));
    let missing = ProfileFiles { mcts: folder.path().join("no.safetensors"), ..files.clone() };
    assert!(error(&missing, "abc").contains("no."));
    let text = std::fs::read_to_string(&files.profile).unwrap();
    for (from, to, expected) in [
        ("format = 1", "format = 7", "format 7"),
        ("simulations = 40\n", "simulations = 4000\n", "behind the end"),
        ("threshold = 0.1", "threshold = 1.5", "between 0 and 1"),
        ("board = 9", "board = 99", "board"),
        ("epsilon", "epsilom", "cannot be read"),
    ] {
        assert!(text.contains(from), "{from}");
        write_atomically(&files.profile, text.replace(from, to).as_bytes()).unwrap();
        let found = error(&files, "abc");
        assert!(found.contains(expected), "{found}");
    }
    write_atomically(&files.profile, b"\xff\xfe").unwrap();
    assert!(error(&files, "abc").contains("UTF-8"));
    write_atomically(&files.profile, b"").unwrap();
    assert!(error(&files, "abc").contains("format"));
}
