"""The provenance of a model's node: its exchange, to read and replay, and the head of the grove's chain."""

from __future__ import annotations

import gzip
import io
import zlib

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from loomapp.core.generation.cost import Spent, total
from loomapp.core.generation.provider import Usage
from loomapp.core.model.entities import REASONING, Node
from loomapp.core.model.hashes import Finding
from loomapp.core.model.raw_response import Evidence
from loomapp.core.times import iso_time
from loomapp.providers.registry import endpoint_name
from loomapp.store.files.settings_file import read_prices
from loomapp.store.rows.chain import ChainHead
from loomapp.ui import figures
from loomapp.ui.inspector.node.raw_response import ReplayPanel
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.widgets.labels import SHOWN_CHARACTERS, IconLabel, PlainView, label, set_tip
from loomapp.ui.widgets.layouts import BESIDE_FROM_PX, Flow, Scrolled, SideBySide, fill, horizontal, vertical
from loomapp.ui.widgets.rows import FactList, VerdictRow, exact_field
from loomapp.ui.widgets.words import amounts


class ChainHeadLine(QWidget):
    """Head of the chain in one line: the newest link and how many there are; where nothing is sealed yet,
    that.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chainHead")
        self._head: ChainHead | None = None
        self._words = label("", "small", "muted", name="chainHeadWords")
        self._field: QLineEdit = exact_field("", tr("Head of the chain"))
        self._field.setObjectName("chainHeadField")
        self._copy = QPushButton(theme.icon("copy"), "", self)
        self._copy.setObjectName("copyHeadButton")
        self._copy.setAccessibleName(tr("Copy the head of the chain"))
        self._copy.setToolTip(
            tr("Copy the head. Kept elsewhere, it shows later that nothing before it was rewritten.")
        )
        theme.set_look(self._copy, kind="quiet")
        self._copy.clicked.connect(self.on_copy_clicked)
        row = horizontal(self, (12, 4, 8, 4), spacing=8)
        row.addWidget(IconLabel("shield-check", "text.muted"))
        row.addWidget(self._words)
        row.addWidget(self._field, 1)
        row.addWidget(self._copy)
        self.show_head(None)

    def show_head(self, head: ChainHead | None) -> None:
        """Show a head; None: the grove has no chain yet."""
        self._head = head
        self._field.setVisible(head is not None)
        self._copy.setVisible(head is not None)
        if head is None:
            self._words.setText(tr("This grove is not sealed yet."))
            return
        many = tr("Head of {n} changes").format(n=figures.number(head.links))
        self._words.setText(tr("Head of 1 change") if head.links == 1 else many)
        if head.link != self._field.text():
            self._field.setText(head.link)
            self._field.setCursorPosition(0)
            set_tip(self._field, head.link)

    def on_copy_clicked(self) -> None:
        if self._head is not None:
            copy_words(self._head.link)


BODY_PX, TOLD_PX = 64, 112
SHOWN_BYTES = 32_768
VERDICT_WORDS_PX = 24  # where they begin, behind the icon
LINK_PX = 5  # what a link keeps free around its words


class ProvenancePanel(QWidget):
    """Provider, model as returned, tokens, cost and times; beside them the exchange itself, part by part."""

    export_asked = Signal()  # of the tree's evidence

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("provenancePanel")
        self.setAccessibleName(tr("Provenance"))
        self._evidence: Evidence | None = None
        self._reasoning = ""
        self._empty = label("", "ui", "muted", wrap=True, name="provenanceEmpty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(12, 12, 12, 12)
        self._verdict = VerdictRow("provenanceVerdict")
        self._facts = FactList(self)
        self._export = push_button("exportEvidenceButton", tr("Export evidence…"), self, kind="link")
        self._export.setToolTip(tr("This tree in a file that anybody can verify"))
        self._export.clicked.connect(self.export_asked)
        self._request = self._body_button("requestBodyButton", tr("Request"))
        self._response = self._body_button("responseBodyButton", tr("Response"))
        self._bytes = self._body_button("responseBytesButton", tr("Bytes"))
        self._headers = self._body_button("headersButton", tr("Headers"))
        self._thought = self._body_button("reasoningButton", tr("Reasoning"))
        self._views = (self._request, self._response, self._bytes, self._headers, self._thought)
        self._group = QButtonGroup(self)
        for view in self._views:
            self._group.addButton(view)
        self._response.setChecked(True)
        self._copy = QPushButton(theme.icon("copy"), "", self)
        self._copy.setToolTip(tr("Copy"))
        self._copy.setObjectName("copyExchangeButton")
        self._copy.setAccessibleName(tr("Copy what is shown of the exchange"))
        theme.set_look(self._copy, kind="quiet")
        self._copy.clicked.connect(self.on_copy_clicked)
        self.replay = ReplayPanel(self)
        self.replay.moved.connect(self._show_body)
        self._body = PlainView(tr("Body of the exchange"))
        self._body.setObjectName("exchangeBody")
        self._body.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)  # what is left
        self._body.setMinimumHeight(BODY_PX)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._empty)
        both = SideBySide(self._told_side(), self._body_side())
        self._pages.addWidget(Scrolled(both, "provenanceArea"))  # a low or narrow dock has no room for both
        self._chain = ChainHeadLine(self)
        column = vertical(self, spacing=0)
        column.addWidget(self._pages, 1)
        column.addWidget(self._chain)
        self.show_node(None)

    def show_head(self, head: ChainHead | None) -> None:
        """Show the head of the grove's chain below whatever is shown; None if it has none yet."""
        self._chain.show_head(head)

    def show_node(
        self, node: Node | None, evidence: Evidence | None = None, finding: Finding | None = None
    ) -> None:
        """Show what a node rests on and what verification says; without an exchange, why there is none."""
        self._verdict.show_finding(finding, is_model=True)
        if node is None or evidence is None:
            self._evidence = None
            self._empty.setText(_nothing(node))
            self._pages.setCurrentIndex(0)
            return
        self._pages.setCurrentIndex(1)
        reasoning = node.extra.get(REASONING)
        self._show_reasoning(reasoning if isinstance(reasoning, str) else "")
        self._show_evidence(evidence, node.id)

    def _show_reasoning(self, reasoning: str) -> None:
        self._reasoning = reasoning
        self._thought.setVisible(bool(reasoning))
        if not reasoning and self._thought.isChecked():
            self._response.setChecked(True)

    def _show_evidence(self, evidence: Evidence, node_id: str) -> None:
        if evidence != self._evidence:
            self._evidence = evidence
            self.replay.show_chunks(chunks_of(evidence))
        self._facts.show_facts(_facts(evidence, node_id))
        self._show_body()

    def on_body_clicked(self) -> None:
        self._show_body()

    def on_copy_clicked(self) -> None:
        copy_words(self._body.text())

    def _show_body(self) -> None:
        evidence, shown = self._evidence, self._group.checkedButton()
        self.replay.setVisible(shown in (self._response, self._bytes) and self.replay.has_chunks)
        if evidence is None:
            return
        if shown is self._request:
            self._body.show_text(evidence.request_body)
        elif shown is self._thought:
            self._body.show_text(self._reasoning)
        elif shown is self._headers:
            self._body.show_text("\n".join(f"{name}: {value}" for name, value in evidence.headers.items()))
        else:
            text, goes_on = response_text(
                evidence.body_gzip, until=self.replay.offset, in_hex=shown is self._bytes
            )
            self._body.show_text(text, goes_on=goes_on, as_table=shown is self._bytes)

    # Building

    def _body_button(self, name: str, words: str) -> QPushButton:
        button = push_button(name, words, self)
        button.setCheckable(True)
        theme.set_look(button, narrow=True)  # all of them side by side, also in a narrow dock
        button.clicked.connect(self.on_body_clicked)
        return button

    def _told_side(self) -> QWidget:
        ground = QWidget()
        column = vertical(ground, (12, 10, 12, 10), spacing=8)
        column.addWidget(self._verdict)
        step = horizontal(margins=(VERDICT_WORDS_PX - LINK_PX, 0, 0, 0))
        step.addWidget(self._export)
        step.addStretch(1)
        fill(column, step, self._facts)
        column.addStretch(1)
        self._ground, self._told = ground, Scrolled(ground, "provenanceTold")
        ground.installEventFilter(self)
        return self._told

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the height of what is told, which is known when it is laid out."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self._ground:
            self._fit_told()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_told()

    def _fit_told(self) -> None:
        """Let what is told scroll by itself beside the body; above it all of it is there, and both scroll."""
        is_beside = self.width() >= BESIDE_FROM_PX
        width_px = self.width() - self._told.verticalScrollBar().sizeHint().width()
        whole_px = max(self._ground.heightForWidth(width_px), self._ground.minimumSizeHint().height())
        self._told.setMinimumHeight(TOLD_PX if is_beside else whole_px)

    def _body_side(self) -> QWidget:
        side = QWidget()
        column = vertical(side, (12, 10, 12, 10), spacing=8)
        views = Flow(gap_px=6)
        for button in self._views:
            views.addWidget(button)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addLayout(views, 1)
        head.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)  # in the corner, however the views wrap
        fill(column, head, self.replay)
        column.addWidget(self._body, 1)
        return side


