"""Frozen values as of `dataclasses`, whose import would cost a cold keyword search 5 of its 51 ms."""

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        """What tells a type checker that the class's annotations are its fields; nothing at run time."""
        return lambda cls: cls


set_field = object.__setattr__  # for values that are made by the thousand, in an `__init__` of their own


@dataclass_transform(frozen_default=True)
class FrozenValue:
    """A value whose fields are the annotations of its class; equal where all of them are. Annotate in quotes."""

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)  # type: ignore[attr-defined]
        cls._key = attrgetter(*cls._names)  # type: ignore[attr-defined]

    def __init__(self, *values: "Any", **named: "Any") -> None:
        # what is missing or too much is the type checker's to say: seventeen values are made for every query
        if values:
            named.update(zip(self._names, values, strict=False))  # type: ignore[attr-defined]
        set_field(self, "__dict__", named)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen; `replace` gives a changed copy")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key(self) == self._key(other)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._key(self))  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._names)  # type: ignore[attr-defined]
        return f"{type(self).__name__}({fields})"

    def replace(self, **changes: "Any") -> "Self":
        """The same value with some fields changed."""
        return type(self)(**self.__dict__ | changes)
