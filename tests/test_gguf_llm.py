"""`LLM("model.gguf")` and the command line with a GGUF file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from tests.integrations.gguf_files import read_model, write
from tests.models import build, greedy
from tests.weights.test_gguf_file import mutated
from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import ConfigError, ModelError
from torchpaged.tools.export import export_checkpoint
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import tokenizer_of
from torchpaged.weights.packed_linear import PackedLinear

SMALL: dict[str, Any] = {"max_model_len": 64, "kv_cache_memory_bytes": 1 << 20}
TEMPLATE = "{% for m in messages %}<turn>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<end>{% endif %}"
VOCABULARY = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "ab", "<turn>", "<end>"]
TOKENIZER: dict[str, Any] = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "gpt-2",
    "tokenizer.ggml.tokens": VOCABULARY,
    "tokenizer.ggml.token_type": [1] * 257 + [3, 3],
    "tokenizer.ggml.merges": ["a b"],
    "tokenizer.chat_template": TEMPLATE,
}


def tiny() -> PreTrainedModel:
    return build("qwen3", vocab_size=len(VOCABULARY), head_dim=32, hidden_size=128, intermediate_size=256)


@pytest.fixture(scope="module")
def model() -> PreTrainedModel:
    return tiny()


@pytest.fixture(scope="module")
def path(model: PreTrainedModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(model, tmp_path_factory.mktemp("llm") / "tiny.gguf", **TOKENIZER)


def test_greedy_texts_are_those_of_the_model(model: PreTrainedModel, path: Path) -> None:
    params = SamplingParams(temperature=0, max_tokens=12)
    with LLM(path, **SMALL) as llm:
        assert llm.engine.model.spec.dtype == torch.float32
        (output,) = llm.generate(["abc def"], params, use_tqdm=False)
        ids = [VOCABULARY.index(each) for each in ("ab", "c", "\u0120", "d", "e", "f")]
        assert output.prompt_token_ids == ids and output.outputs[0].token_ids == greedy(model, [ids], 12)[0]
        (said,) = llm.chat([{"role": "user", "content": "ab"}], params, use_tqdm=False)
        assert said.prompt_token_ids == [VOCABULARY.index(each) for each in ("<turn>", "ab", "<end>")]


@pytest.mark.parametrize("kind", [Kind.Q8_0, Kind.Q4_0])
def test_tokens_of_a_quantised_file_are_those_of_its_modules(kind: Kind, tmp_path: Path) -> None:
    """Activations are rounded in the same way for every schedule; test_streaming_load.py bounds the difference."""
    path = write(tiny(), tmp_path / "q.gguf", kind, **TOKENIZER)
    with LLM(path, dtype="float32", **SMALL) as llm:
        (output,) = llm.generate([[1, 2, 3]], SamplingParams(temperature=0, max_tokens=8), use_tqdm=False)
    packed = read_model(Gguf(path), "float32")
    assert any(isinstance(each, PackedLinear) for each in packed.modules())
    assert output.outputs[0].token_ids == greedy(packed, [[1, 2, 3]], 8)[0]


def test_weights_that_are_read_together_are_joined_where_they_lie(tmp_path: Path) -> None:
    """No weight is packed twice, and none has to be restored."""
    path = write(tiny(), tmp_path / "q.gguf", Kind.Q4_0, **TOKENIZER)
    with LLM(path, dtype="float32", optimize=True, **SMALL) as llm:
        weights = llm.engine.model.weights
        assert weights.optimized is not None and not weights.optimized.freed
        assert (
            0
            < weights.optimized.report.packed_bytes
            <= sum(each.packed_weight.nbytes for each in weights.module.modules() if isinstance(each, PackedLinear))
        )


@pytest.mark.long
def test_an_exported_file_keeps_its_weights(tmp_path: Path) -> None:
    path = write(tiny(), tmp_path / "q.gguf", Kind.Q4_0, **TOKENIZER)
    export_checkpoint(path, tmp_path / "m.pt2", max_model_len=64, dtype="float32")
    params = SamplingParams(temperature=0, max_tokens=6)
    with LLM(tmp_path / "m.pt2") as one, LLM(path, dtype="float32", **SMALL) as other:
        (a,), (b,) = (llm.generate(["ab c"], params, use_tqdm=False) for llm in (one, other))
    assert (a.prompt_token_ids, a.outputs[0].token_ids) == (b.prompt_token_ids, b.outputs[0].token_ids)


def fuzz(path: Path, seeds: range) -> int:
    """Load mutations of a file; return how many were refused. Anything but a typed error is raised."""
    data, refused = path.with_name("whole.gguf").read_bytes(), 0
    for seed in seeds:
        path.write_bytes(mutated(data, random.Random(seed), cut=False))
        try:
            file = Gguf(path)
            tokenizer_of(file)("ab c")
            read_model(file)
        except ModelError as error:
            refused += 1
            assert str(path) in str(error)
    return refused


def test_mutations_of_a_model_are_loaded_or_refused(tmp_path: Path) -> None:
    write(tiny(), tmp_path / "whole.gguf", Kind.Q4_0, **TOKENIZER)
    assert 10 < fuzz(tmp_path / "m.gguf", range(40)) <= 40


@pytest.mark.long
def test_many_mutations_of_a_model_are_loaded_or_refused(tmp_path: Path) -> None:
    write(tiny(), tmp_path / "whole.gguf", Kind.Q4_0, **TOKENIZER)
    assert fuzz(tmp_path / "m.gguf", range(40, 1000)) > 200


def test_chats_of_a_file_have_defaults(path: Path) -> None:
    """A file has no generation config: at temperature 1 without filters a small model's first chat is nonsense."""
    params = LLM(path, **SMALL).engine.chat_params
    assert (params.temperature, params.top_k, params.top_p, params.min_p) == (0.8, 40, 0.95, 0.05)


