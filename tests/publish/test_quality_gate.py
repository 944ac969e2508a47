"""The quality gate: labelled queries that are answered clearly worse stop an index, and nothing else does."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.fake_encoder import FakeEncoder
from support.hub_maker import HubMaker
from support.publish_world import PublishWorld, git, make_world, read_index

from hub_index.embedding.encoder import Encoder
from hub_index.errors import ConfigError, ProviderUnavailable, QualityRefused
from hub_index.hub.git.repository import open_repository
from hub_index.hub.label_files import read_labels
from hub_index.hub.labels import LabelledQuery
from hub_index.hub.snapshot import read_hub
from hub_index.index.build import BuildOptions, build_index
from hub_index.index.seams import BuildTools
from hub_index.index.summary import format_summary
from hub_index.limits import MAX_GATE_QUERIES, MAX_LABELS_BYTES
from hub_index.models import IndexFiles
from hub_index.search.evaluator import IndexEvaluator


@dataclass
class ScriptedEvaluator:
    """Gives the scores of the script, one list for each index that it is asked about."""

    script: list[list[float]]
    asked: list[list[LabelledQuery]] = field(default_factory=list)
    encoders: list[Encoder | None] = field(default_factory=list)

    def __call__(
        self,
        files: IndexFiles,
        queries: Sequence[LabelledQuery],
        encoder: Encoder | None,
        advance: Callable[[int], None],
    ) -> list[float]:
        self.asked.append(list(queries))
        self.encoders.append(encoder)
        return self.script.pop(0)


def add_labels(world: PublishWorld, queries: str, qrels: str) -> None:
    """Commits and pushes label files under their usual names."""
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.write("search-queries.jsonl", queries)
    world.maintainer.write("search-qrels.tsv", qrels)
    world.maintainer.commit("labels")
    world.maintainer.git("push", "-q")


def labels(count: int, skills: int = 4) -> tuple[str, str]:
    """So many queries, each with one right skill."""
    queries = "".join(json.dumps({"qid": f"q{n}", "text": f"thing number {n % skills}"}) + "\n" for n in range(count))
    return queries, "".join(f"q{n}\tskill-{n % skills:02}\t1\n" for n in range(count))


def world_after_first_index(root: Path, count: int, script: list[list[float]]) -> PublishWorld:
    """A published hub with so many labelled queries, and an edit that is not published yet."""
    world = make_world(root)
    add_labels(world, *labels(count))
    world.publish()
    world.push_skill("skill-01", "Does another thing now.")
    world.evaluate = ScriptedEvaluator(script)
    return world


def test_a_fall_of_five_points_is_not_published_and_says_why(tmp_path: Path) -> None:
    """Both figures are told, the branch stays, and --accept quality passes once, with both figures in the table."""
    scores = [[0.9] * 10, [0.85] * 10]
    world = world_after_first_index(tmp_path, 10, scores * 3)
    head = world.head()
    with pytest.raises(QualityRefused, match=r"nDCG@10 90\.0 before, 85\.0 now \(-5\.0 ± 0\.0 points, 10 questions\)"):
        world.publish()
    assert world.head() == head
    assert QualityRefused.exit_code == 3
    published = world.publish(BuildOptions(max_drop=6.0))
    assert published.report.quality is not None
    world.push_skill("skill-02", "Does yet another thing.")
    accepted = world.publish(BuildOptions(accept=frozenset({"quality"})))
    assert accepted.commit == world.head() != head
    assert "--accept quality: the hub's labelled queries are answered worse" in accepted.report.notices[-1]
    assert "| Labelled queries | nDCG@10 90.0 before, 85.0 now" in format_summary(accepted.report, 1.0, "main")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([0.90] * 10, [0.885] * 10),  # a point and a half
        ([1.0] * 10, [1.0] * 9 + [0.5]),  # five points, but one query alone: no more than the standard error
        ([1.0] * 6, [1.0] * 5 + [0.0]),  # the same, and what is left of rounding decides nothing
        ([0.5] * 10, [0.9] * 10),
    ],
)
def test_a_small_or_doubtful_fall_goes_out(tmp_path: Path, before: list[float], after: list[float]) -> None:
    """The fall must be larger than --max-drop and than the standard error of the differences."""
    world = world_after_first_index(tmp_path, len(before), [before, after])
    published = world.publish()
    assert published.report.quality is not None
    assert published.report.quality.after == pytest.approx(100 * sum(after) / len(after))
    assert published.report.changed


def test_nothing_is_asked_where_there_is_nothing_to_compare(tmp_path: Path) -> None:
    """No labels, a first index, an unchanged one and a plain build: no query is asked, nothing stands in the way."""
    world = make_world(tmp_path, skills=12)
    world.evaluate = ScriptedEvaluator([])
    assert world.publish().report.changed
    world.push_skill("skill-03", "Does something else.")
    assert world.publish().report.quality is None
    add_labels(world, *labels(5))
    assert not world.publish().report.changed
    out = tmp_path / "first"
    assert build_index(
        world.maintainer.root,
        BuildOptions(out=out),
        BuildTools(encoder_for=lambda _: world.encoder, evaluate=world.evaluate),
    ).report.changed
    world.push_skill("skill-04", "Does something new.")
    world.maintainer.git("pull", "-q", "--rebase")
    plain = build_index(world.maintainer.root, BuildOptions(out=out), BuildTools(encoder_for=lambda _: world.encoder))
    assert plain.report.changed
    assert world.evaluate.asked == []


def test_labels_of_removed_skills_are_dropped_on_both_sides(tmp_path: Path) -> None:
    """A query that loses its only skill is not asked; one that loses one of two is asked for the other."""
    world = make_world(tmp_path)
    queries = "".join(json.dumps({"qid": qid, "text": qid}) + "\n" for qid in "abc")
    add_labels(world, queries, "a\tskill-00\t1\nb\tskill-01\t1\nb\tskill-00\t1\nc\tskill-02\t2\n")
    world.publish()
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.git("rm", "-q", "-r", "skills/skill-00")
    world.maintainer.commit("one less")
    world.maintainer.git("push", "-q")
    evaluate = world.evaluate = ScriptedEvaluator([[1.0, 1.0], [1.0, 1.0]])
    world.publish()
    expected = [("b", {"skill-01": 1.0}), ("c", {"skill-02": 2.0})]
    assert [[(query.qid, query.grades) for query in asked] for asked in evaluate.asked] == [expected, expected]


@pytest.mark.parametrize("gone", [("search-queries.jsonl", "search-qrels.tsv"), ("search-qrels.tsv",)])
@pytest.mark.parametrize("apart", [False, True])
def test_f89_labels_that_are_removed_with_what_they_ask_for_still_count(
    tmp_path: Path, gone: tuple[str, ...], apart: bool
) -> None:
    """Taken away in the same commit or in one of its own: asked as they were, refused if worse, and said."""
    world = world_after_first_index(tmp_path, 10, [[0.9] * 10, [0.5] * 10] * 2)
    world.maintainer.git("rm", "-q", *gone)
    if apart:
        world.maintainer.commit("no more questions")
    world.maintainer.skill("skill-02", "Does yet another thing.")
    world.maintainer.commit("another text")
    world.maintainer.git("push", "-q")
    head = world.head()
    with pytest.raises(QualityRefused, match="answered worse"):
        world.publish()
    assert world.head() == head
    accepted = world.publish(BuildOptions(accept=frozenset({"quality"})))
    said = "went away after the previous index was made: the labelled queries are asked as they were"
    assert [text for text in accepted.report.notices if text.endswith(said)]
    world.push_skill("skill-03", "Has no questions any more.")
    assert world.publish().report.quality is None


def test_f89_labels_under_names_of_the_hubs_own_still_count(tmp_path: Path) -> None:
    """The settings that named them may go in the same commit."""
    world = make_world(tmp_path)
    queries, qrels = labels(3)
    world.maintainer.write("hub-index.toml", 'queries = "eval/q.jsonl"\nqrels = "eval/labels.tsv"\n')
    world.maintainer.write("eval/q.jsonl", queries)
    world.maintainer.write("eval/labels.tsv", qrels)
    world.maintainer.skill("skill-01", "Another text.")
    world.maintainer.commit("labels")
    world.maintainer.git("push", "-q")
    world.publish()
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.git("rm", "-q", "-r", "eval", "hub-index.toml")
    world.maintainer.skill("skill-02", "Does yet another thing.")
    world.maintainer.commit("all gone")
    world.maintainer.git("push", "-q")
    world.evaluate = ScriptedEvaluator([[1.0] * 3, [1.0] * 3])
    assert world.publish().report.quality is not None


def test_no_more_than_two_thousand_queries_are_asked(tmp_path: Path) -> None:
    """The same ones of both indexes, and the report says so."""
    count = MAX_GATE_QUERIES + 7
    world = world_after_first_index(tmp_path, count, [[1.0] * MAX_GATE_QUERIES] * 2)
    published = world.publish()
    assert isinstance(world.evaluate, ScriptedEvaluator)
    assert world.evaluate.asked[0] == world.evaluate.asked[1]
    assert f"{MAX_GATE_QUERIES:,} of {count:,} labelled queries were asked" in published.report.notices


def test_each_index_is_asked_with_its_own_model(tmp_path: Path) -> None:
    """The build's encoder asks what it made; an index of another space is asked by the search's own rules."""
    world = world_after_first_index(tmp_path, 4, [[1.0] * 4] * 4)
    world.publish()
    assert isinstance(world.evaluate, ScriptedEvaluator)
    assert world.evaluate.encoders == [world.encoder, world.encoder]
    world.encoder = FakeEncoder("fake:two")
    assert world.publish().report.changed
    assert world.evaluate.encoders[2:] == [None, world.encoder]


def test_a_previous_model_out_of_reach_is_a_notice(tmp_path: Path) -> None:
    """Without its key the old index cannot be asked: the new model is published, and the report says what was not."""
    world = world_after_first_index(tmp_path, 4, [])
    world.evaluate = IndexEvaluator(_refuse)
    world.encoder = FakeEncoder("fake:two")
    published = world.publish()
    assert published.commit == world.head()
    assert published.report.quality is None
    assert any("could not be asked of the previous index: no key here" in text for text in published.report.notices)


def test_a_provider_that_fails_for_the_new_index_publishes_nothing(tmp_path: Path) -> None:
    """The error is the provider's own (exit 5), not a low score."""

    class Mute(FakeEncoder):
        def embed_query(self, text: str) -> object:  # type: ignore[override]
            raise ProviderUnavailable("the provider is away")

    world = world_after_first_index(tmp_path, 4, [])
    world.evaluate = IndexEvaluator(lambda *_: FakeEncoder())
    world.encoder = Mute("fake:two")
    head = world.head()
    with pytest.raises(ProviderUnavailable):
        world.publish()
    assert world.head() == head


