//! The reference of the protocol, made from the tables of commands.

use std::fmt::Write;

use super::commands::specs;
use super::server::MAX_LINE;

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
        - While a move is searched, the line `# interrupt` makes it come at once.\n\
        - `quit` and the end of the input end the program in under a second: a search that is\n  \
          running then answers with its best move so far.\n\
        - Without time settings a move takes `time.seconds_per_move` seconds.\n\
        - `komi` survives `boardsize` and `clear_board`.\n"
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
    }
    text
}
