"""`loomapp backup` and `loomapp mirror`: a proved copy of the grove, and its trees as files in a folder."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from loomapp.cli.arguments import DONE, Namespace, Parser, UsageError, seconds
from loomapp.cli.groves import grove_path, tell_of_drafts
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.times import iso_time
from loomapp.store.backups.backup import Backup, back_up
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.files.settings_file import read_settings
from loomapp.store.grove.open import read_grove
from loomapp.store.identity import now


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "to", nargs="?", metavar="TO", help="a new file or a folder (default: beside the grove)"
    )


def run(arguments: Namespace) -> int:
    """Copies the grove and prints where to. Raises: GroveError exists if TO is a file that is there."""
    path = grove_path(arguments)
    made = back_up(path, _target(path, arguments.to), reason="asked")
    if arguments.json:
        say_json(
            {
                "backup": str(made.path),
                "madeAt": iso_time(made.made_at),
                "size": made.size,
                "damagedNodes": made.damaged,
            }
        )
    else:
        say(one_line(str(made.path)))
    _warn(made)
    if drafts_folder(path).exists():
        with read_grove(path) as grove:
            tell_of_drafts(grove)
    return DONE


def _target(path: Path, named: str | None) -> Path | None:
    if named is None:
        return None
    to = Path(named)
    if not to.is_dir():
        return to
    moment = iso_time(now()).replace(":", "").replace(".", "")
    return to / f"{path.stem}-{moment}{path.suffix}"


def _warn(made: Backup) -> None:
    if made.damaged:
        found = "1 node is not as its hash says"
        if made.damaged > 1:
            found = f"{made.damaged} nodes are not as their hashes say"
        tell(f"{found}, in the grove and so in its copy: `loomapp check` names what fails")


def add_mirror_arguments(parser: Parser) -> None:
    parser.add_argument(
        "to", nargs="?", metavar="FOLDER", help="(default: the mirror folder of the settings)"
    )
    parser.add_argument(
        "--after", type=seconds, default=0.0, help=argparse.SUPPRESS
    )  # seconds, for the window


def run_mirror(arguments: Namespace) -> int:
    """Writes what changed and prints how many trees that were. Raises: UsageError if no folder is named."""
    from loomapp.mirror_folder import folder_of, update  # with the exporters, which a backup does without

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


COMMANDS = {"backup": (add_arguments, run), "mirror": (add_mirror_arguments, run_mirror)}
