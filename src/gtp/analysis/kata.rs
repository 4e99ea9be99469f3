//! KataGo's format, which is Sabaki's as well: decimal numbers, always with a point.

use std::iter;

use super::{Parts, line_of_play};
use crate::eval::{OwnerSpread, Value};
use crate::search::{RootMove, SearchReport};

/// All moves on one line, then the root and who owns the points if they are wanted, all for the
/// side to move; nothing when there is no move to tell of. Scores are there when they are known.
/// A utility is what the search maximises: from -1, a sure loss, to 1, a sure win.
pub(crate) fn kata_line(report: &SearchReport, parts: &Parts) -> Option<String> {
    let infos = parts.moves(report).enumerate().map(|(order, root)| {
        format!(
            "info move {} visits {visits} edgeVisits {visits} {}{} prior {:.6} lcb {:.6} \
             utilityLcb {:.6} weight {visits}.0 order {order} pv {}{}{}",
            report.size.move_text(root.mv),
            value_fields(root.value),
            score_fields(root.score),
            root.prior,
            root.lower_bound.win_rate(),
            root.lower_bound.get(),
            line_of_play(report.size, root).join(" "),
            parts.visits_of_line(root),
            owners_of_move(report, root, parts),
            visits = root.visits,
        )
    });
    let mut line: Vec<_> = infos.collect();
    if line.is_empty() {
        return None;
    }
    if parts.root_info {
        line.push(format!(
            "rootInfo visits {visits} {}{} weight {visits}.0",
            value_fields(report.value),
            score_fields(report.score),
            visits = report.visits,
        ));
    }
    if parts.ownership && report.ownership.samples() > 0 {
        line.push("ownership".to_owned());
        let owner = |point| format!("{:.3}", report.ownership.of(report.color, point));
        line.extend(report.size.points().map(owner));
    }
    if let Some(spread) = report.owner_spread.as_ref().filter(|_| parts.ownership_stdev) {
        line.extend(deviations("ownershipStdev", spread));
    }
    Some(line.join(" "))
}

/// Who will own the points after a move, and how far evaluations differ about it, as far as it is wanted and known.
fn owners_of_move(report: &SearchReport, root: &RootMove, parts: &Parts) -> String {
    let Some(spread) = &root.owner_spread else { return String::new() };
    // The first one is empty, so that a blank comes before the others.
    let mut words = vec![String::new()];
    if parts.moves_ownership {
        words.push("movesOwnership".to_owned());
        let owner = |point| format!("{:.3}", spread.mean(report.color, point));
        words.extend(report.size.points().map(owner));
    }
    if parts.moves_ownership_stdev {
        words.extend(deviations("movesOwnershipStdev", spread));
    }
    words.join(" ")
}

/// A name and the standard deviation of the owner of each point.
fn deviations(name: &str, spread: &OwnerSpread) -> impl Iterator<Item = String> {
    let deviation = |point| format!("{:.3}", spread.deviation(point));
    iter::once(name.to_owned()).chain(spread.size().points().map(deviation))
}

fn value_fields(value: Value) -> String {
    format!("utility {:.6} winrate {:.6}", value.get(), value.win_rate())
}

/// Clients that show a score want a standard deviation with it; none is known.
fn score_fields(score: Option<f32>) -> String {
    score.map_or_else(String::new, |score| {
        format!(
            " scoreMean {score:.3} scoreStdev 0.0 scoreLead {score:.3} scoreSelfplay {score:.3}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Color;
    use crate::gtp::analysis::sample_report;

    #[test]
    fn everything_that_is_known_is_told() {
        assert_eq!(
            kata_line(&sample_report(), &Parts::default()).unwrap(),
            "info move B2 visits 30 edgeVisits 30 utility 0.250000 winrate 0.625000 \
             scoreMean 1.500 scoreStdev 0.0 scoreLead 1.500 scoreSelfplay 1.500 \
             prior 0.500000 lcb 0.500000 utilityLcb 0.000000 weight 30.0 order 0 pv B2 A1 pass \
             info move A3 visits 9 edgeVisits 9 utility -1.000000 winrate 0.000000 \
             prior 0.125000 lcb 0.000000 utilityLcb -1.000000 weight 9.0 order 1 pv A3"
        );
    }

    #[test]
    fn the_root_and_the_owners_come_last() {
        let parts = Parts {
            max_moves: 1,
            root_info: true,
            pv_visits: true,
            pv_edge_visits: true,
            ownership: true,
            ..Parts::default()
        };
        let line = kata_line(&sample_report(), &parts).unwrap();
        let (_, rest) = line.split_once(" pv ").unwrap();
        assert_eq!(
            rest,
            "B2 A1 pass pvVisits 30 12 3 pvEdgeVisits 30 12 3 \
             rootInfo visits 40 utility 0.250000 winrate 0.625000 scoreMean 1.250 scoreStdev 0.0 \
             scoreLead 1.250 scoreSelfplay 1.250 weight 40.0 \
             ownership 1.000 0.500 0.000 -0.500 -1.000 0.250 -0.250 0.000 0.125"
        );
        let white = SearchReport { color: Color::White, ..sample_report() };
        let line = kata_line(&white, &parts).unwrap();
        assert!(line.contains("ownership -1.000 -0.500"), "{line}");
    }
}
