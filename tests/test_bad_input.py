"""Bad input: an error that names argument, value and limit, without an effect on valid requests."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests import models
from tests.fakes import VOCAB, FakeModel, FakeTokenizer, drain, engine, follow
from torchpaged import LLM, BeamSearchParams, LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.requests.scoring import ScoringGroup
from torchpaged.sampling_params import ScoringParams

GREEDY = SamplingParams(temperature=0, max_tokens=4)
PROMPT = [3, 4, 5]


def others_finish(running: LLMEngine) -> None:
    """Check that request "other" ends normally, and that no block is lost."""
    assert drain(running)["other"].outputs[0].token_ids == follow(PROMPT, 4)
    running.check()
    assert running.stats().cache.num_used_blocks == 0


# --- Requests ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "params", "says"),
    [
        pytest.param([], {}, ["empty", "at least one token"], id="empty"),
        pytest.param("", {}, ["empty", "at least one token"], id="empty-text"),
        pytest.param([3] * 48, {}, ["48 tokens", "max_model_len is 48"], id="max-model-len"),
        pytest.param([3] * 41, {}, ["41 tokens", "holds 40", "10 blocks"], id="whole-pool"),
        pytest.param([3, VOCAB], {}, [f"token id {VOCAB}", f"0 to {VOCAB - 1}"], id="token-beyond-the-vocabulary"),
        pytest.param([3, -1], {}, ["token id -1", f"0 to {VOCAB - 1}"], id="negative-token"),
        pytest.param("aé", {}, ["token id 136", f"0 to {VOCAB - 1}"], id="text-beyond-the-vocabulary"),
        pytest.param([3, 4.5], {}, ["[3, 4.5]", "sequence of token ids"], id="a-float"),
        pytest.param([3, "4"], {}, ["[3, '4']", "sequence of token ids"], id="a-string-in-a-list"),
        pytest.param(7, {}, ["prompt is 7", "sequence of token ids"], id="a-number"),
        pytest.param(None, {}, ["prompt is None", "sequence of token ids"], id="none"),
        pytest.param("a!", {}, ["tokenizer", "out of letters"], id="the-tokenizer-fails"),
        pytest.param(
            [3],
            {"stop_token_ids": [VOCAB], "min_tokens": 1},
            [f"stop_token_ids has {VOCAB}", f"0 to {VOCAB - 1}"],
            id="stop-token-beyond-the-vocabulary",
        ),
    ],
)
@pytest.mark.parametrize("n", [1, 3])
def test_a_request_that_can_never_run(prompt: Any, params: dict[str, Any], says: list[str], n: int) -> None:
    tokenizer = FakeTokenizer()
    running = engine(tokenizer=tokenizer, max_model_len=48, num_blocks=11)
    running.add_request("other", PROMPT, GREEDY)
    running.step()
    before = running.stats()
    with pytest.raises(RequestError, match="request 'bad'") as error:
        running.add_request("bad", prompt, SamplingParams(n=n, **params))
    assert all(each in str(error.value) for each in says), str(error.value)
    assert running.stats() == before
    running.check()
    others_finish(running)


def test_a_duplicate_id() -> None:
    running = engine()
    running.add_request("other", PROMPT, GREEDY)
    with pytest.raises(RequestError, match="request 'other': an unfinished request has this id already"):
        running.add_request("other", [9], GREEDY)
    others_finish(running)


@pytest.mark.parametrize(
    ("prompt", "params", "says"),
    [("text", {}, "there is no tokenizer"), ([3], {"stop": "x"}, "stop strings need a tokenizer")],
    ids=["text", "stop-string"],
)
def test_without_a_tokenizer(prompt: Any, params: dict[str, Any], says: str) -> None:
    running = engine()
    running.add_request("other", PROMPT, GREEDY)
    with pytest.raises(RequestError, match=f"request 'bad'.*{says}"):
        running.add_request("bad", prompt, SamplingParams(**params))
    others_finish(running)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"cache_salt": 7}, "request 'bad': cache_salt is 7, expected a text or None"),
        ({"priority": "x"}, "request 'bad': priority is 'x', expected an integer"),
        ({"priority": 1.5}, "request 'bad': priority is 1.5, expected an integer"),
        ({"params": {"temperature": 0}}, "request 'bad': params is .*expected SamplingParams"),
        ({"request_id": 7}, "request_id is 7, expected a text"),
    ],
)
def test_arguments_of_another_kind(arguments: dict[str, Any], says: str) -> None:
    running = engine()
    running.add_request("other", PROMPT, GREEDY)
    before = running.stats()
    with pytest.raises(ConfigError, match=says):
        running.add_request(**{"request_id": "bad", "prompt": PROMPT, "params": GREEDY, **arguments})
    assert running.stats() == before
    others_finish(running)
    for call in (lambda: running.pin_prefix([3] * 8, cache_salt=7), lambda: running.load_prefix("x", cache_salt=7)):  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="cache_salt is 7"):
            call()


def test_a_priority_of_numpy() -> None:
    running = engine(scheduling_policy="priority", max_num_seqs=1)
    for name, priority in (("other", np.int64(2)), ("first", np.int32(-1))):
        running.add_request(name, PROMPT, GREEDY, priority=priority)
    assert [o.request_id for o in running.step()] == ["first"]
    drain(running)


def test_scores_are_refused_before_any_is_queued() -> None:
    """The last group's continuation is too long: none of the first groups' requests stays in the queue."""
    running = engine(max_num_seqs=2, max_model_len=16)
    params = ScoringParams(continuations=[[3], [4], [5], [6], [7] * 15])
    with pytest.raises(RequestError, match="request 'scores': prompt and continuation have 18 tokens together"):
        running.add_request("scores", PROMPT, params)
    assert not running.has_unfinished_requests and running.stats().num_waiting == 0
    running.check()


def test_many_completions_are_queued_as_seats_come() -> None:
    running = engine(max_num_seqs=4)
    running.add_request("many", PROMPT, SamplingParams(n=600, temperature=0, max_tokens=2))
    assert running.stats().num_waiting == 1 and len(running.scheduler.sequences) == 1
    for _ in range(6):
        running.step()
    running.check()
    aborted = running.abort("many")
    assert aborted is not None and len(aborted.outputs) == 600
    reasons = {completion.finish_reason for completion in aborted.outputs}
    assert reasons == {"length", "abort"}
    running.add_request("many", PROMPT, SamplingParams(n=30, temperature=0, max_tokens=2))
    assert [c.token_ids for c in drain(running)["many"].outputs] == [follow(PROMPT, 2)] * 30


# --- Failures while it runs -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2])
def test_a_failing_detokenizer_ends_its_request_only(n: int) -> None:
    bad = follow([9], 3)[2]
    running = engine(tokenizer=FakeTokenizer(fails_at=bad))
    safe = next(t for t in range(2, VOCAB) if bad not in [t, *follow([t], 6)])
    running.add_request("bad", [9], SamplingParams(temperature=0, max_tokens=6, n=n))
    running.add_request("good", [safe], SamplingParams(temperature=0, max_tokens=6))
    outputs = drain(running)
    for completion in outputs["bad"].outputs:
        assert completion.finish_reason == "error"
        assert completion.error == "RuntimeError: the detokenizer is out of letters"
    assert outputs["good"].outputs[0].token_ids == follow([safe], 6)
    assert outputs["good"].outputs[0].finish_reason == "length"


@pytest.mark.parametrize("params", [{}, {"n": 3}, {"prompt_logprobs_start": 2}], ids=["one", "three", "start"])
def test_a_prompts_token_without_a_name_ends_its_request_only(params: dict[str, Any]) -> None:
    running = engine(tokenizer=FakeTokenizer(fails_at=2))
    running.add_request("bad", [9, 8, 2, 9], SamplingParams(temperature=0, prompt_logprobs=0, **params))
    running.add_request("other", PROMPT, GREEDY)
    outputs = drain(running)
    for completion in outputs["bad"].outputs:
        assert completion.finish_reason == "error"
        assert completion.error == "RuntimeError: the detokenizer is out of letters"
    assert outputs["other"].outputs[0].token_ids == follow(PROMPT, 4)
    assert running.stats().cache.num_used_blocks == 0


@pytest.mark.parametrize("penalty", [1e308, -1e308, 400.0, -400.0])
def test_a_length_penalty_beyond_all_numbers(penalty: float) -> None:
    running = engine()
    running.add_request("bad", [9], BeamSearchParams(beam_width=2, max_tokens=9, length_penalty=penalty))
    running.add_request("other", PROMPT, GREEDY)
    outputs = drain(running)
    assert [each.finish_reason for each in outputs["bad"].outputs] == ["length"] * 2
    assert outputs["other"].outputs[0].token_ids == follow(PROMPT, 4)


@pytest.mark.parametrize("prompt_logprobs", [None, 0], ids=["plain", "prompt-logprobs"])
def test_logits_that_are_no_numbers_end_their_request_only(prompt_logprobs: int | None) -> None:
    nan_at = next(t for t in follow([9], 4) if t not in [*PROMPT, *follow(PROMPT, 4)])
    running = engine(FakeModel(nan_at=nan_at))
    running.add_request("bad", [9], SamplingParams(temperature=0, max_tokens=9, prompt_logprobs=prompt_logprobs))
    running.add_request("other", PROMPT, GREEDY)
    outputs = drain(running)
    (bad,) = outputs["bad"].outputs
    assert bad.finish_reason == "error" and bad.error is not None and "NaN" in bad.error
    assert bad.token_ids == follow([9], 9)[: bad.token_ids.index(nan_at) + 1]
    assert outputs["other"].outputs[0].token_ids == follow(PROMPT, 4)


@pytest.mark.parametrize("after", [0, 1, 3], ids=["first-step", "prefilling", "decoding"])
@pytest.mark.parametrize("then", ["retry", "abort", "join"])
def test_a_forward_that_raises(after: int, then: str) -> None:
    model = FakeModel()
    running = engine(model, max_num_batched_tokens=5, num_blocks=9)
    running.add_request("other", PROMPT, GREEDY)
    running.add_request("second", [8] * 9, GREEDY)
    for _ in range(after):
        running.step()
    model.fails = True
    for _ in range(2):
        with pytest.raises(RuntimeError, match="on fire"):
            running.step()
        running.check()
    model.fails = False
    if then == "abort":
        running.abort("second")
    if then == "join":
        running.add_request("third", [6] * 7, GREEDY)
    outputs = drain(running)
    assert outputs["other"].outputs[0].token_ids == follow(PROMPT, 4)
    assert then == "abort" or outputs["second"].outputs[0].token_ids == follow([8] * 9, 4)
    assert then != "join" or outputs["third"].outputs[0].token_ids == follow([6] * 7, 4)


# --- LLM --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llm() -> LLM:
    return LLM(models.build("llama"), num_blocks=20)


@pytest.mark.parametrize(
    ("prompts", "params", "error", "says"),
    [
        pytest.param([[3], []], None, RequestError, "prompt 1: .*empty", id="empty"),
        pytest.param([[3], [3] * 512], None, RequestError, "prompt 1: .*512 tokens.*max_model_len", id="too-long"),
        pytest.param([[3], "text"], None, RequestError, "prompt 1: .*no tokenizer", id="no-tokenizer"),
        pytest.param([[3], [4]], [GREEDY], ConfigError, "1 entries.*2 prompts", id="too-few-params"),
        pytest.param([[3], [4]], [GREEDY, "greedy"], ConfigError, "'greedy'.*SamplingParams", id="no-params"),
    ],
)
def test_generate_computes_nothing(llm: LLM, prompts: Any, params: Any, error: type[Exception], says: str) -> None:
    before = llm.stats()
    with pytest.raises(error, match=says):
        llm.generate(prompts, params, use_tqdm=False)
    assert not llm.engine.has_unfinished_requests
    assert llm.stats() == before
    llm.engine.check()
    assert len(llm.generate([[3]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids) == 4


@pytest.mark.parametrize(
    ("prompts", "says"),
    [
        (None, "the prompts are None"),
        (5, "the prompts are 5"),
        (b"ab", "the prompt is b'ab'"),
        ([b"ab"], "the prompt is b'ab'"),
    ],
)
def test_prompts_of_another_kind(llm: LLM, prompts: Any, says: str) -> None:
    for call in (
        lambda: llm.generate(prompts, GREEDY, use_tqdm=False),
        lambda: llm.beam_search(prompts, BeamSearchParams(beam_width=2), use_tqdm=False),
    ):
        with pytest.raises(RequestError, match=says):
            call()


@pytest.mark.parametrize("prompt", [np.array([3, 4, 5]), torch.tensor([3, 4, 5]), range(3, 6), iter([3, 4, 5])])
def test_one_prompt_of_tokens(llm: LLM, prompt: Any) -> None:
    (output,) = llm.generate(prompt, GREEDY, use_tqdm=False)
    assert output.prompt_token_ids == [3, 4, 5]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda llm: llm.generate([[3]], BeamSearchParams(beam_width=2)), "sampling_params is BeamSearchParams"),
        (lambda llm: llm.generate([[3]], 5), "sampling_params is 5"),
        (lambda llm: llm.generate([[3]], {"n": 2}), "sampling_params is {'n': 2}, expected SamplingParams, or one for"),
        (lambda llm: llm.generate([[3]], BeamSearchParams(beam_width=2)), "LLM.beam_search takes it"),
        (lambda llm: llm.stream([[3]], [BeamSearchParams(beam_width=2)]), "sampling_params has BeamSearchParams"),
        (lambda llm: llm.beam_search([[3]], GREEDY), "params is SamplingParams.*expected BeamSearchParams"),
        (lambda llm: BeamSearchParams(beam_width=16385), "beam_width is 16385, expected at most 16384 beams"),
        (lambda llm: llm.update_weights("model.norm"), "weights is 'model.norm', expected tensors by name"),
        (lambda llm: llm.update_weights(None), "weights is None, expected tensors by name"),
        (lambda llm: llm.update_weights(["model.norm"]), "weights has 'model.norm', expected tensors by name"),
        (lambda llm: llm.generate([[3]], GREEDY, priority="high"), "priority is 'high'"),
        (lambda llm: llm.score_continuations([[3]], None), "continuations is None"),
        (lambda llm: llm.score_continuations([[3]], [None]), "continuations is None"),
        (lambda llm: llm.engine.abort([1]), r"abort: request_id is \[1\]"),
        (lambda llm: llm.unpin_prefix([1]), r"there is no pin \[1\]"),
        (lambda llm: llm.save_prefix("a\0b"), "could not be written"),
        (lambda llm: llm.save_prefix(None), "is None, expected a path"),
        (lambda llm: llm.load_prefix(None), "None"),
        (lambda llm: llm.load_prefix("a\0b"), "a.*b"),
    ],
)
def test_an_argument_of_another_kind(llm: LLM, call: Any, says: str) -> None:
    pin = llm.pin_prefix([3] * 16)
    with pytest.raises((ConfigError, RequestError), match=says):
        call(llm)
    llm.unpin_prefix(pin)
    llm.engine.check()


def test_nothing_among_parameters_is_the_default(llm: LLM) -> None:
    """None among the parameters counts as the default; a stream's deltas add up to the answer."""
    (whole,) = llm.generate([[3]], [None], use_tqdm=False)  # type: ignore[list-item]
    deltas = list(llm.stream([[3]], [None]))  # type: ignore[list-item]
    assert sum(len(delta.outputs[0].token_ids) for delta in deltas) == len(whole.outputs[0].token_ids) == 16


