"""What a command does not need, it does not load."""

import subprocess
import sys
from pathlib import Path

from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index

_HEAVY = ("numpy", "git", "jsonschema", "pyarrow", "prefect", "openai", "voyageai", "tantivy", "yaml", "sentencepiece")
_PROBE = """
import sys
from hub_index.cli.main import main
code = main(sys.argv[1:])
print(code, *sorted(set(sys.modules) & {heavy!r}), file=sys.stderr)
"""


def test_an_unchanged_build_loads_no_heavy_package(tmp_path: Path) -> None:
    """A build with nothing to do imports neither numpy, GitPython, jsonschema nor pyarrow, nor a model."""
    hub = HubMaker(tmp_path / "hub")
    hub.skill("one", "The only one.")
    hub.commit("one")
    assert hub_index("build", hub.root).code == 0
    probe = _PROBE.format(heavy=set(_HEAVY))
    done = subprocess.run(
        [sys.executable, "-c", probe, "build", str(hub.root)], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["0"]
