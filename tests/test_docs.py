"""README and the pages of docs/ stay true: their commands and blocks run, their tables and paths are valid.

What is run of a `bash` block, by a command's first word:

- `torchpaged`: all of it; `export` and `serve` (until it answers), which `tests/models/test_exported.py` and
  `tests/serving` run too, with `make test-long`;
- `make`: `make demo` is run, of the others make is asked whether it could (`make -n`): they run this suite, or more;
- `python`, and a script of evals/: nothing, since they take minutes or another machine. The script must be there, and
  know each option that it is given;
- `pip`, `git`: nothing, since they need the network; an extra in brackets must be one of pyproject's.

Any other word fails. Every `python` block is run, on its own. What needs a package that is not installed is skipped.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import torch

from tests import vllm_examples
from torchpaged import LLM, SamplingParams, cli
from torchpaged.integrations.families import MEDIA, SUPPORTED
from torchpaged.ops import cpu, library
from torchpaged.prefix_store import KVStore
from torchpaged.scheduling import Step

ROOT = Path(__file__).resolve().parent.parent
MODEL = "evals/models/stdlib-lm"
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *ROOT.glob("docs/*.md")]
}
README = PAGES["README.md"]
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Yield (page, block) of all pages."""
    for page, text in sorted(PAGES.items()):
        for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield page, block


def commands() -> Iterator[str]:
    """Yield each command once, without its comment."""
    lines = (line.split("  #")[0].strip() for _, block in blocks("bash") for line in block.splitlines())
    yield from dict.fromkeys(line for line in lines if line)


COMMANDS = list(commands())
SCRIPTS = [c for c in COMMANDS if c.startswith(("python ", "evals/"))]
PYTHON = [
    # A process for each rank takes seconds.
    pytest.param(page, code, id=f"{page}-{number}", marks=[pytest.mark.long] * ("tensor_parallel_size=2" in code))
    for number, (page, code) in enumerate(blocks("python"), start=1)
]


# --- Commands -----------------------------------------------------------------------------------------------


def test_every_command_is_of_a_known_kind() -> None:
    words = {shlex.split(command)[0] for command in COMMANDS if command not in SCRIPTS}
    assert words <= {"make", "torchpaged", "pip", "git"}, "see above what is run of each"


def test_every_block_says_what_it_is() -> None:
    for page, text in PAGES.items():
        languages = re.findall(r"^```(\w*)", text, re.MULTILINE)[::2]
        assert set(languages) <= {"bash", "python", "diff", ""}, page


def serve(words: list[str]) -> None:
    """Start a server, wait until it listens on a free port, and stop it."""
    words = [sys.executable, "-m", "torchpaged.cli", *words, "--port", "0"]  # the last one counts
    server = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        assert any(" at http://127.0.0.1:" in line for line in server.stderr)
        server.terminate()
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.communicate()


def require(text: str) -> None:
    """Skip the test if a package that the text needs is not installed."""
    needs = (
        *(("peft", "from peft"), ("lm_eval", "torchpaged eval"), ("fastapi", "torchpaged serve")),
        *(("torchao", "--quantization"), ("torchao", "torchao")),
        *(("fastapi", "torchpaged.serving"), ("openai", "import openai"), ("llguidance", "structured_outputs")),
        *(("cryptography", "torchpaged.receipts"), ("anthropic", "import anthropic")),
    )
    for package, word in needs:
        if word in text:
            pytest.importorskip(package, reason=f"{package} is not installed")


def as_it_is_run(command: str) -> Any:
    """Mark a command as long (`make test-long`) if another test runs it too."""
    is_run_too = command.split()[1] in ("export", "serve", "quantize", "bench", "trace", "eval")
    return pytest.param(command, marks=pytest.mark.long if is_run_too else ())


