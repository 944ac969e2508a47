"""GitHub's expressions, as far as our workflows use them: names, texts, `!`, `!=`, `==`, `&&`, `||`."""

import re
from collections.abc import Mapping

_PART = re.compile(r"'[^']*'|!=|!|&&|\|\||[A-Za-z_][\w.-]*")
_OPERATORS = {"!=": "!=", "!": " not ", "&&": " and ", "||": " or "}


def evaluate(expression: str, context: Mapping[str, object]) -> object:
    """The expression's value; a name that the context does not hold is a mistake of the test."""

    def translate(part: re.Match[str]) -> str:
        text = part.group()
        return text if text.startswith("'") else _OPERATORS.get(text, f"context[{text!r}]")

    return eval(_PART.sub(translate, " ".join(expression.split())), {"__builtins__": {}}, {"context": context})


def fill_in(text: str, context: Mapping[str, object]) -> str:
    """A value of the workflow, with each `${{ … }}` in it replaced as GitHub would."""
    return re.sub(r"\$\{\{(.+?)\}\}", lambda found: _as_text(evaluate(found.group(1), context)), text)


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
