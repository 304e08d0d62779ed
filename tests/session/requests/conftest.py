"""An open grove with a collaborator and a subject, and servers that answer as they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests.kit.run_desk import Desk, Serve
from tests.kit.servers.fake_server import FakeServer, Script
from tests.kit.servers.own_endpoints import add_endpoint


@pytest.fixture
def desk(tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()


@pytest.fixture
def serve(desk: Desk) -> Iterator[Serve]:
    servers: list[FakeServer] = []

    def begin(*scripts: Script) -> FakeServer:
        server = FakeServer(*scripts)
        server.__enter__()
        servers.append(server)
        add_endpoint("fake", server.url, "chat")
        return server

    yield begin
    desk.generator.answers.stop_all()
    for server in servers:
        server.__exit__(None, None, None)
