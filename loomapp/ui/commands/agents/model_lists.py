"""Lists of models on the page of agents: asked of endpoints on a thread, each with its age."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.errors import LoomError
from loomapp.core.progress import Progress
from loomapp.providers.endpoints import EndpointSetting, endpoint_settings
from loomapp.providers.kept_lists import ListedModel, ModelList, kept_list, lists_folder
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import PROVIDERS, listed_models
from loomapp.session.background.background_task import BackgroundTask
from loomapp.ui import figures
from loomapp.ui.agents.agent_form import AgentForm
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench


class ModelListDesk(QObject):
    """Serves one form. Another endpoint, or the end of the window, sends away what is being asked."""

    def __init__(self, bench: Workbench, form: AgentForm) -> None:
        super().__init__(form)
        self._bench, self._form = bench, form
        self._task: BackgroundTask | None = None
        self._call = Call()
        self._asking = ""  # the endpoint that has not answered yet
        form.models_asked.connect(self.on_models_asked)

    def refresh(self) -> None:
        self.on_models_asked(self._form.model.endpoint_id, False)

    def close(self) -> None:
        self._call.stop()
        if self._task is not None:
            self._task.end()
            self._task = None

    def on_models_asked(self, endpoint_id: str, anew: bool) -> None:
        """Show which models an endpoint has; nobody is asked for a form that is not seen."""
        if self._form.isVisible():
            self._bench.frame.run_beside_text(lambda _: self._list(endpoint_id, anew=anew))

    def _list(self, endpoint_id: str, *, anew: bool) -> None:
        if self._asking == endpoint_id and not anew:
            return
        self._send_away()
        field = self._form.model
        field.set_can_ask(endpoint_id not in PROVIDERS)
        if endpoint_id in PROVIDERS:
            here = [ListedModel(name) for name in PROVIDERS[endpoint_id].models()]
            field.show_models(endpoint_id, here, "")
            return
        setting = endpoint_settings().get(endpoint_id)
        if setting is None:
            field.show_models(endpoint_id, (), tr("There is no such endpoint any more."), "warning")
            return
        self._show_used(setting)
        field.show_asking(endpoint_id)
        call = Call()
        self._call, self._asking = call, endpoint_id

        def work(_: Progress) -> ModelList:
            return listed_models(setting, call, anew=anew)

        self._task = BackgroundTask(work, self)
        self._task.done.connect(partial(self._on_listed, endpoint_id))
        self._task.failed.connect(partial(self._on_failed, endpoint_id))
        self._task.start()

    def _send_away(self) -> None:
        """Let go the list that is being asked for; it ends by itself, and nobody waits for it."""
        self._call.stop()
        self._asking = ""
        if self._task is not None:
            self._task.cancel()

    def _show_used(self, setting: EndpointSetting) -> None:
        """Show, until the endpoint has answered, what it said before, else what the user's agents
        ask there.
        """
        known = kept_list(base_of(setting.base_url, PROTOCOLS[setting.api]), lists_folder())
        models = known.models if known is not None else self._used(setting.id)
        self._form.model.show_models(setting.id, models, "")

    def _used(self, endpoint_id: str) -> tuple[ListedModel, ...]:
        refs = (agent.model_ref or "" for agent in self._bench.work.document.agents.by_id().values())
        names = {ref.partition(":")[2] for ref in refs if ref.startswith(f"{endpoint_id}:")}
        return tuple(ListedModel(name) for name in sorted(names))

    def _on_listed(self, endpoint_id: str, listed: object) -> None:
        assert isinstance(listed, ModelList), "the work's result"
        self._asking = ""
        when = figures.moment(int(listed.asked_at * 1000))
        if listed.stale_because:
            words = tr("This list is old, of {when}: {why}").format(when=when, why=listed.stale_because)
            self._form.model.show_models(endpoint_id, listed.models, words, "warning")
        else:
            words = tr("It has {count}, asked {when}. Any other name can be typed too.")
            said = words.format(count=_models(len(listed.models)), when=when)
            self._form.model.show_models(endpoint_id, listed.models, said)
        self._form.refresh_capability()
        self._bench.work.preview.refresh()

    def _on_failed(self, endpoint_id: str, error: LoomError) -> None:
        self._asking = ""
        words = tr("{why} The model's name can be typed all the same.").format(why=told(error.message))
        self._form.model.show_models(endpoint_id, self._used(endpoint_id), words, "warning")


def _models(count: int) -> str:
    return tr("1 model") if count == 1 else tr("{count} models").format(count=figures.number(count))
