"""Encoder-decoders with paged self- and cross-attention, against transformers' own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoModelForSpeechSeq2Seq, GenerationMixin, PreTrainedModel

from tests import models
from torchpaged import LLM, BeamSearchParams, RequestOutput, SamplingParams, ScoringParams, register_proposer
from torchpaged.errors import ConfigError, ModelError, RequestError
from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
from torchpaged.integrations.families import FAMILIES, SUPPORTED
from torchpaged.integrations.transformers import adapter
from torchpaged.scheduling.proposers import Transcript

START = 2
# Prompts of the decoder, shorter and longer than what the encoder gives.
DECODER = [[START], [START, 17, 40, 41, 42, 43, 44, 45, 46, 47], [START, 9, 8]]
LENGTHS = (3, 21, 9)


def build(kind: str, seed: int = 0) -> PreTrainedModel:
    """Return a random float32 model with eager attention, whose encoder and decoder differ in depth."""
    torch.manual_seed(seed)
    sizes: dict[str, Any] = {f"{side}_attention_heads": 4 for side in ("encoder", "decoder")}
    sizes |= {f"{side}_ffn_dim": 96 for side in ("encoder", "decoder")} | {"encoder_layers": 2, "decoder_layers": 3}
    if kind == "whisper":
        sizes |= {"num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 64}
    if kind == "nllb-moe":
        sizes |= {"num_experts": 4, "encoder_sparse_step": 2, "decoder_sparse_step": 2}
    if kind.endswith("t5"):
        sizes |= {"num_layers": 2, "num_decoder_layers": 3, "num_heads": 4, "d_kv": 16, "d_ff": 96}
        sizes |= {"relative_attention_num_buckets": 8, "relative_attention_max_distance": 12, "initializer_factor": 0.5}
    tokens = {"decoder_start_token_id": START, "pad_token_id": 1, "bos_token_id": None, "eos_token_id": None}
    config = AutoConfig.for_model(
        kind, vocab_size=models.VOCAB, d_model=64, init_std=0.3, max_position_embeddings=64, **tokens, **sizes
    )
    auto = AutoModelForSpeechSeq2Seq if kind == "whisper" else AutoModelForSeq2SeqLM
    model = auto.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
    for name, weight in model.named_parameters():
        if "relative_attention_bias" in name:
            torch.nn.init.normal_(weight, std=2)  # enough to be seen
    nothing = ("suppress_tokens", "begin_suppress_tokens", "max_length")
    for name in (*nothing, "eos_token_id", "bos_token_id", "forced_eos_token_id", "forced_bos_token_id"):
        setattr(model.generation_config, name, None)
    return model


def encoder_inputs(kind: str) -> list[Any]:
    if kind == "whisper":
        return list(torch.randn(3, 8, 40, generator=torch.Generator().manual_seed(1)))
    return models.prompts(LENGTHS)


def prompts(kind: str) -> list[dict[str, Any]]:
    return [
        {
            "encoder_prompt": {"multi_modal_data": {"audio": data}} if kind == "whisper" else data,
            "decoder_prompt": {"prompt_token_ids": tokens},
        }
        for data, tokens in zip(encoder_inputs(kind), DECODER, strict=True)
    ]


@torch.inference_mode()
def all_logprobs(model: PreTrainedModel, data: Any, tokens: list[int]) -> Tensor:
    """[len(tokens), vocab] after each of the decoder's tokens, of one eager forward."""
    encoder = {"input_features": data[None]} if isinstance(data, Tensor) else {"input_ids": torch.tensor([data])}
    logits = model(**encoder, decoder_input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
    return torch.log_softmax(logits, dim=-1)


def compare(model: PreTrainedModel, kind: str, outputs: list[RequestOutput]) -> None:
    """Check that every logprob of prompt and completion equals eager's and that the completion is greedy."""
    for data, tokens, output in zip(encoder_inputs(kind), DECODER, outputs, strict=True):
        completion = output.outputs[0]
        assert output.prompt_logprobs is not None and completion.logprobs is not None
        rows = [*output.prompt_logprobs[1:], *completion.logprobs]
        got = torch.tensor([[row[token].logprob for token in range(models.VOCAB)] for row in rows if row])
        expected = all_logprobs(model, data, [*tokens, *completion.token_ids[:-1]])
        torch.testing.assert_close(got, expected, rtol=0, atol=5e-5)
        assert completion.token_ids == expected[len(tokens) - 1 :].argmax(-1).tolist()


PARAMS = SamplingParams(temperature=0, max_tokens=12, logprobs=models.VOCAB, prompt_logprobs=models.VOCAB)
CROSS = [kind for kind in SUPPORTED if "cross" in FAMILIES[kind].attention]


@pytest.mark.parametrize("kind", CROSS)
def test_every_logit(kind: str) -> None:
    """Chunked prefill, mixed steps, decodes; then a pool that holds one request and a part of another."""
    model = build(kind)
    for settings in ({"max_num_batched_tokens": 4, "num_blocks": 64}, {"num_blocks": 16}):
        llm = LLM(copy.deepcopy(model), block_size=4, **settings)
        for request_id, prompt in enumerate(prompts(kind)):
            llm.engine.add_request(str(request_id), prompt, PARAMS)
        done: dict[str, RequestOutput] = {}
        while llm.engine.has_unfinished_requests:
            done |= {output.request_id: output for output in llm.engine.step()}
            llm.engine.check()
        compare(model, kind, [done[name] for name in sorted(done)])
        assert bool(llm.stats().num_preemptions) == (settings["num_blocks"] == 16)
        assert llm.stats().cache.num_used_blocks == 0


@pytest.mark.parametrize("kind", ["bart", "whisper"])
def test_tokens_are_generates(kind: str) -> None:
    """`generate` of one request at a time: no padding."""
    model = build(kind, seed=3)
    expected = []
    for data, tokens in zip(encoder_inputs(kind), DECODER, strict=True):
        decoder = {"decoder_input_ids": torch.tensor([tokens]), "do_sample": False, "max_new_tokens": 12}
        inputs = data[None] if kind == "whisper" else torch.tensor([data])
        # Whisper's own `generate` is about segments of long recordings.
        out = GenerationMixin.generate(model, inputs, **decoder)
        expected.append(out[0, len(tokens) :].tolist())
    params = SamplingParams(temperature=0, max_tokens=12)
    outputs = LLM(model, num_blocks=64).generate(prompts(kind), params, use_tqdm=False)
    assert [output.outputs[0].token_ids for output in outputs] == expected


def test_forks_share_the_encoders_blocks() -> None:
    """Completions and beams share the encoder's blocks; the best beams are generate's."""
    model, (_, data, _) = build("bart", seed=3), encoder_inputs("bart")
    llm = LLM(copy.deepcopy(model), block_size=4, num_blocks=64)
    params = SamplingParams(n=3, temperature=1.0, seed=1, max_tokens=3, ignore_eos=True)
    llm.engine.add_request("a", data, params)
    for _ in range(2):
        llm.engine.step()
        llm.engine.check()
    assert llm.stats().cache.num_used_blocks == 6 + 3
    assert llm.stats().cache.num_tokens == 21 + 3 * 2
    llm.engine.abort("a")
    assert llm.stats().cache.num_used_blocks == 0
    (beams,) = llm.beam_search(data, BeamSearchParams(beam_width=3, max_tokens=6), use_tqdm=False)
    expected = model.generate(
        torch.tensor([data]), num_beams=3, num_return_sequences=3, max_new_tokens=6, do_sample=False
    )
    assert [beam.token_ids for beam in beams.outputs] == expected[:, 1:].tolist()


@pytest.mark.parametrize("kind", ["bart", "whisper"])
def test_guesses_see_the_encoder_too(kind: str) -> None:
    """Guesses are right up to position 12 and wrong after it. The model counts as inexact: logprobs are compared."""
    model = build(kind)
    plain = LLM(copy.deepcopy(model), num_blocks=64).generate(prompts(kind), PARAMS, use_tqdm=False)
    texts = [[*tokens, *output.outputs[0].token_ids] for tokens, output in zip(DECODER, plain, strict=True)]

    class Knows:
        def propose(self, transcript: Transcript, max_drafts: int) -> list[int]:
            tokens, count = list(transcript.token_ids), len(transcript.token_ids)
            text = next((text for text in texts if text[:count] == tokens), [])
            return [token if count + i < 12 else 5 for i, token in enumerate(text[count : count + max_drafts])]

    register_proposer("knows the answer", lambda config: Knows())
    speculation = {"method": "knows the answer", "allow_inexact": True}
    llm = LLM(copy.deepcopy(model), num_blocks=64, speculative_config=speculation)
    assert llm.engine.scheduler.drafter is not None
    llm.engine.scheduler.drafter.costs.step = None
    compare(model, kind, llm.generate(prompts(kind), PARAMS, use_tqdm=False))
    drafts = llm.stats().drafts
    assert drafts is not None and drafts.accepted >= 8 and drafts.tokens > drafts.accepted


def test_an_8_bit_cache() -> None:
    model = build("bart")
    llm = LLM(copy.deepcopy(model), num_blocks=64, kv_cache_dtype="int8")
    outputs = llm.generate(prompts("bart"), PARAMS, use_tqdm=False)
    with pytest.raises(AssertionError, match="not close"):
        compare(model, "bart", outputs)


def test_a_step_that_fails_runs_its_encoder_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build("mbart")
    llm = LLM(copy.deepcopy(model), num_blocks=64)
    for request_id, prompt in enumerate(prompts("mbart")):
        llm.engine.add_request(str(request_id), prompt, PARAMS)
    with monkeypatch.context() as patch:
        patch.setattr(llm.engine.model.encoder, "encode", lambda data: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            llm.engine.step()
    done: dict[str, RequestOutput] = {}
    while llm.engine.has_unfinished_requests:
        done |= {output.request_id: output for output in llm.engine.step()}
        llm.engine.check()
    compare(model, "mbart", [done[name] for name in sorted(done)])


def test_from_a_checkpoint(tmp_path: Path) -> None:
    """The encoder's prompt alone, as text or tokens, starts as in `generate`: with the start and the forced token."""
    for kind in ("bart", "whisper"):
        model = build(kind)
        model.generation_config.forced_bos_token_id = 7
        model.save_pretrained(tmp_path / kind)
        wrapped = adapter.load(str(tmp_path / kind))
        assert wrapped.spec.max_model_len == 64 and len(wrapped.spec.layers) == 6
        config = Checkpoint.resolve(tmp_path / kind).decoder_config
        assert list(adapter.spec_without_weights(config).layers) == list(range(6))
        (data, *_) = encoder_inputs(kind)
        prompt = {"multi_modal_data": {"audio": data}} if kind == "whisper" else data
        llm = LLM(wrapped.model, num_blocks=64, enforce_eager=True)
        (output,) = llm.generate(prompt, SamplingParams(max_tokens=2), use_tqdm=False)
        assert output.prompt_token_ids == [START, 7]


@pytest.mark.parametrize(
    ("kind", "prompt", "message"),
    [
        ("bart", [], "the encoder's prompt has 0 tokens, expected 1 to 64"),
        ("bart", [5] * 65, "the encoder's prompt has 65 tokens, expected 1 to 64"),
        ("bart", [500], "the encoder's prompt has token id 500, expected 0 to 127"),
        ("bart", [5] * 40, r"less those for 40 tokens of the encoder"),
        ("bart", "text", "there is no tokenizer"),
        ("bart", {"encoder_prompt": [3], "decoder_prompt": [500]}, "token id 500, expected 0 to 127"),
        ("bart", {"encoder_prompt": [3], "decoder_prompt": []}, "the prompt is empty"),
        ("bart", {"encoder_prompt": [3], "prompt": [3]}, "the prompt has the key 'prompt'"),
        ("bart", {"text": [3]}, r"the keys \['text'\], expected prompt, prompt_token_ids"),
        ("bart", {"multi_modal_data": {"image": 3}}, "expected {'audio': features}"),
        ("bart", {"multi_modal_data": {"audio": 3}}, r"reads tokens, and was given multi_modal_data \(int\)"),
        ("bart", {"decoder_prompt": [3]}, "has a decoder_prompt alone"),
        ("whisper", [5], r"is a list, expected a tensor of features \(8, 40\)"),
        ("whisper", {"multi_modal_data": {"audio": torch.zeros(8, 30)}}, r"is \(8, 30\), expected .* \(8, 40\)"),
    ],
)
def test_bad_prompts(kind: str, prompt: Any, message: str) -> None:
    llm = LLM(build(kind), block_size=4, num_blocks=11)
    with pytest.raises(RequestError, match=message):
        llm.generate([prompt], SamplingParams(max_tokens=1), use_tqdm=False)
    assert not llm.engine.has_unfinished_requests


def test_what_an_encoder_does_not_go_with(tmp_path: Path) -> None:
    model = build("bart")
    for settings in ({"compile": True}, {"swap_space": 0.1}):
        with pytest.raises(ConfigError, match=f"{next(iter(settings))} is .* the model has an encoder"):
            LLM(copy.deepcopy(model), **settings)
    llm = LLM(model, num_blocks=64)
    with pytest.raises(ConfigError, match="the model has an encoder"):
        llm.pin_prefix([3] * 40)
    with pytest.raises(RequestError, match="the model has an encoder, which scoring does not take"):
        llm.engine.add_request("a", [3], ScoringParams(continuations=[[4]]))
    from torchpaged.execution import export

    with pytest.raises(ModelError, match="only decoders can be exported"):
        export.export(llm.engine.model, tmp_path / "bart.pt2")


def test_refusals_name_the_reason() -> None:
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    config = AutoConfig.for_model("mvp", d_model=32, encoder_ffn_dim=8, decoder_ffn_dim=8, vocab_size=50, **sizes)
    with pytest.raises(ModelError, match="decoder of an encoder-decoder"):
        adapter.wrap(AutoModelForSeq2SeqLM.from_config(config))
    config = build("nllb-moe").config
    config.moe_eval_capacity_token_fraction = 0.5
    with pytest.raises(ModelError, match=r"moe_eval_capacity_token_fraction 0\.5 is not supported"):
        adapter.wrap(AutoModelForSeq2SeqLM.from_config(config))


def test_t5_of_a_config_that_names_no_first_token() -> None:
    """Then each prompt must give the decoder's first token."""
    config = AutoConfig.for_model("t5", d_model=64, num_layers=1, d_kv=16, num_heads=4, vocab_size=50)
    llm = LLM(AutoModelForSeq2SeqLM.from_config(config), num_blocks=32)
    prompt = {"encoder_prompt": [3, 4], "decoder_prompt": {"prompt_token_ids": [0]}}
    assert len(llm.generate(prompt, SamplingParams(max_tokens=2, ignore_eos=True), use_tqdm=False)[0].outputs) == 1
    with pytest.raises(RequestError, match="the prompt is empty"):
        llm.generate([3, 4], use_tqdm=False)
