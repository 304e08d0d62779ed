"""The export panel: what of the tree goes out, as what, with what, and how that begins."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.model.entities import Mode
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import start_of, tr
from loomapp.ui.trees.exports.formats import (
    BY_NAME,
    FORMATS,
    OPTIONS,
    SCOPES,
    USUAL,
    ExportChoice,
    ExportFormat,
    Option,
    Scope,
)
from loomapp.ui.widgets.buttons import KeyButton, push_button
from loomapp.ui.widgets.keyboard import is_sending
from loomapp.ui.widgets.labels import ElidedLabel, PlainView, label, rule, set_tip
from loomapp.ui.widgets.layouts import Flow, Scrolled, horizontal
from loomapp.ui.widgets.page import Page

MARGIN_PX = 16
TWO_COLUMNS_FROM_PX = 380
THREE_COLUMNS_FROM_PX = 400
PREVIEW_PX = 120  # at least
NAME_CHARACTERS = 12  # of the file's name on the button


class ExportPanel(Page):
    """Shows what can be chosen and reports what is chosen; it reads and writes nothing."""

    chosen = Signal()  # something else: see `choice`
    copy_asked = Signal()
    save_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("exportPanel", tr("Export"), parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._is_buffer = False
        self._chosen_count = 0
        self._wanted_scope: Scope = "path"
        self._wanted: set[Option] = set(USUAL)
        self._scopes = self._scope_buttons()
        self._formats = self._format_buttons()
        self._boxes = self._option_boxes()
        self._counts = label("", "small", "muted")
        self._counts.setContentsMargins(0, 4, 0, 0)
        self._counts.setObjectName("exportCounts")
        self._about = label("", "caption", "muted")
        self._about.setObjectName("exportAbout")
        self._text = PlainView(tr("Preview"), self, more=tr("The file holds all of it."))
        self._text.name_field("exportPreview")
        self._text.setMinimumHeight(PREVIEW_PX)
        self._picture = QLabel(self)
        self._picture.setObjectName("exportPicture")
        self._picture.setTextFormat(Qt.TextFormat.PlainText)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._picture.setAccessibleName(tr("Preview of the picture"))
        self._picture.setMinimumHeight(PREVIEW_PX)
        self._previews = QStackedWidget(self)
        self._previews.addWidget(self._text)
        self._previews.addWidget(self._picture)
        self._hint = label("", "small", "secondary", wrap=True)
        self._hint.setObjectName("exportHint")
        self._copy = push_button("exportCopy", tr("Copy"), self)
        theme.put_beside_words(self._copy, "copy", "text.primary")
        theme.set_look(self._copy, large=True)
        self._copy.clicked.connect(self.copy_asked)
        self._cancel = push_button("exportCancel", tr("Cancel"), self, kind="quiet")
        self._cancel.clicked.connect(self.close_asked)
        self._save = KeyButton(tr("Save as…"), parent=self, kind="primary")
        self._save.setObjectName("exportSave")
        self._save.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._save.clicked.connect(self.save_asked)
        self._lay_out()
        self._show_choice()

    # What it is told

    def begin(self, mode: Mode) -> None:
        """Offer what a tree of this mode can be exported as."""
        self.show_mode(mode)
        checked = self._formats.checkedButton()
        (checked or self).setFocus()

    def event(self, event: QEvent) -> bool:
        """Save by the key of the composer that it stands over, which else would ask a model out of sight."""
        if isinstance(event, QKeyEvent) and is_sending(event):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and not event.isAutoRepeat():
                self._save.click()
                return True
        return super().event(event)

    def show_mode(self, mode: Mode) -> None:
        """Offer what a tree of this mode can be exported with: another may be opened beside the panel."""
        self._is_buffer = mode == "buffer"
        self._show_choice()

    def show_counts(self, whole: int, path: int, chosen: int) -> None:
        """Show how many nodes there are, and offer those that are chosen in the graph."""
        words = tr("1 node, {path} on this path") if whole == 1 else tr("{count} nodes, {path} on this path")
        self._counts.setText(words.format(count=figures.number(whole), path=figures.number(path)))
        if chosen != self._chosen_count:
            self._chosen_count = chosen
            self._show_choice()

    def show_text(self, about: str, text: str, *, is_cut: bool) -> None:
        self._about.setText(about)
        self._text.show_text(text, goes_on=is_cut)
        self._previews.setCurrentWidget(self._text)

    def show_picture(self, about: str, picture: QPixmap) -> None:
        self._about.setText(about)
        self._picture.setPixmap(picture)
        self._previews.setCurrentWidget(self._picture)

    def show_hint(self, words: str) -> None:
        """Say what will not be in it, or why it cannot be."""
        self._hint.setText(words)
        self._hint.setVisible(bool(words))

    def allow(self, *, can_export: bool) -> None:
        self._save.setEnabled(can_export)
        self._copy.setEnabled(can_export and self.choice.format.can_be_copied)

    def show_name(self, name: str) -> None:
        """Show the name that the file would get, its ending in any case."""
        start, dot, ending = name.partition(".")
        self._save.show_key(start_of(start, NAME_CHARACTERS) + dot + ending)

    @property
    def picture_size(self) -> QSize:
        return self._previews.size()

    @property
    def choice(self) -> ExportChoice:
        button = self._formats.checkedButton()
        chosen = BY_NAME[button.objectName().removeprefix("exportFormat_")] if button else FORMATS[0]
        possible = self._possible_scopes(chosen)
        scope = self._wanted_scope if self._wanted_scope in possible else possible[0]
        options = chosen.options(is_buffer=self._is_buffer) & self._wanted
        return ExportChoice(chosen, scope, options)

    def choose_first(self, mode: Mode) -> None:
        """Begin with a text as it is read, and with the whole of a talk."""
        self.choose("docx", "path") if mode == "buffer" else self.choose("html", "tree")

    def choose(self, name: str, scope: Scope) -> None:
        """Begin with a format, of a path or of the tree."""
        self._wanted_scope = scope
        self._format_button(name).setChecked(True)
        self._show_choice()

    # What is done on it

    def on_format_clicked(self) -> None:
        self._show_choice()
        self.chosen.emit()

    def on_scope_clicked(self) -> None:
        button = self._scopes.checkedButton()
        self._wanted_scope = next(name for name, _ in SCOPES if button is self._scope_by_name[name])
        self._show_choice()
        self.chosen.emit()

    def on_option_clicked(self) -> None:
        for name, box in self._boxes.items():
            if box.isEnabled():  # what a format can't use stays as it was chosen
                self._wanted = self._wanted - {name} | ({name} if box.isChecked() else set())
        self.chosen.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def minimumSizeHint(self) -> QSize:
        """Allow any size: it may become as small as the text."""
        return QSize(0, 0)

    # What it looks like

    def _possible_scopes(self, chosen: ExportFormat) -> tuple[Scope, ...]:
        return tuple(one for one in chosen.scopes if one != "chosen" or self._chosen_count > 1)

    def _show_choice(self) -> None:
        choice = self.choice
        possible = self._possible_scopes(choice.format)
        for name, button in self._scope_by_name.items():
            button.setEnabled(name in possible)
            button.setChecked(name == choice.scope)
            if name == "chosen" and name in choice.format.scopes:
                tip = "" if name in possible else tr("Choose several cards in the graph first.")
            else:
                tip = "" if name in possible else tr("{format} can’t hold that.")
            set_tip(button, tip.format(format=tr(choice.format.title)))
        can = choice.format.options(is_buffer=self._is_buffer)
        for option, box in self._boxes.items():
            box.setEnabled(option in can)
            box.setChecked(option in can and option in self._wanted)
            tip = self._tips[option] if option in can else tr("{format} can’t use this.")
            set_tip(box, tip.format(format=tr(choice.format.title)))

    def _scope_buttons(self) -> QButtonGroup:
        group = QButtonGroup(self)
        self._scope_by_name: dict[Scope, QPushButton] = {}
        for name, words in SCOPES:
            button = push_button(f"exportScope_{name}", tr(words), self)
            button.setCheckable(True)
            theme.set_look(button, narrow=True)
            group.addButton(button)
            self._scope_by_name[name] = button
        group.buttonClicked.connect(lambda _: self.on_scope_clicked())
        return group

    def _format_buttons(self) -> QButtonGroup:
        group = QButtonGroup(self)
        for one in FORMATS:
            button = QRadioButton(tr(one.title), self)
            button.setObjectName(f"exportFormat_{one.name}")
            button.setFont(theme.font("ui_strong"))
            button.setAccessibleName(f"{tr(one.title)}, {tr(one.purpose)}")
            group.addButton(button)
        group.buttons()[0].setChecked(True)
        group.buttonClicked.connect(lambda _: self.on_format_clicked())
        return group

    def _option_boxes(self) -> Mapping[Option, QCheckBox]:
        boxes: dict[Option, QCheckBox] = {}
        self._tips: dict[Option, str] = {}
        for name, words, tip in OPTIONS:
            box = QCheckBox(tr(words), self)
            box.setObjectName(f"exportOption_{name}")
            box.clicked.connect(lambda _: self.on_option_clicked())
            boxes[name], self._tips[name] = box, tr(tip)
        return boxes

    def _format_button(self, name: str) -> QRadioButton:
        found = next(it for it in self._formats.buttons() if it.objectName() == f"exportFormat_{name}")
        assert isinstance(found, QRadioButton)
        return found

    def _lay_out(self) -> None:
        scopes, formats, options = QWidget(self), QWidget(self), QWidget(self)
        formats.setObjectName("exportFormat")
        flow = Flow(scopes, gap_px=4)
        for button in self._scope_by_name.values():
            flow.addWidget(button)
        flow.addWidget(self._counts)
        self._format_grid, self._option_grid = QGridLayout(formats), QGridLayout(options)
        self._cells = [self._cell(one) for one in FORMATS]
        for grid in (self._format_grid, self._option_grid):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setVerticalSpacing(2)
            grid.setHorizontalSpacing(12)
        head = horizontal()
        head.addWidget(label(tr("Preview"), "caption", "muted"))
        head.addStretch(1)
        head.addWidget(self._about)
        body = QWidget(self)
        inside = QVBoxLayout(body)
        inside.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
        inside.setSpacing(10)
        for widget in (scopes, formats, rule(), options):
            inside.addWidget(widget)
        inside.addLayout(head)
        inside.addWidget(self._previews, 1)
        inside.addWidget(self._hint)
        foot = QHBoxLayout()
        foot.setContentsMargins(MARGIN_PX, 8, MARGIN_PX, 0)
        foot.setSpacing(8)
        foot.addWidget(self._copy)
        foot.addStretch(1)
        foot.addWidget(self._cancel)
        foot.addWidget(self._save)
        top = self.head(label(self.accessibleName(), "title"), "exportClose")
        top.setContentsMargins(MARGIN_PX, 8, 12, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 12)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(Scrolled(body, "exportArea"), 1)  # a low window has no room for all of it
        column.addLayout(foot)
        self._place()

    def _cell(self, one: ExportFormat) -> QWidget:
        cell = QWidget(self)
        row = QHBoxLayout(cell)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._format_button(one.name))
        purpose = ElidedLabel(cell)
        purpose.setFont(theme.font("small"))
        theme.set_look(purpose, tone="muted")
        purpose.show_words("{0}", tr(one.purpose))
        row.addWidget(purpose, 1)
        return cell

    def _place(self) -> None:
        columns = 2 if self.width() >= TWO_COLUMNS_FROM_PX else 1
        for place, cell in enumerate(self._cells):
            self._format_grid.addWidget(cell, *divmod(place, columns))
        for column in range(2):
            self._format_grid.setColumnStretch(column, int(column < columns))
        columns = 3 if self.width() >= THREE_COLUMNS_FROM_PX else 2
        for place, box in enumerate(self._boxes.values()):
            self._option_grid.addWidget(box, *divmod(place, columns))
