"""The way from the click on Generate to the committed node is written where it begins, and is there."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise
from pkgutil import resolve_name

from loomapp.ui.commands import node_actions

MOST_STATIONS = 8
STATION = re.compile(r"^\s*\d+\. (loomapp\.[\w.]+)", re.MULTILINE)
CALLED_BY_TIMER = "loomapp.session.requests.open_answers.OpenAnswers.on_tick"


def stations() -> list[str]:
    """Return the stations that the docstring of `generate` names, in order."""
    return STATION.findall(node_actions.generate.__doc__ or "")


def functions_called(module: str) -> dict[str, set[str]]:
    """Return, for every function and method of a module, the names of what its body calls or names."""
    source = inspect.getsource(resolve_name(module))
    return {
        node.name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    }


def leads_to(station: str, following: str) -> bool:
    """Tell whether a station's function, or one of its own module that it calls, calls the next station."""
    owner, _, name = station.rpartition(".")
    module = owner if inspect.ismodule(resolve_name(owner)) else owner.rpartition(".")[0]
    calls, wanted = functions_called(module), following.rpartition(".")[2]
    reached, waiting = set[str](), [name]
    while waiting:
        function = waiting.pop()
        if function in reached:
            continue
        reached.add(function)
        if wanted in calls.get(function, ()):
            return True
        waiting += [called for called in calls.get(function, ()) if called in calls]
    return False


def test_the_way_of_generate_has_at_most_eight_stations_and_each_of_them_is_there() -> None:
    found = stations()

    assert 0 < len(found) <= MOST_STATIONS
    assert all(callable(resolve_name(station)) for station in found)
    assert found[0] == f"{node_actions.__name__}.{node_actions.generate.__name__}"


def test_every_station_of_generate_is_called_by_the_one_before() -> None:
    found = stations()
    timer = found.index(CALLED_BY_TIMER)
    broken = [(one, following) for one, following in pairwise(found) if not leads_to(one, following)]

    assert broken == [(found[timer - 1], CALLED_BY_TIMER)]
