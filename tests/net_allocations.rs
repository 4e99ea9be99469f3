//! An evaluation allocates nothing once its workspace is warm: features, network and all heads.

#![allow(unsafe_code, reason = "an allocator that counts is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use tedomari::game::{BoardSize, Color, Komi, Move, Position, Rules, Symmetry};
use tedomari::nn::features::encode;
use tedomari::nn::{CpuNet, NetShape, random_weights};
use tedomari::util::Seed;

/// Counts every allocation of the process; this file holds one test, so that nobody else counts.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn an_evaluation_allocates_nothing() {
    for (side, batch) in [(9, 1), (9, 8), (13, 3), (19, 8)] {
        let size = BoardSize::square(side).expect("a legal size");
        let mut position = Position::new(size, Rules::CGOS, Komi::default());
        for vertex in ["C3", "D4", "E5"] {
            let point = size.parse_point(vertex).expect("a point of the board");
            position.play(position.to_move(), Move::Place(point)).expect("a legal move");
        }
        position.set_to_move(Color::Black);
        let shape = NetShape::new(3, 48);
        let net = CpuNet::new(&shape, &random_weights(&shape, Seed::new(1)), size);
        let mut work = net.workspace(batch);
        let mut evaluate = || {
            for index in 0..batch {
                let (planes, stride, globals) = work.input(index);
                encode(&position, Symmetry::IDENTITY, planes, stride, globals);
            }
            net.run(&mut work, batch);
            work.output(0).scalars()[0]
        };
        let warm = evaluate();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..10 {
            assert!((evaluate() - warm).abs() < f32::EPSILON);
        }
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocated, 0, "{side}x{side}, batch {batch}");
    }
}
