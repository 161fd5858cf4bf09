"""`torchpaged receipt-key` and `verify`: files, exit statuses, other processes, many receipts under load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography", reason="cryptography is not installed: pip install 'torchpaged[receipts]'")

from tests import models
from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import InputError
from torchpaged.ops import cpu
from torchpaged.receipts import SigningKey, make_receipts, receipt
from torchpaged.tools.receipts import read_receipts

MODEL = str(models.STDLIB_LM)
FLAGS = ["--model", MODEL, "--num-blocks", "200"]
PROMPTS = ["def main(", "import os\n"]
KEY = SigningKey.generate()


@pytest.fixture(scope="module")
def llm() -> Iterator[LLM]:
    with LLM(MODEL, num_blocks=200) as made:
        yield made


@pytest.fixture(scope="module")
def receipts(llm: LLM) -> list[dict[str, Any]]:
    params = SamplingParams(temperature=0.8, seed=3, max_tokens=6)
    return make_receipts(llm, llm.generate(PROMPTS, params, use_tqdm=False), params, KEY, full=True)


def write(path: Path, *values: Any) -> str:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def test_a_key_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "key.pem"
    assert cli.main(["receipt-key", str(path)]) == 0
    made, said = capsys.readouterr()
    assert "is a new key, for torchpaged serve --receipt-key; its public key is" in said
    before = path.read_bytes()
    assert cli.main(["receipt-key", str(path)]) == 0
    assert capsys.readouterr() == (made, "") and path.read_bytes() == before
    assert made.strip() == SigningKey.load(path).public.hex
    path.chmod(0o644)
    assert cli.main(["receipt-key", str(path)]) == 2
    assert "has the permissions 644, so others can use it" in capsys.readouterr().err
    assert cli.main(["receipt-key", str(tmp_path / "none" / "key")]) == 2
    assert "there is no folder" in capsys.readouterr().err


def test_generate_writes_receipts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One for each completion, which verify finds the same; a run that goes on adds those of what is left."""
    key, file, output = (str(tmp_path / name) for name in ("key.pem", "receipts.jsonl", "out.jsonl"))
    assert cli.main(["receipt-key", key]) == 0
    prompts = [each for prompt in PROMPTS for each in ("--prompt", prompt)]
    run = [
        "generate",
        *FLAGS,
        *prompts,
        "--max-tokens",
        "5",
        "--temperature",
        "0.8",
        "--seed",
        "2",
        "-n",
        "2",
        "--quiet",
    ]
    signed = [*run, "--receipts", file, "--receipt-key", key]
    assert cli.main([*signed, "--output", output]) == 0
    lines = Path(file).read_bytes().splitlines(keepends=True)
    assert len(lines) == 4 and cli.main(["verify", file, *FLAGS, "--quiet"]) == 0
    # Killed before its last prompt was done, in the middle of a receipt.
    done = Path(output).read_bytes().splitlines(keepends=True)
    Path(output).write_bytes(b"".join(done[:2]))
    Path(file).write_bytes(b"".join(lines[:2]) + lines[2][:50])
    assert cli.main([*signed, "--output", output, "--resume"]) == 0
    again = [json.loads(line) for line in Path(file).read_bytes().splitlines()]
    texts = [(each["index"], each["output"]) for each in again]
    assert texts == [(each["index"], each["output"]) for each in map(json.loads, lines)]
    capsys.readouterr()
    for more, says in (
        ([*signed], "the file is there"),
        ([*run, "--receipts", str(tmp_path / "x")], "--receipts is given without --receipt-key"),
        ([*run, "--receipt-key", key], "--receipt-key is given without --receipts"),
        ([*run, "--receipts", key, "--receipt-key", key], "this is a file of something else"),
        ([*run, "--receipts", str(tmp_path / "x"), "--receipt-key", key, "--stream"], "leave out --receipts"),
        ([*run, "--receipts", str(tmp_path / "no" / "x"), "--receipt-key", key], "there is no folder"),
        (
            [
                "generate",
                *FLAGS,
                *prompts,
                "--temperature",
                "1",
                "--receipts",
                str(tmp_path / "x"),
                "--receipt-key",
                key,
            ],
            "the text is drawn without a seed",
        ),
    ):
        assert cli.main(more) == 2
        assert says in capsys.readouterr().err


