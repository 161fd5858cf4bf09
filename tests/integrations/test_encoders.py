"""Encoders: tiny random models of each family against transformers' own forward; folders, pairs, types, refusals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from torchpaged import LLM, PoolingParams, SamplingParams, cli
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.execution.export import export
from torchpaged.integrations.families import ENCODERS, FAMILIES
from torchpaged.models.attention import window_mask
from torchpaged.models.attention_metadata import AttentionMetadata
from torchpaged.pooling_params import PoolerConfig

SIZES: dict[str, Any] = {
    "vocab_size": 99,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "initializer_range": 0.3,
    "pad_token_id": 0,
}
# Classes of transformers by model type, and settings beside `SIZES`.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("Bert", {}),
    "camembert": ("Camembert", {"pad_token_id": 1}),
    "data2vec-text": ("Data2VecText", {"pad_token_id": 1}),
    "distilbert": ("DistilBert", {"dim": 32, "n_layers": 3, "n_heads": 4, "hidden_dim": 48}),
    "electra": ("Electra", {"embedding_size": 16}),
    "ernie": ("Ernie", {}),
    "modernbert": ("ModernBert", {"global_attn_every_n_layers": 2, "local_attention": 8}),
    "nomic_bert": ("NomicBert", {}),
    "roberta": ("Roberta", {"pad_token_id": 1}),
    "xlm-roberta": ("XLMRoberta", {"pad_token_id": 1}),
}
UNTYPED = ("distilbert", "modernbert")
LENGTHS = (1, 5, 33, 17, 40, 2)


def build(kind: str, head: str = "Model", **more: Any) -> PreTrainedModel:
    """Return a random float32 model of a model type."""
    name, own = KINDS[kind]
    sizes = {**SIZES, **own, **more}
    if kind == "distilbert":
        sizes = {key: value for key, value in sizes.items() if not key.startswith(("hidden_size", "num_h", "num_a"))}
    if kind == "modernbert":
        sizes |= {f"{each}_token_id": 1 for each in ("bos", "eos", "cls", "sep")}
    torch.manual_seed(1)
    config = getattr(transformers, f"{name}Config")(**sizes)
    model: PreTrainedModel = getattr(transformers, f"{name}{head}")(config)
    return model.eval()


def texts(lengths: Sequence[int] = LENGTHS) -> list[list[int]]:
    """Return random tokens, none of them padding."""
    generator = torch.Generator().manual_seed(2)
    return [torch.randint(3, 99, (length,), generator=generator).tolist() for length in lengths]


@torch.inference_mode()
def whole(model: PreTrainedModel, tokens: list[int], **more: Any) -> Any:
    """Return the output of transformers' own forward for one text."""
    return model(torch.tensor([tokens]), **more)


def require_close(found: Any, expected: Tensor, most: float = 5e-5) -> None:
    assert (torch.as_tensor(found) - expected).abs().max() <= most


def test_every_encoder_has_a_case() -> None:
    assert set(KINDS) == ENCODERS == {kind for kind, each in FAMILIES.items() if "bidirectional" in each.attention}


# --- Against transformers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("optimize", [False, True], ids=["as it is", "optimized"])
@pytest.mark.parametrize("kind", KINDS)
def test_hidden_states(kind: str, optimize: bool) -> None:
    """Packed together, in steps of several texts, with a text of every length."""
    model = build(kind)
    llm = LLM(model, optimize=optimize, max_num_batched_tokens=64)
    params = PoolingParams(task="token_embed", use_activation=False)
    for tokens, output in zip(texts(), llm.encode(texts(), params, use_tqdm=False), strict=True):
        require_close(output.outputs.data, whole(model, tokens).last_hidden_state[0])
    if optimize:
        assert llm.engine.exact, llm.engine.model.weights
        assert llm.engine.model.weights is not None and llm.engine.model.weights.report.reason is None  # type: ignore
    llm.engine.check()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_labels", [1, 3])
def test_classes_of_texts(kind: str, num_labels: int) -> None:
    model = build(kind, "ForSequenceClassification", num_labels=num_labels)
    llm = LLM(model, optimize=True)
    expected = [whole(model, tokens).logits[0] for tokens in texts()]
    probs = [each.sigmoid() if num_labels == 1 else each.softmax(0) for each in expected]
    for output, each in zip(llm.classify(texts(), use_tqdm=False), probs, strict=True):
        require_close(output.outputs.probs, each)
    for reward, each in zip(llm.reward(texts(), use_tqdm=False), expected, strict=True):
        require_close(reward.outputs.data, each)


