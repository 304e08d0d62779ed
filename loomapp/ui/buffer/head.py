"""The buffer in figures: how many words it has, counted passage by passage, and who wrote how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolTip, QWidget

from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.prose.buffer_text import BufferText
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.chip import SIZE_PX, paint_mark
from loomapp.ui.widgets.labels import plain_tip

CHARACTERS_A_SLICE = 100_000
A_PASSAGE = 100  # characters that could be looked at in the time that a known passage takes
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class PassageWords:
    """Words of a stretch, whether it begins and ends inside a word, and characters by author."""

    words: int
    begins_inside: bool
    ends_inside: bool
    by_author: tuple[tuple[tuple[str, str | None], int], ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """Words of a whole text; authors by how much they wrote, the most first: type, agent and share of 1."""

    words: int = 0
    authors: tuple[tuple[str, str | None, float], ...] = ()


class WordCount:
    """Counts in slices, so that a long text holds nobody up; passages that are nodes are remembered."""

    def __init__(self) -> None:
        self._known: dict[str, PassageWords] = {}

    def count(self, buffer_text: BufferText) -> Iterator[Sum | None]:
        """Yield None after each slice, and the sum at the end. The text must not change meanwhile."""
        words, by_author, inside, done = 0, Counter[tuple[str, str | None]](), False, 0
        if len(self._known) > MOST_KEPT:
            self._known.clear()
        for passage in buffer_text.passages():
            known = self._known.get(passage.node_id or "")
            if known is None or passage.node_id in buffer_text.penned:
                counted = WordsOf()
                text = buffer_text.text_of(passage.place)
                for start in range(0, len(text), CHARACTERS_A_SLICE):
                    piece = text[start : start + CHARACTERS_A_SLICE]
                    counted.go_on(piece)
                    done += len(piece)
                    if done >= CHARACTERS_A_SLICE:
                        done = 0
                        yield None
                known = _counted(counted, buffer_text, passage.place)
                if passage.node_id is not None and passage.node_id not in buffer_text.penned:
                    self._known[passage.node_id] = known
            if passage.start < passage.end:
                words += known.words - (inside and known.begins_inside)
                inside = known.ends_inside
            for author, characters in known.by_author:
                by_author[author] += characters
            done += A_PASSAGE
            if done >= CHARACTERS_A_SLICE:
                done = 0
                yield None
        whole = sum(by_author.values()) or 1
        yield Sum(words, tuple((t, a, n / whole) for (t, a), n in by_author.most_common() if n))


AFTER_MS = 400


class WordCounter(QObject):
    """Counts the words of a text some time after it was changed, a slice in each turn of the event loop."""

    counted = Signal(object)  # Sum

    def __init__(self, text: Callable[[], BufferText | None], parent: QObject) -> None:
        """`text` gives what is to be counted, or None while there is nothing."""
        super().__init__(parent)
        self._text = text
        self._words, self.sum = WordCount(), Sum()
        self._counting: Iterator[Sum | None] | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self.on_due)

    def start_over(self) -> None:
        """Forget the passages of the text before."""
        self._words = WordCount()

    def soon(self) -> None:
        """Count the text, which is another, once nothing has changed it for a while."""
        self._counting = None
        self._soon.start(AFTER_MS)

    def on_due(self) -> None:
        """Count a slice; the next one when the event loop comes round."""
        text = self._text()
        if text is None:
            return
        if self._counting is None:
            self._counting = self._words.count(text)
        done = next(self._counting)
        if done is None:
            self._soon.start(0)
            return
        self.sum, self._counting = done, None
        self.counted.emit(done)


class WordsOf:
    """Word counter for a text that comes in pieces."""

    def __init__(self) -> None:
        self.words = 0
        self.begins_inside = self.ends_inside = False
        self._is_begun = False

    def go_on(self, piece: str) -> None:
        """Count the next piece, not empty; a word that goes over its border is one."""
        begins = not piece[0].isspace()
        self.words += words_in(piece) - (self.ends_inside and begins)
        if not self._is_begun:
            self._is_begun, self.begins_inside = True, begins
        self.ends_inside = not piece[-1].isspace()


def words_in(text: str) -> int:
    """Return the number of words, that is of runs without white space."""
    return len(text.split())


def _counted(counted: WordsOf, buffer_text: BufferText, place: int) -> PassageWords:
    by_author = Counter[tuple[str, str | None]]()
    for span in buffer_text.spans(place):
        by_author[span.author_type, span.agent_id] += span.end - span.start
    return PassageWords(counted.words, counted.begins_inside, counted.ends_inside, tuple(by_author.items()))


HEIGHT_PX = 36
MOST_SHARES = 4


class Shares(QWidget):
    """Authors of the text: a mark and a percentage for each of those who wrote the most."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferShares")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT_PX)
        self._shares: tuple[tuple[Agent | None, str, str], ...] = ()

    def show_sum(self, counted: Sum, agents: Mapping[str, Agent]) -> None:
        if len(counted.authors) < 2:
            self._shares = ()
        else:
            self._shares = tuple(
                (agents.get(agent_id or ""), _name(agents.get(agent_id or ""), kind), _percent(share))
                for kind, agent_id, share in counted.authors[:MOST_SHARES]
            )
        self.setAccessibleName(self.tr("Written by: {0}").format(self.words) if self._shares else "")
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> str:
        """`You 58 %, Claude 24 %`."""
        return ", ".join(f"{name} {percent}" for _, name, percent in self._shares)

    def sizeHint(self) -> QSize:
        return QSize(sum(self._width(percent) for _, _, percent in self._shares), HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, HEIGHT_PX)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tip(self.words), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.numbers("small"))
        x = 0.0
        for agent, _, percent in self._shares:
            width = self._width(percent)
            if x + width > self.width() + 1:
                break
            paint_mark(painter, QRectF(x, (HEIGHT_PX - SIZE_PX) / 2, SIZE_PX, SIZE_PX), agent)
            painter.setPen(theme.colour("text.secondary"))
            rect = QRectF(x + SIZE_PX + 6, 0, width, HEIGHT_PX)
            painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, percent)
            x += width
        painter.end()

    @staticmethod
    def _width(percent: str) -> int:
        return round(QFontMetricsF(theme.numbers("small")).horizontalAdvance(percent)) + SIZE_PX + 20


class BufferHead(QWidget):
    """Head of the text with its word count and its authors' shares."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferHead")
        self._words = QLabel(self)
        self._words.setObjectName("bufferWords")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setFont(theme.numbers("small"))
        theme.set_look(self._words, tone="muted")
        self.shares = Shares(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._words)
        row.addWidget(self.shares)

    @property
    def words(self) -> str:
        return self._words.text()

    def show_words(self, words: int, selected: int | None = None) -> None:
        """Show the number of words in the whole text, and in what is selected."""
        if selected is not None:
            said = self.tr("{0} of {1} words").format(figures.number(selected), figures.number(words))
        else:
            said = self.tr("1 word") if words == 1 else self.tr("{0} words").format(figures.number(words))
        self._words.setText(said)


def _name(agent: Agent | None, kind: str) -> str:
    if agent is not None:
        return agent.name
    return tr("You") if kind == "human" else tr("Model")


def _percent(share: float) -> str:
    return f"{min(99, max(1, round(100 * share))) if share < 1 else 100} %"
