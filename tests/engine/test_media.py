"""Prompts with images through the engine: every completion is what the whole text gives without a cache."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.fakes import FakeModel
from tests.media_model import EOS, PLACE, VOCAB, MediaModel, engine, picture, seen
from tests.tier_stores import read_all
from torchpaged import (
    BeamSearchParams,
    EngineConfig,
    LLMEngine,
    PoolingParams,
    RequestOutput,
    SamplingParams,
    ScoringParams,
)
from torchpaged.engine.prompt_media import MediaChecks
from torchpaged.errors import RequestError
from torchpaged.execution.executor import LocalExecutor
from torchpaged.kv_cache import MultimodalKey
from torchpaged.media.items import PromptMedia
from torchpaged.models.draft_model import TargetWithDraft
from torchpaged.receipts import ReceiptError
from torchpaged.receipts.writer import require_no_media
from torchpaged.scheduling import Step
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.proposers import Transcript

GREEDY = SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
FIRST = seen([PLACE, 7, 8, 9], picture(1, 7))
LAST = seen([5, 6, 7, 8, 9, PLACE], picture(2, 9))
ALONE = seen([PLACE], picture(3, 11))
TWO = seen([5, PLACE, 6, 7, PLACE, 8], picture(1, 7), picture(4, 3, 3))
TEXT = {"prompt_token_ids": [9, 8, 7, 6, 5, 10, 11, 12]}
PROMPTS = [FIRST, LAST, ALONE, TWO, TEXT]


def run(running: LLMEngine, prompts: Sequence[Any], params: Any = GREEDY) -> list[RequestOutput]:
    """Run prompts together and return their outputs in order."""
    for i, prompt in enumerate(prompts):
        running.add_request(str(i), prompt, params)
    done: dict[str, RequestOutput] = {}
    while running.has_unfinished_requests:
        for output in running.step():
            if output.finished:
                done[output.request_id] = output
        running.check()
    return [done[str(i)] for i in range(len(prompts))]


def tokens(outputs: Sequence[RequestOutput]) -> list[list[int]]:
    return [list(output.outputs[0].token_ids) for output in outputs]


# --- Chunks, axes, attention ------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [256, 13, 5, 1])
@pytest.mark.parametrize("axes", [1, 3])
def test_chunks_may_begin_and_end_inside_an_image(axes: int, chunk: int) -> None:
    model = MediaModel(axes)
    running = engine(model, max_num_batched_tokens=chunk, enable_prefix_caching=False)
    expected = [model.generate(each, 5) for each in PROMPTS]
    assert tokens(run(running, PROMPTS)) == expected
    for prompt, own in zip(PROMPTS, expected, strict=True):
        assert tokens(run(running, [prompt])) == [own]


@pytest.mark.parametrize("chunk", [256, 12])
@pytest.mark.parametrize("window", [0, 12])
def test_tokens_of_an_image_see_each_other(chunk: int, window: int) -> None:
    model = MediaModel(both_ways=True, window=window)
    running = engine(model, max_num_batched_tokens=chunk)
    expected = [model.generate(each, 5) for each in PROMPTS]
    assert tokens(run(running, PROMPTS)) == expected
    assert tokens(run(running, PROMPTS)) == expected  # with hits
    for prompt, own in zip(PROMPTS, expected, strict=True):
        assert tokens(run(running, [prompt])) == [own]


def test_steps_without_an_image_run_on_tokens() -> None:
    model = MediaModel()
    running = engine(model)
    run(running, [TEXT])
    assert not model.num_embedded
    run(running, [FIRST], SamplingParams(temperature=0, max_tokens=20, ignore_eos=True))
    assert model.num_embedded == 1


@pytest.mark.parametrize("kind", ["causal", "axes", "both ways"])
def test_alone_and_in_a_crowd_the_bits_are_the_same(kind: str) -> None:
    model = MediaModel(3 if kind == "axes" else 1, both_ways=kind == "both ways")
    params = SamplingParams(temperature=0, max_tokens=4, logprobs=3, prompt_logprobs=2, ignore_eos=True)

    def numbers(output: RequestOutput) -> list[Any]:
        found = [*(output.prompt_logprobs or [])[1:], *(output.outputs[0].logprobs or [])]
        return [{token: each.logprob for token, each in place.items()} for place in found]

    running = engine(model, enable_prefix_caching=False)
    crowd = [numbers(each) for each in run(running, PROMPTS * 2, params)]
    alone = [numbers(run(running, [each], params)[0]) for each in PROMPTS]
    parts = engine(model, enable_prefix_caching=False, max_num_batched_tokens=12)
    assert crowd == alone * 2 == [numbers(each) for each in run(parts, PROMPTS * 2, params)]


def test_prompt_logprobs_are_those_of_the_whole_text() -> None:
    model = MediaModel(3)
    params = SamplingParams(temperature=0, max_tokens=2, prompt_logprobs=0, ignore_eos=True)
    assert model.media_processor is not None
    for chunk in (256, 6):
        outputs = run(engine(model, max_num_batched_tokens=chunk), PROMPTS[:4], params)
        for prompt, output in zip(PROMPTS[:4], outputs, strict=True):
            ids, media = model.media_processor.process("x", prompt["prompt_token_ids"], prompt["multi_modal_data"], {})
            assert output.prompt_token_ids == ids and output.prompt_logprobs is not None
            expected = model.dense(ids, media).log_softmax(-1)
            for place in range(1, len(ids)):
                found = output.prompt_logprobs[place][ids[place]].logprob
                assert found == pytest.approx(float(expected[place - 1, ids[place]]), abs=1e-4)


# --- The prefix cache and the cache of features -----------------------------------------------


def test_blocks_are_found_by_the_image() -> None:
    model = MediaModel(3)
    running = engine(model)
    prompt = [5, 6, PLACE, 7, 8, 9]
    (first,) = run(running, [seen(prompt, picture(1, 20))])
    (again,) = run(running, [seen(prompt, picture(1, 20))])
    (other,) = run(running, [seen(prompt, picture(2, 20))])
    assert (first.num_cached_tokens, again.num_cached_tokens, other.num_cached_tokens) == (0, 24, 0)
    assert tokens([first]) == tokens([again]) == [model.generate(seen(prompt, picture(1, 20)), 5)]
    assert tokens([other]) == [model.generate(seen(prompt, picture(2, 20)), 5)]
    (moved,) = run(running, [seen([6, *prompt], picture(1, 20))])
    assert moved.num_cached_tokens == 0


@pytest.mark.parametrize("both_ways", [False, True])
def test_a_hit_may_end_inside_an_image(both_ways: bool) -> None:
    """The image is at the prompt's end, and a hit leaves the last token to compute."""
    model = MediaModel(both_ways=both_ways)
    running = engine(model)
    given = seen([5, 6, PLACE], picture(1, 14))
    expected = [model.generate(given, 5)]
    found = [run(running, [given])[0] for _ in range(2)]
    assert tokens(found[:1]) == tokens(found[1:]) == expected
    # One that is computed whole is computed again from its first token, or the block before that.
    assert [each.num_cached_tokens for each in found] == [0, 0 if both_ways else 12]
    assert len(model.encoded) == 1, "its features were kept"


