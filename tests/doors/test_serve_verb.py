"""`hub-index serve` and `hub-index mcp` as commands: TLS, hubs, signals, and an install without their extras."""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.models.model_copy import model_cache
from support.processes.cli_runner import hub_index
from support.servers.doors_world import STDIO

_TOKEN = "0123456789abcdef-token"
_WITHOUT = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {missing} else real(name, *more)
from hub_index.cli.main import main
sys.exit(main({arguments}))
"""


@pytest.mark.parametrize(("verb", "modules"), [("serve", {"uvicorn"}), ("mcp", {"mcp"})])
def test_a_plain_install_says_which_extra_is_needed(verb: str, modules: set[str]) -> None:
    """Exit 2, one line, and what to install."""
    code = _WITHOUT.format(missing=modules, arguments=[verb])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"needs the extra {verb!r}: pip install" in done.stderr
    assert f"[{verb}]" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_client_side_knows_no_web_framework() -> None:
    """A keyword search imports nothing of the doors, of the service's heavy parts or of their extras."""
    code = (
        "import sys\nfrom hub_index.cli.main import main\n"
        f"main(['search', 'database', '--keyword', '--json', '--hub', {STDIO[5]!r}, '--index-dir', {STDIO[7]!r}])\n"
        "print([name for name in sys.modules if name.partition('.')[0] in "
        "('mcp', 'starlette', 'uvicorn', 'websockets', 'httpx', 'pydantic', 'numpy', 'asyncio') "
        "or name.startswith(('hub_index.serve', 'hub_index.client'))], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


def make_certificate(folder: Path) -> None:
    """A certificate for 127.0.0.1 that signs itself, by the openssl of the machine."""
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=127.0.0.1"
    extra = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command.split(), *extra], cwd=folder, check=True, capture_output=True)


def test_other_machines_come_in_by_tls_with_a_token(tmp_path: Path) -> None:
    """The whole command: https, a token, a search, and SIGTERM is exit code 0."""
    try:
        make_certificate(tmp_path)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this machine has no openssl")
    (tmp_path / "tokens").write_text(f"ann {_TOKEN}\n")
    command = [*STDIO[:3], "serve", *STDIO[4:], "--host", "0.0.0.0", "--port", "0", "--token-file", "tokens"]
    environment = os.environ | {"HUB_INDEX_CACHE": str(model_cache()), "AXON_HOME": str(tmp_path / "home")}
    options = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"]
    with subprocess.Popen(
        [*command, *options], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            match = re.search(r"https://0\.0\.0\.0:(\d+)", process.stderr.readline())
            assert match is not None
            context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
            url = f"https://127.0.0.1:{match[1]}/search?q=slides&k=1&mode=keyword"
            request = urllib.request.Request(url, headers={"Authorization": f"Bearer {_TOKEN}"})
            with urllib.request.urlopen(request, context=context, timeout=60) as answer:
                assert len(json.load(answer)["hits"]) == 1
            with pytest.raises(urllib.error.HTTPError, match="401"):
                urllib.request.urlopen(url, context=context, timeout=60)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, "", "hub-index: stopped\n")


def test_a_key_that_is_not_the_certificates_is_refused(tmp_path: Path) -> None:
    """Before anything listens."""
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("nonsense")
    options = ("--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem")
    outcome = hub_index("serve", "--embeddings", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "certificate and its key" in outcome.err