def test_another_tokenizer_may_be_named(model: PreTrainedModel, tmp_path: Path) -> None:
    unknown = {**TOKENIZER, "tokenizer.ggml.pre": "twist"}
    path = write(model, tmp_path / "m.gguf", **unknown)
    with pytest.raises(ModelError, match=r"tokenizer.ggml.pre is 'twist'.*LLM\(..., tokenizer=...\)"):
        LLM(path, **SMALL)
    made = Tokenizer(models.WordLevel({"a": 5, "b": 6}, unk_token="a"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=made).save_pretrained(tmp_path / "words")
    with LLM(path, tokenizer=tmp_path / "words", **SMALL) as llm:
        assert llm.get_tokenizer()("b a")["input_ids"] == [6, 5]
    with LLM(path, skip_tokenizer_init=True, **SMALL) as llm:
        assert llm.get_tokenizer() is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"quantization": "int8"}, r"quantization is 'int8', but 'q.gguf' is quantised already \(F32, Q4_0\)"),
        ({"load_format": "dummy"}, "load_format is 'dummy', but .* has weights and config in it"),
        ({"hf_overrides": {"rope_theta": 5}}, "hf_overrides is .* has weights and config in it"),
    ],
)
def test_settings_that_a_file_has_no_use_for_are_refused(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = write(tiny(), tmp_path / "q.gguf", Kind.Q4_0, **TOKENIZER)
    with pytest.raises(ConfigError, match=message):
        LLM(path, **settings, **SMALL)


def test_a_file_of_plain_floats_is_quantised_as_others_are(path: Path) -> None:
    with LLM(path, quantization="int8", **SMALL) as llm:
        assert len(llm.generate([[1, 2]], SamplingParams(max_tokens=2), use_tqdm=False)[0].outputs[0].token_ids) == 2


def test_the_command_line_takes_a_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--max-model-len", "64", "--temperature", "0", "--quiet"]
    assert cli.main(["generate", "--model", str(path), "--prompt", "ab", "--max-tokens", "3", *words]) == 0
    assert capsys.readouterr().out.strip()


def test_info_says_what_a_file_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tiny(), tmp_path / "m.gguf", Kind.Q5_0, **TOKENIZER)
    assert cli.main(["info", str(path)]) == 0
    lines = {line[:13].strip(): line[13:] for line in capsys.readouterr().out.splitlines()}
    assert lines["file"].startswith("qwen3, 47 tensors: Q5_0 ") and "F32" in lines["file"]
    assert lines["runs as"] == "Q5_0 as 8 bits with the same values"
    assert lines["model"] == "qwen3, 4 layers: supported" and lines["cache"] == "1024 bytes a token in bfloat16"
    assert cli.main(["info", str(tmp_path / "none.gguf")]) == 2
    assert "the file cannot be read" in capsys.readouterr().err
