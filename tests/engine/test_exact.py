"""Detection of exact models: exact ones, ones with one inexact part, and ones that are not checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests import models
from tests.engine.test_schedules import rowwise
from tests.fakes import FakeModel
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM
from torchpaged.errors import ConfigError
from torchpaged.execution.exact import is_exact, why_not_exact
from torchpaged.integrations.transformers import adapter
from torchpaged.models.model import LayerShape
from torchpaged.ops import cpu


@pytest.mark.parametrize("kind", ["llama", "gemma2"])
def test_products_by_row_are_exact(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(nn.Linear, "forward", rowwise)
    assert is_exact(adapter.wrap(models.build(kind, num_hidden_layers=2, **SPECIAL.get(kind, {}))))


@pytest.mark.parametrize("num_rows", [1, 2, 4, 8, 16, 17, 36, 38])
def test_a_product_that_differs_for_one_number_of_rows(monkeypatch: pytest.MonkeyPatch, num_rows: int) -> None:
    def differing(module: nn.Linear, x: Tensor) -> Tensor:
        return rowwise(module, x) * (1.0001 if x.shape[-2] == num_rows else 1.0)

    model = adapter.wrap(models.build("llama", num_hidden_layers=1))
    monkeypatch.setattr(nn.Linear, "forward", differing)
    assert not is_exact(model)


class Toy(FakeModel):
    """A model whose logits depend on the token, plus a term of its step.

    Args:
        more: of the packed tokens, and a row of them.
    """

    def __init__(self, more: Callable[[Tensor, int], float] = lambda tokens, row: 0.0, **spec: Any) -> None:
        super().__init__()
        self.spec, self.more = replace(FakeModel.spec, **spec), more

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        group, least = metadata.groups[0], self.spec.least
        sizes = (len(input_ids), len(rows), len(group.seq_lens), group.block_tables.shape[1])
        assert min(sizes) >= least and len(input_ids) == len(positions) == len(group.slot_mapping)
        logits = torch.nn.functional.one_hot(input_ids[rows], self.spec.vocab_size).float()
        return logits + torch.tensor([self.more(input_ids, row) for row in rows.tolist()])[:, None]


@pytest.mark.parametrize(
    ("more", "exact"),
    [
        (lambda tokens, row: 0.0, True),
        (lambda tokens, row: float(tokens[row]), True),
        (lambda tokens, row: float(tokens.sum()), False),
        (lambda tokens, row: float(row == 15), False),
        (lambda tokens, row: float(row == len(tokens) - 1), False),
        (lambda tokens, row: float(len(tokens) == 40), True),  # more tokens than any test uses
        (lambda tokens, row: torch.nan, False),
    ],
    ids=["constant", "own", "others", "place", "last", "untried", "nan"],
)
@pytest.mark.parametrize("least", [0, 2])
def test_what_a_row_may_depend_on(more: Callable[[Tensor, int], float], exact: bool, least: int) -> None:
    assert is_exact(Toy(more, least=least)) is exact


def test_where_nobody_tries() -> None:
    with_encoder = Toy()
    with_encoder.encoder = object()  # type: ignore[assignment]
    short, long = ({0: LayerShape(1, 8, 8, attention_chunk_size=size)} for size in (16, 64))
    assert is_exact(Toy(layers=long))
    for model in (Toy(device=torch.device("cuda")), Toy(layers=short), with_encoder):
        model.fails = True
        assert not is_exact(model)


class Rounded(Toy):
    """A model with an inner value of `more` on the way to the logits, which are rounded and hide it."""

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        return super().forward(input_ids, positions, metadata, rows).round()


@pytest.mark.parametrize(
    ("more", "exact"),
    [
        (lambda tokens, row: 0.25, True),
        (lambda tokens, row: 0.25 * (len(tokens) == 17), False),
        (lambda tokens, row: 0.25 * (len(tokens) == 4), False),
        (lambda tokens, row: 0.25 * (len(tokens) == 38), False),
    ],
    ids=["constant", "batch", "short prompt", "long prompt"],
)
def test_a_difference_that_rounding_hides_from_the_logits(more: Callable[[Tensor, int], float], exact: bool) -> None:
    assert is_exact(Rounded(more)) is exact


class Experts(Toy):
    """A model in which one operator has a row per token of an expert, in another order and number."""

    def __init__(self, share: Callable[[int], int]) -> None:
        super().__init__()
        self.share = share

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: Any, rows: Tensor) -> Tensor:
        chosen = input_ids[: self.share(len(input_ids))].sort().values
        assert torch.nn.functional.one_hot(chosen, self.spec.vocab_size).float().sum() > 0
        return super().forward(input_ids, positions, metadata, rows)


@pytest.mark.parametrize("share", [lambda rows: 1 + rows // 8, lambda rows: max(1, rows // 2)], ids=["few", "half"])
def test_an_expert_has_other_rows_than_a_step(share: Callable[[int], int]) -> None:
    assert is_exact(Experts(share))


def test_why_not() -> None:
    assert why_not_exact(Toy()) is None
    assert "among 2 " in (why_not_exact(Toy(lambda tokens, row: float(len(tokens) == 2))) or "")
    assert "a prefill of 37 " in (why_not_exact(Toy(lambda tokens, row: float(len(tokens) == 38))) or "")
    assert "cuda" in (why_not_exact(Toy(device=torch.device("cuda"))) or "")


@pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")
def test_an_engine_that_must_be_exact() -> None:
    """On the CPU that is a rewritten forward, in float32 too; what cannot hold is refused with its reason."""
    settings: dict[str, Any] = {"num_blocks": 40, "block_size": 16, "batch_invariant": True, "max_model_len": 64}
    assert LLM(models.build("llama", num_hidden_layers=1), **settings).engine.exact
    chunked = models.build("llama4_text", num_hidden_layers=1, attention_chunk_size=16)
    with pytest.raises(ConfigError, match=r"batch_invariant is True, but Llama4.* on cpu is not: its attention chunks"):
        LLM(chunked, **settings)
    with pytest.raises(ConfigError, match="compile is True, but batch_invariant is True, which the CPU's compiler"):
        LLM(models.build("llama", num_hidden_layers=1), compile=True, **settings)
