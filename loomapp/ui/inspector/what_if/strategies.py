"""Strategies side by side with the context: a card for the context of each, and a click takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.fit import FittedPassages
from loomapp.core.context.report import counted, counts_of
from loomapp.core.context.truncation import STRATEGIES
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.agent import Agent
from loomapp.core.model.economy_settings import SUMMARIES
from loomapp.core.model.tree import Tree
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import vertical
from loomapp.ui.widgets.words.context_words import (
    adjustment_words,
    nodes_sent,
    strategy_choices,
    strategy_tips,
)

WIDTH_PX = 300
HEIGHT_PX = 84
LOW_PX = 64
LOW_BLOCK_PX = 5
PADDING_PX = 12
BY_SUMMARIES = "Messages up to the last branch that you named are replaced by the summaries of the branches."
MOST_BLOCKS = 30  # from here on one block stands for several messages
BLOCK_GAP_PX = 3
BLOCK_HEIGHT_PX = 10


@dataclass(frozen=True, slots=True)
class Share:
    """Share of the messages that one strategy sends. `blocks` are the messages in order: whose, and which
    part of it is sent.
    """

    tokens: int | None  # None: nothing is sent
    kept: int
    count: int
    words: str
    counted: str = ""  # kept and count in a sentence
    blocks: tuple[tuple[Agent | None, float], ...] = ()
    whose: str = ""  # of several models what each is sent, a line each
    heads: int = 0  # branches whose summaries are sent, before the blocks


class Strategies(QWidget):
    """The strategies and the summaries of the branches, and what the model's rules change of what is sent."""

    chosen = Signal(str)  # the name of a strategy

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strategyPicker")
        self.setFixedWidth(WIDTH_PX)
        self._cards: dict[str, StrategyCard] = {}
        self._group = QButtonGroup(self)
        column = vertical(self, (PADDING_PX, 10, PADDING_PX, 10), spacing=8)
        column.addWidget(label(tr("What each strategy would send"), "ui_strong", "secondary"))
        ways = [*zip(strategy_choices(), strategy_tips(), strict=True)]
        ways.append(((SUMMARIES, tr("Summaries of the branches")), tr(BY_SUMMARIES)))
        for (name, words), tip in ways:
            card = StrategyCard(words, tip, self)
            card.setObjectName(f"{name}Card")
            card.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            self._group.addButton(card)
            self._cards[name] = card
            column.addWidget(card)
        self._adjusts = label("", "small", "muted", wrap=True, name="providerAdjustments")
        column.addWidget(self._adjusts)
        column.addStretch(1)

    def show_all(
        self,
        outcomes: Mapping[str, Assembled | LoomError],
        strategy: str,
        tree: Tree,
        agents: Mapping[str, Agent],
        *,
        can_choose: bool,
    ) -> None:
        """Show the context of each strategy; `strategy` is the one that counts."""
        whole = next((one for one in outcomes.values() if isinstance(one, Assembled)), None)
        for name, card in self._cards.items():
            outcome = outcomes.get(name)
            if name == SUMMARIES:
                card.setVisible(outcome is not None or strategy == SUMMARIES)
            if outcome is not None:
                card.show_share(share_of(outcome, whole, tree, agents))
            card.setChecked(name == strategy)
            card.setEnabled(can_choose)
        chosen = outcomes.get(strategy)
        codes = chosen.report.provider_adjustments if isinstance(chosen, Assembled) else ()
        go_on = chosen.continue_text if isinstance(chosen, Assembled) else ""
        self._adjusts.setText("\n".join(adjustment_words(code, go_on) for code in codes))
        self._adjusts.setVisible(bool(codes))


UNCOUNTED = Share(None, 0, 0, "")


