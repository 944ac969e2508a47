"""Arguments → the database; its address is never printed, since it may hold a password."""

from hub_index.errors import ConfigError
from hub_index.settings import STORE_VARIABLE, Settings, find_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hub_index.store.connection import StoreAddress


def store_address(given: str, settings: Settings) -> "StoreAddress":
    """The named database, else that of the variable. Raises ConfigError."""
    text = given or find_store(settings)
    if not text:
        raise ConfigError(f"name a database: postgresql://user@host:5432/database, or set {STORE_VARIABLE}")
    from hub_index.store.connection import parse_address

    return parse_address(text)
