"""Sets up the virtual environment that make's targets run in: `python requirements/set_up.py .venv demo|dev`.

Nothing is done where the environment is already what the pins and this interpreter ask for. A set-up that was
interrupted, or made by another interpreter, is made again from nothing. It runs before anything is installed and must
tell even a Python 2 that it is too old, so it uses the standard library and old syntax only.
"""

import hashlib
import os
import shutil
import subprocess
import sys

OLDEST = (3, 11)
PINS = {"demo": "requirements/build.txt", "dev": "requirements/dev.txt"}
COVERS = {"demo": ("dev", "demo"), "dev": ("dev",)}  # who has the development set has the demo's too
USAGE = 2


def main(venv, wanted):
    """The exit code: 0 where the environment is ready."""
    missing = what_is_missing()
    if missing:
        sys.stderr.write(missing + "\n")
        return USAGE
    if any(read_stamp(venv, kind) == fingerprint(kind) for kind in COVERS[wanted]):
        return 0
    extends_a_whole_one = read_stamp(venv, "demo") == fingerprint("demo")
    sys.stdout.write("setting up {} for {} (once) ...\n".format(venv, "development" if wanted == "dev" else "the demo"))
    sys.stdout.flush()
    failure = install(venv, PINS[wanted], clear=not extends_a_whole_one)
    if failure:
        sys.stderr.write(failure + "\n")
        return 1
    with open(stamp_path(venv, wanted), "w") as stamp:
        stamp.write(fingerprint(wanted))
    return 0


def what_is_missing():
    """One sentence with what to install, or nothing."""
    if sys.version_info < OLDEST:
        return (
            "Python {}.{}.{} is too old: hub-index needs 3.11 or later; install one and name it: "
            "make PYTHON=/path/to/python3.11 ...".format(*sys.version_info[:3])
        )
    try:
        import ensurepip  # noqa: F401 - Debian ships Python without it
        import venv  # noqa: F401
    except ImportError:
        return (
            "this Python has no venv module: install it (Debian, Ubuntu: apt-get install python{}.{}-venv) "
            "and run again".format(*sys.version_info[:2])
        )
    if "$" in os.getcwd():  # setuptools takes what follows for a variable, and says so in a traceback
        return (
            "the path of this folder holds a $, which Python's installer cannot take: move the clone to a folder "
            "without one and run again"
        )
    if shutil.which("git") is None:
        return "git is not installed, or not on PATH: install it (Debian, Ubuntu: apt-get install git) and run again"
    return ""


def fingerprint(kind):
    """Changes with the interpreter, with the pins and with what the project declares."""
    digest = hashlib.sha256((sys.version + "\0" + sys.base_prefix).encode())
    for path in (PINS[kind], "pyproject.toml", os.path.abspath(__file__)):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def stamp_path(venv, kind):
    """Where a finished set-up is noted, last of all."""
    return os.path.join(venv, kind + ".stamp")


def read_stamp(venv, kind):
    """What a finished set-up noted; nothing where there is none, or where its interpreter is gone."""
    if not os.path.exists(os.path.join(venv, "bin", "python")):
        return ""
    try:
        with open(stamp_path(venv, kind)) as stamp:
            return stamp.read()
    except OSError:
        return ""


def install(venv, pins, clear):
    """What went wrong, in one sentence, or nothing.

    The pins are the whole set, so pip need not resolve anything (--no-deps); `pip check` says if one is missing.
    The project comes after them because pip refuses a local project under --require-hashes.
    """
    if clear and not run([sys.executable, "-m", "venv", "--clear", venv]):
        return "the virtual environment could not be made: see the words above; check the disk and the folder's owner"
    for kind in PINS:  # from here on it is unfinished, whatever happens
        if os.path.exists(stamp_path(venv, kind)):
            os.remove(stamp_path(venv, kind))
    python = os.path.join(venv, "bin", "python")
    pip = [python, "-I", "-m", "pip", "--disable-pip-version-check"]
    if not run(pip + ["install", "--quiet", "--no-deps", "--require-hashes", "-r", pins]):
        return (
            "the packages could not be installed: see pip's words above; set-up needs a package index once, "
            "so check the network (or pip's own settings) and run again"
        )
    project = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--editable", "."]
    if not run(pip + project) or not run(pip + ["check"], shows_output=False):
        return "hub-index itself could not be installed: see pip's words above, then run `make clean` and try again"
    # A start of Python that may not write bytecode would compile everything again, every time.
    run([python, "-I", "-m", "compileall", "-q", "hub_index"])
    return ""


def run(command, shows_output=True):
    """Whether a command succeeded; one that need not be seen is shown where it failed."""
    if shows_output:
        return subprocess.call(command) == 0
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
    return done.returncode == 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except KeyboardInterrupt:
        sys.stderr.write("set-up was stopped; the next run begins it again\n")
        sys.exit(130)
