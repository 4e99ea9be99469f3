//! See `tedomari_fuzz::traces`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::traces(bytes));
