//! Games from files, as timetables and trials of strategies need them.

use std::ops::ControlFlow;
use std::path::PathBuf;

use anyhow::bail;

use crate::game::sgf::{self, SgfLimits};
use crate::game::{BoardSize, Game, GameRecord, GameResult, Position, Rules};
use crate::record::{read_games, sgf_files};

/// Which games are wanted.
pub struct Wanted {
    /// The game, and the rules that it is replayed by.
    pub rules: Rules,
    /// The board.
    pub size: BoardSize,
    /// How many at the most.
    pub most: usize,
}

/// Games that were found, and how many were left out.
#[derive(Default)]
pub struct Found {
    /// Those that are wanted.
    pub games: Vec<GameRecord>,
    /// How many others there were.
    pub left_out: usize,
}

/// Reads files and folders of games, see [`sgf_files`]. Games on other boards, with handicap, lost on
/// time or without moves are left out.
pub fn read(paths: &[PathBuf], wanted: &Wanted) -> anyhow::Result<Found> {
    read_while(paths, wanted, &|| true)
}

/// The same as long as there is time; what was found until then.
pub fn read_while(
    paths: &[PathBuf],
    wanted: &Wanted,
    go_on: &dyn Fn() -> bool,
) -> anyhow::Result<Found> {
    let mut found = Found::default();
    let limits = SgfLimits::default();
    for path in sgf_files(paths)? {
        if found.games.len() >= wanted.most {
            break;
        }
        read_games(&path, |text| {
            add(text, &limits, wanted, &mut found);
            if found.games.len() < wanted.most && go_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
    }
    if found.games.is_empty() && go_on() {
        bail!(
            "no game of {} on {} was found ({} were left out): give files with such games",
            wanted.rules.game,
            wanted.size,
            found.left_out
        );
    }
    Ok(found)
}

fn add(text: &[u8], limits: &SgfLimits, wanted: &Wanted, found: &mut Found) {
    let fits = |game: &GameRecord| {
        let kind = game.rules.map_or(Game::Go, |rules| rules.game);
        let ended = !matches!(
            game.result,
            Some(GameResult::Time(_) | GameResult::Forfeit(_) | GameResult::Void)
        );
        game.size == wanted.size
            && kind == wanted.rules.game
            && ended
            && game.handicap == 0
            && game.setup.is_empty()
            && !game.moves.is_empty()
    };
    match sgf::read(text, limits) {
        Ok((game, _)) if fits(&game) => found.games.push(game),
        _ => found.left_out += 1,
    }
}

/// Calls a function with the position before every move, as long as the moves are legal.
pub fn replay(game: &GameRecord, wanted: &Wanted, mut see: impl FnMut(&Position)) {
    let mut position = Position::new(game.size, wanted.rules, game.komi.unwrap_or_default());
    for recorded in &game.moves {
        position.set_to_move(recorded.color);
        see(&position);
        if position.play(recorded.color, recorded.mv).is_err() {
            return;
        }
    }
}

/// Stones on the board.
#[must_use]
pub fn stones(position: &Position) -> u32 {
    let stones = position.size().area() - position.board().empty_points().len();
    u32::try_from(stones).unwrap_or(u32::MAX)
}
