# Short names for what .ci/run and people do.

# Everything that decides whether a change is good.
ci:
    .ci/run

# Files that are made from the code.
generate:
    cargo run --release -- config > engine.toml
    cargo run --release -- commands > docs/gtp.md
    cargo run --release -- analysis --schema > docs/schema/analysis.json

bench:
    cargo bench --bench board
