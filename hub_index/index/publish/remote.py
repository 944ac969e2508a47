"""Branches of a remote: heads are read and fetched, and moved by one push; no local branch ever moves.

A plain push is git's compare and swap: the new commit's parent is the head that was read, so a remote with a newer head
refuses. `--force-with-lease` with the exact old value is used only to replace an index commit without parents on a
separate branch. Hooks of the clone do not run, for a clone may come from a stranger; a pre-push hook in a folder that
the user's own settings name does, since it may check the pushed content. The clone's settings name the remote as well:
only https, ssh, file and absolute paths outside of the clone are asked and pushed to (F87).
"""

import os
import shlex
from dataclasses import replace

from hub_index.base.shown_address import without_credentials
from hub_index.errors import ConfigError, PublishError, PublishRace, RemoteUnavailable
from hub_index.hub.git.address import Address, local_path, parse_address
from hub_index.hub.git.own_settings import LOCAL_RECEIVE_PACK, OWN_RECEIVE_PACK, OWN_UPLOAD_PACK
from hub_index.hub.git.process import GitOutcome
from hub_index.index.publish.branches import Keeping, Move, Refs, kept_folder, not_kept_notice, select_kept
from hub_index.index.publish.git_writer import GitWriter

NETWORK_TIMEOUT_S = 900.0  # 100 MB at 1 Mbit/s; a dead connection must not hold a scheduled job for ever
_FETCH_TRIES = 3  # a branch may move between being asked for and being fetched
# git's own words for what another try does not help; every other failure of a network is worth one
_FINAL_WORDS = (
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied",
    "permission to ",
    "access denied",
    "repository not found",
    "does not appear to be a git repository",
    "does not exist",
    "host key verification failed",
    "transport '",
    "returned error: 40",
    "[remote rejected]",
    "[rejected]",
    "hook",
    "refusing",
    "protected branch",
)


