//! The parts that strategies are made of, each with its numbers and their limits. Papers and numbers are with the
//! presets.

use super::strategy::StrategyError;

/// A number of a part.
trait Number: Copy {
    fn get(self) -> f64;
    /// None where the type has no such value.
    fn of(value: f64) -> Option<Self>;
}

impl Number for f64 {
    fn get(self) -> f64 {
        self
    }

    fn of(value: f64) -> Option<Self> {
        Some(value)
    }
}

impl Number for u32 {
    fn get(self) -> f64 {
        self.into()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number within u32"
    )]
    fn of(value: f64) -> Option<Self> {
        let whole = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        whole.then_some(value as u32)
    }
}

/// Some numbers, each with the name by which it can be changed.
pub trait Numbers {
    /// All of them.
    fn numbers(&self) -> Vec<(&'static str, f64)>;

    /// Changes one; none if there is none with this name.
    fn set(&mut self, key: &str, value: f64) -> Option<Result<(), StrategyError>>;
}

fn checked<N: Number>(
    key: &'static str,
    value: f64,
    [low, high]: [f64; 2],
) -> Result<N, StrategyError> {
    if !(low..=high).contains(&value) {
        return Err(StrategyError::Limit { key, value, low, high });
    }
    N::of(value).ok_or(StrategyError::NoCount { key, value })
}

/// Declares a list of parts: for each a struct of its numbers, with names and limits.
macro_rules! parts {
    (
        $(#[doc = $about:literal])+
        pub enum $list:ident {
            $(
                $(#[doc = $doc:literal])+
                $part:ident {
                    $( $key:literal $field:ident: $kind:ty = $low:literal to $high:literal, )*
                }
            )+
        }
    ) => {
        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct $part {
                $( #[doc = concat!("`", $key, "`.")] pub $field: $kind, )*
            }
        )+

        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum $list {
            $( $(#[doc = $doc])+ $part($part), )+
        }

        impl Numbers for $list {
            fn numbers(&self) -> Vec<(&'static str, f64)> {
                match self {
                    $( Self::$part($part { $($field),* }) => vec![$( ($key, $field.get()) ),*], )+
                }
            }

            fn set(&mut self, key: &str, value: f64) -> Option<Result<(), StrategyError>> {
                match (self, key) {
                    $( $( (Self::$part(part), $key) => {
                        let checked = checked($key, value, [$low, $high]);
                        Some(checked.map(|number| part.$field = number))
                    } )* )+
                    _ => None,
                }
            }
        }
    };
}

parts! {
    /// What gives a move its time.
    pub enum Base {
        /// Time left by the moves expected after so many moves.
        ExpMoves {}
        /// Time left by the moves expected after simulated games of such a length.
        ExpSim {}
        /// Time left by the moves expected with so many stones on the board.
        ExpStones {}
        /// Time left by a constant.
        Basic {
            "C" constant: f64 = 1.0 to 1000.0,
        }
        /// Time left by a constant and the moves up to a number.
        Enhanced {
            "C" constant: f64 = 1.0 to 1000.0,
            "MaxPly" max_ply: f64 = 0.0 to 10_000.0,
        }
        /// A fixed share of the time left.
        Fraction {
            "fraction" fraction: f64 = 0.001 to 1.0,
        }
        /// The base formula of `KataGo`.
        KataGo {}
        /// The base formula of Leela Zero.
        LeelaZero {}
        /// The base formula of Pachi.
        Pachi {}
    }
}

parts! {
    /// What the time of the base is multiplied by.
    pub enum Factor {
        /// A constant.
        Open {
            "f_opening" factor: f64 = 0.01 to 100.0,
        }
        /// A bell curve over the move number.
        Mid {
            "a" height: f64 = 0.0 to 100.0,
            "b" middle: f64 = 0.0 to 1000.0,
            "c" width: f64 = 0.1 to 1000.0,
        }
        /// By the criticality that is usual at this move.
        KappaExp {
            "s_kappa" slope: f64 = -1000.0 to 1000.0,
            "i_kappa" intercept: f64 = -1000.0 to 1000.0,
            "low" low: f64 = 0.01 to 100.0,
            "high" high: f64 = 0.01 to 100.0,
        }
        /// By the criticality of the last search.
        KappaLm {
            "s_kappa" slope: f64 = -1000.0 to 1000.0,
            "i_kappa" intercept: f64 = -1000.0 to 1000.0,
            "low" low: f64 = 0.01 to 100.0,
            "high" high: f64 = 0.01 to 100.0,
        }
        /// Makes up for the part of the plan that searches do not use.
        Learned {
            "front" front: f64 = 0.1 to 10.0,
            "start" start: f64 = 0.05 to 2.0,
            "floor" floor: f64 = 0.05 to 1.0,
            "half_life" half_life: f64 = 0.1 to 1000.0,
        }
        /// Where the game is as good as decided.
        Decided {
            "decided_above" above: f64 = 0.5 to 1.0,
            "f_decided" factor: f64 = 0.01 to 1.0,
        }
        /// Plans more in return for searches that end early.
        Longer {
            "f_earlystop" factor: f64 = 0.01 to 100.0,
        }
    }
}

parts! {
    /// What ends a search before its planned end, or prolongs it.
    pub enum RuleSpec {
        /// Prolongs when behind.
        Behind {
            "f_behind" factor: f64 = 0.0 to 100.0,
            "v_behind" below: f64 = 0.0 to 1.0,
            "l_behind" loops: u32 = 0.0 to 100.0,
        }
        /// Prolongs when the most visited move is not the best.
        Unstable {
            "f_unstable" factor: f64 = 0.0 to 100.0,
            "l_unstable" loops: u32 = 0.0 to 100.0,
        }
        /// Prolongs when two moves are close.
        Close {
            "f_close" factor: f64 = 0.0 to 100.0,
            "d_close" difference: f64 = 0.0 to 1.0,
            "l_close" loops: u32 = 0.0 to 100.0,
        }
        /// Shortens or prolongs by the criticality of the running search.
        KappaCm {
            "s_kappa" slope: f64 = -1000.0 to 1000.0,
            "i_kappa" intercept: f64 = -1000.0 to 1000.0,
            "low" low: f64 = 0.01 to 100.0,
            "high" high: f64 = 0.01 to 100.0,
            "collect_ms" collect_ms: u32 = 0.0 to 1e9,
        }
        /// Ends when the best move will not be overtaken.
        Stop {
            "p_earlystop" share: f64 = 0.0 to 1.0,
        }
        /// Ends when visits stand still.
        Kld {
            "kld_gain" gain: f64 = 0.0 to 1.0,
            "kld_interval" interval: u32 = 1.0 to 1e9,
        }
        /// Ends by chance.
        Random {
            "p_random" chance: f64 = 0.0 to 1.0,
            "f_random" share: f64 = 0.0 to 1.0,
        }
        /// Counts reused visits as time spent.
        Reuse {
            "reuse" most: f64 = 0.0 to 1.0,
        }
    }
}
