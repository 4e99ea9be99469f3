//! The scanner in front of the parser: finds the first game of a text, measures it, and copies
//! the properties of its main line that a record has room for.

use super::{SgfError, SgfLimits};

/// The properties that end up in a record, and `GM`, which must be right.
const WANTED: [&str; 26] = [
    "AB", "AE", "AP", "AW", "B", "BL", "BR", "C", "DT", "EV", "GM", "HA", "KM", "OB", "OT", "OW",
    "PB", "PL", "PW", "RE", "RU", "SZ", "TM", "W", "WL", "WR",
];

/// The first game of a text.
#[derive(Debug)]
pub(super) struct Scan {
    /// The main line without line breaks between properties, without soft line breaks in them,
    /// and with identifiers in the capital letters of `FF[4]`.
    pub(super) main_line: String,
    /// Nodes of the main line.
    pub(super) main_nodes: usize,
    /// Whether there are nodes besides the main line.
    pub(super) variations: bool,
    /// Whether the text ends before the game does.
    pub(super) truncated: bool,
    /// Whether other games follow.
    pub(super) more_games: bool,
    /// Where the nodes of the main line stand in the text.
    pub(super) nodes: Vec<NodePlace>,
    /// Where the `)` of the trees stand that the main line goes through, the outermost first; the end of the text
    /// where one is missing.
    pub(super) tree_ends: Vec<usize>,
}

/// Where a node of the main line stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodePlace {
    /// Its `;`.
    pub(super) start: usize,
    /// Behind its last property.
    pub(super) end: usize,
    /// The tree that it belongs to, by the number of trees around that.
    pub(super) tree: usize,
    /// Whether it is the first node of that tree.
    pub(super) first: bool,
    /// Its properties, each with the place of the `]` of its last value.
    pub(super) properties: Vec<(String, usize)>,
}

/// Scans the first game of `text`.
pub(super) fn scan(text: &str, limits: &SgfLimits) -> Result<Scan, SgfError> {
    let start = game_start(text, 0).ok_or(SgfError::NotSgf)?;
    let mut scanner = Scanner {
        text,
        at: start,
        limits,
        depth: 0,
        nodes: 0,
        setup_values: 0,
        main_line_over: false,
        found: Scan {
            main_line: "(".to_owned(),
            main_nodes: 0,
            variations: false,
            truncated: false,
            more_games: false,
            nodes: Vec::new(),
            tree_ends: Vec::new(),
        },
    };
    scanner.game()?;
    let mut found = scanner.found;
    let length = text.len();
    found.tree_ends.iter_mut().for_each(|end| *end = length.min(*end));
    found.main_line.push(')');
    found.more_games = game_start(text, scanner.at).is_some();
    Ok(found)
}

/// Where the first `(` with a `;` behind it stands, from byte `from` on.
fn game_start(text: &str, from: usize) -> Option<usize> {
    let opened = |&at: &usize| text[at + 1..].trim_ascii_start().starts_with(';');
    text[from..].match_indices('(').map(|(at, _)| from + at).find(opened)
}

