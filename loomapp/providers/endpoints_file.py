"""The file of endpoints, written: a table each, comments and everything else in it kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from loomapp.core.errors import InvalidInput
from loomapp.core.sentences import worded
from loomapp.providers.endpoints import EndpointSetting, own_endpoints
from loomapp.regular_files import read_text
from loomapp.temporary import sweep_parts

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

HEADER = "# Endpoints of your own. Keys are never here: see Models, Endpoints in the window.\n"
USUAL = EndpointSetting("", "", "", "")


def put_endpoint(path: Path, setting: EndpointSetting) -> None:
    """Add an endpoint, or change it. Raises: InvalidInput if the file can't be understood or written."""

    def put(document: TOMLDocument) -> None:
        import tomlkit

        table = document.get(setting.id)
        if table is None:
            table = document[setting.id] = tomlkit.table()
        for name, value in _values(setting).items():
            if value == getattr(USUAL, name):
                table.pop(name, None)
            elif table.get(name) != value:
                table[name] = value

    _edit(path, put)


def drop_endpoint(path: Path, endpoint_id: str) -> None:
    """Take an endpoint of the user's own out. Raises: InvalidInput."""
    _edit(path, lambda document: document.pop(endpoint_id, None))


def _values(setting: EndpointSetting) -> dict[str, object]:
    return {
        "name": setting.name,
        "base_url": setting.base_url,
        "api": setting.api,
        "key_name": setting.key_name,
        "headers": dict(setting.headers),
        "key_header": setting.key_header,
        "at_once": setting.at_once,
        "reports_usage": setting.reports_usage,
        "plain_http": setting.plain_http,
    }


def _edit(path: Path, change: Callable[[TOMLDocument], object]) -> None:
    import tomlkit  # only when the file is written
    from tomlkit.exceptions import TOMLKitError

    own_endpoints(path)  # what can't be understood is not written over
    try:
        text = read_text(path) if path.exists() else HEADER
        document = tomlkit.parse(text)
        change(document)
        _write(path.resolve(), document.as_string())
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise InvalidInput(
            worded("{name}: {error}. Mend the file; nothing was changed.", name=path.name, error=str(error))
        ) from None
    except OSError as error:
        raise InvalidInput(
            worded("{path} cannot be written ({why}). Check its permissions.", path=path, why=error.strerror)
        ) from None


def _write(path: Path, text: str) -> None:
    """Write in one step: whoever reads meanwhile sees the old file or the new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        sweep_parts(path.parent.glob(f".{path.name}.*.part"))
        part.write_bytes(text.encode("utf-8"))
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
