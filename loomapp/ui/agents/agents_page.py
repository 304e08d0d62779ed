"""Page of models in the graph's place, its tabs and sides; and the page of agents, a list beside a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.dataclass import dataclass
from loomapp.core.generation.agent_presets import PRESETS
from loomapp.core.model.agent import Agent
from loomapp.providers.registry import endpoint_name
from loomapp.ui.agents.agent_form import AgentForm
from loomapp.ui.agents.picker import AGENT_ROLE, ENDPOINT_ROLE, Index
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import paint_mark
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.labels import label, set_tip
from loomapp.ui.widgets.layouts import Flow, Scrolled
from loomapp.ui.widgets.page import Menu, Page

LIST_PX, NARROW_PX, LOW_PX = 204, 540, 128
LOWEST_PX, LEAST_FORM_PX = 44, 240  # a list of one row, where more would leave its form less
BUTTON_PX = 52  # below the list
WIDEST_PX = 16_777_215  # Qt's own


@dataclass(frozen=True, slots=True)
class Tab:
    """Page of the tabs: its object name, its title, and what makes it when it is first shown."""

    name: str
    title: str
    make: Callable[[], QWidget]


class ModelsPage(Page):
    """Tabs over pages that others fill. Esc closes it."""

    tab_shown = Signal(str)  # name of the tab's page

    def __init__(self, parent: QWidget) -> None:
        super().__init__("modelsPage", tr("Models"), parent)
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("modelsTabs")
        self._tabs.setAccessibleName(tr("Models"))
        self._tabs.setFont(theme.font("ui"))
        self.stack = QStackedWidget(self)  # for the pages to be made in
        self._pages: tuple[Tab, ...] = ()
        self._made: dict[str, QWidget] = {}
        self._lay_out()

    def fill(self, pages: Sequence[Tab]) -> None:
        """Titles now; each page is made when it is first shown, all at once would be felt."""
        self._pages = tuple(pages)
        for page in pages:
            self._tabs.addTab(page.title)
        self._tabs.currentChanged.connect(self.on_tab_changed)

    def show_tab(self, name: str) -> None:
        index = next(i for i, page in enumerate(self._pages) if page.name == name)
        if index == self._tabs.currentIndex():
            self.on_tab_changed(index)
        else:
            self._tabs.setCurrentIndex(index)
        self._made[name].setFocus()

    def shown(self) -> str:
        return self._pages[self._tabs.currentIndex()].name

    def on_tab_changed(self, index: int) -> None:
        page = self._pages[index]
        if page.name not in self._made:
            self._made[page.name] = page.make()
            self.stack.addWidget(self._made[page.name])
        self.stack.setCurrentWidget(self._made[page.name])
        self.tab_shown.emit(page.name)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        self.frame(column, below_px=0)
        column.setSpacing(0)
        column.addLayout(self.head(label(tr("Models"), "title"), "modelsClose"))
        column.addSpacing(8)
        tabs = QHBoxLayout()
        tabs.setContentsMargins(0, 0, 0, 0)
        tabs.addWidget(self._tabs)
        tabs.addStretch(1)
        column.addLayout(tabs)
        column.addSpacing(16)
        column.addWidget(self.stack, 1)


class Sides(QWidget):
    """The list with its button, and the form that what is chosen in it is shown in."""

    def __init__(self, rows: QListWidget, new: QPushButton, form: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self._side = QWidget()
        left = QVBoxLayout(self._side)
        left.setContentsMargins(0, 0, 0, 16)
        left.setSpacing(8)
        left.addWidget(rows, 1)
        left.addWidget(new)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self._side)
        self._box.addWidget(form, 1)
        self._arrange(narrow=False, height_px=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(narrow=event.size().width() < NARROW_PX, height_px=event.size().height())

    def _arrange(self, *, narrow: bool, height_px: int) -> None:
        list_px = LOW_PX if height_px >= LOW_PX + BUTTON_PX + LEAST_FORM_PX else LOWEST_PX
        way = QBoxLayout.Direction
        self._box.setDirection(way.TopToBottom if narrow else way.LeftToRight)
        self._box.setSpacing(0 if narrow else 24)
        self._side.setMinimumWidth(0 if narrow else LIST_PX)
        self._side.setMaximumWidth(WIDEST_PX if narrow else LIST_PX)
        self._rows.setMaximumHeight(list_px if narrow else WIDEST_PX)
        self._side.setMaximumHeight(list_px + BUTTON_PX if narrow else WIDEST_PX)


ROW_PX, MARK_PX, FORM_PX = 40, 20, 560


class AgentsPage(QWidget):
    """Shows the agents of a grove and says what is asked for; it writes nothing itself."""

    edited = Signal(object)  # Agent
    new_asked = Signal(str)  # name of a preset
    duplicate_asked = Signal(str)  # agent id
    archive_asked = Signal(str, bool)  # agent id; put away, or brought back

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agentsPage")
        self.setAccessibleName(tr("Agents"))
        self._agents: dict[str, Agent] = {}
        self._writable = True
        self.list = QListWidget(self)
        WordKeys(self.list)
        self._new = QPushButton(tr("New agent"), self)
        self._build()
        self.form.edited.connect(self.edited)
        self.setFocusProxy(self.list)

    def show_agents(self, agents: Sequence[Agent], *, writable: bool) -> None:
        """Show every agent, people after models and those put away last; the chosen one stays chosen."""
        chosen = self.chosen_id
        self._agents = {agent.id: agent for agent in agents}
        ordered = sorted(agents, key=lambda agent: agent.archived_at is not None)
        self.list.blockSignals(True)
        self.list.clear()
        for agent in ordered:
            name = agent.name if agent.type == "model" else tr(agent.name)  # You, until it is another
            item = QListWidgetItem(name, self.list)
            item.setData(AGENT_ROLE, agent)
            ref = agent.model_ref or ""
            named = f"{tr(endpoint_name(ref))} · {ref.partition(':')[2]}" if ref else ""
            named = named if agent.type == "model" else tr("a person")
            item.setData(ENDPOINT_ROLE, named)
            if agent.archived_at is not None:
                item.setData(Qt.ItemDataRole.AccessibleTextRole, tr("{name}, archived").format(name=name))
        self.list.blockSignals(False)
        self._writable = writable
        for widget in (self._new, self.form):
            widget.setEnabled(writable)
        self.choose(chosen or (ordered[0].id if ordered else ""))

    def choose(self, agent_id: str) -> None:
        rows = [row for row in range(self.list.count()) if self._agent_at(row).id == agent_id]
        if self.list.count():
            self.list.setCurrentRow(rows[0] if rows else 0)
        self.on_row_changed()

    def name_anew(self, agent_id: str) -> None:
        """Show a new agent at its name, which whatever is typed next replaces."""
        self.choose(agent_id)
        self.form.focus_name()

    @property
    def chosen_id(self) -> str:
        row = self.list.currentRow()
        return self._agent_at(row).id if row >= 0 else ""

    def on_row_changed(self, _row: int = -1) -> None:
        """Show another agent in the form."""
        agent = self._agents.get(self.chosen_id)
        self._area.setVisible(agent is not None)
        self._acts.setVisible(agent is not None and agent.type == "model")
        if agent is None:
            return
        if agent.id != self.form.agent_id:
            self._area.verticalScrollBar().setValue(0)
        self.form.show_agent(agent)
        archived = agent.archived_at is not None
        self._archive.setText(tr("Bring back") if archived else tr("Archive"))
        self._said.setText(tr("Archived: it is not asked. What it wrote stays as it is.") if archived else "")
        self._said.setVisible(archived)
        live = sum(a.archived_at is None and a.type == "model" for a in self._agents.values())
        self._archive.setEnabled(self._writable and (archived or live > 1))
        set_tip(self._archive, "" if archived or live > 1 else tr("The last agent has to stay."))
        self._duplicate.setEnabled(self._writable)

    def on_archive_clicked(self) -> None:
        self.form.flush()
        agent = self._agents[self.chosen_id]
        self.archive_asked.emit(agent.id, agent.archived_at is None)

    def on_duplicate_clicked(self) -> None:
        self.form.flush()
        self.duplicate_asked.emit(self.chosen_id)

    def _agent_at(self, row: int) -> Agent:
        agent: Agent = self.list.item(row).data(AGENT_ROLE)
        return agent

    # Building

    def _build(self) -> None:
        self.list.setObjectName("agentsList")
        self.list.setAccessibleName(tr("Agents"))
        self.list.setItemDelegate(_RowPainter(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.currentRowChanged.connect(self.on_row_changed)
        self._new.setObjectName("newAgent")
        self._new.setMenu(self._preset_menu())
        ground = QWidget(self)
        self._area = Scrolled(ground, "agentArea", self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(Sides(self.list, self._new, self._area, self))
        self._fill(ground)  # now: what is filled moves slowly

    def _fill(self, ground: QWidget) -> None:
        self.form = AgentForm(ground)
        self._duplicate = self._act("duplicateAgent", tr("Duplicate"), "copy")
        self._duplicate.clicked.connect(self.on_duplicate_clicked)
        self._archive = self._act("archiveAgent", tr("Archive"), "archive")
        self._archive.clicked.connect(self.on_archive_clicked)
        self._acts = QWidget()
        acts = Flow(self._acts, gap_px=8)
        acts.addWidget(self._duplicate)
        acts.addWidget(self._archive)
        self._said = label("", "small", "warning", wrap=True)
        ground.setMaximumWidth(FORM_PX)
        column = QVBoxLayout(ground)
        column.setContentsMargins(2, 2, 12, 24)
        column.setSpacing(12)
        column.addWidget(self._said)
        column.addWidget(self.form)
        column.addWidget(self._acts)
        column.addWidget(label(tr("Saved as you type, for every tree."), "small", "muted", wrap=True))
        column.addStretch(1)

    def _act(self, name: str, words: str, icon: str) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        theme.put_beside_words(button, icon, size=14)
        return button

    def _preset_menu(self) -> QMenu:
        menu = Menu(self)
        menu.setObjectName("agentPresets")
        for preset in PRESETS:
            action = QAction(f"{tr(preset.title)} · {tr(preset.help)}", menu)
            action.setObjectName(f"preset_{preset.name}")
            action.setData(preset.name)
            menu.addAction(action)
        menu.triggered.connect(lambda action: self.new_asked.emit(str(action.data())))
        return menu


class _RowPainter(QStyledItemDelegate):
    """Painter of mark and name; below it, quietly, the model, or that it is archived."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(LIST_PX - 12, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        agent: Agent = index.data(AGENT_ROLE)
        archived = agent.archived_at is not None
        rect = QRectF(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("surface.selected" if selected else "surface.hover"))
            painter.drawRoundedRect(rect, 6, 6)
        painter.setOpacity(0.6 if archived else 1.0)
        paint_mark(painter, QRectF(rect.left() + 8, rect.center().y() - MARK_PX / 2, MARK_PX, MARK_PX), agent)
        painter.setOpacity(1.0)
        words = rect.adjusted(16 + MARK_PX, 3, -6, -3)
        name = str(index.data())
        self._line(painter, name, words, "ui", "text.muted" if archived else "text.primary", top=True)
        below = tr("archived") if archived else index.data(ENDPOINT_ROLE)
        self._line(painter, below, words, "caption", "text.muted", top=False)
        painter.restore()

    def _line(self, painter: QPainter, text: str, rect: QRectF, kind: str, role: str, *, top: bool) -> None:
        font = theme.font(kind)
        painter.setFont(font)
        painter.setPen(theme.colour(role))
        side = Qt.AlignmentFlag.AlignTop if top else Qt.AlignmentFlag.AlignBottom
        painter.drawText(
            rect, side, QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
        )
