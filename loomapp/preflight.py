"""Needs of a window from the system, looked at before Qt is loaded, which would abort."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

CORE_LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libfreetype.so.6": "libfreetype6",
    "libfontconfig.so.1": "libfontconfig1",
    "libdbus-1.so.3": "libdbus-1-3",
}
"""What Qt links to, and the Debian package it comes in."""

WINDOW_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""What a window under X needs besides."""

ENGINE_LIBRARIES = {
    "libgomp.so.1": "libgomp1",
}
"""What the embedded engine links to."""

X_PORT = 6000
PROBE_TIMEOUT_S = 2.0


def missing_libraries(load: Callable[[str], object] = ctypes.CDLL) -> list[str]:
    """The Debian packages of the libraries that Qt would not find, sorted; always empty outside Linux."""
    return _missing(CORE_LIBRARIES | WINDOW_LIBRARIES, load)


def missing_engine_libraries(load: Callable[[str], object] = ctypes.CDLL) -> list[str]:
    """The Debian packages of the libraries that the embedded engine would not find."""
    return _missing(ENGINE_LIBRARIES, load)


def install_line(packages: list[str]) -> str:
    return (
        f"Loomapp's window needs system libraries that are missing: {', '.join(packages)}. "
        f"Install them with: {apt_get(packages)}"
    )


def apt_get(packages: list[str]) -> str:
    """Return the command that installs packages on Debian and its relatives."""
    return f"sudo apt-get install --no-install-recommends {' '.join(packages)}"


def display_problem(environment: Mapping[str, str] = os.environ) -> str | None:
    """Why no window can be shown, as one line; None if one can.

    Asks the display's socket and nothing else: with a dead one Qt would abort.
    """
    platform = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if not sys.platform.startswith("linux") or platform not in ("", "xcb", "wayland"):
        return None
    x_display = environment.get("DISPLAY", "")
    wayland = environment.get("WAYLAND_DISPLAY", "")
    if platform != "xcb" and wayland and _answers(_wayland_socket(wayland, environment)):
        return None
    if platform != "wayland" and x_display and _x_answers(x_display):
        return None
    return _no_display(x_display, wayland)


def _no_display(x_display: str, wayland: str) -> str:
    way_out = "Start it inside a desktop session, or try: loomapp demo"
    if not x_display and not wayland:
        return f"No display: neither DISPLAY nor WAYLAND_DISPLAY is set. {way_out}"
    named = " and ".join(
        f"{name}={value}" for name, value in (("DISPLAY", x_display), ("WAYLAND_DISPLAY", wayland)) if value
    )
    return f"No display: nothing answers at {named}. {way_out}"


def _missing(wanted: Mapping[str, str], load: Callable[[str], object]) -> list[str]:
    if not sys.platform.startswith("linux"):
        return []
    return sorted({package for library, package in wanted.items() if not _loads(library, load)})


def _loads(library: str, load: Callable[[str], object]) -> bool:
    try:
        load(library)
    except OSError:
        return False
    return True


def _wayland_socket(name: str, environment: Mapping[str, str]) -> str:
    """Return the socket's path: WAYLAND_DISPLAY is a path, or a name inside XDG_RUNTIME_DIR."""
    return str(Path(environment.get("XDG_RUNTIME_DIR", "")) / name)


def _x_answers(display: str) -> bool:
    """True if an X server listens at `[host]:number[.screen]`."""
    host, colon, rest = display.rpartition(":")
    number = rest.partition(".")[0]
    if not colon or not number.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where every X server has its socket
        return _answers(path) or _answers("\0" + path)
    return _tcp_answers(host, X_PORT + int(number))


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_TIMEOUT_S)
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


def _tcp_answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), PROBE_TIMEOUT_S).close()
    except OSError:
        return False
    return True
