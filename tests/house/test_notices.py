"""The third-party notices name everything that a user gets."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.requirements import folded, needed

ROOT = Path(__file__).parents[2]
NOTICES = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")


def test_every_package_that_a_user_gets_is_named() -> None:
    named = folded(NOTICES)

    assert [name for name in sorted(needed("loomapp", "local", "mcp")) if name not in named] == []


def test_every_bundled_font_comes_with_its_licence() -> None:
    fonts = ROOT / "resources" / "fonts"
    families = {re.split(r"[-.]", font.name)[0] for font in fonts.glob("*.ttf")}

    assert families
    for family in families:
        assert (fonts / f"{family}-OFL.txt").is_file()
        assert f"`{family}-OFL.txt`" in NOTICES


def test_the_icons_come_with_their_licence() -> None:
    assert "ISC" in (ROOT / "resources" / "icons" / "LICENSE").read_text(encoding="utf-8")
