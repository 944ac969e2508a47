"""`hub-index COMMAND …`: finds the command's file, runs it, and turns every failure into one line and an exit code.

Only the module of this verb is imported: a keyword search must not pay for the imports of a build.
"""

import errno
import io
import os
import sys

from hub_index import GENERATOR

TYPE_CHECKING = False  # as typing's own, which a cold search cannot afford
if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer

# What most people need stands in the first three groups.
COMMANDS = {
    "search": {
        "search": "find skills by keyword, meaning, or both",
        "show": "print one skill's record",
        "list": "list the skills of all hubs that would be searched",
        "sync": "clone a hub that you search, or update the clones",
    },
    "hub": {
        "build": "build or refresh a hub's index",
        "lint": "report what is wrong with a hub's skills, and how to fix it",
        "check": "say what a branch changes: problems, cost and likeness",
    },
    "agents and integrations": {
        "add": "install a skill from a hub for an agent",
        "mcp": "offer the hubs to an agent as MCP tools",
        "context": "print the skills that fit a task, for an agent that begins",
    },
    "advanced": {
        "related": "find the skills nearest to one skill",
        "installed": "list installed skills: edited, outdated, gone from their hub",
        "update": "bring installed skills up to their hub's newest state",
        "remove": "remove an installed skill",
        "restore": "install again what hub-index.lock lists",
        "init": "write a settings file, your own or a hub's",
        "doctor": "say what would be used, and what is missing",
        "verify": "check a published index, byte by byte",
        "plan": "the same as build --dry-run: what would be embedded, and its cost",
        "publish": "build on the remote's head and commit the index there",
        "flow": "run or schedule the build as a Prefect flow",
        "eval": "measure retrieval against labelled queries",
        "bench": "measure query times",
        "serve": "offer the hubs and the embedded model over HTTP",
        "page": "write a static site that searches the hub in the browser",
        "export": "write a hub's skills in other formats",
        "model": "fetch, list or remove models that embed here",
        "cache": "look at, or prune, the vector cache",
        "use": "record whether a skill was useful",
        "traces": "look at, export or forget recorded searches, or learn from them",
    },
}
VERBS = {verb: line for group in COMMANDS.values() for verb, line in group.items()}
INTERRUPTED = 130
_DISK_ERROR = 7
_CHECK_DISK = "check the disk and the folder"
_TOO_MANY_OPEN = (errno.EMFILE, errno.ENFILE)


def main(argv: list[str] | None = None) -> int:
    """The exit code of one command; it is not 0 if the output could not be written."""
    arguments = sys.argv[1:] if argv is None else argv
    _make_streams_forgiving()
    try:
        code = _run(arguments)
    except SystemExit as ending:  # argparse, after --help or a usage error
        code = ending.code if isinstance(ending.code, int) else 0
    except OSError as error:
        code = _after_lost_output(error)
    return _flush(code)


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _say(_overview(), sys.stdout if arguments else sys.stderr, 0 if arguments else 2)
    if arguments[0] in ("-V", "--version", "version"):
        return _say(GENERATOR, sys.stdout, 0)
    verb = arguments[0]
    if verb not in VERBS:
        return _say(f"hub-index: {_explain_unknown(verb)}; `hub-index --help` lists them", sys.stderr, 2)
    return _run_verb(verb, arguments[1:])


def _explain_unknown(verb: str) -> str:
    from difflib import get_close_matches

    from hub_index.base.shown_address import shown_address

    near = get_close_matches(verb, VERBS, 1)
    hint = f"; did you mean `hub-index {near[0]}`?" if near else ""
    return f"there is no command {shown_address(verb)!r}{hint}"


