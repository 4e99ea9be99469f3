//! Ladders as KataGo reads them for its features: a chain is caught if the opponent can capture it
//! by a sequence of ataris, whoever is to move.
//!
//! This is not [`game::ladder`](crate::game::ladder), which is asked what to play. What a network
//! was trained with it must see again, also where the two differ: here a capture that the ko rule
//! delays counts as a capture at once, an attack that leaves a ko counts as failed, and two kos
//! at the last two liberties count as death.

use crate::game::{Board, Color, Point, PointSet};

/// Moves that are tried for one chain, before it is taken to escape.
const MAX_MOVES: u32 = 25_000;

/// A chain that can be caught.
pub(super) struct Caught {
    /// One of its stones.
    pub(super) stone: Point,
    /// Moves of the opponent that catch it; none for a chain that is in atari already.
    pub(super) attacks: [Option<Point>; 2],
}

/// All chains with one or two liberties that can be caught. `ko` is the point that the ko rule
/// forbids on this board.
pub(super) fn caught_chains(board: &Board, ko: Option<Point>) -> Vec<Caught> {
    let heads = board.size().points().filter(|&p| !board.is_empty(p) && board.chain_head(p) == p);
    heads.filter_map(|head| caught(board, head, ko)).collect()
}

fn caught(board: &Board, stone: Point, ko: Option<Point>) -> Option<Caught> {
    let defender = board.stone(stone)?;
    let attacker = defender.opponent();
    let mut reader = Reader { defender, chain: stone, moves_left: MAX_MOVES };
    match reader.liberties(board) {
        Liberties::One(_) => {
            let is_caught = reader.is_caught(board.clone(), None);
            is_caught.then_some(Caught { stone, attacks: [None; 2] })
        }
        Liberties::Two(a, b) => {
            let attacks = [a, b].map(|attack| {
                reader.moves_left = MAX_MOVES;
                let mut after = board.clone();
                // That the first attack leaves a ko does not matter.
                reader.may_attack(board, attack, ko).then(|| after.place(attacker, attack))?;
                reader.is_caught(after, None).then_some(attack)
            });
            attacks.iter().any(Option::is_some).then_some(Caught { stone, attacks })
        }
        Liberties::More => None,
    }
}

/// The liberties of a chain, as far as they matter.
enum Liberties {
    One(Point),
    Two(Point, Point),
    More,
}

/// Reads the ladder of one chain.
struct Reader {
    defender: Color,
    /// A stone of the chain.
    chain: Point,
    moves_left: u32,
}

impl Reader {
    /// Whether the chain is caught with the defender to move. The last move that a side can try is
    /// played on the same board, so that recursion goes no deeper than there are choices.
    fn is_caught(&mut self, mut board: Board, mut ko: Option<Point>) -> bool {
        loop {
            let Liberties::One(liberty) = self.liberties(&board) else { return false };
            if ko.is_some() {
                return false;
            }
            let mut defenses = self.defenses(&board, liberty);
            let Some(last) = defenses.pop() else { return true };
            for defense in defenses {
                let mut after = board.clone();
                let ko = after.place(self.defender, defense).ko;
                if !self.is_caught_next(&after, ko) {
                    return false;
                }
            }
            let after = board.place(self.defender, last).ko;
            let (first, last) = match self.attack(&board, after) {
                Attack::Caught => return true,
                Attack::Failed => return false,
                Attack::Moves(first, last) => (first, last),
            };
            if first.is_some_and(|attack| self.catches(board.clone(), attack)) {
                return true;
            }
            if !self.may_go_on() {
                return false;
            }
            ko = board.place(self.defender.opponent(), last).ko;
        }
    }

    /// Whether the chain is caught with the attacker to move.
    fn is_caught_next(&mut self, board: &Board, ko: Option<Point>) -> bool {
        match self.attack(board, ko) {
            Attack::Caught => true,
            Attack::Failed => false,
            Attack::Moves(first, last) => {
                first.is_some_and(|attack| self.catches(board.clone(), attack))
                    || self.catches(board.clone(), last)
            }
        }
    }

    /// Whether an attack catches the chain.
    fn catches(&mut self, mut board: Board, attack: Point) -> bool {
        let go_on = self.may_go_on();
        let ko = board.place(self.defender.opponent(), attack).ko;
        go_on && self.is_caught(board, ko)
    }

