"""vLLM over our operators: a layer's results against the oracle; refusals; whole models in vLLM.

Where vLLM is not installed, a stand-in of the few names that the backend is made of takes its place. The whole models
are for `make test-vllm`, which names a Python that has vLLM.
"""

from __future__ import annotations

import enum
import importlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from evals.bench import vllm_attention
from evals.bench.peers import plugin
from tests import oracle
from tests.models import STDLIB_LM
from torchpaged.errors import ModelError
from torchpaged.tools.workloads import Workload

ATTENTION = "torchpaged.integrations.vllm.attention"
BLOCK_SIZE, KV_HEADS, HEADS, HEAD_SIZE = 4, 2, 4, 16
# Of each sequence: tokens that were there, and tokens of this step. A decode, a prompt, a chunk of one.
BATCH = ((9, 1), (0, 6), (5, 3))
PADDING = 2


class Registry(SimpleNamespace):
    """Registrations that the stand-in received."""

    replaced: dict[str, str]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """Yield a stand-in for vLLM; `plugins` is its VLLM_PLUGINS."""

    class Types(str, enum.Enum):
        DECODER, ENCODER, ENCODER_ONLY, ENCODER_DECODER = "decoder", "encoder", "encoder_only", "encoder_decoder"

    class Impl:
        total_cp_world_size = pcp_world_size = 1

    class Builder:
        def __init__(self, *_: Any) -> None:
            pass

    registry = Registry(replaced={}, impl=Impl, types=Types)
    envs = SimpleNamespace(VLLM_PLUGINS=None)
    registry.envs = envs
    names = {
        "vllm": {"envs": envs},
        "vllm.v1": {},
        "vllm.v1.attention": {},
        "vllm.v1.attention.backends": {},
        "vllm.v1.attention.backend": {
            "AttentionBackend": type("AttentionBackend", (), {}),
            "AttentionImpl": Impl,
            "AttentionMetadataBuilder": Builder,
            "AttentionType": Types,
        },
        "vllm.v1.attention.backends.registry": {
            "AttentionBackendEnum": SimpleNamespace(CUSTOM="CUSTOM", CPU_ATTN="CPU_ATTN"),
            "register_backend": registry.replaced.__setitem__,
        },
        "vllm.v1.kv_cache_interface": {"KVCacheLayout": enum.Enum("KVCacheLayout", "LBHNC LBNHC")},
    }
    for name, contents in names.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, ATTENTION, raising=False)
    yield registry
    sys.modules.pop(ATTENTION, None)  # it imported the stand-in


def make(**options: Any) -> Any:
    """Build a layer's attention from vLLM's arguments."""
    given = {
        "num_heads": HEADS,
        "head_size": HEAD_SIZE,
        "scale": 0.3,
        "num_kv_heads": KV_HEADS,
        "alibi_slopes": None,
        "sliding_window": None,
        "kv_cache_dtype": "auto",
        **options,
    }
    return importlib.import_module(ATTENTION).TorchpagedAttentionImpl(**given)


