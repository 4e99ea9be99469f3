//! The strategies that have a name.
//!
//! Numbers are those of Baier and Winands 2015 for 13x13 Go against GNU Go; the names that end in
//! `-19` have the paper's numbers for 19x19.

use super::parts::{
    Base, Basic, Behind, Close, Decided, Enhanced, ExpMoves, ExpSim, ExpStones, Factor, Fraction,
    KappaCm, KappaExp, KappaLm, KataGo, Kld, Learned, LeelaZero, Longer, Mid, Open, Pachi, Random,
    Reuse, RuleSpec, Stop, Unstable,
};

/// A strategy with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What gives a move its time.
    pub base: Base,
    /// What that is multiplied by.
    pub factors: &'static [Factor],
    /// What ends or prolongs searches.
    pub rules: &'static [RuleSpec],
}

const EXP_STONES: Base = Base::ExpStones(ExpStones {});
const ERICA: Base = Base::Enhanced(Enhanced { constant: 20.0, max_ply: 40.0 });
const ERICA_19: Base = Base::Enhanced(Enhanced { constant: 60.0, max_ply: 110.0 });
const ERICA_BEHIND: RuleSpec = RuleSpec::Behind(Behind { factor: 0.75, below: 0.6, loops: 1 });

/// All of them, the default first.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "tedomari",
        about: "The default: EXP-STONES and STOP, where the plan learns what the stopper saves.",
        base: EXP_STONES,
        factors: &[
            Factor::Learned(Learned { front: 2.5, start: 0.7, floor: 0.34, half_life: 5.5 }),
            Factor::Decided(Decided { above: 0.98, factor: 0.5 }),
            Factor::Longer(Longer { factor: 1.0 }),
        ],
        rules: &[RuleSpec::Stop(Stop { share: 0.4 }), RuleSpec::Reuse(Reuse { most: 0.5 })],
    },
    Preset {
        name: "EXP-MOVES",
        about: "The time left by the moves expected after so many moves (equation 1).",
        base: Base::ExpMoves(ExpMoves {}),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "EXP-SIM",
        about: "The time left by the moves expected after simulated games of such a length.",
        base: Base::ExpSim(ExpSim {}),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "EXP-STONES",
        about: "The time left by the moves expected with so many stones on the board.",
        base: EXP_STONES,
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "OPEN",
        about: "EXP-STONES times a constant: more time in the opening (equation 2).",
        base: EXP_STONES,
        factors: &[Factor::Open(Open { factor: 2.5 })],
        rules: &[],
    },
    Preset {
        name: "MID",
        about: "EXP-STONES times a bell curve over the move number (equations 3 and 4).",
        base: EXP_STONES,
        factors: &[Factor::Mid(Mid { height: 2.0, middle: 40.0, width: 20.0 })],
        rules: &[],
    },
    Preset {
        name: "KAPPA-EXP",
        about: "EXP-STONES by the criticality that is usual at this move (equation 6).",
        base: EXP_STONES,
        factors: &[Factor::KappaExp(KappaExp {
            slope: 8.33,
            intercept: -0.67,
            low: 0.5,
            high: 10.0,
        })],
        rules: &[],
    },
    Preset {
        name: "KAPPA-LM",
        about: "EXP-STONES by the criticality that the last own search found (equation 7).",
        base: EXP_STONES,
        factors: &[Factor::KappaLm(KappaLm {
            slope: 8.33,
            intercept: -0.67,
            low: 0.25,
            high: 10.0,
        })],
        rules: &[],
    },
    Preset {
        name: "BEHIND",
        about: "EXP-STONES, longer when behind.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Behind(Behind { factor: 0.5, below: 0.6, loops: 1 })],
    },
    Preset {
        name: "BEHIND-L",
        about: "EXP-STONES, longer as long as behind.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Behind(Behind { factor: 0.25, below: 0.6, loops: 2 })],
    },
    Preset {
        name: "UNST",
        about: "EXP-STONES, longer when the most visited move is not the one of the highest value.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Unstable(Unstable { factor: 1.5, loops: 1 })],
    },
    Preset {
        name: "UNST-L",
        about: "The same, asked again after the additional time.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Unstable(Unstable { factor: 0.75, loops: 2 })],
    },
    Preset {
        name: "CLOSE",
        about: "EXP-STONES, longer when the two most visited moves are close.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Close(Close { factor: 1.5, difference: 0.4, loops: 1 })],
    },
    Preset {
        name: "CLOSE-L",
        about: "The same, asked again after the additional time.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Close(Close { factor: 0.5, difference: 0.5, loops: 4 })],
    },
    Preset {
        name: "KAPPA-CM",
        about: "EXP-STONES by the criticality that the search itself finds in its first 100 ms (equation 8).",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::KappaCm(KappaCm {
            slope: 8.33,
            intercept: -1.33,
            low: 0.6,
            high: 10.0,
            collect_ms: 100,
        })],
    },
    Preset {
        name: "STOP",
        about: "EXP-STONES, planned longer and ended when the best move will hardly be overtaken (equation 9).",
        base: EXP_STONES,
        factors: &[Factor::Longer(Longer { factor: 2.5 })],
        rules: &[RuleSpec::Stop(Stop { share: 0.4 })],
    },
    Preset {
        name: "STOP_A",
        about: "EXP-STONES, ended when the best move cannot be overtaken.",
        base: EXP_STONES,
        factors: &[Factor::Longer(Longer { factor: 1.0 })],
        rules: &[RuleSpec::Stop(Stop { share: 1.0 })],
    },
    Preset {
        name: "STOP_B",
        about: "EXP-STONES, planned longer and ended when the best move cannot be overtaken.",
        base: EXP_STONES,
        factors: &[Factor::Longer(Longer { factor: 2.0 })],
        rules: &[RuleSpec::Stop(Stop { share: 1.0 })],
    },
    Preset {
        name: "STOP-19",
        about: "STOP with the paper's numbers for 19x19.",
        base: EXP_STONES,
        factors: &[Factor::Longer(Longer { factor: 2.2 })],
        rules: &[RuleSpec::Stop(Stop { share: 0.45 })],
    },
    Preset {
        name: "ERICA-BASIC",
        about: "The time left by a constant (equation 10).",
        base: Base::Basic(Basic { constant: 30.0 }),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "ERICA-ENHANCED",
        about: "The time left by a constant and the moves up to a number (equation 11).",
        base: ERICA,
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "ERICA-BASELINE",
        about: "The enhanced formula with UNST and BEHIND, as Erica had it.",
        base: ERICA,
        factors: &[],
        rules: &[RuleSpec::Unstable(Unstable { factor: 0.5, loops: 1 }), ERICA_BEHIND],
    },
    Preset {
        name: "ERICA-BASELINE-19",
        about: "ERICA-BASELINE with the paper's numbers for 19x19.",
        base: ERICA_19,
        factors: &[],
        rules: &[RuleSpec::Unstable(Unstable { factor: 1.0, loops: 1 }), ERICA_BEHIND],
    },
    Preset {
        name: "FRACTION",
        about: "A fixed share of the time left.",
        base: Base::Fraction(Fraction { fraction: 0.05 }),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "KATAGO",
        about: "The base formula of KataGo, for comparison.",
        base: Base::KataGo(KataGo {}),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "LEELA-ZERO",
        about: "The base formula of Leela Zero, for comparison.",
        base: Base::LeelaZero(LeelaZero {}),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "PACHI",
        about: "The base formula of Pachi, for comparison.",
        base: Base::Pachi(Pachi {}),
        factors: &[],
        rules: &[],
    },
    Preset {
        name: "RANDOM",
        about: "EXP-STONES, ended early by chance: what every stopper must beat.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Random(Random { chance: 0.75, share: 0.25 })],
    },
    Preset {
        name: "KLD",
        about: "EXP-STONES, ended when the visits stand still, as lc0 can do.",
        base: EXP_STONES,
        factors: &[],
        rules: &[RuleSpec::Kld(Kld { gain: 5e-6, interval: 100 })],
    },
];
