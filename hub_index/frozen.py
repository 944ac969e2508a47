"""Frozen values without `dataclasses`, whose import would cost a cold keyword search 5 of its 51 ms."""

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

set_field = object.__setattr__  # for values that are made by the thousand: a third of a plain assignment's time


class FrozenValue:
    """A value whose fields are the slots of its class, each set once, in `__init__`; equal where all fields are."""

    __slots__: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._key = attrgetter(*cls.__slots__)  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):
            raise AttributeError(f"{type(self).__name__}.{name} is frozen; `replace` gives a changed copy")
        set_field(self, name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._key(self) == self._key(other)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self._key(self))  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"

    def replace(self, **changes: "Any") -> "Self":
        """The same value with some fields changed; its `__init__` takes all of them by name."""
        return type(self)(**{name: getattr(self, name) for name in self.__slots__} | changes)
