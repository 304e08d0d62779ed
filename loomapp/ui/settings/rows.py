"""Rows of the settings page: headings, settings with their usual value, and links to other pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from loomapp.core.settings.setting import (
    Choice,
    Folder,
    FreeText,
    Number,
    Setting,
    SummaryPrompt,
    Switch,
    TextSetting,
    Value,
    WindowShare,
)
from loomapp.core.summarisers.prompts import SUMMARISERS
from loomapp.ui import figures
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import ExactLine, Line, as_line
from loomapp.ui.widgets.file_dialog import file_dialog
from loomapp.ui.widgets.form import ChoiceField, FractionField, LongText, NumberField
from loomapp.ui.widgets.labels import label, rule
from loomapp.ui.widgets.rows import Row

NUMBER_PX, CHOICE_PX, FOLDER_PX, LONG_PX = 144, 212, 260, 340
GAP_PX = 20
BELOW_PX = 12


class SettingRow(Row):
    """Row of one setting of the registry."""

    changed = Signal(str, object)  # field, value
    back_asked = Signal(str)  # field

    def __init__(self, setting: Setting, parent: QWidget) -> None:
        applies = (
            "" if setting.applies == "at once" else tr("Applies {when}.").format(when=tr(setting.applies))
        )
        super().__init__(tr(setting.title), "\n".join(filter(None, (tr(setting.help), applies))), parent)
        self.setting = setting
        self._show, self._words_of = self._build_control()
        self.control.setObjectName(f"setting_{setting.field}")
        self.control.setAccessibleName(tr(setting.title))
        self.control.setAccessibleDescription(tr(setting.help))
        self.title.setBuddy(self.control)
        self._back = QPushButton(self)
        self._back.setObjectName(f"setting_{setting.field}_back")
        theme.put_beside_words(self._back, "rotate-ccw", "text.link", 14)
        self._back.setFont(theme.font("small"))
        theme.set_look(self._back, kind="link", flush=True)
        self._back.clicked.connect(lambda: self.back_asked.emit(setting.field))
        back = tr("Back to usual: {value}").format(value=self._words_of(setting.default))
        self._back.setText(back)
        self._back.setAccessibleName(f"{tr(setting.title)}: {back}")
        self.flow.addWidget(self._back)

    def show_value(self, value: Value) -> None:
        """Show what counts; the way back only where it leads elsewhere."""
        with QSignalBlocker(self.control):
            self._show(value)
        had_keyboard = self._back.hasFocus()
        self._back.setVisible(value != self.setting.default)
        if had_keyboard and self._back.isHidden():
            self.control.setFocus()

    def _build_control(self) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        """Make the control; gives how it shows a value, and a value in words."""
        match self.setting.kind:
            case Choice(options):
                return self._choice([(value, tr(words)) for value, words in options])
            case Number() as kind:
                return self._number(kind)
            case Switch() as switch:
                return self._switch(switch)
            case WindowShare():
                return self._share()
            case FreeText(usual, lines, example):
                field = self._long_text(lines, tr(example)) if lines > 1 else self._line(tr(usual))
                return field, lambda value: str(value) or tr(usual)
            case SummaryPrompt(summary_kind):
                usual = SUMMARISERS[summary_kind]("")
                return self._long_text(6, usual=usual), lambda value: str(value) or tr("the usual one")
            case Folder(usual):
                return self._folder(tr(usual))
            case TextSetting(fault):
                return self._exact_line(fault)

    def _say(self, value: object) -> None:
        self.changed.emit(self.setting.field, value)

    def _choice(
        self, options: list[tuple[str, str]]
    ) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        field = ChoiceField(options)
        field.setFixedWidth(CHOICE_PX)
        field.activated.connect(lambda _: self._say(field.value()))
        self.control: QWidget = field
        self.flow.addWidget(field)
        return lambda value: field.show_value(str(value)), lambda value: field.words_of(str(value))

    def _number(self, kind: Number) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        field = NumberField(kind.lowest, kind.highest, step=kind.step)
        field.setFixedWidth(NUMBER_PX)
        field.setKeyboardTracking(False)  # a number is meant when it is typed to its end
        unit = tr(kind.unit) if kind.unit else ""
        if unit in ("%", "px", "GB"):
            field.setSuffix(f" {unit}")
        field.valueChanged.connect(self._say)
        self.control = field
        self.flow.addWidget(field)
        if unit not in ("", "%", "px", "GB", "tokens"):
            self.flow.addWidget(label(unit, "small", "muted"))
        return lambda value: field.setValue(
            int(value)
        ), lambda value: figures.number(int(value)) + field.suffix()

    def _share(self) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        field = FractionField()
        field.setFixedWidth(NUMBER_PX)
        field.setKeyboardTracking(False)
        field.valueChanged.connect(lambda value: self._say(round(value, 2)))
        self.control = field
        self.flow.addWidget(field)
        return lambda value: field.show_value(float(value)), lambda value: f"{float(value):.2f}"

    def _line(self, usual: str) -> Callable[[Value], None]:
        """Make a line that may stay empty."""
        line = Line(self)
        line.setFixedWidth(FOLDER_PX)
        line.setPlaceholderText(usual)
        line.editingFinished.connect(lambda: self._say_edited(line))
        self.control = line
        self.flow.addWidget(line)
        return lambda value: line.setText(str(value))

    def _say_edited(self, line: QLineEdit) -> None:
        if line.isModified():
            line.setModified(False)
            self._say(line.text().strip() or None)

    def _long_text(self, lines: int, example: str = "", *, usual: str = "") -> Callable[[Value], None]:
        """Make a field of several lines; where it is left empty or as usual, nothing is set."""
        field = LongText(lines=lines, type_name="ui")
        field.setUndoRedoEnabled(True)
        field.setFixedWidth(LONG_PX)
        field.setPlaceholderText(example)
        shown = ""

        def show(value: Value) -> None:
            nonlocal shown
            shown = str(value) or usual
            field.show_text(shown)

        def say() -> None:
            text = field.text()
            if text != shown:
                self._say(None if text == usual or not text.strip() else text)

        field.typing_ended.connect(say)
        self.control = field
        self.flow.addWidget(field)
        return show

    def _switch(self, kind: Switch) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        on, off = tr(kind.on), tr(kind.off)
        box = QCheckBox(off, self)
        box.toggled.connect(self._say)
        self.control = box
        self.flow.addWidget(box)

        def show(value: Value) -> None:
            box.setChecked(bool(value))
            box.setText(on if value else off)

        return show, lambda value: on.lower() if value else off.lower()

    def _exact_line(
        self, fault: Callable[[str], str | None]
    ) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        line = ExactLine(fault, self)
        line.setFixedWidth(FOLDER_PX)
        line.given.connect(self._say)
        line.textEdited.connect(lambda _: self._back.show())  # also from what is not saved
        self.back_asked.connect(lambda _: line.show_text(str(self.setting.default), insist=True))
        self.control = line
        self.flow.addWidget(line)
        self.flow.addWidget(line.complaint)
        return lambda value: line.show_text(str(value)), lambda value: as_line(str(value))

    def _folder(self, usual: str) -> tuple[Callable[[Value], None], Callable[[Value], str]]:
        line = Line(self)
        line.setFixedWidth(FOLDER_PX)
        line.setPlaceholderText(usual)
        line.editingFinished.connect(lambda: self._say_folder(line))
        choose = QPushButton(tr("Choose…"), self)
        choose.setObjectName(f"setting_{self.setting.field}_choose")
        choose.clicked.connect(lambda: self._choose_folder(line))
        self.control = line
        self.flow.addWidget(line)
        self.flow.addWidget(choose)
        return lambda value: line.setText(str(value)), lambda value: str(value) or usual

    def _say_folder(self, line: QLineEdit) -> None:
        if line.isModified():
            line.setModified(False)
            self._say(line.text().strip())

    def _choose_folder(self, line: QLineEdit) -> None:
        folder = Path(line.text()) if line.text() else Path.home()
        dialog = file_dialog(self, "folderDialog", tr("Folder for backups"), folder)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._say)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class Heading(QWidget):
    """Heading with room for a button beside it, and a line above, which the first that is shown has not."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.title = title
        self.stops: list[QWidget] = []
        self._rule = rule()
        self._rule.setObjectName("sectionRule")
        self._name = QHBoxLayout()
        self._name.addWidget(label(title, "ui_strong"), 1)
        column = self._column = QVBoxLayout(self)
        column.setSpacing(GAP_PX)
        column.addWidget(self._rule)
        column.addLayout(self._name)
        self.set_first(False)

    def set_first(self, is_first: bool) -> None:
        """Leave out the rule and gap above the first heading."""
        self._rule.setVisible(not is_first)
        self._column.setContentsMargins(0, 0 if is_first else GAP_PX, 0, BELOW_PX)

    def add_button(self, button: QWidget) -> None:
        self._name.addWidget(button)
        self.stops.append(button)


class LinkRow(Row):
    asked = Signal(str)  # name of an action

    def __init__(self, action: str, title: str, hint: str, parent: QWidget) -> None:
        super().__init__(title, hint, parent)
        button = QPushButton(tr("Open"), self)
        button.setObjectName(f"open_{action}")
        button.setAccessibleName(tr("Open: {title}").format(title=title))
        button.clicked.connect(lambda: self.asked.emit(action))
        self.flow.addWidget(button)


def model_links() -> tuple[tuple[str, str, str], ...]:
    return (
        ("agents", tr("Agents"), tr("Who is asked: model, prompt, sampling, colour")),
        ("endpoints", tr("Endpoints and keys"), tr("Where models are reached: addresses, API keys, a test")),
        ("usage", tr("Usage and prices"), tr("Tokens and money by message, path, tree and day")),
    )
