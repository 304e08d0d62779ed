"""The workspace: the living state of one open grove, without a widget."""

from __future__ import annotations

from dataclasses import dataclass

from loomapp.session.context.preview import Preview
from loomapp.session.context.usage_so_far import Measuring
from loomapp.session.context.what_if import Trying
from loomapp.session.document import Document
from loomapp.session.preferences import Preferences
from loomapp.session.reading.visit_history import Visits
from loomapp.session.requests.generator import Generator
from loomapp.session.writing.buffer_session import WritingDesk


@dataclass(frozen=True, slots=True)
class Workspace:
    """The document and what is done beside it: requests, the coming context, writing, the way one went."""

    document: Document
    generator: Generator
    preview: Preview
    writing: WritingDesk
    what_if: Trying
    measuring: Measuring
    visits: Visits
    preferences: Preferences
