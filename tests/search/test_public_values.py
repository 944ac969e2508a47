"""The values that programs are handed, and make themselves: their fields are these and no others."""

from typing import Any

import pytest

from hub_index import Hit, Record, Results
from hub_index.frozen import FrozenValue
from hub_index.search.query.parsed_query import Item
from hub_index.search.results import Reasons

_RECORD: dict[str, Any] = {
    "id": "ppt-maker",
    "path": "skills/ppt-maker",
    "name": "ppt-maker",
    "description": "Make slides.",
}
_HIT: dict[str, Any] = {"rank": 1, "record": Record(**_RECORD), "score": 2.5, "weak": False, "reasons": Reasons()}
_RESULTS: dict[str, Any] = {"query": "slides", "mode": "keyword", "hits": ()}

_VALUES = pytest.mark.parametrize(
    ("kind", "fields"), [(Record, _RECORD), (Hit, _HIT), (Results, _RESULTS)], ids=["Record", "Hit", "Results"]
)


@_VALUES
def test_fields_are_given_by_name_or_in_their_order(kind: type[Any], fields: dict[str, Any]) -> None:
    """Both ways give equal values; fields that have a default may be left out."""
    assert kind(**fields) == kind(*fields.values())


@_VALUES
def test_an_unknown_field_is_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    """A misspelt field is named in the error instead of being kept beside the right one."""
    with pytest.raises(TypeError, match=f"{kind.__name__} has no field notises"):
        kind(**fields, notises=("A notice.",))


@_VALUES
def test_a_changed_copy_refuses_an_unknown_field(kind: type[Any], fields: dict[str, Any]) -> None:
    """`replace` takes the fields that the value has."""
    with pytest.raises(TypeError, match=f"{kind.__name__} has no field notises"):
        kind(**fields).replace(notises=())


@_VALUES
def test_a_missing_field_is_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    """All fields without a default are needed at once, and the error names those that are missing."""
    *given, last = fields
    with pytest.raises(TypeError, match=f"{kind.__name__} needs {last}"):
        kind(**{name: fields[name] for name in given})
    with pytest.raises(TypeError, match=f"{kind.__name__} needs {', '.join(fields)}"):
        kind()


@_VALUES
def test_a_surplus_value_is_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    """A value beyond the last field is an error instead of being dropped."""
    with pytest.raises(TypeError, match=f"{kind.__name__} takes each of its fields once"):
        kind(*fields.values(), *(["", "", "", "", "", ""] * 4))


@_VALUES
def test_a_field_given_twice_is_refused(kind: type[Any], fields: dict[str, Any]) -> None:
    """A field may have its value by its place or by its name, once."""
    first = next(iter(fields))
    with pytest.raises(TypeError, match=f"{kind.__name__} takes each of its fields once"):
        kind(*fields.values(), **{first: fields[first]})


def test_a_value_that_extends_another_has_the_fields_of_both() -> None:
    """Its own field comes last; values that differ in a field of the other are not equal."""

    class Named(FrozenValue):
        name: "str"
        note: "str" = ""

    class Counted(Named):
        count: "int" = 0

    assert (Counted("a", "b", 3).note, Counted("a", count=3).count) == ("b", 3)
    assert Counted("a") != Counted("b")
    with pytest.raises(TypeError, match="Counted needs name"):
        Counted(count=1)  # type: ignore[call-arg]


def test_a_word_of_a_query_refuses_an_unknown_field() -> None:
    """Plain words take a shorter way; a word with anything besides its text is checked like every value."""
    with pytest.raises(TypeError, match="Item has no field feild"):
        Item("zh", feild="lang")
    assert Item("zh", field="lang") == Item(text="zh", field="lang")
