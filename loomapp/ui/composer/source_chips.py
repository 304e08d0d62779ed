"""Chips of the sources that go along with the next generation, in a row that wraps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from loomapp.ui.look import theme
from loomapp.ui.widgets.chip import Chip
from loomapp.ui.widgets.layouts import Flow


@dataclass(frozen=True, slots=True)
class PendingSource:
    """Source that goes along with the next generation: a key of the owner's, its role, its title; an image
    also by reference. The role is `context`, `instruction`, or `message`: part of what is being written.
    `warning` says how it is sent otherwise than the user would expect.
    """

    key: str
    role: str
    title: str
    image_ref: str = ""
    warning: str = ""


class SourceChips(Flow):
    """Row of chips, one for each source; the chips belong to the widget whose layout this is part of."""

    removed = Signal(str)  # a pending source's key
    clicked = Signal(str, object)  # likewise, and QPoint: where on the screen

    def __init__(self, owner: QWidget) -> None:
        super().__init__(gap_px=theme.px("space.xs"))
        self._owner = owner
        self._chips: list[Chip] = []
        self._sources: tuple[PendingSource, ...] = ()
        self._picture_of: Callable[[str], QImage | None] = _no_picture

    def show_sources(self, sources: tuple[PendingSource, ...]) -> bool:
        """Show these sources; False if they are shown already."""
        if sources == self._sources:
            return False
        self._sources = sources
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [self._chip(source) for source in sources]
        for chip in self._chips:
            self.addWidget(chip)
            chip.show()
        return True

    def set_pictures(self, picture_of: Callable[[str], QImage | None]) -> None:
        self._picture_of = picture_of

    def show_picture(self, ref: str) -> None:
        for chip in self._chips:
            if chip.property("imageRef") == ref:
                chip.show_picture(self._picture_of(ref))

    def _chip(self, source: PendingSource) -> Chip:
        words = {
            "context": self.tr("Context: {0}"),
            "instruction": self.tr("Instruction: {0}"),
            "message": self.tr("With the message: {0}"),
        }[source.role]
        icon = {"context": "layers", "instruction": "sticky-note", "message": "paperclip"}[source.role]
        text = source.title if source.role == "message" else words.format(source.title)
        chip = Chip(icon, text, self._owner, removable=True, warning=source.warning)
        chip.setAccessibleName(words.format(source.title))
        chip.setProperty("sourceKey", source.key)
        if source.image_ref:
            chip.setProperty("imageRef", source.image_ref)
            chip.show_picture(self._picture_of(source.image_ref), expected=True)
        chip.clicked.connect(self.on_chip_clicked)
        chip.removed.connect(self.on_chip_removed)
        return chip

    def on_chip_removed(self) -> None:
        chip = self.sender()
        if chip is not None:
            self.removed.emit(str(chip.property("sourceKey")))

    def on_chip_clicked(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            at = chip.mapToGlobal(QPoint(0, chip.height()))
            self.clicked.emit(str(chip.property("sourceKey")), at)


def _no_picture(_ref: str) -> QImage | None:
    return None
