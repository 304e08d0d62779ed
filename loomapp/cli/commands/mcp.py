"""`loomapp mcp`: the MCP server, through which other agents read and write a grove."""

from __future__ import annotations

import os

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE, ExtraMissing
from loomapp.cli.groves import grove_path
from loomapp.mcp.environment import read_environment

MISSING = "the MCP server needs the package mcp; install it: pip install 'loomapp[mcp]'"


def add_arguments(_parser: Parser) -> None: ...


def run(arguments: Namespace) -> int:
    """Serves until the client goes. Raises: InvalidInput for the environment, ExtraMissing."""
    environment = read_environment(os.environ)
    try:
        from loomapp.mcp.stdio import serve_stdio  # late: an extra, and slow to import
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        raise ExtraMissing(MISSING) from error
    serve_stdio(grove_path(arguments), environment)
    return DONE


COMMANDS = {"mcp": (add_arguments, run)}
