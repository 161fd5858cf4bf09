"""A causal LM in two parts: when it is split, what follows the decoder, and when it stays whole."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.attention_interface import Probe

TOKENS, ROWS = torch.tensor([5, 9, 2, 7]), torch.tensor([3, 1])


@torch.inference_mode()
def whole(model: adapter.TransformersModel) -> Tensor:
    """Return the causal LM's own logits of the rows, without attention."""
    step = model.model.model.layers[0].self_attn.paged_step
    step.metadata = Probe()
    try:
        with model.in_use():
            logits: Tensor = model.model(input_ids=TOKENS[None], use_cache=False, logits_to_keep=ROWS).logits[0]
            return logits
    finally:
        step.metadata = None


@torch.inference_mode()
def parts(model: adapter.TransformersModel) -> Tensor:
    """Return the same through both parts."""
    hidden = model.forward(TOKENS, torch.arange(4), Probe(), ROWS)  # type: ignore[arg-type]
    assert hidden.shape == (2, model.spec.hidden_size or models.VOCAB)
    return model.logits(hidden)


@pytest.mark.parametrize("kind", ["llama", "gemma2", "cohere", "granite"])
def test_what_is_behind_the_decoder_is_the_familys(kind: str) -> None:
    """Nothing, a softcap, scales of the logits."""
    model = adapter.wrap(models.build(kind, num_hidden_layers=2))
    assert model.spec.hidden_size == 64
    assert torch.equal(parts(model), whole(model))


def another_head(model: PreTrainedModel) -> None:
    model.set_submodule("lm_head", nn.Linear(64, models.VOCAB))


def another_weight(model: PreTrainedModel) -> None:
    model.lm_head.weight = nn.Parameter(torch.randn(models.VOCAB, 64))


def another_decoder(model: PreTrainedModel) -> None:
    model.model.layers = model.model.layers[:1]


def a_hook(model: PreTrainedModel) -> None:
    model.lm_head.register_forward_hook(lambda module, inputs, output: output * 2)


@pytest.mark.parametrize("change", [another_head, another_weight, another_decoder, a_hook])
def test_what_its_owner_replaces(change: Callable[[PreTrainedModel], None]) -> None:
    model = adapter.wrap(models.build("llama", num_hidden_layers=2))
    before = parts(model)
    change(model.model)
    assert torch.equal(parts(model), whole(model))
    assert not torch.equal(parts(model), before)


def test_no_weight_is_copied() -> None:
    instance = models.build("llama")
    model = adapter.wrap(instance)
    names = [name for name, _ in instance.named_modules()]
    assert not any("stub" in name.lower() for name in names)
    head = model._own._head
    assert head is not None and head is not instance
    assert head.lm_head is instance.lm_head and head.config is instance.config
    assert list(head.parameters()) == [instance.lm_head.weight]


def looks_at_its_tokens(model: Any, input_ids: Tensor | None = None, **arguments: Any) -> Any:
    """Run a causal LM's forward that adds a function of the tokens to the logits."""
    result = type(model).forward(model, input_ids=input_ids, **arguments)
    result.logits = result.logits + (0.0 if input_ids is None else float(input_ids.sum()))
    return result


def skips_the_stub(model: Any, input_ids: Tensor | None = None, **arguments: Any) -> Any:
    """Run a forward that is bound to its model, as accelerate's are, and needs the tokens."""
    assert input_ids is not None
    return type(model).forward(model, input_ids=input_ids, **arguments)


@pytest.mark.parametrize("forward", [looks_at_its_tokens, skips_the_stub])
def test_what_cannot_be_cut_stays_whole(forward: Callable[..., Any]) -> None:
    instance = models.build("llama", num_hidden_layers=2)
    instance.forward = MethodType(forward, instance)
    model = adapter.wrap(instance)
    assert model.spec.hidden_size is None
    assert torch.equal(parts(model), whole(model))
    llm = LLM(instance, num_blocks=40)
    (output,) = llm.generate([[5, 6, 7]], SamplingParams(temperature=0, max_tokens=4), use_tqdm=False)
    del instance.forward
    assert output.outputs[0].token_ids == models.greedy(instance, [[5, 6, 7]], 4)[0]


def test_a_wrapper_of_peft_stays_whole() -> None:
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(models.build("llama"), LoraConfig(r=4, target_modules=["q_proj"]), "one").eval()
    assert adapter.wrap(model).spec.hidden_size is None


@pytest.mark.parametrize("vocab_size", [1, 2])
def test_a_vocabulary_of_next_to_nothing(vocab_size: int) -> None:
    model = models.build("llama", num_hidden_layers=1, vocab_size=vocab_size)
    outputs = LLM(model, num_blocks=8).generate([0, 0], SamplingParams(temperature=0, max_tokens=4), use_tqdm=False)
    assert [outputs[0].outputs[0].token_ids] == models.greedy(model, [[0, 0]], 4)
