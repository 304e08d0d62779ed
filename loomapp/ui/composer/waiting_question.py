"""The question above the composer whether something is to be sent although it is much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QObject

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import LoomError
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.sent.record import digest_of
from loomapp.session.workspace import Workspace
from loomapp.ui.composer.composer import Composer
from loomapp.ui.widgets.error_strip import ErrorStrip

Outcomes: TypeAlias = Sequence[tuple[AskedQuestion, Assembled | LoomError]]


class Waiting(QObject):
    """The question above the composer whether something is to be sent although it is much. It is about what
    would be sent when it was asked, and goes away as soon as that is another: the next Generate asks again.
    """

    def __init__(self, work: Workspace, composer: Composer, errors: ErrorStrip, parent: QObject) -> None:
        super().__init__(parent)
        self._work, self._composer, self._errors = work, composer, errors
        self._said = ""  # while it waits
        self._about: object = None

    def wire(self) -> None:
        """Follow all that can change the context that would be sent."""
        work = self._work
        work.preview.assembled.connect(self.on_context)
        work.preview.failed.connect(self.on_context)
        work.what_if.changed.connect(self.on_context)
        self._composer.count_changed.connect(self.on_context)
        work.document.tree_opened.connect(self.on_context)
        work.generator.started.connect(self.forget)

    def begin(self) -> None:
        """Tie the question above the composer to the context that would be sent now."""
        self._work.preview.settle()
        self._said, self._about = self._errors.text, self._context()

    def forget(self) -> None:
        """Drop the question: it is answered."""
        self._said, self._about = "", None

    def on_context(self) -> None:
        """Drop the question if another one is shown or the context that would be sent is another."""
        errors = self._errors
        if self._said and errors.text != self._said:
            self.forget()  # something else is said by now, or it was put away
        elif self._said and self._context() != self._about:
            self.forget()
            errors.clear()

    def answer(self, step: Callable[[], None]) -> None:
        """Do what was asked for, unless what would be sent is another by now."""
        about = self._about
        self.forget()
        self._work.preview.settle()
        if about is not None and self._context() == about:
            step()
        else:
            self._errors.clear()

    def _context(self) -> object:
        """Return all that decides what would be sent, and for how many answers."""
        tree, preview, trying = self._work.document.tree, self._work.preview, self._work.what_if
        return (
            (tree.loom, tree.touches.mark, tree.included_annotations),
            (self._composer.count, trying.variants, trying.chosen),
            [question for question, _ in preview.outcomes],
            digests(preview.outcomes),
        )


def digests(outcomes: Outcomes) -> list[object]:
    """Return digests of what would be sent, to the character, or the reason why it can't be."""
    return [digest_of(one) if isinstance(one, Assembled) else one.message for _, one in outcomes]
