"""`torchpaged bench`: the standard workloads on a user's model, beside the limits of the machine."""

from __future__ import annotations

import dataclasses
import datetime
import importlib.util
import itertools
import json
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
from torch import nn

from torchpaged import __version__
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.errors import RequestError
from torchpaged.execution.executor import local_pool, local_states
from torchpaged.kv_cache import CacheKeys
from torchpaged.kv_cache.spec import StateSpec, TailSpec
from torchpaged.llm import LLM
from torchpaged.models.attention_metadata import LayerCache
from torchpaged.ops import int4_cache
from torchpaged.sampling_params import SamplingParams
from torchpaged.tools.bounds import Costs, Gauge, Limits, bound, costs_of
from torchpaged.tools.workloads import Measure, Workload, rate
from torchpaged.utils import atomic_files
from torchpaged.weights.packed_linear import PackedLinear

# Below this a step's fixed costs, about a millisecond on a CPU, dominate.
_SHORT_STEP_MS = 2.0


@dataclass(slots=True)
class Run:
    """Tokens of each request in one run of a workload, and their times in seconds from the start."""

    token_ids: list[list[int]]
    times: list[list[float]]


@dataclass(slots=True)
class Row:
    """A workload's rates over the rounds, and the upper bound for this machine."""

    workload: Workload
    rates: list[float] = field(default_factory=list)
    bound: float | None = None
    bound_by: str = ""
    skipped: str | None = None

    @property
    def rate(self) -> float:
        """Median of the rates."""
        return statistics.median(self.rates)


@dataclass(slots=True)
class Report:
    """Results of `bench`. Seconds count from the start of this process; bytes are the peak of its resident set."""

    rows: list[Row]
    limits: Limits
    startup_seconds: float
    peak_bytes: int
    costs: Costs | None

    def table(self) -> str:
        """Return a table with one line per workload, and the limits of the machine."""
        lines = [f"{'workload':<34}{'tokens/s':>10}{'at most':>10}{'reached':>9}  limited by"]
        names = {"read": "reading memory", "gemm": "matrix products", "": ""}
        for row in self.rows:
            title = row.workload.title
            if row.skipped is not None:
                lines.append(f"{title:<34}  left out: {row.skipped}")
                continue
            most, reached = ("", "") if row.bound is None else (f"{row.bound:.1f}", f"{row.rate / row.bound:.0%}")
            lines.append(f"{title:<34}{row.rate:>10.1f}{most:>10}{reached:>9}  {names[row.bound_by]}".rstrip())
        lines += [
            f"{'start to first token':<34}{self.startup_seconds:>8.1f} s",
            f"{'memory at the peak':<34}{self.peak_bytes / 2**30:>8.2f} GiB",
            f"this machine {self.limits}",
        ]
        lines += self._small_model()
        if self.costs is None:
            lines.append("no bounds: this model's weights are not all read in a step, or are not transformers'")
        return "\n".join(lines)

    def _small_model(self) -> list[str]:
        """Explain low rates of a small model: the fixed costs of a step do not shrink with the model."""
        for row in self.rows:
            if row.bound is None or row.workload.measure is not Measure.DECODE or not row.rates:
                continue
            least, took = (1000 * len(row.workload.prompts) / rate for rate in (row.bound, row.rate))
            if least < _SHORT_STEP_MS:
                return [
                    f"a small model: reading its weights takes {least:.2f} ms of a step of {row.workload.title}, which "
                    f"took {took:.2f} ms; the rest (scheduling, sampling, Python) is the same for a larger model"
                ]
        return []

    def write(self, path: Path, llm: LLM, command: Sequence[str]) -> None:
        """Write the results as JSON, with machine, versions, settings, date and command."""
        rows = [
            {
                "name": row.workload.name,
                "title": row.workload.title,
                "measure": row.workload.measure.value,
                "prompt_tokens": [len(prompt) for prompt in row.workload.prompts],
                "generated_tokens": row.workload.max_tokens,
                "unit": row.workload.unit,
                "rates": row.rates,
                "bound": row.bound,
                "bound_by": row.bound_by,
                "skipped": row.skipped,
            }
            for row in self.rows
        ]
        config = llm.engine.config
        settings = {f.name: getattr(config, f.name) for f in dataclasses.fields(config) if f.name != "eviction_policy"}
        result = {
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "command": list(command),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "threads": torch.get_num_threads(),
            "device": str(llm.engine.model.spec.device),
            "dtype": str(llm.engine.model.spec.dtype),
            # Not from metadata, because with SYSTEM=1 the package runs from its tree and is not installed.
            "versions": {"torchpaged": __version__}
            | {name: metadata.version(name) for name in ("torch", "transformers") if importlib.util.find_spec(name)},
            "settings": settings,
            "read_bytes_per_s": self.limits.read,
            "gemm_flops_per_s": self.limits.gemm,
            "startup_seconds": self.startup_seconds,
            "peak_bytes": self.peak_bytes,
            "rows": rows,
        }
        atomic_files.write(path, json.dumps(result, indent=1).encode() + b"\n")


