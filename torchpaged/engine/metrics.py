"""Metrics of `get_metrics`, by vLLM's names: counters, gauges and histograms, and the requests that they count."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from torchpaged.config import EngineConfig
from torchpaged.engine.adapters import AdapterCounts
from torchpaged.execution.tier_io import IOCounts
from torchpaged.kv_cache import KVCacheStats, PoolMemory, TierCounts
from torchpaged.outputs import RequestOutput
from torchpaged.scheduling import Progress
from torchpaged.scheduling.drafter import DraftCounts
from torchpaged.scheduling.encoder_cache import EncoderCounts
from torchpaged.scheduling.prefill_budget import PrefillBudgetCounts


@dataclass(slots=True)
class Metric:
    """A metric at one moment."""

    name: str
    labels: dict[str, str]


@dataclass(slots=True)
class Counter(Metric):
    """A number of events, or of seconds, since the engine was made."""

    value: float


@dataclass(slots=True)
class Gauge(Metric):
    """A current value."""

    value: float


@dataclass(slots=True)
class Vector(Metric):
    """Counters in an order: of speculation, by the place of a token in its run."""

    values: list[int]


@dataclass(slots=True)
class Histogram(Metric):
    """Observations by size.

    Args:
        count: number of observations.
        sum: of their values.
        buckets: by upper bound, the number of observations that are at most as large; the last bound is "+Inf".
    """

    count: int
    sum: float
    buckets: dict[str, int]


@dataclass(frozen=True, slots=True)
class EngineStats:
    """Counters since the engine was made, and the current state of the cache."""

    cache: KVCacheStats
    memory: PoolMemory  # bytes of the cache
    peak: KVCacheStats  # the cache when most of its blocks were in use
    num_steps: int
    num_computed_tokens: int
    num_generated_tokens: int
    num_preemptions: int
    num_swaps: int  # number of them that swapped to the host
    num_running: int
    num_waiting: int
    num_swapped: int
    num_parked: int  # swapped or preempted sequences whose owner must decide before they can run
    waits: Mapping[str, int]  # steps that could not overlap with the one before, by what they waited for
    drafts: DraftCounts | None = None  # None: no speculation
    prefill_budget: PrefillBudgetCounts | None = None  # None: no limit on the time of steps
    adapters: AdapterCounts | None = None  # None: requests have no adapters
    tiers: TierCounts | None = None  # None: there is no store below the pools
    tier_io: IOCounts | None = None
    media: EncoderCounts | None = None  # None: the model takes no images


def media_metrics(labels: Mapping[str, str], counts: EncoderCounts) -> list[Metric]:
    """Return the metrics of an engine whose model takes images; `labels` are of all metrics."""
    counters = {"encoded": counts.num_encoded, "found": counts.num_found}
    return [Counter(f"torchpaged:media_{name}", dict(labels), count) for name, count in counters.items()]


def adapter_metrics(
    labels: Mapping[str, str], max_loras: int, running: Sequence[str], waiting: Sequence[str], counts: AdapterCounts
) -> list[Metric]:
    """Return the metrics of an engine with adapters.

    Args:
        labels: of all metrics.
        max_loras: maximum number of adapters in a step.
        running, waiting: names of the adapters of running sequences, and of waiting ones.
        counts: of the registry.
    """
    # As in vLLM the names are labels, and the value is the time, by which a reader finds the newest.
    names = {"running_lora_adapters": ",".join(running), "waiting_lora_adapters": ",".join(waiting)}
    counters = {"hits": counts.num_hits, "misses": counts.num_misses, "reads": counts.num_reads}
    return [
        Gauge("vllm:lora_requests_info", {**labels, "max_lora": str(max_loras), **names}, time.time()),
        *(Counter(f"torchpaged:adapter_{name}", dict(labels), count) for name, count in counters.items()),
        Gauge("torchpaged:adapter_read_seconds", dict(labels), counts.read_seconds),
    ]


def tier_metrics(labels: Mapping[str, str], pool_hits: int, counts: TierCounts, io: IOCounts) -> list[Metric]:
    """Return the metrics of the prefix cache by tier, of an engine with a store below its pools.

    Args:
        labels: of all metrics.
        pool_hits: tokens of admitted requests that the pools had, or had from the store.
        counts, io: of the store.
    """
    tiers = {"pool": pool_hits - counts.num_hit_tokens, "store": counts.num_hit_tokens}
    of_store = {**labels, "tier": "store"}
    counters = {
        "blocks_looked_up": counts.num_looked_up,
        "blocks_found": counts.num_found,
        "blocks_read": io.num_read,
        "blocks_read_host": io.num_read_host,
        "blocks_lost": counts.num_lost,
        "blocks_written": io.num_written,
        "blocks_dropped": io.num_dropped,
        "read_bytes": io.read_bytes,
        "written_bytes": io.written_bytes,
        "reads_declined": counts.num_declined,
        "reads_shared": counts.num_shared,
        "reads_cut": counts.num_cut,
        "errors": io.num_errors,
    }
    seconds = {"read": counts.read_seconds, "saved": counts.saved_seconds, "write": io.write_seconds}
    return [
        *(Counter("torchpaged:prefix_tier_hits", {**labels, "tier": tier}, hits) for tier, hits in tiers.items()),
        *(Counter(f"torchpaged:prefix_tier_{name}", dict(of_store), count) for name, count in counters.items()),
        *(Counter(f"torchpaged:prefix_tier_{name}_seconds", dict(of_store), value) for name, value in seconds.items()),
    ]


_TOKENS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000)
_COMPLETIONS = (1, 2, 5, 10, 20)
_ITERATION = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
_PREEMPTIONS = (0, 1, 2, 5, 10, 20, 50, 100)
_SECONDS = (0.001, 0.005, 0.01, 0.02, 0.04, 0.08, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0)


class _Observations:
    """A histogram under way.

    Args:
        bounds: ascending.
    """

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds, self._counts, self._sum = bounds, [0] * (len(bounds) + 1), 0.0

    def observe(self, value: float, count: int = 1) -> None:
        self._counts[bisect_left(self._bounds, value)] += count
        self._sum += value * count

    def histogram(self, name: str, labels: dict[str, str]) -> Histogram:
        names = [*map(str, self._bounds), "+Inf"]
        buckets = dict(zip(names, accumulate(self._counts), strict=True))
        return Histogram(name, labels, sum(self._counts), self._sum, buckets)


class EndedRequests:
    """Counters of ended requests, and of steps."""

    def __init__(self) -> None:
        self._num_prompt_tokens = self._num_cached_tokens = 0
        self._by_reason = dict.fromkeys(("stop", "length", "abort", "error"), 0)
        self._observed = {
            "request_prompt_tokens": _Observations(_TOKENS),
            "request_generation_tokens": _Observations(_TOKENS),
            "request_params_n": _Observations(_COMPLETIONS),
            "request_params_max_tokens": _Observations(_TOKENS),
            "time_to_first_token_seconds": _Observations(_SECONDS),
            "inter_token_latency_seconds": _Observations(_SECONDS),
            "request_queue_time_seconds": _Observations(_SECONDS),
            "request_prefill_time_seconds": _Observations(_SECONDS),
            "request_inference_time_seconds": _Observations(_SECONDS),
            "request_time_per_output_token_seconds": _Observations(_SECONDS),
            "request_decode_time_seconds": _Observations(_SECONDS),
            "e2e_request_latency_seconds": _Observations(_SECONDS),
            "request_num_preemptions": _Observations(_PREEMPTIONS),
            "iteration_tokens_total": _Observations(_ITERATION),
        }
        self._times: dict[int, float] = {}  # by sequence, the time of its last token
        self._shown: dict[int, int] = {}  # number of tokens shown so far of unfinished requests that show deltas

    def note_step(self, num_tokens: int) -> None:
        """Count a step that has computed so many tokens."""
        self._observed["iteration_tokens_total"].observe(num_tokens)

    def note_tokens(self, progress: Progress, alive: Collection[int], now: float) -> None:
        """Count the time between tokens of a sequence; tokens that come together, as accepted drafts do, are one.

        Args:
            alive: ids of all unfinished sequences.
        """
        times, counts = self._times, dict[float, int]()
        for sequence in progress.held:  # the first token comes now
            times[sequence.id] = now
        for sequence, tokens in progress.moved:
            if tokens:
                if (last := times.get(sequence.id)) is not None:
                    counts[last] = counts.get(last, 0) + 1
                times[sequence.id] = now
        for last, count in counts.items():
            self._observed["inter_token_latency_seconds"].observe(now - last, count)
        if len(times) > 2 * len(alive) + 64:
            self._times = {id: last for id, last in times.items() if id in alive}

    def note(
        self, number: int, output: RequestOutput, *, is_delta: bool, n: int = 0, max_tokens: int | None = None
    ) -> None:
        """Count an output; a request counts when it is the last.

        Args:
            number: the request's.
            is_delta: if the output has only what is new since the last one.
            n, max_tokens: see `Request`.
        """
        if not (is_delta or output.finished):  # in the others each completion's end is shown once
            return
        for completion in output.outputs:
            if (reason := completion.finish_reason) is not None:
                self._by_reason[reason] = self._by_reason.get(reason, 0) + 1
        num_tokens = sum(len(completion.token_ids) for completion in output.outputs)
        if is_delta:
            num_tokens += self._shown.pop(number, 0)
        if not output.finished:
            self._shown[number] = num_tokens
            return
        self._num_prompt_tokens += len(output.prompt_token_ids)
        self._num_cached_tokens += output.num_cached_tokens or 0
        observed, times = self._observed, output.metrics
        observed["request_prompt_tokens"].observe(len(output.prompt_token_ids))
        observed["request_generation_tokens"].observe(num_tokens)
        observed["request_num_preemptions"].observe(times.num_preemptions)
        if n:
            observed["request_params_n"].observe(n)
        if max_tokens is not None:
            observed["request_params_max_tokens"].observe(max_tokens)
        if times.finished_time is None:
            return
        observed["e2e_request_latency_seconds"].observe(times.finished_time - times.arrival_time)
        if (scheduled := times.first_scheduled_time) is not None:
            observed["request_queue_time_seconds"].observe(max(0.0, scheduled - times.arrival_time))
            observed["request_inference_time_seconds"].observe(times.finished_time - scheduled)
            if times.first_token_time is not None:
                observed["request_prefill_time_seconds"].observe(times.first_token_time - scheduled)
        if times.first_token_time is not None:
            decoding = times.finished_time - times.first_token_time
            observed["time_to_first_token_seconds"].observe(times.first_token_time - times.arrival_time)
            observed["request_decode_time_seconds"].observe(decoding)
            observed["request_time_per_output_token_seconds"].observe(decoding / max(num_tokens - 1, 1))

    def metrics(
        self,
        labels: dict[str, str],
        gauges: Mapping[str, float],
        counters: Mapping[str, int],
        drafts: DraftCounts | None = None,
        prefill_budget: PrefillBudgetCounts | None = None,
    ) -> list[Metric]:
        """Return all metrics, each with labels of its own, after the given gauges and counters."""
        found: list[Metric] = [Gauge(f"vllm:{name}", dict(labels), float(value)) for name, value in gauges.items()]
        counted = {
            **counters,
            "prompt_tokens": self._num_prompt_tokens,
            "prompt_tokens_cached": self._num_cached_tokens,
        }
        found += [Counter(f"vllm:{name}", dict(labels), value) for name, value in counted.items()]
        found += [
            Counter("vllm:request_success", {**labels, "finished_reason": reason}, count)
            for reason, count in self._by_reason.items()
        ]
        if prefill_budget is not None:  # vLLM has none of these
            steps = {
                "beside_streams": prefill_budget.num_steps,
                "cut": prefill_budget.num_cut,
                "too_long": prefill_budget.num_long,
            }
            found += [Counter(f"torchpaged:steps_{name}", dict(labels), count) for name, count in steps.items()]
        if drafts is not None:
            of_drafts = {
                "drafts": drafts.drafts,
                "draft_tokens": drafts.tokens,
                "accepted_tokens": drafts.accepted,
            }
            found += [Counter(f"vllm:spec_decode_num_{name}", dict(labels), count) for name, count in of_drafts.items()]
            by_place = list(drafts.by_place)
            found.append(Vector("vllm:spec_decode_num_accepted_tokens_per_pos", dict(labels), by_place))
        found += [each.histogram(f"vllm:{name}", dict(labels)) for name, each in self._observed.items()]
        return found


def engine_metrics(
    labels: dict[str, str],
    stats: EngineStats,
    ended: EndedRequests,
    config: EngineConfig,
    num_swap_blocks: int,
    running: Sequence[str],
    waiting: Sequence[str],
) -> list[Metric]:
    """Return all metrics of an engine.

    Args:
        labels: of all metrics.
        running, waiting: as of `adapter_metrics`.
    """
    cache, memory = stats.cache, stats.memory
    gauges = {
        "num_requests_running": stats.num_running,
        "num_requests_waiting": stats.num_waiting + stats.num_swapped,
        "kv_cache_usage_perc": cache.num_used_blocks / cache.num_blocks,
    }
    counters = {
        "prefix_cache_queries": cache.num_queried_tokens,
        "prefix_cache_hits": cache.num_hit_tokens,
        "num_preemptions": stats.num_preemptions,
        "generation_tokens": stats.num_generated_tokens,
    }
    found = ended.metrics(labels, gauges, counters, stats.drafts, stats.prefill_budget)
    sizes = {"reserved": memory.reserved, "taken": memory.taken, "limit": memory.limit}
    found += [Gauge(f"torchpaged:kv_cache_{name}_bytes", dict(labels), float(size)) for name, size in sizes.items()]
    reasons = {"capacity": stats.num_waiting + stats.num_swapped - stats.num_parked, "deferred": stats.num_parked}
    found += [
        Gauge("vllm:num_requests_waiting_by_reason", {**labels, "reason": reason}, float(count))
        for reason, count in reasons.items()
    ]
    # The settings are labels, and the value is always 1, as in vLLM.
    settings = {
        "block_size": config.block_size,
        "cache_dtype": config.kv_cache_dtype,
        "enable_prefix_caching": config.enable_prefix_caching,
        "num_gpu_blocks": cache.num_blocks,
        "num_cpu_blocks": num_swap_blocks,
    }
    of_cache = {name: str(value) for name, value in settings.items()}
    found.append(Gauge("vllm:cache_config_info", {**labels, **of_cache}, 1.0))
    if stats.adapters is not None:
        found += adapter_metrics(labels, config.max_loras, running, waiting, stats.adapters)
    if stats.media is not None:
        found += media_metrics(labels, stats.media)
    if stats.tiers is not None and stats.tier_io is not None:
        found += tier_metrics(labels, cache.num_hit_tokens, stats.tiers, stats.tier_io)
    return found
