"""State of the model in a pill: ready, to be fetched, on its way, or missing with what to do."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from loomapp.providers.engine.state import Absent, EngineState, Fetching, Starting
from loomapp.ui.dialogue.empty import SuggestionButton
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.layouts import horizontal, vertical

ICON_PX = 14
LEAST_HEIGHT_PX = 28
BAR_PX = 120
WIDEST_PX = 640
MEGABYTE = 1_000_000


class ModelPill(QWidget):
    """Shows a state of the engine for one model, and says which next step was pressed."""

    fetch_wanted = Signal()
    stop_wanted = Signal()
    file_wanted = Signal()

    def __init__(self, parent: QWidget, *, widest_px: int = WIDEST_PX) -> None:
        super().__init__(parent)
        self.setObjectName("modelPill")
        self._widest_px = widest_px
        self._tone = "success"
        self._icon = QLabel(self)
        self._icon.setTextFormat(Qt.TextFormat.PlainText)
        self._words = label("", "small", "secondary", wrap=True, name="modelPillText")
        self._words.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._bar = QProgressBar(self)
        self._bar.setObjectName("modelPillBar")
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(BAR_PX)
        self._bar.setAccessibleName(tr("How much of the model is here"))
        self._fetch = self._button("fetchModelButton", tr("Fetch now"))
        self._stop = self._button("stopFetchButton", tr("Stop"))
        self._file = self._button("chooseModelButton", tr("Choose a .gguf file…"))
        self._fetch.clicked.connect(self.fetch_wanted)
        self._stop.clicked.connect(self.stop_wanted)
        self._file.clicked.connect(self.file_wanted)
        row = horizontal(self, (14, 4, 14, 4), spacing=10)
        self._icon.setFixedWidth(ICON_PX)
        for widget in (self._icon, self._words, self._bar, self._fetch, self._stop, self._file):
            row.addWidget(widget, 1 if widget is self._words else 0)
        self.setMinimumHeight(LEAST_HEIGHT_PX)
        self.setMaximumWidth(widest_px)

    def set_widest(self, widest_px: int) -> None:
        if widest_px != self._widest_px:
            self._widest_px = widest_px
            self.setMaximumWidth(widest_px)
            self._wrap()

    @property
    def text(self) -> str:
        return self._words.text()

    def show_remote(self, name: str, *, is_here: bool, has_key: bool) -> None:
        """Show a model of an endpoint: whether its server is this computer, and whether a key goes along.

        Of a server here it is not known whether it answers itself or passes on what it is sent.
        """
        if is_here:
            words = (
                tr("{name} is asked at a server on this computer, with your key.")
                if has_key
                else tr("{name} is asked at a server on this computer, without a key.")
            )
        else:
            words = (
                tr("{name} answers over the network, with your key.")
                if has_key
                else tr("{name} answers over the network, without a key.")
            )
        self._show(words.format(name=name), "info", "key-round" if has_key else "cpu" if is_here else "info")

    def show_several(self, names: str, *, afar: str) -> None:
        """Show the models that are asked at once, and who of them over the network."""
        words = tr("{names} are asked, {afar} over the network.") if afar else tr("{names} are asked.")
        if afar == names:
            words = tr("{names} are asked, over the network.")
        self._show(words.format(names=names, afar=afar), "info", "info")

    def show_local(self, name: str, state: EngineState, *, is_here: bool, download_bytes: int = 0) -> None:
        """Show a model that runs on this computer, or would if its file were here."""
        match state:
            case Fetching(progress=share):
                percent = int((share or 0.0) * 100)
                words = tr("Fetching {name}: {percent} %").format(name=name, percent=percent)
                self._show(words, "info", "download", stop=True)
                self._bar.setRange(0, 100 if percent else 0)
                self._bar.setValue(percent)
                self._bar.show()
            case Starting():
                self._show(tr("{name} is starting…").format(name=name), "info", "cpu")
            case Absent(message=message) if not is_here and message != Absent().message:
                self._show(told(message), "error", "circle-alert", fetch=tr("Try again"), file=True)
            case _ if is_here:
                words = tr("{name} runs on this computer. No key, no network.").format(name=name)
                self._show(words, "success", "cpu")
            case _ if download_bytes:
                words = tr("{name} is fetched once, {size} MB, with the first Generate.")
                size = f"{download_bytes / MEGABYTE:.0f}"
                self._show(words.format(name=name, size=size), "info", "download", fetch=tr("Fetch now"))
            case _:
                words = tr("The file of {name} is not where it was.").format(name=name)
                self._show(words, "error", "circle-alert", file=True)

    def _show(
        self, words: str, tone: str, icon: str, *, fetch: str = "", stop: bool = False, file: bool = False
    ) -> None:
        self._tone = tone
        self._words.setText(words)
        theme.set_look(self._words, tone={"success": "success", "error": "primary"}.get(tone, "secondary"))
        self._bar.setVisible(False)
        self._fetch.setText(fetch)
        self._fetch.setVisible(bool(fetch))
        self._stop.setVisible(stop)
        self._file.setVisible(file)
        self._icon_name = icon
        self._paint_icon()
        self._wrap()
        self.update()

    def _wrap(self) -> None:
        """Break the words into two lines where one has no room."""
        wide = self._words.fontMetrics().horizontalAdvance(self._words.text())
        buttons = [b for b in (self._fetch, self._stop, self._file, self._bar) if not b.isHidden()]
        room = self._widest_px - 62 - sum(button.sizeHint().width() + 10 for button in buttons)
        needs_two_lines = wide > room
        self._words.setWordWrap(needs_two_lines)
        self._words.setMinimumWidth(max(80, room) if needs_two_lines else 0)
        self._words.setMinimumHeight(self._words.heightForWidth(max(80, room)) if needs_two_lines else 0)
        self.updateGeometry()

    def _paint_icon(self) -> None:
        role = "text.secondary" if self._tone == "info" else f"state.{self._tone}"
        self._icon.setPixmap(theme.pixmap(self._icon_name, role, ICON_PX, self.devicePixelRatioF()))

    def _button(self, name: str, words: str) -> QPushButton:
        return push_button(name, words, self, kind="link")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_icon_name"):
            self._paint_icon()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.smooth_painter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(
            theme.colour("surface.raised" if self._tone == "info" else f"state.{self._tone}_soft")
        )
        painter.drawRoundedRect(QRectF(self.rect()), LEAST_HEIGHT_PX / 2, LEAST_HEIGHT_PX / 2)
        painter.end()


SAMPLE_TITLE = "Sample: a letter in a bottle"
MARGIN_PX = 16
PILL_PX = 392
LEAST_PANE_PX = 700  # of the pane it stands in: what is read comes first


def lines() -> tuple[str, ...]:
    """Lines that go on from any place of the sample's story, each to be answered in several ways."""
    return (
        tr("Now the answer to this letter, three sentences."),
        tr("Read this as three different critics would."),
        tr("Tell it again, as the sea would tell it."),
    )


