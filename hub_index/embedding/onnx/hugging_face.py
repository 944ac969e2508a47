"""One repository on a Hugging Face endpoint, through its own library: its list of files, and the files, checked.

A branch or a tag becomes a commit first; every file is fetched at that commit and compared with the server's digest:
the sha256 of a large one, git's own hash of a small one. An interrupted download goes on where it stopped.
"""

import hashlib
import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from hub_index.base.file_permissions import make_private_folder
from hub_index.base.shown_address import shown_address
from hub_index.embedding.api.endpoint import missing_sdk
from hub_index.embedding.api.http_guard import is_loopback
from hub_index.errors import ConfigError, ProviderBrokePromise, ProviderRefused, ProviderUnavailable
from hub_index.limits import MAX_MODEL_SETTINGS_BYTES, MAX_PULLED_BYTES

DEFAULT_ENDPOINT = "https://huggingface.co"
ENDPOINT_VARIABLE = "HF_ENDPOINT"
_TIMEOUT_S = 30.0
_COMMIT = re.compile(r"[0-9a-f]{40}")
# Nothing is reported to anybody, and files come over plain HTTP, which can be taken up again; the user's own word wins.
_QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}


class PullWatcher(Protocol):
    """Receives the progress of a file in bytes."""

    def expect(self, what: str, total: int) -> None:
        """Announces `total` bytes of `what`."""

    def advance(self, done: int) -> None:
        """Reports `done` more bytes."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """The server's facts on a file: its size, and its sha256 or git's hash of it."""

    name: str
    size: int
    sha256: str = ""
    blob: str = ""


class RemoteRepo:
    """A repository at one commit. Making one asks the server. Raises ConfigError, ProviderError."""

    def __init__(self, repo: str, revision: str) -> None:
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        try:
            import huggingface_hub
            from huggingface_hub import errors
        except ModuleNotFoundError as error:
            raise missing_sdk("onnx", error) from error
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it logs every new try
        self._library: Any = huggingface_hub
        self._errors: Any = errors
        self._endpoint = read_endpoint()
        self._shown_endpoint = shown_address(self._endpoint)
        self.repo = repo
        with self._said_in_words():
            api = huggingface_hub.HfApi(endpoint=self._endpoint)
            info = api.model_info(repo, revision=revision or None, files_metadata=True, timeout=_TIMEOUT_S)
        if not _COMMIT.fullmatch(info.sha or ""):
            raise ProviderBrokePromise(
                f"{self._shown_endpoint} did not say which commit {repo} is at; nothing was stored"
            )
        self.commit: str = info.sha or ""
        self.files = {file.name: file for file in map(_remote_file, info.siblings or ())}

    def fetch(self, name: str, folder: Path, watcher: PullWatcher) -> Path:
        """A file of the repository below the folder, whole and checked. Raises ProviderError, OSError.

        The library's own download throws away what it has when it is stopped, so its parts are called one by one: a
        part that is here is gone on from, whichever process has left it.
        """
        remote = self.files[name]
        if remote.size > MAX_PULLED_BYTES:
            raise ProviderRefused(f"{self.repo}: {name} has {remote.size} bytes, more than is fetched here")
        path = folder / name
        part = path.with_name(f"{path.name}.{(remote.sha256 or remote.blob)[:16]}.part")
        make_private_folder(path.parent)
        if not path.is_file():
            watcher.expect(f"fetching {name}", remote.size)
            with self._said_in_words():
                self._download(name, part, remote.size, watcher)
            part.replace(path)
        return self._check(path, remote)

    def _download(self, name: str, part: Path, size: int, watcher: PullWatcher) -> None:
        from huggingface_hub.file_download import http_get

        url = self._library.hf_hub_url(self.repo, name, revision=self.commit, endpoint=self._endpoint)
        metadata = self._library.get_hf_file_metadata(url, timeout=_TIMEOUT_S, endpoint=self._endpoint)
        headers = self._library.utils.build_hf_headers()
        if urlsplit(metadata.location).netloc != urlsplit(url).netloc:
            headers.pop("authorization", None)  # where the bytes lie is another's server
        with part.open("ab") as file:
            if file.tell() > size:
                file.truncate(0)
            if file.tell() == size and size:
                return
            watcher.advance(file.tell())
            http_get(
                metadata.location,
                file,
                resume_size=file.tell(),
                headers=headers,
                expected_size=size,
                displayed_filename=name,
                tqdm_class=_bar_class(watcher),
            )

    def read_small(self, name: str, folder: Path, watcher: PullWatcher) -> bytes:
        """A settings file of the repository; empty if it has none, or none of that size. Raises ProviderError."""
        if name not in self.files or self.files[name].size > MAX_MODEL_SETTINGS_BYTES:
            return b""
        return self.fetch(name, folder, watcher).read_bytes()

    def _check(self, path: Path, remote: RemoteFile) -> Path:
        """The path of a file with the server's digest; any other file is removed. Raises ProviderBrokePromise."""
        size = path.stat().st_size
        digest = hashlib.sha256() if remote.sha256 else hashlib.sha1(b"blob %d\0" % size)  # noqa: S324 - git's own
        with path.open("rb") as file:
            while chunk := file.read(1024 * 1024):
                digest.update(chunk)
        if digest.hexdigest() != (remote.sha256 or remote.blob):
            path.unlink()
            raise ProviderBrokePromise(
                f"{remote.name} of {self.repo} is not what {self._shown_endpoint} says it is (its digest differs); it "
                "was removed, run the same command again"
            )
        return path

    @contextmanager
    def _said_in_words(self) -> Iterator[None]:
        """Turns the library's errors into ours; none of its text is shown, which may hold a token."""
        errors = self._errors
        where = f"{self.repo} at {self._shown_endpoint}"
        try:
            yield
        except errors.GatedRepoError:
            raise ProviderRefused(
                f"{where} asks for its terms to be accepted first: do so there, set HF_TOKEN"
            ) from None
        except errors.RepositoryNotFoundError:
            raise ProviderRefused(f"there is no {where}, or it is private; check the name, or set HF_TOKEN") from None
        except errors.RevisionNotFoundError:
            raise ProviderRefused(f"{where} does not have this revision; leave it out for the newest") from None
        except errors.HFValidationError:
            raise ConfigError(f"{self.repo!a} is not the name of a repository: write OWNER/NAME") from None
        except errors.OfflineModeIsEnabled:
            raise ConfigError("HF_HUB_OFFLINE is set, so that nothing can be fetched; unset it") from None
        except errors.HfHubHTTPError as error:
            status = getattr(error.response, "status_code", None)
            raise ProviderUnavailable(
                f"{where} answered with status {status}; run the same command again later"
            ) from None
        except OSError as error:
            if type(error) is OSError and error.errno:  # the disk's, not the network's
                raise
            raise _cut_off(where) from None
        except ConnectionError:
            raise _cut_off(where) from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] in ("httpx", "httpx2", "httpcore", "huggingface_hub"):
                raise _cut_off(where) from None
            raise


