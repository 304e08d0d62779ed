"""`loomapp keys`: every action of the window, with its menu and keys, without Qt."""

from __future__ import annotations

from loomapp import places
from loomapp.core.action_table import ACTIONS_BY_MENU
from tests.kit.processes.command import loomapp


def test_every_action_has_a_line_with_its_menu_and_keys() -> None:
    text, value = loomapp("keys"), loomapp("keys", "--json")

    assert (text.status, value.status) == (0, 0)
    assert len(text.out.splitlines()) == sum(map(len, ACTIONS_BY_MENU.values())) == len(value.json["keys"])
    assert any(line.split() == ["Edit", "Undo", "Ctrl+Z"] for line in text.out.splitlines())
    assert {
        "menu": "Node",
        "action": "Bookmark",
        "name": "bookmark",
        "keys": ["Ctrl+D"],
        "keysInGraph": ["B"],
    } in value.json["keys"]


def test_whoever_has_keys_of_his_own_is_told_that_these_are_the_usual_ones() -> None:
    settings = places.config_folder() / "settings.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[keys.actions]\nundo = ["Ctrl+Shift+U"]\n', encoding="utf-8")

    told = loomapp("keys")

    assert told.status == 0
    assert "the usual keys" in told.err
