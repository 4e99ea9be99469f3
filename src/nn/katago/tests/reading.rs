//! Files that are good, and files that are not.

use super::sample::{Form, net, packed};
use crate::nn::katago::model::Tip;
use crate::nn::katago::{KataGoError, Model, looks_like_katago};

fn error(bytes: &[u8]) -> String {
    match Model::from_bytes(bytes) {
        Ok(_) => panic!("the file was read"),
        Err(error) => error.to_string(),
    }
}

/// A file with a name of control characters used to be read, but was not recognised as KataGo's.
#[test]
fn what_is_read_is_also_recognised() {
    for form in [Form::Binary, Form::Text] {
        let good = net(8, form);
        assert!(looks_like_katago(&good) && Model::from_bytes(&good).is_ok());
        let odd = [b"\x01\0", good.as_slice()].concat();
        assert!(!looks_like_katago(&odd));
        for bytes in [packed(&odd), odd] {
            assert!(matches!(Model::from_bytes(&bytes), Err(KataGoError::NotANet)));
        }
    }
}

/// The file with a part of its text replaced, once.
fn changed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let from = from.as_bytes();
    let at = bytes.windows(from.len()).position(|part| part == from).unwrap();
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn all_forms_of_all_versions_are_read_alike() {
    for version in 8..=17 {
        let [binary, text] = [Form::Binary, Form::Text].map(|form| net(version, form));
        let expected = Model::from_bytes(&binary).unwrap();
        assert_eq!(expected.version, i64::from(version));
        let shape = match version {
            ..11 => "b2c6",
            11..16 => "b3c6nbt",
            16.. => "b5c6h4kv2qk6v3nbttflrs",
        };
        assert_eq!(expected.shape(), shape);
        for file in [text.clone(), packed(&binary), packed(&text)] {
            let found = Model::from_bytes(&file).unwrap();
            assert_eq!(found.parameters(), expected.parameters());
            assert_eq!(found.trunk.stem.weights, expected.trunk.stem.weights);
            let [found_tip, expected_tip] = [&found, &expected].map(|net| match &net.trunk.tip {
                Tip::Batch(norm) => &norm.scale,
                Tip::Rms(norm) => &norm.scale,
            });
            assert_eq!(found_tip, expected_tip);
            assert_eq!(found.value.score.bias, expected.value.score.bias);
        }
    }
}

#[test]
fn weights_are_turned_into_the_order_of_the_kernels() {
    // A file has [row][column][input][output], and for layers [input][output].
    let model = Model::from_bytes(&net(8, Form::Text)).unwrap();
    let text = String::from_utf8(net(8, Form::Text)).unwrap();
    let floats = |name: &str| -> Vec<f32> {
        let mut lines = text.lines().skip_while(|line| *line != name);
        let line = lines.find(|line| line.contains(' ')).unwrap();
        line.split(' ').map(|word| word.parse().unwrap()).collect()
    };
    let (stem, file) = (&model.trunk.stem, floats("conv1"));
    // Row 1, column 2, input 3, output 4 of a 5x5 convolution from 22 to 6 channels.
    let (tap, input, output) = (5 + 2, 3, 4);
    let found = stem.weights[(output * 22 + input) * 25 + tap];
    assert_eq!(found.to_bits(), file[(tap * 22 + input) * 6 + output].to_bits());
    let (global, file) = (&model.trunk.global, floats("ginputw"));
    assert_eq!(global.weights[4 * 19 + 7].to_bits(), file[7 * 6 + 4].to_bits());
}

