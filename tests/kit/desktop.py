"""A screen for tests: Xvfb, openbox with its defaults, a real pointer and keyboard, screenshots."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QScreen
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

TOOLS = ("Xvfb", "openbox", "xdotool")
INSTALL_HINT = (
    "window tests need a screen of their own: apt-get install --no-install-recommends xvfb openbox xdotool"
)
START_TIMEOUT_S = 60.0
POINTER_TIMEOUT_MS = 150_000
MOST_LOOKS = 100  # 20 ms apart, for a window of ours that has the keyboard
MOST_LAYOUTS = 20  # one inside the other, before a place is taken for one that moves on purpose
ROUNDED = 4  # of 255: what painting over what is there, and not, may differ by


class DesktopMissing(Exception):
    """The tools for a screen are not installed, or they did not start."""


@dataclass(frozen=True, slots=True)
class Desktop:
    """A running X server with a window manager; `display` is what goes into DISPLAY."""

    display: str
    pids: tuple[int, ...]

    def environment(self) -> dict[str, str]:
        """The variables for a process that is to show its windows here."""
        return os.environ | {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb"}


@contextmanager
def running_desktop(width_px: int = 1920, height_px: int = 1200) -> Iterator[Desktop]:
    """A desktop on the first free display number, until the block ends.

    Raises: DesktopMissing, with what to install.
    """
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        raise DesktopMissing(f"{', '.join(missing)} not found; {INSTALL_HINT}")
    server, display = _start_server(width_px, height_px)
    try:
        manager = _start_window_manager(display)
        try:
            yield Desktop(display, (server.pid, manager.pid))
        finally:
            _end(manager)
    finally:
        _end(server)


class Pointer:
    """The mouse and the keyboard, by real X events; the event loop runs on meanwhile.

    A place is a widget (its middle), a widget and a point in it, or a point of the screen (the widget is
    None); all in logical pixels. Keys go to the active window: see `show_active`.
    """

    def __init__(self, qtbot: QtBot, *, waits: bool = True) -> None:
        self._qtbot = qtbot
        self._waits = waits  # until what it did has arrived; who measures the event loop leaves it alone

    def move(self, widget: QWidget | None, at: QPoint | None = None) -> None:
        """Moves the pointer there in one step."""
        self._run("mousemove", *self._pixels(widget, at))

    def click(
        self,
        widget: QWidget | None,
        at: QPoint | None = None,
        *,
        button: int = 1,
        modifiers: Iterable[str] = (),
    ) -> None:
        """One click. Buttons: 1 left, 2 middle, 3 right, 8 back, 9 forward. Modifiers: ctrl, shift, alt.

        A button that rests after a click before is waited for.
        """
        from loomapp.ui.widgets.buttons import KeyButton

        if isinstance(widget, KeyButton):
            self._qtbot.waitUntil(lambda: not widget.is_resting)
        self._press(widget, at, ["click", str(button)], modifiers)

    def double_click(
        self, widget: QWidget | None, at: QPoint | None = None, *, modifiers: Iterable[str] = ()
    ) -> None:
        """Two clicks, 50 ms apart."""
        self._press(widget, at, ["click", "--repeat", "2", "--delay", "50", "1"], modifiers)

    def wheel(
        self, widget: QWidget | None, at: QPoint | None = None, *, notches: int, modifiers: Iterable[str] = ()
    ) -> None:
        """Turns the wheel; a positive number is away from the person (up)."""
        button = "4" if notches > 0 else "5"
        self._press(widget, at, ["click", "--repeat", str(abs(notches)), "--delay", "20", button], modifiers)

    def drag(
        self,
        start: tuple[QWidget | None, QPoint | None],
        end: tuple[QWidget | None, QPoint | None],
        *,
        steps: int = 5,
        button: int = 1,
        modifiers: Iterable[str] = (),
    ) -> None:
        """Presses at the start, moves to the end in steps 50 ms apart, lets go there."""
        from_x, from_y = map(int, self._pixels(*start))
        to_x, to_y = map(int, self._pixels(*end))
        way: list[str] = ["mousedown", str(button)]
        for step in range(1, steps + 1):
            x = from_x + (to_x - from_x) * step // steps
            y = from_y + (to_y - from_y) * step // steps
            way += ["sleep", "0.05", "mousemove", str(x), str(y)]
        self._press(*start, [*way, "sleep", "0.05", "mouseup", str(button)], modifiers)

    def drag_until(self, there: Callable[[], bool], widget: QWidget, start: QPoint, end: QPoint) -> None:
        """Drags, and lets go once it is there: Qt moves a seam between panes a moment after the pointer, and
        no more once the button is up.
        """
        self.hold(widget, start)
        self.move(widget, end)
        self._qtbot.waitUntil(there)
        self.release()

    def key(self, *keys: str) -> None:
        """Presses keys one after the other, by X names: "ctrl+Return", "F2", "alt+Up"."""
        self._wait_for_keyboard()
        self._run("key", "--delay", "20", *keys)

    def hold(self, widget: QWidget | None, at: QPoint | None = None, *, button: int = 1) -> None:
        """Presses a mouse button and keeps it down; `release` lets go."""
        self._run("mousemove", *self._pixels(widget, at), "mousedown", str(button))

    def release(self, *, button: int = 1) -> None:
        """Lets a mouse button go."""
        self._run("mouseup", str(button))

    def type_ascii(self, text: str) -> None:
        """Types text. xdotool loses other characters at random, so those must be pasted: `paste`."""
        if not text.isascii():
            message = f"only ASCII can be typed, paste the rest: {text!r}"
            raise ValueError(message)
        self._wait_for_keyboard()
        self._run("type", "--delay", "8", "--", text)

    def paste(self, text: str) -> None:
        """Puts any text on the clipboard and presses Ctrl+V."""
        from PySide6.QtGui import QGuiApplication

        QGuiApplication.clipboard().setText(text)
        self.key("ctrl+v")

    def _wait_for_keyboard(self) -> None:
        """Lets the event loop go on while a window of ours is still to come forward: it would miss the key.

        Not for long: another program may have the keyboard on purpose.
        """
        from PySide6.QtGui import QGuiApplication

        for _ in range(MOST_LOOKS if self._waits else 0):
            windows = QGuiApplication.topLevelWindows()
            if QGuiApplication.focusWindow() is not None or not any(window.isVisible() for window in windows):
                break
            self._qtbot.wait(20)

    def _press(
        self, widget: QWidget | None, at: QPoint | None, action: list[str], modifiers: Iterable[str]
    ) -> None:
        held = list(modifiers)
        self._run(
            "mousemove",
            *self._pixels(widget, at),
            *(word for name in held for word in ("keydown", name)),
            *action,
            *(word for name in reversed(held) for word in ("keyup", name)),
        )

    def _pixels(self, widget: QWidget | None, at: QPoint | None) -> tuple[str, str]:
        """A place as device pixels of the screen."""
        from PySide6.QtGui import QGuiApplication

        if widget is not None:
            point = self._settled(widget, at)
        elif at is not None:
            point = at
        else:
            message = "a widget or a point of the screen is needed"
            raise ValueError(message)
        ratio = QGuiApplication.primaryScreen().devicePixelRatio()
        return str(round(point.x() * ratio)), str(round(point.y() * ratio))

    def _settled(self, widget: QWidget, at: QPoint | None) -> QPoint:
        """The place on the screen, once no layout that is asked for moves it any more.

        What was typed a moment before may have moved the widget in a layout that is still to be made: nobody
        sees it there, and a click where it stood until then falls beside it.
        """
        from PySide6.QtGui import QGuiApplication

        point = widget.mapToGlobal(widget.rect().center() if at is None else at)
        for _ in range(MOST_LAYOUTS if self._waits else 0):
            QGuiApplication.processEvents()
            before, point = point, widget.mapToGlobal(widget.rect().center() if at is None else at)
            if point == before:
                break
        return point

    def _run(self, *words: str) -> None:
        """Runs xdotool while the event loop goes on, then lets the events that it made arrive.

        xdotool knows "sleep" between its commands, so a drag is one process.
        """
        process = subprocess.Popen(["xdotool", *words], stderr=subprocess.PIPE, text=True)
        try:
            self._qtbot.waitUntil(lambda: process.poll() is not None, timeout=POINTER_TIMEOUT_MS)
        finally:
            process.kill()
            _, complaint = process.communicate()
        if process.returncode != 0:
            message = f"xdotool {' '.join(words)}: {complaint.strip()}"
            raise RuntimeError(message)
        if self._waits:
            _round_trip()


def show_active(qtbot: QtBot, window: QWidget) -> None:
    """Shows a window and waits until it is framed and has the keyboard."""
    window.show()
    window.raise_()
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and not window.frameGeometry().isEmpty(), timeout=10_000)


def focus_program(qtbot: QtBot, key: str, value: str) -> None:
    """Give a window of another program the keyboard, once it is there: the one whose `key` is `value`.

    The search ends with an error if a window that it looks at goes meanwhile, and is then begun again.
    """
    search = ["xdotool", "search", "--sync", "--onlyvisible", key, value, "windowfocus", "--sync"]
    while (complaint := _complaint_of(qtbot, search)) is not None:
        assert "BadWindow" in complaint, complaint


def _complaint_of(qtbot: QtBot, command: list[str]) -> str | None:
    """What a command said that failed; the event loop goes on meanwhile."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        qtbot.waitUntil(lambda: process.poll() is not None, timeout=POINTER_TIMEOUT_MS)
    finally:
        process.kill()
        _, complaint = process.communicate()
    return None if process.returncode == 0 else complaint


