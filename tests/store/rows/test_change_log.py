"""Entries of the change log: what a long one takes in memory."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from loomapp.core.model.log_chain import LogBody
from loomapp.store.grove.open import create_grove
from loomapp.store.rows import change_log
from loomapp.store.statements import driver

LONG = 1_000_000


def test_a_long_entry_is_let_go_of_before_its_row_is_made(path: Path) -> None:
    held: list[int] = []
    with create_grove(path) as grove, grove._file.writing() as connection:
        facts = (None, "Long", "you", 0, False, None, None)
        tracemalloc.start()
        try:
            driver(connection).set_progress_handler(
                lambda: held.append(tracemalloc.get_traced_memory()[0]), 1
            )
            change_log._seal(connection, facts, LogBody("x" * LONG, (), "", ""))
        finally:
            driver(connection).set_progress_handler(None, 0)
            tracemalloc.stop()
        row = connection.exec_driver_sql("SELECT length(body), label FROM change_log ORDER BY 1 DESC LIMIT 1")
        assert tuple(row.one()) == (LONG, "Long")

    assert max(held) >= LONG  # while it is sealed
    assert held[-1] < LONG / 2
