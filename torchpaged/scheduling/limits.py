"""Limits: what the engine can run at all, checked before a sequence is queued: none waits that can never fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchpaged.errors import RequestError
from torchpaged.kv_cache import KVCacheManager
from torchpaged.media.items import PromptMedia
from torchpaged.scheduling.sequence import EncoderInput


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes that never change.

    Args:
        max_num_seqs: most sequences that run at once.
        max_num_batched_tokens: most tokens in a step.
        max_model_len: most tokens of prompt and completion together.
        max_tokens_per_sequence: most tokens of one sequence in a step.
        enable_chunked_prefill: if a prompt may be computed in parts; otherwise one that does not fit into the rest of a
            step waits for the next.
        keeps_media_whole: if the tokens of an image see each other, so that a step computes all of them or none.
        max_scored_tokens: most tokens of prompts in a step with decodes that get logprobs, beside one of each prompt
            that is admitted with it: one such token takes as long as several others. None: no limit.
        max_media_rows: most features of a prompt's images, where all are kept as long as it runs; None: no limit.
    """

    max_num_seqs: int
    max_num_batched_tokens: int
    max_model_len: int
    max_tokens_per_sequence: int
    enable_chunked_prefill: bool
    keeps_media_whole: bool = False
    max_scored_tokens: int | None = None
    max_media_rows: int | None = None

    def max_tokens(
        self, manager: KVCacheManager, encoder: EncoderInput | None = None, media: PromptMedia | None = None
    ) -> int:
        """Return the length of the longest sequence, without its last token, that the pool can hold."""
        # A sequence that has the pool to itself can be computed token by token if necessary.
        step = 1 if self.enable_chunked_prefill else self.max_num_batched_tokens
        if media is not None and self.keeps_media_whole:
            step = max(step, *(item.longest_run for item in media.items))
        return manager.max_tokens(step, encoder.num_tokens if encoder else 0)

    def longest(
        self,
        manager: KVCacheManager,
        encoder: EncoderInput | None = None,
        *,
        score_only: bool = False,
        media: PromptMedia | None = None,
    ) -> int:
        """Return the length of the longest sequence. Its last token needs no slot, because nothing attends to it.

        Args:
            score_only: the last token is only scored, so it needs no position either.
        """
        return min(self.max_model_len + score_only, self.max_tokens(manager, encoder, media) + 1)

    def first_chunk(self, num_tokens: int, budget: int) -> int:
        """Return how many tokens of a queued sequence fit into the rest of a step; 0: it waits."""
        if self.enable_chunked_prefill:
            return min(num_tokens, budget, self.max_tokens_per_sequence)
        if num_tokens <= budget:
            return num_tokens
        # A preempted sequence may have grown longer than any step: then it gets a step of its own.
        return budget if num_tokens > self.max_num_batched_tokens == budget else 0

    def require_room(
        self,
        manager: KVCacheManager,
        label: str,
        token_ids: Sequence[int],
        num_given: int = 0,
        encoder: EncoderInput | None = None,
        *,
        generates: bool = True,
        media: PromptMedia | None = None,
    ) -> None:
        """Raise RequestError for a prompt that can never run.

        Args:
            label: name of the request in the message.
            num_given: tokens of the longest continuation, if continuations are given and only scored.
            encoder: input of its encoder.
            generates: if a token follows it; without one it may be as long as the model allows.
            media: its images and sounds.
        """
        if not token_ids:
            raise RequestError(f"{label}: the prompt is empty, expected at least one token")
        length = len(token_ids) + max(0, num_given - 1)
        if media is not None and self.keeps_media_whole:
            self._require_whole(label, media)
        if media is not None and self.max_media_rows is not None:
            self._require_kept(label, media, self.max_media_rows)
        pool = self.max_tokens(manager, encoder, media)
        if num_given and length > self.max_model_len:
            raise RequestError(
                f"{label}: prompt and continuation have {length + 1} tokens together, max_model_len is "
                f"{self.max_model_len} and all but the last must fit; shorten them"
            )
        if not generates and length > self.max_model_len:
            raise RequestError(
                f"{label}: the prompt has {length} tokens, max_model_len is {self.max_model_len}; shorten the prompt, "
                "or say tokenization_kwargs={'truncate_prompt_tokens': -1}"
            )
        if generates and not num_given and length >= self.max_model_len:
            raise RequestError(
                f"{label}: the prompt has {length} tokens, max_model_len is {self.max_model_len} "
                "and one must be left to generate; shorten the prompt or raise max_model_len"
            )
        if length > pool:
            sizes, what = _sizes(manager)
            if encoder is not None:
                sizes += f", less those for {encoder.num_tokens} tokens of the encoder"
            raise RequestError(
                f"{label}: the prompt has {length} tokens, the whole pool holds {pool} "
                f"({sizes}); shorten the prompt or raise {what}"
            )
        if not self.enable_chunked_prefill and length > self.max_num_batched_tokens:
            raise RequestError(
                f"{label}: the prompt has {length} tokens, a step computes "
                f"{self.max_num_batched_tokens}, and enable_chunked_prefill is off; raise max_num_batched_tokens"
            )

    def _require_whole(self, label: str, media: PromptMedia) -> None:
        """Raise RequestError for an image whose tokens see each other and do not fit into one step."""
        largest = max(media.items, key=lambda item: item.longest_run)
        if largest.longest_run > self.max_num_batched_tokens:
            raise RequestError(
                f"{label}: its {largest.modality} at token {largest.start} has {largest.longest_run} tokens, which see "
                f"each other, and a step computes {self.max_num_batched_tokens}; raise max_num_batched_tokens, or give "
                "a smaller one"
            )

    @staticmethod
    def _require_kept(label: str, media: PromptMedia, most: int) -> None:
        """Raise RequestError for images that cannot be kept all at once."""
        rows = sum({item.content: item.num_features for item in media.items}.values())
        if rows > most:
            raise RequestError(
                f"{label}: its images have {rows} features, which are kept as long as it runs, and "
                f"encoder_cache_tokens is {most}; raise it, or give fewer images"
            )


def _sizes(manager: KVCacheManager) -> tuple[str, str]:
    """Return (the sizes of the pools, the setting that is too small for a prompt), for messages."""
    stats = manager.stats()
    pinned = f", {stats.num_pinned_blocks} of them pinned" if stats.num_pinned_blocks else ""
    sizes = f"{stats.num_blocks} blocks{pinned}"
    if not manager.has_states:
        return sizes, "num_blocks"
    pinned = f", {stats.num_pinned_state_slots} of them pinned" if stats.num_pinned_state_slots else ""
    sizes += f", {stats.num_state_slots} state slots{pinned}, {stats.num_tail_slots} tail slots"
    if stats.num_state_slots - stats.num_pinned_state_slots < 2:  # a step reads one state and writes another
        return sizes, "num_state_slots"
    return sizes, "num_tail_slots" if stats.num_tail_slots < 2 else "num_blocks"