def ints(*values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


@dataclass
class Case:
    """A layer's input in vLLM's terms and in the oracle's, and its cache's layout."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    causal: bool = True
    head_size_v: int = HEAD_SIZE
    gap: int = 0  # numbers between a layer's blocks, taken by other layers or padding


SLOPES, SINKS = [0.5, 0.25, 0.125, 0.0625], torch.tensor([0.5, -1.0, 2.0, 0.0])
CASES = [
    Case("plain"),
    Case("window", {"sliding_window": 5}, {"sliding_window": 5}),
    Case("softcap", {"logits_soft_cap": 2.0}, {"softcap": 2.0}),
    Case("alibi", {"alibi_slopes": SLOPES}, {"alibi_slopes": torch.tensor(SLOPES)}),
    Case("sinks-and-window", {"sinks": SINKS, "sliding_window": 3}, {"sinks": SINKS, "sliding_window": 3}),
    Case("not-causal", causal=False, expected={"causal": False}),
    Case("smaller-values", head_size_v=8),
    Case("padded-blocks", gap=24),
]


class Step:
    """A batch of `BATCH` over shuffled blocks, as vLLM hands it over, after the steps before it."""

    def __init__(self, head_size_v: int = HEAD_SIZE, gap: int = 0, dtype: torch.dtype = torch.float32) -> None:
        generator = torch.Generator().manual_seed(0)
        self.lengths = [before + new for before, new in BATCH]
        self.keys, self.values, self.queries = (
            [torch.randn(length, heads, size, generator=generator) for length in lengths]
            for heads, size, lengths in (
                (KV_HEADS, HEAD_SIZE, self.lengths),
                (KV_HEADS, head_size_v, self.lengths),
                (HEADS, HEAD_SIZE, [new for _, new in BATCH]),
            )
        )
        self.tables = [[7, 3, 9], [2, 8], [5, 1]]
        row = HEAD_SIZE + head_size_v
        storage = torch.zeros(10, KV_HEADS * BLOCK_SIZE * row + gap, dtype=dtype)
        self.cache = storage[:, : KV_HEADS * BLOCK_SIZE * row].view(10, KV_HEADS, BLOCK_SIZE, row)
        self.layer = SimpleNamespace(_k_scale=torch.tensor(0.5), _v_scale=torch.tensor(0.25))

    def slots(self, which: str) -> Tensor:
        """Return the slots of the earlier tokens ("before"), or of this step's."""
        spans = [(0, before) if which == "before" else (before, before + new) for before, new in BATCH]
        pairs = zip(self.tables, spans, strict=True)
        return torch.tensor(
            [t[i // BLOCK_SIZE] * BLOCK_SIZE + i % BLOCK_SIZE for t, span in pairs for i in range(*span)]
        )

    def write(self, layer: Any) -> None:
        """Write in two steps; the second has rows of padding, which have no slot or slot -1."""
        for which, pick in (("before", lambda x, n: x[:n]), ("now", lambda x, n: x[n:])):
            rows = [
                torch.cat([pick(each, before) for each, (before, _) in zip(of, BATCH, strict=True)])
                for of in (self.keys, self.values)
            ]
            padded = [torch.cat([each, torch.full((PADDING, *each.shape[1:]), torch.nan)]) for each in rows]
            slots = torch.cat([self.slots(which), torch.tensor([-1])])
            layer.do_kv_cache_update(self.layer, *padded, self.cache, slots)

    def attend(self, layer: Any, causal: bool) -> Tensor:
        attention = importlib.import_module(ATTENTION)
        starts = [0]
        for _, new in BATCH:
            starts.append(starts[-1] + new)
        common = SimpleNamespace(
            num_actual_tokens=starts[-1],
            max_query_len=max(new for _, new in BATCH),
            query_start_loc=ints(*starts),
            seq_lens=ints(*self.lengths),
            block_table_tensor=ints(*(table + [0] * (3 - len(table)) for table in self.tables)),
            causal=causal,
        )
        metadata = attention.TorchpagedMetadataBuilder(None, [], config(), torch.device("cpu")).build(0, common)
        query = torch.cat([*self.queries, torch.full((PADDING, HEADS, HEAD_SIZE), torch.nan)])
        output = torch.full((len(query), HEADS, self.values[0].shape[2]), 7.0)
        assert layer.forward(self.layer, query, query, query, self.cache, metadata, output) is output
        assert bool((output[-PADDING:] == 7.0).all()), "rows of padding are left alone"
        return output[:-PADDING]


def config(**changes: Any) -> Any:
    """Return the part of vLLM's settings that the attention reads."""
    model = SimpleNamespace(rswa_window=None, is_mm_prefix_lm=False)
    every = SimpleNamespace(model_config=model, kv_transfer_config=None)
    for name, value in changes.items():
        setattr(every if hasattr(every, name) else model, name, value)
    return every


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_layer_computes_attention(case: Case, vllm: Registry) -> None:
    layer, step = make(**case.options), Step(case.head_size_v, case.gap)
    step.write(layer)
    expected, _ = oracle.attend(step.queries, step.keys, step.values, **{"scale": 0.3, **case.expected})
    torch.testing.assert_close(step.attend(layer, case.causal).double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "dtype"), [("fp8", torch.float8_e4m3fn), ("fp8_e5m2", torch.float8_e5m2)], ids=["e4m3", "e5m2"]
)
def test_a_cache_of_bytes(name: str, dtype: torch.dtype, vllm: Registry) -> None:
    """Numbers are divided by the layer's scales and rounded; the oracle sees the rounded values."""
    layer, step = make(kv_cache_dtype=name), Step(dtype=torch.uint8)
    step.write(layer)
    keys, values = (
        [(each / scale).to(dtype).float() * scale for each in of]
        for of, scale in ((step.keys, step.layer._k_scale), (step.values, step.layer._v_scale))
    )
    expected, _ = oracle.attend(step.queries, keys, values, scale=0.3)
    torch.testing.assert_close(step.attend(layer, True).double(), expected, rtol=1e-5, atol=1e-5)


def test_tokens_before_heads_are_no_layout_of_ours(vllm: Registry) -> None:
    """Such a cache has no view in the operators' layout, and writes to a copy would be lost."""
    assert [
        each.name for each in importlib.import_module(ATTENTION).TorchpagedAttentionBackend.supported_kv_cache_layouts()
    ] == ["LBHNC"]
    step = Step()
    step.cache = step.cache.transpose(1, 2).contiguous().transpose(1, 2)
    with pytest.raises(RuntimeError, match="view"):
        step.write(make())


def test_a_warm_up_gives_zeros(vllm: Registry) -> None:
    output = torch.full((3, HEADS, HEAD_SIZE), torch.nan)
    assert not make().forward(None, output, output, output, torch.zeros(0), None, output).any()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"attn_type": "encoder_only"}, "attn_type is 'encoder_only'"),
        ({"attn_type": "encoder_decoder"}, "attn_type is 'encoder_decoder'"),
        ({"kv_cache_dtype": "int8_per_token_head"}, "kv_cache_dtype is 'int8_per_token_head'"),
        ({"kv_cache_dtype": "bfloat16"}, "kv_cache_dtype is 'bfloat16'"),
    ],
    ids=["encoder", "cross", "int8", "another-type"],
)
def test_what_a_layer_cannot_be_is_refused(options: dict[str, Any], named: str, vllm: Registry) -> None:
    if "attn_type" in options:
        options = {"attn_type": vllm.types(options["attn_type"])}
    with pytest.raises(ModelError, match=f"{named}, expected .* VLLM_PLUGINS"):
        make(**options)


