//! The engine that a configuration describes.

use std::sync::Arc;

use super::{evaluators, stop_model, timetable};
use crate::config::Config;
use crate::engine::Engine;
use crate::eval::Evaluator;
use crate::search::StopModel;
use crate::timeman::Table;

/// The engine that a configuration describes, with the evaluator that it asks for.
pub fn engine(config: &Config) -> anyhow::Result<Engine> {
    let (evaluator, games, _) = evaluators::make_whole(config)?;
    let mut engine = Equipment::of(config)?.engine(config, evaluator);
    engine.limit_to(games);
    Ok(engine)
}

/// What an engine has beside its evaluator, and what the engines of many games share.
#[derive(Clone)]
pub struct Equipment {
    timetable: Option<Table>,
    stop_model: Option<Arc<dyn StopModel>>,
}

impl Equipment {
    /// Reads the timetable and the stop profile that a configuration names.
    pub fn of(config: &Config) -> anyhow::Result<Self> {
        let timetable = timetable::configured(config)?;
        Ok(Self { timetable, stop_model: stop_model::make(config) })
    }

    /// An engine with this evaluator.
    #[must_use]
    pub fn engine(&self, config: &Config, evaluator: Arc<dyn Evaluator>) -> Engine {
        let mut engine = Engine::new(config.engine(), evaluator);
        if let Some(table) = &self.timetable {
            engine.set_timetable(table.clone());
        }
        if let Some(stop_model) = &self.stop_model {
            engine.set_stop_model(Arc::clone(stop_model));
        }
        engine
    }
}
