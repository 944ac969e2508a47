"""An answer from an unchanging checkout: asked again if git was at work, within limits."""

import time

from hub_index.errors import CopyDamaged, HubIndexError, IndexChanging
from hub_index.search.checkout.state import CheckoutState, has_old_lock, read_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from hub_index.search.results import Hit, Results

    Answer = TypeVar("Answer", Results, Hit)

_PATIENCE_S = 3.0  # a checkout of 7,000 files takes about one
_POLL_S = 0.001  # between two moves of a checkout there may be no more than 5 ms
_MOVING = (
    "git is changing the checkout, and this answer may be of two states; ask again in a moment, and if no git is "
    "running, remove .git/index.lock"
)


def answer_at_rest(hub: str, attempt: "Callable[[CheckoutState], Answer]", forget: "Callable[[], None]") -> "Answer":
    """The answer of `attempt` for a state that is the same afterwards; if no state lasts, the answer has a notice.

    `forget` is called after every attempt on a changing state.
    """
    patience = _Patience(hub)
    is_second = False
    while True:
        state = patience.wait_for_git()
        try:
            answer = attempt(state)
        except HubIndexError as error:
            # a damaged copy is gone now, and what was written anew meanwhile may be whole: once more
            is_worth_it = isinstance(error, CopyDamaged | IndexChanging) and not is_second
            if not is_worth_it and (state.is_settled(hub) or patience.is_over()):
                raise
            is_second = is_second or is_worth_it
            forget()
            continue
        if state.is_settled(hub):
            return answer
        forget()
        if patience.is_over():
            return _with_notice(answer)


def _with_notice(answer: "Answer") -> "Answer":
    notices: tuple[str, ...] = answer.notices
    return answer.replace(notices=(*notices, _MOVING))


class _Patience:
    """The time that one query waits for git; no clock is read without a wait."""

    def __init__(self, hub: str) -> None:
        self._hub = hub
        self._until_s = 0.0

    def wait_for_git(self) -> CheckoutState:
        """The state as soon as git has let go of its lock, or the state when patience ends."""
        state = read_state(self._hub)
        while state.is_moving and not self.is_over():
            time.sleep(_POLL_S)
            state = read_state(self._hub)
        return state

    def is_over(self) -> bool:
        """Whether to make do with what there is."""
        now_s = time.monotonic()
        self._until_s = self._until_s or now_s + _PATIENCE_S
        return now_s >= self._until_s or has_old_lock(self._hub)