def _nothing(node: Node | None) -> str:
    """Return the words for a node without an exchange."""
    if node is None or node.author_type == "model":
        known = tr("No response was kept for this answer.") + " " if node is not None else ""
        return known + tr("An answer of a model has its request, its response and its times here.")
    return tr("Written by a person: no model was asked. Select a model's answer to see what it rests on.")


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
    """Return sixteen bytes a line: offset, bytes, and the characters among them."""
    lines = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{at:08x}  {row.hex(' '):<47}  {shown}")
    return "\n".join(lines)


def chunks_of(evidence: Evidence) -> list[tuple[int, int]]:
    """Return when which part of the body had come: (ms since the start, offset); what is none is left out."""
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
        (tr("Provider"), provider_words(evidence.provider)),
        (tr("Model"), evidence.model or tr("not reported")),
        (tr("Finished"), evidence.finish_reason or tr("not reported")),
        (tr("Sent"), _sent(evidence)),
        (tr("Received"), _received(evidence)),
        (tr("Also counted"), _others(evidence)),
        (tr("Cost"), _cost(evidence)),
        (tr("First byte"), "" if latency is None else tr("after {ms} ms").format(ms=figures.number(latency))),
        (
            tr("Took"),
            tr("{ms} ms").format(ms=figures.number(max(0, evidence.ended_at - evidence.started_at))),
        ),
        (tr("Asked"), iso_time(evidence.started_at) if evidence.started_at else ""),
        (tr("Choice"), "" if choice is None else tr("{n} of this response").format(n=choice + 1)),
        (tr("Request id"), exact_field(evidence.request_id, tr("Request id")) if evidence.request_id else ""),
    ]


