//! See `tedomari_fuzz::shard`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tedomari_fuzz::shard(bytes));
