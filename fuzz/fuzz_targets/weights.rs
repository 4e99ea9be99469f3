//! See `tedomari_fuzz::weights`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::weights(bytes));
