"""Commands as a page of the documentation has them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def work_pool_commands() -> list[str]:
    """The lines of the block under "A work pool" in docs/operators.md, without their comments."""
    page = (ROOT / "docs" / "operators.md").read_text("utf-8")
    section = page.split("### A work pool\n", 1)[1]
    block = re.search(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert block is not None
    return [re.sub(r"\s+#.*", "", line) for line in block[1].splitlines()]
