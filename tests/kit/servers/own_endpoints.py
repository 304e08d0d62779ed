"""Endpoints of a person's own, as they write them into the file: mostly servers on loopback."""

from __future__ import annotations

import json
from pathlib import Path

from loomapp import places


def add_endpoint(
    endpoint_id: str, url: str, api: str, *, folder: Path | None = None, **others: str | int
) -> None:
    """One more endpoint in the file of a configuration folder, this run's own unless another is given."""
    folder = folder or places.config_folder()
    folder.mkdir(parents=True, exist_ok=True)
    values = {"base_url": url, "api": api, **others}
    lines = [f"[{endpoint_id}]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    with (folder / "endpoints.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")
