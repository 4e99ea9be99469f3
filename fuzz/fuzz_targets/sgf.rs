//! See `tedomari_fuzz::sgf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::sgf(bytes));
