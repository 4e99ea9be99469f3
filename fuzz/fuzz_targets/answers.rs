//! See `tedomari_fuzz::answers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::answers(bytes));
