//! Which of five coins is the best? Learns with a byte for each while the best changes.
//!
//! Run it with `cargo run --release --example wls`.

use rand::Rng;
use tedomari::playout::Wls;
use tedomari::util::Seed;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wls = Wls::new(21, 1.3)?;
    let mut rng = Seed::new(7).rng();
    let mut coins = [0.2, 0.35, 0.5, 0.65, 0.8];
    let mut states = [0u8; 5];
    for round in 1..=600 {
        for (state, &chance) in states.iter_mut().zip(&coins) {
            let won = f64::from(rng.next_u32()) < chance * 2f64.powi(32);
            *state = if won { wls.win(*state) } else { wls.loss(*state) };
        }
        if round % 100 == 0 {
            let learnt = states.map(|state| wls.proportion(state)).map(|(n, m)| format!("{n}/{m}"));
            let good = states.iter().filter(|&&state| state > wls.index_of_half()).count();
            println!(
                "round {round}: chances {coins:?}, learnt {}, {good} above 1/2",
                learnt.join(" ")
            );
        }
        if round == 300 {
            coins.reverse();
        }
    }
    Ok(())
}
