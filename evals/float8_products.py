"""Error of attention if an 8-bit cache's codes go to the tensor cores as they are, by emulation of the kernel's order.

    python -m evals.float8_products

An 8-bit product takes both operands in 8 bits, so the query and the softmax's weights are rounded to the cache's type
too: TORCHPAGED_CODE_PRODUCTS=query, query-twice (a second code has what the first leaves) and all (the weights too). A
row is the largest error of an output's norm beside float64 over the same codes; "codes" is the error of the codes
themselves. Written to evals/results/float8-products.json. The kernel itself has these errors in Triton's interpreter:
tests/ops/test_code_products.py.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import torch
from torch import Tensor

RESULTS = Path(__file__).parent / "results" / "float8-products.json"
# A type's largest number, and the factor of what a code leaves in the second code.
CACHES = {torch.float8_e4m3fn: (448.0, 16.0), torch.int8: (127.0, 254.0)}
DIM, ROWS, TILE = 128, 32, 64
COLUMNS = ("cache", "keys", "query", "codes", "converted", "query in codes", "query twice", "weights", "all")


def codes_of(x: Tensor, cache: torch.dtype) -> Tensor:
    """Return the nearest codes, as float32."""
    return (x.round() if cache == torch.int8 else x).to(cache).float()


def scaled(x: Tensor, cache: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return each row's codes as float32, and its scale."""
    scale = x.abs().amax(1, keepdim=True) / CACHES[cache][0]
    return codes_of(x / scale, cache), scale


def two_parts(x: Tensor, cache: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return each row as the sum of two codes, and its scale."""
    first, scale = scaled(x, cache)
    rest = CACHES[cache][1]
    return first + codes_of((x / scale - first) * rest, cache) / rest, scale


def attend(
    query: tuple[Tensor, Tensor],
    keys: tuple[Tensor, Tensor],
    values: tuple[Tensor, Tensor],
    weights_in: torch.dtype | None,
) -> Tensor:
    """Return the output of rows over codes with a scale a token: tiles of keys, a running maximum, float32 sums."""
    (q, q_scale), (k, k_scale), (v, v_scale) = query, keys, values
    out, total = torch.zeros(len(q), DIM), torch.zeros(len(q))
    top = torch.full((len(q),), -torch.inf)
    for first in range(0, len(k), TILE):
        tile = slice(first, first + TILE)
        scores = (q.double() @ k[tile].double().T).float() * k_scale[tile, 0] * (q_scale * DIM**-0.5)
        most = torch.maximum(top, scores.amax(1))
        weights, shrink = torch.exp(scores - most[:, None]), torch.exp(top - most)
        total, top = total * shrink + weights.sum(1), most
        weights = weights * v_scale[tile, 0]
        if weights_in is None:
            p, p_scale = (weights * 256).half().float(), torch.tensor(1 / 256)
        else:
            p, p_scale = scaled(weights, weights_in)
        out = out * shrink[:, None] + (p.double() @ v[tile].double()).float() * p_scale
    return out / total[:, None]


def measure(cache: torch.dtype, count: int, spread: int) -> list[float]:
    """Return the errors of COLUMNS for keys and values of unit variance and queries `spread` times as large."""
    query = (torch.randn(ROWS, DIM) * spread).bfloat16().float()
    key, value = torch.randn(count, DIM), torch.randn(count, DIM)
    keys, values = scaled(key, cache), scaled(value, cache)

    def exact(k: Tensor, v: Tensor) -> Tensor:
        return torch.softmax(query.double() @ k.double().T * DIM**-0.5, -1) @ v.double()

    def error(found: Tensor, right: Tensor) -> float:
        return ((found.double() - right).norm(dim=1) / right.norm(dim=1)).max().item()

    right = exact(keys[0] * keys[1], values[0] * values[1])
    plain = query, torch.ones(ROWS, 1)
    one = scaled(query, cache)
    variants = ((plain, None), (one, None), (two_parts(query, cache), None), (plain, cache), (one, cache))
    return [error(right, exact(key, value)), *(error(attend(q, keys, values, p), right) for q, p in variants)]


def main() -> None:
    """Print and keep a row for each type, length and spread of the scores."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print(" ".join(f"{column:>14}" for column in COLUMNS))
    rows = []
    for cache in CACHES:
        for count, spread in ((512, 1), (4096, 1), (4096, 4), (4096, 8)):
            name, errors = str(cache).removeprefix("torch."), measure(cache, count, spread)
            print(f"{name:>14} {count:>14} {spread:>13}x", *(f"{each:>14.2%}" for each in errors), flush=True)
            rows.append([name, count, spread, *(float(f"{each:.3g}") for each in errors)])
    facts = {"date": str(date.today()), "command": "python -m evals.float8_products", "columns": COLUMNS}
    lines = ",\n ".join(map(json.dumps, rows))
    RESULTS.write_text(f'{json.dumps(facts)[:-1]}, "rows": [\n {lines}\n]}}\n')


if __name__ == "__main__":
    main()