def test_a_second_question_computes_only_the_question() -> None:
    model = MediaModel(3)
    running = engine(model)
    image = picture(1, 5, 5)
    run(running, [seen([5, PLACE, 7, 8, 9], image)])
    before, encoded = running.num_computed_tokens, len(model.encoded)
    given = seen([5, PLACE, 7, 10, 11, 12], image)
    (answer,) = run(running, [given], SamplingParams(temperature=0, max_tokens=1))
    assert tokens([answer]) == [model.generate(given, 1)]
    # 5, the image's 25 features and 4 row ends make 30 tokens; 28 are in whole blocks.
    assert running.num_computed_tokens - before == len(answer.prompt_token_ids) - 28
    assert len(model.encoded) == encoded


@pytest.mark.parametrize("caching", [False, True])
def test_sixteen_requests_with_four_images_encode_four_times(caching: bool) -> None:
    model = MediaModel()
    running = engine(model, enable_prefix_caching=caching, max_num_batched_tokens=24, max_num_seqs=5)
    prompts = [seen([5 + i, PLACE, 6], picture(i % 4, 9)) for i in range(16)]
    assert tokens(run(running, prompts)) == [model.generate(each, 5) for each in prompts]
    assert len(model.encoded) == len(set(model.encoded)) == 4
    counts = running.stats().media
    assert counts is not None and (counts.num_encoded, counts.num_found) == (4, 12)


