"""`python -m torchpaged.vllm`: vLLM's module names over our classes, and the other names that scripts import."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from tests import vllm_examples
from tests.fakes import FakeTokenizer
from torchpaged import LLM, SamplingParams, vllm
from torchpaged.errors import ConfigError, InputError
from torchpaged.integrations.vllm.compat import datasets, launcher, serial, utilities
from torchpaged.integrations.vllm.compat.names import MODULES, NOT_HERE
from torchpaged.integrations.vllm.compat.parser import FlexibleArgumentParser

ROOT = Path(__file__).resolve().parent.parent
SOURCE = os.environ.get("VLLM_SOURCE")


@pytest.fixture
def installed() -> Iterator[None]:
    vllm.install()
    yield
    vllm.uninstall()
    assert not any(name.partition(".")[0] == "vllm" for name in sys.modules)


@pytest.mark.usefixtures("installed")
def test_every_name_is_there() -> None:
    for name, sources in MODULES.items():
        module = importlib.import_module(name)
        for each in sources:
            assert getattr(module, each) is not None, (name, each)
        assert set(sources) <= set(dir(module))


@pytest.mark.usefixtures("installed")
def test_the_names_are_our_classes() -> None:
    found: dict[str, Any] = {}
    exec(
        "import vllm, vllm.envs as envs\n"
        "from vllm import LLM, SamplingParams\n"
        "from vllm.entrypoints.llm import LLM as other\n"
        "from vllm.v1.sample.logits_processor import *\n",
        found,
    )
    assert found["LLM"] is found["other"] is found["vllm"].LLM is LLM and found["SamplingParams"] is SamplingParams
    assert found["vllm"].__version__ == "0.32.0" and found["envs"].VLLM_HTTP_TIMEOUT_KEEP_ALIVE == 5
    assert {"BatchUpdate", "LogitsProcessor"} <= found.keys()


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("line", "kind", "says"),
    [
        ("from vllm.config import KVTransferConfig", ImportError, "weights stay on the device"),
        (
            "from vllm.lora.utils import get_adapter_absolute_path",
            ImportError,
            "no module 'vllm.lora.utils': torchpaged reads and computes adapters itself",
        ),
        ("import vllm.multimodal.utils", ImportError, "read by the checkpoint's own processor"),
        ("from vllm.sampling_params import SamplingParam", ImportError, "cannot import name 'SamplingParam'"),
        ("import vllm; vllm.SamplingParam", AttributeError, "did you mean 'SamplingParams'?"),
        ("import vllm.output", ImportError, "no module 'vllm.output'; did you mean 'vllm.outputs'?"),
        ("import vllm; vllm.ModelRegistry", ImportError, "its own code is what runs"),
    ],
)
def test_what_is_not_there_says_why(line: str, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind) as told:
        exec(line, {})
    assert says in str(told.value)


def test_without_it_there_is_no_vllm() -> None:
    with pytest.raises(ModuleNotFoundError, match="No module named 'vllm'"):
        importlib.import_module("vllm")


def test_vllm_itself_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", SimpleNamespace(__file__="/somewhere/vllm/__init__.py"))
    with pytest.raises(ImportError, match="vLLM itself has been imported, from /somewhere"):
        vllm.install()


def test_a_script_and_what_it_spawns(tmp_path: Path) -> None:
    """It imports from its own folder, and a spawned process, which imports it again, finds the names."""
    (tmp_path / "beside.py").write_text("WORD = 'beside'\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, sys\n"
        "import beside\n"
        "from vllm.utils.print_utils import print_embeddings\n"
        "def child():\n"
        "    print_embeddings([1.0] * 5, prefix='child')\n"
        "if __name__ == '__main__':\n"
        "    print(sys.argv[1:], beside.WORD)\n"
        "    process = multiprocessing.get_context('spawn').Process(target=child)\n"
        "    process.start()\n"
        "    process.join()\n"
        "    sys.exit(7 + process.exitcode)\n"
    )
    words = [sys.executable, "-m", "torchpaged.vllm", str(script), "--word", "a b"]
    done = subprocess.run(words, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 7, done.stderr
    assert "['--word', 'a b'] beside\n" in done.stdout
    assert "child: [1.0, 1.0, 1.0, 1.0, ...] (size=5)\n" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [([], "no script is named"), (["nowhere.py"], "'nowhere.py' is not a file"), (["-m"], "-m needs")],
)
def test_no_script(words: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        launcher.run(words)


# --- Other imports of scripts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["--max-model-len", "5", "--hf-overrides", '{"rope_theta": 2, "a": {"b": [1]}}'],
        ["--max_model_len=5", "--hf_overrides.rope_theta", "2", "--hf-overrides.a.b=[1]"],
        ["--hf-overrides", '{"rope_theta": 2}', "--hf-overrides.a.b", "[1]", "--max_model_len", "5"],
    ],
)
def test_options_in_either_spelling(words: list[str]) -> None:
    parser = FlexibleArgumentParser(add_json_tip=False)
    parser.add_argument("--max-model-len", type=int)
    parser.add_argument("--hf-overrides", type=json.loads)
    parser.add_argument("--port", type=parser.check_port)
    found = parser.parse_args([*words, "--port", "8000"])
    assert vars(found) == {"max_model_len": 5, "hf_overrides": {"rope_theta": 2, "a": {"b": [1]}}, "port": 8000}
    for port in ("80", "x"):
        with pytest.raises(argparse.ArgumentTypeError):
            parser.check_port(port)


@pytest.mark.parametrize("dtype", serial.EMBED_DTYPES)
@pytest.mark.parametrize("endianness", serial.ENDIANNESS)
def test_tensors_as_bytes(dtype: str, endianness: str) -> None:
    given = torch.tensor([[1.5, -2.0, 0.25], [3.0, 0.0, -0.5]])
    found = serial.binary2tensor(serial.tensor2binary(given, dtype, endianness), (2, 3), dtype, endianness)
    assert torch.equal(found.float(), given)
    big, little = (serial.tensor2binary(given[0, :1], "float32", each) for each in ("big", "little"))
    assert big == little[::-1]


def test_unknown_kinds_of_bytes() -> None:
    for arguments, says in ((("int8", "big"), "embed_dtype is 'int8'"), (("float32", "middle"), "endianness is 'mid")):
        with pytest.raises(ValueError, match=says):
            serial.tensor2binary(torch.zeros(2), *arguments)


def samples(*words: str) -> list[datasets.SampleRequest]:
    parser = argparse.ArgumentParser()
    datasets.add_dataset_parser(parser)
    return datasets.get_samples(parser.parse_args(words), utilities.cached_get_tokenizer(str(vllm_examples.BUNDLED)))


def test_prompts_to_try_an_engine_with(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    file.write_text('{"prompt": "import os", "output_tokens": 7}\n\n{"prompt": "def f(x):"}\n')
    random = samples("--num-prompts", "3", "--random-input-len", "9", "--random-output-len", "4")
    assert len(random) == 3 and all(each.expected_output_len == 4 and each.prompt_len for each in random)
    words = ("--dataset-name", "custom", "--dataset-path", str(file), "--disable-shuffle", "--num-prompts", "3")
    assert [each.prompt for each in samples(*words)] == ["import os", "def f(x):", "import os"]
    own = samples(*words, "--no-oversample", "--custom-output-len", "-1")
    assert [each.expected_output_len for each in own] == [7, None]
    file.write_text("{}\n")
    with pytest.raises(InputError, match=r"line 1: expected \{"):
        samples(*words)
    with pytest.raises(InputError, match="custom needs --dataset-path"):
        samples("--dataset-name", "custom")


def test_small_helpers(caplog: pytest.LogCaptureFixture) -> None:
    assert 1024 <= utilities.get_open_port() <= 65535 and utilities.get_ip().count(".") == 3
    assert len(utilities.random_uuid()) == 32 and utilities.current_platform.is_cpu() is not torch.cuda.is_available()
    logger = utilities.init_logger("a script")
    for _ in range(2):
        logger.warning_once("said %s", "once")
        logger.warning("said again")
    assert [each.getMessage() for each in caplog.records].count("said once") == 1 and len(caplog.records) == 3
    utilities.cleanup_dist_env_and_memory()
    utilities.set_ulimit(16)  # no more than there is
    model_config = SimpleNamespace(tokenizer=FakeTokenizer())
    assert utilities.cached_tokenizer_from_config(model_config) is model_config.tokenizer


def test_an_application_of_ones_own() -> None:
    """Its handler is cancelled after the client disconnects, and answers otherwise."""
    from torchpaged.serving.own_app import serve_http, with_cancellation

    async def test() -> None:
        ended = []

        @with_cancellation
        async def handle(seconds: float, raw_request: Any) -> str:
            try:
                await asyncio.sleep(seconds)
                return "answer"
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

        async def stays() -> dict[str, str]:
            await asyncio.sleep(60)
            return {}

        async def leaves() -> dict[str, str]:
            return {"type": "http.disconnect"}

        assert await handle(0, raw_request=SimpleNamespace(receive=stays)) == "answer"
        assert await handle(60, SimpleNamespace(receive=leaves)) is None and ended == ["cancelled"]
        with pytest.raises(ConfigError, match="enable_ssl_refresh is True"):
            await serve_http(None, enable_ssl_refresh=True)  # type: ignore[arg-type]

    asyncio.run(test())


# --- vLLM's own scripts -------------------------------------------------------------------------------------


def test_each_script_is_run_or_has_its_reason() -> None:
    assert not vllm_examples.RUNS.keys() & vllm_examples.NOT_RUN.keys()
    assert len(vllm_examples.RUNS) + len(vllm_examples.NOT_RUN) == 155  # Python files of vLLM 0.32's examples/
    assert set(NOT_HERE).isdisjoint(MODULES)


def test_the_page_lists_them() -> None:
    assert vllm_examples.table() in (ROOT / "docs" / "vllm.md").read_text()


@pytest.mark.skipif(SOURCE is None, reason="VLLM_SOURCE names no source distribution of vLLM 0.32")
class TestVllmsOwn:
    """vLLM's own examples by `make test-vllm-examples`: minutes, with the source distribution named by VLLM_SOURCE."""

    def test_all_are_known(self) -> None:
        folder = Path(str(SOURCE)) / "examples"
        found = {str(path.relative_to(folder)) for path in folder.rglob("*.py")}
        assert found == vllm_examples.RUNS.keys() | vllm_examples.NOT_RUN.keys()

    def test_the_modules_are_vllms(self) -> None:
        for name in MODULES:
            path = Path(str(SOURCE), *name.split("."))
            assert path.is_dir() or path.with_suffix(".py").is_file() or name == "vllm.version", name

    @pytest.fixture(scope="class")
    def models(self, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
        return vllm_examples.make_models(tmp_path_factory.mktemp("models"))

    @pytest.mark.parametrize("name", vllm_examples.RUNS)
    def test_runs_unchanged(self, name: str, models: dict[str, str], tmp_path: Path) -> None:
        vllm_examples.run(Path(str(SOURCE)), name, models, tmp_path)
