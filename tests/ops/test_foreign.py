"""Other libraries' attention kernels as backends of our operator: their arguments and their results.

Without a GPU a stand-in replaces their function: it computes from exactly the arguments that it is given, by the
rules that their documentation states, and its result is compared with the float64 oracle.
"""

from __future__ import annotations

import inspect
import math
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops.cases import CASES, TOLERANCE, Case, Problem, build, error, named
from torchpaged import ops
from torchpaged.ops import attention, flashinfer, foreign, library, reference, varlen

NAMES = tuple(foreign.BACKENDS)
DTYPES = (torch.float16, torch.bfloat16)


OPERATOR = next(each for each in library.OPERATORS if each.overload == "paged_attention_with_lse")


def arguments(problem: Problem) -> dict[str, Any]:
    """Return the arguments as the registry names them for `supports`."""
    return OPERATOR.named_arguments(tuple(problem.arguments.values()), problem.options)


def attention_options(problem: Problem) -> dict[str, Any]:
    """Return the options as backends get them."""
    return attention.resolve(problem.arguments["query"], OPERATOR.named_arguments((), problem.options))


def reason(name: str, problem: Problem, **changed: Any) -> str | None:
    return foreign.supports(name)(**{**arguments(problem), **changed})


def attend(
    query: Tensor, cache: tuple[Tensor, Tensor], tables: Tensor, lens: Tensor, starts: Tensor, **options: Any
) -> tuple[Tensor, Tensor]:
    """Compute a stand-in's plain attention over pages."""
    out = torch.full((*query.shape[:2], cache[1].shape[3]), torch.nan, dtype=query.dtype)
    lse = torch.full(query.shape[:2], torch.nan)
    names = ("alibi_slopes", "sinks", "tree_mask", "k_scale", "v_scale", "distance_bias")
    plain = {**dict.fromkeys(names), "max_query_len": 0, "num_splits": 0}
    reference.paged_attention(query, *cache, tables, lens, starts, out, lse, **plain, **options)
    return out, lse


# --- torch's varlen_attn ---------------------------------------------------------------------------------------


