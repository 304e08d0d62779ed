"""packaging/start.sh: what it installs, when it does not, and what it says when it cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.house.checkout import Checkout
from tests.kit.desktop import Desktop

VERSION = ".".join(map(str, sys.version_info[:2]))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_first_run_installs_and_the_second_only_starts(checkout: Checkout) -> None:
    first = checkout.start("run", "--tree", "x y")
    calls = checkout.called()

    assert first.returncode == 0, first.stderr
    assert calls[0] == f"made .venv-{VERSION}"
    assert calls[1].endswith(" --constraint ROOT/packaging/constraints.txt uv")
    assert calls[2].startswith(f"python -m uv pip install --quiet --python ROOT/.venv-{VERSION}/bin/python ")
    assert calls[2].endswith("--constraint ROOT/packaging/constraints.txt --editable ROOT[local]")
    assert calls[3:] == ["loomapp demo --tree x y"]

    checkout.start("run")

    assert checkout.called() == ["loomapp demo"]


def test_the_tests_need_more_than_the_first_run_installed(checkout: Checkout) -> None:
    checkout.start("run")
    checkout.called()

    checkout.start("test", "-k", "one or two")

    _, install, tests = checkout.called()
    assert install.endswith("--editable ROOT[local,test]")
    assert tests.startswith("python -m pytest --numprocesses=")
    assert tests.endswith(" -k one or two")
    checkout.start("test")
    checkout.start("run")
    assert checkout.installs() == 0


def test_what_the_tests_need_is_enough_for_a_run(checkout: Checkout) -> None:
    checkout.start("setup")
    checkout.called()

    checkout.start("run")

    assert checkout.called() == ["loomapp demo"]


def test_setup_starts_nothing_and_names_the_python_to_use(checkout: Checkout) -> None:
    said = checkout.start("setup").stdout

    assert said == f"{checkout.folder}/.venv-{VERSION}/bin/python\n"
    assert len(checkout.called()) == 3


@pytest.mark.parametrize("name", ["pyproject.toml", "packaging/constraints.txt"])
def test_other_requirements_are_installed_again(checkout: Checkout, name: str) -> None:
    checkout.start("run")
    checkout.called()

    with (checkout.folder / name).open("a") as file:
        file.write("# one more line\n")
    checkout.start("run")

    assert checkout.installs() == 1


def test_a_moved_folder_gets_a_new_environment(checkout: Checkout) -> None:
    checkout.start("run")
    checkout.called()

    checkout.folder = checkout.folder.rename(checkout.folder.with_name("elsewhere"))
    checkout.start("run")

    assert checkout.called()[0] == f"made .venv-{VERSION}"


def test_each_python_version_has_an_environment_of_its_own(checkout: Checkout) -> None:
    checkout.start("run")
    checkout.start("run", SAYS_VERSION="3.99.1")
    checkout.called()

    checkout.start("run")
    checkout.start("run", SAYS_VERSION="3.99.1")
    assert checkout.installs() == 0

    checkout.start("run", SAYS_VERSION="3.99.2")
    assert checkout.called()[0] == "made .venv-3.99"


def test_an_install_that_failed_is_tried_again(checkout: Checkout) -> None:
    failed = checkout.start("run", PIP_FAILS="yes")
    assert failed.returncode != 0
    assert "loomapp demo" not in checkout.called()

    again = checkout.start("run")

    assert again.returncode == 0
    assert checkout.installs() == 1


def test_where_uv_installs_nothing_pip_does(checkout: Checkout) -> None:
    ended = checkout.start("run", UV_FAILS="yes")

    assert ended.returncode == 0, ended.stderr
    assert "so pip does" in ended.stderr
    *_, by_pip, ran = checkout.called()
    assert by_pip.startswith("python -m pip install --quiet ")
    assert by_pip.endswith("--constraint ROOT/packaging/constraints.txt --editable ROOT[local]")
    assert ran == "loomapp demo"


def test_with_a_screen_the_window_is_opened(checkout: Checkout, desktop: Desktop) -> None:
    checkout.start("run", DISPLAY=desktop.display)

    assert checkout.called()[-1] == "loomapp "


def test_a_screen_that_does_not_answer_is_no_screen(checkout: Checkout) -> None:
    checkout.start("run", DISPLAY=":5999")

    assert checkout.called()[-1] == "loomapp demo"


def test_the_model_is_fetched_once(checkout: Checkout) -> None:
    (checkout.models / "small.gguf").unlink()
    checkout.start("run")
    assert "loomapp model fetch" in checkout.called()

    (checkout.models / "small.gguf").write_bytes(b"a model")
    checkout.start("run")
    assert checkout.called() == ["loomapp demo"]


def test_without_root_one_line_names_what_to_install(checkout: Checkout) -> None:
    checkout.without_library("libegl1")
    checkout.without_library("libgomp1")
    checkout.add_tool("id", "#!/bin/sh\necho 1000\n")
    checkout.add_tool("apt-get")

    ended = checkout.start("run")

    assert ended.returncode == 3
    assert ended.stdout == ""
    assert ended.stderr.endswith("sudo apt-get install --yes --no-install-recommends libegl1 libgomp1\n")
    assert ended.stderr.count("\n") == 1
    assert checkout.called() == []


def test_root_gets_missing_packages_installed(checkout: Checkout) -> None:
    checkout.without_library("libegl1")
    preflight = checkout.folder / "loomapp/preflight.py"
    checkout.add_tool("id", "#!/bin/sh\necho 0\n")
    bring = f'[ "$1" = update ] || sed -i "s/libEGL.so.1.none/libEGL.so.1/" "{preflight}"\n'
    checkout.add_tool("apt-get", '#!/bin/sh\necho "apt-get $* ($DEBIAN_FRONTEND)" >>"$LOG"\n' + bring)

    ended = checkout.start("run")

    assert ended.returncode == 0, ended.stderr
    assert checkout.called()[:2] == [
        "apt-get update (noninteractive)",
        "apt-get install --yes --no-install-recommends libegl1 (noninteractive)",
    ]


def test_an_old_python_is_refused_in_one_line(checkout: Checkout) -> None:
    checkout.add_tool("python", "#!/bin/sh\nexit 1\n")

    ended = checkout.start("run")

    assert ended.returncode == 3
    assert ended.stderr == f"PYTHON={checkout.tools}/python is not a Python 3.11 or later.\n"


@pytest.mark.parametrize("arguments", [[], ["fly"]])
def test_anything_else_is_wrong_usage(checkout: Checkout, arguments: list[str]) -> None:
    ended = checkout.start(*arguments)

    assert ended.returncode == 2
    assert ended.stderr.startswith("Usage: ")
