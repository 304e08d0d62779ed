"""Painter of outline rows: rails, arrow, number, author bar, first words, and signs at the right."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QTreeView,
)

from loomapp.core.context.outcomes import cut_answer, is_in_part
from loomapp.core.dataclass import dataclass
from loomapp.core.generation.drafts import failed_count
from loomapp.core.model.entities import Node
from loomapp.core.outline.lines import OutlineRow
from loomapp.ui import figures
from loomapp.ui.graph.scene.card_faces import short_author
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.row_words import below_words, count_words, title, writer_in
from loomapp.ui.side_bar.outline.rows import MOST_COUNTED, Index, OutlineModel
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

ROW_PX = 24
STEP_PX, MOST_STEPS = 14, 8  # to the right, below a fork
LEFT_PX, ARROW_PX, NUMBER_PX = 3, 14, 24
BAR_PX, BAR_HEIGHT_PX, GAP_PX = 3, 14, 6
SIGN_PX = 12
ICON_MORE_PX = 6  # that an icon is wider than the bar in whose place it stands
RIGHT_PX = 6
MARK_PX = 6  # beside the title of a branch without a summary
NEW_PX = 7  # the dot of what another program wrote and nobody looked at
DOT_PX, DOT_STEP_PX, MOST_DOTS = 8, 12, 5
LEAST_WORDS_PX = 64  # beside the dots, which go before words are fewer
WAYS_PX = 58  # of their number and its sign
LEAST_BESIDE_WAYS_PX = 40  # of words; where they are fewer, the number and its sign say it
LEAST_FOR_DOTS_PX, LEAST_FOR_VERSIONS_PX = 200, 176  # of the row


@dataclass(slots=True)
class RowParts:
    """Places of what is in a row, in px of the view."""

    arrow: QRect
    number: QRect
    bar: QRectF
    words: QRect
    count: QRect = field(default_factory=QRect)  # of what is folded
    count_words: str = ""
    below: QRect = field(default_factory=QRect)  # of the chip that says what the row follows
    below_words: str = ""
    dots: tuple[tuple[str, QRect], ...] = ()
    texts: tuple[tuple[str, QRect], ...] = ()  # small words at the right
    signs: tuple[tuple[str, str, QRectF], ...] = ()  # icon, colour, place
    marks: tuple[tuple[str, QRectF], ...] = ()  # dots that say something, by their colour

    def dot_at(self, at: QPoint) -> str | None:
        return next((node_id for node_id, place in self.dots if place.contains(at)), None)


class OutlinePainter(QStyledItemDelegate):
    """Painter of rows. Tints are the authors', as in the graph; colour is never the only sign."""

    def __init__(self, rows: OutlineModel, view: QTreeView) -> None:
        super().__init__(view)
        self._rows, self._view = rows, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    # Places

    def parts(self, rect: QRect, row: OutlineRow) -> RowParts:
        """Return where everything stands in a row."""
        left = rect.left() + LEFT_PX + STEP_PX * min(row.depth, MOST_STEPS)
        arrow = QRect(left, rect.top(), ARROW_PX, rect.height())
        number = QRect(arrow.right() + 1, rect.top(), self._number_px(row), rect.height())
        middle = rect.top() + rect.height() / 2
        bar = QRectF(number.right() + 1 + GAP_PX, middle - BAR_HEIGHT_PX / 2, BAR_PX, BAR_HEIGHT_PX)
        start = round(bar.right()) + GAP_PX + (ICON_MORE_PX if row.kind in ("note", "answers") else 0)
        found = RowParts(arrow, number, bar, QRect())
        if row.below is not None:
            metrics, room = QFontMetrics(theme.numbers("caption")), rect.right() - RIGHT_PX - start
            for is_short in (False, True):
                found.below_words = below_words(row.below, is_short=is_short)
                width = metrics.horizontalAdvance(found.below_words) + 10
                if room - width >= LEAST_WORDS_PX:
                    break
            found.below = QRect(start, rect.top() + 3, width, rect.height() - 6)
            start += width + 5
        right = self._place_signs(found, rect, row, start)
        found.words = QRect(start, rect.top(), max(0, right - start), rect.height())
        return found

    def _number_px(self, row: OutlineRow) -> int:
        """Return the width of a row's number: from a thousand on that of as many wide figures."""
        if row.number < 1_000:
            return NUMBER_PX
        widest = figures.number(int("8" * len(str(row.number))))
        return max(NUMBER_PX, QFontMetrics(theme.font("caption")).horizontalAdvance(widest))

    def _place_signs(self, found: RowParts, rect: QRect, row: OutlineRow, start: int) -> int:
        """Place from the right what is marked, folded, and how many; return where the words must end."""
        right, middle = rect.right() + 1 - RIGHT_PX, rect.top() + rect.height() / 2
        node = self._rows.node_of(row.node_id) if row.is_node else None
        signs: list[tuple[str, str, QRectF]] = []
        texts: list[tuple[str, QRect]] = []

        def sign(name: str, role: str) -> None:
            nonlocal right
            signs.append((name, role, QRectF(right - SIGN_PX, middle - SIGN_PX / 2, SIGN_PX, SIGN_PX)))
            right -= SIGN_PX + 4

        def words(said: str) -> None:
            nonlocal right
            width = QFontMetrics(theme.numbers("caption")).horizontalAdvance(said)
            texts.append((said, QRect(right - width, rect.top(), width + 1, rect.height())))
            right -= width + 5

        if node is not None:
            for is_so, role, size in (
                (writer_in(row, self._rows.written) is not None, "accent.base", NEW_PX),
                (self._rows.lacks_summary(node), "state.warning", MARK_PX),
            ):
                if is_so:
                    found.marks += ((role, QRectF(right - size, middle - size / 2, size, size)),)
                    right -= size + 4
            for name, role in self._states(node):
                sign(name, role)
        if row.is_node and row.fold == "folded":
            said = found.count_words = self.hidden_words(row)
            width = QFontMetrics(theme.numbers("caption")).horizontalAdvance(said) + 10
            found.count = QRect(right - width, rect.top() + 3, width, rect.height() - 6)
            right -= width + 5
        if len(row.versions) > 1 and rect.width() >= LEAST_FOR_VERSIONS_PX:
            words(figures.number(len(row.versions)))
            right += 2
            sign("history", "text.muted")
        if row.alternatives:
            place, count = row.place
            words(f"{figures.number(place)}/{figures.number(count)}")
            width = DOT_STEP_PX * len(row.alternatives)
            least = LEAST_WORDS_PX + (WAYS_PX if row.ways else 0)
            has_room = right - width - start >= least and rect.width() >= LEAST_FOR_DOTS_PX
            if len(row.alternatives) <= MOST_DOTS and has_room:
                tops = rect.top(), rect.height()
                places = (
                    QRect(right - width + DOT_STEP_PX * n, tops[0], DOT_STEP_PX, tops[1]) for n in range(9)
                )
                found.dots = tuple(zip(row.alternatives, places, strict=False))
                right -= width + 4
        if row.ways:
            ways = figures.number(row.ways)
            has_room = right - WAYS_PX - start >= LEAST_BESIDE_WAYS_PX
            words(tr("{count} ways").format(count=ways) if has_room else ways)
            right += 1
            sign("git-branch", "text.muted")
        found.signs, found.texts = tuple(signs), tuple(texts)
        return right - 2

    def _states(self, node: Node) -> list[tuple[str, str]]:
        fate = self._rows.fates.get(node.id)
        has_no_room = fate == "truncated" or is_in_part(self._rows.fates, node.id)
        states = (
            (node.metadata.bookmarked, "bookmark", "accent.base"),
            (node.metadata.excluded, "eye-off", "text.muted"),
            (node.metadata.pruned, "leaf", "text.muted"),
            (has_no_room and not node.metadata.excluded, "scissors", "text.muted"),
            (fate == "refused", REFUSED_ICON, "text.muted"),
            (node.interrupted is not None, "circle-pause", "state.interrupted"),
            (cut_answer(self._rows.fates, node.id) is not None, "arrow-right-to-line", "state.warning"),
        )
        return [(name, role) for is_so, name, role in states if is_so]

    def hidden_words(self, row: OutlineRow) -> str:
        """`+12`: the number of messages that a folded row hides."""
        return count_words(self._rows.count_below(row), MOST_COUNTED)

    def tip_at(self, rect: QRect, row: OutlineRow, at: QPoint) -> str:
        """Return the tip of what is at a point of a row, empty where the row's own says enough."""
        parts = self.parts(rect, row)
        dot = parts.dot_at(at)
        node = None if dot is None else self._rows.node_of(dot)
        if node is not None:
            return f"{short_author(self._rows.author_of(node), self._rows.agents)}: {title(node)}"
        if row.below is not None and parts.below.contains(at):
            return self._rows.below_sentence(row.below)
        if row.fold and (parts.arrow.contains(at) or parts.count.contains(at)):
            return tr("Unfold") if row.fold == "folded" else tr("Fold")
        if parts.number.contains(at) and row.is_node:
            return tr("How deep it stands in its path. Rows with the same number are alternatives.")
        return ""

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Over a dot the tip says whose alternative it is and how it begins."""
        row = self._rows.row(index)
        words = "" if row is None else self.tip_at(QRect(option.rect), row, event.pos())
        if words:
            QToolTip.showText(event.globalPos(), plain_tip(words), view)
            return True
        return super().helpEvent(event, view, option, index)

    # Painting

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect = QRect(option.rect)
        row = self._rows.row(index)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_current = self._view.selectionModel().isSelected(index)
        if option.state & QStyle.StateFlag.State_MouseOver and not is_current:
            theme.paint_row(painter, QRectF(rect), "surface.hover")
        self._paint_rails(painter, rect, row)
        parts = self.parts(rect, row)
        if row.fold:
            name = "chevron-down" if row.fold == "open" else "chevron-right"
            place = QRectF(parts.arrow.center().x() - 5, parts.arrow.center().y() - 5, 12, 12)
            theme.paint(painter, name, "text.muted", place)
        if row.number and row.kind in ("message", "run", "answers"):
            theme.write_in(painter, "caption", "text.muted")
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(parts.number, right, figures.number(row.number))
        if parts.below_words:
            self._paint_pill(painter, parts.below, parts.below_words, "text.muted", "")
        node = self._rows.node(index)
        if node is not None:
            self._paint_node(painter, parts, row, node, str(index.data()), is_current)
        else:
            self._paint_other(painter, parts, row, str(index.data()), is_current)
        painter.restore()

    def _paint_rails(self, painter: QPainter, rect: QRect, row: OutlineRow) -> None:
        """Paint the lines from forks to their ways, those of the shown path above the others."""
        plain = QPen(theme.colour("border.strong"), 1)
        read = QPen(theme.colour("accent.base"), 2)
        middle, bottom = rect.top() + rect.height() / 2, rect.bottom() + 1
        lines: list[tuple[QPen, QPointF, QPointF]] = []
        for level, rail in enumerate(row.rails[:MOST_STEPS]):
            way = self._rows.way_read(rail.fork_id)
            x = rect.left() + LEFT_PX + STEP_PX * level + ARROW_PX / 2
            is_head = row.is_head and level == len(row.rails) - 1
            top, centre, low = QPointF(x, rect.top()), QPointF(x, middle), QPointF(x, bottom)
            if is_head:
                pen = read if way is not None and way >= rail.way else plain
                lines.append((pen, top, centre))
                pen = read if way == rail.way else plain
                lines.append((pen, centre, QPointF(x + STEP_PX - ARROW_PX / 2 + 2, middle)))
            if rail.way < rail.count - 1:
                pen = read if way is not None and way > rail.way else plain
                lines.append((pen, centre if is_head else top, low))
        for pen, start, end in sorted(lines, key=lambda line: line[0].width()):
            painter.setPen(pen)
            painter.drawLine(start, end)

    def _paint_other(
        self, painter: QPainter, parts: RowParts, row: OutlineRow, words: str, is_current: bool
    ) -> None:
        """Paint what is no message: a folded run, a heading, what is not in the list."""
        box, role = QRect(parts.words), "text.secondary"
        if row.kind == "run":
            place = QRectF(parts.bar.center().x() - 6, parts.bar.center().y() - 6, 12, 12)
            if row.is_covered:
                place.moveLeft(parts.words.left())
                box.setLeft(parts.words.left() + 16)
            icon = "file-text" if row.is_covered else "ellipsis-vertical"
            theme.paint(painter, icon, "text.muted", place)
            role = "text.muted"
        elif row.kind == "answers":
            has_failed = failed_count(self._rows.drafts.get(row.node_id, ())) > 0
            place = QRectF(parts.bar.left() - 1, parts.bar.center().y() - 6, 12, 12)
            icon, tint = (
                ("circle-alert", "state.error") if has_failed else ("loader-circle", "state.streaming")
            )
            theme.paint(painter, icon, tint, place)
        elif row.kind == "heading":
            if row.below is None:
                box.setLeft(parts.number.left() + GAP_PX)
            role = "text.primary"
        else:
            box.setLeft(parts.arrow.left() + 4)
            role = "text.link"
        self._paint_title(painter, box, words, role, False, strong=is_current or row.kind == "heading")

    def _paint_node(
        self, painter: QPainter, parts: RowParts, row: OutlineRow, node: Node, words: str, is_current: bool
    ) -> None:
        fate = self._rows.fates.get(node.id)
        faded = node.metadata.excluded or node.metadata.pruned or fate in ("truncated", "refused")
        if row.kind == "note":
            place = QRectF(parts.bar.left() - 1, parts.bar.center().y() - 6, 12, 12)
            theme.paint(painter, "sticky-note", "text.muted", place)
        else:
            tint = theme.agent_colour(self._rows.agents.get(self._rows.author_of(node).agent_id or ""))
            if faded:
                tint = QColor(tint)
                tint.setAlphaF(theme.metric("card.opacity_excluded"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint)
            painter.drawRoundedRect(parts.bar, 1.5, 1.5)
        is_read = node.id in self._rows.on_path
        self._paint_right(painter, parts, is_read=is_read and not faded)
        role = "text.muted" if faded else "text.primary" if is_current or is_read else "text.secondary"
        strong = is_current or bool(self._rows.branch_title(node))
        self._paint_title(painter, parts.words, words, role, node.metadata.excluded, strong=strong)

    def _paint_right(self, painter: QPainter, parts: RowParts, *, is_read: bool) -> None:
        for name, role, where in parts.signs:
            theme.paint(painter, name, role, where, filled=name == "bookmark")
        for role, where in parts.marks:
            theme.draw_in(painter, fill=role)
            painter.drawEllipse(where)
        painter.setFont(theme.numbers("caption"))
        for said, place in parts.texts:
            is_choice = is_read and "/" in said
            role = "accent.base" if is_choice else "text.secondary" if is_read else "text.muted"
            painter.setPen(theme.colour(role))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, said)
        if not parts.count.isEmpty():
            self._paint_pill(painter, parts.count, parts.count_words, "text.secondary", "surface.raised")
        for node_id, place in parts.dots:
            self._paint_dot(painter, node_id, place)

    def _paint_pill(self, painter: QPainter, place: QRect, words: str, role: str, fill: str) -> None:
        radius = place.height() / 2
        theme.draw_in(painter, line="border.strong", fill=fill)
        painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.setFont(theme.numbers("caption"))
        painter.setPen(theme.colour(role))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_dot(self, painter: QPainter, node_id: str, place: QRect) -> None:
        """A dot in the tint of its author, filled if it is read; a square for an edited message."""
        node = self._rows.node_of(node_id)
        if node is None:
            return
        tint = theme.agent_colour(self._rows.agents.get(self._rows.author_of(node).agent_id or ""))
        box = QRectF(0, 0, DOT_PX, DOT_PX)
        box.moveCenter(QRectF(place).center())
        painter.setPen(QPen(tint, 1.5))
        painter.setBrush(tint if node_id in self._rows.on_path else Qt.BrushStyle.NoBrush)
        box.adjust(0.75, 0.75, -0.75, -0.75)
        if node.edited_from is not None:
            painter.drawRect(box)
        else:
            painter.drawEllipse(box)

    def paint_selected(self, painter: QPainter, row: QRectF) -> None:
        """The ground of the selected row from edge to edge, its bar, and the ring of focus."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme.paint_row(painter, row, "surface.selected")
        theme.draw_in(painter, fill="accent.base")
        painter.drawRoundedRect(QRectF(row.left(), row.top() + 2, 3, row.height() - 4), 1.5, 1.5)
        theme.paint_row(painter, row, has_ring=self._view.hasFocus())
        painter.restore()

    def _paint_title(
        self, painter: QPainter, box: QRect, words: str, role: str, struck: bool, *, strong: bool = False
    ) -> None:
        font = _title_font(struck, strong)
        painter.setFont(font)
        painter.setPen(theme.colour(role))
        shown = _cut(words, font.key(), strong, struck, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _title_font(struck: bool, strong: bool) -> QFont:
    font = theme.font("small")
    font.setStrikeOut(struck)
    if strong:
        font.setWeight(theme.font("ui_strong").weight())
    return font


@lru_cache(maxsize=1024)
def _cut(words: str, _font_key: str, strong: bool, struck: bool, width: int) -> str:
    """A title that ends in … where there is no more room; finding out takes longer than drawing it."""
    metrics = QFontMetrics(_title_font(struck, strong))
    return metrics.elidedText(words, Qt.TextElideMode.ElideRight, width)