@pytest.mark.parametrize(
    ("queries", "qrels", "message"),
    [
        ('{"qid": "a", "text": "x"}\n{', "a\tskill-00\t1\n", "search-queries.jsonl, line 2"),
        ("[" * 100_000, "a\tskill-00\t1\n", "search-queries.jsonl, line 1"),
        ('{"qid": "a", "text": 3}', "a\tskill-00\t1\n", "search-queries.jsonl, line 1"),
        ('{"qid": "a", "text": "x"}', "\na skill-00 1\n", "search-qrels.tsv, line 2"),
        ('{"qid": "a", "text": "x"}', "a\tskill-00\tnan\n", "search-qrels.tsv, line 1: a grade is a number"),
        ('{"qid": "a", "text": "x"}', "b\tskill-00\t1\n", "do the qids of"),
        ('{"qid": "a", "text": "x"}', "x" * (MAX_LABELS_BYTES + 1), "search-qrels.tsv has 16777217 bytes"),
        ("\udcff", "a\tskill-00\t1\n", "search-queries.jsonl is not UTF-8"),
    ],
)
def test_malformed_labels_are_named_before_anything_is_embedded(
    tmp_path: Path, queries: str, qrels: str, message: str
) -> None:
    """File, line and what to write; no text is paid for."""
    world = make_world(tmp_path)
    world.evaluate = ScriptedEvaluator([])
    world.maintainer.write("search-queries.jsonl", queries.encode("utf-8", "surrogateescape"))
    world.maintainer.write("search-qrels.tsv", qrels)
    world.maintainer.commit("labels")
    world.maintainer.git("push", "-q")
    with pytest.raises(ConfigError, match=message):
        world.publish()
    assert world.encoder.texts == []


