"""Loading of models that read images or sounds: their towers, text parts and processors, and refused ones."""

from __future__ import annotations

import copy
import inspect
import logging
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor, nn
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES, processor_class_from_name

from evals import media_families
from tests import vision_models
from tests.integrations.test_media_llm import EACH, GREEDY, NEW, expect, given, prompts_of, tokens_of
from tests.vision_models import VisionModel, image, save, sound
from torchpaged import LLM, LoRARequest, PoolerConfig, SamplingParams
from torchpaged.engine.prepared import PreparedModel
from torchpaged.errors import ModelError, RequestError
from torchpaged.integrations.families import MEDIA, MEDIA_REFUSED, VERSION
from torchpaged.integrations.transformers import adapter
from torchpaged.integrations.transformers.media_attention import key_modules
from torchpaged.integrations.transformers.media_encoder import PackedProducts, TransformersMediaEncoder, of_towers
from torchpaged.ops import active_backend
from torchpaged.weights.packed_linear import PackedLinear

FEW = ("llava", "gemma3", "qwen3_vl", "qwen2_audio")


def loaded(model: Any, **settings: Any) -> LLM:
    return LLM(model, **{"num_blocks": 200, "dtype": "float32", **settings})


def run(llm: LLM, made: VisionModel) -> list[list[int]]:
    inputs = [given(made, *each) for each in prompts_of(made)]
    return tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False))


def of_transformers(made: VisionModel) -> list[list[int]]:
    return [expect(made, *each)[1] for each in prompts_of(made)]


def tower_of(model: nn.Module) -> dict[str, Tensor]:
    """Return the weights outside the text part, by name."""
    text = {id(each) for part in (model.get_decoder(), model.get_output_embeddings()) for each in part.parameters()}  # type: ignore[operator]
    text -= {id(each) for each in inner_tower(model).parameters()}
    return {name: each for name, each in model.named_parameters() if id(each) not in text}


def inner_tower(model: Any) -> nn.Module:
    """Return the tower inside the text part of Chameleon; an empty module for other models."""
    return getattr(model.get_decoder(), "vqmodel", None) or nn.Module()


# --- Loading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EACH)
def test_a_folder_is_loaded_with_its_processor(name: str, tmp_path: Path) -> None:
    """And weights that are packed are the text part's alone."""
    made = vision_models.build(name)
    save(made, tmp_path)
    with loaded(str(tmp_path), optimize=True) as llm:
        model: Any = llm.engine.model
        assert (model.weights.report.reason is None) == (name != "step3p7"), "it loops over experts"
        assert model.media_refusal is None and model.media_processor is not None
        own = dict(made.model.named_parameters())
        freed = {name for name, each in model.model.named_parameters() if not each.untyped_storage().nbytes()}
        tower = tower_of(model.model)
        assert tower and not freed & tower.keys()
        text = {id(each) for each in model.model.get_decoder().modules()}
        text -= {id(each) for each in inner_tower(model.model).modules()}
        text -= {id(each) for each in key_modules(model.model)}  # computed with the tower, once an image
        assert text.isdisjoint(map(id, model.media_encoder.products._layers))
        assert all(torch.equal(each, own[name]) for name, each in tower.items())
        # transformers chooses the class of a folder's tokenizer by the model type: Qwen 3.5's cuts numbers.
        made.processor.tokenizer = model.media_processor._tokenizer  # type: ignore[attr-defined]
        if name != "paligemma":  # its prompts need images in transformers
            assert run(llm, made) == of_transformers(made)


def test_a_folder_without_a_processor_runs_on_texts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made = vision_models.build("llava")
    save(made, tmp_path)
    (tmp_path / "processor_config.json").unlink()
    with caplog.at_level(logging.WARNING), loaded(str(tmp_path)) as llm:
        assert "prompts with images or sounds are refused" in caplog.text
        (output,) = llm.generate([prompts_of(made)[2][0]], GREEDY, use_tqdm=False)
        assert output.outputs[0].token_ids == of_transformers(made)[2]
        with pytest.raises(RequestError, match="its processor could not be read"):
            llm.generate([given(made, *prompts_of(made)[1])], GREEDY, use_tqdm=False)


