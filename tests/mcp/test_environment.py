"""Environment variables of the server: numbers with their fallbacks and limits, switches, and bad values."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from loomapp.core.errors import InvalidInput
from loomapp.mcp.configuration import FOLDERS, configurations, http_command
from loomapp.mcp.served_grove import Environment, read_environment

THRESHOLD, PREVIEW = "LOOM_MCP_COMPACTION_THRESHOLD", "LOOM_MCP_PREVIEW_COUNT"


def test_nothing_set_is_twenty_and_five() -> None:
    assert read_environment({}) == Environment(20, 5, lists_every_tool=False, is_read_only=False)


def test_blank_is_unset() -> None:
    assert read_environment({THRESHOLD: " ", PREVIEW: "", "LOOM_MCP_TOOLS": " "}) == Environment()


def test_the_names_of_beads_are_the_fallback() -> None:
    beads = {"BEADS_MCP_COMPACTION_THRESHOLD": "50", "BEADS_MCP_PREVIEW_COUNT": "10"}

    assert read_environment(beads) == Environment(50, 10)
    assert read_environment({**beads, THRESHOLD: "40"}) == Environment(40, 10)
    assert read_environment({**beads, THRESHOLD: " ", PREVIEW: "7"}) == Environment(50, 7)


def test_the_usual_preview_gives_way_to_a_small_threshold() -> None:
    assert read_environment({THRESHOLD: "3"}) == Environment(3, 3)
    assert read_environment({THRESHOLD: "1"}) == Environment(1, 1)
    assert read_environment({THRESHOLD: "5"}) == Environment(5, 5)
    assert read_environment({THRESHOLD: "9" * 30}) == Environment(int("9" * 30), 5)
    assert read_environment({THRESHOLD: "3", PREVIEW: "3"}) == Environment(3, 3)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({THRESHOLD: "abc"}, f"{THRESHOLD} must be >= 1 (is 'abc')"),
        ({THRESHOLD: "0"}, f"{THRESHOLD} must be >= 1 (is 0)"),
        ({THRESHOLD: "-3"}, f"{THRESHOLD} must be >= 1 (is -3)"),
        ({THRESHOLD: "2.5"}, f"{THRESHOLD} must be >= 1 (is '2.5')"),
        ({PREVIEW: "0"}, f"{PREVIEW} must be >= 1 (is 0)"),
        ({PREVIEW: "30"}, f"{PREVIEW} must be <= {THRESHOLD} (is 30)"),
        ({PREVIEW: "21"}, f"{PREVIEW} must be <= {THRESHOLD} (is 21)"),
        ({THRESHOLD: "3", PREVIEW: "4"}, f"{PREVIEW} must be <= {THRESHOLD} (is 4)"),
        ({"BEADS_MCP_PREVIEW_COUNT": "x"}, "BEADS_MCP_PREVIEW_COUNT must be >= 1 (is 'x')"),
        ({"LOOM_MCP_READ_ONLY": "perhaps"}, "LOOM_MCP_READ_ONLY must be '1' or '0' (is 'perhaps')"),
        ({"LOOM_MCP_TOOLS": "some"}, "LOOM_MCP_TOOLS must be 'full' or 'lazy' (is 'some')"),
    ],
)
def test_a_bad_value_is_named(variables: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_environment(variables)

    assert refused.value.message == message


def test_texts_to_copy_name_folders_that_are_not_the_usual_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    grove = tmp_path / "a.loom"
    server = json.loads(configurations(grove)[0].text)["mcpServers"]["loomapp"]
    command = [server["command"], *server["args"]]
    assert "env" not in server
    assert shlex.split(configurations(grove)[2].text) == command

    settings = str(tmp_path / "my settings")
    monkeypatch.setenv("XDG_CONFIG_HOME", settings)
    desktop, code, other = (one.text for one in configurations(grove))
    assert json.loads(desktop)["mcpServers"]["loomapp"]["env"] == {"XDG_CONFIG_HOME": settings}
    assert shlex.split(code)[4:] == [
        *("--env", "LOOM_MCP_TOOLS=full", "--env", f"XDG_CONFIG_HOME={settings}", "--"),
        *command,
    ]
    assert shlex.split(other) == ["env", f"XDG_CONFIG_HOME={settings}", *command]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", "my settings")
    assert configurations(grove)[2].text == other, "another program begins in another folder"
    assert shlex.split(http_command(grove)) == [*shlex.split(other), "--http"]


def test_switches_are_read() -> None:
    assert read_environment({"LOOM_MCP_READ_ONLY": "1"}).is_read_only
    assert not read_environment({"LOOM_MCP_READ_ONLY": "0"}).is_read_only
    assert read_environment({"LOOM_MCP_TOOLS": "full"}).lists_every_tool