def test_a_prompt_that_could_not_be_scored(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """No empty list, which would look like scores."""

    decide = ScoringGroup.decide

    def fail(self: ScoringGroup, *args: Any) -> None:
        if self.request.token_ids == [4]:
            raise KeyError("no scores")
        decide(self, *args)

    monkeypatch.setattr(ScoringGroup, "decide", fail)
    with pytest.raises(EngineError, match=r"score_continuations: prompt 1 ended with 'error': .*no scores"):
        llm.score_continuations([[3], [4]], [[[5, 6]], [[5, 6]]], use_tqdm=False)


def test_an_llm_whose_engine_has_requests_of_its_own(llm: LLM) -> None:
    """They are neither stepped, which would lose their outputs, nor aborted because of an equal id."""
    for name in ("0", "own"):
        llm.engine.add_request(name, [3], GREEDY)
    with pytest.raises(EngineError, match=r"unfinished requests, \['0', 'own'\].*abort them"):
        llm.generate([[3]], GREEDY, use_tqdm=False)
    assert set(drain(llm.engine)) == {"0", "own"}
    assert len(llm.generate([[3]], GREEDY, use_tqdm=False)) == 1


def test_a_forward_that_raises_in_generate(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise RuntimeError("the device is on fire")

    with monkeypatch.context() as patch:
        patch.setattr(llm.engine.model, "forward", fail)
        with pytest.raises(RuntimeError, match="on fire"):
            llm.generate([[3], [4]], GREEDY, use_tqdm=False)
    llm.engine.check()
    assert not llm.engine.has_unfinished_requests and llm.stats().cache.num_used_blocks == 0
    assert len(llm.generate([[3]], GREEDY, use_tqdm=False)[0].outputs[0].token_ids) == 4


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param({"colour": 16}, "unknown setting 'colour', expected one of .*block_size", id="unknown"),
        pytest.param({"blok_size": 16}, "unknown setting 'blok_size'; did you mean 'block_size'", id="mistyped"),
        pytest.param({"block_size": 0}, "block_size is 0", id="block-size"),
        pytest.param({"dtype": "int7"}, "dtype is 'int7'", id="dtype"),
        pytest.param({"device": "abacus"}, "device is 'abacus'", id="device"),
        pytest.param({"max_model_len": 513}, "max_model_len is 513.* 512", id="longer-than-the-model"),
        pytest.param(
            {"num_blocks": 10**13}, "num_blocks is 1000.*no such memory.*ask for less", id="blocks-beyond-memory"
        ),
        pytest.param(
            {"num_blocks": 4, "swap_space": 1e30}, "swap_space is 1e.30.*no such memory", id="swap-space-beyond-memory"
        ),
        pytest.param(
            {"num_blocks": 4, "max_num_seqs": 10**11}, "max_num_seqs is 1000.*no such memory", id="rows-beyond-memory"
        ),
        pytest.param({"gpu_memory_utilization": 1e-12}, "gpu_memory_utilization .*at least two blocks", id="no-memory"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        LLM(models.build("llama"), **settings)


@pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
def test_what_cannot_be_copied_says_so(llm: LLM, take: Any) -> None:
    around = [] if take is copy.copy else [[{"model": llm}]]  # a shallow copy of it has the same LLM
    for each in (llm, llm.engine, *around):
        with pytest.raises(
            TypeError, match=r"^LLM(Engine)? holds a model .*cannot be pickled or copied; make one"
        ) as error:
            take(each)
        assert "\n" not in str(error.value)


# --- Models on disk ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a checkpoint to damage."""
    target = tmp_path / "model"
    shutil.copytree(models.STDLIB_LM, target)
    return target


def edit_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def spoil(folder: Path, how: str) -> None:
    weights = folder / "model.safetensors"
    if how == "garbage":
        weights.write_bytes(b"not safetensors at all" * 1000)
    elif how == "truncated":
        weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    elif how == "empty":
        weights.write_bytes(b"")
    elif how == "missing":
        weights.unlink()
    elif how == "pickle":
        weights.unlink()
        torch.save({}, folder / "pytorch_model.bin")
    elif how == "too-few-layers":
        edit_config(folder, num_hidden_layers=5)
    elif how == "other-shapes":
        edit_config(folder, intermediate_size=320)


@pytest.mark.parametrize(
    "how", ["garbage", "truncated", "empty", "missing", "pickle", "too-few-layers", "other-shapes"]
)
def test_weights_that_are_not_there(folder: Path, how: str) -> None:
    spoil(folder, how)
    with pytest.raises(ModelError, match=r"weights (could not be read|are missing|are pickled|in it)") as error:
        LLM(folder)
    assert repr(str(folder)) in str(error.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param(
            {"model_type": "zamba"}, "'zamba' is not supported: .*recurrent.*supported are: .*llama", id="zamba"
        ),
        pytest.param({"model_type": "rembert"}, "'rembert' is not supported: .*supported are: ", id="no-decoder"),
        pytest.param({"model_type": "mine"}, "no config could be read: .*mine", id="unheard-of"),
        pytest.param(
            {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}},
            "rope type 'dynamic' is not supported: .*longest sequence",
            id="dynamic-rope",
        ),
    ],
)
def test_an_unsupported_architecture(folder: Path, changes: dict[str, Any], says: str) -> None:
    edit_config(folder, **changes)
    (folder / "model.safetensors").unlink()  # refused before the weights are read
    with pytest.raises(ModelError, match=says):
        LLM(folder)


def test_an_instance_of_an_unsupported_architecture() -> None:
    model = models.build("roberta-prelayernorm", num_hidden_layers=2)
    with pytest.raises(ModelError, match=r"'roberta-prelayernorm' is not supported: .*supported are: "):
        LLM(model)
    assert model.config._attn_implementation == "eager", "a refused model is left as it was"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/nowhere/at/all", "there is no such folder"),
        ("./nowhere", "there is no such folder"),
        (__file__, "this is a file, expected a folder"),
        ("no-such-model-on-any-hub", "no config could be read"),
    ],
    ids=["absolute", "relative", "file", "hub-id"],
)
def test_an_unknown_path(path: str, says: str) -> None:
    with pytest.raises(ModelError, match=says) as error:
        LLM(path)
    assert repr(path) in str(error.value)


