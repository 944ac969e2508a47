"""A user's name for a skill → its document: by its id, its path as search prints it, or its name."""

from dataclasses import dataclass

import tantivy

from hub_index.base.characters import nfc, quote_line
from hub_index.errors import ConfigError, SkillAmbiguous, SkillUnknown
from hub_index.hub.record_file import is_document_record, is_skill_file
from hub_index.limits import MAX_ID_BYTES
from hub_index.search.lexical.build import exact_keys
from hub_index.search.lexical.matching import plan_query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.record import Record
    from hub_index.search.lexical.lexical import LexicalIndex

_NEAR = 3  # ids that are offered for a name that no skill has
_SAID_CHARS = 100  # of a name that no skill has
_SHOWN = 10  # ids that are listed for a name that many skills have


@dataclass(frozen=True, slots=True)
class SkillMatch:
    """A row of the index and its record."""

    row: int
    record: "Record"


def find_skill(lexical: "LexicalIndex", said: str, *, suggests: bool = True) -> SkillMatch:
    """The skill of this id, path or name; an id goes before a path, a path before a name.

    Raises ConfigError; if no skill matches, it `suggests` the nearest.
    """
    if not isinstance(said, str):
        raise ConfigError("a skill is named by a text: its id, its path or its name")
    shown = quote_line(said, _SAID_CHARS)
    text, path = _text_and_path(said)
    candidates = _look_up(lexical, keys_of(said))
    for matches in (
        [match for match in candidates if match.record.id == text],
        [match for match in candidates if match.record.id.casefold() == text.casefold()],
        [match for match in candidates if _is_at(match.record, path)],
        [match for match in candidates if _is_at(match.record, nfc(path))],
        [match for match in candidates if set(exact_keys(text)) & set(exact_keys(match.record.name))],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = tuple([match.record.id for match in matches[:_SHOWN]])
            more = f" and {len(matches) - _SHOWN} more" if len(matches) > _SHOWN else ""
            what = (
                f"{len(matches)} skills are called {shown}; name one by its id: {', '.join(map(quote_line, ids))}{more}"
            )
            raise SkillAmbiguous(what, ids)
    near = _near_ids(lexical, text) if suggests else ""
    advice = f"the nearest are {near}" if near else "`hub-index search` finds skills and prints their paths"
    raise SkillUnknown(f"there is no skill {shown} in this hub; {advice}")


def keys_of(said: str) -> list[str]:
    """The keys of all documents whose id, path or name may be `said`."""
    text, path = _text_and_path(said)
    return _keys({text, *_ids_of_path(path), *_ids_of_path(nfc(path))})


def find_id(lexical: "LexicalIndex", skill_id: str) -> SkillMatch | None:
    """The skill with exactly this id, or None."""
    return next((match for match in _look_up(lexical, _keys({skill_id})) if match.record.id == skill_id), None)


def holds_id(lexical: "LexicalIndex", skill_id: str) -> bool:
    """Whether a skill has exactly this id."""
    return find_id(lexical, skill_id) is not None


def _near_ids(lexical: "LexicalIndex", text: str) -> str:
    """The ids of the skills that share most with the text, after typos are corrected."""
    query = plan_query(lexical, text).ranked()
    hits = lexical.search(query, _NEAR) if query is not None else []
    return ", ".join([quote_line(lexical.read_record(hit.address).id) for hit in hits])


def _look_up(lexical: "LexicalIndex", wanted: list[str]) -> list[SkillMatch]:
    """All documents whose id or name has one of the keys, however many share a name."""
    keys = [key for key in wanted if lexical.searcher.doc_freq("key", key)]
    if not keys:
        return []
    terms = [(tantivy.Occur.Should, tantivy.Query.term_query(lexical.schema, "key", key, "basic")) for key in keys]
    alike = tantivy.Query.const_score_query(tantivy.Query.boolean_query(terms), 1.0)
    return [SkillMatch(hit.row, lexical.read_record(hit.address)) for hit in lexical.search(alike, lexical.count)]


def _keys(texts: set[str]) -> list[str]:
    return [key for text in sorted(texts) for key in exact_keys(text)]


def _text_and_path(said: str) -> tuple[str, str]:
    text = said.encode("utf-8", "replace").decode().strip()
    return text, _as_path(text)


def _as_path(text: str) -> str:
    """The folder or document that a spelling of a path means: `./`, a last `/` and the file's name are dropped."""
    path = text.removeprefix("./").rstrip("/")
    return (path.rpartition("/")[0] or ".") if is_skill_file(path) else path or "."


def _ids_of_path(path: str) -> set[str]:
    """Every id that could belong to it: its ends, since roots differ; a document's name has colons for slashes."""
    if path == ".":
        return {"root"}
    starts = [0, *[at + 1 for at, sign in enumerate(path) if sign == "/"]]
    document = path[:-3] if path.lower().endswith(".md") else path
    return {path[at:] for at in starts if len(path) - at <= MAX_ID_BYTES} | {document.replace("/", ":")}


def _is_at(record: "Record", path: str) -> bool:
    """Whether a path, in any case, is the folder of a skill or the file of a document, with or without its ending."""
    if is_document_record(record.id, record.path):
        document = record.id.replace(":", "/").casefold()
        return path.casefold() in {document, f"{document}.md"}
    return record.path.casefold() == path.casefold()
