"""A model's own MTP head: texts are unchanged, and drafts equal the head's predictions over the whole text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from tests import models
from tests.fakes import FakeModel
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, CompletionOutput, EngineConfig, SamplingParams
from torchpaged.engine.speculation import with_draft
from torchpaged.errors import ConfigError
from torchpaged.execution.draft_runner import DraftRunner
from torchpaged.integrations.transformers import adapter
from torchpaged.scheduling import Step
from torchpaged.scheduling.step_cost import StepCost

MtpModel = pytest.importorskip("transformers.modeling_layers", reason="transformers has no MtpModel").MtpModel

Expected = tuple[list[list[CompletionOutput]], dict[tuple[int, ...], int]]

WINDOW = 7
# Prefixes of `MtpModel`'s names, and those of Mellum's checkpoints.
NAMES = {
    "layers.0.enorm.": "mtp.pre_fc_norm_embedding.",
    "layers.0.hnorm.": "mtp.pre_fc_norm_hidden.",
    "layers.0.eh_proj.": "mtp.fc.",
    "layers.0.post_norm.": "mtp.norm.",
    "layers.0.mtp_block.": "mtp.layers.0.",
}
PROMPTS = [{"prompt_token_ids": ids} for ids in models.prompts([3, 20, 37, 9])]
DRAWN: list[dict[str, Any]] = [{"temperature": 0.0, "logprobs": 1}, {"temperature": 0.9, "n": 2, "logprobs": 0}]
PARAMS = [SamplingParams(max_tokens=24, seed=i, ignore_eos=True, **DRAWN[i % 2]) for i in range(len(PROMPTS))]


def make_checkpoint(folder: Path, kind: str, knows: bool = False) -> Path:
    """Save a tiny Mellum with a head.

    Args:
        kind: type of the head's attention.
        knows: whether each token depends only on the one before, for the head and the model alike.
    """
    own = {**SPECIAL["mellum"], "num_hidden_layers": 2, "layer_types": ["sliding_attention", "full_attention"]}
    head = {"num_mtp_layers": 1, "mtp_layer_types": [kind], "mtp_mlp_layer_types": ["sparse"]}
    model = models.build("mellum", **{**own, "sliding_window": WINDOW, **head})
    mtp = random_head(model)
    if knows:
        for module in (model, mtp.layers):
            for name, weight in module.named_parameters():
                if "o_proj" in name or "down_proj" in name:
                    torch.nn.init.zeros_(weight)
        size = model.config.hidden_size
        mtp.layers[0].eh_proj.weight.data = torch.cat([torch.eye(size), torch.zeros(size, size)], dim=1)
    return save_with_head(folder, model, mtp, NAMES)


# transformers finds these heads by their position: after as many layers as the published models have.
PUBLISHED = {"glm4_moe": 46, "deepseek_v3": 61}


def make_published(folder: Path, family: str) -> Path:
    """Save a small model with as many layers as a published one, and a head."""
    count = PUBLISHED[family]
    sizes = {"hidden_size": 32, "intermediate_size": 32, "moe_intermediate_size": 16, "initializer_range": 0.1}
    more = {"num_hidden_layers": count, "first_k_dense_replace": count - 1, "num_mtp_layers": 1}
    model = models.build(family, **{**SPECIAL["deepseek_v3" if family == "deepseek_v3" else "dots1"], **sizes, **more})
    names = {"layers.0.mtp_block.": f"model.layers.{count}.", "layers.0.": f"model.layers.{count}."}
    names = {"layers.0.post_norm.": f"model.layers.{count}.shared_head.norm.", **names}
    return save_with_head(folder, model, random_head(model), names)


def random_head(model: Any) -> Any:
    """Return a head with weights other than the model's."""
    torch.manual_seed(5)
    mtp = MtpModel(model, 1)
    for weight in mtp.layers.parameters():
        if weight.dim() > 1:  # it leaves the experts uninitialised
            torch.nn.init.normal_(weight, std=0.3)
    return mtp