@pytest.mark.parametrize("how", ["empty-folder", "broken-config"])
def test_no_config(tmp_path: Path, how: str) -> None:
    if how == "broken-config":
        (tmp_path / "config.json").write_text("{not json")
    with pytest.raises(ModelError, match="no config could be read"):
        LLM(tmp_path)


def test_a_tokenizer_class_that_is_a_model(folder: Path) -> None:
    """transformers makes whatever class of its own the file names."""
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "tokenizer_class": "LlamaForCausalLM"}))
    with pytest.raises(ModelError, match="its tokenizer_class is LlamaForCausalLM, which is not a tokenizer"):
        LLM(folder)


@pytest.mark.parametrize("how", ["missing", "made up", "made up by name", "broken"])
def test_no_tokenizer(folder: Path, how: str) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()
    if how == "broken":
        (folder / "tokenizer.json").write_text("{}")
    if how == "made up":  # transformers has a Gemma tokenizer of five tokens
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps({**config, "model_type": "gemma2"}))
    if how == "made up by name":
        (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "GemmaTokenizer"}')
    with pytest.raises(ModelError, match=r"tokenizer .* could not be loaded") as error:
        load_tokenizer(folder)
    assert repr(str(folder)) in str(error.value)
    assert ("there is none in the folder; save one there" in str(error.value)) == (how != "broken")
    assert not str(error.value).endswith(":"), "what transformers lists begins in its second line"
