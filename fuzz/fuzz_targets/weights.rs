//! Any two files are a network or an error, in bounded memory. The first bytes are the manifest,
//! up to a zero.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::nn::NetFile;

fuzz_target!(|bytes: &[u8]| {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (manifest, weights) = bytes.split_at(end);
    let _ = NetFile::from_bytes(manifest, weights);
    // Behind the checksum, which no fuzzer finds.
    let _ = NetFile::from_parts(manifest, weights);
});
