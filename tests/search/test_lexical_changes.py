"""An entry of the lexical cache that is made from another one: as if it had been made from nothing."""

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
import tantivy
from support.searches.search_world import make_document

from hub_index.search.lexical import preparing
from hub_index.search.lexical.build import LexicalDocument
from hub_index.search.lexical.cache import document_workers as workers
from hub_index.search.lexical.cache.document_workers import run_on_all_cores
from hub_index.search.lexical.cache.documents import DocumentSource, source_of
from hub_index.search.lexical.cache.lexical_cache import Making, open_lexical
from hub_index.search.lexical.lexical import LexicalIndex
from hub_index.search.lexical.prepared import tokenize_body
from hub_index.search.words.tokens import tokenize

_WORDS = [f"word{number}" for number in range(120)]
_COUNT = 300


def documents(seed: int = 1) -> dict[str, LexicalDocument]:
    """Some hundred documents of random words, by id."""
    chance = random.Random(seed)
    return {id_: document(id_, chance) for id_ in (f"skill-{number:04}" for number in range(_COUNT))}


def document(id_: str, chance: random.Random) -> LexicalDocument:
    """One document of random words, with a rare one of its own."""
    made = make_document(id_, id_, f"skills/{id_}", " ".join(chance.choices(_WORDS, k=8)))
    return made.replace(body=" ".join([*chance.choices(_WORDS, k=40), f"rare{chance.randrange(10**6)}"]))


def open_state(cache: Path, key: str, state: dict[str, LexicalDocument], *, anew: bool = False) -> LexicalIndex:
    """The index of a state, from the cache."""
    source = source_of([state[id_] for id_ in sorted(state)])
    return open_lexical(str(cache), key, lambda: source, making=Making(from_nothing=anew))


def ask(index: LexicalIndex, *words: str) -> list[tuple[str, int, float]]:
    """Ids, rows and scores of the best ten."""
    clauses = index.weigh_terms(dict.fromkeys(words, 1.0)).clauses
    either = tantivy.Query.boolean_query([(tantivy.Occur.Should, clause) for clause in clauses])
    return [(index.read_record(hit.address).id, hit.row, hit.lexical) for hit in index.search(either, 10)]


def test_small_changes_answer_as_a_fresh_index(tmp_path: Path) -> None:
    """Edits, additions and removals in any order: the same hits and rows, scores within a hundredth, exact counts."""
    chance = random.Random(5)
    state = documents()
    open_state(tmp_path / "kept", "0", state)
    for step in range(1, 7):
        id_ = chance.choice(sorted(state))
        del state[id_]
        new = f"skill-{chance.randrange(_COUNT):04}{chance.choice('abc')}"
        state[new] = document(new, chance)
        changed = open_state(tmp_path / "kept", str(step), state)
        fresh = open_state(tmp_path / f"fresh{step}", "x", state)
        assert changed.is_changed == (step != 4)  # a hundredth is three documents: then a new base is made
        assert changed.count == fresh.count == len(state)
        for word in (*_WORDS[:20], "rare", state[new].body.split()[-1]):
            assert changed.document_frequency(word) == fresh.document_frequency(word)
            ours, theirs = ask(changed, word), ask(fresh, word)
            assert [hit[2] for hit in ours] == pytest.approx([hit[2] for hit in theirs], rel=0.01)
        rare = state[new].body.split()[-1]
        assert [hit[:2] for hit in ask(changed, rare)] == [hit[:2] for hit in ask(fresh, rare)]


def test_scores_by_row_and_prefixes_know_what_is_gone(tmp_path: Path) -> None:
    """Rows lead to the right documents, and a word that only a removed document held is not known any more."""
    state = documents()
    open_state(tmp_path, "0", state)
    gone = state.pop("skill-0007")
    rare = gone.body.split()[-1]
    changed = open_state(tmp_path, "1", state)
    assert changed.is_changed
    assert changed.document_frequency(rare) == 0
    assert changed.searcher.terms_with_prefix("all", rare, limit=5) == []
    hits = changed.score_rows(None, [6, 7, 8])
    assert [changed.read_record(hit.address).id for hit in hits] == ["skill-0006", "skill-0008", "skill-0009"]


def test_made_anew_it_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    """What sync does: after it every score is that of an index made from nothing."""
    state = documents()
    open_state(tmp_path / "kept", "0", state)
    state["skill-0003"] = document("skill-0003", random.Random(9))
    assert open_state(tmp_path / "kept", "1", state).is_changed
    again = open_state(tmp_path / "kept", "1", state, anew=True)
    fresh = open_state(tmp_path / "fresh", "1", state)
    assert not again.is_changed
    for word in _WORDS:
        assert ask(again, word) == ask(fresh, word)


