"""Where in a buffer's text what is sent begins, if there is no room for all of it, and where a gap is."""

from __future__ import annotations

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.fates import NO_ROOM, Fates
from loomapp.core.manuscript import Manuscript
from loomapp.core.way import common_length
from loomapp.ui.buffer.margins import CutLine
from loomapp.ui.strings import tr


def cuts_of(manuscript: Manuscript, context: Assembled | None) -> tuple[CutLine, ...]:
    """The lines between what is sent and what is not, in order; none where everything is."""
    report = None if context is None else context.report
    if context is None or report is None or not (report.truncated or report.partial):
        return ()
    places = _left_out(manuscript, context.fates)
    begin = manuscript.passage(places[0]).start if places else 0
    end = manuscript.passage(places[-1]).end if places else 0
    partial = report.partial
    if partial is not None:
        place = len(manuscript.node_ids) if partial.node_id is None else manuscript.place_of(partial.node_id)
        if place is not None:
            end = manuscript.passage(place).start + partial.dropped_chars
            begin = begin if places else manuscript.passage(place).start
    if end <= begin:
        return ()
    lines = [CutLine(end, tr("sent from here"), tr("sent ↓"))]
    if begin > 0:
        lines.insert(0, CutLine(begin, tr("not sent from here"), tr("not sent ↓")))
    return tuple(lines)


def _left_out(manuscript: Manuscript, fates: Fates) -> list[int]:
    """The first and the last of the places for which there is no room, and perhaps some between them. A key
    asks for them: where the context goes along the text, no node is looked at.
    """
    ids, codes = manuscript.node_ids, fates.codes
    same = common_length(ids, fates.path.node_ids)
    found = [place for place in (codes.find(NO_ROOM, 0, same), codes.rfind(NO_ROOM, 0, same)) if place >= 0]
    if same < len(codes):  # the context goes another way from there, and may come back
        found += (place for place in range(same, len(ids)) if fates.get(ids[place]) == "truncated")
    beside = (manuscript.place_of(node_id) for node_id, fate in fates.beside() if fate == "truncated")
    return sorted({*found, *(place for place in beside if place is not None)})
