"""Every row of the bench by name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.bench import (
    buffer_rows,
    file_rows,
    graph_rows,
    import_rows,
    load_rows,
    mcp_rows,
    quitting,
    start_rows,
    text_rows,
)
from tests.bench.table import Row

ROWS: Mapping[str, Row] = {
    row.name: row
    for row in (
        *graph_rows.ROWS,
        *file_rows.ROWS,
        *load_rows.ROWS,
        *import_rows.ROWS,
        *mcp_rows.ROWS,
        *text_rows.ROWS,
        *buffer_rows.ROWS,
        *start_rows.ROWS,
        *quitting.ROWS,
    )
}
