"""Endpoints of one's own on their page: written and dropped, their keys kept and forgotten, and the test."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError, server_words
from loomapp.core.generation.provider import Finished, Request, Usage, UsageReported
from loomapp.core.progress import Progress
from loomapp.providers import keys
from loomapp.providers.endpoints import (
    PRESETS,
    EndpointSetting,
    drop_endpoint,
    endpoint_settings,
    own_endpoints,
    put_endpoint,
    settings_file,
)
from loomapp.providers.engine import model_files
from loomapp.providers.engine.engine import Engine
from loomapp.providers.keys import SESSION_KEYS, Key, KeychainUnavailable, Origin, find_key, key_file
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.registry import provider_for, rules_for
from loomapp.session.background.background_work import BackgroundTask
from loomapp.store.identity import now
from loomapp.ui import figures
from loomapp.ui.agents.endpoints_page import EndpointsPage
from loomapp.ui.commands.agents.asked_models import ask_model_file
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench

BLANK = EndpointSetting("", "", "http://localhost:8080/v1", "chat")


class EndpointDesk(QObject):
    """Serves one page. Long work is a background task; a newer one of the same page cancels the older."""

    def __init__(self, bench: Workbench, page: EndpointsPage) -> None:
        super().__init__(page)
        self._bench, self._page = bench, page
        self._task: BackgroundTask | None = None
        self._looked: set[str] = set()
        self._looking = ""  # the key that is being looked for
        self._problems: dict[str, str] = {}
        self._has_keychain = True  # as far as is known
        self._worked_at = 0  # when the test passed that the form shows
        form = page.form
        page.models.removed.connect(lambda name: self._try(partial(self._remove_model, name)))
        page.models.add_asked.connect(self.on_add_asked)
        page.chosen.connect(self.on_chosen)
        page.new_asked.connect(lambda: self._try(self._make))
        page.removed.connect(lambda endpoint_id: self._try(partial(self._remove, endpoint_id)))
        form.edited.connect(lambda setting: self._try(partial(self._put, setting)))
        form.plain_http_allowed.connect(lambda allowed: self._try(partial(self._allow, allowed=allowed)))
        form.lent_key_allowed.connect(lambda _: self._try(self._lend_key))
        form.test_asked.connect(self.on_test_asked)
        form.key.keep_asked.connect(self.on_keep_asked)
        form.key.forget_asked.connect(self.on_forget_asked)
        bench.work.generator.answers.failed.connect(self.on_answer_failed)

    def refresh(self) -> None:
        self._looked -= {name for name, said in self._problems.items() if said}
        self._try(self._show)

    def close(self) -> None:
        if self._task is not None:
            self._task.end()
            self._task = None

    # Showing

    def on_add_asked(self) -> None:
        """Have a model file chosen; it is then among the others."""
        show = partial(self._try, self._show)
        self._try(partial(ask_model_file, self._bench, show))

    def on_chosen(self, endpoint_id: str) -> None:
        """Show the chosen endpoint; its key is looked for once."""
        self._try(partial(self._show_one, endpoint_id))

    def _show(self) -> None:
        try:
            own, problem = frozenset(own_endpoints(settings_file())), ""
        except LoomError as error:
            own, problem = frozenset(), told(error.message)
        self._page.show_problem(problem)
        self._page.show_endpoints(_known(), own, frozenset(PRESETS))
        self._page.models.show_models(model_files.models())

    def _show_one(self, endpoint_id: str) -> None:
        setting = _known().get(endpoint_id)
        if setting is None:
            return
        key = self._key(setting)
        self._page.form.show_setting(setting, has_key=key is not None)
        self._page.form.suggest_model(self._model_used(endpoint_id))
        self.on_answer_failed()
        name = setting.key_name
        if name and name not in self._looked and key is None:
            self._run(lambda _: keys.look_up(name), partial(self._on_looked, name))
            self._looked.add(name)
            self._looking = name
        self._show_key(setting, busy=name != "" and name == self._looking)

    def _key(self, setting: EndpointSetting) -> Key | None:
        return find_key(setting.key_name, SESSION_KEYS) if setting.key_name else None

    def _show_key(self, setting: EndpointSetting, *, busy: bool = False) -> None:
        box = self._page.form.key
        problem = self._problems.get(_key_name(setting), "")
        key, has_keychain = self._key(setting), self._has_keychain
        box.show_key(
            setting.key_name,
            key,
            file=str(key_file()),
            problem=problem,
            busy=busy,
            has_keychain=has_keychain,
        )

    def _on_looked(self, name: str, problems: object) -> None:
        errors = [one for one in problems if isinstance(one, LoomError)] if isinstance(problems, list) else []
        self._has_keychain = not any(isinstance(error, KeychainUnavailable) for error in errors)
        self._looking = ""
        said = " ".join(told(error.message) for error in errors)
        self._problems[name] = "" if find_key(name, SESSION_KEYS) else said
        self._show_one(self._page.chosen_id)

    def _model_used(self, endpoint_id: str) -> str:
        refs = (agent.model_ref or "" for agent in self._bench.work.document.agents.by_id().values())
        return next((r.partition(":")[2] for r in refs if r.startswith(f"{endpoint_id}:")), "")

    # Endpoints

    def _put(self, setting: EndpointSetting) -> None:
        if not _is_asked_alike(setting):
            self._page.form.show_result("")
        put_endpoint(settings_file(), setting)
        self._show()
        self._bench.work.preview.refresh()

    def _make(self) -> None:
        taken = endpoint_settings()
        number = next(n for n in range(1, len(taken) + 2) if f"own{n}" not in taken)
        name = tr("Own endpoint {number}").format(number=number)
        put_endpoint(settings_file(), replace(BLANK, id=f"own{number}", name=name))
        self._show()
        self._page.choose(f"own{number}")
        self._page.focus_name()

    def _remove(self, endpoint_id: str) -> None:
        drop_endpoint(settings_file(), endpoint_id)
        self._show()

    def _remove_model(self, name: str) -> None:
        model_files.remove(name)
        self._page.models.show_models(model_files.models())
        self._bench.frame.note(tr("{name} is no longer among the models on this computer.").format(name=name))

    def _allow(self, *, allowed: bool) -> None:
        setting = endpoint_settings()[self._page.chosen_id]
        put_endpoint(settings_file(), replace(setting, plain_http=allowed))
        self._show_one(setting.id)

    def _lend_key(self) -> None:
        setting = endpoint_settings()[self._page.chosen_id]
        put_endpoint(settings_file(), replace(setting, lent_key=True))
        self._show_one(setting.id)

    # Keys

    def on_keep_asked(self, key: Key) -> None:
        self._change_key(lambda name: keys.keep(name, key))

    def on_forget_asked(self, origin: Origin) -> None:
        self._change_key(lambda name: keys.forget(name, origin))

    def _change_key(self, change: Callable[[str], object]) -> None:
        setting = self._setting()
        name = _key_name(setting)

        def work(_: Progress) -> LoomError | None:
            try:
                change(name)
            except LoomError as error:
                return error
            return None

        self._run(work, partial(self._on_kept, setting.id, name))

    def _on_kept(self, endpoint_id: str, name: str, problem: object) -> None:
        self._problems[name] = told(problem.message) if isinstance(problem, LoomError) else ""
        self._has_keychain = self._has_keychain and not isinstance(problem, KeychainUnavailable)
        if problem is None:
            self._page.form.key.clear()
            self._page.form.show_result("")
            setting = _known().get(endpoint_id)
            if setting is not None and not setting.key_name:
                self._try(partial(self._put, replace(setting, key_name=name)))
        self._show_one(self._page.chosen_id)
        self._bench.work.preview.refresh()

    # The test

    def on_test_asked(self, model: str) -> None:
        """Ask for one token in the background; the result is a line."""
        if not model:
            self._page.show_result(tr("Name a model to test with."), failed=True)
            return
        ref, engine = f"{self._page.chosen_id}:{model}", self._bench.work.generator.engine
        self._page.show_result(tr("Asking…"), busy=True)
        asked = self._setting()
        answered, failed = partial(self._on_answered, asked), partial(self._on_test_failed, asked)
        self._run(partial(smallest_call, ref, engine), answered, failed)

    def _on_answered(self, asked: EndpointSetting, answered: object) -> None:
        assert isinstance(answered, Answered), "the work's result"
        if not self._is_shown(asked):
            return  # it was changed meanwhile, and the line taken away
        self._worked_at = now()
        words = tr("It works: answered in {seconds} s.").format(seconds=f"{answered.seconds:.1f}")
        usage = answered.usage
        if usage is not None and usage.input_tokens is not None:
            counted = tr("{sent} tokens sent, {got} received.")
            words += " " + counted.format(sent=usage.input_tokens, got=usage.output_tokens or 0)
        self._page.show_result(words)

    def _on_test_failed(self, asked: EndpointSetting, error: LoomError) -> None:
        if not self._is_shown(asked):
            return
        said = server_words(error)
        self._page.show_result("\n".join(filter(None, (told(error.message), said))), failed=True)

    def on_answer_failed(self, _error: object = None) -> None:
        """Say in place of a test that passed what failed there since."""
        calls = self._bench.work.generator.answers.failed_answers.calls
        since = (c for c in reversed(calls) if c.at >= self._worked_at)
        failed = next((c for c in since if c.model_ref.startswith(f"{self._page.chosen_id}:")), None)
        if self._page.form.has_passed and failed is not None:
            words = tr("It worked, but a request failed since, at {when}: {why}")
            said = words.format(when=figures.moment(failed.at), why=told(failed.error.message))
            self._page.form.show_result(said, failed=True)

    # Behind it

    def _setting(self) -> EndpointSetting:
        return _known()[self._page.chosen_id]

    def _is_shown(self, asked: EndpointSetting) -> bool:
        return self._page.chosen_id == asked.id and _is_asked_alike(asked)

    def _run(
        self,
        work: Callable[[Progress], object],
        done: Callable[[object], None],
        failed: Callable[[LoomError], None] | None = None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            self._looked.discard(self._looking)  # it is looked for again when it is shown again
            self._looking = ""
        self._task = BackgroundTask(work, self)
        self._task.done.connect(done)
        self._task.failed.connect(failed or self._bench.frame.show_error)
        self._task.start()

    def _try(self, step: Callable[[], None]) -> None:
        self._bench.frame.run_beside_text(lambda _: step())


def _key_name(setting: EndpointSetting) -> str:
    """The name of an endpoint's key, or the one that it gets with its first key."""
    taken = {one.key_name for one in _known().values()} | os.environ.keys()
    return setting.key_name or new_key_name(setting.id, taken)


