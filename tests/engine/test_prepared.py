"""Prepared models: a later start gives the bits of the first, and whatever is wrong with the cache is a miss."""

from __future__ import annotations

import copy
import json
import logging
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType as Kind
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSequenceClassification

from tests import adapters
from tests.integrations import gguf_files
from tests.integrations.family_models import LONGROPE, SPECIAL
from tests.models import STDLIB_LM, build
from torchpaged import LLM, LoRARequest, SamplingParams, cli
from torchpaged.config import EngineConfig
from torchpaged.engine import prepared, prepared_cache
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.engine.prepared import PreparedModel
from torchpaged.engine.prepared_cache import Key, NotPrepared
from torchpaged.engine_args import NO_OPTIONS, LoadOptions
from torchpaged.errors import ConfigError
from torchpaged.execution import exact
from torchpaged.ops import cpu
from torchpaged.utils import atomic_files
from torchpaged.weights.tensor_file import TensorWriter

pytestmark = pytest.mark.skipif(cpu.isa() in ("none", "portable"), reason="no fast kernels here: ops.cpu.isa()")
SMALL: dict[str, Any] = {"num_blocks": 80, "block_size": 8, "max_num_seqs": 4, "use_tqdm_on_load": False}
TOKENS: dict[str, Any] = {**SMALL, "skip_tokenizer_init": True}
GREEDY = SamplingParams(temperature=0, max_tokens=4, logprobs=2, prompt_logprobs=1, ignore_eos=True)
PROMPTS = [[1], [5, 6, 7], list(range(1, 70))]  # the longest runs the graph, the others programs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test's own, in which nothing is written when it ends."""
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache" / "prepared"
    for each in threading.enumerate():
        if each.name == "torchpaged prepare":
            each.join()


def saved(path: Path, kind: str = "llama", *, dtype: torch.dtype = torch.bfloat16, **overrides: Any) -> Path:
    build(kind, **{"num_hidden_layers": 1, **SPECIAL.get(kind, {}), **overrides}).to(dtype).save_pretrained(path)
    return path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return saved(tmp_path / "model")


def start(path: Path, **settings: Any) -> LLM:
    return LLM(path, **{**TOKENS, **settings})


def answers(llm: LLM, adapter: LoRARequest | None = None) -> Any:
    """Return tokens and log probabilities of a few prompts."""
    prompts = [each for each in PROMPTS if len(each) + 4 <= llm.engine.max_model_len]
    tokens = [{"prompt_token_ids": each} for each in prompts]
    outputs = llm.generate(tokens, GREEDY, lora_request=adapter, use_tqdm=False)
    return [(each.outputs[0].token_ids, each.outputs[0].logprobs, each.prompt_logprobs) for each in outputs]


def first(path: Path, **settings: Any) -> Any:
    """Load a checkpoint afresh, and return its answers once it is prepared."""
    with start(path, **settings) as llm:
        assert not is_prepared(llm)
        found = answers(llm)
        weights = llm.engine.model.weights
        if getattr(weights, "observer", None) is not None:
            weights.observer.wait()
    return found


def is_prepared(llm: LLM) -> bool:
    return isinstance(llm.engine.model, PreparedModel)


def entry(cache: Path) -> Path:
    (found,) = cache.iterdir()
    return found


# --- The same bits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["llama", "gpt2", "gpt_oss", "deepseek_v3", "qwen3_next", "lfm2", "mamba2"])
def test_a_later_start_gives_the_same_bits(kind: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "model", kind, num_hidden_layers=4 if kind in ("qwen3_next", "lfm2") else 2)
    expected = first(path)
    with start(path) as llm:
        assert is_prepared(llm) and len(llm.engine.model._stored.programs) == 1
        assert answers(llm) == expected


@pytest.mark.parametrize(
    "settings",
    [
        {"quantization": "int8"},
        {"quantization": "int4"},
        {"dtype": "float32", "optimize": True},
        {"dtype": "float16"},
        {"enable_prompt_embeds": True},
        {"hf_overrides": {"rms_norm_eps": 0.1}},
    ],
    ids=repr,
)
def test_settings_that_decide_bits_have_entries_of_their_own(
    settings: dict[str, Any], model: Path, cache: Path
) -> None:
    plain, expected = first(model), first(model, **settings)
    assert len(list(cache.iterdir())) == 2
    for given, wanted in ((settings, expected), (dict[str, Any](), plain)):
        with start(model, **given) as llm:
            assert is_prepared(llm) and answers(llm) == wanted


