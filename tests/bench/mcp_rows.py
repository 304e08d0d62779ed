"""G14: calls of the MCP server on a large grove, the bytes of its list of tools, its first answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.bench.load_rows import LOOMAPP, spent
from tests.bench.table import Goal, Opened, Place, Rivals, Row

CALLING = """
import sys, time
from pathlib import Path

import anyio
import mcp.server.lowlevel.server

from loomapp.mcp.calls import Caller
from loomapp.mcp.served_grove import Environment
from loomapp.mcp.served_grove import ServedGrove

caller = Caller(ServedGrove(Path(sys.argv[1])), Environment())

def call(name, **arguments):
    begun = time.process_time()
    reply = anyio.run(caller.call, name, arguments, "bench")
    print(1000 * (time.process_time() - begun))
    return reply

call("list_trees")
listed = call("list_nodes")
call("show", node_id=listed["preview"][-1]["id"])
"""
SERVER = (sys.executable, "-c", "import mcp.server.lowlevel.server")
INFO = {"name": "bench", "version": "1"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
TALK = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
LIST_TREES = {"name": "read_tool", "arguments": {"name": "list_trees"}}
ROOT = Path(__file__).parents[2]


def called_ms(grove: Path) -> list[float]:
    """Processor time of a first list of trees, a first list of nodes, and of one node then."""
    command = [sys.executable, "-c", CALLING, str(grove)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return [float(line) for line in done.stdout.split()]


def answered(grove: Path, method: str, params: Mapping[str, object]) -> tuple[str, float]:
    """The line that a server answers after it was started, and the processor time of its process in s."""
    asked = *TALK, {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
    command = (*LOOMAPP, "mcp", "--grove", str(grove))
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin, server.stdout:
        for message in asked:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        line = next(line for line in server.stdout if json.loads(line).get("id") == 2)
        server.stdin.close()
        _, server.returncode, usage = os.wait4(server.pid, 0)
    return line, usage.ru_utime + usage.ru_stime


def tools_bytes(grove: Path) -> float:
    """The bytes of the tools that a client is told of."""
    tools = json.loads(answered(grove, "tools/list", {})[0])["result"]["tools"]
    return float(len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()))


def at_most(measure: Callable[[Path], float], most: float) -> Opened:
    """Something of a grove beside a number of its own."""

    @contextmanager
    def opened(place: Place) -> Iterator[Rivals]:
        yield Rivals(partial(measure, place.grove()), lambda: most)

    return opened


@contextmanager
def first_answer(place: Place) -> Iterator[Rivals]:
    """A server from its start to its first answer and its end, beside its parts: the SDK, and the answer."""
    grove = place.grove()
    trees = (*LOOMAPP, "trees", "--grove", str(grove))
    yield Rivals(
        lambda: answered(grove, "tools/call", LIST_TREES)[1],
        lambda: spent(SERVER).seconds + spent(trees).seconds,
    )


ROWS = (
    Row("G14 list", "a first list of nodes, processor time", "1 s",
        at_most(lambda grove: called_ms(grove)[1], 1000), Goal(1), shapes=("bushy", "deep", "wide")),
    Row("G14 node", "one node then", "50 ms",
        at_most(lambda grove: called_ms(grove)[2], 50), Goal(1)),
    Row("G14 bytes", "tools/list", "2,500 bytes",
        at_most(tools_bytes, 2500), Goal(1), unit="bytes", nodes=(100,), sized=False),
    Row("G14 answer", "the first answer, processor time", "mcp's server imported, loomapp trees",
        first_answer, Goal(1.3), unit="s"),
)  # fmt: skip
