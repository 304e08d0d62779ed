"""Marks beside the text, of passages, cuts of the context and versions; and authorship as colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QTextCharFormat, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.prose.authorship import Author, AuthorSpan, mostly_by, within
from loomapp.core.prose.buffer_text import BufferText, Passage
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import set_tip

HEIGHT_PX = 24
ICON_PX = 12
PAD_PX = 7
TIGHT_PAD_PX = 3
FAR_PX = 1000
ABOVE_BAR_PX, BELOW_BAR_PX = 6, 4  # in the lines that it stands beside
SHARED_GAP_PX, LEAST_SHARE_PX = 2, 6  # between bars beside one line; of one of them, with that


@dataclass(frozen=True, slots=True)
class MarginMarks:
    """Marks beside one passage in view, in positions of the text.

    `hollow`: it is only offered. `dashed`: it is not sent. One that ended early without being `interrupted`
    was cut by its limit.
    """

    key: str
    begin: int
    end: int
    tint: QColor
    number: int = 0  # of `count` siblings, from 1; 0 if none of them is shown
    count: int = 0
    version: int = 0  # likewise among `versions`
    versions: int = 0
    hollow: bool = False
    dashed: bool = False
    interrupted: str = ""
    ended: str = ""  # why it ends where it does, for people
    bookmarked: bool = False
    is_tail: bool = False


@dataclass(frozen=True, slots=True)
class CutLine:
    """Line where what is sent begins or ends for want of room."""

    position: int
    words: str
    short: str  # where there is no room for the words


def bar_heights(
    beside: Iterable[MarginMarks], lines: Mapping[str, tuple[QRect, QRect]]
) -> Iterator[tuple[MarginMarks, float, float]]:
    """Yield each bar with its top and bottom, from above: it takes the lines that none above it has, of the
    first and the last line of its passage by its key. Passages that end in one line share its height.
    """
    groups: list[list[MarginMarks]] = []  # of those that end in one line
    taken = -FAR_PX
    for one in beside:
        first, last = lines[one.key]
        if last.bottom() >= max(taken, first.top()):
            groups.append([one])
            taken = last.bottom() + 1
        elif groups and (one.end > one.begin or (one.is_tail and one.number)):
            groups[-1].append(one)
    taken = -FAR_PX
    for group in groups:
        first, last = lines[group[0].key]
        top, bottom = max(taken, first.top()) + ABOVE_BAR_PX, last.bottom() + 1 - BELOW_BAR_PX
        begin = max(top, last.top() + ABOVE_BAR_PX)
        room = bottom - begin + SHARED_GAP_PX
        share = room / len(group)
        if share < LEAST_SHARE_PX:  # too many for a line
            group[1:], share = [], room
        for number, one in enumerate(group):
            yield one, begin + number * share if number else top, begin + (number + 1) * share - SHARED_GAP_PX
        taken = last.bottom() + 1


class VersionChip(QAbstractButton):
    """Chip with the number of the version that is read; it opens their list."""

    stepped = Signal(int)  # -1: the one before, 1: the next; by the wheel

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("versionChip")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.node_id = ""
        self._count = 0
        self._number = 0
        self._is_open = False
        self._tightness = 0
        self._keys = ("", "")

    def show_keys(self, before: str, after: str) -> None:
        """Say the keys that go to the version before and to the next; "" for one that has none."""
        if (before, after) != self._keys:
            self._keys = before, after
            self._say()

    def show_versions(self, node_id: str, number: int, count: int) -> None:
        """Show that the `number`th of `count` versions is read, counted from 1."""
        self.node_id, self._number, self._count = node_id, number, count
        self._say()
        self.setFixedSize(self.sizeHint())
        self.update()

    def _say(self) -> None:
        words = self.tr("Version {0} of {1}").format(self._number, self._count)
        self.setAccessibleName(words)
        tip = self.tr("{0}. Click for the list")
        if all(self._keys):
            tip = self.tr("{0}. Click for the list; {1} and {2} change it")
        set_tip(self, tip.format(words, *self._keys))

    def set_tight(self, tightness: int) -> None:
        """Leave words out where several chips stand in one line: 1 drops the sign of the list, 2 the icon."""
        if tightness != self._tightness:
            self._tightness = tightness
            self.setFixedSize(self.sizeHint())
            self.update()

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        self.update()

    def sizeHint(self) -> QSize:
        words = QFontMetricsF(theme.numbers("small")).horizontalAdvance(str(self._count))
        if self._tightness:
            icon = ICON_PX + 2 if self._tightness == 1 else 0
            return QSize(max(HEIGHT_PX, round(words) + icon + 2 * TIGHT_PAD_PX), HEIGHT_PX)
        return QSize(round(words) + 2 * ICON_PX + 2 * PAD_PX + 8, HEIGHT_PX)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y()
        if steps:
            self.stepped.emit(-1 if steps > 0 else 1)
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = self._is_open or self.underMouse() or self.hasFocus()
        painter.setPen(QPen(theme.colour("accent.focus" if self.hasFocus() else "border.normal"), 1))
        painter.setBrush(theme.colour("accent.soft" if lit else "surface.raised"))
        radius = theme.metric("radius.chip")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        role = "accent.base" if lit else "text.secondary"
        top, left, right = (HEIGHT_PX - ICON_PX) / 2, TIGHT_PAD_PX, TIGHT_PAD_PX
        if self._tightness < 2:
            left = PAD_PX if self._tightness == 0 else TIGHT_PAD_PX
            theme.paint(painter, "history", role, QRectF(left, top, ICON_PX, ICON_PX))
            left += ICON_PX + (0 if self._tightness == 0 else 2)
        if self._tightness < 1:
            right = PAD_PX + ICON_PX - 2
            theme.paint(painter, "chevron-down", role, QRectF(self.width() - right, top, ICON_PX, ICON_PX))
        painter.setFont(theme.numbers("small"))
        painter.setPen(theme.colour(role))
        middle = self.rect().adjusted(left, 0, -right, 0)
        painter.drawText(middle, Qt.AlignmentFlag.AlignCenter, str(self._count))
        painter.end()


Authorship: TypeAlias = Literal["colour", "margin", "off"]
Look: TypeAlias = tuple[int, int, QTextCharFormat]
LEFT_OUT = ("excluded", "pruned")


class AuthorshipColours:
    """Tells how a stretch of the text looks. Asked for what is on the screen only."""

    def __init__(self) -> None:
        self.authorship: Authorship = "colour"
        self._buffer_text: BufferText | None = None
        self._tree: Tree | None = None
        self._agents: Mapping[str, Agent] = {}
        self._fates: Mapping[str, str] = {}
        self._formats: dict[tuple[str, str | None, bool, bool], QTextCharFormat] = {}
        self._theme = ""

    def show(self, buffer_text: BufferText, tree: Tree, agents: Mapping[str, Agent]) -> None:
        self._buffer_text, self._tree, self._agents = buffer_text, tree, agents
        self._formats.clear()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        self._fates = fates

    def looks(self, begin: int, end: int) -> Iterator[Look]:
        """Yield stretches of one look each, in order; ink where none is named."""
        buffer_text = self._buffer_text
        if buffer_text is None or begin >= end:
            return
        if self._theme != theme.current_name():
            self._formats.clear()
            self._theme = theme.current_name()
        found: Look | None = None
        for one in self._looks(buffer_text, begin, end):
            if found is not None and found[1] == one[0] and found[2] is one[2]:
                found = (found[0], one[1], one[2])  # short passages of one author are one stretch
                continue
            if found is not None:
                yield found
            found = one
        if found is not None:
            yield found

    def _looks(self, buffer_text: BufferText, begin: int, end: int) -> Iterator[Look]:
        for passage in buffer_text.passages(begin, end):
            at = passage.start
            struck = self._fates.get(passage.node_id or "") in LEFT_OUT
            spans = buffer_text.spans(passage.place)
            if not struck and not any(span.author_type == "model" for span in spans):
                continue  # ink
            mixed = _is_by_model(mostly_by(spans)) and self._is_edited(passage)
            for span in within(spans, max(begin, at) - at, min(end, passage.end) - at):
                changed = mixed and span.author_type == "human"
                if struck or (self.authorship == "colour" and (changed or span.author_type == "model")):
                    look = self._format(span, changed=changed, struck=struck)
                    yield span.start + at, span.end + at, look

    def model_of(self, passage: Passage) -> Author | None:
        """Return the model that wrote most of a passage, if one did."""
        buffer_text = self._buffer_text
        if buffer_text is None or passage.place >= len(buffer_text):
            return None
        author = mostly_by(buffer_text.spans(passage.place))
        return author if _is_by_model(author) else None

    def colour_of(self, agent_id: str | None, author_type: str) -> QColor:
        if author_type == "human":
            return theme.colour("text.primary")
        mix = theme.metric(f"authorship.prose_mix_{theme.current_name()}")
        role = theme.agent_role(self._agents.get(agent_id or ""))
        return theme.mixed(role, "text.primary", mix)

    def tint_of(self, passage: Passage) -> QColor:
        model = self.model_of(passage)
        agent = self._agents.get((model.agent_id if model is not None else None) or "")
        return theme.colour("agent.human" if model is None else theme.agent_role(agent))

    def name_at(self, position: int) -> str:
        """Return the name of a character's author; empty where there is none."""
        buffer_text = self._buffer_text
        if buffer_text is None or not 0 <= position < buffer_text.length:
            return ""
        span = next(iter(buffer_text.spans_between(position, position + 1)), None)
        agent = None if span is None else self._agents.get(span.agent_id or "")
        return "" if agent is None else agent.name

    def _is_edited(self, passage: Passage) -> bool:
        buffer_text, tree = self._buffer_text, self._tree
        if buffer_text is None or tree is None or passage.node_id is None:
            return False
        node = tree.nodes.get(passage.node_id)
        return passage.node_id in buffer_text.penned or (node is not None and node.author_type == "human")

    def _format(self, span: AuthorSpan, *, changed: bool, struck: bool) -> QTextCharFormat:
        key = (span.author_type, span.agent_id, changed, struck)
        found = self._formats.get(key)
        if found is None:
            found = self._formats[key] = QTextCharFormat()
            colour = self.colour_of(span.agent_id, span.author_type)
            found.setForeground(theme.colour("text.muted") if struck else colour)
            found.setFontStrikeOut(struck)
            if changed:
                found.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
                found.setUnderlineColor(theme.colour("text.secondary"))
        return found


def _is_by_model(author: Author | None) -> bool:
    return author is not None and author.author_type == "model"
