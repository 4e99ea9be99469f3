//! See `tedomari_fuzz::profile`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::profile(bytes));
