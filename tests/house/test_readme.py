"""The README's map and key table say what the program is."""

from __future__ import annotations

import re

from tests.house import readme

RENEW = "renew it with: python -m tests.house.readme"


def test_the_map_is_what_the_modules_say() -> None:
    assert readme.section("map") == readme.file_map(), RENEW


def test_every_module_says_what_it_is() -> None:
    rows = readme.file_map().splitlines()[1:-1]

    silent = [row for row in rows if not re.fullmatch(r" *\S+ {2,}\S.*[.?]", row)]

    assert silent == []


def test_the_key_table_is_what_the_actions_say() -> None:
    assert readme.section("keys") == readme.key_table(), RENEW


def test_no_two_actions_share_a_key() -> None:
    from loomapp.ui.actions.registry import ACTIONS

    anywhere = [key for action in ACTIONS for key in action.entry.keys]
    in_graph = [key for action in ACTIONS for key in action.entry.graph_keys]

    assert len(anywhere) == len(set(anywhere))
    assert len(in_graph) == len(set(in_graph))


def test_setting_up_takes_exactly_the_two_commands() -> None:
    text = readme.README.read_text(encoding="utf-8")

    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)

    assert blocks == ["sh packaging/start.sh run\n", "sh packaging/start.sh test\n"]


def test_every_command_is_named() -> None:
    from loomapp.cli.entry import COMMANDS

    text = readme.README.read_text(encoding="utf-8")

    assert [command for command in COMMANDS if f"`loomapp {command}" not in text] == []


def test_links_in_the_papers_lead_somewhere() -> None:
    for paper in ("README.md", "THIRD-PARTY.md", "CHANGELOG.md"):
        text = (readme.ROOT / paper).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (readme.ROOT / target).exists(), f"{paper}: {target}"
