//! Exact reading of a chain with few open points around it.
//!
//! Both players may move on the points of a small zone or pass, and two passes end it. No board may repeat,
//! and there are no threats elsewhere: a ko goes to who takes it first, and a bent four in the corner is
//! dead. Chains that reach beyond the zone cannot be captured, and a large capture decides. Nobody takes his own stones off the board, and
//! cycles of boards that are longer than a ko may be read wrongly: an answer is remembered for every way to
//! its board.

use std::collections::{HashMap, VecDeque};

use crate::game::{Board, Color, Point, PointSet, Suicide, benson, owners};

/// Empty points of a zone at the most.
const MAX_OPEN: usize = 8;

/// Boards that are looked at for one judgement, after which there are no more answers.
pub(super) const MAX_NODES: usize = 20_000;

/// Boards that are looked at for one chain.
const CHAIN_NODES: usize = 5_000;

/// Stones that leave so much room when they are captured that who captured them lives there.
const ROOMY: u16 = 7;

/// How sure it is that a chain stays on the board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strength {
    /// It need not be read.
    Safe,
    /// It has few liberties, but playouts find it safe.
    Likely,
    /// It is in doubt.
    Weak,
}

/// Who has the chain on `head` in the end: its own colour where the opponent cannot get it even by moving
/// first, the opponent where he gets it even when its owner does. None where it depends on who moves first,
/// and where the zone is too large. `strength` tells of the heads of other chains how strong they are.
pub(super) fn owner(
    board: &Board,
    head: Point,
    (suicide, nodes): (Suicide, &mut usize),
    strength: &dyn Fn(Point) -> Strength,
) -> Option<Color> {
    let color = board.stone(head)?;
    let zone = zone(board, head, strength)?;
    let attacker = color.opponent();
    let mut gets = |first| {
        let mut reader = Reader {
            zone: &zone,
            target: head,
            attacker,
            suicide,
            roomy: board.chain_size(head) >= usize::from(ROOMY),
            known: HashMap::new(),
            path: vec![board.hash()],
            repeats: usize::MAX,
            nodes: CHAIN_NODES.min(*nodes),
        };
        let before = reader.nodes;
        let gets = reader.attacker_gets(board, first, Last::default());
        *nodes -= before - reader.nodes;
        gets
    };
    if gets(attacker)? { gets(color)?.then_some(attacker) } else { Some(color) }
}

/// The points around a chain on which its fate is decided: open ones that it reaches, and the chains beside
/// them that are not safe with what these reach. None if there are too many. Likely chains count beside weak
/// ones only, come last, and are left out where there would be too many points with them.
fn zone(board: &Board, head: Point, strength: &dyn Fn(Point) -> Strength) -> Option<Vec<Point>> {
    let (mut open, mut stones) = (PointSet::new(), PointSet::new());
    let (mut seen, mut weak, mut likely) = (vec![head], VecDeque::from([head]), VecDeque::new());
    while let Some((chain, is_likely)) =
        weak.pop_front().map(|c| (c, false)).or_else(|| likely.pop_front().map(|c| (c, true)))
    {
        let Some((reached, beside)) = reach(board, chain, open) else {
            if is_likely {
                continue;
            }
            return None;
        };
        open = reached;
        stones.extend(board.chain_stones(chain));
        for other in beside {
            if seen.contains(&other) {
                continue;
            }
            seen.push(other);
            match strength(other) {
                Strength::Weak => weak.push_back(other),
                Strength::Likely if !is_likely => likely.push_back(other),
                Strength::Likely | Strength::Safe => {}
            }
        }
    }
    Some(open.iter().chain(stones.iter()).collect())
}

/// `open` with the points that a chain reaches over empty ones, and the chains beside; none if there are too
/// many.
fn reach(board: &Board, chain: Point, mut open: PointSet) -> Option<(PointSet, Vec<Point>)> {
    let (mut reached, mut beside) = (board.chain_stones(chain).collect::<Vec<_>>(), Vec::new());
    let mut next = 0;
    while let Some(&point) = reached.get(next) {
        next += 1;
        for neighbor in board.size().neighbors(point) {
            if !board.is_empty(neighbor) {
                beside.push(board.chain_head(neighbor));
            } else if open.insert(neighbor) {
                reached.push(neighbor);
            }
        }
        if open.len() > MAX_OPEN {
            return None;
        }
    }
    Some((open, beside))
}

