//! The claims of the papers, and what became of them here.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use tedomari::chart::{Page, card, escaped, marked};

/// The claims, one on a line: its row, what it is, what the paper says, and where to look. The last is
/// `lab` for what experiments tell, with the document behind it where that stands as long as they have not
/// been done, `test`, `doc` or `none` with words behind it otherwise.
const CLAIMS: &str = include_str!("checklist.tsv");

/// Between these lines the table stands in a document of Markdown.
const BEGIN: &str = "<!-- claims: written by `tedomari-lab report` -->";
const END: &str = "<!-- end of claims -->";

/// What an experiment has found about a claim.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Finding {
    /// The row of the claim.
    pub id: String,
    /// What was measured, with its interval.
    pub ours: String,
    /// Whether that agrees.
    pub verdict: String,
    /// The command that measures it.
    pub command: String,
}

/// What one experiment leaves behind.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Outcome {
    /// Its name.
    pub experiment: String,
    /// What it is about.
    pub about: String,
    /// The text that describes it: with another text it is another experiment.
    #[serde(default)]
    pub description: String,
    /// Whether all of it has been done.
    pub complete: bool,
    /// What it says of claims.
    pub findings: Vec<Finding>,
    /// All numbers.
    pub result: serde_json::Value,
}

/// A claim with what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Its row: a letter for the paper, and a number.
    pub id: String,
    /// What it is.
    pub what: String,
    /// What the paper says.
    pub paper: String,
    /// What we have, with its interval where it is a number.
    pub ours: String,
    /// Whether that agrees.
    pub verdict: String,
    /// The command or the test that shows it.
    pub command: String,
}

/// All claims.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checklist {
    /// The experiments that were taken into account, and whether all of each was done.
    pub experiments: BTreeMap<String, bool>,
    /// How many claims have each verdict, by its first words.
    pub verdicts: BTreeMap<String, usize>,
    /// The claims in the order of the papers.
    pub lines: Vec<Line>,
}

impl Checklist {
    /// Puts what experiments have found beside the claims.
    #[must_use]
    pub fn new(outcomes: &[Outcome]) -> Self {
        let claims = CLAIMS.lines().filter(|line| !line.is_empty());
        let lines: Vec<Line> = claims.flat_map(|claim| lines_of(claim, outcomes)).collect();
        let mut verdicts = BTreeMap::new();
        for line in &lines {
            let short = line.verdict.split(':').next().unwrap_or_default().to_owned();
            *verdicts.entry(short).or_default() += 1;
        }
        let experiments =
            outcomes.iter().map(|outcome| (outcome.experiment.clone(), outcome.complete)).collect();
        Self { experiments, verdicts, lines }
    }

