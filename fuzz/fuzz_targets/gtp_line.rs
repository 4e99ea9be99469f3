//! See `tedomari_fuzz::gtp_line`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::gtp_line(bytes));
