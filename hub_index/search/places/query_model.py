"""The model that embeds the query: only a model whose vectors may be compared with the index's.

A different configured model is a mismatch, never a mixture. Without a configured model the index's own model is used:
the embedded one always, an API's if the user has named its provider or its server needs no key.
"""

from hub_index.base.characters import quote_line
from hub_index.errors import ConfigError, ModelMismatch
from hub_index.settings import EMBEDDED_MODEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hub_index.embedding.encoder import Encoder

    Connect = Callable[[str, int], Encoder]  # model_id and the length of the index's vectors


_ONNX = "onnx:"


class Models:
    """The ways to an encoder: `connect` makes one for a model_id, `configured` is what the user asked for."""

    def __init__(self, configured: str, connect: "Connect | None", cache: str) -> None:
        self.configured = configured
        self._connect = connect
        self._cache = cache
        self._made: dict[str, Encoder] = {}

    def is_other(self, model_id: str) -> bool:
        """Whether a model is not the configured one, by its name: two names of ONNX models may mean the same files."""
        is_name_free = self.configured.startswith(_ONNX) and model_id.startswith(_ONNX)
        return self.configured not in {"", model_id} and not is_name_free

    def encoder_for(self, model_id: str, space: str, dim: int, part: float | None = None) -> "Encoder":
        """The encoder for an index, whose vectors may have a constant part. Raises ModelMismatch, ConfigError."""
        if self.configured.startswith(_ONNX):
            return self._open_same_space(self.configured, model_id, space, dim)
        if self.configured and self.configured != EMBEDDED_MODEL:
            if self.configured != model_id:
                raise self._mismatch(model_id)
            return self._open(model_id, dim)
        embedded = self._open(EMBEDDED_MODEL, dim)
        from hub_index.embedding.axon_lift import lifted_space

        if lifted_space(embedded.space, part) == space or (not space and model_id == EMBEDDED_MODEL):
            return embedded
        if self.configured or model_id == EMBEDDED_MODEL:
            raise self._mismatch(model_id)
        if model_id.startswith(_ONNX):
            return self._open_same_space(model_id, model_id, space, dim)
        return self._open(model_id, dim)

    def _open_same_space(self, mine: str, model_id: str, space: str, dim: int) -> "Encoder":
        """The user's ONNX model if its vectors are the index's: by its files and settings, under any name."""
        encoder = self._open(mine, dim)
        if encoder.space == space or (not space and mine == model_id):
            return encoder
        what = "another version of it" if mine == model_id else f"made with {quote_line(model_id)}"
        raise ModelMismatch(
            f"queries would be embedded by {mine}, and the index is {what} (its files or settings differ); "
            "get the index's model, or make an index of your own with `hub-index search --index`"
        )

    def _mismatch(self, model_id: str) -> ModelMismatch:
        mine = self.configured or EMBEDDED_MODEL
        what = f"{quote_line(model_id)}, and queries are embedded by {mine}"
        if mine == model_id:
            what = f"another version of {mine}"
        return ModelMismatch(
            f"the index was made with {what}; set the index's model, or make an index of your own with "
            "`hub-index search --index`"
        )

    def _open(self, model_id: str, dim: int) -> "Encoder":
        if model_id not in self._made:
            if self._connect is not None:
                self._made[model_id] = self._connect(model_id, dim)
            elif model_id == EMBEDDED_MODEL:
                from pathlib import Path

                from hub_index.embedding.local import LocalEncoder

                self._made[model_id] = LocalEncoder(cache_dir=Path(self._cache))
            else:
                raise ConfigError(f"no way to reach {quote_line(model_id)} was given; pass `connect` to open_index")
        return self._made[model_id]

    def close(self) -> None:
        """Lets go of all encoders."""
        for encoder in self._made.values():
            encoder.close()
        self._made.clear()
