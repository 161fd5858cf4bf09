"""vLLM's engine arguments: supported ones, translated ones, and those that accept only their default."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import models, vllm_arguments
from torchpaged import LLM, EngineArgs, EngineConfig
from torchpaged.engine_args import KNOWN, TRANSLATED, UNSUPPORTED, LoadOptions, read_settings, reason, require_valid
from torchpaged.errors import ConfigError

ENGINE = set(EngineConfig.__dataclass_fields__)


def test_an_option_is_either_supported_or_not() -> None:
    """A new setting of `EngineConfig` is removed from the unsupported ones automatically."""
    supported = ENGINE | TRANSLATED.keys() | set(LoadOptions.__dataclass_fields__)
    assert not UNSUPPORTED.keys() & supported
    vllm = {name for names in json.loads(vllm_arguments.FILE.read_text())["arguments"].values() for name in names}
    assert vllm <= {"model", "tokenizer", *KNOWN} and set(KNOWN) <= vllm | supported | {"task"}


def test_defaults_are_read_from_the_source_of_vllm(tmp_path: Path) -> None:
    """Literals, constants, fields of configs and their factories; a default that needs a running vLLM is None."""
    (tmp_path / "PKG-INFO").write_text("Name: vllm\nVersion: 9.8.7\n")
    for folder in ("engine", "config"):
        (tmp_path / "vllm" / folder).mkdir(parents=True)
    (tmp_path / "vllm" / "config" / "load.py").write_text(
        "SIZE = 16 * 1024\n"
        "class LoadConfig:\n"
        "    size: int = Field(default=SIZE, ge=1)\n"
        "    threads: int = SIZE\n"
        "    patterns: list[str] = field(default_factory=lambda: ['*.pth'])\n"
        "    extra: dict = Field(default_factory=dict)\n"
    )
    (tmp_path / "vllm" / "engine" / "arg_utils.py").write_text(
        "class EngineArgs:\n"
        "    size: int = LoadConfig.size\n"
        "    threads: int = LoadConfig.threads\n"
        "    patterns: list[str] = get_field(LoadConfig, 'patterns')\n"
        "    extra: dict = get_field(LoadConfig, 'extra')\n"
        "    backend: Backend = Backend.TRITON\n"
        "    debug: bool = False\n"
        "    _private: int = 1\n"
        "    def add_cli_args(parser):\n"
        "        load_group = parser.add_argument_group(title='LoadConfig', description='...')\n"
        "        load_group.add_argument('--size')\n"
        "        parser.add_argument('--debug')\n"
    )
    assert vllm_arguments.version_of(tmp_path) == "9.8.7"
    assert vllm_arguments.Source(tmp_path).arguments() == {
        "EngineArgs": {"backend": None, "debug": False},
        "LoadConfig": {"extra": None, "patterns": ["*.pth"], "size": 16384, "threads": 16384},
    }


def test_values_that_change_nothing_are_accepted() -> None:
    """Scripts set these often."""
    given = {
        "tensor_parallel_size": 1,
        "trust_remote_code": False,
        "tokenizer_mode": "auto",
        "load_format": "auto",
        "revision": None,
        "hf_overrides": {},
        "skip_tokenizer_init": False,
        "disable_log_stats": True,
        "seed": None,
        "runner": "generate",
        "cpu_offload_gb": 0.0,
        "enable_lora": False,
        "distributed_executor_backend": None,
        "limit_mm_per_prompt": {},
        "max_num_seqs": None,
        "enable_prefix_caching": None,
        "max_logprobs": 100,
        "compilation_config": 3,
        "mamba_ssm_cache_dtype": "float32",
    }
    engine, load = read_settings(given)
    assert EngineConfig(**engine) == EngineConfig() and load == LoadOptions()


def test_an_unsupported_option_accepts_its_default_and_nothing_else() -> None:
    for name, accepted in UNSUPPORTED.items():
        for value in accepted:
            assert read_settings({name: value}) == read_settings({}), name
        with pytest.raises(ConfigError) as caught:
            read_settings({name: "something else"})
        assert f"LLM: {name} is 'something else', expected " in str(caught.value), name
        assert str(caught.value).endswith(f": {reason(name)}"), name


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"num_gpu_blocks_override": 77}, {"num_blocks": 77}),
        ({"kv_cache_dtype": "fp8_e4m3"}, {"kv_cache_dtype": "fp8_e4m3"}),
        ({"generation_config": "vllm"}, {"generation_config": "ignore"}),
        ({"compilation_config": 0}, {"enforce_eager": True}),
        ({"compilation_config": {"mode": 0}}, {"enforce_eager": True}),
        ({"optimization_level": 0, "enforce_eager": True}, {"enforce_eager": True}),
        ({"optimization_level": 2}, {}),
        ({"swap_space": 4, "watermark": 0.0}, {"swap_space": 4, "watermark": 0.0}),
        ({"kv_offloading_size": 8.0}, {"prefix_cache_host_gb": 8.0}),
        ({"kv_offloading_size": None}, {}),
        (
            {"enable_lora": True, "max_loras": 2, "max_lora_rank": 48, "max_cpu_loras": None},
            {"enable_lora": True, "max_loras": 2, "max_lora_rank": 48},
        ),
    ],
)
def test_what_is_meant(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert read_settings(given).engine == meant


def test_what_is_meant_beside_the_engine() -> None:
    load = read_settings(
        {"served_model_name": ["a", "b"], "profiler_config": {"profiler": "torch", "torch_profiler_dir": "x"}}
    ).load
    assert (load.served_model_name, load.profiler_config.torch_profiler_dir) == ("a", "x")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"pipeline_parallel_size": 2},
            "pipeline_parallel_size is 2, expected 1: tensor_parallel_size divides a model",
        ),
        ({"tensor_parallel_size": True}, "tensor_parallel_size is True, expected an integer of 1 or more"),
        ({"fully_sharded_loras": True}, "fully_sharded_loras is True, expected False: adapters are in the model's"),
        ({"enable_lora": 1}, "enable_lora is 1, expected True or False"),
        ({"max_lora_rank": 513}, "max_lora_rank is 513, expected at most 512"),
        ({"max_loras": 3, "max_cpu_loras": 2}, "max_cpu_loras is 2, expected at least max_loras, 3"),
        ({"spec_method": "ngram"}, "spec_method is 'ngram', expected None: set speculative_config instead"),
        ({"runner": "draft"}, "runner is 'draft', expected 'auto' or 'generate' or 'pooling'"),
        ({"tensor_paralel_size": 1}, "unknown setting 'tensor_paralel_size'; did you mean 'tensor_parallel_size'?"),
        ({"max_num_seq": 1}, "unknown setting 'max_num_seq'; did you mean 'max_num_seqs'?"),
        ({"colour": 1}, "unknown setting 'colour', expected one of dtype, device"),
        ({"tokenizer_mode": "mistral"}, "tokenizer_mode is 'mistral', expected one of auto, hf, slow"),
        ({"load_format": "gguf"}, "load_format is 'gguf', expected one of auto, hf, safetensors"),
        ({"revision": 7}, "revision is 7, expected a text or None"),
        ({"hf_overrides": 7}, "hf_overrides is 7, expected a dictionary"),
        ({"skip_tokenizer_init": "yes"}, "skip_tokenizer_init is 'yes', expected True or False"),
        (
            {"num_blocks": 5, "num_gpu_blocks_override": 6},
            "num_gpu_blocks_override is 6, but num_blocks is already set to 5",
        ),
        ({"compilation_config": 2}, r"compilation_config is 2, expected 0 \(eager\) or 3"),
        ({"optimization_level": 7}, "optimization_level is 7, expected 0"),
        ({"watermark": float("nan")}, r"watermark is nan, expected \[0, 1\)"),
        ({"state_checkpoint_memory": float("nan")}, r"state_checkpoint_memory is nan, expected \[0, 1\]"),
        ({"max_logprobs": "all"}, "max_logprobs is 'all', expected an integer"),
        ({"profiler_config": {"profiler": "cuda"}}, "profiler is 'cuda', expected 'torch'"),
        (
            {"profiler_config": {"delay_iteration": 3}},
            "profiler_config has 'delay_iteration', expected profiler, .*did you",
        ),
    ],
)
def test_what_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        LLM(models.STDLIB_LM, **given)


def test_a_model_must_be_named() -> None:
    for args in (EngineArgs(), EngineArgs(model="")):
        with pytest.raises(ConfigError, match=r"model is (None|''), expected a folder, a hub id, a .gguf or .pt2 file"):
            LLM.from_engine_args(args)


def test_options_that_a_model_has_no_use_for() -> None:
    model = models.build("llama")
    for given, says in (
        ({"hf_overrides": {"a": 1}}, "hf_overrides is .*but the model is an instance; leave it out"),
        ({"load_format": "pt"}, "load_format is 'pt', but the model is an instance"),
        ({"revision": "main"}, "revision is 'main', but model and tokenizer are instances"),
        ({"hf_token": 7}, "hf_token is 7, expected a text, True or None"),
    ):
        with pytest.raises(ConfigError, match=says):
            LLM(model, **given)
    with pytest.raises(ConfigError, match="model is 7, expected a folder, a hub id"):
        LLM(7)  # type: ignore[arg-type]


def test_a_pool_of_bytes() -> None:
    model = models.build("llama")
    per_block = 4 * 2 * 2 * 16 * 4 * 4  # tokens, keys and values, heads, dimension, bytes, layers
    llm = LLM(model, block_size=4, kv_cache_memory_bytes=20 * per_block + 7)
    assert llm.engine.executor.num_blocks == 20
    with pytest.raises(
        ConfigError, match=rf"kv_cache_memory_bytes is 99, a block takes {per_block} bytes; expected two"
    ):
        LLM(model, block_size=4, kv_cache_memory_bytes=99)
    with pytest.raises(ConfigError, match="num_blocks is 5 and kv_cache_memory_bytes is 9999; give one"):
        LLM(model, num_blocks=5, kv_cache_memory_bytes=9999)


def test_without_a_tokenizer() -> None:
    llm = LLM(models.STDLIB_LM, num_blocks=40, skip_tokenizer_init=True)
    assert llm.tokenizer is None
    with pytest.raises(ConfigError, match="skip_tokenizer_init is True, and there is a tokenizer"):
        LLM(models.STDLIB_LM, models.STDLIB_LM, skip_tokenizer_init=True)


def test_fp8_by_its_other_name() -> None:
    llm = LLM(models.build("llama"), num_blocks=40, kv_cache_dtype="fp8_e4m3")
    assert llm.engine.executor.runner.kv_cache.dtype == torch.float8_e4m3fn  # type: ignore[attr-defined]


def test_arguments_as_a_dictionary_and_as_words() -> None:
    """`LLM(**asdict(args))`, `vars(parser.parse_args())`: unset options count as absent."""
    args = EngineArgs(model="m", max_model_len=64)
    given = dataclasses.asdict(args)
    assert given["pipeline_parallel_size"] == 1 and given.keys() == {"model", "tokenizer", *KNOWN}
    del given["model"], given["tokenizer"]
    assert read_settings(given) == read_settings({"max_model_len": 64})
    parser = EngineArgs.add_cli_args(argparse.ArgumentParser())
    parser.add_argument("--mine")
    parser.set_defaults(model="m")
    words = ["--max-model-len", "64", "--enforce-eager", "--hf-overrides", '{"a": 1}', "--no-enable-prefix-caching"]
    words += ["--tensor-parallel-size", "1", "--compile", "false", "--gpu-memory-utilization", "0.5", "--mine", "x"]
    parsed = EngineArgs.from_cli_args(parser.parse_args(words))
    engine, load = read_settings(parsed.settings())
    assert parsed.model == "m" and load.hf_overrides == {"a": 1}
    assert engine == {
        "max_model_len": 64,
        "enforce_eager": True,
        "enable_prefix_caching": False,
        "tensor_parallel_size": 1,
        "compile": False,
        "gpu_memory_utilization": 0.5,
    }
    parsed = EngineArgs.from_cli_args(parser.parse_args(["--distributed-executor-backend", "mpi"]))
    with pytest.raises(ConfigError, match="distributed_executor_backend is 'mpi', expected 'mp', 'ray' or None"):
        require_valid(parsed.settings())
    with pytest.raises(TypeError, match="max_model_length"):
        EngineArgs(model="m", max_model_length=64)
