"""Permissions in the settings count at the next call, and each refusal says where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp_types import ResourceTemplateReference

from loomapp.store.files.settings_file import settings_path, write_setting
from loomapp.store.grove.open import create_grove
from tests.kit.groves import planted
from tests.kit.mcp_clients import Tools, talk
from tests.kit.trees import Hand

PLACE = "Loomapp, Settings, Other programs (MCP)"


@pytest.fixture
def grove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A grove with a tree of an empty root and three messages, and settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert settings_path().is_relative_to(tmp_path)
    path = tmp_path / "a.loom"
    with create_grove(path) as made:
        planted(made, Hand())
    return path


def test_writing_is_switched_off_and_on_again(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        write_setting("mcp_write", False)
        for _ in range(2):
            assert await tools.refused("annotate", node_id=at, text="x") == (
                f"Writing is switched off in {PLACE}: nothing was changed"
            )
        assert len(await tools.list("list_nodes")) == 4
        write_setting("mcp_write", None)
        assert (await tools.call("annotate", node_id=at, text="x"))["action"] == "annotated"

    talk(grove, speak)


def test_nothing_is_read_where_reading_is_switched_off(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        write_setting("mcp_read", False)
        refused = f"Reading is switched off in {PLACE}"
        for name, arguments in (("list_trees", {}), ("show", {"node_id": "x"}), ("prune", {"node_id": "x"})):
            assert await tools.refused(name, **arguments) == refused
        for uri in ("loom://tree", "loom://context"):
            with pytest.raises(Exception, match="Reading is switched off"):
                await tools.client.read_resource(uri)
        assert (await tools.call("discover_tools"))["count"]

    talk(grove, speak)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[mcp]\nwrite = "false"\n', "settings.toml, line 2: mcp.write "),
        ('[mcp]\nask_models = "nver"\n', "settings.toml, line 2: mcp.ask_models "),
        ("[mcp]\nwrite = false\n[context\n", "settings.toml, line 3: "),
    ],
)
def test_nothing_is_allowed_where_it_cannot_be_told_what_is_forbidden(
    grove: Path, text: str, fault: str
) -> None:
    async def speak(tools: Tools) -> None:
        at = str((await tools.call("context"))["at"])
        settings_path().parent.mkdir(parents=True, exist_ok=True)
        settings_path().write_text(text, encoding="utf-8")
        for name, arguments in (
            ("list_nodes", {}),
            ("annotate", {"node_id": at, "text": "x"}),
            ("generate", {}),
        ):
            said = await tools.refused(name, **arguments)
            assert said.startswith(fault)
            assert said.endswith(". Until that is mended other programs may do nothing here")
        settings_path().write_text("[mcp]\nwrite = true\n[context]\nnonsense = 3\n", encoding="utf-8")
        assert (await tools.call("annotate", node_id=at, text="x"))["action"] == "annotated"

    talk(grove, speak)


def test_no_id_is_completed_where_reading_is_switched_off(grove: Path) -> None:
    async def speak(tools: Tools) -> None:
        template = ResourceTemplateReference(type="ref/resource", uri="loom://node/{node_id}")

        async def found(name: str) -> list[str]:
            return (await tools.client.complete(template, {"name": name, "value": ""})).completion.values

        names = ("tree", "thread", "node_id")
        assert all([await found(name) for name in names])
        write_setting("mcp_read", False)
        assert [await found(name) for name in names] == [[], [], []]

    talk(grove, speak)
