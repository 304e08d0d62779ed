"""The page that tells where the tokens go: a bar a stage, by author, kind or message, and what was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QTabBar, QWidget

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.token_shares import (
    NOBODY,
    OTHERS,
    Stage,
    TokenKind,
    TokenShares,
    nodes_of,
    percentages,
    token_stages,
    with_largest_messages,
)
from loomapp.core.dataclass import dataclass
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr, unsteered
from loomapp.ui.widgets.labels import ElidedLabel, label, set_tip
from loomapp.ui.widgets.layouts import fill, vertical
from loomapp.ui.widgets.words.context_words import own_words

By: TypeAlias = Literal["author", "kind", "message"]
BYS: tuple[By, ...] = ("author", "kind", "message")
BAR_PX, SWATCH_PX, TABS_PX = 16, 10, 30
MOST_MESSAGES = 12  # that are named; the others are one share
FIRST_CHARACTERS = 80
# Of each kind a role and how much of it is mixed into the ground: the order says which is which, too.
KIND_LOOKS: Mapping[TokenKind, tuple[str, float]] = {
    "system": ("state.bar_system", 1.0),
    "summary": ("state.bar_system", 0.55),
    "text": ("text.primary", 0.85),
    "document": ("text.primary", 0.6),
    "tool": ("text.primary", 0.42),
    "image": ("text.primary", 0.28),
    "beside": ("text.primary", 0.16),
}


@dataclass(frozen=True, slots=True)
class NamedShare:
    """One share of the tokens: its key, its words, and its colour."""

    key: str
    words: str
    colour: QColor


class ShareBar(QWidget):
    """Bar of a stage: its shares from left to right, on the scale of the largest stage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenShareBar")
        self.setFixedHeight(BAR_PX)
        self.setMinimumWidth(80)
        self._shares: tuple[tuple[QColor, int], ...] = ()
        self._whole = 1

    def show_shares(self, shares: Sequence[tuple[QColor, int]], whole: int, words: str) -> None:
        """Show shares; the bar is full at `whole` tokens."""
        self._shares, self._whole = tuple(shares), max(1, whole)
        self.setAccessibleName(words)
        set_tip(self, words)
        self.update()

    def segments(self) -> list[QRectF]:
        found, left = list[QRectF](), 0.0
        for _, tokens in self._shares:
            width = self.width() * tokens / self._whole
            found.append(QRectF(left, 0, width, self.height()))
            left += width
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), theme.colour("state.bar_track"))
        for rect, (tint, _) in zip(self.segments(), self._shares, strict=True):
            painter.fillRect(rect, theme.colour("surface.panel"))
            painter.fillRect(rect.adjusted(0, 0, -1 if rect.width() > 2 else 0, 0), tint)
        painter.end()


