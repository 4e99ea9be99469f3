//! Ladders: captures in which every move of the attacker is an atari.

use super::board::Board;
use super::color::Color;
use super::point::Point;
use super::pointset::PointSet;

/// Moves that one question may try. The longest ladder that a board has room for takes fewer.
const MAX_MOVES: u32 = 1000;

/// A move of the opponent that captures the chain on `point` in a ladder, none if there is no such
/// move, no chain, or a chain with more than two liberties.
///
/// The attacker plays at one of the last two liberties. The defender extends, or captures one of
/// the chains around that are in atari, and escapes with three liberties. A capture that the ko
/// rule delays counts as an escape, and so does a ladder that takes more than 1000 moves to read.
#[must_use]
pub fn capturing_move(board: &Board, point: Point) -> Option<Point> {
    let defender = board.stone(point)?;
    if let Some(liberty) = board.last_liberty(point) {
        return Some(liberty);
    }
    let mut reader = Reader { defender, chain: point, moves_left: MAX_MOVES };
    reader
        .attacks(board, None)
        .into_iter()
        .flatten()
        .find(|&attack| reader.is_captured(board.clone(), attack))
}

/// A move that saves the chain on `point`, which is in atari, from capture at once or in a
/// ladder: an extension or the capture of a chain around it. None if there is no such move, no
/// chain, or a chain that is not in atari. See [`capturing_move`] for what is read.
#[must_use]
pub fn escaping_move(board: &Board, point: Point) -> Option<Point> {
    let defender = board.stone(point)?;
    let liberty = board.last_liberty(point)?;
    let mut reader = Reader { defender, chain: point, moves_left: MAX_MOVES };
    reader
        .defenses(board, liberty, None)
        .into_iter()
        .find(|&defense| reader.is_saved(board.clone(), defense))
}

/// Reads one ladder. Where a side has one move only, it is played on the same board, so that
/// recursion goes no deeper than there are choices.
struct Reader {
    defender: Color,
    /// A stone of the chain that is chased.
    chain: Point,
    moves_left: u32,
}

/// What has become of the chain after a move of the defender.
enum Status {
    Captured,
    Escaped,
    /// The moves with which the attacker can go on.
    Chased(Point, Option<Point>),
}

impl Reader {
    /// Whether the chain, which has two liberties, is captured after an attack at one of them.
    fn is_captured(&mut self, mut board: Board, mut attack: Point) -> bool {
        loop {
            if !self.may_go_on() {
                return false;
            }
            let ko = board.place(self.defender.opponent(), attack).ko;
            let liberty = board.last_liberty(self.chain);
            let mut defenses = liberty.map_or_else(Vec::new, |l| self.defenses(&board, l, ko));
            let Some(last) = defenses.pop() else { return true };
            if defenses.into_iter().any(|defense| self.is_saved(board.clone(), defense)) {
                return false;
            }
            match self.defend(&mut board, last) {
                Status::Captured => return true,
                Status::Escaped => return false,
                Status::Chased(first, None) => attack = first,
                Status::Chased(first, Some(second)) => {
                    if self.is_captured(board.clone(), first) {
                        return true;
                    }
                    attack = second;
                }
            }
        }
    }

    /// Whether a move of the defender saves the chain, which is in atari.
    fn is_saved(&mut self, mut board: Board, defense: Point) -> bool {
        match self.defend(&mut board, defense) {
            Status::Captured => false,
            Status::Escaped => true,
            Status::Chased(first, second) => {
                let attacks = [Some(first), second];
                !attacks.into_iter().flatten().any(|attack| self.is_captured(board.clone(), attack))
            }
        }
    }

    /// Makes a move of the defender and looks what the attacker can do.
    fn defend(&mut self, board: &mut Board, defense: Point) -> Status {
        if !self.may_go_on() {
            return Status::Escaped;
        }
        let ko = board.place(self.defender, defense).ko;
        match board.last_liberty(self.chain) {
            Some(liberty) if Some(liberty) == ko => Status::Escaped,
            Some(_) => Status::Captured,
            None => match self.attacks(board, ko) {
                [Some(first), second] => Status::Chased(first, second),
                [None, Some(only)] => Status::Chased(only, None),
                [None, None] => Status::Escaped,
            },
        }
    }

    /// The liberties of a chain with two where an attack is not hopeless from the outset.
    fn attacks(&self, board: &Board, ko: Option<Point>) -> [Option<Point>; 2] {
        let liberties: Vec<Point> = board.liberties(self.chain).iter().take(3).collect();
        let [a, b] = liberties[..] else { return [None; 2] };
        let attacker = self.defender.opponent();
        [(a, b), (b, a)].map(|(attack, extension)| {
            let hopeless = Some(attack) == ko
                || board.is_suicide(attacker, attack)
                || self.liberties_after(board, attack, extension) > 2;
            (!hopeless).then_some(attack)
        })
    }

    /// Liberties of the chain after an attack at one of its two liberties and an extension at the
    /// other, not counting what the extension captures: more than two mean escape.
    fn liberties_after(&self, board: &Board, attack: Point, extension: Point) -> usize {
        let mut liberties = PointSet::new();
        for neighbor in board.size().neighbors(extension) {
            match board.stone(neighbor) {
                None => {
                    liberties.insert(neighbor);
                }
                Some(color) if color == self.defender => {
                    for liberty in board.liberties(neighbor).iter() {
                        liberties.insert(liberty);
                    }
                }
                Some(_) => {}
            }
        }
        liberties.remove(attack);
        liberties.remove(extension);
        liberties.len()
    }

    /// What the defender can try for a chain in atari: captures first, then the extension.
    fn defenses(&self, board: &Board, liberty: Point, ko: Option<Point>) -> Vec<Point> {
        let mut moves = Vec::new();
        for stone in board.chain_stones(self.chain) {
            for neighbor in board.size().neighbors(stone) {
                let enemy = board.stone(neighbor) == Some(self.defender.opponent());
                let capture = if enemy { board.last_liberty(neighbor) } else { None };
                moves.extend(capture.filter(|point| !moves.contains(point) && Some(*point) != ko));
            }
        }
        let extends = !board.is_suicide(self.defender, liberty) && Some(liberty) != ko;
        if extends && !moves.contains(&liberty) {
            moves.push(liberty);
        }
        moves
    }

    /// Counts a move; whether it may still be made.
    fn may_go_on(&mut self) -> bool {
        let go_on = self.moves_left > 0;
        self.moves_left = self.moves_left.saturating_sub(1);
        go_on
    }
}

#[cfg(test)]
mod tests;
