"""Adapters of a real model through the server: texts are those of `LLM`, and errors those of its files."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")
pytest.importorskip("peft", reason="peft is not installed")

import httpx
from transformers import AutoModelForCausalLM

from tests import adapters
from tests.models import STDLIB_LM
from tests.serving.harness import Running, until
from torchpaged import LLM, AsyncLLM, LLMEngine, LoRARequest, SamplingParams, cli

ADMIN = "root-of-all-evil"
HEADERS = {"Authorization": f"Bearer {ADMIN}"}
SETTINGS: dict[str, Any] = {
    "dtype": "float32",
    "optimize": True,  # rows keep their bits in any batch
    "num_blocks": 200,
    "enable_lora": True,
    "max_loras": 2,
    "max_lora_rank": 8,
    "served_model_name": "stdlib",
    "use_tqdm_on_load": False,
}
PROMPTS = ["def main(", "import os\n", "class Queue:"]
GREEDY = {"temperature": 0, "max_tokens": 12}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Four adapters of one model, the last of a rank that is too high."""
    model, root = AutoModelForCausalLM.from_pretrained(STDLIB_LM), tmp_path_factory.mktemp("adapters")
    kinds: dict[str, dict[str, Any]] = {
        "sql": {"r": 4, "target_modules": ["q_proj", "v_proj"]},
        "law": {"r": 8, "target_modules": "all-linear"},
        "poem": {"r": 2, "target_modules": ["down_proj"]},
        "big": {"r": 16, "target_modules": ["q_proj"]},
    }
    for name, config in kinds.items():
        adapters.save(model, root / name, lora_alpha=32, **config)
    return {name: root / name for name in kinds}


@pytest.fixture(scope="module")
def expected(folders: dict[str, Path]) -> dict[str, list[str]]:
    """Texts of the prompts by adapter; "stdlib" is the model itself."""
    with LLM(STDLIB_LM, **SETTINGS) as llm:
        requests = {name: LoRARequest(name, i, str(folders[name])) for i, name in enumerate(("sql", "law", "poem"), 1)}
        found = {}
        for name, request in [("stdlib", None), *requests.items()]:
            outputs = llm.generate(PROMPTS, SamplingParams(**GREEDY), lora_request=request, use_tqdm=False)
            found[name] = [output.outputs[0].text for output in outputs]
    assert len(set(map(tuple, found.values()))) == 4
    return found


