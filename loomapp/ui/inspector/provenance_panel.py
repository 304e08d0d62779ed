"""The provenance of a model's node: which exchange it came from, and that exchange to read and replay."""

from __future__ import annotations

import gzip
import io
import zlib

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from loomapp.core.evidence import Evidence
from loomapp.core.json_values import iso_time
from loomapp.core.usage import Spent, total
from loomapp.store.prices import read_prices
from loomapp.ui.flow import Flow
from loomapp.ui.form import label
from loomapp.ui.inspector.facts import Facts
from loomapp.ui.inspector.plain_view import SHOWN_CHARACTERS, PlainView
from loomapp.ui.inspector.replay import Replay
from loomapp.ui.strings import tr

BODY_HEIGHT_PX = 220
SHOWN_BYTES = 32_768


class ProvenancePanel(QFrame):
    """Provider, model as returned, tokens, latency; request and response body on demand."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("provenancePanel")
        self._evidence: Evidence | None = None
        self._facts = Facts(self)
        self._request = self._body_button("requestBodyButton", tr("Request body"))
        self._response = self._body_button("responseBodyButton", tr("Response body"))
        self._headers = self._body_button("headersButton", tr("Headers"))
        self._bytes = self._body_button("responseBytesButton", tr("Bytes"))
        self._views = (self._request, self._response, self._headers, self._bytes)
        self._copy = QPushButton(tr("Copy"), self)
        self._copy.setObjectName("copyExchangeButton")
        self._copy.setAccessibleName(tr("Copy what is shown of the exchange"))
        self._copy.clicked.connect(self.on_copy_clicked)
        self.replay = Replay(self)
        self.replay.moved.connect(self._show_body)
        self._body = PlainView(tr("Body of the exchange"))
        self._body.setObjectName("exchangeBody")
        self._body.setFixedHeight(BODY_HEIGHT_PX)
        buttons = Flow()
        for button in (*self._views, self._copy):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(label(tr("Provenance"), "ui_strong"))
        column.addWidget(self._facts)
        column.addLayout(buttons)
        column.addWidget(self.replay)
        column.addWidget(self._body)

    def show_evidence(self, evidence: Evidence | None, node_id: str) -> None:
        """Show the exchange that a node rests on; hidden if there is none."""
        self.setVisible(evidence is not None)
        if evidence is None or evidence == self._evidence:
            self._evidence = evidence
            return
        self._evidence = evidence
        self.replay.show_chunks(chunks_of(evidence))
        self._facts.show_facts(_facts(evidence, node_id))
        self._show_body()

    def on_body_clicked(self) -> None:
        """One body at a time; a second click puts it away."""
        clicked = self.sender()
        for view in self._views:
            if view is not clicked:
                view.setChecked(False)
        self._show_body()

    def on_copy_clicked(self) -> None:
        """What is shown goes to the clipboard."""
        QGuiApplication.clipboard().setText(self._body.text())

    def _show_body(self) -> None:
        evidence = self._evidence
        shown = next((view for view in self._views if view.isChecked()), None)
        self._body.setVisible(shown is not None)
        self._copy.setVisible(shown is not None)
        self.replay.setVisible(shown in (self._response, self._bytes) and self.replay.has_chunks)
        if evidence is None or shown is None:
            return
        if shown is self._request:
            self._body.show_text(evidence.request_body)
        elif shown is self._headers:
            self._body.show_text("\n".join(f"{name}: {value}" for name, value in evidence.headers.items()))
        else:
            text, goes_on = response_text(
                evidence.body_gzip, until=self.replay.offset, in_hex=shown is self._bytes
            )
            self._body.show_text(text, goes_on=goes_on)

    def _body_button(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setObjectName(name)
        button.setCheckable(True)
        button.clicked.connect(self.on_body_clicked)
        return button


def response_text(body_gzip: bytes, *, until: int | None = None, in_hex: bool = False) -> tuple[str, bool]:
    """The beginning of a response body as text or in hexadecimal, and whether it goes on.

    No more than that is unpacked; `until` is the offset at which a replay stands.
    """
    most = SHOWN_BYTES if in_hex else SHOWN_CHARACTERS
    try:
        with gzip.open(io.BytesIO(body_gzip)) as body:
            data = body.read(most if until is None else min(most, until))
            goes_on = until is None and bool(body.read(1))
    except (OSError, EOFError, zlib.error) as error:
        return tr("The kept response cannot be read: {why}").format(why=error), False
    return _hex(data) if in_hex else data.decode("utf-8", errors="replace"), goes_on


def _hex(data: bytes) -> str:
    """Sixteen bytes a line: offset, bytes, and the characters among them."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{at:08x}  {row.hex(' '):<47}  {shown}")
    return "\n".join(lines)


def chunks_of(evidence: Evidence) -> list[tuple[int, int]]:
    """When which part of the body had come: (ms since the start, offset); what is none is left out."""
    times = evidence.extra.get("chunkTimes")
    rows = times if isinstance(times, list) else []
    return [
        (row[0], row[1])
        for row in rows
        if isinstance(row, list | tuple) and len(row) == 2 and all(isinstance(one, int) for one in row)
    ]


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
