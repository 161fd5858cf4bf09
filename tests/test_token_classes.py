"""Decoders that classify each token: transformers' own logits; other heads are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import (
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PreTrainedModel,
)

from tests import models
from torchpaged import LLM, PoolingParams, cli
from torchpaged.errors import ModelError, RequestError

LENGTHS = (3, 41, 1)


def tagger(kind: str, auto_class: type = AutoModelForTokenClassification) -> PreTrainedModel:
    config = models.build(kind).config
    config.num_labels = 5
    torch.manual_seed(1)
    model: PreTrainedModel = auto_class.from_config(config, dtype=torch.float32, attn_implementation="eager")  # type: ignore[attr-defined]
    return model.eval()


@torch.inference_mode()
def logits_of(model: PreTrainedModel, prompt: list[int]) -> torch.Tensor:
    logits: torch.Tensor = model(torch.tensor([prompt])).logits[0]
    return logits


@pytest.mark.parametrize("kind", ["llama", "gpt2"])  # their layers are called `score` and `classifier`
@pytest.mark.parametrize("optimize", [False, True])
def test_classes_of_each_token_are_transformers(kind: str, optimize: bool) -> None:
    model, prompts = tagger(kind), models.prompts(LENGTHS)
    wanted = [logits_of(model, prompt) for prompt in prompts]
    llm = LLM(model, num_blocks=60, block_size=4, max_num_batched_tokens=16, optimize=optimize)
    for params, task in ((PoolingParams(), "token_classify"), (None, None)):  # None: the model's own task
        for output, logits in zip(llm.encode(prompts, params, pooling_task=task, use_tqdm=False), wanted, strict=True):
            torch.testing.assert_close(output.outputs.data, logits.softmax(-1), atol=1e-5, rtol=0)
    raw = llm.encode(prompts, PoolingParams(use_activation=False), pooling_task="token_classify", use_tqdm=False)
    for output, logits in zip(raw, wanted, strict=True):
        torch.testing.assert_close(output.outputs.data, logits, atol=1e-4, rtol=1e-4)


def test_it_says_nothing_of_texts_and_writes_none(tmp_path: Path) -> None:
    """Such a checkpoint was once read as a causal LM with a random head, and generated texts."""
    model = tagger("llama")
    model.save_pretrained(tmp_path)
    (prompt,) = models.prompts([7])
    llm = LLM(tmp_path, num_blocks=60, skip_tokenizer_init=True)
    spec = llm.engine.model.spec
    assert spec.name == "LlamaForTokenClassification" and spec.labels_tokens and len(spec.labels) == 5
    (output,) = llm.encode([prompt], use_tqdm=False)
    torch.testing.assert_close(output.outputs.data, logits_of(model, prompt).softmax(-1), atol=1e-5, rtol=0)
    with pytest.raises(RequestError, match=r"classifies tokens and has no next token; use LLM.encode"):
        llm.generate([prompt], use_tqdm=False)
    with pytest.raises(RequestError, match=r"task is .classify., but Llama.* classifies each token"):
        llm.classify([prompt], use_tqdm=False)


@pytest.mark.parametrize("how", ["instance", "folder", "info"])
def test_other_heads_are_refused(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tagger("llama", AutoModelForQuestionAnswering)
    said = "LlamaForQuestionAnswering has a head that is not supported, expected ...ForCausalLM"
    if how == "instance":
        with pytest.raises(ModelError, match=said):
            LLM(model, num_blocks=20)
        return
    model.save_pretrained(tmp_path)
    if how == "folder":
        with pytest.raises(ModelError, match=said):
            LLM(tmp_path, num_blocks=20, skip_tokenizer_init=True)
    else:
        assert cli.main(["info", str(tmp_path)]) != 0 and said in capsys.readouterr().err


def test_a_classifier_of_texts_is_one_still() -> None:
    llm = LLM(tagger("llama", AutoModelForSequenceClassification), num_blocks=20)
    assert not llm.engine.model.spec.labels_tokens and len(llm.engine.model.spec.labels) == 5
