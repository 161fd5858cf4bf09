"""Group: one user request as a client of the scheduler. Sampling, beam search, scoring and pins are groups."""

from __future__ import annotations

import time
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from torchpaged.kv_cache import CacheKeys
from torchpaged.kv_cache.block_hash import NO_KEYS
from torchpaged.lora_request import LoRARequest
from torchpaged.media.items import PromptMedia
from torchpaged.outputs import (
    CompletionOutput,
    ContinuationScore,
    Logprobs,
    PlaceholderRange,
    RequestMetrics,
    RequestOutput,
)
from torchpaged.scheduling import EncoderInput, Results, Scheduler, Scores, Sequence


class Group(Protocol):
    """One request and its sequences.

    The engine gives it the results of each step in this order: `score`, `decide` for a held sequence, then `move` for
    the sequences that went on by themselves.

    Attributes:
        request: the values that all kinds of request have.
        finished: True if nothing more will come.
    """

    request: Request
    finished: bool

    @property
    def shows_deltas(self) -> bool:
        """True if an output has only what is new since the last one; otherwise it has everything so far."""
        ...

    def start(self, scheduler: Scheduler) -> None:
        """Add its first sequences, which were found to have room."""
        ...

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Take scores of known tokens of a sequence."""
        ...

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Extend, fork or finish a held sequence whose tokens are all computed."""
        ...

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Take the tokens of a sequence that went on, or ended, by itself."""
        ...

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End all of its sequences.

        Args:
            why: the finish reason.
            error: description of the error, if that is the reason.
        """
        ...

    def output(self) -> RequestOutput | None:
        """Return the output that is new, as values that do not change later; None if there is nothing new."""
        ...


@dataclass(slots=True)
class Request:
    """The values that all kinds of request have.

    Args:
        number: the engine's number; the owner of its sequences.
        request_id: the user's name for it.
        prompt: the prompt's text; None if tokens were given.
        token_ids: the prompt's tokens.
        priority: lower runs first under the policy "priority".
        keys: inputs beside the tokens that identify its blocks.
        encoder: input of the model's encoder.
        prompt_embeds: see `NewSequence`.
        lora_request: names its adapter; None: it has none.
        lora_version: of the adapter that the name had when the request came.
        n: number of completions; 0 if nothing is generated.
        max_tokens: most generated tokens of each; None: no limit.
        token_types: the type of each of an encoder's tokens; None: all are 0.
        media: images and sounds of the prompt; None: it has none.
        num_cached_tokens: number of the prompt's tokens that the prefix cache had; None while it is not known.
    """

    number: int
    request_id: str
    prompt: str | None
    token_ids: list[int]
    priority: int = 0
    keys: CacheKeys = NO_KEYS
    encoder: EncoderInput | None = None
    prompt_embeds: Any = None
    lora_request: LoRARequest | None = None
    lora_version: int | None = None
    n: int = 0
    max_tokens: int | None = None
    token_types: list[int] | None = None
    media: PromptMedia | None = None
    arrival_time: float = field(default_factory=time.monotonic)
    first_scheduled_time: float | None = None
    first_token_time: float | None = None
    finished_time: float | None = None
    num_preemptions: int = 0
    num_cached_tokens: int | None = None
    _shown_prompt: list[int] = field(init=False)  # outputs have copies of it, which the user may change

    def __post_init__(self) -> None:
        # Embeddings have no tokens; vLLM shows zeros.
        self._shown_prompt = list(self.token_ids) if self.prompt_embeds is None else [0] * len(self.token_ids)

    @property
    def sequence_fields(self) -> dict[str, Any]:
        """The arguments of `Scheduler.add` that say where a sequence comes from and what it reads beside its tokens."""
        return {
            "owner": self.number,
            "priority": self.priority,
            "cache_keys": self.keys,
            "encoder": self.encoder,
            "prompt_embeds": self.prompt_embeds,
            "media": self.media,
        }

    def note(self, sequence: Sequence) -> None:
        """Take over the statistics of a sequence that has run or ended."""
        if self.num_cached_tokens is None:
            self.num_cached_tokens = sequence.admission.num_cached_tokens
        if sequence.ended:
            self.num_preemptions += sequence.admission.num_preemptions

    def make_output(
        self,
        outputs: list[CompletionOutput],
        *,
        finished: bool,
        prompt_logprobs: Logprobs | None = None,
        scores: list[ContinuationScore] | None = None,
        pooled: NDArray[np.float32] | None = None,
    ) -> RequestOutput:
        """Return the output that the user sees."""
        if finished and self.finished_time is None:
            self.finished_time = time.monotonic()
        metrics = RequestMetrics(
            self.arrival_time,
            self.first_scheduled_time,
            self.first_token_time,
            self.finished_time,
            self.num_preemptions,
        )
        cached = self.num_cached_tokens  # None for a request that ended before it was admitted
        return RequestOutput(
            self.request_id,
            self.prompt,
            list(self._shown_prompt),
            outputs,
            finished,
            metrics,
            num_cached_tokens=0 if cached is None and finished else cached,
            prompt_logprobs=prompt_logprobs,
            scores=scores,
            pooled=pooled,
            lora_request=self.lora_request,
            lora_version=self.lora_version,
            multi_modal_placeholders=None if self.media is None else _placeholders(self.media),
        )


def _placeholders(media: PromptMedia) -> dict[str, list[PlaceholderRange]]:
    """Return the places of a prompt's images and sounds, by modality."""
    found: dict[str, list[PlaceholderRange]] = {}
    for item in media.items:
        found.setdefault(item.modality, []).append(PlaceholderRange(item.start, item.length))
    return found


def abandoned(group: Group, scheduler: Scheduler, reason: str) -> RequestOutput | None:
    """End a group with an error in the middle of a step and return its output; its state may be inconsistent."""
    try:
        group.end(scheduler, "error", reason)
        return group.output()
    except Exception:
        return errored(group.request, reason)


def errored(request: Request, reason: str) -> RequestOutput:
    """Return the last output of a request of which nothing else can be shown."""
    return request.make_output([CompletionOutput(0, "", [], finish_reason="error", error=reason)], finished=True)