    /// What the attacker, to move, can do.
    fn attack(&self, board: &Board, ko: Option<Point>) -> Attack {
        let (a, b) = match self.liberties(board) {
            Liberties::One(_) => return Attack::Caught,
            Liberties::More => return Attack::Failed,
            Liberties::Two(a, b) => (a, b),
        };
        let around = |point| board.size().neighbors(point).filter(|&p| board.is_empty(p)).count();
        let (free_a, free_b) = (around(a), around(b));
        if free_a == 0 && free_b == 0 && self.is_double_ko(board, a, b) {
            return Attack::Caught;
        }
        // On the side that is left open the defender must not get three liberties.
        let apart = !board.size().neighbors(a).any(|p| p == b);
        let is_open =
            |attack, other| self.may_attack(board, attack, ko) && !(apart && around(other) >= 3);
        let (first, last) = if free_b > free_a { (b, a) } else { (a, b) };
        match (is_open(first, last), is_open(last, first)) {
            (true, true) => Attack::Moves(Some(first), last),
            (true, false) => Attack::Moves(None, first),
            (false, true) => Attack::Moves(None, last),
            (false, false) => Attack::Failed,
        }
    }

    fn may_attack(&self, board: &Board, attack: Point, ko: Option<Point>) -> bool {
        ko != Some(attack) && !board.is_suicide(self.defender.opponent(), attack)
    }

    /// Whether both liberties are mouths of kos, connecting gains nothing, and nothing around is in
    /// atari: no number of threats that ends saves the chain.
    fn is_double_ko(&self, board: &Board, a: Point, b: Point) -> bool {
        let attacker = self.defender.opponent();
        let is_ko = |point| {
            let mut captured = None;
            for neighbor in board.size().neighbors(point) {
                match board.stone(neighbor) {
                    Some(color) if color == attacker => return false,
                    Some(_) if board.in_atari(neighbor) => {
                        if captured.is_some() || board.chain_size(neighbor) > 1 {
                            return false;
                        }
                        captured = Some(neighbor);
                    }
                    _ => {}
                }
            }
            captured.is_some()
        };
        let gains = |point| {
            let mut after = board.clone();
            after.place(self.defender, point);
            after.liberties(point).len() > 2
        };
        is_ko(a) && is_ko(b) && !gains(a) && !gains(b) && self.captures(board).is_empty()
    }

    /// What the defender can try: captures, and the extension last.
    fn defenses(&self, board: &Board, liberty: Point) -> Vec<Point> {
        let mut moves = self.captures(board);
        if !moves.contains(&liberty) {
            moves.push(liberty);
        }
        moves.retain(|&point| !board.is_suicide(self.defender, point));
        moves
    }

    /// Moves that capture a chain beside the one that is chased.
    fn captures(&self, board: &Board) -> Vec<Point> {
        let mut moves = Vec::new();
        for stone in board.chain_stones(self.chain) {
            for neighbor in board.size().neighbors(stone) {
                if board.stone(neighbor) == Some(self.defender.opponent())
                    && let Some(capture) = board.last_liberty(neighbor)
                    && !moves.contains(&capture)
                {
                    moves.push(capture);
                }
            }
        }
        moves
    }

    fn liberties(&self, board: &Board) -> Liberties {
        if let Some(liberty) = board.last_liberty(self.chain) {
            return Liberties::One(liberty);
        }
        let mut found: Option<(Point, Option<Point>)> = None;
        for stone in board.chain_stones(self.chain) {
            for point in board.size().neighbors(stone).filter(|&p| board.is_empty(p)) {
                found = match found {
                    None => Some((point, None)),
                    Some((a, None)) if a != point => Some((a, Some(point))),
                    Some((a, Some(b))) if a != point && b != point => return Liberties::More,
                    other => other,
                };
            }
        }
        match found {
            Some((a, Some(b))) => Liberties::Two(a, b),
            _ => Liberties::More,
        }
    }

    /// Counts a move; whether it may still be made.
    fn may_go_on(&mut self) -> bool {
        let go_on = self.moves_left > 0;
        self.moves_left = self.moves_left.saturating_sub(1);
        go_on
    }
}

/// What an attacker can do about a chain.
enum Attack {
    Caught,
    Failed,
    /// One or two moves, the better one first.
    Moves(Option<Point>, Point),
}

/// The points of chains, for drawing them.
pub(super) fn stones_of(board: &Board, chains: &[Caught]) -> PointSet {
    chains.iter().flat_map(|caught| board.chain_stones(caught.stone)).collect()
}
