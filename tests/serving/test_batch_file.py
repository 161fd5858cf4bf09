"""Batch files: every line gets its answer, even if others are invalid; an interrupted run can be resumed."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")

from tests import kills
from tests.fakes import FakeDecoder, FakeModel, FakeTokenizer, engine, follow
from tests.models import STDLIB_LM
from torchpaged import AsyncLLM, LLMEngine, PoolerConfig, cli
from torchpaged.errors import EngineDeadError, InputError
from torchpaged.serving import guard
from torchpaged.serving.batch_file import BatchOutput, BatchRequest, Tally, answer, read_requests
from torchpaged.serving.options import ServeOptions

GREEDY = {"temperature": 0, "max_tokens": 5, "ignore_eos": True, "return_token_ids": True}


@pytest.fixture(autouse=True)
def _nobody_asks_whether_models_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip the exactness check, which takes a second of each of the many engines here."""
    monkeypatch.setattr(LLMEngine, "system_fingerprint", lambda self: "fp_0")


def line(custom_id: Any, url: str = "/v1/completions", method: str = "POST", **body: Any) -> dict[str, Any]:
    return {"custom_id": custom_id, "method": method, "url": url, "body": body}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "in.jsonl"
    path.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines))
    return path


def run(path: Path, out: Path, *, resume: bool = False, said: str = "", model: FakeModel | None = None) -> Tally:
    """Run a file through an engine with two slots."""

    more: Any = {"pooler_config": PoolerConfig()} if isinstance(model, FakeDecoder) else {}
    llm = AsyncLLM.from_engine(engine(model, tokenizer=FakeTokenizer(), max_num_seqs=2, **more), name="fake")
    output = BatchOutput(out)
    ids = {request.id(said) for request in read_requests(path)}
    if resume:
        output.resume(ids)

    async def look() -> None:
        await llm.call("check")
        assert (await llm.stats()).cache.num_used_blocks == 0

    try:
        with output:
            tally = answer(
                llm, ServeOptions(max_queued_requests=2, max_queued_tokens=2), path, output, said, len(ids), quiet=True
            )
        asyncio.run(look())
        return tally
    finally:
        llm.shutdown()


def answers(out: Path) -> dict[str | None, Any]:
    lines = [json.loads(each) for each in out.read_text().splitlines()]
    found = {each["custom_id"]: each for each in lines}
    assert len(found) == len(lines)
    for each in lines:
        assert each.keys() == {"id", "custom_id", "response", "error"}
        assert (each["response"] is None) != (each["error"] is None)
    return found


def test_each_line_gets_its_answer(tmp_path: Path) -> None:
    prompts = ["".join("fghijkl"[place : place + 1 + number % 3]) for number, place in enumerate([0, 1, 2, 3, 4] * 4)]
    lines = [line(f"r{number}", prompt=prompt, **GREEDY) for number, prompt in enumerate(prompts)]
    tally = run(written(tmp_path, *lines, ""), tmp_path / "out.jsonl")
    found = answers(tmp_path / "out.jsonl")
    assert (tally.num_done, tally.num_failed) == (20, 0) and found.keys() == {f"r{number}" for number in range(20)}
    for number, prompt in enumerate(prompts):
        response = found[f"r{number}"]["response"]
        tokens = [ord(letter) - ord("a") for letter in prompt]
        assert response["status_code"] == 200 and response["body"]["choices"][0]["token_ids"] == follow(tokens, 5)
        assert response["request_id"] == response["body"]["id"]
    many = line("many", prompt=["f"] * 20, **GREEDY)  # more than a server lets wait
    run(written(tmp_path, many, many), tmp_path / "many.jsonl")
    assert len(json.loads((tmp_path / "many.jsonl").read_text().splitlines()[-1])["response"]["body"]["choices"]) == 20
    assert tally.num_tokens == sum(len(prompt) + 5 for prompt in prompts)


def again(folder: Path) -> Callable[[Path, bool], object]:
    """Return a run over some requests, one of them bad, as `kills.survive` takes it."""
    good = [line(f"r{number}", prompt="fghijkl"[: 1 + number % 5], **GREEDY) for number in range(30)]
    path = written(folder, *good, line("bad", prompt="f", temperatur=1))
    return lambda out, resume: run(path, out, resume=resume)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_killed_at_any_time_and_resumed(seed: int, tmp_path: Path) -> None:
    kills.survive(again(tmp_path), seed, tmp_path)


