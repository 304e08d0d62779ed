"""What stands on a card: lines, their number, faces for every state.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QBitmap, QFontMetricsF, QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication

from loomapp.core.edits import documents, node_edits, tree_edits
from loomapp.core.edits.documents import documents_of
from loomapp.core.errors import LoomError
from loomapp.core.generation.drafts import Awaited, Draft, LiveDraft
from loomapp.core.generation.provider import ProviderError, Usage
from loomapp.core.model.content import Image, Mixed, Text, ToolUse
from loomapp.core.model.entities import Metadata
from loomapp.core.paths.path import node_sequence
from loomapp.core.prose.passage_edits import leave_out_end, split
from loomapp.ui.dialogue.message.head import meta_of
from loomapp.ui.dialogue.script.entries import Entry, halt_of, named_halt
from loomapp.ui.graph.motion.camera import Camera, Detail
from loomapp.ui.graph.painting import card_signs
from loomapp.ui.graph.painting.card_signs import FoundWords
from loomapp.ui.graph.painting.edges import edge_kind, proposal_style
from loomapp.ui.graph.painting.painter import PAD, mark_of, pad_around, render
from loomapp.ui.graph.scene.card_faces import Standing, draft_face, node_face, words
from loomapp.ui.graph.scene.card_text import line_count, reads_leftwards, squeezed, tail, wrapped
from loomapp.ui.graph.scene.cards import Face, Kind, card_height, name_in, short_name
from loomapp.ui.graph.scene.draft_cards import act_boxes
from loomapp.ui.graph.scene.scene import Scene
from loomapp.ui.look import theme
from loomapp.ui.look.tokens import ThemeName
from tests.core.prose.test_buffer_text import story
from tests.kit import graph_trees as trees
from tests.kit.trees import Hand, do

WIDTH = 140.0

pytestmark = pytest.mark.usefixtures("qapp")


def rich_scene() -> Scene:
    scene = Scene()
    scene.show(trees.rich_tree(), trees.AGENTS)
    scene.set_path(node_sequence(trees.RICH_PATH))
    scene.set_current("logbook")
    scene.set_fates(trees.RICH_FATES)
    scene.set_show_pruned(True)
    scene.settle()
    return scene


@given(st.text(max_size=300))
@example("00000111IN\x1b\x1b\x1b\xd0\u06c0\u07a6{")  # a last letter that reaches over the end of its line
@example("\u0231\u01cc\u012b\u01ea\u0158&\u0145\xb7Z\u0136\u01adillows and\xad")
def test_the_counted_lines_are_those_that_are_painted(text: str) -> None:
    text = squeezed(text)

    lines = wrapped(text, WIDTH, 3, "small")

    assert line_count(text, WIDTH) == max(1, len(lines))
    metrics = QFontMetricsF(theme.font("small"))
    assert all(metrics.horizontalAdvance(line) <= WIDTH + 1 for line in lines)
    if lines and not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_words_that_are_looked_for_are_marked_where_a_card_shows_them() -> None:
    scene, found = rich_scene(), FoundWords()
    of = {scene.key(row): row for row in scene.rows().tolist()}

    found.seek("SHE")

    has = {node_id for node_id, row in of.items() if found.has(scene, row)}
    assert has == {"father", "keeper", "logbook"}
    width, face = scene.index.width, scene.face(of["keeper"])
    places = found.places(face, width)
    assert len(places) == " ".join(wrapped(face.text, width - 20, 3, "small")).lower().count("she")
    assert places[0].left() < places[-1].right() <= width
    found.seek("SHE", match_case=True)
    assert not found.has(scene, of["keeper"])
    found.seek("")
    assert not found.has(scene, of["father"])
    assert found.places(face, width) == []


def test_very_many_cards_are_searched_some_in_each_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    scene, found = rich_scene(), FoundWords()
    camera = Camera().sized(2000, 2000, scene.index.bounds)
    picture = QImage(2000, 2000, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    blank, painter = picture.copy(), QPainter(picture)

    def has_more() -> bool:
        return found.paint(painter, scene, camera, lambda row: camera.rect(scene.box(row)))

    found.seek("she")
    monkeypatch.setattr(card_signs, "SLICE_S", 0)
    monkeypatch.setattr(card_signs, "LEAST", 1)
    assert has_more()
    monkeypatch.undo()
    while has_more():
        pass

    painter.end()
    assert picture != blank


def test_a_cut_text_ends_in_an_ellipsis_and_emoji_stay_whole(qapp: QApplication) -> None:
    text = squeezed("👩‍👩‍👧 and then 🏳️‍🌈 " * 30)

    lines = wrapped(text, WIDTH, 3, "small")

    assert len(lines) == 3
    assert lines[2].endswith("…")
    assert text.startswith(lines[0])
    assert "\ufffd" not in "".join(lines)


def test_text_that_no_font_can_show_is_shown_all_the_same() -> None:
    assert squeezed("a \ud800 b\n\n c") == "a \ufffd b c"


def test_a_growing_text_shows_its_end() -> None:
    long = " ".join(f"word{i}" for i in range(200))

    lines = tail(long, WIDTH)

    assert len(lines) == 3
    assert lines[0].startswith("…")
    assert lines[-1].endswith("word199")
    assert tail("short", WIDTH) == ("short",)
    assert tail("", WIDTH) == ("",)


@pytest.mark.parametrize(("lines", "height"), [(1, 52), (2, 68), (3, 84)])
def test_heights_are_those_of_the_design(lines: int, height: float) -> None:
    assert card_height("message", lines) == height
    assert card_height("note", lines) % 4 == 0


def test_every_state_has_an_outline_or_a_sign_of_its_own() -> None:
    scene = rich_scene()

    faces = {scene.key(row): scene.face(row) for row in range(len(scene.index))}
    signs = {key: [badge.icon for badge in face.badges] for key, face in faces.items()}

    assert faces["root"].kind == "start"
    assert faces["logbook"].outline == "current"
    assert (faces["pasted"].outline, faces["pasted"].quiet, signs["pasted"]) == (
        "no room",
        True,
        ["scissors"],
    )
    assert (faces["style"].struck, faces["style"].quiet, signs["style"]) == (True, True, ["eye-off"])
    assert (faces["colder"].outline, signs["colder"]) == ("pruned", ["leaf"])
    assert signs["weather"] == ["hash", "bookmark"]
    assert signs["boat"] == ["circle-pause"]
    assert signs["edited"] == ["history"]
    assert (faces["tides"].kind, faces["tides"].name) == ("note", "Note")
    assert faces["father"].outline == "plain"


def test_a_card_that_is_sent_in_part_is_on_the_path_and_has_the_sign_of_a_cut() -> None:
    tree = trees.rich_tree()

    face = node_face(tree, tree.nodes["father"], {}, Standing(on_path=True, fate="sent", in_part=True), 3)

    assert (face.outline, face.quiet) == ("path", False)
    assert "scissors" in [badge.icon for badge in face.badges]


def test_a_card_without_words_says_so() -> None:
    tree = trees.rich_tree()

    for text, says in (("", "(empty)"), ("  \n", "(blank)")):
        node = replace(tree.nodes["father"], content=Text(text))
        assert node_face(tree, node, {}, Standing(), 1).text == says


def test_the_authors_name_is_on_every_message() -> None:
    scene = rich_scene()

    names = {scene.face(row).name for row in range(len(scene.index))}

    assert names == {"Start", "You", "Claude Sonnet", "Smol 360M", "Mistral Small", "Note"}


@pytest.mark.parametrize("zoom", [0.3, 0.36, 0.42, 0.48, 0.54, 0.6])
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_the_authors_name_is_on_small_cards_too(zoom: float, lines: int) -> None:
    claude, smol = (Face("message", name, "agent.a1", "The oil came.", lines) for name in ("Claude", "Smol"))

    pictures = [render(face, 164, "lines", zoom, 1).toImage() for face in (claude, smol)]

    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("level", ["cards", "lines"])
@pytest.mark.parametrize("theme_name", ["dark", "light"])
def test_nothing_of_a_card_stands_out_of_its_picture(
    level: Detail, theme_name: ThemeName, qapp: QApplication
) -> None:
    theme.apply(qapp, theme_name)
    scene = rich_scene()
    faces = [scene.face(row) for row in range(len(scene.index))]
    faces += [replace(faces[-1], unread=True), replace(faces[-1], sheets=2)]
    zoom = 1.5 if level == "cards" else 0.45

    for face in faces:
        pad = pad_around(face, level)
        whole = render(face, 164, level, zoom, 1, PAD).toImage()
        tight = render(face, 164, level, zoom, 1, pad).toImage()
        within = QRect(QPoint(PAD - pad, PAD - pad), tight.size())

        assert whole.copy(within) == tight
        assert _rim_is_empty(whole, within)


def _rim_is_empty(image: QImage, within: QRect) -> bool:
    covered = QRegion(QBitmap.fromImage(image.createAlphaMask()))
    return covered.subtracted(QRegion(within)).isEmpty()


@pytest.mark.parametrize("kind", ["message", "note"])
@pytest.mark.parametrize(("level", "zoom"), [("cards", 1.0), ("lines", 0.6), ("lines", 0.3)])
def test_what_nobody_has_looked_at_has_its_dot_at_every_size(level: Detail, zoom: float, kind: Kind) -> None:
    face = Face(kind, "Claude", "agent.a1", "The oil came.", 1)

    seen, unseen = (
        render(one, 164, level, zoom, 1, PAD).toImage() for one in (face, replace(face, unread=True))
    )

    corner = QPoint(round(164 * zoom) + PAD - 3, PAD + 3)
    assert unseen.pixelColor(corner) == theme.colour("accent.base")
    assert seen.pixelColor(corner) != theme.colour("accent.base")


def test_a_name_without_room_is_its_first_word() -> None:
    assert short_name("Claude Sonnet", 200) == "Claude Sonnet"
    assert short_name("Claude Sonnet", 60) == "Claude"
    assert short_name("Claude Sonnet", 30).endswith("…")


def test_a_proposal_says_what_it_asks_for_however_little_room_its_agents_name_has() -> None:
    face = Face("proposal", "Claude Sonnet: delete this?", "agent.a1", "x", 3, asks="delete this?")

    assert name_in(face, 300) == "Claude Sonnet: delete this?"
    assert name_in(face, 130) == "Claude: delete this?"
    assert name_in(face, 80) == "delete this?"
    assert name_in(face, 40).startswith("de")


def test_an_unknown_author_still_has_a_name_and_a_tint() -> None:
    scene = Scene()
    scene.show(trees.rich_tree(), ())
    scene.settle()

    row = scene.row_of("weather")
    assert row is not None
    assert (scene.face(row).name, scene.face(row).tint) == ("Model", "agent.a8")


def test_a_mark_changes_the_face_and_no_position() -> None:
    scene = rich_scene()
    assert scene.tree is not None
    index = scene.index
    node = scene.tree.nodes["keeper"]
    scene.tree.put_node(replace(node, metadata=Metadata(bookmarked=True)))

    scene.patch(trees.marked(scene.tree, ["keeper"], Metadata(bookmarked=True)))
    scene.settle()

    row = scene.row_of("keeper")
    assert row is not None
    assert scene.index is index
    assert [badge.icon for badge in scene.face(row).badges] == ["bookmark"]


def test_a_deleted_note_is_not_counted_on_its_card() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("dialogue", "A note", hand.pen())
    (host,) = do(tree, node_edits.add_node(tree, tree.root_id, "What now?", hand.pen())).added_nodes()
    (note,) = do(tree, node_edits.annotate(tree, host.id, "Ask again.", hand.pen())).added_nodes()
    do(tree, node_edits.edit_note(tree, note.id, "Ask her again.", hand.pen()))
    scene = Scene()
    scene.show(tree, trees.AGENTS)
    scene.settle()

    badges = [badge for row in range(len(scene.index)) for badge in scene.face(row).badges]

    assert [badge.text for badge in badges if badge.icon == "sticky-note"] == []


def test_content_without_words_is_named() -> None:
    image = Image("0" * 64, "image/png")

    assert words(image, "") == "Image"
    assert words(Mixed((ToolUse("1", "look_up", {}),)), "") == "look_up"
    assert words(Mixed((image,)), "") == "Image"


def test_drafts_say_how_far_they_are_or_what_went_wrong() -> None:
    agent = trees.AGENTS[2]
    growing = LiveDraft("d", "x", "smol", Draft(0, "four words of text.."))
    counted = replace(growing, draft=replace(growing.draft, usage=Usage(output_tokens=38), reason="stop"))
    failed = replace(growing, draft=Draft(0, error=LoomError("The server is gone. Start it again.")))

    faces = [draft_face(live, agent, on_path=True) for live in (growing, counted, failed)]

    assert [face.count for face in faces] == ["5 tok", "38 tok", ""]
    assert [face.caret for face in faces] == [True, False, False]
    read = [Entry(one.key, one.draft.text, agent, draft=one.draft) for one in (growing, counted)]
    assert [meta_of(one) for one in read] == ["5 tokens", "38 tokens"]
    assert (faces[2].kind, faces[2].text) == ("failed", "The server is gone. Start it again.")
    assert [act.words for act in faces[2].acts] == ["Retry", ""]
    for awaited, said, share in (
        (Awaited(4), "Waiting · 4\u00a0s", None),
        (Awaited(34), "Nothing yet · 34\u00a0s", None),
        (Awaited(12, 2291, 7161), "Reading 7,161 tokens (32\u00a0%) · 12\u00a0s", 2291 / 7161),
    ):
        face = draft_face(replace(growing, draft=Draft(0, awaited=awaited)), agent, on_path=True)
        assert (face.text, face.bar, face.caret) == (said, share, False)
    several = draft_face(failed, agent, on_path=True, failed=2)
    assert [act.words for act in several.acts] == ["Retry", "Dismiss all", ""]
    keyless = replace(failed, draft=Draft(0, error=ProviderError("authenticationFailed", "No.", status=401)))
    assert draft_face(keyless, agent, on_path=True).text == "401 · No."
    acts = draft_face(keyless, agent, on_path=True, failed=2).acts
    assert set(act_boxes(acts, 164)) == {"key", "retry", "dismiss"}  # for the third there is no room
    assert set(act_boxes(acts, 320)) == {"key", "retry", "dismiss_all", "details", "dismiss"}
    forbidden = Draft(0, error=ProviderError("authenticationFailed", "No.", status=403))
    acts = draft_face(replace(failed, draft=forbidden), agent, on_path=True).acts
    assert [act.words for act in acts] == ["Retry", "Details", ""], "the key is known there"
    halt = halt_of(forbidden)
    assert halt is not None
    assert [words for _, words in halt.acts] == ["Retry", "Details"]
    for said, shown in (
        ("Lost.", f"{agent.name} · Lost."),
        (f"{agent.name} failed.", f"{agent.name} failed."),
    ):
        lost = replace(failed, draft=Draft(0, error=ProviderError("serverError", said)))
        named = named_halt(lost, {lost.agent_id: agent})
        assert named is not None
        assert named.sentence == shown, "no name twice"


def test_a_card_of_a_proposal_shows_how_its_words_begin() -> None:
    live = LiveDraft(
        "proposal:1", "root", "claude", Draft(0, "She counts what she has. " * 9), proposal="annotate"
    )
    face = draft_face(live, None, on_path=False)

    pictures = [
        render(one, WIDTH, "cards", 1, 1) for one in (face, replace(face, text=face.text + " Always."))
    ]

    assert pictures[0].toImage() == pictures[1].toImage()
    scene = rich_scene()
    scene.set_drafts([live])
    scene.settle()
    row = scene.row_of(live.key)
    assert row is not None
    assert edge_kind(scene, row) == "proposal"
    assert proposal_style(scene, row).dash


def test_the_thread_passes_by_a_part_of_a_text_that_is_read_in_one_piece() -> None:
    tree, (_, whole, after), hand = story("The sea is wide.", " Gulls cry.")
    do(tree, split(tree, (tree.root_id, whole, after), whole, 4, hand.pen()))
    part = next(node.id for node in tree.nodes.values() if node.text == "sea is wide.")
    scene = Scene()
    scene.show(tree, trees.AGENTS)
    scene.set_path(node_sequence((tree.root_id, whole, after)))
    scene.settle()

    kinds = [edge_kind(scene, row) for i in (whole, part, after) if (row := scene.row_of(i)) is not None]

    assert kinds == ["active"] * 3


def test_scripts_from_right_to_left_are_known() -> None:
    assert reads_leftwards("«هذا نص")
    assert not reads_leftwards("a هذا")
    assert not reads_leftwards("12 …")


@pytest.mark.parametrize("zoom", [0.35, 0.5])
def test_a_small_card_keeps_the_sign_of_what_neither_its_edge_nor_its_words_tell(zoom: float) -> None:
    tree = trees.rich_tree()
    agents = {agent.id: agent for agent in trees.AGENTS}
    refused = node_face(tree, tree.nodes["father"], agents, Standing(on_path=True, fate="refused"), 3)
    broken = node_face(tree, tree.nodes["boat"], agents, Standing(), 3)
    excluded = node_face(tree, tree.nodes["style"], agents, Standing(), 3)
    *_, failed = (draft_face(live, agents.get(live.agent_id), on_path=False) for live in trees.rich_drafts())

    cut = node_face(tree, tree.nodes["father"], agents, Standing(on_path=True, cut=True), 3)
    marks = [mark_of(face) for face in (refused, broken, failed, cut)]
    signs = ["circle-alert", "circle-pause", "circle-alert", "arrow-right-to-line"]
    assert [mark and mark.icon for mark in marks] == signs
    assert [badge.text for badge in cut.badges] == ["cut"]
    assert mark_of(excluded) is None
    for face in (refused, broken, failed, cut):
        bare = replace(face, badges=(), sign="")
        small = (render(one, 164, "lines", zoom, 1).toImage() for one in (face, bare))
        assert len(set(map(bytes, (image.constBits() for image in small)))) == 2


def test_a_growing_text_begins_where_its_card_begins() -> None:
    live = trees.rich_drafts()[0]
    began = replace(live, draft=Draft(0, " He put down the broom."))

    assert draft_face(began, None, on_path=True).text == "He put down the broom."


@pytest.mark.slow
def test_a_version_that_only_leaves_out_spaces_is_not_counted_on_a_card() -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "A story", hand.pen())
    do(tree, node_edits.add_node(tree, tree.root_id, "open ", hand.pen()))
    do(tree, leave_out_end(tree, [tree.root_id, tree.path.leaf_id], 4, hand.pen()))
    scene = Scene()
    scene.show(tree, trees.AGENTS)
    scene.set_path(node_sequence((tree.root_id, tree.path.leaf_id)))
    scene.settle()

    badges = [badge for row in range(len(scene.index)) for badge in scene.face(row).badges]

    assert [badge.text for badge in badges if badge.icon == "history"] == []


def test_a_document_is_one_card_with_its_name_and_the_newest_version_that_is_sent() -> None:
    grower, hand = trees.Grower(), Hand()
    grower.node("root")
    scene = Scene()
    for text in ("an oak", "two oaks", "a wood"):
        do(grower.tree, documents.write_document(grower.tree, "Trees", text, hand.pen()))
    [document] = documents_of(grower.tree)
    first, second, newest = (node.id for node in document.versions)
    scene.show(grower.tree, ())

    def shown() -> tuple[str, str]:
        scene.settle()
        row = scene.row_of(first)
        assert row is not None
        assert {scene.row_of(second), scene.row_of(newest)} == {row}
        return scene.key(row), scene.face(row).text

    assert shown() == (newest, "Trees · a wood")
    scene.set_fates({"root": "sent", first: "sent", second: "excluded"})
    assert shown() == (first, "Trees · an oak")
    scene.set_current(second)
    assert shown() == (second, "Trees · two oaks")
    scene.set_current("root")
    scene.set_fates({"root": "sent"})
    assert shown() == (newest, "Trees · a wood")
