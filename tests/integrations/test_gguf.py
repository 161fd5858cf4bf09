"""`integrations/gguf`: a tiny model of each family, written by the `gguf` package, is read as the same model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from transformers import PreTrainedModel

from tests.integrations import gguf_files
from tests.integrations.family_models import SPECIAL
from tests.integrations.gguf_files import quantised, write
from tests.models import OMIT, build
from torchpaged.errors import ModelError
from torchpaged.integrations.filling import Reordered
from torchpaged.integrations.gguf import config_from, read_model
from torchpaged.integrations.gguf_families import ARCHITECTURES
from torchpaged.models.gguf import Gguf

IDS = torch.arange(1, 40)[None]
_EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
_LONG = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
    "long_factor": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0],
    "original_max_position_embeddings": 24,
    "factor": 512 / 24,
}
_TIED = {"tie_word_embeddings": True}
_GRANITE = {
    "embedding_multiplier": 3.0,
    "residual_multiplier": 0.5,
    "logits_scaling": 2.0,
    "attention_multiplier": 0.2,
}
_GEMMA4 = {
    **_TIED,
    "sliding_window": 7,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
    "global_head_dim": 32,
}
# Sizes that formats of few bits divide, too.
_LATENTS = {**SPECIAL["deepseek_v3"], "kv_lora_rank": 32, "qk_nope_head_dim": 32}
_YARN = {
    "rope_type": "yarn",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "original_max_position_embeddings": 128,
    "mscale": 0.8,
    "mscale_all_dim": 0.8,
}
# Value heads that share a key head, and no size that is another's.
_DELTA = {
    "layer_types": ["linear_attention", "full_attention"] * 2,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 6,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 32,
    "initializer_range": 0.05,
}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("llama", {}),
    "llama tied": ("llama", _TIED),
    "llama biases": ("llama", {"attention_bias": True, "mlp_bias": True}),
    "llama factors": ("llama", {"rope_parameters": _LLAMA3}),
    "llama linear": ("llama", {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}}),
    "llama yarn": (
        "llama",
        {
            "rope_parameters": {
                "rope_type": "yarn",
                "factor": 4.0,
                "rope_theta": 10000.0,
                "original_max_position_embeddings": 128,
            }
        },
    ),
    "llama heads": ("llama", {"head_dim": 32}),
    "mixtral": ("mixtral", {"num_local_experts": 4}),
    "qwen2": ("qwen2", {}),
    "qwen2moe": ("qwen2_moe", {**_EXPERTS, "shared_expert_intermediate_size": 48}),
    "qwen3": ("qwen3", {"head_dim": 32}),
    "qwen3moe": ("qwen3_moe", {**_EXPERTS, "norm_topk_prob": True}),
    "gpt-oss": ("gpt_oss", {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 7}),
    "qwen35": ("qwen3_5_text", _DELTA),
    "qwen35 as many": ("qwen3_5_text", {**_DELTA, "linear_num_value_heads": 2}),
    "qwen35moe": ("qwen3_5_moe_text", {**_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 48}),
    "gemma": ("gemma", _TIED),
    "gemma2": ("gemma2", {**_TIED, "sliding_window": 7, "query_pre_attn_scalar": 16}),
    "gemma3": ("gemma3_text", {**_TIED, "sliding_window": 7, "query_pre_attn_scalar": 16, "num_hidden_layers": 7}),
    "gemma4": (
        "gemma4_text",
        {
            **_GEMMA4,
            "num_kv_shared_layers": 2,
            "hidden_size_per_layer_input": 8,
            "vocab_size_per_layer_input": 128,
            "use_double_wide_mlp": True,
        },
    ),
    "gemma4 experts": (
        "gemma4_text",
        {
            **_GEMMA4,
            "num_kv_shared_layers": 0,
            "hidden_size_per_layer_input": 0,
            "enable_moe_block": True,
            "num_experts": 4,
            "top_k_experts": 2,
            "moe_intermediate_size": 32,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 1,
            "final_logit_softcapping": 30.0,
        },
    ),
    "phi3": ("phi3", {}),
    "phi3 long": ("phi3", {"rope_parameters": _LONG, "original_max_position_embeddings": 24}),
    "granite": ("granite", _GRANITE),
    "lfm2": ("lfm2", {**_TIED, "layer_types": ["conv", "full_attention"] * 2, "block_auto_adjust_ff_dim": False}),
    "lfm2moe": (
        "lfm2_moe",
        {**_TIED, **_EXPERTS, "layer_types": ["conv", "full_attention"] * 2, "num_dense_layers": 1},
    ),
    "mistral3": ("mistral", {**_TIED, "sliding_window": None}),
    "mistral3 that grows": (
        "ministral3",
        {
            "sliding_window": None,
            "rope_parameters": {**_YARN, "original_max_position_embeddings": 16, "llama_4_scaling_beta": 0.1},
        },
    ),
    "gpt2": ("gpt2", {**_TIED, "head_dim": OMIT, "num_key_value_heads": OMIT, "intermediate_size": OMIT}),
    "smollm3": ("smollm3", {}),
    "arcee": ("arcee", {}),
    "starcoder2": ("starcoder2", {}),
    "stablelm": ("stablelm", {}),
    "olmo2": ("olmo2", {}),
    "olmo2 windows": (
        "olmo3",
        {
            "sliding_window": 7,
            "rope_parameters": {
                "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
                "full_attention": {
                    "rope_type": "yarn",
                    "rope_theta": 10000.0,
                    "factor": 4.0,
                    "original_max_position_embeddings": 128,
                },
            },
        },
    ),
    "olmoe": ("olmoe", {"num_experts": 4, "num_experts_per_tok": 2}),
    "glm4": ("glm4", {}),
    "glm4moe": (
        "glm4_moe",
        {
            "n_routed_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "use_qk_norm": True,
            "attention_bias": True,
            "routed_scaling_factor": 1.5,
        },
    ),
    "deepseek2": ("deepseek_v2", {**_LATENTS, "q_lora_rank": None}),
    "deepseek2 groups": (
        "deepseek_v2",
        {**_LATENTS, "n_routed_experts": 8, "n_group": 4, "topk_group": 1, "topk_method": "group_limited_greedy"},
    ),
    "deepseek2 by sigmoid": ("deepseek_v3", {**_LATENTS, "rope_parameters": _YARN, "routed_scaling_factor": 1.5}),
    "granitemoe": ("granitemoe", {**_GRANITE, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "granitemoe shared": (
        "granitemoeshared",
        {**_GRANITE, "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 48},
    ),
    "exaone4": ("exaone4", {"sliding_window": None, "layer_types": ["full_attention"] * 4}),
    "command-r": ("cohere", {**_TIED, "logit_scale": 0.5}),
    "cohere2": ("cohere2", {**_TIED, "logit_scale": 0.5, "sliding_window": 7}),
    "nemotron": ("nemotron", {}),
    "seed_oss": ("seed_oss", {}),
    "ernie4_5": ("ernie4_5", {}),
    "hunyuan-dense": ("hunyuan_v1_dense", {}),
}


def made(case: str) -> PreTrainedModel:
    """A model whose norms and biases are no ones and zeros."""
    kind, settings = CASES[case]
    model = build(kind, **{"initializer_range": 0.1, **settings})
    generator = torch.Generator().manual_seed(5)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 1 or name.endswith("_bias"):
            parameter.data.add_(torch.randn(parameter.shape, generator=generator) * 0.2)
    return model


@pytest.mark.parametrize("case", CASES)
def test_a_file_is_the_model_that_it_was_made_of(case: str, tmp_path: Path) -> None:
    model = made(case)
    found = read_model(Gguf(write(model, tmp_path / "m.gguf")), "float32")
    with torch.inference_mode():
        expected, logits = model(IDS).logits, found.eval()(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()
    assert found.config.tie_word_embeddings is model.config.tie_word_embeddings


@pytest.mark.parametrize("more", [{}, {"rope.scaling.factor": 1.0, "rope.scaling.original_context_length": 1 << 18}])
def test_a_scaling_that_is_none_changes_nothing(more: dict[str, Any], tmp_path: Path) -> None:
    """Files of Command-R and Nemotron say so, and Hunyuan's with a factor and a length beside it."""
    model = made("hunyuan-dense")
    said = {"rope.scaling.type": "none", **more}
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", **said)), "float32")
    with torch.inference_mode():
        expected, logits = model(IDS).logits, found.eval()(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()


def _with(model: PreTrainedModel, arch: str, monkeypatch: pytest.MonkeyPatch, **more: torch.Tensor) -> None:
    tensors = [*gguf_files.tensors(model, arch), *((name.replace("_weight", ".weight"), t) for name, t in more.items())]
    monkeypatch.setattr(gguf_files, "tensors", lambda *_: iter(tensors))


@pytest.mark.parametrize("case", ["llama", "glm4"])
def test_factors_of_frequencies_are_read(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = made(case)
    own = model.model.rotary_emb.inv_freq
    factors = torch.arange(1.0, 1 + len(own))
    _with(model, case, monkeypatch, rope_freqs_weight=factors)
    file = Gguf(write(model, tmp_path / "m.gguf"))
    assert config_from(file).rope_factors == factors.tolist()
    assert torch.equal(read_model(file, "float32").model.rotary_emb.inv_freq, own / factors)


@pytest.mark.parametrize("case", ["gemma3", "olmo2 windows"])
def test_factors_of_which_frequencies_nobody_says_are_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These models have two kinds of frequencies, whose buffers have other names: the factors were ignored."""
    model = made(case)
    _with(model, case.partition(" ")[0], monkeypatch, rope_freqs_weight=torch.arange(1.0, 9.0))
    with pytest.raises(ModelError, match=r"tensor 'rope_freqs.weight' is 'there', expected none"):
        read_model(Gguf(write(model, tmp_path / "m.gguf")))


@pytest.mark.parametrize("case", ["llama", "gemma3", "deepseek2"])
def test_long_factors_of_other_families_are_refused(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, factors = made(case), torch.arange(1.0, 9.0)
    _with(model, case, monkeypatch, rope_factors_long_weight=factors, rope_factors_short_weight=factors)
    with pytest.raises(ModelError, match=r"tensor 'rope_factors_long.weight' is 'there', expected none"):
        read_model(Gguf(write(model, tmp_path / "m.gguf")))


def test_every_architecture_has_a_file_here() -> None:
    assert {case.partition(" ")[0] for case in CASES} - {"mixtral"} == set(ARCHITECTURES)


@pytest.mark.parametrize("kind", [Kind.Q8_0, Kind.Q4_0, Kind.Q4_1, Kind.Q5_1, Kind.BF16])
@pytest.mark.parametrize(
    "case", ["llama biases", "gemma2", "gpt2", "qwen3moe", "gpt-oss", "qwen35", "granitemoe shared"]
)
def test_a_quantised_file_has_the_values_of_the_librarys_dequantiser(case: str, kind: Kind, tmp_path: Path) -> None:
    """Expanded, as where there are no kernels: what is left of the difference is the order of sums."""
    model = made(case)
    file = Gguf(write(model, tmp_path / "m.gguf", kind))
    found = read_model(file, "float32", packs=False)
    with torch.inference_mode():
        expected, logits = quantised(model, kind)(IDS).logits, found(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()


@pytest.mark.parametrize("case", ["qwen35", "qwen35moe", "granitemoe shared", "glm4moe", "gemma4"])
def test_a_quantised_file_runs_as_it_is(case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Near the model of its values, but for activations in int8; a token that is close may take another expert."""
    model = made(case)
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", Kind.Q8_0)), "float32")
    with torch.inference_mode():
        expected, logits = quantised(model, Kind.Q8_0)(IDS).logits, found(IDS).logits
    by_token = (logits - expected).norm(dim=-1) / expected.norm(dim=-1)
    assert 0 < by_token.median() < 0.1
    routed = case not in (
        "qwen35",
        "gemma4",
    )  # the `gguf` package makes 8 bits of routers too, which llama.cpp's files keep in floats
    assert ("expanded" in caplog.text) is routed
    ordered = [name for name, each in found.named_modules() if isinstance(each, Reordered)]
    assert len(ordered) == (2 if case.startswith("qwen35") else 0), "value heads stand otherwise in a file"


def test_dtypes_are_those_of_plain_files_and_bfloat16_of_others(tmp_path: Path) -> None:
    model = made("llama")
    for kind, dtype in ((Kind.F32, torch.float32), (Kind.F16, torch.float16), (Kind.Q4_0, torch.bfloat16)):
        file = Gguf(write(model, tmp_path / "m.gguf", kind))
        assert read_model(file).dtype == dtype
        assert read_model(file, "float16").dtype == torch.float16


def test_what_is_repacked_is_said_in_a_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = made("qwen3moe")
    read_model(Gguf(write(model, tmp_path / "eight.gguf", Kind.Q8_0)), packs=False)
    read_model(Gguf(write(model, tmp_path / "plain.gguf", Kind.F16)), packs=False)
    assert [each.getMessage() for each in caplog.records] == [
        "eight.gguf runs Q8_0 expanded to bfloat16 where no kernel reads them"
    ]


FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "architecture": ("qwen3", {"general.architecture": "rwkv7"}, "general.architecture is 'rwkv7', expected one of"),
    "unknown key": ("qwen3", {"attention.twist": 3}, "attention.twist is 3, expected none: it is not known what"),
    "layers": ("qwen3", {"block_count": 5}, "block_count is 5, expected 4"),
    "many layers": ("qwen3", {"block_count": 1 << 30}, "block_count is 1073741824, expected 4"),
    "width": ("qwen3", {"embedding_length": 128}, "embedding_length is 128, expected 64"),
    "heads": ("llama", {"attention.head_count": 3}, "no config can be made of its keys"),
    "no heads": ("qwen3", {"attention.head_count": 0}, "attention.head_count is 0, expected a whole number from 1"),
    "other heads": ("qwen3", {"attention.head_count": 8}, "has shape"),
    "huge heads": ("qwen3", {"attention.key_length": 1 << 30, "attention.value_length": 1 << 30}, "m.gguf"),
    "values": ("qwen3", {"attention.value_length": 8}, "attention.value_length is 8, expected 32"),
    "rotated": ("qwen3", {"rope.dimension_count": 8}, "rope.dimension_count is 8, expected 32"),
    "scaling": ("qwen3", {"rope.scaling.type": "twist"}, "rope.scaling.type is 'twist'"),
    "experts": ("qwen3moe", {"expert_count": 5}, "has shape"),
    "more experts than there are": ("qwen3moe", {"expert_used_count": 5}, "expert_used_count is 5, expected 4"),
    "groups of experts": ("qwen3moe", {"expert_group_count": 2}, "expert_group_count is 2, expected 1"),
    "groups that part none": ("glm4moe", {"expert_group_count": 3}, "expert_group_count is 3, expected 1"),
    "more groups than there are": ("glm4moe", {"expert_group_used_count": 2}, "group_used_count is 2, expected 1"),
    "both ways": ("qwen3", {"attention.causal": False}, "attention.causal is False, expected True"),
    "more rotated": ("glm4", {"rope.dimension_count": 64}, "rope.dimension_count is 64, expected an even number up to"),
    "half a pair": ("glm4", {"rope.dimension_count": 7}, "rope.dimension_count is 7, expected an even number up to 16"),
    "cap": (
        "gemma2",
        {"final_logit_softcapping": 0.0},
        "final_logit_softcapping is 0.0, expected a finite number above",
    ),
    "cap of scores": ("gemma2", {"attn_logit_softcapping": -1.0}, "attn_logit_softcapping is -1.0, expected a finite"),
    "no logits": ("command-r", {"logit_scale": 0.0}, "logit_scale is 0.0, expected a finite number above 0"),
    "no scaling": (
        "gemma4",
        {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0},
        "gemma4.rope.scaling.type is 'linear', expected 'default'",
    ),
    "eps": ("qwen3", {"attention.layer_norm_rms_epsilon": float("nan")}, "expected a finite number"),
    "negative eps": ("qwen3", {"attention.layer_norm_rms_epsilon": -1.0}, "is -1.0, expected a finite number above 0"),
    "no frequencies": ("qwen3", {"rope.freq_base": 0.0}, "rope.freq_base is 0.0, expected a finite number above 0"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_keys_that_do_not_fit_are_errors(fault: str, tmp_path: Path) -> None:
    case, keys, message = FAULTS[fault]
    path = write(made(case), tmp_path / "m.gguf", **keys)
    with pytest.raises(ModelError, match=message):
        read_model(Gguf(path))


def _changed(rng: random.Random, value: Any) -> Any:
    """Another value of a key."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([0, 1, 2, 3, 5, value + 1, max(0, value - 1), 2 * value, 1 << 20, 1 << 30])
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, float("nan"), float("inf"), 1e30, value * 2])
    if isinstance(value, str):
        return rng.choice(["x", "none", "linear", "yarn"])
    at = rng.randrange(len(value))
    return rng.choice([value[:-1] or value, value * 2, [*value[:at], _changed(rng, value[at]), *value[at + 1 :]]])


def _reshaped(rng: random.Random, name: str, values: torch.Tensor) -> list[tuple[str, torch.Tensor]]:
    """A tensor that is gone, of another name, or of another shape."""
    kinds = [
        [],
        [(name + "x", values)],
        [(name, values[: max(1, len(values) - 1)])],
        [(name, torch.cat((values, values)))],
        [(name, values.flatten() if values.dim() > 1 else values[None])],
        [(name, values.mT if values.dim() > 1 else values[:1])],
    ]
    return rng.choice(kinds)


def _fuzz(case: str, seeds: range, path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Reads files whose keys or tensors are not those of the model. Returns how many were refused."""
    model, refused = made(case), 0
    keys = {name: value for name, value in gguf_files.keys_of(model.config).items() if value is not None}
    tensors = list(gguf_files.tensors(model, gguf_files.ARCH.get(model.config.model_type, model.config.model_type)))
    for seed in seeds:
        rng = random.Random(seed)
        more, changed = {}, list(tensors)
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.6:
                name = rng.choice(list(keys))
                more[name] = _changed(rng, keys[name])
            else:
                at = rng.randrange(len(changed))
                changed[at : at + 1] = _reshaped(rng, *changed[at])
        monkeypatch.setattr(gguf_files, "tensors", lambda *_, found=changed: iter(found))
        write(model, path, rng.choice([Kind.F32, Kind.Q8_0]), **more)
        try:
            read_model(Gguf(path), "float32")
        except ModelError as error:
            refused += 1
            assert str(path) in str(error)
    return refused


@pytest.mark.parametrize("case", CASES)
def test_files_that_do_not_fit_themselves_are_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _fuzz(case, range(4), tmp_path / "m.gguf", monkeypatch) > 0


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_many_files_that_do_not_fit_themselves_are_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _fuzz(case, range(4, 250), tmp_path / "m.gguf", monkeypatch) > 100
