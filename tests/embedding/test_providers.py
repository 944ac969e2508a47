"""From `provider:model` to an encoder: spaces, dimensions, batch sizes, prices and warnings."""

import subprocess
import sys

import pytest
from support.models.provider_world import encoders_of, skill_texts
from support.models.scripted_server import ScriptedServer, ok, vector_of, with_vector

from hub_index.embedding.api.api_encoder import ApiEncoder
from hub_index.embedding.api.token_estimate import estimate_tokens
from hub_index.embedding.cost import check_max_cost, estimate, format_usd, spent
from hub_index.embedding.known_models import KNOWN_MODELS, find_model, language_warning
from hub_index.embedding.providers import make_encoder
from hub_index.errors import ConfigError, ProviderBrokePromise
from hub_index.settings import Settings

PINNED_SPACE = "sha256:5614c0c7ee85d7cfb60e8c429e5807194edfa4289bf5a7040780e9a01444413d"
SETTINGS = Settings(axon_home="nowhere", cache_folder="nowhere")


def _encoder(model: str, settings: Settings = SETTINGS, dimensions: int | None = None) -> ApiEncoder:
    encoder = make_encoder(model, settings, dimensions=dimensions)
    assert isinstance(encoder, ApiEncoder)
    return encoder


@pytest.mark.parametrize("model", ["usem3", "", "openai", "openai:", ":m", "closedai:m", "OPENAI:m", "\x1b[31m:m"])
def test_what_is_not_a_model_is_refused_with_the_known_providers(model: str) -> None:
    """The message quotes what was written, escaped, and says what may be written."""
    with pytest.raises(ConfigError, match="local, onnx, openai, azure-openai, voyage") as caught:
        make_encoder(model, SETTINGS)
    assert str(caught.value).isprintable()


def test_the_local_model_has_one_name() -> None:
    """Another embedded model does not exist."""
    with pytest.raises(ConfigError, match="local:usem3"):
        make_encoder("local:minilm", SETTINGS)


