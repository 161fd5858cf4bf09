"""Products of an 8-bit cache's codes as they are, by TORCHPAGED_CODE_PRODUCTS: their error, and bits of rows."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from tests.ops import backends
from tests.ops.test_quantised import Quantised
from torchpaged.errors import ConfigError
from torchpaged.utils import environment

E4M3, E5M2, INT8 = torch.float8_e4m3fn, torch.float8_e5m2, torch.int8
# Least and most error of a row beside float64 over the same codes: (e4m3, int8).
ERRORS = {
    "": ((0.0, 2e-3), (0.0, 2e-3)),
    "query": ((1e-2, 6e-2), (2e-3, 2e-2)),
    "query-twice": ((1e-4, 5e-3), (1e-5, 2e-3)),
    "all": ((1e-2, 8e-2), (2e-3, 3e-2)),
}


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Any:
    backends.call("triton")
    from torchpaged.ops.triton import paged_attention

    return lambda value: monkeypatch.setattr(paged_attention, "_CODE_PRODUCTS", value)


@pytest.mark.parametrize("cache", [E4M3, INT8], ids=str)
@pytest.mark.parametrize(("dtype", "scales"), [(torch.bfloat16, "token"), (torch.float16, "head")], ids=str)
def test_errors(dtype: torch.dtype, scales: str, cache: torch.dtype, ask: Any) -> None:
    problem = Quantised("triton", cache, dtype, scales)
    right, _ = problem.expected(problem.stored(0), problem.stored(1))
    for value, errors in ERRORS.items():
        ask(value)
        out = problem.attend()[0].cpu().double()
        found = ((out - right).norm(dim=-1) / right.norm(dim=-1)).max().item()
        rounding = torch.finfo(dtype).eps  # of the result
        least, most = errors[cache == INT8]
        assert least <= found <= most + rounding, f"{value or 'converted'}: {found:.2e}"


@pytest.mark.parametrize("value", ["query-twice", "all"])
def test_bits_of_a_row(value: str, ask: Any) -> None:
    """A sequence's last token alone, and folded or split, has the bits that it has among others."""
    from tests.ops.test_last_merges import attend
    from tests.ops.test_prefill_sm90 import problem, quantised

    ask(value)
    tensors = problem(((3, 700), (1, 90)), heads=(2, 1), device=backends.device("triton"))
    scales = quantised(tensors, E4M3, "token")
    whole, _ = attend(tensors, num_splits=2, **scales)
    folded, _ = attend(tensors, num_splits=1, **scales)
    last: dict[str, Tensor] = {
        **tensors,
        "query": tensors["query"][2:3],
        "block_tables": tensors["block_tables"][:1],
        "seq_lens": tensors["seq_lens"][:1],
        "query_start_loc": torch.tensor([0, 1], dtype=torch.int32, device=tensors["query"].device),
    }
    alone, _ = attend(last, **scales)
    assert torch.equal(whole, folded) and torch.equal(alone[0], whole[2])


def test_what_is_converted_all_the_same(ask: Any) -> None:
    """e5m2 has too few bits for a query; heads in two parts and values that are their keys have no such kernel."""
    from tests.ops.test_last_merges import attend
    from tests.ops.test_prefill_sm90 import problem, quantised

    for dim, cache, shared in ((64, E5M2, False), (80, E4M3, False), (64, E4M3, True)):
        tensors = problem(((1, 40),), heads=(2, 1), head_dim=dim, device=backends.device("triton"))
        scales = quantised(tensors, cache, "tensor")
        if shared:
            tensors["value_cache"] = tensors["key_cache"]
        ask("")
        expected, _ = attend(tensors, **scales)
        ask("all")
        assert torch.equal(attend(tensors, **scales)[0], expected)


def test_an_unknown_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(environment.CODE_PRODUCTS, "keys")
    with pytest.raises(ConfigError, match="TORCHPAGED_CODE_PRODUCTS is 'keys', expected query, query-twice or all"):
        environment.check()
