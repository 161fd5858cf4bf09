"""Requests that share: prefixes, completions of one prompt, beams, pins and saved prefixes, through the engine."""

from __future__ import annotations

import functools
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

from tests import models
from tests.fakes import EOS, VOCAB, FakeModel, FakeTokenizer, drain, engine, follow
from tests.prefix_files import pack, unpacked
from torchpaged import LLM, BeamSearchParams, LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, EngineError, ModelError, RequestError
from torchpaged.execution.prefix_file import PrefixFile
from torchpaged.models.model import LayerShape
from torchpaged.prefix_store import segment

Spoil = Callable[[Any, dict[bytes, bytes]], object]
TEXTS = ("import os\n", "def main(", "class Node:\n    def __init__(self", "for i in range(", "x", "    return self.")


def greedy(**params: Any) -> SamplingParams:
    return SamplingParams(**{"temperature": 0.0, "max_tokens": 8, **params})


@functools.cache
def stdlib(**settings: Any) -> LLM:
    return LLM(models.STDLIB_LM, dtype="float32", **{"num_blocks": 400, "max_num_seqs": 64, **settings})


@functools.cache
def original() -> Any:
    return AutoModelForCausalLM.from_pretrained(models.STDLIB_LM, dtype=torch.float32).eval()


# --- Prefixes ---------------------------------------------------------------------------------------------


class LongFake(FakeModel):
    """A fake model with room for prompts of 544 tokens."""

    spec = replace(FakeModel.spec, max_model_len=600)


def shared_prompts() -> list[list[int]]:
    prefix = [2 + i * i % (VOCAB - 2) for i in range(512)]
    return [[*prefix, *(2 + (i * j + i) % (VOCAB - 2) for j in range(32))] for i in range(32)]


def computed(warm: bool = False, **settings: Any) -> int:
    """Return the number of prompt tokens computed for 32 requests of 544 tokens, 512 of them common."""
    running = engine(LongFake(), num_blocks=2000, block_size=16, **settings)
    for _ in range(2 if warm else 1):
        before = running.stats()
        for i, prompt in enumerate(shared_prompts()):
            running.add_request(f"{i}", prompt, greedy(max_tokens=3))
        for i, output in drain(running).items():
            assert output.outputs[0].token_ids == follow(shared_prompts()[int(i)], 3)
    after = running.stats()
    return after.num_computed_tokens - before.num_computed_tokens - 32 * 2


def test_32_requests_that_share_512_of_544_tokens() -> None:
    without = computed(enable_prefix_caching=False)
    assert without == 32 * 544
    assert computed() <= without / 10
    assert computed(warm=True) == 32  # the last token of each


def test_cached_tokens_are_reported() -> None:
    running = engine()
    for name, last, expected in (("a", 11, 0), ("b", 12, 8), ("c", 13, 8)):
        running.add_request(name, [3, 4, 5, 6, 7, 8, 9, 10, last], greedy())
        assert drain(running)[name].num_cached_tokens == expected
    assert running.stats().cache.hit_rate == pytest.approx(16 / 27)
    assert running.reset_prefix_cache()
    running.add_request("d", [3, 4, 5, 6, 7, 8, 9, 10, 11], greedy())
    assert drain(running)["d"].num_cached_tokens == 0


def test_a_salt_keeps_tenants_apart() -> None:
    running = engine()
    for salt, expected in ((None, 0), ("x", 0), ("x", 8), ("y", 0), (None, 8)):
        running.add_request("a", [3, 4, 5, 6, 7, 8, 9, 10, 11], greedy(), cache_salt=salt)
        assert drain(running)["a"].num_cached_tokens == expected


