"""Local models on the endpoints page: each with its size, and a way to remove it that asks once."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from loomapp.providers.engine.model_files import ModelFile
from loomapp.ui import figures
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal


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

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("localModels")
        self._rows: list[ModelRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(label(tr("Models on this computer"), "ui_strong"))
        self._none = label(tr("None yet. The small one is fetched when it is first asked."), "small", "muted")
        self._column.addWidget(self._none)

    def show_models(self, models: Sequence[ModelFile]) -> None:
        """Show what is there now."""
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