def save_with_head(folder: Path, model: Any, mtp: Any, names: Mapping[str, str]) -> Path:
    """Save a checkpoint.

    Args:
        names: prefixes of `MtpModel` and those in the checkpoint; the first that matches applies.
    """
    model.save_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    for name, weight in mtp.state_dict().items():
        found = next((ours for ours in names if name.startswith(ours)), None)
        if found is not None:
            weights[name.replace(found, names[found])] = weight.clone()
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that makes each checkpoint once: Mellum with a kind of attention, or another model type."""

    @functools.cache
    def of(kind: str) -> Path:
        make = make_published if kind in PUBLISHED else make_checkpoint
        return make(tmp_path_factory.mktemp(kind), kind)

    return of


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Propose all drafts, whatever a step costs."""
    monkeypatch.setattr(StepCost, "timed", lambda time_steps, most: None)


def engine(folder: Path, drafts: bool, **settings: Any) -> LLM:
    if drafts:
        settings["speculative_config"] = {"method": "mtp", "num_speculative_tokens": 3}
    common = {"dtype": "float32", "optimize": True, "block_size": 8, "max_model_len": 96, "skip_tokenizer_init": True}
    return LLM(folder, **{**common, "num_blocks": 200, **settings})


def answers(llm: LLM) -> list[list[CompletionOutput]]:
    """Complete all prompts, and one of them again."""
    first = llm.generate(PROMPTS, PARAMS, use_tqdm=False)
    again = llm.generate(PROMPTS[2:3], PARAMS[2:3], use_tqdm=False)
    llm.engine.check()
    return [output.outputs for output in (*first, *again)]


