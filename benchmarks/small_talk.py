"""`python -m benchmarks.small_talk`: makes `small_talk.tokens` and `.i8` anew, after a change of their prompts."""

from pathlib import Path

import numpy as np

from hub_index.embedding.local import LocalEncoder
from hub_index.search.ranking import small_talk
from hub_index.search.words.tokens import tokenize
from hub_index.settings import read_settings


def main() -> None:
    """Writes tokens and vectors beside the prompts."""
    Path(small_talk.TOKENS).write_text(make_tokens(), "utf-8")
    Path(small_talk.VECTORS).write_bytes(make_vectors())


def make_tokens() -> str:
    """The tokens of all prompts, a line each, sorted."""
    return "\n".join(sorted(set(tokenize(Path(small_talk.PROMPTS).read_text("utf-8"))))) + "\n"


def make_vectors() -> bytes:
    """A row of 512 bytes for each prompt: its direction is what counts, so each row is scaled to its largest number."""
    encoder = LocalEncoder(Path(read_settings().cache_folder))
    prompts = Path(small_talk.PROMPTS).read_text("utf-8").splitlines()
    vectors = np.stack([encoder.embed_query(prompt) for prompt in prompts])
    scaled = vectors * (127.0 / np.abs(vectors).max(axis=1, keepdims=True))
    return bytes(np.rint(scaled).astype(np.int8).tobytes())


if __name__ == "__main__":
    main()
