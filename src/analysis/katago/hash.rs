//! Names of positions.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::game::{Color, Position, Symmetry};

/// A name for the board, the player to move and the ko, and one that all symmetric positions share.
pub(super) fn hashes(position: &Position) -> (String, String) {
    let size = position.size();
    let of = |symmetry: Symmetry| {
        let mut text = format!("{size} {} ", position.to_move().letter());
        let back = symmetry.inverse();
        text.extend(size.points().map(|point| {
            let there = back.apply(size, point);
            match position.board().stone(there) {
                Some(Color::Black) => 'X',
                Some(Color::White) => 'O',
                None if position.ko() == Some(there) => '*',
                None => '.',
            }
        }));
        let digest = Sha256::digest(text.as_bytes());
        digest[..16].iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02X}");
            text
        })
    };
    let all = Symmetry::for_size(size).iter().map(|&symmetry| of(symmetry));
    (of(Symmetry::IDENTITY), all.min().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Komi, Rules};

    fn named(moves: &str) -> (String, String) {
        let size = BoardSize::square(5).unwrap();
        let mut position = Position::new(size, Rules::CHINESE, Komi::default());
        for word in moves.split_whitespace() {
            position.play(position.to_move(), size.parse_move(word).unwrap()).unwrap();
        }
        hashes(&position)
    }

    #[test]
    fn symmetric_positions_share_one_name() {
        let (this, same) = named("B2 D3");
        for moves in ["D2 B3", "B4 D3", "B2 C4", "D4 B3"] {
            let (other, sym) = named(moves);
            assert!(other != this && sym == same, "{moves}");
        }
        assert_eq!(named("B2 D3"), (this.clone(), same.clone()));
        assert_ne!(named("D3 B2").1, same, "the colours are exchanged");
        assert_ne!(named("B2 D3 pass").0, this, "the turn is part of it");
        assert_eq!(this.len(), 32);
        assert_eq!(named("").0, named("").1);
        assert_ne!(named("C3").0, named("").0);
    }

    #[test]
    fn names_stay_the_same_from_build_to_build() {
        assert_eq!(named("").0, "2DDCC5D38ED14076422279FD8E19D84F");
    }
}
