"""The workspace: the living state of one open grove, without a widget."""

from __future__ import annotations

from loomapp.core.dataclass import dataclass
from loomapp.session.context.preview import Preview
from loomapp.session.context.token_counter import TokenCounter
from loomapp.session.context.what_if import WhatIf
from loomapp.session.document import Document
from loomapp.session.preferences import Preferences
from loomapp.session.reading_place import VisitHistory
from loomapp.session.requests.generator import Generator
from loomapp.session.writing.buffer_session import BufferSession


@dataclass(frozen=True, slots=True)
class Workspace:
    """The document and what is done beside it: requests, the coming context, writing, the way one went."""

    document: Document
    generator: Generator
    preview: Preview
    writing: BufferSession
    what_if: WhatIf
    counting: TokenCounter
    visits: VisitHistory
    preferences: Preferences
