"""The files of a checkout, walked once for all questions of a search: whether there are skills, and which."""

from hub_index.errors import IndexMissing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.models import SkillFile
    from hub_index.search.checkout.files import Progress


class CheckoutWalk:
    """One folder, walked when its files are first asked for, and again only after `forget`."""

    def __init__(self, hub: str, progress: "Progress | None") -> None:
        self._hub, self._progress = hub, progress
        self._files: tuple[SkillFile, ...] | None = None
        self._refusal: IndexMissing | None = None

    def list_files(self) -> "tuple[SkillFile, ...]":
        """The files; none without a folder. Raises IndexMissing as `list_checkout`."""
        if self._refusal is not None:
            raise self._refusal
        if self._files is None:
            from hub_index.search.checkout.files import list_checkout

            try:
                self._files = list_checkout(self._hub, self._progress) if self._hub else ()
            except IndexMissing as error:
                self._refusal = error
                raise
        return self._files

    def forget(self) -> None:
        """The folder may have changed."""
        self._files = self._refusal = None