    /// The claims as a table of Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
        let mut text = "| row | claim | paper | ours | verdict | command or test |\n\
                        |---|---|---|---|---|---|\n"
            .to_owned();
        for line in &self.lines {
            let cells =
                [&line.id, &line.what, &line.paper, &line.ours, &line.verdict, &line.command];
            let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// A document with the table between its two lines for it; none if it has no such lines.
    #[must_use]
    pub fn put_into(&self, document: &str) -> Option<String> {
        let (before, rest) = document.split_once(BEGIN)?;
        let (_, after) = rest.split_once(END)?;
        Some(format!("{before}{BEGIN}\n\n{}\n{END}{after}", self.markdown()))
    }

    /// The two lines that a document must have.
    #[must_use]
    pub const fn markers() -> [&'static str; 2] {
        [BEGIN, END]
    }

    /// The claims as a page; what stands in `report.json` too is marked with the way to it.
    #[must_use]
    pub fn html(&self) -> String {
        let mut verdicts = "<ul>".to_owned();
        for (verdict, count) in &self.verdicts {
            let key = format!("/verdicts/{}", verdict.replace('~', "~0").replace('/', "~1"));
            let count = marked(&key, &count.to_string());
            let _ = write!(verdicts, "<li>{}: {count}</li>", escaped(verdict));
        }
        verdicts.push_str("</ul>");
        let mut claims =
            "<table class=\"claims\"><thead><tr><th>row</th><th>claim</th><th>paper</th><th>ours</th>\
             <th>verdict</th><th>command or test</th></tr></thead><tbody>"
                .to_owned();
        for (number, line) in self.lines.iter().enumerate() {
            claims.push_str("<tr>");
            // On a narrow screen each claim is a block, in which every cell has its name before it.
            for (field, name, text) in [
                ("id", "", &line.id),
                ("what", "", &line.what),
                ("paper", "paper", &line.paper),
                ("ours", "ours", &line.ours),
                ("verdict", "verdict", &line.verdict),
                ("command", "command or test", &line.command),
            ] {
                let cell = marked(&format!("/lines/{number}/{field}"), text);
                let _ = write!(claims, "<td class=\"{field}\" data-name=\"{name}\">{cell}</td>");
            }
            claims.push_str("</tr>\n");
        }
        claims.push_str("</tbody></table>");
        let cards = card("", "Verdicts", &verdicts) + &card("", "Claims", &claims);
        Page {
            title: "The papers' claims and ours",
            header: "<h1>The papers&#39; claims and ours</h1>",
            body: &format!("<div class=\"grid\">{cards}</div>\n"),
            footer: "Intervals are of 95 %.",
        }
        .html()
    }
}

/// A claim with each finding about it, or with where else to look.
fn lines_of(claim: &str, outcomes: &[Outcome]) -> Vec<Line> {
    let mut fields = claim.split('\t');
    let mut next = || fields.next().unwrap_or_default().to_owned();
    let (id, what, paper, evidence) = (next(), next(), next(), next());
    let line = |ours: &str, verdict: &str, command: &str| Line {
        id: id.clone(),
        what: what.clone(),
        paper: paper.clone(),
        ours: ours.to_owned(),
        verdict: verdict.to_owned(),
        command: command.to_owned(),
    };
    let (kind, words) = evidence.split_once(' ').unwrap_or((&evidence, ""));
    match kind {
        "test" => vec![line("as the paper has it", "checked by tests", words)],
        "doc" => vec![line("", "document only", words)],
        "none" => vec![line("", &format!("not applicable: {words}"), "")],
        _ => {
            let found = outcomes.iter().flat_map(|outcome| &outcome.findings);
            let found = found.filter(|finding| finding.id == id);
            let lines: Vec<Line> = found
                .map(|finding| line(&finding.ours, &finding.verdict, &finding.command))
                .collect();
            match lines.is_empty() {
                true if words.starts_with("docs/") => vec![line("", "measured by hand", words)],
                true => vec![line("", "not measured yet", words)],
                false => lines,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(id: &str) -> Outcome {
        let finding = Finding {
            id: id.to_owned(),
            ours: "0.0817 | ± 0.0125".to_owned(),
            verdict: "reproduced".to_owned(),
            command: "tedomari-lab wls".to_owned(),
        };
        Outcome {
            experiment: "x".to_owned(),
            about: String::new(),
            description: String::new(),
            complete: true,
            findings: vec![finding],
            result: serde_json::Value::Null,
        }
    }

    #[test]
    fn every_claim_is_well_formed() {
        let mut ids = Vec::new();
        for claim in CLAIMS.lines().filter(|line| !line.is_empty()) {
            let fields: Vec<&str> = claim.split('\t').collect();
            assert_eq!(fields.len(), 4, "{claim}");
            assert!(fields.iter().all(|field| field.trim() == *field && !field.is_empty()));
            let (kind, words) = fields[3].split_once(' ').unwrap_or((fields[3], ""));
            assert!(["lab", "test", "doc", "none"].contains(&kind), "{claim}");
            assert!(kind == "lab" || !words.is_empty(), "{claim}");
            ids.push(fields[0]);
        }
        let count = |letter: char| ids.iter().filter(|id| id.starts_with(letter)).count();
        assert_eq!(['A', 'B', 'C', 'D', 'E'].map(count), [42, 25, 40, 29, 5]);
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 141);
    }

    /// Tests that are named exist.
    #[test]
    fn tests_that_are_named_exist() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for claim in CLAIMS.lines().filter(|line| !line.is_empty()) {
            let evidence = claim.rsplit('\t').next().unwrap();
            let Some(words) = evidence.strip_prefix("test ").or(evidence.strip_prefix("doc "))
            else {
                continue;
            };
            for path in words.split(", ") {
                assert!(root.join(path).exists(), "{path} of {claim}");
            }
        }
    }

    /// What was measured by hand stands on the page that is named.
    #[test]
    fn pages_that_are_named_exist() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut named = 0;
        for claim in CLAIMS.lines() {
            let Some((_, page)) = claim.split_once("\tlab docs/") else { continue };
            assert!(root.join("docs").join(page).is_file(), "{claim}");
            named += 1;
        }
        let list = Checklist::new(&[]);
        assert_eq!(list.verdicts.get("measured by hand"), Some(&named));
        assert!(named > 0);
    }

    #[test]
    fn a_document_gets_the_table_where_it_wants_it() {
        let list = Checklist::new(&[outcome("B14")]);
        let document = format!("# Results\n\n{BEGIN}\nwhat stood here\n{END}\n\nmore\n");
        let new = list.put_into(&document).unwrap();
        assert!(new.starts_with("# Results\n\n<!--") && new.ends_with("-->\n\nmore\n"));
        assert!(new.contains("| B14 |") && !new.contains("what stood here"));
        assert_eq!(list.put_into(&new).as_ref(), Some(&new), "once more changes nothing");
        assert_eq!(list.put_into("# Results\n"), None);
    }

    #[test]
    fn findings_stand_beside_their_claims() {
        let list = Checklist::new(&[outcome("B14")]);
        let line = list.lines.iter().find(|line| line.id == "B14").unwrap();
        assert_eq!(line.verdict, "reproduced");
        assert!(list.markdown().contains("0.0817 \\| ± 0.0125"));
        assert_eq!(list.verdicts["reproduced"], 1);
        let none = Checklist::new(&[]);
        let line = none.lines.iter().find(|line| line.id == "B14").unwrap();
        assert_eq!(line.verdict, "not measured yet");
        assert_eq!(none.lines.len(), none.markdown().lines().count() - 2);
    }
}
