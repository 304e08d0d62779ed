"""Building an outline in slices: which rows there are, what hangs on what, and which child stays level."""

from __future__ import annotations

from bisect import insort
from collections.abc import Container, Iterator, Mapping

from loomapp.core.outline.main_lines import Levels
from loomapp.core.outline.rows import SLICE, OutlineRows, SharedRows


def building(levels: Levels, shared: SharedRows, rows: OutlineRows) -> Iterator[None]:
    """Find the lines, a little at each step: a large tree takes longer than a window may stand still.

    Of no use any more once the tree was moved.
    """
    size: dict[str, int] = {}  # of what is below each that is shown, itself included
    yield from _meet(levels, size)
    visible = list(size)
    for count, node_id in enumerate(visible):
        if count % SLICE == 0:
            yield
        _hang(levels, node_id)
    yield from _put_together(levels, shared, size)
    visible = list(size)
    for count, node_id in enumerate(reversed(visible)):  # children after parents, but in damaged data
        if count % SLICE == 0:
            yield
        if node_id in levels.parents:
            size[levels.parents[node_id]] += size[node_id]
    for count, (node_id, parent) in enumerate(levels.parents.items()):
        if count % SLICE == 0:
            yield
        if parent not in levels.level and not levels.is_note(node_id):
            levels.level[parent] = node_id
        else:
            levels.sides.setdefault(parent, []).append(node_id)
    read = {shared.row_of(node_id) for node_id in levels.way.node_ids}
    for count, (parent, sides) in enumerate(levels.sides.items()):
        if count % SLICE == 0:
            yield
        yield from _choose_level(levels, parent, sides, size, read)
    long = [parent for parent, sides in levels.sides.items() if len(sides) >= SLICE]
    for owner in (None, *long):  # the others' rows are found when they are asked for
        yield from rows.listing(owner)


def _meet(levels: Levels, size: dict[str, int]) -> Iterator[None]:
    for age, (node_id, node) in enumerate(levels.tree.nodes.items()):
        if age % SLICE == 0:
            yield
        levels.age[node_id] = age
        if levels.show_pruned or not node.metadata.pruned:
            size[node_id] = 1


def _put_together(levels: Levels, shared: SharedRows, size: dict[str, int]) -> Iterator[None]:
    """Versions of a passage take one row, that of the oldest; what hangs on the others hangs there."""
    if levels.tree.loom.mode != "buffer":
        return
    rows: dict[tuple[str | None, str], str] = {}
    hung = {**dict.fromkeys(levels.roots), **levels.parents}
    for count, node_id in enumerate(levels.hanging.in_order(hung)):
        if count % SLICE == 0:
            yield
        above = None
        if node_id in levels.parents:
            above = levels.parents[node_id] = shared.row_of(levels.parents[node_id])
        if levels.is_note(node_id) or levels.tree.is_empty_root(node_id):
            continue
        if above is not None and shared.is_taken_up(node_id, above):
            shared.taken_up.add(node_id)
            row = above
        else:
            row = rows.setdefault((above, levels.hanging.stems.of(node_id)), node_id)
        if row != node_id:
            shared.share(node_id, row)
            levels.parents.pop(node_id, None)
            del size[node_id]
        shared.tell_merged(node_id, is_there=True)
    shared.again.clear()
    shared.read_apart_anew()
    yield
    _name_rows(levels, shared, size)


def _name_rows(levels: Levels, shared: SharedRows, size: dict[str, int]) -> None:
    """Name each row after the oldest that stands in it, but for what was taken up there."""
    names: dict[str, str] = {}
    for row, others in list(shared.others.items()):
        oldest = next((one for one in others if one not in shared.taken_up), row)
        if levels.age[oldest] < levels.age[row]:
            names[row] = oldest
    if not names and not shared.stands_for:
        return
    for row, name in names.items():
        others = [row, *(one for one in shared.others.pop(row) if one != name)]
        shared.others[name] = sorted(others, key=levels.age.__getitem__)
        shared.stands_for.update(dict.fromkeys(others, name))
        del shared.stands_for[name]
        if row in shared.merges:
            shared.merges[name] = shared.merges.pop(row)
        size[name] = size.pop(row)
        if row in levels.parents:
            levels.parents[name] = levels.parents.pop(row)
    levels.roots = sorted({shared.row_of(root) for root in levels.roots}, key=levels.age.__getitem__)
    by_age = sorted(levels.parents, key=levels.age.__getitem__)
    levels.parents = {node_id: shared.row_of(levels.parents[node_id]) for node_id in by_age}


def _hang(levels: Levels, node_id: str) -> None:
    parent = levels.hanging.parent(node_id)
    if parent is not None:
        levels.parents[node_id] = parent
    elif not levels.hangs(node_id):
        levels.roots.append(node_id)


def _choose_level(
    levels: Levels, parent: str, sides: list[str], size: Mapping[str, int], read: Container[str]
) -> Iterator[None]:
    """Let the branch that is read go on at the level of its parent, else the one with most below it."""
    largest = first = levels.level.get(parent)
    if largest is None or first is None:
        return
    for count, other in enumerate(sides, 1):
        if count % SLICE == 0:
            yield
        is_more = (other in read, size[other]) > (largest in read, size[largest])
        if is_more and not levels.is_note(other):
            largest = other
    if largest != first:
        sides.remove(largest)
        insort(sides, first, key=levels.age.__getitem__)
        levels.level[parent] = largest
