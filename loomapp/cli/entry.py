"""The way in: finds the command, runs it, and turns every error into one line and an exit status."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from loomapp.cli.arguments import (
    DONE,
    FAILED,
    INTERRUPTED,
    Namespace,
    OutOfMemory,
    Parser,
    UsageError,
    exit_status,
    interrupted_by_signals,
    parser_for,
)
from loomapp.cli.output import forget_stdout, prepare_streams, tell, tell_error
from loomapp.core.errors import LoomError


class Command(NamedTuple):
    """A command of the command line; its module is imported only when it is called."""

    module: str
    summary: str


COMMANDS: dict[str, Command] = {
    "assemble": Command("assemble", "print what a model would be sent to continue a node, as JSON"),
    "context": Command("context", "print what a model would be sent, to read"),
    "stats": Command("show", "print what the branch summaries of a tree saved"),
    "summarise": Command("summarise", "ask a model for a summary of a conversation up to a node"),
    "generate": Command("generate", "ask a model to continue a node, and save its answers"),
    "trees": Command("show", "list the trees of a grove"),
    "show": Command("show", "show a node"),
    "search": Command("show", "find nodes by their words, and trees by their titles"),
    "tree new": Command("edit", "make a tree"),
    "node add": Command("edit", "add a node to a tree"),
    "import": Command("import_trees", "bring trees from files into a grove"),
    "export": Command("export", "print a tree in the format of a file"),
    "verify": Command("verify", "tell what was changed by hand: by every hash and every raw response"),
    "check": Command("verify", "look for damage; --repair saves what can be read in a new file"),
    "backup": Command("backup", "copy the grove, also while it is open, and check the copy"),
    "mirror": Command("backup", "write every tree as Markdown and Loom JSON into a folder"),
    "model list": Command("model", "list the local models"),
    "model fetch": Command("model", "fetch the small local model"),
    "model add": Command("model", "use a model file of your own"),
    "model remove": Command("model", "remove a local model"),
    "mcp": Command("mcp", "serve a grove to other agents (MCP) on standard input and output"),
    "demo": Command("demo", "ask for three answers without a screen, and save a picture of them"),
    "keys": Command("keys", "list every action of the window with its keys"),
    "doctor": Command("doctor", "print what a bug report needs"),
}
WINDOW = Command("window", "open the window on a grove")
OUT_OF_MEMORY = "There is not enough memory for this. Close other programs, or take a smaller file."


def run(arguments: list[str]) -> int:
    """Runs one command line; the exit status. Nothing but bugs of ours is logged, and nothing is raised."""
    if arguments[:1] == ["--engine"]:
        return _engine()
    prepare_streams()
    as_json = "--json" in arguments or arguments[:1] == ["assemble"]
    status = _run(arguments, as_json=as_json)
    if status is None:  # told only here, where all that filled the memory is gone
        tell_error(OutOfMemory(OUT_OF_MEMORY), as_json=as_json)
    return FAILED if status is None else status


def _run(arguments: list[str], *, as_json: bool) -> int | None:
    """Run a command line and return its exit status; None if there was not enough memory."""
    try:
        with interrupted_by_signals():
            status = _dispatch(arguments)
            sys.stdout.flush()
    except LoomError as error:
        tell_error(error, as_json=as_json)
        return exit_status(error)
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_stdout()
        return DONE
    except MemoryError:
        return None
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return None
        tell(_reported(error))
        return FAILED
    return status


def _dispatch(arguments: list[str]) -> int:
    name, command, rest = _command(arguments)
    if command is None:
        return _help_or_unknown(name, rest)
    gc.disable()  # what is imported is no garbage, and to look through it takes its time
    module = importlib.import_module(f"loomapp.cli.commands.{command.module}")
    gc.freeze()
    gc.enable()
    described: dict[str, tuple[Callable[[Parser], None], Callable[[Namespace], int]]] = module.COMMANDS
    add_arguments, run_command = described[name]
    parser = parser_for(name, command.summary)
    if command is WINDOW:
        parser.epilog = _table()
    add_arguments(parser)
    try:
        parsed = parser.parse_args(rest)
    except SystemExit as finished:  # after --help or --version
        return int(finished.code or 0)
    try:
        return run_command(parsed)
    except Exception as error:
        from loomapp.cli.groves import damage_of_named  # late: hardly ever is anything wrong

        if (damage := damage_of_named(parsed, error)) is not None:
            raise damage from error
        raise


def _command(arguments: list[str]) -> tuple[str, Command | None, list[str]]:
    """The command's name, the command, and its arguments. Options that all take may stand before the name."""
    at = 0
    while at < len(arguments) and arguments[at] in ("--grove", "--json"):
        at += 2 if arguments[at] == "--grove" else 1
    before, words = arguments[:at], arguments[at:]
    for length in (2, 1):
        name = " ".join(words[:length])
        if len(words) >= length and name in COMMANDS:
            return name, COMMANDS[name], before + words[length:]
    if words and any(name.startswith(f"{words[0]} ") for name in COMMANDS):
        return words[0], None, words[1:]
    return "", WINDOW, arguments


WORDS = "A grove is a file of trees; a node is one message or passage of a tree, named by its id or local id."


def _table() -> str:
    """Return every command with what it does, for `loomapp --help`."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    return "\n".join([WORDS, "", "commands (each has its own --help):", *lines])


def _help_or_unknown(group: str, rest: list[str]) -> int:
    inner = [name.partition(" ")[2] for name in COMMANDS if name.startswith(f"{group} ")]
    asked = f"unknown argument {rest[0]!r}" if rest else "an argument is missing"
    raise UsageError(f"loomapp {group}: {asked}; it takes one of: {', '.join(inner)}")


def _engine() -> int:
    from loomapp.providers.engine.child import engine_main

    return engine_main()


def _reported(error: Exception) -> str:
    """Saves where it happened beside the logs, without what anybody wrote; the line that says so."""
    from loomapp.logs import redacted, told
    from loomapp.places import state_folder

    log = state_folder() / "command-line.log"
    try:
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(opened, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(redacted("\n".join(told(error))) + "\n")
    except OSError:
        log = Path("nowhere: its folder cannot be written")
    return f"a fault in Loomapp itself: {type(error).__name__}: {error} (the details are in {log})"
