//! Who is told how far long work is.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::config::Config;

/// What every job is given beside its own description.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The settings.
    pub config: &'a Config,
    /// Set when the job is to end.
    pub stop: &'a Arc<AtomicBool>,
    /// Shows how far it is.
    pub display: &'a dyn Display,
}

/// Shows how far work is.
pub trait Display: Sync {
    /// Work with a name begins: so many things to do, such as games.
    fn begin(&self, name: &str, length: u64, unit: &'static str) -> Box<dyn Progress>;
}

/// Shows how far one piece of work is, until it is dropped.
pub trait Progress: Send + Sync {
    /// So many were done before, which says nothing of how long the rest takes.
    fn begin_at(&self, done: u64);
    /// So many are done, and there is this to say.
    fn set(&self, done: u64, message: String);
    /// So many more are done.
    fn add(&self, done: u64);
    /// There is this to say.
    fn say(&self, message: String);
    /// The work is done.
    fn end(&self);
}

/// Shows nothing.
pub struct Silent;

impl Display for Silent {
    fn begin(&self, _: &str, _: u64, _: &'static str) -> Box<dyn Progress> {
        Box::new(Silent)
    }
}

impl Progress for Silent {
    fn begin_at(&self, _: u64) {}
    fn set(&self, _: u64, _: String) {}
    fn add(&self, _: u64) {}
    fn say(&self, _: String) {}
    fn end(&self) {}
}