def test_errors_are_of_their_lines_alone(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        line("good", prompt="f", **GREEDY),
        "{",
        line("long", prompt="f" * 300),
        line("field", prompt="f", temperatur=1),
        line("model", prompt="f", model="gpt"),
        line("url", "/metrics", prompt="f"),
        line("method", method="GET", prompt="f"),
        line("stream", prompt="f", stream=True),
        {"custom_id": "body", "method": "POST", "url": "/v1/completions", "body": []},
        {**line("more", prompt="f"), "metod": 1},
        line("good", prompt="g"),
        line("\ud800", "/\ud800", prompt="f"),
        line("last", prompt="f", **GREEDY),
    )
    tally = run(path, tmp_path / "out.jsonl")
    lines = [json.loads(each) for each in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (tally.num_done, tally.num_failed) == (13, 11) == (len(lines), len(lines) - 2)
    assert len({each["id"] for each in lines}) == 13
    found = {each["custom_id"]: each for each in lines if "twice" not in str(each["error"])}
    for name in ("good", "last"):
        assert found[name]["response"]["body"]["choices"][0]["token_ids"] == follow([5], 5)
    for name, status, says in (("long", 400, "300 tokens"), ("field", 400, "temperature"), ("model", 404, "gpt")):
        response = found[name]["response"]
        assert response["status_code"] == status and says in response["body"]["error"]["message"]
    for name, says in (
        (None, "line 2: no JSON"),
        ("url", "line 6: url is '/metrics'"),
        ("method", "method is 'GET'"),
        ("stream", "stream is true"),
        ("body", "body is []"),
        ("more", "did you mean 'method'"),
        ("\\ud800", "url is '/\\ud800'"),
    ):
        assert says in found[name]["error"]["message"]
    assert sum("is used twice" in str(each["error"]) for each in lines) == 1


def test_vectors(tmp_path: Path) -> None:
    path = written(tmp_path, line("v", "/v1/embeddings", input="fg"), line("s", "/v1/score", text_1="f", text_2="f"))
    run(path, tmp_path / "out.jsonl", model=FakeDecoder())
    found = answers(tmp_path / "out.jsonl")
    assert len(found["v"]["response"]["body"]["data"][0]["embedding"]) == 3
    assert found["s"]["response"]["body"]["data"][0]["score"] == pytest.approx(1)


class Mortal(FakeModel):
    """A model whose process dies at "zzz"."""

    def forward(self, input_ids: Any, *rest: Any) -> Any:
        if ", 25, 25, 25" in f", {input_ids.tolist()}".replace("[", ""):
            raise SystemExit("of old age")
        return super().forward(input_ids, *rest)


def test_a_run_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    lines = [line(f"r{number}", prompt="fgh"[: 1 + number % 3], **GREEDY) for number in range(12)]
    lines[8]["body"]["prompt"] = "zzz"
    bad = line("bad", prompt="f" * 300)
    path, out = written(tmp_path, bad, *lines), tmp_path / "out.jsonl"
    with pytest.raises(EngineDeadError):
        run(path, out, model=Mortal())
    before = [json.loads(each) for each in out.read_text().splitlines()]
    assert 1 < len(before) < 13 and all(
        each["custom_id"] == "bad" or each["response"]["status_code"] == 200 for each in before
    )
    out.write_text(out.read_text() + '{"id": "half a li')
    tally = run(path, out, resume=True)
    good = [each for each in before if each["custom_id"] != "bad"]
    assert tally.num_done == 13 - len(good), "the one that failed, and those that were not there"
    after = [json.loads(each) for each in out.read_text().splitlines()]
    assert after[: len(good)] == good and answers(out).keys() == {"bad", *(f"r{number}" for number in range(12))}
    # What was asked for otherwise is computed again, of another model all.
    written(tmp_path, line("r0", prompt="k", **GREEDY), *lines[1:])
    assert run(path, out, resume=True).num_done == 1 and answers(out)["r0"]["response"]["body"]["usage"]
    assert run(path, out, resume=True).num_done == 0
    assert run(path, out, resume=True, said="another").num_done == 12
    assert run(path, out).num_done == 12, "without --resume all"
    out.write_text('{"custom_id": "r0"}\n')
    with pytest.raises(InputError, match=r"line 1 of .* was not written by run-batch"):
        run(path, out, resume=True)


def test_a_signal_leaves_no_task_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """At any point: here while a body is read, in a task that another one waits for. Written lines stay."""
    pieces: list[bytes] = []

    def interrupted(value: Any) -> int:
        if isinstance(value, bytes):
            pieces.append(value)
            if len(pieces) == 6:
                signal.raise_signal(signal.SIGTERM)
        return len(value)

    def stop(number: int, _: object) -> None:
        raise KeyboardInterrupt

    path = written(tmp_path, *(line(f"r{number}", prompt="fgh", **GREEDY) for number in range(12)))
    monkeypatch.setattr(guard, "len", interrupted, raising=False)  # called for each piece of a body
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with pytest.raises(KeyboardInterrupt, match=r"\d answers are in .*--resume goes on"):
            run(path, tmp_path / "out.jsonl")
        assert signal.getsignal(signal.SIGTERM) is stop
    finally:
        signal.signal(signal.SIGTERM, before)
    gc.collect()
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []
    assert 2 <= len(answers(tmp_path / "out.jsonl")) < 12


def test_ids_stand_for_all_that_is_asked() -> None:
    requests = [BatchRequest(name, url, body) for name in "ab" for url in ("/x", "/y") for body in (b"{}", b"[]")]
    assert len({request.id(said) for request in requests for said in ("", "m")}) == 16


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path, line("a", prompt="def main(", max_tokens=4), line("b", max_tokens=4)), tmp_path / "o"
    words = ["run-batch", "--model", str(STDLIB_LM), "-i", str(path), "-o", str(out), "--num-blocks", "90"]
    words += ["--no-engine-process", "--quiet", "--served-model-name", "m"]
    assert cli.main(words) == 2
    assert "1 of 2 requests failed: prompt is missing" in capsys.readouterr().err
    found = answers(out)
    assert found["a"]["response"]["body"]["usage"]["completion_tokens"] == 4
    assert found["b"]["response"]["status_code"] == 400
    written(tmp_path, line("a", prompt="def main(", max_tokens=4))
    kept = found["a"]
    assert cli.main([*words, "--resume"]) == 0 and answers(out) == {"a": kept}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-i", "nowhere", "-o", "out"], "--input-file nowhere: No such file"),
        (["-i", "in.jsonl", "-o", "no/folder"], "there is no folder"),
        (["-i", "in.jsonl", "-o", "in.jsonl"], "this is the file of requests"),
    ],
)
def test_what_the_command_refuses(
    words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, line("a", prompt="f"))
    assert cli.main(["run-batch", "--model", "x", *words]) == 2
    assert says in capsys.readouterr().err
