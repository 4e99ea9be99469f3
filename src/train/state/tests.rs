use std::fs;

use super::*;
use crate::nn::random_weights;
use crate::util::Seed;

fn sample() -> State {
    let shape = NetShape {
        blocks: 1,
        filters: 2,
        pool_every: 1,
        head_filters: 2,
        value_neurons: 2,
        extra_planes: 0,
    };
    let mut state = State::new(shape, &random_weights(&shape, Seed::new(1))).unwrap();
    state.step = 77;
    state.samples = 1234;
    state.average[3] = 0.25;
    state.moments.first[1] = -3.0;
    state.moments.second[2] = 4.0;
    state
}

#[test]
fn what_was_saved_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.safetensors");
    sample().save(&path, "batch = 3").unwrap();
    assert_eq!(State::load(&path).unwrap(), sample());
    let missing = State::load(&folder.path().join("d")).unwrap_err().to_string();
    assert!(missing.contains("cannot read"), "{missing}");
}

#[test]
fn damage_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.safetensors");
    sample().save(&path, "").unwrap();
    let bytes = fs::read(&path).unwrap();
    let error = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        State::load(&path).map(|state| assert_eq!(state, sample())).err().map(|e| e.to_string())
    };
    for at in (0..bytes.len()).step_by(7) {
        let cut = error(&bytes[..at]).unwrap();
        assert!(cut.contains("c.safetensors is damaged"), "{cut}");
    }
    // Behind the header everything is under the checksum.
    let header = 8 + usize::from_le_bytes(*bytes.first_chunk().unwrap());
    for at in (header..bytes.len()).step_by(11) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert!(error(&changed).unwrap().contains("checksum"));
    }
    for at in 0..header {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        // A changed header may still say something possible; it must not make it panic.
        fs::write(&path, &changed).unwrap();
        let _ = State::load(&path);
    }
}
