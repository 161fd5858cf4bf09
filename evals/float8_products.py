"""Error of attention if e4m3 codes went to the tensor cores as they are, by emulation of the kernels' order.

    python -m evals.float8_products

An 8-bit product takes both operands in 8 bits, so the query and the weights would be rounded to e4m3 too. Printed is
the largest error of a row's norm beside float64 over the same codes; evals/results/triton-notes.md says what follows.
"""

from __future__ import annotations

import torch
from torch import Tensor

CODES = torch.float8_e4m3fn
LARGEST = torch.finfo(CODES).max
DIM, ROWS, TILE = 128, 32, 64


def scaled(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row's codes as float32, and its scale."""
    scale = x.abs().amax(1, keepdim=True) / LARGEST
    return (x / scale).to(CODES).float(), scale


def two_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return each row as the sum of two codes, the second a sixteenth of its own value, and its scale."""
    first, scale = scaled(x)
    return first + ((x / scale - first) * 16).to(CODES).float() / 16, scale


def attend(
    query: tuple[Tensor, Tensor], keys: tuple[Tensor, Tensor], values: tuple[Tensor, Tensor], p8: bool
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
        p, p_scale = scaled(weights) if p8 else ((weights * 256).half().float(), torch.tensor(1 / 256))
        out = out * shrink[:, None] + (p.double() @ v[tile].double()).float() * p_scale
    return out / total[:, None]


def main() -> None:
    """Print a line for each length and spread of the scores."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    print(f"{'keys':>6} {'query':>6} {'codes':>8}  today   q       q twice P       q and P")
    for count, spread in ((512, 1), (4096, 1), (4096, 4), (4096, 8)):
        query = (torch.randn(ROWS, DIM) * spread).bfloat16().float()
        key, value = torch.randn(count, DIM), torch.randn(count, DIM)
        keys, values = scaled(key), scaled(value)

        def exact(k: Tensor, v: Tensor, query: Tensor = query) -> Tensor:
            return torch.softmax(query.double() @ k.double().T * DIM**-0.5, -1) @ v.double()

        def error(found: Tensor, right: Tensor) -> str:
            return f"{((found.double() - right).norm(dim=1) / right.norm(dim=1)).max().item():7.2%}"

        right = exact(keys[0] * keys[1], values[0] * values[1])
        plain = query, torch.ones(ROWS, 1)
        variants = (
            (plain, False),
            (scaled(query), False),
            (two_parts(query), False),
            (plain, True),
            (scaled(query), True),
        )
        found = (error(attend(q, keys, values, p8), right) for q, p8 in variants)
        print(f"{count:>6} {spread:>5}x", error(right, exact(key, value)), *found, flush=True)


if __name__ == "__main__":
    main()
