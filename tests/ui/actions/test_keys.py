"""Keys: presets that can be had, what is refused and why, what is taken, and keys of macOS."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.action_table import REPEATED_BY_HELD_KEY
from loomapp.core.settings.registry import SETTINGS
from loomapp.core.settings.setting import Choice
from loomapp.ui.actions.action_set import ActionSet
from loomapp.ui.actions.registry import bindings
from loomapp.ui.keys import (
    IN_GRAPH,
    PRESETS,
    effective,
    left_out,
    on_this_system,
    owner_of,
    preset_keys,
    refusal,
    usable,
)
from loomapp.ui.settings.key_rows import preset_words
from loomapp.ui.workbench import Command, Workbench

BINDINGS = bindings()


def test_presets_name_actions_that_are_there() -> None:
    named = {name for preset in PRESETS.values() for name in preset}

    (choice,) = (one.kind for one in SETTINGS if one.section == "keys" and isinstance(one.kind, Choice))
    assert [name for name, _ in choice.options] == list(PRESETS)
    assert named <= {binding.name for binding in BINDINGS}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_key_of_another_program_is_had_or_its_absence_is_explained(preset: str) -> None:
    note = preset_words(BINDINGS, preset)
    missing = {(binding.name, key): why for binding, key, why in left_out(BINDINGS, preset)}

    for binding in BINDINGS:
        for key in PRESETS[preset].get(binding.name, ()):
            assert (key in preset_keys(binding, preset)) != ((binding.name, key) in missing)
            assert key in note or key in binding.usual
    assert all(why in note for why in missing.values())
    assert bool(note) == (preset != "loomapp")


def test_presets_keep_the_usual_keys_behind_those_of_the_other_program() -> None:
    keys = effective(BINDINGS, "tapestry", {})

    assert keys["generate"] == ("Ctrl+Space", "Ctrl+Enter", "Ctrl+Return")
    assert keys["goParent"] == ("Alt+Left",), "Ctrl and an arrow move by words in texts"


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_have_no_key_twice_and_none_that_is_refused(preset: str) -> None:
    keys = effective(BINDINGS, preset, {})
    places = {b.name: b.place for b in BINDINGS}

    for name, own in keys.items():
        for key in own:
            assert owner_of(key, keys, besides=name) is None, key
            assert refusal(key, places[name], own) is None, key


@pytest.mark.parametrize(
    "key",
    [
        "Ctrl+Alt+K",
        "Ctrl+Alt+7",
        "Ctrl+E",
        "Ctrl+U",
        "Ctrl+B",
        "Ctrl+I",
        "Alt+F",
        "Ctrl+Left",
        "Ctrl+Shift+Up",
    ],
)
def test_keys_that_others_need_are_refused_with_the_reason(key: str) -> None:
    assert refusal(key, "anywhere")
    assert refusal(key, "graph")


def test_bare_keys_belong_to_the_graph() -> None:
    assert refusal("B", "anywhere")
    assert refusal("Return", "anywhere")
    assert refusal("B", "graph") is None
    assert refusal("F7", "anywhere") is None
    assert refusal("Ctrl+Shift+E", "anywhere") is None


def test_ctrl_space_can_only_be_a_second_key() -> None:
    assert refusal("Ctrl+Space", "anywhere", ())
    assert refusal("Ctrl+Space", "anywhere", ("Ctrl+Return",)) is None


def test_a_sequence_or_nonsense_is_no_key() -> None:
    assert refusal("Ctrl+K, Ctrl+S", "anywhere")
    assert refusal("Hullabaloo+9", "anywhere")


def test_a_taken_key_names_who_has_it() -> None:
    keys = effective(BINDINGS, "loomapp", {"quit": ("F4",)})

    assert owner_of("Ctrl+D", keys, besides="quit") == "bookmark"
    assert owner_of("x", keys, besides="quit") == "exclude" + IN_GRAPH
    assert owner_of("Ctrl+Q", keys, besides="undo") is None  # given up by its owner
    assert owner_of("F4", keys, besides="quit") is None


def test_presets_of_others_come_under_ones_own_keys() -> None:
    keys = effective(BINDINGS, "tapestry", {"bookmark": ("F4",)})

    assert "Ctrl+Space" in keys["generate"]
    assert keys["bookmark"] == ("F4",)


def test_on_macos_alt_gives_way() -> None:
    assert on_this_system("Alt+Left", "darwin") == "Ctrl+Alt+Left"
    assert on_this_system("Alt+Shift+Left", "darwin") == "Ctrl+["
    assert on_this_system("Alt+Left", "linux") == "Alt+Left"
    mac = [on_this_system(key, "darwin") for b in BINDINGS for key in b.usual]
    assert len(mac) == len(set(mac))


@pytest.mark.parametrize("key", ["Left", "Shift+Down", "Return", "Enter", "Space"])
def test_what_the_graph_walks_with_is_a_key_like_any(key: str) -> None:
    keys = effective(BINDINGS, "loomapp", {})
    owner = owner_of(key, keys, besides="quit")

    assert owner is not None
    assert owner.endswith(IN_GRAPH)
    assert refusal(key, "graph") is None
    assert owner_of(key, effective(BINDINGS, "loomapp", {owner: ("F7",)}), besides="quit") is None


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_keys_that_move_the_focus_are_refused_in_the_graph(key: str) -> None:
    assert refusal(key, "graph")


@pytest.mark.parametrize("key", ["Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+A"])
def test_keys_that_edit_texts_are_refused(key: str) -> None:
    assert refusal(key, "anywhere")
    assert refusal(key, "graph")


def test_of_keys_written_by_hand_those_that_cannot_be_had_are_named_and_not_used() -> None:
    own = {
        "generate": ("Ctrl+D",),
        "bookmark": ("Ctrl+D",),
        "prune": ("Ctrl+Alt+A",),
        "edit": ("Q",),
        "nonsense": ("F7",),
        "quit": ("F4",),
    }

    kept, faults = usable(BINDINGS, "loomapp", own)

    assert kept == {"bookmark": ("Ctrl+D",), "quit": ("F4",)}
    assert faults.keys() == {"generate", "prune", "edit", "nonsense"}
    assert "Ctrl+D" in faults["generate"]
    assert "the key of “Bookmark”" in faults["generate"], "as menus name it"
    assert "bookmark" not in faults["generate"]


def test_a_key_of_the_graph_is_told_with_where_it_is() -> None:
    _, faults = usable(BINDINGS, "loomapp", {"quit": ("F4",), "fold.graph": ("X",)})

    assert "the key of “Exclude from context (in the graph)”" in faults["fold.graph"]


def test_two_actions_may_swap_their_keys_by_hand() -> None:
    own = {"undo": ("Ctrl+D",), "bookmark": ("Ctrl+Z",)}

    assert usable(BINDINGS, "loomapp", own) == (own, {})


class Unpressed:
    """A window that no key is pressed in."""

    @property
    def bench(self) -> Workbench:
        raise AssertionError

    def run_command(self, command: Command) -> None:
        raise AssertionError

    def run_beside_text(self, command: Command) -> None:
        raise AssertionError


def test_a_key_held_down_goes_on_stepping_but_asks_and_takes_away_once(qtbot: QtBot) -> None:
    window, graph = QMainWindow(), QWidget()
    qtbot.addWidget(window)
    qtbot.addWidget(graph)
    actions = ActionSet(window, graph, Unpressed())

    repeated = {name for name, action in actions.by_name.items() if action.autoRepeat()}
    in_graph = {action.shortcut().toString(): action.autoRepeat() for action in graph.actions()}

    assert repeated == REPEATED_BY_HELD_KEY
    assert {"undo", "goParent", "walkDown"} <= repeated
    assert not {"generate", "generateSiblings", "fillIn", "newBuffer", "prune", "exclude"} & repeated
    assert {key: in_graph[key] for key in ("G", "Del", "Up")} == {"G": False, "Del": False, "Up": True}
