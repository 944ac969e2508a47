"""Texts per second through the real SDKs, against a loopback server that takes 100 ms for every request.

The floor is arithmetic: concurrency × batch / latency. The server is a process of its own with prepared answers
(256 dimensions, base64), so the difference is our time and the SDK's: request, guard, parsing, checks, cache.
"""

import asyncio
import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hub_index.embedding.batches import embed_texts
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.providers import make_encoder
from hub_index.models import SkillText
from hub_index.settings import read_settings

LATENCY_S = 0.1
BATCH = 64
CONCURRENCY = 4
DIM = 256
BATCHES = 100
FLOOR = CONCURRENCY * BATCH / LATENCY_S
MODELS = ("openai:text-embedding-3-small", "voyage:voyage-4-lite")


def main() -> None:
    """Prints a line per provider, without and with the cache, and the cache's own times."""
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.bench_providers", "serve"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        os.environ["AXON_EMBEDDINGS_BASE_URL"] = server.stdout.readline().strip()
        os.environ["AXON_EMBEDDINGS_API_KEY"] = "none"
        for model in MODELS:
            for with_cache in (False, True):
                _measure(model, with_cache)
    finally:
        server.terminate()
        server.wait()
    _measure_cache()


def _measure(model: str, with_cache: bool) -> None:
    texts = [_text(number) for number in range(BATCH * BATCHES)]
    encoder = make_encoder(
        model, read_settings(), batch_size=BATCH, concurrency=CONCURRENCY, dimensions=DIM, asked=model
    )
    encoder.embed_documents([text.text for text in texts[:BATCH]])  # imports and connects
    with tempfile.TemporaryDirectory() as folder:
        cache = VectorCache(Path(folder)) if with_cache else None
        if cache is not None:
            cache.add("sha256:" + "0" * 64, {"0" * 64: np.ones(1, np.float32)})  # imports pyarrow
        start = time.perf_counter()
        vectors = embed_texts(encoder, texts, cache=cache)
        seconds = time.perf_counter() - start
    assert len(vectors) == len(texts)
    encoder.close()
    rate = len(texts) / seconds
    cached = "with cache" if with_cache else "no cache  "
    print(f"{model:32} {cached} {rate:7.0f} texts/s = {rate / FLOOR:.2f} × {FLOOR:.0f} (≥ 0.80)")


def _measure_cache(count: int = 20_000, dim: int = 512) -> None:
    rows = np.random.default_rng(0).standard_normal((count, dim))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    keyed = {_text(number).text_hash: row for number, row in enumerate(rows)}
    space = "sha256:" + "1" * 64
    with tempfile.TemporaryDirectory() as folder:
        cache = VectorCache(Path(folder))
        times = {}
        for what, work in (
            ("write", lambda: cache.add(space, keyed)),
            ("read all", lambda: cache.read_vectors(space, keyed, dim)),
            ("read one", lambda: cache.read_vectors(space, list(keyed)[:1], dim)),
            ("ask for all", lambda: cache.read_held(space, keyed, dim)),
        ):
            start = time.perf_counter()
            work()
            times[what] = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    shown = ", ".join(f"{what} {seconds:.3f} s" for what, seconds in times.items())
    print(f"cache, {count:,} × {dim}: {shown}; {size / 1e6:.1f} MB ({size / rows.nbytes:.2f} of the raw bytes)")


def _text(number: int) -> SkillText:
    text = f"name: skill-{number}\ndescription: Explains slow database queries and proposes an index, number {number}."
    return SkillText(text, hashlib.sha256(text.encode()).hexdigest())


async def _serve() -> None:
    rng = np.random.default_rng(0)
    data = [
        {"object": "embedding", "index": index, "embedding": base64.b64encode(row.tobytes()).decode()}
        for index, row in enumerate(rng.standard_normal((BATCH, DIM)).astype("<f4"))
    ]
    body = json.dumps({"object": "list", "data": data, "usage": {"total_tokens": BATCH}}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(lines.split(b"content-length:")[1].split(b"\r\n")[0])
                await reader.readexactly(length)
                await asyncio.sleep(LATENCY_S)
                writer.write(head + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(_serve())
    else:
        main()
