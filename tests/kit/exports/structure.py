"""Rules of formats that go out, and what of a file breaks them.

Source: OPML 2.0 (opml.org/spec2.opml); SVG Tiny 1.2, as Qt writes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree as ET

_OF_HEAD = frozenset({"title", "dateCreated", "dateModified", "ownerName"})
_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = frozenset(
    {
        *("svg", "title", "desc", "defs", "g", "path", "rect", "polyline", "polygon", "circle", "ellipse"),
        *("line", "text", "tspan", "image", "clipPath", "mask", "linearGradient", "radialGradient", "stop"),
    }
)
_NO_NUMBER = re.compile(r"\b(?:nan|inf)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def faults_of_opml(text: str) -> list[str]:
    """What of an outline is not as OPML 2.0 has it."""
    return list(_of_opml(ET.fromstring(text)))


def _of_opml(root: ET.Element) -> Iterator[str]:
    if (root.tag, root.get("version"), [part.tag for part in root]) != ("opml", "2.0", ["head", "body"]):
        yield f"{root.tag} {root.attrib} holds {[part.tag for part in root]}"
        return
    head, body = root
    yield from (f"head/{one.tag}" for one in head if one.tag not in _OF_HEAD)
    if not len(body):
        yield "the body is empty"
    for one in body.iter():
        if one is not body and (one.tag != "outline" or one.get("text") is None):
            yield f"{one.tag} without a text"
        if (one.text or "").strip() or (one.tail or "").strip():
            yield f"words beside the outlines: {one.text!r}, {one.tail!r}"
    for time in (head.findtext("dateCreated"), *(one.get("created") for one in body.iter())):
        if time is not None:
            parsedate_to_datetime(time)  # raises ValueError


def faults_of_svg(data: bytes) -> list[str]:
    """What of a picture is not as SVG has it, is named twice, leads nowhere, or leads out of the file."""
    return list(_of_svg(ET.fromstring(data)))


def _of_svg(root: ET.Element) -> Iterator[str]:
    if root.tag != f"{_SVG}svg" or len((root.get("viewBox") or "").split()) != 4:
        yield f"{root.tag} {root.attrib}"
    elements = list(root.iter())
    ids = Counter(one.get("id") for one in elements if one.get("id") is not None)
    yield from (f"id {name} {count} times" for name, count in ids.items() if count > 1)
    for one in elements:
        if one.tag.removeprefix(_SVG) not in _DRAWN or not one.tag.startswith(_SVG):
            yield f"element {one.tag}"
        for name, value in one.attrib.items():
            if name.startswith("on") or _NO_NUMBER.search(value):
                yield f"{one.tag} {name}={value}"
            if name.endswith("href") and not value.startswith(("#", "data:image/")):
                yield f"{one.tag} leads to {value}"
            yield from (f"{one.tag} leads to #{to}" for to in _REFERENCE.findall(value) if to not in ids)