def _run_verb(verb: str, arguments: list[str]) -> int:
    from importlib import import_module

    from hub_index.errors import HubIndexError

    try:
        module = import_module(f"hub_index.cli.verbs.{verb}")
        code = int(module.run(module.parse(arguments)))
    except HubIndexError as error:
        return _report(str(error), error.exit_code, arguments)
    except KeyboardInterrupt:
        return _say("hub-index: stopped", sys.stderr, INTERRUPTED)
    except (BrokenPipeError, _OutputLostError):  # main reports the lost output
        raise
    except OSError as error:  # a disk that is full, a folder that was removed meanwhile
        where = f"{error.filename}: " if error.filename else ""
        remedy = "close other programs, or raise `ulimit -n`" if error.errno in _TOO_MANY_OPEN else _CHECK_DISK
        return _report(f"{where}{error.strerror or error}; {remedy}, then run again", _DISK_ERROR, arguments)
    except MemoryError:
        return _report(
            "there is too little memory for it; close other programs, or raise `ulimit -v`, then run again",
            _DISK_ERROR,
            arguments,
        )
    except Exception as error:  # the last resort: the user sees one line, not a traceback
        what = f"{type(error).__name__}: {error}".splitlines()[0]
        return _report(f"unexpected {what}; run again with --debug and report it", 1, arguments)
    return code


def _report(message: str, code: int, arguments: list[str]) -> int:
    from hub_index.base.shown_address import without_credentials
    from hub_index.cli.terminal import printable

    if not {"--debug", "--verbose", "-v"}.isdisjoint(arguments):
        import traceback

        sys.stderr.write(printable(without_credentials(traceback.format_exc()), keep="\n"))
    return _say(f"hub-index: {printable(without_credentials(message))}", sys.stderr, code)


def _say(text: str, stream: "TextIO", code: int) -> int:
    """The code, after a line on the stream."""
    print(text, file=stream)
    return code


def _flush(code: int) -> int:
    """The code, or 7 where stdout does not take what was printed; Python itself would end with 120."""
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _after_lost_output(error, code)
    try:
        sys.stderr.flush()
    except OSError:  # there is nowhere left to say it
        _drop_output(2)
    return code


def _after_lost_output(error: OSError, ended: int | None = None) -> int:
    """The exit code: a reader that has closed the pipe (`| head`) is not an error, a full disk is.

    `ended` is the code of a command that was through before its output was lost: what it writes itself is written.
    """
    _drop_output(1)
    if isinstance(error, BrokenPipeError):
        return 0
    done = "" if ended is None else f" (the command itself was through, with exit code {ended})"
    try:
        sys.stderr.write(
            f"hub-index: the output could not be written{done}: {error.strerror}; check where it goes, then run again\n"
        )
    except OSError:
        _drop_output(2)
    return _DISK_ERROR


def _drop_output(descriptor: int) -> None:
    """Sends the stream to nowhere, so that what is left in its buffer cannot fail again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _make_streams_forgiving() -> None:
    """Printing to a closed stream or pipe does nothing; characters that a terminal cannot show are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the process
        elif stream is getattr(sys, f"__{name}__") and not stream.isatty():
            output = io.BufferedWriter(_Output(stream.fileno(), "w", closefd=False))
            setattr(sys, name, io.TextIOWrapper(output, stream.encoding, line_buffering=name == "stderr"))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


class _OutputLostError(OSError):
    """Our own output could not be written, as against a file that a verb works on."""


class _Output(io.FileIO):
    """A pipe or a file for our output; output after its reader has left is dropped."""

    def write(self, data: "ReadableBuffer", /) -> int:
        """The number of bytes written or dropped: the exit code stays the command's own."""
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes
        except OSError as error:
            raise _OutputLostError(error.errno, error.strerror) from error


def _overview() -> str:
    width = max(map(len, VERBS))
    groups = [
        "\n".join([f"{group}:", *(f"  {verb:<{width}}  {line}" for verb, line in commands.items())])
        for group, commands in COMMANDS.items()
    ]
    return "\n\n".join(
        [
            "usage: hub-index COMMAND [OPTIONS]",
            "A package index for hubs of agent skills.",
            *groups,
            'examples:\n  hub-index build path/to/hub\n  hub-index search "how do I analyze database perf?"',
            "`hub-index COMMAND --help` explains a command.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
