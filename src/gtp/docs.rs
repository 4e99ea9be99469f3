//! The reference of the protocol, made from the tables of commands.

use std::fmt::Write;

use super::commands::specs;
use super::server::{MAX_LINE, SCRIPT_MOMENT};

/// The text of `docs/gtp.md`.
#[must_use]
pub fn reference() -> String {
    let mut text = format!(
        "# GTP reference\n\n\
        This page is generated from the tables of commands in `src/gtp/commands` by\n\
        `tedomari commands`; a test fails when it differs.\n\n\
        Tedomari speaks the Go Text Protocol, version 2 (draft 2), on standard input and output.\n\n\
        - Lines end with LF or CR LF and have at most {MAX_LINE} bytes; longer ones are refused.\n\
        - A number before the command is repeated in the answer. `#` starts a comment.\n\
        - A success is `= ` with the blank, also where no text follows.\n\
        - Colors are `b`, `black`, `w`, `white`, vertices `D4` or `pass`, in any case.\n\
        - Commands may be sent without waiting for answers, which come in the same order.\n\
        - While a move is searched, the line `# interrupt` or the command `stop` makes it come at\n  \
          once.\n\
        - An analysis answers in pieces: `= ` at once, reports while it goes on, and the empty line\n  \
          when any further line of input, also an empty one, has ended it. A client that reads slowly\n  \
          misses reports. The arguments of analyses are described below their table.\n\
        - A script on standard input is carried out in full: `quit` and the end of the input cut\n  \
          nothing short if they come before a command is begun or within {} s of its start. If\n  \
          they come later, while it thinks, the program ends in under a second: the search answers\n  \
          with its best move so far. An output that nobody reads any more ends the program at once.\n\
        - In a script, too, the next line ends an analysis: one that is to search its full time is\n  \
          `kata-search_analyze` or `kata-genmove_analyze`.\n\
        - Without time settings a move takes `time.seconds_per_move` seconds.\n\
        - `komi` survives `boardsize` and `clear_board`.\n",
        SCRIPT_MOMENT.as_secs_f64()
    );
    for (heading, commands) in specs() {
        write!(text, "\n## {heading}\n\n| command | arguments | |\n|---|---|---|\n")
            .expect("invariant: writing to a string cannot fail");
        for spec in commands {
            let arguments = match spec.arguments {
                "" => String::new(),
                arguments => format!("`{}`", arguments.replace('|', "\\|")),
            };
            writeln!(text, "| `{}` | {arguments} | {} |", spec.name, spec.about)
                .expect("invariant: writing to a string cannot fail");
        }
        text.push_str(notes(heading));
    }
    text
}

/// What is said below the table of a family.
fn notes(heading: &str) -> &'static str {
    if heading == "Analysis" { ANALYSIS } else { "" }
}

const ANALYSIS: &str = "\
\nThe side to move is the one on the board unless a color is given. CENTISECONDS is the time between
two reports, at least 1. Without it, or with 0, an analysis reports once a second, and a search for a
move reports at its end, which it does in any case. The keys are:

| key | value | |
|---|---|---|
| `interval` | number | The same as CENTISECONDS. |
| `avoid` | `COLOR MOVE,MOVE... DEPTH` | Moves that the color does not consider in the first DEPTH plies from the position on: 1 for the first move alone, 2 for the answer to it as well, 0 for nothing. |
| `allow` | `COLOR MOVE,MOVE... DEPTH` | The color considers no other moves, in as many plies. Several of these allow the moves of each. |
| `minmoves` | number | Moves to report though they were never tried. |
| `maxmoves` | number | Moves to report at most. |
| `rootInfo` | `true` | KataGo's format: `rootInfo visits N utility U winrate W` after the moves, with the score if it is known. |
| `pvVisits` | `true` | `pvVisits` and the visits of each move after its line of play. |
| `pvEdgeVisits` | `true` | The same under its other name. |
| `ownership` | `true` | KataGo's format: `ownership` and a number from -1 to 1 for each point, row by row from the top, for the side to move, if the evaluator knows. |
| `ownershipStdev` | `true` | KataGo's format: `ownershipStdev` and the standard deviation of these numbers over the evaluations of the search. |
| `movesOwnership` | `true` | KataGo's format: `movesOwnership` and the numbers for each move with evaluations in this search, after its line of play. |
| `movesOwnershipStdev` | `true` | Their standard deviations in the same place, as `movesOwnershipStdev`. |
";
