"""The node inspector: everything that is known of one node, its text whole, and whether it verifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QDateTime, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.content import Text
from loomapp.core.evidence import Evidence
from loomapp.core.json_values import iso_time
from loomapp.core.provenance import Finding
from loomapp.core.tree import Agent, Node, Tree
from loomapp.ui import theme
from loomapp.ui.flow import Flow
from loomapp.ui.form import IconLabel, label
from loomapp.ui.inspector.facts import Facts, exact_field
from loomapp.ui.inspector.plain_view import PlainView
from loomapp.ui.inspector.provenance_panel import ProvenancePanel
from loomapp.ui.inspector.words import own_words, verdict_look, verdict_words
from loomapp.ui.strings import tr
from loomapp.ui.tips import plain_tip
from loomapp.ui.widgets.agent_mark import AgentMark
from loomapp.ui.widgets.chip import Chip

BESIDE_FROM_PX = 620  # text and facts side by side


class NodeInspector(QWidget):
    """Shows one node, or what will be here."""

    node_clicked = Signal(str)  # a parent, or what it was edited from

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nodeInspector")
        self.setAccessibleName(tr("Node"))
        hint = tr("Select a node: its text, author, hash and provenance stand here.")
        self._empty = label(hint, "ui", "muted", wrap=True)
        self._empty.setObjectName("nodeInspectorEmpty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(12, 12, 12, 12)
        self._text = PlainView(tr("Text of the node"), type_name="ui")
        self._text.setObjectName("nodeText")
        self._provenance = ProvenancePanel()
        self._facts = Facts()
        self._verdict = _Verdict()
        self._known: object = None
        self._body = QWidget()
        self._sides = QBoxLayout(QBoxLayout.Direction.TopToBottom, self._body)
        self._build_body()
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._body)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)

    def show_node(
        self,
        tree: Tree,
        node: Node | None,
        agents: Mapping[str, Agent],
        evidence: Evidence | None = None,
        finding: Finding | None = None,
    ) -> None:
        """Show a node, the exchange it rests on and what verification says; None: what will be here."""
        self._pages.setCurrentWidget(self._empty if node is None else self._body)
        if node is None:
            return
        agent = agents.get(node.author_agent_id or "")
        self._mark.show_agent(agent)
        human = node.author_type == "human"
        self._name.setText(agent.name if agent else own_words() if human else tr("Unknown model"))
        self._local_id.setText(node.local_id)
        when = QDateTime.fromMSecsSinceEpoch(node.created_at)
        self._when.setText(when.toString("yyyy-MM-dd HH:mm:ss"))
        self._when.setToolTip(iso_time(node.created_at))
        self._text.show_text(node.text)
        self._show_facts(tree, node)
        self._verdict.show_finding(finding, is_model=not human)
        self._provenance.show_evidence(evidence, node.id)

    # What there is to know

    def _show_facts(self, tree: Tree, node: Node) -> None:
        """Show them, unless nothing changed: a selection in them stays."""
        known = (node, tree.incoming(node.id), tree.annotation_edges_into(node.id), tree.children(node.id))
        if known != self._known:
            self._known = known
            self._show_flags(node)
            self._facts.show_facts(self._node_facts(tree, node))

    def _node_facts(self, tree: Tree, node: Node) -> list[tuple[str, str | QWidget]]:
        parents = (i for edge in tree.incoming(node.id) for i in edge.with_role("primary"))
        notes_on = (s.node_id for edge in tree.annotation_edges_into(node.id) for s in edge.sources)
        sources = (s for edge in tree.incoming(node.id) for s in edge.sources if s.role != "primary")
        return [
            (tr("Interrupted"), node.interrupted.reason if node.interrupted else ""),
            (tr("Bookmark"), node.metadata.bookmark_label or ""),
            (tr("Parents"), self._nodes(tree, parents) or ""),
            (tr("A note on"), self._nodes(tree, notes_on) or ""),
            (tr("Sources"), self._nodes(tree, (s.node_id for s in sources)) or ""),
            (tr("Edited from"), self._nodes(tree, filter(None, [node.edited_from])) or ""),
            (tr("Children"), f"{len(tree.children(node.id)):,}"),
            (tr("Characters"), f"{len(node.text):,}"),
            (tr("Kind"), "" if isinstance(node.content, Text) else type(node.content).__name__.lower()),
            (tr("Hash"), exact_field(node.content_hash, tr("Hash")) if node.content_hash else tr("none")),
            (tr("Id"), exact_field(node.id, tr("Id"))),
        ]

    def _nodes(self, tree: Tree, node_ids: Iterable[str]) -> QWidget | None:
        """Links to nodes, by their short ids; None for none."""
        links = [self._link(tree, node_id) for node_id in dict.fromkeys(node_ids)]
        if not links:
            return None
        holder = QWidget()
        row = Flow(holder, gap_px=4)
        for link in links:
            row.addWidget(link)
        return holder

    def _link(self, tree: Tree, node_id: str) -> QWidget:
        node = tree.nodes.get(node_id)
        if node is None:
            return label(tr("{id} (not in this tree)").format(id=node_id), "small", "muted", wrap=True)
        link = QPushButton(node.local_id)
        link.setObjectName("nodeLink")
        link.setAccessibleName(tr("Go to {name}").format(name=node.local_id))
        link.setToolTip(plain_tip(node.text[:300]))
        theme.set_look(link, kind="link")
        link.clicked.connect(lambda: self.node_clicked.emit(node_id))
        return link

    def _show_flags(self, node: Node) -> None:
        while (item := self._flags.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        flags = (
            (node.interrupted is not None, "circle-pause", tr("interrupted")),
            (node.metadata.excluded, "eye-off", tr("excluded")),
            (node.metadata.pruned, "leaf", tr("pruned")),
            (node.metadata.bookmarked, "bookmark", tr("bookmarked")),
            (node.edited_from is not None, "pencil", tr("edited")),
        )
        for shown, icon, words in flags:
            if shown:
                self._flags.addWidget(Chip(icon, words))

    # Building

    def _build_body(self) -> None:
        self._mark = AgentMark()
        self._name = label("", "ui_strong")
        self._name.setObjectName("nodeAuthor")
        self._local_id = label("", "mono", "secondary")
        self._local_id.setObjectName("nodeLocalId")
        theme.set_look(self._local_id, tone="key")
        self._when = label("", "small", "muted")
        self._when.setObjectName("nodeTime")
        for words in (self._local_id, self._when):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head = Flow(gap_px=8)
        for widget in (self._mark, self._name, self._local_id, self._when):
            head.addWidget(widget)
        self._flags = Flow(gap_px=6)
        left = QVBoxLayout()
        left.setContentsMargins(12, 10, 12, 10)
        left.setSpacing(8)
        left.addLayout(head)
        left.addLayout(self._flags)
        left.addWidget(self._text, 1)
        self._sides.setContentsMargins(0, 0, 0, 0)
        self._sides.setSpacing(0)
        self._sides.addLayout(left, 1)
        self._sides.addWidget(self._build_details(), 1)

    def _build_details(self) -> QScrollArea:
        details = QWidget()
        column = QVBoxLayout(details)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(12)
        column.addWidget(self._verdict)
        column.addWidget(self._facts)
        column.addWidget(self._provenance)
        column.addStretch(1)
        area = _Details(self)
        area.setObjectName("nodeDetails")
        area.setWidgetResizable(True)
        area.setWidget(details)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for widget in (details, area.viewport()):
            widget.setAutoFillBackground(False)
        return area

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Text and facts side by side where there is room."""
        super().resizeEvent(event)
        beside = self.width() >= BESIDE_FROM_PX
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._sides.setDirection(direction)


class _Details(QScrollArea):
    """The scrolled side; it asks for no more than its share."""

    def sizeHint(self) -> QSize:
        """Half of whatever there is."""
        return QSize(280, 160)


class _Verdict(QWidget):
    """What verification says, in words and with an icon."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("nodeVerdict")
        self._icon = IconLabel("info", "text.muted")
        self._words: QLabel = label("", "ui", wrap=True)
        self._words.setObjectName("nodeVerdictWords")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)

    def show_finding(self, finding: Finding | None, *, is_model: bool) -> None:
        """Show a verdict; None: not looked at."""
        self.setVisible(finding is not None)
        if finding is None:
            return
        self._words.setText(verdict_words(finding, is_model=is_model))
        self._icon.show_icon(*verdict_look(finding.verdict))