class StrategyCard(QAbstractButton):
    """One strategy: its name, tokens, its messages as blocks, and what happens in a sentence."""

    def __init__(
        self, words: str, tip: str, parent: QWidget | None = None, *, height_px: int = HEIGHT_PX
    ) -> None:
        super().__init__(parent)
        self._is_low = height_px < HEIGHT_PX
        self._share = UNCOUNTED
        self._tip = tip
        self.setText(words)
        self._show_tip()
        self.setAccessibleDescription(tip)  # else a reader is told the tip with its tags
        self.setAccessibleName(words)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFixedHeight(height_px)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def rename(self, words: str, tip: str) -> None:
        self.setText(words)
        self.setAccessibleName(words)
        self._tip = tip
        self._show_tip()

    def _show_tip(self) -> None:
        lines = filter(None, (self._tip, self._share.counted, self._share.whose))
        self.setToolTip(plain_tip("\n".join(lines)))

    @property
    def share(self) -> Share:
        return self._share

    def show_share(self, share: Share) -> None:
        if share != self._share:
            self._share = share
            tokens = (
                self._tokens() if share.tokens is None else tr("{count} tokens").format(count=self._tokens())
            )
            self.setAccessibleDescription(f"{tokens} · {self._count()} · {share.words}")
            self._show_tip()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, self.height())

    def _tokens(self) -> str:
        tokens = self._share.tokens
        if self._share is UNCOUNTED:
            return "…"
        return tr("stops") if tokens is None else figures.number(tokens)

    def _count(self) -> str:
        if self._share is UNCOUNTED:
            return ""
        kept, count = figures.number(self._share.kept), figures.number(self._share.count)
        return tr("{kept} of {count}").format(kept=kept, count=count)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        self._paint_frame(painter)
        is_stopped = self._share.tokens is None and self._share is not UNCOUNTED
        left, right = PADDING_PX + 24, self.width() - PADDING_PX
        self._paint_ring(painter)
        tone = "state.error" if is_stopped else "text.primary"
        tokens = self._line(painter, "ui_strong", tone, self._tokens(), left, right, 8, to_right=True)
        self._line(painter, "ui_strong", "text.primary", self.text(), left, right - tokens - 8, 8)
        count = QFontMetricsF(theme.numbers("small")).horizontalAdvance(self._count())
        if self._is_low:
            self._line(painter, "small", "text.muted", self._count(), left, right, 27, to_right=True)
            self._line(painter, "small", "text.secondary", self._share.words, left, right - count - 8, 27)
            blocks = QRectF(left, LOW_PX - 12, right - left, LOW_BLOCK_PX)
        else:
            self._line(painter, "small", "text.muted", self._count(), left, right, 32, to_right=True)
            self._line(painter, "small", "text.secondary", self._share.words, left, right, 56)
            blocks = QRectF(left, 36, right - left - count - 10, BLOCK_HEIGHT_PX)
        self._paint_blocks(painter, blocks, is_stopped)
        painter.end()

    def _paint_frame(self, painter: QPainter) -> None:
        focused, on = self.hasFocus(), self.isChecked()
        edge = "accent.focus" if focused else "accent.base" if on else "border.strong"
        width = theme.metric("control.focus_width") if focused or on else 1.0
        hovered = self.underMouse() and self.isEnabled()
        ground = "accent.soft" if on else "surface.hover" if hovered else "surface.raised"
        theme.draw_in(painter, edge, ground, width=width)
        rect = QRectF(self.rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2)
        painter.drawRoundedRect(rect, theme.metric("radius.card"), theme.metric("radius.card"))

    def _paint_ring(self, painter: QPainter) -> None:
        theme.draw_in(painter, "accent.base" if self.isChecked() else "border.strong", width=1.5)
        ring = QRectF(PADDING_PX, 11, 14, 14)
        painter.drawEllipse(ring)
        if self.isChecked():
            theme.draw_in(painter, fill="accent.base")
            painter.drawEllipse(ring.adjusted(4, 4, -4, -4))

    def _paint_blocks(self, painter: QPainter, room: QRectF, is_stopped: bool) -> None:
        blocks, heads = self._share.blocks, self._share.heads
        count = len(blocks) + heads
        if not count or room.width() < count:
            return
        step = min(24.0, room.width() / count)
        gap = min(BLOCK_GAP_PX, step / 3)
        theme.draw_in(painter, fill="state.bar_system")
        for number in range(heads):
            head = QRectF(room.left() + number * step, room.top(), step - gap, room.height())
            painter.drawRoundedRect(head.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        for number, (author, sent) in enumerate(blocks, start=heads):
            block = QRectF(room.left() + number * step, room.top(), step - gap, room.height())
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if is_stopped:
                painter.setPen(QPen(theme.colour("state.error"), 1))
            elif sent:
                painter.setPen(Qt.PenStyle.NoPen)
                filled = QColor(theme.agent_colour(author))
                filled.setAlphaF(0.35 + 0.65 * sent)
                painter.setBrush(filled)
            else:
                painter.setPen(QPen(theme.colour("border.strong"), 1, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(block.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)

    def _line(
        self,
        painter: QPainter,
        kind: str,
        role: str,
        words: str,
        left: float,
        right: float,
        top: float,
        *,
        to_right: bool = False,
    ) -> float:
        """Paint a line of words; return how wide it is."""
        font = theme.numbers(kind) if to_right else theme.font(kind)
        measure = QFontMetricsF(font)
        shown = measure.elidedText(words, Qt.TextElideMode.ElideRight, max(0.0, right - left))
        painter.setFont(font)
        painter.setPen(theme.colour(role if self.isEnabled() else "text.disabled"))
        side = Qt.AlignmentFlag.AlignRight if to_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(left, top, right - left, 20), Qt.AlignmentFlag.AlignVCenter | side, shown)
        return measure.horizontalAdvance(shown)


def share_of(
    outcome: Assembled | LoomError, whole: Assembled | None, tree: Tree, agents: Mapping[str, Agent]
) -> Share:
    """Return the share of a strategy's outcome. `whole` is the context of another, to show which messages
    there are.
    """
    if isinstance(outcome, Assembled):
        report = outcome.report
        kept, count = counted(report)
        said, threads = nodes_sent(report), report.economy.threads
        blocks = _blocks(outcome, tree, agents)
        if threads is None:
            return Share(report.after_tokens, kept, count, _words(outcome), said, blocks)
        covered = counts_of(report.dropped)["branch_summarised"]
        depth, words = threads.depth, tr("{heads} summaries + {kept} of {count} messages")
        if depth == 1:
            words = tr("1 summary + {kept} of {count} messages")
        count += covered
        words = words.format(
            heads=figures.number(depth), kept=figures.number(kept), count=figures.number(count)
        )
        return Share(report.after_tokens, kept, count, words, said, blocks, heads=min(depth, MOST_BLOCKS))
    over = outcome.details.get("over_by")
    words = outcome.message
    if isinstance(over, int):
        words = tr("{count} tokens over: nothing is sent").format(count=figures.number(over))
    blocks = () if whole is None else tuple((author, 0.0) for author, _ in _blocks(whole, tree, agents))
    return Share(None, 0, 0 if whole is None else counted(whole.report).whole, words, blocks=blocks)


def _words(assembled: Assembled) -> str:
    report = assembled.report
    if report.over_limit:
        return tr("The newest message alone is too long")
    if not report.truncated:
        return tr("Everything fits")
    words = tr(STRATEGIES[report.strategy].reason)
    return words[:1].upper() + words[1:]


def _blocks(
    assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]
) -> tuple[tuple[Agent | None, float], ...]:
    """The parts in order, each with its author; where there are many, several to a block."""
    fitted, covered = assembled.fitted, assembled.placed.covered
    before = [] if covered is None else list(covered.node_ids)
    skipped, ids = len(before), [*before, *fitted.passages.node_ids]
    gap = range(fitted.gap.start + skipped, fitted.gap.stop + skipped)
    within, first = _share_cut_off(fitted), fitted.tail.start + skipped
    size = max(1, -(-len(ids) // MOST_BLOCKS))
    blocks: list[tuple[Agent | None, float]] = []
    for begin in range(0, len(ids), size):
        end = min(len(ids), begin + size)
        left_out = max(0.0, min(end, gap.stop) - max(begin, gap.start)) + max(0, min(end, skipped) - begin)
        left_out += within if begin <= first < end else 0
        blocks.append((_author(ids[begin:end], tree, agents), 1 - left_out / (end - begin)))
    return tuple(blocks)


def _share_cut_off(fitted: FittedPassages) -> float:
    """Return the share of the tail's first part that is not sent, from 0 to 1."""
    front = fitted.front
    return 0 if front is None else front.dropped_chars / (front.dropped_chars + front.kept_chars)


def _author(ids: Sequence[str | None], tree: Tree, agents: Mapping[str, Agent]) -> Agent | None:
    node = tree.nodes.get(ids[0] or "")
    return agents.get(node.author_agent_id or "") if node else None
