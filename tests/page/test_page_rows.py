"""Rows of the page's data: a skill keeps its own, whatever happens to others."""

from hub_index.page.data.page_data import assign_rows


def test_first_page_orders_by_id() -> None:
    """Without a previous page rows follow the ids."""
    assert assign_rows(["b", "a", "c"], []) == ["a", "b", "c"]


def test_a_new_skill_moves_no_other() -> None:
    """A new id that sorts first is appended."""
    assert assign_rows(["0", "a", "b"], ["a", "b"]) == ["a", "b", "0"]


def test_a_removed_skill_leaves_a_hole_that_the_next_one_fills() -> None:
    """Holes are empty until a new skill comes; at the end there are none."""
    assert assign_rows(["a", "c"], ["a", "b", "c"]) == ["a", "", "c"]
    assert assign_rows(["a", "c", "x"], ["a", "", "c"]) == ["a", "x", "c"]
    assert assign_rows(["a"], ["a", "b", "c"]) == ["a"]


def test_a_previous_page_that_names_an_id_twice_is_not_believed() -> None:
    """Rows are then given anew."""
    assert assign_rows(["a", "b"], ["b", "b"]) == ["a", "b"]
