//! A node: what descents read of it and add to it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    BLOCK, BlockId, CLAIMED, CLOSED, COUNTS, Counts, DISTANCE, EDGE, Edge, FIXED_POINT, Glance,
    IN_FLIGHT, MOVES, Node, ON_DEMAND, PROOF, Plain, REST, SCORE_POINT, SCORES, SEEN, SENSIBLE,
    SQUARES, Stage, VALUES,
};
use crate::eval::Value;
use crate::game::Move;
use crate::search::report::Proof;

impl<'a> Node<'a> {
    /// What the words of a child say; they lie side by side in a segment.
    #[inline]
    pub(in crate::search) fn counts(self) -> Counts {
        Counts::from_bits(self.words[COUNTS].load(Ordering::Relaxed))
    }

    /// What a selection needs of most children.
    #[inline]
    pub(in crate::search) fn glance(self) -> Glance {
        let edge = self.words[EDGE].load(Ordering::Relaxed);
        Glance {
            prior: Edge::from_bits(edge).prior,
            counts: self.counts(),
            value_sum: self.value_sum(),
            proof: edge & PROOF != 0,
        }
    }

    /// Sum of the values for the side to move here.
    #[inline]
    pub(in crate::search) fn value_sum(self) -> f64 {
        self.fixed_sum() as f64 * (1.0 / f64::from(FIXED_POINT))
    }

    /// The sum as it is kept.
    pub(in crate::search) fn fixed_sum(self) -> i64 {
        self.words[VALUES].load(Ordering::Relaxed).cast_signed()
    }

    /// Mean value for the side to move here; a draw as long as nothing is known.
    #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
    pub(in crate::search) fn value(self) -> Value {
        match self.counts().visits {
            0 => Value::DRAW,
            visits => Value::new((self.value_sum() / f64::from(visits)) as f32),
        }
    }

    /// Standard deviation of the values.
    #[expect(clippy::cast_possible_truncation, reason = "a value needs no more digits")]
    pub(in crate::search) fn deviation(self) -> f32 {
        let visits = f64::from(self.counts().visits.max(1));
        let mean = self.value_sum() / visits;
        (self.square_sum() / visits - mean * mean).max(0.0).sqrt() as f32
    }

    /// Sum of the squares of the values.
    pub(in crate::search) fn square_sum(self) -> f64 {
        self.rest()[SQUARES].load(Ordering::Relaxed) as f64 / f64::from(FIXED_POINT)
    }

    /// Mean score for the side to move here.
    #[expect(clippy::cast_possible_truncation, reason = "a score needs no more digits")]
    pub(in crate::search) fn score(self) -> f32 {
        let sum = self.rest()[SCORES].load(Ordering::Relaxed).cast_signed() as f64;
        (sum / f64::from(SCORE_POINT) / f64::from(self.counts().visits.max(1))) as f32
    }

    /// The move that leads here.
    pub(in crate::search) fn mv(self) -> Move {
        self.edge().mv
    }

    /// The move that leads here with its prior.
    #[inline]
    pub(in crate::search) fn edge(self) -> Edge {
        Edge::from_bits(self.words[EDGE].load(Ordering::Relaxed))
    }

    /// What is proven for the side to move here.
    #[inline]
    pub(in crate::search) fn proof(self) -> Option<Proof> {
        match self.words[EDGE].load(Ordering::Relaxed) & PROOF {
            1 => Some(Proof::Win),
            2 => Some(Proof::Draw),
            3 => Some(Proof::Loss),
            _ => None,
        }
    }

    /// Writes down what is proven; a proof is never taken back.
    pub(in crate::search) fn prove(self, proof: Proof) {
        let bits = match proof {
            Proof::Win => 1,
            Proof::Draw => 2,
            Proof::Loss => 3,
        };
        self.words[EDGE].fetch_or(bits, Ordering::Relaxed);
    }

    #[inline]
    pub(in crate::search) fn stage(self) -> Stage {
        let moves = self.words[MOVES].load(Ordering::Acquire);
        match (moves & BLOCK) as u32 {
            0 if moves & CLOSED != 0 => Stage::Closed,
            0 if moves & CLAIMED != 0 => Stage::Claimed,
            0 if moves & SENSIBLE != 0 => Stage::Seen(Plain::Sensible),
            0 if moves & ON_DEMAND != 0 => Stage::Seen(Plain::OnDemand),
            0 if moves & SEEN != 0 => Stage::Seen(Plain::Uniform),
            0 => Stage::New,
            block => Stage::Open(BlockId::new(block)),
        }
    }

