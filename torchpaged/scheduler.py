"""Scheduler: which requests run in the next step, and how many of their tokens. Plain Python, no tensors.

It decides; the runner executes. A step is a value: `schedule()` returns it, `update()` takes its results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from torchpaged.errors import EngineError, RequestError
from torchpaged.kv_cache import BlockCopy, KVCacheManager
from torchpaged.request import Request, RequestStatus
from torchpaged.sampling_params import SamplingParams


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
        """The tokens to compute."""
        first = self.num_computed_tokens
        return self.request.token_ids[first : first + self.num_new_tokens]


@dataclass(slots=True)
class SchedulerOutput:
    """One step: what to compute, what to copy before it, and which requests the runner can forget before it.

    Args:
        copies: blocks to copy before the forward, as if one after the other.
        released: requests that finished, were aborted or preempted since the last step.
    """

    requests: list[ScheduledRequest]
    copies: list[BlockCopy] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    num_preempted: int = 0

    @property
    def num_tokens(self) -> int:
        """Tokens that the step computes."""
        return sum(request.num_new_tokens for request in self.requests)


class Scheduler:
    """Continuous batching, first come first served.

    Order within a step: running requests (decodes and the prefill under way) before admissions; a request that
    does not fit takes the place of the one that arrived last, which is computed again later. Nobody overtakes
    in the queue.

    Invariants: an unfinished request is in exactly one of `waiting` and `running`; only running ones hold
    blocks; `running` is in order of arrival.

    Args:
        manager: the block manager; this scheduler is the only one to call it.
        max_num_seqs: requests that run at once.
        max_num_batched_tokens: tokens a step.
        max_model_len: prompt and completion together at most.
        long_prefill_token_threshold: tokens of one request a step; 0: no such cap.
    """

    def __init__(
        self,
        manager: KVCacheManager,
        *,
        max_num_seqs: int,
        max_num_batched_tokens: int,
        max_model_len: int,
        long_prefill_token_threshold: int = 0,
    ) -> None:
        self.manager = manager
        self.max_num_seqs = max_num_seqs
        self.max_num_batched_tokens = max_num_batched_tokens
        self.max_model_len = max_model_len
        self.max_tokens_per_request = long_prefill_token_threshold or max_num_batched_tokens
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []
        self.requests: dict[str, Request] = {}
        self.num_preemptions = 0
        self._arrivals = 0
        self._released: list[str] = []
        self._started: set[str] = set()  # requests whose block table the runner holds

    @property
    def has_unfinished(self) -> bool:
        """Whether a step has anything to do."""
        return bool(self.requests)

    def add(
        self,
        request_id: str,
        prompt_token_ids: list[int],
        params: SamplingParams,
        eos_token_ids: Iterable[int] = (),
    ) -> Request:
        """Queues a request.

        Raises:
            RequestError: an id in use, an empty prompt, or one that can never fit; nothing has changed then.
        """
        if request_id in self.requests:
            raise RequestError(f"request {request_id!r}: an unfinished request has this id already")
        if not prompt_token_ids:
            raise RequestError(f"request {request_id!r}: the prompt is empty, expected at least one token")
        length, pool = len(prompt_token_ids), self.manager.max_tokens
        if length >= self.max_model_len:
            raise RequestError(
                f"request {request_id!r}: the prompt has {length} tokens, max_model_len is {self.max_model_len} "
                "and one must be left to generate; shorten the prompt or raise max_model_len"
            )
        if length > pool:
            blocks = self.manager.pool.num_usable
            raise RequestError(
                f"request {request_id!r}: the prompt has {length} tokens, the whole pool holds {pool} "
                f"({blocks} blocks); shorten the prompt or raise num_blocks"
            )
        self._arrivals += 1
        request = Request(
            request_id,
            prompt_token_ids,
            params,
            arrival=self._arrivals,
            # The last token that is generated needs no slot: nothing attends to it.
            max_total_tokens=min(self.max_model_len, pool + 1),
            eos_token_ids=tuple(eos_token_ids),
        )
        self.requests[request_id] = request
        self.waiting.append(request)
        return request

    def schedule(self) -> SchedulerOutput:
        """The next step. It computes at least one token, or there is no unfinished request.

        Raises:
            EngineError: there are requests and none can run, which admission excludes.
        """
        budget = self.max_num_batched_tokens
        scheduled: list[ScheduledRequest] = []
        preempted = 0
        index = 0
        while index < len(self.running) and budget > 0:
            request = self.running[index]
            count = min(request.num_uncomputed_tokens, budget, self.max_tokens_per_request)
            new_blocks = self.manager.allocate_slots(request, count)
            while new_blocks is None:
                victim = self.running[-1]
                self._preempt(victim)
                preempted += 1
                if victim is request:
                    break
                new_blocks = self.manager.allocate_slots(request, count)
            if new_blocks is None:
                break  # it gave up its own place, and it was the last
            scheduled.append(self._scheduled(request, count, new_blocks))
            budget -= count
            index += 1
        # After a preemption nobody is admitted: the blocks are for those who run.
        while self.waiting and not preempted and budget > 0 and len(self.running) < self.max_num_seqs:
            request = self.waiting[0]
            count = min(request.num_uncomputed_tokens, budget, self.max_tokens_per_request)
            new_blocks = self.manager.allocate_slots(request, count)
            if new_blocks is None:
                break
            self.waiting.popleft()
            request.status = RequestStatus.RUNNING
            self.running.append(request)
            scheduled.append(self._scheduled(request, count, new_blocks))
            budget -= count
        if not scheduled and self.requests:
            raise EngineError(
                f"no request can run: {len(self.waiting)} wait, {len(self.running)} run, "
                f"{self.manager.pool.num_free} of {self.manager.pool.num_usable} blocks are free"
            )
        released, self._released = self._released, []
        return SchedulerOutput(scheduled, [], released, preempted)

    def update(self, output: SchedulerOutput, sampled: Mapping[str, int]) -> list[Request]:
        """Takes a step's results: tokens chosen, by request. Returns the requests that the step ran, ended ones too."""
        touched = []
        for item in output.requests:
            request = self.requests.get(item.request_id)
            if request is None:  # aborted while the step ran
                continue
            request.num_computed_tokens = item.num_computed_tokens + item.num_new_tokens
            if item.samples:
                request.append(sampled[item.request_id])
            touched.append(request)
            if request.finished:
                self._release(request)
        return touched

    def finish(self, request_id: str, status: RequestStatus, reason: str | None = None) -> Request | None:
        """Ends a request in any state and takes its blocks back; None when there is no such request."""
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

    def _scheduled(self, request: Request, count: int, new_blocks: tuple[list[int], ...]) -> ScheduledRequest:
        first = request.num_computed_tokens
        starts = request.request_id not in self._started
        self._started.add(request.request_id)
        return ScheduledRequest(
            request=request,
            num_computed_tokens=first,
            num_new_tokens=count,
            samples=first + count == request.num_tokens,
            starts=starts,
            new_block_ids=new_blocks,
        )

    def _preempt(self, request: Request) -> None:
        """Back to the head of the queue without blocks; its tokens are kept and computed again."""
        self.running.remove(request)
        self.manager.free(request)
        request.status = RequestStatus.PREEMPTED
        request.num_computed_tokens = 0
        request.num_preemptions += 1
        self.num_preemptions += 1
        self._forget(request)
        self.waiting.appendleft(request)

    def _release(self, request: Request) -> None:
        del self.requests[request.request_id]
        if request in self.running:
            self.running.remove(request)
        else:
            self.waiting.remove(request)
        self.manager.free(request)
        self._forget(request)

    def _forget(self, request: Request) -> None:
        if request.request_id in self._started:
            self._started.remove(request.request_id)
            self._released.append(request.request_id)

    def check(self) -> None:
        """Asserts the invariants, between steps."""
        self.manager.check()
        queued = [*self.waiting, *self.running]
        assert len(queued) == len(self.requests) and all(self.requests[r.request_id] is r for r in queued)
        assert len(self.running) <= self.max_num_seqs
        assert [r.arrival for r in self.running] == sorted(r.arrival for r in self.running)
        assert [r.arrival for r in self.waiting] == sorted(r.arrival for r in self.waiting)
        for request in queued:
            request.check()
        for request in self.waiting:
            assert not any(self.manager.block_ids(request)), f"{request} waits and holds blocks"
