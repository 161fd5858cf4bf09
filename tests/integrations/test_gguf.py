"""`integrations/gguf`: a tiny model of each family, written by the `gguf` package, is read as the same model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType as Kind

from tests.integrations import gguf_files
from tests.integrations.gguf_cases import CASES, made
from tests.integrations.gguf_files import quantised, read_model, write
from tests.integrations.gguf_keys import head_size
from torchpaged.errors import ModelError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.checkpoints.gguf.architectures import ARCHITECTURES
from torchpaged.integrations.checkpoints.streaming_load import Reordered
from torchpaged.weights.gguf_file import Gguf

IDS = torch.arange(1, 40)[None]


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
    """Files of Command-R and Nemotron have a scaling of type none, Hunyuan's also a factor and a length."""
    model = made("hunyuan-dense")
    said = {"rope.scaling.type": "none", **more}
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", **said)), "float32")
    with torch.inference_mode():
        expected, logits = model(IDS).logits, found.eval()(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()


def _with_factors(case: str, path: Path, monkeypatch: pytest.MonkeyPatch, name: str = "rope_freqs.weight") -> Gguf:
    """Return a file with factors of frequencies, as many as the rotated part of a head has."""
    model = made(case)
    count = 4 if case == "glm4" else head_size(model.config) // 2
    tensors = [*gguf_files.tensors(model, gguf_files.arch_of(model.config)), (name, torch.arange(1.0, 1 + count))]
    monkeypatch.setattr(gguf_files, "tensors", lambda *_: iter(tensors))
    return Gguf(write(model, path))


@pytest.mark.parametrize("case", ["llama", "glm4"])
def test_factors_of_frequencies_divide_them(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = read_model(Gguf(write(made(case), tmp_path / "plain.gguf")), "float32").model.rotary_emb.inv_freq
    file = _with_factors(case, tmp_path / "m.gguf", monkeypatch)
    found = read_model(file, "float32").model.rotary_emb.inv_freq
    divisors = torch.arange(1.0, 1 + len(plain))
    assert Checkpoint.resolve(file).config.rope_factors == divisors.tolist() and found.equal(plain / divisors)


@pytest.mark.parametrize("case", ["gemma3", "gemma3n", "olmo2 windows", "phi3 long", "nemotron_h", "gpt2"])
def test_factors_that_divide_nothing_are_refused(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Gemma 3 had them in its config, without an effect."""
    file = _with_factors(case, tmp_path / "m.gguf", monkeypatch)
    with pytest.raises(ModelError, match=r"'rope_freqs.weight' is 'there', expected none"):
        read_model(file)


def test_long_factors_are_of_phi3_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"rope.scaling.type is 'longrope', expected another in 'llama'"):
        read_model(Gguf(write(made("llama"), tmp_path / "m.gguf", **{"rope.scaling.type": "longrope"})))
    file = _with_factors("llama", tmp_path / "m.gguf", monkeypatch, "rope_factors_long.weight")
    with pytest.raises(ModelError, match=r"'rope_factors_long.weight' is 'there', expected none in 'llama'"):
        read_model(file)


@pytest.mark.parametrize("case", ["qwen3next", "phi2"])
@pytest.mark.parametrize("kind", [Kind.F32, Kind.Q8_0])
def test_older_files_have_some_products_behind_each_other(
    case: str, kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qwen3-Next's are fused as in a checkpoint; Phi-2's fuse queries, keys and values."""
    model = made(case)
    found = dict(gguf_files.tensors(model, case))
    for layer, block in enumerate(model.model.layers):
        if case == "phi2":
            for kind_of in ("weight", "bias"):
                parts = [found.pop(f"blk.{layer}.attn_{each}.{kind_of}") for each in "qkv"]
                found[f"blk.{layer}.attn_qkv.{kind_of}"] = torch.cat(parts)
        elif hasattr(block, "linear_attn"):
            del found[f"blk.{layer}.attn_qkv.weight"], found[f"blk.{layer}.attn_gate.weight"]
            found[f"blk.{layer}.ssm_in.weight"] = block.linear_attn.in_proj_qkvz.weight
    new = read_model(Gguf(write(model, tmp_path / "new.gguf", kind)), "float32", packs=False)
    monkeypatch.setattr(gguf_files, "tensors", lambda *_: iter(found.items()))
    old = read_model(Gguf(write(model, tmp_path / "old.gguf", kind)), "float32", packs=False)
    for name, values in old.state_dict().items():
        assert values.equal(new.state_dict()[name]), name


def test_granite_4_without_states_names_their_sizes(tmp_path: Path) -> None:
    """llama.cpp's converter writes them for it as for others; a key for tuned scalings tells whether it rotates."""
    said = {"ssm.conv_kernel": 4, "ssm.state_size": 12, "ssm.group_count": 2, "ssm.inner_size": 128}
    said |= {"ssm.time_step_rank": 8, "rope.scaling.finetuned": True}
    model = made("granite")
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", **said)), "float32")
    with torch.inference_mode():
        assert torch.allclose(found(IDS).logits, model(IDS).logits, atol=2e-5)
    with pytest.raises(ModelError, match=r"rope.scaling.finetuned is False, expected True"):
        read_model(Gguf(write(model, tmp_path / "m.gguf", **{**said, "rope.scaling.finetuned": False})))


_SEEING = {"qwen2": "qwen2vl", "qwen3": "qwen3vl", "qwen3moe": "qwen3vlmoe"}


@pytest.mark.parametrize("case", _SEEING)
def test_a_model_that_sees_is_read_as_one_of_texts(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = made(case)
    monkeypatch.setitem(gguf_files.ARCH, model.config.model_type, _SEEING[case])
    said = {"rope.dimension_sections": [24, 20, 20, 0], "n_deepstack_layers": 3}
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", **said)), "float32")
    with torch.inference_mode():
        expected, logits = model(IDS).logits, found.eval()(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()


def test_every_architecture_has_a_file_here() -> None:
    named = {case.partition(" ")[0] for case in CASES} - {"mixtral"}
    assert named | set(_SEEING.values()) == set(ARCHITECTURES)


@pytest.mark.parametrize("kind", [Kind.Q8_0, Kind.Q4_0, Kind.Q4_1, Kind.Q5_1, Kind.BF16])
@pytest.mark.parametrize(
    "case",
    [
        "llama biases",
        "gemma2",
        "gpt2",
        "qwen3moe",
        "gpt-oss",
        "qwen35",
        "granitemoe shared",
        "granitehybrid",
        "gptneox",
    ],
)
def test_a_quantised_file_has_the_values_of_the_librarys_dequantiser(case: str, kind: Kind, tmp_path: Path) -> None:
    """Expanded, as without kernels: only the order of sums differs."""
    model = made(case)
    file = Gguf(write(model, tmp_path / "m.gguf", kind))
    found = read_model(file, "float32", packs=False)
    with torch.inference_mode():
        expected, logits = quantised(model, kind)(IDS).logits, found(IDS).logits
    assert (logits - expected).abs().max() <= 2e-5 * expected.abs().max()


@pytest.mark.parametrize(
    "case",
    [
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "granitehybrid",
        "nemotron_h_moe",
        "granitemoe shared",
        "glm4moe",
        "gemma3n",
        "gemma4",
    ],
)
def test_a_quantised_file_runs_as_it_is(case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Close to the model of its values, except for activations in int8; close scores may route to another expert."""
    model = made(case)
    found = read_model(Gguf(write(model, tmp_path / "m.gguf", Kind.Q8_0)), "float32")
    with torch.inference_mode():
        expected, logits = quantised(model, Kind.Q8_0)(IDS).logits, found(IDS).logits
    by_token = (logits - expected).norm(dim=-1) / expected.norm(dim=-1)
    assert 0 < by_token.median() < 0.1
    routed = case not in (
        "qwen35",
        "gemma3n",
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
    "unknown key": (
        "qwen3",
        {"attention.twist": 3},
        "attention.twist is 3, expected none: its effect on .*unknown",
    ),
    "head counts": (
        "granitehybrid",
        {"attention.head_count_kv": [0, 0, 0, 0]},
        "attention.head_count_kv is .*expected a number of heads for each layer",
    ),
    "kinds of layers": ("nemotron_h", {"attention.head_count_kv": [2, 0, 2, 0]}, "head_count_kv is .*expected"),
    "states": ("falcon-h1 normed", {"ssm.group_count": 4, "ssm.state_size": 6}, "ssm.group_count is 4, expected 2"),
    "state": ("nemotron_h", {"ssm.state_size": 13}, "ssm.state_size is 13, expected 12"),
    "state heads": ("granitehybrid", {"ssm.time_step_rank": 9}, "ssm.inner_size is 128, expected 126"),
    "activations": ("apertus", {"xielu.beta": [0.5, 0.5, 0.5]}, "expected an array of 4 numbers"),
    "streams": ("gemma3n", {"altup.num_inputs": 5}, "altup.num_inputs is 5, expected 4"),
    "shared experts": ("ernie4_5-moe", {"expert_shared_count": 1}, "expert_shared_count is 1, expected 2"),
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
    "cap of Gemma 3n": (
        "gemma3n",
        {"final_logit_softcapping": 0.0},
        "final_logit_softcapping is 0.0, expected a finite",
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
    """Return another value of a key."""
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
    """Drop, rename or reshape a tensor."""
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
    tensors = list(gguf_files.tensors(model, gguf_files.arch_of(model.config)))
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