class _Swatch(QWidget):
    def __init__(self, tint: QColor) -> None:
        super().__init__()
        self._tint = tint
        self.setFixedSize(SWATCH_PX, SWATCH_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        painter.setPen(theme.colour("border.strong"))
        painter.setBrush(self._tint)
        painter.drawRoundedRect(QRectF(0.5, 0.5, SWATCH_PX - 1, SWATCH_PX - 1), 2, 2)
        painter.end()


class TokenSharesPage(QWidget):
    """Page of where the tokens of the shown context go. They are added up when it is looked at, beside the
    window: a path may be very long.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenShares")
        self.setAccessibleName(tr("Where do my tokens go?"))
        self.ask_saved: Callable[[], Sequence[str]] = tuple  # a line for each summary of the path
        self._task: BackgroundTask | None = None
        self._tree: Tree | None = None
        self._agents: Mapping[str, Agent] = {}
        self._stages: Sequence[TokenShares] = ()
        self._by: By = "author"
        self._tabs = QTabBar(self)
        self._tabs.setObjectName("tokenShareTabs")
        self._tabs.setAccessibleName(tr("Add up by"))
        self._tabs.setExpanding(False)
        self._tabs.setDrawBase(False)
        self._tabs.setFixedHeight(TABS_PX)
        for words in (tr("By author"), tr("By kind"), tr("By message")):
            self._tabs.addTab(words)
        theme.set_look(self._tabs, compact=True)
        self._tabs.currentChanged.connect(self.on_tab_changed)
        self._bars = QGridLayout()
        self._bars.setHorizontalSpacing(12)
        self._bars.setVerticalSpacing(6)
        self._bars.setColumnStretch(1, 1)
        self._legend = QGridLayout()
        self._legend.setHorizontalSpacing(8)
        self._legend.setVerticalSpacing(4)
        self._legend.setColumnStretch(1, 1)
        self._saved_title = label(tr("What each summary saved"), "ui_strong", "secondary")
        self._saved = label("", "small", "primary", wrap=True, name="summariesSaved")
        column = vertical(self, (12, 4, 12, 12), spacing=10)
        fill(column, self._tabs, self._bars, self._legend, self._saved_title, self._saved)
        column.addStretch(1)

    def show_context(self, assembled: Assembled, tree: Tree, agents: Mapping[str, Agent]) -> None:
        """Show where the tokens of a context go, as soon as they are added up."""
        self._tree, self._agents = tree, agents
        if self._task is not None:
            self._task.cancel()
            self._task.deleteLater()
            self._task = None
        nodes = nodes_of(assembled, tree)
        if any(i is not None and i not in nodes for i in assembled.fitted.passages.node_ids):
            return  # what it was made of was taken back meanwhile: the next one is on its way
        self._task = BackgroundTask(
            lambda _: with_largest_messages(token_stages(assembled, nodes), MOST_MESSAGES), self
        )
        self._task.done.connect(self.on_added_up)
        self._task.start()

    def on_added_up(self, stages: Sequence[TokenShares]) -> None:
        self._task, self._stages = None, stages
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_saved"):
            self._show()

    def on_tab_changed(self, index: int) -> None:
        self._by = BYS[index]
        self._show()

    def _show(self) -> None:
        stages = self._stages
        if not stages:
            return
        tables = [_of(stage, self._by) for stage in stages]
        keys = dict.fromkeys(key for table in tables for key in table)
        named = [self._named(key) for key in keys]
        self._show_bars(stages, tables, named)
        self._show_legend(tables, named)
        lines = self.ask_saved()
        self._saved.setText("\n".join(lines))
        for widget in (self._saved, self._saved_title):
            widget.setVisible(bool(lines))

    def _show_bars(
        self, stages: Sequence[TokenShares], tables: Sequence[Mapping[str, int]], named: Sequence[NamedShare]
    ) -> None:
        _clear(self._bars)
        whole = max(stage.total for stage in stages)
        for row, (stage, table) in enumerate(zip(stages, tables, strict=True)):
            bar = ShareBar()
            shares = [(one.colour, table.get(one.key, 0)) for one in named]
            told = ", ".join(
                f"{one.words} {figures.number(table[one.key])}" for one in named if table.get(one.key)
            )
            bar.show_shares(shares, whole, f"{stage_words(stage.stage)}: {told}")
            self._bars.addWidget(label(stage_words(stage.stage), "small", "secondary"), row, 0)
            self._bars.addWidget(bar, row, 1)
            self._bars.addWidget(_number(stage.total), row, 2)

    def _show_legend(self, tables: Sequence[Mapping[str, int]], named: Sequence[NamedShare]) -> None:
        """Show what each colour is, its tokens on the path and as it is sent, and its share of that."""
        _clear(self._legend)
        first, last = tables[0], tables[-1]
        shares = percentages(last.get(one.key, 0) for one in named)
        for column, words in ((2, tr("path")), (3, tr("sent")), (4, tr("share"))):
            head = label(words, "caption", "muted")
            self._legend.addWidget(head, 0, column, alignment=Qt.AlignmentFlag.AlignRight)
        for row, (one, share) in enumerate(zip(named, shares, strict=True), start=1):
            name = ElidedLabel()
            name.setFont(theme.font("small"))
            name.show_words("{0}", one.words)
            self._legend.addWidget(_Swatch(one.colour), row, 0)
            self._legend.addWidget(name, row, 1)
            self._legend.addWidget(_number(first.get(one.key, 0)), row, 2)
            self._legend.addWidget(_number(last.get(one.key, 0)), row, 3)
            self._legend.addWidget(_words_of(f"{share} %"), row, 4)

    def _named(self, key: str) -> NamedShare:
        agents = self._agents
        if self._by == "kind":
            return _named_kind(key)
        if self._by == "author":
            return _named_author(key, agents)
        if key == OTHERS:
            return NamedShare(key, tr("all other messages"), _mixed("text.primary", 0.16))
        node = None if self._tree is None else self._tree.nodes.get(key)
        if node is None:
            return NamedShare(key, tr("system context, summaries and text not yet sent"), _system())
        said = unsteered(" ".join(node.text[:FIRST_CHARACTERS].split())) or tr("without words")
        tint = theme.agent_colour(agents.get(node.author_agent_id or ""))
        return NamedShare(key, f"{node.local_id} · {said}", tint)


def stage_words(stage: Stage) -> str:
    return {
        "path": tr("Whole path"),
        "summaries": tr("With summaries"),
        "compression": tr("Shortened"),
        "sent": tr("Sent"),
    }[stage]


def kind_words(kind: TokenKind) -> str:
    return {
        "system": tr("System context"),
        "summary": tr("Summaries"),
        "text": tr("Text"),
        "document": tr("Attached files"),
        "tool": tr("Tools"),
        "image": tr("Images"),
        "beside": tr("Lines between messages"),
    }[kind]


def _of(shares: TokenShares, by: By) -> Mapping[str, int]:
    tables: dict[By, Mapping[str, int]] = {
        "author": shares.by_author,
        "kind": {str(kind): tokens for kind, tokens in shares.by_kind.items()},
        "message": shares.by_message,
    }
    return tables[by]


def _named_kind(key: str) -> NamedShare:
    kind = next(kind for kind in KIND_LOOKS if kind == key)
    return NamedShare(key, kind_words(kind), _mixed(*KIND_LOOKS[kind]))


def _named_author(key: str, agents: Mapping[str, Agent]) -> NamedShare:
    agent = agents.get(key)
    if agent is not None:
        return NamedShare(key, unsteered(agent.name), theme.agent_colour(agent))
    if key == NOBODY:
        return NamedShare(key, tr("System context and summaries"), _system())
    words = own_words() if key == "human" else tr("Unknown model")
    return NamedShare(key, words, theme.agent_colour(None))


def _system() -> QColor:
    return theme.colour("state.bar_system")


def _mixed(role: str, share: float) -> QColor:
    tint = QColor(theme.colour(role))
    tint.setAlphaF(share)
    return tint


def _number(tokens: int) -> QLabel:
    return _words_of(figures.number(tokens))


def _words_of(words: str) -> QLabel:
    shown = label(words, "small", "primary")
    shown.setFont(theme.numbers("small"))
    shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return shown


def _clear(grid: QLayout) -> None:
    while (item := grid.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
