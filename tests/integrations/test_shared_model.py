"""A model instance belongs to its owner: it generates and trains as before, and the engine sees its changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import BartConfig, BartForConditionalGeneration, PreTrainedModel

from tests import models
from torchpaged import LLM, SamplingParams
from torchpaged.errors import ConfigError, EngineError, ModelError

GREEDY = SamplingParams(temperature=0, max_tokens=6)
PROMPT = models.prompts([21], seed=3)[0]
_LONG = {
    "rope_type": "longrope",
    "rope_theta": 1e4,
    "short_factor": [1.0] * 8,
    "long_factor": [4.0] * 8,
    "original_max_position_embeddings": 16,
    "factor": 32.0,
}
_MLA = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 12}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "replaced-attention": ("bloom", {"n_layer": 2, "n_head": 4}),
    "replaced-rotary": ("gptj", {"n_layer": 2, "n_head": 4, "n_embd": 64, "rotary_dim": 8, "n_positions": 128}),
    "latent": ("deepseek_v3", {**_MLA, "head_dim": 8, "num_key_value_heads": 4, "first_k_dense_replace": 4}),
    "longrope": ("phi3", {"rope_parameters": _LONG, "max_position_embeddings": 512}),
    "windows": ("gemma2", {"sliding_window": 12}),
}


def build(name: str) -> PreTrainedModel:
    kind, overrides = FAMILIES[name]
    return models.build(kind, seed=2, **overrides)


def tokens(llm: LLM, prompt: list[int] = PROMPT) -> list[int]:
    return llm.generate([prompt], GREEDY, use_tqdm=False)[0].outputs[0].token_ids


def gradient(model: PreTrainedModel) -> Tensor:
    """Return a loss's gradient with respect to the embedding, over a batch of two."""
    batch = torch.tensor(models.prompts([12, 12], seed=8))
    model.train()
    model(input_ids=batch, labels=batch).loss.backward()
    model.eval()
    weight: Tensor = model.get_input_embeddings().weight
    result, weight.grad = weight.grad, None
    model.zero_grad()
    assert result is not None
    return result


# --- The model is its owner's -----------------------------------------------------------------------------


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
@pytest.mark.parametrize("name", FAMILIES)
def test_generate_and_train_between_the_engines_steps(name: str, implementation: str) -> None:
    model, untouched = build(name), build(name)
    for each in (model, untouched):
        if implementation == "eager" or each._supports_sdpa:
            each.set_attn_implementation(implementation)
    before = [{**each.config.to_dict()} for each in (model, untouched)]
    expected = models.greedy(untouched, [PROMPT], 6)[0]
    llm = LLM(model, num_blocks=60, block_size=4)
    first = tokens(llm)
    for _ in range(2):
        assert models.greedy(model, [PROMPT], 6)[0] == expected
        assert torch.equal(gradient(model), gradient(untouched))
        assert tokens(llm) == first
    assert [each.config.to_dict() for each in (model, untouched)] == before
    assert model.config._attn_implementation == untouched.config._attn_implementation
    if name != "longrope":  # one table for good, where transformers changes it with the length
        assert first == expected


