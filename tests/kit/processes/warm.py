"""Programs in processes of their own, without the second that an interpreter and its imports take.

A warm process of each kind has imported what its programs need, and forks for each call. What is asked runs
from its arguments to its exit status as a program that was started from nothing does, in a fresh copy that
ends with the call; it can be killed like any other.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO, NoReturn
from unittest.mock import patch

TIMEOUT_S = 240.0
LONGEST_MESSAGE = 1 << 17
LATE = {"window", "demo", "generate", "model", "doctor"}  # they bring Qt or an SDK, or look for them
UNFLUSHED = 120  # the interpreter's exit status where its last words were not taken
ASKS = "generate"  # the command that needs an SDK

Main = Callable[[list[str]], object]

_started: dict[str, Warm] = {}


class Warm:
    """The warm process of a kind and the line to it; it ends when this process does."""

    def __init__(self, kind: str) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.settimeout(TIMEOUT_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.kit.processes.warm", kind, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                cwd=Path(__file__).parents[3],
            )
        self.pid = self._process.pid

    def start(
        self, arguments: Sequence[str], out: int, err: int, *, told: int | None = None, **variables: str
    ) -> int:
        """Starts a program with this environment and folder; its pid, kept until it is waited for.

        `told` is what it reads as stdin; `variables` come on top of the environment.
        """
        message = json.dumps([list(arguments), {**os.environ, **variables}, str(Path.cwd())]).encode()
        socket.send_fds(self._line, [message], [out, err, *(() if told is None else (told,))])
        [pid] = self._answer()
        return pid

    def wait(self, pid: int) -> int:
        """The exit status of a program, minus a signal, once it has ended."""
        return self.wait_for_spent(pid)[0]

    def wait_for_spent(self, pid: int) -> tuple[int, int]:
        """The same, and the most memory that the program had, in the unit of `resource.getrusage`; what the
        warm process has counts as had.
        """
        self._line.send(json.dumps(pid).encode())
        status, most = self._answer()
        return status, most

    def end(self) -> None:
        """It has nothing that must be kept."""
        self._line.close()
        self._process.kill()
        self._process.wait()

    def _answer(self) -> list[int]:
        answer = self._line.recv(64)
        assert answer, "the warm process ended"
        return list(map(int, answer.split()))


class Started:
    """A program under way, as far as tests look at it."""

    def __init__(self, kind: str, arguments: Sequence[str], *, err: int = 2, **variables: str) -> None:
        self._warm = _warm(kind)
        (ours, out), (told, tell) = os.pipe(), os.pipe()
        try:
            self.pid = self._warm.start(arguments, out, err, told=told, **variables)
        finally:
            os.close(out)
            os.close(told)
        # Pipes; `program` closes them.
        self.stdout: TextIOWrapper = open(ours, encoding="utf-8")  # noqa: PTH123, SIM115
        self.stdin: TextIOWrapper = open(tell, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        self.status: int | None = None

    def say(self, line: str) -> None:
        """A line for its stdin."""
        self.stdin.write(f"{line}\n")
        self.stdin.flush()

    def kill(self) -> None:
        """Ends it at once and from outside; one that has ended stays as it is."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        """One that has ended and was waited for gets none."""
        if self.status is None:  # until it was waited for nobody else has its number
            os.kill(self.pid, number)

    def kill_after(self, seconds: float) -> None:
        """Lets it go on for a while first."""
        threading.Event().wait(seconds)
        self.kill()

    def wait(self) -> int:
        """Its exit status, minus a signal."""
        if self.status is None:
            self.status = self._warm.wait(self.pid)
        return self.status


def command(arguments: Sequence[str]) -> Warm:
    """The warm process that `loomapp` with these arguments is forked from."""
    return _warm("asking" if arguments[:1] == [ASKS] else "command")


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """`loomapp` with these arguments, nothing on stdin, its output read as UTF-8."""
    return run_and_spent(arguments)[0]


def run_and_spent(arguments: Sequence[str]) -> tuple[subprocess.CompletedProcess[str], int]:
    """The same, and the most memory that it had: see `Warm.wait_for_spent`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            warm = command(arguments)
            status, most = warm.wait_for_spent(warm.start(arguments, out.fileno(), err.fileno()))
        except BaseException:
            end()
            raise
        said = [_text(file) for file in (out, err)]
    return subprocess.CompletedProcess(["loomapp", *arguments], status, *said), most


@contextmanager
def program(kind: str, *arguments: str, err: int = 2, **variables: str) -> Iterator[Started]:
    """A program of a kind, which says something on stdout; killed with the block if it still runs."""
    started = Started(kind, arguments, err=err, **variables)
    try:
        yield started
    finally:
        with suppress(ProcessLookupError):
            started.kill()
        started.stdout.close()
        with suppress(BrokenPipeError):
            started.stdin.close()
        started.wait()


@contextmanager
def heard_program(kind: str, *arguments: str, **variables: str) -> Iterator[tuple[Started, TextIOWrapper]]:
    """The same, and a pipe of what it says on stderr."""
    ours, err = os.pipe()
    with open(ours, encoding="utf-8") as complaints, ExitStack() as ended:  # noqa: PTH123
        try:
            started = ended.enter_context(program(kind, *arguments, err=err, **variables))
        finally:
            os.close(err)
        yield started, complaints


def pids() -> list[int]:
    """The warm processes that there are: no test left them behind."""
    return [warm.pid for warm in _started.values()]


def end() -> None:
    """End the warm processes."""
    while _started:
        _started.popitem()[1].end()


