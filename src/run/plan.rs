//! The stages of a run, and where their files are.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::params::{NotASchedule, RunParams, Schedule};

/// The folder of a run. Everything in it appears whole, so that what is there is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder with this path.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The settings that the run was begun with.
    #[must_use]
    pub fn settings(&self) -> PathBuf {
        self.0.join("manifest.toml")
    }

    /// Which network is the best so far, see [`Best`].
    #[must_use]
    pub fn best(&self) -> PathBuf {
        self.0.join("best.json")
    }

    /// Everything of a generation.
    #[must_use]
    pub fn generation(&self, generation: u64) -> PathBuf {
        self.0.join("generations").join(format!("{generation:04}"))
    }

    /// The games of a generation.
    #[must_use]
    pub fn games(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("selfplay")
    }

    /// The same games with labels.
    #[must_use]
    pub fn labels(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("label")
    }

    /// The training of a generation.
    #[must_use]
    pub fn training(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("train")
    }

    /// The network that came out of it.
    #[must_use]
    pub fn candidate(&self, generation: u64, name: &str) -> PathBuf {
        self.training(generation).join(format!("{name}.safetensors"))
    }

    /// The matches of a candidate.
    #[must_use]
    pub fn matches(&self, generation: u64, meeting: Meeting) -> PathBuf {
        self.generation(generation).join(meeting.name())
    }

    /// What they have shown, see [`Gate`].
    #[must_use]
    pub fn gate(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("gate.json")
    }

    /// Stands where the games of a generation are all there.
    #[must_use]
    pub fn games_done(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("selfplay.json")
    }

    /// Stands where the games of a generation are all labelled.
    #[must_use]
    pub fn labels_done(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("label.json")
    }

    /// Stands where the training of a generation is done.
    #[must_use]
    pub fn training_done(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("train.json")
    }

    /// Stands at the end of a generation.
    #[must_use]
    pub fn done(&self, generation: u64) -> PathBuf {
        self.generation(generation).join("DONE")
    }
}

/// The best network so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The generation that it came from.
    pub generation: u64,
    /// Its file.
    pub net: PathBuf,
}

/// What the matches of a candidate have shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// Whether it is the best now.
    pub accepted: bool,
    /// Share of the points against the best network before; none where there was none.
    pub against_best: Option<f64>,
    /// Games of that match.
    pub games: u64,
}

/// A match of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// With the best network so far.
    Best,
    /// With the player without a network.
    Playouts,
    /// With another program.
    Program,
}

impl Meeting {
    /// Its folder in that of the generation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Meeting::Best => "gate",
            Meeting::Playouts => "against-playouts",
            Meeting::Program => "against-program",
        }
    }
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Games without a network.
    Warm,
    /// Games of the best network.
    Selfplay {
        /// The generation.
        generation: u64,
        /// Simulations of a move.
        simulations: u64,
    },
    /// Labels of a teacher for the games.
    Label {
        /// The generation.
        generation: u64,
    },
    /// A training on the games so far.
    Train {
        /// The generation.
        generation: u64,
    },
    /// The matches of its candidate.
    Gate {
        /// The generation.
        generation: u64,
    },
    /// Nothing.
    Over,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Warm => f.write_str("games without a network"),
            Self::Selfplay { generation, simulations } => {
                write!(f, "self-play of generation {generation}, {simulations} simulations a move")
            }
            Self::Label { generation } => write!(f, "labels of generation {generation}"),
            Self::Train { generation } => write!(f, "training of generation {generation}"),
            Self::Gate { generation } => write!(f, "matches of generation {generation}"),
            Self::Over => f.write_str("nothing, the run is complete"),
        }
    }
}

/// A run by its parameters.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its folder.
    pub folder: Folder,
    schedule: Schedule,
    /// Whether the games of the first generation are given.
    has_games: bool,
    /// Whether its network is given.
    has_net: bool,
    /// Whether there is somebody to learn from.
    has_teacher: bool,
}

impl Plan {
    /// The plan that the parameters tell.
    pub fn new(params: &RunParams) -> Result<Self, NotASchedule> {
        Ok(Self {
            folder: Folder::new(Path::new(&params.folder)),
            schedule: params.schedule.parse()?,
            has_games: !params.warm_data.is_empty(),
            has_net: !params.start.is_empty(),
            has_teacher: !params.teacher.is_empty(),
        })
    }

