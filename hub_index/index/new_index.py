"""The steps of a build that has something to do: plan → checks → price → vectors → files.

`index.build` imports this late, since numpy and YAML come along: a build with nothing to do needs neither.

The cost is given as values of the report: expected before anything is embedded, and as charged afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hub_index.base.freed_memory import give_back_freed
from hub_index.embedding.batches import Usage, embed_texts, uncached_texts
from hub_index.embedding.cache.vector_cache import VectorCache
from hub_index.embedding.cost import add_queries, check_max_cost, estimate
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.probes import Probe
from hub_index.embedding.threads import run_in_threads
from hub_index.errors import ConfigError
from hub_index.hub.labels.label_files import HubLabels, read_labels
from hub_index.index.assemble import assemble_index
from hub_index.index.build_tools import BuildTools, Job
from hub_index.index.draft import Draft, Scope, draft_index
from hub_index.index.format.manifest import decode_manifest
from hub_index.index.gates.quality_gate import QualityGate
from hub_index.index.gates.risk_gate import check_risks
from hub_index.index.gates.shrink_gate import check_shrink
from hub_index.index.gates.vector_gate import check_shared_vectors, choose_probes, unasked_notice
from hub_index.index.preconditions import check_strict
from hub_index.index.reporting.ledger import Ledger
from hub_index.index.reporting.report import GateQueries, NewIndex, cache_notice, model_notice
from hub_index.index.rows import read_texts
from hub_index.models import Manifest, SkillText

if TYPE_CHECKING:
    from hub_index.index.assemble import Vectors


_MANY_TEXTS = 10_000  # of a big build


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft that may be embedded, and what the steps after it need."""

    draft: Draft
    gate: QualityGate
    probes: tuple[Probe, ...]
    price: dict[str, Any]  # of the report's values; empty if the price is not asked for
    notices: list[str]  # the later steps extend them


def check_draft(job: Job, encoder: Encoder, wanted: Manifest, *, is_remade: bool) -> CheckedDraft:
    """The draft of a build that has passed every check before embedding."""
    options, tools = job.options, job.tools
    scope = Scope(job.previous.index, read_all=options.strict, force=options.force, accepted=tools.accepted)
    draft = tools.step("plan", lambda: draft_index(job.repo, job.state, wanted, scope, tools.watcher))
    notices = job.first_notices(draft.report, model_notice(encoder), cache_notice(tools.cache))
    if options.strict:
        check_strict(draft.report)
    if not options.allow_shrink:
        check_shrink(draft, job.previous, job.state, job.uncommitted)
    notices.append(check_risks(draft, job.repo, job.state, is_accepted="risks" in options.accept))
    gate = _quality_gate(job)
    probes = choose_probes(draft, encoder, partial(read_texts, job.repo, job.state))
    if "vectors" in options.accept:
        notices.append(unasked_notice(probes, encoder.model_id))
        probes = ()
    price: dict[str, Any] = {}
    if options.dry_run or options.max_cost_usd is not None:
        queries = gate.queries(wanted.space) if is_remade else GateQueries()
        price = expected_values(encoder, draft.texts, probes, queries, cache=tools.cache, max_usd=options.max_cost_usd)
    return CheckedDraft(draft, gate, probes, price, notices)


def embed(job: Job, encoder: Encoder, checked: CheckedDraft) -> "Vectors":
    """The vectors of the draft's texts; the ledger follows what they use."""
    tools, texts, usage = job.tools, checked.draft.texts, Usage()
    _give_back_much(len(texts))
    note_spending(tools.ledger, encoder, usage)
    tools.watcher.expect("embedding", len(texts))
    return tools.step(
        "embed",
        lambda: embed_texts(
            encoder,
            texts,
            cache=tools.cache,
            run=tools.run_batches or run_in_threads,
            progress=tools.watcher.advance,
            usage=usage,
            probes=checked.probes,
        ),
    )


