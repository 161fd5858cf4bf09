"""Exported models (.pt2): the same tokens, in a process without transformers' modelling code."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from tests import models
from tests.fakes import FakeModel
from torchpaged import LLM, SamplingParams
from torchpaged.cli import main
from torchpaged.csrc import build
from torchpaged.errors import ConfigError, ModelError
from torchpaged.execution import export
from torchpaged.integrations.transformers import adapter
from torchpaged.models import exported
from torchpaged.tools import cpp_package

ROOT = Path(__file__).parents[2]
RUN = """
import json, sys
from torchpaged import LLM, SamplingParams
llm = LLM(sys.argv[1], num_blocks=300)
prompts = json.loads(sys.argv[2])
outputs = llm.generate(prompts, SamplingParams(temperature=0, max_tokens=24, ignore_eos=True), use_tqdm=False)
text = llm.generate("import os", SamplingParams(temperature=0, max_tokens=4), use_tqdm=False)[0].outputs[0].text
# Not what AutoTokenizer itself brings: a table of names, and helpers beside the models.
modelling = [name for name in sys.modules if name.startswith("transformers.models.") and ".modeling_" in name]
modelling.remove("transformers.models.auto.modeling_auto")
print(json.dumps([[o.outputs[0].token_ids for o in outputs], text, modelling, llm.stats().num_steps]))
"""


@pytest.fixture(scope="module")
def stdlib(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "stdlib-lm.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # from torch's own use of its pytree module
        assert main(["export", str(models.STDLIB_LM), "-o", str(path), "--dtype", "float32"]) == 0
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one layer with the tokenizer of stdlib-lm, which takes a third of the time to compile."""
    folder = tmp_path_factory.mktemp("small")
    for path in models.STDLIB_LM.iterdir():
        if path.suffix != ".safetensors":
            shutil.copy(path, folder)
    own = LlamaConfig.from_pretrained(models.STDLIB_LM, num_hidden_layers=1, hidden_size=64, intermediate_size=64)
    LlamaForCausalLM(own).save_pretrained(folder)
    assert main(["export", str(folder), "-o", str(folder / "small.pt2"), "--dtype", "float32"]) == 0
    return folder / "small.pt2"


