//! Positions of game records, with what an evaluation may depend on.

use rand::Rng as _;

use tedomari::game::ladder::capturing_move;
use tedomari::game::{Color, GameRecord, GameResult, Komi, Move, Point, Position, Rules};
use tedomari::util::Seed;

/// A position of a game whose winner is known.
#[derive(Clone)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// Whether Black has won the game.
    pub black_won: bool,
    /// The number of the game.
    pub game: usize,
    /// What the position is like.
    pub traits: Traits,
}

/// What the conditions of curves ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Moves before the position.
    pub moves: usize,
    /// Black stones that White can capture in a ladder, less those of White that Black can, whoever
    /// is to move; the paper's #ladder. Chains that are in atari do not count.
    pub ladder: i32,
    /// Black stones in atari less those of White.
    pub atari: i32,
    /// The share of the board that is filled.
    pub filled: f64,
    /// Points for White.
    pub komi: Komi,
    /// The rules of the game.
    pub rules: Rules,
    /// Who is to move.
    pub to_move: Color,
}

/// The winner of a record that counts: games that ended on time or by a breach of the rules say
/// nothing of their positions.
#[must_use]
pub const fn winner(game: &GameRecord) -> Option<Color> {
    match game.result {
        Some(GameResult::Time(_) | GameResult::Forfeit(_)) | None => None,
        Some(result) => result.winner(),
    }
}

/// Draws positions from records, each at most once, all equally likely; of two numbers of positions the
/// smaller is the beginning of the larger. Records without a winner are left out, and what follows an
/// illegal move.
#[must_use]
pub fn samples(games: &[GameRecord], rules: Rules, count: usize, seed: Seed) -> Vec<Sample> {
    let decided = |game: &GameRecord| winner(game).is_some();
    let mut places: Vec<(usize, usize)> = games
        .iter()
        .enumerate()
        .filter(|(_, game)| decided(game))
        .flat_map(|(number, game)| (0..game.moves.len()).map(move |ply| (number, ply)))
        .collect();
    let mut rng = seed.fork("samples", 0).rng();
    for last in (1..places.len()).rev() {
        let drawn = (u64::from(rng.next_u32()) * (last as u64 + 1)) >> 32;
        places.swap(last, usize::try_from(drawn).unwrap_or_default());
    }
    places.truncate(count);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by_key(|&at| places[at]);
    let mut found: Vec<Option<Sample>> = vec![None; places.len()];
    let mut rest = order.as_slice();
    while let Some(&first) = rest.first() {
        let number = places[first].0;
        let until = rest.partition_point(|&at| places[at].0 == number);
        take(&games[number], number, rules, |ply, sample| {
            let here = rest[..until].binary_search_by_key(&ply, |&at| places[at].1);
            if let Ok(here) = here {
                found[rest[here]] = Some(sample());
            }
        });
        rest = &rest[until..];
    }
    found.into_iter().flatten().collect()
}

/// Replays a game and offers the position before every move.
fn take(
    game: &GameRecord,
    number: usize,
    rules: Rules,
    mut offer: impl FnMut(usize, &dyn Fn() -> Sample),
) {
    let rules = game.rules.unwrap_or(rules);
    let mut position = Position::new(game.size, rules, game.komi.unwrap_or_default());
    for &(color, point) in &game.setup {
        if position.play(color, Move::Place(point)).is_err() {
            return;
        }
    }
    let black_won = winner(game) == Some(Color::Black);
    for (ply, recorded) in game.moves.iter().enumerate() {
        position.set_to_move(recorded.color);
        offer(ply, &|| Sample {
            position: position.clone(),
            black_won,
            game: number,
            traits: Traits::of(&position, ply),
        });
        if position.play(recorded.color, recorded.mv).is_err() {
            return;
        }
    }
}

impl Traits {
    /// Looks at a position after so many moves.
    #[must_use]
    pub fn of(position: &Position, moves: usize) -> Self {
        let board = position.board();
        let area = position.size().area();
        let (mut ladder, mut atari) = (0, 0);
        for point in position.size().points() {
            let Some(color) = board.stone(point) else { continue };
            if board.chain_head(point) != point {
                continue;
            }
            let stones = i32::try_from(board.chain_size(point)).unwrap_or(i32::MAX);
            let signed = if color == Color::Black { stones } else { -stones };
            if board.in_atari(point) {
                atari += signed;
            } else if capturing_move(board, point).is_some() {
                ladder += signed;
            }
        }
        Self {
            moves,
            ladder,
            atari,
            filled: (area - board.empty_points().len()) as f64 / area as f64,
            komi: position.komi(),
            rules: *position.rules(),
            to_move: position.to_move(),
        }
    }

    /// The conditions that hold, by family.
    #[must_use]
    pub fn conditions(&self) -> Vec<(&'static str, String)> {
        let sided = |number: i32| match number {
            1.. => "black stones",
            0 => "none",
            _ => "white stones",
        };
        let phase = match self.filled {
            ..0.25 => "opening",
            0.25..0.55 => "middle game",
            _ => "endgame",
        };
        let tens = self.moves / 10 * 10;
        vec![
            ("moves", format!("{tens:03}-{:03}", tens + 9)),
            ("ladder", sided(self.ladder).to_owned()),
            ("atari", sided(self.atari).to_owned()),
            ("phase", phase.to_owned()),
            ("komi", format!("{}", self.komi.points())),
            ("rules", self.rules.name().unwrap_or("other").to_owned()),
            ("to move", self.to_move.to_string()),
        ]
    }
}

