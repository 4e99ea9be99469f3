# A small image with the engine on standard input and output:
#   docker build -t tedomari . && docker run -i --rm tedomari
FROM rust:1-slim-bookworm AS build
WORKDIR /tedomari
COPY Cargo.toml Cargo.lock build.rs ./
COPY src src
COPY weights weights
COPY benches benches
COPY examples examples
RUN cargo build --release --locked --bin tedomari

FROM debian:bookworm-slim
COPY --from=build /tedomari/target/release/tedomari /usr/local/bin/tedomari
USER nobody
ENTRYPOINT ["/usr/local/bin/tedomari"]