def screenshot(subject: QWidget | QScreen, path: Path | str) -> Path:
    """Writes a PNG: of a widget as it paints itself, or of a whole screen with frames and menus."""
    from PySide6.QtGui import QScreen

    pixmap = subject.grabWindow(0) if isinstance(subject, QScreen) else subject.grab()
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not pixmap.save(str(path)):
        message = f"could not write {path}"
        raise OSError(message)
    return path


def shows_all(part: QWidget) -> bool:
    """True if a part of a window stands on the screen as if it were painted anew: no update was forgotten."""
    import numpy as np
    from PySide6.QtCore import QPoint, QRect
    from PySide6.QtGui import QImage

    window = part.window()
    at = part.mapTo(window, QPoint())
    seen = part.screen().grabWindow(window.winId(), at.x(), at.y(), part.width(), part.height()).toImage()
    anew = window.grab(QRect(at, part.size())).toImage()
    images = [image.convertToFormat(QImage.Format.Format_RGB32) for image in (seen, anew)]
    here, there = (np.frombuffer(image.constBits(), np.uint8).astype(np.int16) for image in images)
    return int(abs(here - there).max()) <= ROUNDED


def _start_server(width_px: int, height_px: int) -> tuple[subprocess.Popen[bytes], str]:
    """Xvfb, once it has said its display number."""
    read_end, write_end = os.pipe()
    screen = f"{width_px}x{height_px}x24"
    server = subprocess.Popen(
        _bound_to_us(
            f"Xvfb -displayfd {write_end} -screen 0 {screen} -dpi 96 -nolisten tcp -noreset".split()
        ),
        pass_fds=(write_end,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    with os.fdopen(read_end) as said:
        number = said.readline().strip()  # an end of file, if the server ended
    if not number:
        _end(server)
        message = f"Xvfb did not start; {INSTALL_HINT}"
        raise DesktopMissing(message)
    return server, f":{number}"


def _start_window_manager(display: str) -> subprocess.Popen[bytes]:
    """Openbox with its defaults, once it manages the screen."""
    environment = os.environ | {"DISPLAY": display}
    nowhere = subprocess.DEVNULL
    manager = subprocess.Popen(
        _bound_to_us(["openbox"]), env=environment, stdin=nowhere, stdout=nowhere, stderr=nowhere
    )
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and manager.poll() is None:
        # The number of desktops is set by a window manager only.
        asked = subprocess.run(["xdotool", "get_num_desktops"], env=environment, capture_output=True)
        if asked.returncode == 0:
            return manager
        time.sleep(0.02)
    _end(manager)
    message = f"openbox did not start on {display}; {INSTALL_HINT}"
    raise DesktopMissing(message)


def _bound_to_us(command: list[str]) -> list[str]:
    """The command, ended by the kernel if this process is killed."""
    return ["setpriv", "--pdeathsig", "TERM", *command] if shutil.which("setpriv") else command


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _round_trip() -> None:
    """Handles every X event that the server had sent up to now."""
    from PySide6.QtGui import QGuiApplication

    screen = QGuiApplication.primaryScreen()
    screen.grabWindow(
        0, 0, 0, 1, 1
    )  # asks the server and waits for its answer; events before it are then here
    QGuiApplication.processEvents()
