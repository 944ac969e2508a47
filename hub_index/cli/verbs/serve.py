"""`hub-index serve --embeddings`: the embedded model as an OpenAI-shaped endpoint on loopback."""

import argparse
import signal
from types import FrameType
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, positive
from hub_index.cli.terminal import notice
from hub_index.settings import read_settings

if TYPE_CHECKING:
    from hub_index.embedding.serving.options import ServeOptions

_EXAMPLES = """\
  hub-index serve --embeddings
  hub-index build path/to/hub --model-alias openai:usem3-axon     the index that the Axon client then searches"""
_GRACE_S = 3.0  # for requests that are being answered when the server is stopped


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("serve", "Offer the embedded model to other clients, in OpenAI's format.", _EXAMPLES)
    parser.add_argument("--embeddings", action="store_true", required=True, help="serve POST /v1/embeddings")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=11435, help="default: 11435; 0 takes a free one")
    parser.add_argument(
        "--model-name", metavar="NAME", default="usem3", help="what clients call the plain model (default: usem3)"
    )
    parser.add_argument("--allow-remote", action="store_true", help="accept a --host that other machines can reach")
    parser.add_argument("--rate", type=positive, metavar="N", help="requests a second (default: 500)")
    return parser.parse_args(arguments)


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is stopped by Ctrl-C or SIGTERM, which is how it ends: exit code 0."""
    from hub_index.embedding.local import LocalEncoder
    from hub_index.embedding.serving.options import ServeOptions
    from hub_index.embedding.serving.server import EmbeddingsServer
    from hub_index.limits import SERVED_REQUESTS_PER_S

    options = ServeOptions(
        host=arguments.host,
        port=arguments.port,
        model_name=arguments.model_name,
        allow_remote=arguments.allow_remote,
        requests_per_s=arguments.rate or SERVED_REQUESTS_PER_S,
    )
    signal.signal(signal.SIGTERM, _stop)
    encoder = LocalEncoder(cache_dir=read_settings().cache_dir, workers=0)
    with EmbeddingsServer(options, encoder, notice if arguments.debug else lambda _line: None) as server:
        try:
            encoder.embed_query("x")  # a model that cannot be loaded should say so now
            _introduce(server.url, options)
            server.serve_forever()
        except KeyboardInterrupt:
            server.limiter.wait_until_idle(_GRACE_S)
    notice("hub-index: stopped")
    return 0


def _introduce(url: str, options: "ServeOptions") -> None:
    from hub_index.embedding.constant_part import AXON_MODEL, AXON_NAME

    notice(f"serving embeddings at {url} as the models {options.model_name} and {AXON_NAME}; Ctrl-C stops")
    notice(f"  an index for the Axon client: hub-index build HUB --model-alias {AXON_MODEL}")
    notice(
        f"  its settings: AXON_EMBEDDINGS_PROVIDER=openai AXON_EMBEDDINGS_MODEL={AXON_NAME} "
        f"AXON_EMBEDDINGS_BASE_URL={url} AXON_EMBEDDINGS_API_KEY=any"
    )
    notice(f"  an index for other clients: hub-index build HUB --model-alias openai:{options.model_name}")
    if options.allow_remote:
        notice("  other machines may ask too, without a key and without encryption")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: 0 to 65535")
    return int(text)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
