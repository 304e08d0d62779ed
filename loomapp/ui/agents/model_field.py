"""The model of an agent: an endpoint, and of the models that it tells of one, or any name that is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QComboBox, QCompleter, QToolButton, QVBoxLayout, QWidget

from loomapp.providers.endpoints import ListedModel
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.form import ChoiceField, keeps_list_key, pass_wheel_on
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import Flow
from loomapp.ui.widgets.words import amounts

Tone: TypeAlias = Literal["muted", "warning", "error"]
MOST_ROWS = 14
ICON_PX = 14


class ModelField(QWidget):
    """Shows a model reference; says when another one stands there, and when its endpoint is to be asked."""

    changed = Signal()
    models_asked = Signal(str, bool)  # endpoint id; whether also where its list of today is known

    def __init__(self) -> None:
        super().__init__()
        self._endpoint = _EndpointBox([])
        self._endpoint.setObjectName("agentEndpoint")
        self._endpoint.setAccessibleName(tr("Endpoint"))
        self._endpoint.setMinimumWidth(160)
        self._model = _ModelBox()
        self._again = QToolButton()
        self._again.setObjectName("refreshModels")
        self._again.setAccessibleName(tr("Ask the endpoint for its models again"))
        self._again.setToolTip(tr("Ask the endpoint for its models again"))
        self._again.setIcon(theme.icon("refresh-cw", "text.secondary", ICON_PX))
        self._again.setIconSize(QSize(ICON_PX, ICON_PX))
        self._again.setFixedSize(28, 28)
        self._said = label("", "small", "muted", wrap=True)
        self._said.setObjectName("modelsSaid")
        self._said.hide()
        self._lay_out()
        self._endpoint.activated.connect(self.on_endpoint_chosen)
        self._model.editTextChanged.connect(self.changed)
        self._again.clicked.connect(lambda: self.models_asked.emit(self.endpoint_id, True))

    @property
    def endpoint_id(self) -> str:
        return self._endpoint.value()

    @property
    def model(self) -> str:
        """Name of the model as it is typed; it may be empty."""
        return self._model.currentText().strip()

    @property
    def model_ref(self) -> str:
        return f"{self.endpoint_id}:{self.model}"

    def show_endpoints(self, endpoints: Sequence[tuple[str, str]]) -> None:
        """Offer endpoints, as pairs of id and name; keep the chosen one."""
        with QSignalBlocker(self._endpoint):
            shown = self.endpoint_id if self._endpoint.count() else ""
            self._endpoint.clear()
            for endpoint_id, name in endpoints:
                self._endpoint.addItem(name, endpoint_id)
            if shown:
                self._endpoint.show_value(shown)

    def show_ref(self, model_ref: str) -> None:
        """Show a model; if its endpoint is another, the list is emptied."""
        prefix, _, model = model_ref.partition(":")
        if prefix != self.endpoint_id:
            self._drop_list()
        self._endpoint.show_value(prefix)
        with QSignalBlocker(self._model):
            if self._model.currentText() != model:
                self._model.setEditText(model)

    def show_models(
        self, endpoint_id: str, models: Sequence[ListedModel], said: str, tone: Tone = "muted"
    ) -> None:
        """The models that an endpoint has told of, and how old that is or why there are none."""
        if endpoint_id != self.endpoint_id:
            return
        self._model.show_models(models)
        self._say(said, tone)

    def take_only_model(self, endpoint_id: str) -> None:
        """Put in the model of an endpoint that has no other, where nothing stands and nothing was typed."""
        line = self._model.lineEdit()
        is_free = not self.model and line is not None and not line.isModified()
        if endpoint_id == self.endpoint_id and is_free and self._model.count() == 1:
            self._model.setCurrentIndex(0)
            self._model.setEditText(self._model.itemText(0))

    def show_asking(self, endpoint_id: str) -> None:
        """Show that models are asked for; those that were known stay to choose from."""
        if endpoint_id == self.endpoint_id:
            self._say(tr("Asking for its models…"), "muted")

    def set_can_ask(self, can_ask: bool) -> None:
        """Show the button that asks for models, except for models on this computer."""
        self._again.setVisible(can_ask)

    def on_endpoint_chosen(self) -> None:
        """Empty the list: another endpoint has other models."""
        self._drop_list()
        self._model.setEditText("")
        if self._endpoint.was_open:
            self._model.setFocus(Qt.FocusReason.OtherFocusReason)
        self.models_asked.emit(self.endpoint_id, False)
        self.changed.emit()

    def _drop_list(self) -> None:
        self._model.show_models(())
        self._say("", "muted")

    def _say(self, words: str, tone: Tone) -> None:
        self._said.setText(words)
        self._said.setVisible(bool(words))
        theme.set_look(self._said, tone=tone)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        words = label(tr("Model"))
        words.setBuddy(self._endpoint)
        column.addWidget(words)
        flow = Flow(gap_px=8)
        for widget in (self._endpoint, self._model, self._again):
            flow.addWidget(widget)
        column.addLayout(flow)
        column.addWidget(self._said)


class _EndpointBox(ChoiceField):
    """Endpoints to choose from; who goes through them by arrows and letters stays there, to go on."""

    was_open = False  # while the last was chosen: it was chosen from the list

    def showPopup(self) -> None:
        self.was_open = True
        super().showPopup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.was_open = False
        super().keyPressEvent(event)


class _ClickOutside(QObject):
    """A click beside the names on offer closes them and does what it would do without them. Qt's completer
    swallows it, and what is typed next would go on in the name.
    """

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        if not isinstance(watched, QWidget) or watched.rect().contains(event.position().toPoint()):
            return False
        watched.hide()
        at = event.globalPosition()
        target = QApplication.widgetAt(at.toPoint())
        if target is not None:
            _give_keyboard(target)
            for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
                held = event.buttons() if kind == event.type() else Qt.MouseButton.NoButton
                place = target.mapFromGlobal(at)
                click = QMouseEvent(kind, place, at, event.button(), held, event.modifiers())
                QApplication.sendEvent(target, click)
        return True


def _give_keyboard(clicked: QWidget) -> None:
    """Give the keyboard to what a click goes to, or to what that stands in."""
    widget: QWidget | None = clicked
    while widget is not None and not widget.focusPolicy() & Qt.FocusPolicy.ClickFocus:
        widget = widget.parentWidget()
    if widget is not None:
        widget.setFocus(Qt.FocusReason.MouseFocusReason)


class _ModelBox(QComboBox):
    """A list to choose from and a line to type in: what is typed stays as it is typed."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("agentModel")
        self.setAccessibleName(tr("Model"))
        self.setEditable(True)
        self.setLineEdit(Line(self))
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        pass_wheel_on(self)
        self.setMaxVisibleItems(MOST_ROWS)
        self.setFixedWidth(260)
        line = self.lineEdit()
        assert line is not None, "an editable box has a line"
        line.setPlaceholderText(tr("Name of a model"))
        line.setAccessibleName(tr("Model"))
        # Qt's own completion writes the rest of a name behind the caret; a new name could hardly be typed.
        completer = QCompleter(self.model(), self)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setMaxVisibleItems(MOST_ROWS)
        self.setCompleter(completer)
        self._outside = _ClickOutside(self)
        names = completer.popup()
        assert names is not None, "a completer with a popup has one"
        names.installEventFilter(self._outside)
        names = completer.popup()
        assert names is not None, "a completer that pops up has a list"
        theme.set_look(names, popup=True)  # a window of its own, with a ground of its own

    def event(self, event: QEvent) -> bool:
        """Keep the key that opens the list from the window."""
        return keeps_list_key(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list by Down, too: where nothing is chosen yet it would lead nowhere."""
        if event.key() == Qt.Key.Key_Down and self.count():
            self.showPopup()
            return
        super().keyPressEvent(event)

    def show_models(self, models: Sequence[ListedModel]) -> None:
        """Offer models to choose from; the typed words stay."""
        typed, caret = self.currentText(), self._caret()
        with QSignalBlocker(self):
            self.clear()
            for model in models:
                self.addItem(model.name)
                if model.context_window is not None:
                    tip = amounts.tokens(model.context_window)
                    self.setItemData(self.count() - 1, plain_tip(tip), Qt.ItemDataRole.ToolTipRole)
            self.setEditText(typed)
        line = self.lineEdit()
        if line is not None:
            line.setCursorPosition(caret)

    def _caret(self) -> int:
        line = self.lineEdit()
        return 0 if line is None else line.cursorPosition()
