"""Repositories with a known good model, and the settings of each, from its model card."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownRepo:
    """How a model turns texts into vectors."""

    repo: str
    pooling: str
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    about: str = ""


KNOWN_REPOS = (
    KnownRepo(
        "intfloat/multilingual-e5-small", "mean", 512, "query: ", "passage: ", "some 100 languages, 384 numbers, 470 MB"
    ),
    KnownRepo("BAAI/bge-m3", "cls", 8192, about="some 100 languages, long texts, 1024 numbers, 2.3 GB"),
    KnownRepo(
        "BAAI/bge-small-en-v1.5",
        "cls",
        512,
        "Represent this sentence for searching relevant passages: ",
        about="English, 384 numbers, 130 MB",
    ),
    KnownRepo("sentence-transformers/all-MiniLM-L6-v2", "mean", 256, about="English, 384 numbers, 90 MB"),
)


def find_known(repo: str) -> KnownRepo | None:
    """The settings of a known repository; the case of its name does not matter, as on the server."""
    return next((entry for entry in KNOWN_REPOS if entry.repo.lower() == repo.lower()), None)
