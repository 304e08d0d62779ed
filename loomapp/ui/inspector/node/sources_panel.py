"""The sources: what led to the selected node and in which role, what it is used for, and what comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import ElidedLabel, IconLabel, ShortLabel, label, set_tip
from loomapp.ui.widgets.layouts import Scrolled, fill, horizontal, vertical
from loomapp.ui.widgets.spoken import speak_as
from loomapp.ui.widgets.words.outcome_words import FateWords

ROW_PX, PART_PX, ID_PX, BAR_PX = 32, 92, 72, 3
ROOMY_PX = 460  # narrower, a row goes without its id


@dataclass(frozen=True, slots=True)
class SourceAct:
    """Act that a source offers."""

    name: str
    words: str
    tip: str


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """All that a row shows. `tint` is the author's colour role; `node_id` is empty for what is not there."""

    node_id: str
    icon: str
    part: str
    author: str
    tint: str
    local_id: str
    text: str
    fate: FateWords
    acts: tuple[SourceAct, ...] = ()
    is_struck: bool = False

    @property
    def build(self) -> tuple[object, ...]:
        """Facts of which a row is made once; all else can be shown anew in the same row."""
        return self.node_id, self.part, self.icon, self.local_id, self.acts


class SourceRow(QWidget):
    """Row of one source; a click or Enter goes to the node."""

    clicked = Signal(str)  # node id
    act_asked = Signal(str, str)  # node id, name of the act

    def __init__(self, facts: SourceFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.facts = facts
        self.setObjectName("sourceRow")
        self.setFixedHeight(ROW_PX)
        speak_as(self, QAccessible.Role.ListItem)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        row = horizontal(self, (12 + BAR_PX + 8, 0, 12, 0), spacing=8)
        part = label(facts.part, "small", "secondary")
        part.setFixedWidth(PART_PX)
        self._id = label(facts.local_id, "mono", "muted")
        self._id.setFixedWidth(ID_PX)
        self._words = ElidedLabel(self)
        self._fate_icon = IconLabel("minus", "text.muted", 14)
        self._fate = ShortLabel(self)
        self._fate.setFont(theme.font("small"))
        row.addWidget(IconLabel(facts.icon, "text.secondary", 14))
        fill(row, part, self._id)
        row.addWidget(self._words, 1)
        fill(row, self._fate_icon, self._fate)
        self.buttons = [self._button(act) for act in facts.acts]
        for button in self.buttons:
            row.addWidget(button)
        self.show_facts(facts)

    def show_facts(self, facts: SourceFacts) -> None:
        self.facts = facts
        fate = facts.fate
        said = (facts.part, facts.author, facts.local_id, fate.words, facts.text)
        self.setAccessibleName(" · ".join(filter(None, said)))
        font = theme.font("small")
        font.setStrikeOut(facts.is_struck)
        self._words.setFont(font)
        self._words.show_words("{0}", facts.text)
        theme.set_look(self._words, tone="muted" if fate.is_out else "primary")
        self._fate_icon.show_icon(fate.icon, "text.muted" if fate.is_out else "accent.base")
        self._fate.setText(fate.words)
        theme.set_look(self._fate, tone="muted" if fate.is_out else "secondary")
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._id.setVisible(event.size().width() >= ROOMY_PX)

    def minimumSizeHint(self) -> QSize:
        """Return a size for a narrow pane: words are cut off, not the row."""
        return QSize(0, ROW_PX)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the node on a click on anything but a button."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit(self.facts.node_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.clicked.emit(self.facts.node_id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the author's bar, the ground under the pointer, the ring of the keyboard."""
        painter = theme.smooth_painter(self)
        ground = QRectF(self.rect()).adjusted(4, 1, -4, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.underMouse():
            painter.setBrush(theme.colour("surface.hover"))
            painter.drawRoundedRect(ground, 6, 6)
        if self.facts.tint:
            painter.setBrush(theme.colour(self.facts.tint))
            painter.drawRoundedRect(QRectF(12, 6, BAR_PX, self.height() - 12), 1.5, 1.5)
        if self.hasFocus():
            theme.draw_in(painter, "accent.focus", width=theme.metric("control.focus_width"))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    def _button(self, act: SourceAct) -> QPushButton:
        button = push_button(f"source_{act.name}", act.words, self)
        button.setFont(theme.font("small"))
        set_tip(button, act.tip)
        button.setAccessibleName(
            tr("{act}: {node}").format(act=act.words, node=self.facts.local_id or self.facts.part)
        )
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self.act_asked.emit(self.facts.node_id, act.name))
        return button


AT_FIRST = 60  # rows of one part of the list; the rest when it is asked for


@dataclass(frozen=True, slots=True)
class SourceList:
    """Part of the panel: a heading, a sentence below it, and rows."""

    name: str
    title: str
    sentence: str
    rows: tuple[SourceFacts, ...] = ()


def _made(lists: Sequence[SourceList]) -> list[object]:
    """Return the facts of which the widgets of some lists are made."""
    return [(one.name, one.title, one.sentence, [facts.build for facts in one.rows]) for one in lists]


class SourcesPanel(QWidget):
    """Lists of sources. They are asked for only while the panel is seen."""

    node_clicked = Signal(str)  # node id
    act_asked = Signal(str, str, str)  # name of the list, node id, name of the act

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sourcesPanel")
        self.setAccessibleName(tr("Sources"))
        self._ask: Callable[[], Sequence[SourceList]] = tuple
        self._shown: tuple[SourceList, ...] = ()
        self._whole: set[str] = set()  # the lists that are shown to their end
        ground = QWidget()
        self._column = vertical(ground, (0, 8, 0, 12), spacing=0)
        self._column.addStretch(1)
        outer = vertical(self)
        outer.addWidget(Scrolled(ground, "sourcesArea"))

    def set_source(self, ask: Callable[[], Sequence[SourceList]]) -> None:
        self._ask = ask

    def refresh(self) -> None:
        """Ask again and show what came; the keyboard stays where it was."""
        if not self.isVisible():
            return
        lists = tuple(self._ask())
        if lists == self._shown:
            return
        if [one.title for one in lists] != [one.title for one in self._shown]:
            self._whole.clear()
        before, self._shown = self._shown, lists
        if _made(before) == _made(lists):
            self._tell()
            return
        focused = self._focused()
        self._build()
        self._focus(focused)

    def rows(self, name: str = "") -> list[SourceRow]:
        items = (self._column.itemAt(place) for place in range(self._column.count()))
        widgets = (item.widget() for item in items if item is not None)
        found = [row for row in widgets if isinstance(row, SourceRow)]
        return [row for row in found if not name or row.property("list") == name]

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was not asked while hidden."""
        super().showEvent(event)
        self.refresh()

    def _build(self) -> None:
        while self._column.count() > 1:
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        for one in self._shown:
            for part in self._parts(one):
                self._column.insertWidget(self._column.count() - 1, part)

    def _tell(self) -> None:
        """Show what is otherwise of the same rows, which stay: the pointer may be on one of them."""
        for one in self._shown:
            for row, facts in zip(self.rows(one.name), one.rows, strict=False):
                if row.facts != facts:
                    row.show_facts(facts)

    def _parts(self, one: SourceList) -> list[QWidget]:
        head = label(one.title, "ui_strong")
        head.setContentsMargins(12, 8, 12, 2)
        parts: list[QWidget] = [head]
        if one.sentence:
            words = label(one.sentence, "small", "muted", wrap=True)
            words.setContentsMargins(12, 0, 12, 4)
            parts.append(words)
        most = len(one.rows) if one.name in self._whole else AT_FIRST
        for facts in one.rows[:most]:
            row = SourceRow(facts)
            row.setProperty("list", one.name)
            row.clicked.connect(self.node_clicked)
            row.act_asked.connect(lambda node_id, act, name=one.name: self.act_asked.emit(name, node_id, act))
            parts.append(row)
        if len(one.rows) > most:
            parts.append(self._more(one.name, len(one.rows) - most))
        return parts

    def _more(self, name: str, count: int) -> QPushButton:
        button = QPushButton(tr("Show {count} more").format(count=figures.number(count)))
        button.setObjectName("moreSourcesButton")
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self._show_whole(name))
        return button

    def _show_whole(self, name: str) -> None:
        self._whole.add(name)
        self._build()

    def _focused(self) -> tuple[str, str, str] | None:
        """Return the place of the keyboard: list, node, and the name of a button."""
        for row in self.rows():
            place = str(row.property("list")), row.facts.node_id
            if row.hasFocus():
                return (*place, "")
            for button in row.buttons:
                if button.hasFocus():
                    return (*place, button.objectName())
        return None

    def _focus(self, place: tuple[str, str, str] | None) -> None:
        if place is None:
            return
        for row in self.rows(place[0]):
            if row.facts.node_id == place[1]:
                named = [button for button in row.buttons if place[2] and button.objectName() == place[2]]
                (named[0] if named else row).setFocus()
                return
        (self.rows()[0] if self.rows() else self).setFocus()
