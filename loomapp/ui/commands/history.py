"""What the history does in a window: go to a point, stop on the way, name it, bring the list forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loomapp.session.abandoned_steps import bring_step_back

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def go_to(window: MainWindow, sequence: int) -> None:
    """Stand right after a step of the history, by as many undos or redos as lie between."""
    window.document.walk.start(sequence, window.generator.guard_undo)


def stop(window: MainWindow) -> None:
    """Stay at the point that was reached."""
    window.document.walk.stop()


def name_point(window: MainWindow, sequence: int, name: str) -> None:
    """Call a point of the history by a name."""
    window.document.name_point(sequence, name)
    window.inspector.show_history_of(window.document)


def bring_back(window: MainWindow, sequence: int) -> None:
    """Add what a step wrote to the tree again and read it there."""
    bring_step_back(window.document, sequence)
    window.inspector.history.leave_text()


def show(window: MainWindow) -> None:
    """The history of this tree, under the graph, with the keyboard in it."""
    window.bring_inspector()
    window.inspector.show_history_tab()
    window.inspector.history.setFocus()


def wire(window: MainWindow) -> None:
    """Connect the list of the history with what is done."""
    run = window.run_command
    history, walk = window.inspector.history, window.document.walk
    history.go_asked.connect(lambda point: run(lambda w: go_to(w, point)))
    history.name_asked.connect(lambda point, name: run(lambda w: name_point(w, point, name)))
    history.bring_back_asked.connect(lambda point: run(lambda w: bring_back(w, point)))
    history.stop_asked.connect(walk.stop)
    walk.progressed.connect(history.show_progress)
    walk.ended.connect(history.end_progress)
    walk.failed.connect(window.next_steps.show_error)
