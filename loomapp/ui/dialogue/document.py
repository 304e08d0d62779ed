"""The one class for foreign text on the screen: it fetches nothing, runs nothing and opens nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Literal

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
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

from loomapp.ui import theme
from loomapp.ui.dialogue import markdown

DIALECT = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
MARKDOWN_LIMIT = 200_000  # characters; longer texts are shown as they are written
# What Qt has in place of line breaks: between blocks, inside one, and before and after table cells.
LINE_BREAKS = dict.fromkeys((0x2029, 0x2028, 0xFDD0, 0xFDD1), "\n")
LINK_SCHEMES = ("http", "https", "mailto")
INDENT_PX = 16
CODE_PX = 12  # between the edge of a code block and its text
CODE_GAP_PX = 16
DEEPEST_QUOTE = 4
HEADING_PX = {1: 20, 2: 18, 3: 15}
HEADING_LINE_PX = {1: 28, 2: 28, 3: 24}


@dataclass(frozen=True, slots=True)
class Look:
    """How a text is set: a type of the theme and the role of its colour."""

    type_name: str = "dialogue"
    role: str = "text.primary"


@dataclass(frozen=True, slots=True)
class Mark:
    """Neighbouring blocks that get a ground or a bar: from the first to the last block number."""

    kind: Literal["code", "quote"]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of plain text in one colour."""

    text: str
    colour: QColor
    struck: bool = False


def safe_link(href: str) -> str | None:
    """The address, if it is one a person may be asked about: http, https or mailto. Else None."""
    return href if QUrl(href.strip()).scheme().lower() in LINK_SCHEMES else None


def exact_text(fragment: QTextDocumentFragment) -> str:
    """A selection's text as it stands, non-breaking spaces included."""
    return fragment.toRawText().translate(LINE_BREAKS)


class SafeDocument(QTextDocument):
    """Markdown or plain text. Images are named, never loaded; HTML is text; only safe links are links."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setIndentWidth(20)
        self.marks: tuple[Mark, ...] = ()
        self.run_ends: tuple[int, ...] = ()  # where each stretch of plain text ends, in Qt's positions
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """A blank image, whatever is asked for: Qt would read files that the text names."""
        return QImage(1, 1, QImage.Format.Format_ARGB32_Premultiplied)

    def show_markdown(self, text: str, look: Look) -> None:
        """Set markdown. What does not read as markdown, or is too long for it, is shown as it is written."""
        self.setDefaultFont(theme.font(look.type_name))
        if len(text) > MARKDOWN_LIMIT:
            self.show_plain((Run(text, theme.colour(look.role)),), look)
            return
        self.setMarkdown(markdown.for_qt(text), DIALECT)
        if text.strip() and not self.toPlainText().strip():
            self.show_plain((Run(text, theme.colour(look.role)),), look)
            return
        self._restyle(look)

    def show_plain(self, runs: Sequence[Run], look: Look) -> None:
        """Set plain text in stretches of colour, verbatim."""
        self.setDefaultFont(theme.font(look.type_name))
        self.marks = ()
        self.clear()
        cursor = QTextCursor(self)
        cursor.beginEditBlock()
        cursor.setBlockFormat(line_format(QTextBlockFormat(), theme.line_height(look.type_name)))
        ends: list[int] = []
        for run in runs:
            colours = QTextCharFormat()
            colours.setForeground(run.colour)
            colours.setFontStrikeOut(run.struck)
            cursor.insertText(run.text, colours)
            ends.append(cursor.position())
        cursor.endEditBlock()
        self.run_ends = tuple(ends)

    @property
    def has_links(self) -> bool:
        """True if there is something to click."""
        return any(f.charFormat().isAnchor() for block in self.blocks() for f in fragments(block))

    def blocks(self) -> Iterator[QTextBlock]:
        """Its blocks in order."""
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
        cursor.endEditBlock()
        self.marks = tuple(self._find_marks())

    def _find_marks(self) -> Iterator[Mark]:
        kinds = ((block.blockNumber(), kind_of(block)) for block in self.blocks())
        for kind, group in groupby(kinds, key=itemgetter(1)):
            numbers = [number for number, _ in group]
            if kind is not None:
                yield Mark(kind, numbers[0], numbers[-1])


def fragments(block: QTextBlock) -> Iterator[QTextFragment]:
    """The stretches of one format in a block."""
    # A QTextBlock.iterator steps with +=; its Python iteration skips the end check.
    position = block.begin()
    while not position.atEnd():
        yield position.fragment()
        position += 1


def is_code(block: QTextBlock) -> bool:
    """True for a line of a code block."""
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def kind_of(block: QTextBlock) -> Literal["code", "quote"] | None:
    """What is painted behind or beside a block."""
    if is_code(block):
        return "code"
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
        line_px = HEADING_LINE_PX.get(level, line_px)
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
    style.setTopMargin(8)
    style.setBottomMargin(8)
    table.setFormat(style)
    # WORKAROUND: after a quotation Qt's reader begins the first cell with an empty block, and not in bold.
    first = table.cellAt(0, 0)
    cursor = first.firstCursorPosition()
    if not cursor.block().text() and first.lastCursorPosition().block() != cursor.block():
        cursor.deleteChar()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        cursor.mergeCharFormat(bold)


def _restyle_code(cursor: QTextCursor, block: QTextBlock, style: QTextBlockFormat) -> None:
    style.setLeftMargin(CODE_PX)
    style.setRightMargin(CODE_PX)
    style.setTopMargin(0 if is_code(block.previous()) else CODE_GAP_PX)
    style.setBottomMargin(0 if is_code(block.next()) else CODE_GAP_PX)
    style.setNonBreakableLines(False)
    cursor.setBlockFormat(line_format(style, theme.line_height("ui")))
    code = QTextCharFormat()
    code.setFont(theme.font("mono"))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(code)


def _restyle_fragment(cursor: QTextCursor, fragment: QTextFragment, heading: int) -> None:
    style = fragment.charFormat()
    cursor.setPosition(fragment.position())
    cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
    if heading:
        # The reader made it bigger by steps; merging cannot take that away.
        style.clearProperty(QTextFormat.Property.FontSizeAdjustment)
        style.setProperty(QTextFormat.Property.FontPixelSize, HEADING_PX.get(heading, 15))
        style.setFontWeight(QFont.Weight.DemiBold)
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
        code.setFont(theme.font("mono"))
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
    link.setToolTip(style.anchorHref())
    cursor.mergeCharFormat(link)
