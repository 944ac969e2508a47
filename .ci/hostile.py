"""`make hostile`: the tests in the worst environment that a developer may have, everything at once, in a clean clone.

The path has spaces and Chinese characters, the locale is Turkish and not UTF-8, umask 077, one core, no network after
the installation; every variable that git, Python, Prefect, an SDK or a proxy reads is wrong; the user's git signs
commits, runs failing hooks, converts line ends and calls its first branch otherwise. Run by root, the tests are an
ordinary user's. Prints the environment; its exit code is that of `make test`. Standard library only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fresh import KEPT_VARIABLES
from machine import Person, find_interpreters, people_of_this_run, reachable, run_as

PROJECT = Path(__file__).resolve().parents[1]
FOLDER_NAME = "a clone 中文 路径"
GIT_SETTINGS = """\
[init]
\tdefaultBranch = trunk
[commit]
\tgpgSign = true
[gpg]
\tprogram = /bin/false
[core]
\tautocrlf = true
\thooksPath = {hooks}
"""


VARIABLES = """
LANG=tr_TR.ISO-8859-9
LC_ALL=tr_TR.ISO-8859-9
LANGUAGE=tr
TZ=Asia/Kathmandu
GIT_DIR={root}/nowhere
GIT_WORK_TREE={root}/nowhere
GIT_INDEX_FILE={root}/nowhere
GIT_OBJECT_DIRECTORY={root}/nowhere
GIT_CONFIG_GLOBAL={home}/.gitconfig
GIT_CONFIG_COUNT=1
GIT_CONFIG_KEY_0=core.fsmonitor
GIT_CONFIG_VALUE_0=/bin/false
GIT_TRACE=1
GIT_AUTHOR_DATE=1970-01-01T00:00:00Z
XDG_CACHE_HOME=/proc/nowhere
XDG_CONFIG_HOME=/proc/nowhere
XDG_STATE_HOME=/proc/nowhere
HTTP_PROXY=http://127.0.0.1:9
HTTPS_PROXY=http://127.0.0.1:9
ALL_PROXY=http://127.0.0.1:9
http_proxy=http://127.0.0.1:9
https_proxy=http://127.0.0.1:9
AXON_EMBEDDINGS_PROVIDER=openai
AXON_EMBEDDINGS_MODEL=none
AXON_EMBEDDINGS_API_KEY=wrong
AXON_TRACES=on
OPENAI_API_KEY=wrong
OPENAI_BASE_URL=http://127.0.0.1:9
VOYAGE_API_KEY=wrong
PREFECT_HOME=/proc/nowhere
PREFECT_API_URL=http://127.0.0.1:9/api
PREFECT_LOGGING_LEVEL=DEBUG
PYTHONPATH={modules}
PYTHONHOME={root}/nowhere
PYTHONOPTIMIZE=2
PYTHONWARNINGS=error
PYTHONIOENCODING=ascii
PYTHONUNBUFFERED=1
PYTHONUTF8=0
COLUMNS=20
NO_COLOR=1
"""


def main() -> int:
    """The exit code of `make test`."""
    root = Path(tempfile.mkdtemp(prefix="hub-index-hostile-"))
    root.chmod(0o755)
    try:
        with people_of_this_run() as people:
            return run_tests(root, people[-1])
    finally:
        shutil.rmtree(root, ignore_errors=True)


def run_tests(root: Path, person: Person) -> int:
    """Sets up with a plain environment, then tests with the hostile one."""
    shelf, home, clone = root / "shelf", root / "home", root / FOLDER_NAME
    for folder in (shelf, home, root / "tmp"):
        folder.mkdir()
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(clone)], check=True)
    python = reachable(find_interpreters()[0], person, shelf)
    hostile = hostile_environment(root, home)
    if person.ids is not None:
        for path in [root, *root.rglob("*")]:
            os.chown(path, *person.ids, follow_symlinks=False)
    options = run_as(person) | {"cwd": clone}
    plain = {name: value for name, value in os.environ.items() if name.startswith(KEPT_VARIABLES)}
    set_up = ["make", f"PYTHON={python}", "setup-dev"]
    subprocess.run(set_up, env=plain | {"HOME": str(home)}, check=True, **options)
    print("\n".join(f"{name}={value}" for name, value in sorted(hostile.items())), flush=True)
    command = ["sh", "-c", f"umask 077; exec make 'PYTHON={python}' test"]
    return subprocess.run(alone(command, person), env=hostile, check=False, cwd=clone).returncode


def alone(command: list[str], person: Person) -> list[str]:
    """The command on one core and, where we may, without a network and as the ordinary user."""
    one_core = ["taskset", "--cpu-list", "0", *command] if shutil.which("taskset") else command
    if person.ids is None:
        print("the network stays: only root may take it away", file=sys.stderr)
        return one_core
    user, group = person.ids
    become = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", *one_core]
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *become]


def hostile_environment(root: Path, home: Path) -> dict[str, str]:
    """Everything wrong at once; PATH is all that stays."""
    hooks, modules = root / "hooks", root / "modules"
    for folder in (hooks, modules):
        folder.mkdir()
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-checkout", "reference-transaction"):
        (hooks / hook).write_text("#!/bin/sh\nexit 1\n")
        (hooks / hook).chmod(0o755)
    (modules / "json.py").write_text("raise SystemExit('a stranger\\'s json')\n")
    (home / ".gitconfig").write_text(GIT_SETTINGS.format(hooks=hooks))
    lines = VARIABLES.format(home=home, root=root, modules=modules).split("\n")
    wrong = dict(line.split("=", 1) for line in lines if line)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(root / "tmp")} | wrong


if __name__ == "__main__":
    sys.exit(main())
