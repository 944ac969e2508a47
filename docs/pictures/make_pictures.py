"""Runs the commands of the README in the example hub, on a terminal of 96 columns, and writes what they show: into the
README, into terminal.svg and, where there is a Chromium, page.png. `python -m docs.pictures.make_pictures`.

Two runs differ in nothing but the seconds of a build, which are kept as they were where nothing else has changed.
"""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from shlex import split
from urllib.parse import urlencode

_HERE = Path(__file__).resolve().parent
_PROJECT = _HERE.parents[1]
README = _PROJECT / "README.md"
TERMINAL, PAGE = _HERE / "terminal.svg", _HERE / "page.png"
SHOWN = (  # the README's four commands
    "cd hub",
    "hub-index build",
    'hub-index search "how do I analyze database perf?" -k 3',
    "hub-index add db-advisor --agent claude --user --yes",
)
PICTURED = (*SHOWN[:3], 'hub-index search "我想制作一个ppt，哪些skill可用" -k 3')
COLUMNS = 96
_WHEN = "2026-01-01T00:00:00Z"
_SECONDS = re.compile(r"\(\d+\.\d s\)")
_BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_TOOLS = _PROJECT / ".venv/page"  # where `make page-test` puts Playwright
_PAGE_QUESTION = "write unit tests"
_CELL, _LINE, _EDGE = 8.43, 20, 16  # pixels of a monospaced letter of 14 px, of a line, around the text


def record(commands: Sequence[str], home: Path, environment: dict[str, str]) -> dict[str, str]:
    """What each command shows when they run in this order, in a home folder with the example hub in it."""
    _make_hub(home / "hub", environment)
    _run_on_a_terminal("hub-index init", home / "hub", environment)  # derives the dictionary, too
    return {line: _run_on_a_terminal(line, home / "hub", environment) for line in commands}


def transcript(commands: Sequence[str], shown: dict[str, str]) -> str:
    """The session as it stands on the terminal."""
    return "".join(f"$ {line}\n{shown[line]}" for line in commands)


def without_seconds(text: str) -> str:
    """The text without the one thing that differs from run to run."""
    return _SECONDS.sub("(… s)", text)


def readme_session() -> str:
    """The session that the README shows."""
    found = _BLOCK.search(README.read_text(encoding="utf-8"))
    return found.group() if found else ""


def draw_terminal(session: str) -> str:
    """The session as an SVG: each line is text, which can be selected and read aloud."""
    lines = session.rstrip("\n").split("\n")
    width, height = round(COLUMNS * _CELL) + 2 * _EDGE, len(lines) * _LINE + 2 * _EDGE
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' role="img" aria-label="a terminal: hub-index builds the index of a hub and searches it">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#16191d"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\','
        ' \'Noto Sans Mono CJK SC\', monospace" font-size="14" fill="#d5dae0">',
        *[_draw_line(line, number) for number, line in enumerate(lines)],
        "</g>",
        "</svg>\n",
    ])  # fmt: skip


def _draw_line(line: str, number: int) -> str:
    style = ' fill="#8fd18a" font-weight="bold"' if line.startswith("$ ") else ""
    y = _EDGE + number * _LINE + 15
    return f'<text xml:space="preserve" x="{_EDGE}" y="{y}"{style}>{escape(line, quote=False)}</text>'


def world(home: Path) -> dict[str, str]:
    """The environment of a user with this home, without anybody's settings, and with a `hub-index` of this clone."""
    folder = _command_folder(home)
    search_path = f"{folder}:{os.environ['PATH']}"
    author = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "Example"), ("EMAIL", "example@example.invalid"), ("DATE", _WHEN))}  # fmt: skip
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    return {"HOME": str(home), "PATH": search_path, "NO_COLOR": "1", **author, **settings}


def _command_folder(home: Path) -> Path:
    """A folder with a `hub-index` of this clone, whatever is installed."""
    folder = home / ".local/bin"
    folder.mkdir(parents=True)
    command = folder / "hub-index"
    python = f'PYTHONPATH="{_PROJECT}" exec "{sys.executable}" -m hub_index "$@"'
    command.write_text(f"#!/bin/sh\n{python}\n", encoding="utf-8")
    command.chmod(0o755)
    return folder


def _make_hub(hub: Path, environment: dict[str, str]) -> None:
    shutil.copytree(_PROJECT / "examples/hub", hub, ignore=shutil.ignore_patterns("search"))
    for line in ("git init -q -b main", "git add -A", "git commit -qm skills"):
        subprocess.run(split(line), cwd=hub, env=environment, check=True)


def _run_on_a_terminal(line: str, hub: Path, environment: dict[str, str]) -> str:
    """What the line leaves on a terminal; the home folder is shown as `~`."""
    if line.startswith("cd "):
        return ""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["sh", "-c", line], cwd=hub, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    shown = b""
    try:
        while chunk := os.read(reader, 65_536):
            shown += chunk
    except OSError:  # Linux says EIO when the other end has gone
        pass
    os.close(reader)
    if process.wait():
        raise SystemExit(f"{line}: {shown.decode('utf-8', 'replace')}")
    return _settled(shown.decode("utf-8")).replace(environment["HOME"], "~")


def _settled(shown: str) -> str:
    """The text after every return to a line's beginning and every erased line."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.replace("\r\n", "\n"))
    lines = [line.rpartition("\r")[2].rstrip() for line in plain.split("\n")]
    return "\n".join(lines)


def _write_readme(session: str) -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(_BLOCK.sub(lambda _: session, text, count=1), encoding="utf-8")


def _photograph_page(home: Path, environment: dict[str, str]) -> None:
    """page.png: the hub's page with a question, where `make page-test` has put Playwright; else the picture stays."""
    if str(_TOOLS) not in sys.path:
        sys.path.append(str(_TOOLS))
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        print(f"{PAGE.name} stays as it is: `make page-test` brings Playwright, and needs a Chromium")
        return
    with _served_page(home, environment) as address, sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        page = window.new_page(viewport={"width": 840, "height": 600})
        page.goto(f"{address}/#/?{urlencode({'q': _PAGE_QUESTION})}")
        page.wait_for_selector("ol li")
        page.get_by_text("loading").wait_for(state="hidden")  # the vectors are there, too
        page.screenshot(path=str(PAGE))
        window.close()


@contextmanager
def _served_page(home: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of the example hub's page on loopback."""
    subprocess.run(["hub-index", "page", "hub", "--out", "site"], cwd=home, env=environment, check=True)
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(home / "site")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        if server.stdout is None:
            raise SystemExit("the file server says nothing")
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().split(' port ')[1].split()[0]}"
        finally:
            server.terminate()


def main() -> None:
    """Writes the README's session and both pictures; equal ones stay."""
    with tempfile.TemporaryDirectory(prefix="hub-index-pictures-") as folder:
        home = Path(folder)
        environment = world(home)
        shown = record(tuple(dict.fromkeys((*SHOWN, *PICTURED))), home, environment)
        session = transcript(SHOWN, shown)
        if without_seconds(session) != without_seconds(readme_session()):
            _write_readme(session)
        picture = draw_terminal(transcript(PICTURED, shown))
        if not TERMINAL.exists() or without_seconds(picture) != without_seconds(TERMINAL.read_text("utf-8")):
            TERMINAL.write_text(picture, encoding="utf-8")
        if "--page" in sys.argv[1:] or not PAGE.exists():
            _photograph_page(home, environment)


if __name__ == "__main__":
    main()