@pytest.mark.parametrize("start", [1, 7, 17, 30, 99])
def test_prompt_logprobs_after_a_hit(start: int) -> None:
    """A hit ends before the first requested logprob; the logprobs after it equal transformers'."""
    llm = LLM(models.STDLIB_LM, dtype="float32", num_blocks=100)
    tokens = models.prompts([34], 2000, seed=3)[0]
    llm.generate([tokens], greedy(max_tokens=1), use_tqdm=False)
    params = greedy(max_tokens=1, prompt_logprobs=0, prompt_logprobs_start=start)
    (output,) = llm.generate([tokens], params, use_tqdm=False)
    assert output.num_cached_tokens == min(start - 1, 32)  # two blocks, and any part of them
    rows = output.prompt_logprobs
    expected = models.logprobs(original(), tokens)
    assert rows is not None and len(rows) == len(tokens)
    for i, row in enumerate(rows):
        if i < start:
            assert row is None
        else:
            assert row is not None and row[tokens[i]].logprob == pytest.approx(
                expected[i - 1, tokens[i]].item(), abs=1e-4
            )


def test_a_policy_of_ones_own() -> None:
    from torchpaged.kv_cache import FreeBlockQueue

    class Counting(FreeBlockQueue):
        pops = 0

        def pop(self) -> Any:
            Counting.pops += 1
            return super().pop()

    running = engine(eviction_policy=Counting)
    running.add_request("a", [3] * 9, greedy(max_tokens=4))
    drain(running)
    assert Counting.pops == 3


# --- Completions of one prompt ----------------------------------------------------------------------------


def test_best_of_returns_the_likeliest() -> None:
    llm = stdlib()
    every = SamplingParams(n=5, seed=7, max_tokens=10, logprobs=0, ignore_eos=True)
    (all_five,) = llm.generate(TEXTS[1], every, use_tqdm=False)
    ranked = sorted(all_five.outputs, key=lambda c: -(c.cumulative_logprob or 0))
    for logprobs in (None, 0):
        best = SamplingParams(n=2, best_of=5, seed=7, max_tokens=10, logprobs=logprobs, ignore_eos=True)
        (output,) = llm.generate(TEXTS[1], best, use_tqdm=False)
        assert [c.token_ids for c in output.outputs] == [c.token_ids for c in ranked[:2]]
        assert [c.index for c in output.outputs] == [0, 1]
        assert (output.outputs[0].logprobs is None) == (logprobs is None)


def test_more_completions_than_seats() -> None:
    running = engine(max_num_seqs=3)
    running.add_request("a", [3, 4, 5], greedy(n=8, max_tokens=5))
    output = drain(running)["a"]
    assert [c.token_ids for c in output.outputs] == [follow([3, 4, 5], 5)] * 8


def test_completions_copy_on_write_and_give_way() -> None:
    running = engine(num_blocks=12, max_num_seqs=8, watermark=0.0)
    running.add_request("a", [3, 4, 5, 6, 7], greedy(n=4, max_tokens=12))
    running.add_request("b", [9, 4, 5], greedy(max_tokens=12))
    outputs = drain(running)
    assert [c.token_ids for c in outputs["a"].outputs] == [follow([3, 4, 5, 6, 7], 12)] * 4
    assert outputs["b"].outputs[0].token_ids == follow([9, 4, 5], 12)
    assert running.stats().num_preemptions > 0


# --- Beam search ------------------------------------------------------------------------------------------


