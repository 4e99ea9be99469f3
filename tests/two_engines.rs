//! Two engines in one process play each other: they share nothing, agree on every position, and
//! repeat their games when they get their seeds again.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![allow(clippy::print_stderr, reason = "results for people, shown with --nocapture")]

use std::sync::Arc;

use tedomari::engine::{Decision, Engine, EngineParams, Purpose, Ticket, View};
use tedomari::eval::{Evaluator, HashedEvaluator};
use tedomari::game::{BoardSize, Color, DeadStones, Game, GameResult, Komi, Move, Position};
use tedomari::playout::{PlayoutEvaluator, PlayoutParams};
use tedomari::util::Seed;

/// What a game is about.
struct Contest {
    game: &'static str,
    rules: &'static str,
    size: BoardSize,
    komi: f64,
}

/// A player of a contest.
#[derive(Clone, Copy)]
struct Player {
    seed: u64,
    simulations: u64,
    exploration: f64,
    evaluator: Judge,
}

/// How a player evaluates.
#[derive(Clone, Copy)]
enum Judge {
    Playouts,
    /// Random games without any knowledge, in a search without any.
    Uniform,
    Hash,
}

/// How a game went.
#[derive(Clone, Debug, PartialEq)]
struct Played {
    moves: Vec<Move>,
    resigned: Option<Color>,
    position_hash: u64,
}

const STRONG: Player =
    Player { seed: 3, simulations: 120, exploration: 0.7, evaluator: Judge::Playouts };
const WEAK: Player =
    Player { seed: 8, simulations: 25, exploration: 1.4, evaluator: Judge::Playouts };

impl Contest {
    fn new(game: &'static str, rules: &'static str, size: (usize, usize), komi: f64) -> Self {
        Self { game, rules, size: BoardSize::new(size.0, size.1).unwrap(), komi }
    }

    fn engine(&self, player: Player) -> Engine {
        let mut params = EngineParams::default();
        params.game.kind = self.game.parse().unwrap();
        self.rules.clone_into(&mut params.game.rules);
        params.game.komi = self.komi;
        // One thread repeats itself exactly.
        params.search.threads = 1;
        params.search.seed = player.seed;
        params.search.max_simulations = player.simulations;
        params.search.exploration = player.exploration;
        let evaluator: Arc<dyn Evaluator> = match player.evaluator {
            Judge::Playouts => Arc::new(PlayoutEvaluator::new(Seed::new(player.seed))),
            Judge::Uniform => {
                params.search.rave = 0.0;
                let seed = Seed::new(player.seed);
                Arc::new(PlayoutEvaluator::with(PlayoutParams::uniform(), seed))
            }
            Judge::Hash => Arc::new(HashedEvaluator),
        };
        let mut engine = Engine::new(params, evaluator);
        engine.new_game(self.size);
        engine
    }

    /// A game with a referee who knows the rules and nothing else.
    fn play(&self, black: Player, white: Player) -> (Played, [Engine; 2], Position) {
        let mut engines = [black, white].map(|player| self.engine(player));
        let rules = engines[0].state().rules();
        let mut referee = Position::new(self.size, rules, Komi::from_points(self.komi).unwrap());
        let mut played = Played { moves: Vec::new(), resigned: None, position_hash: 0 };
        let longest = 4 * self.size.area();
        while !(rules.game == Game::Go && referee.is_over()) {
            let shown =
                || played.moves.iter().map(|&mv| self.size.move_text(mv)).collect::<Vec<_>>();
            assert!(played.moves.len() < longest, "the game does not end: {:?}", shown());
            let color = referee.to_move();
            let decision = engines[color.index()]
                .genmove(color, Purpose::Win, &Ticket::unlimited(), View::none())
                .unwrap();
            let Decision::Play(mv) = decision else {
                played.resigned = Some(color);
                break;
            };
            let shown = self.size.move_text(mv);
            let number = played.moves.len() + 1;
            let checked = referee.play(color, mv);
            checked.unwrap_or_else(|why| panic!("move {number}, {color} {shown}: {why}"));
            engines[color.opponent().index()].state_mut().play(color, mv).unwrap();
            played.moves.push(mv);
            for engine in &engines {
                assert_eq!(engine.state().position().hash(), referee.hash(), "after {shown}");
            }
        }
        played.position_hash = referee.hash();
        (played, engines, referee)
    }