@pytest.mark.parametrize("kind", KINDS)
def test_classes_of_tokens(kind: str) -> None:
    model = build(kind, "ForTokenClassification", num_labels=3)
    llm = LLM(model)
    for output, tokens in zip(llm.encode(texts(), use_tqdm=False), texts(), strict=True):
        require_close(output.outputs.data, whole(model, tokens).logits[0].softmax(1))
    with pytest.raises(RequestError, match="classifies each token"):
        llm.classify(texts(), use_tqdm=False)


def test_modernbert_classifies_the_mean() -> None:
    model = build("modernbert", "ForSequenceClassification", num_labels=3, classifier_pooling="mean")
    for output, tokens in zip(LLM(model).reward(texts(), use_tqdm=False), texts(), strict=True):
        require_close(output.outputs.data, whole(model, tokens).logits[0])


@pytest.mark.parametrize("kind", KINDS)
def test_token_types(kind: str) -> None:
    """Types reach models that have them, alone or from a tokenizer's output; other models ignore them."""
    model = build(kind, **({} if kind in UNTYPED else {"type_vocab_size": 2}))
    tokens, types = texts()[2], [0] * 20 + [1] * 13
    given = {} if kind in UNTYPED else {"token_type_ids": torch.tensor([types])}
    expected = whole(model, tokens, **given).last_hidden_state[0].mean(0)
    llm = LLM(model, pooler_config=PoolerConfig(pooling_type="MEAN", use_activation=False))
    prompts: list[dict[str, Any]] = [
        {"prompt_token_ids": tokens, "token_type_ids": types},
        {"input_ids": [tokens], "token_type_ids": [types], "attention_mask": [[1] * 33]},
    ]
    for prompt in prompts:
        (output,) = llm.embed(prompt, use_tqdm=False)
        require_close(output.outputs.embedding, expected)
        assert output.prompt_token_ids == tokens


@pytest.mark.parametrize("pooling_type", ["CLS", "MEAN", "MAX", "LAST"])
def test_pooling(pooling_type: str) -> None:
    model = build("bert")
    params = PoolingParams(pooling_type=pooling_type, use_activation=False)
    for output, tokens in zip(LLM(model).embed(texts(), pooling_params=params, use_tqdm=False), texts(), strict=True):
        states = whole(model, tokens).last_hidden_state[0]
        expected = {"CLS": states[0], "MEAN": states.mean(0), "MAX": states.amax(0), "LAST": states[-1]}[pooling_type]
        require_close(output.outputs.embedding, expected)


@pytest.mark.parametrize("kind", ["bert", "modernbert"])
def test_bits_do_not_depend_on_the_crowd(kind: str) -> None:
    llm = LLM(build(kind), optimize=True, max_num_batched_tokens=64)
    together = llm.embed(texts(), use_tqdm=False)
    for tokens, output in zip(texts(), together, strict=True):
        assert llm.embed([tokens], use_tqdm=False)[0].outputs.embedding == output.outputs.embedding
    reverse = llm.embed(texts()[::-1], use_tqdm=False)[::-1]
    assert [each.outputs.embedding for each in reverse] == [each.outputs.embedding for each in together]


def test_the_callers_model_is_unchanged() -> None:
    """Between steps the model trains and attends as before."""
    model = build("bert").train()
    before = model.config._attn_implementation
    LLM(model).embed(texts(), use_tqdm=False)
    assert model.training and model.config._attn_implementation == before
    batch = torch.tensor([texts()[2]])
    model.eval()
    assert torch.equal(model(batch).last_hidden_state, build("bert")(batch).last_hidden_state)


def test_window_mask_is_two_sided() -> None:
    starts = torch.tensor([0, 3, 5], dtype=torch.int32)
    empty = torch.zeros(2, 0, dtype=torch.int32)
    metadata = AttentionMetadata(torch.zeros(5), empty, torch.tensor([3, 2]), starts, 3, causal=False)
    expected = [[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1]]
    assert window_mask(metadata, 5, 2).int().tolist() == expected


# --- Folders ----------------------------------------------------------------------------------------------


def tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer of words in BERT's form."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{number}" for number in range(90))]
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}
    names = ["input_ids", "token_type_ids", "attention_mask"]
    return PreTrainedTokenizerFast(tokenizer_object=made, model_input_names=names, **special)


def save(folder: Path, model: PreTrainedModel, files: dict[str, Any]) -> str:
    """Write a checkpoint with a tokenizer and JSON files by path; return its folder."""
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    for name, value in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(value))
    return str(folder)


def modules(*kinds: str) -> list[dict[str, str]]:
    paths = {"Transformer": "", "Pooling": "1_Pooling", "Dense": "2_Dense", "Normalize": "3_Normalize"}
    return [{"type": f"sentence_transformers.models.{kind}", "path": paths.get(kind, kind)} for kind in kinds]


def test_a_sentence_transformers_folder(tmp_path: Path) -> None:
    """Pooling, a dense layer, normalisation, instructions, the longest text and the similarity are the folder's."""
    model = build("bert")
    weight, bias = torch.randn(6, 32) * 0.2, torch.randn(6)
    settings = {
        "prompts": {"query": "w1 w2 ", "document": ""},
        "default_prompt_name": None,
        "similarity_fn_name": "dot",
    }
    path = save(
        tmp_path,
        model,
        {
            "modules.json": modules("Transformer", "Pooling", "Dense", "Normalize"),
            "1_Pooling/config.json": {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False},
            "2_Dense/config.json": {"activation_function": "torch.nn.modules.activation.Tanh"},
            "config_sentence_transformers.json": settings,
            "sentence_bert_config.json": {"max_seq_length": 12},
        },
    )
    save_file({"linear.weight": weight, "linear.bias": bias}, tmp_path / "2_Dense" / "model.safetensors")
    llm = LLM(path)
    assert llm.engine.max_model_len == 12 and LLM(path, max_model_len=40).engine.max_model_len == 40

    def by_hand(text: str) -> Tensor:
        states = whole(model, tokenizer()(text)["input_ids"]).last_hidden_state[0]
        made = torch.tanh(states.amax(0) @ weight.T + bias)
        return made / made.norm()

    plain, asked = "w5 w6 w7", PoolingParams(prompt_name="query")
    require_close(llm.embed(plain, use_tqdm=False)[0].outputs.embedding, by_hand(plain))
    (output,) = llm.embed(plain, pooling_params=asked, use_tqdm=False)
    require_close(output.outputs.embedding, by_hand("w1 w2 " + plain))
    (score,) = llm.score(plain, "w8", use_tqdm=False)
    assert score.outputs.score == pytest.approx(float(by_hand(plain) @ by_hand("w8")), abs=1e-5)
    (short,) = llm.embed(plain, pooling_params=PoolingParams(dimensions=3), use_tqdm=False)
    expected = by_hand(plain)[:3]
    require_close(short.outputs.embedding, expected / expected.norm())
    with pytest.raises(RequestError, match="dimensions is 7, expected at most 6"):
        llm.embed(plain, pooling_params=PoolingParams(dimensions=7), use_tqdm=False)
    with pytest.raises(ConfigError, match="prompt_name is 'quer', expected one of query, document; did you mean"):
        llm.embed(plain, pooling_params=PoolingParams(prompt_name="quer"), use_tqdm=False)
    with pytest.raises(ConfigError, match="prompt_name is 'query', but the prompt is no text"):
        llm.embed([[2, 5, 3]], pooling_params=asked, use_tqdm=False)


def test_long_texts_are_refused_or_truncated_by_the_tokenizer(tmp_path: Path) -> None:
    """The special tokens at both ends stay, and the longer text of a pair is shortened."""
    files = {"sentence_bert_config.json": {"max_seq_length": 12}}
    llm = LLM(save(tmp_path, build("bert"), files))
    text = " ".join(f"w{number}" for number in range(30))
    with pytest.raises(RequestError, match="has 32 tokens, max_model_len is 12; shorten the prompt, or say"):
        llm.embed(text, use_tqdm=False)
    for most, kept in ((-1, 12), (5, 5), (100, 12)):
        more = {"truncate_prompt_tokens": most}
        (output,) = llm.embed(text, tokenization_kwargs=more, use_tqdm=False)
        assert output.prompt_token_ids == [2, *range(4, 2 + kept), 3]
    (output,) = llm.embed([[2, *range(4, 30), 3]], tokenization_kwargs={"truncate_prompt_tokens": 4}, use_tqdm=False)
    assert output.prompt_token_ids == [2, 4, 5, 6]
    with pytest.raises(ConfigError, match="truncation_side is 'left', expected 'right' or None"):
        llm.embed(text, tokenization_kwargs={"truncate_prompt_tokens": 4, "truncation_side": "left"}, use_tqdm=False)
    assert llm.embed("", use_tqdm=False)[0].prompt_token_ids == [2, 3]  # as sentence-transformers reads it
    with pytest.raises(RequestError, match="the prompt is empty"):
        llm.embed("", tokenization_kwargs={"add_special_tokens": False}, use_tqdm=False)


