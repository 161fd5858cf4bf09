"""transformers' own `generate`, forward and training with attn_implementation="torchpaged", against eager attention."""

from __future__ import annotations

import copy
import gc
import random
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, DynamicCache, PreTrainedModel, TextStreamer, pipeline

from tests import models
from tests.integrations.family_models import SPECIAL
from torchpaged import LLM, PagedCache, SamplingParams
from torchpaged.errors import ConfigError, EngineError, GradientError, ModelError
from torchpaged.integrations.families import FAMILIES, OWN_ATTENTION, SUPPORTED
from torchpaged.integrations.transformers.attention_modules import _REPLACEMENTS

LONG, SHORT = models.prompts((19, 8))
PADDED = torch.tensor([LONG, [0] * 11 + SHORT])
MASK = torch.tensor([[1] * 19, [0] * 11 + [1] * 8])
BATCH: dict[str, Any] = {"input_ids": PADDED, "attention_mask": MASK, "pad_token_id": 0}


def pair(kind: str = "qwen3", **settings: Any) -> tuple[PreTrainedModel, PreTrainedModel]:
    """Return a tiny model with eager attention, and the same one with ours."""
    eager = models.build(kind, seed=3, **{"num_hidden_layers": 2, **settings})
    ours = copy.deepcopy(eager)
    ours.set_attn_implementation("torchpaged")
    assert ours.config.get_text_config()._attn_implementation == "torchpaged"
    return eager, ours


@pytest.fixture(scope="module")
def both() -> tuple[PreTrainedModel, PreTrainedModel]:
    return pair()


def generated(model: PreTrainedModel, seed: int = 0, **options: Any) -> Any:
    torch.manual_seed(seed)
    return model.generate(**{"max_new_tokens": 12, "do_sample": False, "return_dict_in_generate": True, **options})


# --- Every way to generate --------------------------------------------------------------------------------


def test_a_batch_padded_on_the_left(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    expected, found = (generated(model, **BATCH) for model in both)
    assert torch.equal(found.sequences, expected.sequences)
    alone = generated(both[1], input_ids=torch.tensor([SHORT]))
    assert torch.equal(alone.sequences[0, 8:], found.sequences[1, 19:])
    cache = found.past_key_values
    assert type(cache) is PagedCache and type(expected.past_key_values) is DynamicCache
    assert cache.num_blocks == 2 + 2  # 30 and 19 tokens: padding takes none
    cache.check()


# Eager attention in float32 is itself up to 2.4e-4 from float64 in log-probabilities (gpt_oss, test_families.py).
LIMIT = 5e-4
FAMILY_SAMPLE = [
    "cohere2", "deepseek_v3", "granite", "exaone4", "gemma2", "gemma3n_text", "gemma4_text", "glm4",
    "gpt2", "gpt_neox", "gpt_oss", "llama", "llama4_text", "minicpm3", "mistral", "olmo2", "opt", "phi3",
    "phimoe", "qwen3", "stablelm",
]  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=() if kind in FAMILY_SAMPLE else pytest.mark.long)
        for kind in SUPPORTED
        if kind not in OWN_ATTENTION
        and not {"cross", "conv", "recurrent", "bidirectional", "sparse"} & set(FAMILIES[kind].attention)
    ],
)
def test_families(kind: str) -> None:
    """Greedy tokens of a padded batch, and their logits; longer than the windows, chunks and blocks."""
    eager, ours = pair(kind, **{**SPECIAL.get(kind, {}), "num_hidden_layers": 4})
    count = 6 if kind in FAMILY_SAMPLE else 16
    options = {**BATCH, "max_new_tokens": count, "output_logits": True}
    expected, found = (generated(model, **options) for model in (eager, ours))
    assert torch.equal(found.sequences, expected.sequences)
    torch.testing.assert_close(torch.stack(found.logits), torch.stack(expected.logits), rtol=0, atol=LIMIT)
    assert isinstance(found.past_key_values, PagedCache)
    found.past_key_values.check()


