"""The bar over what is tried: that the tree stays as it is, what can be done with it, and the way back."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import IconLabel, label
from loomapp.ui.widgets.layouts import Flow
from loomapp.ui.widgets.tips import plain_tip

ICON_PX = 16


class TrialBar(QFrame):
    act_asked = Signal(str)  # generate, generateAll, makeSo, compare, leave

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trialBar")
        self.setAccessibleName(tr("Trying: your tree stays as it is."))
        theme.set_look(self, surface="selected")
        self._words = label("", "ui_strong", "primary", wrap=True)
        self._words.setObjectName("trialWords")
        self._close = QToolButton(self)
        self._close.setObjectName("leaveTrialButton")
        self._close.setText(tr("Leave"))
        self._close.setToolTip(tr("Back to what the tree sends; what is tried is forgotten"))
        self._close.setAccessibleName(tr("Leave what is tried"))
        self._close.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        theme.put_beside_words(self._close, "x", size=ICON_PX)
        self._close.clicked.connect(lambda: self.act_asked.emit("leave"))
        self.generate = self._button("generate", kind="primary")
        self.generate_all = self._button("generateAll")
        self.make_so = self._button("makeSo")
        self.make_so.setText(tr("Make it so"))
        self.make_so.setToolTip(tr("The tree sends it this way from now on; one undo takes it back"))
        self.compare = self._button("compare")
        self.compare.setText(tr("Side by side"))
        self.compare.setToolTip(tr("The texts of all variants beside each other, with the words that differ"))
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconLabel("split", "accent.base", ICON_PX))
        head.addWidget(self._words, 1)
        head.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        acts = Flow()
        for button in (self.generate, self.generate_all, self.make_so, self.compare):
            acts.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 8, 10)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(acts)
        self.hide()

    def show_trial(
        self,
        name: str,
        *,
        variants: int,
        models: int,
        count: int,
        can_send: bool,
        can_write: bool,
        is_otherwise: bool,
        why_not: str = "",
    ) -> None:
        """`name` is that of the variant that is looked at, "" for the tree as it is; each of the models that
        are asked gives `count` answers to each variant. `why_not` says why nothing can be generated now.
        """
        self._words.setText(tr("Trying: your tree stays as it is, and Generate below sends it as it is."))
        several = models > 1
        words = (
            tr("Generate with {name}: {models} models × {count}")
            if several
            else tr("Generate with {name}: {count} ×")
        )
        self.generate.setText(words.format(name=name, models=models, count=count))
        self.generate.setVisible(bool(name))
        self.generate.setEnabled(can_send and not why_not)
        words = tr("Generate with all: {variants} × {count}")
        if several:
            words = tr("Generate with all: {variants} × {models} models × {count}")
        self.generate_all.setText(words.format(variants=variants, models=models, count=count))
        self.generate_all.setVisible(variants > 1)
        self.generate_all.setEnabled(not why_not)
        for button in (self.generate, self.generate_all):
            button.setToolTip(plain_tip(why_not))
            button.setAccessibleDescription(why_not)
        self.make_so.setVisible(bool(name))
        self.make_so.setEnabled(can_write and is_otherwise)
        self.show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_close"):
            self._close.setIcon(theme.icon("x", role="text.secondary", size=ICON_PX))

    def _button(self, name: str, kind: str = "plain") -> QPushButton:
        button = QPushButton(self)
        button.setObjectName(f"trial_{name}")
        theme.set_look(button, kind=kind)
        button.clicked.connect(lambda: self.act_asked.emit(name))
        return button
