"""Sides of a context: each strategy's or the variants beside its rows, and the bar over what is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QToolButton, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.errors import LoomError
from loomapp.core.sent.trial import Remedy
from loomapp.session.background.background_work import IdleTimer
from loomapp.ui.inspector.what_if.panel import TrialPanel
from loomapp.ui.inspector.what_if.strategies import WIDTH_PX, Strategies
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import IconLabel, label, plain_tip
from loomapp.ui.widgets.layouts import Flow, fill, vertical

ICON_PX = 16


class TrialBar(QFrame):
    act_asked = Signal(str)  # generate, generateAll, makeSo, compare, leave

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trialBar")
        self.setAccessibleName(tr("Trying something out: your tree is not changed."))
        theme.set_look(self, surface="selected")
        self._words = label("", "ui_strong", "primary", wrap=True, name="trialWords")
        self._close = QToolButton(self)
        self._close.setObjectName("leaveTrialButton")
        self._close.setText(tr("Leave"))
        self._close.setToolTip(tr("Back to what this tree sends; what you tried is discarded"))
        self._close.setAccessibleName(tr("Leave what is tried"))
        self._close.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.put_beside_words(self._close, "x", size=ICON_PX)
        self._close.clicked.connect(lambda: self.act_asked.emit("leave"))
        self.generate = self._button("generate", kind="primary")
        self.generate_all = self._button("generateAll")
        self.make_so = self._button("makeSo")
        self.make_so.setText(tr("Apply to this tree"))
        self.compare = self._button("compare")
        self.compare.setText(tr("Side by side"))
        self.compare.setToolTip(tr("The texts of all variants beside each other, with the words that differ"))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel("split", "accent.base", ICON_PX))
        head.addWidget(self._words, 1)
        head.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        acts = Flow()
        fill(acts, self.generate, self.generate_all, self.make_so, self.compare)
        column = vertical(self, (12, 8, 8, 10), spacing=8)
        fill(column, head, acts)
        self.hide()

    def show_trial(
        self,
        name: str,
        *,
        variants: int,
        models: int,
        count: int,
        can_send: bool,
        can_write: bool,
        is_otherwise: bool,
        is_asked_only: bool = False,
        why_not: str = "",
    ) -> None:
        """`name` is that of the variant that is looked at, "" for the tree as it is; each of the models that
        are asked gives `count` answers to each variant. `why_not` says why nothing can be generated now.
        `is_asked_only`: a tree cannot be told to send it this way.
        """
        self._words.setText(
            tr("Trying something out: your tree is not changed. Only the buttons here send what you try.")
        )
        several = models > 1
        words = (
            tr("Generate with {name}: {models} models × {count}")
            if several
            else tr("Generate with {name}: {count} ×")
        )
        self.generate.setText(words.format(name=name, models=models, count=count))
        self.generate.setVisible(bool(name))
        self.generate.setEnabled(can_send and not why_not)
        words = tr("Generate with all: {variants} × {count}")
        if several:
            words = tr("Generate with all: {variants} × {models} models × {count}")
        self.generate_all.setText(words.format(variants=variants, models=models, count=count))
        self.generate_all.setVisible(variants > 1)
        self.generate_all.setEnabled(not why_not)
        for button in (self.generate, self.generate_all):
            button.setToolTip(plain_tip(why_not))
            button.setAccessibleDescription(why_not)
        self.make_so.setVisible(bool(name))
        self.make_so.setEnabled(can_write and is_otherwise and not is_asked_only)
        said = tr("The tree sends it this way from now on; one undo takes it back")
        if is_asked_only:
            said = tr("A tree always sends its newest valid summary; delete that one to send an earlier one")
        self.make_so.setToolTip(plain_tip(said))
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_close"):
            self._close.setIcon(theme.icon("x", role="text.secondary", size=ICON_PX))

    def _button(self, name: str, kind: str = "plain") -> QPushButton:
        button = push_button(f"trial_{name}", parent=self, kind=kind)
        button.clicked.connect(lambda: self.act_asked.emit(name))
        return button


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
        column = vertical(inside)
        fill(column, self.strategies, self.trial_panel)
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


class ContextAnswers(Protocol):
    """Answers about the context that is shown; a preview without them shows and changes nothing."""

    def by_strategy(self) -> Coming:
        """Return the contexts of each strategy, one after the other; fewer if it is another context
        by then.
        """

    def strategy(self) -> tuple[str, bool]:
        """Return the strategy that counts, and True if another can be chosen."""

    def remedies(self, error: LoomError) -> Sequence[Remedy]: ...

    def request_writer(self, assembled: Assembled) -> Callable[[], str]: ...