@pytest.mark.parametrize("implementation", ["sdpa", "eager", "torchpaged"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_another_attention_implementation_under_the_engine(implementation: str, dtype: str) -> None:
    llm = LLM(model := models.build("llama"), dtype=dtype, num_blocks=60)
    expected = tokens(llm)
    model.set_attn_implementation(implementation)
    assert tokens(llm, PROMPT[:-1]) is not None
    assert tokens(llm) == expected
    assert model.config._attn_implementation == implementation
    llm.reset_prefix_cache()
    assert tokens(llm) == expected


def test_an_encoder_decoder_is_its_owners_too() -> None:
    config = BartConfig(
        vocab_size=99, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, init_std=0.5,
    )  # fmt: skip
    torch.manual_seed(4)
    model = BartForConditionalGeneration(config).eval()
    untouched = copy.deepcopy(model)
    ids = torch.tensor([[5, 6, 7, 8]])
    options = {"max_new_tokens": 5, "do_sample": False, "num_beams": 1, "attention_mask": torch.ones_like(ids)}
    expected = untouched.generate(ids, **options)
    llm = LLM(model, num_blocks=40)
    first = llm.generate([[5, 6, 7, 8]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids
    for _ in range(2):
        assert torch.equal(model.generate(ids, **options), expected)
        assert llm.generate([[5, 6, 7, 8]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids == first
    assert expected[0, 1:-1].tolist() == first[: expected.shape[1] - 2]  # transformers forces the end at the last


# --- Its weights change -----------------------------------------------------------------------------------


def through_data(model: PreTrainedModel) -> None:
    """Write through `.data`, as optimisers once did: torch does not count it as a write."""
    model.model.layers[1].mlp.up_proj.weight.data.mul_(-1.5)


def in_place(model: PreTrainedModel) -> None:
    with torch.no_grad():
        model.model.layers[0].self_attn.k_proj.weight.add_(0.7)


def new_parameter(model: PreTrainedModel) -> None:
    weight = model.model.layers[2].mlp.down_proj.weight
    model.model.layers[2].mlp.down_proj.weight = torch.nn.Parameter(weight.detach().flip(0).clone())


def another_checkpoint(model: PreTrainedModel) -> None:
    model.load_state_dict(models.build("llama", seed=9).state_dict())


def assigned(model: PreTrainedModel) -> None:
    state = {name: each.to(model.dtype) for name, each in models.build("llama", seed=9).state_dict().items()}
    model.load_state_dict(state, assign=True)


@pytest.mark.parametrize("change", [through_data, in_place, new_parameter, another_checkpoint, assigned])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_changed_weights_are_seen(change: Callable[[PreTrainedModel], None], dtype: str) -> None:
    model = models.build("llama")
    llm = LLM(model, dtype=dtype, num_blocks=60)
    pin = llm.pin_prefix(PROMPT[:16])
    before = tokens(llm)
    change(model)
    other = copy.deepcopy(model)
    expected = tokens(LLM(other, dtype=dtype, num_blocks=60, enable_prefix_caching=False))
    assert expected != before
    assert tokens(llm) == expected
    assert tokens(llm) == expected and llm.stats().cache.num_pinned_blocks == 1
    llm.engine.check()
    llm.unpin_prefix(pin)


def test_what_did_not_change_is_not_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models.build("llama")
    llm = LLM(model, dtype="bfloat16", num_blocks=60)
    tokens(llm)
    monkeypatch.setattr(llm.engine, "_renew", lambda: pytest.fail("nothing has changed"))
    for _ in range(3):
        models.greedy(model, [PROMPT], 2)
        assert llm.generate([PROMPT], GREEDY, use_tqdm=False)[0].num_cached_tokens == 16


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_update_weights(dtype: str) -> None:
    llm = LLM(models.STDLIB_LM, dtype=dtype, num_blocks=60)  # packed, and given back
    before = tokens(llm)
    name = "model.layers.0.mlp.down_proj.weight"
    original = llm.engine.model
    changed = torch.zeros(original.model.state_dict()[name].shape or (1,))
    other = LLM(models.STDLIB_LM, dtype=dtype, num_blocks=60, optimize=False).engine.model.model
    weights = {each: value.clone() for each, value in other.state_dict().items()}
    changed = torch.randn(weights[name].shape, generator=torch.Generator().manual_seed(0))
    assert llm.update_weights({name: changed}) == 1
    after = tokens(llm)
    assert after != before
    assert llm.update_weights(iter([(name, weights[name])])) == 1
    assert tokens(llm) == before
    assert llm.update_weights(weights) == len(weights)
    assert tokens(llm) == before


def test_what_cannot_be_updated() -> None:
    llm = LLM(models.build("llama"), num_blocks=60)
    name = "model.norm.weight"
    for weights, says in (
        ({"model.norm.weigth": torch.ones(64)}, "no weight 'model.norm.weigth'; did you mean 'model.norm.weight'"),
        ({name: torch.ones(65)}, r"model.norm.weight is \(65,\), expected a tensor \(64,\)"),
        ({name: [1.0] * 64}, "model.norm.weight is a list"),
    ):
        with pytest.raises(ConfigError, match=says):
            llm.update_weights(weights)  # type: ignore[arg-type]
    llm.engine.add_request("a", PROMPT, GREEDY)
    llm.engine.abort("a")
    for version in ("", "default", 3, "x" * 257):
        with pytest.raises(ConfigError, match="update_weights: version is "):
            llm.engine.update_weights({}, version=version)  # type: ignore[arg-type]
    pin = llm.engine.pin_prefix(PROMPT)
    llm.engine.add_request("a", PROMPT, GREEDY)
    with pytest.raises(EngineError, match="update_weights: 1 requests are unfinished and a prefix is pinned"):
        llm.update_weights({})
    llm.engine.abort("a")
    llm.engine.unpin_prefix(pin)
    assert llm.update_weights({}) == 0


def test_a_single_element_and_a_word() -> None:
    """`update_weights({})` announces changes that the fingerprint may miss."""
    model = models.build("llama")
    llm = LLM(model, num_blocks=60)
    tokens(llm)
    model.lm_head.weight.data[7, 3] += 900.0
    llm.update_weights({})
    assert llm.generate([PROMPT], GREEDY, use_tqdm=False)[0].num_cached_tokens == 0


# --- Adapters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_adapters_switched_merged_and_unloaded(dtype: str) -> None:
    from peft import LoraConfig, get_peft_model

    def with_adapters() -> Any:
        torch.manual_seed(5)
        config = LoraConfig(r=4, target_modules=["q_proj", "v_proj", "down_proj"], init_lora_weights=False)
        model = get_peft_model(models.build("llama").to(getattr(torch, dtype)), config, "one")
        model.add_adapter("two", config)
        return model.eval()

    def alone(prepare: Callable[[Any], Any]) -> list[int]:
        model = with_adapters()
        model.set_adapter("one")
        prepare(model)
        return tokens(LLM(model, num_blocks=60, enable_prefix_caching=False))

    model = with_adapters()
    model.set_adapter("one")
    llm = LLM(model, num_blocks=60)
    assert tokens(llm) == alone(lambda model: None)
    model.set_adapter("two")
    two = alone(lambda model: model.set_adapter("two"))
    assert tokens(llm) == two != alone(lambda model: None)
    model.set_adapter("one")
    assert tokens(llm) == alone(lambda model: None)
    with model.disable_adapter():
        assert tokens(llm) == alone(lambda model: model.base_model.disable_adapter_layers())
    model.merge_adapter(["two"])
    assert tokens(llm) == alone(lambda model: model.merge_adapter(["two"]))
    model.unmerge_adapter()
    model.unload()
    other = with_adapters()  # whose weights have been rounded as often
    other.merge_adapter(["two"])
    other.unmerge_adapter()
    assert tokens(llm) == tokens(LLM(other.unload(), num_blocks=60))


# --- Fingerprints -----------------------------------------------------------------------------------------


def fingerprint(model: Any, **settings: Any) -> str:
    return LLM(model, num_blocks=60, **settings).engine.model.fingerprint()


def test_a_fingerprint_sees_every_byte() -> None:
    plain = fingerprint(models.build("llama"))
    assert plain == fingerprint(models.build("llama"))
    for name, place in (
        ("model.embed_tokens.weight", (77, 5)),
        ("lm_head.weight", (3, 63)),
        ("model.norm.weight", (1,)),
    ):
        model = models.build("llama")
        bits = model.state_dict()[name].view(torch.int32)
        bits[place] ^= 1
        assert fingerprint(model) != plain, name


@pytest.mark.parametrize("quantization", [None, "int8"])
def test_a_fingerprint_is_of_the_numbers_not_of_where_they_lie(quantization: str | None) -> None:
    settings = {"dtype": "bfloat16", "quantization": quantization}
    found = {fingerprint(models.STDLIB_LM, **settings, optimize=optimize) for optimize in (True, False)}
    model = LLM(models.STDLIB_LM, **settings, num_blocks=60).engine.model
    before = model.fingerprint()
    model.weights.restore()
    assert found == {before} == {model.fingerprint()}


def test_one_changed_row_is_another_model(tmp_path: Any) -> None:
    model = models.build("llama")
    LLM(model, num_blocks=60).save_prefix(tmp_path / "prefix", PROMPT)
    model.model.embed_tokens.weight.data[100] += 0.5
    with pytest.raises(ModelError, match="saved by another model"):
        LLM(model, num_blocks=60).load_prefix(tmp_path / "prefix")
