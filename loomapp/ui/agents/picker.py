"""The agent picker: which models are asked, one or several, and the way to their page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QCursor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionToolButton,
    QStyleOptionViewItem,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.model.agent import Agent
from loomapp.providers.registry import endpoint_name
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import paint_mark
from loomapp.ui.widgets.labels import label, plain_tip, set_tip
from loomapp.ui.widgets.page import Popover

WIDEST_PX, NARROWEST_PX, HEIGHT_PX = 220, 120, 28
ROW_PX, BOX_PX, MARK_PX, GAP_PX = 36, 16, 16, 8
LIST_PX, MOST_ROWS = 300, 9
Index = QModelIndex | QPersistentModelIndex
AGENT_ROLE = Qt.ItemDataRole.UserRole + 1
ENDPOINT_ROLE = Qt.ItemDataRole.UserRole + 2


class AgentPicker(QToolButton):
    """Shows who is asked; a click opens the list. A row's box adds a model, its name asks only that one."""

    asked = Signal(tuple)  # tuple[str, ...]: agent ids, at least one
    manage_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agentPicker")
        self._asked: tuple[Agent, ...] = ()
        self._agents: tuple[Agent, ...] = ()
        self._list: AgentList | None = None
        self.setFixedHeight(HEIGHT_PX)
        self.setMinimumWidth(NARROWEST_PX)
        theme.set_look(self, outlined=True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click who writes goes on writing
        self.clicked.connect(self.on_clicked)

    def show_agents(self, agents: Sequence[Agent], asked: Sequence[Agent]) -> None:
        self._agents, self._asked = tuple(agents), tuple(asked)
        names = ", ".join(agent.name for agent in asked)
        self.setAccessibleName(tr("Models that are asked: {names}").format(names=names))
        set_tip(self, tr("Asked: {names}").format(names=names))
        self.updateGeometry()
        self.update()
        if self._list is not None:
            self._list.show_agents(self._agents, self._asked)

    @property
    def words(self) -> str:
        if len(self._asked) == 1:
            return self._asked[0].name
        return tr("{count} agents").format(count=len(self._asked))

    def on_clicked(self) -> None:
        self._list = AgentList(self)
        self._list.show_agents(self._agents, self._asked)
        self._list.asked.connect(self.asked)
        self._list.manage_asked.connect(self.manage_asked)
        self._list.destroyed.connect(self.on_list_gone)
        at = self.mapToGlobal(QPoint(self.width() - self._list.width(), self.height() + 4))
        self._list.move(at)
        self._list.show()
        self._list.rows.setFocus()

    def on_list_gone(self) -> None:
        self._list = None

    def sizeHint(self) -> QSize:
        words = QFontMetrics(theme.font("ui_strong")).horizontalAdvance(self.words)
        wide = words + self._marks_px() + 2 * GAP_PX + 20 + GAP_PX
        return QSize(max(NARROWEST_PX, min(WIDEST_PX, wide)), HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST_PX, HEIGHT_PX)

    def _marks_px(self) -> int:
        count = min(3, len(self._asked))
        return count * MARK_PX + max(0, count - 1) * 3 + GAP_PX

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, the marks of those asked, their name or number, an arrow."""
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        left, middle = float(GAP_PX), self.height() / 2
        for agent in self._asked[:3]:
            paint_mark(painter, QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX), agent)
            left += MARK_PX + 3
        left = GAP_PX + self._marks_px()
        font = theme.font("ui_strong")
        room = self.width() - left - 20 - GAP_PX
        words = QFontMetrics(font).elidedText(self.words, Qt.TextElideMode.ElideRight, int(room))
        painter.setFont(font)
        painter.setPen(theme.colour("text.primary"))
        painter.drawText(QRectF(left, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
        theme.paint(
            painter, "chevron-down", "text.muted", QRectF(self.width() - 16 - GAP_PX + 2, middle - 8, 16, 16)
        )
        painter.end()


class AgentList(Popover):
    """The list that the picker opens. Enter or a click on a name asks only that model and closes it; Space,
    a click on a box, or one with Ctrl or Shift adds one or takes it away.
    """

    asked = Signal(tuple)  # tuple[str, ...]: agent ids
    manage_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agentList")
        self.setFixedWidth(LIST_PX)
        self.rows = _Rows(self)
        self.rows.toggled.connect(self.on_toggled)
        self.rows.chosen.connect(self.on_chosen)
        manage = QPushButton(tr("Manage agents…"), self)
        manage.setObjectName("manageAgents")
        theme.set_look(manage, kind="link")
        manage.clicked.connect(self.on_manage)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 6, 6)
        column.setSpacing(4)
        hint = label(tr("Click a name to ask one; tick to ask several."), "small", "muted")
        hint.setContentsMargins(6, 0, 0, 0)
        column.addWidget(hint)
        column.addWidget(self.rows)
        column.addWidget(manage, 0, Qt.AlignmentFlag.AlignLeft)

    def show_agents(self, agents: Sequence[Agent], asked: Sequence[Agent]) -> None:
        self.rows.show_agents(agents, {agent.id for agent in asked})
        self.adjustSize()

    def on_toggled(self, _agent_id: str) -> None:
        """Tell which are checked; the last one stays."""
        self.asked.emit(self.rows.checked_ids())

    def on_chosen(self, agent_id: str) -> None:
        self.close()
        self.asked.emit((agent_id,))

    def on_manage(self) -> None:
        self.close()
        self.manage_asked.emit()


class _Rows(QListWidget):
    toggled = Signal(str)
    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agentRows")
        self.setAccessibleName(tr("Models"))
        theme.set_look(self, bare=True)
        self.setItemDelegate(_RowPainter(self))
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)

    def show_agents(self, agents: Sequence[Agent], checked: set[str]) -> None:
        """Show rows in the order given; the cursor stays where it is, and so does what is in sight."""
        row, at = self.currentRow(), self.verticalScrollBar().value()
        self.clear()
        for agent in agents:
            item = QListWidgetItem(agent.name, self)
            item.setData(AGENT_ROLE, agent)
            item.setData(ENDPOINT_ROLE, tr(endpoint_name(agent.model_ref or "")))
            item.setCheckState(Qt.CheckState.Checked if agent.id in checked else Qt.CheckState.Unchecked)
            item.setToolTip(plain_tip(agent.model_ref or ""))
        first = next((i for i, agent in enumerate(agents) if agent.id in checked), 0)
        self.setCurrentRow(row if row >= 0 else first)
        self.ensurePolished()  # the look takes a least height away
        self.setFixedHeight(min(MOST_ROWS, max(1, len(agents))) * ROW_PX + 6)
        if row >= 0:  # open already
            self.doItemsLayout()
            self.verticalScrollBar().setValue(at)

    def checked_ids(self) -> tuple[str, ...]:
        items = [self.item(row) for row in range(self.count())]
        return tuple(i.data(AGENT_ROLE).id for i in items if i.checkState() == Qt.CheckState.Checked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if item is not None and event.key() == Qt.Key.Key_Space:
            self._toggle(item)
        elif item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(item.data(AGENT_ROLE).id)
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say in the row under the pointer what a click there does."""
        super().mouseMoveEvent(event)
        self.viewport().update()

    def act_words(self, index: Index) -> str:
        """Return what a click on a row does where the pointer is in it; nothing if it changes nothing."""
        checked = self.checked_ids()
        is_checked = index.data(AGENT_ROLE).id in checked
        if is_checked and len(checked) == 1:
            return ""
        if not _is_on_box(self.viewport().mapFromGlobal(QCursor.pos())):
            return tr("ask only this one")
        return tr("do not ask this one") if is_checked else tr("ask this one too")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        if item is None or event.button() != Qt.MouseButton.LeftButton:
            return
        held = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        if held or _is_on_box(event.position().toPoint()):
            self._toggle(item)
        else:
            self.chosen.emit(item.data(AGENT_ROLE).id)

    def _toggle(self, item: QListWidgetItem) -> None:
        checked = item.checkState() == Qt.CheckState.Checked
        if checked and len(self.checked_ids()) == 1:
            return
        item.setCheckState(Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked)
        self.toggled.emit(item.data(AGENT_ROLE).id)


def _is_on_box(place: QPoint) -> bool:
    return place.x() < BOX_PX + 3 * GAP_PX


class _RowPainter(QStyledItemDelegate):
    """Painter of a box, the agent's mark, its name, and quietly where its model is asked; under the pointer
    what a click does.
    """

    def __init__(self, rows: _Rows) -> None:
        super().__init__(rows)
        self._rows = rows

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(LIST_PX - 24, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        state = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(
                theme.colour(
                    "surface.selected" if state & QStyle.StateFlag.State_Selected else "surface.hover"
                )
            )
            painter.drawRoundedRect(rect, 6, 6)
        middle = rect.center().y()
        left = rect.left() + GAP_PX
        checked = index.data(Qt.ItemDataRole.CheckStateRole)
        self._paint_box(painter, QRectF(left, middle - BOX_PX / 2, BOX_PX, BOX_PX), checked)
        left += BOX_PX + GAP_PX + 4
        agent: Agent = index.data(AGENT_ROLE)
        paint_mark(painter, QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX), agent)
        left += MARK_PX + GAP_PX
        room = QRectF(left, rect.top(), rect.right() - left - GAP_PX, rect.height())
        act = self._rows.act_words(index) if state & QStyle.StateFlag.State_MouseOver else ""
        self._paint_words(painter, agent.name, act or index.data(ENDPOINT_ROLE), room, is_act=bool(act))
        painter.restore()

    def _paint_box(self, painter: QPainter, rect: QRectF, checked: object) -> None:
        on = checked in (Qt.CheckState.Checked, Qt.CheckState.Checked.value)
        painter.setPen(theme.colour("accent.fill" if on else "border.strong"))
        painter.setBrush(theme.colour("accent.fill" if on else "surface.raised"))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if on:
            theme.paint(painter, "check", "text.on_accent", rect.adjusted(1, 1, -1, -1))

    def _paint_words(self, painter: QPainter, name: str, beside: str, rect: QRectF, *, is_act: bool) -> None:
        strong, small = theme.font("ui"), theme.font("small")
        name = QFontMetrics(strong).elidedText(name, Qt.TextElideMode.ElideRight, int(rect.width() * 0.6))
        taken = QFontMetrics(strong).horizontalAdvance(name)
        painter.setFont(strong)
        painter.setPen(theme.colour("text.primary"))
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, name)
        rest = rect.adjusted(taken + 10, 0, 0, 0)
        words = QFontMetrics(small).elidedText(beside, Qt.TextElideMode.ElideRight, int(rest.width()))
        painter.setFont(small)
        painter.setPen(theme.colour("text.link" if is_act else "text.muted"))
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, words)
