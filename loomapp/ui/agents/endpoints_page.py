"""The page of endpoints and keys: presets and the user's own at the left, the chosen one at the right."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from loomapp.providers.endpoints import EndpointSetting
from loomapp.ui.agents.agents_page import FORM_PX
from loomapp.ui.agents.endpoint_form import EndpointForm
from loomapp.ui.agents.local_models_box import LocalModelsBox
from loomapp.ui.agents.page import Sides
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import WordKeys
from loomapp.ui.widgets.labels import label, plain_tip
from loomapp.ui.widgets.layouts import Scrolled

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
        """Show all endpoints; the chosen one stays chosen."""
        chosen = self.chosen_id
        self._own, self._presets = own, presets
        self.list.blockSignals(True)
        self.list.clear()
        for setting in sorted(settings.values(), key=lambda s: s.id in presets):
            item = QListWidgetItem(setting.name, self.list)
            item.setData(ID_ROLE, setting.id)
            item.setToolTip(plain_tip(setting.base_url))
            item.setIcon(theme.icon("key-round" if setting.key_name else "cpu", "text.muted", 14))
        self.list.blockSignals(False)
        self.choose(chosen)

    def choose(self, endpoint_id: str) -> None:
        rows = [r for r in range(self.list.count()) if self.list.item(r).data(ID_ROLE) == endpoint_id]
        self.list.setCurrentRow(rows[0] if rows else 0)
        self.on_row_changed()

    def focus_key(self) -> None:
        self.form.key.focus_field()

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
        area = Scrolled(ground, "endpointArea", self)
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
