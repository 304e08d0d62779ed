"""One message on the screen: head, sibling pager, body, its fate, notes, an error, other ways to go on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QAccessible, QEnterEvent, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QToolTip, QWidget

from loomapp.ui import figures
from loomapp.ui.dialogue.message import head
from loomapp.ui.dialogue.message.body import Library
from loomapp.ui.dialogue.message.editor import EditableMessage
from loomapp.ui.dialogue.message.foot import (
    MARK_PX,
    Foot,
    PictureRow,
    ReasoningRow,
    paint_cut,
    reason_of,
    words_of,
)
from loomapp.ui.dialogue.script.entries import Cut, Entry, fates_of
from loomapp.ui.dialogue.script.heights import Folded, folded_message
from loomapp.ui.dialogue.text.node_links import link_nodes
from loomapp.ui.dialogue.text.safe_document import Look, SafeDocument
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import SiblingPager, push_button
from loomapp.ui.widgets.keyboard import focused_beside
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.spoken import speak_as
from loomapp.ui.widgets.words.amounts import awaited_words, shortened_words

INDENT_PX = head.NAME_LEFT_PX  # the text stands under the name
LINE_PX = 24
GAP_PX = 4
LINK_PX = 5  # what a link keeps free around its words
BELOW_PX = 20  # to the next message


class MessageView(EditableMessage):
    """View of one entry; it says what was clicked and never changes anything itself."""

    def __init__(self, library: Library, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        speak_as(self, QAccessible.Role.Section)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._library = library
        self._expanded = self._unfolded = False
        self._fold_button: QPushButton | None = None
        self._arranged: tuple[object, ...] | None = None
        self._height_px = self._reasoning_px = 0
        self._pager: SiblingPager | None = None
        self._reasoning: ReasoningRow | None = None
        self._summarise: QPushButton | None = None
        self._pictures: PictureRow | None = None
        self._foot = Foot(self)
        self.body.laid_on.connect(self.on_laid_on)
        self._foot.way_chosen.connect(self.way_chosen)
        self._foot.note_toggled.connect(self.note_toggled)
        self._foot.include_clicked.connect(self.on_include_clicked)
        self._foot.expand_clicked.connect(self.on_expand_clicked)
        self._foot.shortened_clicked.connect(self.on_shortened_clicked)
        self._foot.act_asked.connect(self.on_draft_asked)
        self._foot.trace_toggled.connect(self.on_trace_toggled)
        self._foot.node_clicked.connect(self.node_clicked)
        self._foot.hovered.connect(self.hovered)

    @property
    def foot(self) -> Foot:
        return self._foot

    def tab_stops(self) -> list[QWidget]:
        """Return the widgets in it at which the keyboard stops, in order."""
        inside: list[QWidget] = [self, *([] if self._summarise is None else [self._summarise])]
        for part in (self._pager, self._tools, self._editor):
            if part is not None and not part.isHidden():
                inside += part.findChildren(QWidget)
        if self._reasoning is not None and not self._reasoning.isHidden():
            inside.append(self._reasoning.link)
        if self._pictures is not None and not self._pictures.isHidden():
            inside += self._pictures.pictures
        if not self.body.isHidden():
            inside += self.body.tab_stops()
        if self._fold_button is not None:
            inside.append(self._fold_button)
        stops = [*inside, *self.foot.tab_stops()]
        return [w for w in stops if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.isHidden()]

    def show_entry(
        self, entry: Entry, width_px: int, *, expanded: bool = False, unfolded: bool = False
    ) -> int:
        """Show one entry, at a width; the height it needs, the gap to the next message included."""
        look = theme.current_name(), theme.type_px("dialogue")
        asked = (entry, width_px, expanded, unfolded, look, self._is_continued)
        if asked == self._arranged and not self.is_editing:
            return self._height_px  # scrolling asks again and again
        other = self.key != entry.key
        self._entry, self._expanded, self._unfolded = entry, expanded, unfolded
        if other:
            self.is_pressed = False
            self.drop_tools()
        name = self.tr("{0}, {1} of {2}") if entry.number and entry.count > 1 else "{0}"
        self.setAccessibleName(
            name.format(head.name_of(entry), figures.number(entry.number), figures.number(entry.count))
        )
        said = self.tr("Generate continues here. ") if self._is_continued else ""
        said += f"{words_of(self._cut)}. " if self._cut is not None else ""
        said += "".join(f"{chip.text}. " for chip in fates_of(entry))
        said += f"{shortened_words(entry.shortened)}. " if entry.shortened is not None else ""
        self.setAccessibleDescription(said + entry.image_names + entry.text[:400])
        self._height_px = self._arrange(width_px)
        self._arranged = None if self.is_editing else asked
        self.update()
        return self._height_px

    # Arranging: every part from the top down.

    def _arrange(self, width: int) -> int:
        entry = self.entry
        assert entry is not None
        left, room = INDENT_PX, width - INDENT_PX
        self._arrange_pager(entry, width)
        self._place_tools(width)
        self._arrange_summarise(width)
        y = self._top_px + head.HEIGHT_PX
        y += self._arrange_reasoning(left, room, y)
        y += self._arrange_pictures(left, room, y)
        y = self._arrange_editor(left, room, y) if self._editor else self._arrange_text(left, room, y)
        traced = entry.key in self._library.open_traces
        height = self.foot.show_entry(
            entry, room, expanded=self._expanded, editing=self.is_editing, traced=traced
        )
        self.foot.setGeometry(left, y, room, height)
        return y + height + BELOW_PX

    def _arrange_summarise(self, width: int) -> None:
        """Place the link at the mark under which messages have no room."""
        is_shown = self._cut is not None and self._cut.place != "again"
        if not is_shown:
            if self._summarise is not None:
                self._summarise.hide()
            return
        if self._summarise is None:
            self._summarise = push_button("summariseGapButton", self.tr("Summarise"), self, kind="link")
            self._summarise.setFont(theme.font("small"))
            self._summarise.clicked.connect(self.summarise_asked)
        wide, high = self._summarise.sizeHint().width(), theme.px("control.hit")
        self._summarise.setGeometry(width - wide, 0, wide, high)
        self._summarise.show()

    @property
    def _summarise_px(self) -> int:
        is_hidden = self._summarise is None or self._summarise.isHidden()
        return 0 if self._summarise is None or is_hidden else self._summarise.width() + GAP_PX

    def _arrange_reasoning(self, left: int, room: int, y: int) -> int:
        """Place the reasoning before the answer, which most messages have none of; return the height it
        takes.
        """
        entry = self.entry
        text = entry.reasoning if entry is not None and not self._is_one_line else ""
        self._reasoning_px = 0
        if entry is None or not text:
            if self._reasoning is not None:
                self._reasoning.hide()
            return 0
        if self._reasoning is None:
            self._reasoning = ReasoningRow(self)
            self._reasoning.toggled.connect(self.on_reasoning_toggled)
        is_open = entry.key in self._library.open_reasoning
        thinks = entry.grows and not entry.text
        height = self._reasoning.show_reasoning(text, room, is_open=is_open, grows=thinks)
        self._reasoning.setGeometry(left, y, room, height)
        self._reasoning.show()
        self._reasoning_px = height
        return height

    def _arrange_pictures(self, left: int, room: int, y: int) -> int:
        """Place the images of the message; return the height they take."""
        entry, thumbnails = self.entry, self._library.thumbnails
        images = entry.images if entry is not None and not self._is_one_line else ()
        if not images or thumbnails is None:
            if self._pictures is not None:
                self._pictures.hide()
            return 0
        if self._pictures is None:
            self._pictures = PictureRow(thumbnails, self)
            self._pictures.chosen.connect(self.image_chosen)
        height = self._pictures.show_images(images, room)
        self._pictures.setGeometry(left, y, room, height)
        self._pictures.show()
        return height

    def on_shortened_clicked(self) -> None:
        chip = self._foot.shortened_chip
        if chip is not None:
            self.shortened_asked.emit(self.key, chip)

    def on_laid_on(self) -> None:
        """Show that more of a long text was laid out."""
        self._arranged = None
        self.height_changed.emit()

    def on_trace_toggled(self) -> None:
        self._library.open_traces ^= {self.key}
        self._arranged = None
        self.height_changed.emit()

    def on_reasoning_toggled(self) -> None:
        self._library.open_reasoning ^= {self.key}
        self._arranged = None
        self.height_changed.emit()

    @property
    def _cut(self) -> Cut | None:
        return self._entry.cut if self._entry is not None else None

    @property
    def _is_continued(self) -> bool:
        return self.key != "" and self.key == self._library.continued

    @property
    def _top_px(self) -> int:
        return MARK_PX if self._cut is not None else 0

    def _arrange_editor(self, left: int, room: int, y: int) -> int:
        self.body.hide()
        self._arrange_fold(None, left, y)
        assert self._editor is not None
        height = self._editor.fit(room)
        self._editor.setGeometry(left, y + GAP_PX, room, height)
        return y + GAP_PX + height

    def _arrange_pager(self, entry: Entry, width: int) -> None:
        if entry.count < 2 and (entry.number or not entry.count):
            if self._pager is not None:
                self._pager.hide()
            return
        if self._pager is None:
            self._pager = SiblingPager(self)
            self._pager.turned.connect(self.on_turned)
        self._pager.show_place(entry.number, entry.count, none=self.tr("failed"))
        self._pager.set_neighbours(before=entry.before is not None, after=entry.after is not None)
        name_px = head.name_width(entry, width, self._pager.width())
        self._pager.move(INDENT_PX + name_px, self._top_px)
        self._pager.show()

    def _arrange_text(self, left: int, room: int, y: int) -> int:
        entry = self.entry
        assert entry is not None
        if self._is_one_line:
            self.body.hide()
            self._arrange_fold(None, left, y)
            return y + LINE_PX
        if not entry.text and (entry.draft is not None or entry.images):
            self.body.hide()
            self._arrange_fold(None, left, y)
            return y + (LINE_PX if entry.waits_for_words else 0)
        look = Look("dialogue", self._body_role(entry))
        long = None if entry.grows else folded_message(entry)
        text = entry.text if long is None or self._unfolded else long.text

        def fill(document: SafeDocument) -> None:
            document.show_markdown(text, look)
            if entry.named_nodes:
                link_nodes(document, dict(entry.named_nodes))

        made = (text, look, theme.current_name(), theme.type_px(look.type_name), entry.named_nodes)
        document = self._library.document(entry.key, made, fill)
        needed = self.body.show_document(document, room, growing=entry.grows)
        height = max(LINE_PX, -(-needed // 4) * 4)  # on the 4 px grid
        self.body.setGeometry(left, y, room, height)
        self.body.show()
        return self._arrange_fold(long, left, y + height)

    def _arrange_fold(self, long: Folded | None, left: int, y: int) -> int:
        """Place the link under a long text; return where it ends."""
        if long is None:
            if self._fold_button is not None:
                self._fold_button.hide()
            return y
        if self._fold_button is None:
            self._fold_button = push_button("foldButton", parent=self, kind="link")
            self._fold_button.clicked.connect(self.on_fold_clicked)
        words = self.tr("Show all {0} lines").format(figures.number(long.lines))
        self._fold_button.setText(self.tr("Show less") if self._unfolded else words)
        self._fold_button.setAccessibleName(self._fold_button.text())
        wide = self._fold_button.sizeHint().width()
        self._fold_button.setGeometry(left - LINK_PX, y, wide, theme.px("control.hit"))
        self._fold_button.show()
        return y + theme.px("control.hit")

    @property
    def words_bottom(self) -> int:
        """Return where its words end, in px from its top: a line below its head where there are none yet."""
        return self.body.geometry().bottom() if self.body.isVisible() else head.HEIGHT_PX + LINE_PX

    @property
    def is_folded(self) -> bool:
        return self._fold_button is not None and not self._fold_button.isHidden() and not self._unfolded

    @property
    def _is_one_line(self) -> bool:
        return self.entry is not None and self.entry.fate == "excluded" and not self._expanded

    @staticmethod
    def _body_role(entry: Entry) -> str:
        if entry.fate in ("excluded", "pruned", "summarised"):
            return "text.muted"
        return "text.primary" if entry.fate == "sent" else "text.secondary"

    # The tools: there while the pointer or the keyboard is.

    def show_tools(self) -> None:
        entry = self.entry
        if entry is None or entry.node is None or self._editor is not None:
            return
        if self._tools is None:
            self._tools = head.MessageTools(self)
            self._tools.retry_clicked.connect(self.on_retry_clicked)
            self._tools.edit_clicked.connect(self.on_edit_clicked)
            self._tools.bookmark_clicked.connect(self.on_bookmark_clicked)
            self._tools.more_clicked.connect(self.on_more_clicked)
        self._tools.show_entry(entry)
        self._place_tools(self.width())
        self._tools.show()
        self.body.code.show_buttons(True)
        self.update()

    def hide_tools(self) -> None:
        """Hide the tools unless it was pressed, or the pointer or the keyboard is still here."""
        focus = focused_beside(self)
        inside = self.hasFocus() or (focus is not None and self.isAncestorOf(focus) and focus.hasFocus())
        if not inside and not self.underMouse() and not self.is_pressed:
            self.drop_tools()
            self.update()

    def _place_tools(self, width: int) -> None:
        if self._tools is not None and self.entry is not None:
            self._tools.show_entry(self.entry)
            self._tools.move(width - self._tools.width() + 4, self._top_px)

    def event(self, event: QEvent) -> bool:
        """Say why the context is cut here, over the mark."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cut = self._cut if event.pos().y() < self._top_px else None
            if cut is not None:
                QToolTip.showText(event.globalPos(), plain_tip(reason_of(cut)), self)
            return True
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.show_tools()
        self.hovered.emit(self.key)

    def leaveEvent(self, event: QEvent) -> None:
        self.hide_tools()
        self.hovered.emit("")

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is no widget: head, struck line, the caret of an empty draft."""
        entry = self.entry
        if entry is None:
            return
        painter = theme.smooth_painter(self)
        if (cut := self._cut) is not None:
            paint_cut(painter, cut, self.width() - self._summarise_px)
            painter.translate(0, self._top_px)
        self._paint_head(painter, entry)
        if self._is_continued:
            head.paint_thread(painter, self.words_bottom - self._top_px)
        if entry.waits_for_words:
            painter.fillRect(
                QRectF(INDENT_PX, head.HEIGHT_PX + self._reasoning_px + 3, 2, 18),
                theme.colour("state.streaming"),
            )
            if entry.draft is not None and entry.draft.awaited is not None:
                self._paint_awaited(painter, awaited_words(entry.draft.awaited))
        painter.end()

    def _paint_head(self, painter: QPainter, entry: Entry) -> None:
        pager_px = self._pager.width() if self._pager is not None and self._pager.isVisible() else 0
        tools_shown = self._tools is not None and self._tools.isVisible()
        head.paint_head(painter, entry, self.width(), pager_px=pager_px, tools_shown=tools_shown)
        if self._is_one_line and self._editor is None:
            head.paint_struck_line(painter, entry.text or entry.image_names, self.width(), LINE_PX)

    def _paint_awaited(self, painter: QPainter, words: str) -> None:
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.colour("text.muted"))
        left, top = INDENT_PX + 10, head.HEIGHT_PX + self._reasoning_px
        rect = QRectF(left, top, self.width() - left, LINE_PX)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, words)