/// What the last moves leave behind beside the stones.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Last {
    passes: u8,
    /// Where a ko cannot be retaken at once.
    ko: Option<Point>,
}

/// Reads who gets a point.
struct Reader<'a> {
    zone: &'a [Point],
    target: Point,
    attacker: Color,
    suicide: Suicide,
    /// Whether the chain is so large that its capture decides.
    roomy: bool,
    known: HashMap<(u64, Color, Last), bool>,
    /// The boards on the way here, none of which may come again.
    path: Vec<u64>,
    /// The first board on the way that a move was forbidden for, since the board that is looked at.
    repeats: usize,
    /// Boards that may still be looked at.
    nodes: usize,
}

impl Reader<'_> {
    /// Whether the attacker owns the target in the end; none if that takes too long to find out.
    fn attacker_gets(&mut self, board: &Board, to_move: Color, last: Last) -> Option<bool> {
        if last.passes == 2 {
            return Some(self.is_owned(board));
        }
        if self.roomy && board.stone(self.target) != Some(self.attacker.opponent()) {
            return Some(true);
        }
        let key = (board.hash(), to_move, last);
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        self.nodes = self.nodes.checked_sub(1)?;
        if to_move == self.attacker && last.passes == 0 && self.is_safe(board) {
            self.known.insert(key, false);
            return Some(false);
        }
        let depth = self.path.len() - 1;
        let outer = std::mem::replace(&mut self.repeats, usize::MAX);
        let wanted = to_move == self.attacker;
        let mut answer = !wanted;
        for mv in self.moves(board, to_move) {
            let gets = if let Some(point) = mv {
                let mut after = board.clone();
                let placed = after.place(to_move, point);
                if placed.captured >= ROOMY && self.lives_by(board, &after) {
                    Some(false)
                } else {
                    self.path.push(after.hash());
                    let last = Last { passes: 0, ko: placed.ko };
                    let gets = self.attacker_gets(&after, to_move.opponent(), last);
                    self.path.pop();
                    gets
                }?
            } else {
                let last = Last { passes: last.passes + 1, ko: None };
                self.attacker_gets(board, to_move.opponent(), last)?
            };
            if gets == wanted {
                answer = wanted;
                break;
            }
        }
        // An answer that rests on a board before this one holds for this way alone.
        if self.repeats >= depth {
            self.known.insert(key, answer);
        }
        self.repeats = self.repeats.min(outer);
        Some(answer)
    }

    /// Captures first, then a pass of who may be content, then everything else.
    fn moves(&mut self, board: &Board, color: Color) -> Vec<Option<Point>> {
        let (mut captures, mut others) = (Vec::new(), Vec::new());
        for &point in self.zone {
            if !board.is_empty(point) || board.is_suicide(color, point) {
                continue;
            }
            let after = board.hash_after(color, point);
            if let Some(index) = self.path.iter().position(|&hash| hash == after) {
                self.repeats = self.repeats.min(index);
            } else if board.captures(color, point) {
                captures.push(point);
            } else {
                others.push(point);
            }
        }
        let mut moves: Vec<_> = captures.into_iter().map(Some).collect();
        let content = (color == self.attacker) == self.is_owned(board);
        if content {
            moves.push(None);
        }
        moves.extend(others.into_iter().map(Some));
        if !content {
            moves.push(None);
        }
        moves
    }

    /// Whether the chain lives without another move.
    fn is_safe(&self, board: &Board) -> bool {
        let defender = self.attacker.opponent();
        board.stone(self.target) == Some(defender)
            && benson::pass_alive(board, defender, self.suicide).stones.contains(self.target)
    }

    /// Whether a capture of many stones beside the target has given it room to live in.
    fn lives_by(&self, before: &Board, after: &Board) -> bool {
        let is_gone = |p: Point| before.stone(p) == Some(self.attacker) && after.is_empty(p);
        let mut stones = before.chain_stones(self.target);
        before.stone(self.target) == Some(self.attacker.opponent())
            && stones.any(|stone| before.size().neighbors(stone).any(is_gone))
    }

    fn is_owned(&self, board: &Board) -> bool {
        let owner =
            board.stone(self.target).or_else(|| owners(board, &PointSet::new()).owner(self.target));
        owner == Some(self.attacker)
    }
}
