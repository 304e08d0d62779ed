"""A model on loopback in a process of its own, which takes no turns with the window's thread.

Started as `python -m tests.journeys.speaking`: prints its address, and writes until its stdin ends.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kit.servers.fake_server import Conversation, FakeServer, chunk

TOKENS_A_SECOND = 100  # in each answer
TIMEOUT_S = 30


def speaks(conversation: Conversation) -> None:
    """As many answers as are asked for at once, without an end."""
    answers = range(json.loads(conversation.request.body).get("n") or 1)
    conversation.head()
    begun, number = time.monotonic(), 0
    while True:
        conversation.send(b"".join(chunk(f"word{number} ", index=index) for index in answers))
        number += 1
        time.sleep(max(0.0, begun + number / TOKENS_A_SECOND - time.monotonic()))


@contextmanager
def speaker() -> Iterator[str]:
    """Its address, until the block ends."""
    command = [sys.executable, "-m", "tests.journeys.speaking"]
    folder, pipe = Path(__file__).parents[2], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=folder) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()
            process.wait(TIMEOUT_S)


if __name__ == "__main__":
    with FakeServer(speaks) as server:
        print(server.url, flush=True)
        sys.stdin.read()
