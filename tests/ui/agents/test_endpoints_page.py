"""The page of endpoints and keys: where a key is kept, what is never shown, and the smallest call.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from loomapp import places
from loomapp.core.errors import LoomError
from loomapp.providers.endpoints import PRESETS, endpoint_settings, is_key_name, settings_file
from loomapp.providers.engine import model_files
from loomapp.providers.keys import SESSION_KEYS, Key, find_key, key_file
from loomapp.session.requests.ended_answers import FailedCall
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import now
from loomapp.ui.agents.endpoints_page import EndpointsPage, LocalModelsBox, ModelRow
from loomapp.ui.commands.agents import models
from loomapp.ui.commands.agents.endpoints import new_key_name
from loomapp.ui.widgets.error_strip import ErrorStrip
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import show_active
from tests.kit.find import find
from tests.kit.keychains import Keychain, nowhere, using
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer, fails
from tests.kit.windows import open_window

SECRET = "sk-planted-9876543210"
NAME = "OWN_KEY"


@pytest.fixture
def keychain() -> Iterator[Keychain]:
    chain = Keychain()
    with using(chain):
        yield chain


@pytest.fixture
def no_keychain() -> Iterator[None]:
    with using(nowhere()):
        yield


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(DIALECTS["chat"].answer("Waves.")) as server:
        yield server


@pytest.fixture
def window(tmp_path: Path, server: FakeServer, qtbot: QtBot) -> Iterator[MainWindow]:
    places.config_folder().mkdir(parents=True, exist_ok=True)
    table = f'# mine\n[own]\nbase_url = "{server.url}"\napi = "chat"\nkey_name = "{NAME}"\n'
    settings_file().write_text(table, encoding="utf-8")
    create_grove(tmp_path / "g.loom").close()
    with open_window(tmp_path / "g.loom", qtbot) as window:
        yield window
    SESSION_KEYS.put(NAME, None)


def open_page(window: MainWindow, qtbot: QtBot) -> EndpointsPage:
    models.show_endpoints(window.bench)
    page = find(window, EndpointsPage, "endpointsPage")
    page.choose("own")
    qtbot.waitUntil(lambda: "Looking" not in state(window))
    return page


def state(window: MainWindow) -> str:
    return find(window, QLabel, "keyState").text()


def press(window: MainWindow, name: str) -> None:
    QTest.mouseClick(find(window, QPushButton, name), Qt.MouseButton.LeftButton)


def type_key(window: MainWindow) -> None:
    find(window, QLineEdit, "keyField").setText(SECRET)


def shown_words(window: MainWindow) -> str:
    parts = [w.text() for w in window.findChildren(QLabel)] + [
        w.toolTip() for w in window.findChildren(QWidget)
    ]
    return "\n".join(parts)


def test_a_key_goes_to_the_keychain_is_used_by_the_test_and_forgotten(
    keychain: Keychain, window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    open_page(window, qtbot)
    assert state(window).startswith("None yet")

    type_key(window)
    press(window, "keyToKeychain")
    qtbot.waitUntil(lambda: "keychain" in state(window) and "Looking" not in state(window))

    assert list(keychain.kept.values()) == [SECRET]
    assert find(window, QLineEdit, "keyField").text() == ""
    assert window.focusWidget() is find(window, QLineEdit, "keyField"), "what is pasted again stays here"
    find(window, QLineEdit, "endpointTestModel").setText("m-1")
    press(window, "endpointTest")
    result = find(window, QLabel, "endpointResult")
    qtbot.waitUntil(lambda: result.text().startswith("It works"))
    assert "7 tokens sent, 3 received" in result.text()
    refused = FailedCall("k", now() + 1, "Ann", "own:m-1", LoomError("The key was refused."))
    window.generator.answers.failed_answers.calls.append(refused)
    window.generator.answers.failed.emit(refused.error)
    assert "failed since" in result.text()
    assert "The key was refused." in result.text()
    assert server.received[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in shown_words(window)
    assert SECRET not in settings_file().read_text(encoding="utf-8")

    press(window, "keyForget")
    qtbot.waitUntil(lambda: state(window).startswith("None yet"))
    assert keychain.kept == {}
    assert result.text() == "", "that was with the key"


def test_a_local_model_is_removed_once_that_was_confirmed_and_a_file_of_ones_own_only_forgotten(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = tmp_path / "models", tmp_path / "elsewhere" / "own.gguf"
    monkeypatch.setenv("LOOMAPP_MODEL_DIR", str(folder))
    for path in (folder / "big.gguf", own):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"GGUF" + bytes(2_000_000))
    model_files.add(own)
    page = QWidget()
    qtbot.addWidget(page)
    box = LocalModelsBox(page)
    column = QVBoxLayout(page)
    column.addWidget(box)
    column.addWidget(QLineEdit())
    box.removed.connect(model_files.remove)
    box.removed.connect(lambda _: box.show_models(model_files.models()))
    box.show_models(model_files.models())
    show_active(qtbot, page)
    big, mine = box.findChildren(ModelRow)
    assert big.words.text() == "big · 2.0 MB"
    assert str(own) in mine.words.text()

    for row, said in ((mine, "Your file stays where it is"), (big, "Loomapp cannot fetch this one again")):
        QTest.mouseClick(find(row, QPushButton, "removeModel"), Qt.MouseButton.LeftButton)
        assert [model.name for model in model_files.models()] == ["big", "own"]
        assert said in row.words.text()
        find(row, QPushButton, "keepModel").setFocus()
        QTest.mouseClick(find(row, QPushButton, "keepModel"), Qt.MouseButton.LeftButton)
        assert find(row, QPushButton, "removeModel").hasFocus()
    assert big.words.text() == "big · 2.0 MB"
    for row in (mine, big):
        for _ in range(2):
            QTest.mouseClick(find(row, QPushButton, "removeModel"), Qt.MouseButton.LeftButton)

    assert model_files.models() == []
    assert own.exists()
    assert not (folder / "big.gguf").exists()


@pytest.mark.usefixtures("no_keychain")
def test_without_a_keychain_that_is_said_and_a_file_is_written_only_after_consent(
    window: MainWindow, qtbot: QtBot
) -> None:
    open_page(window, qtbot)
    problem = find(window, ErrorStrip, "keyProblem")
    assert "No keychain can be used on this computer (none is set up)" in problem.text
    assert find(window, QPushButton, "keyToKeychain").isHidden()

    type_key(window)
    press(window, "keyToFile")
    assert not key_file().exists()
    consent = find(window, ErrorStrip, "keyFileConsent")
    assert str(key_file()) in consent.text

    QTest.mouseClick(find(consent, QPushButton, "errorAction"), Qt.MouseButton.LeftButton)
    assert window.focusWidget() is find(window, QLineEdit, "keyField")
    qtbot.waitUntil(lambda: state(window).startswith("In a file"))
    assert stat.S_IMODE(key_file().stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR


@pytest.mark.slow
@pytest.mark.usefixtures("no_keychain")
def test_a_key_for_this_session_is_written_nowhere(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    open_page(window, qtbot)
    type_key(window)
    press(window, "keyToSession")
    qtbot.waitUntil(lambda: state(window).startswith("Until Loomapp ends"))

    found = find_key(NAME, SESSION_KEYS)
    assert found is not None
    assert found.text == SECRET
    home = places.config_folder().parent
    files = [p for folder in (home, tmp_path) for p in folder.rglob("*") if p.is_file()]
    assert not [p for p in files if SECRET.encode() in p.read_bytes()]


@pytest.mark.slow
def test_a_key_from_the_environment_is_named_and_not_shown(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NAME, SECRET)
    open_page(window, qtbot)

    assert state(window).startswith(f"From the environment: {NAME}")
    assert find(window, QLineEdit, "keyField").isHidden()
    assert SECRET not in shown_words(window)


@pytest.mark.slow
@pytest.mark.usefixtures("no_keychain")
def test_a_refused_test_says_so_in_a_line(window: MainWindow, server: FakeServer, qtbot: QtBot) -> None:
    server.scripts[:] = [fails(401)]
    open_page(window, qtbot)
    type_key(window)
    press(window, "keyToSession")
    qtbot.waitUntil(lambda: state(window).startswith("Until"))

    model = find(window, QLineEdit, "endpointTestModel")
    model.setText("m-1")
    press(window, "endpointTest")
    assert window.focusWidget() is model
    model.returnPressed.emit()

    result = find(window, QLabel, "endpointResult")
    qtbot.waitUntil(lambda: "Asking" not in result.text())
    assert "key" in result.text()
    qtbot.waitUntil(lambda: not result.visibleRegion().isEmpty())
    assert "401 · “" in result.text(), "as in the log: the status and the server's sentence"
    assert len(server.received) == 1


@pytest.mark.usefixtures("no_keychain")
def test_a_key_can_be_set_where_none_was_needed_so_far(
    window: MainWindow, server: FakeServer, qtbot: QtBot
) -> None:
    page = open_page(window, qtbot)
    find(window, QLineEdit, "endpointKeyName").clear()
    page.form.flush()
    assert endpoint_settings()["own"].key_name == ""

    area, field = find(page, QScrollArea, "endpointArea"), find(window, QLineEdit, "keyField")
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    assert not area.viewport().rect().contains(field.mapTo(area.viewport(), field.rect().center()))
    page.focus_key()
    assert window.focusWidget() is field
    assert area.viewport().rect().contains(field.mapTo(area.viewport(), field.rect().center()))
    assert state(window).startswith("None is needed so far")
    type_key(window)
    press(window, "keyToSession")
    qtbot.waitUntil(lambda: state(window).startswith("Until"))

    assert endpoint_settings()["own"].key_name == find(window, QLineEdit, "endpointKeyName").text() != ""
    find(window, QLineEdit, "endpointTestModel").setText("m-1")
    press(window, "endpointTest")
    qtbot.waitUntil(lambda: len(server.received) == 1)
    assert server.received[0].headers["authorization"] == f"Bearer {SECRET}"
    SESSION_KEYS.put(endpoint_settings()["own"].key_name, None)


@pytest.mark.usefixtures("no_keychain")
def test_a_key_goes_over_plain_http_to_another_computer_only_when_that_was_allowed(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_page(window, qtbot)
    type_key(window)
    press(window, "keyToSession")
    qtbot.waitUntil(lambda: state(window).startswith("Until"))
    find(window, QLineEdit, "endpointUrl").setText("http://192.0.2.7/v1")
    qtbot.waitUntil(lambda: endpoint_settings()["own"].base_url == "http://192.0.2.7/v1")

    find(window, QLineEdit, "endpointTestModel").setText("m-1")
    press(window, "endpointTest")
    result = find(window, QLabel, "endpointResult")
    qtbot.waitUntil(lambda: "unencrypted" in result.text())

    strip = find(window, ErrorStrip, "plainHttp")
    assert "unencrypted" in strip.text
    QTest.mouseClick(find(strip, QPushButton, "errorAction"), Qt.MouseButton.LeftButton)
    assert endpoint_settings()["own"].plain_http
    find(window, QLineEdit, "endpointUrl").setText("http://192.0.2.8/v1")
    page.form.flush()
    assert not endpoint_settings()["own"].plain_http

    SESSION_KEYS.put("OPENAI_API_KEY", Key(SECRET, "session"))
    find(window, QLineEdit, "endpointUrl").setText("https://192.0.2.8/v1")
    find(window, QLineEdit, "endpointKeyName").setText("OPENAI_API_KEY")
    page.form.flush()
    press(window, "endpointTest")
    qtbot.waitUntil(lambda: "the key of OpenAI would go to https://192.0.2.8/v1" in result.text())
    qtbot.waitUntil(lambda: "key of OpenAI" in strip.text and not strip.isHidden())
    QTest.mouseClick(find(strip, QPushButton, "errorAction"), Qt.MouseButton.LeftButton)
    assert endpoint_settings()["own"].lent_key
    find(window, QLineEdit, "endpointUrl").setText("https://192.0.2.9/v1")
    page.form.flush()
    assert not endpoint_settings()["own"].lent_key
    SESSION_KEYS.put("OPENAI_API_KEY", None)


@pytest.mark.slow
def test_endpoints_are_made_changed_and_removed_and_the_rest_of_the_file_stays(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_page(window, qtbot)
    press(window, "newEndpoint")
    made = page.chosen_id
    name = find(window, QLineEdit, "endpointName")
    assert window.focusWidget() is name
    assert name.selectedText() == name.text(), "what is typed next is another one"
    name.setText("Attic")
    page.form.flush()
    page.choose("ollama")
    find(window, QLineEdit, "endpointUrl").setText("http://localhost:9999/v1")
    page.form.flush()

    settings = endpoint_settings()
    assert settings[made].name == "Attic"
    assert settings["ollama"].base_url == "http://localhost:9999/v1"
    assert settings["ollama"].silence_s == PRESETS["ollama"].silence_s, "what has no field stays"
    assert settings_file().read_text(encoding="utf-8").startswith("# mine\n[own]\n")

    press(window, "removeEndpoint")
    page.choose(made)
    press(window, "removeEndpoint")
    assert endpoint_settings() == {**PRESETS, "own": settings["own"]}

    page.choose("own")
    settings_file().write_text('[own]\nname = "Mi', encoding="utf-8")  # in another program
    name.setText("Mine")
    page.form.flush()
    assert "line 2" in window.bench.views.text_pane.errors.text


@pytest.mark.slow
@pytest.mark.usefixtures("no_keychain")
def test_while_ones_own_file_cannot_be_read_the_page_says_why_and_shows_the_presets(
    window: MainWindow, qtbot: QtBot
) -> None:
    settings_file().write_text('[own]\nname = "Mi', encoding="utf-8")

    models.show_endpoints(window.bench)

    page = find(window, EndpointsPage, "endpointsPage")
    assert "line 2" in find(page, ErrorStrip, "endpointsProblem").text
    assert [page.list.item(row).text() for row in range(2)] == ["Anthropic", "OpenAI"]
    assert find(page, QLineEdit, "endpointName").text() == "Anthropic"


def test_a_key_in_the_address_or_in_place_of_its_name_is_refused_and_written_nowhere(
    window: MainWindow, qtbot: QtBot
) -> None:
    page = open_page(window, qtbot)
    SESSION_KEYS.put(NAME, Key(SECRET, "session"))
    fault = find(window, QLabel, "endpointFault")
    address = endpoint_settings()["own"].base_url
    for field, words in (
        ("endpointUrl", f"{address}?key=anything"),
        ("endpointUrl", f"{address}#anything"),
        ("endpointUrl", f"{address}/{SECRET}"),
        ("endpointKeyName", SECRET),
    ):
        line = find(window, QLineEdit, field)
        before = line.text()
        line.setText(words)
        page.form.flush()

        assert "a field of its own" in fault.text()
        assert settings_file().read_text(encoding="utf-8").splitlines()[2] == f'base_url = "{address}"'
        assert SECRET not in settings_file().read_text(encoding="utf-8")
        line.setText(before)
        assert fault.text() == ""


@pytest.mark.parametrize(
    ("endpoint_id", "name"),
    [
        ("lamp", "LAMP_API_KEY"),
        ("a-b", "A_B_API_KEY2"),
        ("3090", "ENDPOINT_3090_API_KEY"),
        ("größe", "GR_SSE_API_KEY"),
        ("日本", "ENDPOINT____API_KEY"),
    ],
)
def test_a_first_key_gets_a_name_that_can_be_written_down_and_is_no_other_servers(
    endpoint_id: str, name: str
) -> None:
    assert new_key_name(endpoint_id, {"A_B_API_KEY"}) == name
    assert is_key_name(name)
