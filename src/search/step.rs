//! A search whose caller evaluates for it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::leaf::{Leaf, Memory};
use super::owners::Owners;
use super::params::SearchParams;
use super::report::SearchReport;
use super::request::SearchClock;
use super::stop_model::StopModel;
use super::trace::{Ring, TraceEntry};
use super::tree::Tree;
use super::view::View;
use super::worker::{Descent, Shared};
use crate::eval::{Evaluation, Policy};
use crate::game::Position;
use crate::timeman::{Budget, Root, Stop as _, StopChain, StopReason, Tally};
use crate::util::Rng;

/// A search of one thread that hands out one position after the other and takes what an evaluator
/// says of it, so that the leaves of several searches can be evaluated together. It does what a
/// [`Search`](super::Search) with one thread, a batch of 1 and a new tree does, but that moves of which
/// an evaluator speaks on demand only are all equal to it, and none is judged by later ones.
pub struct Stepper {
    shared: Shared,
    params: SearchParams,
    rng: Rng,
    leaf: Leaf,
    memory: Memory,
    owners: [Mutex<Owners>; 1],
    has_score: bool,
    state: State,
    chain: StopChain<'static>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The root is not evaluated yet.
    New,
    Running,
    Ended(StopReason),
}

/// Memory of the tree: such searches are short, and many live side by side.
const TREE_BYTES: usize = 64 << 20;

impl Stepper {
    /// A search of as many simulations as the parameters say, at least one.
    #[must_use]
    pub fn new(position: Position, params: SearchParams, rng: Rng) -> Self {
        let owners = [Mutex::new(Owners::new(position.size(), false))];
        let leaf = Leaf::new(position.clone());
        let simulations = Some(params.max_simulations.max(1));
        let mut tree = Tree::new(TREE_BYTES);
        let memory = Memory::new(tree.reserve());
        let shared = Shared::new(tree, position, &params, simulations);
        let (has_score, state) = (false, State::New);
        let chain = StopChain::new(Budget::ENDLESS, Vec::new());
        Self { shared, params, rng, leaf, memory, owners, has_score, state, chain }
    }

    /// The same search with a model that may find its answer certain. No clock limits it.
    #[must_use]
    pub fn with_model(mut self, model: Option<&dyn StopModel>) -> Self {
        let rule = model.and_then(|model| model.rule(&self.shared.position));
        self.chain = StopChain::new(Budget::ENDLESS, Vec::new()).estimated_by(rule, true);
        self
    }

    /// The position to be evaluated next; none at the end of the search.
    pub fn leaf(&self) -> Option<&Position> {
        match self.state {
            State::New => Some(&self.shared.position),
            State::Running => Some(&self.leaf.position),
            State::Ended(_) => None,
        }
    }

    /// Takes the answer for the position that was handed out, and goes on to the next.
    pub fn answer(&mut self, evaluation: &Evaluation) {
        match self.state {
            State::New => {
                self.has_score = evaluation.score.is_some();
                let Self { shared, params, memory, rng, .. } = self;
                shared.begin(evaluation, params, (memory, rng));
                if self.view().choices() < 2 {
                    self.state = State::Ended(StopReason::OnlyMove);
                }
            }
            State::Running => self.shared.grow(&self.leaf, evaluation, &mut self.memory),
            State::Ended(_) => return,
        }
        if evaluation.ownership.is_some() {
            let owners = self.owners[0].get_mut().unwrap_or_else(PoisonError::into_inner);
            owners.add(&self.leaf, evaluation);
        }
        if !matches!(self.state, State::Ended(_)) {
            self.state = self.descend();
        }
    }

    /// Ends the search if its answer is certain; whether it is. A position that was handed out is then not
    /// asked about any more. Nothing is asked before the root is evaluated.
    pub fn end_early(&mut self) -> bool {
        if self.state != State::Running {
            return false;
        }
        let most = Some(self.params.max_simulations.max(1));
        let Self { shared, owners, params, has_score, .. } = self;
        let (has_score, before) = (*has_score, Duration::ZERO);
        let view = View { shared, owners, params, has_score, before };
        let progress = view.progress(SearchClock::Real(&|| Duration::ZERO), most);
        let Some(reason) = self.chain.should_stop(&progress) else { return false };
        self.shared.turn_back(&self.leaf);
        self.state = State::Ended(reason);
        true
    }

    /// Goes down to the next leaf that wants an evaluation.
    fn descend(&mut self) -> State {
        loop {
            if self.shared.proof().is_some() {
                return State::Ended(StopReason::Proven);
            }
            self.leaf.position.clone_from(&self.shared.position);
            match self.shared.descend(&mut self.leaf, &mut self.memory, &|_| Policy::OnDemand) {
                Descent::Leaf if self.shared.decide(&self.leaf, &mut self.memory.solver) => {}
                Descent::Leaf => return State::Running,
                Descent::Known(proof) => self.shared.know(&self.leaf, proof),
                Descent::Taken | Descent::Enough => {
                    self.shared.turn_back(&self.leaf);
                    return State::Ended(StopReason::Simulations);
                }
            }
        }
    }

