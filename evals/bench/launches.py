"""Launches of a decode step of the compiled forward, counted without a GPU: what inductor generates for one.

    python evals/bench/launches.py [--kinds llama qwen3] [--context 4096] [--output evals/results/launches.json]

A small model of each kind is traced on the CPU; its graph is then compiled for fake tensors on an H100, as it is and as
`TORCHPAGED_FUSED_STEP=1` rewrites it, up to the code that would run. Counted are calls in that code: kernels of
inductor's, operators of ours with as many launches as their launchers make, and torch's, which are taken as one each
(cuBLAS adds one where it splits K). A layer's launches are the difference of three layers and two. The time of
a step is predicted from what an H100 measured (evals/results/engine-gpu.json): the bytes that it reads, and the rest of
the time divided by the launches.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from transformers import AutoConfig, AutoModelForCausalLM

from evals.bench import machine
from torchpaged import LLM
from torchpaged.compiler import optimize
from torchpaged.compiler.launch_fusion import join_launches
from torchpaged.compiler.passes import rewrite
from torchpaged.compiler.product_cache import CachedProducts
from torchpaged.execution.paged_kv_cache import PagedKVCache
from torchpaged.models.attention_metadata import AttentionMetadata, StepMetadata
from torchpaged.ops.triton import attention_plan
from torchpaged.ops.triton.paged_attention import MOST_MERGED_CHUNKS

SIZES = {
    "hidden_size": 512,
    "intermediate_size": 1024,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 1000,
}
BATCH = 8
H100 = SimpleNamespace(
    name="NVIDIA H100",
    major=9,
    minor=0,
    multi_processor_count=132,
    total_memory=80 << 30,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    shared_memory_per_block_optin=232448,
    shared_memory_per_multiprocessor=233472,
    L2_cache_size=50 << 20,
    gcnArchName="",
)


class _Stop(Exception):
    """The end of a compilation, once its code is known."""


@contextmanager
def no_device() -> Iterator[None]:
    """Answer inductor's questions about a device as an H100 would."""
    import triton
    from torch._inductor import scheduler
    from torch._inductor.fx_passes import joint_graph
    from torch.utils import _triton
    from triton.backends.compiler import GPUTarget

    driver = SimpleNamespace(
        get_current_target=lambda: GPUTarget("cuda", 90, 32),
        get_current_device=lambda: 0,
        get_current_stream=lambda device=0: 0,
        get_active_torch_device=lambda: torch.device("cuda"),
    )
    triton.runtime.driver.set_active(driver)
    answers: dict[str, Any] = {
        "is_available": True,
        "device_count": 1,
        "current_device": 0,
        "get_device_properties": H100,
        "_get_device_properties": H100,
        "get_device_capability": (9, 0),
        "get_device_name": H100.name,
        "get_rng_state": torch.empty(16, dtype=torch.uint8),
        "_exchange_device": 0,
        "_maybe_exchange_device": 0,
        "synchronize": None,
        "set_rng_state": None,
        "_lazy_init": None,
    }
    with ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, lambda *_, a=answer, **__: a, create=True))
        for module in (_triton, scheduler):
            stack.enter_context(mock.patch.object(module, "has_triton", lambda *_, **__: True))
        # The C++ side of `copy_` asks for the device of a tensor without one, above the dispatch to fake tensors.
        stack.enter_context(mock.patch.object(Tensor, "copy_", _copied))
        # The patterns that it prepares are traced with tensors of the device.
        stack.enter_context(mock.patch.object(joint_graph, "lazy_init", lambda *_, **__: None))
        yield


