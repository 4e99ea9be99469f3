//! Any bytes are a line of GTP, and any answer fits its frame.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::gtp::{Line, Response, read_line};

fuzz_target!(|bytes: &[u8]| {
    if let Line::Request(request) = read_line(bytes) {
        let echo = request.arguments.join("\n");
        let answer = Response { id: request.id, text: Ok(echo) }.to_string();
        assert!(answer.ends_with("\n\n"));
        assert_eq!(answer.matches("\n\n").count(), 1);
    }
});