def test_adapters_have_entries_of_their_own(model: Path, cache: Path, tmp_path: Path) -> None:
    """With the program of their steps, and after the checkpoint was loaded to change weights."""
    adapters.save_merged(AutoModelForCausalLM.from_pretrained(model), tmp_path / "adapter", rank=4)
    settings, lora = {"enable_lora": True}, adapters.request("adapter", tmp_path / "adapter")
    expected = [answers(llm := start(model, **settings)), answers(llm, lora)]
    assert expected[0] == first(model) != expected[1]
    llm.engine.model.weights.observer.wait()
    llm.shutdown()
    assert len(list(cache.iterdir())) == 2
    for number in (2, 2):
        with start(model, **settings) as llm:
            assert is_prepared(llm) and len(llm.engine.model._stored.programs) == number
            assert [answers(llm), answers(llm, lora)] == expected
            llm.engine.check()
    with start(model, **settings) as llm:
        llm.apply_model(lambda module: None)
        assert [answers(llm), answers(llm, lora)] == expected


def test_programs_of_other_pools_are_added(model: Path, cache: Path) -> None:
    first(model)
    others = [{"kv_cache_dtype": "int8"}, {"block_size": 4}]
    for count, settings in enumerate(others, 1):
        with start(model, **settings, prepared_cache=False) as llm:
            expected = answers(llm)
        for known in (count, count + 1):
            with start(model, **settings) as llm:
                assert len(llm.engine.model._stored.programs) == known and answers(llm) == expected


@pytest.mark.parametrize("kind", [Kind.F16, Kind.Q8_0, Kind.Q4_0])
def test_gguf_files_are_prepared(kind: Kind, tmp_path: Path) -> None:
    path = gguf_files.write(build("qwen3", head_dim=32, hidden_size=128), tmp_path / "model.gguf", kind)
    expected = first(path, optimize=True)
    with start(path, optimize=True) as llm:
        assert is_prepared(llm) and answers(llm) == expected


def test_a_classifier_keeps_its_labels(tmp_path: Path) -> None:
    config = AutoConfig.for_model("llama", **_CLASSIFIER)
    AutoModelForSequenceClassification.from_config(config, dtype=torch.bfloat16).save_pretrained(tmp_path / "model")
    with start(tmp_path / "model") as llm:
        expected, spec = llm.classify([{"prompt_token_ids": [1, 2, 3]}], use_tqdm=False), llm.engine.model.spec
        llm.engine.model.weights.observer.wait()
    with start(tmp_path / "model") as llm:
        assert is_prepared(llm) and llm.engine.model.spec == spec and spec.labels == ("bad", "good")
        found = llm.classify([{"prompt_token_ids": [1, 2, 3]}], use_tqdm=False)
        assert found[0].outputs.probs == expected[0].outputs.probs


_CLASSIFIER: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 128,
    "id2label": {0: "bad", 1: "good"},
    "pad_token_id": 0,
}


def test_longrope_has_an_entry_for_each_length(tmp_path: Path, cache: Path) -> None:
    path = saved(tmp_path / "model", "phi3", **{**LONGROPE["phi3"], "num_hidden_layers": 2})
    original = AutoConfig.from_pretrained(path).rope_parameters["original_max_position_embeddings"]
    lengths = (original, 2 * original)
    expected = {length: first(path, max_model_len=length, num_blocks=400) for length in lengths}
    assert len(list(cache.iterdir())) == 2
    for length in lengths:
        with start(path, max_model_len=length, num_blocks=400) as llm:
            assert is_prepared(llm) and answers(llm) == expected[length]


def test_the_model_describes_itself_as_before(model: Path) -> None:
    with start(model) as llm:
        fresh, fingerprint = llm.engine.model, llm.engine.system_fingerprint()
        fresh.weights.observer.wait()
    with start(model) as llm:
        prepared_model = llm.engine.model
        assert prepared_model.spec == fresh.spec and prepared_model.weights.report == fresh.weights.report
        assert llm.engine.system_fingerprint() == fingerprint
        assert prepared_model.weights.loaded is None
        assert llm.engine.vllm_config.model_config.hf_config.model_type == "llama"
        assert prepared_model.weights.loaded is None
        assert prepared_model.fingerprint() == fresh.fingerprint()
    with start(model) as llm:  # a store of blocks asks for it at each start
        assert llm.engine.model.fingerprint() == fresh.fingerprint() and llm.engine.model.weights.loaded is None


