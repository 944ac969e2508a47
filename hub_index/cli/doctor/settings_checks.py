"""The doctor's checks of the settings: values that are not allowed, unknown names, rights that let others read a key,
and whether the configured provider could be asked. No key is ever shown, only whether there is one.

The model of a hub's builds, and the extra that it needs, are found here.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hub_index import settings as known
from hub_index.base.install_hint import install_hint
from hub_index.cli.doctor.doctor_check import Check, missing_modules
from hub_index.cli.wiring.search_wiring import configured_model
from hub_index.embedding.api.api_encoder import ApiEncoder
from hub_index.embedding.api.endpoint import check_endpoint
from hub_index.embedding.encoder import Encoder
from hub_index.embedding.providers import check_model, choose_model, make_encoder
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.settings import CACHE_VARIABLE, KEY_VARIABLE, Settings, read_api_key, read_env_file, read_settings

EXTRAS = {"onnx": "onnx", "openai": "openai", "azure-openai": "openai", "voyage": "voyage"}
_NAMES = {value for name, value in vars(known).items() if name.endswith("_VARIABLE")} | {"AXON_HOME"}


@dataclass(frozen=True, slots=True)
class BuildModel:
    """`provider:model` and its extra; both None if the hub cannot be read or its model is wrong."""

    model: str | None = None
    extra: str | None = None  # None: what every build needs is enough
    problem: str = ""  # of the model; what is wrong with the hub is another line's to say

    def check(self) -> Check:
        """The doctor's line; a missing extra is not bad, since a search needs none."""
        if self.model is None:
            state = "bad" if self.problem else "absent"
            return Check("build model", state, self.problem or "not known before the hub can be read")
        missing = missing_modules(self.extra) if self.extra else []
        advice = f"; {install_hint(self.extra)} brings {', '.join(missing)}" if self.extra and missing else ""
        return Check("build model", "absent" if missing else "ok", f"{self.model}{advice}")


def find_build_model(hub: Path, asked: str | None) -> BuildModel:
    """The model of `hub-index build` at HEAD: by --model, the hub's file, the environment, or the embedded one."""
    try:
        config = read_hub(open_repository(hub)).config
    except HubIndexError:
        return BuildModel()
    try:
        model = choose_model(asked, config.model, read_settings())
        check_model(model)
    except ConfigError as error:
        return BuildModel(problem=str(error))
    return BuildModel(model, EXTRAS.get(model.partition(":")[0]))


def settings_or_folders() -> Settings:
    """The settings; where they are wrong, the folders alone: the rest of the doctor's table is worth having."""
    try:
        return read_settings()
    except ConfigError:
        kept = {name: os.environ[name] for name in (CACHE_VARIABLE, "XDG_CACHE_HOME") if name in os.environ}
        folders = read_settings(kept | {"AXON_HOME": os.devnull})  # which holds no .env
        home = os.environ.get("AXON_HOME") or os.path.join(os.path.expanduser("~"), ".axon")
        return Settings(axon_home=home, cache_folder=folders.cache_folder)


def settings_problem(asked: str | None) -> str:
    """Why no verb could work with these settings; empty if they are right."""
    try:
        settings = read_settings()
        model = asked or configured_model(settings)
        if model:
            with closing(make_encoder(model, settings, asked=asked)) as encoder:
                _check_server(encoder)
    except ConfigError as error:
        return str(error)
    return ""


def _check_server(encoder: Encoder) -> None:
    """Raises ConfigError if a request could not even be begun: no address, or a key that cannot be one."""
    if isinstance(encoder, ApiEncoder):
        check_endpoint(encoder.endpoint)
        read_api_key(encoder.endpoint.env_file)


def settings_checks(settings: Settings, asked: str | None) -> Iterator[Check]:
    """The settings as a whole, the file ~/.axon/.env, and the provider where one is configured."""
    problem = settings_problem(asked)
    if problem:
        yield Check("settings", "bad", problem)
    try:
        values = read_env_file(settings.env_file)
    except ConfigError as error:
        yield Check("settings file", "bad", str(error))
        return
    yield _settings_file(settings.env_file, values)
    if not problem:
        yield from _provider(settings, asked, has_key=bool(os.environ.get(KEY_VARIABLE) or values.get(KEY_VARIABLE)))


def _settings_file(path: str, said: dict[str, str]) -> Check:
    if not os.path.exists(path):
        return Check("settings file", "absent", f"{path}; `hub-index init` writes one, but it is not needed")
    unknown = sorted(set(said) - _NAMES)
    if unknown:
        return Check("settings file", "bad", f"{path}: unknown name {', '.join(unknown)}; check the spelling")
    if os.stat(path).st_mode & 0o077:
        return Check("settings file", "bad", f"{path}: others may read it; run `chmod 600` on it")
    return Check("settings file", "ok", path)


def _provider(settings: Settings, asked: str | None, *, has_key: bool) -> Iterator[Check]:
    """Whether the provider's key and its extra are there; nothing for the embedded model, which needs neither."""
    model = asked or configured_model(settings)
    provider = model.partition(":")[0]
    if provider not in EXTRAS:
        return
    is_installed = not missing_modules(EXTRAS[provider])
    needs_key = not settings.base_url or provider == "azure-openai"  # the user's own server may need none
    key = f"a key is set in {KEY_VARIABLE}" if has_key else f"no key is set in {KEY_VARIABLE}"
    extra = "the extra is installed" if is_installed else f"{install_hint(EXTRAS[provider])} is needed"
    state = "ok" if is_installed and (has_key or not needs_key) else "bad"
    yield Check(f"provider {provider}", state, f"{model}; {key}; {extra}")
