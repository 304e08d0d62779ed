"""`loomapp backup`: a proved copy of the grove, among its backups or wherever it is wanted."""

from __future__ import annotations

from pathlib import Path

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE
from loomapp.cli.groves import grove_path, tell_of_drafts
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.times import iso_time
from loomapp.store.backups.backup import back_up
from loomapp.store.backups.retention import Backup
from loomapp.store.files.drafts import drafts_folder
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


COMMANDS = {"backup": (add_arguments, run)}
