"""Trying: variants of what would be sent, side by side, assembled again whenever the context is another."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import AssemblyError, LoomError
from loomapp.core.sent.inputs import Inputs, Model, as_seen, assembled_from, inputs_of
from loomapp.core.sent.variant import Variant, next_name, variant_between
from loomapp.core.tree import Tree
from loomapp.providers.registry import rules_for
from loomapp.session.document import Document
from loomapp.session.preview import Preview

LONG_PATH = 2_000  # nodes: from here on only the chosen variant is assembled at once, the others at rest
REST_MS = 200
MOST = 6  # more variants than that are not compared


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one variant would send, or why it can send nothing. Without a variant: the tree as it is."""

    variant: Variant | None
    inputs: Inputs
    assembled: Assembled | None = None
    error: LoomError | None = None

    @property
    def result(self) -> Assembled | LoomError:
        """What is sent, or the error."""
        if self.assembled is not None:
            return self.assembled
        assert self.error is not None, "what sends nothing has an error"
        return self.error


class Trying(QObject):
    """What is tried in the open tree. The first outcome is the tree as it is; the others are variants.

    They are differences from the tree as it is, so they follow what is typed and where one goes. Nothing here
    is saved, and nothing touches the tree.
    """

    changed = Signal()  # another outcome, another choice, begun or left

    def __init__(self, document: Document, preview: Preview) -> None:
        super().__init__(preview)
        self._document, self._preview = document, preview
        self._variants: tuple[Variant, ...] = ()
        self._seen: dict[str, tuple[Tree, int, Inputs, Tree]] = {}  # by the name of the variant
        self.outcomes: tuple[Outcome, ...] = ()
        self.chosen = 0
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(REST_MS)
        self._later.timeout.connect(self.on_rest)
        preview.assembled.connect(self.on_context)
        preview.failed.connect(self.on_context)
        document.tree_opened.connect(lambda _: self.leave())

    @property
    def is_on(self) -> bool:
        """True while anything is tried."""
        return bool(self._variants)

    @property
    def shown(self) -> Outcome | None:
        """The outcome that is looked at."""
        return self.outcomes[self.chosen] if self.chosen < len(self.outcomes) else None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Those that are tried, in order."""
        return self._variants

    def begin(self) -> None:
        """Try something: a first variant, which is as the tree is until it is changed."""
        if not self.is_on:
            self.add()

    def add(self) -> None:
        """Another variant, beginning as the one that is looked at."""
        if len(self._variants) >= MOST:
            return
        shown = self.shown
        name = next_name(variant.name for variant in self._variants)
        alike = shown.variant if shown is not None and shown.variant is not None else Variant(name)
        self._variants = (*self._variants, replace(alike, name=name))
        self.chosen = len(self._variants)
        self._assemble()

    def remove(self, index: int) -> None:
        """No longer try one, by its number among the outcomes; with the last one all is left."""
        self._variants = tuple(v for i, v in enumerate(self._variants, start=1) if i != index)
        if not self._variants:
            self.leave()
            return
        self.chosen = min(self.chosen, len(self._variants))
        self._assemble()

    def leave(self) -> None:
        """Try nothing any more."""
        was_on = self.is_on
        self._variants, self.outcomes, self.chosen = (), (), 0
        self._seen = {}
        self._later.stop()
        if was_on:
            self.changed.emit()

    def choose(self, index: int) -> None:
        """Look at another outcome."""
        if 0 <= index < len(self.outcomes) and index != self.chosen:
            self.chosen = index
            self._assemble()

    def put(self, wanted: Inputs) -> None:
        """The variant that is looked at is to send this instead; of the tree as it is a new one is made."""
        if not self.outcomes:
            return
        if self.chosen == 0:
            self.add()
        today, place = self.outcomes[0].inputs, self.chosen - 1
        changed = variant_between(self._variants[place].name, today, wanted)
        self._variants = (*self._variants[:place], changed, *self._variants[place + 1 :])
        self._assemble()

    def on_context(self) -> None:
        """What would be sent is another."""
        if self.is_on:
            self._assemble()

    def on_rest(self) -> None:
        """Nobody types: the other variants too."""
        self._assemble(all_of_them=True)

    # Behind it

    def _today(self) -> Inputs | None:
        question = self._preview.question
        if question is None:
            return None
        try:
            return inputs_of(self._document.tree, question, rules_for(question.agent.model_ref or ""))
        except AssemblyError:  # there is no path to it
            return None

    def _assemble(self, *, all_of_them: bool = False) -> None:
        today = self._today()
        if today is None:
            self.leave()
            return
        is_long = len(today.path) > LONG_PATH and not all_of_them
        before = {outcome.variant: outcome for outcome in self.outcomes}
        found = [Outcome(None, today, self._preview.last, self._preview.error)]
        for number, variant in enumerate(self._variants, start=1):
            old = before.get(variant)
            if is_long and number != self.chosen and old is not None:
                found.append(old)
                self._later.start()
            else:
                found.append(self._outcome(variant, today))
        self.outcomes = tuple(found)
        self.changed.emit()

    def _outcome(self, variant: Variant, today: Inputs) -> Outcome:
        tree = self._document.tree
        inputs = variant.applied(tree, today)
        try:
            return Outcome(
                variant, inputs, assembled_from(tree, inputs, self._tree_seen(variant.name, inputs))
            )
        except LoomError as error:
            return Outcome(variant, inputs, error=error)

    def _tree_seen(self, name: str, inputs: Inputs) -> Tree:
        """The tree as a variant sees it; the one of before while only words in the composer are others."""
        tree = self._document.tree
        rests_on = replace(inputs, text="", blocks=(), withheld={}, model=Model())
        old = self._seen.get(name)
        if old is not None and old[0] is tree and old[1] == tree.touches.mark and old[2] == rests_on:
            return old[3]
        seen = as_seen(tree, inputs)
        self._seen[name] = tree, tree.touches.mark, rests_on, seen
        return seen
