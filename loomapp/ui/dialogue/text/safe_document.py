"""The one class for foreign text on the screen: it fetches nothing, runs nothing and opens nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple, cast

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QFont,
    QFontMetricsF,
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
    QTextFormat,
    QTextFragment,
    QTextFrameFormat,
    QTextOption,
    QTextTable,
)

from loomapp.core.dataclass import dataclass
from loomapp.ui.dialogue.text import markdown
from loomapp.ui.look import theme
from loomapp.ui.widgets.labels import plain_tip

DIALECT = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
MARKDOWN_LIMIT = 200_000  # characters; longer texts are shown as they are written
# What Qt has in place of line breaks: between blocks, inside one, and before and after table cells.
LINE_BREAKS = dict.fromkeys((0x2029, 0x2028, 0xFDD0, 0xFDD1), "\n")
LINK_SCHEMES = ("http", "https", "mailto")
INDENT_PX = 16
CODE_PX = 12  # between the edge of a code block and its text
CODE_HEAD_PX = 28  # of its ground, above the first line
CODE_GAP_PX = 20  # below its last line, its ground included
LONGEST_WORD = 4_000  # characters
LAID_AT_ONCE = 40_000  # characters, some hundredths of a second
LONGEST_LINE = 1_000  # characters; longer ones are wrapped even in code, since all of a line is drawn at once
DEEPEST_QUOTE = 4
HEADING_PX = {1: 20, 2: 18, 3: 15}
HEADING_LINE_PX = {1: 28, 2: 28, 3: 24}
STRONG = QFont.Weight.DemiBold  # the heaviest that the font of messages has; a heavier one is smeared from it


@dataclass(frozen=True, slots=True)
class Look:
    """Look of a text: a type of the theme and the role of its colour."""

    type_name: str = "dialogue"
    role: str = "text.primary"


@dataclass(frozen=True, slots=True)
class Mark:
    """Neighbouring blocks that get a ground or a bar: from the first to the last block number."""

    kind: Literal["code", "quote"]
    first: int
    last: int
    language: str = ""
    number: int = 0  # of its fence in the text, from 1; 0 for code that has none of its own


class Stretch(NamedTuple):
    """Characters of a block of code, in Python's counting, and the role of their colour."""

    begin: int
    end: int
    role: str


def safe_link(href: str) -> str | None:
    """The address, if it is one a person may be asked about: http, https or mailto. Else None."""
    return href if QUrl(href.strip()).scheme().lower() in LINK_SCHEMES else None


def exact_text(fragment: QTextDocumentFragment) -> str:
    """A selection's text as it stands, non-breaking spaces included."""
    return fragment.toRawText().translate(LINE_BREAKS)


