"""Cut marks of a buffer: the place at which the sent text begins, where not all has room, and gaps."""

from __future__ import annotations

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.outcomes import NO_ROOM, Fates
from loomapp.core.prose.buffer_text import BufferText
from loomapp.core.sequences import common_length
from loomapp.ui.buffer.margin.marks import CutLine
from loomapp.ui.strings import tr


def cuts_of(buffer_text: BufferText, context: Assembled | None) -> tuple[CutLine, ...]:
    """The lines between what is sent and what is not, in order; none where everything is."""
    report = None if context is None else context.report
    if context is None or report is None or not report.truncated:
        return ()
    places = _left_out(buffer_text, context.fates)
    begin = buffer_text.passage(places[0]).start if places else 0
    end = buffer_text.passage(places[-1]).end if places else 0
    within = _beginning(buffer_text, context)
    if within is not None:
        end = within
        begin = begin if places else buffer_text.passage_from(within).start
    if end <= begin:
        return ()
    lines = [CutLine(end, tr("sent from here"), tr("sent ↓"))]
    if begin > 0:
        lines.insert(0, CutLine(begin, tr("not sent from here"), tr("not sent ↓")))
    return tuple(lines)


def _beginning(buffer_text: BufferText, context: Assembled) -> int | None:
    """The character within a passage with which what is sent goes on; None where it does with a whole one."""
    beginning = context.fitted.beginning
    if beginning is None:
        return None
    place: int | None = len(buffer_text.node_ids)
    if beginning.node_id is not None:
        place = buffer_text.place_of(beginning.node_id) if beginning.node_id in context.fates.path else None
    return None if place is None else buffer_text.passage(place).start + beginning.dropped_chars


def _left_out(buffer_text: BufferText, fates: Fates) -> list[int]:
    """The first and the last of the places for which there is no room, and perhaps some between them. A key
    asks for them: where the context goes along the text, no node is looked at.
    """
    ids, codes = buffer_text.node_ids, fates.codes
    same = common_length(ids, fates.path.node_ids)
    found = [place for place in (codes.find(NO_ROOM, 0, same), codes.rfind(NO_ROOM, 0, same)) if place >= 0]
    if same < len(codes):  # the context goes another way from there, and may come back
        ways = fates.path
        found += (i for i in range(same, len(ids)) if ids[i] in ways and fates[ids[i]] == "truncated")
    return found
