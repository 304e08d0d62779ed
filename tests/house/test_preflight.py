"""The look at the system before Qt is loaded."""

from __future__ import annotations

import ctypes
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from loomapp import preflight
from tests.kit.desktop import Desktop, running_desktop


def loader_without(*absent: str) -> object:
    """The system's own loader, on a machine where some libraries are not installed."""

    def load(name: str) -> object:
        return ctypes.CDLL("libabsent-from-every-machine.so.9" if name in absent else name)

    return load


def test_nothing_is_missing_where_the_tests_run() -> None:
    assert preflight.missing_libraries() == []


def test_every_missing_library_is_named_by_its_package_in_one_apt_get_line() -> None:
    load = loader_without("libxcb-cursor.so.0", "libEGL.so.1")

    missing = preflight.missing_libraries(load)  # type: ignore[arg-type]
    line = preflight.install_line(missing)

    assert missing == ["libegl1", "libxcb-cursor0"]
    assert line.endswith("apt-get install --no-install-recommends libegl1 libxcb-cursor0")
    assert "\n" not in line


def test_a_damaged_library_counts_as_missing(tmp_path: Path) -> None:
    broken = tmp_path / "libGL.so.1"
    broken.write_bytes(b"not a library")

    missing = preflight.missing_libraries(
        lambda name: ctypes.CDLL(str(broken) if name == "libGL.so.1" else name)
    )

    assert missing == ["libgl1"]


def test_the_list_covers_what_qt_links_to() -> None:
    """Everything that Qt's window plugin needs and does not bring along is in the preflight's list."""
    import PySide6

    qt = Path(PySide6.__file__).parent / "Qt"
    parts = [qt / "plugins/platforms/libqxcb.so", qt / "lib/libQt6XcbQpa.so.6", qt / "lib/libQt6Gui.so.6"]
    listing = subprocess.run(["ldd", *map(str, parts)], capture_output=True, text=True, check=True).stdout
    direct = {
        name
        for name in (line.split()[0] for line in listing.splitlines() if "=>" in line)
        if name.startswith(
            ("libxcb-", "libxkb", "libX11-xcb", "libEGL", "libGL.", "libfontconfig", "libglib")
        )
    }

    brought_by_others = {"libxcb-image.so.0", "libxcb-render-util.so.0", "libxcb-util.so.1"}  # libxcb-cursor0
    brought_by_others |= {"libxcb-render.so.0", "libxcb-shm.so.0", "libxcb-sync.so.1", "libxcb-xfixes.so.0"}
    brought_by_others |= {"libxcb-randr.so.0"}  # libgl1
    assert direct - brought_by_others <= set(preflight.CORE_LIBRARIES | preflight.WINDOW_LIBRARIES)


def test_a_screen_that_answers_is_no_problem(desktop: Desktop) -> None:
    assert preflight.display_problem({"DISPLAY": desktop.display}) is None
    assert preflight.display_problem({"DISPLAY": f"{desktop.display}.0"}) is None
    assert preflight.display_problem({"DISPLAY": f"unix{desktop.display}"}) is None


def test_no_display_at_all_is_said_with_a_way_out() -> None:
    problem = preflight.display_problem({})

    assert problem is not None
    assert "neither DISPLAY nor WAYLAND_DISPLAY" in problem
    assert "loomapp demo" in problem


def test_a_display_that_died_is_noticed() -> None:
    with running_desktop(640, 480) as screen:
        assert preflight.display_problem({"DISPLAY": screen.display}) is None

    problem = preflight.display_problem({"DISPLAY": screen.display})

    assert problem is not None
    assert f"nothing answers at DISPLAY={screen.display}" in problem


@pytest.mark.parametrize("display", ["nonsense", ":", ":x", "127.0.0.1:59000", ":0:"])
def test_a_display_that_cannot_be_is_a_problem(display: str) -> None:
    assert preflight.display_problem({"DISPLAY": display}) is not None


def test_a_wayland_socket_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    path = tmp_path / "wayland-7"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        assert preflight.display_problem({"WAYLAND_DISPLAY": str(path)}) is None
        by_name = {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}
        assert preflight.display_problem(by_name) is None
        assert preflight.display_problem(by_name | {"QT_QPA_PLATFORM": "xcb"}) is not None


def test_an_offscreen_platform_needs_no_display() -> None:
    assert preflight.display_problem({"QT_QPA_PLATFORM": "offscreen"}) is None
    assert preflight.display_problem({"QT_QPA_PLATFORM": "offscreen:size=800x600"}) is None


def test_the_preflight_loads_no_qt() -> None:
    code = "import sys, loomapp.preflight; print(sorted(m for m in sys.modules if m.startswith('PySide6')))"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
