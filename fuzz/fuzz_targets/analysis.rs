//! See `tedomari_fuzz::analysis`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::analysis(bytes));
