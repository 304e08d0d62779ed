"""Sending what is asked for; what is too much waits above the composer until the user has decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QObject

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import GroveError, InvalidInput, LargeAsk, LoomError, OverLimit
from loomapp.core.generation.assemble_request import AskedQuestion
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.sent.record import digest_of
from loomapp.ui.commands.inspector import remedies
from loomapp.ui.strings import told, tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow

Outcomes: TypeAlias = Sequence[tuple[AskedQuestion, Assembled | LoomError]]


class Waiting(QObject):
    """The question above the composer whether something is to be sent although it is much. It is about what
    would be sent when it was asked, and goes away as soon as that is another: the next Generate asks again.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._said = ""  # while it waits
        self._about: object = None

    def wire(self) -> None:
        """Hear of all that can make it another context."""
        window = self._window
        window.preview.assembled.connect(self.on_context)
        window.preview.failed.connect(self.on_context)
        window.trying.changed.connect(self.on_context)
        window.composer.count_changed.connect(self.on_context)
        window.document.tree_opened.connect(self.on_context)
        window.generator.started.connect(self.forget)

    def begin(self) -> None:
        """What is said above the composer is a question about what would be sent now."""
        self._window.preview.settle()
        self._said, self._about = self._window.text_pane.errors.text, self._context()

    def forget(self) -> None:
        """It is answered."""
        self._said, self._about = "", None

    def on_context(self) -> None:
        """What would be sent may be another."""
        errors = self._window.text_pane.errors
        if self._said and errors.text != self._said:
            self.forget()  # something else is said by now, or it was put away
        elif self._said and self._context() != self._about:
            self.forget()
            errors.clear()

    def answer(self, step: Callable[[], None]) -> None:
        """Do what was asked for, unless what would be sent is another by now."""
        about = self._about
        self.forget()
        self._window.preview.settle()
        if about is not None and self._context() == about:
            step()
        else:
            self._window.text_pane.errors.clear()

    def _context(self) -> object:
        """All that decides what would be sent, and for how many answers."""
        window = self._window
        tree, preview, trying = window.document.tree, window.preview, window.trying
        return (
            (tree.loom, tree.touches.mark, tree.included_annotations),
            (window.composer.count, trying.variants, trying.chosen),
            [question for question, _ in preview.outcomes],
            _digests(preview.outcomes),
        )


def refuse_unseen(window: MainWindow) -> None:
    """Take in what other programs committed up to now. Raises: InvalidInput if another context than the one
    that was shown would be sent with that; it is shown now, and the next Generate sends it.
    """
    document, preview = window.document, window.preview
    preview.settle()
    tree, before, shown = document.tree, _state(document.tree), list(preview.outcomes)
    with suppress(GroveError):  # what cannot be read now is said when something is to be saved
        document.take_in()
    if document.tree is tree and _state(tree) == before:
        return  # the usual case: nothing is assembled for it
    preview.refresh_now()
    if _digests(preview.outcomes) != _digests(shown):
        raise InvalidInput(tr("Another program changed this text; look again, then Generate."))


def _state(tree: Tree) -> tuple[LoomTree, int]:
    return tree.loom, tree.touches.mark


def _digests(outcomes: Outcomes) -> list[object]:
    """What would be sent, to the character, or why it can't be."""
    return [digest_of(one) if isinstance(one, Assembled) else one.message for _, one in outcomes]


def send(window: MainWindow, start: Callable[..., None], done: Callable[[], None]) -> None:
    """Start what is asked for. What is too long, or comes to very many tokens, waits above the composer for
    the user to decide; nothing is asked in a dialog.
    """

    def go(**allowed: bool) -> None:
        start(**allowed)
        done()

    waiting = window.waiting
    try:
        start(ask_above=window.preferences.settings.ask_above_tokens)
        done()
    except OverLimit as error:
        anyway = partial(go, over_limit=True)
        steps: list[tuple[str, str, Callable[[], None]]] = [
            ("look", tr("What helps…"), partial(remedies.show_over_limit, window)),
            ("model", tr("Another model…"), window.header.agents.on_clicked),
            ("send", tr("Send anyway"), partial(waiting.answer, anyway)),
        ]
        window.next_steps.offer_several(told(error.message), steps)
        waiting.begin()
    except LargeAsk as error:
        window.next_steps.offer(told(error.message), tr("Send"), partial(waiting.answer, go))
        waiting.begin()