def test_a_step_encodes_no_more_than_its_budget() -> None:
    model = MediaModel()
    running = engine(model, max_encoder_tokens=10, encoder_cache_tokens=20, enable_prefix_caching=False)
    prompts = [seen([5 + i, PLACE, 6, PLACE], picture(2 * i, 6), picture(2 * i + 1, 5)) for i in range(3)]
    prompts.append(seen([9, PLACE, 10], picture(20, 30)))  # more than the budget, and than the capacity
    expected = [model.generate(each, 5) for each in prompts]
    for i, prompt in enumerate(prompts):
        running.add_request(str(i), prompt, GREEDY)
    found = {}
    while running.has_unfinished_requests:
        before = len(model.encoded)
        for output in running.step():
            if output.finished:
                found[int(output.request_id)] = list(output.outputs[0].token_ids)
        running.check()
        assert len(model.encoded) - before <= 1
        assert running.last_step is not None
        sizes = [item.num_features for item in running.last_step.media]
        assert sum(sizes) <= 10 or len(sizes) == 1
        assert running.scheduler.encoder_cache is not None
        assert running.scheduler.encoder_cache.num_rows <= 30
    assert [found[i] for i in range(4)] == expected


@pytest.mark.parametrize("swap_space", [0.0, 0.01], ids=["recompute", "swap"])
@pytest.mark.parametrize("both_ways", [False, True])
def test_preempted_prompts_go_on(swap_space: float, both_ways: bool) -> None:
    """Also inside an image, whose features must come again."""
    model = MediaModel(3, both_ways=both_ways)
    running = engine(
        model,
        num_blocks=18,
        swap_space=swap_space,
        preemption_mode="swap" if swap_space else "recompute",
        watermark=0.0,
        max_num_batched_tokens=14,
        encoder_cache_tokens=14,
        max_model_len=64,
    )
    prompts = [seen([5 + i, 6, PLACE, 7], picture(i, 12)) for i in range(4)]
    long = SamplingParams(temperature=0, max_tokens=14, ignore_eos=True)
    assert tokens(run(running, prompts, long)) == [model.generate(each, 14) for each in prompts]
    assert running.stats().num_preemptions > 0


def test_a_preemption_inside_an_image() -> None:
    model = MediaModel()
    running = engine(model, num_blocks=12, max_num_batched_tokens=4, watermark=0.0, max_model_len=40)
    running.add_request("old", TEXT, SamplingParams(temperature=0, max_tokens=30, ignore_eos=True))
    for _ in range(8):
        running.step()
    running.add_request("new", given := seen([5, PLACE], picture(1, 30)), GREEDY)
    inside = False
    while (young := [s for s in running.scheduler.sequences.values() if s.origin.media is not None]) or not inside:
        if not young:
            break
        before = young[0].num_computed_tokens
        running.step()
        inside |= 1 < before < 31 and young[0].num_computed_tokens < before
        running.check()
        if not running.has_unfinished_requests:
            break
    assert inside
    while running.has_unfinished_requests:
        running.step()
    assert tokens(run(running, [given])) == [model.generate(given, 5)]


# --- Kinds of requests ------------------------------------------------------------------------