def test_making_an_encoder_imports_no_sdk_and_needs_no_key() -> None:
    """A plan prices every provider without a key, an SDK or numpy."""
    code = (
        "import sys; from hub_index.settings import read_settings\n"
        "from hub_index.embedding.providers import make_encoder\n"
        "for model in ('openai:text-embedding-3-small', 'azure-openai:x', 'voyage:voyage-4-lite'):\n"
        "    encoder = make_encoder(model, read_settings()); encoder.space; encoder.count_tokens(['a'])\n"
        "sys.exit(str({'openai', 'voyageai', 'numpy', 'requests', 'httpx2', 'httpx'} & sys.modules.keys() or ''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.stderr.strip() == b""


def test_the_embedded_model_is_made_without_the_room_of_onnx_models() -> None:
    """What only users of an ONNX model need costs an unchanged build 2 of 140 ms."""
    code = (
        "import sys; from hub_index.settings import read_settings\n"
        "from hub_index.embedding.providers import make_encoder\n"
        "make_encoder('local:usem3', read_settings())\n"
        "sys.exit(str([name for name in sys.modules if name.startswith('hub_index.embedding.onnx')] or ''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.stderr.strip() == b""


def test_f28_every_part_of_the_space_counts() -> None:
    """Provider, model, dimensions and the cutting rule make different spaces; how requests are sent does not."""
    spaces = [
        _encoder("openai:text-embedding-3-small").space,
        _encoder("openai:text-embedding-3-large").space,
        _encoder("azure-openai:text-embedding-3-small").space,
        _encoder("voyage:voyage-4-lite").space,
        _encoder("openai:text-embedding-3-small", dimensions=256).space,
        _encoder(
            "openai:text-embedding-3-small", Settings(axon_home="nowhere", cache_folder="nowhere", max_input_tokens=512)
        ).space,
    ]
    assert len(set(spaces)) == len(spaces)
    assert all(space.startswith("sha256:") and len(space) == 71 for space in spaces)
    same = make_encoder("openai:text-embedding-3-small", SETTINGS, batch_size=7, concurrency=9)
    assert same.space == spaces[0]
    assert _encoder("openai:text-embedding-3-small", dimensions=1536).space == spaces[0]


def test_the_space_of_a_model_never_changes_by_accident() -> None:
    """A changed fingerprint makes every user pay again: this one is pinned."""
    assert _encoder("openai:text-embedding-3-small").space == PINNED_SPACE


@pytest.mark.parametrize(
    ("model", "dimensions"),
    [("openai:text-embedding-3-small", 1537), ("openai:text-embedding-ada-002", 256), ("voyage:voyage-4", 300)],
)
def test_impossible_dimensions_are_refused_before_any_request(model: str, dimensions: int) -> None:
    """Known models say which lengths they can give."""
    with pytest.raises(ConfigError, match=str(dimensions)):
        _encoder(model, dimensions=dimensions)


def test_a_model_that_ignores_the_dimensions_asked_for_is_refused() -> None:
    """The server gives its own length instead: its vectors are not stored."""
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        encoder = encoder_of("openai:nobody-knows", dimensions=16)
        assert encoder.embed_documents(["a"]).shape == (1, 16)
        server.default = with_vector(0, [0.5] * 8)
        with pytest.raises(ProviderBrokePromise, match="8 numbers instead of 16"):
            encoder.embed_documents(["a"])


def test_batch_sizes_stay_within_the_providers_limits() -> None:
    """More inputs than a provider takes in one request are never sent; fewer than one is an error."""
    assert make_encoder("voyage:voyage-4", SETTINGS, batch_size=5000).batch_size == 128
    assert make_encoder("openai:text-embedding-3-small", SETTINGS, batch_size=5000).batch_size == 2048
    assert make_encoder("openai:text-embedding-3-small", SETTINGS).batch_size == 128
    assert make_encoder("openai:unknown-on-my-own-server", SETTINGS).batch_size == 32
    with pytest.raises(ConfigError, match="--batch-size"):
        make_encoder("voyage:voyage-4", SETTINGS, batch_size=0)
    with pytest.raises(ConfigError, match="--concurrency"):
        make_encoder("voyage:voyage-4", SETTINGS, concurrency=0)


_FREE = ("local", "onnx")  # they run here


def test_every_known_price_has_a_source_and_a_date() -> None:
    """Every price can be looked up; a paid model's unknown price is None."""
    for known in KNOWN_MODELS:
        if known.usd_per_million is not None:
            assert known.provider in _FREE or "2026-11-16" in known.price_source
        assert known.usd_per_million != 0 or known.provider in _FREE


def test_prices_are_unknown_where_nobody_can_know_them() -> None:
    """Azure's depend on a contract, a user's own server has none, and a new model's is not in the table."""
    texts = skill_texts(10)
    own_server = Settings(axon_home="nowhere", cache_folder="nowhere", base_url="http://127.0.0.1:1/v1")
    for encoder in (
        _encoder("azure-openai:text-embedding-3-small"),
        _encoder("openai:text-embedding-3-small", own_server),
        _encoder("openai:text-embedding-9"),
    ):
        assert estimate(encoder, texts).usd is None
        assert spent(encoder, 1000) is None


def test_an_estimate_prices_each_distinct_text_once() -> None:
    """Tokens times price, marked as an estimate, with the source of the price."""
    texts = skill_texts(1000)
    expected = estimate(_encoder("openai:text-embedding-3-small"), [*texts, *texts])
    assert expected.texts == 1000
    assert not expected.tokens_exact
    assert expected.usd == pytest.approx(expected.tokens * 0.02 / 1e6)
    assert "openai" in expected.price_source
    assert spent(_encoder("voyage:voyage-4-lite"), 2_000_000) == pytest.approx(0.04)


def test_max_cost_stops_what_costs_more_or_cannot_be_priced() -> None:
    """At the limit it passes; above it, or with an unknown price, nothing may be requested."""
    expected = estimate(_encoder("openai:text-embedding-3-large"), skill_texts(1000))
    assert expected.usd is not None
    check_max_cost(expected, expected.usd)
    with pytest.raises(ConfigError, match="nothing was requested"):
        check_max_cost(expected, expected.usd * 0.999)
    with pytest.raises(ConfigError, match="unknown"):
        check_max_cost(estimate(_encoder("openai:text-embedding-9"), skill_texts(3)), 1000.0)
    check_max_cost(estimate(_encoder("openai:text-embedding-9"), []), 0.0)


@pytest.mark.parametrize(
    ("usd", "shown"), [(None, "unknown"), (0.0, "$0.00"), (0.0078, "$0.0078"), (12.3456, "$12.35")]
)
def test_money_for_people(usd: float | None, shown: str) -> None:
    """Small sums keep their digits; unknown is never zero."""
    assert format_usd(usd) == shown


def test_a_model_for_one_language_gets_a_warning_that_names_another() -> None:
    """Chinese queries against English-only vectors find nothing: say so, and say what would."""
    assert "voyage-4-lite" in (language_warning(find_model("voyage", "voyage-law-2")) or "")
    assert "text-embedding-3-small" in (language_warning(find_model("openai", "text-embedding-ada-002")) or "")
    assert language_warning(find_model("openai", "text-embedding-3-small")) is None
    assert language_warning(find_model("openai", "nobody-knows")) is None
    assert find_model("openai", "BAAI/bge-m3:latest").dim == 1024


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("hello world", 2, 3),
        ("tiktoken is great!", 4, 8),
        ("お誕生日おめでとう", 9, 14),
        ("Analyze slow queries and index usage", 6, 9),
        ("分析数据库的慢查询", 9, 16),
        ("", 1, 1),
        ("\ud800", 1, 4),
    ],
)
def test_estimates_are_near_what_byte_pair_tokenizers_say(text: str, least: int, most: int) -> None:
    """Published counts of the cl100k tokenizer lie within the band."""
    assert least <= estimate_tokens(text) <= most


def test_a_vector_is_the_same_however_it_was_sent() -> None:
    """Base64 and a list of the same float32 numbers give the same bits."""
    with ScriptedServer() as server, encoders_of(server) as encoder_of:
        server.script = [ok, with_vector(0, vector_of("a", 8), as_list=True)]
        encoder = encoder_of("openai:m")
        assert encoder.embed_documents(["a"]).tobytes() == encoder.embed_documents(["a"]).tobytes()
