"""The worked cases of the rules in the window: the Context tab says what each says, and the line in the text
of a buffer stands at the character from which on it is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTabBar, QToolButton

from loomapp.core.edits.node_edits import include_annotation
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.text.token_counts import BY_CHARACTERS
from loomapp.formats import loom_json
from loomapp.providers.endpoints import ListedModel, ModelList, keep_list, lists_folder
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.store.grove.open import create_grove
from loomapp.ui.inspector.context.error import ContextError
from loomapp.ui.inspector.context.rows import ContextRow
from loomapp.ui.strings import told
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.widgets.labels import PlainView
from loomapp.ui.window.main_window import MainWindow
from tests.core.context.test_vectors import cases, narrowed, printed_with_texts, request_from
from tests.kit.find import find
from tests.kit.servers.own_endpoints import add_endpoint
from tests.kit.windows import unseen_window

CASES = cases("assembly.json")
APIS = {"dialogue": "chat", "buffer": "completions"}
URL = "http://127.0.0.1:9"  # nobody is asked anything
GAP = "\n\n[...]\n\n"
MARKER = re.compile(r"\[\.\.\. \d+ messages omitted \.\.\.\]")
BUFFER = "buffer: system opted in"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory, qapp: QApplication) -> Iterator[MainWindow]:
    """A window on a grove with the trees of all cases, its Context tab in front."""
    path = tmp_path_factory.mktemp("cases") / "g.loom"
    with create_grove(path) as grove:
        for case in CASES:
            [value] = case.values
            written = {**value["tree"], "tree": {**value["tree"]["tree"], "id": value["name"]}}
            read = loom_json.read(json.dumps(written), lenient=True)
            grove.add_tree(read.tree, read.agents)
    with unseen_window(path) as window:
        window.show()
        window.document.open_tree(BUFFER)  # what a buffer needs is made when there is first one
        QApplication.processEvents()
        yield window


@pytest.mark.parametrize("case", CASES)
def test_a_worked_case_is_shown_as_it_was_worked_out(
    case: dict[str, Any], window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The cases are counted by the estimator that files are; a window is more careful.
    monkeypatch.setattr(type(window.document.counts), "estimator", lambda *_: BY_CHARACTERS)
    expected = case["expected"]

    ask(window, case)

    if "error" in expected:
        assert_error_is_shown(window, expected["error"])
        return
    report = shown_report(window)
    if case["tree"]["tree"]["mode"] == "dialogue":
        said = expected["messages"]
        is_open = said[-1]["role"] == "assistant"  # which a chat model does not go on with
        messages = [*said, {"role": "user", "text": "Continue."}] if is_open else said
        assert narrowed(report, expected) == {**expected, "messages": messages}
        assert messages_in_list(window) == [one["text"] for one in said if not MARKER.fullmatch(one["text"])]
        assert words_in_list(window) == (expected["system"], "\n\n".join(one["text"] for one in said))
    else:
        # A model that goes on with the text itself is not sent the space that a person typed last.
        is_own = case["tree"]["nodes"][-1]["authorType"] == "human"
        sent = expected["document"].rstrip() if is_own else expected["document"]
        assert narrowed(report, expected) == {**expected, "document": sent}
        assert words_in_list(window) == (expected["system"], sent)
        assert lines_in_text(window) == lines_of(window.buffer.text, expected["document"])


def ask(window: MainWindow, case: dict[str, Any]) -> None:
    """Go to the place of a case, with an agent whose model takes as much, and what it attaches."""
    request, mode = request_from(case["arguments"]), case["tree"]["tree"]["mode"]
    assert request.at is not None
    assert request.window is not None
    api = APIS[mode]
    add_endpoint(api, URL, api)
    model = ListedModel(f"m{request.window}", request.window)
    keep_list(base_of(URL, PROTOCOLS[api]), ModelList((model,), 1_790_000_000), lists_folder())
    document = window.document
    prompt = Configuration(system_prompt=request.system_prompt)
    document.agents.put(Agent("one", "One", "model", f"{api}:{model.name}", prompt))
    document.agents.ask_only("one")
    document.open_tree(case["name"])
    document.place.read(request.at)
    for node_id in request.selections or {}:
        document.place.read_through((request.selections or {})[node_id])
    for note_id in request.included_annotations or ():
        change = include_annotation(document.tree, note_id, True, document.pen())
        assert change is not None
        document.commit(change, keeps_current=True)
    window.preview.pending.attach(list(request.context_ids), "context")
    if request.working_buffer:
        editor = window.buffer.view.editor
        editor.set_caret(len(editor.text))
        QTest.keyClicks(editor, request.working_buffer)
    assert document.current_id == request.at
    window.bring_inspector()
    window.inspector.show_context()
    window.preview.refresh_now()


def shown_report(window: MainWindow) -> dict[str, Any]:
    """What the raw form of the Context tab says; the list of it is in front again then."""
    raw = find(window.inspector, QToolButton, "rawContextButton")
    raw.setChecked(True)
    find(window.inspector, QTabBar, "rawTabs").setCurrentIndex(1)
    report = json.loads(find(window.inspector, PlainView, "rawContext").text())
    raw.setChecked(False)
    return printed_with_texts(report)


def rows_in_list(window: MainWindow) -> list[ContextRow]:
    rows = window.inspector.context.rows.shown
    assert rows is not None
    return [rows[number] for number in range(len(rows))]


def words_in_list(window: MainWindow) -> tuple[str | None, str]:
    """The system context and all else that the rows of the list say is sent."""
    rows = rows_in_list(window)
    system = "\n\n".join(row.text for row in rows if row.kind == "system")
    sent = [row for row in rows if row.kind in ("sent", "unsent", "marker")]
    if window.document.tree.loom.mode == "buffer":
        return system or None, "".join(GAP if row.kind == "marker" else row.text for row in sent)
    return system or None, "\n\n".join(row.text for row in sent)


def messages_in_list(window: MainWindow) -> list[str]:
    """The messages that the rows of the list are parts of, as they would be copied."""
    rows = window.inspector.context.rows.shown
    assert rows is not None
    sent = [number for number, row in enumerate(rows_in_list(window)) if row.kind in ("sent", "unsent")]
    return list(dict.fromkeys(rows.message_text(number) for number in sent))


def lines_in_text(window: MainWindow) -> list[int]:
    return [line.position for line in window.buffer.view.margins.cuts]


def lines_of(text: str, document: str) -> list[int]:
    """Where the lines stand: at the end of what is sent before a gap, and where it begins again."""
    if text == document:
        return []
    before, gap, after = document.rpartition(GAP)
    begins = len(text) - len(after if gap else document)
    return [len(before), begins] if before else [begins]


def assert_error_is_shown(window: MainWindow, expected: dict[str, Any]) -> None:
    error, context = window.preview.error, window.inspector.context
    assert error is not None
    assert {"code": error.code, **getattr(error, "details", {})}.items() >= expected.items()
    assert find(context, ErrorStrip, "contextErrorStrip").text == told(error.message)
    assert find(context, ContextError, "contextError").isVisible()
    figures = find(context, QLabel, "contextErrorFigures").text()
    assert all(f"{value:,}" in figures for name, value in expected.items() if name in ("needed", "available"))
