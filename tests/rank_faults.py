"""A logits processor whose module cannot be imported on another rank than 0."""

from __future__ import annotations

import multiprocessing

from torchpaged.logits_processors import LogitsProcessor

if multiprocessing.parent_process() is not None:
    raise RuntimeError("a fault of this rank alone")


class Processor(LogitsProcessor):
    """Changes nothing."""

    def apply(self, logits):  # type: ignore[no-untyped-def]
        """Return the logits."""
        return logits

    def is_argmax_invariant(self) -> bool:
        """Return True."""
        return True

    def update_state(self, batch_update: object) -> None:
        """Ignore the batch."""
