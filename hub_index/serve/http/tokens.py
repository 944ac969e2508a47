"""The tokens that open the server: a file of `NAME TOKEN` lines, read again whenever it changes.

A token is revoked by deleting its line. If the file cannot be read any more, no token is valid.
"""

import hmac
import os
from hashlib import sha256

from hub_index.base.safe_open import read_regular
from hub_index.errors import ConfigError
from hub_index.limits import MAX_TOKEN_FILE_BYTES, MAX_TOKENS, MIN_TOKEN_CHARS

_FORM = f"a line is a name, a space and a token of at least {MIN_TOKEN_CHARS} visible ASCII characters"


class TokenFile:
    """The valid tokens, by the file as it is now."""

    def __init__(self, path: str) -> None:
        """Raises ConfigError if the file holds no tokens; after later mistakes in it no token is valid."""
        self._path = path
        self._state = self._look()
        self._digests = _read_tokens(path)

    def caller_of(self, token: str) -> str:
        """The name of the token's owner; empty for an unknown token."""
        state = self._look()
        if state != self._state:
            self._state = state
            try:
                self._digests = _read_tokens(self._path)
            except ConfigError:
                self._digests = {}
        digest = sha256(token.encode("utf-8", "replace")).digest()
        owner = ""
        for name, token_digest in self._digests.items():  # all of them, so that the time reveals nothing
            if hmac.compare_digest(token_digest, digest):
                owner = name
        return owner

    def _look(self) -> tuple[int, ...]:
        try:
            status = os.stat(self._path)
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_size, status.st_ino


def _read_tokens(path: str) -> dict[str, bytes]:
    """The digest of each token by its owner's name. Raises ConfigError, which quotes nothing of the file."""
    try:
        content = read_regular(os.path.realpath(path), MAX_TOKEN_FILE_BYTES)
    except OSError as error:
        raise ConfigError(f"--token-file {path!a} cannot be read ({error.strerror}); check the path") from error
    digests: dict[str, bytes] = {}
    for number, line in enumerate(content.decode("utf-8-sig", "replace").splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2 or not _is_name(words[0]) or not _is_token(words[1]) or words[0] in digests:
            raise ConfigError(f"--token-file {path!a}, line {number} is not a token with a unique name: {_FORM}")
        digests[words[0]] = sha256(words[1].encode()).digest()
    if not digests or len(digests) > MAX_TOKENS:
        raise ConfigError(f"--token-file {path!a} must hold 1 to {MAX_TOKENS} tokens: {_FORM}")
    return digests


def _is_name(text: str) -> bool:
    return len(text) <= 64 and all(sign.isascii() and (sign.isalnum() or sign in "-_.@") for sign in text)


def _is_token(text: str) -> bool:
    return len(text) >= MIN_TOKEN_CHARS and all("!" <= sign <= "~" for sign in text)
