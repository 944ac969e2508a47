"""Files of a revision, read, parsed and checked one at a time; and a whole hub looked over, for `hub-index lint`.

Skills outside of the chosen root are compared with the indexed ones: the same bytes, or the same text (name,
description, keywords), are a copy and left out. A skill in a folder with the name of an indexed skill's folder is its
translation if its path names a language, or if the two texts are in two languages.
"""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from hub_index.hub.git.repository import Repository, open_repository
from hub_index.hub.labels.label_files import find_missing
from hub_index.hub.lint import check_copies, check_specification, one_per_cause
from hub_index.hub.skill.skill import NOTHING_WRITTEN, WrittenLines, parse_skill
from hub_index.hub.snapshot import read_contents, read_hub
from hub_index.hub.text import embedding_text
from hub_index.hub.tree.roots import OutsideSkills, shortest_roots, skill_name
from hub_index.hub.uncommitted import uncommitted_files
from hub_index.models import Problem, Skill, SkillFile, Snapshot

_UNKNOWN_LANGUAGES = frozenset(("", "und"))
# A folder that is a language (zh, pt-BR, zh_Hans), or ends in one (skills.zh-CN, docs-ja), or holds translations.
# Codes that are everyday words or abbreviations (it, no, id, is, en) are left to the text's own language.
_LANGUAGE = "ar|cn|de|el|es|fa|fr|he|hi|hu|ja|jp|ko|kr|nl|pl|pt|ru|sv|th|tr|tw|uk|vi|zh"
_LANGUAGE_FOLDER = re.compile(
    rf"(?:(?:docs?|skills?|i18n|locales?)[._-])?(?:{_LANGUAGE})(?:[_-](?:[a-z]{{2}}|hans|hant|419))?"
    r"|i18n|l10n|locales?|translations?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FileInspection:
    """The skill in one file and all problems of the file; `skill` is None if nothing in it is readable."""

    file: SkillFile
    skill: Skill | None
    problems: tuple[Problem, ...]
    lines: WrittenLines = NOTHING_WRITTEN


def inspect_files(
    repo: Repository, files: Iterable[SkillFile], taken: AbstractSet[str] = frozenset()
) -> Iterator[FileInspection]:
    """Each file, one in memory at a time; no advice names a folder that is taken. Raises SourceError."""
    for file, content in read_contents(repo, files):
        if isinstance(content, Problem):
            yield FileInspection(file, None, (content,))
            continue
        parsed = parse_skill(file, content)
        advice = check_specification(file, parsed.skill, parsed.lines, taken) if parsed.skill is not None else []
        yield FileInspection(file, parsed.skill, one_per_cause(parsed.problems, advice), parsed.lines)


@dataclass(frozen=True, slots=True)
class HubInspection:
    """All problems of a hub at a revision, what its roots leave out, and which skills are not committed."""

    problems: list[Problem]
    outside: OutsideSkills
    uncommitted: tuple[str, ...]


def inspect_hub(hub: Path, rev: str = "HEAD") -> HubInspection:
    """A whole hub, every file of it read. Raises SourceError."""
    repo = open_repository(hub)
    with uncommitted_files(repo, rev) as uncommitted:
        state = read_hub(repo, rev)
        problems = list(state.snapshot.problems)
        texts: list[IndexedText] = []
        described: list[tuple[SkillFile, Skill, int]] = []
        taken = frozenset(file.path for file in state.snapshot.files)
        for inspected in inspect_files(repo, state.snapshot.files, taken):
            problems.extend(inspected.problems)
            skill = inspected.skill
            if skill is not None:
                texts.append(IndexedText(skill.path, embedding_text(skill).text_hash, skill.lang))
                if inspected.lines.description:
                    described.append((inspected.file, skill, inspected.lines.description))
        outside = read_outside(repo, state.snapshot, texts)
        problems += [*outside.problems(), *check_copies(described), *find_missing(repo, state)]
        return HubInspection(problems, outside, uncommitted.find_skills(state.config))


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The compared facts of an indexed skill."""

    path: str  # its folder
    text_hash: str
    lang: str


def read_outside(repo: Repository, snapshot: Snapshot, indexed: Iterable[IndexedText]) -> OutsideSkills:
    """The number of skills that are missing in the index because of their place. Raises SourceError."""
    if not snapshot.outside:
        return OutsideSkills()
    hashes, languages = set[str](), dict[str, set[str]]()
    for text in indexed:
        hashes.add(text.text_hash)
        languages.setdefault(skill_name(text.path), set()).add(text.lang)
    files_of: dict[str, list[str]] = {}  # {text_hash: files}
    for file, skill in _read_distinct(repo, snapshot.outside):
        text_hash = embedding_text(skill).text_hash
        if text_hash not in hashes and not _is_translation(file, skill, languages.get(skill_name(file.path), ())):
            files_of.setdefault(text_hash, []).append(file.file)
    return OutsideSkills(len(files_of), shortest_roots(files_of.values()))


def _read_distinct(repo: Repository, files: Iterable[SkillFile]) -> Iterable[tuple[SkillFile, Skill]]:
    """Each file with what it says, its bytes read once; files without anything readable are left out."""
    twins: dict[str, list[SkillFile]] = {}
    for file in files:
        twins.setdefault(file.blob, []).append(file)
    for file, content in read_contents(repo, [first for first, *_ in twins.values()]):
        skill = None if isinstance(content, Problem) else parse_skill(file, content).skill
        if skill is not None:
            yield from ((twin, skill) for twin in twins[file.blob])


def _is_translation(file: SkillFile, skill: Skill, languages: Iterable[str]) -> bool:
    """True if this is an indexed skill in another language; `languages` are those of the indexed skills of its name."""
    indexed_languages = set(languages)
    if not indexed_languages:
        return False
    if any(_LANGUAGE_FOLDER.fullmatch(part) for part in file.path.split("/")[:-1]):
        return True
    return skill.lang not in indexed_languages and _UNKNOWN_LANGUAGES.isdisjoint(indexed_languages | {skill.lang})
