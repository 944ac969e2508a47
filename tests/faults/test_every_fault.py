"""No fault without a test and a line that says what it is."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
LINES = re.findall(r"^- F(\d\d): ", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_fault_has_one_line_in_the_readme() -> None:
    """F01 to F75 and whatever was added, each once and in order."""
    assert [int(number) for number in LINES] == list(range(1, max(75, len(LINES)) + 1))


def test_every_fault_has_a_test_that_carries_its_number() -> None:
    """Each fault of the README names at least one test function, and no test has a number that it lacks."""
    tests = (path.read_text(encoding="utf-8") for path in FOLDER.parent.rglob("test_*.py"))
    named = {number for text in tests for number in re.findall(r"^def test_f(\d\d)_", text, re.MULTILINE)}
    assert named == set(LINES)