@pytest.mark.parametrize("kind", sorted({*OWN_ATTENTION, *_REPLACEMENTS}))
def test_families_that_take_no_attention_function(kind: str) -> None:
    """transformers marks some models as taking none, and others keep their own: no cache is made for these."""
    model = models.build(kind, **SPECIAL.get(kind, {}))
    model.config._attn_implementation_internal = "torchpaged"
    with pytest.raises(ModelError, match=rf"{kind!r} has attention of its own.*torchpaged\.LLM"):
        generated(model, **BATCH, use_cache=True)


@pytest.mark.parametrize("kind", [kind for kind in SUPPORTED if "conv" in FAMILIES[kind].attention])
def test_families_with_convolutions(kind: str) -> None:
    """This cache does not store their states; an engine does."""
    model = models.build(kind, **SPECIAL[kind])
    model.set_attn_implementation("torchpaged")
    with pytest.raises(ModelError, match=f"{kind!r} has layers of convolution.*torchpaged.LLM"):
        generated(model, **BATCH, use_cache=True)


@pytest.mark.parametrize("kind", [kind for kind in SUPPORTED if "recurrent" in FAMILIES[kind].attention])
def test_families_with_recurrent_layers(kind: str) -> None:
    """Nor those of recurrent layers. MiniMax' model creates a cache itself."""
    with pytest.raises(ModelError, match=f"{kind!r} has recurrent layers.*torchpaged.LLM"):
        PagedCache(models.build(kind, **SPECIAL[kind]).config)


@pytest.mark.parametrize("kind", ["recurrent_gemma", "xlstm", "diffllama"])
def test_families_that_a_kv_cache_cannot_serve(kind: str) -> None:
    config = models.build(kind, num_hidden_layers=1).config
    with pytest.raises(ModelError, match="not supported: it") as error:
        PagedCache(config)
    assert FAMILIES[kind].reason in str(error.value)  # type: ignore[operator]


WAYS: dict[str, dict[str, Any]] = {
    "beams": {**BATCH, "num_beams": 3, "num_return_sequences": 2},
    "sampled": {**BATCH, "do_sample": True, "top_k": 20, "num_return_sequences": 3},
    "sampled-beams": {**BATCH, "do_sample": True, "num_beams": 3},
    "look-up": {"input_ids": torch.tensor([LONG + LONG]), "prompt_lookup_num_tokens": 4},
    "prefill-in-chunks": {"input_ids": torch.tensor([LONG]), "prefill_chunk_size": 5},
    "embeddings": {**BATCH, "inputs_embeds": torch.linspace(-1, 1, 2 * 19 * 64).reshape(2, 19, 64)},
    "without-cache": {**BATCH, "use_cache": False},
    "guided": {"input_ids": torch.tensor([SHORT]), "guidance_scale": 1.5},
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_generate(both: tuple[PreTrainedModel, PreTrainedModel], way: str) -> None:
    expected, found = (generated(model, **WAYS[way]) for model in both)
    assert torch.equal(found.sequences, expected.sequences)
    assert way == "without-cache" or type(found.past_key_values) is PagedCache


@pytest.mark.parametrize("kind", ["qwen3", "gemma2"])
def test_assisted(kind: str) -> None:
    """Rejected drafts are cropped, in windows too."""
    eager, ours = pair(kind, **SPECIAL.get(kind, {}))
    ids = torch.tensor([LONG])
    expected = generated(eager, input_ids=ids, max_new_tokens=10).sequences
    assistant = copy.deepcopy(ours)
    with torch.no_grad():
        weight = assistant.get_output_embeddings().weight
        weight.add_(0.6 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)))
    found = generated(ours, input_ids=ids, max_new_tokens=10, assistant_model=assistant)
    assert torch.equal(found.sequences, expected)
    found.past_key_values.check()


