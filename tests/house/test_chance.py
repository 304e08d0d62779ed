"""An ordinary run of the tests is no lottery: chance begins at a seed, and always at the same one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import settings

from tests.kit import chance
from tests.kit.processes.sealed_home import SEED

TESTS = Path(__file__).parents[1]
UNSEEDED = re.compile(
    r"\brandom\.(?!Random\b)[a-zA-Z]+\(|\bRandom\(\)|\burandom\(|\bsecrets\.\w|\buuid4\(|default_rng\(\)"
)


def test_no_test_draws_without_a_seed() -> None:
    own = {TESTS / "kit" / "chance.py", Path(__file__)}
    found = [
        f"{path.relative_to(TESTS)}:{number}: {line.strip()}"
        for path in sorted(TESTS.rglob("*.py"))
        if path not in own
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if UNSEEDED.search(line)
    ]
    assert found == []


def test_a_seed_is_the_fixed_one_unless_another_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SEED, raising=False)
    assert chance.seed(7) == 7

    monkeypatch.setenv(SEED, "23")
    assert chance.seed(7) == 23

    monkeypatch.setenv(SEED, chance.ANY)
    assert len({chance.seed(7) for _ in range(5)}) > 1


def test_examples_are_those_of_the_run_before_unless_others_are_asked_for() -> None:
    assert settings().derandomize is (chance.asked() is None)