class SafeDocument(QTextDocument):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.marks: tuple[Mark, ...] = ()
        self.coloured: set[int] = set()  # which code blocks have their colours
        self.read: dict[int, tuple[str, tuple[Stretch, ...]]] = {}  # what was read of them, also before
        self._source = ""
        self._laid_to = self._laid_before = 0  # characters: how far it is laid out; how far it was till now
        self._laid_px = 0.0
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """A blank image, whatever is asked for: Qt would read files that the text names."""
        return QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)

    def _wrap(self, text: str) -> None:
        """Break lines between words; anywhere in a text with an endless one, which would take Qt a second."""
        option = self.defaultTextOption()
        mode = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
        if len(text) > LONGEST_WORD and max(map(len, text.split())) > LONGEST_WORD:
            mode = QTextOption.WrapMode.WrapAnywhere
        if option.wrapMode() != mode:
            option.setWrapMode(mode)
            self.setDefaultTextOption(option)

    def show_markdown(self, text: str, look: Look) -> None:
        """Set markdown. What does not read as markdown, or is too long for it, is shown as it is written."""
        self._begin(len(text), look)
        self._wrap(text)
        if len(text) > MARKDOWN_LIMIT:
            self.show_plain(text, look)
            return
        self.coloured = set()
        self._source = text
        self.setMarkdown(markdown.for_qt(text), DIALECT)
        if text.strip() and not self.toPlainText().strip():
            self.show_plain(text, look)
            return
        self._restyle(look)

    def show_plain(self, text: str, look: Look) -> None:
        self._begin(len(text), look)
        self.marks = ()
        self.coloured = set()
        self.setDocumentMargin(0)
        self.clear()
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        cursor.setBlockFormat(line_format(QTextBlockFormat(), theme.line_height(look.type_name)))
        ink = QTextCharFormat()
        ink.setForeground(theme.colour(look.role))
        cursor.insertText(text, ink)
        cursor.endEditBlock()

    # Laying out: a long text a part at a time, for all of it at once would keep the window waiting.

    def lay_out(self, width_px: int, *, whole: bool = False) -> float:
        """Lay it out at a width, of a long text the beginning or as much as was before; how high that is."""
        if self.textWidth() != width_px:
            self.setTextWidth(width_px)
            self._laid_to = 0
        if whole:
            self._lay_to(self.characterCount())
        elif self._laid_to == 0:
            self._lay_to(max(LAID_AT_ONCE, self._laid_before))
        return self._laid_px

    def lay_on(self) -> None:
        self._lay_to(self._laid_to + LAID_AT_ONCE)

    @property
    def is_laid_out(self) -> bool:
        return self._laid_to == self.characterCount()

    def is_laid(self, mark: Mark) -> bool:
        """Return True if all blocks of a mark are laid out."""
        last = self.findBlockByNumber(mark.last)
        return last.position() + last.length() <= self._laid_to

    def _lay_to(self, end: int) -> None:
        block = self.findBlock(end)
        if block.isValid() and block.next().isValid():  # Qt lays out what comes before what it is asked for
            self._laid_px = self.documentLayout().blockBoundingRect(block).bottom()
            self._laid_to = block.position() + block.length()
        else:
            self._laid_px = self.size().height()
            self._laid_to = self.characterCount()
        self._laid_before = self._laid_to

    def _begin(self, length: int, look: Look) -> None:
        self._laid_to = 0
        if length > LAID_AT_ONCE:  # a layout that is there would lay out the new text at once and whole
            self.setDocumentLayout(cast("QAbstractTextDocumentLayout", None))
        self.setDefaultFont(font := theme.font(look.type_name))
        self.setIndentWidth(QFontMetricsF(font).horizontalAdvance("00.  "))  # numbers of lists stand in it

    def links(self) -> tuple[str, ...]:
        """Return the addresses that a person may be asked about, each once, in order."""
        formats = (f.charFormat() for block in self.blocks() for f in fragments(block))
        safe = (safe_link(style.anchorHref()) for style in formats if style.isAnchor())
        return tuple(dict.fromkeys(link for link in safe if link))

    def blocks(self) -> Iterator[QTextBlock]:
        block = self.begin()
        while block.isValid():
            yield block
            block = block.next()

    def _restyle(self, look: Look) -> None:
        """Bring what the markdown reader made into the theme's type and colours."""
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        whole = QTextCharFormat()
        whole.setForeground(theme.colour(look.role))
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeCharFormat(whole)
        for block in list(self.blocks()):
            _restyle_block(QTextCursor(block), block, look)
            for fragment in reversed(list(fragments(block))):
                _restyle_fragment(QTextCursor(self), fragment, block.blockFormat().headingLevel())
        for frame in self.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _restyle_table(frame)
        around = self.rootFrame().frameFormat()
        # The first block's own margin above is left out by Qt, so the ground of code needs the frame's.
        around.setTopMargin(CODE_HEAD_PX if is_code(self.begin()) else 0)
        self.rootFrame().setFrameFormat(around)
        cursor.endEditBlock()
        self.marks = tuple(self._find_marks())

    def _find_marks(self) -> Iterator[Mark]:
        kinds = ((block.blockNumber(), kind_of(block)) for block in self.blocks())
        for kind, group in groupby(kinds, key=itemgetter(1)):
            numbers = [number for number, _ in group]
            if kind == "quote":
                yield Mark("quote", numbers[0], numbers[-1])
            elif kind is not None:
                fence, _, language = kind.removeprefix("code:").rpartition(":")
                number = int(fence) if fence.isdecimal() else 0
                yield Mark("code", numbers[0], numbers[-1], language, number)

    def span_of(self, mark: Mark) -> tuple[float, float]:
        """Return top and bottom of the lines of a mark, laid out."""
        layout = self.documentLayout()
        last = self.findBlockByNumber(mark.last)
        top = layout.blockBoundingRect(self.findBlockByNumber(mark.first)).top()
        count = last.layout().lineCount()
        if not count:  # not laid out: Qt would crash on a line that is not there
            return top, layout.blockBoundingRect(last).bottom()
        line = last.layout().lineAt(count - 1)
        # A line of fixed height stands at the bottom of its room; the block's own rectangle ends too early.
        return top, layout.blockBoundingRect(last).top() + line.y() + line.height()

    def _lines_of(self, mark: Mark) -> Iterator[QTextBlock]:
        block = self.findBlockByNumber(mark.first)
        while block.isValid() and block.blockNumber() <= mark.last:
            yield block
            block = block.next()

    def code_text(self, mark: Mark) -> str:
        return "\n".join(line.text() for line in self._lines_of(mark)).translate(LINE_BREAKS)

    def code_to_copy(self, mark: Mark) -> str:
        """The code of a block as it was written, its tabs included: Qt's reader makes spaces of them."""
        written = markdown.fenced(self._source, mark.number) if mark.number else None
        return self.code_text(mark) if written is None else written

    def code_width(self, mark: Mark) -> float:
        """Return the width of its widest line, laid out."""
        lines = (line.layout() for line in self._lines_of(mark))
        return max((row.lineAt(0).naturalTextWidth() for row in lines if row.lineCount()), default=0.0)


def fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    """Return the stretches of one format in a block."""
    # A QTextBlock.iterator steps with +=; its Python iteration skips the end check.
    position = block.begin()
    while not position.atEnd():
        yield position.fragment()
        position += 1


def is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def kind_of(block: QTextBlock) -> str | None:
    """Return the kind of ground that is painted behind or beside a block: quote, or code with the number and
    language of its fence.
    """
    if is_code(block):
        return f"code:{block.blockFormat().property(QTextFormat.Property.BlockCodeLanguage) or ''}"
    return "quote" if block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel) else None


def line_format(block_format: QTextBlockFormat, line_px: int) -> QTextBlockFormat:
    """A block format with lines of a fixed height, so that no font moves a pixel row."""
    block_format.setLineHeight(float(line_px), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    return block_format


def _restyle_block(cursor: QTextCursor, block: QTextBlock, look: Look) -> None:
    style = block.blockFormat()
    line_px = theme.line_height(look.type_name)
    level = style.headingLevel()
    first, last = not block.previous().isValid(), not block.next().isValid()
    if style.hasProperty(QTextFormat.Property.BlockCodeFence):
        _restyle_code(cursor, block, style)
        return
    in_cell = QTextCursor(block).currentTable() is not None
    gap = 0 if in_cell else 2 if block.textList() is not None else 6
    style.setTopMargin(0 if first else 12 if level else gap)
    style.setBottomMargin(0 if last else 4 if level else gap)
    if level:
        line_px = max(line_px, -(-_at_text_size(HEADING_LINE_PX.get(level, 24)) // 4) * 4)
    depth = min(DEEPEST_QUOTE, int(style.property(QTextFormat.Property.BlockQuoteLevel) or 0))
    if depth:
        style.setLeftMargin(depth * INDENT_PX)
        quoted = QTextCharFormat()
        quoted.setForeground(theme.colour("text.secondary"))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(quoted)
    cursor.setBlockFormat(line_format(style, line_px))


def _restyle_table(table: QTextTable) -> None:
    style = table.format()
    style.setBorder(1)
    style.setBorderCollapse(True)
    style.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    style.setBorderBrush(theme.colour("border.normal"))
    style.setCellPadding(6)
    style.setCellSpacing(0)
    first = table.cellAt(0, 0)
    cursor = first.firstCursorPosition()
    # Qt leaves out the margin below a block that a table follows, so the ground of code needs the table's.
    style.setTopMargin(CODE_GAP_PX if is_code(cursor.block().previous()) else 8)
    style.setBottomMargin(8)
    table.setFormat(style)
    # WORKAROUND: after a quotation Qt's reader begins the first cell with an empty block, and not in bold.
    if not cursor.block().text() and first.lastCursorPosition().block() != cursor.block():
        cursor.deleteChar()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        bold = QTextCharFormat()
        bold.setFontWeight(STRONG)  # as the cells beside it
        cursor.mergeCharFormat(bold)


def _restyle_code(cursor: QTextCursor, block: QTextBlock, style: QTextBlockFormat) -> None:
    style.setLeftMargin(CODE_PX)
    style.setRightMargin(CODE_PX)
    kind = kind_of(block)
    style.setTopMargin(0 if kind_of(block.previous()) == kind else CODE_HEAD_PX + 8)
    style.setBottomMargin(0 if kind_of(block.next()) == kind else CODE_GAP_PX)
    style.setNonBreakableLines(block.length() < LONGEST_LINE)
    cursor.setBlockFormat(line_format(style, _at_text_size(theme.line_height("ui"))))
    code = QTextCharFormat()
    code.setFont(theme.font("code"))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(code)


def _at_text_size(size_px: int) -> int:
    """Return a size of headings, beside messages in the size that their reader chose."""
    return round(size_px * theme.type_px("dialogue") / theme.px("type.dialogue.px"))


def _restyle_fragment(cursor: QTextCursor, fragment: QTextFragment, heading: int) -> None:
    style = fragment.charFormat()
    cursor.setPosition(fragment.position())
    cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
    if heading:
        # The reader made it bigger by steps; merging cannot take that away.
        style.clearProperty(QTextFormat.Property.FontSizeAdjustment)
        style.setProperty(QTextFormat.Property.FontPixelSize, _at_text_size(HEADING_PX.get(heading, 15)))
        style.setFontWeight(STRONG)
        cursor.setCharFormat(style)
    elif style.fontWeight() > STRONG:
        style.setFontWeight(STRONG)
        cursor.setCharFormat(style)
    if style.isImageFormat():
        words = QTextCharFormat()
        words.setForeground(theme.colour("text.muted"))
        alt = str(style.property(QTextFormat.Property.ImageAltText) or "")
        cursor.insertText(f"[image: {alt}]" if alt else "[image]", words)
    elif style.isAnchor():
        _restyle_link(cursor, style)
    elif style.fontFixedPitch() and not style.hasProperty(QTextFormat.Property.BackgroundBrush):
        code = QTextCharFormat()
        code.setFont(theme.font("code"))
        code.setBackground(theme.colour("surface.raised"))
        cursor.mergeCharFormat(code)


def _restyle_link(cursor: QTextCursor, style: QTextCharFormat) -> None:
    if safe_link(style.anchorHref()) is None:
        plain = QTextCharFormat(style)
        plain.setAnchor(False)
        plain.setAnchorHref("")
        plain.clearProperty(QTextFormat.Property.AnchorHref)
        plain.setFontUnderline(False)
        cursor.setCharFormat(plain)
        return
    link = QTextCharFormat()
    link.setForeground(theme.colour("text.link"))
    link.setFontUnderline(True)
    link.setToolTip(plain_tip(style.anchorHref()))
    cursor.mergeCharFormat(link)
