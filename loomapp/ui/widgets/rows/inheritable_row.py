"""A row whose value is inherited or one's own, and the way back to what is inherited."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.form import IconLabel, label
from loomapp.ui.widgets.layouts.row import Row
from loomapp.ui.widgets.tips import plain_tip


class InheritableRow(Row):
    """Row of words and a control whose value is inherited or this tree's own."""

    back_asked = Signal()  # the inherited value is wanted again

    def __init__(self, words: str, hint: str, control: QWidget, parent: QWidget) -> None:
        super().__init__(words, hint, parent)
        self._control = control
        self._words_said = words
        self.title.setBuddy(control)
        control.setAccessibleName(words)
        control.setAccessibleDescription(hint)
        self._inherited = _inherited_sign()
        self._agents = label("", "caption", "secondary")
        self._agents.setObjectName("agentValueChip")
        self._agents.setFixedHeight(20)
        theme.set_look(self._agents, chip="soft")
        self._agents.hide()
        self._own = label(tr("this tree"), "caption", "accent")
        self._own.setObjectName("ownValueChip")
        self._own.setFixedHeight(20)
        self._back = QPushButton()
        self._back.setObjectName(f"{control.objectName()}Back")
        theme.put_beside_words(self._back, "rotate-ccw", "text.link", 14)
        self._back.setFont(theme.font("small"))
        self._back.clicked.connect(self.back_asked)
        theme.set_look(self._back, kind="link")
        theme.set_look(self._own, chip="soft")
        complaint = getattr(control, "complaint", None)  # an exact line's
        for widget in (control, self._inherited, self._own, self._back, self._agents, complaint):
            if isinstance(widget, QWidget):
                self.flow.addWidget(widget)

    def show_agent(self, words: str, why: str) -> None:
        """Show that an agent's own value counts instead, and why; empty words if it does not."""
        self._agents.setText(words)
        self._agents.setToolTip(plain_tip(why))
        self._agents.setVisible(bool(words))

    def show_origin(self, *, own: bool, inherited_words: str) -> None:
        """Say whether the value shown is this tree's own, and what it would be without."""
        has_focus = self._back.hasFocus()
        self._own.setVisible(own)
        self._back.setVisible(own)
        self._inherited.setVisible(not own)
        back = tr("Back to inherited: {value}").format(value=inherited_words)
        self._back.setText(back)
        self._back.setAccessibleName(f"{self._words_said}: {back}")
        origin = tr("this tree") if own else tr("inherited")
        self._control.setAccessibleDescription(origin)
        self._tint(own)
        if has_focus and not own:
            self._control.setFocus(Qt.FocusReason.OtherFocusReason)

    def _tint(self, own: bool) -> None:
        """Show an inherited value more quietly than the tree's own."""
        theme.set_look(self._control, inherited=not own)


def _inherited_sign() -> QWidget:
    sign = QWidget()
    row = QHBoxLayout(sign)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    row.addWidget(IconLabel("corner-down-right", "text.muted", 14))
    row.addWidget(label(tr("inherited"), "small", "muted"))
    return sign
