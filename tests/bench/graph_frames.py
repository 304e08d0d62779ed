"""Frames of the graph at 10,000 nodes: `python -m tests.bench.graph_frames [NODES]`; prints a table."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from loomapp.core.generation.drafts import Draft, LiveDraft
from loomapp.core.model.change import apply
from loomapp.ui.graph.view import GraphView
from loomapp.ui.look import theme
from tests.kit import graph_trees as trees


def timed(act: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1e3


def report(name: str, times: list[float]) -> None:
    """A row of the table."""
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    print(f"{name:34} median {statistics.median(times):8.1f} ms   p95 {p95:8.1f}   n {len(times)}")


def main(size: int) -> None:
    """Measure."""
    app = QApplication([])
    theme.apply(app, "dark")
    tree = trees.grown_tree(size)
    view = GraphView()
    view.set_reduced_motion(True)
    view.resize(1600, 1000)
    view.show()
    while not (window := view.windowHandle()) or not window.isExposed():
        app.processEvents()
    port = view.viewport()
    last = f"n{size - 1}"

    def show() -> None:
        view.show_tree(tree, trees.AGENTS)
        view.set_path(trees.ancestors(tree, last))
        view.set_current(last)
        port.repaint()

    report("show_tree to first frame", [timed(show) for _ in range(3)])
    view.unfold_all()
    report("all unfolded", [timed(view.tidy_up)])
    view._scene.places.arrange_anew()
    report("settle, texts measured", [timed(view.node_ids)])
    for zoom in (1.0, 0.6, 0.4, 0.2, view.camera.smallest):
        view._look(view.camera.zoomed(zoom, QPointF(800, 500)))
        view.on_camera_rested()
        first = timed(port.repaint)

        def pan(step: int) -> None:
            by = 9 if step % 20 < 10 else -9
            view.pan(QPointF(by, by * 0.7))
            port.repaint()

        report(f"pan at {zoom:.3f} (first {first:.0f} ms)", [timed(lambda i=i: pan(i)) for i in range(40)])  # type: ignore[misc]
    view.fit_current()
    port.repaint()

    def zoom_by(factor: float) -> None:
        view._zoom_by(factor, QPointF(700, 420))
        port.repaint()

    report("wheel out, 1 to everything", [timed(lambda: zoom_by(1 / 1.2)) for _ in range(30)])
    report("wheel in, everything to 1", [timed(lambda: zoom_by(1.2)) for _ in range(30)])

    def fit() -> None:
        view.fit_all()
        port.repaint()

    report("fit_all", [timed(fit) for _ in range(3)])
    view.fit_current()
    port.repaint()

    def add(number: int) -> None:
        change = trees.added(tree, last, f"new{number}")
        apply(tree, change)
        view.patch(change)
        port.repaint()

    report("one added card", [timed(lambda i=i: add(i)) for i in range(10)])  # type: ignore[misc]
    drafts = tuple(LiveDraft(f"d{i}", last, "smol", Draft(i)) for i in range(4))

    def draft() -> None:
        view.set_drafts(drafts)
        port.repaint()

    report("four drafts appear", [timed(draft)])

    def grow(number: int) -> None:
        view.drafts_grew([LiveDraft("d1", last, "smol", Draft(1, "word " * number))])
        app.processEvents()

    report("a draft grew", [timed(lambda i=i: grow(i)) for i in range(60)])  # type: ignore[misc]

    def tell(number: int) -> None:
        view.set_fates({last: "sent", "n0": str(number)})
        port.repaint()

    report("set_fates", [timed(lambda i=i: tell(i)) for i in range(10)])  # type: ignore[misc]
    view.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
