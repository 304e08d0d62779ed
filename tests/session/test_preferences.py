"""Settings while the program runs: written at once, and heard of when somebody edits the file."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from loomapp.core.settings.setting import Settings
from loomapp.session.workspace import Preferences


def followed(path: Path) -> tuple[Preferences, list[Settings]]:
    preferences = Preferences(path=path)
    heard: list[Settings] = []
    preferences.changed.connect(heard.append)
    return preferences, heard


def test_what_is_put_counts_at_once_and_stands_in_the_file(tmp_path: Path, qtbot: QtBot) -> None:
    preferences, heard = followed(tmp_path / "a" / "settings.toml")

    preferences.put("theme", "dark")
    preferences.put_keys("bookmark", ("F4",))

    assert [s.theme for s in heard] == ["dark", "dark"]
    assert Preferences(path=preferences.path).settings == preferences.settings == heard[-1]


def test_an_edit_by_hand_is_heard_also_when_the_file_is_replaced(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "settings.toml"
    preferences, heard = followed(path)

    path.write_text('[appearance]\ntheme = "dark"\n')
    qtbot.waitUntil(lambda: [s.theme for s in heard] == ["dark"])
    for theme in ("light", "system"):  # as editors save: beside it, then over it
        (tmp_path / "new").write_text(f'[appearance]\ntheme = "{theme}"\n')
        (tmp_path / "new").replace(path)
        qtbot.waitUntil(lambda theme=theme: preferences.settings.theme == theme)  # type: ignore[misc]


def test_half_a_file_changes_nothing_until_it_is_whole(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "settings.toml"
    preferences, _ = followed(path)
    preferences.put("theme", "dark")

    with qtbot.waitSignal(preferences.problems_found) as found:
        path.write_text("[appearance\n")
    assert "line 1" in found.args[0][0]
    assert preferences.settings.theme == "dark"

    with qtbot.waitSignal(preferences.problems_found) as found:
        path.write_text('[appearance]\ntheme = "light"\n')
    assert found.args == [()]
    assert preferences.settings.theme == "light"


def test_keys_that_cannot_be_had_are_named_among_the_rest_in_the_order_of_the_lines(
    tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[keys.actions]\ngenerate = "Ctrl+D"\n[appearance]\nscale = 1000\n')
    preferences = Preferences(path=path)

    preferences.note_key_problems({"generate": "is taken"})

    first, second = preferences.every_problem
    assert "line 2" in first
    assert "line 4" in second


def test_what_cannot_be_read_says_which_settings_count_meanwhile(tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "settings.toml"
    path.mkdir()
    preferences, _ = followed(path)
    assert "usual settings are used" in preferences.every_problem[0]
    path.rmdir()
    qtbot.waitUntil(lambda: not preferences.every_problem)
    preferences.put("theme", "dark")

    path.unlink()
    path.mkdir()
    preferences.read_again()

    assert "the settings in use stay" in preferences.every_problem[0]
    assert preferences.settings.theme == "dark"
