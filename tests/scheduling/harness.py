"""A scheduler driven by hand: sequences have names, and each token depends on every token before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.scheduling.fake_device import FakeDevice
from torchpaged.kv_cache import CacheKeys, FullAttentionSpec, KVCacheGroup, KVCacheManager, KVCacheSpec
from torchpaged.scheduling import EncoderInput, Progress, RowParams, SamplingRequest, Scheduler, Step, StopRule
from torchpaged.scheduling import Sequence as TokenSequence
from torchpaged.scheduling.sequence import Origin, Sampling

EOS = 1


def make(
    *,
    block_size: int = 16,
    num_blocks: int = 1000,
    seqs: int = 16,
    budget: int = 1024,
    max_len: int = 4096,
    cap: int = 0,
    caching: bool = False,
    swap: int = 0,
    groups: Sequence[KVCacheSpec] = (),
    slots: Mapping[str, int] | None = None,
    **options: Any,
) -> Scheduler:
    """Return a scheduler over groups of one layer each; `slots` has the sizes of the pools of states and tails."""
    specs = groups or [FullAttentionSpec(block_size)]
    manager = KVCacheManager(
        [KVCacheGroup(spec, (i,)) for i, spec in enumerate(specs)],
        num_blocks,
        num_swap_blocks=swap,
        enable_prefix_caching=caching,
        **(slots or {}),
    )
    return Scheduler(
        manager,
        max_num_seqs=seqs,
        max_num_batched_tokens=budget,
        max_model_len=max_len,
        long_prefill_token_threshold=cap,
        **options,
    )


def sequence_of(token_ids: Sequence[int], stop_rule: StopRule, *, id: int = 0) -> TokenSequence:
    """Return a sequence without a scheduler."""
    return TokenSequence(id, Origin(0, id, len(token_ids)), token_ids, Sampling(RowParams()), stop_rule)


def next_token(token_ids: Sequence[int]) -> int:
    """Return the model's next token; it changes if a token was lost or doubled."""
    return 2 + hash(tuple(token_ids)) % 1000


class Harness:
    """Driver of a scheduler, step by step over a `FakeDevice`; every invariant is checked after each step.

    Attributes:
        sampled: tokens, by sequence name, that replace the model's, once.
    """

    def __init__(self, scheduler: Scheduler | None = None, **sizes: Any) -> None:
        self.scheduler = scheduler or make(**sizes)
        self.device = FakeDevice(self.scheduler)
        self.names: dict[int, str] = {}
        self.sequences: dict[str, TokenSequence] = {}
        self.sampled: dict[str, int] = {}
        self.progress = Progress()

    def add(
        self,
        name: str,
        prompt: int | Sequence[int],
        *,
        max_tokens: int = 100,
        min_tokens: int = 0,
        stops: Sequence[int] = (EOS,),
        priority: int = 0,
        salt: str | None = None,
        held: bool = False,
        wanted: SamplingRequest | None = None,
        num_slots: int = 1,
        encoder: EncoderInput | None = None,
        adapter: str | None = None,
    ) -> TokenSequence:
        """Add a prompt of so many tokens, or of these tokens."""
        tokens = list(range(10, 10 + prompt)) if isinstance(prompt, int) else list(prompt)
        self.scheduler.require_room(f"request {name!r}", tokens, encoder=encoder)
        sequence = self.scheduler.add(
            tokens,
            RowParams(),
            StopRule(len(tokens) + max_tokens, frozenset(stops), len(tokens) + min_tokens),
            priority=priority,
            cache_keys=CacheKeys(salt=salt, lora=adapter),
            held=held,
            wanted=wanted or SamplingRequest(),
            num_slots=num_slots,
            encoder=encoder,
        )
        return self.know(name, sequence)

    def know(self, name: str, sequence: TokenSequence) -> TokenSequence:
        """Give a sequence a name."""
        self.names[sequence.id] = name
        self.sequences[name] = sequence
        return sequence

    def timed_step(self, seconds: Callable[[Step], float]) -> tuple[dict[str, int], float]:
        """Run one step and report a given duration; return (computed tokens by name, seconds)."""
        step = self.schedule()
        took = seconds(step)
        self.finish_step(step)
        assert self.scheduler.prefill_budget is not None
        self.scheduler.prefill_budget.learn(step, took)
        return self.counts(step), took

    def step(self, sampled: Mapping[str, int] | None = None) -> dict[str, int]:
        """Run one step; return the numbers of computed tokens by name."""
        step = self.schedule()
        self.finish_step(step, sampled)
        return self.counts(step)

    def schedule(self) -> Step:
        """Schedule a step without running it; it is kept as `last`."""
        self.last = self.scheduler.schedule()
        return self.last

    def finish_step(self, step: Step, sampled: Mapping[str, int] | None = None) -> None:
        """Run a step and process its results."""
        given = sampled or {}

        def choose(draw: int, tokens: Sequence[int]) -> int:
            return given.get(self.names.get(draw, ""), next_token(tokens))

        results = self.device.run(step, choose)
        self.progress = self.scheduler.update(step, results)
        self.results = results
        self.scheduler.check()
        self.device.check(step)

    def counts(self, step: Step) -> dict[str, int]:
        """Return the numbers of tokens that a step computes, by name."""
        return {self.names[id]: count for id, count in zip(step.ids, step.counts, strict=True)}

    def run(self, limit: int = 10_000) -> None:
        """Run to the end; fail if that takes more than `limit` steps."""
        for _ in range(limit):
            if self.scheduler.has_unfinished:
                self.step()
        assert not self.scheduler.has_unfinished, f"{self.scheduler.sequences} still run after {limit} steps"

    def names_of(self, ids: Sequence[int]) -> list[str]:
        """Return the names of sequence ids."""
        return [self.names[id] for id in ids]

    def queue(self, name: str) -> list[str]:
        """Return the names of the sequences in a queue."""
        return [self.names[sequence.id] for sequence in getattr(self.scheduler.sequence_table.queues, name)]

    @property
    def free_blocks(self) -> int:
        """Return the number of free blocks in the pool."""
        return self.scheduler.manager.stats().num_free_blocks