def bench(
    llm: LLM, workloads: Sequence[Workload], *, rounds: int = 1, progress: Callable[[str], None] = lambda text: None
) -> Report:
    """Run the workloads in turn, `rounds` times, and measure the machine between the rounds.

    Args:
        progress: called with a description of the next measurement.
    """
    engine = llm.engine
    model = engine.model
    run(engine, dataclasses.replace(workloads[0], prompts=[[1] * 4], max_tokens=[1], shared=0, filled=0))
    startup, costs = seconds_of_process(), engine_costs(engine)
    progress("memory and matrix products")
    gauge = Gauge(model.spec.device, model.spec.dtype)
    gauge.sample()
    rows = [Row(workload, skipped=why_not(engine, workload)) for workload in workloads]
    for number in range(rounds):
        for row in rows:
            if row.skipped is None:
                progress(f"{row.workload.title}, round {number + 1} of {rounds}")
                row.rates.append(rate(row.workload, run(engine, row.workload).times))
        gauge.sample()
    for row in rows:
        if costs is not None and row.skipped is None:
            row.bound, row.bound_by = bound(row.workload, costs, gauge.median)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Report(rows, gauge.median, startup, peak, costs)


def run(engine: LLMEngine, workload: Workload) -> Run:
    """Add all requests and step until the last one ends, starting with an empty prefix cache."""
    engine.reset_prefix_cache()
    names = [f"bench-{index}" for index in range(len(workload.prompts))]
    result = Run([[] for _ in names], [[] for _ in names])
    with filled(engine, [prompt[: workload.filled] for prompt in workload.prompts if workload.filled]):
        start = time.perf_counter()
        adapters = itertools.cycle(workload.adapters or [None])
        for name, prompt, count in zip(names, workload.prompts, workload.max_tokens, strict=True):
            params = SamplingParams(temperature=0.0, max_tokens=count, ignore_eos=True)
            engine.add_request(name, prompt, params, lora_request=next(adapters))
        while engine.has_unfinished_requests:
            outputs = engine.step()
            now = time.perf_counter() - start
            for output in outputs:
                index = int(output.request_id.removeprefix("bench-"))
                if output.outputs[0].error is not None:
                    raise RequestError(f"{workload.name}: {output.outputs[0].error}")
                token_ids = output.outputs[0].token_ids
                result.times[index] += [now] * (len(token_ids) - len(result.times[index]))
                result.token_ids[index] = list(token_ids)
    return result


