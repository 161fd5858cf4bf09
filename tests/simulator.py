"""Scheduler and block manager driven at random over a memory that remembers contents: pins, forks, swaps, failures.

Every read of a step is compared with what the sequence's own tokens wrote (`FakeDevice`). Counts that add up prove
nothing when a pair of blocks outlives its content; contents do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.fake_device import FakeDevice
from torchpaged.errors import RequestError
from torchpaged.kv_cache import (
    CacheKeys,
    ChunkedLocalAttentionSpec,
    FullAttentionSpec,
    KVCacheGroup,
    KVCacheManager,
    KVCacheSpec,
    SlidingWindowSpec,
)
from torchpaged.request import Request, RequestStatus
from torchpaged.sampling_params import SamplingParams
from torchpaged.scheduler import Scheduler, SchedulerOutput

EOS = 1
GROUPS: Sequence[Callable[[int], list[KVCacheSpec]]] = (
    lambda size: [FullAttentionSpec(size)],
    lambda size: [FullAttentionSpec(size), SlidingWindowSpec(size, 5)],
    lambda size: [SlidingWindowSpec(size, 3), SlidingWindowSpec(size, 9)],
    lambda size: [ChunkedLocalAttentionSpec(size, 2 * size), FullAttentionSpec(size)],
)


class Simulator:
    """One random engine without tensors. `run(steps)` drives it, `finish()` runs it dry and looks for leaks.

    Args:
        seed: of everything random in it.
    """

    def __init__(self, seed: int) -> None:
        self.random = pick = random.Random(seed)
        size = pick.randint(1, 5)
        groups = [KVCacheGroup(spec, (i,)) for i, spec in enumerate(pick.choice(GROUPS)(size))]
        longest = pick.randint(2, 64)
        # Room for one or two sequences where several want to run: somebody must give way.
        num_blocks = 2 + int(pick.uniform(0.5, 2.0) * len(groups) * longest / size)
        swap = pick.choice((0, 5, 20, 100, 100))
        self.manager = KVCacheManager(
            groups, num_blocks, num_swap_blocks=swap, enable_prefix_caching=pick.random() < 0.8
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
        )
        self.device = FakeDevice(self.manager)
        self.steered: set[str] = set()  # whose tokens are chosen from outside, like a beam's
        self.pins: list[str] = []
        self.count = self.num_steps = 0
        self.flying: tuple[SchedulerOutput, dict[str, int]] | None = None  # run, advanced, and not updated

    def run(self, steps: int) -> None:
        """As many random acts."""
        acts = (self.step,) * 8 + (self.add,) * 3 + (self.steer,) * 2
        acts += (self.pin,) * 2 + (self.unpin, self.adopt, self.abort)
        for _ in range(steps):
            self.random.choice(acts)()
            self.scheduler.check()

    def finish(self) -> None:
        """To the end: nothing is left, nothing is lost."""
        self.land()
        for _ in range(10_000):
            for request in self.pending():
                self.scheduler.resume(request, 8)
            if not self.scheduler.has_unfinished:
                break
            self.step(fine=True)
        self.land()
        assert not self.scheduler.has_unfinished
        while self.pins:
            self.unpin()
        stats = self.manager.stats()
        assert stats.num_free_blocks == stats.num_blocks and stats.num_free_swap_blocks == stats.num_swap_blocks
        assert self.manager.reset_prefix_cache()

    # --- What can happen ---------------------------------------------------------------------------------------

    def add(self) -> None:
        """A prompt of one of three families, whose members begin alike."""
        pick, scheduler = self.random, self.scheduler
        family = 100 * pick.randrange(3)
        prompt = [family + i for i in range(pick.randint(1, max(1, self.scheduler.max_model_len * 2 // 3)))]
        if pick.random() < 0.4:
            prompt[pick.randrange(len(prompt))] = 999
        params = SamplingParams(
            max_tokens=pick.randint(1, 24),
            stop_token_ids=[5],
            prompt_logprobs=pick.choice((None, None, 0)),
            prompt_logprobs_start=pick.randint(1, 9),
        )
        followers = pick.choice((0, 0, 0, 1, 3))
        name = self.new_name()
        try:
            scheduler.add(
                name,
                prompt,
                params,
                [EOS],
                priority=pick.randrange(3),
                cache_keys=CacheKeys(salt=pick.choice((None, None, "salt"))),
                followers=[(f"{name}#{i}", params) for i in range(followers)],
            )
        except RequestError:
            return
        if not followers and pick.random() < 0.3:
            self.steered.add(name)

    def step(self, fine: bool = False) -> None:
        """A step that flies is not updated before the next one has been scheduled."""
        pick, scheduler = self.random, self.scheduler
        if not scheduler.has_unfinished or len(self.pending()) == len(scheduler.requests):
            return
        outcome = "fine" if fine else pick.choice(("fine",) * 8 + ("fails", "copy-fails", "nan"))
        output = scheduler.schedule()
        self.num_steps += 1
        if outcome == "copy-fails":
            # Which of the copies were made is not known.
            for pool in self.device.pools.values():
                for content in pool.values():
                    content[:] = [pick.random() for _ in content]
            self.land()
            scheduler.revert(output)
            scheduler.drop_cache()
            self.forget_pins()
            return
        self.device.run(output, fails=outcome == "fails", pending=self.flying[1] if self.flying else None)
        self.land()
        if outcome == "fails":
            scheduler.revert(output)
            return
        sampled = {}
        for item in output.requests:
            for request in (item.request, *item.followers) if item.samples else ():
                if request.request_id not in self.steered:
                    token = pick.randint(EOS, 8)
                    sampled[request.request_id] = 8 if token in request.banned_token_ids else token
        plain = all(not r.followers and r.request_id not in self.steered for r in output.requests)
        if not fine and plain and outcome == "fine" and output.requests and pick.random() < 0.5:
            scheduler.advance(output)
            self.flying = output, sampled
            return
        if outcome == "nan" and output.requests:
            failed = output.requests[0].request
            for request in (failed, *failed.followers):
                scheduler.finish(request.request_id, RequestStatus.FINISHED_ERROR, "nan")
        scheduler.update(output, sampled)

    def land(self) -> None:
        """The tokens of the step that flies arrive."""
        if self.flying is not None:
            output, sampled = self.flying
            self.flying = None
            self.scheduler.update(output, sampled)

    def steer(self) -> None:
        """A beam's next token: the request goes on, ends, or splits."""
        pending = self.pending()
        if not pending:
            return
        request, what = self.random.choice(pending), self.random.choice(("on", "on", "end", "fork"))
        if what == "end":
            self.scheduler.finish(request.request_id, RequestStatus.FINISHED_STOPPED)
            return
        if what == "fork":
            name = self.new_name()
            self.steered.add(name)
            self.scheduler.resume(self.scheduler.fork(request, name), self.random.randint(6, 8))
        self.scheduler.resume(request, self.random.randint(6, 8))

    def abort(self) -> None:
        """Somebody, in whatever state."""
        if self.scheduler.requests:
            name = self.random.choice(sorted(self.scheduler.requests))
            self.scheduler.finish(name, RequestStatus.FINISHED_ABORTED)

    def pin(self) -> None:
        """The computed blocks of somebody who runs, between two steps."""
        if self.flying or not self.manager.enable_prefix_caching:
            return
        running = [r for r in self.scheduler.running if r.num_computed_tokens >= self.manager.block_size]
        if running:
            name = self.new_name()
            self.manager.pin(name, self.random.choice(running))
            self.keep(name)

    def adopt(self) -> None:
        """A prefix whose keys and values come from outside."""
        if not self.manager.enable_prefix_caching:
            return
        size, family = self.manager.block_size, self.random.randrange(3)
        tokens = [100 * family + i for i in range(size * self.random.randint(1, 4))]
        name, keys = self.new_name(), CacheKeys()
        tables = self.manager.adopt(name, tokens)
        if tables is not None:
            self.device.bring(tables, tokens, keys)
            self.manager.reveal(name, tokens, keys)
            self.keep(name)

    def unpin(self) -> None:
        """Some pin, whoever is swapped out meanwhile."""
        if self.pins:
            self.manager.unpin(self.pins.pop(self.random.randrange(len(self.pins))))

    def forget_pins(self) -> None:
        """After a copy that failed: what a pin holds is as unknown as all else."""
        while self.pins:
            self.unpin()

    def keep(self, name: str) -> None:
        """A pin that leaves no room for those who are there is let go again."""
        self.pins.append(name)
        longest = max((r.num_tokens for r in self.scheduler.requests.values()), default=1)
        limits = [r.max_total_tokens for r in self.scheduler.requests.values()]
        if self.scheduler.max_tokens < max([longest, *limits]):
            self.manager.unpin(self.pins.pop())

    # --- What there is -----------------------------------------------------------------------------------------

    def new_name(self) -> str:
        """Never used before."""
        self.count += 1
        return f"r{self.count}"

    def pending(self) -> list[Request]:
        """Who waits for a steersman."""
        waiting = (r for r in self.scheduler.requests.values() if r in self.scheduler.parked or r.paused)
        return sorted(waiting, key=lambda request: request.request_id)