@pytest.mark.parametrize("options", [{"sliding_window": 5}, {"alibi_slopes": SLOPES}], ids=["window", "alibi"])
def test_what_looks_back_is_refused_where_attention_is_not_causal(options: dict[str, Any], vllm: Registry) -> None:
    """vLLM's backends disagree on its meaning."""
    step, layer = Step(), make(**options)
    step.write(layer)
    with pytest.raises(ModelError, match=f"{next(iter(options))} is 'given', expected None if attention is not"):
        step.attend(layer, causal=False)


def test_a_context_among_ranks_is_refused(vllm: Registry) -> None:
    vllm.impl.total_cp_world_size = 2
    with pytest.raises(ModelError, match="context parallel size is 2, expected 1"):
        make()


def test_what_a_model_cannot_ask_for_is_refused(vllm: Registry) -> None:
    builder = importlib.import_module(ATTENTION).TorchpagedMetadataBuilder
    transfer = SimpleNamespace(is_kv_transfer_instance=True, kv_connector="NixlConnector")
    for changes, named in (
        ({"rswa_window": 64}, "rswa_window is 64"),
        ({"is_mm_prefix_lm": True}, "is_mm_prefix_lm is True"),
        ({"kv_transfer_config": transfer}, "kv_connector is 'NixlConnector'"),
    ):
        with pytest.raises(ModelError, match=named):
            builder(None, [], config(**changes), torch.device("cpu"))
    common = SimpleNamespace(causal=torch.ones(2, dtype=torch.bool))
    with pytest.raises(ModelError, match="causal is"):
        builder(None, [], config(), torch.device("cpu")).build(0, common)
    with pytest.raises(ModelError, match="output_scale"):
        make().forward(None, *[torch.zeros(1)] * 4, None, torch.zeros(1), output_scale=torch.ones(1))


