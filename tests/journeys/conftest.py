"""Journeys go through the whole program as a person does: on a desktop, all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every journey."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("desktop")
