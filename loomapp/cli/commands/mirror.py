"""`loomapp mirror`: every tree of a grove as Markdown and Loom JSON in a folder, brought up to date."""

from __future__ import annotations

import argparse
import time

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE, UsageError
from loomapp.cli.groves import grove_path
from loomapp.cli.output import say, say_json
from loomapp.mirror_folder import folder_of, update
from loomapp.store.files.settings_file import read_settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "to", nargs="?", metavar="FOLDER", help="(default: the mirror folder of the settings)"
    )
    parser.add_argument("--after", type=float, default=0, help=argparse.SUPPRESS)  # seconds, for the window


def run(arguments: Namespace) -> int:
    """Writes what changed and prints how many trees that were. Raises: UsageError if no folder is named."""
    named = read_settings().settings.mirror_folder if arguments.to is None else arguments.to
    if not named:
        raise UsageError("no folder is named; name one, or choose a mirror folder in Settings, Backups")
    time.sleep(arguments.after)  # the window that started it lets go of the grove meanwhile
    count = update(folder_of(named), grove_path(arguments))
    if arguments.json:
        say_json({"written": count})
    else:
        say("1 tree written" if count == 1 else f"{count} trees written")
    return DONE


COMMANDS = {"mirror": (add_arguments, run)}