def provider_words(provider: str) -> str:
    """`School (own1)`: the name of an endpoint, then its id, under which the exchange is kept."""
    name = tr(endpoint_name(provider))
    return name if name.casefold() == provider.casefold() else f"{name} ({provider})"


def _cost(evidence: Evidence) -> str:
    """Return the cost of the exchange and the savings of its cache; nothing if no price is known."""
    model_ref = f"{evidence.provider}:{evidence.model or ''}"
    one = Spent("", model_ref, evidence.started_at, _counted(evidence))
    whole = total((one,), read_prices())
    if whole.unpriced or not whole.cost:
        return ""
    words = tr("{money}; the cache saved {saved}") if whole.saved else "{money}"
    return words.format(money=f"{whole.cost:.4f}", saved=f"{whole.saved:.4f}")


def _sent(evidence: Evidence) -> str:
    """Return the tokens that went in, as the provider counted them: `7 tokens, 2 of them from the cache`."""
    counted = _counted(evidence)
    parts = [
        _tokens(counted.get("inputTokens")),
        _share(tr("{count} of them from the cache"), counted.get("cachedTokens")),
        _share(tr("{count} written to the cache"), counted.get("cacheWrittenTokens")),
    ]
    return ", ".join(filter(None, parts)) or tr("not reported")


def _received(evidence: Evidence) -> str:
    counted = _counted(evidence)
    parts = [
        _tokens(counted.get("outputTokens")),
        _share(tr("{count} of them reasoning"), counted.get("reasoningTokens")),
    ]
    return ", ".join(filter(None, parts)) or tr("not reported")


def _others(evidence: Evidence) -> str:
    """Return counts under other names, as they came with a file."""
    known = set(Usage.__dataclass_fields__)
    return ", ".join(
        f"{name.replace('_', ' ')} {figures.number(value)}"
        for name, value in _counted(evidence).items()
        if _snake(name) not in known
    )


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _counted(evidence: Evidence) -> dict[str, int]:
    return {name: value for name, value in evidence.usage.items() if type(value) is int}


def _tokens(count: int | None) -> str:
    return "" if count is None else amounts.tokens(count)


def _share(words: str, count: int | None) -> str:
    return words.format(count=figures.number(count)) if count else ""
