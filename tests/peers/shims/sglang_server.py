"""Shim for SGLang's tests of its server: `torchpaged serve` with a small model, under SGLang's names.

Names that torchpaged does not have can be imported, and raise `NotThereError` when a test uses them.
"""

from __future__ import annotations

import importlib.machinery
import os
import socket
import sys
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from vllm_api import Missing, RemoteOpenAIServer, get_tokenizer

NAME = "meta-llama/Llama-3.2-1B-Instruct"
# Options of SGLang's server under torchpaged's names; None: dropped with its value.
OPTIONS = {
    "--context-length": "--max-model-len",
    "--context-len": "--max-model-len",
    "--max-running-requests": "--max-num-seqs",
    "--max-total-tokens": None,
    "--max-total-token": None,
    "--decode-log-interval": None,
    "--grammar-backend": None,
}


class Servers:
    """The one server that runs: the tests name one port for all."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.running: RemoteOpenAIServer | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def launch(
        self,
        model: str,
        base_url: str,
        timeout: float,
        api_key: str | None = None,
        other_args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        return_stdout_stderr: Any = None,
    ) -> Any:
        """Start a server, unless one with the same options runs."""
        given = iter(other_args)
        words = ["--port", str(self.port)] + (["--api-key", api_key] if api_key else [])
        for name in given:
            value, ours = next(given), OPTIONS[name]
            words += [ours, value] if ours else []
        if "--max-model-len" not in words:  # many tests let a text go on to it
            words += ["--max-model-len", "1536"]
        words += ["--served-model-name", NAME]
        if self.running is None or words != self.words:
            if self.running is not None:
                self.running.stop()
            self.words, self.running = words, object.__new__(RemoteOpenAIServer)
            self.running._start(model, list(words), {})
        return self.running.process


servers = Servers()
_URL = f"http://127.0.0.1:{servers.port}"
_TEXTS = {"DEFAULT_URL_FOR_TEST": _URL, "STDOUT_FILENAME": "stdout.txt", "STDERR_FILENAME": "stderr.txt"}
_KNOWN: dict[str, Any] = {
    **_TEXTS,
    "CustomTestCase": unittest.TestCase,
    "DEFAULT_TIMEOUT_FOR_SERVER_LAUNCH": 600,
    "DEFAULT_SMALL_MODEL_NAME_FOR_TEST": NAME,
    "DEFAULT_MODEL_NAME_FOR_TEST": NAME,
    "get_tokenizer": get_tokenizer,
    "is_in_amd_ci": lambda: False,
    "is_in_ci": lambda: True,
    "kill_process_tree": lambda *_: None,  # the next class may use the server too
    "popen_launch_server": servers.launch,
    "register_amd_ci": lambda **_: None,
    "register_cpu_ci": lambda **_: None,
    "register_cuda_ci": lambda **_: None,
}
_KITS = Path(os.environ["PEERS_STAGE"]) / "python" / "sglang" / "test" / "kits"


class Finder:
    """Import finder for every module below sglang but the staged ones."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name.partition(".")[0] != "sglang" or name.startswith("sglang.test.kits."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> ModuleType:
        module = ModuleType(spec.name)
        if spec.name == "sglang.test.kits":
            spec.submodule_search_locations.append(str(_KITS))

        def resolve(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return _KNOWN[name] if name in _KNOWN else Missing(f"{spec.name}.{name}")

        module.__getattr__ = resolve  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
