"""Sides of a context, beside its rows: the context of each strategy, or the panel of variants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.errors import LoomError
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.inspector.what_if.panel import TrialPanel
from loomapp.ui.inspector.what_if.strategies import WIDTH_PX, Strategies

STRATEGIES_AFTER_MS = 120  # once the context rests: more contexts are assembled for them
QWIDGETSIZE_MAX = (1 << 24) - 1

Outcomes: TypeAlias = Mapping[str, Assembled | LoomError]  # by the name of the strategy
Coming: TypeAlias = Iterator[tuple[str, Assembled | LoomError]]


class ContextSides(QScrollArea):
    """Contexts of other strategies or variants. A low inspector may cut it off, but is never held
    open by it.
    """

    strategies_came = Signal(object)  # Outcomes, of every strategy: to be shown

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        inside = QWidget(self)
        self.setWidget(inside)
        self.strategies, self.trial_panel = Strategies(inside), TrialPanel(inside)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.strategies)
        column.addWidget(self.trial_panel)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        for side in (inside, self.strategies, self.trial_panel):
            side.setAutoFillBackground(False)
        self.hide()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(STRATEGIES_AFTER_MS)
        self._later.timeout.connect(self.on_rest)
        self._begin: Callable[[], Coming | None] | None = None
        self._outcomes: dict[str, Assembled | LoomError] = {}  # of those strategies that were assembled
        self._coming: Coming | None = None  # the others
        self._next = IdleTimer(self)
        self._next.timeout.connect(self.on_next)

    def set_trying(self, is_trying: bool) -> None:
        """Show what is tried, or what the strategies would send."""
        self.trial_panel.setVisible(is_trying)
        self.strategies.setVisible(not is_trying)

    def set_below(self, is_below: bool) -> None:
        """Put it below the rows, as wide as they are, or beside them."""
        self.setMinimumWidth(0 if is_below else WIDTH_PX)
        self.setMaximumWidth(QWIDGETSIZE_MAX if is_below else WIDTH_PX)

    def look_soon(self, begin: Callable[[], Coming | None]) -> None:
        """The context is another. Once it rests, assemble what `begin` gives, if anything is wanted then."""
        self._begin, self._coming = begin, None
        self._later.start()

    def stop_looking(self) -> None:
        """Stop finding out what the strategies would send: nobody sees it."""
        self._coming = None
        self._later.stop()

    def on_rest(self) -> None:
        """Find out what the other strategies would send, for the context stands."""
        self._outcomes, self._coming = {}, None if self._begin is None else self._begin()
        if self._coming is not None:
            self._next.start()

    def on_next(self) -> None:
        """Assemble another of them: a turn of the event loop each, as a long path takes its time."""
        if self._coming is None:
            return
        found = next(self._coming, None)
        if found is not None:
            self._outcomes[found[0]] = found[1]
            self._next.start()
            return
        self._coming = None
        if self._outcomes.keys() >= STRATEGIES.keys():
            self.strategies_came.emit(self._outcomes)
        self._outcomes = {}
