"""Counter of the tokens of the coming context, by the tokenizer of the embedded engine while that runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.report import Report
from loomapp.core.generation.provider import Request
from loomapp.core.model.entities import Mode
from loomapp.core.progress import Progress
from loomapp.core.sent.record import digest_of
from loomapp.core.text.token_counts import Tokenized, key_of
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.local_model import LocalModel
from loomapp.providers.registry import rules_for
from loomapp.session.background.background_work import BackgroundTask
from loomapp.session.context.preview import Preview
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.plan import Counted, Plan

REST_MS = 300  # after the last change of the context
NEAR = 32  # parts at either end of a gap that may have room once they are counted


class TokenCounter(QObject):
    """Counts the context that would be sent, and what is tried instead, once they rest, for models of the
    engine that runs; the preview is assembled again by the counts. The engine is never started for that.
    """

    def __init__(
        self, document: Document, preview: Preview, engine: Engine, trying: WhatIf | None = None
    ) -> None:
        super().__init__(preview)
        self._document, self._preview, self._engine, self._trying = document, preview, engine, trying
        self._task: BackgroundTask | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.on_rest)
        preview.assembled.connect(lambda _: self._rest.start())
        preview.failed.connect(lambda _: self._rest.stop())
        if trying is not None:
            trying.changed.connect(self.on_engine_changed)

    def close(self) -> None:
        self._rest.stop()
        task, self._task = self._task, None
        if task is not None:
            task.end()

    def on_engine_changed(self) -> None:
        """Count for an engine that runs by now, and for what is tried."""
        if self._preview.last is not None:
            self._rest.start()

    def on_rest(self) -> None:
        """Count what is not known yet of the first context that the engine could be asked about."""
        self._drop_task()
        for plan in (*self._preview.plans, *self._variants()):
            question, model_ref = plan.question, plan.question.agent.model_ref or ""
            if model_ref != self._engine.model_ref:
                continue
            known = question.estimator if isinstance(question.estimator, Tokenized) else None
            if known is not None and known.total is not None:
                continue
            request = plan.request(self._preview.ahead.tree, 1)
            self._count(plan, request, known)
            return

    def _variants(self) -> Iterator[Plan]:
        """Plans of the variants that are tried, for the agent that is looked at."""
        asked = self._preview.question
        for outcome in () if asked is None or self._trying is None else self._trying.outcomes:
            if outcome.trial is not None and outcome.assembled is not None and asked is not None:
                question = replace(asked, estimator=outcome.trial.inputs.estimator)
                rules = rules_for(asked.agent.model_ref or "")
                yield Plan(question, rules, outcome.assembled, outcome.trial)

    def _count(self, plan: Plan, request: Request, known: Tokenized | None) -> None:
        model, texts = LocalModel(self._engine, request.model_ref), texts_to_count(plan.assembled)
        digest, report = digest_of(plan.assembled), plan.assembled.report
        mode = self._preview.ahead.tree.loom.mode
        self._task = BackgroundTask(
            lambda told: counted(model, request, texts, known, digest, report, told, mode), self
        )
        self._task.done.connect(self.on_counted)
        self._task.start()

    def on_counted(self, found: Counted) -> None:
        """Remember the counts, and let the context be assembled by them."""
        self._document.counts.take(found)
        self._preview.refresh()

    def _drop_task(self) -> None:
        """A count of a context of before is of no use: it ends by itself, and no key waits for that."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            task.deleteLater()


def texts_to_count(assembled: Assembled) -> tuple[str, ...]:
    """The texts that decide what is sent: those that are, and the nearest of those that had no room."""
    fitted = assembled.fitted
    texts, gap = fitted.passages.texts, fitted.gap
    near = [*range(gap.start, gap.stop)[:NEAR], *range(gap.start, gap.stop)[-NEAR:]]
    kept = (*texts[: fitted.head.stop], *texts[fitted.tail.start :])
    return tuple(dict.fromkeys((assembled.system or "", *kept, *(texts[place] for place in near))))


def counted(
    model: LocalModel,
    request: Request,
    texts: tuple[str, ...],
    known: Tokenized | None,
    digest: str,
    report: Report,
    told: Progress,
    mode: Mode = "dialogue",
) -> Counted:
    """Count a request, and those of the texts that are not known yet.

    A request whose parts are all known may take a little more than its room: where one is cut, which costs
    more than its share, or where two meet. What it takes more than its `report` says is held free from then
    on, so that it is not chosen again; nothing is where nothing could make it fit.

    Raises: ProviderError.
    """
    if known is None:
        known = model.tokenized() if request.document is None else Tokenized()  # no template around a text
    counts, missing = (
        dict(known.counts),
        [text for text in texts if text and key_of(text) not in known.counts],
    )
    for number, text in enumerate(missing):
        told(number, len(missing))
        counts[key_of(text)] = model.count_text(text)
    total = model.count_tokens(request)
    fits = report.over_limit or total <= report.available
    over = 0 if fits else max(0, total - report.after_tokens)
    if over and missing:
        over, digest = 0, ""  # it is chosen anew by what is known now
    beside = known.request_tokens + over, known.message_tokens, known.bare_tokens + over
    return Counted(request.model_ref, Tokenized(counts, *beside), digest, total, mode)
