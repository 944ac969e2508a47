"""No fault without a test."""

import re
from pathlib import Path

_KNOWN = 75


def test_every_fault_has_a_test_that_carries_its_number() -> None:
    """F01 to F75 each name at least one test function."""
    tests = Path(__file__).parents[1]
    named = {
        int(number)
        for path in tests.rglob("test_*.py")
        for number in re.findall(r"^def test_f(\d\d)_", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert sorted(set(range(1, _KNOWN + 1)) - named) == []
