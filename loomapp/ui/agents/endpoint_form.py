"""Form of an endpoint and of its key: where it is, how it is spoken to, where its key is kept, a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from loomapp.providers.endpoints import (
    EndpointSetting,
    address_fault,
    holds_key,
    is_key_name,
    keys_of_endpoints,
    lender_of,
)
from loomapp.providers.keys import Key, Origin
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.ui.agents.fields import LINE_PX, Words, field
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.form import ChoiceField, NumberField
from loomapp.ui.widgets.labels import label, rule
from loomapp.ui.widgets.layouts import Flow

PAUSE_MS = 400


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
        self,
        name: str,
        key: Key | None,
        *,
        file: str,
        problem: str = "",
        busy: bool = False,
        has_keychain: bool = True,
    ) -> None:
        """Show the origin of the key of that name, "" where none is needed; `file` is where it would be kept
        in plain text. The keychain is offered where there is one.
        """
        self._file = file
        self._origin = key.origin if key is not None else None
        self._state.setText(tr("Looking in the keychain…") if busy else state_words(name, key))
        from_environment = self._origin == "environment"
        for widget in (self._field, self._session, self._to_file):
            widget.setVisible(not from_environment)
        if not has_keychain and self._keychain.hasFocus():
            self.focus_field()  # else Qt goes to the next button
        self._keychain.setVisible(has_keychain and not from_environment)
        can_forget = self._origin is not None and not from_environment
        if not can_forget and self._forget.hasFocus():
            self.focus_field()
        self._forget.setVisible(can_forget)
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
        keeping, is_typed = (self._keychain, self._session, self._to_file), bool(self._field.text().strip())
        if not is_typed and any(button.hasFocus() for button in keeping):
            self.focus_field()  # else Qt goes to the next field: what is pasted again is saved there
        for button in keeping:
            button.setEnabled(is_typed)

    def on_file_clicked(self) -> None:
        """Say what a file means, before it is written."""
        words = tr("The key would stand in plain text in {file}, which only you can read.")
        self._consent.say(words.format(file=self._file), tr("Keep it there"), tone="warning")

    def _keep(self, origin: Origin) -> None:
        self.focus_field()  # else Qt goes on from the consent, which is put away
        self._consent.clear()
        if text := self._field.text().strip():
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
    if not name:
        return tr("None is needed so far. If the server asks for one, paste it here.")
    if key is None:
        return tr("None yet. Paste one below, or set {name} in the environment.").format(name=name)
    words = {
        "environment": tr("From the environment: {name}. It is read there and never copied."),
        "keychain": tr("In this computer's keychain."),
        "session": tr("Until Loomapp ends; it is kept nowhere."),
        "file": tr("In a file that only you can read."),
    }
    return words[key.origin].format(name=name)


class EndpointForm(QWidget):
    """Form for an endpoint; it shows an `EndpointSetting` and emits edited ones."""

    edited = Signal(object)  # EndpointSetting
    test_asked = Signal(str)  # model name
    plain_http_allowed = Signal(bool)
    lent_key_allowed = Signal(bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("endpointForm")
        self._setting: EndpointSetting | None = None
        self.has_passed = False  # the test whose result is shown
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self.key = KeyBox()
        self._build()
        self._connect()

    def show_setting(self, setting: EndpointSetting, *, has_key: bool) -> None:
        """Show an endpoint; of another one what was typed is handed on first."""
        if self._setting is not None and setting.id != self._setting.id:
            self.flush()
            self.show_result("")
            self._model.clear()
            self.key.clear()
        if self._pause.isActive() and self._setting is not None:
            return
        self._setting = setting
        widgets = (self._name, self._url, self._api, self._key_name, self._key_header, self._at_once)
        blockers = [QSignalBlocker(widget) for widget in (*widgets, self._headers)]
        for line, text in (
            (self._name, setting.name),
            (self._url, setting.base_url),
            (self._key_name, setting.key_name),
        ):
            if line.text() != text:
                line.setText(text)
        self._api.show_value(setting.api)
        self._key_header.show_value(setting.key_header)
        self._at_once.setValue(setting.at_once)
        if self._parsed_headers() != dict(setting.headers):
            self._headers.show_text("\n".join(f"{name}: {value}" for name, value in setting.headers.items()))
        del blockers
        if (lender := lender_of(setting)) and has_key and not setting.lent_key:
            words = tr("The key of {lender} would go to {url}. Nothing is sent there yet.")
            said = words.format(lender=lender, url=setting.base_url)
            self._plain.say(said, tr("Allow it"), tone="warning")
        else:
            self._show_plain_http(setting, has_key=has_key)

    def _show_plain_http(self, setting: EndpointSetting, *, has_key: bool) -> None:
        if not (setting.is_open_to_others and has_key):
            self._plain.clear()
        elif setting.plain_http:
            words = tr("The key goes unencrypted to another computer: {url}. You allowed that.")
            self._plain.say(words.format(url=setting.base_url), tr("Allow no longer"), tone="warning")
        else:
            words = tr("The key would go unencrypted to another computer: {url}. Nothing is sent there yet.")
            self._plain.say(words.format(url=setting.base_url), tr("Allow it"), tone="warning")

    def show_result(self, words: str, *, failed: bool = False, busy: bool = False) -> None:
        self.has_passed = bool(words) and not failed and not busy
        self.result.setText(words)
        self.result.setVisible(bool(words))
        theme.set_look(self.result, tone="error" if failed else "muted" if busy else "success")
        if busy and self._test.hasFocus():
            self._model.setFocus(Qt.FocusReason.OtherFocusReason)  # else Qt goes to the next field
        self._test.setEnabled(not busy)

    def focus_name(self) -> None:
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name.selectAll()

    def suggest_model(self, name: str) -> None:
        """Put in a model to test with, where none is typed."""
        if not self._model.text():
            self._model.setText(name)

    def flush(self) -> None:
        self._pause.stop()
        setting = self._setting
        if setting is None:
            return
        edited = self._edited(setting)
        if edited != setting and not self._fault(edited):
            self._setting = edited
            self.edited.emit(edited)

    def _edited(self, setting: EndpointSetting) -> EndpointSetting:
        headers = self._parsed_headers()
        moved = self._url.text().strip() != setting.base_url
        return replace(
            setting,
            name=self._name.text().strip() or setting.name,
            base_url=self._url.text().strip(),
            api=self._api.value(),
            key_name=self._key_name.text().strip(),
            key_header=self._key_header.value(),
            at_once=self._at_once.value(),
            headers=setting.headers if headers is None else headers,
            plain_http=setting.plain_http and not moved,  # agreed for that address only
            lent_key=setting.lent_key and not moved and self._key_name.text().strip() == setting.key_name,
        )

    def _fault(self, setting: EndpointSetting) -> str:
        if not setting.base_url.startswith(("http://", "https://")):
            return tr("An address begins with http:// or https://.")
        known = keys_of_endpoints()
        if fault := address_fault(setting.base_url, known):
            words = tr("The address {fault}. Take that out; a key has a field of its own.")
            return words.format(fault=told(fault))
        if not is_key_name(setting.key_name) or holds_key(setting.key_name, known):
            return tr("Its name is a word such as OPENAI_API_KEY; the key itself has a field of its own.")
        if self._parsed_headers() is None:
            return tr("Each header is a line of its own: its name, a colon, its value.")
        return ""

    def _parsed_headers(self) -> Mapping[str, str] | None:
        lines = [line.partition(":") for line in self._headers.text.split("\n") if line.strip()]
        if not all(name.strip() and colon and value.strip() for name, colon, value in lines):
            return None
        return {name.strip(): value.strip() for name, _, value in lines}

    def on_typed(self) -> None:
        """Say what is wrong; hand it on after a pause."""
        if self._setting is not None:
            self._said.setText(self._fault(self._edited(self._setting)))
            self._said.setVisible(bool(self._said.text()))
        self._pause.start()

    def on_plain_clicked(self) -> None:
        """Allow another provider's key there; else unencrypted addresses, or no longer."""
        if self._setting is None:
            return
        self.flush()
        if lender_of(self._setting) and not self._setting.lent_key:
            self.lent_key_allowed.emit(True)
        else:
            self.plain_http_allowed.emit(not self._setting.plain_http)

    def on_test_clicked(self) -> None:
        self.flush()
        if self._test.isEnabled():
            self.test_asked.emit(self._model.text().strip())

    # Building

    def _build(self) -> None:
        self._name = self._line("endpointName", tr("Name"))
        self._url = self._line("endpointUrl", tr("Address"))
        self._url.setPlaceholderText("https://…/v1")
        self._said = label("", "small", "error", wrap=True)
        self._said.setObjectName("endpointFault")
        self._said.hide()
        self._api = ChoiceField([(name, protocol.text) for name, protocol in PROTOCOLS.items()])
        self._api.setObjectName("endpointApi")
        self._api.setAccessibleName(tr("Protocol"))
        self._key_name = self._line("endpointKeyName", tr("Name of the key"))
        self._key_name.setPlaceholderText(tr("none is needed"))
        self._key_header = ChoiceField(
            [("authorization", "Authorization: Bearer"), ("x-api-key", "x-api-key")]
        )
        for choice in (self._api, self._key_header):
            choice.setMaximumWidth(LINE_PX)
        self._key_header.setObjectName("endpointKeyHeader")
        self._key_header.setAccessibleName(tr("The key is sent as"))
        self._at_once = NumberField(1, 64)
        self._at_once.setObjectName("endpointAtOnce")
        self._at_once.setAccessibleName(tr("Requests at once"))
        self._at_once.setFixedWidth(96)
        self._headers = Words("endpointHeaders", tr("More headers"), lines=2, mono=True)
        self._plain = ErrorStrip(self)
        self._plain.setObjectName("plainHttp")
        self._model = self._line("endpointTestModel", tr("Model to test with"))
        self._model.setPlaceholderText(tr("Name of a model"))
        self._test = QPushButton(tr("Test"))
        self._test.setObjectName("endpointTest")
        self._test.setToolTip(tr("Asks the model for one token"))
        self.result = label("", "small", "muted", wrap=True)
        self.result.setObjectName("endpointResult")
        self._lay_out()

    def _line(self, name: str, title: str) -> QLineEdit:
        line = Line()
        line.setObjectName(name)
        line.setAccessibleName(title)
        line.setMaximumWidth(LINE_PX)
        return line

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        column.addWidget(field(tr("Name"), self._name))
        column.addWidget(field(tr("Address"), self._url))
        column.addWidget(self._said)
        hint = tr("For a base model, which goes on with a text, choose OpenAI text Completions")
        column.addWidget(field(tr("Protocol"), self._api, hint))
        column.addWidget(rule())
        column.addWidget(self.key)
        column.addWidget(self._plain)
        hint = tr(
            "It is looked for under this name, in the environment and the keychain; empty if none is needed"
        )
        column.addWidget(field(tr("Name of the key"), self._key_name, hint))
        column.addWidget(field(tr("The key is sent as"), self._key_header))
        column.addWidget(rule())
        test = QWidget()
        flow = Flow(test, gap_px=8)
        flow.addWidget(self._model)
        flow.addWidget(self._test)
        column.addWidget(field(tr("Try it"), test, tr("Asks a model for one token")))
        column.addWidget(self.result)
        column.addWidget(rule())
        column.addWidget(
            field(tr("Requests at once"), self._at_once, tr("Further ones wait until one has ended"))
        )
        column.addWidget(
            field(tr("More headers"), self._headers, tr("One per line, such as X-Title: Loomapp"))
        )

    def _connect(self) -> None:
        for line in (self._name, self._url, self._key_name):
            line.textChanged.connect(self.on_typed)
        self._headers.textChanged.connect(self.on_typed)
        for choice in (self._api, self._key_header):
            choice.activated.connect(self.on_typed)
        self._at_once.valueChanged.connect(self.on_typed)
        self._plain.action_clicked.connect(self.on_plain_clicked)
        self._test.clicked.connect(self.on_test_clicked)
        self._model.returnPressed.connect(self.on_test_clicked)
