//! Any file is one of KataGo's networks or an error, in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::nn::katago::{Model, looks_like_katago};

fuzz_target!(|bytes: &[u8]| {
    let model = Model::from_bytes(bytes);
    // What is read is also recognised.
    assert!(model.is_err() || looks_like_katago(bytes));
});
