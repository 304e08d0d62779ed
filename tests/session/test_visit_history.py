"""Visits: back and forward, a new way forgets the old one, and what is gone is passed over."""

from __future__ import annotations

from loomapp.session.reading_place import MOST, Visit, VisitHistory


def visited(*names: str) -> VisitHistory:
    visits = VisitHistory()
    for name in names:
        visits.came_to("t", name)
    return visits


def test_back_and_forward_lead_through_what_was_visited() -> None:
    visits = visited("a", "b", "c")

    assert visits.back(lambda _: True) == Visit("t", "b")
    assert visits.back(lambda _: True) == Visit("t", "a")
    assert visits.back(lambda _: True) is None
    assert visits.forward(lambda _: True) == Visit("t", "b")
    assert visits.can_go_forward


def test_a_new_way_forgets_what_lay_ahead() -> None:
    visits = visited("a", "b")
    visits.back(lambda _: True)

    visits.came_to("t", "c")

    assert not visits.can_go_forward
    assert visits.back(lambda _: True) == Visit("t", "a")


def test_what_is_gone_is_passed_over() -> None:
    visits = visited("a", "b", "c")

    assert visits.back(lambda place: place.node_id != "b") == Visit("t", "a")


def test_arriving_by_going_back_is_no_visit_and_the_list_stays_short() -> None:
    visits = visited(*(str(i) for i in range(MOST + 20)))
    visits.back(lambda _: True)
    with visits.going():
        visits.came_to("t", "elsewhere")

    assert visits.can_go_forward
    steps = 0
    while visits.back(lambda _: True):
        steps += 1
    assert steps == MOST - 2
