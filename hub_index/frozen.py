"""Frozen, strict values for the modules that a cold keyword search loads; all others use `dataclasses`.

Dataclasses in these modules raise such a search from 44 to 62 ms of processor time: 5 ms import `dataclasses`, the rest
makes the classes. With several hubs it is 77 instead of 52 ms, recorded (`--track`) 73 instead of 49 (examples/hub).
"""

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        """What tells a type checker that the class's annotations are its fields; nothing at run time."""
        return lambda cls: cls


set_field = object.__setattr__  # for values that are made by the thousand and write their own `__init__`


@dataclass_transform(frozen_default=True)
class FrozenValue:
    """A value whose fields are the annotations of its class; equal if all fields are. Annotate in quotes."""

    _names: "tuple[str, ...]" = ()
    _fields: "frozenset[str]"
    _required: "frozenset[str]"  # those without a default
    _key: "attrgetter[Any]"

    def __init_subclass__(cls) -> None:
        cls._names = tuple(dict.fromkeys((*cls._names, *cls.__annotations__)))
        cls._fields = frozenset(cls._names)
        cls._required = frozenset([name for name in cls._names if not hasattr(cls, name)])
        cls._key = attrgetter(*cls._names)

    def __init__(self, *values: "Any", **named: "Any") -> None:
        # one count and one comparison of sets: seventeen values are made for every query
        if values:
            given = len(values) + len(named)
            named.update(zip(self._names, values, strict=False))
            if len(named) != given:
                raise TypeError(f"{type(self).__name__} takes each of its fields once: {', '.join(self._names)}")
        if not self._required <= named.keys() <= self._fields:
            raise TypeError(self._refusal(named))
        set_field(self, "__dict__", named)

    def _refusal(self, named: "dict[str, Any]") -> str:
        unknown = [name for name in named if name not in self._fields]
        if unknown:
            return f"{type(self).__name__} has no field {', '.join(unknown)}"
        missing = [name for name in self._names if name in self._required and name not in named]
        return f"{type(self).__name__} needs {', '.join(missing)}"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen; `replace` gives a changed copy")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key(self) == self._key(other)

    def __hash__(self) -> int:
        return hash(self._key(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names)
        return f"{type(self).__name__}({fields})"

    def replace(self, **changes: "Any") -> "Self":
        """The same value with some fields changed."""
        return type(self)(**self.__dict__ | changes)
