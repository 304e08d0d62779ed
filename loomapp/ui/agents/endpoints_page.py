"""The page of endpoints and keys: presets and one's own at the left, the chosen one, and local models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from loomapp.providers.endpoints import EndpointSetting, names_apart
from loomapp.providers.engine.model_files import ModelFile
from loomapp.ui import figures
from loomapp.ui.agents.agents_page import FORM_PX, Sides
from loomapp.ui.agents.endpoint_form import EndpointForm
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import Scrolled, horizontal


class ModelRow(QWidget):
    """One model: its name and size; Remove asks, and only then says that it is meant."""

    remove_clicked = Signal(str)  # name of the model

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("localModelRow")
        self._model: ModelFile | None = None
        self._is_asking = False
        row = horizontal(self, spacing=8)
        self.words = label("", wrap=True)
        self._remove = push_button("removeModel", parent=self, kind="link")
        self._remove.clicked.connect(self.on_remove_clicked)
        self._keep = push_button("keepModel", tr("Keep"), self, kind="link")
        self._keep.clicked.connect(self.on_keep_clicked)
        row.addWidget(self.words, 1)
        row.addWidget(self._remove)
        row.addWidget(self._keep)

    def show_model(self, model: ModelFile) -> None:
        """Show a model; a question about it is gone."""
        self._model, self._is_asking = model, False
        self._show(model)

    def focus_remove(self) -> None:
        """Give the keyboard to what removes it."""
        self._remove.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def has_keyboard(self) -> bool:
        return self._remove.hasFocus() or self._keep.hasFocus()

    def _show(self, model: ModelFile) -> None:
        size = figures.size(model.size_bytes)
        words, act = f"{model.name} · {size}", tr("Forget…") if model.is_own else tr("Remove…")
        if model.is_own:
            words = tr("{model} · your own file, {path}").format(model=words, path=model.path)
        if self._is_asking and model.is_own:
            words, act = tr("Forget {name}? Your file stays where it is."), tr("Forget")
        elif self._is_asking:
            words = tr("Remove the file of {name}? That frees {size}. Loomapp cannot fetch this one again.")
            if model.can_be_fetched:
                words = tr("Remove the file of {name}? That frees {size}; once asked, it is fetched again.")
            act = tr("Remove")
        self.words.setText(words.format(name=model.name, size=size) if self._is_asking else words)
        self._remove.setText(act)
        self._remove.setAccessibleName(f"{act} {model.name}")
        if not self._is_asking and self._keep.hasFocus():
            self.focus_remove()  # else Qt goes to the next field
        self._keep.setVisible(self._is_asking)

    def on_remove_clicked(self) -> None:
        assert self._model is not None, "only what is shown can be clicked"
        if self._is_asking:
            self.remove_clicked.emit(self._model.name)
        else:
            self._is_asking = True
            self._show(self._model)

    def on_keep_clicked(self) -> None:
        assert self._model is not None, "only what is shown can be clicked"
        self.show_model(self._model)


class LocalModelsBox(QWidget):
    """Rows of models; it removes nothing itself."""

    removed = Signal(str)  # name of the model
    add_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("localModels")
        self._rows: list[ModelRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(label(tr("Models on this computer"), "ui_strong"))
        self._add = push_button("addModel", tr("Add a model file…"), self)
        self._add.setToolTip(tr("A .gguf file of your own; it stays where it is"))
        self._add.clicked.connect(self.add_asked)
        self._column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._none = label(
            tr("None yet. The small model is fetched when it is first asked."), "small", "muted"
        )
        self._column.addWidget(self._none)

    def show_models(self, models: Sequence[ModelFile]) -> None:
        while len(self._rows) < len(models):
            row = ModelRow(self)
            row.remove_clicked.connect(self.removed)
            self._column.addWidget(row)
            self._rows.append(row)
        if any(row.has_keyboard for row in self._rows[len(models) :]) and models:
            self._rows[len(models) - 1].focus_remove()
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(models))
            if place < len(models):
                row.show_model(models[place])
        self._none.setVisible(not models)


ID_ROLE = Qt.ItemDataRole.UserRole + 1


class EndpointsPage(QWidget):
    """Shows where models are reached and says what is asked for; it writes nothing itself."""

    chosen = Signal(str)  # endpoint id
    new_asked = Signal()
    removed = Signal(str)  # endpoint id: an own one goes, a preset is as it was

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("endpointsPage")
        self.setAccessibleName(tr("Endpoints and keys"))
        self._own: frozenset[str] = frozenset()
        self._presets: frozenset[str] = frozenset()
        self.list = QListWidget(self)
        WordKeys(self.list)
        self._build()
        self.setFocusProxy(self.list)

    def show_endpoints(
        self, settings: Mapping[str, EndpointSetting], own: frozenset[str], presets: frozenset[str]
    ) -> None:
        chosen = self.chosen_id
        self._own, self._presets = own, presets
        self.list.blockSignals(True)
        self.list.clear()
        names = names_apart({one.id: one for one in settings.values()})
        for setting in sorted(settings.values(), key=lambda s: s.id in presets):
            item = QListWidgetItem(names[setting.id], self.list)
            item.setData(ID_ROLE, setting.id)
            item.setToolTip(plain_tip(setting.base_url))
            item.setIcon(theme.icon("key-round" if setting.key_name else "cpu", "text.muted", 14))
        self.list.blockSignals(False)
        self.choose(chosen)

    def show_problem(self, words: str) -> None:
        """Show why one's own endpoints are not in the list; without words, nothing."""
        if words:
            self._problem.say(words, tone="warning")
        else:
            self._problem.clear()

    def choose(self, endpoint_id: str) -> None:
        rows = [r for r in range(self.list.count()) if self.list.item(r).data(ID_ROLE) == endpoint_id]
        self.list.setCurrentRow(rows[0] if rows else 0)
        self.on_row_changed()

    def focus_name(self) -> None:
        """Give the keyboard to the name, all of it selected: what is typed next is another one."""
        self._area.verticalScrollBar().setValue(0)
        self.form.focus_name()

    def show_result(self, words: str, *, failed: bool = False, busy: bool = False) -> None:
        """Show what came of the test, where it is seen."""
        self.form.show_result(words, failed=failed, busy=busy)
        show = partial(self._area.ensureWidgetVisible, self.form.result)
        QTimer.singleShot(0, self._area, show)  # once it has its place

    def focus_key(self) -> None:
        self.form.key.focus_field()
        self._area.ensureWidgetVisible(self.form.key)

    @property
    def chosen_id(self) -> str:
        row = self.list.currentRow()
        return str(self.list.item(row).data(ID_ROLE)) if row >= 0 else ""

    def on_row_changed(self, _row: int = -1) -> None:
        own = self.chosen_id in self._own
        changed = own and self.chosen_id in self._presets
        self._remove.setVisible(own)
        self._remove.setText(tr("Back to the preset") if changed else tr("Remove"))
        self.chosen.emit(self.chosen_id)

    def _build(self) -> None:
        self.list.setObjectName("endpointsList")
        self.list.setIconSize(QSize(14, 14))
        self.list.setAccessibleName(tr("Endpoints"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self.on_row_changed)
        new = QPushButton(tr("New endpoint"), self)
        new.setObjectName("newEndpoint")
        new.clicked.connect(self.new_asked)
        self._remove = QPushButton(tr("Remove"))
        self._remove.setObjectName("removeEndpoint")
        self._remove.clicked.connect(lambda: self.removed.emit(self.chosen_id))
        ground = QWidget(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._problem = ErrorStrip(self)
        self._problem.setObjectName("endpointsProblem")
        outer.addWidget(self._problem)
        self._area = area = Scrolled(ground, "endpointArea", self)
        outer.addWidget(Sides(self.list, new, area, self))  # now: what is filled moves slowly
        self.form = EndpointForm(ground)
        ground.setMaximumWidth(FORM_PX)
        column = QVBoxLayout(ground)
        column.setContentsMargins(2, 2, 12, 24)
        column.setSpacing(16)
        column.addWidget(self.form)
        column.addWidget(self._remove, 0, Qt.AlignmentFlag.AlignLeft)
        said = tr("Saved as you type, in endpoints.toml, which holds no keys.")
        column.addWidget(label(said, "small", "muted", wrap=True))
        self.models = LocalModelsBox(ground)
        column.addWidget(self.models)
        column.addStretch(1)