def test_only_what_changed_is_tokenised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a small change, nor another branch, nor a new index of known documents tokenises an old body again."""
    seen: list[str] = []

    def watched(body: str) -> list[bytes]:
        seen.append(body)
        return tokenize_body(body)

    monkeypatch.setattr(preparing, "tokenize_body", watched)
    state, other = documents(), documents(seed=2)
    open_state(tmp_path, "0", state)
    assert len(seen) == _COUNT
    del seen[:]
    state["skill-0003"] = document("skill-0003", random.Random(9))
    open_state(tmp_path, "1", state)
    assert seen == [state["skill-0003"].body]
    half = {id_: (other if number % 2 else state)[id_] for number, id_ in enumerate(sorted(state))}
    open_state(tmp_path, "2", half)
    assert len(seen) == 1 + _COUNT // 2
    open_state(tmp_path, "3", state, anew=True)
    assert len(seen) == 1 + _COUNT // 2
    renamed = state["skill-0004"].record.replace(description="Said in other words")
    open_state(tmp_path, "4", state | {"skill-0004": state["skill-0004"].replace(record=renamed)}, anew=True)
    assert len(seen) == 1 + _COUNT // 2


def test_an_edited_body_keeps_its_record_without_reading_the_lines(tmp_path: Path) -> None:
    """The record of an edited skill comes from the entry that is changed: skills.jsonl is not read for it."""
    state = documents()
    open_state(tmp_path, "0", state)
    old = state["skill-0003"]
    state["skill-0003"] = old.replace(body="freshly written words")
    whole = source_of([state[id_] for id_ in sorted(state)])

    def refuse(row: int) -> tuple[object, ...]:
        raise AssertionError(f"the line of row {row} was read")

    def task_with(row: int, stored: bytes) -> tuple[object, ...]:
        task = whole.task(row)
        return (task[0], stored, *task[2:])

    source = DocumentSource(whole.keys, refuse, task_with)
    changed = open_lexical(str(tmp_path), "1", lambda: source)
    assert changed.is_changed
    assert [hit[0] for hit in ask(changed, *tokenize("freshly"))] == ["skill-0003"]
    assert changed.read_record(changed.score_rows(None, [3])[0].address).description == old.record.description


def test_a_source_that_moved_is_not_kept_under_its_name(tmp_path: Path) -> None:
    """It answers once; what it tokenised serves the next."""
    source = source_of(documents().values())
    index = open_lexical(str(tmp_path), "moving", lambda: source, lambda: False)
    assert index.count == _COUNT
    names = [path.name for path in (tmp_path / "lexical").iterdir() if path.is_dir()]
    assert "moving" not in names
    assert len(names) == 1


def test_a_mixture_of_two_states_is_no_base(tmp_path: Path) -> None:
    """A commit's scores do not depend on what a search met while git was on its way to it."""
    state = documents()
    mixture = source_of((state | {"skill-0003": document("skill-0003", random.Random(9))}).values())
    open_lexical(str(tmp_path / "kept"), "moving", lambda: mixture, lambda: False)
    kept = open_state(tmp_path / "kept", "1", state)
    fresh = open_state(tmp_path / "fresh", "1", state)
    assert not kept.is_changed
    for word in _WORDS:
        assert ask(kept, word) == ask(fresh, word)


def test_a_row_that_is_not_a_skill_is_left_out(tmp_path: Path) -> None:
    """A file without a skill in it takes no row, in a new entry and in a changed one."""
    tasks = [preparing.text_task(item.record, item.body) for item in documents().values()]
    broken = ("file", ("x", "skills/x", "skills/x/SKILL.md", "skill", "", 0), str(tmp_path), preparing.NO_BODY, "")

    def source(extra: list[tuple[object, ...]]) -> DocumentSource:
        wanted = [tasks[0], *extra, *tasks[1:]]
        keys = [preparing.digest_key(repr(task).encode()) + preparing.NO_BODY for task in wanted]
        return DocumentSource(keys, wanted.__getitem__)

    for key, extra in (("0", []), ("1", [broken])):
        index = open_lexical(str(tmp_path), key, lambda extra=extra: source(extra))  # type: ignore[misc]
        assert index.count == _COUNT
        assert index.read_record(index.score_rows(None, [1])[0].address).id == "skill-0001"


def test_workers_give_what_one_process_gives() -> None:
    """All cores, the same tokens in the same order."""
    tasks = [preparing.text_task(item.record, item.body) for item in documents().values()]
    here = [preparing.run_task(task) for task in tasks]
    assert [in_one_order(outcome) for outcome in run_on_all_cores(tasks)] == [in_one_order(item) for item in here]


def test_a_worker_that_dies_costs_nothing_but_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it had in hand, two batches of it, is done by this process, in the right order."""
    started: list[subprocess.Popen[bytes]] = []

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Watched)
    monkeypatch.setattr(workers, "_BATCH_TASKS", 10)
    tasks = [preparing.text_task(item.record, item.body) for item in documents().values()]
    here = [in_one_order(preparing.run_task(task)) for task in tasks]
    outcomes = run_on_all_cores(tasks)
    found = [in_one_order(next(outcomes)) for _ in range(25)]
    assert started
    for worker in started:
        worker.kill()
    assert found + [in_one_order(outcome) for outcome in outcomes] == here


def in_one_order(outcome: "preparing.Outcome | None") -> tuple[bytes, bytes, list[bytes], bytes]:
    """The outcome with its distinct tokens sorted: each process has an order of its own for them."""
    assert outcome is not None
    record, stored, distinct, key = outcome
    return record, stored, sorted(distinct.split()), key
