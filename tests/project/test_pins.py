"""The pinned sets: whole for every supported Python, with hashes, and without any address of an index."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PROJECT = Path(__file__).resolve().parents[2]
_SUPPORTED = ["3.11.0", "3.11.2", "3.11.9", "3.12.1", "3.13.0", "3.14.0"]
_FILES = {"build.txt": {"build"}, "dev.txt": {"dev"}}


def _world(version: str, extra: str = "") -> dict[str, str]:
    """The marker environment of CPython on Linux."""
    return {
        "python_version": version.rpartition(".")[0],
        "python_full_version": version,
        "implementation_version": version,
        "extra": extra,
    }


def _pins(file: str, version: str) -> dict[str, Requirement]:
    """What pip would install from the file under that Python."""
    text = (_PROJECT / "requirements" / file).read_text().replace("\\\n", " ")
    found: dict[str, Requirement] = {}
    for line in text.splitlines():
        requirement = Requirement(line.split(" --hash=")[0])
        if requirement.marker is None or requirement.marker.evaluate(_world(version)):
            found[canonicalize_name(requirement.name)] = requirement
    return found


def _needs(name: str, extras: set[str], version: str) -> list[Requirement]:
    """What a package asks for; nothing where this interpreter does not need it, so that nobody can look."""
    try:
        declared = distribution(name).requires or []
    except PackageNotFoundError:
        return []
    requirements = [Requirement(text) for text in declared]
    return [
        needed
        for needed in requirements
        if needed.marker is None or any(needed.marker.evaluate(_world(version, extra)) for extra in extras | {""})
    ]


@pytest.mark.parametrize("version", _SUPPORTED)
@pytest.mark.parametrize("file", list(_FILES))
def test_the_closure_of_every_supported_python_is_pinned(file: str, version: str) -> None:
    """Whatever the project needs, directly or not, has a pin of a fitting version, marker included."""
    pins = _pins(file, version)
    waiting: list[tuple[str, frozenset[str]]] = [("hub-index", frozenset(_FILES[file]))]
    seen = set()
    while waiting:
        package = waiting.pop()
        if package in seen:
            continue
        seen.add(package)
        for needed in _needs(package[0], set(package[1]), version):
            name = canonicalize_name(needed.name)
            if name != "hub-index":
                assert name in pins, f"{package[0]} needs {needed} under Python {version}: run `make pins`"
                (pin,) = pins[name].specifier
                assert needed.specifier.contains(pin.version, prereleases=True), f"{package[0]} needs {needed}"
            waiting.append((name, frozenset(needed.extras)))
    assert len(seen) > 10


@pytest.mark.parametrize("file", list(_FILES))
def test_every_pin_is_exact_and_hashed_and_names_no_index(file: str) -> None:
    """One version each, at least one sha256, and no address."""
    text = (_PROJECT / "requirements" / file).read_text()
    assert "://" not in text
    assert "--index" not in text
    for entry in re.split(r"\n(?=\S)", text.strip()):
        assert re.match(r"[a-z0-9-]+==\S+ (; .*)?\\\n    --hash=sha256:[0-9a-f]{64}", entry), entry[:80]
