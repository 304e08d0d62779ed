"""Next steps: what happened in a sentence above the composer, and what can be done about it at a press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from PySide6.QtCore import QObject

from loomapp.core.errors import LoomError
from loomapp.ui.frame.announcer import Announcer
from loomapp.ui.strings import told
from loomapp.ui.widgets.error_strip import ErrorStrip

Run: TypeAlias = Callable[[Callable[[], None]], None]


class NextSteps(QObject):
    """The newest sentence stands there until it is closed, or something new is asked for."""

    def __init__(
        self,
        strip: ErrorStrip,
        announcer: Announcer,
        bring_text: Callable[[], None],
        run: Run,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._strip, self._announcer, self._bring_text, self._run = strip, announcer, bring_text, run
        self._step: Callable[[], None] | None = None
        self._steps: dict[str, Callable[[], None]] = {}  # of several, by name

    def show_error(self, error: LoomError) -> None:
        """Show what happened and its next step in one sentence."""
        self._step = None
        self._strip.say(told(error.message))
        self._bring_text()
        self._announcer.say(told(error.message))

    def tell(self, sentence: str) -> None:
        """Tell, as a warning, of something that is no fault, with its next step in the same sentence."""
        self._step = None
        self._strip.say(told(sentence), tone="warning")
        self._bring_text()
        self._announcer.say(told(sentence))

    def offer(self, sentence: str, action: str, step: Callable[[], None]) -> None:
        """Offer a next step to press, with a sentence."""
        self._step = step
        self._strip.say(sentence, action, tone="warning")
        self._bring_text()

    def offer_several(self, sentence: str, steps: Sequence[tuple[str, str, Callable[[], None]]]) -> None:
        """A sentence with several next steps: the name, the words and the act of each."""
        self._steps = {name: step for name, _, step in steps}
        acts = [(name, words) for name, words, _ in steps]
        self._strip.offer(sentence, acts, tone="warning", closable=True)
        self._bring_text()

    def on_act(self, name: str) -> None:
        """Do one of several next steps; what only shows something leaves the others there."""
        step = self._steps.get(name)
        if step is not None:
            self._run(step)

    def on_action(self) -> None:
        self._strip.clear()
        step, self._step = self._step, None
        if step is not None:
            self._run(step)