struct Scanner<'a> {
    text: &'a str,
    /// Bytes behind us.
    at: usize,
    limits: &'a SgfLimits,
    depth: usize,
    nodes: usize,
    setup_values: usize,
    /// The main line takes the first branch everywhere, so that it ends with the first `)`.
    main_line_over: bool,
    found: Scan,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Goes from the first `(` to behind the `)` that belongs to it.
    fn game(&mut self) -> Result<(), SgfError> {
        loop {
            self.skip_blanks();
            match self.peek() {
                None => {
                    self.found.truncated = true;
                    return Ok(());
                }
                Some(b'(') => self.open()?,
                Some(b')') => {
                    self.main_line_over = true;
                    self.depth -= 1;
                    if let Some(end) = self.found.tree_ends.get_mut(self.depth)
                        && *end == usize::MAX
                    {
                        *end = self.at;
                    }
                    self.at += 1;
                    if self.depth == 0 {
                        return Ok(());
                    }
                }
                Some(b';') => self.node()?,
                Some(byte) if byte.is_ascii_alphabetic() => self.property()?,
                Some(_) => return Err(self.unexpected()),
            }
        }
    }

    fn open(&mut self) -> Result<(), SgfError> {
        self.at += 1;
        self.depth += 1;
        self.found.variations |= self.main_line_over;
        if !self.main_line_over {
            self.found.tree_ends.push(usize::MAX);
        }
        if self.depth > self.limits.depth {
            return Err(SgfError::TooDeep { limit: self.limits.depth });
        }
        Ok(())
    }

    fn node(&mut self) -> Result<(), SgfError> {
        self.at += 1;
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(SgfError::TooManyNodes { limit: self.limits.nodes });
        }
        if !self.main_line_over {
            self.found.main_nodes += 1;
            self.found.main_line.push(';');
            let tree = self.depth - 1;
            let first = self.found.nodes.last().is_none_or(|before| before.tree < tree);
            let (start, end) = (self.at - 1, self.at);
            self.found.nodes.push(NodePlace { start, end, tree, first, properties: Vec::new() });
        }
        Ok(())
    }

    fn property(&mut self) -> Result<(), SgfError> {
        let name = self.identifier();
        let wanted = !self.main_line_over && WANTED.contains(&name.as_str());
        if wanted {
            self.found.main_line.push_str(&name);
        }
        self.skip_blanks();
        match self.peek() {
            Some(b'[') => {}
            Some(_) => return Err(self.unexpected()),
            None => return Err(SgfError::UnfinishedValue { property: name }),
        }
        while self.peek() == Some(b'[') {
            if wanted && matches!(name.as_str(), "AB" | "AE" | "AW") {
                self.setup_values += 1;
                if self.setup_values > self.limits.setup_values {
                    let limit = self.limits.setup_values;
                    return Err(SgfError::TooManySetupValues { limit });
                }
            }
            if !self.value(wanted) {
                return Err(SgfError::UnfinishedValue { property: name });
            }
            let end = self.at;
            self.skip_blanks();
            if self.peek() != Some(b'[')
                && !self.main_line_over
                && let Some(node) = self.found.nodes.last_mut()
            {
                node.end = end;
                node.properties.push((name.clone(), end - 1));
            }
        }
        Ok(())
    }

    /// Reads an identifier. `FF[3]` and older have small letters in it that mean nothing; a digit
    /// makes it one of a program's own.
    fn identifier(&mut self) -> String {
        /// The standard has two letters, programs have their own of any length.
        const SHOWN: usize = 12;
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += length;
        let kept = rest[..length].chars().filter(|c| !c.is_ascii_lowercase());
        kept.take(SHOWN).collect()
    }

    /// Goes from a `[` to behind the `]` that belongs to it, and says whether there is one.
    fn value(&mut self, wanted: bool) -> bool {
        let text = self.text;
        let copy = |line: &mut String, part: &str| {
            if wanted {
                line.push_str(part);
            }
        };
        let line = &mut self.found.main_line;
        copy(line, "[");
        self.at += 1;
        loop {
            let rest = &text[self.at..];
            let Some(length) = rest.bytes().position(|b| matches!(b, b']' | b'\\')) else {
                return false;
            };
            copy(line, &rest[..length]);
            self.at += length + 1;
            let behind = &rest[length + 1..];
            if rest.as_bytes()[length] == b']' {
                copy(line, "]");
                return true;
            }
            let line_breaks = ["\r\n", "\n\r", "\n", "\r"];
            if let Some(found) = line_breaks.iter().find(|found| behind.starts_with(**found)) {
                self.at += found.len();
            } else {
                let escaped = behind.chars().next().map_or(0, char::len_utf8);
                copy(line, "\\");
                copy(line, &behind[..escaped]);
                self.at += escaped;
            }
        }
    }

    fn unexpected(&self) -> SgfError {
        let found = self.text[self.at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
        SgfError::Unexpected { found, offset: self.at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, SgfError>) {
        let limits = SgfLimits { bytes: 1000, depth: 3, nodes: 5, setup_values: 4 };
        let line = scan(text, &limits).map(|found| found.main_line);
        assert_eq!(line, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn the_main_line_is_copied_without_what_nobody_reads() {
        check("(;)", Ok("(;)"));
        check("junk ( junk (\n; B [aa] \n ; W[bb] ) junk", Ok("(;B[aa];W[bb])"));
        check("(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))", Ok("(;B[aa];W[bb];B[cc])"));
        check("(;Black[aa]CoPyright[x]LZ2[y]C1[z]b[q];White[bb])", Ok("(;B[aa];W[bb])"));
        check("(;AB[aa] [bb]\n[cc:dd]TR[aa][bb][cc][dd][ee][ff])", Ok("(;AB[aa][bb][cc:dd])"));
        check(r"(;C[a\]b\\];B[])", Ok(r"(;C[a\]b\\];B[])"));
        check("(;C[soft\\\nbreak \\\r\nand \\é(;)])", Ok("(;C[softbreak and \\é(;)])"));
    }

    #[test]
    fn places_of_nodes_and_ends_of_trees_are_known() {
        let text = "x(;SZ[5]C[a] ;B[aa](;W[bb]\n;B[cc](;W[dd]))(;W[ee]))";
        let found = scan(text, &SgfLimits::default()).unwrap();
        let nodes: Vec<_> = found.nodes.iter().map(|node| &text[node.start..node.end]).collect();
        assert_eq!(nodes, [";SZ[5]C[a]", ";B[aa]", ";W[bb]", ";B[cc]", ";W[dd]"]);
        let trees: Vec<_> = found.nodes.iter().map(|node| (node.tree, node.first)).collect();
        assert_eq!(trees, [(0, true), (0, false), (1, true), (1, false), (2, true)]);
        let from_end: Vec<_> = found.tree_ends.iter().map(|&end| &text[end..]).collect();
        assert_eq!(from_end, [")", ")(;W[ee]))", "))(;W[ee]))"]);
        assert_eq!(found.nodes[0].properties, [("SZ".to_owned(), 7), ("C".to_owned(), 11)]);
        let torn = scan("(;B[aa](;W[bb]", &SgfLimits::default()).unwrap();
        assert_eq!(torn.tree_ends, [14, 14]);
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let unexpected = |found, offset| Err(SgfError::Unexpected { found, offset });
        let unfinished = |name: &str| Err(SgfError::UnfinishedValue { property: name.to_owned() });
        for text in ["", "(", ";", ")", "hello", "(B[aa])", "( (", "(((("] {
            check(text, Err(SgfError::NotSgf));
        }
        check("(;B;W[aa])", unexpected(';', 3));
        check("(;C[a [b] c])", unexpected(']', 11));
        check("(;é[a])", unexpected('é', 2));
        check("(;[a])", unexpected('[', 2));
        check("(;B", unfinished("B"));
        check("(;B[aa];Comment[aa", unfinished("C"));
        check("(;B[aa];XY[aa\\]", unfinished("XY"));
        check("(;C[\\", unfinished("C"));
    }

    #[test]
    fn limits_are_kept() {
        check("(;(;(;)))", Ok("(;;;)"));
        check("(;(;(;(;))))", Err(SgfError::TooDeep { limit: 3 }));
        check("(;;;;;)", Ok("(;;;;;)"));
        check("(;;;;;;)", Err(SgfError::TooManyNodes { limit: 5 }));
        check("(;(;;)(;;;))", Err(SgfError::TooManyNodes { limit: 5 }));
        check("(;AB[aa][ab];AW[ac]AE[ad])", Ok("(;AB[aa][ab];AW[ac]AE[ad])"));
        check("(;AB[aa][ab];AW[ac]AE[ad][ae])", Err(SgfError::TooManySetupValues { limit: 4 }));
        // Limits are about the game that is read.
        check("(;)(;(;(;(;))))", Ok("(;)"));
    }

    #[test]
    fn what_is_left_out_is_reported() {
        let flags = |text| {
            let found = scan(text, &SgfLimits::default()).unwrap();
            (found.main_nodes, found.variations, found.truncated, found.more_games)
        };
        assert_eq!(flags("(;B[aa];W[bb])"), (2, false, false, false));
        assert_eq!(flags("(;B[aa](;W[bb](;)))"), (3, false, false, false));
        assert_eq!(flags("(;B[aa](;W[bb])(;W[cc]))"), (2, true, false, false));
        assert_eq!(flags("(;B[aa];W[bb]"), (2, false, true, false));
        assert_eq!(flags("(;B[aa];W[bb]) and (;B[cc])"), (2, false, false, true));
        assert_eq!(flags("(;B[aa];W[bb]) ()"), (2, false, false, false));
    }
}