def _copied(self: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    with torch._C._AutoDispatchBelowAutograd():
        return torch.ops.aten.copy_.default(self, source, non_blocking)  # type: ignore[no-any-return]


def code_of(function: Callable[..., Any], arguments: tuple[Any, ...], mode: FakeTensorMode) -> str:
    """Return the code that inductor generates for a call with fake tensors on CUDA."""
    from torch._inductor import compile_fx, graph

    found: list[str] = []
    plain = graph.GraphLowering.codegen

    def codegen(self: Any) -> Any:
        code: Any = plain(self)[0]
        found.append(str(getattr(code, "value", code)))
        raise _Stop

    def backend(module: Any, inputs: Any) -> Callable[..., Any]:
        with no_device(), mock.patch.object(graph.GraphLowering, "codegen", codegen):
            try:
                compile_fx.compile_fx(module, inputs)
            except Exception as error:
                if not found:
                    raise RuntimeError(f"inductor has generated no code: {error}") from error
        return module.forward  # type: ignore[no-any-return]

    torch._dynamo.reset()
    compiled = torch.compile(function, fullgraph=True, dynamic=True, backend=backend)
    with mode, torch.inference_mode():
        compiled(*arguments)
    return found[0]


def launches_in(code: str, context: int, fused: bool) -> Counter[str]:
    """Return the launches of generated code by their kind."""
    body = code[code.index("def call(self, args)") :]
    found: Counter[str] = Counter()
    for line in body.splitlines():
        if re.match(r"\s*triton_\w+\.run\(", line):
            found["inductor"] += 1
        elif (match := re.match(r"\s*(?:\w+ = )?torch\.ops\.torchpaged\.(\w+)\.\w+\(", line)) is not None:
            found[match[1]] += _of_attention(context, fused) if match[1].startswith("paged_attention") else 1
        elif (match := re.match(r"\s*extern_kernels\.(\w+)\(", line)) is not None:
            found[match[1]] += 1
        elif (match := re.match(r"\s*(?:\w+ = )?torch\.ops\.aten\.(\w+)\.\w+\(", line)) is not None:
            found[f"aten.{match[1]}"] += 1
    return found


def _of_attention(context: int, fused: bool) -> int:
    """Return the launches of a decode's attention over a table for so many tokens."""
    chunks = -(-context // attention_plan.CHUNK)
    merged = fused and chunks <= MOST_MERGED_CHUNKS  # by the last program of the parts
    return 1 if chunks == 1 or merged else 2


@torch.inference_mode()
def step_on(mode: FakeTensorMode, spec: Any, caches: Any, context: int) -> tuple[Any, ...]:
    """Return the arguments of a decode step's forward, as fake tensors on CUDA."""
    long, whole = torch.int64, torch.int32
    with mode:

        def made(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.empty(shape, dtype=dtype, device="cuda")

        metadata = AttentionMetadata(
            made(BATCH, dtype=long),
            made(BATCH, -(-context // 16), dtype=whole),
            made(BATCH, dtype=whole),
            made(BATCH + 1, dtype=whole),
            1,
        )
        pools = [None if each is None else on_cuda(each, mode) for each in caches]
        step = StepMetadata([metadata], [0] * len(pools), pools)
        ids = made(BATCH, spec.embedding_size, dtype=spec.dtype) if spec.embedding_size else made(BATCH, dtype=long)
        return ids, made(BATCH, dtype=long), step, made(BATCH, dtype=long)


@torch.inference_mode()
def on_cuda(value: Any, mode: FakeTensorMode) -> Any:
    """Return a tensor, or a dataclass of tensors, as fake ones on CUDA."""
    if isinstance(value, Tensor):
        with mode:
            return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cuda")
    if is_dataclass(value) and not isinstance(value, type):
        changes = {each.name: on_cuda(getattr(value, each.name), mode) for each in fields(value)}
        return replace(value, **changes)
    return tuple(on_cuda(each, mode) for each in value) if isinstance(value, tuple) else value


def count(kind: str, layers: int, *, fused: bool, context: int) -> Counter[str]:
    """Return the launches of a decode step's forward of a small model, without its logits."""
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        kind, **SIZES, num_hidden_layers=layers, bos_token_id=None, eos_token_id=None, pad_token_id=None
    )
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).eval()
    loaded: Any = LLM(model, device="cpu", num_blocks=8, max_num_seqs=2, max_model_len=64, optimize=False).engine.model
    with torch.inference_mode():
        check = optimize._Check(loaded.weights._parts, loaded.spec, CachedProducts(model))
        traced, *_ = optimize._trace_model(loaded.weights._parts, loaded.spec, check)
        if fused:
            rewrite(traced, packs=False)
            join_launches(traced)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    module: nn.Module = traced.module()
    for name, value in list(module.__dict__.items()):
        if isinstance(value, Tensor):
            module.__dict__[name] = on_cuda(value.detach(), mode)
    caches = PagedKVCache(loaded.spec.layers, 8, 16, loaded.spec.dtype, torch.device("cpu")).by_layer()
    arguments = step_on(mode, loaded.spec, caches, context)
    return launches_in(code_of(module.forward, arguments, mode), context, fused)


def of_a_layer(kind: str, *, fused: bool, context: int) -> dict[str, int]:
    """Return a layer's launches by their kind."""
    few, many = (count(kind, layers, fused=fused, context=context) for layers in (2, 3))
    return {name: many[name] - few[name] for name in many if many[name] != few[name]}


def predicted(launches: float, before: float) -> dict[str, Any]:
    """Return the share of the bound that Llama 3 8B's step at batch 1 and 64 has with so many launches a layer.

    Args:
        before: those that the measured step had.
    """
    measured = json.loads((Path(__file__).parents[1] / "results" / "engine-gpu.json").read_text())["rows"]
    shares = {}
    for row in measured:
        if row["engine"] == "graphs":
            bound = row["step_ms"] * row["share_of_bound"]
            step = bound + (row["step_ms"] - bound) * launches / before
            shares[f"batch {row['batch']}"] = {"measured": row["share_of_bound"], "predicted": bound / step}
    return shares


def main() -> None:
    """Count, print a line for each kind and write all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", nargs="+", default=["llama", "qwen3"])
    parser.add_argument("--context", type=int, default=4096, help="tokens that the block table holds")
    parser.add_argument("--output", type=Path, default=Path("evals/results/launches.json"))
    options = parser.parse_args()
    rows = []
    for kind in options.kinds:
        counts = {fused: of_a_layer(kind, fused=fused, context=options.context) for fused in (False, True)}
        before, after = (sum(each.values()) for each in counts.values())
        rows.append({"kind": kind, "as it is": counts[False], "fused": counts[True]})
        if kind == "llama":
            rows[-1]["predicted"] = predicted(after, before)
        print(f"{kind}: {before:g} launches a layer, {after:g} with TORCHPAGED_FUSED_STEP=1; {counts}", flush=True)
    facts = {**machine.describe([sys.executable.rsplit("/", 1)[-1], *sys.argv]), "context": options.context}
    options.output.write_text(json.dumps({**facts, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