@functools.cache
def transformers_beams(
    length_penalty: float = 1.0, early_stopping: bool | str = False
) -> list[list[tuple[list[int], float]]]:
    results = []
    for text in TEXTS:
        tokens = stdlib().tokenizer(text)["input_ids"]
        found = original().generate(
            torch.tensor([tokens]),
            attention_mask=torch.ones(1, len(tokens), dtype=torch.int64),
            num_beams=4,
            num_return_sequences=4,
            do_sample=False,
            max_new_tokens=20,
            length_penalty=length_penalty,
            early_stopping=early_stopping,
            return_dict_in_generate=True,
            output_scores=True,
        )
        rows = []
        for sequence, score in zip(found.sequences.tolist(), found.sequences_scores.tolist(), strict=True):
            end = original().generation_config.eos_token_id
            new = sequence[len(tokens) :]
            rows.append((new[: new.index(end) + 1] if end in new else new, score))
        results.append(rows)
    return results


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        pytest.param({}, {}, id="plain"),
        pytest.param({"num_blocks": 30, "block_size": 4, "max_num_seqs": 6, "watermark": 0.0}, {}, id="preempted"),
        pytest.param(
            {"num_blocks": 30, "block_size": 4, "swap_space": 0.02, "preemption_mode": "swap", "watermark": 0.0},
            {},
            id="swapped",
        ),
        pytest.param({"max_num_seqs": 3}, {}, id="fewer-seats-than-beams"),
        pytest.param({"enable_prefix_caching": False, "max_num_batched_tokens": 8}, {}, id="chunked-and-uncached"),
        pytest.param({}, {"length_penalty": 2.0}, id="long-ones-gain"),
        pytest.param({}, {"early_stopping": True}, id="early-stopping"),
        pytest.param({}, {"early_stopping": "never"}, id="never-early"),
        pytest.param({}, {"early_stopping": "never", "length_penalty": 2.0}, id="never-early-and-long"),
    ],
)
def test_beams_are_transformers(settings: dict[str, Any], options: dict[str, Any]) -> None:
    llm = LLM(models.STDLIB_LM, dtype="float32", **{"num_blocks": 400, **settings})
    outputs = llm.beam_search(list(TEXTS), BeamSearchParams(beam_width=4, max_tokens=20, **options), use_tqdm=False)
    llm.engine.check()
    for output, expected in zip(outputs, transformers_beams(**options), strict=True):
        assert [completion.token_ids for completion in output.outputs] == [tokens for tokens, _ in expected]
        for completion, (_, score) in zip(output.outputs, expected, strict=True):
            assert completion.score == pytest.approx(score, abs=1e-4)
        assert output.finished
    stats = llm.stats()
    assert stats.cache.num_used_blocks == 0
    if "swap_space" in settings:
        assert stats.num_swaps > 0
    elif settings.get("num_blocks") == 30:
        assert stats.num_preemptions > 0


def test_when_a_search_stops() -> None:
    """If texts end early, each value of `early_stopping` gives other sequences, equal to transformers'."""
    model = models.build("llama", vocab_size=12, num_hidden_layers=2, initializer_range=0.15, seed=3)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = EOS_OF_BEAMS, 0
    llm = LLM(model, num_blocks=400)
    prompts = models.prompts([3 + i % 5 for i in range(20)], 12, seed=1)
    found = {}
    for word in (False, True, "never"):
        params = BeamSearchParams(beam_width=3, max_tokens=14, length_penalty=2.0, early_stopping=word)
        outputs = llm.beam_search(prompts, params, use_tqdm=False)
        found[word] = [[completion.token_ids for completion in output.outputs] for output in outputs]
        for prompt, mine in zip(prompts, found[word], strict=True):
            theirs = model.generate(
                torch.tensor([prompt]),
                attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
                num_beams=3,
                num_return_sequences=3,
                do_sample=False,
                max_new_tokens=14,
                length_penalty=2.0,
                early_stopping=word,
            )[:, len(prompt) :].tolist()
            cut = [row[: row.index(EOS_OF_BEAMS) + 1] if EOS_OF_BEAMS in row else row for row in theirs]
            assert mine == cut
    assert found[True] != found[False] != found["never"] != found[True]


EOS_OF_BEAMS = 3


def test_beams_run_beside_others_and_are_aborted() -> None:
    running = engine(tokenizer=FakeTokenizer())
    running.add_request("beam", [3, 4], BeamSearchParams(beam_width=3, max_tokens=30))
    running.add_request("other", [5, 6], greedy())
    for _ in range(4):
        running.step()
        running.check()
    output = running.abort("beam")
    assert output is not None and output.finished and output.outputs[0].finish_reason == "abort"
    running.check()
    assert drain(running)["other"].outputs[0].token_ids == follow([5, 6], 8)