@pytest.mark.parametrize(
    ("plugins", "replaces"),
    [(None, False), (["other"], False), (["torchpaged"], True), (["other", "torchpaged"], True)],
)
def test_the_plugin_replaces_vllm_s_attention_if_it_is_named(
    plugins: list[str] | None, replaces: bool, vllm: Registry
) -> None:
    """Being installed is not enough; and vLLM may load a plugin several times."""
    vllm.envs.VLLM_PLUGINS = plugins
    register = importlib.import_module("torchpaged.integrations.vllm.plugin").register
    register()
    register()
    backend = f"{ATTENTION}.TorchpagedAttentionBackend"
    assert vllm.replaced == {"CUSTOM": backend} | ({"CPU_ATTN": backend} if replaces else {})
    module, _, name = backend.rpartition(".")
    assert getattr(importlib.import_module(module), name).get_name() == "CUSTOM"


def test_the_entry_point(tmp_path: Path) -> None:
    """vLLM loads the entry point of pyproject.toml; loading it imports nothing of vLLM."""
    plugin.environment(tmp_path)
    line = (tmp_path / "torchpaged-0.dist-info" / "entry_points.txt").read_text().splitlines()[1]
    name, _, value = line.partition(" = ")
    assert name == "torchpaged" and "vllm" not in sys.modules
    assert EntryPoint(name, value, plugin.GROUP).load().__name__ == "register" and "vllm" not in sys.modules


class Timed:
    """A process of the benchmark's that takes a fixed time for a token, and notes when it runs."""

    def __init__(self, name: str, seconds: float, notes: list[str]) -> None:
        self.name, self.seconds, self.notes = name, seconds, notes

    def resume(self) -> None:
        self.notes.append(self.name)

    def pause(self) -> None:
        self.notes.append("")

    def run(self, workload: Workload) -> dict[str, Any]:
        return {"times": [[self.seconds * (i + 1) for i in range(count)] for count in workload.max_tokens]}


def test_the_benchmark_takes_turns(capsys: pytest.CaptureFixture[str]) -> None:
    """One runs at a time, and the order alternates; contexts are written in place, only their last tokens computed."""
    rounds = [vllm_attention.workloads(100, seed, 1 / 64) for seed in range(2)]
    assert [(len(each.prompts), len(each.prompts[0]), each.filled) for each in rounds[0]] == [
        (1, 8, 8),
        (4, 128, 128),
        (1, 32, 0),
    ]
    assert rounds[0][0].prompts != rounds[1][0].prompts
    notes: list[str] = []
    rows = vllm_attention.measure(
        {name: Timed(name, seconds, notes) for name, seconds in (("vllm", 3), ("torchpaged", 2))}, rounds
    )
    assert [row["times_as_fast"] for row in rows] == pytest.approx([1.5] * 3)
    assert notes == ["torchpaged", "", "vllm", "", "vllm", "", "torchpaged", ""] * 3
    assert capsys.readouterr().out.count("1.50x") == 3


# --- In vLLM itself -------------------------------------------------------------------------------------

