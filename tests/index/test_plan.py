"""The plan: which vectors are reused, which texts are embedded, what is new and gone."""

from hypothesis import given
from hypothesis import strategies as st

from hub_index.index.plan import Plan, plan_rows
from hub_index.record import Record

PREVIOUS = "a=t1 b=t2 c=t3"


def _plan(wanted: str, previous: str = PREVIOUS, *, reuse: bool = True) -> Plan:
    """The plan for records written as id=text."""
    return plan_rows(_records(wanted), _records(previous), reuse=reuse)


def _records(text: str) -> list[Record]:
    pairs = [pair.split("=") for pair in text.split()]
    return [Record(id_, f"skills/{id_}", id_, "", text_hash, "") for id_, text_hash in pairs]


def test_nothing_changed() -> None:
    """Every row keeps its own vector and nothing is embedded."""
    assert _plan("a=t1 b=t2 c=t3") == Plan((0, 1, 2), (), (), (), ())


def test_first_build_embeds_each_text_once() -> None:
    """Without a previous index everything is new; equal texts are one request, in the order of the rows."""
    assert _plan("a=t2 b=t1 c=t2", previous="") == Plan((None, None, None), ("t2", "t1"), ("a", "b", "c"), (), ())


def test_an_edit_embeds_only_the_new_text() -> None:
    """An id with another text is edited, and only that text is embedded."""
    assert _plan("a=t1 b=new c=t3") == Plan((0, None, 2), ("new",), (), ("b",), ())


def test_a_rename_takes_its_vector_along() -> None:
    """The same text under a new id is reused: one added, one removed, nothing embedded."""
    assert _plan("a=t1 c=t3 z=t2") == Plan((0, 2, 1), (), ("z",), (), ("b",))


def test_two_skills_that_swap_texts_take_each_others_vectors() -> None:
    """The vector follows the text, not the id."""
    assert _plan("a=t2 b=t1 c=t3") == Plan((1, 0, 2), (), (), ("a", "b"), ())


def test_an_id_prefers_its_own_row_over_another_with_the_same_text() -> None:
    """Where several previous rows have the text, an id keeps its own; a new id takes the first."""
    assert _plan("a=t b=t c=t", previous="a=t b=t").sources == (0, 1, 0)


def test_another_space_reuses_nothing_but_still_tells_what_changed() -> None:
    """Vectors of another space are worthless; ids and texts are not."""
    plan = _plan("a=t1 b=new d=t3", reuse=False)
    assert plan == Plan((None, None, None), ("t1", "new", "t3"), ("d",), ("b",), ("c",))


def test_an_emptied_hub() -> None:
    """No row wanted: all removed."""
    assert _plan("") == Plan((), (), (), (), ("a", "b", "c"))


_rows = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["t1", "t2", "t3", "t4", "t5"]))


@given(before=_rows, after=_rows)
def test_every_row_gets_the_vector_of_its_own_text(before: dict[str, str], after: dict[str, str]) -> None:
    """Whatever changed, a reused row has the wanted text, and exactly the unknown texts are embedded, once each."""
    previous, wanted = (_records(" ".join(f"{id_}={rows[id_]}" for id_ in sorted(rows))) for rows in (before, after))
    plan = plan_rows(wanted, previous)
    for record, source in zip(wanted, plan.sources, strict=True):
        assert record.text_hash in plan.embed if source is None else previous[source].text_hash == record.text_hash
    assert sorted(plan.embed) == sorted(set(after.values()) - set(before.values()))
    assert set(plan.added) == after.keys() - before.keys()
    assert set(plan.removed) == before.keys() - after.keys()
    assert set(plan.edited) == {id_ for id_ in after.keys() & before.keys() if after[id_] != before[id_]}