def test_whether_it_is_exact_is_remembered(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first(model)
    asked, real = list[Any](), exact.why_not_exact

    def counted(given: Any) -> str | None:
        asked.append(given)
        return real(given)

    monkeypatch.setattr(exact, "why_not_exact", counted)
    for _ in range(2):
        with start(model) as llm:
            assert prepared.why_not_exact(llm.engine.model) is None
    assert len(asked) == 1


def test_nothing_of_transformers_is_imported(model: Path) -> None:
    first(model)
    script = (
        "import sys; from torchpaged import LLM\n"
        f"llm = LLM({str(model)!r}, num_blocks=80, block_size=8, skip_tokenizer_init=True)\n"
        "print(llm.generate([[1, 2]], use_tqdm=False)[0].outputs[0].token_ids)\n"
        "print([each for each in ('transformers', 'torch._dynamo', 'sympy', 'scipy') if each in sys.modules])\n"
    )
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    ran = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **threads}, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[1] == "[]"


# --- Weights that change -------------------------------------------------------------------------------------------


def _scaled(llm: LLM) -> None:
    module_weights = dict(build("llama", seed=9, num_hidden_layers=1).to(torch.bfloat16).state_dict())
    assert llm.update_weights(module_weights) == len(module_weights)


def _quantized(llm: LLM) -> None:
    llm.quantize("int8")


def _applied(llm: LLM) -> None:
    llm.apply_model(lambda module: module.lm_head.weight.data.mul_(2.0))


@pytest.mark.parametrize("change", [_scaled, _quantized, _applied])
def test_weights_are_loaded_when_they_change(change: Callable[[LLM], None], model: Path) -> None:
    with start(model, prepared_cache=False) as llm:
        change(llm)
        expected = answers(llm)
    plain = first(model)
    assert plain != expected
    with start(model) as llm:
        assert is_prepared(llm) and answers(llm) == plain
        change(llm)
        assert answers(llm) == expected
    with start(model) as llm:  # the entry has not changed
        assert is_prepared(llm) and answers(llm) == plain


@pytest.mark.parametrize("change", [_scaled, _quantized, _applied])
def test_a_change_stops_the_preparation(change: Callable[[LLM], None], model: Path, cache: Path) -> None:
    """Either the weights as they were are written, or nothing."""
    plain = None
    with start(model) as llm:
        change(llm)
        plain = answers(llm)
    with start(model) as llm:
        assert answers(llm) != plain


def test_the_module_is_the_transformers_model(model: Path) -> None:
    plain = first(model)
    with start(model) as llm:
        assert type(llm.engine.model.weights.module).__name__ == "LlamaForCausalLM"
        assert not llm.engine.model.weights.changed() and answers(llm) == plain


# --- Misses --------------------------------------------------------------------------------------------------------


def _flip(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(path.stat().st_size))


def _grow(path: Path, rng: random.Random) -> None:
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.randrange(1, 5000)))


def _gone(path: Path, rng: random.Random) -> None:
    path.unlink()


def _random(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.randbytes(path.stat().st_size))


