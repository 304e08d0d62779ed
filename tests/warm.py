"""The command in a process of its own, without the second that an interpreter and its imports take.

A warm process has imported what every command needs, and forks for each call. What is asked runs from its
arguments to its exit status as the installed command does, in a fresh copy that ends with the call.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn

TIMEOUT_S = 100.0
LONGEST_MESSAGE = 1 << 17
LATE = {"window", "demo", "generating", "models", "doctor"}  # they bring Qt or an SDK, or look for them

_started: list[Warm] = []


class Warm:
    """The warm process and the line to it; it ends when this process does."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.settimeout(TIMEOUT_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                cwd=Path(__file__).parents[1],
            )
        self.pid = self._process.pid

    def call(self, arguments: Sequence[str], out: IO[bytes], err: IO[bytes]) -> int:
        """One command with this process's environment and folder; its exit status, minus a signal."""
        message = json.dumps([list(arguments), dict(os.environ), str(Path.cwd())]).encode()
        socket.send_fds(self._line, [message], [out.fileno(), err.fileno()])
        answer = self._line.recv(64)
        assert answer, "the warm process ended"
        return int(answer)

    def end(self) -> None:
        """It has nothing that must be kept."""
        self._line.close()
        self._process.kill()
        self._process.wait()


def run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """`loomapp` with these arguments, nothing on stdin, its output read as UTF-8."""
    if not _started:
        _started.append(Warm())
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            status = _started[0].call(arguments, out, err)
        except BaseException:
            end()
            raise
        said = [_text(file) for file in (out, err)]
    return subprocess.CompletedProcess(["loomapp", *arguments], status, *said)


def pids() -> list[int]:
    """The warm process, if there is one: no test left it behind."""
    return [warm.pid for warm in _started]


def end() -> None:
    """End the warm process, if there is one."""
    while _started:
        _started.pop().end()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8")


def _serve(line: socket.socket) -> None:
    """Forks for each call until the line is closed."""
    from loomapp.cli.entry import COMMANDS

    for module in {command.module for command in COMMANDS.values()} - LATE:
        importlib.import_module(f"loomapp.cli.{module}")
    while True:
        message, descriptors, _, _ = socket.recv_fds(line, LONGEST_MESSAGE, 2)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            _become_the_command(line, message, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        line.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become_the_command(line: socket.socket, message: bytes, descriptors: Sequence[int]) -> NoReturn:
    from loomapp.__main__ import main

    arguments, environment, folder = json.loads(message)
    line.close()
    for descriptor, number in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["loomapp", *arguments]
    sys.exit(main(arguments))


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as own_end:
        _serve(own_end)
