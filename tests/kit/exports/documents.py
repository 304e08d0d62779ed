"""Word documents for tests, part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


MATHS = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def word_document(paragraphs: Sequence[tuple[str, str]], title: str = "", more: str = "") -> bytes:
    """A document of paragraphs, each with the id of its style, and more XML behind them."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>'
        f'<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    styles = (
        '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>'
        '<w:style w:styleId="Standard"><w:name w:val="Normal"/></w:style>'
    )
    core = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></cp:coreProperties>'
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{W}" xmlns:m="{MATHS}"><w:body>{body}{more}</w:body></w:document>',
        )
        archive.writestr("word/styles.xml", f'<w:styles xmlns:w="{W}">{styles}</w:styles>')
        archive.writestr("docProps/core.xml", core)
    return data.getvalue()


def novel() -> bytes:
    """Two chapters with an empty paragraph and odd characters."""
    return word_document(
        [
            ("Title", "A Novel"),
            ("berschrift1", "One"),
            ("Standard", "It was a dark & stormy night. naïve 🙂"),
            ("Standard", ""),
            ("Standard", "Rain <fell>."),
            ("berschrift1", "Two"),
            ("Standard", "The end."),
        ],
        "The Novel",
    )
