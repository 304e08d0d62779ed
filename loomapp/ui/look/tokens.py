"""Theme tokens: colours by role, sizes and type, read from the theme file, and which theme is shown now."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtGui import QColor, QFont

from loomapp import places

ThemeName: TypeAlias = Literal["dark", "light"]
THEMES: tuple[ThemeName, ...] = ("dark", "light")
SERIF_TYPES = ("prose", "display")

_shown: list[ThemeName] = ["light"]
PROSE_FONTS = {"serif": ("prose", 1.0), "sans": ("ui", 1.07), "mono": ("mono", 1.17)}  # and how wide they run


class TextChoice(NamedTuple):
    """The user's own look of texts: sizes in px, None for that of the theme file; of prose its font, the
    characters of a line, and the distance between lines in percent of what the theme file says.
    """

    message_px: int | None = None
    prose_px: int | None = None
    prose_font: str = "serif"
    measure: int = 66
    spacing: int = 100


_text = [TextChoice()]


@cache
def _file() -> Mapping[str, object]:
    return tomllib.loads(places.resource("themes/loomapp.toml").read_text(encoding="utf-8"))


@cache
def token(path: str) -> object:
    """The value at a dotted path of the theme file: `edge.dropped.dash`.

    Raises: KeyError for a path that is not there.
    """
    value: object = _file()
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise KeyError(f"no theme token {path}")
        value = value[key]
    return value


def current_name() -> ThemeName:
    return _shown[0]


def set_current(name: ThemeName) -> None:
    """Look roles up in this theme from now on; for `theme.apply` and tests of colours."""
    _shown[0] = name


def colour(role: str) -> QColor:
    """The colour of a role such as `text.muted`, in the theme on the screen."""
    return colour_in(_shown[0], role)


@cache
def colour_in(name: ThemeName, role: str) -> QColor:
    """The colour of a role in one theme: all share it, since painting asks for dozens; change a copy."""
    value = str(token(f"{name}.{role}"))
    if len(value) == 9:  # the file says RRGGBBAA, Qt reads AARRGGBB
        value = f"#{value[7:]}{value[1:7]}"
    return QColor(value)


def mixed(role: str, towards: str, amount: float) -> QColor:
    """Return a role's colour mixed towards another one by 0…1, opaque."""
    a, b = colour(role), colour(towards)
    return QColor.fromRgbF(
        *(
            x + (y - x) * amount
            for x, y in ((a.redF(), b.redF()), (a.greenF(), b.greenF()), (a.blueF(), b.blueF()))
        )
    )


def translucent(role: str, opacity: float) -> QColor:
    value = QColor(colour(role))
    value.setAlphaF(opacity)
    return value


def metric(path: str) -> float:
    """A size in logical pixels, or another number: `card.width`, `space.m`, `edge.active.width`."""
    value = token(path)
    if not isinstance(value, int | float):
        raise TypeError(f"theme token {path} is no number")
    return float(value)


def px(path: str) -> int:
    return round(metric(path))


def choose_text(choice: TextChoice) -> None:
    """Show texts as the user wants them from now on; widgets that stand already ask anew."""
    _text[0] = choice


def prose_width_px() -> int:
    """Return the width of a line of prose at its size. Source: 616 px hold about 66 characters of 18 px
    (look).
    """
    _, wide = PROSE_FONTS[_text[0].prose_font]
    return round(616 * wide * _text[0].measure / 66 * type_px("prose") / 18)


def type_px(type_name: str) -> int:
    own = {"dialogue": _text[0].message_px, "prose": _text[0].prose_px}.get(type_name)
    return own or px(f"type.{type_name}.px")


def line_height(type_name: str) -> int:
    """The height of one line of a type in px: fixed, whatever font is there; on the 4 px grid."""
    return _line_height(type_name, _text[0].spacing if type_name == "prose" else 100)


def prose_lead_px() -> int:
    """Return by how much the user's line spacing parts lines of prose, negative for closer."""
    return _line_height("prose", _text[0].spacing) - _line_height("prose", 100)


def _line_height(type_name: str, spacing: int) -> int:
    usual, own = px(f"type.{type_name}.px"), type_px(type_name)
    line = px(f"type.{type_name}.line")
    wanted = line * own / usual * spacing / 100
    return line if wanted == line else max(4, round(wanted / 4) * 4)


# Inter and JetBrains Mono draw an arrow for -> and one sign for !=. What somebody wrote is shown as written.
DRAWN_TOGETHER = ("calt", "liga")
MONO_TYPES = ("mono", "code")


def font(type_name: str) -> QFont:
    """The font of a type: caption, small, ui, ui_strong, dialogue, prose, title, display, mono, or code.

    Code is mono beside messages, in their reader's size.
    """
    size_px = type_px("small" if type_name in MONO_TYPES else type_name)
    if type_name == "code":
        size_px = round(size_px * type_px("dialogue") / px("type.dialogue.px"))
    return QFont(_font(type_name, size_px, _family_of(type_name)))


def _family_of(type_name: str) -> str:
    if type_name == "prose":
        return PROSE_FONTS[_text[0].prose_font][0]
    return "mono" if type_name in MONO_TYPES else "prose" if type_name in SERIF_TYPES else "ui"


@cache
def _font(type_name: str, size_px: int, family: str) -> QFont:
    size = "small" if type_name in MONO_TYPES else type_name
    families = token(f"font.{family}")
    assert isinstance(families, list)
    result = QFont([str(name) for name in families])
    result.setPixelSize(size_px)
    result.setWeight(QFont.Weight(px(f"type.{size}.weight")))
    if family == "mono":
        result.setStyleHint(QFont.StyleHint.Monospace)
    if family != "prose":  # there is no more to it in serifs than fi and fl
        for feature in DRAWN_TOGETHER:
            result.setFeature(QFont.Tag(feature), 0)
    return result


def numbers(type_name: str) -> QFont:
    """Return a type with figures of one width, so that growing numbers do not jump."""
    return QFont(_numbers(type_name, type_px(type_name)))


@cache
def _numbers(type_name: str, size_px: int) -> QFont:
    result = QFont(_font(type_name, size_px, _family_of(type_name)))
    result.setFeature(QFont.Tag("tnum"), 1)
    return result
