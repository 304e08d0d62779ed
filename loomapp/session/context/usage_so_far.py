"""Token counts that providers gave on this path, and a careful estimate where the context may be too long."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import Report
from loomapp.core.progress import Progress, unheard
from loomapp.core.sent.record import counted_for
from loomapp.core.text.token_estimates import TokenCalibration, careful_estimate
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.context.preview import Preview
from loomapp.session.document import Document

REST_MS = 300  # after the last change of the context
AT_ONCE = 20_000  # characters that are looked at on the GUI thread; more are looked at beside it
LOOKED_AT = 8  # answers upwards, for one that was counted
DOUBT = 1.03  # an anchored estimate is that exact


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """Counts of a context beyond its estimate: an `anchor` from what was counted on its path, and the
    `careful` estimate if one was made. `tokens` is the better of the two.
    """

    report: Report
    anchor: TokenCalibration | None = None
    careful: int | None = None

    @property
    def tokens(self) -> int | None:
        """The number of tokens that the provider is likely to count; None if nothing is known."""
        return self.careful if self.anchor is None else self.anchor.tokens(self.report.after_tokens)

    def said_of(self, report: Report) -> ContextUsage:
        """Return the usage of another context on the same path; a careful estimate is of one text only."""
        return self if report is self.report else ContextUsage(report, self.anchor)

    @property
    def over_by(self) -> int:
        """Return by how many tokens it may be more than the model's window holds, with the room for the
        answer; 0 if there is no doubt.
        """
        tokens, report = self.tokens, self.report
        if tokens is None or report.over_limit:
            return 0
        likely = tokens if self.anchor is None else round(tokens * DOUBT)
        return max(0, likely - report.available)


class UsageSoFar(QObject):
    """Usage so far, found out once the context that would be sent rests."""

    changed = Signal(object)  # ContextUsage

    def __init__(self, document: Document, preview: Preview) -> None:
        super().__init__(preview)
        self._document, self._preview = document, preview
        self._anchors: dict[tuple[str, str], TokenCalibration | None] = {}
        self._task: BackgroundTask | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.on_rest)
        preview.assembled.connect(lambda _: self._rest.start())
        preview.failed.connect(lambda _: self._rest.stop())

    def close(self) -> None:
        """Stop counting."""
        self._rest.stop()
        task, self._task = self._task, None
        if task is not None:
            task.end()

    def _drop_look(self) -> None:
        """A look at a context of before is of no use: it ends by itself, and no key waits for that."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            task.deleteLater()

    def on_rest(self) -> None:
        """Count for the context: what was counted before it, else a careful look."""
        context = self._preview.last
        if context is None:
            return
        self._drop_look()
        anchor = self.anchor_of(context)
        texts = texts_of(context)
        in_bytes = sum(len(text) * (1 if text.isascii() else 4) for text in texts)
        if anchor is not None or in_bytes <= context.report.available:
            self.changed.emit(ContextUsage(context.report, anchor))
        elif sum(map(len, texts)) <= AT_ONCE:
            self.changed.emit(ContextUsage(context.report, careful=_careful(texts)))
        else:
            report = context.report
            self._task = BackgroundTask(
                lambda told: ContextUsage(report, careful=_careful(texts, told)), self
            )
            self._task.done.connect(self.on_looked)
            self._task.start()

    def on_looked(self, measured: ContextUsage) -> None:
        """Take the careful look's result; it may be about a context of before."""
        context = self._preview.last
        if context is not None and context.report is measured.report:
            self.changed.emit(measured)

    def anchor_of(self, context: Assembled) -> TokenCalibration | None:
        """Return the last count for the same model on the path of a context; None if there is none."""
        question, nodes = self._preview.question, context.placed.path.nodes
        model_ref = question.agent.model_ref or "" if question is not None else ""
        looked_at = 0
        for node in reversed(nodes):
            if node.author_type != "model":
                continue
            anchor = self._anchor(node.id, model_ref)
            looked_at += 1
            if anchor is not None or looked_at == LOOKED_AT:
                return anchor
        return None

    def _anchor(self, node_id: str, model_ref: str) -> TokenCalibration | None:
        key = node_id, model_ref
        if key not in self._anchors:
            document = self._document
            evidence = document.grove.evidence(document.tree.loom.id, node_id)
            found = None if evidence is None else counted_for(evidence)
            is_same = found is not None and found.model_ref == model_ref
            self._anchors[key] = (
                TokenCalibration(found.measured, found.estimated, node_id)
                if found is not None and is_same
                else None
            )
        return self._anchors[key]


def texts_of(context: Assembled) -> tuple[str, ...]:
    """The texts that are sent: the system context, and every part that is kept, as far as it is."""
    head, tail = context.fitted.texts()
    return (context.system or "", *head, *tail)


def _careful(texts: tuple[str, ...], told: Progress = unheard) -> int:
    tokens = 0
    for number, text in enumerate(texts):
        told(number, len(texts))
        tokens += careful_estimate(text)
    return tokens