class Starters(QWidget):
    """Stands between the text and the composer. A line that is chosen is told; nothing is sent."""

    line_chosen = Signal(str)

    def __init__(self, pane: QWidget) -> None:
        super().__init__(pane)
        self._pane = pane
        self.setObjectName("starters")
        self.setAccessibleName(tr("Lines to go on with"))
        self.pill = ModelPill(self, widest_px=PILL_PX)
        self._wanted = False
        column = vertical(self, (MARGIN_PX, 8, MARGIN_PX, 8), spacing=6)
        column.addWidget(label(tr("Try one of these, or write a line of your own"), "ui_strong"))
        for line in lines():
            button = SuggestionButton(line, self)
            button.setFixedHeight(36)
            button.clicked.connect(self.on_clicked)
            column.addWidget(button)
        column.addSpacing(2)
        column.addWidget(self.pill)
        pane.installEventFilter(self)
        self.hide()

    def set_wanted(self, wanted: bool) -> None:
        """Show the starters if they are wanted and there is room."""
        self._wanted = wanted
        self._fit()

    def on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, SuggestionButton):
            self.line_chosen.emit(button.line)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show or hide the starters: the pane became higher or lower."""
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return False

    def _fit(self) -> None:
        self.setVisible(self._wanted and self._pane.height() >= LEAST_PANE_PX)
