"""`make demo` ends with what to do next."""

import subprocess
from pathlib import Path

from support.hubs.hub_maker import HubMaker

from examples.demo import own_hub_lines


def test_the_last_three_lines_of_the_demo_work_in_a_hub_of_ones_own(tmp_path: Path) -> None:
    """They are typed as they stand, with the hub's folder in the place of the example's."""
    hub = HubMaker(tmp_path / "my hub")
    hub.skill("db-advisor", "Analyze slow queries and index usage.")
    hub.commit("skills")
    change, build, search = own_hub_lines()
    typed = " && ".join([change.replace("path/to/your/hub", "'my hub'"), build, search])
    done = subprocess.run(["sh", "-c", typed], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "new index: 1 skill" in done.stdout
    assert "db-advisor" in done.stdout
