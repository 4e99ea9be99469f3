//! The one-dimensional transforms of the Winograd methods.
//!
//! With the letters of Lavin and Gray (2016), equation (8), one tile of outputs is
//! `Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A`. The matrices belong to the interpolation points 0, 1, -1
//! (m = 2), 0, 1, -1, 2 (m = 3) and 0, 1, -1, 2, -2 (m = 4), each with infinity.

use super::cpu::Arithmetic;

/// Transforms for tiles of `M` outputs, which need `N = M + 2` inputs.
pub(super) trait Tile<const N: usize, const M: usize> {
    /// The matrix G of the weights.
    const G: [[f64; 3]; N];

    /// `Bᵀ d`
    fn input<A: Arithmetic, const W: usize>(d: [[f32; W]; N]) -> [[f32; W]; N];

    /// `Aᵀ m`
    fn output<A: Arithmetic, const W: usize>(m: [[f32; W]; N]) -> [[f32; W]; M];

    /// `A y`, the transpose of [`output`](Self::output), for the gradient.
    fn output_transposed<A: Arithmetic, const W: usize>(y: [[f32; W]; M]) -> [[f32; W]; N];
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
    fn input<A: Arithmetic, const W: usize>([d0, d1, d2, d3]: [[f32; W]; 4]) -> [[f32; W]; 4] {
        [A::sub(d0, d2), A::add(d1, d2), A::sub(d2, d1), A::sub(d1, d3)]
    }

    #[inline(always)]
    fn output<A: Arithmetic, const W: usize>([m0, m1, m2, m3]: [[f32; W]; 4]) -> [[f32; W]; 2] {
        [A::add(m0, A::add(m1, m2)), A::sub(A::sub(m1, m2), m3)]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic, const W: usize>([y0, y1]: [[f32; W]; 2]) -> [[f32; W]; 4] {
        [y0, A::add(y0, y1), A::sub(y0, y1), A::sub([0.0; W], y1)]
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
    fn input<A: Arithmetic, const W: usize>([d0, d1, d2, d3, d4]: [[f32; W]; 5]) -> [[f32; W]; 5] {
        let odd = A::sub(d3, d1);
        [
            A::scale_add(2.0, A::sub(d0, d2), odd),
            A::scale_add(-2.0, d1, A::sub(d3, d2)),
            A::scale_add(-3.0, d2, A::scale_add(2.0, d1, d3)),
            odd,
            A::scale_add(-2.0, odd, A::sub(d4, d2)),
        ]
    }

    #[inline(always)]
    fn output<A: Arithmetic, const W: usize>([m0, m1, m2, m3, m4]: [[f32; W]; 5]) -> [[f32; W]; 3] {
        let (sum, difference) = (A::add(m1, m2), A::sub(m1, m2));
        [
            A::add(A::add(m0, sum), m3),
            A::scale_add(2.0, m3, difference),
            A::scale_add(4.0, m3, A::add(sum, m4)),
        ]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic, const W: usize>(
        [y0, y1, y2]: [[f32; W]; 3],
    ) -> [[f32; W]; 5] {
        let even = A::add(y0, y2);
        let at_two = A::scale_add(4.0, y2, A::scale_add(2.0, y1, y0));
        [y0, A::add(even, y1), A::sub(even, y1), at_two, y2]
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
    fn input<A: Arithmetic, const W: usize>(
        [d0, d1, d2, d3, d4, d5]: [[f32; W]; 6],
    ) -> [[f32; W]; 6] {
        let (even, odd) = (A::scale_add(-4.0, d2, d4), A::scale_add(-4.0, d1, d3));
        let (even_2, odd_2) = (A::sub(d4, d2), A::sub(d3, d1));
        [
            A::scale_add(4.0, d0, A::scale_add(-5.0, d2, d4)),
            A::add(even, odd),
            A::sub(even, odd),
            A::scale_add(2.0, odd_2, even_2),
            A::scale_add(-2.0, odd_2, even_2),
            A::scale_add(4.0, d1, A::scale_add(-5.0, d3, d5)),
        ]
    }

    #[inline(always)]
    fn output<A: Arithmetic, const W: usize>(
        [m0, m1, m2, m3, m4, m5]: [[f32; W]; 6],
    ) -> [[f32; W]; 4] {
        let (sum, difference) = (A::add(m1, m2), A::sub(m1, m2));
        let (sum_2, difference_2) = (A::add(m3, m4), A::sub(m3, m4));
        [
            A::add(A::add(m0, sum), sum_2),
            A::scale_add(2.0, difference_2, difference),
            A::scale_add(4.0, sum_2, sum),
            A::scale_add(8.0, difference_2, A::add(difference, m5)),
        ]
    }

    #[inline(always)]
    fn output_transposed<A: Arithmetic, const W: usize>(
        [y0, y1, y2, y3]: [[f32; W]; 4],
    ) -> [[f32; W]; 6] {
        let (even, odd) = (A::add(y0, y2), A::add(y1, y3));
        let (even_2, odd_2) = (A::scale_add(4.0, y2, y0), A::scale_add(4.0, y3, y1));
        [
            y0,
            A::add(even, odd),
            A::sub(even, odd),
            A::scale_add(2.0, odd_2, even_2),
            A::scale_add(-2.0, odd_2, even_2),
            y3,
        ]
    }
}
