"""The parameters of a door's operations: one table for parsing requests, writing schemas and explaining mistakes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hub_index.search.options import OptionRule
from hub_index.serve.refusal import RequestRefused

_TYPES = {"text": "string", "whole": "integer", "number": "number", "flag": "boolean", "names": "string"}
_MAX_DIGITS = 20  # of a number in a query string
_MAX_NAME_CHARS = 30  # of an unknown argument that a refusal names


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of an operation: what it is called outside, what kind it is, and the request's own field."""

    name: str
    kind: str  # text, whole, number, flag, or names: texts with commas between them, or a list
    about: str
    field: str = ""
    choices: tuple[str, ...] = ()
    is_required: bool = False
    low: int | None = None  # the least number; None: no limit at all
    high: int | None = None  # the largest number; of a text the most characters, which the service counts

    def schema(self) -> dict[str, object]:
        """Its JSON Schema."""
        schema: dict[str, object] = {"type": _TYPES[self.kind], "description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.low is not None:
            schema["minimum"] = self.low
        if self.high is not None:
            schema["maxLength" if self.kind == "text" else "maximum"] = self.high
        return schema


def option_parameter(rule: OptionRule) -> Parameter:
    """The argument of a search that sets the option of this rule."""
    return Parameter(rule.name, rule.kind, rule.about, choices=rule.choices, low=rule.low, high=rule.high)


def parse_arguments(
    parameters: Sequence[Parameter], given: Mapping[str, object], *, is_text: bool = False
) -> dict[str, Any]:
    """The fields of a request; with `is_text` numbers and flags are spelled out. Raises RequestRefused (400)."""
    by_name = {parameter.name: parameter for parameter in parameters}
    fields: dict[str, Any] = {}
    for name, value in given.items():
        if name not in by_name:
            raise _unknown(name, by_name)
        if value is None:
            continue
        parameter = by_name[name]
        fields[parameter.field or name] = _parse(parameter, value, is_text=is_text)
    for parameter in parameters:
        if parameter.is_required and (parameter.field or parameter.name) not in fields:
            raise RequestRefused(400, f"{parameter.name} is missing", param=parameter.name)
    return fields


def _unknown(name: str, known: Mapping[str, Parameter]) -> RequestRefused:
    """The refusal of an argument; its name is quoted only if it looks like one, with neither digits nor signs."""
    is_name = len(name) <= _MAX_NAME_CHARS and name.isascii() and name.replace("-", "").replace("_", "").isalpha()
    shown = name if is_name else "an argument"
    there_are = f"those that are: {', '.join(known)}" if known else "there are none"
    return RequestRefused(400, f"{shown} is not known here; {there_are}", param=name if is_name else None)


def _parse(parameter: Parameter, value: object, *, is_text: bool) -> object:
    if is_text and isinstance(value, str):
        value = _from_text(parameter, value)
    if parameter.kind == "names":
        value = _parse_names(value)
    if parameter.kind == "whole" and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number: 5.0 is 5
    if not _is_of(parameter.kind, value):
        raise RequestRefused(400, f"{parameter.name} must be {_SAID[parameter.kind]}", param=parameter.name)
    if isinstance(value, int | float) and not _is_within(parameter, value):
        until = "on" if parameter.high is None else f"to {parameter.high}"
        expected = f"{_SAID[parameter.kind]} from {parameter.low} {until}"
        raise RequestRefused(400, f"{parameter.name} must be {expected}", param=parameter.name)
    if parameter.choices and value not in parameter.choices:
        raise RequestRefused(400, f"{parameter.name} is one of {', '.join(parameter.choices)}", param=parameter.name)
    return value


_SAID = {
    "text": "a text",
    "whole": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "names": "names with commas between them, or a list of names",
}


def _is_within(parameter: Parameter, number: float) -> bool:
    """Whether a number keeps to the parameter's limits, if it has any."""
    return parameter.low is None or (parameter.low <= number and (parameter.high is None or number <= parameter.high))


def _from_text(parameter: Parameter, text: str) -> object:
    """The value that a text in a query string spells; the text itself if it spells none."""
    if parameter.kind == "whole" and len(text) <= _MAX_DIGITS and text.isascii() and text.lstrip("-").isdigit():
        return int(text)
    if parameter.kind == "number" and len(text) <= _MAX_DIGITS:
        try:
            return float(text)
        except ValueError:
            return text
    if parameter.kind == "flag":
        return {"true": True, "1": True, "": True, "false": False, "0": False}.get(text.lower(), text)
    return text


def _parse_names(value: object) -> object:
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return tuple(value) if isinstance(value, list) and all(isinstance(name, str) for name in value) else value


def _is_of(kind: str, value: object) -> bool:
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "whole":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, tuple if kind == "names" else str)