@pytest.mark.parametrize("kind", ["qwen3", "gemma2"])
def test_a_returned_cache_goes_on(kind: str) -> None:
    eager, ours = pair(kind, **SPECIAL.get(kind, {}))
    results = []
    for model in (eager, ours):
        first = generated(model, **BATCH)
        text = torch.cat([first.sequences, torch.tensor([SHORT[:5], LONG[:5]])], 1)
        mask = torch.cat([MASK, torch.ones(2, text.shape[1] - 19, dtype=torch.long)], 1)
        more = {"pad_token_id": 0, "past_key_values": first.past_key_values}
        results.append(generated(model, input_ids=text, attention_mask=mask, **more).sequences)
    assert torch.equal(*results)


def test_streamer_and_pipeline(capsys: pytest.CaptureFixture[str]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models.STDLIB_LM)
    texts = []
    for implementation in ("eager", "torchpaged"):
        model = AutoModelForCausalLM.from_pretrained(
            models.STDLIB_LM, dtype=torch.float32, attn_implementation=implementation
        )
        run = pipeline("text-generation", model=model, tokenizer=tokenizer)
        options = {"max_new_tokens": 8, "do_sample": False}
        texts.append(run(["def main(", "import os\nimport "], batch_size=2, **options))
        model.generate(**tokenizer("class Queue", return_tensors="pt"), streamer=TextStreamer(tokenizer), **options)
    assert texts[0] == texts[1]
    said = capsys.readouterr().out
    assert said and said[: len(said) // 2] == said[len(said) // 2 :]


# --- Memory -----------------------------------------------------------------------------------------------


class Blocks:
    """The most blocks that a generation's cache had in use."""

    def __init__(self) -> None:
        self.caches: list[PagedCache] = []
        self.most = 0

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        if not self.caches:
            self.caches = [each for each in gc.get_objects() if type(each) is PagedCache and each.is_initialized]
        self.most = max(self.most, *(cache.num_blocks for cache in self.caches), 0)
        return scores


def blocks(model: PreTrainedModel, prompt: list[int], **options: Any) -> int:
    gc.collect()
    counted = Blocks()
    generated(model, input_ids=torch.tensor([prompt]), logits_processor=[counted], **options)
    return counted.most


def test_beams_and_samples_share_blocks(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    prompt = models.prompts((230,))[0]
    alone = blocks(both[1], prompt)
    assert alone == -(-(230 + 11) // 16)
    assert blocks(both[1], prompt, num_beams=4) <= 1.3 * alone
    assert blocks(both[1], prompt, num_return_sequences=4, do_sample=True) == alone + 3 * 2  # what each has written


def test_memory_comes_by_blocks(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """Pools do not move; a window frees the blocks that it has passed."""
    model = both[1]
    cache, places, used = PagedCache(model.config), set(), []
    with torch.inference_mode():
        for token in models.prompts((70,))[0]:
            model(input_ids=torch.tensor([[token]]), past_key_values=cache)
            (group,) = cache._groups.values()
            places |= {each.key.data_ptr() for each in group.pools.caches.values()}
            used.append(cache.num_blocks)
    assert used == [1 + place // 16 for place in range(70)] and len(places) == 2
    windowed = pair("mistral", sliding_window=20)[1]
    with torch.no_grad():
        cache = windowed(input_ids=torch.tensor(models.prompts((200,)))).past_key_values
        windowed(input_ids=torch.tensor([[5]]), past_key_values=cache)
    assert cache.num_blocks == 2


# --- Operations on rows -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["llama", "gemma2", "deepseek_v3"])
def test_random_operations(kind: str) -> None:
    """Forwards, selections, crops and copies in any order: eager attention's logits, over a cache of transformers."""
    eager, ours = pair(kind, **SPECIAL.get(kind, {}))
    for seed in range(2):
        chance, generator = random.Random(seed), torch.Generator().manual_seed(seed)
        caches: list[Any] = [DynamicCache(config=eager.config), PagedCache(ours.config, block_size=4)]
        for cache in caches:
            cache.activate_past_recording()
        mask = torch.zeros(3, 0, dtype=torch.long)
        for verb in ["forward", *chance.choices(["forward", "forward", "select", "repeat", "crop", "copy"], k=14)]:
            rows = len(mask)
            if verb == "forward":
                length = chance.choice([1, 1, 2, 7])
                new = torch.ones(rows, length, dtype=torch.long)
                if not mask.shape[1]:
                    length = 9
                    new = (torch.arange(9) >= torch.tensor([[0], [6], [3]])).long()
                mask = torch.cat([mask, new], 1)
                ids = torch.randint(1, models.VOCAB, (rows, length), generator=generator)
                places = (mask.cumsum(1) - 1).clamp_min(0)[:, -length:]
                with torch.inference_mode():
                    logits = [
                        model(ids, attention_mask=mask, position_ids=places, past_key_values=cache).logits
                        for model, cache in zip((eager, ours), caches, strict=True)
                    ]
                real = new.bool()
                torch.testing.assert_close(logits[1][real], logits[0][real], rtol=0, atol=2e-4)
                for cache in caches:  # as generate does: windows may forget
                    cache.crop(0)
                    cache.activate_past_recording()
            elif verb == "select":
                chosen = torch.tensor([chance.randrange(rows) for _ in range(rows)])
                mask = mask[chosen]
                for cache in caches:
                    cache.reorder_cache(chosen)
            elif verb == "repeat" and rows <= 3:
                mask = mask.repeat_interleave(2, 0)
                for cache in caches:
                    cache.batch_repeat_interleave(2)
                keep = torch.tensor([True, False] * rows) if chance.random() < 0.5 else torch.arange(2 * rows)[::2]
                mask = mask[keep]
                for cache in caches:
                    cache.batch_select_indices(keep)
            elif verb == "crop" and kind != "gemma2" and mask[:, -2:].all():
                mask = mask[:, :-2]
                for cache in caches:
                    cache.crop(-2)
            elif verb == "copy":
                caches = [copy.deepcopy(cache) for cache in caches]
            assert {cache.get_seq_length() for cache in caches} == {mask.shape[1]}
        gc.collect()
        caches[1].check()


def test_copies_share_a_prompt(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """transformers' way to reuse a prompt: a deep copy of its cache for each continuation."""
    eager, ours = both
    prompt = models.prompts((40,))[0]
    with torch.no_grad():
        cache = ours(torch.tensor([prompt])).past_key_values
    before = cache.num_blocks
    for tail in (SHORT, LONG):
        ids = torch.tensor([prompt + tail])
        found = generated(ours, input_ids=ids, past_key_values=copy.deepcopy(cache))
        assert torch.equal(found.sequences, generated(eager, input_ids=ids).sequences)
    (group,) = cache._groups.values()
    assert group.tables.blocks.num_used > before
    del found
    gc.collect()
    cache.check()
    assert (cache.num_blocks, cache.get_seq_length(), cache.batch_size, len(cache)) == (before, 40, 1, 2)
    cache.reset()
    assert cache.num_blocks == 0 and cache.get_seq_length() == 0
    with torch.no_grad():
        ours(torch.tensor([SHORT, SHORT]), past_key_values=cache)
    assert cache.batch_size == 2


# --- Forward and training ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["qwen3", "gemma2", "gpt_oss", "llama4_text", "deepseek_v3"])
def test_training(kind: str) -> None:
    """Loss and gradients of a padded batch; and of packed rows, whose positions begin anew."""
    eager, ours = pair(kind, **{**SPECIAL.get(kind, {}), "num_hidden_layers": 2})
    packed = torch.tensor([[*range(12), *range(7)]])
    labels = PADDED.where(MASK.bool(), -100)
    labels[1, 11] = -100  # what a padded column would have to predict
    for inputs in (
        {"input_ids": PADDED, "attention_mask": MASK, "labels": labels},
        {"input_ids": PADDED[:1], "position_ids": packed, "labels": PADDED[:1], "use_cache": False},
    ):
        for model in (eager, ours):
            model.train().zero_grad()
            model(**inputs).loss.backward()
        for (name, one), other in zip(eager.named_parameters(), ours.parameters(), strict=True):
            if one.grad is not None:
                assert other.grad is not None, name
                torch.testing.assert_close(other.grad, one.grad, rtol=1e-3, atol=1e-4, msg=name)


@pytest.mark.parametrize("kind", ["qwen3", "gemma2", "gpt_oss", "llama4_text", "gemma4_text"])
@pytest.mark.parametrize("use_cache", [True, False])
def test_forward(kind: str, use_cache: bool) -> None:
    eager, ours = pair(kind, **{**SPECIAL.get(kind, {}), "num_hidden_layers": 4})
    for inputs in ({"input_ids": PADDED, "attention_mask": MASK}, {"input_ids": PADDED[:1]}):
        with torch.no_grad():
            expected, found = (model(**inputs, use_cache=use_cache) for model in (eager, ours))
        valid = inputs.get("attention_mask", torch.ones(1, 19)).bool()
        torch.testing.assert_close(found.logits[valid], expected.logits[valid], rtol=0, atol=5e-4)
        assert isinstance(found.past_key_values, PagedCache) is use_cache


def test_an_engine_over_such_a_model() -> None:
    """The engine uses the owner's setting and restores it."""
    eager, ours = pair("gemma2", **SPECIAL["gemma2"])
    expected = generated(eager, input_ids=torch.tensor([LONG])).sequences[0, 19:].tolist()
    llm = LLM(ours, num_blocks=60, block_size=4)
    for _ in range(2):
        output = llm.generate([LONG], SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)[0]
        assert output.outputs[0].token_ids == expected
        assert generated(ours, **BATCH).sequences[0, 19:].tolist() == expected
    assert ours.config._attn_implementation == "torchpaged"


def test_transformers_own_caches_are_taken_as_they_are(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """A cache requested by name is used, with dense attention over it."""
    eager, ours = both
    found = generated(ours, **BATCH, past_key_values=DynamicCache())
    assert type(found.past_key_values) is DynamicCache
    assert torch.equal(found.sequences, generated(eager, **BATCH).sequences)


@pytest.mark.long
def test_compiled(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """Other models' caches are made within the graph as before; ours breaks the graph and is right."""
    eager, ours = both
    ids = torch.tensor([SHORT])
    with torch.no_grad():
        whole = torch.compile(eager, fullgraph=True, backend="eager")(ids, use_cache=True)
        assert type(whole.past_key_values) is DynamicCache
        compiled = torch.compile(ours, backend="eager")
        first = compiled(ids, use_cache=True)
        again = compiled(torch.tensor([[7]]), past_key_values=first.past_key_values, use_cache=True)
        expected = eager(torch.tensor([[*SHORT, 7]])).logits[:, -1:]
    assert type(first.past_key_values) is PagedCache
    torch.testing.assert_close(again.logits, expected, rtol=0, atol=1e-4)


# --- What is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["static", "offloaded", "quantized", "offloaded_static"])
def test_other_caches_by_name(both: tuple[PreTrainedModel, PreTrainedModel], kind: str) -> None:
    with pytest.raises(ConfigError, match=f"cache_implementation is '{kind}'.*blocks that grow"):
        generated(both[1], **BATCH, cache_implementation=kind)


def forward(model: PreTrainedModel, *args: Any, **options: Any) -> Any:
    with torch.no_grad():
        return model(*args, **options)


def test_refused(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    eager, ours = both
    cache = forward(ours, PADDED, attention_mask=MASK).past_key_values
    one = torch.tensor([[5], [6]])
    more = torch.cat([MASK, torch.ones_like(one)], 1)
    other = more.clone()
    other[0, 3] = 0
    for options, kind, says in (
        ({"input_ids": one[:1]}, ValueError, "batch is 1, the cache has 2 rows"),
        ({"input_ids": one, "attention_mask": MASK}, ValueError, r"is \[2, 19\], expected \[2, 20\]"),
        ({"input_ids": one, "attention_mask": other}, ValueError, "hides other columns"),
        ({"input_ids": one, "attention_mask": torch.zeros(2, 1, 1, 20)}, ValueError, "float32, expected"),
    ):
        with pytest.raises(kind, match=says):
            forward(ours, past_key_values=cache, **options)
    with pytest.raises(EngineError, match="does not read block tables"):
        forward(eager, PADDED, past_key_values=PagedCache(eager.config))
    cache.check()
    with pytest.raises(GradientError, match=r"torch.no_grad\(\)"):
        ours(one, attention_mask=more, past_key_values=cache)
    with pytest.raises(ValueError, match="tokens_to_remove is 3, expected 0 or less"):
        cache.crop(3)
    with pytest.raises(ValueError, match="tokens_to_remove is -30, the cache has"):
        cache.crop(-30)
    with pytest.raises(ValueError, match="block_size is 0, expected 1"):
        PagedCache(ours.config, block_size=0)
    with pytest.raises(ValueError, match="output_attentions"):
        forward(ours, one, output_attentions=True)


def test_a_cache_that_nobody_reads(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """A cache made for another model's config: the first forward is right without it, the second must raise."""
    eager, ours = both
    cache = PagedCache(ours.config)
    forward(eager, torch.tensor([SHORT]), past_key_values=cache)
    with pytest.raises(EngineError, match="does not read block tables"):
        forward(eager, torch.tensor([[5]]), past_key_values=cache)


def test_windows_refuse_what_they_forgot() -> None:
    ours = pair("mistral", sliding_window=6)[1]
    cache = forward(ours, torch.tensor([LONG + LONG])).past_key_values
    forward(ours, torch.tensor([[3]]), past_key_values=cache)
    with pytest.raises(EngineError, match="activate_past_recording"):
        cache.crop(-20)
    assert cache.get_seq_length() == 39


def test_a_failed_forward_is_not_gone_on_with(
    both: tuple[PreTrainedModel, PreTrainedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = both[1]
    cache = forward(ours, torch.tensor([SHORT])).past_key_values
    with monkeypatch.context() as patch:
        patch.setattr(ours.model.layers[1].mlp, "forward", lambda x: 1 / 0)
        patch.setattr(ours.model.layers[1].self_attn, "forward", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            forward(ours, torch.tensor([[5]]), past_key_values=cache)
    with pytest.raises(EngineError, match="layer 1 missed a forward"):
        forward(ours, torch.tensor([[5]]), past_key_values=cache)
    cache.reset()
    again, fresh = (forward(ours, torch.tensor([SHORT]), past_key_values=each) for each in (cache, None))
    assert torch.equal(again.logits, fresh.logits)


# --- The name ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first", ["torchpaged", *(pytest.param(f"transformers{m}", marks=pytest.mark.long) for m in ("", ".cache_utils"))]
)
def test_the_name_is_known_whatever_is_imported_first(first: str) -> None:
    """This file imports transformers first, before torchpaged."""
    code = f"""
import sys, {first}
import torchpaged
assert {first != "torchpaged"} == ("transformers" in sys.modules)
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained({str(models.STDLIB_LM)!r}, attn_implementation="torchpaged")
out = model.generate(max_new_tokens=3, return_dict_in_generate=True)
assert type(out.past_key_values) is torchpaged.PagedCache, out
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "torchpaged:" not in result.stderr


# --- Layers, and padding on the right ------------------------------------------------------------------------


def same_layers(ours: PagedCache, theirs: DynamicCache, mask: Tensor) -> None:
    """Check the keys and values of all columns that are tokens."""
    assert len(ours.layers) == len(theirs.layers) == len(ours)
    for one, other in zip(ours.layers, theirs.layers, strict=True):
        assert one.get_seq_length() == other.get_seq_length() and one.get_mask_sizes(1)[0] == one.get_seq_length() + 1
        for found, expected in ((one.keys, other.keys), (one.values, other.values)):
            assert found.shape == expected.shape
            seen = mask[:, -found.shape[2] :].bool()
            torch.testing.assert_close(
                found.transpose(1, 2)[seen], expected.transpose(1, 2)[seen], atol=1e-4, rtol=1e-4
            )


@pytest.mark.parametrize(
    ("kind", "more"),
    [("qwen3", {}), ("gpt2", {}), ("gemma2", {}), ("mistral", {"sliding_window": 6}), ("deepseek_v3", {})],
)
def test_layers_are_transformers(kind: str, more: dict[str, Any]) -> None:
    settings = {**SPECIAL.get(kind, {}), **more}
    caches = [forward(model, PADDED, attention_mask=MASK).past_key_values for model in pair(kind, **settings)]
    same_layers(caches[1], caches[0], MASK)
    assert caches[1].layers[0].is_sliding == (kind in ("gemma2", "mistral"))
    caches[1].reset()
    assert not caches[1].layers[0].is_initialized and caches[1].layers[0].keys.shape[2] == 0


def test_embeddings_are_gone_on_from(both: tuple[PreTrainedModel, PreTrainedModel]) -> None:
    """transformers' test_generate_continue_from_inputs_embeds, whose caches it compares layer by layer."""
    ours = both[1]
    embeds = ours.get_input_embeddings()(torch.tensor([LONG])).detach()
    options = {"pad_token_id": 0, "eos_token_id": None}
    whole = generated(ours, inputs_embeds=embeds, max_new_tokens=4, **options)
    first = generated(ours, inputs_embeds=embeds, max_new_tokens=3, **options)
    more = torch.cat([embeds, ours.get_input_embeddings()(first.sequences).detach()], 1)
    last = generated(ours, inputs_embeds=more, max_new_tokens=1, past_key_values=first.past_key_values, **options)
    assert torch.equal(whole.sequences, torch.cat([first.sequences, last.sequences], 1))
    for one, other in zip(whole.past_key_values.layers, last.past_key_values.layers, strict=True):
        assert type(one) is type(other)
        torch.testing.assert_close(one.keys, other.keys)
        torch.testing.assert_close(one.values, other.values)


@pytest.mark.parametrize("kind", ["mistral", "gemma2", "gpt_oss"])  # a window alone, with softcap, with sinks
def test_a_window_counts_padding_between_tokens(kind: str) -> None:
    """A right-padded batch continues after its padding; this was refused once."""
    settings = {**SPECIAL.get(kind, {}), "sliding_window": 6}
    eager, ours = pair(kind, **settings)
    right = torch.tensor([LONG, SHORT + [0] * 11])
    mask = torch.tensor([[1] * 19, [1] * 8 + [0] * 11])
    caches: list[Any] = [None, None]
    for step in range(30):  # a padded column's logits mean nothing, so what follows is given
        said = []
        for place, model in enumerate((eager, ours)):
            positions = (mask.cumsum(1) - 1).clamp(min=0)[:, -right.shape[1] :]
            options = {"attention_mask": mask, "position_ids": positions, "past_key_values": caches[place]}
            output = forward(model, right, use_cache=True, **options)
            caches[place] = output.past_key_values
            said.append(output.logits[mask[:, -right.shape[1] :].bool()])
        torch.testing.assert_close(said[1], said[0], atol=1e-4, rtol=1e-4)
        right = torch.tensor([[5 + step], [9 + 2 * step]])
        mask = torch.cat([mask, torch.ones(2, 1, dtype=mask.dtype)], 1)
    caches[1].check()
    holes = torch.tensor([[1, 1, 0, 1, 1, 0, 0, 1, 1, 1]])
    tokens = torch.tensor([LONG[:10]])
    rows = [forward(model, tokens, attention_mask=holes).logits[holes.bool()] for model in (eager, ours)]
    torch.testing.assert_close(rows[1], rows[0], atol=1e-4, rtol=1e-4)