@pytest.fixture
def stand_in_for_varlen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Install FlashAttention 3 as torch calls it: padding rows stay unchanged, rows without a key total +inf."""
    module = pytest.importorskip("torch.nn.attention.varlen", reason="torch has no torch.nn.attention.varlen")
    signature, calls = inspect.signature(module.varlen_attn_out), []

    def varlen_attn_out(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        call = given.arguments
        calls.append(call)
        left, right = call["window_size"]
        assert right in (0, -1) and call["cu_seq_k"] is None and call["return_aux"].lse
        assert call["enable_gqa"] or call["query"].shape[1] == call["key"].shape[2]
        lens, starts = call["seqused_k"], call["cu_seq_q"]
        assert starts.diff().max() <= call["max_q"] and lens.max() <= call["max_k"], "bounds, there"
        out, lse = attend(
            call["query"],
            (call["key"], call["value"]),
            call["block_table"],
            lens,
            starts,
            scale=call["scale"],
            causal=right == 0,
            sliding_window=left + 1,
            softcap=0.0,
        )
        written = int(starts[-1])
        call["out"][:written] = out[:written]
        lse[written:] = torch.nan
        return call["out"], lse.masked_fill(lse == -torch.inf, torch.inf).T  # [num_heads, num_tokens]

    monkeypatch.setattr(module, "varlen_attn_out", varlen_attn_out)
    monkeypatch.setattr(varlen, "_active", lambda: "FA3")
    varlen._has_tables.cache_clear()
    monkeypatch.setattr(varlen, "_has_tables", lambda: "block_table" in signature.parameters)
    return calls


def test_varlen_gets_our_tensors_and_bounds_that_hold(stand_in_for_varlen: list[dict[str, Any]]) -> None:
    problem = build(Case("hinted", max_query_len=1, num_splits=3, sliding_window=6), torch.bfloat16)
    query, key_cache, value_cache, tables, lens, starts = problem.arguments.values()
    out, options = torch.empty_like(query), attention_options(problem)
    varlen.paged_attention(*problem.arguments.values(), out, None, **options)
    (call,) = stand_in_for_varlen
    same = {"query": query, "key": key_cache, "value": value_cache, "out": out, "block_table": tables}
    assert all(call[name] is tensor for name, tensor in {**same, "seqused_k": lens, "cu_seq_q": starts}.items())
    assert (call["max_q"], call["max_k"]) == (14, 16 * tables.shape[1]), "14 tokens: the hint of 1 may be wrong"
    assert (call["window_size"], call["num_splits"], call["scale"]) == ((5, 0), 3, 64**-0.5)


# --- FlashInfer ------------------------------------------------------------------------------------------------


class Wrapper:
    """FlashInfer's wrapper, as documented and implemented: a plan from pages, logarithms to base 2, packed rows."""

    made: list[Wrapper]
    is_decode = False

    def __init__(self, workspace: Tensor, kv_layout: str = "NHD", **options: Any) -> None:
        assert workspace.dtype == torch.uint8 and not workspace.any() and kv_layout == "NHD"
        self.options = options
        self.made.append(self)

    def plan(self, *args: Any, **kwargs: Any) -> None:
        names = ["paged_kv_indptr", "paged_kv_indices", "paged_kv_last_page_len", "num_qo_heads", "num_kv_heads"]
        names += ["head_dim_qk", "page_size"]
        self.planned = dict(zip(names if self.is_decode else ["qo_indptr", *names], args, strict=True)) | kwargs
        if self.is_decode:
            assert "causal" not in kwargs, "not an argument of decode"
            self.planned |= {"qo_indptr": torch.arange(len(args[2]) + 1), "causal": True}

    def run(self, q: Tensor, paged_kv_cache: tuple[Tensor, Tensor], *, out: Tensor | None, return_lse: bool) -> Any:
        planned = self.planned
        starts, begins = planned["qo_indptr"], planned["paged_kv_indptr"]
        assert q.shape[0] == starts[-1], "FlashInfer refuses other sizes"
        assert (q.dtype, paged_kv_cache[0].dtype) == (planned["q_data_type"], planned["kv_data_type"])
        counts, last = begins.diff(), planned["paged_kv_last_page_len"]
        size = planned["page_size"]
        assert (counts > 0).all() and (last > 0).all() and (last <= size).all() and paged_kv_cache[0].shape[1] == size
        tables = torch.full((len(counts), int(counts.max())), 2**30, dtype=torch.int32)
        for i, (begin, count) in enumerate(zip(begins.tolist(), counts.tolist(), strict=False)):
            tables[i, :count] = planned["paged_kv_indices"][begin : begin + count]
        found, lse = attend(
            q,
            paged_kv_cache,
            tables,
            (counts - 1) * size + last,
            starts,
            scale=planned["sm_scale"],
            causal=planned["causal"],
            sliding_window=planned["window_left"] + 1,
            softcap=planned["logits_soft_cap"] or 0.0,
        )
        if out is not None:
            assert out.is_contiguous()
            found = out.copy_(found)
        return (found, lse / math.log(2.0)) if return_lse else found


@pytest.fixture
def stand_in_for_flashinfer(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Wrapper]]:
    made: list[Wrapper] = []
    module = types.ModuleType("flashinfer")
    module.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]
    for kind, is_decode in (("Prefill", False), ("Decode", True)):
        name = f"Batch{kind}WithPagedKVCacheWrapper"
        setattr(module, name, type(name, (Wrapper,), {"made": made, "is_decode": is_decode}))
    monkeypatch.setitem(sys.modules, "flashinfer", module)
    monkeypatch.setattr(flashinfer, "WORKSPACE_BYTES", 64)
    flashinfer._wrapper.cache_clear()
    yield made
    flashinfer._wrapper.cache_clear()


