"""The plan: which vectors are reused, which texts are embedded, what is new and gone."""

from hypothesis import given
from hypothesis import strategies as st

from hub_index.index.plan import Plan, PreviousRows, WantedRow, plan_rows

PREVIOUS = PreviousRows(("a", "b", "c"), ("t1", "t2", "t3"))


def _plan(*wanted: str, previous: PreviousRows | None = PREVIOUS, reuse: bool = True) -> Plan:
    """The plan for rows written as id=text."""
    return plan_rows([WantedRow(*row.split("=")) for row in wanted], previous, reuse=reuse)


def test_nothing_changed() -> None:
    """Every row keeps its own vector and nothing is embedded."""
    assert _plan("a=t1", "b=t2", "c=t3") == Plan((0, 1, 2), (), (), (), (), 0)


def test_first_build_embeds_each_text_once() -> None:
    """Without a previous index everything is new; equal texts are one request, in the order of the rows."""
    assert _plan("a=t2", "b=t1", "c=t2", previous=None) == Plan(
        (None, None, None), ("t2", "t1"), ("a", "b", "c"), (), (), 0
    )


def test_an_edit_embeds_only_the_new_text() -> None:
    """An id with another text is changed, and only that text is embedded."""
    assert _plan("a=t1", "b=new", "c=t3") == Plan((0, None, 2), ("new",), (), ("b",), (), 0)


def test_a_rename_takes_its_vector_along() -> None:
    """The same text under a new id is reused: one added, one removed, one of them renamed."""
    assert _plan("a=t1", "c=t3", "z=t2") == Plan((0, 2, 1), (), ("z",), (), ("b",), 1)


def test_two_skills_that_swap_texts_take_each_others_vectors() -> None:
    """The vector follows the text, not the id."""
    assert _plan("a=t2", "b=t1", "c=t3") == Plan((1, 0, 2), (), (), ("a", "b"), (), 0)


def test_an_id_prefers_its_own_row_over_a_twin() -> None:
    """Where several previous rows have the text, an id keeps its own; a new id takes the first."""
    twins = PreviousRows(("a", "b"), ("t", "t"))
    assert _plan("a=t", "b=t", "c=t", previous=twins).sources == (0, 1, 0)


def test_another_space_reuses_nothing_but_still_tells_what_changed() -> None:
    """Vectors of another space are worthless; ids and texts are not."""
    plan = _plan("a=t1", "b=new", "d=t3", reuse=False)
    assert plan == Plan((None, None, None), ("t1", "new", "t3"), ("d",), ("b",), ("c",), 1)


def test_an_emptied_hub() -> None:
    """No row wanted: all removed."""
    assert _plan() == Plan((), (), (), (), ("a", "b", "c"), 0)


_rows = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["t1", "t2", "t3", "t4", "t5"]))


@given(before=_rows, after=_rows)
def test_every_row_gets_the_vector_of_its_own_text(before: dict[str, str], after: dict[str, str]) -> None:
    """Whatever changed, a reused row has the wanted text, and exactly the unknown texts are embedded, once each."""
    previous = PreviousRows(tuple(sorted(before)), tuple(before[id_] for id_ in sorted(before)))
    wanted = [WantedRow(id_, after[id_]) for id_ in sorted(after)]
    plan = plan_rows(wanted, previous)
    for row, source in zip(wanted, plan.sources, strict=True):
        assert row.text_hash in plan.embed if source is None else previous.text_hashes[source] == row.text_hash
    assert sorted(plan.embed) == sorted(set(after.values()) - set(before.values()))
    assert set(plan.added) == after.keys() - before.keys()
    assert set(plan.removed) == before.keys() - after.keys()
    assert set(plan.changed) == {id_ for id_ in after.keys() & before.keys() if after[id_] != before[id_]}