def test_a_beam_ends_at_the_end_of_a_text() -> None:
    running = engine(FakeModel(script=[7, 8, EOS, *[9] * 8]), tokenizer=FakeTokenizer())
    running.add_request("a", [3], BeamSearchParams(beam_width=2, max_tokens=6))
    best = drain(running)["a"].outputs[0]
    assert (best.token_ids, best.text, best.finish_reason) == ([7, 8, EOS], "hi", "stop")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("beam_width", 0),
        ("max_tokens", 0),
        ("length_penalty", float("nan")),
        ("beam_width", 1.5),
        ("early_stopping", 1),
        ("early_stopping", None),
        ("ignore_eos", 0),
    ],
)
def test_bad_beams(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"BeamSearchParams: {name} is {value}"):
        BeamSearchParams(**{"beam_width": 2, name: value})
    with pytest.raises(ConfigError, match="early_stopping is 'always', expected True, False or 'never'"):
        BeamSearchParams(beam_width=2, early_stopping="always")


# --- Pins and files ---------------------------------------------------------------------------------------


def test_a_pinned_prefix_survives_a_full_pool() -> None:
    running = engine(num_blocks=12)
    prefix = [3, 4, 5, 6, 7, 8, 9, 10]
    name = running.pin_prefix([*prefix, 11])
    running.check()
    assert running.stats().cache.num_pinned_blocks == 2
    for i in range(5):
        running.add_request("x", [12 + i] * 20, greedy(max_tokens=10))
        drain_keeping(running, 2)
    running.add_request("a", [*prefix, 12], greedy())
    assert drain_keeping(running, 2)["a"].num_cached_tokens == 8
    assert not running.reset_prefix_cache()
    running.prefixes.unpin(name)
    assert running.stats().cache.num_used_blocks == 0
    with pytest.raises(RequestError, match=f"there is no pin '{name}'"):
        running.prefixes.unpin(name)


@pytest.mark.parametrize("tokens", [24, 29, 31])
def test_a_pin_has_all_that_a_window_reads(tokens: int, tmp_path: Path) -> None:
    """A chunk after the last whole block, if it were computed, would advance the window and free one of its blocks."""
    model = FakeModel()
    model.spec = replace(model.spec, layers={0: LayerShape(1, 8, 8, sliding_window=12)})
    running = engine(model, block_size=8, num_blocks=8, max_num_batched_tokens=4)
    prefix = [2 + i % 30 for i in range(tokens)]
    name = running.pin_prefix(prefix)
    running.check()
    assert running.stats().cache.num_pinned_blocks == 2
    path = tmp_path / "prefix.safetensors"
    assert running.save_prefix(path) == 24
    running.add_request("x", [2] * 60, greedy())  # whose blocks take all others' place
    drain_keeping(running, 2)
    running.add_request("a", [*prefix, 31, 31], greedy())
    assert drain_keeping(running, 2)["a"].num_cached_tokens == 24
    running.unpin_prefix(name)
    assert len(running.load_prefix(path)) == 1
    running.check()


def drain_keeping(running: LLMEngine, blocks: int) -> dict[str, Any]:
    done = {}
    while running.has_unfinished_requests:
        done.update({output.request_id: output for output in running.step() if output.finished})
        running.check()
    assert running.stats().cache.num_used_blocks == blocks
    return done


def test_what_cannot_be_pinned() -> None:
    running = engine(num_blocks=6)
    for prompt, error, says in (
        ([3, 4, 5], RequestError, "3 tokens, block_size is 4"),
        ([3, VOCAB, 3, 3], RequestError, f"token id {VOCAB}"),
        ([3] * 20, RequestError, "20 tokens and would leave no block"),
        ([3] * 21, RequestError, "holds 20"),
    ):
        with pytest.raises(error, match=says):
            running.pin_prefix(prompt)
        running.check()
        assert running.stats().cache.num_used_blocks == 0
    running.add_request("a", [3], greedy())
    with pytest.raises(EngineError, match="1 requests are unfinished"):
        running.pin_prefix([3] * 8)
    drain(running)
    with pytest.raises(ConfigError, match="enable_prefix_caching is False"):
        engine(enable_prefix_caching=False).pin_prefix([3] * 8)


def test_a_request_too_long_beside_a_pin() -> None:
    running = engine(num_blocks=6)
    running.pin_prefix([3] * 8)
    with pytest.raises(RequestError, match=r"holds 12 \(5 blocks, 2 of them pinned\)"):
        running.add_request("a", [4] * 13, greedy())