@torch.inference_mode()
def said_of(folder: Path, text: list[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield (text up to a token, the head's next token), by transformers' modules over the whole text at once."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    mtp = MtpModel.from_pretrained(model)
    mtp.config._attn_implementation = "eager"
    ids, at = torch.tensor([text]), torch.arange(len(text))
    hidden: Tensor = model.model(input_ids=ids).last_hidden_state
    before = torch.cat([torch.zeros_like(hidden[:, :1]), hidden[:, :-1]], dim=1)
    (kind,) = getattr(mtp.config, "layer_types", None) or [None]
    age = at[:, None] - at[None]
    seen = (age >= 0) & (age < (WINDOW if kind == "sliding_attention" else len(text)))
    mask = torch.zeros(seen.shape).masked_fill(~seen, float("-inf"))[None, None]
    embedded = model.get_input_embeddings()(ids)
    of_layer = {} if kind is None else {"layer_type": kind}
    rotation = model.model.rotary_emb(embedded, position_ids=at[None], **of_layer)
    out = mtp.layers[0](embedded, before, rotation, mask, at[None], None)
    for place, token in enumerate(model.lm_head(out)[0].argmax(-1).tolist()):
        yield tuple(text[: place + 1]), token


@pytest.fixture(scope="module")
def expected(checkpoint: Callable[[str], Path]) -> Callable[[str], Expected]:
    """Return a cached function of completions without drafts, and the head's prediction after each greedy token."""

    @functools.cache
    def of(kind: str) -> Expected:
        wanted = answers(engine(checkpoint(kind), drafts=False))
        said: dict[tuple[int, ...], int] = {}
        for prompt, outputs in list(zip(PROMPTS, wanted, strict=False))[::2]:
            said |= said_of(checkpoint(kind), [*prompt["prompt_token_ids"], *outputs[0].token_ids])
        return wanted, said

    return of


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "recomputed": ("full_attention", {"num_blocks": 42, "preemption_mode": "recompute"}),
    "chunked": ("full_attention", {"max_num_batched_tokens": 9, "max_num_seqs": 2, "async_scheduling": True}),
    "swapped": ("sliding_attention", {"num_blocks": 42, "swap_space": 0.001, "preemption_mode": "swap"}),
    "roomy": ("sliding_attention", {"async_scheduling": True}),
    **{family: (family, {}) for family in PUBLISHED},
}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(*case, id=name, marks=() if name in ("recomputed", "chunked") else pytest.mark.long)
        for name, case in CASES.items()
    ],
)
def test_drafts_are_the_heads_predictions(
    checkpoint: Callable[[str], Path],
    expected: Callable[[str], Expected],
    kind: str,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A missing or wrong row of its cache, or state of the model, would change a draft."""
    noted: dict[tuple[int, ...], int] = {}
    propose = DraftRunner.propose

    def noting(self: DraftRunner, step: Step, rows: Any) -> dict[int, Tensor]:
        table, before = self._batch.rows.tokens.tensor, {}
        for id, row, first, count in zip(step.ids, rows.tolist(), step.firsts, step.counts, strict=True):
            before[id] = tuple(table[row, : first + count - len(step.drafts.get(id, ()))].tolist())
        found = propose(self, step, rows)
        noted.update({before[id]: int(tokens[0]) for id, tokens in found.items()})
        return found

    wanted, said = expected(kind)
    monkeypatch.setattr(DraftRunner, "propose", noting)
    llm = engine(checkpoint(kind), drafts=True, **settings)
    assert answers(llm) == wanted
    stats = llm.engine.stats()
    assert stats.drafts is not None and stats.drafts.tokens > 200
    assert (stats.num_preemptions > 0) is ("num_blocks" in settings)
    both = said.keys() & noted.keys()
    assert len(both) > 30 and {text: noted[text] for text in both} == {text: said[text] for text in both}


def test_drafts_of_a_perfect_head_are_all_accepted(tmp_path: Path) -> None:
    folder = make_checkpoint(tmp_path, "full_attention", knows=True)
    params = SamplingParams(temperature=0.0, max_tokens=25, ignore_eos=True, logprobs=1)
    plain, llm = (engine(folder, drafts=drafts) for drafts in (False, True))
    wanted, found = (each.generate(PROMPTS[:1], params, use_tqdm=False)[0].outputs for each in (plain, llm))
    stats = llm.engine.stats()
    assert found == wanted
    assert stats.drafts is not None and stats.drafts.accepted == stats.drafts.tokens == 18
    assert stats.num_steps == 1 + 24 // 4


# --- Refusals ----------------------------------------------------------------------------------------------


def test_models_without_a_head_are_refused(tmp_path: Path) -> None:
    config = EngineConfig(speculative_config={"method": "mtp"}, max_model_len=96)
    tiny = {"num_hidden_layers": 1, "layer_types": ["full_attention"]}
    mellum = {**SPECIAL["mellum"], **tiny}
    head = {"num_mtp_layers": 1, "mtp_layer_types": ["full_attention"]}
    cases: list[tuple[Any, str]] = [
        (FakeModel(), "FakeModel is no decoder of transformers"),
        (adapter.wrap(models.build("llama", num_hidden_layers=1)), "heads of model type 'llama' have not been tried"),
        (adapter.wrap(models.build("mellum", **mellum)), "num_mtp_layers=None, expected 1"),
        (
            adapter.wrap(models.build("mellum", **mellum, **head)),
            "the head of MellumForCausalLM cannot be read from ''",
        ),
    ]
    for model, says in cases:
        with pytest.raises(ConfigError, match=f"method='mtp', but .*{says}.*take 'ngram' or 'suffix'"):
            with_draft(model, config, None)
    models.build("mellum", **mellum, **head).save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match=r"cannot be read from '.*missing"):
        engine(tmp_path, drafts=True)


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"kv_cache_dtype": "int8"}, "expected 'auto'"), ({"compile": True}, "a head .'mtp'. is not compiled")],
    ids=["int8 cache", "compiled"],
)
def test_settings_that_a_head_refuses(checkpoint: Callable[[str], Path], settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        engine(checkpoint("full_attention"), drafts=True, **settings)
