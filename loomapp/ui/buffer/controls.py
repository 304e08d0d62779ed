"""The buffer's own controls in the row of Generate: the ghost preview, and how authorship is shown."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from loomapp.core.settings.values import Settings
from loomapp.ui.look import theme

ROOMY_PX = 270
MODES = ("colour", "margin", "off")


class BufferControls(QWidget):
    """Controls for the settings of a writer; they show and ask, and change nothing."""

    setting_asked = Signal(str, object)  # the name of a setting, and its value

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bufferControls")
        self.ghost = QCheckBox(self.tr("Ghost preview"), self)
        self.ghost.setObjectName("ghostSwitch")
        self.ghost.setToolTip(
            self.tr("Answers are only offered after your text: Tab takes one, Esc dismisses it")
        )
        self.ghost.clicked.connect(lambda on: self.setting_asked.emit("ghost_preview", on))
        self.authorship = QToolButton(self)
        self.authorship.setObjectName("authorshipButton")
        theme.put_beside_words(self.authorship, "palette")
        self.authorship.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.authorship.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.authorship.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._modes: dict[str, QAction] = {}
        self._switches: dict[str, QAction] = {}
        self.authorship.setMenu(self._menu())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px("space.m"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row.addWidget(self.ghost)
        row.addWidget(self.authorship)
        row.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        """Show the state of every setting that the bar controls."""
        self.ghost.setChecked(settings.ghost_preview)
        self._modes[settings.authorship].setChecked(True)
        words = self.tr("Authorship: {0}").format(self._modes[settings.authorship].text().lower())
        self.authorship.setText(words)
        self.authorship.setAccessibleName(words)
        self.authorship.setToolTip(self.tr("How the text shows who wrote what"))
        for name, action in self._switches.items():
            action.setChecked(bool(settings.value(name)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        roomy = event.size().width() >= ROOMY_PX
        self.ghost.setText(self.tr("Ghost preview") if roomy else self.tr("Ghost"))
        style = Qt.ToolButtonStyle
        self.authorship.setToolButtonStyle(
            style.ToolButtonTextBesideIcon if roomy else style.ToolButtonIconOnly
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(96, super().minimumSizeHint().height())

    def _menu(self) -> QMenu:
        menu = QMenu(self.authorship)
        menu.setObjectName("authorshipMenu")
        group = QActionGroup(menu)
        names = (self.tr("Colour"), self.tr("Margin only"), self.tr("Off"))
        for mode, name in zip(MODES, names, strict=True):
            action = self._modes[mode] = self._checkable(menu, name)
            group.addAction(action)
            action.triggered.connect(lambda _, m=mode: self.setting_asked.emit("authorship", m))
        menu.addSeparator()
        for setting, name in (
            ("passage_boundaries", self.tr("Boundaries of passages")),
            ("typewriter_scrolling", self.tr("Typewriter scrolling")),
        ):
            action = self._switches[setting] = self._checkable(menu, name)
            action.triggered.connect(lambda on, s=setting: self.setting_asked.emit(s, on))
        return menu

    @staticmethod
    def _checkable(menu: QMenu, name: str) -> QAction:
        action = menu.addAction(name)
        action.setCheckable(True)
        return action
