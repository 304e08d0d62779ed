"""OPML: the whole tree as an outline, a branch within the node that it continues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from xml.sax.saxutils import escape, quoteattr

from loomapp.core.times import EPOCH, Milliseconds
from loomapp.formats.exports.export import Begin, Export, Later, SaidNode

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML cannot hold


def sound(text: str) -> str:
    return NO_XML.sub("\ufffd", text)


def rfc822_time(at: Milliseconds) -> str:
    """A time as OPML has it, in English on every computer: `Sat, 21 Nov 2026 12:00:00 GMT`."""
    moment = EPOCH + timedelta(milliseconds=at)
    day = f"{DAYS[moment.weekday()]}, {moment.day:02d} {MONTHS[moment.month - 1]} {moment.year:04d}"
    return f"{day} {moment:%H:%M:%S} GMT"


def as_opml(export: Export) -> str:
    """The tree as OPML 2.0: what follows without a fork stands beside, each branch within an outline."""
    title = escape(sound(" ".join(export.tree.loom.title.split())))
    made = rfc822_time(export.tree.loom.created_at)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
        f"<head><title>{title}</title><dateCreated>{made}</dateCreated></head>\n"
        f"<body>\n{''.join(_parts(export)) or EMPTY}</body>\n</opml>\n"
    )


EMPTY = '<outline text=""/>\n'  # the body has at least one


def _parts(export: Export) -> Iterator[str]:
    nodes = export.tree.nodes
    for step in export.steps():
        match step:
            case Begin():
                after = f" after {nodes[step.above].local_id}" if step.above is not None else ""
                read = ", the path that is read" if step.is_active else ""
                yield f"<outline text={_quoted(f'Branch {step.number} of {step.of}{after}{read}')}>\n"
            case SaidNode():
                node = nodes[step.node_id]
                who = f" author={_quoted(export.name(node))}" if export.wanted.speakers else ""
                note = "\n".join(export.remarks(node))
                more = f" _note={_quoted(note)}" if note else ""
                made = f" created={_quoted(rfc822_time(node.created_at))}"
                yield f"<outline text={_quoted(export.text(node))}{who}{made}{more}/>\n"
            case Later():
                yield f"<outline text={_quoted(f'Goes on below at {nodes[step.node_id].local_id}')}/>\n"
            case _:
                yield "</outline>\n"


def _quoted(text: str) -> str:
    return quoteattr(sound(text))