@pytest.mark.parametrize(
    ("activation", "finish"),
    [(None, torch.sigmoid), ("torch.nn.modules.linear.Identity", lambda x: x)],
    ids=["by default", "none"],
)
def test_a_cross_encoder(tmp_path: Path, activation: str | None, finish: Any) -> None:
    """A pair is one text with two token types; the config names the activation of its score."""
    model = build("bert", "ForSequenceClassification", num_labels=1)
    if activation is not None:
        model.config.sentence_transformers = {"activation_fn": activation}
    llm = LLM(save(tmp_path, model, {}))
    query, documents = "w1 w2 w3", ["w4 w5", "w6", " ".join(["w7"] * 20)]
    for document, output in zip(documents, llm.score(query, documents, use_tqdm=False), strict=True):
        pair = tokenizer()(query, document, return_tensors="pt")
        with torch.inference_mode():
            assert output.outputs.score == pytest.approx(float(finish(model(**pair).logits)), abs=5e-5)
        assert output.prompt_token_ids == pair["input_ids"][0].tolist()
    more = {"truncate_prompt_tokens": 10}
    (output,) = llm.score(query, documents[2], tokenization_kwargs=more, use_tqdm=False)
    assert output.prompt_token_ids == [2, 5, 6, 7, 3, 11, 11, 11, 11, 3]


def test_a_masked_lms_checkpoint_embeds(tmp_path: Path) -> None:
    """Its head is left out, as is a pooler that it does not have."""
    model = build("bert", "ForMaskedLM")
    llm = LLM(save(tmp_path, model, {}))
    expected = whole(model.bert, tokenizer()("w1 w2")["input_ids"]).last_hidden_state[0, 0]
    require_close(llm.embed("w1 w2", use_tqdm=False)[0].outputs.embedding, expected / expected.norm())
    assert llm.score("w1", "w1", use_tqdm=False)[0].outputs.score == pytest.approx(1.0)


def test_int8_weights(tmp_path: Path) -> None:
    model = build("bert")
    path = save(tmp_path, model, {})
    one, other = (LLM(path, quantization=each).embed(texts(), use_tqdm=False) for each in (None, "int8"))
    for a, b in zip(one, other, strict=True):
        assert np.dot(a.outputs.embedding, b.outputs.embedding) > 0.98


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"2_Dense/config.json": {"activation_function": "torch.nn.GELU"}}, "its Dense layer has activation GELU"),
        ({"2_Dense/config.json": {"use_residual": True}}, "its Dense layer has use_residual"),
        ({"1_Pooling/config.json": {"pooling_mode_mean_sqrt_len_tokens": True}}, "pooling_mode_mean_sqrt_len_tokens"),
        ({"1_Pooling/config.json": {"pooling_mode": "mean", "include_prompt": False}}, "has include_prompt false"),
        ({"config_sentence_transformers.json": {"similarity_fn_name": "jaccard"}}, "similarity_fn_name is 'jaccard'"),
        ({"modules.json": modules("Transformer", "Pooling", "Normalize", "Dense")}, "expected Transformer, Pooling"),
        ({"modules.json": modules("Transformer", "Dense")}, "have a Dense layer and no Pooling"),
        ({"modules.json": modules("Transformer", "Pooling", "LSTM")}, "its embeddings are made by LSTM"),
        ({"sentence_bert_config.json": {"do_lower_case": True}}, "has do_lower_case, which is not supported"),
    ],
)
def test_folders_that_are_refused(tmp_path: Path, files: dict[str, Any], says: str) -> None:
    usual = {
        "modules.json": modules("Transformer", "Pooling", "Dense"),
        "1_Pooling/config.json": {"pooling_mode": "mean"},
    }
    dense = {"2_Dense/config.json": {"activation_function": "torch.nn.modules.linear.Identity"}}
    path = save(tmp_path, build("bert"), {**usual, **dense, **files})
    save_file({"linear.weight": torch.randn(6, 32)}, tmp_path / "2_Dense" / "model.safetensors")
    with pytest.raises(ModelError, match=says):
        LLM(path)


