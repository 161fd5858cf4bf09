"""Transaction: tells whether an object's tables are consistent, or a change was interrupted halfway."""

from __future__ import annotations

from types import TracebackType

from torchpaged.errors import TorchpagedError


class Transaction:
    """A context manager around each change that must happen as a whole.

    If an exception interrupts a change (Ctrl-C can be raised at any line), `settled` stays False, and the owner
    rebuilds its tables instead of using half a change. torchpaged's own errors count as no interruption, since they are
    raised before anything changes.

    Invariants: `settled` is False from the beginning of a change to its end, nested changes included.
    """

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open = 0

    @property
    def settled(self) -> bool:
        """True if every change that began was completed."""
        return self._open == 0

    def settle(self) -> None:
        """Mark the tables as consistent, after the owner has rebuilt them."""
        self._open = 0

    def __enter__(self) -> None:
        self._open += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None or issubclass(kind, TorchpagedError):
            self._open -= 1
