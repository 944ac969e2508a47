"""`hub-index serve`: the hubs over HTTP, JSON-RPC, WebSocket and MCP, and the embedded model in OpenAI's format."""

import argparse
import signal
from contextlib import ExitStack, suppress
from types import FrameType
from typing import TYPE_CHECKING

from hub_index.cli.arguments import VerbParser, folder, not_empty, positive
from hub_index.cli.terminal import notice, printable
from hub_index.cli.user_settings import settings_from
from hub_index.cli.wiring.search_tools import open_search_service, recorded
from hub_index.cli.wiring.search_wiring import add_index_options
from hub_index.embedding.axon_lift import AXON_MODEL, AXON_NAME
from hub_index.limits import SERVED_REQUESTS_PER_S
from hub_index.settings import read_settings

if TYPE_CHECKING:
    from hub_index.serve.http.serve_options import ServeOptions
    from hub_index.serve.http.server import HttpServer

_EXAMPLES = """\
  hub-index serve                                 http://127.0.0.1:11435/search?q=make+slides
  hub-index serve --hub path/to/hub --hub ~/.claude/skills
  hub-index serve --host 0.0.0.0 --token-file tokens --tls-cert cert.pem --tls-key key.pem
  hub-index serve --hub path/to/hub --page        its page at http://127.0.0.1:11435/page/
  hub-index serve --embeddings                    the embedded model alone, for clients of OpenAI's format
  hub-index build path/to/hub --model-alias openai:usem3-axon     the index that the Axon client then searches"""


def parse(arguments: list[str]) -> argparse.Namespace:
    """The verb's arguments."""
    parser = VerbParser("serve", "Offer the hubs and the embedded model over HTTP.", _EXAMPLES)
    add_index_options(parser, several=True, store=True)
    parser.add_argument("--embeddings", action="store_true", help="serve POST /v1/embeddings alone, without any hub")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=_port, default=11435, help="default: 11435; 0 takes a free one")
    parser.add_argument(
        "--token-file",
        type=not_empty,
        metavar="FILE",
        help="lines of NAME TOKEN; needed where others can reach the address; read again when it changes",
    )
    parser.add_argument("--tls-cert", type=not_empty, metavar="FILE", help="a certificate, for https")
    parser.add_argument("--tls-key", type=not_empty, metavar="FILE", help="its key")
    parser.add_argument(
        "--model-name", metavar="NAME", default="usem3", help="what clients call the plain model (default: usem3)"
    )
    parser.add_argument("--rate", type=positive, metavar="N", help="requests a second of each token (default: 500)")
    parser.add_argument(
        "--page",
        type=folder,
        nargs="?",
        const=True,
        metavar="DIR",
        help="serve a page at /page/: the one in DIR, else the hub's, made in the cache folder",
    )
    parsed = parser.parse_args(arguments)
    if parsed.embeddings and (parsed.hub or parsed.index_dir or parsed.model or parsed.store):
        parser.error("--embeddings serves the model alone, so it goes without --hub, --index-dir, --store and --model")
    return parsed


def run(arguments: argparse.Namespace) -> int:
    """Serves until it is stopped by Ctrl-C or SIGTERM, which is how it ends: exit code 0."""
    from hub_index.base.install_hint import check_extra, has_mcp

    check_extra("serve", "serve", ("uvicorn", "websockets"))
    options = _options_of(arguments)
    from hub_index.embedding.local import LocalEncoder
    from hub_index.serve.http.assembly import open_doors

    signal.signal(signal.SIGTERM, _stop)
    with ExitStack() as stack:
        encoder = LocalEncoder(cache_dir=read_settings().cache_dir, workers=0)
        stack.callback(encoder.close)
        service = None
        if arguments.embeddings:
            encoder.embed_query("x")  # an error in loading the model should come now
        else:
            settings = settings_from(arguments)
            service = stack.enter_context(open_search_service(arguments, settings, embed="behind"))
            stack.enter_context(recorded(service, settings))
            for hub in service.status().hubs:
                if hub.state == "unusable":
                    notice(f"note: {printable(hub.name)} cannot be searched: {printable(hub.reason)}")
        site = None
        if arguments.page is not None:
            from hub_index.cli.wiring.page_wiring import find_site

            site = find_site("" if arguments.page is True else arguments.page, service, arguments.index_dir)
        log = notice if arguments.debug else lambda _line: None
        doors = stack.enter_context(
            open_doors(
                options,
                encoder=encoder,
                service=service,
                has_mcp=service is not None and has_mcp(),
                site=site,
                log=log,
                warn=notice,
            )
        )
        _introduce(doors.server, options, arguments)
        if site is not None:
            notice(f"  the page: {doors.server.url}/page/")
        with suppress(KeyboardInterrupt):  # uvicorn raises the signal again when it has ended
            doors.server.run()
    notice("hub-index: stopped")
    return 0


def _options_of(arguments: argparse.Namespace) -> "ServeOptions":
    from hub_index.serve.http.serve_options import ServeOptions, check_options

    options = ServeOptions(
        host=arguments.host,
        port=arguments.port,
        model_name=arguments.model_name,
        token_file=arguments.token_file or "",
        tls_cert=arguments.tls_cert or "",
        tls_key=arguments.tls_key or "",
        requests_per_s=arguments.rate or SERVED_REQUESTS_PER_S,
    )
    check_options(options)
    return options


def _introduce(server: "HttpServer", options: "ServeOptions", arguments: argparse.Namespace) -> None:
    from hub_index.base.install_hint import has_mcp

    if not arguments.embeddings:
        mcp = "agents at /mcp" if has_mcp() else "agents need the extra 'mcp'"
        notice(f"serving skills at {server.url} (/openapi.json says how; {mcp}); Ctrl-C stops")
        return
    url = f"{server.url}/v1"
    notice(f"serving embeddings at {url} as the models {options.model_name} and {AXON_NAME}; Ctrl-C stops")
    notice(f"  an index for the Axon client: hub-index build HUB --model-alias {AXON_MODEL}")
    notice(
        f"  its settings: AXON_EMBEDDINGS_PROVIDER=openai AXON_EMBEDDINGS_MODEL={AXON_NAME} "
        f"AXON_EMBEDDINGS_BASE_URL={url} AXON_EMBEDDINGS_API_KEY=any"
    )
    notice(f"  an index for other clients: hub-index build HUB --model-alias openai:{options.model_name}")


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: 0 to 65535")
    return int(text)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
