//! See `tedomari_fuzz::gtp_session`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::gtp_session(bytes));
