"""Scheduler: which requests run in the next step, and how many of their tokens. Plain Python, no tensors.

It decides; the runner executes. A step is a value: `schedule()` returns it, `update()` takes its results.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from torchpaged.config import POLICIES, PREEMPTION_MODES
from torchpaged.errors import EngineError, RequestError
from torchpaged.kv_cache import BlockCopy, CacheKeys, KVCacheBlocks, KVCacheManager
from torchpaged.kv_cache.block_hash import NO_KEYS
from torchpaged.request import EncoderInput, Request, RequestStatus
from torchpaged.sampling_params import SamplingParams

_T = TypeVar("_T")


@dataclass(slots=True)
class ScheduledRequest:
    """One request's share of a step: which of its tokens to compute, and where they go.

    Args:
        request: the request itself, to be read only.
        num_computed_tokens: tokens already in the cache: the position of the first one to compute.
        num_new_tokens: how many to compute.
        samples: the step reaches the last token: one more is to be chosen.
        starts: the runner has no table for it yet, or one from before a preemption.
        new_block_ids: one list a group, appended to the table that the runner keeps; the whole table if it starts.
        changed_blocks: (group, index in the table, block id) of entries that were replaced since the last step: by
            copy-on-write, or by the null block once they fell out of the window.
        followers: requests with the same prompt that each choose a first token from the same logits.
    """

    request: Request
    num_computed_tokens: int
    num_new_tokens: int
    samples: bool
    starts: bool
    new_block_ids: tuple[list[int], ...]
    changed_blocks: Sequence[tuple[int, int, int]] = ()
    followers: Sequence[Request] = ()

    @property
    def request_id(self) -> str:
        """The request's id."""
        return self.request.request_id

    @property
    def token_ids(self) -> list[int]:
        """The tokens to compute; one less when the last has no value on this side yet."""
        first = self.num_computed_tokens
        return self.request.token_ids[first : first + self.num_new_tokens]


@dataclass(slots=True)
class SchedulerOutput:
    """One step: what to compute, what to copy before it, and which requests the runner can forget before it.

    Args:
        copies: blocks to copy before the forward, as if one after the other.
        released: requests that finished, were aborted or preempted since the last step.
        advanced: `Scheduler.advance` has taken it for done.
    """

    requests: list[ScheduledRequest]
    copies: list[BlockCopy] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    num_preempted: int = 0
    advanced: bool = False

    @property
    def num_tokens(self) -> int:
        """Tokens that the step computes."""
        return sum(request.num_new_tokens for request in self.requests)