LOAD = """
import sys
from torchpaged import LLM, SamplingParams
prompt = [int(token) for token in sys.argv[2].split(",")]
for word in sys.argv[3:]:
    kv_cache_dtype, file = word.split("=")
    llm = LLM(sys.argv[1], dtype="float32", num_blocks=100, kv_cache_dtype=kv_cache_dtype)
    names = llm.load_prefix(file)
    (output,) = llm.generate([prompt], SamplingParams(temperature=0, max_tokens=12), use_tqdm=False)
    print(len(names), output.num_cached_tokens, *output.outputs[0].token_ids)
"""


def test_a_saved_prefix_in_another_process(tmp_path: Path) -> None:
    tokens = models.prompts([70], 2000, seed=5)[0]
    command = [sys.executable, "-c", LOAD, str(models.STDLIB_LM), ",".join(map(str, tokens))]
    expected = []
    for kv_cache_dtype in ("auto", "fp8"):
        llm = LLM(models.STDLIB_LM, dtype="float32", num_blocks=100, kv_cache_dtype=kv_cache_dtype)
        file = tmp_path / f"{kv_cache_dtype}.safetensors"
        assert llm.save_prefix(file, tokens[:50]) == 48
        assert llm.stats().cache.num_used_blocks == 0
        (output,) = llm.generate([tokens], greedy(max_tokens=12), use_tqdm=False)
        expected.append([1, 48, *output.outputs[0].token_ids])
        command.append(f"{kv_cache_dtype}={file}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    assert [[int(word) for word in line.split()] for line in done.stdout.splitlines()] == expected


def test_a_prefix_goes_where_a_link_leads_and_replaces_no_device(tmp_path: Path) -> None:
    llm = LLM(models.build("llama"), num_blocks=40, block_size=4)
    llm.pin_prefix(models.prompts([30])[0])
    file, link, pipe = (tmp_path / name for name in ("prefix", "link", "pipe"))
    link.symlink_to(file)
    os.mkfifo(pipe)
    llm.save_prefix(link)
    assert link.is_symlink() and stat.S_IMODE(file.stat().st_mode) == 0o666 & ~_umask()
    for path in (pipe, tmp_path):
        with pytest.raises(ConfigError, match=r"could not be written: .* is no file"):
            llm.save_prefix(path)
    assert pipe.is_fifo() and len(list(tmp_path.iterdir())) == 3


def _umask() -> int:
    os.umask(found := os.umask(0))
    return found


@pytest.mark.parametrize("place", [9, 40, 4100, 4170, 69_640, -5000])
def test_a_prefix_that_a_disk_has_changed(place: int, tmp_path: Path) -> None:
    llm = LLM(models.build("llama"), num_blocks=40, block_size=4)
    llm.pin_prefix(models.prompts([30])[0])
    llm.save_prefix(tmp_path / "prefix")
    data = bytearray((tmp_path / "prefix").read_bytes())
    data[place] ^= 4
    (tmp_path / "prefix").write_bytes(data)
    with pytest.raises(
        ConfigError, match=r"is damaged|has the format|its format is|has more values|no list of prefixes"
    ):
        llm.load_prefix(tmp_path / "prefix")


def test_a_file_from_elsewhere_is_refused(tmp_path: Path) -> None:
    llm = LLM(models.build("gemma2", sliding_window=12), num_blocks=40, block_size=4)
    tokens = models.prompts([30])[0]
    llm.pin_prefix(tokens)
    file = tmp_path / "prefix.safetensors"
    assert llm.save_prefix(file) == 28
    same = LLM(models.build("gemma2", sliding_window=12), num_blocks=60, block_size=4)
    same.load_prefix(file)
    (cold,) = LLM(models.build("gemma2", sliding_window=12)).generate([tokens], greedy(), use_tqdm=False)
    (warm,) = same.generate([tokens], greedy(), use_tqdm=False)
    assert warm.num_cached_tokens == 28 and warm.outputs[0].token_ids == cold.outputs[0].token_ids
    for other in (
        LLM(models.build("gemma2", sliding_window=12, seed=1), num_blocks=40, block_size=4),
        LLM(models.build("gemma2", sliding_window=12), num_blocks=40, block_size=8),
        LLM(models.build("gemma2", sliding_window=12), num_blocks=40, block_size=4, kv_cache_dtype="int8"),
    ):
        with pytest.raises(ModelError, match="saved by another model or with another cache"):
            other.load_prefix(file)
        assert other.stats().cache.num_used_blocks == 0
    small = LLM(models.build("gemma2", sliding_window=12), num_blocks=8, block_size=4)
    with pytest.raises(RequestError, match="28 tokens, which the pool of 7 blocks"):
        small.load_prefix(file)
    assert small.stats().cache.num_used_blocks == 0
    (tmp_path / "text").write_text("no blocks")
    save_file({"a": torch.zeros(1)}, str(tmp_path / "other"))
    (tmp_path / "folder").mkdir()
    for name, text in (
        ("text", "is damaged"),
        ("missing", "could not be read"),
        ("folder", "could not be read"),
        ("other", "is a safetensors file, as earlier versions wrote them; save the prefix again"),
    ):
        with pytest.raises(ConfigError, match=text):
            same.load_prefix(tmp_path / name)
    with pytest.raises(RequestError, match="no prefix is pinned"):
        small.save_prefix(file)
    with pytest.raises(ConfigError, match="could not be written"):
        llm.save_prefix(tmp_path / "no" / "folder")


# --- Hostile files ------------------------------------------------------------------------------------------


def says(number: int, **changes: Any) -> Spoil:
    """Change fields of a prefix in the list."""
    return lambda contents, pieces: contents[number].update(changes)


def token(value: object) -> Spoil:
    def spoil(contents: Any, pieces: dict[bytes, bytes]) -> None:
        contents[0]["token_ids"][-1] = value

    return spoil


def cut(count: int) -> Spoil:
    """Change the number of bytes in the first piece."""

    def spoil(contents: Any, pieces: dict[bytes, bytes]) -> None:
        (key,) = pieces
        pieces[key] = pieces[key][:count] if count < 0 else pieces[key] + bytes(count)

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param(lambda c, p: p.clear(), "has 0 bytes of blocks", id="no-blocks"),
        pytest.param(cut(-1), "bytes of blocks, and its prefixes have more", id="a-byte-less"),
        pytest.param(cut(1), "more values than its prefixes have blocks", id="a-byte-more"),
        pytest.param(lambda c, p: p.update({b"k" * 32: b"x"}), "more values than its prefixes", id="another-value"),
        pytest.param(lambda c, p: c.append(c[0]), "its prefixes have more", id="a-third-prefix"),
        pytest.param(lambda c, p: c.pop(), "more values than its prefixes have blocks", id="of-one-prefix"),
        pytest.param(lambda c, p: c.clear(), "has no list of prefixes", id="no-prefix"),
        pytest.param(lambda c, p: c.append(5), "has no list of prefixes", id="a-number"),
        pytest.param(token(-3), "token -3 .*expected 0 to 127", id="negative-token"),
        pytest.param(token(128), "token 128 .*expected 0 to 127", id="token-too-large"),
        pytest.param(token(1.0), "token 1.0 .*expected 0 to 127", id="float-token"),
        pytest.param(token(True), "token True .*expected 0 to 127", id="a-truth-value"),
        pytest.param(token([1]), r"token \[1\] .*expected 0 to 127", id="a-list-of-a-token"),
        pytest.param(says(0, token_ids=[1] * 15), "has 15 tokens in prefix 0, expected whole", id="part-of-a-block"),
        pytest.param(says(1, token_ids=[]), "has 0 tokens in prefix 1", id="no-token"),
        pytest.param(says(1, token_ids="text"), "has no tokens in prefix 1", id="tokens-are-text"),
        pytest.param(says(0, token_ids=[1] * 20), "its prefixes have more", id="more-tokens"),
        pytest.param(says(0, token_ids=[1] * 12), "more values than its prefixes have blocks", id="fewer-tokens"),
        pytest.param(says(0, adapter="\xe9a"), "adapter 'éa' in prefix 0, expected 1 to 128 ASCII", id="not-ascii"),
        pytest.param(says(0, adapter="a" * 129), "adapter 'aaa.* in prefix 0", id="adapter-too-long"),
        pytest.param(says(0, adapter=""), "adapter '' in prefix 0", id="adapter-empty"),
        pytest.param(says(0, adapter=7), "adapter 7 in prefix 0", id="adapter-is-a-number"),
        pytest.param(says(0, adapter="a"), "set enable_lora=True", id="adapter-added"),
    ],
)
def test_a_spoiled_file_changes_nothing(tmp_path: Path, spoil: Spoil, message: str) -> None:
    """Refused before a block is allocated: nothing is pinned or found, and the prompt's tokens are right."""
    llm = LLM(models.build("llama"), num_blocks=40, block_size=4)
    first, second = models.prompts([16, 12])
    expected = llm.generate([first, second], greedy(), use_tqdm=False)
    for prompt in (first, second):
        llm.pin_prefix(prompt)
    llm.save_prefix(tmp_path / "good")
    namespace, contents, pieces = unpacked(tmp_path / "good")
    spoil(contents, pieces)
    pack(tmp_path / "bad", namespace, contents, pieces)
    other = LLM(models.build("llama"), num_blocks=40, block_size=4)
    with pytest.raises((ConfigError, ModelError), match=message):
        other.load_prefix(tmp_path / "bad")
    other.engine.check()
    assert other.stats().cache.num_used_blocks == other.stats().cache.num_cached_blocks == 0
    outputs = other.generate([first, second], greedy(), use_tqdm=False)
    assert [o.outputs[0].token_ids for o in outputs] == [o.outputs[0].token_ids for o in expected]
    assert other.load_prefix(tmp_path / "good") is not None


