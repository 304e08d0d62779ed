"""What would be sent now: assembled again whenever the tree, the place or the composer changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.asking import Question
from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import LoomError
from loomapp.core.tree import Agent
from loomapp.session.document import Document
from loomapp.session.enclosures import Enclosures
from loomapp.session.pending import PendingSources
from loomapp.session.plan import Plan, by_strategy, planned


class Preview(QObject):
    """Keeps the context of the coming generation; changes of one event-loop turn are assembled once."""

    assembled = Signal(object)  # Assembled
    failed = Signal(object)  # LoomError: AssemblyError, or endpoints that can't be read

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._composer_text = ""
        self._base_id: str | None = None  # what the text continues; None: the current node
        self.pending = PendingSources(document, self)
        self.enclosed = Enclosures(document, self)
        self.enclosed.changed.connect(self.refresh)
        self.last: Assembled | None = None
        self.agent: Agent | None = None  # whose `last` is
        self.question: Question | None = None  # that `last` answers, or that could not be
        self.plans: tuple[Plan, ...] = ()  # one for each agent that can be asked
        self.error: LoomError | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh_now)

    def by_strategy(self) -> dict[str, Assembled | LoomError]:
        """What each strategy would send to the agent with the least room."""
        return {} if self.question is None else by_strategy(self._document.tree, self.question)

    def set_composer_text(self, text: str) -> None:
        """Text that is not committed yet: part of what Generate would send."""
        self.set_place(None, text)

    def set_place(self, base_id: str | None, text: str) -> None:
        """Likewise, where it does not continue the current node: in the middle of a buffer."""
        if (base_id, text) != (self._base_id, self._composer_text):
            self._base_id, self._composer_text = base_id, text
            self.refresh()

    def refresh(self) -> None:
        """Assemble again when the event loop comes round."""
        self._soon.start()

    def refresh_now(self) -> None:
        """Assemble again at once, for each agent that is asked; `last` is the one with the least room."""
        self._soon.stop()
        document = self._document
        errors: list[LoomError] = []
        plans: list[Plan] = []
        base_id = self._base_id if self._base_id in document.tree.nodes else None
        sources = self.pending.sources(base_id or document.current_id)
        for agent in document.asked_agents():
            question = Question(
                agent,
                sources,
                self._composer_text,
                document.context_defaults,
                composer_blocks=self.enclosed.blocks,
                commits_text=True,
                media=document.media,
            )
            try:
                plans.append(planned(document.tree, question))
            except LoomError as error:
                errors.append(error)
            self.question = question
        self.plans = tuple(plans)
        if plans:
            tightest = min(plans, key=lambda plan: plan.free_tokens)
            self.last, self.error, self.question = tightest.assembled, None, tightest.question
            self.agent = tightest.question.agent
            self.assembled.emit(self.last)
        else:
            self.last, self.error = None, errors[0]
            self.failed.emit(errors[0])
