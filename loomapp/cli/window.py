"""The window: looks at the file and at the screen before Qt is loaded, which would abort."""

from __future__ import annotations

from loomapp import __version__
from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import LibraryMissing, NoDisplay, UsageError
from loomapp.cli.groves import grove_path, is_not_begun
from loomapp.cli.sample import add_sample
from loomapp.places import remember_grove
from loomapp.preflight import display_problem, install_line, missing_libraries
from loomapp.store.grove import create_grove
from loomapp.store.opening import look


def add_arguments(parser: Parser) -> None:
    """What `loomapp` without a command takes."""
    parser.add_argument("file", nargs="?", metavar="GROVE", help="the grove to open")
    parser.add_argument("--tree", metavar="ID", help="the tree to show")
    parser.add_argument("--version", action="version", version=f"loomapp {__version__}")


def run(arguments: Namespace) -> int:
    """Opens the window and stays until it is closed. Raises: GroveError, LibraryMissing, NoDisplay."""
    if arguments.file is not None and arguments.grove is not None:
        raise UsageError("name the grove once: GROVE or --grove GROVE")
    arguments.grove = arguments.file if arguments.file is not None else arguments.grove
    path = grove_path(arguments)
    if path.exists():
        look(path)
    elif arguments.file is not None and path.suffix != ".loom":
        raise UsageError(f"{arguments.file} is neither a command nor a grove (see loomapp --help)")
    if missing := missing_libraries():
        raise LibraryMissing(install_line(missing))
    if problem := display_problem():
        raise NoDisplay(problem)
    if is_not_begun(arguments):
        with create_grove(path) as grove:
            add_sample(grove)
    remember_grove(path)
    from loomapp import app

    return app.run(path, arguments.tree)


COMMANDS = {"": (add_arguments, run)}
