//! Tables as gogui-twogtp writes them, for the programs that read those.

use std::fmt::Write as _;

use super::read::{Results, board_text};
use super::summary::counts;
use crate::arena::GameLine;

/// The table of the games between two players.
///
/// The first player is the program that twogtp calls Black: in games in which it has White, `ALT` is
/// 1 and the result is turned round, so that `B+` always is a win of the first player, and the times
/// are the players'. `CPU` is 0: only the clock is measured. A game that does not count is an error.
#[must_use]
pub fn table(results: &Results, first: usize, second: usize) -> String {
    let info = &results.info;
    let name = |player: usize| one_line(&info.players[player]);
    let mut text = String::new();
    let board = board_text(info);
    let size = match board.split_once('x') {
        Some((width, height)) if width == height => width,
        _ => &board,
    };
    for (key, value) in [
        ("Black", name(first)),
        ("BlackCommand", name(first)),
        ("BlackLabel", name(first)),
        ("BlackVersion", String::new()),
        ("Date", String::new()),
        ("Host", String::new()),
        ("Komi", info.komi.to_string()),
        ("Openings", one_line(&info.openings)),
        ("Referee", "-".to_owned()),
        ("Size", one_line(size)),
        ("White", name(second)),
        ("WhiteCommand", name(second)),
        ("WhiteLabel", name(second)),
        ("WhiteVersion", String::new()),
        ("Xml", "0".to_owned()),
    ] {
        let _ = writeln!(text, "# {key}: {value}");
    }
    text.push_str("#\n#GAME\tRES_B\tRES_W\tRES_R\tALT\tDUP\tLEN\t");
    text.push_str("TIME_B\tTIME_W\tCPU_B\tCPU_W\tERR\tERR_MSG\n");
    let of_both = |line: &&GameLine| {
        (line.black, line.white) == (first, second) || (line.black, line.white) == (second, first)
    };
    for line in results.games.iter().map(|game| &game.line).filter(of_both) {
        text.push_str(&row(line, first));
    }
    text
}

fn row(line: &GameLine, first: usize) -> String {
    let turned = line.black != first;
    let result = if !counts(line) {
        "?".to_owned()
    } else if turned {
        match line.result.split_at_checked(1) {
            Some(("B", rest)) => format!("W{rest}"),
            Some(("W", rest)) => format!("B{rest}"),
            _ => line.result.clone(),
        }
    } else {
        line.result.clone()
    };
    let result = one_line(&result);
    let mut seconds = [0.0; 2];
    for (index, used) in line.seconds.iter().enumerate() {
        let by_white = line.opening_plies.saturating_add(index) % 2 == 1;
        seconds[usize::from(by_white != turned)] += used;
    }
    let faults: Vec<String> = line
        .faults
        .iter()
        .map(|fault| format!("{}: {}", one_line(&fault.kind), one_line(&fault.detail)))
        .collect();
    format!(
        "{}\t{result}\t{result}\t?\t{}\t-\t{}\t{:.1}\t{:.1}\t0\t0\t{}\t{}\n",
        line.game,
        u8::from(turned),
        line.plies,
        seconds[0],
        seconds[1],
        u8::from(!counts(line)),
        faults.join("; "),
    )
}

/// Without tabs and line breaks, which are the table's own.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