def read_endpoint() -> str:
    """Where models are fetched from. Raises ConfigError for one to which a token would go unencrypted."""
    url = (os.environ.get(ENDPOINT_VARIABLE) or DEFAULT_ENDPOINT).strip().rstrip("/")
    if not url.startswith("https://") and not (url.startswith("http://") and is_loopback(url)):
        raise ConfigError(f"{ENDPOINT_VARIABLE} must be an https address, such as {DEFAULT_ENDPOINT}")
    return url


def _cut_off(where: str) -> ProviderUnavailable:
    return ProviderUnavailable(
        f"{where} cannot be reached, or broke off; what has come is kept, run the same command again"
    )


def _remote_file(sibling: Any) -> RemoteFile:
    lfs = sibling.lfs
    sha256 = lfs.sha256 if lfs is not None else ""
    return RemoteFile(sibling.rfilename, sibling.size or 0, sha256 or "", sibling.blob_id or "")


def _bar_class(watcher: PullWatcher) -> Any:
    """The library's progress bar, replaced by ours, which reports the number of new bytes."""
    tqdm: Any = import_module("tqdm").tqdm

    def start(self: Any, *_: Any, **__: Any) -> None:
        tqdm.__init__(self, disable=True)

    def update(_self: Any, count: float | None = 1) -> None:
        watcher.advance(int(count or 0))

    return type("QuietBar", (tqdm,), {"__init__": start, "update": update})