def test_an_instance_without_a_processor_says_what_to_give() -> None:
    made = vision_models.build("llava")
    prompt = given(made, *prompts_of(made)[1])
    with (
        loaded(made.model, tokenizer=made.processor.tokenizer) as llm,
        pytest.raises(RequestError, match="give it as the tokenizer"),
    ):
        llm.generate([prompt], GREEDY, use_tqdm=False)


def test_bfloat16_towers(tmp_path: Path) -> None:
    """A tower has the dtype of the text part, and features are what transformers computes in it, within rounding."""
    made = vision_models.build("llava")
    save(made, tmp_path)
    with loaded(str(tmp_path), dtype="bfloat16") as llm:
        model: Any = llm.engine.model
        assert {each.dtype for each in tower_of(model.model).values()} == {torch.bfloat16}
        _, media = model.media_processor.process("a", "<image>", {"image": [image(1)]}, {})
        features = model.media_encoder.encode(media.items[0])
        pixels = media.items[0].inputs["pixel_values"].bfloat16()
        own = copy.deepcopy(made.model).bfloat16()
        own.set_attn_implementation("sdpa")
        with torch.inference_mode():
            expected = own.get_image_features(pixels, return_dict=True).pooler_output[0]
            torch.testing.assert_close(features, expected, rtol=0.03, atol=0.03)
            assert torch.equal(model.media_encoder.encode(media.items[0]), features), "the same bits each time"
            before = model.model.model.vision_tower.state_dict()
            model.model.model.multi_modal_projector.linear_1.weight.mul_(2)
            other = model.media_encoder.encode(media.items[0])
            assert not torch.allclose(other, features, rtol=0.03), "a weight that was written to is packed again"
            model.model.model.multi_modal_projector.linear_1.weight.div_(2)
            assert torch.equal(model.media_encoder.encode(media.items[0]), features)
            assert before.keys() == model.model.model.vision_tower.state_dict().keys()
        assert model.weights.report.reason is None and run(llm, made)


@pytest.mark.parametrize(
    "name",
    ["llava", "glmasr", "voxtral", *(pytest.param(each, marks=pytest.mark.long) for each in vision_models.NAMES)],
)
def test_features_in_bfloat16(name: str) -> None:
    """They are near to float32's, and the model's tensors are as before."""
    made, paged = adapted(name)
    text, items = prompts_of(made)[0]
    _, media = paged.media_processor.process("a", text, {made.modality: items}, {})
    exact = [paged.media_encoder.encode(item) for item in media.items]
    model = copy.deepcopy(made.model).bfloat16()
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.forward = module.forward  # as hooks of other libraries set it
    before = {each: value.data_ptr() for each, value in model.state_dict().items()}
    encoder = TransformersMediaEncoder(model, MEDIA[made.model.config.model_type])
    found = [encoder.encode(item) for item in media.items]
    assert {each.dtype for each in found} == {torch.bfloat16}
    assert {each: value.data_ptr() for each, value in model.state_dict().items()} == before
    assert {each.dtype for each in model.parameters()} == {torch.bfloat16}
    for own, expected in zip(found, exact, strict=True):
        assert (own - expected).abs().max() < 0.05 * expected.abs().max()


def test_weights_that_were_written_to_unseen_are_read_again_when_told() -> None:
    made, paged = adapted("llava")
    text, items = prompts_of(made)[0]
    _, media = paged.media_processor.process("a", text, {made.modality: items}, {})
    model = copy.deepcopy(made.model).bfloat16()
    encoder = TransformersMediaEncoder(model, MEDIA["llava"])
    before = encoder.encode(media.items[0])
    for module in model.model.vision_tower.modules():
        if isinstance(module, nn.LayerNorm):
            module.bias.data += 1  # no version counts this
    encoder.forget_weights()
    found = encoder.encode(media.items[0])
    assert not torch.equal(found, before)
    assert torch.equal(found, TransformersMediaEncoder(model, MEDIA["llava"]).encode(media.items[0]))


# Chameleon stands apart; Mllama's keys are made by the text part, and it is not prepared.
_NOT_APART = ("chameleon", "mllama")
_LONG = [
    pytest.param(each, marks=pytest.mark.long)
    for each in ("emu3", "gemma3", "gemma4", "granite_speech", "paligemma", "qwen3_vl", "smolvlm", "qwen2_audio")
]


