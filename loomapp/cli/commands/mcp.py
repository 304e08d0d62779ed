"""`loomapp mcp`: the MCP server, through which other agents read and write a grove."""

from __future__ import annotations

import argparse
import os

from loomapp.cli.arguments import DONE, ExtraMissing, Namespace, Parser, whole_number
from loomapp.cli.groves import grove_path
from loomapp.cli.output import say
from loomapp.mcp.configuration import PORT
from loomapp.mcp.permissions import http_key
from loomapp.mcp.served_grove import read_environment

MISSING = "the MCP server needs the package mcp; install it: pip install 'loomapp[mcp]'"
EXTRA = ("mcp", "mcp_types", "anyio", "pydantic", "uvicorn", "starlette")


def add_arguments(parser: Parser) -> None:
    text = f"serve over HTTP on this computer (default: {PORT}; 0: any free one), where Settings allow it"
    parser.add_argument("--http", nargs="?", type=_port, const=PORT, metavar="PORT", help=text)
    parser.add_argument("--key", action="store_true", help="print the key that calls over HTTP show")
    parser.add_argument("--new-key", action="store_true", help="make another key and print it")


def _port(text: str) -> int:
    number = whole_number(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 65535")
    return number


def run(arguments: Namespace) -> int:
    """Serves until the client goes, or a signal comes.

    Raises: InvalidInput for the environment, ExtraMissing, HttpRefused, KeychainUnavailable, KeyFileFailed.
    """
    environment = read_environment(os.environ)
    if arguments.key or arguments.new_key:
        say(http_key(new=arguments.new_key))
        return DONE
    key = http_key() if arguments.http is not None else ""
    try:
        # late: an extra, and slow to import
        if arguments.http is not None:
            from loomapp.mcp.http_server import serve_http
        else:
            from loomapp.mcp.stdio import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise ExtraMissing(MISSING) from error
    if arguments.http is not None:
        serve_http(grove_path(arguments), environment, arguments.http, key)
    else:
        serve_stdio(grove_path(arguments), environment)
    return DONE


COMMANDS = {"mcp": (add_arguments, run)}
