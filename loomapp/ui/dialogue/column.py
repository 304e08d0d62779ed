"""A column of messages of which only the visible ones exist: placing, scrolling, keeping the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.body import Library
from loomapp.ui.dialogue.message.message import BELOW_PX, INDENT_PX, MessageView
from loomapp.ui.dialogue.script.heights import FOLD_LINES, SHOWN_LINES, RowHeights
from loomapp.ui.dialogue.script.script import Script, first_difference, same_rows
from loomapp.ui.dialogue.summary.between import CardsBetween, PlacedCard
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.widgets.keyboard import focused_beside

SIDE_PX = 20
TOP_PX = 12
WIDEST_PX = 760  # about 90 characters; longer lines are hard to read
STEP_PX = 48
CHARACTER_PX = 7.4  # mean width, for estimates only
MOST_ESTIMATED = 400  # rows whose height is estimated from their own text
AT_END_PX = 8


class MessageColumn(QAbstractScrollArea):
    """Rows have estimated heights until they are seen. One row is the anchor: it stays where it is read
    while rows above are measured, texts grow and siblings change; the scroll bar only follows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._script: Script | None = None
        self._heights = RowHeights()
        self._library = Library(self)
        self._shown: dict[str, MessageView] = {}  # by the key of its row
        self._spare: list[MessageView] = []
        self._expanded: set[str] = set()
        self._unfolded: set[str] = set()  # kept as long as the window, whatever path is shown
        self._lit = ""
        self.between = CardsBetween()
        self._anchor = (0, float(TOP_PX))  # a row, and where its top stands in the viewport
        self._follows_end = True
        self._sticks_to_end = False  # even if the head of the last message leaves: the reader went there
        self._gap_below = False  # a shorter sibling leaves room below rather than move the pager away
        self._settling = False
        self._tab_stops: list[QWidget] = []
        self.verticalScrollBar().setSingleStep(STEP_PX)

    def set_thumbnails(self, thumbnails: Thumbnails) -> None:
        self._library.thumbnails = thumbnails

    def greet(self, message: MessageView) -> None:
        """Called with every new message widget, to connect its signals."""

    def rows_placed(self) -> None:
        """Called when the messages on the screen stand where they belong."""

    def message(self, key: str) -> MessageView | None:
        row = self._script.row_of(key) if self._script else None
        return None if row is None or self._script is None else self._shown.get(self._script.row_key(row))

    def is_on_path(self, key: str) -> bool:
        """True for the nodes of the path that is shown, and for what is drafted at its end."""
        return self._script is not None and self._script.row_of(key) is not None

    @property
    def script(self) -> Script | None:
        return self._script

    def shown_messages(self) -> list[MessageView]:
        return sorted((m for m in self._shown.values() if m.isVisible()), key=QWidget.y)

    def row_key_of(self, message: MessageView) -> str:
        return next(key for key, shown in self._shown.items() if shown is message)

    @property
    def place(self) -> tuple[str, float] | None:
        """The message that is read and where its top stands in the view, in px; None at the end."""
        script = self._script
        if script is None or not len(script) or self._is_at_end():
            return None
        row, y = self._anchor
        return script.row_key(min(row, len(script) - 1)), y

    def go_to_place(self, key: str, y: float) -> None:
        """Read where `place` said. A message that is not on this path leaves the view as it is."""
        row = self._script.row_of(key) if self._script else None
        if row is not None:
            self._anchor, self._follows_end, self._sticks_to_end = (row, y), False, False
            self.place_rows()

    def shown_keys(self) -> tuple[str, ...]:
        """Return the node ids, and the key of a draft at the end, in the order shown."""
        return self._script.keys if self._script else ()

    def show_script(self, script: Script) -> None:
        """Show the entries of a path; the reader's place is kept where it is the same."""
        before, self._script = self._script, script
        at_end = self._is_at_end()
        self._keep_unfolded(before)
        self._expanded = {key for key in self._expanded if script.row_of(key) is not None}
        self._estimate(before)
        if before is None or before.tree is not script.tree:
            self._go_to_end()
        else:
            self._keep_place(before, at_end=at_end)
        self.place_rows()

    def _keep_unfolded(self, before: Script | None) -> None:
        """Keep a message unfolded that grew before the reader's eyes and has become a node."""
        script = self._script
        if before is None or script is None or not before.keys or before.keys[-1] not in before.drafts:
            return
        place = len(before.keys) - 1
        if place < len(script.keys) and script.keys[place] not in script.drafts:
            self._unfolded.add(script.keys[place])

    def _keep_place(self, before: Script, *, at_end: bool) -> None:
        """Put the anchor on the row that was read: the same message, or what now stands in its place."""
        script = self._script
        assert script is not None
        if at_end and len(script) > len(before):
            self._go_to_end()
            return
        if not len(script):
            return
        row, y = self._anchor
        changed = first_difference(before, script)
        key = before.row_key(changed) if changed < len(before) else ""
        replaced = None if script.row_of(key) is not None else self._shown.get(key)
        if replaced is not None and replaced.isVisible() and changed < len(script):
            row, y = changed, replaced.y() - self.cards_above(changed, before)
        elif row < len(before):
            key = before.row_key(row)
            now = 0 if script.is_put_away(key) else script.row_of(key)
            row = row if now is None else now
        self._anchor = (min(row, len(script) - 1), y)
        self._follows_end = at_end and self._follows_end
        self._sticks_to_end = self._sticks_to_end and self._follows_end
        self._gap_below |= changed < len(before)

    def _go_to_end(self) -> None:
        self._follows_end, self._gap_below = True, False
        script = self._script
        if script is not None and len(script):
            self._anchor = (len(script) - 1, self.viewport().height() - self._heights[len(script) - 1])

    # Placing rows: from the anchor down, then up from it.

    def place_rows(self) -> None:
        """Put every visible row where it belongs, measured anew."""
        script = self._script
        if script is None or not len(script):
            self.between.hide()
            self._recycle(set())
            self._set_bar()
            return
        row, y = self._anchor
        placed = self._walk(min(row, len(script) - 1), y)
        for _ in range(2):
            better = self._better_anchor(placed)
            if better is None:
                break
            placed = self._walk(*better)
        self._put(placed)
        self._set_anchor(placed)
        self._set_bar()

    def _better_anchor(self, placed: Mapping[int, float]) -> tuple[int, float] | None:
        """Return a row and the y where it should stand instead: no gap at an end, a growing row followed.
        None: as it is.
        """
        script = self._script
        assert script is not None
        height = self.viewport().height()
        first, last = min(placed), max(placed)
        end = placed[last] + self._heights[last]
        if first == 0 and placed[0] > TOP_PX:
            return 0, float(TOP_PX)
        if last < len(script) - 1:
            return None
        if end < height and not self._gap_below and placed[first] < TOP_PX:
            room_above = TOP_PX - placed[0] if first == 0 else float("inf")
            return first, placed[first] + min(height - end, room_above)
        if end > height and self._follows_end:
            # Follow what grows, but never push the head of the last message out of sight.
            room = float("-inf") if self._sticks_to_end else min(0.0, TOP_PX - placed[last])
            shift = max(height - end, room)
            return (last, placed[last] + shift) if shift else None
        return None

    def _walk(self, row: int, y: float) -> dict[int, float]:
        """Return the rows that a viewport shows if `row` stands at `y`, measured: row → top."""
        script = self._script
        assert script is not None
        height = self.viewport().height()
        placed: dict[int, float] = {}
        below, top = row, y
        while below < len(script) and (top < height or not placed):
            placed[below] = top
            top += self._measure(below)
            below += 1
        above, top = row, y
        while above > 0 and top > 0:
            above -= 1
            top -= self._measure(above)
            placed[above] = top
        return placed

    def _measure(self, row: int) -> float:
        """Measure a row and make its message ready; return its height."""
        script = self._script
        assert script is not None
        key = script.row_key(row)
        message = self._shown.get(key)
        if message is None:
            message = self._shown[key] = self._new_message()
        width, expanded, unfolded = self._column().width(), key in self._expanded, key in self._unfolded
        height = message.show_entry(script.entry(row), width, expanded=expanded, unfolded=unfolded)
        message.resize(width, height)
        height += round(self.cards_above(row)) + self.between.below(script, row, width)
        self._heights.measure(row, height)
        return height

    def cards_above(self, row: int, script: Script | None = None) -> float:
        """Return the height that cards of summaries take above a message."""
        script = script or self._script
        return 0.0 if script is None else float(self.between.above(script, row, self._column().width()))

    def set_cards(self, cards: Sequence[PlacedCard]) -> None:
        """Show cards between the messages; they are the column's from now on."""
        if not cards and not self.between.has_cards:
            return
        for card in self.between.set_cards(cards, self.viewport()):
            card.height_changed.connect(self.on_card_height_changed)
        self.place_rows()

    def on_card_height_changed(self) -> None:
        """Leave the top of a card where it is."""
        self._follows_end = False
        self.place_rows()

    def _put(self, placed: Mapping[int, float]) -> None:
        script = self._script
        assert script is not None
        left, height = self._column().left(), self.viewport().height()
        visible = {row for row, top in placed.items() if top < height and top + self._heights[row] > 0}
        self._recycle({script.row_key(row) for row in visible})
        shown = [(row, self._shown[script.row_key(row)]) for row in sorted(visible)]
        for row, message in shown:
            message.move(left, round(placed[row] + self.cards_above(row)))
            message.show()
        self.between.put(script, placed, self._heights, left, self._column().width())
        self.rows_placed()
        self.order_tabs()

    def order_tabs(self) -> None:
        """Let Tab go down the messages as they are read, and through the tools of each."""
        stops = [stop for message in self.shown_messages() for stop in message.tab_stops()]
        if stops != self._tab_stops:
            self._tab_stops = stops
            for before, after in pairwise([self, *stops]):
                QWidget.setTabOrder(before, after)

    def _set_anchor(self, placed: Mapping[int, float]) -> None:
        """Hold on to the first row whose top can be seen, so that nothing above it moves it."""
        seen = [row for row in sorted(placed) if placed[row] >= 0] or [max(placed)]
        row = seen[0] if placed[seen[0]] < self.viewport().height() else min(placed)
        self._anchor = (row, placed[row])

    def _estimate(self, before: Script | None = None) -> None:
        """Heights of rows that were not measured, from the length of their texts; those of a path before
        are kept as far as it is the same."""
        script = self._script
        assert script is not None
        same = same_rows(before, script)
        if same == len(script):
            self._heights = RowHeights(self._heights.beginning(same))
            return
        per_line = max(120, self._column().width() - INDENT_PX) / CHARACTER_PX
        around, line = head.HEIGHT_PX + BELOW_PX, theme.line_height("dialogue")
        # Few are looked at, evenly spread; the others stand at their mean until they are seen.
        rows = range(same, len(script), (len(script) - same) // MOST_ESTIMATED + 1)
        sizes = np.array([script.size(row) for row in rows], dtype=np.float64).reshape(-1, 2)
        lines = sizes[:, 0] // per_line + 1 + sizes[:, 1]
        lines[lines > FOLD_LINES] = SHOWN_LINES + 1
        estimated = np.full(len(script) - same, around + line * lines.mean())
        estimated[:: rows.step] = around + line * lines
        self._heights = RowHeights(np.concatenate([self._heights.beginning(same), estimated]))

    def _column(self) -> QRect:
        room = self.viewport().width()
        width = max(80, min(WIDEST_PX, room - 2 * SIDE_PX))
        return QRect((room - width) // 2, 0, width, 0)

    # The widgets of messages.

    def _new_message(self) -> MessageView:
        if self._spare:
            return self._spare.pop()
        message = MessageView(self._library, self.viewport())
        message.height_changed.connect(self.place_rows)
        self.greet(message)
        return message

    def _recycle(self, keys: set[str]) -> None:
        for key in [k for k in self._shown if k not in keys]:
            # Out of the way first: hiding the widget with the focus moves it, which places rows again.
            message = self._shown.pop(key, None)
            if message is None:
                continue
            if message.is_editing and self.is_on_path(message.key):
                self._shown[key] = message  # what is being written must not be lost by scrolling
                message.hide()
                continue
            focus = focused_beside(message)
            if focus is not None and (focus is message or message.isAncestorOf(focus)):
                self.setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt gives it to whatever comes next
            message.hide()
            if message.is_editing:
                message.close_editor()
            self._spare.append(message)

    # Scrolling.

    def _set_bar(self) -> None:
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        self._settling = True
        total = TOP_PX + (self._heights.total if self._script and len(self._script) else 0)
        bar.setPageStep(height)
        bar.setRange(0, max(0, round(total - height)))
        if self._script and len(self._script) and not bar.isSliderDown():
            row, y = self._anchor
            bar.setValue(round(TOP_PX + self._heights.top(row) - y))
        self._settling = False

    def _is_at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - AT_END_PX

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The scroll bar was moved: by a step the rows move along, by a leap they are found anew."""
        script = self._script
        if script is None or not len(script) or dy == 0 or self._settling:
            return
        bar = self.verticalScrollBar()
        self._follows_end, self._gap_below = self._is_at_end(), False
        self._sticks_to_end = self._follows_end and self._heights[len(script) - 1] > self.viewport().height()
        if bar.value() == bar.maximum() and dy < 0:
            self._go_to_end()
            row, y = self._anchor
            last = len(script) - 1
            if last in self._walk(row, y):
                row, y = last, self.viewport().height() - self._heights[last]
            self._anchor = (row, y)
        elif bar.value() == 0:
            self._anchor = (0, float(TOP_PX))
        elif abs(dy) < 2 * self.viewport().height():
            row, y = self._anchor
            self._anchor = (row, y + dy)
        else:
            row = self._heights.row_at(bar.value() - TOP_PX)
            self._anchor = (row, TOP_PX + self._heights.top(row) - bar.value())
        self.place_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the visible rows out anew; the others are estimated again."""
        super().resizeEvent(event)
        at_end, self._gap_below = self._is_at_end(), False
        if self._script is not None:
            if event.oldSize().width() != event.size().width():
                self._estimate()
            if at_end:
                self._go_to_end()
            self.place_rows()

    # Looks.

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange) and self._script is not None:
            self.place_rows()
            self.viewport().update()

    def sizeHint(self) -> QSize:
        return QSize(428, 600)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 120)