def test_exit_statuses_and_lines(tmp_path: Path, receipts: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path / "good.jsonl", *receipts)
    public = tmp_path / "public"
    public.write_text(KEY.public.hex)
    assert cli.main(["verify", good, *FLAGS, "--public-key", str(public)]) == 0
    out, said = capsys.readouterr()
    assert out == f"{good}:1: same, 6 tokens\n{good}:2: same, 6 tokens\n" and said.endswith("torchpaged: 2 same\n")
    changed = {**receipts[0], "created": receipts[0]["created"] + 1}
    bad = write(tmp_path / "bad.jsonl", changed, receipts[1], "x")
    assert cli.main(["verify", good, bad, *FLAGS, "--batch-size", "2", "--quiet"]) == 3
    out, said = capsys.readouterr()
    assert out.splitlines() == [
        f"{bad}:1: refused: the signature does not match: the receipt has been changed, or was not made by its key",
        f"{bad}:3: refused: there is no receipt in it",
    ]
    assert said.endswith("torchpaged: 3 same, 2 refused; whose keys they are was not checked: give --public-key\n")


def test_a_difference_is_another_status(
    tmp_path: Path, llm: LLM, receipts: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    params = SamplingParams(temperature=0.8, seed=3, max_tokens=6)
    outputs = llm.generate(PROMPTS[:1], params, use_tqdm=False)
    outputs[0].outputs[0].token_ids[2] ^= 1
    path = write(tmp_path / "x.jsonl", *make_receipts(llm, outputs, params, KEY, full=True), {})
    assert cli.main(["verify", path, *FLAGS]) == 1
    assert f"{path}:1: differs: at token 2: it has " in capsys.readouterr().out


def test_prompts_of_receipts_with_hashes(tmp_path: Path, llm: LLM, capsys: pytest.CaptureFixture[str]) -> None:
    params = SamplingParams(temperature=0, max_tokens=4)
    outputs = llm.generate([*PROMPTS, "user: x\n"], params, use_tqdm=False)
    path = write(tmp_path / "x.jsonl", *make_receipts(llm, outputs, params, KEY))
    template = tmp_path / "template"
    template.write_text("{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}")
    messages = [{"role": "user", "content": "x"}]
    given: list[Any] = [{"prompt": outputs[1].prompt_token_ids}, {"prompt": PROMPTS[0]}, {"messages": messages}]
    prompts = write(tmp_path / "prompts", *given)
    flags = ["--prompts", prompts, "--chat-template", str(template)]
    assert cli.main(["verify", path, *FLAGS, *flags]) == 0
    assert capsys.readouterr().out.count(": same, 4 tokens\n") == 3
    for wrong, said in (("{", "line 1: it is not JSON"), ('{"prompt": 7}', "line 1: expected an object with")):
        (tmp_path / "wrong").write_text(wrong)
        assert cli.main(["verify", path, *FLAGS, "--prompts", str(tmp_path / "wrong")]) == 2
        assert said in capsys.readouterr().err


def test_where_receipts_are_found(tmp_path: Path) -> None:
    """Receipts, answers of the server's routes, and run-batch's lines; in one line each, or one in several lines."""
    one, two = {"format": "1"}, {"format": "2"}
    answer = {"id": "x", "choices": [{"text": "", "receipt": one}, {"text": ""}, {"receipt": two}]}
    lines = [one, answer, {"object": "response", "receipt": two}, {"response": {"body": answer}}, {"response": None}]
    path = tmp_path / "x"
    write(path, *lines)
    found = list(read_receipts(path))
    assert [(where.removeprefix(f"{path}:"), each) for where, each in found[:-1]] == [
        ("1", one),
        *(("2[0]", one), ("2[1]", two)),
        ("3", two),
        *(("4[0]", one), ("4[1]", two)),
    ]
    assert str(found[-1][1]) == "there is no receipt in it" and found[-1][0] == f"{path}:5"
    path.write_text(json.dumps(answer, indent=2))
    assert list(read_receipts(path)) == [(f"{path}[0]", one), (f"{path}[1]", two)]
    with pytest.raises(InputError, match="No such file or directory"):
        list(read_receipts(tmp_path / "none"))


def test_answers_of_a_batch_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    key, asked, answered = (tmp_path / name for name in ("key", "asked", "answered"))
    KEY.save(key)
    body = {"prompt": "def main(", "max_tokens": 5, "n": 2, "receipt": "full"}
    write(asked, {"custom_id": "a", "method": "POST", "url": "/v1/completions", "body": body})
    flags = ["--receipt-key", str(key), "--no-engine-process", "--quiet"]
    assert cli.main(["run-batch", *FLAGS, "-i", str(asked), "-o", str(answered), *flags]) == 0
    assert cli.main(["verify", str(answered), *FLAGS, "--public-key", KEY.public.hex]) == 0
    found = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0].removeprefix(f"{answered}:") for line in found] == ["1[0]", "1[1]"]


