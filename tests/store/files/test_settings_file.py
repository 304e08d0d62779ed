"""The settings file: every setting comes and goes, what people wrote stays, and faults are named by line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loomapp.core.errors import InvalidInput
from loomapp.core.generation.cost import Price
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.settings.registry import SETTINGS
from loomapp.core.settings.setting import (
    DEFAULTS,
    Choice,
    Folder,
    FreeText,
    Number,
    Setting,
    Settings,
    SummaryPrompt,
    Switch,
    TextSetting,
    Value,
    WindowShare,
    checked,
    is_of_economy,
)
from loomapp.providers.endpoints import own_endpoints
from loomapp.store.files.settings_file import (
    SettingsError,
    forget_keys,
    parse,
    read_prices,
    read_settings,
    write_keys,
    write_price,
    write_setting,
)

OTHERS: dict[type, Value] = {
    Folder: "/somewhere else",
    TextSetting: '\n{n} … "left" \\out\t',
    WindowShare: 0.42,
    FreeText: "own:m",
    SummaryPrompt: "Say all of it.\nIn verse.",
}
EDITED = """\
# mine
[appearance]
theme = "dark"      # at night
glitter = "much"

[unheard.of]
thing = [1, 2]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def another(setting_kind: object, default: Value) -> Value:
    match setting_kind:
        case Choice(options):
            return next(name for name, _ in options if name != default)
        case Number(lowest, highest):
            return lowest if default != lowest else highest
        case Switch():
            return not default
    return OTHERS[type(setting_kind)]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.field)
def test_every_setting_is_written_and_read_and_taken_back(setting: Setting, path: Path) -> None:
    value = another(setting.kind, setting.default)

    write_setting(setting.field, value, path)
    after = read_settings(path)
    write_setting(setting.field, None, path)

    assert after.settings == DEFAULTS.with_value(setting.field, value)
    assert not after.problems
    assert read_settings(path).settings == DEFAULTS


def test_every_row_has_words_a_place_of_its_own_and_a_default_that_it_can_have() -> None:
    for setting in SETTINGS:
        assert setting.title
        assert setting.help
        assert checked(setting.kind, setting.default) == setting.default
    assert len({(s.section, s.key) for s in SETTINGS}) == len(SETTINGS)
    rows = {setting.field for setting in SETTINGS if not is_of_economy(setting.field)}
    assert {f.name for f in fields(Settings)} == rows | {"keys", "economy"}


