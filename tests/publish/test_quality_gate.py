"""The quality gate: labelled queries that are answered clearly worse stop an index, and nothing else does."""

import json
from pathlib import Path

import pytest
from support.builds.publish_world import git, make_world, read_index
from support.hubs.label_world import ScriptedEvaluator, add_labels, labels, world_after_first_index
from support.models.fake_encoder import FakeEncoder

from hub_index.embedding.encoder import Encoder
from hub_index.errors import ConfigError, ProviderUnavailable, QualityRefused
from hub_index.hub.labels.labels import LabelledQuery
from hub_index.index.build import build_index
from hub_index.index.build_tools import BuildOptions, BuildTools
from hub_index.index.reporting.summary import format_summary
from hub_index.limits import MAX_GATE_QUERIES
from hub_index.search.measure.evaluator import IndexEvaluator


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
    queries = [
        LabelledQuery("a", "skill-02", "", {"skill-02": 1.0}),
        LabelledQuery("b", " ", "", {"skill-01": 1.0}),
        LabelledQuery("c", "skill-02", "", {}, is_nothing=True),  # a strong first hit is a miss
        LabelledQuery("d", " ", "", {}, is_nothing=True),
    ]
    done: list[int] = []
    scores = IndexEvaluator(_refuse)(read_index(world.remote, "main"), queries, world.encoder, done.append)
    assert scores == [1.0, 0.0, 0.0, 1.0]
    assert done == [1, 1, 1, 1]
    assert [list(place.iterdir()) for place in places.values()] == [[], []]
    assert git(world.job, "status", "--porcelain") == ""


def _refuse(_model_id: str, _dim: int) -> Encoder:
    raise ConfigError("no key here")
