"""related: one skill → the skills nearest to it."""

from hub_index.service.budget import keep_within
from hub_index.service.reference import find_reference
from hub_index.service.revision import read_revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.search.results import Results
    from hub_index.service.deadline import Deadline
    from hub_index.service.requests import RelatedRequest
    from hub_index.service.service import CostOf, Service


def find_neighbours(
    service: "Service", request: "RelatedRequest", deadline: "Deadline", cost_of: "CostOf | None"
) -> "Results":
    """The nearest skills by cosine, without the skill itself. Raises as `Service.related` says."""
    subject = find_reference(service, request.skill)
    deadline.check()
    with subject.hub.lock:
        results = subject.hub.index.related(subject.hit.id, request.k)
    hits = tuple([hit.replace(hub=subject.hub.name) for hit in results.hits])
    results = results.replace(query=request.skill, hits=hits, hub_revision=read_revision((subject.hub,)))
    return keep_within(results, request.max_tokens, cost_of)
