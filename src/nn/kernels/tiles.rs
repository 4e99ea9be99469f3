//! The one-dimensional transforms of the Winograd methods.
//!
//! With the letters of Lavin and Gray (2016), equation (8), one tile of outputs is
//! `Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A`. The matrices belong to the interpolation points 0, 1, -1
//! (m = 2), 0, 1, -1, 2 (m = 3) and 0, 1, -1, 2, -2 (m = 4), each with infinity.

use super::cpu::{Arithmetic, Lanes, ZERO, add, sub};

/// Transforms for tiles of `M` outputs, which need `N = M + 2` inputs.
pub(super) trait Tile<const N: usize, const M: usize> {
    /// The matrix G of the weights.
    const G: [[f64; 3]; N];

    /// `Bᵀ d`
    fn input<A: Arithmetic>(d: [Lanes; N]) -> [Lanes; N];

    /// `Aᵀ m`
    fn output<A: Arithmetic>(m: [Lanes; N]) -> [Lanes; M];

    /// `A y`, the transpose of [`output`](Self::output), for the gradient.
    fn output_transposed<A: Arithmetic>(y: [Lanes; M]) -> [Lanes; N];
}

/// F(2, 3)
pub(super) struct Tile2;

/// F(3, 3)
pub(super) struct Tile3;

/// F(4, 3)
pub(super) struct Tile4;

impl Tile<4, 2> for Tile2 {
    const G: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

    #[inline(always)]
    fn input<A: Arithmetic>([d0, d1, d2, d3]: [Lanes; 4]) -> [Lanes; 4] {
        [sub(d0, d2), add(d1, d2), sub(d2, d1), sub(d1, d3)]
    }

    #[inline(always)]
    fn output<A: Arithmetic>([m0, m1, m2, m3]: [Lanes; 4]) -> [Lanes; 2] {
        [add(m0, add(m1, m2)), sub(sub(m1, m2), m3)]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic>([y0, y1]: [Lanes; 2]) -> [Lanes; 4] {
        [y0, add(y0, y1), sub(y0, y1), sub(ZERO, y1)]
    }
}

impl Tile<5, 3> for Tile3 {
    const G: [[f64; 3]; 5] = [
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<A: Arithmetic>([d0, d1, d2, d3, d4]: [Lanes; 5]) -> [Lanes; 5] {
        let odd = sub(d3, d1);
        [
            A::scale_add(2.0, sub(d0, d2), odd),
            A::scale_add(-2.0, d1, sub(d3, d2)),
            A::scale_add(-3.0, d2, A::scale_add(2.0, d1, d3)),
            odd,
            A::scale_add(-2.0, odd, sub(d4, d2)),
        ]
    }

    #[inline(always)]
    fn output<A: Arithmetic>([m0, m1, m2, m3, m4]: [Lanes; 5]) -> [Lanes; 3] {
        let (sum, difference) = (add(m1, m2), sub(m1, m2));
        [
            add(add(m0, sum), m3),
            A::scale_add(2.0, m3, difference),
            A::scale_add(4.0, m3, add(sum, m4)),
        ]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic>([y0, y1, y2]: [Lanes; 3]) -> [Lanes; 5] {
        let even = add(y0, y2);
        let at_two = A::scale_add(4.0, y2, A::scale_add(2.0, y1, y0));
        [y0, add(even, y1), sub(even, y1), at_two, y2]
    }
}

impl Tile<6, 4> for Tile4 {
    const G: [[f64; 3]; 6] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<A: Arithmetic>([d0, d1, d2, d3, d4, d5]: [Lanes; 6]) -> [Lanes; 6] {
        let (even, odd) = (A::scale_add(-4.0, d2, d4), A::scale_add(-4.0, d1, d3));
        let (even_2, odd_2) = (sub(d4, d2), sub(d3, d1));
        [
            A::scale_add(4.0, d0, A::scale_add(-5.0, d2, d4)),
            add(even, odd),
            sub(even, odd),
            A::scale_add(2.0, odd_2, even_2),
            A::scale_add(-2.0, odd_2, even_2),
            A::scale_add(4.0, d1, A::scale_add(-5.0, d3, d5)),
        ]
    }

    #[inline(always)]
    fn output<A: Arithmetic>([m0, m1, m2, m3, m4, m5]: [Lanes; 6]) -> [Lanes; 4] {
        let (sum, difference) = (add(m1, m2), sub(m1, m2));
        let (sum_2, difference_2) = (add(m3, m4), sub(m3, m4));
        [
            add(add(m0, sum), sum_2),
            A::scale_add(2.0, difference_2, difference),
            A::scale_add(4.0, sum_2, sum),
            A::scale_add(8.0, difference_2, add(difference, m5)),
        ]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic>([y0, y1, y2, y3]: [Lanes; 4]) -> [Lanes; 6] {
        let (even, odd) = (add(y0, y2), add(y1, y3));
        let (even_2, odd_2) = (A::scale_add(4.0, y2, y0), A::scale_add(4.0, y3, y1));
        [
            y0,
            add(even, odd),
            sub(even, odd),
            A::scale_add(2.0, odd_2, even_2),
            A::scale_add(-2.0, odd_2, even_2),
            y3,
        ]
    }
}
