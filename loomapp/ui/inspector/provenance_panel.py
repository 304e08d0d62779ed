"""The provenance of a model's node: which exchange it came from, and the exchange itself as plain text."""

from __future__ import annotations

import gzip
import io
import zlib

from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from loomapp.core.evidence import Evidence
from loomapp.core.json_values import iso_time
from loomapp.core.usage import Spent, total
from loomapp.store.prices import read_prices
from loomapp.ui.form import label
from loomapp.ui.inspector.facts import Facts
from loomapp.ui.inspector.plain_view import SHOWN_CHARACTERS, PlainView
from loomapp.ui.strings import tr

BODY_HEIGHT_PX = 220


class ProvenancePanel(QFrame):
    """Provider, model as returned, tokens, latency; request and response body on demand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("provenancePanel")
        self._evidence: Evidence | None = None
        self._facts = Facts(self)
        self._request = self._body_button("requestBodyButton", tr("Request body"))
        self._response = self._body_button("responseBodyButton", tr("Response body"))
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self._body = PlainView(tr("Body of the exchange"))
        self._body.setObjectName("exchangeBody")
        self._body.setFixedHeight(BODY_HEIGHT_PX)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self._request)
        buttons.addWidget(self._response)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(label(tr("Provenance"), "ui_strong"))
        column.addWidget(self._facts)
        column.addLayout(buttons)
        column.addWidget(self._body)

    def show_evidence(self, evidence: Evidence | None, node_id: str) -> None:
        """Show the exchange that a node rests on; hidden if there is none."""
        self.setVisible(evidence is not None)
        if evidence is None or evidence == self._evidence:
            self._evidence = evidence
            return
        self._evidence = evidence
        self._facts.show_facts(_facts(evidence, node_id))
        self._show_body()

    def on_body_clicked(self) -> None:
        """One body at a time; a second click puts it away."""
        clicked = self.sender()
        other = self._response if clicked is self._request else self._request
        other.setChecked(False)
        self._show_body()

    def _show_body(self) -> None:
        evidence = self._evidence
        self._body.setVisible(self._request.isChecked() or self._response.isChecked())
        if evidence is None or self._body.isHidden():
            return
        if self._request.isChecked():
            self._body.show_text(evidence.request_body)
        else:
            text, goes_on = response_text(evidence.body_gzip)
            self._body.show_text(text, goes_on=goes_on)

    def _body_button(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setObjectName(name)
        button.setCheckable(True)
        button.clicked.connect(self.on_body_clicked)
        return button


def response_text(body_gzip: bytes) -> tuple[str, bool]:
    """The beginning of a response body as text, and whether it goes on; no more than that is unpacked."""
    try:
        with gzip.open(io.BytesIO(body_gzip)) as body:
            data = body.read(SHOWN_CHARACTERS)
            goes_on = bool(body.read(1))
    except (OSError, EOFError, zlib.error) as error:
        return tr("The kept response cannot be read: {why}").format(why=error), False
    return data.decode("utf-8", errors="replace"), goes_on


def _facts(evidence: Evidence, node_id: str) -> list[tuple[str, str | QWidget]]:
    choice = evidence.choices.get(node_id)
    latency = evidence.latency_ms
    return [
        (tr("Provider"), evidence.provider),
        (tr("Model"), evidence.model or tr("not told")),
        (tr("Finished"), evidence.finish_reason or tr("not told")),
        (tr("Tokens"), _usage(evidence)),
        (tr("Cost"), _cost(evidence)),
        (tr("First byte"), "" if latency is None else tr("after {ms} ms").format(ms=f"{latency:,}")),
        (tr("Took"), tr("{ms} ms").format(ms=f"{max(0, evidence.ended_at - evidence.started_at):,}")),
        (tr("Asked"), iso_time(evidence.started_at) if evidence.started_at else ""),
        (tr("Choice"), "" if choice is None else tr("{n} of this response").format(n=choice + 1)),
        (tr("Request id"), evidence.request_id or ""),
    ]


def _cost(evidence: Evidence) -> str:
    """What the exchange cost and what its cache saved; nothing if no price is known."""
    counted = {name: value for name, value in evidence.usage.items() if type(value) is int}
    one = Spent("", f"{evidence.provider}:{evidence.model or ''}", evidence.started_at, counted)
    whole = total((one,), read_prices())
    if whole.unpriced or not whole.cost:
        return ""
    words = tr("{money}; the cache saved {saved}") if whole.saved else "{money}"
    return words.format(money=f"{whole.cost:.4f}", saved=f"{whole.saved:.4f}")


def _usage(evidence: Evidence) -> str:
    """What the provider counted, under the provider's own names."""
    counted = ((name, value) for name, value in evidence.usage.items() if isinstance(value, int | float))
    return ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in counted) or tr("not told")
