"""A hub's files of labelled queries: which are read, what is wrong with them, and what becomes of removed ones."""

from pathlib import Path

import pytest
from support.builds.publish_world import make_world
from support.hubs.hub_maker import HubMaker
from support.hubs.label_world import ScriptedEvaluator, labels, world_after_first_index

from hub_index.errors import ConfigError, QualityRefused
from hub_index.hub.git.repository import open_repository
from hub_index.hub.labels.label_files import read_labels
from hub_index.hub.snapshot import read_hub
from hub_index.index.build_tools import BuildOptions
from hub_index.limits import MAX_LABELS_BYTES


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