def test_the_same_tokens_in_another_process(stdlib: Path) -> None:
    prompts = models.prompts([1, 2, 3, 5, 8, 13, 21, 34] * 2, 2000, seed=4)
    command = [sys.executable, "-c", RUN, str(stdlib), json.dumps(prompts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "outdated" not in done.stderr
    tokens, text, modelling, steps = json.loads(done.stdout)
    eager = LLM(models.STDLIB_LM, dtype="float32", num_blocks=300)
    params = SamplingParams(temperature=0, max_tokens=24, ignore_eos=True)
    assert tokens == [output.outputs[0].token_ids for output in eager.generate(prompts, params, use_tqdm=False)]
    short = SamplingParams(temperature=0, max_tokens=4)
    assert text == eager.generate("import os", short, use_tqdm=False)[0].outputs[0].text
    assert modelling == []
    assert steps < 40  # all sixteen prompts run at once


# --- A C++ program ---------------------------------------------------------------------------------------------

EXAMPLE = ROOT / "examples" / "cpp"
TORCH = Path(torch.__file__).parent


def by_the_compiler(package: Path, folder: Path) -> Path:
    """Build with the command line of docs/operators.md."""
    program, libraries = folder / "generate", (package / "lib", TORCH / "lib")
    command = [*build.compiler(), "-std=c++17", "-O0", "-Wall", "-Werror", str(EXAMPLE / "generate.cpp")]
    command += ["-o", str(program), f"-I{package / 'include'}", "-isystem", str(TORCH / "include")]
    command += [f"-L{each}" for each in libraries] + ["-ltorchpaged", "-ltorch", "-ltorch_cpu", "-lc10"]
    run(*command, *(f"-Wl,-rpath,{each}" for each in libraries))
    return program


def by_cmake(package: Path, folder: Path) -> Path:
    paths = f"{package};{torch.utils.cmake_prefix_path}"
    run("cmake", "-S", str(EXAMPLE), "-B", str(folder), f"-DCMAKE_PREFIX_PATH={paths}", "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", str(folder))
    return folder / "generate"


def run(*command: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    return done


def generated(program: Path, model: Path, prompts: list[list[int]], num_tokens: int) -> list[list[int]]:
    words = [",".join(map(str, prompt)) for prompt in prompts]
    lines = run(str(program), str(model), str(num_tokens), *words).stdout.splitlines()
    return [list(map(int, line.split(","))) for line in lines]


def expected(llm: LLM, prompts: list[list[int]], num_tokens: int) -> list[list[int]]:
    params = SamplingParams(temperature=0, max_tokens=num_tokens, ignore_eos=True)
    return [list(output.outputs[0].token_ids) for output in llm.generate(prompts, params, use_tqdm=False)]


@pytest.mark.parametrize(
    "built", [by_the_compiler, pytest.param(by_cmake, marks=pytest.mark.long)], ids=["compiler", "cmake"]
)
def test_a_program_without_python(built: Any, stdlib: Path, tmp_path: Path) -> None:
    if built is by_cmake and shutil.which("cmake") is None:
        pytest.skip("no cmake on the PATH")
    program = built(cpp_package.write(tmp_path / "package"), tmp_path)
    prompts = models.prompts([3, 1, 18, 40], 2000, seed=6)
    eager = LLM(models.STDLIB_LM, dtype="float32", num_blocks=100)
    assert generated(program, stdlib, prompts, 24) == expected(eager, prompts, 24)
    assert generated(program, stdlib, prompts[1:2], 4) == expected(eager, prompts[1:2], 4)  # padded to two
    assert "libpython" not in run("ldd", str(program)).stdout
    long = ",".join(["7"] * 900)
    for path, words, says in (
        (stdlib, ["1", long, long, long, long, long], "no block is free"),
        (stdlib, ["6", ",".join(["7"] * 1020)], "1 tokens from position 1024 on, the model has max_model_len 1024"),
        (stdlib, ["4", "1,4096"], "a query has token 4096, vocab_size is 4096"),
        (stdlib, ["4", ""], "a query has no tokens"),
        (stdlib, ["4", "1,x"], "'x' is not a whole number"),
        (stdlib, ["-4", "1"], "'-4' is not a whole number"),
        (tmp_path / "no.pt2", ["4", "1"], "no.pt2: Failed to initialize zip archive"),
    ):
        said = run(str(program), str(path), *words, status=1).stderr
        assert says in said and "frame #" not in said


@pytest.mark.long
def test_a_program_over_two_groups_of_layers_in_int8(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"sliding_window": 12, "num_hidden_layers": 2}
    path = tmp_path / "model.pt2"
    export.export(adapter.wrap(models.build("gemma2", **settings)), path, block_size=4, kv_cache_dtype="int8")
    program = by_the_compiler(cpp_package.write(tmp_path / "package"), tmp_path)
    llm = LLM(models.build("gemma2", **settings), block_size=4, num_blocks=80, kv_cache_dtype="int8")
    prompts = models.prompts([3, 30, 17])
    assert generated(program, path, prompts, 24) == expected(llm, prompts, 24)


# --- Settings and refusals -------------------------------------------------------------------------------------


def test_settings_that_are_fixed(small: Path) -> None:
    llm = LLM(small, num_blocks=20, dtype="float32", block_size=16, max_num_seqs=3)
    assert (llm.engine.max_model_len, llm.engine.config.block_size) == (1024, 16)
    assert llm.engine.eos_token_ids == LLM(models.STDLIB_LM, num_blocks=20).engine.eos_token_ids
    for settings, says in (
        ({"block_size": 8}, "block_size is 8, but .* was exported with 16"),
        ({"dtype": "bfloat16"}, "dtype is 'bfloat16', but .* was exported with 'float32'"),
        ({"kv_cache_dtype": "int8"}, "kv_cache_dtype is 'int8', but .* was exported with 'auto'"),
        ({"compile": True}, "compile is True, but .* was exported with False"),
    ):
        with pytest.raises(ConfigError, match=says):
            LLM(small, **settings)


def test_a_cache_of_another_kind(tmp_path: Path) -> None:
    """Two groups share tensors, in int8."""
    kind, options = "gemma2", {"kv_cache_dtype": "int8"}
    overrides: dict[str, Any] = {"sliding_window": 12, "num_hidden_layers": 2}
    path = tmp_path / "model.pt2"
    default = SamplingParams(temperature=0.5, top_k=7)
    model = adapter.wrap(models.build(kind, **overrides))
    export.export(model, path, block_size=4, default_sampling=default, **options)
    batch = models.prompts([3, 30, 17])
    params = SamplingParams(temperature=0, max_tokens=24)
    expected = LLM(models.build(kind, **overrides), block_size=4, num_blocks=80, **options)
    llm = LLM(path, num_blocks=40)
    assert [o.outputs[0].token_ids for o in llm.generate(batch, params, use_tqdm=False)] == [
        o.outputs[0].token_ids for o in expected.generate(batch, params, use_tqdm=False)
    ]
    assert llm.tokenizer is None
    assert llm.get_default_sampling_params() == default
    ignoring = LLM(path, num_blocks=40, generation_config="ignore")
    assert ignoring.get_default_sampling_params() == SamplingParams()


def test_files_that_are_not_exported_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.pt2").write_text("nothing")
    for name in ("text.pt2", "missing.pt2"):
        with pytest.raises(ModelError, match=r"is not a file that `torchpaged export` wrote"):
            LLM(tmp_path / name)
    with pytest.raises(ConfigError, match=r"expected a name that ends in \.pt2"):
        export.export(FakeModel(), tmp_path / "model.onnx")
    with pytest.raises(ConfigError, match="there is no folder"):
        export.export(FakeModel(), tmp_path / "no" / "model.pt2")
    assert main(["export", "missing-model", "-o", str(tmp_path / "no" / "model.pt2")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    words = ["export", str(models.STDLIB_LM), "-o", str(tmp_path / "model.pt2"), "--max-model-len"]
    for length, says in (
        (0, "is 0, expected an integer of 1 or more"),
        (1025, "is 1025, the model has 1024 positions"),
    ):
        assert main([*words, str(length)]) == 2
        assert f"max_model_len {says}" in capsys.readouterr().err


def test_a_forward_that_looks_at_its_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"torch\.export could not capture FakeModel"):
        export.export(FakeModel(), tmp_path / "model.pt2")


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(28, "No space left on device"), RuntimeError("no C++ compiler")], ids=type
)
def test_an_export_that_is_ended_leaves_what_was_there(
    error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.pt2"
    path.write_bytes(b"an earlier one")

    def fails(*_: Any, package_path: str, **__: Any) -> None:
        assert package_path.endswith("/m.pt2")
        Path(package_path).write_bytes(b"half")
        raise error

    monkeypatch.setattr(torch._inductor, "aoti_compile_and_package", fails)
    expected = {KeyboardInterrupt: KeyboardInterrupt, OSError: ConfigError, RuntimeError: ModelError}[type(error)]
    with pytest.raises(expected):
        export.export(adapter.adapt(models.build("llama", num_hidden_layers=1)), path, max_model_len=64)
    assert [each.name for each in tmp_path.iterdir()] == ["m.pt2"] and path.read_bytes() == b"an earlier one"


def test_the_tokenizer_goes_with_it(small: Path) -> None:
    own = exported.ExportedModel(small, torch.device("cpu")).tokenizer()
    assert own("def main(")["input_ids"] == AutoTokenizer.from_pretrained(models.STDLIB_LM)("def main(")["input_ids"]