@pytest.fixture(params=["thread", "process"])
def server(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Iterator[Running]:
    llm = AsyncLLM(STDLIB_LM, engine_process=request.param == "process", **SETTINGS)
    with Running(llm, admin_key=ADMIN, lora_modules=[f"sql={folders['sql']}"]) as running:
        yield running


def texts(server: Running, model: str) -> list[str]:
    answer = server.http.post("/v1/completions", json={"model": model, "prompt": PROMPTS, **GREEDY})
    assert answer.status_code == 200, answer.text
    return [choice["text"] for choice in answer.json()["choices"]]


def load(server: Running, name: str, path: Path, **more: Any) -> Any:
    body = {"lora_name": name, "lora_path": str(path), **more}
    return server.http.post("/v1/load_lora_adapter", json=body, headers=HEADERS)


def test_texts_are_those_of_the_engine(
    server: Running, folders: dict[str, Path], expected: dict[str, list[str]], tmp_path: Path
) -> None:
    for name in ("law", "poem"):
        assert load(server, name, folders[name]).status_code == 200
    found: dict[str, list[str]] = {}
    threads = [
        threading.Thread(target=lambda name=name: found.update({name: texts(server, name)})) for name in expected
    ]
    for thread in threads:  # all at once, more adapters than fit into a step
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected
    metrics = server.http.get("/metrics", headers=HEADERS).text
    assert "vllm:lora_requests_info{" in metrics and 'max_lora="2"' in metrics
    # Broken adapters change nothing.
    (tmp_path / "adapter_config.json").write_text("{")
    big, broken = load(server, "big", folders["big"]), load(server, "sql", tmp_path, load_inplace=True)
    assert big.status_code == broken.status_code == 400
    assert "rank 16" in big.json()["error"]["message"] and "max_lora_rank" in big.json()["error"]["message"]
    assert "adapter_config.json" in broken.json()["error"]["message"]
    assert texts(server, "sql") == expected["sql"]
    # A swap.
    assert load(server, "sql", folders["law"], load_inplace=True).status_code == 200
    assert texts(server, "sql") == expected["law"]
    unload = {"json": {"lora_name": "sql"}, "headers": HEADERS}
    assert server.http.post("/v1/unload_lora_adapter", **unload).status_code == 200
    assert texts(server, "stdlib") == expected["stdlib"]


def test_requests_under_way_keep_their_adapter(
    server: Running, folders: dict[str, Path], expected: dict[str, list[str]]
) -> None:
    body = {"model": "sql", "prompt": PROMPTS[0], "temperature": 0, "max_tokens": 400, "ignore_eos": True}
    plain = server.http.post("/v1/completions", json=body).json()["choices"][0]["text"]
    found: list[str] = []

    def ask() -> None:
        found.append(server.http.post("/v1/completions", json=body).json()["choices"][0]["text"])

    thread = threading.Thread(target=ask)
    thread.start()
    until(lambda: server.llm.get_num_unfinished_requests() or found)
    assert load(server, "sql", folders["law"], load_inplace=True).status_code == 200
    assert texts(server, "sql") == expected["law"]
    thread.join()
    assert found == [plain]


def test_swaps_and_unloads_at_random(server: Running, folders: dict[str, Path], expected: dict[str, list[str]]) -> None:
    """A request gets the text of one of the adapters that its name had in its time, or 404, and never a mixture."""
    rng, ended = random.Random(7), threading.Event()
    found: set[tuple[str, str]] = set()
    wrong: list[str] = []

    def ask(number: int) -> None:
        while not ended.is_set():
            name = ("sql", "law", "stdlib")[number % 3]
            body = {"model": name, "prompt": PROMPTS[0], **GREEDY}
            answer = server.http.post("/v1/completions", json=body)
            if answer.status_code == 200:
                found.add((name, answer.json()["choices"][0]["text"]))
            elif answer.status_code != 404 or name != "law":
                wrong.append(answer.text)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    is_loaded = False
    for _ in range(60):
        if rng.random() < 0.5:
            answer = load(server, "sql", folders[rng.choice(["sql", "law", "poem"])], load_inplace=True)
        elif is_loaded:
            unload = {"json": {"lora_name": "law"}, "headers": HEADERS}
            answer, is_loaded = server.http.post("/v1/unload_lora_adapter", **unload), False
        else:
            answer, is_loaded = load(server, "law", folders["law"]), True
        assert answer.status_code == 200, answer.text
        time.sleep(0.02)
    ended.set()
    for thread in threads:
        thread.join()
    assert not wrong
    under = {name: {text for each, text in found if each == name} for name in ("sql", "law", "stdlib")}
    assert under["stdlib"] == {expected["stdlib"][0]} and under["law"] <= {expected["law"][0]}
    assert under["sql"] <= {expected[name][0] for name in ("sql", "law", "poem")} and len(under["sql"]) > 1


def test_files_that_break_after_they_were_loaded(
    server: Running, folders: dict[str, Path], expected: dict[str, list[str]], tmp_path: Path
) -> None:
    """Its own requests fail with the reason; others go on, and so does it when the files are good again."""
    path = shutil.copytree(folders["law"], tmp_path / "law")
    assert load(server, "law", path).status_code == 200
    (path / "adapter_config.json").rename(tmp_path / "kept")
    (path / "adapter_config.json").write_text("{")
    answer = server.http.post("/v1/completions", json={"model": "law", "prompt": PROMPTS, **GREEDY})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (500, "invalid_adapter") and "adapter_config.json" in error["message"]
    assert texts(server, "sql") == expected["sql"]
    (tmp_path / "kept").replace(path / "adapter_config.json")
    assert texts(server, "law") == expected["law"]


@pytest.mark.long
def test_adapters_stay_when_the_engine_is_restarted(folders: dict[str, Path], expected: dict[str, list[str]]) -> None:
    llm = AsyncLLM(STDLIB_LM, engine_process=True, restart_engine=True, **SETTINGS)
    with Running(llm, admin_key=ADMIN, lora_modules=[f"sql={folders['sql']}"]) as server:
        assert load(server, "law", folders["law"]).status_code == 200
        process = llm._client._transport._process  # type: ignore[attr-defined]
        os.kill(process.pid, signal.SIGKILL)
        until(lambda: not process.is_alive() and server.http.get("/health").status_code == 503)
        until(lambda: server.http.get("/health").status_code == 200)
        for name in ("law", "sql", "stdlib"):
            assert texts(server, name) == expected[name]
        assert load(server, "sql", folders["poem"], load_inplace=True).status_code == 200
        assert texts(server, "sql") == expected["poem"]
        unload = {"json": {"lora_name": "law"}, "headers": HEADERS}
        assert server.http.post("/v1/unload_lora_adapter", **unload).status_code == 200


def test_serve(folders: dict[str, Path], tmp_path: Path) -> None:
    """The command, with an engine in a process of its own; a broken adapter is one line and status 2."""
    words = [sys.executable, "-m", "torchpaged", "serve", str(STDLIB_LM), "--port", "0", "--num-blocks", "60"]
    process = subprocess.Popen([*words, "--lora", f"sql={folders['sql']}"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        address = next(line.split(" at ")[1].strip() for line in process.stderr if " at http://127.0.0.1:" in line)
        cards = httpx.get(f"{address}/models", timeout=60).json()["data"]
        assert [(each["id"], each["parent"]) for each in cards] == [(str(STDLIB_LM), None), ("sql", str(STDLIB_LM))]
        process.terminate()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
    result = subprocess.run([*words, "--lora", f"sql={tmp_path}"], capture_output=True, text=True, timeout=600)
    assert result.returncode == 2 and "there is no file adapter_config.json in it" in result.stderr.splitlines()[-1]


def test_metrics_name_the_adapters_that_run_and_wait(folders: dict[str, Path]) -> None:
    with LLM(STDLIB_LM, **{**SETTINGS, "max_loras": 1}) as llm:
        for number, name in enumerate(("sql", "law", "sql"), start=1):
            request = LoRARequest(name, 1 + (name == "law"), str(folders[name]))
            llm.engine.add_request(str(number), PROMPTS[0], SamplingParams(**GREEDY), lora_request=request)
        llm.engine.add_request("none", PROMPTS[0], SamplingParams(**GREEDY))
        llm.engine.step()
        values = {each.name: each for each in llm.get_metrics()}
        labels = values["vllm:lora_requests_info"].labels
        assert (labels["max_lora"], labels["model_name"]) == ("1", "stdlib")
        assert (labels["running_lora_adapters"], labels["waiting_lora_adapters"]) == ("sql", "law,sql")
        while llm.engine.has_unfinished_requests:
            llm.engine.step()
        values = {each.name: each for each in llm.get_metrics()}
        labels = values["vllm:lora_requests_info"].labels
        assert labels["running_lora_adapters"] == labels["waiting_lora_adapters"] == ""
        counts = [values[f"torchpaged:adapter_{name}"] for name in ("hits", "misses", "reads")]
        assert sum(each.value for each in counts[:2]) >= 2 and counts[2].value >= 2  # type: ignore[attr-defined]
    names = [each.name for each in LLM(STDLIB_LM, num_blocks=20, use_tqdm_on_load=False).get_metrics()]
    assert not [name for name in names if "lora" in name or "adapter" in name]


def test_a_prefix_is_pinned_for_an_adapter(folders: dict[str, Path]) -> None:
    llm = AsyncLLM(STDLIB_LM, **SETTINGS)
    with Running(llm, admin_key=ADMIN, lora_modules=[f"sql={folders['sql']}"]) as server:
        prefix = "import os\n" * 20
        body = {"model": "sql", "prompt": prefix}
        pinned = server.http.post("/v1/prefixes", json=body, headers=HEADERS)
        assert pinned.status_code == 200, pinned.text

        def cached(model: str) -> int:
            answer = server.http.post("/v1/completions", json={"model": model, "prompt": prefix, "max_tokens": 1})
            return int(answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"])

        assert cached("sql") >= pinned.json()["num_tokens"] - 16 > 0 and cached("stdlib") == 0
        server.http.delete(f"/v1/prefixes/{pinned.json()['name']}", headers=HEADERS)
        assert server.http.post("/v1/prefixes", json={**body, "model": "law"}, headers=HEADERS).status_code == 404


def test_commands(
    folders: dict[str, Path], expected: dict[str, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`generate` and `run-batch` under several adapters."""
    words = ["--dtype", "float32", "--num-blocks", "200", "--max-lora-rank", "8", "--quiet"]
    words += [word for name in ("sql", "law") for word in ("--lora", f"{name}={folders[name]}")]
    names = ["sql", "law", None]
    prompts, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    prompts.write_text("".join(json.dumps({"prompt": PROMPTS[0], "lora": name}) + "\n" for name in names))
    given = ["--prompts", str(prompts), "--output", str(out), "--max-tokens", "12"]
    assert cli.main(["generate", str(STDLIB_LM), *given, *words]) == 0
    found = [json.loads(line)["completion"] for line in out.read_text().splitlines()]
    assert found == [expected[name or "stdlib"][0] for name in names]
    lines = [
        {
            "custom_id": name,
            "method": "POST",
            "url": "/v1/completions",
            "body": {"model": name, "prompt": PROMPTS[0], **GREEDY},
        }
        for name in ("sql", "law", "base", "lwa")
    ]
    prompts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    batch = ["-i", str(prompts), "-o", str(tmp_path / "batch.jsonl"), "--served-model-name", "base"]
    assert cli.main(["run-batch", str(STDLIB_LM), *batch, *words, "--no-engine-process"]) == 2
    assert "1 of 4 requests failed: there is no model 'lwa'" in capsys.readouterr().err
    answers = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text().splitlines()]
    bodies = {each["custom_id"]: each["response"]["body"] for each in answers}
    for name in ("sql", "law", "base"):
        assert bodies[name]["choices"][0]["text"] == expected["stdlib" if name == "base" else name][0]


def test_a_benchmark_under_adapters(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Requests take the adapters in turn."""
    added: list[str | None] = []
    add = LLMEngine.add_request

    def noted(self: Any, *args: Any, lora_request: LoRARequest | None = None, **more: Any) -> None:
        added.append(None if lora_request is None else lora_request.lora_name)
        add(self, *args, lora_request=lora_request, **more)

    monkeypatch.setattr(LLMEngine, "add_request", noted)
    words = [
        "bench",
        "latency",
        str(STDLIB_LM),
        "--quiet",
        "--num-blocks",
        "60",
        "--input-len",
        "6",
        "--output-len",
        "4",
    ]
    words += ["--batch-size", "3", "--num-iters", "1", "--num-iters-warmup", "0", "--max-lora-rank", "8"]
    assert cli.main([*words, *(word for name in ("sql", "law") for word in ("--lora", f"{name}={folders[name]}"))]) == 0
    assert added == ["sql", "law", "sql"] and "for 3 requests of 6 + 4 tokens" in capsys.readouterr().out


def test_an_evaluation(folders: dict[str, Path]) -> None:
    pytest.importorskip("lm_eval")
    from torchpaged.integrations.lm_eval.adapter import TorchPagedLM

    requests = [(("def main", "("), [5, 6], [7, 8])]
    settings = {"dtype": "float32", "num_blocks": 60, "max_lora_rank": 8}
    plain, under = (
        TorchPagedLM(str(STDLIB_LM), lora_local_path=path, **settings)._loglikelihood_tokens(requests, True)
        for path in (None, str(folders["law"]))
    )
    assert plain[0][0] != under[0][0]
