//! Plays a random game of NoGo and shows the board: the smallest use of the library.
//!
//! Run it with `cargo run --release --example random_game`.

use rand::Rng;
use tedomari::game::{BoardSize, Komi, Move, Position, Rules, render};
use tedomari::util::Seed;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut position = Position::new(BoardSize::square(9)?, Rules::NOGO, Komi::default());
    let mut rng = Seed::new(7).rng();
    while !position.is_over() {
        let color = position.to_move();
        let legal: Vec<_> = position.legal_points(color).collect();
        let point = legal[rng.next_u32() as usize % legal.len()];
        position.play(color, Move::Place(point))?;
    }
    println!("{}", render(&position));
    println!("{} has no legal move and loses", position.to_move());
    Ok(())
}
