//! Additions to a file, which keeps all that stands in it.

use super::scan::{NodePlace, scan};
use super::{SgfError, SgfLimits};

/// What is added to a node of the main line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Text behind the comment that is there. Only ASCII is written: the file may be in any encoding.
    pub comment: String,
    /// Properties with their values, such as `("BM", "1")`. Those that the node has are left as they are.
    pub properties: Vec<(&'static str, String)>,
    /// Moves instead of this node's, each as a text of nodes such as `;B[aa];W[bb]`.
    pub variations: Vec<String>,
}

/// Properties that exclude each other: a node that has one of a group gets none of it.
const GROUPS: [&[&str]; 2] = [&["BM", "DO", "IT", "TE"], &["DM", "GB", "GW", "UC"]];

/// How many moves have been made after each node of the main line of the first game of a file.
pub fn moves_after_nodes(bytes: &[u8], limits: &SgfLimits) -> Result<Vec<usize>, SgfError> {
    let mut moves = 0;
    let count = |node: &NodePlace| {
        moves +=
            node.properties.iter().filter(|(name, _)| matches!(name.as_str(), "B" | "W")).count();
        moves
    };
    Ok(scan(&plain(bytes), limits)?.nodes.iter().map(count).collect())
}

/// Letters of any encoding stand in texts alone: with one byte for each, places are the same in both.
fn plain(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { 'x' }).collect()
}

/// Adds annotations to the first game of a file, the first one to its first node. Every byte of the file stays where
/// it was but for what is put between.
pub fn annotate(
    bytes: &[u8],
    limits: &SgfLimits,
    annotations: &[Annotation],
) -> Result<Vec<u8>, SgfError> {
    let found = scan(&plain(bytes), limits)?;
    let mut additions = Additions::default();
    for (node, annotation) in found.nodes.iter().zip(annotations) {
        additions.add_to(node, annotation);
        if annotation.variations.is_empty() {
            continue;
        }
        let end = found.tree_ends[node.tree];
        let variations = format!("({})", annotation.variations.join(")("));
        if node.first && node.tree > 0 {
            // It has siblings already: behind the tree that it begins.
            additions.0.push((end + 1, variations));
        } else if !node.first {
            additions.0.push((node.start, "(".to_owned()));
            additions.0.push((end, format!("){variations}")));
        }
    }
    Ok(additions.put_into(bytes))
}

/// Texts with the places where they are put.
#[derive(Default)]
struct Additions(Vec<(usize, String)>);

impl Additions {
    fn add_to(&mut self, node: &NodePlace, annotation: &Annotation) {
        let has = |name: &str| node.properties.iter().any(|(own, _)| own == name);
        let mut text = String::new();
        for (name, value) in &annotation.properties {
            let group = GROUPS.iter().find(|group| group.contains(name));
            let taken = group.map_or_else(|| has(name), |group| group.iter().any(|name| has(name)));
            if !taken {
                text.extend([name, "[", &escaped(value), "]"]);
            }
        }
        if !annotation.comment.is_empty() {
            let comment = escaped(&annotation.comment);
            match node.properties.iter().rev().find(|(name, _)| name == "C") {
                Some(&(_, end)) => self.0.push((end, format!("\n\n{comment}"))),
                None => text.extend(["C[", &comment, "]"]),
            }
        }
        if !text.is_empty() {
            self.0.push((node.end, text));
        }
    }

    /// Of several at one place the innermost comes first: later nodes are inside of what begins before them.
    fn put_into(mut self, bytes: &[u8]) -> Vec<u8> {
        let mut ordered: Vec<(usize, usize, String)> = self
            .0
            .drain(..)
            .enumerate()
            .map(|(order, (at, text))| {
                let closes = text.starts_with(')');
                (at, if closes { usize::MAX - order } else { order }, text)
            })
            .collect();
        ordered.sort_by_key(|&(at, order, _)| (at, order));
        let mut out = Vec::with_capacity(bytes.len() * 2);
        let mut copied = 0;
        for (at, _, text) in ordered {
            let at = at.min(bytes.len());
            out.extend_from_slice(&bytes[copied..at]);
            out.extend_from_slice(text.as_bytes());
            copied = at;
        }
        out.extend_from_slice(&bytes[copied..]);
        out
    }
}

/// A value in ASCII: `]` and `\` are marked, other letters become `?`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            ']' | '\\' => out.extend(['\\', letter]),
            _ if letter.is_ascii() => out.push(letter),
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::sgf::read;

    fn note(comment: &str, properties: &[(&'static str, &str)], variations: &[&str]) -> Annotation {
        Annotation {
            comment: comment.to_owned(),
            properties: properties.iter().map(|&(name, value)| (name, value.to_owned())).collect(),
            variations: variations.iter().map(|&moves| moves.to_owned()).collect(),
        }
    }

    fn check(text: &str, annotations: &[Annotation], expected: &str) {
        let limits = SgfLimits::default();
        let found = annotate(text.as_bytes(), &limits, annotations).unwrap();
        let moves = moves_after_nodes(text.as_bytes(), &limits).unwrap();
        assert_eq!(moves, (0..moves.len()).collect::<Vec<_>>());
        assert_eq!(String::from_utf8(found.clone()).unwrap(), expected);
        let (before, _) = read(text.as_bytes(), &limits).unwrap();
        let (after, _) = read(&found, &limits).unwrap();
        assert_eq!(after.moves.len(), before.moves.len(), "the main line is as it was");
    }

    #[test]
    fn comments_and_properties_join_those_that_are_there() {
        check(
            "(;SZ[9]XX[own] ;B[aa]C[old\\]];W[bb]BM[2])",
            &[
                note("a]b", &[("V", "1.5")], &[]),
                note("new", &[("V", "2")], &[]),
                note("", &[("DO", ""), ("GW", "1")], &[]),
            ],
            "(;SZ[9]XX[own]V[1.5]C[a\\]b] ;B[aa]C[old\\]\n\nnew]V[2];W[bb]BM[2]GW[1])",
        );
    }

    #[test]
    fn variations_stand_beside_the_main_line() {
        let none = || note("", &[], &[]);
        check(
            "(;SZ[9];B[aa];W[bb];B[cc])",
            &[none(), none(), note("", &[], &[";W[ee]"]), note("", &[], &[";B[ff]", ";B[gg]"])],
            "(;SZ[9];B[aa](;W[bb](;B[cc])(;B[ff])(;B[gg]))(;W[ee]))",
        );
        // Where there are variations already, they stay.
        check(
            "(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]))",
            &[none(), none(), note("", &[], &[";W[ee]"]), note("", &[], &[";B[ff]"])],
            "(;SZ[9];B[aa](;W[bb](;B[cc])(;B[ff]))(;W[ee])(;W[dd]))",
        );
    }

    #[test]
    fn bytes_of_any_encoding_stay() {
        let text = b"(;SZ[9]PB[\xe9\xff\x80];B[aa])";
        let notes = [note("", &[], &[]), note("caf\u{e9}", &[], &[])];
        let found = annotate(text, &SgfLimits::default(), &notes).unwrap();
        assert_eq!(found, b"(;SZ[9]PB[\xe9\xff\x80];B[aa]C[caf?])");
        assert!(annotate(b"no game", &SgfLimits::default(), &[]).is_err());
    }
}