def test_a_plan_of_pages() -> None:
    tables = torch.tensor([[7, 3, 99, 99], [99, 99, 99, 99], [5, 99, 99, 99], [1, 2, 4, 99]], dtype=torch.int32)
    lens, starts = (torch.tensor(x, dtype=torch.int32) for x in ([20, 0, 16, 33], [0, 1, 1, 3, 4]))
    found = flashinfer.plan(tables, lens, starts, 16)
    assert found.rows is None and not found.is_decode
    assert found.query_starts.tolist() == [0, 1, 3, 4]
    assert found.page_starts.tolist() == [0, 2, 3, 6]
    assert found.pages.tolist() == [7, 3, 5, 1, 2, 4]
    assert found.last_page_len.tolist() == [4, 16, 1]
    tensors = (found.query_starts, found.page_starts, found.pages, found.last_page_len)
    assert {each.dtype for each in tensors} == {torch.int32}


def test_a_plan_around_rows_without_a_key() -> None:
    tables, lens = torch.tensor([[7], [9], [5]], dtype=torch.int32), torch.tensor([3, 0, 4], dtype=torch.int32)
    found = flashinfer.plan(tables, lens, torch.tensor([0, 1, 3, 4], dtype=torch.int32), 16)
    assert found.rows is not None and found.rows.tolist() == [0, 3] and found.is_decode


def test_a_plan_never_leaves_the_table() -> None:
    lens, starts = torch.tensor([1000], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.int32)
    found = flashinfer.plan(torch.tensor([[7, 3]], dtype=torch.int32), lens, starts, 16)
    assert (found.pages.tolist(), found.last_page_len.tolist()) == ([7, 3], [16])


def test_flashinfers_wrappers_are_made_once_a_kind(stand_in_for_flashinfer: list[Wrapper]) -> None:
    for _ in range(2):
        for name in ("decode", "prefill", "mha"):
            problem = build(named(name)[0], torch.bfloat16)
            out, options = torch.empty_like(problem.arguments["query"]), dict(problem.options, scale=0.1)
            flashinfer.paged_attention(*problem.arguments.values(), out, None, **options)
    kinds = [(type(each).__name__, each.options) for each in stand_in_for_flashinfer]
    prefill, decode = (f"Batch{kind}WithPagedKVCacheWrapper" for kind in ("Prefill", "Decode"))
    assert kinds == [(decode, {"use_tensor_cores": True}), (prefill, {}), (prefill, {})]


# --- Both ------------------------------------------------------------------------------------------------------


@pytest.fixture
def stand_ins(stand_in_for_varlen: Any, stand_in_for_flashinfer: Any) -> None:
    """Install both stand-ins."""


@pytest.mark.parametrize("name", NAMES)
def test_what_is_supported_equals_the_oracle(name: str, stand_ins: None) -> None:
    done = []
    for case in CASES:
        problem = build(case, torch.bfloat16)
        if reason(name, problem) is not None:
            continue
        query = problem.arguments["query"]
        out, lse = torch.full_like(query, torch.nan), torch.full(query.shape[:2], torch.nan)
        options = attention_options(problem)
        foreign.launcher(name)(*problem.arguments.values(), out, lse, **options)
        expected_out, expected_lse = problem.expected()
        assert error(out, expected_out) < TOLERANCE[torch.bfloat16], case
        assert error(lse, expected_lse) < TOLERANCE[torch.bfloat16], case
        done.append(case.name)
    assert {"decode", "hint-too-small", "padded", "padded-rows-of-nothing", "empty-sequences", "window"} <= {*done}
    assert {"not-causal-window", "block-5", "heads-first", "mqa", "splits", "head-dim-128", "scale"} <= {*done}
    assert ("softcap-window" in done or "window-softcap" in done) == (name == "flashinfer")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("alibi", "ALiBi"),
        ("sinks", "sinks"),
        ("tree", "a tree mask"),
        ("distance-bias", "a bias by distance"),
        ("value-narrower", "head_dim"),
        ("mla", "head_dim 576"),
        ("head-dim-72", "head_dim"),
    ],
)
def test_what_neither_can_is_named(name: str, case: str, said: str, stand_ins: None) -> None:
    found = reason(name, build(named(case)[0], torch.bfloat16))
    assert found is not None and said in found