def test_hostile_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receipt, "MOST_BYTES", 1000)
    path, good = tmp_path / "x", b'{"format": "1"}\n'
    huge, deep = b"x" * 10_000 + b"\n", b"[" * 900 + b"\n"

    def said(*lines: bytes) -> list[str]:
        path.write_bytes(b"".join(lines))
        return [str(each) for _, each in read_receipts(path)]

    large = "it has more than 0 MiB"
    assert said(huge, good) == [large, "{'format': '1'}"]
    assert said(good, huge, good, huge) == ["{'format': '1'}", large, "{'format': '1'}", large]
    assert said(b"\xff\n", good)[1:] == ["{'format': '1'}"]
    assert len(said(b"{\n", good, good)) == 3 and len(said(b"\0" * 2000)) == 1
    assert said(b"") == said(b"\n\n") == []
    assert said(deep)[0].startswith("it is not JSON: ")


def python(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torchpaged.cli", *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=1200, check=False
    )


@pytest.mark.long
def test_on_another_instruction_set_and_with_other_threads(tmp_path: Path, receipts: list[Any]) -> None:
    """A system with another fingerprint refuses, whether or not its text would be the same."""
    path = write(tmp_path / "x.jsonl", *receipts)
    threads = receipts[0]["system"]["threads"]
    found = python("verify", path, *FLAGS, "--threads", str(threads))
    assert found.returncode == 0, found.stdout + found.stderr
    found = python("verify", path, *FLAGS, "--threads", str(threads + 1))
    assert found.returncode == 3 and found.stdout.count("refused: it is of another system: threads is") == 2
    for isa in cpu.available_isas()[1:]:
        found = python("verify", path, *FLAGS, "--threads", str(threads), TORCHPAGED_ISA=isa)
        assert found.returncode == 3 and found.stdout.count("refused: it is of another system: isa is") == 2, isa


@pytest.mark.long
def test_ten_thousand_receipts_in_another_process_under_load(tmp_path: Path, llm: LLM) -> None:
    """One in a hundred is of a text that the model did not write, and one in a hundred was changed after signing."""
    count, seeds, path = 10_000, 2_500, tmp_path / "x.jsonl"
    kinds: list[dict[str, Any]] = [
        {"temperature": 0},
        {"temperature": 0.9},
        {"temperature": 1.2, "top_p": 0.9, "repetition_penalty": 1.2},
        {"temperature": 0.7, "stop": ["self", "\n"], "min_tokens": 2},
    ]
    params = [SamplingParams(seed=seed, max_tokens=6, **kind) for seed in range(seeds) for kind in kinds]
    prompts = [f"def f{number % 97}(x" for number in range(count)]
    outputs = llm.generate(prompts, params, use_tqdm=False)
    for output in outputs[50::100]:
        output.outputs[0].token_ids[-1] ^= 1
    made = make_receipts(llm, outputs, params, KEY, full=True)
    for each in made[75::100]:
        each["params"]["seed"] += 1
    write(path, *made)
    done = threading.Event()

    def load() -> None:
        """Keep this process's engine busy, on the same cores."""
        while not done.is_set():
            llm.generate(prompts[:64], SamplingParams(temperature=0, max_tokens=16), use_tqdm=False)

    busy = threading.Thread(target=load)
    busy.start()
    try:
        flags = ["--public-key", KEY.public.hex, "--batch-size", "512", "--threads", str(made[0]["system"]["threads"])]
        found = python("verify", str(path), *FLAGS, *flags)
    finally:
        done.set()
        busy.join()
    lines = found.stdout.splitlines()
    assert found.returncode == 1 and len(lines) == count, found.stderr
    for number, line in enumerate(lines):
        status = "differs" if number % 100 == 50 else "refused" if number % 100 == 75 else "same"
        assert line.startswith(f"{path}:{number + 1}: {status}"), line
    assert found.stderr.endswith("torchpaged: 9800 same, 100 differs, 100 refused\n")
