"""Keys that no part of the window took: letters are words, and the key of an action that is off says why."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent

from loomapp.ui.commands import panes
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import is_word_key
from loomapp.ui.workbench import Workbench


def take(bench: Workbench, event: QKeyEvent) -> bool:
    """Take a key that came back from all that has the keyboard; False if it means nothing here either."""
    why_off = bench.actions.why_off(event, in_graph=bench.views.graph.hasFocus())
    if why_off is not None:
        bench.frame.note(why_off or tr("This cannot be done now."))
        return True
    if is_word_key(event):
        panes.write_on(bench, event)
        return True
    return False
