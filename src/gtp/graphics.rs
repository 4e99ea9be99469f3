//! Pictures of a search for GoGui: its `gfx` commands, and its live graphics.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing::warn;

use crate::game::Color;
use crate::search::SearchReport;

/// Moves that are labelled.
const MAX_LABELS: usize = 20;

/// Draws what a running search finds on GoGui's board: blocks after `gogui-gfx:`. They are written
/// by a thread of their own, which starts with the first one; a picture is left out when the one
/// before it still waits, so that nobody waits for the reader.
pub(super) struct LiveGraphics {
    /// Until the thread has taken it.
    place: Option<Box<dyn Write + Send>>,
    blocks: Option<SyncSender<String>>,
}

impl LiveGraphics {
    /// At most five pictures a second.
    pub(super) const INTERVAL: Duration = Duration::from_millis(200);

    pub(super) fn new(place: Box<dyn Write + Send>) -> Self {
        Self { place: Some(place), blocks: None }
    }

    /// Draws a report.
    pub(super) fn show(&mut self, report: &SearchReport) {
        if let Some(place) = self.place.take() {
            self.blocks = start(place).inspect_err(|error| warn!(%error, "no graphics")).ok();
        }
        if let Some(blocks) = &self.blocks {
            let _ = blocks.try_send(live_block(report));
        }
    }
}

/// Starts the thread that writes.
fn start(mut place: Box<dyn Write + Send>) -> io::Result<SyncSender<String>> {
    let (blocks, waiting) = sync_channel::<String>(1);
    thread::Builder::new().name("graphics".to_owned()).spawn(move || {
        for block in waiting {
            if place.write_all(block.as_bytes()).and_then(|()| place.flush()).is_err() {
                break;
            }
        }
    })?;
    Ok(blocks)
}

/// A picture for standard error, with the empty line that ends it.
fn live_block(report: &SearchReport) -> String {
    let mut lines = vec!["gogui-gfx:".to_owned(), variation(report), visits(report)];
    if report.ownership.samples() > 0 {
        let influence = report.size.points().map(|point| {
            let owner = report.ownership.of(Color::Black, point);
            format!("{} {owner:.2}", report.size.vertex(point))
        });
        lines.push(format!("INFLUENCE {}", influence.collect::<Vec<_>>().join(" ")));
    }
    lines.push(format!("TEXT {report}"));
    lines.retain(|line| !line.is_empty());
    lines.join("\n") + "\n\n"
}

/// The best line of play, as moves on the board.
pub(super) fn variation(report: &SearchReport) -> String {
    let mut color = report.color;
    let mut words = Vec::new();
    for mv in report.line() {
        words.push(format!("{} {}", color_letter(color), report.size.move_text(mv)));
        color = color.opponent();
    }
    if words.is_empty() { String::new() } else { format!("VAR {}", words.join(" ")) }
}

/// The visits of the most visited moves, as labels.
pub(super) fn visits(report: &SearchReport) -> String {
    let visited = report.moves.iter().filter(|root| root.visits > 0);
    let labels = visited.filter_map(|root| {
        let vertex = report.size.vertex(root.mv.point()?);
        Some(format!("{vertex} {}", root.visits))
    });
    let labels: Vec<_> = labels.take(MAX_LABELS).collect();
    if labels.is_empty() { String::new() } else { format!("LABEL {}", labels.join(" ")) }
}

const fn color_letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::gtp::analysis::sample_report;

    #[test]
    fn a_picture_has_a_line_of_play_labels_influence_and_text() {
        let block = live_block(&sample_report());
        let lines: Vec<_> = block.split('\n').collect();
        assert_eq!(lines[0], "gogui-gfx:");
        assert_eq!(lines[1], "VAR b B2 w A1 b pass");
        assert_eq!(lines[2], "LABEL B2 30 A3 9");
        assert!(lines[3].starts_with("INFLUENCE A3 "), "{}", lines[3]);
        assert_eq!(lines[3].split(' ').count(), 1 + 2 * 9);
        assert!(lines[4].starts_with("TEXT black wins 62.5 %"), "{}", lines[4]);
        assert_eq!(lines[5..], ["", ""]);
    }

    #[test]
    fn pictures_are_written_by_another_thread() {
        #[derive(Clone, Default)]
        struct Shared(Arc<Mutex<Vec<u8>>>);
        impl Write for Shared {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let place = Shared::default();
        let mut graphics = LiveGraphics::new(Box::new(place.clone()));
        graphics.show(&sample_report());
        drop(graphics);
        while Arc::strong_count(&place.0) > 1 {
            thread::yield_now();
        }
        assert!(place.0.lock().unwrap().starts_with(b"gogui-gfx:\nVAR b B2"));
    }
}
