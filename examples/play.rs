//! The engine plays a game of Go on 9x9 with itself and prints its record.
//!
//! Run it with `cargo run --release --example play`.

use tedomari::app::engine::engine;
use tedomari::config::Config;
use tedomari::engine::{Purpose, Ticket, View};
use tedomari::game::{Color, sgf};

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> anyhow::Result<()> {
    let config = Config::default().with("game.board_size", "9")?;
    let mut engine = engine(&config.with("search.max_simulations", "100")?)?;
    let mut color = Color::Black;
    while !engine.is_over() {
        engine.genmove(color, Purpose::Win, &Ticket::unlimited(), View::none())?;
        color = color.opponent();
    }
    println!("{}", sgf::write(&engine.record()));
    Ok(())
}