def _zeros(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(rng.randrange(path.stat().st_size))
        file.write(bytes(4096))


def _folder(path: Path, rng: random.Random) -> None:
    path.unlink()
    path.mkdir()


_DAMAGES = (_flip, _cut, _grow, _gone, _random, _folder)


def _answers_after(damages: Iterator[tuple[Callable[[Path, random.Random], None], str, int]], path: Path) -> int:
    """Damage a prepared model in many ways; every start gives the first one's answers. Returns the number of misses."""
    expected, misses = first(path), 0
    folder = prepared_cache.folder()
    whole = folder.parent / "whole"
    shutil.copytree(folder, whole)
    for damage, name, seed in damages:
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        (file,) = entry(folder).glob(name)
        damage(file, random.Random(seed))
        with start(path) as llm:
            misses += not is_prepared(llm)
            assert answers(llm) == expected, (damage, name, seed)
            observer = getattr(llm.engine.model.weights, "observer", None)
            if observer is not None:
                observer.wait()
    return misses


@pytest.mark.parametrize("name", ["record.json", "weights.bin", "program-*.json"])
def test_damage_is_a_miss(name: str, model: Path, cache: Path) -> None:
    cases = [(damage, name, seed) for seed, damage in enumerate(_DAMAGES)]
    misses = _answers_after(iter(cases), model)
    assert misses == (0 if name.startswith("program") else len(cases))  # a program is made again
    with start(model) as llm:
        assert is_prepared(llm) or name.startswith("program")


@pytest.mark.long
def test_much_damage_is_a_miss(model: Path) -> None:
    rng = random.Random(1)
    names = ("record.json", "weights.bin", "program-*.json")
    _answers_after(((rng.choice([*_DAMAGES, _zeros]), rng.choice(names), seed) for seed in range(2000)), model)


def test_damage_is_said_once_and_mended(model: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    first(model)
    _flip(entry(cache) / "weights.bin", random.Random(0))
    first(model)
    said = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert len(said) == 1 and "weights.bin" not in said[0] and "prepared again" in said[0]
    with start(model) as llm:
        assert is_prepared(llm)


def _touched(model: Path) -> None:
    os.utime(model / "config.json", ns=(1, 1))


def _rewritten(model: Path) -> None:
    """The same size and time, another weight."""
    path = model / "model.safetensors"
    state, data = path.stat(), bytearray(path.read_bytes())
    data[-2000:] = bytes(2000)
    path.write_bytes(data)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.mark.parametrize("change", [_touched, _rewritten])
def test_another_checkpoint_is_a_miss(change: Callable[[Path], None], model: Path) -> None:
    first(model)
    change(model)
    with start(model) as llm:
        assert not is_prepared(llm)


@pytest.mark.parametrize("name", ["_code", "_version"])
def test_other_versions_are_a_miss(name: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first(model)
    monkeypatch.setattr(prepared_cache, name, lambda *given: "another")
    with start(model) as llm:
        assert not is_prepared(llm)


@pytest.mark.parametrize("name", ["TORCHPAGED_BACKEND", "TORCHPAGED_LIBRARY"])
def test_other_kernels_have_another_key(name: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Key.of(str(model), EngineConfig(), NO_OPTIONS).name()
    monkeypatch.setenv(name, "another")
    monkeypatch.setattr(prepared_cache, "active_backend", lambda *given: "cpp")
    assert Key.of(str(model), EngineConfig(), NO_OPTIONS).name() != before


def test_another_number_of_threads_is_a_miss(model: Path) -> None:
    first(model)
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        with start(model) as llm:
            assert not is_prepared(llm)
    finally:
        torch.set_num_threads(before)


def test_contents_that_no_piece_shows_are_found_later(
    model: Path, cache: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_cache, "_PIECES", 2)
    expected = first(model)
    path = model / "model.safetensors"
    state, data = path.stat(), bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 100] = bytes(100)
    path.write_bytes(data)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    with start(model) as llm:
        assert is_prepared(llm) and answers(llm) == expected
        stored = llm.engine.model._stored
        assert not prepared.compare(stored.key, stored.record, stored.path)
    assert "other contents" in caplog.text and not list(cache.iterdir())
    with start(model) as llm:
        assert not is_prepared(llm) and answers(llm) != expected


def test_a_checkpoint_that_was_replaced_is_no_error(model: Path, caplog: pytest.LogCaptureFixture) -> None:
    first(model)
    with start(model) as llm:
        stored = llm.engine.model._stored
        assert prepared.compare(stored.key, stored.record, stored.path)
        shutil.rmtree(model)
        assert prepared.compare(stored.key, stored.record, stored.path)
    assert "other contents" not in caplog.text


# --- What is not prepared ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "options", "reason"),
    [
        ({"optimize": False}, {}, "optimize is False"),
        ({"compile": True}, {}, "compile is True"),
        ({}, {"hf_overrides": lambda config: config}, "a function"),
        ({}, {"load_format": "dummy"}, "random"),
        ({"speculative_config": {"method": "mtp", "num_speculative_tokens": 1}}, {}, "MTP"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_prepared_says_why(
    settings: dict[str, Any], options: dict[str, Any], reason: str, model: Path
) -> None:
    with pytest.raises(NotPrepared, match=reason):
        Key.of(str(model), EngineConfig(**settings), LoadOptions(**options))


def test_an_encoder_decoder_is_loaded_as_before(tmp_path: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    from transformers import AutoModelForSeq2SeqLM

    config = AutoConfig.for_model("t5", d_model=32, d_ff=64, d_kv=16, num_layers=1, num_heads=2, vocab_size=64)
    AutoModelForSeq2SeqLM.from_config(config).save_pretrained(tmp_path / "t5")
    with caplog.at_level(logging.INFO), start(tmp_path / "t5"):
        assert "it has an encoder" in caplog.text and not cache.exists()


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_cache_can_be_switched_off(way: str, model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "environment":
        monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "0")
    first(model, **({"prepared_cache": False} if way == "option" else {}))
    assert not cache.exists()


def _in_hub_cache(model: Path, folder: Path, commit: str) -> None:
    repository = folder / "models--me--tiny"
    shutil.copytree(model, repository / "snapshots" / commit)
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / "main").write_text(commit)


def test_a_hub_id_is_prepared_by_its_commit(model: Path, tmp_path: Path, cache: Path) -> None:
    hub = {"download_dir": str(tmp_path / "hub")}
    _in_hub_cache(model, tmp_path / "hub", "a" * 40)
    expected = first(Path("me/tiny"), **hub)
    with start(Path("me/tiny"), **hub) as llm:
        assert is_prepared(llm) and answers(llm) == expected
    _in_hub_cache(saved(tmp_path / "other", seed=5), tmp_path / "hub", "b" * 40)
    assert first(Path("me/tiny"), **hub) != expected
    with start(Path("me/tiny"), **hub, revision="a" * 40) as llm:
        assert is_prepared(llm) and answers(llm) == expected


def test_instances_are_not_prepared(cache: Path) -> None:
    with LLM(build("llama"), **SMALL, optimize=True) as llm:
        answers(llm)
    assert not cache.exists()


# --- The disk ------------------------------------------------------------------------------------------------------


def test_a_full_disk_changes_nothing(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Any, *_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(prepared.TensorWriter, "write", full)
    first(model)
    assert "No space left" in caplog.text and not list(cache.iterdir())


def test_a_disk_with_little_room_is_left_alone(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with caplog.at_level(logging.INFO):
        first(model)
    assert "1000 bytes free" in caplog.text and not list(cache.iterdir())


def test_a_folder_that_cannot_be_made_changes_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TORCHPAGED_CACHE", str(tmp_path / "file" / "cache"))
    with caplog.at_level(logging.INFO):
        first(model)
    assert "is not prepared" in caplog.text


def test_the_folder_of_another_user_is_left_alone(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    first(model)
    with monkeypatch.context() as patch:
        patch.setattr(prepared_cache.os, "geteuid", lambda: 12345)
        first(model)
    assert "cannot be used" not in caplog.text and entry(cache).is_dir()


def test_an_entry_that_others_may_write_to_is_not_used(model: Path, cache: Path) -> None:
    first(model)
    entry(cache).chmod(0o777)
    with start(model) as llm:
        assert not is_prepared(llm)


@pytest.mark.parametrize("name", ["record.json", "weights.bin", "program-*.json"])
def test_a_pipe_in_an_entry_is_not_waited_for(name: str, model: Path, cache: Path) -> None:
    with start(model) as llm:
        expected = answers(llm)
        llm.engine.model.weights.observer.wait()
    file = next(entry(cache).glob(name))
    file.unlink()
    os.mkfifo(file)
    found = list[Any]()

    def run() -> None:
        with start(model) as llm:
            found.append(answers(llm))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert found == [expected]


def test_a_pipe_in_a_checkpoint_is_not_waited_for(model: Path) -> None:
    os.mkfifo(model / "log.txt")
    with pytest.raises(NotPrepared, match=r"log\.txt is no regular file"):
        Key.of(str(model), EngineConfig(), NO_OPTIONS)


def test_a_copy_of_a_model_prepares_nothing(model: Path) -> None:
    with start(model) as llm:
        expected = answers(llm)
        assert copy.deepcopy(llm.engine.model).weights.observer is None
        llm.engine.model.weights.observer.wait()
        assert answers(llm) == expected


def test_an_interrupt_ends_the_wait(model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    def slow(self: Any, path: Path, keep_on: Callable[[], bool]) -> None:
        begun.set()
        while keep_on():
            time.sleep(0.01)

    monkeypatch.setattr(prepared.TensorWriter, "write", slow)
    with start(model) as llm:
        assert begun.wait(60)
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore it
        before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        observer = llm.engine.model.weights.observer
        wait, alarms = observer._done.wait, iter([0.05])

        def interrupted() -> Any:
            # Once, and not before it waits: nothing else would catch the interrupt.
            signal.setitimer(signal.ITIMER_REAL, next(alarms, 0.0))
            return wait()

        monkeypatch.setattr(observer._done, "wait", interrupted)
        try:
            observer.wait()
        finally:
            signal.signal(signal.SIGALRM, before)
            signal.signal(signal.SIGINT, handler)
    assert not list(cache.iterdir())


def test_an_interrupted_command_does_not_wait_for_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ended = threading.Event(), list[str]()

    def slow(self: Any, path: Path, keep_on: Callable[[], bool]) -> None:
        begun.set()
        end = time.monotonic() + 20
        while keep_on() and time.monotonic() < end:
            time.sleep(0.01)
        ended.append("too late" if keep_on() else "given up")

    def interrupted(self: LLMEngine) -> None:
        assert begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(prepared.TensorWriter, "write", slow)
    monkeypatch.setattr(LLMEngine, "step", interrupted)
    assert cli.main(["generate", str(STDLIB_LM), "--prompt", "a", "--num-blocks", "64"]) == 130
    prepared.finish()
    assert ended == ["given up"] and not list(cache.iterdir())


def test_an_entry_is_its_owner_s_whatever_the_umask(model: Path, cache: Path) -> None:
    before = os.umask(0)
    try:
        with start(model) as llm:
            llm.engine.model.weights.observer.wait()
    finally:
        os.umask(before)
    assert entry(cache).stat().st_mode & 0o777 == 0o700
    with start(model) as llm:
        assert is_prepared(llm)


def test_a_limit_that_is_no_number_is_an_error(
    model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TORCHPAGED_CACHE_BYTES", "10GB")
    assert cli.main(["cache", "ls"]) == 2 and "'10GB', expected a number" in capsys.readouterr().err
    monkeypatch.delenv("TORCHPAGED_CACHE_BYTES")
    assert cli.main(["cache", "gc", "--max-bytes", "-5"]) == 2


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CACHE_BYTES", "10GB", "is '10GB', expected a number of bytes"),
        ("CACHE_BYTES", "-1", "is '-1', expected a number of bytes"),
        ("PREPARED_CACHE", "false", "is 'false', expected 0 or 1"),
    ],
)
def test_a_variable_that_cannot_be_is_an_error(
    name: str, value: str, says: str, model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was ignored: nothing was kept, or everything."""
    monkeypatch.setenv(f"TORCHPAGED_{name}", value)
    with pytest.raises(ConfigError, match=f"TORCHPAGED_{name} {says}"):
        start(model)


def test_two_processes_prepare_at_once(model: Path, cache: Path) -> None:
    script = (
        "import sys, torch; torch.set_num_threads(int(sys.argv[2])); from torchpaged import LLM\n"
        "llm = LLM(sys.argv[1], num_blocks=80, block_size=8, max_num_seqs=4, skip_tokenizer_init=True)\n"
        "print(llm.generate([[1, 2]], use_tqdm=False)[0].outputs[0].token_ids)\n"
    )
    command = [sys.executable, "-c", script, str(model), str(torch.get_num_threads())]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    said = [each.communicate(timeout=300) for each in running]
    assert all(each.returncode == 0 for each in running), said
    assert said[0][0] == said[1][0]
    with start(model) as llm:
        assert is_prepared(llm)
    assert {each.name.split("-")[0] for each in entry(cache).iterdir()} == {"record.json", "weights.bin", "program"}


def test_what_a_killed_process_left_is_written_again(model: Path, cache: Path) -> None:
    expected = first(model)
    (entry(cache) / "record.json").unlink()  # it is moved last
    assert first(model) == expected
    with start(model) as llm:
        assert is_prepared(llm) and answers(llm) == expected


def test_the_longest_unused_are_removed(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [saved(tmp_path / str(number), seed=number) for number in range(3)]
    for path in paths[:2]:
        first(path)
    names = {each.model: each for each in prepared_cache.entries()}
    os.utime(names[str(paths[0])].path / "record.json", (1e9, 1e9))
    monkeypatch.setenv("TORCHPAGED_CACHE_BYTES", str(2 * names[str(paths[0])].num_bytes + 1000))
    first(paths[2])
    assert {each.model for each in prepared_cache.entries()} == {str(paths[1]), str(paths[2])}


def test_the_command_lists_and_clears_the_cache(model: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cache", "ls"]) == 0
    assert "no prepared models" in capsys.readouterr().out
    first(model)
    assert cli.main(["cache", "ls"]) == 0
    assert str(model) in capsys.readouterr().out
    assert cli.main(["cache", "gc", "--max-bytes", "0"]) == 0
    assert str(model) in capsys.readouterr().out and not list(cache.iterdir())


@pytest.mark.parametrize("is_stopped", [True, False])
def test_an_entry_that_another_process_wrote_meanwhile_stays(
    is_stopped: bool, model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = first(model)
    kept, hidden = entry(cache), cache.with_name("hidden")
    kept.rename(hidden)
    room, write = prepared_cache.require_room, TensorWriter.write

    def late(path: Path, num_bytes: int) -> None:
        room(path, num_bytes)
        hidden.rename(kept)

    monkeypatch.setattr(prepared_cache, "require_room", late)
    if is_stopped:
        monkeypatch.setattr(TensorWriter, "write", lambda self, path, keep_on: write(self, path, lambda: False))
    before = {each.name: each.stat().st_ino for each in hidden.iterdir()}
    assert first(model) == expected
    assert {name: (kept / name).stat().st_ino for name in before} == before
    with start(model) as llm:
        assert is_prepared(llm) and answers(llm) == expected


@pytest.mark.parametrize("late", [False, True])
def test_a_checkpoint_that_changes_while_it_is_loaded_is_not_prepared(
    late: bool, model: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = saved(tmp_path / "other", seed=1)
    compute, calls = Key.of.__func__, []

    def replacing(kind: type[Key], *given: Any) -> Key:
        calls.append(given)
        key: Key = compute(kind, *given) if late else None  # type: ignore[assignment]
        if len(calls) == 2:  # after the weights were read, or after the last look at the files
            (other / "model.safetensors").replace(model / "model.safetensors")
        return key if late else compute(kind, *given)

    monkeypatch.setattr(Key, "of", classmethod(replacing))
    old = first(model)
    monkeypatch.undo()
    monkeypatch.setenv("TORCHPAGED_PREPARED_CACHE", "1")
    monkeypatch.setenv("TORCHPAGED_CACHE", str(cache.parent))
    assert not prepared_cache.entries()
    new = first(model)
    assert new != old
    with start(model) as llm:
        assert is_prepared(llm) and answers(llm) == new


def test_a_stopped_preparation_leaves_nothing(model: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = TensorWriter.write
    monkeypatch.setattr(TensorWriter, "write", lambda self, path, keep_on: write(self, path, lambda: False))
    first(model)
    assert not list(cache.iterdir())


def test_the_cache_does_not_move_with_the_working_directory(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("TORCHPAGED_CACHE", "its cache")
    for number in range(2):
        monkeypatch.chdir(tmp_path / "a")
        with start(model) as llm:
            monkeypatch.chdir(tmp_path / "b")
            answers(llm)
            assert is_prepared(llm) == (number == 1)
            if number == 0:
                llm.engine.model.weights.observer.wait()
    assert not list((tmp_path / "b").iterdir())
    assert not list((tmp_path / "a").rglob("*.part"))


def test_only_entries_are_removed(model: Path, cache: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (cache / "own data").mkdir(parents=True)
    (cache / "own data" / "file").write_text("x" * 100)
    (cache / ("a" * 32)).symlink_to(tmp_path / "own")
    first(model)
    assert [each.model for each in prepared_cache.entries()] == [str(model)]
    assert cli.main(["cache", "gc", "--max-bytes", "0"]) == 0
    assert sorted(each.name for each in cache.iterdir()) == ["a" * 32, "own data"]


def test_what_killed_processes_left_is_counted_and_removed(model: Path, cache: Path) -> None:
    unfinished = cache / ("0" * 32)
    (unfinished / ".torchpaged-x.part").mkdir(parents=True)
    (unfinished / ".torchpaged-x.part" / "weights.bin").write_bytes(bytes(1000))
    half = cache / f".{'1' * 32}-1.removed"
    half.mkdir()
    (half / "weights.bin").write_bytes(bytes(1000))
    assert [each.num_bytes for each in prepared_cache.entries()] == [1000]
    prepared_cache.collect(0)
    assert not list(cache.iterdir())


def test_an_entry_that_is_being_written_is_not_removed(cache: Path) -> None:
    path = cache / ("0" * 32)
    with atomic_files.filled(path, "record.json") as work:
        (work / "weights.bin").write_bytes(bytes(1000))
        assert not prepared_cache.collect(0)
        (work / "record.json").write_bytes(b"")
    assert (path / "record.json").exists()


@pytest.mark.parametrize("action", ["ls", "gc"])
def test_the_command_says_when_there_is_no_folder(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for cache, says in ((tmp_path / "file", "expected a folder"), (tmp_path / "file" / "cache", "Not a directory")):
        monkeypatch.setenv("TORCHPAGED_CACHE", str(cache))
        assert cli.main(["cache", action]) == 2
        assert says in capsys.readouterr().err


# --- The files -----------------------------------------------------------------------------------------------------


def test_the_key_of_a_folder_leaves_out_other_files(model: Path) -> None:
    before = Key.of(str(model), EngineConfig(), NO_OPTIONS)
    (model / "notes.md").write_text("mine")
    (model / "checkpoint-5").mkdir()
    shutil.copy(model / "model.safetensors", model / "checkpoint-5" / "model.safetensors")
    assert Key.of(str(model), EngineConfig(), NO_OPTIONS).name() == before.name()
    (model / "tokenizer_config.json").write_text("{}")
    assert Key.of(str(model), EngineConfig(), NO_OPTIONS).name() != before.name()


def test_records_are_plain_json(model: Path, cache: Path) -> None:
    first(model)
    digest, text = (entry(cache) / "record.json").read_bytes().split(b"\n", 1)
    record = json.loads(text)
    assert len(digest) == 64 and record["model"] == str(model) and record["spec"]["name"] == "LlamaForCausalLM"


def test_texts_need_no_transformers(cache: Path) -> None:
    with LLM(STDLIB_LM, **SMALL) as llm:
        expected = llm.chat(_TALK, SamplingParams(temperature=0, max_tokens=4), chat_template=_TEMPLATE, use_tqdm=False)
        llm.engine.model.weights.observer.wait()
    script = (
        "import sys; from torchpaged import LLM, SamplingParams\n"
        f"llm = LLM({str(STDLIB_LM)!r}, num_blocks=80, block_size=8, max_num_seqs=4)\n"
        f"said = llm.chat({_TALK!r}, SamplingParams(temperature=0, max_tokens=4), chat_template={_TEMPLATE!r})[0]\n"
        "print(repr(said.outputs[0].text))\n"
        "print([each for each in ('transformers', 'torch._dynamo', 'sympy', 'scipy') if each in sys.modules])\n"
        "print(type(llm.get_tokenizer()).__module__.split('.')[0])\n"
    )
    threads = {"OMP_NUM_THREADS": str(torch.get_num_threads())}
    ran = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **threads}, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [repr(expected[0].outputs[0].text), "[]", "transformers"]


_TALK = [{"role": "user", "content": "import os"}]
_TEMPLATE = "{% for m in messages %}{{ m.content }}{% endfor %}"


def test_a_tokenizer_that_cannot_be_recorded_is_loaded(model: Path, tmp_path: Path, cache: Path) -> None:
    from transformers import ByT5Tokenizer

    ByT5Tokenizer().save_pretrained(model)
    texts = []
    for prepared_now in (False, True):
        with LLM(model, **SMALL) as llm:
            assert is_prepared(llm) is prepared_now
            texts.append(llm.generate(["a"], SamplingParams(temperature=0, max_tokens=2), use_tqdm=False)[0].prompt)
            assert type(llm.tokenizer).__name__ == "ByT5Tokenizer"
            if not prepared_now:
                llm.engine.model.weights.observer.wait()
    assert not (entry(cache) / "tokenizer.json").exists() and texts[0] == texts[1]


def test_a_text_model_keeps_its_texts(cache: Path) -> None:
    params = SamplingParams(temperature=0, max_tokens=8)
    with LLM(STDLIB_LM, **SMALL) as llm:
        expected, defaults = llm.generate(["def f("], params, use_tqdm=False)[0], llm.get_default_sampling_params()
        llm.engine.model.weights.observer.wait()
    with LLM(STDLIB_LM, **SMALL) as llm:
        found = llm.generate(["def f("], params, use_tqdm=False)[0]
        assert is_prepared(llm) and llm.get_default_sampling_params() == defaults
        assert (found.outputs[0].text, found.prompt_token_ids) == (expected.outputs[0].text, expected.prompt_token_ids)
        assert llm.engine.eos_token_ids == (0,)
