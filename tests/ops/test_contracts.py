"""Results of torch's own checks for the operators: one node each, no read on the host, no copy of a cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.utils import counters
from torch._higher_order_ops import auto_functionalize
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

from torchpaged import AttentionMetadata
from torchpaged.errors import TransformError
from torchpaged.ops.in_place import keep_in_place

ROOT = Path(__file__).resolve().parents[2]
OPS = torch.ops.torchpaged
BLOCK, HEADS, KV_HEADS, DIM = 4, 4, 2, 16
CALLS = ["write_kv_cache", "paged_attention"] * 2
Caches = list[tuple[Tensor, Tensor]]


class Layers(nn.Module):
    """Attention of two layers, without any operator that torch would compile itself."""

    def forward(self, x: Tensor, caches: Caches, slots: Tensor, *tables: Tensor) -> Tensor:
        query, key, value = x.split([HEADS, KV_HEADS, KV_HEADS], dim=1)
        for key_cache, value_cache in caches:
            OPS.write_kv_cache(key, value, key_cache, value_cache, slots)
            query = OPS.paged_attention(query, key_cache, value_cache, *tables)
        return query


def pool() -> Caches:
    key, value, *others = (torch.zeros(40, BLOCK, KV_HEADS, DIM) for _ in range(4))
    return [(key, value), (others[0], others[1])]


def step(num_seqs: int = 3, length: int = 7, query_len: int = 1) -> tuple[Tensor, AttentionMetadata]:
    """Return the last tokens of sequences of one length."""
    width = -(-length // BLOCK)
    tables = torch.arange(1, num_seqs * width + 1, dtype=torch.int32).view(num_seqs, width)
    positions = torch.arange(length - query_len, length)
    slots = (tables[:, positions // BLOCK].long() * BLOCK + positions % BLOCK).flatten()
    starts = torch.arange(num_seqs + 1, dtype=torch.int32) * query_len
    x = torch.randn(num_seqs * query_len, HEADS + 2 * KV_HEADS, DIM)
    return x, AttentionMetadata(slots, tables, torch.full((num_seqs,), length, dtype=torch.int32), starts, 0)


def tensors(metadata: AttentionMetadata) -> tuple[Tensor, ...]:
    return metadata.slot_mapping, metadata.block_tables, metadata.seq_lens, metadata.query_start_loc


def inputs(**sizes: int) -> tuple[Any, ...]:
    x, metadata = step(**sizes)
    return x, pool(), *tensors(metadata)


def same(run: Any, given: tuple[Any, ...]) -> None:
    """Check that results and caches equal the plain module's, bit for bit."""
    caches = [tuple(map(torch.clone, pair)) for pair in given[1]]
    expected = Layers()(given[0], caches, *given[2:])
    assert torch.equal(run(*given), expected)
    for pair, other in zip(given[1], caches, strict=True):
        assert all(each.any() and torch.equal(each, written) for each, written in zip(pair, other, strict=True))


def operators(graph: Any) -> list[str]:
    """Return the operators' names; fail on copies and on reads by the host."""
    names = [str(node.target) for node in graph.nodes if node.op == "call_function"]
    assert not [name for name in names if "clone" in name or "item.default" in name or "_local_scalar" in name]
    return [name.split(".")[1] for name in names if name.startswith("torchpaged.")]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    torch.compiler.reset()
    counters.clear()
    with torch.inference_mode(False), torch.no_grad():
        yield
    torch.compiler.reset()


@pytest.mark.parametrize("mode", ["real", "fake", "symbolic"])
def test_make_fx(mode: str) -> None:
    traced = make_fx(Layers(), tracing_mode=mode)(*inputs())
    assert operators(traced.graph) == CALLS
    same(traced, inputs())
    if mode == "symbolic":
        same(traced, inputs(num_seqs=5, length=11, query_len=2))


def test_fake_tensors() -> None:
    with FakeTensorMode() as mode:
        given = torch.utils._pytree.tree_map(mode.from_tensor, inputs())
        out = Layers()(*given)
    assert out.shape == (3, HEADS, DIM) and out.dtype == torch.float32


def test_draft_export_finds_nothing_to_report() -> None:
    program = torch.export.draft_export(Layers(), inputs())
    assert program._report.failures == [] and not program._report.op_profiles
    assert operators(program.graph) == CALLS
    same(program.module(), inputs())


def test_functional_call() -> None:
    same(lambda *given: torch.func.functional_call(Layers(), {}, given), inputs())


