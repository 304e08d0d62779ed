"""`loomapp demo`: the main job without a screen, on the sample grove: three continuations and a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from loomapp import places
from loomapp.cli.answers.agent_run import commit, engine_for, stream
from loomapp.cli.arguments import DONE, INTERRUPTED, Ending, LibraryMissing, Namespace, Parser, ended_in_order
from loomapp.cli.chosen_model import asked_agent
from loomapp.cli.groves import first_tree
from loomapp.cli.output import BY, ProgressLine, one_line, say, say_json
from loomapp.core.errors import LoomError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, assembled_for
from loomapp.core.generation.provider import Request
from loomapp.core.model.agent import Agent
from loomapp.core.model.tree import Tree
from loomapp.core.prose.fill_in import anchor_at
from loomapp.core.sent.record import recorded_request
from loomapp.preflight import install_line, missing_libraries
from loomapp.providers.registry import provider_for, rules_for
from loomapp.runs.streamed_answers import AnswerTarget, StreamedAnswers
from loomapp.store.checks.tree_verification import verify_tree
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import open_or_create

CHOICES = 3
MAX_TOKENS = 80
ATTEMPTS = 4


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--to", metavar="DIR", help="where (default: a demo folder in the user's data)")


def run(arguments: Namespace) -> int:
    """Makes three different continuations, verifies them, saves a picture, and says where all that is.

    Raises: LibraryMissing, ModelMissing, ProviderError, GroveError.
    """
    if missing := missing_libraries():
        raise LibraryMissing(install_line(missing))
    folder = Path(arguments.to) if arguments.to is not None else places.data_folder() / "demo"
    grove_path = Path(arguments.grove) if arguments.grove is not None else folder / "demo.loom"
    picture = grove_path.with_suffix(".png")
    with open_or_create(grove_path) as grove:
        tree = first_tree(grove)
        with ended_in_order() as ending:
            node_ids = _continue(grove, tree, ending)
        if ending.is_asked:
            return INTERRUPTED
        _check(grove, tree, node_ids)
    _save_picture(grove_path, picture)
    _tell(grove_path, picture, tree, node_ids, as_json=arguments.json)
    return DONE


def _continue(grove: Grove, tree: Tree, ending: Ending) -> list[str]:
    """Three different continuations of where the tree is read, in one Change; what there is, if stopped."""
    agent = asked_agent(grove, None)
    at = tree.path.leaf_id
    request = _request(tree, at, agent)
    target = AnswerTarget(grove, tree, agent, at, anchor_at(tree, at), BY, grove.commit, follows=False)
    rules = rules_for(request.model_ref)
    progress = ProgressLine()
    with engine_for(request.model_ref) as engine:
        engine.listen(progress.show_state)
        provider = provider_for(request.model_ref, engine)
        for _ in range(ATTEMPTS):
            printed = stream(request, provider, rules, lambda _event: None, ending=ending)
            outcome = printed.streamed
            if ending.is_asked or outcome.error is not None or _are_different(outcome):
                break
    progress.show("")
    if outcome.error is not None and not ending.is_asked:
        raise outcome.error
    if not _are_different(outcome) and not ending.is_asked:
        raise LoomError("the model wrote the same thing several times; try again")
    return list(commit(target, outcome).values())


def _request(tree: Tree, at: str, agent: Agent) -> Request:
    asked = replace(agent, configuration=replace(agent.configuration, max_tokens=MAX_TOKENS))
    question = AskedQuestion(asked, Sources(at))
    rules = rules_for(agent.model_ref or "")
    return recorded_request(tree, question, rules, assembled_for(tree, question, rules), CHOICES)


def _are_different(outcome: StreamedAnswers) -> bool:
    texts = {draft.text.strip() for draft in outcome.drafts}
    return len(texts) == CHOICES and "" not in texts


def _check(grove: Grove, tree: Tree, node_ids: list[str]) -> None:
    """Raises: LoomError if a new node does not verify against what the file holds now."""
    for finding in verify_tree(grove, tree.loom.id):
        if finding.node_id in node_ids and finding.verdict != "ok":
            raise LoomError(f"{finding.local_id} does not verify: {finding.reason}", nodeId=finding.node_id)


def _save_picture(grove_path: Path, picture: Path) -> None:
    from loomapp import app  # late: it brings Qt

    app.save_picture(grove_path, picture)


def _tell(grove_path: Path, picture: Path, tree: Tree, node_ids: list[str], *, as_json: bool) -> None:
    if as_json:
        where = {"grove": str(grove_path), "picture": str(picture), "treeId": tree.loom.id}
        say_json({**where, "nodeIds": node_ids})
        return
    say(f"grove    {one_line(str(grove_path))}")
    say(f"picture  {one_line(str(picture))}")
    say(f"tree     {tree.loom.id}  {one_line(tree.loom.title)}")
    for node_id in node_ids:
        say(f"node     {node_id}  {one_line(tree.nodes[node_id].text)[:100]}")


COMMANDS = {"demo": (add_arguments, run)}
