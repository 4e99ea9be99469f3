//! Any text is a configuration or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tedomari::config::Config;

fuzz_target!(|text: &str| {
    if let Ok(config) = Config::from_toml(text) {
        let again = Config::from_toml(&config.to_documented_toml());
        assert_eq!(again.ok(), Some(config));
    }
});
