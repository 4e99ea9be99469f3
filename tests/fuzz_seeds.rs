//! The fuzz targets on stable: with their seeds, with seeds that are damaged at random, and with what they have found.
//!
//! `TEDOMARI_DAMAGED` sets how many damaged seeds each target gets, and `TEDOMARI_SEED` where their random numbers start.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "says which file it was")]
#![allow(clippy::disallowed_methods, reason = "the environment says how long a test takes")]

#[allow(unreachable_pub, reason = "public where it is a package of its own")]
#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// What stands in a folder for targets, each in a folder of its name.
fn replay(folder: &str) -> BTreeSet<&'static str> {
    let mut seen = BTreeSet::new();
    for (name, target) in targets::TARGETS {
        for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name)) {
            eprintln!("{}", file.display());
            target(&fs::read(file).unwrap());
            seen.insert(name);
        }
    }
    seen
}

#[test]
fn all_targets_have_seeds() {
    assert_eq!(replay("fuzz/seeds").len(), targets::TARGETS.len());
}

#[test]
fn what_was_found_once_is_mended() {
    replay("tests/fixtures/fuzz");
}

#[test]
fn seeds_are_read_to_their_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let whole = |name: &str| {
        let path = folder.join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    // A change of a format leaves seeds behind that no target gets far with.
    let steps = tedomari::train::steps_of_checkpoint(&whole("checkpoint/small")).unwrap();
    assert!(steps > 0);
    tedomari::nn::katago::Model::from_bytes(&whole("katago/small")).unwrap();
    let shard = tedomari::record::Shard::from_bytes(Path::new("a"), whole("shard/small")).unwrap();
    assert!(shard.games().all(|game| game.is_ok()));
    tedomari::uncertainty::TraceFile::from_bytes(Path::new("a"), &whole("traces/small")).unwrap();
    let text = String::from_utf8(whole("profile/small")).unwrap();
    tedomari::uncertainty::StopProfile::from_text(&text).unwrap();
    let net = whole("weights/small");
    let mut parts = net.splitn(2, |&byte| byte == 0);
    let (manifest, weights) = (parts.next().unwrap(), parts.next().unwrap());
    tedomari::nn::NetFile::from_bytes(manifest, weights).unwrap();
}

/// Changes some bytes, or moves, removes, doubles or adds some.
fn damage(bytes: &mut Vec<u8>, others: &[Vec<u8>], rng: &mut SmallRng) {
    for _ in 0..rng.random_range(1..6) {
        let length = bytes.len();
        let at = rng.random_range(0..=length);
        let end = (at + rng.random_range(0..40)).min(length);
        match rng.random_range(0..6) {
            0 if at < length => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < length => {
                bytes[at] = [0, 1, 9, 10, 32, 127, 128, 255][rng.random_range(0..8)];
            }
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = rng.random_range(0..=length);
                bytes.splice(to..to, piece);
            }
            4 => {
                let other = &others[rng.random_range(0..others.len())];
                let from = rng.random_range(0..=other.len());
                let piece = &other[from..(from + rng.random_range(0..200)).min(other.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
            _ => {
                let number = rng.random_range(0..=u64::MAX) >> rng.random_range(0..64);
                bytes.splice(at..end, number.to_string().into_bytes());
            }
        }
    }
}

#[test]
fn damaged_seeds_do_no_harm() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (count, start) = (number("TEDOMARI_DAMAGED", 200), number("TEDOMARI_SEED", 1));
    for (name, target) in targets::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
        let mut paths = files(&folder);
        paths.sort();
        let seeds: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        for case in 0..count {
            let mut rng = SmallRng::seed_from_u64(start << 32 | case);
            let mut bytes = seeds[rng.random_range(0..seeds.len())].clone();
            damage(&mut bytes, &seeds, &mut rng);
            let harm = std::panic::catch_unwind(|| target(&bytes));
            assert!(
                harm.is_ok(),
                "{name}: seed {start}, case {case}: {:?}",
                bytes.escape_ascii().to_string()
            );
        }
        eprintln!("{name}: {count} damaged seeds");
    }
}
