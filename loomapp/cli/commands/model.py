"""`loomapp model list|fetch|add|remove`: the files of local models."""

from __future__ import annotations

from pathlib import Path

from loomapp.cli.arguments import DONE, Namespace, Parser
from loomapp.cli.output import ProgressLine, one_line, say, say_json, tell
from loomapp.providers.engine import model_files
from loomapp.providers.engine.model_fetch import KNOWN_MODELS, SMOLLM2
from loomapp.providers.engine.model_files import ModelFile


def add_no_arguments(_parser: Parser) -> None: ...


def list_models(arguments: Namespace) -> int:
    """Prints a line a model that is here."""
    models = model_files.models()
    if arguments.json:
        say_json({"models": [_to_json(model) for model in models]})
        return DONE
    for model in models:
        say(f"{one_line(model.model_ref)}  {model.size_bytes / 1e6:.0f} MB  {one_line(str(model.path))}")
    if not models:
        tell(f"no local model yet; fetch the small one ({SMOLLM2.download_bytes / 1e6:.0f} MB): model fetch")
    return DONE


def add_name_argument(parser: Parser) -> None:
    names = tuple(KNOWN_MODELS)
    help_ = f"one of: {', '.join(names)}"
    parser.add_argument("name", nargs="?", default=SMOLLM2.name, choices=names, metavar="NAME", help=help_)


def fetch(arguments: Namespace) -> int:
    """Fetches a model, if it is not here yet, and prints where it is. Raises: ModelMissing."""
    progress = ProgressLine()

    def show(received: int, total: int) -> None:
        progress.show(f"fetching {arguments.name} {received / max(1, total):.0%}")

    try:
        path = model_files.fetch(arguments.name, on_progress=show)
    finally:
        progress.show("")
    say_json({"name": arguments.name, "path": str(path)}) if arguments.json else say(one_line(str(path)))
    return DONE


def add_file_argument(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE.gguf", help="a model file; it stays where it is")


def add(arguments: Namespace) -> int:
    """Makes a model file usable and prints how agents name it. Raises: InvalidInput."""
    model = model_files.add(Path(arguments.file))
    say_json(_to_json(model)) if arguments.json else say(one_line(model.model_ref))
    return DONE


def add_required_name(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="as `loomapp model list` names it")


def remove(arguments: Namespace) -> int:
    """Forgets a model. Raises: InvalidInput if there is none of that name."""
    name = arguments.name.removeprefix("local:")
    model_files.remove(name)
    say_json({"removed": name}) if arguments.json else say(f"removed {one_line(name)}")
    return DONE


def _to_json(model: ModelFile) -> dict[str, object]:
    value = {"name": model.name, "modelRef": model.model_ref, "path": str(model.path)}
    return {**value, "sizeBytes": model.size_bytes, "isOwn": model.is_own}


COMMANDS = {
    "model list": (add_no_arguments, list_models),
    "model fetch": (add_name_argument, fetch),
    "model add": (add_file_argument, add),
    "model remove": (add_required_name, remove),
}
