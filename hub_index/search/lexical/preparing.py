"""A task → one tokenised document: in this process, or in a worker, which receives only tasks.

A task is a plain tuple, so that `marshal` can send it. The key of a document's body is the beginning of git's blob id,
computed from the bytes that were read, so that a file which differs from git's index never passes for it.
"""

from errno import EMFILE, ENFILE, ENOMEM
from hashlib import sha256

from hub_index.base.characters import is_plain_utf8
from hub_index.base.safe_open import read_below
from hub_index.hub.skill.block_split import find_plain_body, split_frontmatter
from hub_index.hub.skill.encoding import decode_content
from hub_index.hub.skill.problems import ProblemList
from hub_index.limits import MAX_BODY_CHARS, MAX_SKILL_BYTES
from hub_index.search.checkout.git_index import blob_id
from hub_index.search.lexical.prepared import decode_record, encode_record, prepare_tokens, tokenize_body
from hub_index.search.words.tokens import token_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hub_index.models import SkillFile
    from hub_index.record import Record

    Task = tuple[Any, ...]
    Outcome = tuple[bytes, bytes, bytes, bytes]  # the stored record, its tokens, the distinct ones, the key of the body

KEY_BYTES = 16
NO_BODY = bytes(KEY_BYTES)
_TEXT, _RECORD, _FILE = "text", "record", "file"
_NOT_OF_THE_FILE = (ENFILE, EMFILE, ENOMEM)  # this process, or the machine, has too much open or no memory


def digest_key(data: bytes) -> bytes:
    """A digest of the bytes, short enough to keep a million of them."""
    return sha256(data).digest()[:KEY_BYTES]


def text_task(record: "Record", body: str) -> "Task":
    """A record with its body at hand."""
    return (_TEXT, encode_record(record), body, digest_key(body.encode("utf-8", "surrogatepass")))


def record_task(stored: bytes, hub: str, file: str, key: bytes, hash_name: str) -> "Task":
    """A task for a stored record and its body in a file of the checkout, if any.

    `hash_name` is git's, empty to believe the key.
    """
    return (_RECORD, stored, hub, file, key, hash_name)


def file_task(file: "SkillFile", hub: str, key: bytes, hash_name: str) -> "Task":
    """A task for a file without a record."""
    return (_FILE, (file.id, file.path, file.file, file.kind, "", file.size), hub, key, hash_name)


def task_record(task: "Task") -> bytes | None:
    """The stored record of a task that has one."""
    return None if task[0] == _FILE else task[1]


def task_content(task: "Task", key: bytes) -> bytes:
    """The bytes of the body with this key; empty if there are none, or if the file changed."""
    if task[0] != _RECORD:
        return b""
    _, _, hub, file, believed, hash_name = task
    content = _read(hub, file)
    return content if content is not None and _content_key(content, believed, hash_name) == key else b""


def run_task(task: "Task") -> "Outcome | None":
    """The document; None if the file cannot be read or is not a skill. Raises OSError, see `_read`."""
    if task[0] == _FILE:
        return _prepare_file(*task[1:])
    if task[0] == _TEXT:
        _, stored, body, key = task
        runs = tokenize_body(body)
    else:
        _, stored, hub, file, key, hash_name = task
        content = _read(hub, file)
        runs = [] if content is None else _tokenize_content(content)
        key = NO_BODY if content is None else _content_key(content, key, hash_name)
    return *_prepare(stored, runs), key


def body_of(content: bytes) -> str:
    """The body of a file's bytes, cut to what is scored.

    Only the fences are looked for: the fields are in the record, and YAML would take ten times as long.
    """
    ignored = ProblemList("")
    if not content:
        return ""
    body = split_frontmatter(decode_content(content, ignored).text, ignored).body
    return body.strip("\n")[:MAX_BODY_CHARS]  # as a build strips it: a page cuts the same characters off


def _tokenize_content(content: bytes) -> list[bytes]:
    """The tokens of the body of a file's bytes, in runs; of most files without making text of them."""
    start = find_plain_body(content)
    if start >= 0 and len(content) - start <= MAX_BODY_CHARS and b"\r" not in content:
        try:
            content[:start].decode()
            if is_plain_utf8(content):
                return token_runs(content[start:])
        except UnicodeDecodeError:  # another encoding, which `body_of` finds out
            pass
    return tokenize_body(body_of(content))


def _prepare_file(fields: "tuple[Any, ...]", hub: str, key: bytes, hash_name: str) -> "Outcome | None":
    from hub_index.hub.skill.skill import parse_skill
    from hub_index.models import SkillFile
    from hub_index.record import Record

    file = SkillFile(*fields)
    content = _read(hub, file.file)
    skill = None if content is None else parse_skill(file, content).skill
    if content is None or skill is None:
        return None
    record = Record(skill.id, skill.path, skill.name, skill.description, keywords=skill.keywords, lang=skill.lang)
    runs = tokenize_body(skill.body)
    return *_prepare(encode_record(record), runs), _content_key(content, key, hash_name)


def _prepare(stored: bytes, runs: "list[bytes]") -> "tuple[bytes, bytes, bytes]":
    return stored, *prepare_tokens(decode_record(stored), runs)


def _content_key(content: bytes, believed: bytes, hash_name: str) -> bytes:
    return blob_id(content, hash_name)[:KEY_BYTES] if hash_name else believed


def _read(hub: str, file: str) -> bytes | None:
    """A file's bytes; None if it is missing or unreadable. Raises OSError for errors that are not the file's fault.

    Otherwise a document without its body would be kept, and not be found until the file changes.
    """
    try:
        return read_below(hub, file, MAX_SKILL_BYTES) if file else None
    except OSError as error:
        if error.errno in _NOT_OF_THE_FILE:
            raise
        return None
