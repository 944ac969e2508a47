"""`SearchOptions`: one search and all that it asks for. The one place of defaults, limits and checks.

An option of a door or of the command line is a field here and, where programs may ask for it, a rule in `RULES`: the
doors' parameters, schemas and refusals come from there.
"""

from math import isfinite

from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_RERANKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from hub_index.embedding.rerank.reranker import Reranker
    from hub_index.search.lexical.shared_statistics import LexicalPool
    from hub_index.search.ranking.steps.experience import Experience

MODES = ("auto", "keyword", "semantic", "hybrid")
FUSIONS = ("default", "rrf", "linear")
SCORINGS = ("openagents", "cortex", "nexus")
DEFAULT_K, MAX_K = 5, 10_000
DEPTH = 100  # candidates of each leg: no list differed from scoring everything (6,793 skills, five labelled sets)
_DEEPER = 10  # times as many where a folder may fill the first hundred
RECENCY_WEIGHT = 0.15
RERANK_DEPTH = 20
# what moves hits after both legs have scored them, in this order
STEPS = ("scoring", "experience", "recency", "min_score", "fold", "diverse", "rerank", "max_per_folder")


class SearchOptions(FrozenValue):
    """One search. A field that is None, False or empty leaves the matter open."""

    query: str
    k: int = DEFAULT_K
    mode: str = "auto"
    min_score: float | None = None
    explain: bool = False
    snippets: bool = False
    passages: bool = False  # a snippet for the first hits that nothing but their bodies explains
    fusion: str = "default"
    alpha: float | None = None  # the weight of the semantic leg
    recency: bool | float = False  # prefer what was updated lately, by the usual weight or by this one
    fold: bool = True  # near copies of a better hit fold into it
    diverse: bool = False
    max_per_folder: int | None = None  # at most so many hits of one top folder
    scoring: str = ""  # a preset of other systems' arithmetic, instead of ours
    rerank_depth: int | None = None
    rerank: "Reranker | None" = None  # reorders the first hits
    experience: "Experience | None" = None  # what was learnt from use
    pool: "LexicalPool | None" = None  # the hubs that are searched together, and score as one

    @property
    def recency_weight(self) -> float:
        """How much what was updated lately is preferred, from 0 to 1."""
        return RECENCY_WEIGHT if self.recency is True else float(self.recency)

    @property
    def depth_to_rerank(self) -> int:
        """How many of the first hits the reranker reads; 0 without one."""
        if self.rerank is None:
            return 0
        return RERANK_DEPTH if self.rerank_depth is None else self.rerank_depth

    @property
    def depth(self) -> int:
        """How many candidates each leg gives."""
        return max(DEPTH, 2 * self.k) * (_DEEPER if self.max_per_folder else 1)

    @property
    def is_own_fusion(self) -> bool:
        """Whether the legs are joined otherwise than by default."""
        return self.fusion != "default" or self.alpha is not None

    @property
    def joining(self) -> "dict[str, Any]":
        """How the legs are joined, as `fuse` takes it."""
        return {"method": self.fusion, "alpha": self.alpha}

    def given(self) -> "dict[str, Any]":
        """The options that move hits and differ from their default."""
        plain = SearchOptions("")
        return {
            name: value
            for name in ("fusion", "alpha", *STEPS)
            if (value := getattr(self, name)) != getattr(plain, name)
        }

    def completed(self, usual: "SearchOptions") -> "Self":
        """The same with usual options for what is left open; a weight of the legs only where there are two of them."""
        given = usual.given()
        if self.scoring or self.mode in ("keyword", "semantic"):
            given.pop("alpha", None)
        return self.replace(**{name: value for name, value in given.items() if _is_open(getattr(self, name))})


def _is_open(value: object) -> bool:
    """Whether an option is not given, or is a bare yes: what is usual says by what weight."""
    return value is None or isinstance(value, bool) or value == ""


class OptionRule(FrozenValue):
    """What an option may be: the doors' parameter of the same name, and its check."""

    name: str
    kind: str  # text, whole, number or flag
    about: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    for_agents: bool = False  # by its name alone: every session of an agent pays for the words of a schema


RULES = (
    OptionRule("min_score", "number", "Comparable within one mode and one answer."),
    OptionRule("explain", "flag", "Say for each hit why it stands there."),
    OptionRule("snippets", "flag", "A piece of text for each hit that shows why."),
    OptionRule("fusion", "text", "How both legs are joined.", choices=FUSIONS),
    OptionRule("alpha", "number", "Weight of the semantic leg.", low=0, high=1),
    OptionRule("recency", "flag", "Prefer what was updated lately."),
    OptionRule("fold", "flag", "Fold near copies of a better hit into it, as it is by default."),
    OptionRule("diverse", "flag", "Prefer hits that differ from each other."),
    OptionRule(
        "max_per_folder",
        "whole",
        "At most so many hits of one top folder.",
        low=1,
        high=MAX_K,
        for_agents=True,
    ),
)


def make_options(query: str, k: int, mode: str, others: "dict[str, Any]") -> SearchOptions:
    """The options of a call with keyword arguments. Raises TypeError for a name that is no option."""
    unknown = others.keys() - SearchOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"a search has no option {min(unknown)!r}")
    return SearchOptions(query, k, mode, **others)


def check_options(options: SearchOptions) -> None:
    """Raises ConfigError for an option that is out of its limits, or that contradicts another."""
    if not isinstance(options.query, str):
        raise ConfigError("the query must be a text")
    check_count(options.k)
    check_choice("mode", options.mode, MODES)
    for rule in RULES:
        value = getattr(options, rule.name)
        if rule.kind == "whole" and value is not None:
            check_whole(rule.name, value, rule.low or 0, rule.high or MAX_K)
        elif rule.kind == "number":
            check_number(rule.name, value, rule.low, rule.high)
        elif rule.choices:
            check_choice(rule.name, value, rule.choices)
    if not isinstance(options.recency, bool):
        check_number("recency", options.recency, 0, 1)
    if options.rerank is not None:
        check_whole("rerank_depth", options.depth_to_rerank, 2, MAX_RERANKED)
    _check_together(options)


def _check_together(options: SearchOptions) -> None:
    if options.rerank is not None and options.diverse:
        raise ConfigError("a reranker decides the order, and so does diverse: choose one of them")
    if not options.scoring:
        return
    check_choice("scoring", options.scoring, SCORINGS)
    if options.is_own_fusion or options.mode in ("keyword", "semantic"):
        raise ConfigError("scoring brings its own fusion of words and meaning: give no mode, fusion or alpha beside it")


def check_count(k: object) -> None:
    """Raises ConfigError for a number of hits that cannot be asked for."""
    check_whole("k", k, 1, MAX_K)


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raises ConfigError for anything but one of these texts."""
    if value not in choices:
        raise ConfigError(f"there is no such {name}; choose one of {', '.join(choices)}")


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Raises ConfigError for anything but a whole number in this range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{name} must be a whole number from {low} to {high}")


def check_number(name: str, value: object, low: float | None = None, high: float | None = None) -> None:
    """Raises ConfigError for anything but a finite number in this range; None is no number and fine."""
    if value is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if low is not None and high is not None:
        if not is_number or not low <= value <= high:  # type: ignore[operator] # it is a number here
            raise ConfigError(f"{name} must be a number from {low:g} to {high:g}")
    elif not is_number:
        raise ConfigError(f"{name} must be a finite number")
