"""`make demo`: indexes the example hub with the embedded model, checks the result, searches it and makes its page."""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HUB = Path(__file__).parent / "hub"
PAGE = Path(tempfile.gettempdir()) / f"hub-index-demo-{os.getuid()}" / "page"  # stays, so that it can be looked at
QUERIES = ("how do I analyze database perf?", "我想制作一个ppt，哪些skill可用")


def run(*arguments: str) -> None:
    """Shows a command as a user would type it, and runs it."""
    shown = [f'"{word}"' if " " in word or not word.isascii() else word for word in arguments]
    print("\n$ hub-index", *shown, flush=True)
    subprocess.run([sys.executable, "-m", "hub_index", *arguments], check=True)


def main() -> None:
    """Builds into temporary folders, so that the checkout stays as it is."""
    with tempfile.TemporaryDirectory(prefix="hub-index-demo-") as folder:
        index = str(Path(folder) / "search")
        run("build", str(HUB), "--out", index, "--cache", str(Path(folder) / "cache"))
        run("verify", index, "--hub", str(HUB))
        for query in QUERIES:
            run("search", query, "--hub", str(HUB), "--index-dir", index)
        run("page", str(HUB), "--index-dir", index, "--out", str(PAGE))
    print("\nNow your own hub:", *own_hub_lines(), sep="\n  ")


def own_hub_lines() -> tuple[str, ...]:
    """Three lines to type, which work as they are once the first names a hub."""
    command = shlex.quote(str(Path(sys.executable).with_name("hub-index")))
    return ("cd path/to/your/hub", f"{command} build", f'{command} search "what you are looking for"')


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)  # the command that was stopped has said so