@pytest.mark.parametrize("name", ["lfm3_vl", "llava", "qwen3_5", *_LONG])
def test_a_later_start_gives_the_same_bits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """From what the first has prepared: the text part without transformers, towers and processor at the first item."""
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    made = vision_models.build(name)
    save(made, tmp_path / "model")
    prompts = [given(made, *each) for each in prompts_of(made)]
    params, found = SamplingParams(temperature=0, max_tokens=4, logprobs=1, ignore_eos=True), []
    for is_prepared in (False, True):
        with loaded(str(tmp_path / "model"), dtype="bfloat16") as llm:
            model: Any = llm.engine.model
            assert isinstance(model, PreparedModel) == is_prepared
            for _ in range(2):  # with hits, and after the weights have changed, by the checkpoint's own model
                outputs = llm.generate(prompts, params, use_tqdm=False)
                found.append([(each.outputs[0].token_ids, each.outputs[0].logprobs) for each in outputs])
                if len(found) == 3:
                    assert model.weights.loaded is None
                    llm.apply_model(lambda module: None)
            with pytest.raises(RequestError, match="placeholder"):
                llm.generate([made.placeholder], params, use_tqdm=False)
            if not is_prepared:
                model.weights.observer.wait()
            elif name == "llava":  # packed weights of the towers came from the entry
                assert all(each is not None for each in model.media_encoder._towers["packed"])
            copied = copy.deepcopy(model.media_processor)
            assert copied.placeholder_ids == model.media_processor.placeholder_ids
    assert found[0] == found[1] == found[2] == found[3]


@pytest.mark.parametrize(
    "name",
    [
        "chameleon",  # whose features are embeddings of the text part
        *(pytest.param(each, marks=pytest.mark.long) for each in vision_models.NAMES if each not in _NOT_APART),
    ],
)
def test_towers_without_the_text_part(name: str) -> None:
    """As a later start has them."""
    made, paged = adapted(name)
    text, items = prompts_of(made)[0]
    _, media = paged.media_processor.process("a", text, {made.modality: items}, {})
    kind, tensors = paged.media_encoder.towers()
    apart = of_towers(kind, made.model.config, torch.float32, tensors, paged.media_encoder.products.weights())
    for item in media.items:
        assert torch.equal(apart.encode(item), paged.media_encoder.encode(item))


def test_texts_alone_have_a_prepared_model_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    made = vision_models.build("llava")
    save(made, tmp_path / "model")
    texts: list[list[int]] = []
    for _ in range(2):
        with loaded(str(tmp_path / "model"), dtype="bfloat16", language_model_only=True) as llm:
            texts += tokens_of(llm.generate(["import os"], GREEDY, use_tqdm=False))
            model: Any = llm.engine.model
            assert isinstance(model, PreparedModel) == (len(texts) > 1)
            if len(texts) == 1:
                model.weights.observer.wait()
            with pytest.raises(RequestError, match="limit_mm_per_prompt allows no images or sounds"):
                llm.generate([given(made, *prompts_of(made)[1])], GREEDY, use_tqdm=False)
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("quantization", ["int8", "int4"])
@pytest.mark.parametrize("is_folder", [False, True], ids=["instance", "folder"])
def test_towers_are_not_quantised(name: str, quantization: str, is_folder: bool, tmp_path: Path) -> None:
    made = vision_models.build(name)
    save(made, tmp_path)
    model: Any = str(tmp_path) if is_folder else copy.deepcopy(made.model)
    tokenizer = None if is_folder else made.processor
    with loaded(model, tokenizer=tokenizer, quantization=quantization) as llm:
        module: Any = llm.engine.model.model  # type: ignore[attr-defined]
        own, text = dict(made.model.named_parameters()), module.get_decoder()
        packed = [each for each in text.modules() if isinstance(each, PackedLinear)]
        assert len(packed) >= 21
        everywhere = [each for each in module.modules() if isinstance(each, PackedLinear)]
        assert len(everywhere) == len(packed) + 1, "the head is packed too"
        tower = tower_of(module)
        assert tower and all(torch.equal(each, own[name]) for name, each in tower.items())
        found = run(llm, made)
        assert found == run(llm, made), "with hits"
        alone = [tokens_of(llm.generate([given(made, *each)], GREEDY, use_tqdm=False))[0] for each in prompts_of(made)]
        assert found == alone


