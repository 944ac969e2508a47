"""`verify --hub`: the index's rows, compared with its hub's files."""

from contextlib import closing
from random import SystemRandom

from hub_index.cli.terminal import notice
from hub_index.errors import IndexCorrupt
from hub_index.hub.git.repository import Repository
from hub_index.hub.skill.problems import counted, listed
from hub_index.hub.snapshot import HubState
from hub_index.index.recomputed import find_other_records, find_other_vectors, fingerprint, is_our_recipe
from hub_index.models import Manifest
from hub_index.record import Record
from hub_index.regular_file import RootedPath
from hub_index.settings import EMBEDDED_MODEL, Settings

_SAMPLE = 16  # vectors that are made again, others every time
_SHOWN_IDS = 5


class RowsCheck:
    """The fingerprints of an index's records, taken while it is verified: {id: fingerprint}, 150 bytes a row."""

    def __init__(self, folder: RootedPath) -> None:
        self.folder = folder
        self._known: dict[str, bytes] = {}

    def see(self, record: Record) -> None:
        """Takes one record down."""
        self._known[record.id] = fingerprint(record)

    def check(self, manifest: Manifest, repo: Repository, state: HubState, settings: Settings) -> None:
        """Raises IndexCorrupt if the rows of a fresh index are not what the hub's files say."""
        if not is_our_recipe(manifest):
            notice("note: the rows were not compared with the hub's files: another version made this index")
            return
        files = state.snapshot.files
        others = find_other_records(repo, files, self._known)
        others += sorted(self._known.keys() - {file.id for file in files})
        self._refuse(others, "row", "not what the hub's files say")
        self._refuse(
            self._other_vectors(manifest, repo, state, settings), "vector", "not what the model makes of their texts"
        )

    def _other_vectors(self, manifest: Manifest, repo: Repository, state: HubState, settings: Settings) -> list[str]:
        """The ids, of a few chosen at random, with another vector; none if the embedded model did not make them."""
        from hub_index.embedding.constant_part import lifted_space
        from hub_index.embedding.providers import make_encoder
        from hub_index.index.folder.store import open_files
        from hub_index.index.format.verify import decode_index
        from hub_index.index.rows import read_texts

        with closing(make_encoder(EMBEDDED_MODEL, settings)) as encoder:
            if lifted_space(encoder.space, manifest.constant_part) != manifest.space:
                return []
            chosen = SystemRandom().sample(sorted(self._known), min(_SAMPLE, len(self._known)))
            texts = read_texts(repo, state, frozenset(chosen))
            return find_other_vectors(decode_index(open_files(self.folder)), texts, encoder)

    def _refuse(self, others: list[str], thing: str, what: str) -> None:
        if others:
            raise IndexCorrupt(
                f"{self.folder}: {counted(len(others), thing)} {'is' if len(others) == 1 else 'are'} {what}: "
                f"{listed(others, _SHOWN_IDS)}; see who wrote them (`git log`), then run `hub-index build --force`"
            )