def test_the_hub_may_name_its_files(tmp_path: Path) -> None:
    """`queries` and `qrels` in hub-index.toml; a name without a file is an error, half of a usual pair a notice."""
    world = make_world(tmp_path)
    world.evaluate = evaluate = ScriptedEvaluator([[1.0] * 3] * 2)
    queries, qrels = labels(3)
    world.maintainer.write("search-queries.jsonl", queries)
    world.maintainer.commit("half of it")
    world.maintainer.git("push", "-q")
    notices = world.publish().report.notices
    assert "search-queries.jsonl is not used: the hub has no search-qrels.tsv beside it" in notices
    world.maintainer.git("pull", "-q", "--rebase")
    world.maintainer.write("hub-index.toml", 'queries = "eval/q.jsonl"\nqrels = "eval/labels.tsv"\n')
    world.maintainer.skill("skill-01", "Another text.")
    world.maintainer.commit("names without files")
    world.maintainer.git("push", "-q")
    with pytest.raises(ConfigError, match=r"the hub has no file 'eval/q\.jsonl'"):
        world.publish()
    world.maintainer.write("eval/q.jsonl", queries)
    world.maintainer.write("eval/labels.tsv", qrels)
    world.maintainer.commit("files")
    world.maintainer.git("push", "-q")
    assert world.publish().report.quality is not None
    assert len(evaluate.asked) == 2


