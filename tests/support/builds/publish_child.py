"""A publisher in a process of its own that dies by SIGKILL before or after a named step; asked texts go to a file.

`python publish_child.py CLONE CACHE TEXTS [before|after STEP]`
"""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.vector_checks import ModelAnswer
from hub_index.index.build_tools import BuildOptions, BuildTools, run_here
from hub_index.index.publish.publish import PublishOptions, publish_index
from support.models.fake_encoder import FakeEncoder

_WITHIN_S = 0.1  # about as long as a step of a small hub takes as a task


class RecordingEncoder(FakeEncoder):
    """A paid encoder that writes every text it is asked for to a file, so that a dead process still tells."""

    max_batch_tokens = None

    def __init__(self, record: Path, dies_at_call: int | None) -> None:
        super().__init__()
        self.concurrency = 1
        self._record = record
        self._calls_left = dies_at_call

    def estimate_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_answer(self, texts: Sequence[str]) -> ModelAnswer:
        with self._record.open("a", encoding="utf-8") as record:
            record.writelines(f"{text!r}\n" for text in texts)
        if self._calls_left is not None:
            self._calls_left -= 1
            if self._calls_left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return ModelAnswer(self.embed_documents(texts), tokens=sum(map(self.estimate_tokens, texts)))


def dying_at(
    when: str, step: str, run: Callable[[str, Callable[[], Any]], Any] = run_here, marks: Path | None = None
) -> Callable[..., Any]:
    """Runs steps as `run` does, but is killed before, within or after the one that is named.

    Each step that begins or ends leaves a line in `marks`: the last one tells where a kill has landed.
    """

    def pass_point(point: str, name: str) -> None:
        if marks is not None:
            with marks.open("a", encoding="utf-8") as file:
                file.write(f"{point} {name}\n")
        if (when, step) == (point, name):
            os.kill(os.getpid(), signal.SIGKILL)

    def run_step(name: str, work: Callable[[], Any]) -> Any:
        pass_point("before", name)
        if (when, step) == ("within", name):
            threading.Timer(random.uniform(0.0, _WITHIN_S), os.kill, (os.getpid(), signal.SIGKILL)).start()
        result = run(name, work)
        pass_point("after", name)
        return result

    return run_step


def main(clone: str, cache: str, record: str, when: str = "", step: str = "") -> None:
    encoder = RecordingEncoder(Path(record), int(step) if when == "call" else None)
    tools = BuildTools(encoder_for=lambda _: encoder, cache=VectorCache(Path(cache)), run_step=dying_at(when, step))
    publish_index(Path(clone), BuildOptions(), PublishOptions(push=True), tools)


def run_publisher(clone: Path, cache: Path, record: Path, when: str = "", step: str = "") -> int:
    """The exit status of such a process."""
    command = [sys.executable, __file__, str(clone), str(cache), str(record), *([when, step] if when else [])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run(command, check=False, env=environment, timeout=60).returncode


if __name__ == "__main__":
    main(*sys.argv[1:])
