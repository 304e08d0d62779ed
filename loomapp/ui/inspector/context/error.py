"""Why no context can be assembled: what happened, the numbers, what helps at one click, the largest nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QPushButton, QWidget

from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.sent.trial import Remedy
from loomapp.ui import figures as numbers
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import ElidedLabel, label
from loomapp.ui.widgets.layouts import Flow, fill, vertical
from loomapp.ui.widgets.words import amounts
from loomapp.ui.widgets.words.context_words import act_words, acts_against, figures, next_step, words_of

WORDS_SHOWN = 160


class ContextError(QWidget):
    """Error in place of the rows. Its parts are made when there is first one."""

    node_clicked = Signal(str)
    exclude_asked = Signal(list)  # node ids: those that are checked
    remedy_asked = Signal(object)  # Remedy
    act_asked = Signal(str)  # the name of something else that helps, see `acts_against`

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contextError")
        self._wanted: list[Remedy | str] = []  # what each button asks for
        self._shown: list[tuple[str, str]] = []  # name and words of each button
        self._is_built = False

    def _build(self) -> None:
        self._is_built = True
        self._strip = ErrorStrip(self)
        self._strip.setObjectName("contextErrorStrip")
        self._figures = label("", "ui", "primary", wrap=True, name="contextErrorFigures")
        self._figures.setFont(theme.numbers("ui"))
        self._figures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._step = label("", "ui", "secondary", wrap=True, name="contextErrorStep")
        self._helps = QWidget(self)
        self._buttons = Flow(self._helps)
        self._largest = LargestNodes(self)
        self._largest.node_clicked.connect(self.node_clicked)
        self._largest.exclude_asked.connect(self.exclude_asked)
        column = vertical(self, (12, 12, 12, 12), spacing=10)
        fill(column, self._strip, self._figures, self._step, self._helps, self._largest)
        column.addStretch(1)

    def show_error(
        self, error: LoomError, tree: Tree | None, remedies: Sequence[Remedy] = (), *, can_act: bool = False
    ) -> None:
        """Show an error and what helps; with the tree its largest nodes are named, and, where one `can_act`,
        can be checked to be excluded.
        """
        if not self._is_built:
            self._build()
        self._strip.say(told(error.message))
        found = figures(error)
        self._figures.setText("   ".join(f"{words} {numbers.number(value)}" for words, value in found))
        self._figures.setVisible(bool(found))
        step = "" if remedies else next_step(error)  # what helps stands there with its numbers
        self._step.setText(step)
        self._step.setVisible(bool(step))
        self._show_helps(remedies, acts_against(error) if can_act else ())
        self._largest.show_error(error, tree, can_act=can_act)

    def _show_helps(self, remedies: Sequence[Remedy], acts: Sequence[str]) -> None:
        """Show a button for each remedy; those that stay are the same ones, with the keyboard if they have
        it.
        """
        self._wanted = [*remedies, *acts]
        shown = [(f"remedy_{remedy.kind}", words_of(remedy)) for remedy in remedies]
        shown += [(f"act_{name}", act_words(name)) for name in acts]
        if shown != self._shown:
            self._shown = shown
            _empty(self._buttons)
            for number, (name, words) in enumerate(shown):
                self._add(name, words).clicked.connect(partial(self._ask, number))
        self._helps.setVisible(bool(shown))

    def _ask(self, number: int) -> None:
        wanted = self._wanted[number]
        if isinstance(wanted, Remedy):
            self.remedy_asked.emit(wanted)
        else:
            self.act_asked.emit(wanted)

    def _add(self, name: str, words: str) -> QPushButton:
        button = push_button(name, words.replace("&", "&&"), self._helps)
        button.setAccessibleName(words)
        self._buttons.addWidget(button)
        return button


class LargestNode(NamedTuple):
    """A node as it is listed: its id and name, what it costs, and its first words."""

    node_id: str
    name: str
    tokens: int
    words: str


class LargestNodes(QWidget):
    """The largest nodes of what is too long, each to be checked; those that are checked can be excluded."""

    node_clicked = Signal(str)
    exclude_asked = Signal(list)  # node ids

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("largestNodes")
        self._over = 0
        self._shown: list[LargestNode] = []
        self._boxes: dict[str, tuple[QCheckBox, int]] = {}
        self._grid = QGridLayout()
        self._grid.setVerticalSpacing(0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        self._button = push_button("excludeCheckedButton", parent=self)
        self._button.clicked.connect(lambda: self.exclude_asked.emit(self._checked()))
        self._sum = label("", "small", "secondary", name="excludeCheckedSum")
        foot = Flow(gap_px=12)
        fill(foot, self._button, self._sum)
        column = vertical(self, spacing=8)
        column.addWidget(label(tr("The largest messages"), "ui_strong", "secondary"))
        fill(column, self._grid, foot)

    def show_error(self, error: LoomError, tree: Tree | None, *, can_act: bool) -> None:
        """Name the nodes that an error names, largest first; what is checked stays so."""
        over = error.details.get("over_by")
        self._over = over if isinstance(over, int) else 0
        entries = _entries(error, tree)
        if entries != self._shown:  # else the boxes stay, with the keyboard if they have it
            checked = set(self._checked())
            self._shown, self._boxes = entries, {}
            _empty(self._grid)
            for entry in entries:
                self._add(entry, is_checked=entry.node_id in checked)
        self.setVisible(bool(self._boxes))
        for box, _ in self._boxes.values():
            box.setVisible(can_act)
        self._button.setVisible(can_act)
        self.on_checked()

    def on_checked(self) -> None:
        checked = self._checked()
        tokens = sum(self._boxes[node_id][1] for node_id in checked)
        left = self._over - tokens
        self._button.setEnabled(bool(checked))
        many = tr("Exclude {count} messages").format(count=numbers.number(len(checked)))
        self._button.setText(
            tr("Exclude 1 message") if len(checked) == 1 else many if checked else tr("Exclude")
        )
        enough = tr("{count} tokens: then it fits").format(count=numbers.number(tokens))
        missing = tr("{count} tokens, {left} more are needed").format(
            count=numbers.number(tokens), left=numbers.number(left)
        )
        self._sum.setText("" if not checked else enough if left <= 0 else missing)

    def _checked(self) -> list[str]:
        return [node_id for node_id, (box, _) in self._boxes.items() if box.isChecked()]

    def _add(self, entry: LargestNode, *, is_checked: bool) -> None:
        count = amounts.tokens(entry.tokens)
        box = QCheckBox(self)
        box.setObjectName(f"exclude_{entry.node_id}")
        box.setAccessibleName(tr("Exclude {name}, {tokens}").format(name=entry.name, tokens=count))
        box.setChecked(is_checked)
        box.toggled.connect(self.on_checked)
        button = QPushButton(f"{entry.name}   {count}", self)
        button.setAccessibleName(tr("Go to {name}").format(name=entry.name))
        theme.set_look(button, kind="link")
        button.clicked.connect(lambda: self.node_clicked.emit(entry.node_id))
        row = self._grid.rowCount()
        self._grid.addWidget(box, row, 0)
        self._grid.addWidget(button, row, 1, Qt.AlignmentFlag.AlignLeft)
        shown = ElidedLabel(self)
        shown.setFont(theme.font("small"))
        theme.set_look(shown, tone="secondary")
        shown.show_words("{0}", entry.words)
        self._grid.addWidget(shown, row, 2)
        self._boxes[entry.node_id] = box, entry.tokens


def _entries(error: LoomError, tree: Tree | None) -> list[LargestNode]:
    largest = error.details.get("largest")
    found = []
    for said in largest if isinstance(largest, list) else ():
        node_id, tokens = (
            (said.get("nodeId"), said.get("tokens")) if isinstance(said, Mapping) else ("", None)
        )
        node = tree.nodes.get(str(node_id)) if tree else None
        if node is not None and isinstance(tokens, int):
            words = " ".join(node.text[:WORDS_SHOWN].split()) + "…" * (len(node.text) > WORDS_SHOWN)
            found.append(LargestNode(node.id, node.local_id, tokens, words))
    return found


def _empty(layout: QGridLayout | Flow) -> None:
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