def test_comments_and_unknown_keys_stay(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(EDITED.replace("\n", "\r\n").encode())

    write_setting("theme", "light", path)
    write_setting("continuations", 5, path)
    write_keys("bookmark", ("F4",), path)

    text = path.read_bytes().decode()
    assert EDITED.replace("\n", "\r\n").replace('"dark"', '"light"') in text
    assert read_settings(path).settings.keys == {"bookmark": ("F4",)}
    assert read_settings(path).settings.continuations == 5


def test_what_cannot_be_used_is_named_by_line_and_its_usual_value_counts(path: Path) -> None:
    reading = parse(
        '[appearance]\nscale = 90\ntheme = "dark"\n\n[context]\n# hm\nrecent_nodes = "four"\n'
        '[keys]\npreset = "loomapp"\n[keys.actions]\nbookmark = 4\n'
    )

    assert reading.settings == DEFAULTS.with_value("theme", "dark")
    assert reading.problems == (
        "settings.toml, line 2: appearance.scale must be a whole number from 100 to 200; 100 is used.",
        "settings.toml, line 7: context.recent_nodes must be a whole number from 1 to 1000000; 4 is used.",
        "settings.toml, line 11: keys.actions.bookmark must be keys in quotes; the preset's are used.",
    )


def test_texts_that_would_break_a_context_are_refused_with_their_line() -> None:
    reading = parse(
        '[context]\ndialogue_marker = "[gap]"\nbuffer_marker = ""\ncontinue_text = " \\n "\n'
        'instructions = "none"\n'
    )

    assert reading.settings == DEFAULTS
    places = [problem.split(" must")[0] for problem in reading.problems]
    assert places == [
        "settings.toml, line 2: context.dialogue_marker",
        "settings.toml, line 3: context.buffer_marker",
        "settings.toml, line 4: context.continue_text",
        "settings.toml, line 5: context.instructions",
    ]
    assert reading.problems[1].endswith('; "\\n\\n[...]\\n\\n" is used.')


def test_a_value_written_with_dots_is_found_too() -> None:
    assert parse("appearance.scale = true\n").problems[0].startswith("settings.toml, line 1:")


def test_a_file_that_is_no_toml_is_named_by_line_and_never_written(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('[appearance]\ntheme = "dark"\nscale = = 100\n')

    with pytest.raises(SettingsError, match="line 3"):
        write_setting("theme", "light", path)

    reading = read_settings(path)
    assert reading.settings == DEFAULTS
    assert "line 3" in reading.problems[0]
    assert "scale = = 100" in path.read_text()


def test_a_value_that_is_missing_is_called_so() -> None:
    (problem,) = parse("[appearance]\nscale =\ntheme = 'dark'\n").problems

    assert problem.startswith("settings.toml, line 2: a value is missing at the end of the line. ")


@pytest.mark.parametrize("cut", ["theme", "theme = ", 'theme = "da', "recent = [1,\n"])
def test_of_a_file_that_is_cut_it_is_said_that_it_ends_too_early(cut: str) -> None:
    (problem,) = parse("[appearance]\n" + cut).problems

    assert problem == (
        "settings.toml, line 2: the file ends in the middle of an entry. "
        "Nothing is taken from the file until it is mended."
    )


@pytest.mark.parametrize("opening", ["[", "{a="])
def test_brackets_without_end_are_refused_and_stay(path: Path, opening: str) -> None:
    path.parent.mkdir()
    text = f"a = {opening * 5_000}"
    path.write_text(text)

    with pytest.raises(SettingsError, match=r"settings\.toml"):
        write_setting("theme", "light", path)

    assert read_settings(path).settings == DEFAULTS
    assert read_prices(path) == {}
    with pytest.raises(InvalidInput, match=r"settings\.toml: .* Mend the file"):
        own_endpoints(path)
    assert path.read_text() == text


def test_a_file_that_is_no_text_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(SettingsError, match="UTF-8"):
        write_setting("theme", "light", path)

    assert path.read_bytes() == b"\xff\xfe\x00"


def test_a_link_stays_a_link_and_nothing_is_left_beside_it(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir()
    real = path.parent.parent / "dotfiles.toml"
    real.write_text(EDITED)
    path.symlink_to(real)

    write_setting("theme", "light", path)

    assert path.is_symlink()
    assert '"light"' in real.read_text()
    assert [p.name for p in path.parent.iterdir()] == ["settings.toml"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["config", "dotfiles.toml"]


def test_all_keys_go_back_at_once(path: Path) -> None:
    write_keys("bookmark", ("F4",), path)
    write_keys("quit", (), path)
    assert read_settings(path).settings.keys == {"bookmark": ("F4",), "quit": ()}

    forget_keys(path)

    assert read_settings(path).settings.keys == {}


def test_a_line_from_the_window_ends_as_those_of_the_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"# mine\r\n[appearance]\r\nscale = 100\r\n")

    write_setting("theme", "dark", path)
    write_keys("bookmark", ("F4",), path)

    written = path.read_bytes()
    assert b"dark" in written
    assert b"bookmark" in written
    assert b"\n" not in written.replace(b"\r\n", b"")
    assert b"\r" not in written.replace(b"\r\n", b"")


@given(st.text(max_size=200))
def test_any_text_gives_settings_or_says_what_is_wrong(text: str) -> None:
    reading = parse(text)

    assert isinstance(reading.settings, Settings)
    assert reading.is_sound or reading.problems


def test_what_no_setting_is_called_is_named_with_its_line() -> None:
    reading = parse('[appearance]\ntheme = "dark"\nglow = 3\n\n[weather]\nrain = true\n')

    assert reading.is_sound
    assert reading.settings.theme == "dark"
    glow, weather = reading.problems
    assert "line 3: appearance.glow is no setting" in glow
    assert "line 5: weather is no part" in weather


def test_what_cannot_be_used_is_named_in_the_order_of_the_lines() -> None:
    reading = parse(
        '[weather]\nrain = true\n[keys]\ngenerate = "F5"\n[appearance]\nglow = 3\nscale = 90\ntheme = 4\n'
        "[keys.actions]\nbookmark = 4\n"
    )

    lines = [problem.partition(":")[0] for problem in reading.problems]
    assert lines == [f"settings.toml, line {line}" for line in (1, 4, 6, 7, 8, 10)]


def test_keys_of_an_action_in_the_wrong_table_are_told_where_they_belong() -> None:
    (problem,) = parse('[keys]\npreset = "loomapp"\ngenerate = "F5"\n').problems

    assert problem.startswith("settings.toml, line 3: keys.generate")
    assert "[keys.actions]" in problem


def test_prices_in_the_file_are_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    write_price("openai:gpt-x", Price(input=1.0), path)

    assert read_settings(path).problems == ()


def test_a_table_that_is_no_part_of_the_settings_is_named_by_its_own_line() -> None:
    text = '# mine\n[appearance]\ntheme = "dark"\n\n[[other.thing]]\nx = 1\n'

    (problem,) = parse(text).problems
    assert problem == "settings.toml, line 5: other is no part of the settings; it is not used."
    assert parse("\nmore.of.it = 1\n").problems[0].startswith("settings.toml, line 2: more ")


def test_economy_has_a_section_of_its_own_that_every_tree_inherits(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[economy]\nmake_summaries = "compact"  # mine\nkeep_results = 5\n', encoding="utf-8")

    write_setting("summary_prompts.story", "Keep the dragons.", path)
    write_setting("summary_prompts.work", "Keep the files.", path)
    write_setting("summary_prompts.work", None, path)
    write_setting("soft_threshold", 0.5, path)

    found = read_settings(path)
    assert found.problems == ()
    assert found.settings.economy == EconomySettings(
        make_summaries="compact",
        keep_results=5,
        soft_threshold=0.5,
        summary_prompts={"story": "Keep the dragons."},
    )
    inherited = found.settings.context.economy
    assert (inherited.make_summaries, inherited.soft_threshold, inherited.keep_results) == ("compact", 0.5, 5)
    assert "# mine" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('soft_threshold = "much"', "neither a number nor"),
        ("keep_results = -1", "is less than 0"),
        ('make_summaries = "always"', "off"),
        ("glitter = 1", "is no setting"),
        ("summary_prompts = 3", ""),
    ],
)
def test_what_is_wrong_with_economy_is_named_by_line_and_the_rest_holds(line: str, says: str) -> None:
    found = parse(f"[economy]\nhard_threshold = 0.8\n{line}\n")

    [problem] = found.problems
    assert problem.startswith(f"settings.toml, line 3: economy.{line.partition(' ')[0]} ")
    assert says in problem
    assert found.settings.economy == EconomySettings(hard_threshold=0.8)