def new_key_name(endpoint_id: str, taken: Container[str]) -> str:
    """Return a name for the first key of an endpoint, as environment variables have it. None of those that
    are taken: what is kept under such a name is another server's.
    """
    stem = re.sub("[^A-Z0-9]", "_", endpoint_id.upper())
    stem = stem if stem[:1].isalpha() else f"ENDPOINT_{stem}"
    names = (f"{stem}_API_KEY{number}" for number in ("", *range(2, 1_000)))
    return next(name for name in names if name not in taken)


def _is_asked_alike(setting: EndpointSetting) -> bool:
    """Tell whether an endpoint differs from what is known of it, if that can be read, by nothing that makes a
    difference to a single request.
    """
    known = _known().get(setting.id, setting)
    return replace(known, name=setting.name, at_once=setting.at_once) == setting


def _known() -> Mapping[str, EndpointSetting]:
    """Return all endpoints; the presets alone while the user's own cannot be read."""
    try:
        return endpoint_settings()
    except LoomError:
        return PRESETS


@dataclass(frozen=True, slots=True)
class Answered:
    """Result of a test that worked: its time, and tokens if the endpoint counted them."""

    seconds: float
    usage: Usage | None


def smallest_call(model_ref: str, engine: Engine, tell: Progress) -> Answered:
    """Ask for one token, once. Blocks: for a worker; `tell` raises once nobody waits any more.

    Raises: LoomError, as every request does.
    """
    said = (Message("user", (TextPart("Hi"),)),)
    takes = rules_for(model_ref).takes_messages
    request = Request(
        model_ref, messages=said if takes else (), document=None if takes else "Hi", max_tokens=1
    )
    call, usage, began = Call(), None, time.monotonic()
    try:
        for event in provider_for(model_ref, engine).stream(request, call):
            tell(0, 0)
            match event:
                case UsageReported(usage=counted):
                    usage = counted
                case Finished(usage=counted) if counted is not None:
                    usage = counted
    finally:
        call.stop()
    return Answered(time.monotonic() - began, usage)
