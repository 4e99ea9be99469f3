//! See `tedomari_fuzz::katago`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::katago(bytes));