# --- Refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"swap_space": 1.0}, "swap_space is 1.0, but the model is an encoder"),
        ({"kv_cache_dtype": "fp8"}, "kv_cache_dtype is fp8, but the model is an encoder"),
        ({"speculative_config": {"method": "ngram", "num_speculative_tokens": 2}}, "but the model is an encoder"),
        ({"compile": True}, "compile is True, but the model is an encoder"),
        ({"max_step_ms": 5}, "max_step_ms is 5.0, but the model is an encoder"),
        ({"enable_lora": True}, "enable_lora is True, but adapters of encoders are not supported"),
        ({"enable_prompt_embeds": True}, "enable_prompt_embeds is True, but BertModel is an encoder"),
        ({"max_model_len": 65}, "max_model_len is 65, the model has 64 positions"),
    ],
)
def test_settings_of_decoders(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        LLM(build("bert"), **settings)


def test_requests_that_are_refused() -> None:
    llm = LLM(build("bert"))
    with pytest.raises(RequestError, match=r"BertModel is an encoder and has no next token; use LLM\.embed"):
        llm.generate([[5, 6]], SamplingParams(max_tokens=1), use_tqdm=False)
    with pytest.raises(RequestError, match="is an encoder and has no next token"):
        llm.score_continuations([[5, 6]], [[[7]]], use_tqdm=False)
    with pytest.raises(RequestError, match="was not made to classify texts"):
        llm.classify([[5, 6]], use_tqdm=False)
    with pytest.raises(RequestError, match="token id 99, expected 0 to 98"):
        llm.embed([[99]], use_tqdm=False)
    for types, says in (([0, 2], "token_type_ids has 2, expected 0 to 1"), ([1], "token_type_ids has 1 entries")):
        with pytest.raises(RequestError, match=says):
            llm.embed({"prompt_token_ids": [5, 6], "token_type_ids": types}, use_tqdm=False)
    classifier = LLM(build("bert", "ForSequenceClassification", num_labels=3))
    params = PoolingParams(pooling_type="MEAN")
    with pytest.raises(RequestError, match="pooling_type is 'MEAN', classes are of the first token"):
        classifier.classify([[5]], pooling_params=params, use_tqdm=False)


def test_models_that_are_refused() -> None:
    with pytest.raises(ModelError, match="'bert' with is_decoder is not supported"):
        LLM(build("bert", "LMHeadModel", is_decoder=True))
    with pytest.raises(ModelError, match="ForQuestionAnswering has a head that is not supported"):
        LLM(build("bert", "ForQuestionAnswering"))
    sizes = {key: value for key, value in SIZES.items() if key != "initializer_range"}
    for name, says in (("MPNet", "a learned bias for keys on both sides"), ("DebertaV2", "relative positions")):
        config = getattr(transformers, f"{name}Config")(**sizes)
        with pytest.raises(ModelError, match=f"is not supported: it is an encoder whose scores .*{says}"):
            LLM(getattr(transformers, f"{name}Model")(config))


def test_what_only_decoders_do(tmp_path: Path) -> None:
    """No prefix is pinned, nothing is exported, and an encoder drafts for no one."""
    llm = LLM(build("bert"))
    with pytest.raises(ConfigError, match="pin_prefix: the model is an encoder"):
        llm.pin_prefix(texts()[4])
    with pytest.raises(ModelError, match="export: BertModel is an encoder"):
        export(llm.engine.model, tmp_path / "model.pt2")
    assert cli.main(["info", save(tmp_path / "folder", build("bert"), {})]) == 0


def test_weights_are_updated() -> None:
    """New values are seen, packed or not."""
    llm, other = LLM(build("bert"), optimize=True), build("bert", initializer_range=0.2)
    llm.update_weights(other.state_dict())
    params = PoolingParams(pooling_type="MEAN", use_activation=False)
    (output,) = llm.embed(texts()[2:3], pooling_params=params, use_tqdm=False)
    require_close(output.outputs.embedding, whole(other, texts()[2]).last_hidden_state[0].mean(0))
