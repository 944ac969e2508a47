"""A repository whose own settings try to run a program in every way that git knows, as an unpacked archive might."""

import subprocess
from pathlib import Path

HOOKS = (
    *("reference-transaction", "post-index-change", "pre-push", "post-checkout", "post-merge", "pre-auto-gc"),
    *("pre-commit", "post-commit", "commit-msg", "post-rewrite", "pre-merge-commit", "fsmonitor-watchman"),
)


class Trap:
    """A program that leaves a mark when somebody runs it, and how a repository is made to run it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.mark = folder / "mark"
        self.program = folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$0 $@" >> {self.mark}\nexit 1\n')
        self.program.chmod(0o755)

    def sprung(self) -> str:
        """What was run; empty where nothing was."""
        return self.mark.read_text() if self.mark.exists() else ""

    def settings(self) -> list[tuple[str, str]]:
        """Every setting that names a program, or lets one run."""
        program = str(self.program)
        programs = (
            *("core.fsmonitor", "core.sshCommand", "core.askPass", "core.alternateRefsCommand", "core.editor"),
            *("core.pager", "core.gitProxy", "diff.external", "diff.evil.command", "diff.evil.textconv"),
            *("merge.evil.driver", "gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "sequence.editor"),
            *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "uploadpack.packObjectsHook"),
            *("remote.origin.uploadpack", "remote.origin.receivepack", "remote.pushDefault"),
            *("hook.evil.command", "interactive.diffFilter", "pager.log", "pager.status"),
            *("credential.helper", "credential.https://example.invalid.helper"),
        )
        switches = {
            "filter.evil.required": "true",
            "protocol.ext.allow": "always",
            "protocol.allow": "always",
            "commit.gpgSign": "true",
            "push.gpgSign": "if-asked",
            "merge.verifySignatures": "false",
            "log.showSignature": "true",
            "alias.status": f"!{program}",
            "alias.rev-parse": f"!{program}",
            "core.untrackedCache": "true",
            "hook.evil.event": "reference-transaction",
        }
        return [(name, program) for name in programs if name != "remote.pushDefault"] + list(switches.items())

    def arm(self, checkout: Path) -> None:
        """Sets all of it in a checkout: settings, an included file, hooks, attributes, another repository's objects."""
        git_dir = checkout / ".git"
        lines = ""
        for name, value in self.settings():
            section, _, rest = name.partition(".")
            inner, _, word = rest.rpartition(".")
            head = f'[{section} "{inner}"]' if inner else f"[{section}]"
            lines += f'{head}\n\t{word} = "{value}"\n'
        (git_dir / "more").write_text(lines)
        with open(git_dir / "config", "a", encoding="utf-8") as config:
            config.write("[include]\n\tpath = more\n")
        (git_dir / "hooks").mkdir(exist_ok=True)
        for name in HOOKS:
            (git_dir / "hooks" / name).unlink(missing_ok=True)
            (git_dir / "hooks" / name).symlink_to(self.program)
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info" / "attributes").write_text("* filter=evil diff=evil merge=evil\n")
        other = self.program.parent / "other.git"
        if not other.exists():
            subprocess.run(["git", "init", "-q", "--bare", str(other)], check=True)
        (git_dir / "objects" / "info").mkdir(exist_ok=True)
        (git_dir / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")
