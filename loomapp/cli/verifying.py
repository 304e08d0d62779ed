"""`loomapp verify`: every hash and every raw response, and which nodes fail."""

from __future__ import annotations

from collections import Counter

from loomapp.cli.arguments import Namespace, Parser
from loomapp.cli.failures import DONE, FAILED, UsageError
from loomapp.cli.files import read_file
from loomapp.cli.groves import is_not_begun, look_at_named, tree_named
from loomapp.cli.output import one_line, say, say_json
from loomapp.core.json_values import Json
from loomapp.core.provenance import Finding
from loomapp.core.tree import Tree
from loomapp.formats import evidence_file
from loomapp.store.verification import verify_tree


def add_arguments(parser: Parser) -> None:
    """What `verify` takes."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="an evidence file, or any Loom JSON file")
    parser.add_argument("--tree", metavar="ID", help="one tree (default: all)")


def run(arguments: Namespace) -> int:
    """Prints what fails and a summary; 1 if anything fails."""
    if arguments.file is not None:
        return _verify_file(arguments)
    checked: list[tuple[Tree, list[Finding]]] = []
    if arguments.grove is not None or not is_not_begun(arguments):
        with look_at_named(arguments) as grove:
            tree_ids = [arguments.tree] if arguments.tree else [row.id for row in grove.trees()]
            for tree_id in tree_ids:
                tree = tree_named(grove, tree_id)
                checked.append((tree, verify_tree(grove, tree_id)))
    failed = any(finding.verdict == "failed" for _, findings in checked for finding in findings)
    say_json(_to_json(checked)) if arguments.json else _print(checked)
    return FAILED if failed else DONE


def _verify_file(arguments: Namespace) -> int:
    if arguments.tree is not None or arguments.grove is not None:
        raise UsageError("give a FILE, or --tree and --grove for a grove (one of the two)")
    checked = read_file(arguments.file, evidence_file.check)
    found = [(checked.tree, list(checked.findings))]
    if arguments.json:
        say_json({**_to_json(found), "sealed": checked.is_sealed, "changed": list(checked.changed)})
    else:
        for place in checked.changed:
            say(f"changed: {one_line(place)}")
        _print(found)
        if not checked.is_sealed:
            say("The file has no seal: what no hash covers could not be checked.")
    return FAILED if checked.failed else DONE


def _to_json(checked: list[tuple[Tree, list[Finding]]]) -> Json:
    findings = [
        {
            "treeId": tree.loom.id,
            "nodeId": finding.node_id,
            "localId": finding.local_id,
            "verdict": finding.verdict,
            "reason": finding.reason,
        }
        for tree, findings in checked
        for finding in findings
        if finding.verdict != "ok"
    ]
    return {"summary": dict(_counts(checked)), "findings": findings}


def _print(checked: list[tuple[Tree, list[Finding]]]) -> None:
    for tree, findings in checked:
        for finding in findings:
            if finding.verdict in ("failed", "moved"):
                where = f"{finding.local_id} ({finding.node_id}) in {one_line(tree.loom.title)}"
                say(f"{finding.verdict}: {where}: {finding.reason}")
    counts = _counts(checked)
    total = sum(counts.values())
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    say(f"{total} {'node' if total == 1 else 'nodes'} checked" + (f": {told}" if told else ""))


def _counts(checked: list[tuple[Tree, list[Finding]]]) -> Counter[str]:
    counts = Counter({"ok": 0, "no evidence": 0, "moved": 0, "failed": 0})
    counts.update(finding.verdict for _, findings in checked for finding in findings)
    return counts


COMMANDS = {"verify": (add_arguments, run)}