@pytest.mark.parametrize("name", NAMES)
def test_types_scales_and_strides_that_are_refused(name: str, stand_ins: None) -> None:
    plain = build(named("plain")[0], torch.bfloat16)
    keys, values = plain.arguments["key_cache"], plain.arguments["value_cache"]
    assert reason(name, plain) is None
    assert reason(name, build(named("plain")[0], torch.float32)) == "queries in float32"
    quantised = {"key_cache": keys.to(torch.float8_e4m3fn), "value_cache": values.to(torch.float8_e4m3fn)}
    assert reason(name, plain, **quantised) == "a cache in float8_e4m3fn"
    assert reason(name, plain, **quantised, k_scale=torch.ones(())) == "a scale of keys"
    wide = torch.zeros(*keys.shape[:3], 68, dtype=keys.dtype)[..., :64]
    assert "multiple of 16 bytes" in str(reason(name, plain, key_cache=wide, value_cache=wide))


def test_softcap_and_sizes_by_who_can(stand_ins: None, monkeypatch: pytest.MonkeyPatch) -> None:
    softcap, wide = (build(named(name)[0], torch.bfloat16) for name in ("softcap", "head-dim-96"))
    assert (reason("torch-varlen", softcap), reason("flashinfer", softcap)) == ("softcap", None)
    assert (reason("torch-varlen", wide), reason("flashinfer", wide)) == (None, "head_dim 96: it has 64, 128, 256")
    monkeypatch.setattr(varlen, "_active", lambda: "FA4")
    assert reason("torch-varlen", build(named("head-dim-256")[0], torch.bfloat16)) == "head_dim 256 by FA4"


def test_what_is_missing_here_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = build(named("plain")[0], torch.bfloat16)
    monkeypatch.setattr(varlen, "_has_tables", lambda: True)
    assert "activate_flash_attention_impl" in str(reason("torch-varlen", problem))
    monkeypatch.setattr(varlen, "_has_tables", lambda: False)
    assert f"torch {torch.__version__}" in str(reason("torch-varlen", problem))
    monkeypatch.setitem(sys.modules, "flashinfer", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert reason("flashinfer", problem) == "a machine without flashinfer: pip install flashinfer-python"


@pytest.mark.parametrize("name", NAMES)
def test_they_run_by_name_alone(name: str, stand_ins: None) -> None:
    names = [row.name for row in ops.backends("paged_attention", "cuda")]
    assert names.index(name) > names.index("reference"), "behind one that can do everything: never a fallback"
    problem, capped = (build(named(each)[0], torch.bfloat16) for each in ("plain", "sinks"))
    ops.register_backend("paged_attention", "cpu", name, foreign.launcher(name), foreign.supports(name))
    try:
        ops.set_backend(name, op="paged_attention")
        out = torch.ops.torchpaged.paged_attention(*problem.arguments.values(), **problem.options)
        assert error(out, problem.expected()[0]) < TOLERANCE[torch.bfloat16]
        with pytest.raises(NotImplementedError, match=f"backend '{name}' does not support sinks"):
            torch.ops.torchpaged.paged_attention(*capped.arguments.values(), **capped.options)
    finally:
        ops.set_backend(None)
        ops.unregister_backend("paged_attention", "cpu", name)


# --- On a device -----------------------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_on_a_device_it_equals_the_oracle(name: str, case: Case, dtype: torch.dtype) -> None:
    problem = build(case, dtype, device="cuda")
    if (missing := reason(name, problem)) is not None:
        pytest.skip(f"{name} does not support {missing}")
    run: Callable[..., Any] = torch.ops.torchpaged.paged_attention_with_lse
    try:
        ops.set_backend(name, op="paged_attention")
        out, lse = run(*problem.arguments.values(), **problem.options)
    finally:
        ops.set_backend(None)
    expected_out, expected_lse = problem.expected()
    assert error(out, expected_out) < TOLERANCE[dtype]
    assert error(lse, expected_lse) < TOLERANCE[dtype]