    /// Plays, and checks that both players and the referee agree on how it ended.
    fn check(&self, black: Player, white: Player) -> Played {
        let (played, mut engines, referee) = self.play(black, white);
        let results = engines.each_mut().map(|engine| engine.result());
        if referee.rules().game == Game::NoGo {
            let loser = played.resigned.expect("a game of NoGo ends by resignation");
            if referee.is_over() {
                let lost = Some(GameResult::Resignation(loser.opponent()));
                assert_eq!(results, [lost, lost]);
                assert_eq!(loser, referee.to_move());
            }
        } else {
            let dead = engines.each_mut().map(|engine| engine.judge().dead);
            assert!(played.resigned.is_some() || referee.passes() >= 2);
            // Each engine judges dead stones for itself; the referee counts. Who has resigned knows how it ended.
            for (color, (dead, result)) in Color::BOTH.into_iter().zip(dead.iter().zip(results)) {
                let expected = if played.resigned == Some(color) {
                    GameResult::Resignation(color.opponent())
                } else {
                    referee.score(dead).into()
                };
                assert_eq!(result, Some(expected));
            }
            if played.resigned.is_none() && referee.rules().dead_stones == DeadStones::Counted {
                assert_eq!(results[0], results[1]);
            }
        }
        let texts = engines.each_ref().map(|engine| engine.state().record().moves);
        assert_eq!(texts[0].len(), played.moves.len());
        let sides = texts.map(|moves| moves.iter().map(|mv| (mv.color, mv.mv)).collect::<Vec<_>>());
        assert_eq!(sides[0], sides[1]);
        eprintln!(
            "{} {} {}: {} moves, resigned {:?}, results {results:?}",
            self.game,
            self.rules,
            self.size,
            played.moves.len(),
            played.resigned,
        );
        played
    }
}

#[test]
fn go_on_9x9_with_both_colors() {
    let contest = Contest::new("go", "chinese", (9, 9), 7.0);
    contest.check(STRONG, WEAK);
    contest.check(WEAK, STRONG);
}

#[test]
fn go_on_7x7_by_japanese_rules() {
    let contest = Contest::new("go", "japanese", (7, 7), 8.5);
    contest.check(STRONG, WEAK);
    contest.check(WEAK, STRONG);
}

#[test]
fn go_by_rules_that_count_every_stone() {
    Contest::new("go", "tromp-taylor", (6, 6), 3.5).check(STRONG, WEAK);
    Contest::new("go", "aga", (5, 5), 24.5).check(WEAK, STRONG);
    // Who knows tactics captures and recaptures there until superko ends it, for up to 38 moves.
    let [weak, strong] = [WEAK, STRONG].map(|p| Player { evaluator: Judge::Uniform, ..p });
    Contest::new("go", "new-zealand", (2, 2), 0.5).check(weak, strong);
}

#[test]
fn go_on_a_rectangle() {
    let contest = Contest::new("go", "chinese", (7, 5), 4.0);
    contest.check(STRONG, WEAK);
    contest.check(WEAK, STRONG);
}

#[test]
fn nogo_ends_when_somebody_cannot_move() {
    let contest = Contest::new("nogo", "chinese", (9, 9), 0.0);
    contest.check(STRONG, WEAK);
    contest.check(WEAK, STRONG);
}

#[test]
fn different_evaluators_play_each_other() {
    let hashed = Player { evaluator: Judge::Hash, ..STRONG };
    for game in ["go", "nogo"] {
        Contest::new(game, "cgos", (9, 9), 7.0).check(hashed, STRONG);
        Contest::new(game, "cgos", (9, 9), 7.0).check(STRONG, hashed);
    }
}

#[test]
fn the_same_seeds_give_the_same_game_and_others_another() {
    for game in ["go", "nogo"] {
        let contest = Contest::new(game, "chinese", (7, 7), 7.0);
        let first = contest.check(STRONG, WEAK);
        assert_eq!(contest.check(STRONG, WEAK), first);
        let other = Player { seed: 4, ..STRONG };
        assert_ne!(contest.check(other, WEAK).moves, first.moves);
    }
}

#[test]
fn engines_in_two_threads_do_not_disturb_each_other() {
    let play = || Contest::new("go", "chinese", (7, 7), 7.0).play(STRONG, WEAK).0;
    let alone = play();
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(play)).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}