#[test]
fn normalisation_is_folded() {
    // Mean 2, variance 3.999 with an epsilon of 0.001, factor 6, shift 1: 3 x - 5.
    let file = String::from_utf8(net(8, Form::Text)).unwrap();
    let start = file.find("norm1\n6\n0.001\n1\n1\n").unwrap();
    let head = &file[..start];
    let rest = &file[start..];
    let end: usize = rest.split_inclusive('\n').take(9).map(str::len).sum();
    let six = |number: &str| [number; 6].join(" ");
    let norm = format!(
        "norm1\n6\n0.001\n1\n1\n{}\n{}\n{}\n{}\n",
        six("2"),
        six("3.999"),
        six("6"),
        six("1")
    );
    let model = Model::from_bytes(format!("{head}{norm}{}", &rest[end..]).as_bytes()).unwrap();
    let crate::nn::katago::model::Block::Ordinary { pre, .. } = &model.trunk.blocks[0] else {
        panic!("the first block is an ordinary one")
    };
    assert!(pre.scale.iter().all(|scale| (scale - 3.0).abs() < 1e-6), "{:?}", pre.scale);
    assert!(pre.bias.iter().all(|bias| (bias + 5.0).abs() < 1e-5), "{:?}", pre.bias);
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused() {
    for form in [Form::Binary, Form::Text] {
        let whole = net(15, form);
        let whole = whole.trim_ascii_end();
        let step = if form == Form::Binary { 1 } else { 11 };
        for length in (0..whole.len() - 1).step_by(step) {
            let error = Model::from_bytes(&whole[..length]).err();
            // A number that is cut may still be a number; the last one may even be complete.
            let complete = form == Form::Text && length + 16 > whole.len();
            assert!(error.is_some() || complete, "{form:?} cut at {length}");
        }
        let packed = packed(whole);
        for length in (0..packed.len()).step_by(7) {
            assert!(Model::from_bytes(&packed[..length]).is_err(), "{form:?} cut at {length}");
        }
    }
    assert!(matches!(Model::from_bytes(b""), Err(KataGoError::NotANet)));
}

#[test]
fn damage_never_panics() {
    let mut state = 1u32;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % bound
    };
    for (version, form) in [(15, Form::Binary), (15, Form::Text), (17, Form::Binary)] {
        let good = net(version, form);
        for _ in 0..2000 {
            let mut bytes = good.clone();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                bytes[at] = u8::try_from(next(256)).unwrap();
            }
            // Whatever it is, it is not a panic; a changed weight is a network.
            let _ = Model::from_bytes(&bytes);
            let mut packed = packed(&bytes);
            let at = next(packed.len());
            packed[at] ^= 1 << next(8);
            let _ = Model::from_bytes(&packed);
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let good = net(15, Form::Binary);
    for (from, to, expected) in [
        ("sample-net\n15", "sample-net\n7", "model version 7; versions 8 to 17 can be used"),
        ("sample-net\n15", "sample-net\n18", "model version 18"),
        ("sample-net\n15", "sample-net\nx", "no KataGo network"),
        ("\n22\n19\n", "\n21\n19\n", "the input planes has 21 channels where 22 are expected"),
        ("0.25\n30\n0\n", "0.25\n30\n1\n", "human-SL"),
        ("0.25\n30\n", "0.25\n-30\n", "'-30' where a factor above 0 should be"),
        ("ordinary_block", "transformer_expert_block", "unknown kind 'transformer_expert_block'"),
        ("gpool_block", "dilated_block", "g170-b6c96 to g170-b40c256"),
        ("w1\n3\n3\n6\n5\n1\n1", "w1\n5\n3\n6\n5\n1\n1", "oblong convolution"),
        ("w1\n3\n3\n6\n5\n1\n1", "w1\n3\n3\n6\n5\n2\n2", "dilated or oblong"),
        ("w1\n3\n3\n6\n5\n1\n1", "w1\n4\n4\n6\n5\n1\n1", "an even side"),
        ("w1\n3\n3\n6\n5\n1\n1", "w1\n3\n3\n6\n4\n1\n1", "the file is damaged"),
        ("w1\n3\n3\n6\n5\n1\n1", "w1\n3\n3\n7\n5\n1\n1", "w1 has 7 channels where 6 are"),
        ("ACTIVATION_MISH", "ACTIVATION_WILD", "found 'ACTIVATION_WILD' where an activation"),
        ("@BIN@", "@BON@", "found '@BON@' where @BIN@ should be"),
    ] {
        let error = error(&changed(&good, from, to));
        assert!(error.contains(expected), "{to}: {error}");
    }
    let more = [good.as_slice(), b"more"].concat();
    assert!(error(&more).contains("the end of the file"), "{}", error(&more));
}

#[test]
fn what_is_wrong_with_a_transformer_is_said() {
    let good = net(17, Form::Binary);
    for (from, to, expected) in [
        ("\n3\n1\n0\n0\n0\n0\n0\n", "\n3\n2\n0\n0\n0\n0\n0\n", "0 or 1"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4\n3\n6\n3\n1", "4 heads in 3 groups"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4\n2\n7\n3\n1", "a rotation of 7 channels"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4\n2\n4000\n3\n1", "4 heads of 4000 channels"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4\n2\n6\n4000\n1", "4 heads of 4000 channels"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4000\n2\n6\n3\n1", "a number of heads from 1 to 64"),
        ("b3\n4\n2\n6\n3\n1", "b3\n4\n2\n8\n3\n1", "q_proj has 24 channels where 32 are"),
        ("v_proj\n5\n6\n", "v_proj\n5\n7\n", "damaged"),
        ("rope_freqs\n2\n3\n2", "rope_freqs\n2\n4\n2", "rope_freqs has 4 channels where 3"),
        ("rope_theta\n100.0", "rope_theta\nnan", "a base above 0"),
        ("b4\n5\n7\n1", "b4\n6\n7\n1", "b4 has 6 channels where 5 are expected"),
        ("b4\n5\n7\n1", "b4\n5\n7\n0", "without a gate"),
        ("linear2\n7\n5", "linear2\n7\n6", "damaged"),
        ("norm\n5\n1e-06", "norm\n5\n-1", "a number above 0, up to 1"),
        ("trunk/norm\n6\n0.001\n1\n0", "trunk/norm\n6\n0.001\n1\n2", "groups of channels"),
        ("policyhead\n2\n", "policyhead\n3\n", "a policy with 3 outputs"),
        ("policyhead\n2\n", "policyhead\n4\n", "p2/w has 2 channels where 4 are expected"),
        ("valuehead\n0\n0\n0\n", "valuehead\n0\n1\n0\n", "an option with the value 1"),
    ] {
        let error = error(&changed(&good, from, to));
        assert!(error.contains(expected), "{to}: {error}");
    }
    let text = String::from_utf8(net(17, Form::Text)).unwrap();
    let at = text.find("rope_freqs").unwrap();
    let line = text[at..].lines().find(|line| line.contains(' ')).unwrap();
    let damaged = text.replacen(line, &line.replacen(' ', " nan ", 1), 1);
    assert!(error(damaged.as_bytes()).contains("rope_freqs holds weights that are not finite"));
}

#[test]
fn the_beginning_tells_the_version() {
    for version in [8, 13, 17] {
        let good = net(version, Form::Binary);
        assert!(Model::check_beginning(&good[..200]).is_ok());
        let other = changed(&good, &format!("sample-net\n{version}"), "sample-net\n99");
        let error = Model::check_beginning(&other[..200]).unwrap_err().to_string();
        assert!(error.contains("model version 99"), "{error}");
    }
}

#[test]
fn impossible_sizes_cost_no_memory() {
    let good = net(8, Form::Binary);
    for (from, to) in [
        ("trunk\n2\n6\n", "trunk\n2000000000\n6\n"),
        ("trunk\n2\n6\n", "trunk\n2\n99999999999999999999\n"),
        ("trunk\n2\n6\n", "trunk\n-2\n6\n"),
        ("conv1\n5\n5\n22\n6\n", "conv1\n5\n5\n22\n4294967296\n"),
        ("conv1\n5\n5\n22\n6\n", "conv1\n5\n5\n18446744073709551615\n6\n"),
        ("ginputw\n19\n6\n", "ginputw\n19\n0\n"),
    ] {
        let error = error(&changed(&good, from, to));
        assert!(error.contains("where"), "{to:?}: {error}");
    }
    // The largest size that is allowed, without the weights that it asks for.
    let large = changed(&good, "conv1\n5\n5\n22\n6\n", "conv1\n9\n9\n22\n4096\n");
    assert!(error(&large).contains("the file ends within conv1"), "{}", error(&large));
}

#[test]
fn what_is_not_finite_is_refused() {
    for (word, form) in [("NaN", Form::Text), ("inf", Form::Text), ("1e99", Form::Text)] {
        let text = String::from_utf8(net(8, form)).unwrap();
        let line = text.lines().find(|line| line.contains(' ')).unwrap();
        let first = line.split(' ').next().unwrap();
        let error = error(text.replacen(first, word, 1).as_bytes());
        assert!(error.contains("conv1 holds weights that are not finite"), "{word}: {error}");
    }
    let mut binary = net(8, Form::Binary);
    let at = binary.windows(5).position(|part| part == b"@BIN@").unwrap() + 5;
    binary[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(error(&binary).contains("conv1 holds weights that are not finite"));
    // A variance below zero has no root.
    let text = String::from_utf8(net(8, Form::Text)).unwrap();
    let negative = text.replacen("norm1\n6\n0.001", "norm1\n6\n-9", 1);
    assert!(error(negative.as_bytes()).contains("norm1 holds weights that are not finite"));
}

#[test]
fn a_bomb_is_left_alone() {
    // A hundred megabytes of zeros where weights should be, in a tenth of a megabyte: a network
    // wide enough to hold them.
    let head = "bomb\n8\n22\n19\ntrunk\n9\n4096\n4096\n4096\n1\n4096\n\
                conv1\n9\n9\n22\n4096\n1\n1\n@BIN@";
    let zeros = vec![0; 81 * 22 * 4096 * 4];
    let tail = b"\nginputw\n19\n4096\n@BIN@";
    let file = packed(&[head.as_bytes(), &zeros, tail, &zeros].concat());
    assert!(file.len() < 1 << 20, "{}", file.len());
    assert!(matches!(Model::from_bytes(&file), Err(KataGoError::Bomb { .. })));
    for endless in [vec![b' '; 1 << 20], vec![b'a'; 1 << 20]] {
        assert!(matches!(Model::from_bytes(&packed(&endless)), Err(KataGoError::NotANet)));
    }
}

#[test]
fn fuzzing_begins_with_networks_of_every_kind() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/katago");
    for version in [8, 15, 16, 17] {
        let seed = std::fs::read(format!("{folder}/v{version}.bin")).unwrap();
        assert!(seed == net(version, Form::Binary), "write the seeds anew");
    }
}