/// Games by komi and rules with how many Black has won and lost: the paper's Table II.
#[must_use]
pub fn winners(games: &[GameRecord], rules: Rules) -> Vec<Winners> {
    let mut table: Vec<Winners> = Vec::new();
    for game in games {
        let Some(winner) = winner(game) else { continue };
        let komi = game.komi.unwrap_or_default().points();
        let rules = game.rules.unwrap_or(rules).name().unwrap_or("other");
        let same = |row: &Winners| row.komi.total_cmp(&komi).is_eq() && row.rules == rules;
        let at = table.iter().position(same).unwrap_or(table.len());
        if at == table.len() {
            table.push(Winners { komi, rules: rules.to_owned(), black_won: 0, white_won: 0 });
        }
        let row = &mut table[at];
        match winner {
            Color::Black => row.black_won += 1,
            Color::White => row.white_won += 1,
        }
    }
    table.sort_by(|a, b| a.komi.total_cmp(&b.komi).then_with(|| a.rules.cmp(&b.rules)));
    table
}

/// Who has won the games with one komi.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Winners {
    /// Points for White.
    pub komi: f64,
    /// The rules.
    pub rules: String,
    /// Games that Black has won.
    pub black_won: usize,
    /// Games that White has won.
    pub white_won: usize,
}

/// The stones of a position, in an order in which they can be put on a board one by one.
pub(super) fn stones(position: &Position) -> impl Iterator<Item = (Color, Point)> + '_ {
    let board = position.board();
    position.size().points().filter_map(|point| Some((board.stone(point)?, point)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use tedomari::game::Diagram;
    use tedomari::game::sgf::{self, SgfLimits};

    fn game(text: &str) -> GameRecord {
        sgf::read(text.as_bytes(), &SgfLimits::default()).unwrap().0
    }

    fn games() -> Vec<GameRecord> {
        let with = |result: &str| {
            game(&format!(
                "(;GM[1]SZ[9]KM[7]RU[Chinese]RE[{result}];B[ee];W[cc];B[gg];W[cg];B[gc];W[ec])"
            ))
        };
        ["B+3", "W+R", "B+T", "0", "W+0.5"].map(with).into()
    }

    #[test]
    fn every_position_of_decided_games_is_drawn_once() {
        let all = samples(&games(), Rules::CHINESE, 1000, Seed::new(1));
        assert_eq!(all.len(), 18);
        let places: HashSet<_> = all.iter().map(|s| (s.game, s.traits.moves)).collect();
        assert_eq!(places.len(), 18);
        assert!(all.iter().all(|sample| [0, 1, 4].contains(&sample.game)));
        assert!(all.iter().all(|sample| sample.black_won == (sample.game == 0)));
        for sample in &all {
            assert_eq!(stones(&sample.position).count(), sample.traits.moves);
        }
        let few = samples(&games(), Rules::CHINESE, 7, Seed::new(1));
        let place = |sample: &Sample| (sample.game, sample.traits.moves);
        let beginning: Vec<_> = all.iter().take(7).map(place).collect();
        assert_eq!(few.iter().map(place).collect::<Vec<_>>(), beginning);
        assert_ne!(
            samples(&games(), Rules::CHINESE, 7, Seed::new(2))
                .iter()
                .map(place)
                .collect::<Vec<_>>(),
            beginning
        );
    }

    #[test]
    fn winners_by_komi() {
        let mut games = games();
        games[4].komi = Some(Komi::from_points(6.5).unwrap());
        let table = winners(&games, Rules::CHINESE);
        let rows: Vec<_> = table.iter().map(|r| (r.komi, r.black_won, r.white_won)).collect();
        assert_eq!(rows, [(6.5, 0, 1), (7.0, 1, 1)]);
    }

    #[test]
    fn ladders_and_ataris_are_counted_for_black() {
        let traits = |text: &str| {
            let board = Diagram::parse(text).unwrap().board().clone();
            let komi = Komi::default();
            Traits::of(&Position::from_board(board, Color::Black, Rules::CHINESE, komi), 0)
        };
        let ladder = traits(
            "
            . . . . . .
            . . . . . .
            . . . . . .
            . . . . . .      driven to the top right
            . X O . . .
            . . X X . . ",
        );
        assert_eq!((ladder.atari, ladder.ladder), (0, -1));
        assert!(ladder.conditions().contains(&("ladder", "white stones".to_owned())));
        let broken = traits(
            "
            . . . . . . .
            . . . . . . .
            . . . . . O .
            . . . . . . .
            . . . . . . .
            . X O . . . .
            . . X X . . . ",
        );
        assert_eq!((broken.atari, broken.ladder), (0, 0));
        let atari = traits(
            "
            O . . .
            X . . .
            . . . .
            . . . . ",
        );
        assert_eq!((atari.atari, atari.ladder), (-1, 0));
        assert!(atari.conditions().contains(&("phase", "opening".to_owned())));
    }
}