def test_embeddings_of_prompts_with_images() -> None:
    made = vision_models.build("qwen2_vl")
    prompts = [each for each in prompts_of(made) if each[1]]
    with loaded(made.model, tokenizer=made.processor, pooler_config=PoolerConfig(pooling_type="LAST")) as llm:
        for found, (text, items) in zip(llm.embed([given(made, *each) for each in prompts]), prompts, strict=True):
            base: Any = made.model.model
            base.rope_deltas = None
            with torch.inference_mode():
                expected = base(**vision_models.inputs_of(made, text, items)).last_hidden_state[0, -1]
            expected = nn.functional.normalize(expected, dim=0)
            torch.testing.assert_close(torch.tensor(found.outputs.embedding), expected, rtol=1e-4, atol=5e-5)


@pytest.mark.parametrize("name", FEW)
def test_adapters_of_the_text_part(name: str, tmp_path: Path) -> None:
    from peft import LoraConfig, get_peft_model

    made = vision_models.build(name)
    expected = of_transformers(made)
    text = next(prefix for prefix, each in made.model.named_modules() if each is made.model.get_decoder())
    config = LoraConfig(r=4, lora_alpha=64, target_modules=rf"{text}\..*(q_proj|v_proj|down_proj)")
    wrapped = get_peft_model(copy.deepcopy(made.model), config)
    generator = torch.Generator().manual_seed(1)
    for weight_name, weight in wrapped.named_parameters():
        if "lora_B" in weight_name:
            nn.init.normal_(weight, std=0.2, generator=generator)
    wrapped.eval().save_pretrained(tmp_path)
    adapted = made._replace(model=wrapped.merge_and_unload())
    changed = of_transformers(adapted)
    assert changed != expected
    model = copy.deepcopy(made.model)
    with loaded(model, tokenizer=made.processor, enable_lora=True, max_lora_rank=8) as llm:
        inputs = [given(made, *each) for each in prompts_of(made)]
        request = LoRARequest("one", 1, str(tmp_path))
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False, lora_request=request)) == changed
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False)) == expected
        assert tokens_of(llm.generate(inputs, GREEDY, use_tqdm=False, lora_request=request)) == changed


# --- Processor and encoder ---------------------------------------------------------------------------


def adapted(name: str) -> tuple[VisionModel, Any]:
    made = vision_models.build(name)
    paged: Any = adapter.adapt(made.model)
    adapter.take_processor(paged, made.processor)
    return made, paged


@pytest.mark.parametrize("name", EACH)
def test_tokens_and_text_give_the_same_prompt(name: str) -> None:
    """Tokens have one placeholder for an item, or are those of the processor already."""
    made, paged = adapted(name)
    for text, items in prompts_of(made):
        if items and name not in ("chameleon", "mllama", "paligemma"):  # their processors add tokens to the text
            media = {made.modality: items}
            expected, read = paged.media_processor.process("a", text, media, {})
            tokens = made.processor.tokenizer(text)["input_ids"]
            # Aya Vision's placeholder is several tokens here; Gemma 3's stands between line ends, which merge.
            for prompt in (expected,) if name in ("aya_vision", "gemma3") else (tokens, expected):
                found, again = paged.media_processor.process("a", prompt, media, {})
                assert found == expected
                assert [each.content for each in again.items] == [each.content for each in read.items]
                assert [(each.start, each.length, each.places) for each in again.items] == [
                    (each.start, each.length, each.places) for each in read.items
                ]


def test_an_item_is_processed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made, paged = adapted("llava")
    calls = []
    process = type(made.processor.image_processor).preprocess

    def counted(self: Any, images: Any, **options: Any) -> Any:
        calls.append(images)
        return process(self, images, **options)

    monkeypatch.setattr(type(made.processor.image_processor), "preprocess", counted)
    for _ in range(2):
        paged.media_processor.process("a", "<image> and <image>", {"image": [image(1), image(2)]}, {})
    assert len(calls) == 2
    _, media = paged.media_processor.process("a", "<image>", {"image": [image(1)]}, {"do_normalize": False})
    assert len(calls) == 3, "other options"
    assert media.items[0].content != paged.media_processor.process("a", "<image>", {"image": [image(1)]}, {})[1]