class Remote:
    """One remote of a repository."""

    def __init__(self, writer: GitWriter, name: str | None) -> None:
        self._writer = writer
        self._name = name or ""
        self._protocols = ""
        self._urls: tuple[str, ...] = ()
        self._receive_pack = OWN_RECEIVE_PACK

    def find_refs(self, branch: str | None, *, orphan: bool) -> Refs:
        """--branch, else the upstream of what is checked out; with --orphan that is read and --branch written."""
        local = self._writer.word("symbolic-ref", "--short", "-q", "HEAD")
        self._name = self._name or self._choose_remote(local)
        if branch is not None and not orphan:
            return Refs(f"refs/heads/{branch}", f"refs/heads/{branch}")
        if not local:
            raise ConfigError(
                "no branch is checked out, so none is known to publish to; name it with "
                "`hub-index publish --push --branch`"
            )
        upstream = ""
        if self._writer.word("config", "--get", f"branch.{local}.remote") == self._name:
            upstream = self._writer.word("config", "--get", f"branch.{local}.merge")
        source = upstream or f"refs/heads/{local}"
        return Refs(source, f"refs/heads/{branch}" if branch is not None else source)

    def read_head(self, ref: str) -> str | None:
        """The head that the remote names, fetched if it is not here yet."""
        for _ in range(_FETCH_TRIES):
            head = self._ask_head(ref)
            if head is None or self._has(head):
                return head
            # no FETCH_HEAD: the user may be between a fetch and a merge
            outcome = self._network(
                "fetch", OWN_UPLOAD_PACK, "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
                "--no-auto-maintenance", "--quiet", self._name, ref,
            )  # fmt: skip
            if outcome.status != 0 and self._ask_head(ref) == head:
                raise _failure(f"{self.label(ref)} cannot be fetched", outcome)
            if self._has(head):
                return head
        raise RemoteUnavailable(f"{self.label(ref)} moved each time it was fetched; run again")

    def check_folder(self, ref: str, output: str) -> None:
        """Nothing is checked out of a remote's branch."""

    def list_kept(self, ref: str) -> dict[str, str]:
        """As the remote names them; nothing is fetched."""
        return select_kept(self._ask_refs(f"{kept_folder(ref)}*"), ref)

    def move(self, step: Move) -> tuple[str, ...]:
        """Pushes one commit to one branch, and what keeps the old one; if that is refused, the branch alone."""
        first = self._push(step, step.keeping)
        if self._is_taken(step, first):
            return ()
        if step.keeping is None:
            raise _failure(f"{self.label(step.ref)} did not take the push", first)
        second = self._push(step, None)
        if not self._is_taken(step, second):
            raise _failure(f"{self.label(step.ref)} did not take the push", second)
        return (not_kept_notice(step.keeping, first.reason),)

    def explain_missing(self, ref: str) -> str:
        """A push of what is checked out makes it."""
        name = shlex.quote(self._name)
        return (
            f"there is no branch {self.label(ref)}: `git ls-remote --heads {name}` lists those that are there, and "
            f"`git push {name} HEAD:{shlex.quote(ref)}` makes it from what is checked out"
        )

    def _push(self, step: Move, keeping: Keeping | None) -> GitOutcome:
        leases = {step.ref: step.old or ""} if step.replaces else {}
        refspecs = [f"{step.new}:{step.ref}"]
        if keeping is not None:
            leases |= {keeping.ref: "", **keeping.dropped}
            refspecs += [f"{keeping.commit}:{keeping.ref}", *(f":{ref}" for ref in keeping.dropped)]
        return self._network(
            "push", self._receive_pack, "--porcelain", "--no-follow-tags", "--recurse-submodules=no",
            *(["--atomic"] if keeping is not None else []),
            *(f"--force-with-lease={ref}:{old}" for ref, old in leases.items()), self._name, *refspecs,
        )  # fmt: skip

    def _is_taken(self, step: Move, push: GitOutcome) -> bool:
        """Whether the branch is at the new commit. Raises PublishRace if it is at a third one."""
        if push.status == 0:
            return True
        # The remote's state is surer than any message: a push may be done though its answer was lost.
        now = self._ask_after_push(step.ref, push)
        if now not in (step.new, step.old):
            raise PublishRace(f"somebody pushed to {self.label(step.ref)} first; run again")
        return now == step.new

    def settle(self, ref: str, output: str) -> tuple[str, ...]:  # noqa: ARG002 - the signature of BranchHost
        """Nothing is checked out of a remote's branch; `git pull` brings it."""
        return ()

    def label(self, ref: str) -> str:
        """The branch's name with its remote: `origin/main`."""
        return f"{self._name}/{ref.removeprefix('refs/heads/')}"

    def _choose_remote(self, local: str) -> str:
        names = self._writer.remotes
        configured = self._writer.word("config", "--get", f"branch.{local}.remote") if local else ""
        for name in (configured, "origin"):
            if name in names:
                return name
        if len(names) == 1:
            return names[0]
        if names:
            raise ConfigError(
                f"there are several remotes ({', '.join(sorted(names))}); name one with "
                "`hub-index publish --push --remote`"
            )
        raise ConfigError("there is no remote to push to; leave out --push (build: say --commit) to commit here")

    def _allowed_protocols(self) -> str:
        """The protocols that git may use with this remote; each of its addresses is checked. Raises ConfigError."""
        asked = [self._writer.run("remote", "get-url", "--all", *push, self._name) for push in ((), ("--push",))]
        self._urls = tuple(dict.fromkeys(os.fsdecode(b"".join(asked)).split("\n")[:-1]))
        schemes = {self._check_url(url).scheme for url in self._urls}
        if schemes == {"file"}:
            self._receive_pack = LOCAL_RECEIVE_PACK
        return ":".join(sorted({"https", "ssh"} | schemes))

    def _check_url(self, url: str) -> Address:
        try:
            address = parse_address(url, must_exist=False)
        except ConfigError as error:
            raise ConfigError(f"the remote {self._name}: {error}") from error
        path = local_path(address)
        # a push runs the hooks of the repository that it reaches, and this one may have come with the hub
        is_relative = path and "://" not in url and not os.path.isabs(url)
        if is_relative or (path and self._writer.is_inside(path)):
            raise ConfigError(
                f"the remote {self._name} is a path in the hub, or relative to it, and may have come with it: "
                f"give it an https or ssh address, or an absolute path (`git remote set-url {self._name} …`)"
            )
        return address

    def _has(self, commit: str) -> bool:
        return self._writer.ask("cat-file", "-e", f"{commit}^{{commit}}").status == 0

    def _ask_head(self, ref: str) -> str | None:
        return self._ask_refs(ref).get(ref)  # a pattern also matches the tail of longer names

    def _ask_refs(self, pattern: str) -> dict[str, str]:
        outcome = self._network("ls-remote", OWN_UPLOAD_PACK, self._name, pattern)
        if outcome.status != 0:
            raise _failure(f"the remote {self._name} cannot be read{self._writer.own.hint}", outcome)
        lines = (line.partition("\t") for line in outcome.out.decode("utf-8", "replace").split("\n"))
        return {name: commit for commit, _, name in lines if name}

    def _ask_after_push(self, ref: str, push: GitOutcome) -> str | None:
        try:
            return self._ask_head(ref)
        except PublishError as error:
            raise RemoteUnavailable(
                f"{self.label(ref)} may or may not have taken the push ({push.reason}), and cannot be asked; run "
                "again, which does nothing where it has"
            ) from error

    def _network(self, *arguments: str) -> GitOutcome:
        self._protocols = self._protocols or self._allowed_protocols()
        outcome = self._writer.ask_remote(*arguments, protocols=self._protocols, timeout_s=NETWORK_TIMEOUT_S)
        return replace(outcome, said=without_credentials(outcome.said, self._urls))


def _failure(what: str, outcome: GitOutcome) -> PublishError:
    words = outcome.reason
    everything = words.lower() + outcome.out.decode("utf-8", "replace").lower()
    if any(final in everything for final in _FINAL_WORDS):
        return PublishError(f"{what}: {words}; check the address, your rights and the branch's rules")
    return RemoteUnavailable(f"{what}: {words}; nothing was published, run again")
