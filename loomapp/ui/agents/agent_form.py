"""The form of one agent: name, colour, model, prompt and sampling, each handed on as it is typed."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from loomapp.core.context.settings import AppContextSettings
from loomapp.core.generation.agent_presets import (
    parsed_parameters,
    parsed_stops,
    written_parameters,
    written_stops,
)
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.text.token_counts import estimate
from loomapp.ui import figures
from loomapp.ui.agents.awareness_box import AwarenessBox
from loomapp.ui.agents.capability_box import CapabilityBox
from loomapp.ui.agents.fields import LINE_PX, Colours, OptionalNumber, Words, field, share, temperature, whole
from loomapp.ui.agents.model_field import ModelField
from loomapp.ui.look import theme
from loomapp.ui.strings import tr
from loomapp.ui.trees.context_lines import token_words
from loomapp.ui.widgets.fields import Line
from loomapp.ui.widgets.labels import label, rule

PAUSE_MS = 400
TOP_P = "top_p"


class AgentForm(QWidget):
    """Shows an `Agent` and emits edited ones; what is being typed is never overwritten by what comes back."""

    edited = Signal(object)  # Agent
    models_asked = Signal(str, bool)  # endpoint id: which models has it; whether to ask it again
    forget_asked = Signal(str)  # model reference
    window_told = Signal(str, object)  # model reference, tokens or None
    images_told = Signal(str, object)  # model reference, whether it takes images, or None
    fill_in_told = Signal(str, object)  # model reference, whether it fills in, or None
    continues_told = Signal(str, object)  # model reference, whether it goes on with a text, or None
    gpu_layers_told = Signal(str, object)  # model reference, how many layers, or None

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agentForm")
        self._agent: Agent | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._build()
        self._connect()

    def show_agent(self, agent: Agent) -> None:
        """Show an agent; of another one what was typed is handed on first."""
        if self._agent is not None and agent.id != self._agent.id:
            self.flush()
        fresh = self._agent is None or agent.id != self._agent.id
        if not fresh and self._pause.isActive():
            self._agent = agent  # something newer stands in the fields
            return
        self._agent = agent
        self._show_fields(agent, fresh=fresh)
        self._pause.stop()
        self._show_words()
        if fresh and agent.type == "model":
            self.models_asked.emit(self.model.endpoint_id, False)

    @property
    def agent_id(self) -> str:
        """Return the id of the agent that is shown; "" before there is one."""
        return "" if self._agent is None else self._agent.id

    def focus_name(self) -> None:
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name.selectAll()

    def flush(self) -> None:
        """Hand on what was typed, as far as it can be used."""
        self._pause.stop()
        agent = self._agent
        if agent is None:
            return
        edited = self._edited(agent)
        if edited != agent:
            self._agent = edited
            self.edited.emit(edited)

    # Showing

    def _show_fields(self, agent: Agent, *, fresh: bool) -> None:
        configuration = agent.configuration
        if self._name.text() != agent.name:
            self._name.setText(agent.name)
        self._of_model.setVisible(agent.type == "model")
        if agent.type != "model":
            return  # of a person there is the name
        self._colours.show_colour(theme.agent_role(agent).removeprefix("agent."))
        ref = agent.model_ref or ""
        if fresh or self.model.model or ref.startswith(f"{self.model.endpoint_id}:"):
            self.model.show_ref(ref)  # else an endpoint is chosen, and its model not yet
        self._prompt.show_text(configuration.system_prompt or "")
        self._awareness.show_agent(agent)
        self._temperature.show_value(configuration.temperature)
        self._max_tokens.show_value(configuration.max_tokens)
        custom = dict(configuration.custom_parameters)
        top_p = custom.pop(TOP_P, None)
        self._top_p.show_value(top_p if isinstance(top_p, int | float) else None)
        if self._stops_value() != configuration.stop_sequences:
            self._stops.show_text(written_stops(configuration.stop_sequences))
        if self._parameters_value() != custom:
            self._parameters.show_text(written_parameters(custom))

    def _show_words(self) -> None:
        """Update the notes beside the fields: token count, faults, hints."""
        if self._agent is None or self._agent.type != "model":
            return
        self._tokens.setText(token_words(estimate(self._prompt.text.strip())))
        fault = self._parameters_fault()
        self._parameters_said.setText(fault or tr("Sent along as they are. A model may refuse some."))
        theme.set_look(self._parameters_said, tone="error" if fault else "muted")
        if self._temperature.is_sound and self._temperature.value() == 0:
            self._temperature.hint.setText(tr("At 0 all answers are the same."))
        self.refresh_capability()

    def refresh_capability(self) -> None:
        """Show what is known of the model, and whether it takes the stop sequences that are typed."""
        self._capability.show_model(self.model.model_ref)
        self._stops_said.setVisible(bool(self._stops_value()) and not self._capability.takes_stops)

    # What was typed

    def _edited(self, agent: Agent) -> Agent:
        """The agent with what the fields say; a field that cannot be used leaves what was."""
        agent = replace(agent, name=self._name.text().strip() or agent.name)
        if agent.type != "model":
            return agent
        old = agent.configuration
        parameters = self._parameters_value()
        custom = dict(old.custom_parameters) if parameters is None else parameters
        top_p = self._top_p.value() if self._top_p.is_sound else old.custom_parameters.get(TOP_P)
        custom.pop(TOP_P, None)
        if top_p is not None:
            custom[TOP_P] = top_p
        maximum = self._max_tokens.value() if self._max_tokens.is_sound else old.max_tokens
        configuration = Configuration(
            system_prompt=self._prompt.text or None,
            temperature=self._temperature.value() if self._temperature.is_sound else old.temperature,
            max_tokens=None if maximum is None else int(maximum),
            stop_sequences=self._stops_value(),
            custom_parameters=custom,
            extra=old.extra,
        )
        return replace(
            self._awareness.put_into(agent),
            model_ref=self.model.model_ref if self.model.model else agent.model_ref,
            configuration=configuration,
        )

    def _stops_value(self) -> tuple[str, ...]:
        return parsed_stops(self._stops.text)

    def _parameters_value(self) -> dict[str, object] | None:
        """Return the typed parameters; None for what is no JSON object yet."""
        try:
            return parsed_parameters(self._parameters.text)
        except ValueError:
            return None

    def _parameters_fault(self) -> str:
        try:
            parsed_parameters(self._parameters.text)
        except ValueError as error:
            return str(error)
        return ""

    def on_typed(self) -> None:
        self._show_words()
        self._pause.start()

    def on_awareness_chosen(self) -> None:
        """Hand the agent on at once, and tell it what it may do."""
        self.flush()
        if self._agent is not None:
            self._awareness.show_agent(self._agent)

    def on_colour_chosen(self, tint: str) -> None:
        """Hand the agent on at once."""
        if self._agent is not None:
            self._agent = replace(self._edited(self._agent), colour=tint)
            self._pause.stop()
            self.edited.emit(self._agent)

    # Building

    def _build(self) -> None:
        self._name = Line()
        self._name.setObjectName("agentName")
        self._name.setMaximumWidth(LINE_PX)
        self._colours = Colours()
        self.model = ModelField()
        self._capability = CapabilityBox()
        self._prompt = Words("agentPrompt", tr("System prompt"), lines=5)
        self._tokens = label("", "small", "muted")
        self._tokens.setObjectName("agentPromptTokens")
        self._awareness = AwarenessBox()
        self._temperature = OptionalNumber(
            "agentTemperature", tr("Temperature"), temperature, tr("A number from 0 to 2, or nothing.")
        )
        self._top_p = OptionalNumber("agentTopP", tr("Top p"), share, tr("A number from 0 to 1, or nothing."))
        self._max_tokens = OptionalNumber(
            "agentMaxTokens", tr("Longest answer"), whole, tr("A whole number, or nothing.")
        )
        self._max_tokens.line.setPlaceholderText(tr("as the tree says"))
        self._stops = Words("agentStops", tr("Stop sequences"), lines=2, mono=True)
        self._stops_said = label(
            tr("They are not sent: this model takes none."), "small", "warning", wrap=True
        )
        self._stops_said.setObjectName("agentStopsSaid")
        self._stops_said.hide()
        self._parameters = Words("agentParameters", tr("Custom parameters"), lines=4, mono=True)
        self._parameters.setPlaceholderText('{"top_k": 40}')
        self._parameters_said = label("", "small", "muted", wrap=True)
        self._parameters_said.setObjectName("agentParametersSaid")
        self._lay_out()

    def _lay_out(self) -> None:
        page = QVBoxLayout(self)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(16)
        page.addWidget(field(tr("Name"), self._name))
        self._of_model = QWidget()
        page.addWidget(self._of_model)
        page.addStretch(1)
        column = QVBoxLayout(self._of_model)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        column.addWidget(field(tr("Colour"), self._colours))
        column.addWidget(rule())
        column.addWidget(self.model)
        column.addWidget(self._capability)
        column.addWidget(rule())
        column.addWidget(self._prompt_fields())
        column.addWidget(rule())
        column.addWidget(self._awareness)
        column.addWidget(rule())
        column.addWidget(
            field(
                tr("Temperature"), self._temperature, tr("Higher is more surprising, lower more predictable")
            )
        )
        column.addWidget(
            field(
                tr("Top p"),
                self._top_p,
                tr("Only the likeliest tokens that together reach this share; 1 is all"),
            )
        )
        usual = tr("In tokens. Empty: the tree’s “Room for the answer”, {usual} unless you change it")
        usual = usual.format(usual=figures.number(AppContextSettings().token_buffer))
        column.addWidget(field(tr("Longest answer"), self._max_tokens, usual))
        column.addWidget(field(tr("Stop sequences"), self._stops, tr("One per line; \\n is a line break")))
        column.addWidget(self._stops_said)
        parameters = field(
            tr("Custom parameters"), self._parameters, tr("Other settings of the model, as JSON")
        )
        column.addWidget(parameters)
        column.addWidget(self._parameters_said)

    def _prompt_fields(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.addWidget(label(tr("System prompt")), 1)
        head.addWidget(self._tokens)
        column.addLayout(head)
        sent = tr(
            "Goes before the tree's own system context; in a buffer only if the tree's settings say so."
        )
        column.addWidget(label(sent, "small", "muted", wrap=True))
        column.addWidget(self._prompt)
        return box

    def _connect(self) -> None:
        self._name.textEdited.connect(self.on_typed)
        self._colours.chosen.connect(self.on_colour_chosen)
        self.model.changed.connect(self.on_typed)
        self.model.models_asked.connect(self.models_asked)
        self._capability.forget_asked.connect(self.forget_asked)
        self._capability.window_told.connect(self.window_told)
        self._capability.images_told.connect(self.images_told)
        self._capability.fill_in_told.connect(self.fill_in_told)
        self._capability.continues_told.connect(self.continues_told)
        self._capability.gpu_layers_told.connect(self.gpu_layers_told)
        self._awareness.changed.connect(self.on_awareness_chosen)
        self._awareness.typed.connect(self.on_typed)
        for words in (self._prompt, self._stops, self._parameters):
            words.textChanged.connect(self.on_typed)
        for number in (self._temperature, self._top_p, self._max_tokens):
            number.changed.connect(self.on_typed)
