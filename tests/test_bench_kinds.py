"""`torchpaged bench latency`, `throughput` and `serve`: numbers of known times, and a run of each on a tiny model."""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.models import STDLIB_LM
from torchpaged import cli
from torchpaged.errors import InputError
from torchpaged.tools import arguments, bench_serve, distributions
from torchpaged.tools.bench_serve import Answer, Load
from torchpaged.tools.http_stream import HttpError, Server

MODEL = str(STDLIB_LM)
SMALL = ["--num-blocks", "60", "--input-len", "6", "--output-len", "4", "--quiet"]


# --- Numbers ------------------------------------------------------------------------------------------------


def test_percentiles_are_numpy_s() -> None:
    numpy = pytest.importorskip("numpy")
    values = [0.5, 3.0, 1.25, 9.0, 2.0]
    for share in (0, 1, 25, 50, 90, 99, 100):
        assert distributions.percentile(values, share) == pytest.approx(numpy.percentile(values, share))
    assert distributions.percentile([2.0], 99) == 2.0
    lines = distributions.table({"a": [0.001, 0.003], "none": []}, [50, 99]).splitlines()
    assert [line.split() for line in lines] == [["ms", "mean", "p50", "p99"], ["a", "2.00", "2.00", "2.98"]]


def test_the_plot_is_one_svg_file() -> None:
    times = {"to the first token": [0.010, 0.020, 0.045], "none": [], "<&>": [0.0, 0.0]}
    root = ElementTree.fromstring(distributions.plot("a <title>", times))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "a <title>" and "p50 20" in texts and "to the first token, ms; share of values up to it" in texts
    assert [text for text in texts if text and "none" in text] == []
    assert int(root.attrib["height"]) > 400


def test_times_of_a_load() -> None:
    """Compare vLLM's four figures, for two complete answers and one that failed."""
    one = Answer(5, start=1.0, end=2.5, output_len=3, arrivals=[1.5, 1.75, 2.5])
    other = Answer(7, start=2.0, end=3.0, output_len=1, arrivals=[3.0])
    load = Load([one, other, Answer(9, error="refused")], seconds=2.0, model="m")
    assert list(load.times().values()) == [[0.5, 1.0], [0.5], [0.25, 0.75], [1.5, 1.0]]
    numbers = load.numbers()
    assert (numbers["completed"], numbers["failed"], numbers["total_input_tokens"]) == (2, 1, 12)
    assert numbers["request_throughput"] == 1.0 and numbers["output_throughput"] == 2.0
    assert numbers["total_token_throughput"] == 8.0
    assert "failed requests" in load.report([99.0]) and "TPOT" in load.report([99.0])


