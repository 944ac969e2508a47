"""An index of a big hub without its model: real records, vectors made of the texts' digests.

`python -m benchmarks.ready_index HUB` builds one where there is none. It names the embedded model and its space, so
that builds and searches take it for theirs: what they cost does not hang on what the numbers are. 109,026 skills take
a minute or two instead of ten of embedding. An edit has to be built with `--accept vectors`: the old vectors are not
those that the model gives.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hub_index.embedding.local import LocalEncoder
from hub_index.hub.known_trees import KnownTrees
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.settings import read_settings


class ReadyEncoder(LocalEncoder):
    """The embedded model by name; its vectors follow from the texts' digests, in no time."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row per text."""
        seeds = [int.from_bytes(sha256(text.encode()).digest()[:8], "little") for text in texts]
        rows = np.stack([np.random.default_rng(seed).standard_normal(self.dim, dtype=np.float32) for seed in seeds])
        normal: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return normal


def make_ready_index(hub: Path) -> None:
    """Builds the hub's own index, unless it has one."""
    if (hub / "search").is_dir():
        return
    tools = BuildTools(encoder_for=lambda _: ReadyEncoder(), known_trees=KnownTrees(read_settings().cache_folder))
    build_index(hub, BuildOptions(), tools)


if __name__ == "__main__":
    make_ready_index(Path(sys.argv[1]))
