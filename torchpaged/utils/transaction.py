"""Bookkeeping: whether an object's tables can be relied on, after whatever interrupted the last change to them."""

from __future__ import annotations

from types import TracebackType

from torchpaged.errors import TorchpagedError


class Transaction:
    """`with transaction:` around each change that must be made as a whole.

    A change that an exception has cut short (Ctrl-C strikes at any line) leaves the books unsettled: their owner then
    begins anew instead of relying on half of it. Errors of torchpaged's own are raised before anything has changed.

    Invariants: `settled` is False from the beginning of a change to its end, nested ones included.
    """

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open = 0

    @property
    def settled(self) -> bool:
        """Whether every change that was begun has been made."""
        return self._open == 0

    def settle(self) -> None:
        """The owner has begun anew."""
        self._open = 0

    def __enter__(self) -> None:
        self._open += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, TorchpagedError):
            self._open -= 1
