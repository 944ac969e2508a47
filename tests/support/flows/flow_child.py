"""The flow in a process of its own, with the recording encoder, dying by SIGKILL where it is told to.

`python flow_child.py CLONE CACHE TEXTS [before|within|after STEP | call N]`; `TEXTS.marks` tells how far it came
"""

import os
import subprocess
import sys
from pathlib import Path

from pipelines.offline import set_offline_defaults
from support.builds.publish_child import RecordingEncoder, dying_at


def main(clone: str, cache: str, record: str, when: str = "", step: str = "") -> None:
    set_offline_defaults(os.environ)
    from pipelines import build_index, steps, wiring

    encoder = RecordingEncoder(Path(record), int(step) if when == "call" else None)
    marks = Path(record).with_suffix(".marks")
    vars(wiring).update(run_as_task=dying_at(when, step, steps.run_as_task, marks), _make_encoder=lambda *_: encoder)
    build_index.build_hub_index(hub=clone, publish=True, cache=cache)


def run_flow_child(arguments: list[str], environment: dict[str, str]) -> int:
    """The exit status of such a process."""
    paths = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, check=False, env=os.environ | environment | {"PYTHONPATH": paths}, timeout=180)
    return done.returncode


if __name__ == "__main__":
    main(*sys.argv[1:])
