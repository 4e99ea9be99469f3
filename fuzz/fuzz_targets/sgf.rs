//! Any bytes are a record or an error, and a record survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::game::sgf::{self, SgfLimits};

fuzz_target!(|bytes: &[u8]| {
    let limits = SgfLimits::default();
    if let Ok((record, _)) = sgf::read(bytes, &limits) {
        let text = sgf::write(&record);
        assert!(sgf::read(text.as_bytes(), &limits).is_ok());
    }
});
