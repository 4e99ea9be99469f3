//! What stands between the scanner and the reader: the parser, which turns text into properties.

use std::mem;

use sgf_parse::go::Prop;
use sgf_parse::{GameTree, ParseOptions, SgfNode, SgfProp, parse_with_options, unknown_game};

use super::scan::Scan;
use super::{SgfError, excerpt};
use crate::game::BoardSize;

/// The side of the board in a file that does not say, by the standard.
pub(super) const USUAL_SIDE: u8 = 19;

/// The properties of each node of the main line; there is at least one node.
pub(super) fn parse(found: &Scan) -> Result<Vec<Vec<Prop>>, SgfError> {
    // The parser never gives up half-way in its lenient mode. That would drop a part of a tree,
    // and with it recurse as deep as the game is long.
    let options = ParseOptions { lenient: true, ..ParseOptions::default() };
    let trees = parse_with_options(&found.main_line, &options)
        .map_err(|error| SgfError::Syntax(error.to_string()))?;
    let nodes = match trees.into_iter().next() {
        Some(GameTree::GoGame(root)) => take_apart(root),
        Some(GameTree::Unknown(root)) => {
            let game = take_apart(root).into_iter().flatten().find_map(|property| match property {
                unknown_game::Prop::GM(game) => Some(game.to_string()),
                _ => None,
            });
            return Err(SgfError::UnsupportedGame { game: game.unwrap_or_default() });
        }
        None => return Err(SgfError::NotSgf),
    };
    if nodes.len() != found.main_nodes {
        let message = format!("{} of {} nodes can be parsed", nodes.len(), found.main_nodes);
        return Err(SgfError::Syntax(message));
    }
    check_game(&nodes[0])?;
    Ok(nodes)
}

/// The properties of a line of nodes. To drop the line as it is would recurse into each child.
fn take_apart<P: SgfProp>(mut node: SgfNode<P>) -> Vec<Vec<P>> {
    let mut nodes = Vec::new();
    loop {
        nodes.push(mem::take(&mut node.properties));
        match node.children.pop() {
            Some(child) => node = child,
            None => return nodes,
        }
    }
}

/// Refuses games other than Go, as which NoGo is written too.
fn check_game(root: &[Prop]) -> Result<(), SgfError> {
    let game = root.iter().find_map(|property| match property {
        Prop::GM(game) => Some(game.to_string()),
        Prop::Invalid(name, values) if name == "GM" => Some(values.concat()),
        _ => None,
    });
    match game {
        Some(game) if !matches!(game.trim(), "" | "1") => {
            Err(SgfError::UnsupportedGame { game: excerpt(&game) })
        }
        _ => Ok(()),
    }
}

/// Width and height of the board.
pub(super) fn board_size(root: &[Prop]) -> Result<BoardSize, SgfError> {
    let property = root.iter().find(|property| property.identifier() == "SZ");
    let (width, height) = match property.cloned().map(tidy) {
        None => (USUAL_SIDE, USUAL_SIDE),
        Some(Prop::SZ(sides)) => sides,
        Some(other) => return Err(SgfError::BadSize { value: shown_values(&other) }),
    };
    BoardSize::new(width.into(), height.into()).map_err(|_| {
        let value = property.map(shown_values).unwrap_or_default();
        SgfError::BadSize { value }
    })
}

/// The values of a property as the file has them, for messages.
fn shown_values(property: &Prop) -> String {
    match property {
        Prop::Invalid(_, values) => excerpt(&values.join("][")),
        Prop::SZ((width, height)) if width == height => width.to_string(),
        Prop::SZ((width, height)) => format!("{width}:{height}"),
        other => excerpt(&other.to_string()),
    }
}

/// A second chance for a property that the parser refused: without blanks around its values,
/// without empty points, and with several texts in one.
pub(super) fn tidy(property: Prop) -> Prop {
    let Prop::Invalid(name, values) = property else { return property };
    let trimmed = values.iter().map(|value| value.trim().to_owned());
    let values = match name.as_str() {
        "AB" | "AE" | "AW" => trimmed.filter(|value| !value.is_empty()).collect(),
        "C" => vec![values.join("\n")],
        "BR" | "DT" | "EV" | "OT" | "PB" | "PW" | "RE" | "RU" | "WR" => vec![values.join(" ")],
        _ => trimmed.collect(),
    };
    Prop::new(name, values)
}
