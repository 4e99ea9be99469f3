//! Rules as bytes.

use crate::game::{DeadStones, Game, GameEnd, HandicapBonus, KoRule, Rules, Scoring, Suicide};

pub(super) fn rules_code(rules: Rules) -> [u8; 7] {
    [
        u8::from(rules.game == Game::NoGo),
        match rules.ko {
            KoRule::Simple => 0,
            KoRule::PositionalSuperko => 1,
            KoRule::SituationalSuperko => 2,
        },
        u8::from(rules.suicide == Suicide::Allowed),
        u8::from(rules.scoring == Scoring::Territory),
        u8::from(rules.dead_stones == DeadStones::Counted),
        match rules.end {
            GameEnd::TwoPasses => 0,
            GameEnd::ThreePasses => 1,
            GameEnd::WhitePassesLast => 2,
        },
        match rules.handicap_bonus {
            HandicapBonus::Zero => 0,
            HandicapBonus::StonesMinusOne => 1,
            HandicapBonus::Stones => 2,
        },
    ]
}

pub(super) fn rules_of(code: [u8; 7]) -> Option<Rules> {
    let choose = |index: usize, count: u8| (code[index] < count).then_some(code[index]);
    Some(Rules {
        game: if choose(0, 2)? == 1 { Game::NoGo } else { Game::Go },
        ko: match choose(1, 3)? {
            0 => KoRule::Simple,
            1 => KoRule::PositionalSuperko,
            _ => KoRule::SituationalSuperko,
        },
        suicide: if choose(2, 2)? == 1 { Suicide::Allowed } else { Suicide::Forbidden },
        scoring: if choose(3, 2)? == 1 { Scoring::Territory } else { Scoring::Area },
        dead_stones: if choose(4, 2)? == 1 { DeadStones::Counted } else { DeadStones::Removed },
        end: match choose(5, 3)? {
            0 => GameEnd::TwoPasses,
            1 => GameEnd::ThreePasses,
            _ => GameEnd::WhitePassesLast,
        },
        handicap_bonus: match choose(6, 3)? {
            0 => HandicapBonus::Zero,
            1 => HandicapBonus::StonesMinusOne,
            _ => HandicapBonus::Stones,
        },
    })
}