def test_a_hub_inside_a_larger_repository_has_its_own_labels(tmp_path: Path) -> None:
    """The names are those of the hub's folder, not of the repository's root."""
    hub = HubMaker(tmp_path / "big")
    queries, qrels = labels(3)
    for place, content in (("", "not JSON"), ("hub/", queries)):
        hub.write(f"{place}search-queries.jsonl", content)
        hub.write(f"{place}search-qrels.tsv", qrels)
    hub.write("hub/skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\n")
    hub.commit()
    repo = open_repository(hub.root / "hub")
    assert [query.qid for query in read_labels(repo, read_hub(repo)).queries] == ["q0", "q1", "q2"]


def test_a_link_in_place_of_a_label_file_is_not_followed(tmp_path: Path) -> None:
    """A link may point anywhere; the file itself must be committed."""
    world = make_world(tmp_path)
    world.evaluate = ScriptedEvaluator([])
    world.maintainer.write("search-qrels.tsv", "q0\tskill-00\t1\n")
    (world.maintainer.root / "search-queries.jsonl").symlink_to("/etc/hostname")
    world.maintainer.commit("a link")
    world.maintainer.git("push", "-q")
    with pytest.raises(ConfigError, match=r"search-queries\.jsonl is a link"):
        world.publish()


def test_the_real_evaluator_scores_records_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query by a skill's name finds it first; temporary folder and user's cache are as before."""
    world = make_world(tmp_path)
    world.publish()
    places = {name: tmp_path / name for name in ("temporary", "cache")}
    for place in places.values():
        place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places["temporary"]))
    monkeypatch.setenv("HUB_INDEX_CACHE", str(places["cache"]))
    queries = [LabelledQuery("a", "skill-02", "", {"skill-02": 1.0}), LabelledQuery("b", " ", "", {"skill-01": 1.0})]
    done: list[int] = []
    scores = IndexEvaluator(_refuse)(read_index(world.remote, "main"), queries, world.encoder, done.append)
    assert scores == [1.0, 0.0]
    assert done == [1, 1]
    assert [list(place.iterdir()) for place in places.values()] == [[], []]
    assert git(world.job, "status", "--porcelain") == ""


def _refuse(_model_id: str, _dim: int) -> Encoder:
    raise ConfigError("no key here")
