"""Which addresses a hub may have, and that none of them shows its password."""

from pathlib import Path

import pytest

from hub_index.base.named_folder import named_folder
from hub_index.base.shown_address import without_credentials
from hub_index.errors import ConfigError
from hub_index.hub.git.address import is_same_place, parse_address


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("https://example.com/team/hub.git", "https"),
        ("HTTPS://example.com/hub", "https"),
        ("ssh://git@example.com:22/hub.git", "ssh"),
        ("git@example.com:team/hub.git", "ssh"),
        ("example.com:hub.git", "ssh"),
        ("git@[::1]:hub.git", "ssh"),
        ("http://127.0.0.1:8080/hub.git", "http"),
        ("file:///srv/hub.git", "file"),
    ],
)
def test_plain_transports_pass(text: str, scheme: str) -> None:
    """What people really write is taken as it stands."""
    assert (parse_address(text).url, parse_address(text).scheme) == (text, scheme)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-x",
        "--upload-pack=touch canary",
        "ext::sh -c touch% canary",
        "fd::17",
        "::https://example.com/hub",
        "transport-x::https://example.com/hub",
        "ftp://example.com/hub",
        "git://example.com/hub",
        "git://localhost/hub",
        "http://example.com/hub",
        "http://localhost.example.com/hub",
        "javascript://example.com/hub",
        "ssh://-oProxyCommand=touch%20canary/hub",
        "ssh://-x@example.com/hub",
        "-oProxyCommand=touch:hub",
        "git@-oProxyCommand=touch:hub",
        "https:///hub.git",
        "https://",
        "https://example.com/hub\n.git",
        "https://example.com/hub\x1b[31m",
        "no/such/folder",
    ],
)
def test_options_programs_and_nonsense_are_refused(text: str) -> None:
    """Exit 2 before git is started."""
    with pytest.raises(ConfigError) as refused:
        parse_address(text)
    assert refused.value.exit_code == 2
    assert "\x1b" not in str(refused.value)


def test_a_folder_becomes_an_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clone lies elsewhere: a relative path would mean another folder there."""
    (tmp_path / "hub").mkdir()
    monkeypatch.chdir(tmp_path)
    assert parse_address("hub").url == str(tmp_path / "hub")
    assert parse_address("./hub/").url == str(tmp_path / "hub")


def test_an_address_with_a_password_has_a_notice() -> None:
    """It is taken, and the risk is said."""
    assert any("password" in notice for notice in parse_address("https://user:word@example.com/hub").notices)


@pytest.mark.parametrize("text", ["http://example.com/hub", "git://example.com/hub"])
def test_f87_what_anybody_on_the_way_can_change_is_refused(text: str) -> None:
    """Only https, ssh, file and paths; plain http on this very machine alone."""
    with pytest.raises(ConfigError, match="not encrypted; use one of https, ssh, file"):
        parse_address(text)


@pytest.mark.parametrize("text", ["https://example.com/hub", "http://localhost:8080/hub", "ssh://git@example.com/hub"])
def test_a_sound_address_has_none(text: str) -> None:
    """Nobody is bothered for nothing."""
    assert parse_address(text).notices == ()


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:8443/team/hub.git",
        "http://127.0.0.1:8080/hub",
        "https://[::1]:8080/~team/hub%40work",
        "https://bücher.example/团队/hub",
        "git@example.com:team/hub.git",
        "example.com:team/hub.git",
        "file:///srv/@team/hub",
    ],
)
def test_an_address_without_credentials_is_shown_whole(text: str) -> None:
    """Messages stay useful: only what may be secret is left out, also of a message that quotes the address."""
    assert parse_address(text).shown == text
    assert without_credentials(f"'{text}': not found", [text]) == f"'{text}': not found"


def test_a_folder_is_shown_whole(tmp_path: Path) -> None:
    """One that is there is no mistyped address, whatever signs its name has."""
    folder = tmp_path / "team:hub@work"
    folder.mkdir()
    assert parse_address(str(folder)).shown == str(folder)
    assert named_folder("the hub", folder) == str(folder)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("https://user:canary@example.com/hub.git", "canary"),
        ("https://canary@example.com/hub.git", "canary"),
        ("https://example.com/hub.git?a=b&private_token=canary", "canary"),
    ],
)
def test_no_secret_is_shown(text: str, secret: str) -> None:
    """Neither in the address's own form, nor in what git says about it."""
    address = parse_address(text)
    assert address.shown == "https://example.com/hub.git"
    assert secret not in address.redact(f"fatal: unable to access '{text}/': {secret} was refused")


@pytest.mark.parametrize(
    "text",
    [
        "ftp://user:canary@example.com/hub",
        "https://user:can@canary@example.com/hub",
        "https://user:canary/word@example.com/hub",
        "https://user:1/canary@example.com/hub",
        "https:/user:canary@example.com/hub",
        "user:canary@example.com:hub",
        "canary@example.com/hub",
    ],
)
def test_a_refusal_of_an_address_hides_its_password(text: str) -> None:
    """Only the scheme, and what follows the last @, are repeated; nothing is asked of a host that was not named."""
    with pytest.raises(ConfigError, match=r"example\.com") as refused:
        parse_address(text)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://example.com/hub", "https://example.com/hub.git/", True),
        ("https://user:word@example.com/hub", "https://EXAMPLE.com/hub", True),
        ("https://example.com/hub", "https://example.com/other", False),
        ("https://example.com/hub", "https://example.org/hub", False),
        ("https://localhost/hub", "http://localhost/hub", False),
        ("ssh://git@example.com/hub", "ssh://root@example.com/hub", False),
        ("git@example.com:hub.git", "git@example.com:hub", True),
        ("file:///", "/", True),
    ],
)
def test_one_place_may_have_several_spellings(one: str, other: str, same: bool) -> None:
    """Closing slashes, .git, passwords and the host's case do not make another hub."""
    assert is_same_place(parse_address(one), parse_address(other)) is same
