"""The window: looks at the file and at the screen before Qt is loaded, which would abort."""

from __future__ import annotations

import gc
import os
from functools import partial
from pathlib import Path

from loomapp import __version__
from loomapp.cli.arguments import LibraryMissing, Namespace, NoDisplay, Parser, UsageError
from loomapp.cli.groves import grove_path, is_not_begun
from loomapp.cli.output import tell_error
from loomapp.core.errors import GroveError, LoomError
from loomapp.core.sentences import worded
from loomapp.preflight import display_problem, install_line, missing_libraries
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove
from loomapp.store.opening.look import look


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="GROVE", help="the grove to open")
    parser.add_argument("--tree", metavar="ID", help="the tree to show")
    parser.add_argument("--version", action="version", version=f"loomapp {__version__}")


def run(arguments: Namespace) -> int:
    """Opens the window and stays until the last one is closed. Raises: LibraryMissing, NoDisplay.

    A file that is no grove that can be opened gets its line on stderr, and a window with what can be done;
    without a screen for that it raises GroveError.
    """
    if arguments.file is not None and arguments.grove is not None:
        raise UsageError("name the grove once: GROVE or --grove GROVE")
    arguments.grove = arguments.file if arguments.file is not None else arguments.grove
    path = grove_path(arguments)
    trouble = _trouble(path)
    if trouble is not None and path.suffix != ".loom":
        if trouble.code == "missing" and arguments.file is not None:
            raise UsageError(f"{arguments.file} is neither a command nor a grove (see loomapp --help)")
        if trouble.code != "missing":
            raise trouble
    is_bad = trouble is not None and trouble.code != "missing"
    if arguments.grove is not None and not is_bad:
        _refuse_no_folder(path)
    if missing := missing_libraries():
        raise trouble if trouble is not None and is_bad else LibraryMissing(install_line(missing))
    if problem := display_problem():
        raise trouble if trouble is not None and is_bad else NoDisplay(problem)
    gc.disable()  # starting leaves no garbage, and looking takes a tenth of its time; `app` goes on so
    _load_what_needs_no_qt()
    from loomapp import app

    make = _begun if is_not_begun(arguments) else create_grove
    told = partial(tell_error, as_json=arguments.json)
    return app.run(path, arguments.tree, make=make, told=told)


def _load_what_needs_no_qt() -> None:
    """Load a good part of what the window needs before Qt is there: from then on PySide reads the source of
    each module that is imported, which takes as long as importing it.
    """
    _load_numpy()
    import loomapp.core.layout.card_table_build
    import loomapp.core.sent.replay
    import loomapp.providers.registry
    import loomapp.providers.run.summary  # noqa: F401 - loaded, not used


def _load_numpy() -> None:
    """Load numpy without the threads of its linear algebra, of which nothing here makes use."""
    name = "OPENBLAS_NUM_THREADS"
    is_chosen = name in os.environ
    os.environ.setdefault(name, "1")
    import numpy  # noqa: F401 - loaded, not used

    if not is_chosen:
        del os.environ[name]  # it is not for the programs that are started


def _trouble(path: Path) -> GroveError | None:
    """Return why the grove in a file cannot be opened as it is, as far as a look at it says."""
    try:
        look(path)
    except GroveError as error:
        return error
    return None


def _refuse_no_folder(path: Path) -> None:
    """Refuse a named grove whose folder is not there: it is mistyped, and nobody would look for it later.

    Raises: GroveError missing.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        words = "There is no folder {folder} for {name}; look at the path, or make the folder first."
        raise GroveError("missing", worded(words, folder=folder, name=path.name), path=str(path))


def _begun(path: Path) -> Grove:
    """The first grove of a user, with the sample in it."""
    from loomapp.cli.groves import add_sample  # late: only the very first start reads a file format

    grove = create_grove(path)
    try:
        add_sample(grove)
    except LoomError:
        grove.close()
        raise
    return grove


COMMANDS = {"": (add_arguments, run)}
