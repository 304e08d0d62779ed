"""What would be sent now: assembled again whenever the tree, the place or the composer changes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.asking import Question, assembled_for
from loomapp.core.context.assembly import Assembled
from loomapp.core.errors import AssemblyError
from loomapp.core.generation import Sources
from loomapp.providers.registry import rules_for
from loomapp.session.document import Document


class Preview(QObject):
    """Keeps the context of the coming generation; changes of one event-loop turn are assembled once."""

    assembled = Signal(object)  # Assembled
    failed = Signal(object)  # AssemblyError

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._composer_text = ""
        self.last: Assembled | None = None
        self.error: AssemblyError | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.refresh_now)

    def set_composer_text(self, text: str) -> None:
        """Text that is not committed yet: part of what Generate would send."""
        self._composer_text = text
        self.refresh()

    def refresh(self) -> None:
        """Assemble again when the event loop comes round."""
        self._soon.start()

    def refresh_now(self) -> None:
        """Assemble again at once."""
        self._soon.stop()
        document = self._document
        agent = document.model_agent()
        sources, defaults = Sources(document.current_id), document.context_defaults
        question = Question(agent, sources, self._composer_text, defaults)
        try:
            self.last = assembled_for(document.tree, question, rules_for(agent.model_ref or ""))
        except AssemblyError as error:
            self.last, self.error = None, error
            self.failed.emit(error)
        else:
            self.error = None
            self.assembled.emit(self.last)
