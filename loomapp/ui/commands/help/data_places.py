"""Places of the user's data, as the help page tells them: the real paths of the open grove."""

from __future__ import annotations

from pathlib import Path

from loomapp import logs, places
from loomapp.core.settings.values import Settings
from loomapp.providers import endpoints
from loomapp.store.backups.backup import backups_folder
from loomapp.store.files.drafts import drafts_folder
from loomapp.store.files.media import media_folder
from loomapp.store.files.settings_file import settings_path
from loomapp.ui.commands.help.help_list import HelpRow
from loomapp.ui.strings import tr


def data_rows(grove: Path, settings: Settings) -> list[HelpRow]:
    """Return every place where something is kept, with its path to be copied."""
    here, elsewhere = tr("This grove"), tr("All groves")
    grove = grove.absolute()
    rows = [
        (here, tr("Trees: one file"), grove),
        (here, tr("Images and attachments"), media_folder(grove)),
        (here, tr("Backups"), backups_folder(grove)),
        (here, tr("Words not committed yet"), drafts_folder(grove)),
    ]
    if settings.mirror_folder:
        rows.append((here, tr("Mirror: every tree as Markdown"), Path(settings.mirror_folder).expanduser()))
    rows += [
        (elsewhere, tr("Settings, yours to edit by hand"), settings_path()),
        (elsewhere, tr("Endpoints of your own"), endpoints.settings_file()),
        (elsewhere, tr("Local models"), places.model_folder()),
        (elsewhere, tr("Log, without keys and without your texts"), logs.log_file()),
        (elsewhere, tr("Where each window was left, and what models refused"), places.state_folder()),
    ]
    return [HelpRow(heading, f"{words}\n{path}", value=str(path)) for heading, words, path in rows]