class Scheduler:
    """Continuous batching.

    Order within a step: decodes, then prefills under way, then admissions: swapped requests first, then the queue.
    A request that finds no room takes the place of the last in rank, which is swapped out, or computed again
    later. Nobody overtakes in the queue.

    Rank is arrival ("fcfs"), or priority (lower first) and then arrival ("priority").

    Steps may overlap: after `advance` the next step can be scheduled before `update` brings the tokens of the last.

    Invariants: an unfinished request is in exactly one of `waiting`, `running`, `swapped`, `parked`, or a follower;
    each is in order of rank; only running ones hold blocks of the pool, only swapped ones blocks of the host's.

    Args:
        manager: the block manager; this scheduler is the only one to call it.
        max_num_seqs: requests that run at once.
        max_num_batched_tokens: tokens a step.
        max_model_len: prompt and completion together at most.
        long_prefill_token_threshold: tokens of one request a step; 0: no such cap.
        enable_chunked_prefill: whether a prompt may be computed in parts; else one that does not fit into what
            is left of a step waits for the next.
        policy: "fcfs" or "priority".
        preemption_mode: "swap", "recompute", or "auto" for what costs less (`recompute_per_block`).
        watermark: the share of the blocks that admissions leave free for those who run, 0 to 1.

    Raises:
        ValueError: an unknown policy or mode.
    """

    def __init__(
        self,
        manager: KVCacheManager,
        *,
        max_num_seqs: int,
        max_num_batched_tokens: int,
        max_model_len: int,
        long_prefill_token_threshold: int = 0,
        enable_chunked_prefill: bool = True,
        policy: str = "fcfs",
        preemption_mode: str = "auto",
        watermark: float = 0.0,
    ) -> None:
        if policy not in POLICIES:
            raise ValueError(f"policy is {policy!r}, expected one of {', '.join(POLICIES)}")
        if preemption_mode not in PREEMPTION_MODES:
            raise ValueError(f"preemption_mode is {preemption_mode!r}, expected one of {', '.join(PREEMPTION_MODES)}")
        self.manager = manager
        self.max_num_seqs = max_num_seqs
        self.max_num_batched_tokens = max_num_batched_tokens
        self.max_model_len = max_model_len
        self.max_tokens_per_request = min(
            long_prefill_token_threshold or max_num_batched_tokens, max_num_batched_tokens
        )
        self.enable_chunked_prefill = enable_chunked_prefill
        self.policy, self.preemption_mode = policy, preemption_mode
        self.num_watermark_blocks = int(watermark * manager.pool.num_usable)
        # How many tokens are computed in the time that moving one block to the host and back takes.
        self.recompute_per_block = 1.0
        self.waiting: list[Request] = []
        self.running: list[Request] = []
        self.swapped: list[Request] = []
        self.parked: list[Request] = []  # preempted while their next token was somebody else's choice
        self.requests: dict[str, Request] = {}
        self.num_preemptions = self.num_swaps = 0
        self._num_followers = 0  # of running requests: their seats are taken
        self._no_blocks: tuple[list[int], ...] = tuple([] for _ in manager.groups)  # of most steps of most requests
        self._arrivals = 0
        self._released: list[str] = []
        self._started: set[str] = set()  # requests whose block table the runner holds
        self._admitted: list[Request] = []  # in the step that was scheduled last, from the queue

    @property
    def has_unfinished(self) -> bool:
        """Whether a step has anything to do."""
        return bool(self.requests)

    @property
    def max_tokens(self) -> int:
        """The longest sequence, less its last token, that the pool can hold."""
        return self._max_tokens(None)

    def _max_tokens(self, encoder: EncoderInput | None) -> int:
        # A request that has the pool to itself is computed token by token if it must be.
        step = 1 if self.enable_chunked_prefill else self.max_num_batched_tokens
        return self.manager.max_tokens(step, encoder.num_tokens if encoder else 0)

    # --- Coming and going ----------------------------------------------------------------------------------

    def add(
        self,
        request_id: str,
        prompt_token_ids: list[int],
        params: SamplingParams,
        eos_token_ids: Iterable[int] = (),
        *,
        priority: int = 0,
        cache_keys: CacheKeys = NO_KEYS,
        followers: Sequence[tuple[str, SamplingParams]] = (),
        given: Sequence[tuple[int, ...]] = (),
        score_from: int = 0,
        encoder: EncoderInput | None = None,
    ) -> Request:
        """Queues a request.

        Args:
            priority: lower runs first under the policy "priority".
            cache_keys: with what else than tokens its blocks are found.
            followers: ids and parameters of more completions of the prompt, which is computed once for all.
            given: the completions, its own and the followers', when they are only scored.
            score_from: position of the first token that is scored then.
            encoder: what the encoder reads, for a model that has one.

        Raises:
            RequestError: an id in use, an empty prompt, or one that can never fit; nothing has changed then.
        """
        ids = [request_id, *(name for name, _ in followers)]
        for name in ids:
            if name in self.requests:
                which = "this id" if name == request_id else f"the id {name!r}"
                raise RequestError(f"request {request_id!r}: an unfinished request has {which} already")
        if len(ids) > self.max_num_seqs:
            raise RequestError(
                f"request {request_id!r}: {len(ids)} completions at once, max_num_seqs is {self.max_num_seqs}"
            )
        self.require_room(request_id, prompt_token_ids, num_given=max(map(len, given), default=0), encoder=encoder)
        self._arrivals += 1
        # The last token that is generated needs no slot, nothing attends to it; a given one needs no position either.
        longest = min(self.max_model_len + bool(given), self._max_tokens(encoder) + 1)
        requests = [
            Request(
                name,
                prompt_token_ids,
                own,
                arrival=self._arrivals,
                max_total_tokens=longest,
                eos_token_ids=tuple(eos_token_ids),
                priority=priority,
                cache_keys=cache_keys,
                given=tokens,
                # The leader scores what all of them share.
                score_from=score_from if name == request_id else len(prompt_token_ids),
                encoder=encoder,
            )
            for (name, own), tokens in zip([(request_id, params), *followers], given or [()] * len(ids), strict=True)
        ]
        leader = requests[0]
        leader.followers = requests[1:]
        for follower in leader.followers:
            follower.leader = leader
        self.requests.update((request.request_id, request) for request in requests)
        self._insert(self.waiting, leader)
        return leader

    def fork(self, parent: Request, request_id: str) -> Request:
        """A request with the parent's tokens and, where the parent has blocks, its blocks, until either writes.

        Raises:
            RequestError: an id in use.
        """
        if request_id in self.requests:
            raise RequestError(f"request {request_id!r}: an unfinished request has this id already")
        child = Request(
            request_id,
            parent.token_ids[: parent.num_prompt_tokens],
            parent.params,
            arrival=parent.arrival,
            max_total_tokens=parent.max_total_tokens,
            eos_token_ids=tuple(parent.eos_token_ids),
            priority=parent.priority,
            cache_keys=parent.cache_keys,
            encoder=parent.encoder,
        )
        child.token_ids += parent.output_token_ids
        child.num_cached_tokens = parent.num_cached_tokens
        self.requests[request_id] = child
        self._seat(parent, child)
        return child

    def finish(self, request_id: str, status: RequestStatus, reason: str | None = None) -> Request | None:
        """Ends a request in any state and takes its blocks back; None when there is no such request.

        One that ends in an error leaves nothing in the prefix cache.
        """
        request = self.requests.get(request_id)
        if request is None:
            return None
        request.status = status
        if status is RequestStatus.FINISHED_ERROR:
            request.error = reason
        elif reason is not None:
            request.stop_reason = reason
        self._release(request)
        return request

    # --- A step --------------------------------------------------------------------------------------------

    def schedule(self) -> SchedulerOutput:
        """The next step. It computes at least one token, unless no request is unfinished, or all that could run wait
        for the update of a step under way.

        Raises:
            EngineError: there are requests and none can run, which admission excludes.
        """
        step = SchedulerOutput([])
        self._admitted.clear()
        budget = self._continue(step, self.max_num_batched_tokens)
        if not step.num_preempted:  # else the blocks are for those who run
            self._admit(step, budget)
        if not step.requests and step.num_preempted:
            # Whoever was preempted gave room to nobody: requests that wait for a choice hold the blocks.
            self._admit(step, self.max_num_batched_tokens)
        if not step.requests and self.requests and not any(r.num_pending_tokens for r in self.requests.values()):
            raise EngineError(
                f"no request can run: {len(self.waiting)} wait, {len(self.running)} run, {len(self.swapped)} are "
                f"swapped out, {len(self.parked)} are parked; {self.manager.pool.num_free} of "
                f"{self.manager.pool.num_usable} blocks are free"
            )
        step.copies = self.manager.take_copies()
        step.released, self._released = self._released, []
        return step

    def advance(self, output: SchedulerOutput) -> None:
        """Takes a step for done that is under way: what it computes counts as computed, its tokens are pending.

        One step at a time may be advanced and not updated; none with followers, or whose tokens others choose.
        """
        assert not output.advanced and not any(item.followers for item in output.requests)
        self.manager.commit()
        output.advanced = True
        for item in output.requests:
            request = item.request
            if request.status is RequestStatus.RUNNING:
                request.num_computed_tokens = item.num_computed_tokens + item.num_new_tokens
                request.num_pending_tokens = int(item.samples)

    def update(self, output: SchedulerOutput, sampled: Mapping[str, int]) -> list[Request]:
        """Takes a step's results: tokens chosen, by request. Returns the requests that the step ran, ended ones too.

        A request for which no token was chosen is paused until `resume`.
        """
        if output.advanced:
            return self._resolve(output, sampled)
        self.manager.commit()
        touched = []
        ended: list[Request] = []
        for item in output.requests:
            request = item.request
            if request.status is not RequestStatus.RUNNING:  # aborted while the step ran
                continue
            request.num_computed_tokens = item.num_computed_tokens + item.num_new_tokens
            touched.append(request)
            if item.samples:
                if item.followers:
                    touched += self._fork_followers(request, sampled)
                token = request.next_given if request.given else sampled.get(request.request_id)
                if token is not None:
                    request.append(token)
            if request.status is not RequestStatus.RUNNING:
                ended.append(request)
        for request in ended:
            self._release(request)
        return touched

    def _resolve(self, output: SchedulerOutput, sampled: Mapping[str, int]) -> list[Request]:
        """The tokens of an advanced step: its requests run in the next one, or were preempted for it, or have ended."""
        touched = []
        for item in output.requests:
            request = item.request
            if request.finished:
                continue
            touched.append(request)
            if item.samples:
                request.append(sampled[request.request_id])
                if request.finished:
                    self._release(request)
        return touched

    def resume(self, request: Request, token_id: int) -> None:
        """Gives a paused request its next token."""
        request.append(token_id)
        if request.finished:
            self._release(request)
        elif request in self.parked:
            self.parked.remove(request)
            swapped = request.status is RequestStatus.SWAPPED
            self._insert(self.swapped if swapped else self.waiting, request)

    def revert(self, output: SchedulerOutput) -> None:
        """Takes a step back whose forward failed: it may be scheduled again, or its requests aborted.

        Its copies have been made. What it would have written is not found by anybody; requests that it admitted,
        perhaps on blocks that it was to fill, are back in the queue. No token of an earlier step is pending: whose
        row the runner forgets must not have its last token there alone.
        """
        assert not any(item.request.num_pending_tokens for item in output.requests if not item.request.finished)
        self.manager.revert()
        for request in self._admitted:
            if not request.finished:
                self._withdraw(request)
                self._requeue(request)
                if not request.num_output_tokens:
                    request.num_cached_tokens = None
        self._admitted.clear()
        self._released = output.released + self._released
        for item in output.requests:
            if not item.request.finished:
                self._forget(item.request)

    def drop_cache(self) -> None:
        """Takes every block back, after copies or a forward of unknown outcome: all requests are computed again.

        Tokens that a step under way was to choose are given up, and chosen again.
        """
        for request in self.requests.values():
            request.num_pending_tokens = 0
        for request in [*self.running, *self.swapped, *(r for r in self.parked if r.num_computed_tokens)]:
            parked = request in self.parked
            self._withdraw(request)
            self._requeue(request, parked=parked)
        self.manager.take_copies()
        self.manager.pool.forget_all()
        self.manager.commit()
        self._admitted.clear()

    def reset(self, pins: Collection[str] = ()) -> None:
        """Forgets all requests, whatever state they and the tables are in, and all that is cached but these pins."""
        for queue in (self.waiting, self.running, self.swapped, self.parked, self._admitted, self._released):
            queue.clear()
        self.requests.clear()
        self._started.clear()
        self._num_followers = 0
        self.manager.reset(pins)

    # --- Within a step -------------------------------------------------------------------------------------

    def _continue(self, step: SchedulerOutput, budget: int) -> int:
        """Running requests: decodes first. Returns what is left of the budget."""
        scheduled = step.requests
        prefills = []
        for request in self.running:  # a preemption shortens it from behind
            first = request.num_computed_tokens
            left = len(request.token_ids) + request.num_pending_tokens - first
            if left != 1:
                if left:
                    prefills.append(request)
                continue
            if request.num_pending_tokens and request.ends_soon:
                continue
            if budget <= 0:
                break
            if first < request.quiet_until:
                scheduled.append(ScheduledRequest(request, first, 1, True, False, self._no_blocks))
                budget -= 1
            else:
                budget -= self._grow(step, request, 1)
        for request in prefills:
            if budget <= 0:
                break
            if request.status is RequestStatus.RUNNING:  # not preempted meanwhile
                count = min(request.num_uncomputed_tokens, self.max_tokens_per_request, budget)
                self._grow(step, request, count)
                budget = self.max_num_batched_tokens - step.num_tokens
        return budget

    def _grow(self, step: SchedulerOutput, request: Request, count: int) -> int:
        """Schedules a running request, at the cost of the last in rank; returns the tokens, 0 if it was the last."""
        while (blocks := self.manager.allocate_slots(request, count)) is None:
            victim = self._victim(request)
            if victim is request and count > 1 and self.enable_chunked_prefill:
                count = (count + 1) // 2  # a smaller part may find room, where blocks leave a window behind it
                continue
            self._preempt(victim)
            step.num_preempted += 1
            if victim is request:
                return 0
            if any(item.request is victim for item in step.requests):  # a decode, in favour of an older prefill
                step.requests[:] = [item for item in step.requests if item.request is not victim]
        step.requests.append(self._scheduled(request, count, blocks))
        return count

    def _victim(self, request: Request) -> Request:
        """Who gives way: the last in rank, but before it one that cannot run anyway."""
        idle = (other for other in reversed(self.running) if other.paused and other is not request)
        return next(idle, self.running[-1])

    def _admit(self, step: SchedulerOutput, budget: int) -> None:
        while self.swapped and budget > 0 and self._find_seats(step, self.swapped[0]):
            request = self.swapped[0]
            if request.num_pending_tokens:  # its last token is not known to whoever would compute it
                return
            count = min(request.num_uncomputed_tokens, budget, self.max_tokens_per_request)
            if self._make_room(step, partial(self.manager.swap_in, request, num_new_tokens=count)) is None:
                if step.requests or self.running:
                    return
                # Computed again it fits, part by part if it must be: nobody waits for a pool that is empty.
                self._withdraw(request)
                self._requeue(request)
                continue
            self.swapped.pop(0)
            self._start(request)
            blocks = self._make_room(step, partial(self.manager.allocate_slots, request, count))
            if blocks is None:  # it shares its last block, and a copy of that found no room
                if step.requests or len(self.running) > 1:
                    self._preempt(request)
                    return
                self._withdraw(request)
                self._requeue(request)
                continue
            step.requests.append(self._scheduled(request, count, blocks))
            budget -= count
        while self.waiting and not self.swapped and budget > 0 and self._find_seats(step, self.waiting[0]):
            request = self.waiting[0]
            if request.num_pending_tokens:
                return
            computed, num_computed = self.manager.get_computed_blocks(request, _most_cached(request))
            count = self._first_chunk(request, num_computed, budget)
            if not count:
                return
            blocks = self._place(step, request, count, computed)
            if blocks is None and computed.beginning:
                computed = computed.whole_blocks(self.manager.block_size)
                count = self._first_chunk(request, computed.num_tokens, budget)
                blocks = self._place(step, request, count, computed) if count else None
            while blocks is None and count > 1 and not self.running and self.enable_chunked_prefill:
                count = (count + 1) // 2
                blocks = self._place(step, request, count, computed)
            if blocks is None:
                return
            self.waiting.pop(0)
            request.num_computed_tokens = computed.num_tokens
            if request.num_cached_tokens is None:
                request.num_cached_tokens = computed.num_tokens
            self._start(request)
            self._admitted.append(request)
            step.requests.append(self._scheduled(request, count, blocks))
            budget -= count

    def _place(
        self, step: SchedulerOutput, request: Request, count: int, computed: KVCacheBlocks
    ) -> tuple[list[int], ...] | None:
        """Blocks for a request from the queue."""

        def allocate() -> tuple[list[int], ...] | None:
            reserved = self.num_watermark_blocks if self.running else 0
            return self.manager.allocate_slots(request, count, computed=computed, num_reserved_blocks=reserved)

        return self._make_room(step, allocate)

    def _make_room(self, step: SchedulerOutput, take: Callable[[], _T | None]) -> _T | None:
        """What `take` grants; where nothing else can run, at the cost of requests that wait for a choice."""
        while (taken := take()) is None:
            if not self._preempt_idle(step):
                return None
        return taken

    def _find_seats(self, step: SchedulerOutput, request: Request) -> bool:
        """Seats for a request and those that will fork from it, found as room is."""
        wanted = 1 + len(request.followers)
        while len(self.running) + self._num_followers + wanted > self.max_num_seqs:
            if not self._preempt_idle(step):
                return False
        return True

    def _preempt_idle(self, step: SchedulerOutput) -> bool:
        """Takes the place of a request that waits for a choice; False when others can run, or there is none."""
        idle = next((request for request in reversed(self.running) if request.paused), None)
        if step.requests or idle is None:
            return False
        self._preempt(idle)
        step.num_preempted += 1
        return True

    def _first_chunk(self, request: Request, num_computed: int, budget: int) -> int:
        """How many tokens of a request from the queue fit into the step; 0: it waits."""
        left = request.num_tokens - num_computed
        if self.enable_chunked_prefill:
            return min(left, budget, self.max_tokens_per_request)
        if left <= budget:
            return left
        # One that was preempted may have grown longer than any step: then it gets a step of its own.
        return budget if left > self.max_num_batched_tokens == budget else 0

    def _start(self, request: Request) -> None:
        request.status = RequestStatus.RUNNING
        self._num_followers += len(request.followers)
        self._insert(self.running, request)

    def _scheduled(self, request: Request, count: int, blocks: tuple[list[int], ...]) -> ScheduledRequest:
        first = request.num_computed_tokens
        starts = request.request_id not in self._started
        changes = self.manager.take_changes(request)
        # A leader's last prompt token is not a decode like others.
        request.quiet_until = 0 if request.followers else self.manager.quiet_until(request)
        samples = first + count == request.num_tokens
        if starts:
            self._started.add(request.request_id)
            blocks, changes = self.manager.block_ids(request), []
        return ScheduledRequest(
            request, first, count, samples, starts, blocks, changes, tuple(request.followers) if samples else ()
        )

    def _fork_followers(self, leader: Request, sampled: Mapping[str, int]) -> list[Request]:
        """The prompt is computed: each completion goes its own way, with a token of its own."""
        followers, leader.followers = leader.followers, []
        self._num_followers -= len(followers)
        for follower in followers:
            follower.leader, follower.num_cached_tokens = None, leader.num_cached_tokens
            self._seat(leader, follower)
            token = follower.next_given
            follower.append(sampled[follower.request_id] if token is None else token)
            if follower.finished:
                self._release(follower)
        return followers

    def _seat(self, parent: Request, child: Request) -> None:
        """Puts a fork where its parent is; without a seat or blocks it is computed again."""
        status = parent.status
        if status is RequestStatus.RUNNING and len(self.running) + self._num_followers >= self.max_num_seqs:
            status = RequestStatus.PREEMPTED
        if status is RequestStatus.RUNNING or status is RequestStatus.SWAPPED:
            self.manager.fork(parent, child)
            child.num_computed_tokens = parent.num_computed_tokens
            parent.quiet_until = 0
        child.status = status
        queue = self.running if status is RequestStatus.RUNNING else self.parked
        if status is not RequestStatus.RUNNING and not parent.paused and parent not in self.parked:
            queue = self.swapped if status is RequestStatus.SWAPPED else self.waiting
        self._insert(queue, child)

    # --- Making room ---------------------------------------------------------------------------------------

    def _preempt(self, request: Request) -> None:
        """Takes a running request's blocks: to the host, or away. Its tokens are kept."""
        paused = request.paused
        self.num_preemptions += 1
        request.num_preemptions += 1
        if self._swaps(request) and self.manager.swap_out(request) is not None:
            self.num_swaps += 1
            self.running.remove(request)
            self._num_followers -= len(request.followers)
            self._forget(request)
            request.status = RequestStatus.SWAPPED
            self._insert(self.parked if paused else self.swapped, request)
            return
        self._withdraw(request)
        self._requeue(request, parked=paused)

    def _swaps(self, request: Request) -> bool:
        if self.manager.host_pool is None or not request.num_computed_tokens or self.preemption_mode == "recompute":
            return False
        if self.preemption_mode == "swap":
            return True
        return self.manager.num_held_blocks(request) * self.recompute_per_block < request.num_computed_tokens

    def _withdraw(self, request: Request) -> None:
        """Out of its queue, without blocks, forgotten by the runner."""
        for queue in (self.running, self.waiting, self.swapped, self.parked):
            if request in queue:
                queue.remove(request)
                if queue is self.running:
                    self._num_followers -= len(request.followers)
                break
        self.manager.free(request, forget=request.status is RequestStatus.FINISHED_ERROR)
        self._forget(request)

    def _requeue(self, request: Request, *, parked: bool = False) -> None:
        request.status = RequestStatus.PREEMPTED
        request.num_computed_tokens = 0
        self._insert(self.parked if parked else self.waiting, request)

    def _release(self, request: Request) -> None:
        del self.requests[request.request_id]
        if request.followers:  # it ends before its prompt is computed: the next completion takes its place
            heir, *others = request.followers
            heir.leader, heir.followers, request.followers = None, others, []
            for other in others:
                other.leader = heir
            if request in self.running:
                self._num_followers -= len(others) + 1
            self._withdraw(request)
            self._insert(self.waiting, heir)
            return
        if (leader := request.leader) is not None:
            leader.followers.remove(request)
            self._num_followers -= leader in self.running
        self._withdraw(request)

    def _forget(self, request: Request) -> None:
        request.quiet_until = 0
        if request.request_id in self._started:
            self._started.remove(request.request_id)
            self._released.append(request.request_id)

    def _rank(self, request: Request) -> tuple[int, int]:
        return (request.priority if self.policy == "priority" else 0, request.arrival)

    def _insert(self, queue: list[Request], request: Request) -> None:
        insort(queue, request, key=self._rank)

    def require_room(
        self,
        request_id: str,
        prompt_token_ids: Sequence[int],
        *,
        num_given: int = 0,
        encoder: EncoderInput | None = None,
    ) -> None:
        """Raises RequestError for a prompt that can never run; the arguments are those of `add`.

        Args:
            request_id: what the message calls it.
            num_given: tokens of the longest given completion.
        """
        if not prompt_token_ids:
            raise RequestError(f"request {request_id!r}: the prompt is empty, expected at least one token")
        length, pool = len(prompt_token_ids) + max(0, num_given - 1), self._max_tokens(encoder)
        if num_given and length > self.max_model_len:
            raise RequestError(
                f"request {request_id!r}: prompt and continuation have {length + 1} tokens together, max_model_len is "
                f"{self.max_model_len} and all but the last must fit; shorten them"
            )
        if not num_given and length >= self.max_model_len:
            raise RequestError(
                f"request {request_id!r}: the prompt has {length} tokens, max_model_len is {self.max_model_len} "
                "and one must be left to generate; shorten the prompt or raise max_model_len"
            )
        if length > pool:
            blocks, pinned = self.manager.pool.num_usable, self.manager.stats().num_pinned_blocks
            besides = f", {pinned} of them pinned" if pinned else ""
            if encoder is not None:
                besides += f", less those for {encoder.num_tokens} tokens of the encoder"
            raise RequestError(
                f"request {request_id!r}: the prompt has {length} tokens, the whole pool holds {pool} "
                f"({blocks} blocks{besides}); shorten the prompt or raise num_blocks"
            )
        if not self.enable_chunked_prefill and length > self.max_num_batched_tokens:
            raise RequestError(
                f"request {request_id!r}: the prompt has {length} tokens, a step computes "
                f"{self.max_num_batched_tokens}, and enable_chunked_prefill is off; raise max_num_batched_tokens"
            )

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        self.manager.check()
        queues = (self.waiting, self.running, self.swapped, self.parked)
        queued = [request for queue in queues for request in queue]
        followers = [follower for request in queued for follower in request.followers]
        everyone = [*queued, *followers]
        assert len(everyone) == len(self.requests) and all(self.requests[r.request_id] is r for r in everyone)
        assert self._num_followers == sum(len(request.followers) for request in self.running)
        assert len(self.running) + self._num_followers <= self.max_num_seqs
        for queue in queues:
            assert list(map(self._rank, queue)) == sorted(map(self._rank, queue))
        for request in everyone:
            request.check()
            holds = any(self.manager.block_ids(request))
            assert holds == (request in self.running), f"{request} holds blocks: {holds}"
            assert self.manager.is_swapped(request) == (request.status is RequestStatus.SWAPPED), repr(request)
        assert all(request.status is RequestStatus.RUNNING for request in self.running)
        assert self._started <= {request.request_id for request in self.running}


def _most_cached(request: Request) -> int | None:
    """How many of a request's tokens may come from the cache: what lies before the first logprob asked for."""
    params = request.params
    if request.given:
        return request.next_scored - 1
    if params.prompt_logprobs is None or request.num_output_tokens:
        return None
    return params.prompt_logprobs_start - 1