def test_processed_items_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchpaged.integrations.transformers.media_processor._REMEMBERED_BYTES", 40_000)
    _, paged = adapted("llava")
    for seed in range(6):
        paged.media_processor.process("a", "<image>", {"image": [image(seed)]}, {})
    assert len(paged.media_processor._remembered) == 3  # of 12,288 bytes


@pytest.mark.parametrize(
    ("prompt", "media", "options", "reason"),
    [
        ("<image> <image>", {"image": [image(1)]}, {}, "2 placeholders '<image>' and multi_modal_data has 1 of"),
        ("no", {"image": [image(1)]}, {}, "0 placeholders '<image>' and multi_modal_data has 1 of 'image'"),
        ([5, 6], {"image": [image(1)]}, {}, "0 placeholders"),
        ("<image>", {"image": [image(1)], "audio": [sound(1)]}, {}, "'audio', and the model takes image"),
        ("<image>", {"image": [image(1)]}, {"return_tensors": "np"}, "'return_tensors', which is not a setting"),
        ("<image>", {"image": [image(1)]}, {"size": "large"}, "LlavaProcessor cannot read the prompt"),
    ],
)
def test_what_a_processor_cannot_read_is_refused(prompt: Any, media: Any, options: Any, reason: str) -> None:
    _, paged = adapted("llava")
    with pytest.raises(RequestError, match=reason):
        paged.media_processor.process("request a", prompt, media, options)


def test_sounds_have_the_rate_of_the_processor() -> None:
    made, paged = adapted("qwen2_audio")
    assert paged.media_processor.sampling_rate == 16000
    with pytest.raises(RequestError, match="a sound of 8000 samples a second, expected 16000"):
        paged.media_processor.process("a", made.placeholder, {"audio": [(sound(1)[0], 8000)]}, {})


def test_paligemma_takes_one_image() -> None:
    _, paged = adapted("paligemma")
    with pytest.raises(RequestError, match="has 2 images, and the model takes one in a prompt"):
        paged.media_processor.process("a", "<image><image>x", {"image": [image(1), image(2)]}, {})
    tokens, media = paged.media_processor.process("a", "<image>x", {"image": [image(1)]}, {})
    assert (media.items[0].start, media.items[0].length) == (0, len(tokens)), "all of the prompt sees itself"


def test_gemma4_whose_texts_see_themselves_is_refused() -> None:
    config: Any = vision_models.build("gemma4").model.config
    config.text_config.use_bidirectional_attention = "all"
    with pytest.raises(ModelError, match="is not causal"):
        loaded(transformers.Gemma4ForConditionalGeneration(config))


@pytest.mark.parametrize("name", EACH)
def test_features_depend_on_the_item_alone(name: str) -> None:
    made, paged = adapted(name)
    made.model.train()
    text, items = prompts_of(made)[0]
    _, media = paged.media_processor.process("a", text, {made.modality: items}, {})
    encoder = TransformersMediaEncoder(made.model, MEDIA[made.model.config.model_type])
    for item in (*media.items, *media.items[::-1]):
        features = encoder.encode(item)
        assert features.shape == (item.num_features, paged.spec.feature_size)
        assert torch.equal(features, paged.media_encoder.encode(item))
    assert made.model.training, "its mode is restored"


def test_refused_families_have_a_reason() -> None:
    assert not MEDIA.keys() & MEDIA_REFUSED.keys()
    known = transformers.models.auto.modeling_auto.MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES
    assert known.keys() >= (MEDIA.keys() | MEDIA_REFUSED.keys()) - {"audioflamingo3", "musicflamingo"}
    assert all(reason and "\n" not in reason for reason in MEDIA_REFUSED.values())


