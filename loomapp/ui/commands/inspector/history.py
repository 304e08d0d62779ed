"""History in a window: go to a point, stop on the way, name it, bring the list forward."""

from __future__ import annotations

from loomapp.session.restored import bring_step_back
from loomapp.ui.workbench import Workbench


def go_to(bench: Workbench, sequence: int) -> None:
    """Stand right after a step of the history, by as many undos or redos as lie between."""
    bench.work.document.walk.start(sequence, bench.work.generator.answers.guard_undo)


def stop(bench: Workbench) -> None:
    """Stay at the point of the history that was reached."""
    bench.work.document.walk.stop()


def name_point(bench: Workbench, sequence: int, name: str) -> None:
    bench.work.document.history.name_point(sequence, name)
    bench.views.inspector.show_history_of(bench.work.document.history)


def bring_back(bench: Workbench, sequence: int) -> None:
    """Add what a step wrote to the tree again and read it there."""
    bring_step_back(bench.work.document, sequence)
    bench.views.inspector.history.leave_text()


def show(bench: Workbench) -> None:
    bench.frame.bring_inspector()
    bench.views.inspector.show_history_tab()
    bench.views.inspector.history.setFocus()


def wire(bench: Workbench) -> None:
    run = bench.frame.run_command
    history, walk = bench.views.inspector.history, bench.work.document.walk
    history.go_asked.connect(lambda point: run(lambda w: go_to(w, point)))
    history.name_asked.connect(lambda point, name: run(lambda w: name_point(w, point, name)))
    history.bring_back_asked.connect(lambda point: run(lambda w: bring_back(w, point)))
    history.stop_asked.connect(walk.stop)
    walk.progressed.connect(history.show_progress)
    walk.ended.connect(history.end_progress)
    walk.failed.connect(bench.frame.show_error)
