"""Training with attn_implementation="torchpaged": packed, padded and plain batches against eager attention."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests import models

LENGTHS = [9, 1, 14, 5]
PACKED = {
    "input_ids": torch.randint(1, 90, (1, sum(LENGTHS)), generator=torch.Generator().manual_seed(0)),
    "position_ids": torch.cat([torch.arange(length) for length in LENGTHS])[None],
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Count what goes through `varlen_attention`."""
    from torchpaged.integrations.transformers import standalone_attention

    made: list[Any] = []
    real = standalone_attention.packed_attention

    def counted(*args: Any, **options: Any) -> Tensor:
        made.append(args[3])
        return real(*args, **options)

    monkeypatch.setattr(standalone_attention, "packed_attention", counted)
    yield made


def pair(kind: str, **settings: Any) -> tuple[Any, Any]:
    eager = models.build(kind, seed=3, **{"num_hidden_layers": 2, **settings})
    ours = copy.deepcopy(eager)
    ours.set_attn_implementation("torchpaged")
    return eager, ours


def trained(model: Any, tokens: Tensor | None = None, **inputs: Any) -> list[Tensor]:
    """Return logits of the tokens, and the gradients."""
    model.zero_grad(set_to_none=True)
    logits = model(**inputs, use_cache=False).logits
    logits = logits if tokens is None else logits[tokens]
    logits.square().mean().backward()
    return [logits.detach(), *(each.grad for each in model.parameters() if each.grad is not None)]


def close(found: list[Tensor], expected: list[Tensor]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["llama", "qwen3", "gemma2"])
def test_packed_sequences(kind: str, calls: list[Any]) -> None:
    """As transformers' data collators pack them; gemma2 has windows and softcap."""
    settings = {"sliding_window": 6} if kind == "gemma2" else {}
    eager, ours = pair(kind, **settings)
    close(trained(ours, **PACKED), trained(eager, **PACKED))
    assert len(calls) == 2 and calls[0].cu_seqlens_q.tolist() == [0, 9, 10, 24, 29]
    starts = torch.tensor([0, *LENGTHS], dtype=torch.int32).cumsum(0, dtype=torch.int32)
    named = {"cu_seq_lens_q": starts, "cu_seq_lens_k": starts, "max_length_q": 14, "max_length_k": 14}
    close(trained(ours, **PACKED, **named), trained(eager, **PACKED))


@pytest.mark.parametrize("side", ["left", "right"])
def test_padded_batches(side: str, calls: list[Any]) -> None:
    mask = torch.zeros(3, 12, dtype=torch.int64)
    for row, length in enumerate((12, 4, 7)):
        mask[row, slice(12 - length, None) if side == "left" else slice(0, length)] = 1
    tokens = torch.randint(1, 90, (3, 12), generator=torch.Generator().manual_seed(0))
    inputs = {"input_ids": tokens, "attention_mask": mask}
    eager, ours = pair("llama")
    close(*(trained(model, mask.bool(), **inputs) for model in (ours, eager)))
    assert len(calls) == 2 and calls[0].cu_seqlens_q.tolist() == [0, 12, 16, 23]


def test_whole_batches_and_bits_of_a_forward_without_gradients(calls: list[Any]) -> None:
    tokens = torch.randint(1, 90, (3, 12), generator=torch.Generator().manual_seed(0))
    eager, ours = pair("llama")
    found = trained(ours, input_ids=tokens)
    close(found, trained(eager, input_ids=tokens))
    with torch.no_grad():
        assert torch.equal(ours(input_ids=tokens, use_cache=False).logits, found[0])
    assert len(calls) == 4


def test_checkpointing_gives_the_same_gradients() -> None:
    _, ours = pair("llama")
    expected = trained(ours.train(), **PACKED)
    ours.activation_checkpointing_enable()
    for one, other in zip(trained(ours, **PACKED), expected, strict=True):
        assert torch.equal(one, other)


def test_what_it_cannot_do_runs_densely(calls: list[Any]) -> None:
    """Dropout, and float64, which the operators do not take."""
    eager, ours = pair("llama", attention_dropout=0.5)
    ours.train()
    trained(ours, **PACKED)
    close(trained(ours.eval().double(), **PACKED), trained(eager.double(), **PACKED))
    assert not calls


def test_logprobs_are_those_of_the_engine() -> None:
    """Attention's bits: the trainer's own layers over the rows of a prompt as the engine computes them."""
    from torchpaged import LLM, SamplingParams

    llm = LLM("evals/models/stdlib-lm", dtype="float32", enable_prefix_caching=False)
    prompt = llm.get_tokenizer().encode("def main(argv):\n    parser = argparse.ArgumentParser()\n")
    (output,) = llm.generate([{"prompt_token_ids": prompt}], SamplingParams(max_tokens=1, prompt_logprobs=0))
    engines = [next(iter(each.values())).logprob for each in output.prompt_logprobs[1:]]

    from transformers import AutoModelForCausalLM

    trainer = AutoModelForCausalLM.from_pretrained(
        "evals/models/stdlib-lm", dtype=torch.float32, attn_implementation="torchpaged"
    )
    tokens = torch.tensor([prompt])
    logits = trainer(tokens, use_cache=False).logits[0]
    assert logits.requires_grad
    rows = torch.arange(len(prompt) - 1)
    logprobs = torch.ops.torchpaged.token_logprobs(logits, rows, tokens[0, 1:], 0)[0]
    assert logprobs.tolist() == engines
    logprobs.sum().backward()
