//! See `tedomari_fuzz::checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::checkpoint(bytes));
