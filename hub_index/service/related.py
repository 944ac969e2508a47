"""related: one skill → the skills nearest to it, in its own hub and in all others whose vectors can be compared."""

from hub_index.errors import CopyDamaged, HubIndexError
from hub_index.search.one_skill.lookup import find_skill
from hub_index.service.budget import keep_within
from hub_index.service.hubs.open_hubs import digest_hubs
from hub_index.service.hubs.reference import find_reference
from hub_index.service.several.same_skill import fold_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.ranking.engine import Engine
    from hub_index.search.results import Hit, Results
    from hub_index.search.semantic.semantic import Vectors
    from hub_index.service.hubs.open_hubs import OpenHub
    from hub_index.service.hubs.reference import FoundSkill
    from hub_index.service.requests import Deadline, RelatedRequest
    from hub_index.service.service import CostOf, Service


def find_neighbours(
    service: "Service", request: "RelatedRequest", deadline: "Deadline", cost_of: "CostOf | None"
) -> "Results":
    """The nearest skills by cosine, without the skill itself. Raises as `Service.related` says."""
    chosen = service.choose(request.hubs)
    subject = find_reference(service, request.skill, deadline)
    deadline.check()
    with subject.hub.lock:
        results = subject.hub.index.related(subject.hit.id, request.k)
    hits = [hit.replace(hub=subject.hub.name) for hit in results.hits] if subject.hub in chosen else []
    others = [hub for hub in chosen if hub is not subject.hub]
    notices = list(results.notices)
    if others:
        more = _ask_others(subject, others, request, deadline, notices)
        hits = _join([*hits, *more], subject, chosen, request.k, deadline)
    results = results.replace(query=request.skill, hits=tuple(hits), notices=tuple(notices))
    return keep_within(results.replace(hubs_digest=digest_hubs(chosen)), request.max_tokens, cost_of)


def _ask_others(
    subject: "FoundSkill",
    others: "list[OpenHub]",
    request: "RelatedRequest",
    deadline: "Deadline",
    notices: list[str],
) -> "list[Hit]":
    from hub_index.search.one_skill.nearest_skills import find_near, vector_of

    with subject.hub.lock:
        own = subject.hub.index.open_rows().fetch_named(subject.hit.id, 1)
        vector: Vectors = vector_of(own, find_skill(own.lexical, subject.hit.id).row)
    hits: list[Hit] = []
    for hub in others:
        deadline.check()
        try:
            with hub.lock:
                engine = hub.index.open_rows().fetch_near(vector, request.k + 1)
                if _is_comparable(own, engine):
                    hits += [
                        hit.replace(hub=hub.name) for hit in find_near(engine, request.skill, vector, request.k + 1)
                    ]
                else:
                    notices.append(f"{hub.name} was left out: its vectors are of another model")
        except CopyDamaged:
            raise
        except HubIndexError as error:
            notices.append(f"{hub.name} was left out: {error}")
    return hits


def _is_comparable(first: "Engine", second: "Engine") -> bool:
    """Whether the base vectors are of one model; an alias of the embedded model has a constant part, and is that."""
    is_embedded = first.constant_part is not None or second.constant_part is not None
    return first.dim == second.dim and (first.model_id == second.model_id or is_embedded)


def _join(
    hits: "list[Hit]", subject: "FoundSkill", chosen: "tuple[OpenHub, ...]", k: int, deadline: "Deadline"
) -> "list[Hit]":
    """The nearest of all; a copy of the skill itself in another hub is not its neighbour."""
    ranked = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    folders = {hub.name: hub.folder for hub in (*chosen, subject.hub)}
    folded = fold_same([subject.hit, *ranked], folders, k + 1, deadline)[1:]
    return [hit.replace(rank=rank) for rank, hit in enumerate(folded, start=1)]
