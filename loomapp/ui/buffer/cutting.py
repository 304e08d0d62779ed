"""Where in a buffer's text what is sent begins, if there is no room for all of it, and where a gap is."""

from __future__ import annotations

from loomapp.core.context.report import Report
from loomapp.core.manuscript import Manuscript
from loomapp.ui.buffer.margins import CutLine
from loomapp.ui.strings import tr


def cuts_of(manuscript: Manuscript, report: Report | None) -> tuple[CutLine, ...]:
    """The lines between what is sent and what is not, in order; none where everything is."""
    if report is None or not (report.truncated or report.partial):
        return ()
    no_room = {one.node_id for one in report.dropped if one.reason == "truncated"}
    places = [i for i, node_id in enumerate(manuscript.node_ids) if node_id in no_room]
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
