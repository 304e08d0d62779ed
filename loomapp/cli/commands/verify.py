"""`loomapp verify` and `loomapp check`: all that can be proved of a grove, what is wrong, what is saved."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loomapp.cli.arguments import DONE, FAILED, Namespace, NotFound, Parser, UsageError, read_file
from loomapp.cli.groves import grove_path, is_not_begun, look_into_named
from loomapp.cli.output import one_line, say, say_json, tell
from loomapp.core.json_values import Json
from loomapp.store.checks.check import CheckReport, check
from loomapp.store.checks.evidence_chain import Held, verify_handed_on
from loomapp.store.checks.grove_verification import Verified, VerifiedTree, verify_grove
from loomapp.store.grove.open import NOT_SEALED
from loomapp.store.salvage.salvage import Salvaged, repair

if TYPE_CHECKING:
    from loomapp.formats.evidence_file import EvidenceReport

_HEAD = re.compile(r"[0-9a-f]{64}")


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", nargs="?", metavar="FILE", help="an evidence file, or any Loom JSON file")
    parser.add_argument("--tree", metavar="ID", help="one tree (default: all)")
    parser.add_argument(
        "--head", metavar="HASH", help="a head that was kept elsewhere: the chain must hold it"
    )


def run(arguments: Namespace) -> int:
    """Prints what fails and a summary; 1 if anything fails."""
    witness = _witness(arguments)
    if arguments.file is not None:
        return _verify_file(arguments, witness)
    verified = Verified((), (), None)
    if arguments.grove is not None or not is_not_begun(arguments):
        with look_into_named(arguments) as grove:
            named = [arguments.tree] if arguments.tree else None
            verified = verify_grove(grove, named, witness=witness)
            if named and not verified.trees:
                raise NotFound(f"there is no tree {arguments.tree} in {grove.path}", treeId=arguments.tree)
    if arguments.json:
        say_json(_to_json(verified, witness))
    else:
        _print(verified)
        _print_chain(verified, witness)
    return _status(verified, witness)


def _status(verified: Verified, witness: str) -> int:
    return FAILED if verified.failed or (witness and verified.since is None) else DONE


def _witness(arguments: Namespace) -> str:
    witness = (arguments.head or "").strip().lower()
    if arguments.head is not None and not _HEAD.fullmatch(witness):
        raise UsageError("--head takes the 64 hexadecimal digits that `loomapp verify` prints")
    return witness


def _verify_file(arguments: Namespace, witness: str) -> int:
    if arguments.tree is not None or arguments.grove is not None:
        raise UsageError("give a FILE, or --tree and --grove for a grove (one of the two)")
    from loomapp.formats import evidence_file  # with the formats, which a grove is verified without

    checked = read_file(arguments.file, evidence_file.check)
    verified, _ = verified_file(checked, witness)
    if arguments.json:
        more = {"sealed": checked.is_sealed, "changed": list(checked.changed)}
        say_json({**_to_json(verified, witness), **more})
    else:
        for place in checked.changed:
            say(f"changed: {one_line(place)}")
        _print(verified)
        if not checked.is_sealed:
            say("The file has no seal, so titles, tags and the like may have been changed unnoticed.")
        _print_chain(verified, witness)
        if checked.tree.is_empty_root(checked.tree.root_id):
            say("The empty start of a tree counts as a node here; the window does not count it.")
    return FAILED if checked.changed else _status(verified, witness)


def verified_file(checked: EvidenceReport, witness: str = "") -> tuple[Verified, Sequence[str]]:
    """Verify a file by itself, and with the chain in it, if it has one; tell also what was changed."""
    tree_id, title = checked.tree.loom.id, checked.tree.loom.title
    if checked.chain is None:
        tree = VerifiedTree(tree_id, title, checked.findings, checked.faults)
        return Verified((tree,), (), None), checked.changed
    of = checked.chain.get("of") if isinstance(checked.chain, dict) else None
    is_there = isinstance(of, str) and of in checked.tree.nodes
    from loomapp.formats import evidence_file

    above = evidence_file.above(checked.tree, str(of)).nodes if is_there else ()
    told = verify_handed_on(Held(checked.tree, checked.agents, checked.evidence, above), checked.chain)
    tree = VerifiedTree(tree_id, title, told.findings or checked.findings, (*told.faults, *checked.faults))
    since = told.changes_since(witness)
    return Verified((tree,), (), told.head, since, told.nodes_since(witness)), checked.changed


def _to_json(verified: Verified, witness: str) -> Json:
    findings = [
        {
            "treeId": tree.tree_id,
            "nodeId": finding.node_id,
            "localId": finding.local_id,
            "verdict": finding.verdict,
            "reason": finding.reason,
        }
        for tree in verified.trees
        for finding in tree.findings
        if finding.verdict != "ok"
    ]
    faults: list[Json] = [
        {"treeId": tree.tree_id, "reason": reason} for tree in verified.trees for reason in tree.faults
    ]
    faults += [{"treeId": None, "reason": reason} for reason in verified.faults]
    head = verified.head
    told: Json = {"summary": dict(_counts(verified)), "findings": findings, "faults": faults}
    told |= {"head": head and head.link, "links": head.links if head else 0}
    told["sealedFrom"] = head and head.sealed_from
    if witness:
        told["witness"] = {
            "head": witness,
            "holds": verified.since is not None,
            "changesSince": verified.since,
            "nodesSince": len(verified.nodes_since),
            "treesSince": [tree.tree_id for tree in verified.trees_since],
        }
    return told


def _print(verified: Verified) -> None:
    for tree in verified.trees:
        title = one_line(tree.title)
        for finding in tree.findings:
            if finding.verdict in ("failed", "moved"):
                where = f"{finding.local_id} ({finding.node_id}) in {title}"
                say(f"{finding.verdict}: {where}: {one_line(finding.reason)}")
        for reason in tree.faults:
            say(f"failed: in {title}: {one_line(reason)}")
    for reason in verified.faults:
        say(f"failed: {one_line(reason)}")
    counts = _counts(verified)
    total = sum(counts.values())
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    say(f"{total} {'node' if total == 1 else 'nodes'} checked" + (f": {told}" if told else ""))


def _counts(verified: Verified) -> Counter[str]:
    counts = Counter({"ok": 0, "no evidence": 0, "moved": 0, "failed": 0})
    counts.update(finding.verdict for tree in verified.trees for finding in tree.findings)
    return counts


def _print_chain(verified: Verified, witness: str) -> None:
    """The head of the chain, and whether it holds the one that was kept."""
    head = verified.head
    if head is not None:
        links = "1 link" if head.links == 1 else f"{head.links} links"
        before = head.sealed_from > 1
        told = f"sealed from entry {head.sealed_from} on" if before else "each sealed as it was made"
        say(f"head {head.link}")
        say(f"{links}, {told}")
    if not witness:
        return
    if verified.since is None:
        say(f"failed: the chain does not hold {witness}: it was rewritten, or restored from before that")
    elif verified.since == 0:
        say("The head that was kept is the head.")
    else:
        made = len(verified.nodes_since)
        say(f"The head that was kept holds: {verified.since} {_changes(verified.since)} since.")
        say(f"{made} {'node was' if made == 1 else 'nodes were'} made since.")
        for tree in verified.trees_since:
            say(f"All of {one_line(tree.title)} ({tree.tree_id}) came after it.")


def _changes(count: int) -> str:
    return "change" if count == 1 else "changes"


def add_check_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--repair", action="store_true", help="write what can be read to a new file beside a damaged grove"
    )


def run_check(arguments: Namespace) -> int:
    """Prints what is wrong; 1 if anything is, or if a repair had to leave something behind.

    Raises: GroveError if the file is no grove, or if nothing in it can be read.
    """
    checked = check(grove_path(arguments))
    if not checked.is_sealed:
        tell(f"{checked.path}: {NOT_SEALED}")
    salvaged = repair(checked.path) if arguments.repair and checked.is_damaged else None
    say_json(_check_to_json(checked, salvaged)) if arguments.json else _print_check(checked, salvaged)
    if salvaged is not None:
        return DONE if salvaged.is_complete else FAILED
    return FAILED if checked.problems else DONE


def _check_to_json(checked: CheckReport, salvaged: Salvaged | None) -> Json:
    problems = [
        {"kind": p.kind, "message": p.message, "treeId": p.tree_id, "nodeId": p.node_id}
        for p in checked.problems
    ]
    counts = {"trees": checked.trees, "nodes": checked.nodes}
    repaired = None if salvaged is None else _salvaged_to_json(salvaged)
    return {"grove": str(checked.path), **counts, "problems": problems, "repaired": repaired}


def _salvaged_to_json(salvaged: Salvaged) -> Json:
    return {
        "path": str(salvaged.path),
        "complete": salvaged.is_complete,
        "saved": dict(salvaged.saved),
        "lost": dict(salvaged.lost),
        "trees": [
            {
                "id": tree.tree_id,
                "title": tree.title,
                "nodes": tree.nodes,
                "lostNodes": list(tree.lost),
                "damagedNodes": list(tree.damaged),
                "recovered": tree.orphans,
                "historyKept": tree.history_kept,
            }
            for tree in salvaged.trees
        ],
    }


def _print_check(checked: CheckReport, salvaged: Salvaged | None) -> None:
    for problem in checked.problems:
        where = f" (tree {problem.tree_id})" if problem.tree_id else ""
        say(one_line(f"{problem.kind}: {problem.message}{where}"))
    nodes = "1 node" if checked.nodes == 1 else f"{checked.nodes} nodes"
    count = len(checked.problems)
    found = "sound" if not count else "1 problem" if count == 1 else f"{count} problems"
    say(f"{nodes} checked: {found}")
    if salvaged is not None:
        for line in salvaged.report():
            say(one_line(line))


COMMANDS = {"verify": (add_arguments, run), "check": (add_check_arguments, run_check)}