def assemble(job: Job, encoder: Encoder, checked: CheckedDraft, vectors: "Vectors") -> NewIndex:
    """The files of the index, accepted by our own reader and by the gates, and the report of the build."""
    tools, draft, notices = job.tools, checked.draft, checked.notices
    files = tools.step("assemble", lambda: assemble_index(draft, vectors, tools.now(), job.state.config.format))
    tools.accepted.add(decode_manifest(files.manifest))  # our reader has just checked each line that is new
    texts_of, is_accepted = partial(read_texts, job.repo, job.state), "vectors" in job.options.accept
    notices.append(check_shared_vectors(draft, files, encoder, texts_of, tools.cache, is_accepted=is_accepted))
    notices += spending_problems(encoder, tools.ledger, tools.cache)
    values = checked.price | charged_values(tools.ledger)
    quality = checked.gate.check(files, notices)
    return NewIndex(job.report(draft.report, notices, **values, quality=quality), files)


def merge_cache(tools: BuildTools, space: str) -> None:
    """Merges what was embedded into the vector cache."""
    usage = tools.ledger.usages[-1]
    if tools.cache is not None and usage.embedded:
        tools.cache.merge(space)
    _give_back_much(usage.embedded + usage.cached)


def _give_back_much(texts: int) -> None:
    """Returns freed memory to the system between two steps of a build with many texts."""
    if texts >= _MANY_TEXTS:
        give_back_freed()


def _quality_gate(job: Job) -> QualityGate:
    """The hub's own queries, read before anything is paid for. Raises ConfigError if they cannot be."""
    options, tools = job.options, job.tools
    if not 0 <= options.max_drop <= 100:  # a flow's parameter may be anything
        raise ConfigError("max_drop is how many points of nDCG@10 may be lost: a number from 0 to 100")
    since = job.previous.manifest.hub_revision if job.previous.manifest else ""
    labels = read_labels(job.repo, job.state, since) if tools.evaluate is not None else HubLabels()
    is_accepted = "quality" in options.accept
    return QualityGate(labels, job.previous.index, tools, job.state.config.model, options.max_drop, is_accepted)


def expected_values(  # noqa: PLR0913 - the last two are named
    encoder: Encoder,
    texts: Sequence[SkillText],
    probes: Sequence[Probe],
    queries: GateQueries,
    *,
    cache: VectorCache | None,
    max_usd: float | None,
) -> dict[str, Any]:
    """Tokens and price of all unpaid texts, probes and labelled queries. Raises ConfigError beyond --max-cost."""
    unpaid = uncached_texts(encoder, texts, cache)
    expected = estimate(encoder, [*unpaid, *(probe.text for probe in probes)] if unpaid else [])
    expected = add_queries(expected, encoder, queries.texts, queries.other_model)
    if max_usd is not None:
        check_max_cost(expected, max_usd)
    return {
        "from_cache": len(texts) - len(unpaid),
        "tokens": expected.tokens,
        "tokens_exact": expected.tokens_exact,
        "cost_usd": expected.usd,
        "price_source": expected.price_source,
    }


def note_spending(ledger: Ledger, encoder: Encoder, usage: Usage) -> None:
    """Lets the ledger follow what one try uses: a try that fails or comes too late has been paid for as well."""
    ledger.encoder = encoder
    ledger.usages.append(usage)


def charged_values(ledger: Ledger) -> dict[str, Any]:
    """What the run was charged so far."""
    return {"from_cache": ledger.usages[-1].cached, "tokens": ledger.tokens, "cost_usd": ledger.cost_usd}


def spending_problems(encoder: Encoder, ledger: Ledger, cache: VectorCache | None) -> tuple[str, str]:
    """What is wrong with the two caches, vectors and the model's copy; empty if nothing is."""
    model_problem = getattr(encoder, "problem", "") if ledger.usages[-1].embedded else ""
    return (cache.problem if cache is not None else None) or "", model_problem