# --- Options ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["latency", "m", "--batch-size", "0"], "--batch-size 0: expected 1 or more"),
        (["throughput", "m", "--input-len", "4", "--prefix-len", "5"], "--prefix-len 5: expected at most --input-len"),
        (["throughput", "m", "--num-prompts", "-1"], "--num-prompts -1: expected 1 or more"),
        (["latency", "m", "--max-model-len", "100"], "a request has 160 tokens, and --max-model-len is 100"),
        (["latency", "m", "--plot", "no-such-folder/x.svg"], "there is no folder no-such-folder"),
        (["serve", "--request-rate", "0"], "--request-rate 0.0: expected requests a second"),
        (["serve", "--lora-zipf", "-1"], "--lora-zipf -1.0: expected a number from 0 to 100"),
        (["serve", "--random-range-ratio", "1"], "--random-range-ratio 1.0: expected a share in [0, 1)"),
        (["serve", "--base-url", "ftp://x"], "--base-url 'ftp://x': expected a URL as http://127.0.0.1:8000"),
        (["serve", "--base-url", "http://127.0.0.1:1"], "does not answer as OpenAI's servers do"),
        (["latancy"], "'latancy' is neither a benchmark nor a model; did you mean 'latency'?"),
        (["throughput"], "bench throughput: no model is named"),
    ],
)
def test_what_cannot_be(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", *words]) == 2
    assert says in capsys.readouterr().err


def test_percentiles_of_the_command_line() -> None:
    assert arguments.parse(["bench", "latency", "m", "--percentiles", "5,99.9"]).percentiles == [5.0, 99.9]
    assert arguments.parse(["bench", "serve", "--metric-percentiles", "50"]).percentiles == [50.0]
    for bad in ("", "a", "101"):
        with pytest.raises(InputError, match="percentiles"):
            arguments.parse(["bench", "latency", "m", "--percentiles", bad])
    assert arguments.parse(["bench", "latency"[:3] + "/model"]).command == "bench"  # any other word is a model


# --- Runs ---------------------------------------------------------------------------------------------------


def test_latency(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = ["--output-json", str(tmp_path / "l.json"), "--plot", str(tmp_path / "l.svg")]
    words = ["--batch-size", "3", "--num-iters", "2", "--num-iters-warmup", "0", *files]
    assert cli.main(["bench", "latency", MODEL, *SMALL, *words]) == 0
    out = capsys.readouterr().out
    assert "Avg latency: " in out and "for 3 requests of 6 + 4 tokens" in out and "p99" in out
    found = json.loads((tmp_path / "l.json").read_text())
    assert len(found["latencies"]) == 2 and found["avg_latency"] == sum(found["latencies"]) / 2
    assert found["percentiles"].keys() == {"10", "25", "50", "75", "90", "99"}
    ElementTree.parse(tmp_path / "l.svg")
    assert cli.main(["bench", "latency", MODEL, "--input-len", "5000", "--quiet", "--num-blocks", "60"]) == 2
    assert "the model takes" in capsys.readouterr().err


def test_throughput(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--num-prompts", "5", "--prefix-len", "4", "--output-json", str(tmp_path / "t.json")]
    assert cli.main(["bench", "throughput", "--model", MODEL, *SMALL, *words]) == 0
    assert "Throughput: " in capsys.readouterr().out
    found = json.loads((tmp_path / "t.json").read_text())
    assert found["num_requests"] == 5 and found["total_num_tokens"] == 50
    assert found["tokens_per_second"] == pytest.approx(50 / found["elapsed_time"])


@contextmanager
def answering(*answers: bytes) -> Iterator[str]:
    """Start a server that answers with these bytes, one connection each; yield its URL."""
    import socket

    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(2**16)
                connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1/"
    thread.join(60)
    listener.close()


def chunked(pieces: list[bytes]) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def test_answers_of_the_client() -> None:
    """Chunks that cut events, a body up to the connection's end, an error object, and an answer that is cut off."""
    whole = b'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"a": 1}'
    pieces = [b'data: {"a": 1}\r', b'\n\n\ndata: {"b":', b" 2}\n\ndata: [DONE", b"]\n\n"]
    body = b'{"error": {"message": "is too long"}}'
    refused = b"HTTP/1.1 400 Bad\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    async def read(url: str) -> list[Any]:
        server = Server(url)
        found: list[Any] = [await server.json("/v1/models")]
        found += [event async for _, event in server.events("/v1/completions", {})]
        for _ in range(2):
            with pytest.raises(HttpError) as error:
                await server.json("/v1/models")
            found.append(str(error.value))
        return found

    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n{"
    with answering(whole, chunked(pieces), refused, cut) as url:
        assert asyncio.run(read(url)) == [
            {"a": 1},
            {"a": 1},
            {"b": 2},
            "/v1/models: status 400: is too long",
            "the connection was closed in the middle of an answer",
        ]


def test_serve(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A server of ours: every request is answered completely, at most two at a time; refusals give the reason."""
    pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
    pytest.importorskip("openai", reason="openai is not installed")
    from tests.fakes import FakeTokenizer, engine
    from tests.serving.harness import Running
    from torchpaged import AsyncLLM

    llm = AsyncLLM.from_engine(engine(tokenizer=FakeTokenizer()), name="fake")
    with Running(llm, api_key=["correct-horse"]) as server:
        base = ["bench", "serve", "--base-url", server.url, "--vocab-size", "20", *SMALL[2:]]
        key = ["--api-key", "correct-horse"]
        words = ["--num-prompts", "6", "--max-concurrency", "2", "--request-rate", "500", "--random-range-ratio", "0.5"]
        words += ["--output-json", str(tmp_path / "s.json"), "--plot", str(tmp_path / "s.svg")]
        assert cli.main([*base, *key, *words]) == 0
        out = capsys.readouterr().out
        assert "TTFT" in out and "p99" in out and "fake" in out
        found = json.loads((tmp_path / "s.json").read_text())
        assert (found["completed"], found["failed"], found["model_id"]) == (6, 0, "fake")
        assert 6 * 2 <= found["total_output_tokens"] <= 6 * 6 and found["errors"] == []
        ElementTree.parse(tmp_path / "s.svg")
        assert cli.main(base) == 2
        assert "does not answer as OpenAI's servers do: /v1/models: status 401" in capsys.readouterr().err
        assert cli.main([*base, *key, "--num-prompts", "2", "--input-len", "5000"]) == 2
        assert "the first request failed: /v1/completions: status 400" in capsys.readouterr().err


def test_requests_are_the_same_for_the_same_seed() -> None:
    def bodies(seed: str) -> list[dict[str, Any]]:
        words = ["bench", "serve", "--seed", seed, "--num-prompts", "4", "--random-range-ratio", "0.5"]
        given: argparse.Namespace = arguments.parse(words)
        return bench_serve._bodies(given, "m")

    assert bodies("1") == bodies("1") != bodies("2")
    assert all(64 <= len(body["prompt"]) <= 192 and 64 <= body["max_tokens"] <= 192 for body in bodies("1"))


def test_requests_name_adapters_at_random() -> None:
    def models(*words: str) -> list[str]:
        words = ("bench", "serve", "--num-prompts", "900", "--input-len", "1", *words)
        return [body["model"] for body in bench_serve._bodies(arguments.parse(words), "m")]

    names = ["a", "b", "c"]
    counts = [models("--lora-modules", *names).count(name) for name in names]
    assert sum(counts) == 900 and min(counts) > 250
    counts = [models("--lora-modules", *names, "--lora-zipf", "1").count(name) for name in names]
    assert sum(counts) == 900 and all(
        abs(count - 900 * share * 6 / 11) < 90 for count, share in zip(counts, (1, 1 / 2, 1 / 3), strict=True)
    )
    assert set(models()) == {"m"}


def test_a_model_is_named_once() -> None:
    """Every command takes the model by position or as --model, not both."""
    more = {"generate": ["--prompt", "x"], "run-batch": ["-i", "a", "-o", "b"], "trace": ["-o", "x.html"]}
    more |= {"export": ["-o", "x.pt2"], "quantize": ["-o", "x", "--to", "int4"]}
    for command in ("generate", "chat", "serve", "run-batch", "trace", "bench", "export", "quantize", "info"):
        words = more.get(command, [])
        for named in (["m", *words], [*words, "m"], ["--model", "m", *words], [*words, "--model=m"]):
            assert arguments.parse([command, *named]).model == "m", (command, named)
        with pytest.raises(InputError, match=rf"{command}: the model is named twice, 'm' and --model 'n'"):
            arguments.parse([command, "m", "--model", "n", *words])
        if command != "info":
            with pytest.raises(InputError, match=rf"{command}: no model is named; use torchpaged {command} MODEL"):
                arguments.parse([command, *words])
    assert arguments.parse(["eval", "m", "--tasks", "t"]).words == ["--model", "m", "--tasks", "t"]
    assert arguments.parse(["eval", "ls", "tasks"]).words == ["ls", "tasks"]


def test_the_help_lists_what_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Options that accept only their default are not listed, but refused by name all the same."""
    from torchpaged.sampling_params import WITHOUT_EFFECT

    with pytest.raises(SystemExit):
        arguments.parse(["generate", "-h"])
    said = capsys.readouterr().out
    assert "--prompt-logprobs-start" in said and "--top-k" in said
    for name in WITHOUT_EFFECT:
        assert f"--{name.replace('_', '-')} " not in said.replace("\n", " "), name
    assert cli.main(["generate", MODEL, "--prompt", "x", "--watermarking"]) == 2
    assert "watermarking is True, expected None or False: no watermark is put into texts" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        arguments.parse(["serve", "-h"])
    assert "384 on a CPU, or --max-num-seqs if that is more; else 2048" in " ".join(capsys.readouterr().out.split())
