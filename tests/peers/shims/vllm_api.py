"""Shim for vLLM's tests of its public interfaces: torchpaged under vLLM's module names, with a small model of ours.

Names that torchpaged does not have can be imported, and raise `NotThereError` when a test uses them.
`RemoteOpenAIServer` starts `torchpaged serve`.
"""

from __future__ import annotations

import atexit
import importlib.abc
import importlib.machinery
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NoReturn

import httpx
import openai
import pytest

import torchpaged
from torchpaged.errors import TorchpagedError

MODEL = Path(os.environ["PEERS_STAGE"]) / "models" / "stdlib-chat"
# Options of `vllm serve` that torchpaged does not need, or for which one value suits the whole suite, so that tests
# share a server; True if a value follows the option.
DROPPED = {
    "--dtype": True,
    "--max-model-len": True,
    "--max_model_len": True,
    "--max-num-seqs": True,
    "--max-num-batched-tokens": True,
    "--enable-chunked-prefill": False,
    "--no-enable-prefix-caching": False,
    "--enable-prompt-tokens-details": False,
    "--enable-auto-tool-choice": False,
    "--tool-call-parser": True,
    "--reasoning-parser": True,
    "--enforce-eager": False,
    "--enable-lora": False,
    "--lora-modules": True,
    "--max-lora-rank": True,
    "--max-cpu-loras": True,
    "--gpu-memory-utilization": True,
    "--attention-backend": True,
    "--load-format": True,
}


class NotThereError(Exception):
    """A name of vLLM that torchpaged does not have."""


class Missing:
    """Placeholder for such a name in imports and annotations."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise NotThereError(self._name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotThereError(f"{self._name}.{name}")

    def __or__(self, other: Any) -> Any:
        return Any

    __ror__ = __or__

    def __getitem__(self, _: Any) -> Any:
        return Any

    def __mro_entries__(self, _: Any) -> tuple[type, ...]:
        return (object,)


class Platform:
    """Platform that is a CPU."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("is_"):
            return lambda *_, **__: name == "is_cpu"
        raise NotThereError(f"current_platform.{name}")


class Hub:
    """Hub client that downloads nothing."""

    def snapshot_download(self, **_: Any) -> str:
        return "/nonexistent"


class ModelConfig:
    """Config of the small model, whichever model is named."""

    def __init__(self, model: str = "", **_: Any) -> None:
        from transformers import AutoConfig

        self.hf_config = AutoConfig.from_pretrained(model_for(model))

    def get_vocab_size(self) -> int:
        return int(self.hf_config.vocab_size)


def get_tokenizer(name: str = "", tokenizer_name: str = "", **_: Any) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(model_for(name or tokenizer_name))


def model_for(name: str) -> str:
    """Return our checkpoint instead of the one that a test names, so that none is downloaded."""
    return name if os.path.isdir(name) else str(MODEL)


_KNOWN: dict[str, Any] = {
    "VLLMValidationError": TorchpagedError,
    "current_platform": Platform(),
    "get_tokenizer": get_tokenizer,
    "hf_api": lambda: Hub(),
    "ModelConfig": ModelConfig,
}


