"""The command line as a user runs it: a process, its output, its exit status."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import forks
from torchpaged import LLM, __version__, cli
from torchpaged.errors import ModelError
from torchpaged.execution import exact
from torchpaged.serving.options import server_settings
from torchpaged.tools import arguments

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(ROOT / "evals" / "models" / "stdlib-lm")
COMMAND = [sys.executable, "-m", "torchpaged"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True, timeout=240)


def test_generate_prints_texts_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", "--model", MODEL, "--prompt", "import os", "--prompt", "def f(", "--max-tokens", "8"]
    assert cli.main(words) == 0
    output, errors = capsys.readouterr()
    assert "import os" in output and "def f(" in output
    for word in ("tokens/s", "blocks at the peak", "contiguous cache", "waste"):
        assert word in errors
    assert "request" in errors  # the progress bar


def test_generate_reads_and_writes_jsonl(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    records = [{"prompt": "import os", "id": 7}, {"prompt": [5, 6, 7]}]
    prompts.write_text("\n".join(json.dumps(record) for record in records) + "\n\n")
    flags = ["--max-tokens", "5", "--quiet", "--dtype", "float32", "--num-blocks", "20"]
    assert cli.main(["generate", "--model", MODEL, "--prompts", str(prompts), "--output", str(output), *flags]) == 0
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["prompt"] for line in lines] == [record["prompt"] for record in records]
    assert lines[0]["id"] == 7 and len(lines[0]["token_ids"]) == 5 and lines[0]["finish_reason"] == "length"
    assert capsys.readouterr().out == ""


def test_generate_with_several_completions_in_a_small_pool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.jsonl"
    flags = [
        "--model",
        MODEL,
        "--prompt",
        "import os",
        "-n",
        "2",
        "--temperature",
        "1",
        "--seed",
        "3",
        "--max-tokens",
        "6",
    ]
    assert cli.main(["generate", "--quiet", *flags, "--num-blocks", "20", "--output", str(output)]) == 0
    lines = [json.loads(line) for line in output.read_text().splitlines()]
    assert [line["index"] for line in lines] == [0, 1] and {line["prompt"] for line in lines} == {"import os"}
    settings = ["--no-prefix-caching", "--swap-space", "0.001", "--preemption-mode", "swap"]
    assert cli.main(["generate", "--quiet", *flags, *settings, "--scheduling-policy", "priority"]) == 0
    printed = capsys.readouterr().out
    assert "--- prompt 0, 1 of 2 (length)" in printed and "--- prompt 0, 2 of 2 (length)" in printed


@pytest.mark.parametrize("start", ["module", "script"])
@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["-h"], 0, "usage: torchpaged"),
        (["generate", "-h"], 0, "--max-num-seqs"),
        (["--version"], 0, f"torchpaged {__version__}"),
        (["genrate", "--model", "m"], 2, "unknown command 'genrate'; did you mean 'generate'?"),
        (["generate", "--modle", "m"], 2, "unknown option '--modle'; did you mean '--model'?"),
        (["bench", "--model", "m", "--ruonds=2"], 2, "unknown option '--ruonds'; did you mean '--rounds'?"),
        (["trace", "--model", "m"], 2, "required: -o/--output"),
        (["info", "--families"], 0, "supported"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_needs_no_torch_does_not_import_it(
    start: str, words: list[str], status: int, says: str, tmp_path: Path
) -> None:
    """Importing torch takes seconds: a folder in its place detects any import."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise SystemExit('torch was imported')")
    script = tmp_path / "torchpaged"  # as pip writes it
    script.write_text("import sys\nfrom torchpaged.cli import main\nsys.exit(main())\n")
    command = [sys.executable, *(["-m", "torchpaged.cli"] if start == "module" else [str(script)]), *words]
    paths = f"{tmp_path}{os.pathsep}{ROOT}"
    result = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, says in result.stdout + result.stderr) == (status, True), result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_a_setting_of_the_environment_that_cannot_be_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHPAGED_BACKEND", "cp")
    result = run("generate", "--model", MODEL, "--prompt", "import", "--max-tokens", "2")
    assert result.returncode == 2
    assert result.stderr.startswith("torchpaged: TORCHPAGED_BACKEND: no backend 'cp' on cpu; there are: cpp, reference")


