"""Facts known of an agent's model: how a Buffer goes to it, its window, and what it was found to refuse."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from loomapp.core.errors import LoomError
from loomapp.providers.capability import BufferForm, Capability, capability_of
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.providers.registry import loads_model
from loomapp.ui import figures
from loomapp.ui.agents.fields import OptionalNumber, field, whole
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.widgets.form import ChoiceField
from loomapp.ui.widgets.labels import label
from loomapp.ui.widgets.rows import FactList
from loomapp.ui.widgets.words import amounts

TOLD = {None: "", True: "yes", False: "no"}
MEANT = {value: told for told, value in TOLD.items()}


class CapabilityBox(QWidget):
    """Facts of one model, and a way to forget what was learned."""

    forget_asked = Signal(str)  # model reference
    window_told = Signal(str, object)  # model reference, tokens or None
    images_told = Signal(str, object)  # model reference, whether it takes images, or None
    fill_in_told = Signal(str, object)  # model reference, whether it fills in, or None
    continues_told = Signal(str, object)  # model reference, whether it goes on with a text, or None
    gpu_layers_told = Signal(str, object)  # model reference, how many layers, or None

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("agentCapability")
        self._model_ref = ""
        self.takes_stops = True  # of the model that is shown, as far as is known
        self._facts = FactList(self)
        self._learned = label("", "small", "secondary", wrap=True)
        self._learned.setObjectName("agentLearned")
        self._forget = QPushButton(tr("Forget what was learned or told"), self)
        self._forget.setObjectName("agentForget")
        self._forget.setAccessibleName(tr("Forget what was learned or told about this model"))
        theme.set_look(self._forget, kind="link")
        kept = self._forget.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # or the fields below move while one is typed in
        self._forget.setSizePolicy(kept)
        self._forget.clicked.connect(lambda: self.forget_asked.emit(self._model_ref))
        self._window = OptionalNumber(
            "agentWindow", tr("Context window in tokens"), whole, tr("A whole number, or nothing.")
        )
        self._window.line.setPlaceholderText(tr("as above"))
        self._window.line.editingFinished.connect(self.on_window_typed)
        self._window_row = field(
            tr("Context window, your own value"), self._window, tr("In tokens, question and answer together")
        )
        self._layers = OptionalNumber(
            "agentGpuLayers", tr("Layers on the graphics card"), whole, tr("A whole number, or nothing.")
        )
        self._layers.line.setPlaceholderText(tr("none"))
        self._layers.line.editingFinished.connect(self.on_layers_typed)
        self._layers_row = field(
            tr("Layers on the graphics card"),
            self._layers,
            tr("If the installed xllamacpp can use one; 999 puts all of them there"),
        )
        self._images = ChoiceField(
            [("", tr("As above")), ("yes", tr("It takes images")), ("no", tr("It takes none"))]
        )
        self._images.setObjectName("agentImages")
        self._images.setAccessibleName(tr("Images, your own value"))
        self._images.activated.connect(self.on_images_chosen)
        self._images_row = field(
            tr("Images, your own value"),
            self._images,
            tr("If it takes none, only the names of images are sent"),
        )
        self._continues = ChoiceField(
            [
                ("", tr("As above")),
                ("yes", tr("As it is, to be continued")),
                ("no", tr("As a message that asks for its continuation")),
            ]
        )
        self._continues.setObjectName("agentContinues")
        self._continues.setAccessibleName(tr("How a buffer is sent, your own value"))
        self._continues.activated.connect(self.on_continues_chosen)
        self._continues_row = field(
            tr("How a buffer is sent, your own value"),
            self._continues,
            tr("“As it is” suits base models, and goes out by text Completions"),
        )
        self._fill_in = ChoiceField(
            [("", tr("As above")), ("yes", tr("It fills in")), ("no", tr("It does not"))]
        )
        self._fill_in.setObjectName("agentFillIn")
        self._fill_in.setAccessibleName(tr("Filling in, your own value"))
        self._fill_in.activated.connect(self.on_fill_in_chosen)
        self._fill_in_row = field(
            tr("Filling in, your own value"),
            self._fill_in,
            tr("Only where its server knows `suffix`: llama.cpp and others ignore it and just go on"),
        )
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._learned)
        row.addWidget(self._forget)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._facts)
        column.addLayout(row)
        column.addSpacing(6)
        column.addWidget(self._window_row)
        column.addWidget(self._layers_row)
        column.addWidget(self._images_row)
        column.addWidget(self._continues_row)
        column.addWidget(self._fill_in_row)

    def show_model(self, model_ref: str) -> None:
        if model_ref != self._model_ref:
            self._window.line.setModified(False)
            self._layers.line.setModified(False)
        self._model_ref = model_ref
        self.setHidden(not model_ref.partition(":")[0])  # of nobody nothing is known
        is_here = loads_model(model_ref)
        self._layers_row.setVisible(is_here)
        self._images_row.setVisible(not is_here)
        try:
            known = capability_of(model_ref)
        except LoomError as error:
            self._facts.show_facts([])
            self._fill_in_row.hide()
            self._continues_row.hide()
            self._learned.setText(told(error.message))
            self._forget.hide()
            return
        if not self._window.line.isModified():
            self._window.show_value(known.rules.context_window if known.window_from == "user" else None)
        if not self._layers.line.isModified():
            self._layers.show_value(known.rules.gpu_layers or None)
        self._images.show_value(TOLD[known.images_told])
        self._fill_in.show_value(TOLD[known.fill_in_told])
        self._continues.show_value(TOLD[known.continues_told])
        self._continues_row.setVisible(known.protocol == PROTOCOLS["chat"].text)
        self._fill_in_row.setVisible(known.rules.continues_documents and not known.is_here)
        self._facts.show_facts([*_facts(known), (tr("Quality"), quality_words(model_ref))])
        words = learned_words(known)
        self._learned.setText(words)
        self._learned.setVisible(bool(words))
        self._forget.setVisible(known.is_changed)
        self.takes_stops = known.takes_stops

    def on_images_chosen(self) -> None:
        """Tell what the user says of images, or that he says nothing any more."""
        self.images_told.emit(self._model_ref, MEANT[self._images.value()])

    def on_continues_chosen(self) -> None:
        """Tell what the user says of going on with a text, or that he says nothing any more."""
        self.continues_told.emit(self._model_ref, MEANT[self._continues.value()])

    def on_fill_in_chosen(self) -> None:
        """Tell what the user says of filling in, or that he says nothing any more."""
        self.fill_in_told.emit(self._model_ref, MEANT[self._fill_in.value()])

    def on_window_typed(self) -> None:
        """Tell the size of the context window that the user typed, or that it was cleared."""
        if self._window.is_sound and self._window.line.isModified():
            self._window.line.setModified(False)
            self.window_told.emit(self._model_ref, self._window.value())

    def on_layers_typed(self) -> None:
        """Tell how many layers the user wants on the graphics card, or that none are wanted any more."""
        if self._layers.is_sound and self._layers.line.isModified():
            self._layers.line.setModified(False)
            self.gpu_layers_told.emit(self._model_ref, self._layers.value())


def buffer_words(form: BufferForm) -> str:
    """Return words for the form in which a Buffer goes out."""
    words = {
        "completions": tr("as it is, to be continued (completions)"),
        "prefill": tr("as the beginning of the answer (prefill)"),
        "instruction": tr("as a message that asks for its continuation (instruction)"),
    }
    return words[form]


def _facts(known: Capability) -> list[tuple[str, str | QWidget]]:
    rules = known.rules
    answers = tr("up to {count}") if rules.max_choices > 1 else tr("one")
    return [
        (tr("Protocol"), known.protocol),
        (tr("How a buffer is sent"), buffer_words(known.buffer_form)),
        (tr("Fills in"), fill_in_words(known)),
        (tr("Context window"), window_words(known)),
        (tr("Answers a call"), answers.format(count=rules.max_choices)),
        (tr("Longest answer"), "" if rules.max_output is None else _tokens(rules.max_output)),
        (tr("Images"), tr("are sent") if rules.accepts_images else tr("only their names are sent")),
        (tr("Stop sequences"), "" if known.takes_stops else tr("are not sent: it takes none")),
        (tr("Cache"), tr("the beginning that requests share is cached") if rules.caches else ""),
    ]


def fill_in_words(known: Capability) -> str:
    """Return words on whether the model can fill in between two texts, and if not, why."""
    if known.rules.fills_in and known.rules.continues_documents:
        return tr("yes, at the caret: set by you")
    if known.is_here:
        return tr("no: the embedded engine takes no text after the caret")
    if not known.rules.continues_documents:
        return tr("no: only text completions have a place for the text after the caret")
    if known.fill_in_told is False:
        return tr("no, set by you")
    return tr("not known: say so below if it does") if known.learned_at is None else tr("no")


def quality_words(model_ref: str) -> str:
    """Return words on what is to be expected of the model that comes along; empty for another."""
    is_small = model_ref == DEFAULT_MODEL_REF
    return tr("a very small model, to try everything offline; a larger one writes better") if is_small else ""


def window_words(known: Capability) -> str:
    """Return words on the size of the context window and where that number is from."""
    words = {
        "own": tr("{tokens}, question and answer together"),
        "table": tr("{tokens}, as such models usually have"),
        "guess": tr("{tokens}, assumed: its endpoint does not say"),
        "list": tr("{tokens}, as its endpoint tells"),
        "refusal": tr("{tokens}, learned when it refused more"),
        "user": tr("{tokens}, set by you"),
    }
    said = words[known.window_from].format(tokens=_tokens(known.rules.context_window))
    if known.most_window is not None and known.most_window > known.rules.context_window:
        more = tr("{words}; its file allows {most}, which takes more memory: set it below")
        return more.format(words=said, most=_tokens(known.most_window))
    return said


def _tokens(count: int) -> str:
    return amounts.tokens(count)


def learned_words(known: Capability) -> str:
    """`This model ignores temperature; learned 12:03`; nothing if all is as the table has it."""
    if known.learned_at is None:
        return tr("You set the context window.") if known.window_from == "user" else ""
    when = figures.moment(known.learned_at)
    refused = ", ".join(sorted(known.rules.refused))
    if refused:
        return tr("This model ignores {names}; learned {when}").format(names=refused, when=when)
    return tr("Partly learned from what it refused; {when}").format(when=when)
