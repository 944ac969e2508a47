"""Puts what `make page-test` drives a browser with into a folder: `python requirements/set_up_page.py .venv/page`.

Playwright comes from PyPI, pinned with hashes; axe-core, tsc and biome from npm, pinned with their digests; the browser
is the system's.
Nothing is done where the folder already holds what the pins ask for.
"""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

_PINS = Path("requirements/page.txt")
_PACKAGES = [Path("requirements/page/package.json"), Path("requirements/page/package-lock.json")]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_USAGE = 2


def main(folder: Path) -> int:
    """The exit code: 0 where the stories can run."""
    if not any(map(shutil.which, _BROWSERS)):
        sys.stderr.write("there is no Chromium: install it (Debian: apt-get install chromium fonts-noto-cjk)\n")
        return _USAGE
    stamp = folder / "page.stamp"
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in (_PINS, *_PACKAGES))).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0
    sys.stdout.write(f"setting up {folder} for the page's tests (once) ...\n")
    sys.stdout.flush()
    shutil.rmtree(folder, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    if subprocess.call([*pip, "--require-hashes", "--target", str(folder), "-r", str(_PINS)]):
        sys.stderr.write("Playwright could not be installed: see pip's words above, check the network, run again\n")
        return 1
    if not _install_packages(folder):
        sys.stderr.write(
            "axe-core, tsc and biome are not there (npm is missing or failed): their checks are left out\n"
        )
    stamp.write_text(wanted)
    return 0


def _install_packages(folder: Path) -> bool:
    for path in _PACKAGES:
        shutil.copy(path, folder / path.name)
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    return shutil.which("npm") is not None and not subprocess.call(["npm", "ci", *quiet], cwd=folder)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
