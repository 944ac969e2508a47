"""`hub-index serve --embeddings` as other clients meet it: the real command, the real model, the real OpenAI client."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray
from support.hubs.hub_maker import HubMaker
from support.processes.cli_runner import hub_index

from hub_index.embedding.axon_lift import AXON_NAME
from hub_index.embedding.providers import make_encoder
from hub_index.index.folder.reading import read_files
from hub_index.index.format.verify import decode_index
from hub_index.settings import read_settings

if TYPE_CHECKING:
    from openai import OpenAI

NAME = "offline-model"


@dataclass(frozen=True, slots=True)
class Served:
    """A running command and where it listens."""

    process: subprocess.Popen[str]
    url: str


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One parsed copy of the model for all tests here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def served(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """The command in a child process, on a free port."""
    monkeypatch.setenv("HUB_INDEX_CACHE", str(cache))
    command = [sys.executable, "-m", "hub_index", "serve", "--embeddings", "--port", "0", "--model-name", NAME]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            match = re.search(r"at (http://127\.0\.0\.1:\d+/v1) ", process.stderr.readline())
            assert match is not None
            yield Served(process, match[1])
        finally:
            process.kill()


def openai_client(url: str) -> "OpenAI":
    """OpenAI's client; one try, so that a refusal is seen at once."""
    from openai import OpenAI

    return OpenAI(base_url=url, api_key="any", max_retries=0)


def ask_as_axon_does(url: str, text: str) -> NDArray[np.float32]:
    """The request of the Axon client: one string, no dimensions, a key that has to be set."""
    body = json.dumps({"model": NAME, "input": text}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer any"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/embeddings", body, headers), timeout=30) as answer:
        return np.array(json.load(answer)["data"][0]["embedding"], np.float32)


def test_a_client_of_openais_format_reaches_a_hub_index_offline(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index built under an alias: each record's text, embedded through the endpoint, is the record's own row."""
    hub = HubMaker(tmp_path / "hub")
    texts = {"db-advisor": "Analyze slow queries and index usage.", "ppt": "制作演示文稿。"}
    for skill, description in texts.items():
        hub.skill(skill, description)
    hub.commit("skills")
    assert hub_index("build", hub.root, "--model-alias", f"openai:{NAME}").code == 0
    index = decode_index(read_files(hub.root / "search"))
    assert index.manifest.model_id == f"openai:{NAME}"

    rows = np.frombuffer(index.vectors, "<f4").reshape(-1, 512)
    monkeypatch.setenv("AXON_EMBEDDINGS_BASE_URL", served.url)
    monkeypatch.setenv("AXON_EMBEDDINGS_API_KEY", "any")
    own_client = make_encoder(f"openai:{NAME}", read_settings(), asked=f"openai:{NAME}")
    sdk = openai_client(served.url)
    for record, row in zip(index.records, rows, strict=True):
        text = f"name: {record.name}\ndescription: {record.description}"
        by_sdk = np.array(sdk.embeddings.create(model=NAME, input=text).data[0].embedding, np.float32)
        for vector in (ask_as_axon_does(served.url, text), by_sdk, own_client.embed_query(text)):
            assert float(vector @ row) == pytest.approx(1, abs=1e-6)
    own_client.close()
    sdk.close()


def test_openais_own_client_lists_models_and_reads_refusals(served: Served) -> None:
    """The SDK parses what we send: models, many inputs by base64, typed errors."""
    import openai

    with openai_client(served.url) as client:
        assert [model.id for model in client.models.list().data] == [NAME, AXON_NAME]
        answer = client.embeddings.create(model=NAME, input=["one", "二"], dimensions=512)
        assert [len(entry.embedding) for entry in answer.data] == [512, 512]
        assert answer.model == NAME
        assert answer.usage.total_tokens >= 2
        with pytest.raises(openai.NotFoundError, match=NAME):
            client.embeddings.create(model="text-embedding-3-small", input="a")
        with pytest.raises(openai.BadRequestError, match="tokens"):
            client.embeddings.create(model=NAME, input=[[1, 2]])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_it_is_not_a_failure(served: Served, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM end it with exit code 0, one line, and no traceback."""
    ask_as_axon_does(served.url, "a text")
    served.process.send_signal(number)
    out, err = served.process.communicate(timeout=10)
    assert (served.process.returncode, out) == (0, "")
    assert err.endswith("hub-index: stopped\n")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--embeddings", "--hub", "."), "--embeddings"),
        (("--embeddings", "--host", "0.0.0.0"), "--token-file"),
        (("--embeddings", "--token-file", "no-such-file"), "cannot be read"),
        (("--embeddings", "--tls-cert", "cert.pem"), "--tls-key"),
        (("--embeddings", "--tls-cert", "no.pem", "--tls-key", "no.pem"), "is not a file"),
        (("--embeddings", "--host", "no.such.host.invalid"), "not an address"),
        (("--embeddings", "--port", "70000"), "70000"),
        (("--embeddings", "--model-name", "openai:x"), "--model-name"),
        (("--embeddings", "--model-name", AXON_NAME), "served anyway"),
    ],
)
def test_a_wrong_call_is_exit_2(arguments: tuple[str, ...], words: str) -> None:
    """What cannot be served is said before anything listens."""
    outcome = hub_index("serve", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert "Traceback" not in outcome.err