    fn view(&self) -> View<'_> {
        View {
            shared: &self.shared,
            owners: &self.owners,
            params: &self.params,
            has_score: self.has_score,
            before: Duration::ZERO,
        }
    }

    /// Its newest simulations, oldest first, as many as the parameters ask for.
    #[must_use]
    pub fn trace(&self) -> Vec<TraceEntry> {
        self.shared.trace.as_ref().map(Ring::entries).unwrap_or_default()
    }

    /// The moves at the root, by falling priors.
    #[must_use]
    pub fn tallies(&self) -> Vec<Tally> {
        self.view().tallies()
    }

    /// What the search has found so far.
    #[must_use]
    pub fn report(&self) -> SearchReport {
        let view = self.view();
        let reason = match self.state {
            State::Ended(reason) => Some(reason),
            State::New | State::Running => None,
        };
        let clock = SearchClock::Real(&|| Duration::ZERO);
        view.report(&view.progress(clock, None), reason)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval::{Evaluator, HashedEvaluator};
    use crate::game::{BoardSize, Komi, Rules};
    use crate::search::{Request, Search};
    use crate::timeman::SimulationLimit;
    use crate::util::Seed;

    fn stepped(position: &Position, params: &SearchParams, seed: Seed) -> SearchReport {
        let evaluator = HashedEvaluator;
        let mut stepper = Stepper::new(position.clone(), params.clone(), seed.rng());
        while let Some(leaf) = stepper.leaf() {
            let answer = evaluator.evaluate(&[leaf]).unwrap().swap_remove(0);
            stepper.answer(&answer);
        }
        stepper.report()
    }

    #[test]
    fn a_rule_ends_it() {
        let size = BoardSize::square(5).unwrap();
        let position = Position::new(size, Rules::NOGO, Komi::default());
        let params = |max_simulations| SearchParams { max_simulations, ..SearchParams::default() };
        let seed = Seed::new(3);
        // The evaluation of the root is the first simulation.
        for after in [1, 2, 10] {
            let mut stepper = Stepper::new(position.clone(), params(40), seed.rng());
            stepper.chain = StopChain::until(SimulationLimit(after));
            // Nobody is asked before the root is evaluated.
            assert!(!stepper.end_early());
            let mut ended = false;
            while let Some(leaf) = stepper.leaf() {
                let answer = HashedEvaluator.evaluate(&[leaf]).unwrap().swap_remove(0);
                stepper.answer(&answer);
                ended = stepper.end_early();
            }
            let report = stepper.report();
            assert!(ended && !stepper.end_early());
            assert_eq!(report.simulations, after);
            let short = stepped(&position, &params(after), seed);
            assert_eq!(report.moves, short.moves, "what was under way left no mark");
            assert_eq!(report.policy, short.policy);
        }
    }

    #[test]
    fn stepping_is_searching() {
        let size = BoardSize::square(5).unwrap();
        for (rules, gumbel, simulations) in [
            (Rules::TROMP_TAYLOR, 0, 300),
            (Rules::TROMP_TAYLOR, 8, 32),
            (Rules::NOGO, 0, 1),
            (Rules::NOGO, 0, 500),
            (Rules::NOGO, 16, 64),
        ] {
            let params = SearchParams {
                threads: 1,
                max_simulations: simulations,
                gumbel_considered: gumbel,
                ..SearchParams::default()
            };
            let mut position = Position::new(size, rules, Komi::from_points(0.5).unwrap());
            let seed = Seed::new(3);
            // To the end of a NoGo game, where moves run out and results get proven.
            for turn in 0..30 {
                let mut search = Search::new(Arc::new(HashedEvaluator), params.clone(), seed);
                let mut rule = SimulationLimit(simulations);
                let mut request = Request::new(&mut rule, &|| Duration::ZERO);
                request.simulations = Some(simulations);
                let expected = search.run(&position, request).unwrap();
                let report = stepped(&position, &params, seed.fork("search", 0));
                assert_eq!(report.moves, expected.moves, "{rules:?}, turn {turn}");
                assert_eq!(report.policy, expected.policy);
                assert_eq!(report.value, expected.value);
                assert_eq!(report.simulations, expected.simulations);
                let Some(best) = report.moves.first() else { break };
                position.play_legal(position.to_move(), best.mv);
                if position.is_over() {
                    break;
                }
            }
        }
    }
}