def test_a_saved_prefix_with_a_key(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"k" * 16)
    settings = {"num_blocks": 40, "block_size": 4, "prefix_cache_dir": tmp_path / "store"}
    prompt, files = models.prompts([16])[0], {}
    for key in (None, tmp_path / "key"):
        with LLM(models.build("llama"), prefix_cache_key_file=key, **settings) as llm:
            llm.save_prefix(file := tmp_path / f"of {key is None}", prompt)
            files[key] = file
    with LLM(models.build("llama"), prefix_cache_key_file=tmp_path / "key", **settings) as llm:
        assert llm.load_prefix(files[tmp_path / "key"])
        with pytest.raises(ConfigError, match="saved with another checksum key, or without one"):
            llm.load_prefix(files[None])
    with pytest.raises(ConfigError, match="saved with a checksum key; set prefix_cache_key_file"):
        LLM(models.build("llama"), num_blocks=40, block_size=4).load_prefix(files[tmp_path / "key"])


def test_a_load_that_fails_half_way_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first prefix is loaded, the second one fails: neither stays."""
    llm = LLM(models.build("llama"), num_blocks=40, block_size=4)
    prompts = models.prompts([16, 12])
    for prompt in prompts:
        llm.pin_prefix(prompt)
    llm.save_prefix(tmp_path / "file")
    other = LLM(models.build("llama"), num_blocks=40, block_size=4)
    write = PrefixFile.write

    def fail(self: PrefixFile, number: int, tables: Any) -> None:
        if number:
            raise KeyboardInterrupt
        write(self, number, tables)

    with monkeypatch.context() as patch:
        patch.setattr(PrefixFile, "write", fail)
        with pytest.raises(KeyboardInterrupt):
            other.load_prefix(tmp_path / "file")
    other.engine.check()
    stats = other.stats().cache
    assert stats.num_used_blocks == stats.num_pinned_blocks == stats.num_cached_blocks == 0
    assert len(other.load_prefix(tmp_path / "file")) == 2


def test_a_saved_file_is_whole_or_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    llm = LLM(models.build("llama"), num_blocks=40, block_size=4)
    prompt = models.prompts([16])[0]
    llm.save_prefix(tmp_path / "file", prompt)
    before = (tmp_path / "file").read_bytes()

    def fail(path: Path, *args: Any) -> None:
        path.write_bytes(b"half of it")
        raise OSError("No space left on device")

    monkeypatch.setattr(segment, "write", fail)
    with pytest.raises(ConfigError, match="No space left on device"):
        llm.save_prefix(tmp_path / "file", prompt)
    assert (tmp_path / "file").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert llm.stats().cache.num_pinned_blocks == 0


def test_a_prefix_without_numbers_is_not_pinned() -> None:
    """A prefix whose logits are NaN is neither pinned nor found."""
    running = engine(FakeModel(nan_at=7))
    with pytest.raises(RequestError, match="cannot be pinned: the model's logits are NaN"):
        running.pin_prefix([3, 4, 5, 6, 7, 7, 7, 7])
    running.check()
    stats = running.stats().cache
    assert stats.num_used_blocks == stats.num_cached_blocks == 0 and not list(running.prefixes.names)


# --- Faults -----------------------------------------------------------------------------------------------


def test_a_failing_forward_leaves_a_cache_that_can_be_trusted() -> None:
    """Blocks that the failed step should have filled are never found, not even after its request is aborted."""
    model = FakeModel()
    running = engine(model)
    running.add_request("a", [3] * 9, greedy())
    running.add_request("b", [3] * 9, greedy())
    model.fails = True
    with pytest.raises(RuntimeError, match="on fire"):
        running.step()
    model.fails = False
    running.check()
    running.abort("a")
    running.check()
    output = drain(running)["b"]
    assert output.num_cached_tokens == 0 and output.outputs[0].token_ids == follow([3] * 9, 8)


def test_failing_copies_lose_the_cache_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    running = engine()
    running.add_request("a", [3] * 6, greedy(n=3))
    running.add_request("b", [9] * 6, greedy())
    running.step()

    def fail(copies: Any) -> None:
        raise RuntimeError("no memory to copy with")

    with monkeypatch.context() as patch:
        patch.setattr(running.executor.runner, "copy", fail)
        with pytest.raises(RuntimeError, match="no memory to copy with"):
            running.step()
    running.check()
    outputs = drain(running)
    assert [c.token_ids for c in outputs["a"].outputs] == [follow([3] * 6, 8)] * 3
    assert outputs["b"].outputs[0].token_ids == follow([9] * 6, 8)


def test_one_requests_fault_is_its_own() -> None:
    """A tokenizer that fails on one completion's token; logits that are NaN for one prompt; the others continue."""
    running = engine(FakeModel(nan_at=30), tokenizer=FakeTokenizer(fails_at=follow([7], 3)[-1]))
    running.add_request("text", [7], greedy(n=2))
    running.add_request("nan", [30], greedy(n=3))
    running.add_request("beam", [30], BeamSearchParams(beam_width=2, max_tokens=4))
    running.add_request("fine", [6], greedy(max_tokens=2))
    outputs = drain(running)
    assert [c.finish_reason for c in outputs["text"].outputs] == ["error"] * 2
    assert "out of letters" in str(outputs["text"].outputs[0].error)
    for name in ("nan", "beam"):
        assert {c.finish_reason for c in outputs[name].outputs} == {"error"}
        assert "NaN" in str(outputs[name].outputs[0].error)
    assert outputs["fine"].outputs[0].token_ids == follow([6], 2)
    assert running.stats().cache.num_used_blocks == 0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"preemption_mode": "swap"}, "swap_space is 0"),
        ({"swap_space": -1.0}, "swap_space is -1.0"),
        ({"swap_space": 1e-9}, "a block takes"),
        ({"scheduling_policy": "lifo"}, "scheduling_policy is 'lifo', expected one of fcfs, priority"),
        ({"watermark": 1.0}, r"watermark is 1.0, expected \[0, 1\)"),
        ({"eviction_policy": "lru"}, "eviction_policy is 'lru'"),
        ({"enable_prefix_caching": 1}, "enable_prefix_caching is 1, expected True or False"),
    ],
)
def test_bad_settings(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        engine(**settings)
