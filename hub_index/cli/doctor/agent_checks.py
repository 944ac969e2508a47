"""The doctor's checks of the folders where agents keep skills: are they readable, and is what `add` wrote unedited?"""

import os
from collections.abc import Iterator

from hub_index.cli.doctor.doctor_check import Check
from hub_index.errors import HubIndexError
from hub_index.hub.skill.problems import counted
from hub_index.installs.agent_folders import InstallRoot, choose_roots, leads_outside
from hub_index.installs.install_transaction import skill_folder
from hub_index.installs.installed_state import read_state
from hub_index.installs.lock_file import read_lock


def agent_checks() -> Iterator[Check]:
    """A check for each agent's folder that is there, of the project and of the user."""
    for root in choose_roots():
        for agent, folder in root.folders:
            path = os.path.join(root.path, folder)
            if os.path.lexists(path):
                owner = "the project's" if root.is_project else "your"
                yield Check(f"{owner} {agent} skills", *_look(root, path, folder))


def _look(root: InstallRoot, path: str, folder: str) -> tuple[str, str]:
    """The state of one folder, and what is wrong with it."""
    if leads_outside(root, path):
        return "bad", f"{path} leads out of the project by a link: nothing is read there or written"
    try:
        skills = sum(entry.is_dir() for entry in os.scandir(path))
    except OSError as error:
        return "bad", f"{path}: {error.strerror}; check its rights"
    try:
        installed = [skill for skill in read_lock(root).skills if os.path.dirname(skill.folder) == folder]
        states = {skill.name: read_state(skill_folder(root, skill.folder), skill) for skill in installed}
    except HubIndexError as error:
        return "bad", str(error)
    found = f"{path}: {counted(skills, 'folder')}, {len(installed)} installed by hub-index"
    touched = [name for name, state in states.items() if not state.is_untouched]
    if touched:
        return "absent", f"{found}; edited or missing: {', '.join(touched)}; `hub-index installed` says more"
    return "ok", found
