"""Files of queries that the user names."""

from pathlib import Path

from hub_index.errors import ConfigError


def read_query_file(path: Path) -> str:
    """The file's text. Raises ConfigError, which says what is wrong with it in words."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"there is no file {path}; name one that is there") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not one of a file"
        raise ConfigError(f"{path} cannot be read: {reason}") from error