def test_several_completions_share_the_image() -> None:
    model = MediaModel(3)
    running = engine(model)
    params = SamplingParams(n=3, temperature=0, max_tokens=5, ignore_eos=True)
    for prompt, output in zip(PROMPTS, run(running, PROMPTS, params), strict=True):
        assert [list(each.token_ids) for each in output.outputs] == [model.generate(prompt, 5)] * 3
    assert len(model.encoded) == len(set(model.encoded))


def test_beams_and_scores() -> None:
    model = MediaModel(3)
    running = engine(model)
    beams = run(running, PROMPTS[:4], BeamSearchParams(beam_width=1, max_tokens=5, ignore_eos=True))
    assert tokens(beams) == [model.generate(each, 5) for each in PROMPTS[:4]]
    assert model.media_processor is not None
    for prompt, output in zip(
        PROMPTS[:4], run(running, PROMPTS[:4], ScoringParams(continuations=[[7, 8], [9]])), strict=True
    ):
        ids, media = model.media_processor.process("x", prompt["prompt_token_ids"], prompt["multi_modal_data"], {})
        assert output.scores is not None
        for continuation, score in zip(([7, 8], [9]), output.scores, strict=True):
            logprobs = model.dense([*ids, *continuation], media).log_softmax(-1)
            expected = sum(float(logprobs[len(ids) + i - 1, token]) for i, token in enumerate(continuation))
            assert score.logprob == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("pooling", ["LAST", "MEAN"])
def test_vectors(pooling: str) -> None:
    model = MediaModel(both_ways=True)
    running = engine(model, max_num_batched_tokens=16)
    params = PoolingParams(task="embed", pooling_type=pooling, use_activation=False)
    assert model.media_processor is not None
    hidden: list[torch.Tensor] = []
    model.logits, plain = lambda each: hidden.append(each) or plain(each), model.logits  # type: ignore[method-assign]
    for prompt, output in zip(PROMPTS[:4], run(running, PROMPTS[:4], params), strict=True):
        ids, media = model.media_processor.process("x", prompt["prompt_token_ids"], prompt["multi_modal_data"], {})
        model.dense(ids, media)
        expected = hidden[-1][-1] if pooling == "LAST" else hidden[-1].mean(0)
        assert torch.allclose(torch.from_numpy(output.pooled), expected, atol=1e-4)


class Guess:
    """A proposer that is right now and then."""

    def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
        """Propose the last tokens again."""
        return list(transcript.token_ids[-min(3, max_drafts) :]) if max_drafts else []


@pytest.mark.parametrize("axes", [1, 3])
def test_drafts(axes: int) -> None:
    model = MediaModel(axes)
    running = engine(model)
    running.scheduler.drafter = Drafter(Guess(), 3, VOCAB)
    long = SamplingParams(temperature=0, max_tokens=20, ignore_eos=True)
    expected = [model.generate(each, 20) for each in PROMPTS]
    for _ in range(2):
        assert tokens(run(running, PROMPTS, long)) == expected
    drafts = running.stats().drafts
    assert drafts is not None and drafts.tokens > 0


def test_steps_that_overlap() -> None:
    model = MediaModel(3)
    for chunk in (256, 6):
        running = engine(model, async_scheduling=True, max_num_batched_tokens=chunk, encoder_cache_tokens=16)
        assert tokens(run(running, PROMPTS * 3)) == [model.generate(each, 5) for each in PROMPTS] * 3


@pytest.mark.parametrize("axes", [1, 3])
@pytest.mark.parametrize("drafts", [False, True])
def test_captured_steps(axes: int, drafts: bool) -> None:
    """A capture is a call that is made again. A step that computes a prompt's last token is not one of them."""

    def again(call: Callable[[], None]) -> Callable[[], None]:
        call()
        return call

    model = MediaModel(axes)
    more = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3}} if drafts else {}
    running = engine(model, max_num_seqs=8, **more)
    runner = running.executor.runner  # type: ignore[attr-defined]
    runner.capture(again)
    long = SamplingParams(temperature=0, max_tokens=12, ignore_eos=True)
    whole = seen([5, PLACE, 6, 7], picture(1, 7))  # 11 tokens, of which a hit leaves 3, or with one more the last alone
    for prompts in (PROMPTS, PROMPTS, [seen([5, PLACE, 6, 7, 8, 9], picture(1, 7))] * 2, [whole] * 2):
        assert tokens(run(running, prompts, long)) == [model.generate(each, 12) for each in prompts]
    assert runner.graphs is not None
    runner.graphs.check()


