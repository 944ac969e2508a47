"""The model of a hub's builds, and the extra that it needs."""

from dataclasses import dataclass
from pathlib import Path

from hub_index.base.install_hint import install_hint
from hub_index.cli.doctor.doctor_check import Check, missing_modules
from hub_index.embedding.providers import check_model, choose_model
from hub_index.errors import ConfigError, HubIndexError
from hub_index.hub.git.repository import open_repository
from hub_index.hub.snapshot import read_hub
from hub_index.settings import read_settings

EXTRAS = {"onnx": "onnx", "openai": "openai", "azure-openai": "openai", "voyage": "voyage"}


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