def test_the_table_of_families() -> None:
    """The script's table has a row for each type of transformers, with a reason unless it is read."""
    assert len(media_families.IMAGE_TEXT) == 97 or transformers.__version__ != VERSION
    assert MEDIA.keys() <= {*media_families.IMAGE_TEXT, *media_families.OTHERS}
    kinds = ("llava", "voxtral", "nemo_speechlm", "t5gemma2", "qwen2_5_omni", "qwen4_exp")
    rows = {kind: media_families.row(kind) for kind in kinds}
    assert [each["runs"] for each in rows.values()] == ["image, text", "audio, text", "text", "-", "-", "-"]
    whole = "its processor makes the whole prompt in one call, not an item at a time"
    for kind in (kind for kind, reason in MEDIA_REFUSED.items() if reason == whole):
        call = inspect.getsource(processor_class_from_name(PROCESSOR_MAPPING_NAMES[kind]).__call__)
        assert "super().__call__" not in call and "_process_images" not in call, "as its reason says"
    for kind in (kind for kind, reason in MEDIA_REFUSED.items() if reason.startswith("it is an encoder-decoder")):
        assert transformers.CONFIG_MAPPING[kind].__name__ == "VisionEncoderDecoderConfig" or (
            transformers.AutoConfig.for_model(kind).is_encoder_decoder
        )
    nemo = transformers.Nemotron3_5TranscribeConfig()
    assert nemo.audio_token_id >= nemo.text_config.vocab_size, "as its reason says"
    assert all(bool(row["reason"]) == (kind not in MEDIA) for kind, row in rows.items())


def test_a_family_that_is_not_judged_runs_on_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a folder, though AutoModelForCausalLM does not know it; prompts with images are refused by name."""
    monkeypatch.delitem(MEDIA, "video_llava")
    made = vision_models.build("llava")
    config = transformers.VideoLlavaConfig(
        text_config=made.model.config.text_config,
        vision_config=made.model.config.vision_config,
        image_token_index=made.model.config.image_token_id,
    )
    model = transformers.VideoLlavaForConditionalGeneration(config)
    model.save_pretrained(tmp_path)
    made.processor.tokenizer.save_pretrained(tmp_path)
    with loaded(str(tmp_path)) as llm:
        (output,) = llm.generate(["import os"], GREEDY, use_tqdm=False)
        own = model.generate(
            **made.processor.tokenizer("import os", return_tensors="pt"), max_new_tokens=NEW, do_sample=False
        )
        assert output.outputs[0].token_ids == own[0, -NEW:].tolist()
        with pytest.raises(RequestError, match="what model type 'video_llava' makes of images or sounds has not been"):
            llm.generate([given(made, *prompts_of(made)[1])], GREEDY, use_tqdm=False)


@pytest.mark.parametrize(
    ("layer", "shape", "is_packed"),
    [
        (nn.Conv2d(3, 20, 4, 4, padding="valid"), (2, 3, 18, 23), True),
        (nn.Conv3d(3, 24, (2, 4, 4), (2, 4, 4), bias=False), (5, 3, 2, 4, 4), True),
        (nn.Linear(30, 40), (2, 5, 30), True),
        (nn.Conv2d(3, 20, 4, 2), (1, 3, 16, 16), False),
        (nn.Conv2d(4, 8, 2, 2, groups=2), (1, 4, 8, 8), False),
        (nn.Conv2d(4, 8, 2, 2, padding=1), (1, 4, 8, 8), False),
    ],
    ids=str,
)
def test_layers_of_towers_are_products(layer: nn.Module, shape: tuple[int, ...], is_packed: bool) -> None:
    """Patches that do not overlap are a product; other convolutions run as they are."""
    layer, given = layer.bfloat16(), torch.randn(shape).bfloat16()
    with torch.inference_mode():
        expected = layer(given)
        with PackedProducts([layer]).in_use():
            assert ("forward" in layer.__dict__) == (is_packed and active_backend("packed_linear", "cpu") == "cpp")
            found = layer(given)
            transposed = layer(given.transpose(-1, -2).contiguous().transpose(-1, -2))
    assert "forward" not in layer.__dict__ and torch.equal(transposed, found)
    torch.testing.assert_close(found.bfloat16(), expected, rtol=0.02, atol=0.02)


@pytest.mark.parametrize(("samples", "found"), [(100, 0), (478, 1)])
def test_a_sound_that_is_too_short_is_named(samples: int, found: int) -> None:
    """Its request alone is refused, before transformers' code fails on it."""
    made = vision_models.build("qwen2_audio")
    with loaded(made.model, tokenizer=made.processor) as llm:
        short = {"prompt": made.placeholder + "What?", "multi_modal_data": {"audio": sound(1, samples)}}
        with pytest.raises(RequestError, match=f"audio 0 has {found} features, expected at least 2"):
            llm.generate([short], GREEDY, use_tqdm=False)
        assert llm.generate([{**short, "multi_modal_data": {"audio": sound(1)}}], GREEDY, use_tqdm=False)