    /// Claims a new node for its first evaluation; false if somebody else has.
    pub(in crate::search) fn claim(self) -> bool {
        let word = &self.words[MOVES];
        word.compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Claims a node that was seen, to write its moves down; false if somebody else has.
    pub(in crate::search) fn claim_seen(self, plain: Plain) -> bool {
        let word = &self.words[MOVES];
        word.compare_exchange(plain.bits(), CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Ends a claim: the node was evaluated, and its moves are written down when it is visited again.
    pub(in crate::search) fn see(self, plain: Plain) {
        self.words[MOVES].store(plain.bits(), Ordering::Release);
    }

    /// Says that the node never gets moves.
    pub(in crate::search) fn close(self) {
        self.words[MOVES].store(CLOSED, Ordering::Release);
    }

    /// Gives a claim back.
    pub(in crate::search) fn unclaim(self) {
        self.words[MOVES].store(0, Ordering::Release);
    }

    /// Counts a descent that passes; returns what was counted before.
    #[inline]
    pub(in crate::search) fn enter(self) -> Counts {
        Counts::from_bits(self.words[COUNTS].fetch_add(IN_FLIGHT, Ordering::Relaxed))
    }

    /// Takes back a descent that led nowhere.
    pub(in crate::search) fn leave(self) {
        self.words[COUNTS].fetch_sub(IN_FLIGHT, Ordering::Relaxed);
    }

    /// Counts a descent that comes back, with its value and score for the side to move here; `marked`
    /// says whether it has [entered](Self::enter).
    #[inline]
    pub(in crate::search) fn record(self, value: Value, score: f32, marked: bool) {
        let add = |word: &AtomicU64, part: f32, unit: f32| {
            let fixed = rounded(part, unit);
            if fixed != 0 {
                word.fetch_add(fixed.cast_unsigned(), Ordering::Relaxed);
            }
        };
        let rest = self.rest();
        add(&self.words[VALUES], value.get(), FIXED_POINT);
        add(&rest[SQUARES], value.get() * value.get(), FIXED_POINT);
        add(&rest[SCORES], score, SCORE_POINT);
        let mark = if marked { IN_FLIGHT } else { 0 };
        self.words[COUNTS].fetch_add(1u64.wrapping_sub(mark), Ordering::Relaxed);
    }

    /// A value as [`record`](Self::record) adds it to the sum.
    pub(in crate::search) fn fixed(value: Value) -> i64 {
        rounded(value.get(), FIXED_POINT)
    }

    /// The words that are seldom looked at.
    #[inline]
    fn rest(self) -> &'a [AtomicU64] {
        let distance = self.words[EDGE].load(Ordering::Relaxed) & DISTANCE;
        self.tree.words.slice(self.id.0 + (distance as u32 >> 2), REST)
    }

    /// Takes over everything but the moves.
    pub(super) fn copy_from(self, other: Node<'_>) {
        let copy = |to: &AtomicU64, from: &AtomicU64, mask: u64| {
            let kept = to.load(Ordering::Relaxed) & !mask;
            to.store(kept | from.load(Ordering::Relaxed) & mask, Ordering::Relaxed);
        };
        copy(&self.words[COUNTS], &other.words[COUNTS], u64::MAX);
        copy(&self.words[VALUES], &other.words[VALUES], u64::MAX);
        copy(&self.words[EDGE], &other.words[EDGE], !DISTANCE);
        copy(&self.rest()[SQUARES], &other.rest()[SQUARES], u64::MAX);
        copy(&self.rest()[SCORES], &other.rest()[SCORES], u64::MAX);
        match other.stage() {
            Stage::Closed => self.close(),
            Stage::Seen(plain) => self.see(plain),
            Stage::New | Stage::Claimed | Stage::Open(_) => {}
        }
    }
}

/// A number in so many parts of a unit, half a part away from zero: what `round` computes, which is
/// the call of a function on most processors.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "values and scores are small")]
fn rounded(number: f32, unit: f32) -> i64 {
    let parts = f64::from(number * unit);
    (parts + 0.5f64.copysign(parts)) as i64
}