def _resolve(module: str, name: str) -> Any:
    if name in _KNOWN:
        return _KNOWN[name]
    if name in torchpaged.__all__:
        return getattr(torchpaged, name)
    for place in ("outputs", "sampling_params", "logprobs", "structured_outputs"):
        try:
            return getattr(importlib.import_module(f"torchpaged.{place}"), name)
        except (ImportError, AttributeError):
            continue
    if name.startswith("__"):
        raise AttributeError(name)
    return Missing(f"{module}.{name}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import finder for every module below vllm."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name.partition(".")[0] == "vllm":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        module = ModuleType(spec.name)
        module.__getattr__ = lambda name: _resolve(spec.name, name)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


sys.meta_path.insert(0, Finder())


class VllmRunner:
    """`LLM` with those methods of vLLM's test helper that the suites use."""

    def __init__(self, model_name: str, **options: Any) -> None:
        options.pop("enforce_eager", None)
        self.llm = torchpaged.LLM(model_for(model_name), **options)

    def __enter__(self) -> VllmRunner:
        return self

    def __exit__(self, *_: Any) -> None:
        self.llm.shutdown() if hasattr(self.llm, "shutdown") else None

    def generate(self, prompts: Sequence[Any], sampling_params: Any, **options: Any) -> list[tuple[Any, Any]]:
        found = []
        for output in self.llm.generate(list(prompts), sampling_params, **options):
            tokens = [list(output.prompt_token_ids) + list(each.token_ids) for each in output.outputs]
            found.append((tokens, [(output.prompt or "") + each.text for each in output.outputs]))
        return found

    def generate_w_logprobs(self, prompts: Sequence[Any], sampling_params: Any) -> list[tuple[Any, ...]]:
        outputs = self.llm.generate(list(prompts), sampling_params)
        return [
            (list(each.outputs[0].token_ids), each.outputs[0].text, each.outputs[0].logprobs, each.prompt_logprobs)
            for each in outputs
        ]

    def generate_beam_search(self, prompts: Sequence[str], beam_width: int, max_tokens: int, **options: Any) -> Any:
        params = torchpaged.BeamSearchParams(beam_width=beam_width, max_tokens=max_tokens)
        outputs = self.llm.beam_search([{"prompt": each} for each in prompts], params, **options)
        # vLLM's BeamSearchOutput has the prompt in each sequence; ours is a RequestOutput.
        return [
            (
                [[*output.prompt_token_ids, *each.token_ids] for each in output.outputs],
                [f"{output.prompt}{each.text}" for each in output.outputs],
            )
            for output in outputs
        ]


class HfRunner:
    """transformers' own model, whose outputs vLLM's tests compare with."""

    def __init__(self, model_name: str, dtype: str = "auto", **_: Any) -> None:
        import torch
        from transformers import AutoModelForCausalLM

        kind = {"half": torch.float16}.get(dtype, dtype)
        self.model = AutoModelForCausalLM.from_pretrained(model_for(model_name), dtype=kind)
        self.tokenizer = get_tokenizer(model_name)

    def __enter__(self) -> HfRunner:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def generate_beam_search(self, prompts: Sequence[str], beam_width: int, max_tokens: int) -> Any:
        found = []
        for prompt in prompts:
            ids = self.tokenizer(prompt, return_tensors="pt").input_ids
            options = {"max_new_tokens": max_tokens, "num_beams": beam_width, "num_return_sequences": beam_width}
            rows = self.model.generate(ids, do_sample=False, **options).tolist()
            rows = [[token for token in row if token != self.tokenizer.pad_token_id] for row in rows]
            found.append((rows, self.tokenizer.batch_decode(rows)))
        return found


@pytest.fixture(scope="session")
def vllm_runner() -> type[VllmRunner]:
    return VllmRunner


@pytest.fixture(scope="session")
def hf_runner() -> type[HfRunner]:
    return HfRunner


@pytest.fixture
def example_prompts() -> list[str]:
    heads = (
        "import os\n",
        "def main(",
        "class Queue:\n",
        "for line in ",
        "try:\n",
        "# Return the",
        "with open(",
        "x = ",
    )
    return list(heads)


class RemoteOpenAIServer:
    """`torchpaged serve` in its own process, shared by the tests that ask for the same options."""

    DUMMY_API_KEY = "token-abc123"
    _shared: ClassVar[dict[tuple[Any, ...], RemoteOpenAIServer]] = {}

    def __new__(cls, model: str, vllm_serve_args: Sequence[str], **options: Any) -> RemoteOpenAIServer:
        words = tuple(_without_dropped(vllm_serve_args))
        variables = options.get("env_dict") or {}
        key = (*words, *sorted(variables.items()))
        if key not in cls._shared:
            server = object.__new__(cls)
            server._start(model, list(words), variables)
            cls._shared[key] = server
        return cls._shared[key]

    def _start(self, model: str, words: list[str], variables: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        if "VLLM_API_KEY" in variables:
            words += ["--api-key", variables["VLLM_API_KEY"]]
        if "--port" in words:
            port = int(words[words.index("--port") + 1])
        else:
            words += ["--port", str(port)]
        # vLLM's default sampling: with torchpaged's defaults for chats the small model does not end its texts.
        words += ["--generation-config", "vllm"]
        if "--max-model-len" not in words:
            words += ["--max-model-len", "6144"]
        if "--served-model-name" not in words:
            words += [word for name in _model_names(model) for word in ("--served-model-name", name)]
        self.host, self.port = "127.0.0.1", port
        command = [sys.executable, "-m", "torchpaged", "serve", model_for(model), *words]
        self.log = Path(os.environ["PEERS_STAGE"]) / f"server-{port}.log"
        with self.log.open("w") as log:
            environment = {**os.environ, **variables}
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        atexit.register(self.stop)
        self._wait(240 * float(os.environ.get("PEERS_PATIENCE", "1")))

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise NotThereError(f"torchpaged serve: {self.log.read_text().strip().splitlines()[-1]}")
            try:
                if httpx.get(self.url_for("health"), timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.5)
        self.stop()
        raise TimeoutError(f"the server is not ready after {seconds:.0f} s; see {self.log}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> RemoteOpenAIServer:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    @property
    def url_root(self) -> str:
        return f"http://{self.host}:{self.port}"

    def url_for(self, *parts: str) -> str:
        return "/".join((self.url_root, *parts))

    def get_client(self, **options: Any) -> openai.OpenAI:
        return openai.OpenAI(**self._options(options))

    def get_async_client(self, **options: Any) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(**self._options(options))

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        return {
            "base_url": self.url_for("v1"),
            "api_key": self.DUMMY_API_KEY,
            "max_retries": 0,
            "timeout": 120 * float(os.environ.get("PEERS_PATIENCE", "1")),
            **options,
        }


def _without_dropped(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    rest: Iterator[str] = iter(words)
    for word in rest:
        if word in DROPPED:
            if DROPPED[word]:
                next(rest)
        else:
            kept.append(word)
    return kept


def _model_names(model: str) -> list[str]:
    """Return every model name in the staged tests, this one first, so that one server answers to all."""
    texts = [path.read_text() for path in Path(os.environ["PEERS_STAGE"]).glob("tests/**/test_*.py")]
    return list(
        dict.fromkeys(
            [model, *(name for text in texts for name in re.findall(r'(?:MODEL_NAME|model_name) = "(.+?)"', text))]
        )
    )


def _put(name: str, **contents: Any) -> None:
    module = ModuleType(name)
    module.__dict__.update(contents)
    module.__getattr__ = lambda wanted: _resolve(name, wanted)  # type: ignore[method-assign]
    sys.modules[name] = module


_put("tests.utils", RemoteOpenAIServer=RemoteOpenAIServer, ROCM_EXTRA_ARGS=[], VLLM_PATH=Path("/nonexistent"))
_put("tests.conftest", VllmRunner=VllmRunner)
_put("tests.reasoning", __path__=[])
_put("tests.reasoning.utils")
