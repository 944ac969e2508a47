"""JSON-RPC calls and batches → answers; the same over HTTP and WebSocket, only that the latter gets partial results."""

from collections.abc import Awaitable, Callable
from functools import partial

from hub_index.errors import HubIndexError
from hub_index.limits import MAX_SERVED_BATCH
from hub_index.serve.json_rpc.messages import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Call,
    RpcError,
    encode_error,
    encode_notification,
    encode_result,
    id_of,
    parse_call,
)
from hub_index.serve.json_rpc.methods import check_version, encode_items, find_job, search_request
from hub_index.serve.operations import CORPORA, plan_steps
from hub_index.serve.refusal import RequestRefused
from hub_index.serve.work_queue import WorkQueue
from hub_index.service.requests import Deadline, FindRequest
from hub_index.service.service import Service

Message = dict[str, object]
Notify = Callable[[Message], Awaitable[None]]


class RpcDoor:
    """One service, its operations as methods."""

    def __init__(self, service: Service, queue: WorkQueue, answer_s: float) -> None:
        self._service = service
        self._queue = queue
        self._answer_s = answer_s

    async def answer(
        self, value: object, notify: Notify | None = None, check_rate: Callable[[], None] | None = None
    ) -> Message | list[Message] | None:
        """The answer to a call or a batch; None where all of it were notifications.

        Every call of a batch counts as one: `check_rate`, which was asked for the first, is asked for each other.
        """
        if not isinstance(value, list):
            return await self._answer_one(value, notify)
        if not 1 <= len(value) <= MAX_SERVED_BATCH:
            return encode_error(None, RpcError(INVALID_REQUEST, f"a batch holds 1 to {MAX_SERVED_BATCH} calls"))
        answers = [await self._answer_one(value[0], notify)]
        for each in value[1:]:
            try:
                if check_rate is not None:
                    check_rate()
                answers.append(await self._answer_one(each, notify))
            except RequestRefused as refused:
                answers.append(encode_error(id_of(each), refused))
        return [answer for answer in answers if answer is not None] or None

    async def _answer_one(self, value: object, notify: Notify | None) -> Message | None:
        try:
            call = parse_call(value)
        except RpcError as error:
            return encode_error(id_of(value), error)
        try:
            answer = encode_result(call, await self._carry_out(call, notify))
        except (HubIndexError, RpcError) as error:
            answer = encode_error(call.id, error)
        return None if call.is_notification else answer

    async def _carry_out(self, call: Call, notify: Notify | None) -> Message:
        check_version(call)
        is_streamed = notify is not None and call.params.get("stream") is True
        asked = search_request(call, self._service.default_k) if is_streamed else None
        if asked is None or notify is None:
            return await self._queue.answer(find_job(self._service, call, Deadline(self._answer_s)))
        result: Message = {}
        steps = plan_steps(asked)
        for number, step in enumerate(steps, start=1):
            result = await self._queue.answer(partial(self._find, step))
            params = {"id": call.id, "corpus": CORPORA[str(result["mode"])], "items": result["items"]}
            await notify(encode_notification("search.partial", params | {"done": number == len(steps)}))
        return result

    def _find(self, asked: FindRequest) -> Message:
        return encode_items(self._service.find(asked, Deadline(self._answer_s)))


def unreadable() -> Message:
    """The answer to a message that is not JSON."""
    return encode_error(None, RpcError(PARSE_ERROR, "this is not JSON in UTF-8"))
