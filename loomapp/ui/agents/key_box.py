"""The key of one endpoint: where it is, and where a new one is to be kept. Its text is never shown again."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from loomapp.providers.keys import Key, Origin
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import Flow


class KeyBox(QWidget):
    """Says where the key was found; takes a new one for keychain, session or, after consent, a file."""

    keep_asked = Signal(object)  # Key
    forget_asked = Signal(str)  # Origin

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("keyBox")
        self._origin: Origin | None = None
        self._file = ""
        self._state = label("", "small", "secondary", wrap=True)
        self._state.setObjectName("keyState")
        self._field = Line()
        self._field.setObjectName("keyField")
        self._field.setAccessibleName(tr("Key"))
        self._field.setEchoMode(QLineEdit.EchoMode.Password)
        self._field.setPlaceholderText(tr("Paste a key"))
        self._field.setMinimumWidth(260)
        self._keychain = self._button("keyToKeychain", tr("Keep in the keychain"))
        self._session = self._button("keyToSession", tr("This session only"))
        self._to_file = self._button("keyToFile", tr("In a file…"))
        self._forget = QPushButton(tr("Forget this key"))
        self._forget.setObjectName("keyForget")
        theme.set_look(self._forget, kind="link")
        self._consent = ErrorStrip(self)
        self._consent.setObjectName("keyFileConsent")
        self._problem = ErrorStrip(self)
        self._problem.setObjectName("keyProblem")
        self._lay_out()
        self._connect()

    def show_key(
        self, name: str, key: Key | None, *, file: str, problem: str = "", busy: bool = False
    ) -> None:
        """Show the origin of the key of that name; `file` is where it would be kept in plain text."""
        self._file = file
        self._origin = key.origin if key is not None else None
        self.setVisible(bool(name))
        self._state.setText(tr("Looking in the keychain…") if busy else state_words(name, key))
        from_environment = self._origin == "environment"
        for widget in (self._field, self._keychain, self._session, self._to_file):
            widget.setVisible(not from_environment)
        self._forget.setVisible(self._origin is not None and not from_environment)
        self._consent.clear()
        if problem:
            self._problem.say(problem, tone="warning")
        else:
            self._problem.clear()
        self.on_typed()

    def focus_field(self) -> None:
        if not self._field.isHidden():
            self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        """Empty the field: a key that was kept does not stand there any longer."""
        self._field.clear()

    def on_typed(self) -> None:
        """Allow keeping if a key is typed."""
        for button in (self._keychain, self._session, self._to_file):
            button.setEnabled(bool(self._field.text().strip()))

    def on_file_clicked(self) -> None:
        """Say what a file means, before it is written."""
        words = tr("The key would stand in plain text in {file}, which only you can read.")
        self._consent.say(words.format(file=self._file), tr("Keep it there"), tone="warning")

    def _keep(self, origin: Origin) -> None:
        self._consent.clear()
        text = self._field.text().strip()
        if text:
            self.keep_asked.emit(Key(text, origin))

    def _button(self, name: str, words: str) -> QPushButton:
        button = QPushButton(words)
        button.setObjectName(name)
        return button

    def _lay_out(self) -> None:
        flow = Flow(gap_px=8)
        for widget in (self._field, self._keychain, self._session, self._to_file):
            flow.addWidget(widget)
        flow.addWidget(self._forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(label(tr("Key")))
        column.addWidget(self._state)
        column.addLayout(flow)
        column.addWidget(self._consent)
        column.addWidget(self._problem)

    def _connect(self) -> None:
        self._field.textChanged.connect(self.on_typed)
        self._keychain.clicked.connect(lambda: self._keep("keychain"))
        self._session.clicked.connect(lambda: self._keep("session"))
        self._to_file.clicked.connect(self.on_file_clicked)
        self._consent.action_clicked.connect(lambda: self._keep("file"))
        self._forget.clicked.connect(lambda: self.forget_asked.emit(self._origin))


def state_words(name: str, key: Key | None) -> str:
    if key is None:
        return tr("None yet. {name} in the environment counts too.").format(name=name)
    words = {
        "environment": tr("From the environment: {name}. It is read there and never copied."),
        "keychain": tr("In this computer's keychain."),
        "session": tr("Until Loomapp ends; kept nowhere."),
        "file": tr("In a file that only you can read."),
    }
    return words[key.origin].format(name=name)
