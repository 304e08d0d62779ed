"""The README, and the contents in the packages' docstrings, say what the program is."""

from __future__ import annotations

import re
from collections import Counter

from tests.house import readme

RENEW = "renew it with: python -m tests.house.readme"


def test_the_table_of_packages_is_what_the_packages_say() -> None:
    assert readme.section("packages") == readme.package_map(), RENEW


def test_every_package_lists_its_modules_and_rooms() -> None:
    stale = [
        str(package.relative_to(readme.ROOT))
        for package in readme.packages()
        if readme.told_contents(package) != readme.contents(package)
    ]

    assert stale == [], RENEW


def test_every_module_and_package_says_what_it_is() -> None:
    lines = {str(place): readme.first_line(place) for place in (*readme.modules(), *readme.packages())}

    silent = {place: line for place, line in lines.items() if not re.fullmatch(r"\S.*[.?]", line)}

    assert silent == {}


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len(readme.README.read_text(encoding="utf-8").splitlines()) <= 250


def test_the_key_table_is_what_the_actions_say() -> None:
    assert readme.section("keys") == readme.key_table(), RENEW


def test_no_two_actions_share_a_key() -> None:
    from loomapp.ui.actions.registry import ACTIONS

    anywhere = Counter(key for action in ACTIONS for key in action.entry.keys)
    in_graph = Counter(key for action in ACTIONS for key in action.entry.graph_keys)

    assert [key for key, count in (*anywhere.items(), *in_graph.items()) if count > 1] == []


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


def test_every_provider_and_known_server_is_listed_under_models() -> None:
    from loomapp.providers.endpoints import PRESETS
    from loomapp.providers.registry import PROVIDERS

    table = readme.README.read_text(encoding="utf-8").partition("\n## Models\n")[2].partition("\n## ")[0]

    unnamed = [name for name in (*PROVIDERS, *PRESETS) if f"`{name}`" not in table]
    assert unnamed == [], "give each a row of the table under Models in README.md"


def test_every_format_that_comes_in_is_named() -> None:
    from loomapp.formats.registry import IMPORTERS

    text = readme.README.read_text(encoding="utf-8")
    own = {"loom-json", "jsonl"}  # told by their titles

    unnamed = [name for name in IMPORTERS if name not in own and f"`{name}`" not in text]
    assert unnamed == [], "name each under “What comes in” in README.md"


def is_there(named: str) -> bool:
    """Tell whether the module of a path or a dotted name is there, and what is named in it."""
    if named.endswith(".py"):
        below = (readme.ROOT, readme.PROGRAM)
        return any((folder / named).exists() for folder in below) if "/" in named else named in MODULE_FILES
    parts = named.removeprefix("loomapp.").split(".")
    for end in range(len(parts), 0, -1):
        module = readme.PROGRAM.joinpath(*parts[:end])
        if module.is_dir():
            return end == len(parts)
        if module.with_suffix(".py").exists():
            text = module.with_suffix(".py").read_text(encoding="utf-8")
            return all(re.search(rf"\b(?:class|def) {name}\b|\b{name}\b.* = ", text) for name in parts[end:])
    return False


ROOMS = "|".join(sorted(folder.name for folder in readme.packages() if folder.parent == readme.PROGRAM))
NAMED = re.compile(rf"`([\w/]+\.py|(?:loomapp\.)?(?:{ROOMS})(?:\.\w+)+)`")
MODULE_FILES = {file.name for file in readme.modules()}


def test_every_module_that_is_referred_to_is_there() -> None:
    gone = [
        f"{paper.relative_to(readme.ROOT)}: {named}"
        for paper in (readme.README, *readme.modules(), *(file / "__init__.py" for file in readme.packages()))
        for named in NAMED.findall(paper.read_text(encoding="utf-8"))
        if not is_there(named)
    ]

    assert gone == []
