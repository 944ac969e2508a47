"""Commits whose trees git itself would not make: any name, any mode, a name twice."""

from support.hubs.hub_maker import HubMaker

Entry = tuple[str, str, bytes]  # mode, path with slashes, bytes; of a submodule the commit's id


def commit_raw(hub: HubMaker, entries: list[Entry]) -> str:
    """Commits exactly these entries to HEAD; the work tree stays as it is."""
    tree = _write_tree(hub, [(mode, path.split("/"), content) for mode, path, content in entries])
    commit = hub.git("commit-tree", tree, "-m", "raw", "-p", "HEAD")
    hub.git("update-ref", "HEAD", commit)
    return commit


def _write_tree(hub: HubMaker, entries: list[tuple[str, list[str], bytes]]) -> str:
    lines: list[tuple[bytes, bytes]] = []
    for name in dict.fromkeys(steps[0] for _, steps, _ in entries):
        below = [(mode, steps[1:], content) for mode, steps, content in entries if steps[0] == name and steps[1:]]
        here = [(mode, content) for mode, steps, content in entries if steps == [name]]
        lines += [(mode.encode(), _object_of(hub, mode, content)) for mode, content in here]
        lines += [(b"40000", bytes.fromhex(_write_tree(hub, below)))] if below else []
        lines[-len(here) - bool(below) :] = [
            (mode + b" " + name.encode() + b"\0", object_) for mode, object_ in lines[-len(here) - bool(below) :]
        ]
    raw = b"".join(head + object_ for head, object_ in lines)
    return hub.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw)


def _object_of(hub: HubMaker, mode: str, content: bytes) -> bytes:
    if mode == "160000":
        return bytes.fromhex(content.decode())
    return bytes.fromhex(hub.git("hash-object", "-w", "--stdin", stdin=content))
