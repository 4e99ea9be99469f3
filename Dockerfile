# A small image with the engine on standard input and output, as nobody, and with nothing that it could write to:
#   docker build -t tedomari . && docker run -i --rm --read-only --network=none --cap-drop=ALL tedomari
FROM rust:1.90.0-slim-bookworm AS build
WORKDIR /tedomari
COPY Cargo.toml Cargo.lock build.rs ./
COPY src src
COPY crates crates
COPY weights weights
COPY benches benches
COPY examples examples
RUN cargo build --release --locked --bin tedomari

FROM debian:12.11-slim
COPY --from=build /tedomari/target/release/tedomari /usr/local/bin/tedomari
USER nobody
ENTRYPOINT ["/usr/local/bin/tedomari"]
