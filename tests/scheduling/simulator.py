"""Scheduler and block manager driven at random over a memory that remembers contents: pins, forks, swaps, failures.

Every read of a step is compared with what the sequence's own tokens wrote (`FakeDevice`). Counts that add up prove
nothing if a copy of a block outlives its content, so contents are compared. Steps overlap at random, as an engine's do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from tests.scheduling.adapter_store import FakeAdapterStore, WatchedTurns
from tests.scheduling.fake_device import FakeDevice, score
from tests.scheduling.fake_tier import FakeTier, Values
from torchpaged.engine.prompt_media import media_keys
from torchpaged.errors import RequestError
from torchpaged.kv_cache import (
    CacheKeys,
    ChunkedLocalAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheManager,
    KVCacheSpec,
    MemoryLimit,
    PoolKind,
    SlidingWindowSpec,
    StateSpec,
    TailSpec,
    TierCopy,
)
from torchpaged.media.items import MediaItem, PromptMedia
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduling import NOTHING_MORE, Results, RowParams, SamplingRequest, Scheduler, Step, StopRule
from torchpaged.scheduling import Sequence as TokenSequence
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.prefill_budget import PrefillBudget
from torchpaged.scheduling.proposers import Transcript

EOS, STOP = 1, 5
LAST = 40  # the last token id with drafts: a large vocabulary, so that most texts do not end at once
GROUPS: Sequence[Callable[[int], list[KVCacheSpec]]] = (
    lambda size: [FullAttentionSpec(size)],
    lambda size: [FullAttentionSpec(size), SlidingWindowSpec(size, 5)],
    lambda size: [SlidingWindowSpec(size, 3), SlidingWindowSpec(size, 9)],
    lambda size: [FullAttentionSpec(size), SlidingWindowSpec(size, 3), SlidingWindowSpec(size, 3)],  # convolutions
    lambda size: [ChunkedLocalAttentionSpec(size, 2 * size), FullAttentionSpec(size)],
)

# With recurrent layers: boundaries at whole blocks, between them, more often than blocks; and no attention at all.
RECURRENT: Sequence[Callable[[int], list[KVCacheSpec]]] = (
    lambda size: [FullAttentionSpec(size), StateSpec(2 * size, 6 * size), TailSpec(2 * size)],
    lambda size: [FullAttentionSpec(size), SlidingWindowSpec(size, 3), StateSpec(4, 9), TailSpec(4)],
    lambda size: [FullAttentionSpec(2 * size), StateSpec(size, 100), TailSpec(size)],
    lambda size: [StateSpec(size + 1, 8), TailSpec(size + 1)],
)

# Parameters of a sequence whose tokens must be read before the next one is sampled.
READ = SamplingParams()


class Anything:
    """Guide that allows every token and keeps the proposed drafts."""

    delayed = False

    def drafts(self, guessed: Sequence[int], most: int) -> tuple[Sequence[int], bool]:
        """Implement `Guide.drafts`."""
        return guessed[:most], False

    def copy(self) -> Anything:
        """Implement `Guide.copy`."""
        return Anything()


class Machine:
    """Memory that a neighbour and the pools of a fake device share, and the clock of the limit.

    Args:
        pick: chooses what the neighbour takes.
        reserved: bytes of the pools.

    Attributes:
        pools: the device's; a block that it has takes memory.
        taken: bytes of the neighbour.
        num_reclaimed: number of written blocks whose memory was given back.
    """

    def __init__(self, pick: random.Random, reserved: int) -> None:
        self._pick, self.now, self.taken = pick, 0.0, 0
        self.pools: dict[PoolKind, dict[int, list[object]]] = {}
        self.manager: KVCacheManager | None = None
        self.go_down: Callable[[Sequence[TierCopy]], None] | None = None
        share = pick.choice((0.5, 0.9, 1.0))
        self._total = int(reserved / share) + 100
        self.limit = MemoryLimit(lambda: max(0, self._total - self.taken - self.used), share, clock=lambda: self.now)
        self.num_reclaimed = 0

    @property
    def used(self) -> int:
        """Bytes of the blocks that have been written, the null blocks included."""
        sizes = {PoolKind.BLOCKS: 100, PoolKind.STATES: 300, PoolKind.TAILS: 50}
        return sum(sizes[kind] * len(pool.keys() | {0}) for kind, pool in self.pools.items() if pool)

    def neighbour(self) -> None:
        """Let the neighbour take or free memory."""
        self.taken = self._pick.randint(0, self._total - self.used) if self._total > self.used else 0
        self.taken = int(self.taken * self._pick.choice((0.2, 1.0)))

    def wait(self) -> None:
        """Let time pass."""
        self.now += self._pick.choice((0.05, 0.2, 5.0, 100.0))

    def reclaim(self, *, everything: bool = False) -> None:
        """Give back what the reclaimer chooses; pressed or not, never a block in use."""
        assert self.manager is not None and self.manager.reclaimer is not None
        chosen = self.manager.reclaimer.reclaim(everything=everything)
        if self.go_down is not None:
            self.go_down(self.manager.take_evicted())
        for vacated in chosen:
            for first, last in vacated.runs:
                for block in range(first, last):
                    self.num_reclaimed += self.pools[vacated.kind].pop(block, None) is not None

    def allowed(self) -> float:
        """Return the bytes that the pools may have taken after the next step."""
        # Blocks of steps that failed count as taken, and have not been written.
        room = self._total - self.taken + self.limit.taken - self.used
        return max(self.limit.taken + self.limit.promised, self.limit.share * room)

    def check(self, allowed: float) -> None:
        """Assert that a step has taken no more than `allowed` returned before it."""
        assert self.used <= self.limit.taken, "blocks have memory and are not counted"
        assert self.limit.taken <= allowed, "the limit was not kept"


PIECE = 300  # bytes that a pool is promised at a time


class Simulator:
    """One random engine without tensors. `run(acts)` drives it, `finish()` runs it to its end and looks for leaks.

    Requests are of several kinds: plain sequences, some of which wait for a mask before each token; prompts that are
    scored; several completions, which fork from one prompt; and steered sequences, whose every token is chosen here, as
    a beam's is.

    Args:
        seed: seed of everything random in it.
        recurrent: whether there are layers with states.
        drafts: whether tokens are drafted; "model": by a draft model in the runner.
        paced: whether steps have a time limit.
        memory: whether the pools share a machine's memory with a neighbour.
        adapters: whether sequences have adapters; "none": they might and do not.
        tier: contents of a store below the pools; None: there is none.
        media: whether prompts have images; "whole": whose tokens see each other.
        shares: whether sequences compute a part of what is read for them, also while others run.
    """

    takes_digest = False

    def __init__(
        self,
        seed: int | random.Random,
        *,
        recurrent: bool = False,
        drafts: bool | str = False,
        paced: bool = False,
        memory: bool = False,
        adapters: bool | str = False,
        tier: Values | None = None,
        media: bool | str = False,
        shares: bool = False,
    ) -> None:
        self.media = media
        self.random = pick = seed if isinstance(seed, random.Random) else random.Random(seed)
        size = pick.randint(1, 5)
        specs = pick.choice(RECURRENT if recurrent else GROUPS)(size)
        groups = [KVCacheGroup(spec, (i,)) for i, spec in enumerate(specs)]
        longest = pick.randint(2, 64)
        # Room for one or two sequences where several want to run, so that some are preempted.
        num_blocks = 2 + int(pick.uniform(0.5, 4.0 if drafts else 2.0) * len(groups) * longest / size)
        swap = pick.choice((0, 5, 20, 100, 100))
        slots: dict[str, int | None] = {}
        if recurrent:
            slots = {"num_state_slots": pick.randint(3, 12), "num_tail_slots": pick.randint(3, 12)}
            if swap:
                slots |= {"num_swap_state_slots": pick.randint(0, 5), "num_swap_tail_slots": pick.randint(0, 5)}
            slots["block_size"] = size if len(specs) == 2 else None
        self.machine: Machine | None = None
        limits: dict[str, Any] = {}
        if memory:
            block_bytes = {PoolKind.BLOCKS: 100, PoolKind.STATES: 300, PoolKind.TAILS: 50}
            counts = num_blocks, slots.get("num_state_slots"), slots.get("num_tail_slots")
            reserved = sum(size * (count or 0) for size, count in zip(block_bytes.values(), counts, strict=True))
            self.machine = Machine(pick, reserved)
            limits = {"limit": self.machine.limit, "block_bytes": block_bytes}
        self.tier: FakeTier | None = None
        if tier is not None:
            self.tier = FakeTier(pick, tier)
            limits |= {"tier_reader": self.tier, "writes_through": pick.random() < 0.5}
        caching = pick.random() < 0.8 or tier is not None
        self.manager = KVCacheManager(
            groups, num_blocks, num_swap_blocks=swap, enable_prefix_caching=caching, **slots, **limits
        )
        self.scheduler = Scheduler(
            self.manager,
            max_num_seqs=pick.randint(1, 8),
            max_num_batched_tokens=pick.randint(1, 24),
            max_model_len=longest,
            long_prefill_token_threshold=pick.randint(0, 8),
            enable_chunked_prefill=pick.random() < 0.7,
            policy=pick.choice(("fcfs", "priority")),
            preemption_mode=pick.choice(("swap", "swap", "recompute", "auto")),
            watermark=pick.choice((0.0, 0.2)),
            drafter=Drafter(None if drafts == "model" else self, pick.randint(1, 7), LAST + 1) if drafts else None,
            max_encoder_tokens=pick.randint(1, 12) if media else None,
            encoder_cache_tokens=pick.randint(1, 24) if media else None,
            keeps_media_whole=media == "whole",
        )
        if paced and self.scheduler.limits.enable_chunked_prefill:
            self.scheduler.prefill_budget = PrefillBudget(pick.choice((2.0, 10.0, 1000.0)))
        self.adapters: FakeAdapterStore | None = None
        if adapters:
            few = pick if adapters is True else random.Random(0)
            self.adapters = FakeAdapterStore(few, max_loras := few.randint(1, 4), max_loras + few.choice((0, 0, 1, 5)))
            turns = WatchedTurns(self.adapters, max_loras, few.choice((1, 2, 8)), self.adapters.capacity)
            self.scheduler.sequence_table.adapter_turns = turns
        self.lora = adapters is True
        self.device = FakeDevice(self.scheduler)
        if self.tier is not None:
            self.tier.device = self.device
            assert self.manager.tiers is not None
            self.manager.tiers._clock = lambda: self.tier.now if self.tier else 0.0
            self.manager.tiers.seconds_per_token = pick.choice((None, 1e-3, 1e-2, 1.0))
            if shares and self.scheduler.limits.enable_chunked_prefill:
                self._share_reads(pick)
        if self.machine is not None:
            self.machine.pools, self.machine.manager = self.device.device, self.manager
            self.machine.go_down = self.go_down
        self.completions: dict[int, list[int]] = {}  # ids of the forks by that of the prompt
        self.scores: dict[int, dict[int, tuple[float, bool]]] = {}
        self.pins: list[str] = []
        self.waiting: list[TokenSequence] = []  # held sequences that need a token from `steer`
        self.num_pins = self.num_steps = self.num_starved = 0
        self.digest = b""  # of all steps, where `takes_digest` is set
        self.flying: tuple[Step, Results] | None = None  # it ran, and is not processed yet
        self.guessed: dict[int, TokenSequence] = {}  # sequences that the proposer was called for
        self.told: list[Sequence[int]] = []  # texts passed to `ended`

    def _share_reads(self, pick: random.Random) -> None:
        """Let sequences compute a part of what is read for them at any time, not only if nothing else runs."""
        tiers = self.manager.tiers
        assert tiers is not None
        advance = tiers.advance

        def shared(num_reserved_blocks: int = 0, *, may_share: bool = False) -> list[Any]:
            return advance(num_reserved_blocks, may_share=may_share or pick.random() < 0.8)

        tiers.advance = shared  # type: ignore[method-assign]
        tiers.seconds_per_token, tiers._seconds_per_block = 1e-2, 1e-2 * self.manager.block_size

    def run(self, acts: int) -> None:
        """Do so many random acts."""
        kinds = (self.step,) * 8 + (self.add,) * 3 + (self.steer,) * 2
        kinds += (self.pin,) * 2 + (self.unpin, self.adopt, self.abort)
        if self.machine is not None:
            kinds += (self.machine.neighbour, self.machine.wait, self.machine.reclaim)
        if self.lora:
            kinds += (self.replace_adapter, self.evict_adapters, self.unload_adapter)
        for _ in range(acts):
            self.random.choice(kinds)()
            self.scheduler.check()
            if self.adapters is not None:
                self.adapters.check()

    def finish(self) -> None:
        """Run to the end; check that nothing is left and nothing is lost."""
        self.land()
        if self.tier is not None:
            self.go_down(self.manager.take_evicted())
        if self.machine is not None:
            self.machine.taken = 0  # the neighbour ends, so no sequence may wait for ever
        for _ in range(10_000):
            if self.machine is not None:
                self.machine.now += 1
            for sequence in self.steerable():
                self.scheduler.finish(sequence, "stop")
            if not self.scheduler.has_unfinished:
                break
            self.step(fine=True)
        self.land()
        assert not self.scheduler.has_unfinished, f"{list(self.scheduler.sequences.values())} still run"
        assert self.adapters is None or not self.adapters.claimed, "an adapter is claimed for nothing"
        learnt = [sequence.token_ids for sequence in self.guessed.values() if sequence.finish_reason != "error"]
        assert sorted(map(id, self.told)) == sorted(map(id, learnt)), "each text that was guessed is told of, once"
        while self.pins:
            self.unpin()
        stats = self.manager.stats()
        assert stats.num_free_blocks == stats.num_blocks and stats.num_free_swap_blocks == stats.num_swap_blocks
        assert (stats.num_free_state_slots, stats.num_free_tail_slots) == (stats.num_state_slots, stats.num_tail_slots)
        assert self.manager.reset_prefix_cache()

    # --- What can happen ---------------------------------------------------------------------------------------

    def add(self) -> None:
        """Add a prompt of one of three families, whose members share a prefix."""
        pick, scheduler = self.random, self.scheduler
        family = 100 * pick.randrange(3)
        prompt = [family + i for i in range(pick.randint(1, max(1, scheduler.limits.max_model_len * 2 // 3)))]
        if pick.random() < 0.4:
            prompt[pick.randrange(len(prompt))] = 999
        media = self.images(len(prompt)) if self.media else None
        try:
            scheduler.require_room("a prompt", prompt, media=media)
        except RequestError:
            return
        plain = ("plain",) * (8 if scheduler.drafter else 2)
        kind = pick.choice((*plain, "scored", "completions", "steered", "masked"))
        ends = StopRule(len(prompt) + pick.randint(1, 24), frozenset((EOS, STOP)), len(prompt) + pick.choice((0, 0, 2)))
        asks, seats = SamplingRequest(), 1
        if kind == "scored":
            asks = SamplingRequest(score_from=pick.randint(1, len(prompt)))
        elif kind == "completions":
            seats = pick.randint(1, scheduler.limits.max_num_seqs)
        id = scheduler.new_id()
        if kind == "completions":
            draws = [id, *(scheduler.new_id() for _ in range(seats - 1))]
            self.completions[id] = draws
            asks = SamplingRequest(draws=tuple((draw, draw) for draw in draws))
        elif kind == "steered":
            asks = SamplingRequest(draws=(), candidates=3)
        scheduler.add(
            prompt,
            RowParams(asked=READ if pick.random() < 0.2 else None),
            ends,
            priority=pick.randrange(3),
            cache_keys=CacheKeys(
                salt=pick.choice((None, None, "salt")),
                lora=self.adapter(),
                multimodal=() if media is None else media_keys(media),
            ),
            media=media,
            held=kind in ("completions", "steered"),
            wanted=asks if kind not in ("plain", "masked") else NOTHING_MORE,
            guide=Anything() if kind == "masked" or (kind == "completions" and pick.random() < 0.3) else None,
            num_slots=seats,
            max_drafts=pick.choice((None, None, 0, 2)) if self.scheduler.drafter else None,
            id=id,
        )

    def images(self, length: int) -> PromptMedia | None:
        """Return images for a prompt of this length, or None. Prompts with the same image at one place are frequent."""
        pick, items, place = self.random, [], 0
        while (place := place + pick.choice((0, 1, 2, 8))) < length and len(items) < 4:
            size = min(pick.choice((1, 2, 5, 11)), length - place)
            places = None if size % 2 else tuple(range(0, size, 2))
            content = f"{size}-{pick.randrange(2)}"
            items.append(MediaItem("image", place, size, content, {"pixels": content}, places))
            place += size
        return PromptMedia(tuple(items)) if items else None

    def step(self, fine: bool = False) -> None:
        """Run a step; half of the steps stay in flight until the next one has been scheduled."""
        pick, scheduler = self.random, self.scheduler
        if not scheduler.has_unfinished or len(self.steerable()) == len(scheduler.sequences):
            return
        outcome = "fine" if fine else pick.choice(("fine",) * 8 + ("fails", "copy-fails", "nan"))
        late = [sequence for sequence in scheduler.sequence_table.guided.values() if not fine and pick.random() < 0.2]
        for sequence in scheduler.sequence_table.guided.values():
            sequence.sampling.guide.delayed = sequence in late
        allowed = 0.0 if self.machine is None else self.machine.allowed()
        if self.adapters is not None:
            for content in self.adapters.tick():
                self.fail_adapter(content)
            if not scheduler.has_unfinished or len(self.steerable()) == len(scheduler.sequences):
                return
        if self.tier is not None:
            self.tier.tick(everything=fine)
        step = scheduler.schedule()
        if self.takes_digest:
            self.digest = sha256(self.digest + repr(step).encode()).digest()
        self.num_steps += 1
        assert not any(sequence.id in step.ids for sequence in late), "its mask has not come"
        may_be_empty = self.flying or late or scheduler.starved is not None
        if isinstance(turns := scheduler.adapter_turns, WatchedTurns):
            if self.tier is None:  # else a step is lost when a sequence begins to wait for its prefix
                turns.watch(step)
            may_be_empty = may_be_empty or turns.unread
        may_be_empty = may_be_empty or scheduler.sequence_table.queues.loading
        assert (0 if may_be_empty else 1) <= step.num_tokens <= scheduler.limits.max_num_batched_tokens
        starved = scheduler.starved
        if starved is not None:
            outcome = "fine"
        went_down = {} if self.tier is None else self.tier.copied(step.evicted)
        if self.tier is not None and (outcome != "copy-fails" or pick.random() < 0.5):
            self.tier.begin(step.tier_reads)
        if outcome == "copy-fails":
            self.device.spoil(pick)
            self.land()
            scheduler.revert(step)
            scheduler.drop_cache()
            while self.pins:  # the contents of pinned blocks are unknown too
                self.unpin()
            return
        if outcome == "fails":
            if pick.random() < 0.5:  # it may fail before anything was done
                self.device.run(step, self.choose, fails=True)
            else:
                self.device._copy(step)
            self.land()
            scheduler.revert(step)
            return
        results = self.device.run(step, self.choose)
        if self.tier is not None:
            self.tier.keep(went_down)
        if self.machine is not None and not fine:
            self.machine.check(allowed)
        self.land()
        if outcome == "nan" and results.draws:
            results.errors = dict.fromkeys(results.draws[:1], "nan")
            length = 1 if results.lengths is None else results.lengths.pop(0)
            del results.draws[:1], results.tokens[:length]
        if not fine and step.ids and pick.random() < 0.5:
            scheduler.assume(step)
            self.flying = step, results
        else:
            self.update(step, results)
        if self.tier is not None and self.manager.tiers is not None:
            self.go_down(self.manager.tiers.take_written())
        self.device.check(step)
        if starved is not None and not starved.ended:
            self.starve(starved, fine)

    def go_down(self, copies: Sequence[TierCopy]) -> None:
        """Copy blocks to the store between steps."""
        if self.tier is not None:
            self.tier.keep(self.tier.copied(copies))

    def starve(self, sequence: TokenSequence, fine: bool) -> None:
        """Check that a sequence that waits for memory needs more than there is; sometimes end it."""
        scheduler, machine = self.scheduler, self.machine
        assert machine is not None
        self.num_starved += 1
        limit = machine.limit.read()
        if not self.manager.has_states and machine.now >= machine.limit._silent_until + 1:
            chunked = scheduler.limits.enable_chunked_prefill
            room = limit // 100 - 1 - self.manager.stats().num_pinned_blocks
            stores, step = self.manager._stores, 1 if chunked else scheduler.limits.max_num_batched_tokens
            assert stores.longest([room], step, 0) < sequence.num_tokens, (
                f"{sequence} waits with room for {room} blocks"
            )
        machine.reclaim(everything=True)
        if not fine and self.random.random() < 0.3:
            scheduler.finish(sequence, "error", "no memory")

    def land(self) -> None:
        """Process the results of the step in flight."""
        if self.flying is not None:
            (step, results), self.flying = self.flying, None
            self.update(step, results)

    def update(self, step: Step, results: Results) -> None:
        """Check the results of a step and process them."""
        if self.scheduler.prefill_budget is not None:
            self.scheduler.prefill_budget.learn(step, self.random.choice((0.0, 1e-4, 0.003, 0.02)) * step.num_tokens)
        progress = self.scheduler.update(step, results)
        for sequence in progress.scored:
            scores = results.scores[sequence.id]
            for i, each in enumerate(scores.scores):
                position = scores.first + i
                assert each == score(sequence.token_ids[:position], sequence.token_ids[position])
                assert position not in self.scores.setdefault(sequence.id, {}), "a position was scored twice"
                self.scores[sequence.id][position] = each
        for sequence in progress.held:
            if sequence.id in self.completions:
                self.fork(sequence, results)
            else:
                assert len(results.scores[sequence.id].candidates) == 3 or sequence.wanted.request.candidates == 0
        for sequence, tokens in progress.moved:
            assert sequence.token_ids[len(sequence.token_ids) - len(tokens) :] == list(tokens)

    def fork(self, prompt: TokenSequence, results: Results) -> None:
        """Fork the completions; each continues with its own token, or ends if it has none."""
        chosen = {draw: run[0] for draw, run in results.runs()}
        draws = self.completions.pop(prompt.id)
        self.scheduler.release_slots(prompt)
        for draw in draws[1:]:
            child = self.scheduler.fork(prompt, id=draw)
            if draw in chosen:
                self.scheduler.extend(child, [chosen[draw]])
            else:
                self.scheduler.finish(child, "error", results.errors[draw])
        if prompt.id in chosen:
            self.scheduler.extend(prompt, [chosen[prompt.id]])
        else:
            self.scheduler.finish(prompt, "error", results.errors[prompt.id])

    def steer(self) -> None:
        """Choose a beam's next token: the sequence continues, forks, is no longer held, or ends."""
        held = self.steerable()
        if not held:
            return
        scheduler, sequence = self.scheduler, self.random.choice(held)
        what = self.random.choice(("on", "on", "end", "fork", "several", "free"))
        if what == "end" or sequence.num_tokens + 4 >= sequence.stop_rule.max_length:
            scheduler.finish(sequence, "stop")
            return
        asks = SamplingRequest(draws=(), candidates=3)
        if what == "fork":
            forks = [scheduler.fork(sequence) for _ in range(self.random.randint(1, 3))]
            forks.append(scheduler.fork(self.random.choice(forks)))  # of a child that no step has announced yet
            for child in forks:
                scheduler.extend(child, [self.random.randint(6, 8)], held=True, wanted=asks)
            if self.random.random() < 0.3:
                scheduler.finish(sequence, "abort")
                return
        count = self.random.randint(2, 4) if what == "several" else 1
        tokens = [self.random.randint(6, 8) for _ in range(count)]
        if what == "free":
            scheduler.extend(sequence, tokens)
        else:
            scheduler.extend(sequence, tokens, held=True, wanted=asks)

    def abort(self) -> None:
        """Abort some sequence in any state."""
        if self.scheduler.sequences:
            id = self.random.choice(sorted(self.scheduler.sequences))
            self.scheduler.finish(self.scheduler.sequences[id], "abort")

    def pin(self) -> None:
        """Pin the computed blocks of a running sequence, between two steps."""
        if self.flying or not self.manager.enable_prefix_caching:
            return
        running = [
            s for s in self.scheduler.sequence_table.queues.running if s.num_computed_tokens >= self.manager.block_size
        ]
        if running:
            name = self.new_pin()
            self.manager.pin(name, self.random.choice(running))
            self.keep(name)

    def adopt(self) -> None:
        """Adopt a prefix whose keys and values come from outside."""
        if not self.manager.enable_prefix_caching:
            return
        size, family = self.manager.block_size, self.random.randrange(3)
        if self.manager.has_states:
            size = 4 * size * self.manager.groups[-1].spec.block_size  # a multiple of boundaries and of blocks
        tokens = [100 * family + i for i in range(size * self.random.randint(1, 4))]
        name, keys = self.new_pin(), CacheKeys(lora=self.adapter())
        tables = self.manager.adopt(name, tokens)
        self.go_down(self.manager.take_evicted())
        if tables is not None:
            self.device.bring(tables, tokens, keys)
            self.manager.reveal(name, tokens, keys)
            self.keep(name)

    def unpin(self) -> None:
        """Remove a random pin, with other sequences running or swapped out."""
        if self.pins:
            self.manager.unpin(self.pins.pop(self.random.randrange(len(self.pins))))

    def adapter(self) -> str | None:
        """Return some adapter, or None."""
        assert self.adapters is not None or not self.lora
        return self.adapters.choose() if self.lora and self.adapters is not None else None

    def replace_adapter(self) -> None:
        """Replace some adapter's file: later requests have another adapter, earlier ones go on."""
        assert self.adapters is not None
        self.adapters.replace()

    def evict_adapters(self) -> None:
        """Remove adapters that nothing claims from host memory."""
        assert self.adapters is not None
        self.adapters.evict()

    def unload_adapter(self) -> None:
        """Abort all sequences of some adapter; rarely."""
        if self.random.random() < 0.3 and (content := self.adapter()) is not None:
            self.fail_adapter(content, "abort")

    def fail_adapter(self, content: str, why: str = "error") -> None:
        """End all sequences of an adapter, because it cannot be read or is unloaded."""
        for sequence in list(self.scheduler.sequences.values()):
            if sequence.adapter == content:
                self.scheduler.finish(sequence, why)

    def keep(self, name: str) -> None:
        """Keep a new pin unless it leaves too little room for the present sequences."""
        self.pins.append(name)
        limits = [sequence.stop_rule.max_length for sequence in self.scheduler.sequences.values()]
        if self.scheduler.max_tokens < max([1, *limits]):
            self.manager.unpin(self.pins.pop())

    # --- What there is -----------------------------------------------------------------------------------------

    def new_pin(self) -> str:
        """Return a new name for a pin."""
        self.num_pins += 1
        return f"pin-{self.num_pins}"

    def choose(self, draw: int, tokens: Sequence[int]) -> int:
        """Sample any token, including those that end a text."""
        return self.random.randint(EOS, 8 if self.scheduler.drafter is None else LAST)

    def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
        """Propose drafts as a `Proposer` does, including invalid tokens and those that end a text."""
        whose = next(s for s in self.scheduler.sequences.values() if s.token_ids is transcript.token_ids)
        self.guessed[whose.id] = whose
        if self.random.random() < 0.02:
            raise RuntimeError("no guess")
        return [self.random.randint(EOS, LAST + 1) for _ in range(self.random.randint(0, max_drafts))]

    def ended(self, transcript: Transcript) -> None:
        """Record a finished text, as a `Learner` does."""
        self.told.append(transcript.token_ids)

    def steerable(self) -> list[TokenSequence]:
        """Return the held sequences whose next token is to be chosen now."""
        held = (s for s in self.scheduler.sequences.values() if s.held and not s.in_flight)
        parked = self.scheduler.sequence_table.queues.parked
        return sorted(
            (s for s in held if s.id not in self.completions and (s in parked or s.idle)), key=lambda each: each.id
        )