@pytest.mark.parametrize("command", [as_it_is_run(c) for c in COMMANDS if c.startswith("torchpaged")])
def test_commands_run(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    require(command)
    words = shlex.split(command)[1:]
    if words[0] in ("info", "generate", "cache"):  # these leave no state in their process
        (tmp_path / "evals").symlink_to(ROOT / "evals")
        monkeypatch.chdir(tmp_path)
        assert cli.main(words) == 0 and capsys.readouterr().out.strip()
        return
    if words[0] == "serve":
        serve(words)
        return
    words = [sys.executable, "-m", "torchpaged.cli", *words]
    words += ["--scale", "0.1"] if " bench " in command else []  # only the lengths decide how long it takes
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_the_demo_runs_on_this_python() -> None:
    """`SYSTEM=1 make demo`: the main job without a set-up; `make demo` also makes .venv first."""
    assert "make demo" in COMMANDS and "make test" in COMMANDS
    environment = {**os.environ, "SYSTEM": "1", "PYTHON": sys.executable}
    result = subprocess.run(["make", "demo"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("--- prompt") == 4 and "blocks at the peak" in result.stderr


TARGETS = {target for text in PAGES.values() for target in re.findall(r"`(?:SYSTEM=1 )?make ([a-z-]+)`", text)}


@pytest.mark.parametrize("target", sorted(TARGETS | {c.split()[1] for c in COMMANDS if c.startswith("make ")}))
def test_make_targets_exist(target: str) -> None:
    result = subprocess.run(["make", "-n", target, "SYSTEM=1"], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("command", SCRIPTS)
def test_scripts_know_their_options(command: str) -> None:
    """Checked by their text and that of neighbouring files, since importing torch for each would be slow."""
    words = shlex.split(command)
    if words[:2] == ["python", "-m"]:
        script = ROOT / (words[2].replace(".", "/") + ".py")
        if words[2] in ("pytest", "ruff", "mypy"):
            return
    else:
        script = ROOT / next(word for word in words if word != "python")
    assert script.is_file(), command
    text = "".join(path.read_text() for path in {script, *script.parent.glob("*.py")})
    assert all(f'"{word}"' in text for word in words if word.startswith("--")), command


def test_extras_exist() -> None:
    """`pip install 'torchpaged[torchao]'` names an existing extra."""
    settings = (ROOT / "pyproject.toml").read_text()
    extras = {name for text in PAGES.values() for name in re.findall(r"(?:torchpaged|\.)\[([\w-]+)\]['`]", text)}
    assert extras and all(f"\n{name} = [" in settings for name in extras), extras


def test_extras_are_named_as_a_clone_has_them() -> None:
    """The package is on no index: `pip install '.[serve]'`."""
    told = re.compile(r"^ *pip install [^\n]*torchpaged\[|`pip install 'torchpaged\[[\w-]+\]'`(?! adds)", re.MULTILINE)
    assert [page for page, text in PAGES.items() if page != "CHANGELOG.md" and told.search(text)] == []


def test_troubleshooting_quotes_what_is_said() -> None:
    """Each text in the first column occurs in a message of the package, except for others' messages."""
    rows = re.findall(r"^\| (.*?) \|", PAGES["docs/troubleshooting.md"], re.MULTILINE)
    quoted = {text for row in rows for text in re.findall(r"`([^`]+)`", row) if " " in text or "_" in text}
    files = [path for folder in ("torchpaged", "ops", "integrations") for path in (ROOT / folder).rglob("*.py")]
    source = re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text() for path in files))
    source = source.replace("{what} needs {error.name}", "LLM needs transformers")
    source = source.replace("{command} needs {error.name}", "serve needs fastapi")
    of_others = {
        "pip install",
        "No matching distribution found for torchpaged",
        "Intel oneMKL FATAL ERROR: Cannot load",
        "libtorch_cpu.so",
        "torchpaged info",
        "reached 30 %",
    }
    assert [text for text in quoted - of_others if text not in source] == []


# --- Python -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("page", "code"), PYTHON)
def test_python_runs(page: str, code: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    require(code)
    monkeypatch.chdir(ROOT)
    exec(compile(code, page, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip() or "print(" not in code


def test_the_module_gives_causal_attention() -> None:
    code = next(code for page, code in blocks("python") if page == "README.md" and "nn.Module" in code)
    names: dict[str, type[torch.nn.Module]] = {}
    exec(compile(code, "README.md", "exec"), names)
    torch.manual_seed(0)
    module, x = names["PagedSelfAttention"](32, 2), torch.randn(20, 32)
    caches = [torch.zeros(4, 16, 2, 16) for _ in range(2)]
    slots = torch.cat([torch.arange(48, 64), torch.arange(16, 20)])  # blocks 3 and 1
    lengths = [torch.tensor(v, dtype=torch.int32) for v in ([[3, 1]], [20], [0, 20])]
    with torch.no_grad():
        paged = module(x, *caches, slots, *lengths)
        q, k, v = module.qkv(x).unflatten(-1, (3, 2, -1)).permute(1, 2, 0, 3)
        plain = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        torch.testing.assert_close(paged, module.out(plain.transpose(0, 1).flatten(1)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("line", [line for _, block in blocks("diff") for line in block.splitlines() if line[0] == "+"])
def test_added_lines_run(line: str) -> None:
    exec(line[1:], {})


# --- Examples -----------------------------------------------------------------------------------------------


def example(name: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    """Return an example's output, run from the repository's root."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", [f"examples/{name}", *words])
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    return out.getvalue()


def test_every_example_is_tested() -> None:
    tested = [
        "context_parallel.py",
        "kv_store.py",
        "openai_client.py",
        "own_cache.py",
        "own_executor.py",
        "own_module.py",
        "reinforcement.py",
        "scoring_and_beams.py",
        "streaming.py",
        "transformers_model.py",
    ]
    elsewhere = ["grpo.py", "ray_batch.py", "ray_serve.py"]  # tests/training/test_grpo.py, tests/serving/test_ray.py
    assert sorted([*tested, *elsewhere]) == EXAMPLES
    assert "examples/" in README


@pytest.mark.long  # `tests/serving` tests the same with a running server
def test_openai_client(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("fastapi", "openai"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    lines = example("openai_client.py", monkeypatch).splitlines()
    output = LLM(MODEL, num_blocks=64).generate(
        "import os\n", SamplingParams(temperature=0, max_tokens=12), use_tqdm=False
    )
    assert "\n".join(lines[1:]).startswith(output[0].outputs[0].text)
    assert "('import', None)" in lines[-2] and lines[-1] == "temperature is -1.0, expected a number of 0 or more"


def test_context_parallel() -> None:
    """Two ranks with half of the blocks each give what one with all gives."""
    command = [sys.executable, "examples/context_parallel.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    assert [line.split(",")[0] for line in lines] == ["rank 0: 512 of 1020 tokens", "rank 1: 508 of 1020 tokens"]


def test_kv_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A second process finds the blocks of the first, and answers the same; damaged ones are computed again."""
    path = str(tmp_path / "prefixes.db")
    first = example("kv_store.py", monkeypatch, path).splitlines()
    second = example("kv_store.py", monkeypatch, path).splitlines()
    assert [line.split()[0] for line in (first[0], second[0])] == ["0", "240"]
    store = runpy.run_path(str(ROOT / "examples" / "kv_store.py"))["SqliteStore"](path)
    assert isinstance(store, KVStore)
    key = sorted(store.known)[0]
    store.put([(b"another", memoryview(b"value"))])
    assert store.contains([key, b"none", b"another"]) == [True, False, True]
    store.delete([b"another", b"none"])
    assert store.get([b"another", b"none"]) == [None, None] and store.get([key]) != [None]
    with store.database:
        store.database.execute("UPDATE blocks SET value = zeroblob(length(value))")
    third = example("kv_store.py", monkeypatch, path).splitlines()
    assert third[0].startswith("0 of ") and first[1:] == second[1:] == third[1:]


def test_own_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its greedy texts are the engine's with the same arithmetic."""
    texts = example("own_module.py", monkeypatch).split("\n---\n")
    llm = LLM(MODEL, dtype="float32", num_blocks=64)
    params = SamplingParams(temperature=0, max_tokens=24, ignore_eos=True)
    outputs = llm.generate(["def main(", "import os\nimport "], params, use_tqdm=False)
    wanted = [llm.tokenizer.decode(each.prompt_token_ids + each.outputs[0].token_ids) for each in outputs]
    assert texts == [*wanted, ""]


def test_own_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its tokens are those of plain attention over whole sequences; compiled with a fast backend."""
    compiled = functools.partial(torch.compile, backend="aot_eager")
    monkeypatch.setattr(torch, "compile", lambda function, mode, **options: compiled(function, **options))
    out = example("own_cache.py", monkeypatch)
    assert "compiled, the same: True" in out and "False" not in out
    names = runpy.run_path(str(ROOT / "examples" / "own_cache.py"))
    torch.manual_seed(0)
    model = names["Decoder"]().to(names["DEVICE"])
    tokens = [3, 1, 4, 1, 5]
    with torch.inference_mode():
        for _ in range(24):
            x = model.embedding(torch.tensor(tokens, device=names["DEVICE"]))
            for qkv, out_layer in zip(model.qkv, model.out, strict=True):
                q, k, v = qkv(x).unflatten(-1, (-1, 16)).transpose(0, 1).split([4, 2, 2])
                y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
                x = x + out_layer(y.transpose(0, 1).flatten(1))
            tokens.append(int(model.head(x[-1]).argmax()))
    assert f"eager {tokens[5:]}" in out and len(set(tokens)) > 8


def test_transformers_model(monkeypatch: pytest.MonkeyPatch) -> None:
    out = example("transformers_model.py", monkeypatch)
    assert out.count("as transformers: True") == 2
    assert "cached tokens of the old weights: [0, 0]" in out


def test_streaming(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deltas add up to the result of the same requests at once; the aborted one shows its beginning."""
    out = example("streaming.py", monkeypatch)
    texts = dict(part.split("\n", 1) for part in out.split("--- ")[1:])
    asked = {"main": ("def main(", 1, ()), "stops": ("import os\nimport ", 2, ("\n\n",))}
    params = [SamplingParams(temperature=0.8, seed=seed, max_tokens=12, stop=stop) for _, seed, stop in asked.values()]
    prompts = [prompt for prompt, _, _ in asked.values()]
    for name, output in zip(asked, LLM(MODEL, num_blocks=64).generate(prompts, params, use_tqdm=False), strict=True):
        assert texts[name] == output.outputs[0].text + "\n"
    assert texts["late"].strip()


def test_scoring_and_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = example("scoring_and_beams.py", monkeypatch).splitlines()
    assert "'self'" in lines[0] and "greedy" in lines[0]
    scores = [float(line.split()[0]) for line in lines if re.match(r" *-\d+\.\d+  ", line)]
    assert len(scores) == 8
    assert scores[:4] == sorted(scores[:4], reverse=True) and scores[4:] == sorted(scores[4:], reverse=True)


@pytest.mark.parametrize("words", [[], ["--lora"]], ids=["weights", "adapter"])
def test_reinforcement(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    """The LLM samples with the weights, or the adapter, that the trainer has updated."""
    if words:
        pytest.importorskip("peft")
    output = example("reinforcement.py", monkeypatch, *words)
    rewards = [float(reward) for reward in re.findall(r"mean reward (\S+)", output)]
    assert len(rewards) == 4 and rewards[-1] > 1.2 * rewards[0]


def test_own_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    """It receives every step: one with two sequences, then the completions' forks, then four alone."""
    lines = example("own_executor.py", monkeypatch).splitlines()
    steps = [line for line in lines if "sequences" in line]
    assert [int(re.findall(r"(\d+) sequences", line)[0]) for line in steps] == [2, 4, 4, 4]
    assert "2 new" in steps[0] and "2 forks" in steps[1]
    assert len(lines) == 2 * len(steps)


# --- Names in the pages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", library.NAMES)
def test_every_operator_is_described(name: str) -> None:
    assert f"`{name}`" in PAGES["docs/operators.md"]


@pytest.mark.parametrize("model_type", SUPPORTED)
def test_every_supported_family_is_listed(model_type: str) -> None:
    assert f"`{model_type}`" in PAGES["docs/models.md"]


@pytest.mark.parametrize("model_type", MEDIA)
def test_every_family_with_images_or_sounds_is_listed(model_type: str) -> None:
    assert f"`{model_type}`" in PAGES["docs/images.md"]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150
    assert all(page in README for page in PAGES if page != "README.md"), "it says where the rest is"


# Files that commands in the pages write, and one of peft's adapters.
WRITTEN = {"/openapi.json", "trace.html", "profile.json", "stdlib-lm.pt2", "adapter_config.json"}
SUFFIXES = "py|md|json|jsonl|toml|txt|html|png|pt2|sh|cpp|h|yaml"


@pytest.mark.parametrize("page", sorted(PAGES))
def test_paths_are_there(page: str) -> None:
    """Each path in backticks or a link, from the root, from torchpaged/, or from the page itself."""
    text = re.sub(r"^```.*?^```", "", PAGES[page], flags=re.DOTALL | re.MULTILINE)
    found = set(re.findall(rf"`([\w./-]+\.(?:{SUFFIXES}))`", text))
    found |= set(re.findall(r"`((?:evals|tests|ops|csrc|integrations|examples|docs)/[\w./-]*)`", text))
    found |= {link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link}
    homes = (ROOT, ROOT / "torchpaged", (ROOT / page).parent)
    vllms = vllm_examples.RUNS.keys() | vllm_examples.NOT_RUN.keys()
    missing = {path for path in found - WRITTEN - vllms if not any((home / path).exists() for home in homes)}
    assert not missing


def test_figures_are_of_files() -> None:
    """Every result file is named on a page with its figures, and so is its script."""
    text = PAGES["docs/performance.md"]
    for path in (ROOT / "evals" / "results").glob("*.json"):
        named = path.with_suffix(".md").name if path.with_suffix(".md").exists() else path.name
        assert f"evals/results/{named}" in text, path.name


def test_the_ratios_of_the_readme_are_measured() -> None:
    """Each number of its table is the ratio of medians in the file that it names."""
    results = {
        name: json.loads((ROOT / "evals" / "results" / f"{name}.json").read_text()) for name in ("engine", "gguf-06b")
    }
    rates = {row["workload"]: row["rates"] for row in results["engine"]["rows"] if row["kind"] == "bf16"}
    rows = {line.split("|")[1].strip(): line.split("|")[2:] for line in README.splitlines() if line.startswith("| ")}
    cases = {
        "bf16 decode, batch 1 / 8 / 32": ("decode-1", "decode-8", "decode-32"),
        "bf16 prefill, 2,048 tokens": ("prefill",),
    }
    for title, workloads in cases.items():
        for peer, cell in zip(("vllm", "llama.cpp", "generate"), rows[title], strict=False):
            ours = [median(rates[each]["torchpaged"]) / median(rates[each][peer]) for each in workloads]
            assert [float(number) for number in cell.split("/")] == [round(ratio, 2) for ratio in ours], (title, peer)
    told = [float(number) for number in rows["Q4_0 file, decode 1 / 8, prefill"][1].split("/")]
    assert told == [
        round(results["gguf-06b"]["rows"][each]["ratio"], 2) for each in ("decode-1", "decode-8", "prefill")
    ]


def test_scenarios_that_tests_cite_are_there() -> None:
    cited = {
        int(number)
        for path in (ROOT / "tests").rglob("test_*.py")
        for number in re.findall(r"def test_scenario_(\d+)_|\"\"\"Scenario (\d+):", path.read_text())
        for number in number
        if number
    }
    written = {int(number) for number in re.findall(r"^(\d+)\. ", PAGES["docs/scenarios.md"], re.MULTILINE)}
    assert cited and cited <= written == set(range(1, len(written) + 1))


def test_the_layers_are_those_of_the_linter() -> None:
    """`integrations` is one layer by its name, except for packages that the linter places higher."""
    settings = (ROOT / "pyproject.toml").read_text()
    contract = settings[settings.index("\nlayers = [") :].split("\n]")[0]
    layers, higher = [], ("integrations.lm_eval", "integrations.vllm.compat")
    for strings in re.findall(r'"""(.*?)"""|"(.*?)"', contract, re.DOTALL):
        names = re.findall(r"torchpaged\.([\w.]+)", "".join(strings))
        layers.append(list(dict.fromkeys(n if n in higher else n.split(".")[0] for n in names)))
    text = PAGES["docs/architecture.md"]
    table = text[text.index("| layer |") :].split("\n\n")[0].splitlines()[2:]
    assert [re.findall(r"`([\w.]+)`", row.split("|")[1]) for row in table] == layers and len(layers) <= 12


@pytest.mark.skipif(cpu.isa() == "none", reason="no library here: decode steps go the general way")
def test_a_decode_step_goes_the_way_that_is_described() -> None:
    """The files and functions of docs/architecture.md's walk, in that order, at most twelve."""
    rows = re.findall(r"^\| (\d+) \| `([\w/.]+)` \| `(\w+)` \|", PAGES["docs/architecture.md"], re.MULTILINE)
    walk = [(path, function) for _, path, function in rows]
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1)) and len(rows) <= 12
    engine = LLM(MODEL, num_blocks=64, async_scheduling=False).engine
    engine.add_request("a", "def main(", SamplingParams(temperature=0, max_tokens=8, ignore_eos=True))
    engine.step()
    engine.step()
    called = _called(engine.step)
    assert isinstance(engine.last_step, Step)
    assert set(walk) <= called.keys()
    assert sorted(walk, key=called.__getitem__) == walk


def test_a_model_is_loaded_in_the_stages_that_are_described() -> None:
    text = PAGES["docs/architecture.md"].split("## Loading a model, stage by stage")[1].split("\n## ")[0]
    stages = re.findall(r"^\| \w+ \| `([\w/.]+)` \| `(\w+)` \|", text, re.MULTILINE)
    called = _called(lambda: LLM(MODEL, num_blocks=64))
    assert len(stages) == 5 and set(stages) <= called.keys()
    assert sorted(stages, key=called.__getitem__) == stages


def _called(run: Callable[[], object]) -> dict[tuple[str, str], int]:
    """Return the tree's functions that a call reaches, as (file, name), numbered in the order of their first calls."""
    called: dict[tuple[str, str], int] = {}

    def note(frame: Any, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            name = str(path.relative_to(ROOT)).removeprefix("torchpaged/")
            called.setdefault((name, frame.f_code.co_name), len(called))

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called
