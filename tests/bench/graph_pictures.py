"""Pictures of the graph in both themes, to look at: `python -m tests.bench.graph_pictures FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from loomapp.ui.graph.view import GraphView
from loomapp.ui.look import theme
from tests.kit import graph_trees as trees


def rich_view(*, drafts: bool = True) -> GraphView:
    """Every state of a card, the pointer on one."""
    view = GraphView()
    view.set_reduced_motion(True)
    view.resize(1120, 760)
    view.show_tree(trees.rich_tree(), trees.AGENTS)
    view.set_path(trees.RICH_PATH)
    view.set_current("logbook")
    view.set_fates(trees.RICH_FATES)
    view.set_show_pruned(True)
    if drafts:
        view.set_drafts(trees.rich_drafts())
    return view


def point_at(view: GraphView, node_id: str) -> None:
    """As if the pointer rested on a card."""
    at = QPointF(view.node_rect(node_id).center())
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, view.viewport().mapToGlobal(at), none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(view.viewport(), event)


def main(folder: Path) -> None:
    """Write the pictures."""
    app = QApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("dark", "light"):
        theme.apply(app, "dark" if name == "dark" else "light")
        view = rich_view()
        view.show()
        app.processEvents()
        view.ensure_visible("d2")
        point_at(view, "father2")
        view.grab().save(str(folder / f"{name}-rich.png"))
        point_at(view, "logbook")
        view._hand.on_rested()
        view.grab().save(str(folder / f"{name}-preview.png"))
        for zoom in (0.6, 0.45, 0.2):
            view._look(view.camera.zoomed(zoom, QPointF(view.viewport().rect().center())))
            view.on_camera_rested()
            view.grab().save(str(folder / f"{name}-rich-{zoom}.png"))
        view.fit_all()
        view.show_tree(trees.buffer_tree(), trees.AGENTS)
        view.set_path(("root", "one", "v2", "two"))
        view.set_current("two")
        view._ring = True
        point_at(view, "one")
        view.grab().save(str(folder / f"{name}-buffer.png"))
        big = trees.grown_tree(10_000)
        view.show_tree(big, trees.AGENTS)
        view.set_path(trees.ancestors(big, "n9999"))
        view.set_current("n9999")
        view.grab().save(str(folder / f"{name}-big.png"))
        view.fit_all()
        view.grab().save(str(folder / f"{name}-big-fit.png"))
        view.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
