"""HTML: the whole tree as one page that holds all it needs, runs nothing and fetches nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from html import escape

from loomapp.core.model.content import AttachedDocument, Block, Image, blocks_of
from loomapp.core.model.entities import Node, block_text
from loomapp.formats.exports.export import Begin, Export, Later, SaidNode

SHOWN_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"})
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
body { font: 16px/1.55 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
body { color: #222; background: #fff }
h1 { font-size: 1.5rem }
details { border-left: 2px solid #ccc; padding-left: .9rem; margin: .6rem 0 }
summary, .who, .about { font: 13px system-ui, sans-serif; color: #555 }
summary { cursor: pointer }
details.active { border-color: #0a6 }
details.active > summary { font-weight: 600 }
article { margin: 0 0 1rem }
article.excluded { opacity: .55 }
article.active > .who::before { content: "\\25CF\\00A0"; color: #0a6 }
.says { white-space: pre-wrap; overflow-wrap: anywhere }
.buffer article { margin: 0 }
.model > .says { color: #14507a }
img { max-width: 100% }
@media (prefers-color-scheme: dark) {
 body { color: #ddd; background: #1b1b1b }
 .model > .says { color: #8cc4ec }
 summary, .who, .about { color: #aaa }
 details { border-color: #444 }
}
"""


def as_html(export: Export) -> str:
    """The tree as a page: branches fold by themselves, the path that is read is open and marked."""
    title = escape(" ".join(export.tree.loom.title.split()))
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{STYLE}</style>'
    )
    kind = "buffer" if export.is_buffer else "dialogue"
    system = export.tree.loom.system_context if export.wanted.system else None
    about = f"<details><summary>System context</summary>{_says(escape(system))}</details>\n" if system else ""
    body = "".join(_parts(export))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n'
        f'<body class="{kind}"><h1>{title}</h1>\n{about}{body}</body></html>\n'
    )


def _parts(export: Export) -> Iterator[str]:
    nodes = export.tree.nodes
    for step in export.steps():
        match step:
            case Begin():
                is_open = ' class="active" open' if step.is_active else ""
                after = f" after {escape(nodes[step.above].local_id)}" if step.above is not None else ""
                read = ", the path that is read" if step.is_active else ""
                yield f"<details{is_open}><summary>Branch {step.number} of {step.of}{after}{read}</summary>\n"
            case SaidNode():
                yield _article(export, nodes[step.node_id], is_active=step.is_active)
            case Later():
                local_id = escape(nodes[step.node_id].local_id)
                yield f'<p class="about"><a href="#{local_id}">Goes on at {local_id}, below</a></p>\n'
            case _:
                yield "</details>\n"


def _article(export: Export, node: Node, *, is_active: bool) -> str:
    marks = " ".join((node.author_type, *(["active"] * is_active), *(["excluded"] * node.metadata.excluded)))
    is_named = export.wanted.speakers and not export.is_buffer
    who = f'<div class="who">{escape(export.name(node))}</div>' if is_named else ""
    remarks = "".join(f'<div class="about">{escape(remark)}</div>' for remark in export.remarks(node))
    says = "".join(_block(export, node, block) for block in blocks_of(node.content))
    return f'<article id="{escape(node.local_id)}" class="{marks}">{who}{says}{remarks}</article>\n'


def _says(text: str) -> str:
    return f'<div class="says">{text}</div>'


def _block(export: Export, node: Node, block: Block) -> str:
    if isinstance(block, Image):
        data = export.media.get(block.ref)
        if data is not None and block.mime_type in SHOWN_IMAGES:
            source = f"data:{block.mime_type};base64,{base64.b64encode(data).decode()}"
            return f'<img src="{source}" alt="{escape(block.alt_text or "", quote=True)}">'
    text = escape(block_text(block, node.local_id))
    if isinstance(block, AttachedDocument):
        return f"<details><summary>{escape(block.name)}</summary>{_says(text)}</details>"
    return _says(text) if text else ""