def test_steps_may_cross_a_boundary() -> None:
    model = MediaModel(3)

    class Pickling(LocalExecutor):
        def launch(self, step: Step) -> None:
            super().launch(pickle.loads(pickle.dumps(step)))

    config = EngineConfig(num_blocks=101, block_size=4, max_num_batched_tokens=9)
    running = LLMEngine(model, config, eos_token_ids=[EOS], executor=Pickling)
    assert tokens(run(running, PROMPTS)) == [model.generate(each, 5) for each in PROMPTS]


# --- Errors -----------------------------------------------------------------------------------


def test_an_image_that_cannot_be_encoded_ends_its_requests_alone() -> None:
    for overlaps in (False, True):
        model = MediaModel(fails_at=10)
        running = engine(model, async_scheduling=overlaps, max_num_batched_tokens=16)
        bad = seen([5, PLACE, 6], picture(9, 10))
        outputs = run(running, [FIRST, bad, TEXT, bad, TWO])
        reasons = [each.outputs[0].finish_reason for each in outputs]
        assert reasons == ["length", "error", "length", "error", "length"]
        assert outputs[1].outputs[0].error is not None
        assert "the image cannot be encoded" in outputs[1].outputs[0].error
        assert "too abstract" in outputs[1].outputs[0].error
        assert tokens([outputs[0], outputs[2], outputs[4]]) == [model.generate(each, 5) for each in (FIRST, TEXT, TWO)]


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ({"prompt_token_ids": [5, PLACE, 6]}, "placeholder token 3 1 times"),
        (seen([5, PLACE, PLACE], picture(1)), "2 placeholders and 1 images"),
        ({**FIRST, "multi_modal_uuids": {"image": ["a"]}}, "multi_modal_uuids"),
        ({**FIRST, "prompt_embeds": None, "bad": 1}, "'bad'"),
        ({"prompt_token_ids": [5, PLACE], "multi_modal_data": {"video": [1]}}, "the model reads image"),
        ({"multi_modal_data": {"image": [picture(1)]}}, "expected prompt, prompt_token_ids"),
        (seen([5, PLACE], picture(1, 300)), "max_model_len"),
    ],
)
def test_prompts_that_are_refused(prompt: dict[str, Any], message: str) -> None:
    running = engine(MediaModel())
    with pytest.raises(RequestError, match=message):
        running.add_request("1", prompt, GREEDY)
    assert not running.has_unfinished_requests


def test_images_that_must_be_computed_whole_and_are_too_large() -> None:
    running = engine(MediaModel(both_ways=True), max_num_batched_tokens=16)
    with pytest.raises(RequestError, match="20 tokens, which see each other, and a step computes 16"):
        running.add_request("1", seen([PLACE], picture(1, 20)), GREEDY)
    running = engine(MediaModel(both_ways=True, window=12))
    with pytest.raises(RequestError, match="20 tokens, which see each other, and a layer's window has 12"):
        running.add_request("1", seen([PLACE], picture(1, 20)), GREEDY)


def test_models_that_take_no_images() -> None:
    model = MediaModel()
    model.media_processor = None
    running = engine(model)
    with pytest.raises(RequestError, match="has no processor that reads images"):
        running.add_request("1", FIRST, GREEDY)
    model = MediaModel()
    model.media_encoder = model.media_processor = None  # type: ignore[assignment]
    running = engine(model)
    with pytest.raises(RequestError, match="the model reads texts and tokens only"):
        running.add_request("1", FIRST, GREEDY)


