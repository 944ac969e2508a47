"""How long a search takes, compared with what every search needs: the interpreter, tantivy, numpy's product."""

import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import tantivy

from benchmarks.hubs import make_hub
from benchmarks.lexical_floor import measure_floor, read_all
from benchmarks.measure import Ratio, median_s, peak_memory_bytes, run, used_s
from hub_index.search import open_index
from hub_index.search.lexical.build import LexicalDocument, write_lexical
from hub_index.search.lexical.lexical import FIELD_WEIGHTS, LexicalIndex
from hub_index.search.semantic.semantic import VectorScan
from hub_index.search.words import tokens

# as people ask: some words, a question, a paragraph; English and Chinese
_QUERIES = (
    "how do I analyze database performance?", "make slides from an outline", "我想制作一个ppt，哪些skill可用",
    "convert a pdf to text", "weather forecast for a city", "搜索本地文档和笔记", "manage kubernetes deployments",
    "I keep losing track of what my team decided in meetings; is there something that records the audio, writes a "
    "summary with action items and puts them into our task tracker, with an owner and a date for each of them?",
    "Can you help me find a tool that watches the prices of a few crypto currencies and sends me an alert by email or "
    "chat when one of them falls by more than five percent within a day?",
    "我需要一个工具，可以把多个Excel表格合并，清洗重复数据，生成图表，并把结果写成一份可以发给客户的中文报告",
    "Review a pull request on GitHub: check the diff for security problems, missing tests and style, and write the "
    "comments as a senior engineer would, with links to the lines",
    "translate the subtitles of a video and keep the timing", "home automation lights", "git commit messages",
)  # fmt: skip


def main() -> None:
    """Prints the table of the search targets."""
    # whole processes are measured as they are when installed: with compiled modules
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "pyc")
        os.environ["HUB_INDEX_CACHE"] = str(Path(folder) / "cache")
        hub = make_hub(Path(folder) / "hub")
        run([sys.executable, "-m", "hub_index", "build", str(hub)])
        documents = read_all(hub)
        print(f"{len(documents)} skills with bodies")
        _build(documents)
        _cold(hub)
        _warm(hub)
    for rows in (1_000, 25_000, 100_000):
        _scan(rows)


def _cold(hub: Path) -> None:
    python = [sys.executable, "-c"]
    search = [sys.executable, "-m", "hub_index", "search", "--hub", str(hub), "--k", "5"]
    floor_s = median_s(lambda: run([*python, "pass"]), 11)
    keyword = [*search, "--keyword", _QUERIES[0]]
    run(keyword)
    print(Ratio("cold keyword search / python -c pass", median_s(lambda: run(keyword), 11), floor_s, 4).line())
    hybrid = [*search, "--hybrid", _QUERIES[0]]
    run(hybrid)
    both_s = median_s(lambda: run([*python, "import numpy, tantivy"]))
    print(Ratio("cold hybrid search / import numpy, tantivy", median_s(lambda: run(hybrid)), both_s, 4).line())
    vectors = (hub / "search" / "vectors.f32").stat().st_size
    peak = peak_memory_bytes(hybrid)
    print(f"memory of a hybrid search: {peak / 1e6:.0f} MB (≤ {250 + vectors / 1e6:.0f} MB)")


def _warm(hub: Path) -> None:
    index = open_index(hub=hub)
    for mode in ("keyword", "hybrid"):
        index.search(_QUERIES[0], mode=mode)
    lexical = index.reader.open_keyword().lexical
    ours = _times([lambda q=q: index.search(q, mode="keyword") for q in _QUERIES])  # type: ignore[misc]
    floor = _times([lambda q=q: _plain_tantivy(lexical, q) for q in _QUERIES])  # type: ignore[misc]
    many = 1000
    print(Ratio("1,000 × warm keyword p95 / tantivy, same terms", many * _p95(ours), many * _p95(floor), 1.5).line())
    hybrid = _times([lambda q=q: index.search(q, mode="hybrid") for q in _QUERIES])  # type: ignore[misc]
    print(f"warm p50/p95: keyword {_shown(ours)}, hybrid with its query vector {_shown(hybrid)}")
    index.close()


def _plain_tantivy(lexical: LexicalIndex, query: str) -> list[tantivy.Document]:
    schema = lexical.schema
    clauses = [
        (
            tantivy.Occur.Should,
            tantivy.Query.boost_query(tantivy.Query.term_query(schema, field, token, "freq"), weight),
        )
        for token in dict.fromkeys(tokens.tokenize(query))
        for field, weight in FIELD_WEIGHTS
    ]
    hits = lexical.searcher.search(tantivy.Query.boolean_query(clauses), limit=20, count=False).hits
    return [lexical.searcher.doc(address) for _, address in hits[:5]]


def _scan(rows: int) -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(rows, 512)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    query = matrix[7].copy()
    scan = VectorScan(matrix)
    k = min(100, rows)

    def plain() -> object:
        scores = matrix @ query
        return np.argpartition(scores, rows - k)[-k:]

    ours_s, floor_s = [], []
    for _ in range(15):
        floor_s.append(median_s(plain, 3))
        ours_s.append(median_s(lambda: scan.nearest(query, k), 3))
    allowance = 0.3e-3 if rows == 1_000 else 0.0
    limit = 1.0 if allowance else 1.3
    what = f"100 × top {k} of {rows:,} × 512 / X @ q, argpartition" + (" + 0.3 ms" if allowance else "")
    print(Ratio(what, 100 * sorted(ours_s)[7], 100 * (sorted(floor_s)[7] + allowance), limit).line())


def _build(documents: Sequence[LexicalDocument]) -> None:
    """Our index against tantivy fed with ready tokens plus one regular expression over the same texts."""
    with tempfile.TemporaryDirectory() as folder:
        tokens._tokens_of.clear()
        ours_s = used_s(lambda: write_lexical(documents, folder))
        index = tantivy.Index.open(folder)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    assert LexicalIndex(index).count == len(documents)
    floor_s = measure_floor(documents).strict_s
    print(Ratio("lexical index / (tantivy fed with tokens + one regex)", ours_s, floor_s, 3).line())
    fts_s = used_s(lambda: _fts5(documents))
    print(f"the same texts: ours {ours_s:.1f} s, {size / 1e6:.1f} MB; SQLite FTS5 {fts_s:.1f} s; {_bm25s(documents)}")


def _fts5(documents: Sequence[LexicalDocument]) -> None:
    with sqlite3.connect(":memory:") as base:
        base.execute("create virtual table skills using fts5(name, description, body, tokenize='porter unicode61')")
        rows = ((document.record.name, document.record.description, document.body) for document in documents)
        base.executemany("insert into skills values (?, ?, ?)", rows)


def _bm25s(documents: Sequence[LexicalDocument]) -> str:
    try:
        import bm25s  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return "bm25s is not installed"
    texts = [f"{document.record.name} {document.record.description} {document.body}" for document in documents]
    spent = used_s(lambda: bm25s.BM25().index(bm25s.tokenize(texts, show_progress=False), show_progress=False))
    return f"bm25s {spent:.1f} s"


def _times(work: Sequence[Callable[[], object]]) -> list[float]:
    return [median_s(search, 15) for search in work]


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def _shown(times: Sequence[float]) -> str:
    return f"{sorted(times)[len(times) // 2] * 1000:.2f}/{_p95(times) * 1000:.2f} ms"


if __name__ == "__main__":
    main()
