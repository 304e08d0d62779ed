"""Commit of answers that have ended: all of a request become nodes in one Change, or it says why not."""

from __future__ import annotations

from dataclasses import replace

from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import nodes_from_drafts
from loomapp.core.model.change import Change
from loomapp.core.model.entities import ActivePath
from loomapp.core.prose.path_choice import way_back
from loomapp.session.document import Document
from loomapp.session.open_tree import Initiator
from loomapp.session.requests.running_request import RunningRequest
from loomapp.store.identity import new_id, now


def land(document: Document, flight: RunningRequest, *, follows: bool) -> Change | None:
    """Commit the answers of a flight, all in one Change; None if it has none. If it `follows`, the path goes
    on with the one that is read.

    Raises: LoomError, and nothing is committed, while what it continues is not there; GroveError if the file
    does not take it.
    """
    if flight.is_adrift and not flight.is_empty:
        raise adrift()
    change = nodes_from_drafts(
        flight.tree,
        list(flight.drafts.values()),
        sources=flight.sources,
        agent_id=flight.agent.id,
        evidence=flight.evidence,
        read_index=flight.read_index,
        now=now(),
        new_id=new_id,
        follow=follows,
        record=flight.request.record,
        standing=flight.standing,
        back=_way_back(flight),
        ids=flight.ids,
        trace=flight.trace,
    )
    if change is None:
        return None
    change = replace(change, action=flight.place.group)
    # Who chose another node meanwhile keeps it.
    is_elsewhere = flight.keeps_current or document.current_id != flight.asked_at
    fills = flight.sources.gap_id is not None  # then the path ends where it did
    initiator = Initiator("answer", flight.key)
    document.commit_to(flight.tree, change, initiator, keeps_current=is_elsewhere or fills)
    read = next((n.id for n in change.added_nodes() if n.id in document.path), None)
    if fills and not is_elsewhere and flight.tree is document.tree and read is not None:
        document.place.set_current(read, initiator)
    return change


def adrift() -> LoomError:
    """Return the error for an answer that cannot land: what it continues is gone."""
    return LoomError(
        "What this answer continues was taken back by another program. Redo brings it back; "
        "then press Retry to save the answer. It is kept until then."
    )


def is_landed(document: Document, flight: RunningRequest) -> bool:
    """True if the file has the answers, whatever failed after it took them. Raises: GroveError."""
    return any(document.grove.has_response(flight.tree.loom.id, one.id) for one in flight.evidence)


def fault() -> LoomError:
    """Return the error for an answer that did not land by a mistake of ours."""
    return LoomError(
        "This answer could not be saved, because of a fault in Loomapp itself; the log has it. "
        "The text is kept here: press Retry to save it."
    )


def _way_back(flight: RunningRequest) -> ActivePath | None:
    back = flight.place.back
    return None if back is None else way_back(flight.tree, back, flight.ends)
