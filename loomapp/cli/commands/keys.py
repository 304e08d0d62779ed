"""`loomapp keys`: every action of the window with its menu and keys."""

from __future__ import annotations

from loomapp.cli.arguments import DONE, Namespace, Parser
from loomapp.cli.output import say, say_json, tell
from loomapp.core.action_table import ACTIONS_BY_MENU, ActionEntry
from loomapp.store.files.settings_file import read_settings

IN_GRAPH = " (in the graph)"


def add_arguments(_parser: Parser) -> None: ...


def run(arguments: Namespace) -> int:
    """Prints a line an action: menu, title, and the keys that it has unless the settings say otherwise."""
    rows = [(menu, entry) for menu, entries in ACTIONS_BY_MENU.items() for entry in entries]
    if arguments.json:
        say_json({"keys": [_to_json(menu, entry) for menu, entry in rows]})
    else:
        for menu, entry in rows:
            say(f"{menu:<8}  {entry.title:<34}  {_keys(entry)}".rstrip())
    settings = read_settings().settings
    if settings.keys or settings.key_preset != "loomapp":
        tell("these are the usual keys; the settings change some of them: the window's keys page shows yours")
    return DONE


def _keys(entry: ActionEntry) -> str:
    return ", ".join((*entry.keys, *(f"{key}{IN_GRAPH}" for key in entry.graph_keys)))


def _to_json(menu: str, entry: ActionEntry) -> dict[str, object]:
    return {
        "menu": menu,
        "action": entry.title,
        "name": entry.name,
        "keys": list(entry.keys),
        "keysInGraph": list(entry.graph_keys),
    }


COMMANDS = {"keys": (add_arguments, run)}
