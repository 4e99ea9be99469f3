"""KaTrain's own engine class and game nodes drive the analysis of a program, without KaTrain's window.

session.py FOLDER COMMAND-OR-BINARY [MODEL CONFIG]: the folder has the package katrain. With a model and a configuration the
program is started as KataGo would be, without them by the command line alone.
"""

import sys
import time
from unittest.mock import MagicMock

# What belongs to the window and to files.
for name in ("chardet", "kivy", "kivy.utils", "katrain.gui", "katrain.gui.theme", "katrain.core.lang"):
    sys.modules[name] = MagicMock()
sys.modules["kivy.utils"].platform = "linux"
sys.path.insert(0, sys.argv[1])

from katrain.core.constants import OUTPUT_ERROR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game_node import GameNode  # noqa: E402
from katrain.core.sgf_parser import Move  # noqa: E402

PATIENCE = 120


class Window:
    """Stands in for KaTrain: keeps what it is told."""

    def __init__(self):
        self.errors = []
        self.lines = []

    def log(self, message, level=0):
        self.lines.append(message)
        if level == OUTPUT_ERROR:
            self.errors.append(message)

    def __call__(self, *message):
        self.errors.append(message)


def wait(condition, what):
    end = time.time() + PATIENCE
    while not condition():
        assert time.time() < end, f"waited in vain: {what}"
        time.sleep(0.02)


def game(moves):
    nodes = [GameNode(properties={"SZ": ["9"], "KM": ["7"], "RU": ["chinese"]})]
    for number, vertex in enumerate(moves.split()):
        nodes.append(nodes[-1].play(Move.from_gtp(vertex, player="BW"[number % 2])))
    return nodes


def main():
    window = Window()
    settings = {
        "max_visits": 20, "fast_visits": 5, "max_time": 8.0, "wide_root_noise": 0.04,
        "_enable_ownership": True, "allow_recovery": True,
    }
    if len(sys.argv) > 3:
        settings |= {"katago": sys.argv[2], "model": sys.argv[3], "config": sys.argv[4]}
    else:
        settings |= {"altcommand": sys.argv[2]}
    engine = KataGoEngine(window, settings)
    assert engine.check_alive(), "it has not started"

    # A game is analysed, the newest position first.
    nodes = game("E5 C3 C4 D3 F3 B4 B5 G7 F7 G6 F6 G4")
    for number, node in enumerate(nodes):
        node.analyze(engine, priority=number, analyze_fast=number % 2 == 0)
    wait(engine.is_idle, "the game")
    for node in nodes:
        assert node.analysis_complete, node
        assert 0 <= node.winrate <= 1 and abs(node.score) < 81, (node.winrate, node.score)
        assert len(node.ownership) == 81 and len(node.policy) == 82
        assert node.candidate_moves, "moves"
    last = nodes[-1]
    assert last.points_lost is not None, "the position before knows the move"

    # Other moves than those that were found, and moves in a part of the board.
    found = set(last.analysis["moves"])
    last.analyze(engine, find_alternatives=True)
    last.analyze(engine, region_of_interest=[0, 3, 0, 3])
    wait(engine.is_idle, "other moves")
    assert set(last.analysis["moves"]) > found

    # A sweep asks about single moves, of which some are not legal: no error is shown.
    for vertex in ("A1", "E5"):
        last.analyze(engine, refine_move=Move.from_gtp(vertex, player=last.next_player), visits=2)
    wait(engine.is_idle, "single moves")
    assert "A1" in last.analysis["moves"]

    # Pondering reports again and again, and stops.
    before = last.root_visits
    last.analyze(engine, ponder=True)
    wait(lambda: last.root_visits > max(before, 50), "pondering")
    assert not engine.is_idle()
    engine.stop_pondering()
    wait(engine.is_idle, "the end of pondering")

    # A new game forgets what was asked.
    nodes[3].analyze(engine, visits=1_000_000, time_limit=False)
    wait(lambda: engine.queries, "a long query")
    engine.on_new_game()
    other = game("D4")[-1]
    other.analyze(engine)
    wait(lambda: other.analysis_complete, "the new game")

    process = engine.katago_process
    engine.shutdown(finish=False)
    process.wait(timeout=PATIENCE)
    assert not window.errors, window.errors
    print("done")


main()