SHAPE = {
    "hidden_size": 96,
    "intermediate_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 400,
    "max_position_embeddings": 512,
    "initializer_range": 0.2,  # attention that looks at few tokens, and logits that differ widely
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
BLOOM = {"hidden_size": 128, "n_head": 4, "n_layer": 2, "vocab_size": 400, "initializer_range": 0.2}
BERT = {"hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 400}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "window": ("mistral", {**SHAPE, "sliding_window": 40}),
    "softcap": (
        "gemma2",
        {**SHAPE, "sliding_window": 32, "attn_logit_softcapping": 5.0, "query_pre_attn_scalar": 32},
    ),
    "alibi": ("bloom", BLOOM),
    "encoder": ("bert", BERT),
}
COMPARED = ["llama", "window", "softcap", "alibi"]
Answers = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answers]:
    """Return the answers of vLLM with its own attention ("vllm") and with ours."""
    python = os.environ.get("VLLM_PYTHON")
    if not python:
        pytest.skip("VLLM_PYTHON names no Python that has vLLM: make test-vllm VLLM_PYTHON=/path/to/python")
    folder = tmp_path_factory.mktemp("vllm")
    asked = [{"name": name, "folder": str(checkpoint(name, folder)), **requests(name)} for name in ("llama", *MODELS)]
    (folder / "asked.json").write_text(json.dumps(asked))
    (folder / "path").mkdir()
    plain = {key: value for key, value in os.environ.items() if key not in ("VLLM_PLUGINS", "VLLM_PYTHON")}
    found = {}
    for name, more in (("vllm", {}), ("torchpaged", plugin.environment(folder / "path"))):
        script = Path(__file__).with_name("vllm_tokens.py")
        command = [python, str(script), str(folder / "asked.json"), str(folder / f"{name}.json")]
        with (folder / f"{name}.log").open("w") as log:
            ended = subprocess.run(command, env={**plain, **more}, stdout=log, stderr=log, timeout=900)
        assert ended.returncode == 0, (folder / f"{name}.log").read_text()[-4000:]
        found[name] = json.loads((folder / f"{name}.json").read_text())
    return found


def checkpoint(name: str, folder: Path) -> Path:
    """Write a folder with the model; weights are random except for the trained llama."""
    if name == "llama":
        return Path(STDLIB_LM)
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    kind, shape = MODELS[name]
    torch.manual_seed(0)
    auto = transformers.AutoModel if name == "encoder" else transformers.AutoModelForCausalLM
    auto.from_config(transformers.AutoConfig.for_model(kind, **shape)).save_pretrained(folder / name)
    return folder / name


def requests(name: str) -> dict[str, Any]:
    """Return prompts of many lengths, some with a common prefix; steps are too small for the longest."""
    if name == "encoder":
        return {"prompts": [[5, 6, 7]], "arguments": {"runner": "pooling", "max_model_len": 64}}
    draw = random.Random(name)
    common, *prompts = [[draw.randrange(5, 400) for _ in range(length)] for length in (96, 3, 50, 130, 17, 200)]
    prompts += [common + prompt[:9] for prompt in prompts]
    arguments = {"max_model_len": 320, "max_num_seqs": 5, "max_num_batched_tokens": 80, "block_size": 32}
    return {"prompts": prompts, "arguments": {**arguments, "enable_prefix_caching": True}}


@pytest.mark.long
@pytest.mark.parametrize("name", COMPARED)
def test_vllm_s_tokens(name: str, answers: dict[str, Answers]) -> None:
    """In float32: prefills and decodes in one step, prompts in chunks, prefix hits."""
    theirs, ours = (answers[of][name] for of in ("vllm", "torchpaged"))
    assert "error" not in theirs and "error" not in ours, (theirs, ours)
    assert theirs["attention"] == ["CPUAttentionBackendImpl"] and ours["attention"] == ["TorchpagedAttentionImpl"]
    assert ours["mixed"] and ours["chunked"] and ours["cached"][1] > ours["cached"][0] > 0
    assert ours["tokens"] == theirs["tokens"]
    torch.testing.assert_close(*(torch.tensor(of["logprobs"]) for of in (ours, theirs)), rtol=0, atol=1e-4)
    assert len({token for tokens in ours["tokens"][0] for token in tokens}) > 5, "not one word over and over"


@pytest.mark.long
def test_latent_attention_stays_vllm_s_own(answers: dict[str, Answers]) -> None:
    theirs, ours = (answers[of]["backends"] for of in ("vllm", "torchpaged"))
    assert ours["plain"] == f"{ATTENTION}.TorchpagedAttentionBackend" != theirs["plain"]
    assert ours["latent"] == theirs["latent"]


@pytest.mark.long
def test_vllm_is_told_what_is_not_supported(answers: dict[str, Answers]) -> None:
    assert "error" not in answers["vllm"]["encoder"] or "attn_type" not in answers["vllm"]["encoder"]["error"]
    assert "attn_type is" in answers["torchpaged"]["encoder"]["error"]
