"""The facts of a run so far: written while it goes on, read for its summary, also if it fails."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hub_index.embedding.cost import price_of, spent
from hub_index.embedding.encoder import Encoder

if TYPE_CHECKING:
    from hub_index.embedding.batches import Usage


@dataclass(slots=True)
class Ledger:
    """The notes of one run, over all tries of a publisher."""

    revision: str = ""  # of the hub; empty until it is known
    encoder: Encoder | None = None  # None: nothing has been embedded
    usages: "list[Usage]" = field(default_factory=list)  # one a try

    @property
    def tokens(self) -> int:
        """The provider's count of charged tokens, also for refused answers."""
        return sum(usage.tokens for usage in self.usages)

    @property
    def embedded(self) -> int:
        """Texts that the model has answered."""
        return sum(usage.embedded for usage in self.usages)

    @property
    def kept(self) -> int:
        """How many of the embedded texts the vector cache keeps."""
        return sum(usage.kept for usage in self.usages)

    @property
    def is_told(self) -> bool:
        """Whether the tokens are known: a provider that has a price may not say what it charged."""
        return self.tokens > 0 or self.embedded == 0 or self.encoder is None or price_of(self.encoder) == 0

    @property
    def cost_usd(self) -> float | None:
        """Dollars for those tokens; None if that is unknown."""
        if self.encoder is None:
            return 0.0
        return spent(self.encoder, self.tokens) if self.is_told else None