def test_one_graph_without_a_break() -> None:
    explained = torch._dynamo.explain(Layers())(*inputs())
    assert (explained.graph_count, explained.graph_break_count) == (1, 0), explained


SHAPES = [(1, 1, 1), (1, 5, 5), (2, 3, 1), (3, 7, 1), (4, 11, 2), (1, 9, 1), (5, 8, 3), (2, 17, 17)]


def graphs(marked: int) -> int:
    """Return the number of graphs that torch captures for eight steps with so many marked."""
    compiled = torch.compile(Layers(), fullgraph=True, backend="aot_eager")
    for number, sizes in enumerate(SHAPES):
        x, metadata = step(*sizes)
        if number < marked:
            metadata.mark_dynamic(x)
        same(compiled, (x, pool(), *tensors(metadata)))
    return int(counters["stats"]["unique_graphs"])


def test_one_graph_for_steps_of_all_sizes() -> None:
    """Otherwise sizes 0 and 1 get separate graphs: a token, a sequence, a table of one block."""
    assert graphs(marked=8) == 1


def test_it_is_enough_to_mark_the_first_step() -> None:
    assert graphs(marked=1) == 1


def decomposed(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch's own, of its trees
        return program.run_decompositions()


def test_decomposed_programs_write_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's decomposition makes each write copy its cache; `keep_in_place` removes the copies."""
    copied: list[torch.Size] = []

    def copy(tensor: Tensor) -> Tensor:
        copied.append(tensor.shape)
        return tensor.clone()

    monkeypatch.setattr(auto_functionalize, "clone_preserve_strides", copy)
    program = torch.export.export(Layers(), inputs())
    assert operators(program.graph) == CALLS
    same(program.module(), inputs())
    assert not copied
    without = decomposed(program)
    copied.clear()  # of its tracing
    same(without.module(), inputs())
    assert len(copied) == 4
    copied.clear()
    same(keep_in_place(without).module(), inputs())
    assert not copied


def test_what_a_cache_was_before_a_write() -> None:
    """A copy in the program stays a copy; old contents cannot be read without one."""

    class Before(nn.Module):
        def forward(self, key: Tensor, cache: Tensor, slots: Tensor) -> Tensor:
            before = cache.clone()
            OPS.write_kv_cache(key, key, cache, torch.zeros_like(cache), slots)
            return before

    x, metadata = step()
    key, cache = x[:, :KV_HEADS].clone(), pool()[0][0]
    program = decomposed(torch.export.export(Before(), (key, cache, metadata.slot_mapping)))
    assert not keep_in_place(program).module()(key, cache, metadata.slot_mapping).any() and cache.any()
    (write,) = program.graph.find_nodes(op="call_function", target=auto_functionalize.auto_functionalized_v2)
    with program.graph.inserting_after(write):
        program.graph.call_function(torch.ops.aten.neg.default, (write.kwargs["_all_bases"][0],))
    with pytest.raises(TransformError, match=r"keep_in_place: cache, which torchpaged\.write_kv_cache\.default writes"):
        keep_in_place(program)


def test_graph_partitions() -> None:
    with torch._inductor.config.patch(graph_partition=True, force_disable_caches=True):
        same(torch.compile(Layers(), fullgraph=True), inputs())


def test_compiled_code_is_found_in_torchs_cache() -> None:
    """The graph's key is known: our operators do not make torch bypass its cache."""
    from torch._inductor.utils import fresh_cache  # it takes seconds

    with fresh_cache():
        for found in ("autograd_cache_miss", "autograd_cache_hit"):
            torch.compiler.reset()
            counters.clear()
            same(torch.compile(Layers(), fullgraph=True), inputs())
            assert counters["aot_autograd"][found] == 1 and not counters["aot_autograd"]["autograd_cache_bypass"]
            assert not counters["inductor"]["fxgraph_cache_bypass"]


IN_ANOTHER_PROCESS = """
import json, torch
from tests.ops.test_contracts import Layers, counters, inputs, same
with torch.no_grad():
    same(torch.compile(Layers(), fullgraph=True), inputs())
print(json.dumps(counters["aot_autograd"]))
"""


@pytest.mark.long
def test_and_so_it_is_by_another_process(tmp_path: Path) -> None:
    for found in ("autograd_cache_miss", "autograd_cache_hit"):
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", IN_ANOTHER_PROCESS]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1])[found] == 1