def _warm(kind: str) -> Warm:
    if kind not in _started:
        _started[kind] = Warm(kind)
    return _started[kind]


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8")


# In the warm process


def _command() -> Main:
    from loomapp.__main__ import main
    from loomapp.cli.entry import COMMANDS
    from loomapp.store import schema
    from loomapp.store.opening import look

    for module in {command.module for command in COMMANDS.values()} - LATE:
        importlib.import_module(f"loomapp.cli.commands.{module}")
    look.statements_of(schema.VERSION)  # as costly as an import, and the same in every process
    _use_a_grove()
    return main


def _use_a_grove() -> None:
    """Make a grove, read and verify it: half of what a short command takes is done once then, the statements
    that SQLAlchemy compiles above all.
    """
    from loomapp.store.checks.grove_verification import verify_grove
    from loomapp.store.grove.open import open_grove
    from tests.kit.processes.outside import new_tree

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.loom")
        new_tree(path, text="One")
        with open_grove(path) as grove:
            verify_grove(grove)


def _asking() -> Main:
    import loomapp.cli.commands.generate
    import loomapp.providers

    for module in pkgutil.walk_packages(loomapp.providers.__path__, "loomapp.providers."):
        if module.name != "loomapp.providers.engine.child":
            importlib.import_module(module.name)
    main = _command()
    _ask_a_model(main)
    return main


def _ask_a_model(main: Main) -> None:
    """Have an answer from a server on loopback: half of what a short one takes is done once in a process,
    above all what an SDK makes of its types at its first call.
    """
    from tests.kit.processes.outside import new_tree
    from tests.kit.servers.fake_server import FakeServer, answers

    with (
        tempfile.TemporaryDirectory() as folder,
        FakeServer(answers("Two")) as server,
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()) as said,
        patch.dict(os.environ, XDG_STATE_HOME=folder),  # what is learned of a model is read once in a process
    ):
        path = Path(folder, "g.loom")
        tree_id, root_id = new_tree(path, text="One")
        at = ["--grove", str(path), "--tree", tree_id, "--at", root_id]
        status = main([ASKS, *at, "--endpoint", server.url])
    assert not status, said.getvalue()
    assert threading.active_count() == 1, "what forks has one thread"


def _mcp() -> Main:
    import loomapp.cli.commands.mcp
    import loomapp.mcp
    from loomapp.__main__ import main
    from tests.providers import outcome  # noqa: F401 - brings an SDK

    for module in pkgutil.walk_packages(loomapp.mcp.__path__, "loomapp.mcp."):
        importlib.import_module(module.name)
    _use_a_grove()
    return main


def _store() -> Main:
    from tests.store import programs

    _use_a_grove()
    return programs.main


def _session() -> Main:
    from tests.providers import outcome  # noqa: F401 - brings an SDK
    from tests.session import programs

    _use_a_grove()
    return programs.main


def _window() -> Main:
    from loomapp import app  # noqa: F401 - every part of the window; Qt itself begins in the copy
    from tests.journeys import browsing, leaving, reporting
    from tests.providers import outcome  # noqa: F401 - brings an SDK

    programs: dict[str, Main] = {
        "browsing": browsing.main,
        "leaving": leaving.main,
        "reporting": reporting.main,
    }
    return lambda arguments: programs[arguments[0]](arguments[1:])


def _another() -> Main:
    from tests.journeys import another

    return another.main


KINDS: dict[str, Callable[[], Main]] = {
    "command": _command,
    "asking": _asking,
    "mcp": _mcp,
    "store": _store,
    "session": _session,
    "window": _window,
    "another": _another,
}


def _serve(line: socket.socket, main: Main) -> None:
    """Forks for each call until the line is closed; a number is a program to be waited for."""
    gc.freeze()  # what is imported stays, and a copy need not look through it
    while True:
        message, descriptors, _, _ = socket.recv_fds(line, LONGEST_MESSAGE, 3)
        if not message:
            return
        asked = json.loads(message)
        if isinstance(asked, int):
            _, status, used = os.wait4(asked, 0)
            line.send(f"{os.waitstatus_to_exitcode(status)} {used.ru_maxrss}".encode())
            continue
        pid = os.fork()
        if pid == 0:
            line.close()
            _become(main, asked, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(pid).encode())


def _become(main: Main, asked: tuple[list[str], dict[str, str], str], descriptors: Sequence[int]) -> NoReturn:
    arguments, environment, folder = asked
    for number, descriptor in zip((1, 2, 0), descriptors, strict=False):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # The streams of the warm process know what their descriptors were, not what they have become.
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8") for number in (1, 2))  # noqa: PTH123, SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["loomapp", *arguments]
    _end(_status(main, arguments))


def _status(main: Main, arguments: list[str]) -> int:
    """The exit status that the interpreter would give the program; what is not one is said on stderr."""
    try:
        ended = main(arguments)
    except SystemExit as end:
        ended = end.code
    except Exception:
        traceback.print_exc()
        return 1
    if ended is None or isinstance(ended, int):
        return int(ended or 0) & 0xFF
    print(ended, file=sys.stderr)
    return 1


def _end(status: int) -> NoReturn:
    """Ends as the interpreter does, but for taking every imported module apart: a third of a second."""
    vars(threading)["_shutdown"]()  # waits for its threads
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
    except OSError:
        os._exit(UNFLUSHED)
    os._exit(status)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[2])) as own_end:
        _serve(own_end, KINDS[sys.argv[1]]())
