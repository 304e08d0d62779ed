"""The dialogue at 200, 2,000 and 20,000 messages: `python -m tests.bench.dialogue`; prints a table.

Each column is the median of five runs, taken in turn; G11 is the first row's last column over its first.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.model.tree import Tree
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.look import theme
from tests.kit.conversations import AGENTS, SMOL, YOU, drafts, grow, node

RUNS = 5
WORDS = ["salt", "lamp", "tide", "letter", "glass", "keeper", "storm", "silver", "rope", "bread", "winter"]


def talk(count: int) -> tuple[Tree, tuple[str, ...]]:
    """A path of messages as models write them: paragraphs, lists, some code."""
    chance = random.Random(9)

    def words(length: int) -> str:
        return " ".join(chance.choices(WORDS, k=length))

    rows = [(node("n0", "Begin."), "")]
    for i in range(1, count):
        kind = i % 5
        text = f"**{words(3)}** {words(30)}\n\n"
        if kind in (1, 3):
            text += f"- {words(8)}\n- *{words(6)}*\n- `{words(2)}`\n\n"
        if kind == 2:
            text += f'```python\nfor i in range({i}):\n    print("loom", i)\n```\n\n'
        rows.append((node(f"n{i}", text + words(40 if kind else 120), (YOU, SMOL)[i % 2]), f"n{i - 1}"))
    return grow("dialogue", *rows), tuple(f"n{i}" for i in range(count))


def timed(act: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1e3


def worst(act: Callable[[], object], times: int) -> float:
    """The slowest of several, in milliseconds."""
    return max(timed(act) for _ in range(times))


def live_rows(view: DialogueView, tree: Tree, path: tuple[str, ...]) -> dict[str, float]:
    """What happens while one reads: milliseconds by row name."""
    port, found = view.viewport(), {}
    fates = dict.fromkeys(path, "sent")
    found["the same path again"] = timed(lambda: view.show_path(tree, tuple(path), AGENTS, fates))
    found["fates, all the same"] = timed(lambda: view.set_fates(dict(fates)))
    cut = fates | dict.fromkeys(path[: len(path) // 2], "truncated")

    def tell() -> None:
        view.set_fates(cut)
        port.repaint()

    found["fates, half of them others"] = timed(tell)
    view.set_fates(fates)
    tree.put_node(node("more", "One more. " * 20, SMOL))
    tree.put_edge(grow("dialogue", (node(path[-1], ""), ""), (node("more", ""), path[-1])).edges["edge-more"])
    longer = (*path, "more")

    def follow() -> None:
        view.show_path(tree, longer, AGENTS, fates)
        port.repaint()

    found["one message more"] = timed(follow)
    (live,) = drafts("more", "")
    view.set_drafts([live])
    grown: list[LiveDraft] = [live]

    def token() -> None:
        grown[0] = replace(live, draft=replace(live.draft, text=grown[0].draft.text + " loom"))
        view.drafts_grew([grown[0]])
        port.repaint()

    found["one token, worst of 60"] = worst(token, 60)
    view.set_drafts([])
    view.show_path(tree, path, AGENTS, fates)
    return found


def scroll_rows(view: DialogueView) -> dict[str, float]:
    """Milliseconds by row name."""
    bar, port = view.verticalScrollBar(), view.viewport()
    chance = random.Random(3)

    def to(value: int) -> None:
        bar.setValue(value)
        port.repaint()

    found = {"to the beginning": timed(lambda: to(0)), "to the end": timed(lambda: to(bar.maximum()))}
    to(bar.maximum() // 2)
    found["scroll by a step, worst of 60"] = worst(lambda: to(bar.value() + 60), 60)
    found["scroll by a page, worst of 20"] = worst(lambda: to(bar.value() + 850), 20)
    found["leap anywhere, worst of 20"] = worst(lambda: to(chance.randint(0, bar.maximum())), 20)
    return found


def measure(count: int) -> dict[str, float]:
    """One run at one size."""
    tree, path = talk(count)
    view = DialogueView()
    view.resize(800, 900)
    view.show()
    while not (window := view.windowHandle()) or not window.isExposed():
        QApplication.processEvents()

    def open_path() -> None:
        view.show_path(tree, path, AGENTS, dict.fromkeys(path, "sent"))
        view.viewport().repaint()

    found = {"open": timed(open_path), **scroll_rows(view), **live_rows(view, tree, path)}

    def squeeze() -> None:
        view.resize(700, 900)
        view.viewport().repaint()

    found["another width"] = timed(squeeze)
    view.close()
    view.deleteLater()
    return found


def main(sizes: list[int]) -> None:
    """Measure and print."""
    app = QApplication([])
    theme.apply(app, "dark")
    measure(50)  # fonts and classes are loaded once
    rows: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(RUNS):
        for size in sizes:
            for name, taken in measure(size).items():
                rows[name][size].append(taken)
    print(f"{'milliseconds':34}" + "".join(f"{size:>10,}" for size in sizes))
    for name, columns in rows.items():
        print(f"{name:34}" + "".join(f"{statistics.median(columns[size]):10.1f}" for size in sizes))
    first, last = (statistics.median(rows["open"][size]) for size in (sizes[0], sizes[-1]))
    print(f"G11: {last / first:.2f} × (goal 1.5): {'met' if last <= 1.5 * first else 'NOT MET'}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [200, 2_000, 20_000])
