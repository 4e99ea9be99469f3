//! Labels as bytes.

use super::{NotAGame, Source, UnwritableGame, move_number, put_number, put_value};
use crate::game::BoardSize;
use crate::record::game::Label;

/// The square root of the weight 1, an owner, and a point of the lead.
const ROOT_ONE: f32 = 255.0;
const OWNER_ONE: f32 = 127.0;
const LEAD_ONE: f32 = 10.0;

pub(super) fn check_label(
    label: &Label,
    size: BoardSize,
    number: usize,
) -> Result<(), UnwritableGame> {
    let (found, points) = (label.owners.len(), size.area());
    if found != points {
        return Err(UnwritableGame::BadOwners { found, points });
    }
    let weights = label.policy.iter().all(|&(_, weight)| weight.is_finite() && weight >= 0.0);
    let owners = label.owners.iter().all(|owner| owner.is_finite());
    let good = weights && owners && label.lead.is_finite();
    if good { Ok(()) } else { Err(UnwritableGame::BadLabel(number)) }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped, and casts of floats saturate")]
#[expect(clippy::cast_sign_loss, reason = "clamped before")]
pub(super) fn encode_label(label: &Label, size: BoardSize, bytes: &mut Vec<u8>) {
    put_value(bytes, label.value);
    bytes.extend(((label.lead * LEAD_ONE).round() as i16).to_le_bytes());
    let root = |weight: f32| (weight.clamp(0.0, 1.0).sqrt() * ROOT_ONE).round() as u8;
    let moves = label.policy.iter().map(|&(mv, weight)| (mv, root(weight)));
    let moves: Vec<_> = moves.filter(|&(_, root)| root > 0).collect();
    put_number(bytes, moves.len());
    for (mv, root) in moves {
        put_number(bytes, move_number(mv, size));
        bytes.push(root);
    }
    let owner = |owner: &f32| (owner.clamp(-1.0, 1.0) * OWNER_ONE).round() as i8;
    bytes.extend(label.owners.iter().flat_map(|x| owner(x).to_le_bytes()));
}

impl Source<'_> {
    pub(super) fn label(&mut self, size: BoardSize) -> Result<Label, NotAGame> {
        let value = self.value()?;
        let lead = f32::from(i16::from_le_bytes(self.take()?)) / LEAD_ONE;
        let moves = self.number()?;
        if moves > size.area() + 1 {
            return Err(NotAGame("a label has more moves than the board"));
        }
        let weight = |byte: u8| (f32::from(byte) / ROOT_ONE).powi(2);
        let policy = (0..moves)
            .map(|_| Ok((self.mv(size)?, weight(self.byte()?))))
            .collect::<Result<_, NotAGame>>()?;
        let owner = |source: &mut Self| {
            let owner = i8::from_le_bytes(source.take()?);
            Ok((f32::from(owner) / OWNER_ONE).max(-1.0))
        };
        let owners = (0..size.area()).map(|_| owner(self)).collect::<Result<_, NotAGame>>()?;
        Ok(Label { policy, value, lead, owners })
    }
}