@contextmanager
def filled(engine: LLMEngine, prefixes: Sequence[Sequence[int]]) -> Iterator[None]:
    """Fill the cache with random values for some prefixes, which requests find while the context is entered.

    Raises:
        RequestError: the pool is too small.
    """
    manager, cache = engine.scheduler.manager, local_pool(engine.executor)
    states = local_states(engine.executor)
    for number, token_ids in enumerate(prefixes):
        tables = manager.adopt(f"bench-{number}", token_ids)
        if tables is None:
            raise RequestError(f"the pool of {manager.pool.num_usable} blocks cannot hold {len(token_ids)} tokens more")
        for group, table in zip(engine.executor.groups, tables, strict=True):
            blocks = torch.tensor([block for block in table if block], dtype=torch.int64, device=cache.device)
            for index in () if isinstance(group.spec, TailSpec) else group.layers:
                if isinstance(group.spec, StateSpec):
                    assert states is not None
                    kept = states.caches[index]
                    for tensor in (kept.state, kept.conv_state):
                        _fill(tensor, blocks)
                    continue
                layer = cache.caches[index]
                parts = (layer, *layer.index) if isinstance(layer, LayerCache) else ()
                scales = [each for part in parts for each in (part.k_scale, part.v_scale)]
                for each in scales:
                    if each is not None:
                        each[blocks] = 0.01
                for tensor in layer.tensors:
                    if not any(tensor is each for each in scales):
                        _fill(tensor, blocks)
        manager.reveal(f"bench-{number}", token_ids, CacheKeys())
    # The blocks can be evicted from here on, but nothing else runs that would need them.
    for number in range(len(prefixes)):
        manager.unpin(f"bench-{number}")
    yield
    engine.reset_prefix_cache()


def _fill(tensor: torch.Tensor | None, blocks: torch.Tensor) -> None:
    """Write random numbers into blocks of a tensor, if there is one."""
    if tensor is not None:
        size = (len(blocks), *tensor.shape[1:-1], int4_cache.row_numbers(tensor.shape[-1], tensor.dtype))
        drawn = torch.randn(size, dtype=torch.bfloat16, device=tensor.device)
        packed = tensor.dtype == int4_cache.DTYPE
        _bytes(tensor)[blocks] = int4_cache.pack(drawn) if packed else _bytes(drawn.to(tensor.dtype))


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """View 8-bit floats as bytes, because indexing does not support them."""
    return tensor.view(torch.uint8) if tensor.dtype.itemsize == 1 else tensor


def why_not(engine: LLMEngine, workload: Workload) -> str | None:
    """Return why a workload does not fit the engine's settings; None: it fits."""
    if workload.longest > engine.max_model_len:
        return f"{workload.longest} tokens, max_model_len is {engine.max_model_len}"
    if workload.filled and not engine.config.enable_prefix_caching:
        return "it needs the prefix cache, which is switched off"
    pool = engine.scheduler.manager.pool
    size = engine.config.block_size
    needed = sum(
        -(-(len(prompt) + count) // size)
        for prompt, count in zip(workload.prompts, workload.max_tokens, strict=True)
    ) * len(engine.executor.groups)  # fmt: skip
    if workload.filled and needed > pool.num_usable:
        return f"its contexts need {needed} blocks, the pool has {pool.num_usable}; raise num_blocks"
    return None


def engine_costs(engine: LLMEngine) -> Costs | None:
    """Return the costs of a token in the engine's model; None if the bounds would not hold for it."""
    model = engine.model
    config: Any = getattr(model, "config", None)
    if config is None or model.weights is None:
        return None
    module: Any = model.weights.module
    return costs_of(
        config,
        model.spec.layers,
        model.spec.dtype.itemsize,
        int4_cache.bytes_per_number(local_pool(engine.executor).dtype),
        quantised=quantised_bytes(module),
        trust_remote_code=engine.config.trust_remote_code,
        states=tuple(model.spec.states.values()),
        state_chunk=model.spec.state_chunk,
    )


def quantised_bytes(module: nn.Module) -> dict[str, int]:
    """Return the bytes of each linear module with weights of 8 or 4 bits, as a step reads them."""
    found: dict[str, int] = {}
    for name, each in module.named_modules():
        if isinstance(each, PackedLinear):
            if each.quantised:
                found[name] = each.weight_bytes
        elif isinstance(each, nn.Linear) and hasattr(each.weight, "__tensor_flatten__"):  # torchao's
            weight: Any = each.weight
            parts = [getattr(weight, part) for part in weight.__tensor_flatten__()[0]]
            found[name] = sum(part.nbytes for part in parts)
    return found


def seconds_of_process() -> float:
    """Return the age of this process: from /proc if available, else its processor time."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[19])  # starttime, field 22; this list begins at field 3
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return time.process_time()
