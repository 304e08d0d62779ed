"""One running engine for all tests of this folder, and short ways to run a request to its end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import SMOLLM2
from loomapp.providers.protocols.exchange import Call


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """The embedded engine, running; the model is fetched if it is not there. Do not kill this one."""
    engine = Engine()
    engine.ready(SMOLLM2.name, Call())
    yield engine
    engine.close()


@pytest.fixture
def own_engine() -> Iterator[Engine]:
    """An engine for one test, not started yet, which may be killed. After the test its child is gone."""
    engine = Engine(settle_s=0.0)
    yield engine
    engine.close()


@pytest.fixture
def new_id() -> Callable[[], str]:
    """Ids that count up."""
    numbers = itertools.count(1)
    return lambda: f"id{next(numbers)}"