def test_prompts_with_images_are_not_cut() -> None:
    running = engine(MediaModel())
    with pytest.raises(RequestError, match="prompts with images are not cut"):
        running.add_request("1", LAST, GREEDY, tokenization_kwargs={"truncate_prompt_tokens": 5})


def test_new_weights_encode_again() -> None:
    """Features of old weights are not used, also for a sequence in the middle of an image."""
    model = MediaModel()
    running = engine(model, max_num_batched_tokens=6)
    running.add_request("1", seen([5, PLACE, 6], picture(1, 20)), GREEDY)
    for _ in range(2):
        running.step()
    for renews in (True, False):
        with running._transaction:
            running.executor.renew()
            running.scheduler.set_apart() if renews else running.scheduler.drop_cache()
        running.step()
        running.check()
    while running.has_unfinished_requests:
        running.step()
    assert len(model.encoded) == 3


def test_keys_of_blocks() -> None:
    running = engine(MediaModel())
    running.add_request("1", TWO, GREEDY)
    (sequence,) = running.scheduler.sequences.values()
    keys = sequence.cache_keys.multimodal
    assert [type(each) for each in keys] == [MultimodalKey] * 2
    assert [(each.start, each.length) for each in keys] == [(1, 7), (10, 11)]


def test_outputs_tell_where_the_images_are() -> None:
    running = engine(MediaModel())
    two, text = run(running, [TWO, TEXT])
    assert two.multi_modal_placeholders == {"image": [(1, 7), (10, 11)]} and text.multi_modal_placeholders is None
    assert pickle.loads(pickle.dumps(two)) == two
    require_no_media(text)
    with pytest.raises(ReceiptError, match="items of type image, which a receipt does not hold"):
        require_no_media(two)


def test_images_are_not_pinned() -> None:
    running = engine(MediaModel())
    with pytest.raises(RequestError, match="images or sounds, which are neither pinned nor saved"):
        running.pin_prefix(TWO)


def test_metrics() -> None:
    running = engine(MediaModel())
    run(running, [TWO, FIRST])
    counts = {each.name: each.value for each in running.get_metrics() if each.name.startswith("torchpaged:media")}
    assert counts == {"torchpaged:media_encoded": 2, "torchpaged:media_found": 1}
    assert engine(FakeModel()).stats().media is None


def test_a_store_below_the_pool_brings_an_image_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another engine finds the blocks, and encodes nothing."""
    read_all(monkeypatch)
    settings = {"prefix_cache_dir": tmp_path, "prefix_cache_write": "through"}
    prompt = [5, PLACE, 6, 7, 8]
    given, other = seen(prompt, picture(1, 17)), seen(prompt, picture(2, 17))
    first = engine(MediaModel(3), **settings)
    expected = tokens(run(first, [given]))
    first.shutdown()
    model = MediaModel(3)
    second = engine(model, **settings)
    assert [(each.num_tokens, each.is_pending) for each in second.prefetch([given])] == [(21, False)]
    (output,) = run(second, [given])
    assert output.num_cached_tokens == 20 and tokens([output]) == expected and not model.encoded
    (output,) = run(second, [other])
    assert output.num_cached_tokens == 0 and tokens([output]) == [model.generate(other, 5)]
    second.shutdown()


def test_a_draft_model_reads_texts_alone() -> None:
    """It may have other axes of positions than the target; prompts with images are refused beside it."""
    both = TargetWithDraft(MediaModel(3), MediaModel())
    places = torch.arange(4)
    assert torch.equal(both.draft_positions(both.spec.positions(places)), places)
    assert torch.equal(
        TargetWithDraft(MediaModel(), MediaModel(3)).draft_positions(places), both.spec.positions(places)
    )
    config = EngineConfig(speculative_config={"method": "mtp", "num_speculative_tokens": 1})
    with pytest.raises(RequestError, match="has the method 'mtp', which reads tokens only"):
        MediaChecks(MediaModel(), config).require_possible("x", PromptMedia(()))
