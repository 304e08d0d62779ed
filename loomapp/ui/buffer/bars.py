"""Bars of a buffer: find and replace, keys of a ghost, and its controls in the row of Generate."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QFontMetricsF,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.settings.setting import Settings
from loomapp.ui.look import theme
from loomapp.ui.widgets.fields import FindingBar
from loomapp.ui.widgets.form import is_undo_key
from loomapp.ui.widgets.labels import ElidedLabel, set_tip
from loomapp.ui.widgets.page import Menu


class ReplaceBar(FindingBar):
    """Find and replace in two rows above the text. It reports what is typed; it neither looks nor
    replaces.
    """

    sought = Signal()  # the words, or how they are to be looked for
    replace_asked = Signal()  # the match that is looked at
    replace_all_asked = Signal()
    height_changed = Signal(int)  # px that it takes from the text; 0 while it is put away

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "replace", self.tr("Find in this text"))
        self.words = self.field
        self.by = self.new_field("replaceBy", self.tr("Replace by"))
        self._case = QCheckBox(self.tr("Match case"), self)
        self._case.setObjectName("replaceCase")
        self._preview = ElidedLabel(self)
        self._preview.setObjectName("replacePreview")
        self._preview.setFont(theme.font("small"))
        theme.set_look(self._preview, tone="muted")
        self._one = QPushButton(self.tr("Replace"), self)
        self._one.setObjectName("replaceOne")
        self._all = QPushButton(self.tr("Replace all"), self)
        self._all.setObjectName("replaceAll")
        self._lay_out()
        self._is_replaced = False  # since something was typed here
        for field in (self.words, self.by):
            field.textChanged.connect(self.on_typed)
            field.installEventFilter(self)
        self._case.toggled.connect(self.sought)
        self._one.clicked.connect(self.replace_asked)
        self._all.clicked.connect(self.replace_all_asked)

    @property
    def matches_case(self) -> bool:
        return self._case.isChecked()

    @property
    def preview(self) -> str:
        """Return the shown preview of what a replacement would make of the current match."""
        return self._preview.text()

    def on_typed(self) -> None:
        self._is_replaced = False
        self.sought.emit()

    def note_replaced(self) -> None:
        """Remember that the text was changed: until more is typed here, undo is for that."""
        self._is_replaced = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave undo and redo of a replacement to the window; else they are for what is typed here."""
        if self._is_replaced and is_undo_key(event):
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def enter(self) -> None:
        """Show it, ready to type."""
        super().enter()
        self.sought.emit()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab go from what is looked for to what comes in its place; the boxes between are on the way
        back.
        """
        if forward and self.words.hasFocus() and not self.isHidden():
            self.by.setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return super().focusNextPrevChild(forward)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.height_changed.emit(self.sizeHint().height())

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.height_changed.emit(0)

    def begin_with(self, words: str) -> None:
        """Show it, looking for some words already."""
        self.show()
        if words:
            self.words.setText(words)
        self.enter()

    def show_found(self, number: int | None, total: int, preview: str, *, can_write: bool) -> None:
        """Show the number of the current match, the total, and the preview of a replacement."""
        self.show_count(number, total)
        self._preview.show_words("{0}", preview)
        if total == 0 and (self._one.hasFocus() or self._all.hasFocus()):
            self.words.setFocus()  # else Qt gives it to a button that nobody meant
        self._one.setEnabled(can_write and number is not None)
        self._all.setEnabled(can_write and total > 0)

    def ask(self, question: str) -> None:
        """Show a question in place of the preview, until something else is looked for."""
        self._preview.show_words("{0}", question)

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.words, 1)
        first.addWidget(self._count)
        first.addWidget(self._case)
        self.add_buttons(first)
        second.addWidget(self.by, 1)
        second.addWidget(self._one)
        second.addWidget(self._all)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 8, 8)
        column.setSpacing(6)
        for row in (first, second):
            row.setSpacing(8)
            column.addLayout(row)
        column.addWidget(self._preview)


HEIGHT_PX = 24
PAD_PX = 6
GAP_PX = 6


class GhostKey(QAbstractButton):
    """A key in a cap, and what it does. It takes no keyboard: that stays in the text."""

    def __init__(self, words: str, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._words, self._key = words, key
        self._is_short = False
        self.setAccessibleDescription(key)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.show_words(words)

    def show_words(self, words: str) -> None:
        self._words = words
        self.setAccessibleName(words)
        self.set_short(self._is_short)

    def set_short(self, is_short: bool) -> None:
        """Show the cap alone, where there is no room for the words; they are its tooltip then."""
        self._is_short = is_short
        set_tip(self, self._words if is_short else "")
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        words_px = 0.0 if self._is_short else GAP_PX + _width(self._words, "small") + PAD_PX
        return QSize(round(self._cap_px() + words_px), HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cap = QRectF(0.5, 3.5, self._cap_px() - 1, HEIGHT_PX - 7)
        painter.setPen(QPen(theme.colour("border.normal"), 1))
        painter.setBrush(theme.colour("surface.raised"))
        painter.drawRoundedRect(cap, 4, 4)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text.secondary"))
        painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, self._key)
        if not self._is_short:
            painter.setFont(theme.font("small"))
            painter.setPen(theme.colour("text.primary" if self.underMouse() else "text.muted"))
            words = QRectF(self._cap_px() + GAP_PX, 0, self.width(), HEIGHT_PX)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self._words)
        painter.end()

    def _cap_px(self) -> float:
        return _width(self._key, "caption") + 2 * PAD_PX


class GhostBar(QWidget):
    """Stands below what is only offered."""

    asked = Signal(str)  # accept | word | next | previous | dismiss

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("ghostBar")
        self.setAccessibleName(self.tr("Ghost preview"))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 0, 2)
        row.setSpacing(theme.px("space.s"))
        acts = (
            ("accept", self.tr("take all"), self.tr("Tab")),
            ("word", self.tr("a word"), self.tr("Ctrl+→")),
            ("next", self.tr("next"), self.tr("Alt+.")),
            ("dismiss", self.tr("dismiss"), self.tr("Esc")),
        )
        self._keys: dict[str, GhostKey] = {}
        self._fitted: int | None = None  # the room in px that they fit in
        for act, words, key in acts:
            button = self._keys[act] = GhostKey(words, key, self)
            button.setObjectName(f"ghost{act.capitalize()}")
            button.clicked.connect(lambda _=False, a=act: self.asked.emit(a))
            row.addWidget(button)
        row.addStretch(1)

    def show_offers(self, *, has_next: bool, grows: bool) -> None:
        """Show the key for the next one if it leads to one, and what Esc does while one still `grows`."""
        self._keys["next"].setVisible(has_next)
        self._keys["dismiss"].show_words(self.tr("hide, then stop") if grows else self.tr("dismiss"))
        self._fitted = None

    def fit(self, room_px: int) -> int:
        """Leave out words until the keys fit side by side, those first that are known best; the width."""
        if room_px != self._fitted:
            self._fitted = room_px
            for key in self._keys.values():
                key.set_short(False)
            for act in ("dismiss", "accept", "next", "word"):
                if self.sizeHint().width() > room_px:
                    self._keys[act].set_short(True)
        return self.sizeHint().width()


def _width(words: str, type_name: str) -> float:
    return QFontMetricsF(theme.font(type_name)).horizontalAdvance(words)


ROOMY_PX = 270
ICON_MARGIN_PX = 12
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
        """Return the room for the short word and the icon."""
        words, short = self.ghost.text(), self.tr("Ghost")
        ghost_px = self.ghost.sizeHint().width() + self._wide_px(short) - self._wide_px(words)
        icon_px = self.authorship.iconSize().width() + ICON_MARGIN_PX
        return QSize(ghost_px + theme.px("space.m") + icon_px, super().minimumSizeHint().height())

    def _wide_px(self, words: str) -> int:
        return self.ghost.fontMetrics().horizontalAdvance(words)

    def _menu(self) -> QMenu:
        menu = Menu(self.authorship)
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
