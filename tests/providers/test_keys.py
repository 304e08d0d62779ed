"""Keys: their order, the keychain that is there or is not, the file that only its owner reads."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from loomapp.core.generation.provider import ProviderError
from loomapp.providers import keys
from loomapp.providers.endpoints import EndpointSetting
from loomapp.providers.keys import Key, Origin, SessionKeys
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.registry import remote_model
from tests.kit.keychains import Keychain, nowhere
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.providers.outcome import KEY, outcome_of, says


def use(monkeypatch: pytest.MonkeyPatch, backend: KeyringBackend) -> None:
    monkeypatch.setattr(keyring.core, "_keyring_backend", backend)


def test_a_key_is_found_in_the_promised_order(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Keychain())
    session = SessionKeys()
    found = []

    keys.keep("A_KEY", Key("from file", "file"), session)
    found.append(keys.key_for("A_KEY", session, {}))
    keys.keep("A_KEY", Key("from session", "session"), session)
    found.append(keys.key_for("A_KEY", session, {}))
    keys.keep("A_KEY", Key("from keychain", "keychain"), session)
    found.append(keys.key_for("A_KEY", session, {}))
    found.append(keys.key_for("A_KEY", session, {"A_KEY": " from environment "}))

    assert [key and key.origin for key in found] == ["file", "session", "keychain", "environment"]
    assert [key and key.text for key in found] == [f"from {key and key.origin}" for key in found]


def test_what_is_kept_is_found_by_the_next_process_until_it_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chain = Keychain()
    use(monkeypatch, chain)
    origins: tuple[Origin, ...] = ("keychain", "file")
    for origin in origins:
        keys.keep("A_KEY", Key(KEY, origin), SessionKeys())

        assert keys.key_for("A_KEY", SessionKeys(), {}) == Key(KEY, origin)
        keys.forget("A_KEY", origin, SessionKeys())
        assert keys.key_for("A_KEY", SessionKeys(), {}) is None

    assert chain.kept == {}
    assert not keys.key_file().exists()


def test_where_there_is_no_keychain_that_is_said_and_the_file_still_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(monkeypatch, nowhere())
    keys.keep("A_KEY", Key(KEY, "file"), SessionKeys())

    with pytest.raises(keys.KeychainUnavailable, match="for this session only, or in a file"):
        keys.save_key("A_KEY", KEY)
    session = SessionKeys()
    [problem] = keys.look_up("A_KEY", session)

    assert problem.code == "noKeychain"
    assert session.get("A_KEY") == Key(KEY, "file")


def test_a_keychain_that_keeps_nothing_is_found_out() -> None:
    with pytest.raises(keys.KeychainUnavailable):  # the tests' own backend is one of these
        keys.save_key("A_KEY", KEY)


def test_a_keychain_that_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()

    class Asking(Keychain):
        def get_password(self, service: str, username: str) -> str | None:
            answer.wait(60)
            return None

    use(monkeypatch, Asking())
    try:
        with pytest.raises(keys.KeychainUnavailable, match="did not answer"):
            keys.read_key("A_KEY", timeout_s=0.05)
    finally:
        answer.set()
        for thread in threading.enumerate():
            if thread.name == "keychain":
                thread.join()


def test_only_its_owner_reads_the_file() -> None:
    path = keys.key_file()
    keys.keep_key(path, "A_KEY", KEY)
    keys.keep_key(path, "B_KEY", "another")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    assert keys.read_keys(path) == {"A_KEY": KEY, "B_KEY": "another"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_broken_file_of_keys_is_named() -> None:
    path = keys.key_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{oops")

    with pytest.raises(keys.KeyFileFailed, match="not JSON"):
        keys.read_keys(path)


def test_a_key_is_looked_up_when_the_model_is_asked_and_is_told_nobody_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chain = Keychain()
    use(monkeypatch, chain)
    chain.kept["loomapp", "MY_KEY"] = KEY
    with FakeServer(DIALECTS["chat"].answer("Yes")) as server:
        model = remote_model(EndpointSetting("mine", "Mine", server.url, "chat", "MY_KEY"), "m")
        outcome = outcome_of(says("Hello"), model)

    assert outcome.error is None
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{outcome}{chain.kept and model!r}"


def test_the_key_of_another_provider_goes_nowhere_before_that_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = remote_model(
        EndpointSetting("mine", "Mine", "https://proxy.invalid", "chat", "OPENAI_API_KEY"), "m"
    )

    with pytest.raises(ProviderError, match="the key of OpenAI would go to"):
        next(iter(model.stream(says("Hello"), Call())))


def test_without_a_key_the_next_step_is_named() -> None:
    model = remote_model(EndpointSetting("mine", "Mine", "http://localhost:9", "chat", "NO_KEY"), "m")

    with pytest.raises(ProviderError, match="Set NO_KEY, or enter one under Endpoints and keys"):
        next(iter(model.stream(says("Hello"), Call())))
