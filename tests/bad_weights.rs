//! Files of weights that are damaged in any way give an error that says what is wrong, in bounded
//! memory, and never a panic.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use rand::Rng as _;
use tedomari::nn::NetFile;
use tedomari::util::{Rng, Seed};

fn files() -> (Vec<u8>, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("weights");
    let read = |name| fs::read(folder.join(name)).unwrap();
    (read("untrained.toml"), read("untrained.safetensors"))
}

fn below(bound: usize, rng: &mut Rng) -> usize {
    rng.next_u32() as usize % bound.max(1)
}

/// Cuts, doubles, overwrites or flips a part of a file.
fn damaged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=below(3, rng) {
        let at = below(bytes.len(), rng);
        match below(5, rng) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, rng.next_u32().to_le_bytes()[0]),
            2 => {
                let end = (at + below(100, rng)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 if !bytes.is_empty() => bytes[at] = rng.next_u32().to_le_bytes()[0],
            _ if !bytes.is_empty() => bytes[at] ^= 1 << below(8, rng),
            _ => {}
        }
    }
    bytes
}

#[test]
fn the_files_themselves_are_good() {
    let (manifest, weights) = files();
    NetFile::from_bytes(&manifest, &weights).unwrap();
    NetFile::from_parts(&manifest, &weights).unwrap();
}

#[test]
fn damage_never_panics_and_never_passes_the_checksum() {
    let (manifest, weights) = files();
    let mut rng = Seed::new(11).rng();
    for round in 0..3000 {
        let bad = damaged(&weights, &mut rng);
        if bad != weights {
            assert!(NetFile::from_bytes(&manifest, &bad).is_err(), "round {round}");
        }
        // Behind the checksum, where the header counts: the damage goes there.
        let header = weights.len().min(4000);
        let mut bad = damaged(&weights[..header], &mut rng);
        bad.extend_from_slice(&weights[header..]);
        if let Err(error) = NetFile::from_parts(&manifest, &bad) {
            assert!(!error.to_string().is_empty());
        }
        let bad = damaged(&manifest, &mut rng);
        if let Err(error) = NetFile::from_bytes(&bad, &weights) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn a_header_that_promises_too_much_is_refused_at_once() {
    let (manifest, _) = files();
    for length in [u64::MAX, u64::MAX / 2, 1 << 40, 100_000_001] {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend_from_slice(b"{}");
        assert!(NetFile::from_parts(&manifest, &bytes).is_err());
    }
    let header = br#"{"stem.conv.weight":{"dtype":"F32","shape":[4294967295,4294967295],"data_offsets":[0,4]}}"#;
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend_from_slice(header);
    bytes.extend_from_slice(&[0; 4]);
    assert!(NetFile::from_parts(&manifest, &bytes).is_err());
}

/// The program's last words about a network, and whether it went on without it.
fn refusal(folder: &Path, manifest: &[u8], weights: &[u8]) -> String {
    let path = folder.join("net.safetensors");
    fs::write(&path, weights).unwrap();
    fs::write(path.with_extension("toml"), manifest).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tedomari"))
        .args(["--net", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty(), "standard output belongs to GTP");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_program_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (manifest, weights) = files();
    let text = String::from_utf8(manifest.clone()).unwrap();
    let cases: [(Vec<u8>, Vec<u8>, &str); 6] = [
        (manifest.clone(), weights[..1000].to_vec(), "the file is damaged"),
        (manifest.clone(), Vec::new(), "the file is damaged"),
        (Vec::new(), weights.clone(), "'format' is missing"),
        (text.replace("features = 1", "features = 2").into(), weights.clone(), "feature set 2"),
        (
            text.replace("blocks = 2", "blocks = 3").into(),
            weights.clone(),
            "lack the tensor block.2",
        ),
        (
            text.replace("value = 0.6", "value = 0.1").into(),
            weights,
            "of test position 1, its manifest",
        ),
    ];
    for (manifest, weights, expected) in cases {
        let said = refusal(folder.path(), &manifest, &weights);
        assert!(said.contains(expected) && said.contains("net.safetensors"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn a_built_in_network_loads_within_20_milliseconds() {
    #[expect(clippy::disallowed_methods, reason = "a test of time reads the clock")]
    let now = std::time::Instant::now;
    let fastest = (0..10)
        .map(|_| {
            let start = now();
            tedomari::nn::builtin::named("untrained").unwrap();
            start.elapsed()
        })
        .min()
        .unwrap();
    assert!(fastest.as_millis() < 20, "{fastest:?}");
}
