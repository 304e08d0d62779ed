"""The inspector under the graph: what would be sent, the current node, and the history of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QStackedWidget, QTabBar, QWidget

from loomapp.core.economy.calls import NodeUsage
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.hashes import Finding
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.comparison import finding_of
from loomapp.providers.registry import rules_for
from loomapp.store.rows.chain import ChainHead
from loomapp.ui import figures
from loomapp.ui.inspector.history.panel import HistoryPanel, HistorySource
from loomapp.ui.inspector.node.node_inspector import NodeInspector, usage_facts
from loomapp.ui.inspector.node.raw_response import ResponseReader
from loomapp.ui.inspector.node.sources_panel import SourcesPanel
from loomapp.ui.inspector.preview import ContextPreview
from loomapp.ui.inspector.summaries.panel import SummariesPanel
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.layouts import fill, horizontal, vertical

if TYPE_CHECKING:
    from loomapp.ui.inspector.node.provenance_panel import ProvenancePanel

TABS_PX = 32
TIGHT_PX, TIGHTEST_PX = 440, 372  # of its width; below, tabs stand closer, or the last ones are cut
CONTEXT, NODE, SOURCES, PROVENANCE, HISTORY, SUMMARIES = range(6)
PAGES = (
    "contextInspector",
    "nodeInspector",
    "sourcesPanel",
    "provenancePanel",
    "historyPanel",
    "summariesPanel",
)


class EvidenceShelf(Protocol):
    def evidence(self, tree_id: str, node_id: str) -> Evidence | None: ...

    def head(self) -> ChainHead | None:
        """Return the newest link of the chain, None where there is none yet."""


class Authors(Protocol):
    def by_id(self) -> Mapping[str, Agent]: ...


class UsageBook(Protocol):
    def usage_at(self, node_id: str) -> NodeUsage | None:
        """Return the usage of the call behind a node, if one is."""


class Reader(Protocol):
    """The document that is read: its tree and the node that is selected."""

    @property
    def tree(self) -> Tree: ...

    @property
    def current_id(self) -> str: ...

    @property
    def grove(self) -> EvidenceShelf: ...

    @property
    def agents(self) -> Authors: ...

    @property
    def calls(self) -> UsageBook: ...


class InspectorPane(QWidget):
    """Context, Node, Sources, Provenance, History and Summaries, each drawn only while its tab is seen."""

    node_clicked = Signal(str)  # node id: a link in the node inspector
    tab_changed = Signal(str)  # the name of its page
    tab_clicked = Signal()  # also the one that is shown
    export_asked = Signal()  # of the tree's evidence

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspectorPane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.set_look(self, surface="panel")
        self._reader: Reader | None = None
        self._responses = ResponseReader(self)
        self._responses.has_read.connect(self.on_response_read)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("inspectorTabs")
        self._tabs.setAccessibleName(tr("Inspector"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setFixedHeight(TABS_PX)
        self._tabs.addTab(tr("Context"))
        self._tabs.addTab(tr("Node"))
        self._tabs.addTab(tr("Sources"))
        self._tabs.addTab(tr("Provenance"))
        self._tabs.addTab(tr("History"))
        self._tabs.addTab(tr("Summaries"))
        theme.set_look(self._tabs, compact=True)
        self._pages = QStackedWidget(self)
        self.context = ContextPreview(self._pages)
        self.node = NodeInspector(self._pages)
        self.sources = SourcesPanel(self._pages)
        self._provenance: ProvenancePanel | None = None
        self.history = HistoryPanel(self._pages)
        self.summaries = SummariesPanel(self._pages)
        self._later = QWidget(self._pages)  # holds the place of the provenance until that is wanted
        pages = (self.context, self.node, self.sources, self._later, self.history, self.summaries)
        for page in pages:
            self._pages.addWidget(page)
        self._line = QFrame(self)
        theme.set_look(self._line, line=True)
        self._tab_row = horizontal(margins=(0, 0, 8, 0))
        self._tab_row.addWidget(self._tabs, 1)
        column = vertical(self, spacing=0)
        fill(column, self._tab_row, self._line)
        column.addWidget(self._pages, 1)
        self._tabs.currentChanged.connect(self.on_tab_changed)
        self._tabs.tabBarClicked.connect(lambda tab: self.tab_clicked.emit() if tab >= 0 else None)
        self.node.node_clicked.connect(self.node_clicked)
        self.sources.node_clicked.connect(self.node_clicked)
        self.setFocusProxy(self._tabs)

    def add_to_tabs(self, button: QWidget) -> None:
        self._tab_row.addWidget(button)

    def set_folded(self, folded: bool) -> None:
        for part in (self._line, self._pages):
            part.setHidden(folded)

    @property
    def least_px(self) -> int:
        """Return the height at which it shows its pages whole, in px."""
        return TABS_PX + self._pages.minimumSizeHint().height()

    @property
    def provenance(self) -> ProvenancePanel:
        """The page of the provenance, made when it is first wanted."""
        if self._provenance is None:
            from loomapp.ui.inspector.node.provenance_panel import ProvenancePanel  # late, as it is made

            self._provenance = ProvenancePanel(self._pages)
            self._provenance.export_asked.connect(self.export_asked)
            self._pages.insertWidget(PROVENANCE, self._provenance)
            self._pages.removeWidget(self._later)
            self._later.deleteLater()
        return self._provenance

    def show_context(self) -> None:
        self._tabs.setCurrentIndex(CONTEXT)

    def show_node_tab(self) -> None:
        self._tabs.setCurrentIndex(NODE)

    def show_sources(self) -> None:
        self._tabs.setCurrentIndex(SOURCES)

    def show_source_count(self, count: int) -> None:
        """Show on their tab the number of sources beside the continued node."""
        words = tr("Sources")
        self._tabs.setTabText(SOURCES, f"{words} {figures.number(count)}" if count else words)

    def show_history_tab(self) -> None:
        self._tabs.setCurrentIndex(HISTORY)

    def show_summaries_tab(self) -> None:
        self._tabs.setCurrentIndex(SUMMARIES)

    @property
    def tab(self) -> str:
        return PAGES[self._pages.currentIndex()]

    def show_tab(self, name: str) -> None:
        """Bring a page forward by its name; a name that no page has changes nothing."""
        if name in PAGES:
            self._tabs.setCurrentIndex(PAGES.index(name))

    def show_history_of(self, past: HistorySource) -> None:
        """Show the steps of a document's tree; also to be called when they have changed."""
        self.history.show_history_of(past)

    def show_node_of(self, reader: Reader) -> None:
        """Show the selected node of a document; its response is read and verified only while it is seen."""
        self._reader = reader
        if self._pages.isVisible():
            self._read_node_if_seen()

    def on_tab_changed(self, tab: int) -> None:
        if tab == PROVENANCE:
            _ = self.provenance
        self._pages.setCurrentIndex(tab)
        self.tab_changed.emit(self.tab)
        self._read_node_if_seen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the tabs beside a buffer, where there is little room."""
        super().resizeEvent(event)
        width = event.size().width()
        tight = "most" if width < TIGHTEST_PX else "true" if width < TIGHT_PX else "false"
        if tight != self._tabs.property("tight"):
            theme.set_look(self._tabs, tight=tight)
            QApplication.sendEvent(self._tabs, QEvent(QEvent.Type.StyleChange))  # lays them out

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not read while hidden."""
        super().showEvent(event)
        self._read_node_if_seen()

    def _read_node_if_seen(self) -> None:
        if self._tabs.currentIndex() in (NODE, PROVENANCE) and self._reader is not None:
            self._read_node()

    def _read_node(self) -> None:
        reader = self._reader
        assert reader is not None, "a node is read from a document"
        tree = reader.tree
        node = tree.nodes.get(reader.current_id)
        if self._tabs.currentIndex() == PROVENANCE:
            self.provenance.show_head(reader.grove.head())
        if node is None:
            self.node.show_node(tree, None, {})
            self.provenance.show_node(None)
            return
        evidence = reader.grove.evidence(tree.loom.id, node.id)
        finding: Finding | None = None
        if evidence is None or self._responses.reads(evidence):
            finding = finding_of(tree, node, evidence, self._responses.read)
        if self._tabs.currentIndex() == NODE:
            self.node.show_node(tree, node, reader.agents.by_id(), finding, _usage(reader, node.id))
        else:
            self.provenance.show_node(node, evidence, finding)

    def on_response_read(self) -> None:
        """Show the node again: its long response was read."""
        self._read_node_if_seen()


def _usage(reader: Reader, node_id: str) -> list[tuple[str, str]]:
    """Return the words of what the call behind a node used; none where there is no call."""
    usage, window = reader.calls.usage_at(node_id), None
    if usage is not None and usage.call.model:
        with suppress(LoomError):  # endpoints that cannot be read are told of where they are asked
            window = rules_for(usage.call.model).context_window
    return usage_facts(usage, window)
