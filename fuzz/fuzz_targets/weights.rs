//! Any two files are a network or an error, in bounded memory. The bytes before the first zero are
//! the manifest, those after it the weights.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::nn::NetFile;

fuzz_target!(|bytes: &[u8]| {
    let mut files = bytes.splitn(2, |&byte| byte == 0);
    let manifest = files.next().unwrap_or_default();
    let weights = files.next().unwrap_or_default();
    let _ = NetFile::from_bytes(manifest, weights);
    // Behind the checksum, which no fuzzer finds.
    let _ = NetFile::from_parts(manifest, weights);
});
