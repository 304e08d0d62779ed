"""How the whole window feels on a large tree: `python -m tests.bench.window [NODES]` on a screen.

Prints milliseconds: medians and worst cases of what a person does. Nothing is asserted.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from loomapp.app import make_application, window_on
from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import apply
from loomapp.core.model.tree import Tree
from loomapp.store.grove.open import create_grove, open_grove
from loomapp.store.identity import new_id
from loomapp.ui.window.main_window import MainWindow

WORDS = [
    "salt",
    "lamp",
    "tide",
    "letter",
    "glass",
    "keeper",
    "storm",
    "silver",
    "rope",
    "harbour",
    "bread",
    "winter",
]


def bushy_tree(count: int, owner: Agent, seed: int = 7) -> Tree:
    """A tree of `count` nodes in which most continue the newest and some go back."""
    chance = random.Random(seed)
    start = 1_790_000_000_000
    pen = edit_context.EditContext(owner.id, start, new_id)
    tree = tree_edits.new_tree("dialogue", f"{count} nodes", pen)
    ids = [tree.root_id]
    while len(ids) < count:
        parent = ids[-1] if chance.random() < 0.72 else chance.choice(ids)
        for _ in range(min(chance.choice((1, 1, 2, 3)), count - len(ids))):
            text = " ".join(chance.choices(WORDS, k=chance.randint(4, 40)))
            change = node_edits.add_node(
                tree, parent, text, edit_context.EditContext(owner.id, start + len(ids), new_id)
            )
            apply(tree, change)
            ids.append(change.added_nodes()[0].id)
    return tree


def timed(work: Callable[[], object], times: int) -> str:
    """Median and worst of several runs, each with the event loop brought to rest."""
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        work()
        QTest.qWait(0)
        taken.append((time.perf_counter() - before) * 1000)
    return f"median {statistics.median(taken):8.1f}   worst {max(taken):8.1f}"


def measure(window: MainWindow) -> None:
    """What a person does in the window."""
    document, graph = window.document, window.graph
    chance = random.Random(3)
    ids = list(document.tree.nodes)
    viewport = graph.viewport()

    def pan() -> None:
        graph.pan(QPointF(chance.randint(-90, 90), chance.randint(-70, 70)))
        viewport.repaint()

    def zoom() -> None:
        graph.zoom_out()
        viewport.repaint()

    def fit() -> None:
        graph.fit_all()
        viewport.repaint()

    def type_a_letter() -> None:
        window.composer.set_text(window.composer.text + "a")
        window.preview.refresh_now()

    def write() -> None:
        document.commit(node_edits.add_node(document.tree, document.current_id, "One more.", document.pen()))

    def exclude() -> None:
        node_id = chance.choice(document.path_ids[1:])
        document.commit(node_marks.exclude(document.tree, (node_id,), document.pen()))

    print("pan            ", timed(pan, 60))
    print("zoom           ", timed(zoom, 12))
    print("fit all        ", timed(fit, 5))
    print("select         ", timed(lambda: document.place.set_current(chance.choice(ids)), 30))
    print("read a path    ", timed(lambda: document.place.read_through(chance.choice(ids)), 30))
    print("key in composer", timed(type_a_letter, 30))
    print("write          ", timed(write, 20))
    print("exclude        ", timed(exclude, 20))
    print("undo           ", timed(lambda: document.history.undo(lambda _: None), 20))


def main(count: int) -> None:
    """Make a grove, open it, measure."""
    app = make_application(["bench"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.loom"
        with create_grove(path) as grove:
            grove.add_tree(bushy_tree(count, grove.owner), [grove.owner])
        before = time.perf_counter()
        window = window_on(open_grove(path))
        window.show()
        QTest.qWait(0)
        window.grab()
        print(f"{count} nodes, path of {len(window.document.path_ids)}")
        print(f"open            {(time.perf_counter() - before) * 1000:8.1f}")
        QTest.qWait(500)
        measure(window)
        window.close()
        app.processEvents()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
