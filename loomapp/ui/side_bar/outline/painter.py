"""Painter of outline rows: author bar, first words, and signs at the right."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from loomapp.core.context.outcomes import is_in_part
from loomapp.core.model.entities import Node
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.side_bar.outline.rows import Index, OutlineModel
from loomapp.ui.widgets.words.outcome_words import REFUSED_ICON

ROW_PX = 24
BAR_PX, BAR_HEIGHT_PX = 3, 15
TITLE_X = 11
SIGN_PX = 12
RIGHT_PX = 6
NEW_PX = 7  # the dot of what another program wrote and nobody looked at
DOT_PX = 6  # beside the title of a branch without a summary


class OutlinePainter(QStyledItemDelegate):
    """Painter of rows. Tints are the authors', as in the graph; colour is never the only sign."""

    def __init__(self, rows: OutlineModel, view: QTreeView) -> None:
        super().__init__(view)
        self._rows, self._view = rows, view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        node = self._rows.node(index)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_MouseOver and not self._view.selectionModel().isSelected(
            index
        ):
            self._paint_ground(painter, QRectF(row), "surface.hover")
        if node is None:
            self._paint_title(
                painter, row.adjusted(TITLE_X, 0, -RIGHT_PX, 0), str(index.data()), "text.link", False
            )
        else:
            self._paint_node(painter, row, node, index, option.state)
        painter.restore()

    def _paint_node(
        self, painter: QPainter, row: QRect, node: Node, index: Index, state: QStyle.StateFlag
    ) -> None:
        fate = self._rows.fates.get(node.id)
        faded = node.metadata.excluded or node.metadata.pruned or fate in ("truncated", "refused")
        tint = theme.agent_colour(self._rows.agents.get(node.author_agent_id or ""))
        if faded:
            tint.setAlphaF(theme.metric("card.opacity_excluded"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        bar = QRectF(row.left() + 2, row.center().y() - BAR_HEIGHT_PX / 2 + 0.5, BAR_PX, BAR_HEIGHT_PX)
        painter.drawRoundedRect(bar, 1.5, 1.5)
        right = self._paint_signs(painter, row, node, self._rows.key(index) or "", fate)
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        role = (
            "text.muted"
            if faded
            else "text.primary"
            if is_current or node.id in self._rows.on_path
            else "text.secondary"
        )
        box = QRect(row.left() + TITLE_X, row.top(), right - row.left() - TITLE_X, row.height())
        strong = is_current or bool(self._rows.branch_title(node))
        self._paint_title(painter, box, str(index.data()), role, node.metadata.excluded, strong=strong)

    def paint_selected(self, painter: QPainter, row: QRectF) -> None:
        """The ground of the selected row from edge to edge, under its chevron too, and the ring of focus."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, row, "surface.selected")
        if self._view.hasFocus():
            radius = theme.metric("radius.control")
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("accent.focus"), theme.metric("control.focus_width")))
            painter.drawRoundedRect(row.adjusted(1, 1, -1, -1), radius, radius)
        painter.restore()

    def _paint_ground(self, painter: QPainter, row: QRectF, role: str) -> None:
        radius = theme.metric("radius.control")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(role))
        painter.drawRoundedRect(row, radius, radius)

    def _paint_signs(self, painter: QPainter, row: QRect, node: Node, key: str, fate: str | None) -> int:
        """Paint from the right how many branches, and what is marked; return where the title must end."""
        right = row.right() - RIGHT_PX
        if node.id in self._rows.written:
            theme.draw_in(painter, fill="accent.base")
            at = QRectF(right - NEW_PX + 1, row.center().y() + 1 - NEW_PX / 2, NEW_PX, NEW_PX)
            painter.drawEllipse(at)
            right -= NEW_PX + 4
        is_cut = fate == "truncated" or is_in_part(self._rows.fates, node.id)
        outline = self._rows.outline
        branches = outline.branches(key) if outline is not None else 0
        if branches > 1:
            font = theme.numbers("caption")
            words = figures.number(branches) if branches < 1000 else f"{branches // 1000}k"
            width = QFontMetrics(font).horizontalAdvance(words)
            painter.setFont(font)
            painter.setPen(theme.colour("text.muted"))
            box = QRect(right - width + 1, row.top(), width, row.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, words)
            right = self._paint_sign(painter, "git-branch", "text.muted", right - width - 3, row)
        if self._rows.lacks_summary(node):
            theme.draw_in(painter, fill="state.warning")
            painter.drawEllipse(QPointF(right - DOT_PX / 2, row.center().y() + 1), DOT_PX / 2, DOT_PX / 2)
            right -= DOT_PX + 4
        for is_so, name, role in (
            (node.metadata.bookmarked, "bookmark", "accent.base"),
            (node.metadata.excluded, "eye-off", "text.muted"),
            (node.metadata.pruned, "leaf", "text.muted"),
            (is_cut and not node.metadata.excluded, "scissors", "text.muted"),
            (fate == "refused", REFUSED_ICON, "text.muted"),
            (node.interrupted is not None, "circle-pause", "state.interrupted"),
        ):
            if is_so:
                right = self._paint_sign(painter, name, role, right, row)
        return right - 2

    def _paint_sign(self, painter: QPainter, name: str, role: str, right: int, row: QRect) -> int:
        place = QRectF(right - SIGN_PX, row.center().y() - SIGN_PX / 2 + 1, SIGN_PX, SIGN_PX)
        theme.paint(painter, name, role, place, filled=name == "bookmark")
        return right - SIGN_PX - 4

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
