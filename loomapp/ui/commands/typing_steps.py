"""Steps of typing: undo and redo go through these first, in the text one writes in, then through changes.

They are of the buffer that is read, else of the composer while the keyboard is in it.
"""

from __future__ import annotations

from loomapp.ui.workbench import Workbench


def can_undo(bench: Workbench) -> bool:
    """True if there is typing to take back."""
    if bench.buffer.is_on:
        return bench.work.writing.undo.can_undo_typing
    return _is_in_composer(bench) and bench.views.composer.edits.can_undo


def can_redo(bench: Workbench) -> bool:
    """True if there is typing to do again."""
    if bench.buffer.is_on:
        return bench.work.writing.undo.can_redo_typing
    return _is_in_composer(bench) and bench.views.composer.edits.can_redo


def undo(bench: Workbench) -> bool:
    """Take back a step of typing; False if there is none."""
    if bench.buffer.is_on:
        return bench.buffer.taking_back.undo_typing()
    return _is_in_composer(bench) and bench.views.composer.undo_typing()


def redo(bench: Workbench) -> bool:
    """Type again what was taken back; False if there is nothing."""
    if bench.buffer.is_on:
        return bench.buffer.taking_back.redo_typing()
    return _is_in_composer(bench) and bench.views.composer.redo_typing()


def _is_in_composer(bench: Workbench) -> bool:
    return bench.views.composer.field.hasFocus()
