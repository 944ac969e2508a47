"""JSON of the server → the values of `open_index` and the service, and problems → the errors of the tree.

Fields that a newer server adds are left out; one that is missing makes the answer a broken one.
"""

from dataclasses import fields
from typing import Any
from urllib.parse import unquote

from hub_index import errors
from hub_index.errors import ConfigError, HubIndexError, SkillAmbiguous, SourceError
from hub_index.record import Record
from hub_index.search.results import Hit, Place, Reasons, RerankNote, Results, Snippet, Span, skill_uri
from hub_index.service.answers import FileEntry, Heading, HubStatus, ServiceStatus, SkillEntry, SkillList, SkillText

_STATUS = [field.name for field in fields(HubStatus)]


def decode_results(found: dict[str, Any]) -> Results:
    """The results of a search."""
    return Results(
        query=found["query"],
        mode=found["mode"],
        hits=tuple([_decode_hit(hit) for hit in found["hits"]]),
        fallback_reason=found["fallback_reason"] or "",
        model_id=found["model_id"] or "",
        index_dir=found.get("index_dir") or "",
        notices=tuple(found.get("notices", ())),
        did_you_mean=found.get("did_you_mean") or "",
        rerank=_decode_rerank(found.get("rerank")),
        hubs_digest=found.get("hubs_digest", ""),
        omitted=tuple(found.get("omitted", ())),
        next_cursor=found.get("next_cursor", ""),
        search_id=found.get("search_id", ""),
    )


def decode_text(found: dict[str, Any]) -> SkillText:
    """Lines of a skill."""
    named = {name: found[name] for name in ("hub", "id", "uri", "name", "description", "path", "file", "text")}
    return SkillText(
        **named,
        start=found["start"],
        end=found["end"],
        total_lines=found["total_lines"],
        next_start=found["next_start"],
        headings=tuple(
            [Heading(head["level"], head["text"], head["start"], head["end"]) for head in found["headings"]]
        ),
        files=tuple([FileEntry(file["path"], file["size"], file["sha256"]) for file in found["files"]]),
        notices=tuple(found["notices"]),
    )


def decode_list(found: dict[str, Any]) -> SkillList:
    """A page of skills."""
    skills = [
        SkillEntry(skill["hub"], skill["uri"], skill["type"], _record(skill), skill["file"])
        for skill in found["skills"]
    ]
    return SkillList(tuple(skills), found["total"], found["next_cursor"] or "", tuple(found["notices"]))


def decode_status(found: dict[str, Any]) -> ServiceStatus:
    """The state of the hubs."""
    hubs: list[HubStatus] = []
    for hub in found["hubs"]:
        named = {name: hub[name] for name in _STATUS if name in hub}
        known: dict[str, Any] = {name: "" if value is None else value for name, value in named.items()}
        hubs.append(HubStatus(**known))
    return ServiceStatus(found["version"], found.get("hubs_digest", ""), tuple(hubs), tuple(found["notices"]))


def decode_report(found: dict[str, Any]) -> None:
    """Nothing: a report that is not kept is refused."""
    if found["recorded"] is not True:
        raise KeyError("recorded")


def decode_problem(status: int, problem: object) -> HubIndexError:
    """The error that the server met, by its name in the tree."""
    if not isinstance(problem, dict) or not isinstance(problem.get("detail"), str):
        return SourceError(f"the server answered {status}; is it `hub-index serve`?")
    kind = getattr(errors, str(problem.get("error")), None)
    if kind is SkillAmbiguous:
        return SkillAmbiguous(problem["detail"], tuple([str(id_) for id_ in problem.get("candidates") or ()]))
    if isinstance(kind, type) and issubclass(kind, HubIndexError):
        return kind(problem["detail"])
    return (ConfigError if 400 <= status < 500 and status != 429 else SourceError)(problem["detail"])


def broken_answer() -> HubIndexError:
    """The error for an answer that is not what the server would say."""
    return SourceError("the server's answer is not one of `hub-index serve`; check the address and its version")


def _decode_hit(hit: dict[str, Any]) -> Hit:
    snippet = hit.get("snippet")
    return Hit(
        rank=hit["rank"],
        record=_record(hit),
        score=hit["score"],
        weak=hit["weak"],
        reasons=_reasons(hit.get("explain")),
        file=hit.get("file", ""),
        snippet=Snippet(snippet["field"], snippet["text"], tuple([tuple(span) for span in snippet["highlights"]]))
        if snippet
        else None,
        hub=hit.get("hub", ""),
        also_in=tuple([_place(place) for place in hit.get("also_in", ())]),
        also_like=tuple([_place(place) for place in hit.get("also_like", ())]),
        confidence=hit.get("confidence"),
        spans=tuple([Span(span["start"], span["end"], span["text"]) for span in hit.get("spans", ())]),
    )


def _decode_rerank(found: dict[str, Any] | None) -> RerankNote | None:
    if not found:
        return None
    return RerankNote(found["by"], found["count"], found["tokens"], found["usd"], found["problem"] or "")


def _place(found: dict[str, Any]) -> Place:
    """Another place of the skill; only the uri names its file."""
    quoted = found["uri"].removeprefix(skill_uri(found["hub"], ""))
    return Place(found["hub"], found["id"], unquote(quoted, errors="surrogateescape"))


def _record(found: dict[str, Any]) -> Record:
    return Record(
        id=found["id"],
        path=found["path"],
        name=found["name"],
        description=found["description"],
        updated_at=found.get("updated_at") or "",
        keywords=tuple(found.get("keywords", ())),
        lang=found.get("lang") or "",
    )


def _reasons(explained: dict[str, Any] | None) -> Reasons:
    if explained is None:
        return Reasons()
    return Reasons(
        cosine=explained["cosine"],
        lexical=explained["lexical"],
        bonus=explained["bonus"],
        is_exact=explained["exact"],
        rerank=explained["rerank"],
        matched=tuple(explained["matched"]),
        boost=explained["boost"],
        translated=tuple(explained["translated"]),
        presumed=explained.get("presumed", 0.0),
    )