    /// Generations in all, without the first.
    #[must_use]
    pub fn generations(&self) -> u64 {
        self.schedule.generations()
    }

    /// The first stage whose result is missing.
    #[must_use]
    pub fn next(&self) -> Stage {
        for generation in 0..=self.generations() {
            let folder = &self.folder;
            if folder.done(generation).exists() {
                continue;
            }
            let given = generation == 0 && (self.has_games || self.has_net);
            if !given && !folder.games_done(generation).exists() {
                return match self.schedule.simulations(generation) {
                    Some(simulations) => Stage::Selfplay { generation, simulations },
                    None => Stage::Warm,
                };
            }
            let trained = generation == 0 && self.has_net;
            let labelled = !self.has_teacher || folder.labels_done(generation).exists();
            if !trained && !labelled && !folder.training_done(generation).exists() {
                return Stage::Label { generation };
            }
            if !trained && !folder.training_done(generation).exists() {
                return Stage::Train { generation };
            }
            return Stage::Gate { generation };
        }
        Stage::Over
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Makes an empty file, and its folder.
    fn make(path: PathBuf) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn the_next_stage_was_told_in_the_words_of_the_program() {
        assert_eq!(Stage::Over.to_string(), "nothing, the run is complete");
        assert_eq!(Stage::Train { generation: 3 }.to_string(), "training of generation 3");
    }

    #[test]
    fn the_next_stage_follows_from_what_is_there() {
        let root = tempfile::tempdir().unwrap();
        let params = RunParams {
            folder: root.path().join("run").to_string_lossy().into_owned(),
            schedule: "1x8 1x16".to_owned(),
            ..RunParams::default()
        };
        let plan = Plan::new(&params).unwrap();
        let folder = &plan.folder;
        assert_eq!(plan.next(), Stage::Warm);
        make(folder.games_done(0));
        assert_eq!(plan.next(), Stage::Train { generation: 0 });
        make(folder.training_done(0));
        assert_eq!(plan.next(), Stage::Gate { generation: 0 });
        make(folder.done(0));
        assert_eq!(plan.next(), Stage::Selfplay { generation: 1, simulations: 8 });
        make(folder.games_done(1));
        make(folder.training_done(1));
        make(folder.done(1));
        assert_eq!(plan.next(), Stage::Selfplay { generation: 2, simulations: 16 });
        make(folder.done(2));
        assert_eq!(plan.next(), Stage::Over);
    }

    #[test]
    fn a_teacher_labels_what_was_played_before_it_is_learnt() {
        let root = tempfile::tempdir().unwrap();
        let params = RunParams {
            folder: root.path().join("run").to_string_lossy().into_owned(),
            schedule: "1x8".to_owned(),
            start: "builtin:net".to_owned(),
            teacher: "strong.bin.gz".to_owned(),
            ..RunParams::default()
        };
        let plan = Plan::new(&params).unwrap();
        let folder = &plan.folder;
        assert_eq!(
            plan.next(),
            Stage::Gate { generation: 0 },
            "a network that is given knows enough"
        );
        make(folder.done(0));
        make(folder.games_done(1));
        assert_eq!(plan.next(), Stage::Label { generation: 1 });
        make(folder.labels_done(1));
        assert_eq!(plan.next(), Stage::Train { generation: 1 });
        let from_games =
            RunParams { start: String::new(), warm_data: "games".to_owned(), ..params };
        fs::remove_file(folder.done(0)).unwrap();
        assert_eq!(Plan::new(&from_games).unwrap().next(), Stage::Label { generation: 0 });
    }

    #[test]
    fn what_is_given_is_not_made() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_string_lossy().into_owned();
        let games = RunParams {
            folder: folder.clone(),
            warm_data: "games".to_owned(),
            ..RunParams::default()
        };
        assert_eq!(Plan::new(&games).unwrap().next(), Stage::Train { generation: 0 });
        let net = RunParams { folder, start: "builtin:net".to_owned(), ..RunParams::default() };
        assert_eq!(Plan::new(&net).unwrap().next(), Stage::Gate { generation: 0 });
    }
}
