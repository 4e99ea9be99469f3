//! Makes the binary small: see the release profile in Cargo.toml.

#![allow(clippy::print_stdout, reason = "this is how a build script talks to Cargo")]
#![allow(clippy::disallowed_methods, reason = "and this is how Cargo talks to it")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The line tables that cannot be in a file of their own; backtraces read them packed.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--compress-debug-sections=zlib");
    }
}
