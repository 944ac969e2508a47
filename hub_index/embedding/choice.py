"""Which model builds a hub's index: said once, for the command line and for the flow."""

from hub_index.embedding.providers import DEFAULT_MODEL, model_from_settings
from hub_index.settings import Settings


def choose_model(asked: str | None, hub_model: str | None, settings: Settings) -> str:
    """--model, then the hub's own choice, then the user's environment, then the embedded model.

    A maintainer's personal environment never republishes a hub that names its model.
    """
    return asked or hub_model or model_from_settings(settings) or DEFAULT_MODEL
