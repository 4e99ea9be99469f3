//! The strategies that have a name.
//!
//! Numbers are those of Baier and Winands 2015 for 13x13 Go against GNU Go; the names that end in
//! `-19` have the paper's numbers for 19x19.

use super::strategy::Kind;

/// A strategy with a name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Its parts with their numbers.
    pub parts: &'static [(Kind, &'static [(&'static str, f64)])],
}

type Numbers = &'static [(&'static str, f64)];
type PartOf = (Kind, Numbers);

const EXP_STONES: PartOf = (Kind::ExpStones, &[]);
const ERICA: PartOf = (Kind::Enhanced, &[("C", 20.0), ("MaxPly", 40.0)]);
const ERICA_19: PartOf = (Kind::Enhanced, &[("C", 60.0), ("MaxPly", 110.0)]);
const ERICA_BEHIND: PartOf =
    (Kind::Behind, &[("f_behind", 0.75), ("v_behind", 0.6), ("l_behind", 1.0)]);

const fn preset(name: &'static str, about: &'static str, parts: &'static [PartOf]) -> Preset {
    Preset { name, about, parts }
}

/// All of them, the default first.
pub const PRESETS: &[Preset] = &[
    preset(
        "tedomari",
        "The default: EXP-STONES and STOP, where the plan learns what the stopper saves.",
        &[
            EXP_STONES,
            (Kind::Learned, &[("front", 2.5), ("start", 0.7), ("floor", 0.34), ("half_life", 5.5)]),
            (Kind::Decided, &[("decided_above", 0.98), ("f_decided", 0.5)]),
            (Kind::Stop, &[("f_earlystop", 1.0), ("p_earlystop", 0.4)]),
            (Kind::Reuse, &[("reuse", 0.5)]),
        ],
    ),
    preset(
        "EXP-MOVES",
        "The time left by the moves expected after so many moves (equation 1).",
        &[(Kind::ExpMoves, &[])],
    ),
    preset(
        "EXP-SIM",
        "The time left by the moves expected after simulated games of such a length.",
        &[(Kind::ExpSim, &[])],
    ),
    preset(
        "EXP-STONES",
        "The time left by the moves expected with so many stones on the board.",
        &[EXP_STONES],
    ),
    preset(
        "OPEN",
        "EXP-STONES times a constant: more time in the opening (equation 2).",
        &[EXP_STONES, (Kind::Open, &[("f_opening", 2.5)])],
    ),
    preset(
        "MID",
        "EXP-STONES times a bell curve over the move number (equations 3 and 4).",
        &[EXP_STONES, (Kind::Mid, &[("a", 2.0), ("b", 40.0), ("c", 20.0)])],
    ),
    preset(
        "KAPPA-EXP",
        "EXP-STONES by the criticality that is usual at this move (equation 6).",
        &[
            EXP_STONES,
            (
                Kind::KappaExp,
                &[("s_kappa", 8.33), ("i_kappa", -0.67), ("low", 0.5), ("high", 10.0)],
            ),
        ],
    ),
    preset(
        "KAPPA-LM",
        "EXP-STONES by the criticality that the last own search found (equation 7).",
        &[
            EXP_STONES,
            (
                Kind::KappaLm,
                &[("s_kappa", 8.33), ("i_kappa", -0.67), ("low", 0.25), ("high", 10.0)],
            ),
        ],
    ),
    preset(
        "BEHIND",
        "EXP-STONES, longer when behind.",
        &[EXP_STONES, (Kind::Behind, &[("f_behind", 0.5), ("v_behind", 0.6), ("l_behind", 1.0)])],
    ),
    preset(
        "BEHIND-L",
        "EXP-STONES, longer as long as behind.",
        &[EXP_STONES, (Kind::Behind, &[("f_behind", 0.25), ("v_behind", 0.6), ("l_behind", 2.0)])],
    ),
    preset(
        "UNST",
        "EXP-STONES, longer when the most visited move is not the one of the highest value.",
        &[EXP_STONES, (Kind::Unst, &[("f_unstable", 1.5), ("l_unstable", 1.0)])],
    ),
    preset(
        "UNST-L",
        "The same, asked again after the additional time.",
        &[EXP_STONES, (Kind::Unst, &[("f_unstable", 0.75), ("l_unstable", 2.0)])],
    ),
    preset(
        "CLOSE",
        "EXP-STONES, longer when the two most visited moves are close.",
        &[EXP_STONES, (Kind::Close, &[("f_close", 1.5), ("d_close", 0.4), ("l_close", 1.0)])],
    ),
    preset(
        "CLOSE-L",
        "The same, asked again after the additional time.",
        &[EXP_STONES, (Kind::Close, &[("f_close", 0.5), ("d_close", 0.5), ("l_close", 4.0)])],
    ),
    preset(
        "KAPPA-CM",
        "EXP-STONES by the criticality that the search itself finds in its first 100 ms (equation 8).",
        &[
            EXP_STONES,
            (
                Kind::KappaCm,
                &[
                    ("s_kappa", 8.33),
                    ("i_kappa", -1.33),
                    ("low", 0.6),
                    ("high", 10.0),
                    ("collect_ms", 100.0),
                ],
            ),
        ],
    ),
    preset(
        "STOP",
        "EXP-STONES, planned longer and ended when the best move will hardly be overtaken (equation 9).",
        &[EXP_STONES, (Kind::Stop, &[("f_earlystop", 2.5), ("p_earlystop", 0.4)])],
    ),
    preset(
        "STOP_A",
        "EXP-STONES, ended when the best move cannot be overtaken.",
        &[EXP_STONES, (Kind::Stop, &[("f_earlystop", 1.0), ("p_earlystop", 1.0)])],
    ),
    preset(
        "STOP_B",
        "EXP-STONES, planned longer and ended when the best move cannot be overtaken.",
        &[EXP_STONES, (Kind::Stop, &[("f_earlystop", 2.0), ("p_earlystop", 1.0)])],
    ),
    preset(
        "STOP-19",
        "STOP with the paper's numbers for 19x19.",
        &[EXP_STONES, (Kind::Stop, &[("f_earlystop", 2.2), ("p_earlystop", 0.45)])],
    ),
    preset(
        "ERICA-BASIC",
        "The time left by a constant (equation 10).",
        &[(Kind::Basic, &[("C", 30.0)])],
    ),
    preset(
        "ERICA-ENHANCED",
        "The time left by a constant and the moves up to a number (equation 11).",
        &[ERICA],
    ),
    preset(
        "ERICA-BASELINE",
        "The enhanced formula with UNST and BEHIND, as Erica had it.",
        &[ERICA, (Kind::Unst, &[("f_unstable", 0.5), ("l_unstable", 1.0)]), ERICA_BEHIND],
    ),
    preset(
        "ERICA-BASELINE-19",
        "ERICA-BASELINE with the paper's numbers for 19x19.",
        &[ERICA_19, (Kind::Unst, &[("f_unstable", 1.0), ("l_unstable", 1.0)]), ERICA_BEHIND],
    ),
    preset(
        "FRACTION",
        "A fixed share of the time left.",
        &[(Kind::Fraction, &[("fraction", 0.05)])],
    ),
    preset("KATAGO", "The base formula of KataGo, for comparison.", &[(Kind::KataGo, &[])]),
    preset(
        "LEELA-ZERO",
        "The base formula of Leela Zero, for comparison.",
        &[(Kind::LeelaZero, &[])],
    ),
    preset("PACHI", "The base formula of Pachi, for comparison.", &[(Kind::Pachi, &[])]),
    preset(
        "RANDOM",
        "EXP-STONES, ended early by chance: what every stopper must beat.",
        &[EXP_STONES, (Kind::Random, &[("p_random", 0.75), ("f_random", 0.25)])],
    ),
    preset(
        "KLD",
        "EXP-STONES, ended when the visits stand still, as lc0 can do.",
        &[EXP_STONES, (Kind::Kld, &[("kld_gain", 5e-6), ("kld_interval", 100.0)])],
    ),
];