def test_any_other_program_gets_the_operators() -> None:
    """`import torchpaged` imports torch, whatever the program's arguments."""
    code = "import sys, torchpaged; print('torch' in sys.modules)"
    for words in (["torchpaged"], ["-m", "torchpaged.cli"], []):
        result = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True)
        assert result.stdout.strip() == "True", result.stderr


def test_who_compiles_nothing_waits_for_no_compiler() -> None:
    """The compiler takes a second to import."""
    code = (
        "import sys, torchpaged.engine.llm_engine;"
        "print([name for name in ('torch._dynamo', 'sympy') if name in sys.modules])"
    )
    result = forks.run(code, cwd=ROOT)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["generate", "--max-tokns", "3"], "generate: unknown option '--max-tokns'; did you mean '--max-tokens'?"),
        (["generate", "--xyzzy=3"], "unknown option '--xyzzy'; torchpaged generate -h lists them"),
        (["informations"], "unknown command 'informations'"),
    ],
)
def test_mistyped_words(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    errors = capsys.readouterr().err
    assert says in errors and errors.count("\n") == 1


def test_values_that_look_like_options_are_left_to_argparse() -> None:
    given = arguments.parse(["generate", "--mod", "m", "--prompt", "--is it one?", "--prompt=--no", "--max-tok", "3"])
    assert (given.model, given.prompt, given.max_tokens) == ("m", ["--is it one?", "--no"], 3)


def test_flags_are_the_engine_s_settings() -> None:
    """A flag that is not given leaves the default to EngineConfig; one that is given arrives under its name."""
    parse, settings = arguments.parse, arguments.engine_settings
    for command in (["generate", "--model", "m", "--prompt", "a"], ["trace", "--model", "m", "-o", "t.html"]):
        assert settings(parse(command)) == {}
        given = ["--no-prefix-caching", "--swap-space", "0.5", "--preemption-mode", "swap", "--num-blocks", "9"]
        assert settings(parse([*command, *given, "--scheduling-policy", "priority"])) == {
            "enable_prefix_caching": False,
            "swap_space": 0.5,
            "preemption_mode": "swap",
            "num_blocks": 9,
            "scheduling_policy": "priority",
        }


def test_a_server_s_engine_has_defaults_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Large steps gain nothing on a CPU, and make prompts that arrive together wait for each other."""

    def found(*flags: str, **more: Any) -> tuple[float, int | None]:
        settings = server_settings({**arguments.engine_settings(arguments.parse(["serve", "m", *flags])), **more})
        return settings["max_step_ms"], settings.get("max_num_batched_tokens")

    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert found() == (100.0, 384) and found("--max-step-ms", "0") == (0.0, 384)
    assert found("--max-num-batched-tokens", "64") == (100.0, 64)
    assert found("--max-num-seqs", "600") == (100.0, 600)
    # A prompt that is not cut must fit into a step.
    assert found(enable_chunked_prefill=False) == found(device="cuda:1") == (100.0, None)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    assert found() == (100.0, None) and found(device="cpu") == (100.0, 384)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    assert "max_step_ms" not in server_settings({}, str(tmp_path)), "an encoder keeps no sequence waiting"


def test_trace_of_the_demo_shows_all_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "trace.html"
    flags = ["--swap-space", "0.001", "--preemption-mode", "swap", "--seed", "1"]
    assert cli.main(["trace", "--model", MODEL, "-o", str(page), *flags]) == 0
    assert "steps" in capsys.readouterr().out
    data = json.loads(page.read_text().split('id="trace">')[1].split("</script>")[0])
    frames, states = data["frames"], data["block_states"]
    most = {state: max(frame["counts"][states.index(state)] for frame in frames) for state in states}
    assert all(most.values()), most
    assert {copy for frame in frames for copy in frame["copies"][2::3]} == {"within", "out", "in"}
    assert any(frame["preempted"] for frame in frames) and max(frame["host_counts"][1] for frame in frames)
    statuses = {status for frame in frames for status in frame["requests"][1::2]}
    assert statuses >= {"waiting", "running", "swapped", "finished"}
    names = [sequence["name"] for sequence in data["sequences"]]
    again = next(f for f in frames if names.index("queue-again") in f["work"][::3])
    assert again["tokens"][3] > 0 and "fork#2" in names
    assert any(" def" in piece for piece in data["pieces"].values())


def test_trace_of_prompts_without_a_prefix_cache(tmp_path: Path) -> None:
    page, prompts = tmp_path / "trace.html", tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt": "import os"}\n{"prompt": [5, 6, 7]}\n')
    flags = ["--max-tokens", "3", "--num-blocks", "9", "--no-prefix-caching"]
    assert cli.main(["trace", "--model", MODEL, "-o", str(page), "--prompts", str(prompts), *flags]) == 0
    data = json.loads(page.read_text().split('id="trace">')[1].split("</script>")[0])
    assert [s["name"] for s in data["sequences"]] == ["0", "1"] and len(data["frames"]) == 4
    assert data["num_blocks"] == 8 and all(frame["counts"][1] == 0 for frame in data["frames"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "/nowhere/trace.html"], "there is no folder /nowhere"),
        (["--prompts", "none.jsonl"], "none.jsonl"),
        (["--prompts", os.devnull], "no prompts"),
        (["--swap-space", "-1"], "swap_space is -1.0"),
        (["--preemption-mode", "swap"], "swap_space is 0"),
        (["--preemption-mode", "drop"], "preemption_mode is 'drop'"),
        (["--scheduling-policy", "lifo"], "scheduling_policy is 'lifo'"),
        (["-n", "0"], "n is 0"),
        (["--num-blocks", "4"], "(3 blocks)"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_trace_refuses_in_one_line_with_status_2(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "trace.html"
    assert cli.main(["trace", "--model", MODEL, "-o", str(output), *words]) == 2
    errors = capsys.readouterr().err.strip()
    assert message in errors and "Traceback" not in errors and not output.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "./nowhere", "--prompt", "a"], "'./nowhere': there is no such folder"),
        (["--model", MODEL, "--prompts", "none.jsonl"], "none.jsonl"),
        (["--model", MODEL, "--prompt", "a", "--max-tokens", "0"], "max_tokens is 0"),
        (["--model", MODEL, "--prompt", "a", "--temperature", "-1"], "temperature is -1.0"),
        (["--model", MODEL, "--prompt", ""], "prompt is empty"),
        (["--model", MODEL, "--prompt", "a b c d e f g h", "--max-model-len", "3"], "max_model_len is 3"),
        (["--model", MODEL, "--prompt", "a", "--output", "/nowhere/out.jsonl"], "there is no folder /nowhere"),
        (["--model", MODEL, "--prompt", "a", "--dtype", "float64"], "dtype is 'float64'"),
    ],
    ids=lambda value: "" if isinstance(value, list) else value.split()[0],
)
def test_bad_input_is_one_line_and_status_2(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["generate", "--quiet", *words]) == 2
    errors = capsys.readouterr().err.strip()
    assert message in errors and "Traceback" not in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no prompts"), ("{", "line 1: no JSON"), ('{"prompt": "a"}\n[1]', "line 2: expected an object")],
    ids=["empty", "broken", "list"],
)
def test_bad_prompt_files(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(text)
    assert cli.main(["generate", "--model", MODEL, "--prompts", str(path), "--max-tokens", "1"]) == 2
    assert message in capsys.readouterr().err
    assert cli.main(["trace", "--model", MODEL, "--prompts", str(path), "-o", str(tmp_path / "t.html")]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "t.html").exists()


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", MODEL]) == 0
    printed = capsys.readouterr().out
    for word in ("torchpaged", "torch ", "isa", "cuda", "backend", "llama, 4 layers: supported"):
        assert word in printed


def test_info_exact(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for difference, line in ((None, "exact        yes"), ("it is warm", "exact        no: it is warm")):
        monkeypatch.setattr(exact, "why_not_exact", lambda model, found=difference: found)
        assert cli.main(["info", MODEL, "--exact"]) == 0
        assert line in capsys.readouterr().out
    assert cli.main(["info", "--exact"]) == 2
    assert "--exact is given without MODEL" in capsys.readouterr().err


def test_info_says_why_a_model_is_not_supported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "zamba", "n_layer": 2}')
    assert cli.main(["info", str(tmp_path)]) == 2
    assert "'zamba' is not supported: its recurrent layers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "status", "lines"),
    [
        (
            {"quant_method": "gptq", "bits": 4, "group_size": 32},
            0,
            "quantised    GPTQ, 4 bits; runs on the CPU as it is",
        ),
        (
            {"quant_method": "gptq", "bits": 3, "group_size": 32},
            2,
            "(gptq): quantization_config has bits 3, expected 4 or 8",
        ),
        ({"quant_method": "quanto"}, 0, "quantised    quanto: left to transformers"),
    ],
)
def test_info_says_how_a_checkpoint_is_quantised(
    said: dict[str, Any], status: int, lines: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = {"model_type": "llama", "num_hidden_layers": 1, "quantization_config": said}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert cli.main(["info", str(tmp_path)]) == status
    assert lines in "".join(capsys.readouterr())


def test_info_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--families"]) == 0
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert sum(line.endswith(" supported") for line in rows.values()) >= 30
    assert "full, ALiBi" in rows["falcon"] and rows["falcon"].endswith(" supported")
    assert rows["mamba"].endswith(" supported")
    assert "refused: its recurrent layers have several heads" in rows["zamba"]


def test_info_ops(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--ops"]) == 0
    printed = capsys.readouterr().out
    for word in ("paged_attention", "swap_blocks", "cpp*", "triton", "reference", "(Tensor src, Tensor(a!) dst"):
        assert word in printed


# --- Around the process ------------------------------------------------------------------------------------


def test_messages_that_cannot_be_written_end_nothing() -> None:
    """Standard error on a full disk: a progress bar would have ended the work, and an error its own report."""
    with open("/dev/full", "wb") as full:
        words = [*COMMAND, "generate", MODEL, "--prompt", "a", "--top-p", "2"]
        assert subprocess.run(words, cwd=ROOT, stderr=full).returncode == 2
    full = io.FileIO("/dev/full", "w")
    messages = cli._Messages(io.TextIOWrapper(full, write_through=True))
    messages.writelines(["x", "y"])
    messages.flush()
    assert messages.fileno() == full.fileno() and not messages.isatty()


def test_a_current_folder_that_was_removed(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    there = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    found = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), *COMMAND, "info"], env=there, capture_output=True, text=True
    )
    assert found.returncode == 2 and found.stderr.startswith("torchpaged: the current folder cannot be used")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "out of memory"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), "out of memory"),
        (RuntimeError("can't start new thread"), "can't start new thread; see ulimit -u"),
        (OSError(errno.EFBIG, "File too large", "out.html"), "out.html: File too large"),
        (OSError(errno.ENAMETOOLONG, "File name too long", "aaa"), "aaa: File name too long"),
    ],
)
def test_what_the_machine_does_not_give_is_one_line(
    error: Exception, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli._failed(error) == 2
    assert capsys.readouterr().err.startswith(f"torchpaged: {says}")
    with pytest.raises(RuntimeError, match="a bug"):
        cli._failed(RuntimeError("a bug"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["quantize", "--to", "int4", "-o", "{file}/x"], "--output {file}/x: {file} is no folder"),
        (["quantize", "--to", "int4", "-o", "{file}"], "--output {file}: it is no folder"),
        (
            ["quantize", "--to", "int4", "-o", "{new}", "--calibration", "/dev/zero"],
            "--calibration /dev/zero: it has more",
        ),
        (["quantize", "--to", "int4", "-o", "{new}", "--report", "/dev/zero"], "--report /dev/zero: it has more than"),
        (["quantize", "--to", "int4", "-o", "{new}", "--model", "./none"], "model './none': there is no such folder"),
        (["export", "-o", "{new}.txt"], "--output {new}.txt: expected a name that ends in .pt2"),
        (["export", "-o", "{new}.pt2", "--model", "./none"], "model './none': there is no such folder"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_model_is_loaded(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(*_: object, **__: object) -> None:
        raise AssertionError("the model is loaded")

    monkeypatch.setattr("torchpaged.tools.quantize.LLM", loaded)
    monkeypatch.setattr("torchpaged.integrations.transformers.adapter.load", loaded)
    file = tmp_path / "file"
    file.touch()
    names = {"file": file, "new": tmp_path / "new"}
    model = [] if "--model" in words else ["--model", MODEL]
    assert cli.main([*(each.format(**names) for each in words), *model]) == 2
    assert capsys.readouterr().err.startswith(f"torchpaged: {says.format(**names)}")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    """Reading one would not end."""
    for name in ("pipe.pt2", "pipe.gguf"):
        os.mkfifo(tmp_path / name)
        with pytest.raises(ModelError, match="this is a pipe or a device, expected a file"):
            LLM(str(tmp_path / name))
