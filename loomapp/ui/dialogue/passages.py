"""Passages of a buffer tree that share a line, as one block of prose: verbatim, author bars in the margin."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLineF, QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QTextBlock
from PySide6.QtWidgets import QToolTip

from loomapp.ui.dialogue import head
from loomapp.ui.dialogue.document import Look, Run, SafeDocument
from loomapp.ui.dialogue.entries import Cut, Entry
from loomapp.ui.dialogue.message import Message
from loomapp.ui.look import theme
from loomapp.ui.widgets.pager import SiblingPager
from loomapp.ui.widgets.tips import plain_tip

MARGIN_PX = 84  # pager, bar and air left of the text
BAR_LEFT_PX = 66
BAR_PX = 3
LOOK = Look("prose")
BREAKS = ("\u2028", "\u2029")


def prose_colour(entry: Entry) -> QColor:
    """The writer's words are ink; a model's are its tint, mixed towards ink so that long prose stays calm."""
    if entry.fate in ("excluded", "pruned", "truncated"):
        return theme.colour("text.muted")
    mix = theme.metric(f"authorship.prose_mix_{theme.current_name()}")
    return theme.mixed(theme.agent_role(entry.agent), "text.primary", mix)


def runs(entries: Sequence[Entry], *, drop_first: bool) -> tuple[Run, ...]:
    """The passages as stretches of colour. The line break between two blocks is the block's own: it is
    dropped at the end, or at the beginning if the block before had none at its end."""
    texts = [entry.text for entry in entries]
    if drop_first:
        texts[0] = texts[0].removeprefix("\n")
    texts[-1] = texts[-1].removesuffix("\n")
    return tuple(
        Run(text, prose_colour(entry), struck=entry.fate == "excluded")
        for text, entry in zip(texts, entries, strict=True)
    )


class Passages(Message):
    """One block of prose; everything else is as in a message."""

    indent_px = MARGIN_PX
    below_px = 0

    def save_words(self) -> str:
        """What the editor's button says an edit becomes."""
        return self.tr("Save as version")

    text_top = 4
    folds = False

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._pagers: dict[str, SiblingPager] = {}

    @property
    def _cut(self) -> Cut | None:
        """Within a line of prose the bars tell what is sent; a mark stands only above whole rows."""
        return self._entries[0].cut if self._entries else None

    def _arrange_head(self, width: int) -> int:
        """Prose has no heads."""
        return 0

    def _paint_head(self, painter: QPainter, entry: Entry) -> None:
        """Prose has no heads."""

    def _arrange_text(self, left: int, room: int, y: int) -> int:
        if not any(entry.text for entry in self._entries) and not self.is_editing:
            self.body.hide()
            self._place_pagers(None)
            return y + theme.line_height("prose")
        stretches = runs(self._entries, drop_first=self._drop_first)

        def fill(document: SafeDocument) -> None:
            document.show_plain(stretches, LOOK)

        made = (tuple((r.text, r.struck, r.colour.name()) for r in stretches), theme.current_name())
        document = self._library.document(self._entries[0].key, made, fill)
        height = self.body.show_document(document, room, whole=True, growing=self._entries[-1].grows)
        self.body.setGeometry(left, y, room, height)
        self.body.setAccessibleName("".join(r.text for r in stretches)[:400])
        self.body.show()
        self._place_pagers(document)
        return y + height

    def _arrange_editor(self, left: int, room: int, y: int) -> int:
        """Below the text: the passages around the edited one stay in view."""
        return self._place_editor(left, room, self._arrange_text(left, room, y))

    def _place_pagers(self, document: SafeDocument | None) -> None:
        """A pager in the margin at the first line of each passage that has siblings."""
        wanted = {entry.key: i for i, entry in enumerate(self._entries) if entry.count > 1}
        for key in [k for k in self._pagers if k not in wanted]:
            pager = self._pagers.pop(key)
            pager.hide()
            pager.deleteLater()
        lowest = -100
        for key, place in wanted.items():
            pager = self._pagers.get(key) or self._new_pager(key)
            entry = self._entries[place]
            pager.show_place(entry.number, entry.count)
            top = round(self._run_top(document, place)) if document else 0
            top = max(self._top_px + top + 4, lowest + pager.height())
            lowest = top
            pager.move(BAR_LEFT_PX - 4 - pager.width(), top)
            pager.show()

    def _new_pager(self, key: str) -> SiblingPager:
        pager = self._pagers[key] = SiblingPager(self)
        pager.setProperty("entryKey", key)
        pager.turned.connect(self.on_passage_turned)
        return pager

    def on_passage_turned(self, step: int) -> None:
        """A passage's pager asks for a neighbour."""
        pager = self.sender()
        key = pager.property("entryKey") if pager is not None else None
        for entry in self._entries:
            if entry.key == key:
                other = entry.before if step < 0 else entry.after
                if other is not None:
                    self.way_chosen.emit(other)
                return

    # Where things are in the text.

    def _words_of(self, document: SafeDocument, place: int) -> tuple[int, int]:
        """Where a passage's words begin and end, without the line breaks around them."""
        begin, end = document.run_ends[place - 1] if place else 0, document.run_ends[place]
        while begin < end - 1 and document.characterAt(begin) in BREAKS:
            begin += 1
        while end > begin + 1 and document.characterAt(end - 1) in BREAKS:
            end -= 1
        return begin, end

    def _run_top(self, document: SafeDocument, place: int) -> float:
        return line_span(document, self._words_of(document, place)[0])[0]

    def entry_at(self, at: QPoint) -> Entry | None:
        """The passage under a point of this widget."""
        document = self.body.document()
        if not isinstance(document, SafeDocument) or not self.body.isVisible() or not document.run_ends:
            return self.entry
        position = self.body.position_at(self.body.mapFrom(self, at))
        for place, end in enumerate(document.run_ends):
            if position < end:
                return self._entries[place]
        return self.entry

    def event(self, event: QEvent) -> bool:
        """Say who wrote what the pointer is over."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            entry = self.entry_at(event.pos())
            if entry is not None:
                QToolTip.showText(event.globalPos(), plain_tip(head.name_of(entry)), self)
            return True
        return super().event(event)

    def show_tools(self) -> None:
        """Prose has its menu and its keys."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars, then what every message has."""
        super().paintEvent(event)
        document = self.body.document()
        if not isinstance(document, SafeDocument) or not self.body.isVisible():
            return
        painter = QPainter(self)
        taken = 0.0
        for place, entry in enumerate(self._entries[: len(document.run_ends)]):
            begin, end = self._words_of(document, place)
            top = max(taken, line_span(document, begin)[0])
            bottom = line_span(document, max(begin, end - 1))[1]
            if bottom > top:
                bar = QRectF(BAR_LEFT_PX, self.body.y() + top + 6, BAR_PX, bottom - top - 8)
                self._paint_bar(painter, entry, bar)
                taken = bottom
        painter.end()

    def _paint_bar(self, painter: QPainter, entry: Entry, bar: QRectF) -> None:
        """A whole bar for what is sent, a dashed one for what is not."""
        pen = QPen(theme.colour(theme.agent_role(entry.agent)), BAR_PX)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if head.is_left_out(entry):
            pen.setColor(theme.colour("border.strong"))
            pen.setDashPattern([2, 1.5])
        painter.setPen(pen)
        painter.drawLine(QLineF(bar.center().x(), bar.top(), bar.center().x(), bar.bottom()))


def line_span(document: SafeDocument, position: int) -> tuple[float, float]:
    """Top and bottom of the line that holds a position, in the document."""
    block: QTextBlock = document.findBlock(position)
    rect = document.documentLayout().blockBoundingRect(block)
    line = block.layout().lineForTextPosition(position - block.position())
    if not line.isValid():
        return rect.top(), rect.top() + theme.line_height("prose")
    row = line.lineNumber() * theme.line_height("prose")
    return rect.top() + row, rect.top() + row + theme.line_height("prose")
