"""A trainer's routes over HTTP, under vLLM's paths."""

from __future__ import annotations

import copy
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests import models
from tests.ports import free_port
from tests.serving.harness import Running, until
from tests.training.versions import Versions, versions
from torchpaged import LLM, AsyncLLM
from torchpaged.weights.transfer import SharedWeights, WeightSender

ADMIN = "root-of-all-evil"
CHIEF = {"Authorization": f"Bearer {ADMIN}"}
PROMPT = models.prompts([21], seed=3)[0]


def running(known: Versions) -> Running:
    engine = LLM(known.model, num_blocks=80).engine
    return Running(AsyncLLM.from_engine(engine, name="tiny"), admin_key=ADMIN)


def post(server: Running, path: str, body: Any = None, **query: Any) -> Any:
    answer = server.http.post(path, json=body, params=query, headers=CHIEF)
    assert answer.status_code == 200, answer.text
    return answer.json()


def get(server: Running, path: str) -> Any:
    return server.http.get(path, headers=CHIEF).json()


def complete(server: Running, **more: Any) -> Any:
    body = {"model": "tiny", "prompt": PROMPT, "max_tokens": 6, "temperature": 0, "ignore_eos": True, **more}
    answer = server.http.post("/v1/completions", json={**body, "return_token_ids": True})
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]


def test_pauses_and_sleep() -> None:
    with running(versions()) as server:
        whole = complete(server)
        assert "weight_versions" not in whole
        assert get(server, "/is_paused") == {"is_paused": False}
        assert post(server, "/pause", mode="keep", clear_cache=False) == {"status": "paused"}
        assert get(server, "/is_paused") == {"is_paused": True}
        found: list[Any] = []
        late = threading.Thread(target=lambda: found.append(complete(server)))
        late.start()
        until(lambda: server.llm.get_num_unfinished_requests())
        assert not found
        assert post(server, "/resume") == {"status": "resumed"}
        late.join()
        assert found[0]["token_ids"] == whole["token_ids"]
        assert post(server, "/sleep", level=1, mode="wait") == {"status": "sleeping", "level": 1}
        assert get(server, "/is_sleeping") == {"is_sleeping": True}
        refused = server.http.post("/resume", headers=CHIEF)
        assert refused.status_code == 409 and "asleep" in refused.json()["error"]["message"]
        assert post(server, "/wake_up", tags=["weights"]) == {"status": "sleeping", "tags": ["weights"]}
        assert post(server, "/wake_up") == {"status": "awake", "tags": None}
        assert complete(server)["token_ids"] == whole["token_ids"]
        assert post(server, "/reset_prefix_cache") == {"success": True}
        assert post(server, "/abort_requests", {}) == {"status": "aborted", "aborted": 0}
        for path in ("/pause?mode=stop", "/sleep?level=9", "/wake_up?tags=x", "/pause?clear_cache=maybe"):
            assert server.http.post(path, headers=CHIEF).status_code == 400, path


def test_requests_are_aborted_by_a_pause_or_by_name() -> None:
    with running(versions()) as server:
        for call in (lambda: post(server, "/pause"), lambda: post(server, "/abort_requests", {})):
            found: list[Any] = []

            def long(into: list[Any] = found) -> None:
                into.append(
                    server.http.post("/v1/completions", json={"model": "tiny", "prompt": PROMPT, "max_tokens": 90})
                )

            under_way = threading.Thread(target=long)
            under_way.start()
            until(lambda into=found: server.llm.get_num_unfinished_requests() or into)  # type: ignore[misc]
            call()
            under_way.join()
            post(server, "/resume")
            assert found[0].status_code in (200, 503)


def test_new_weights(tmp_path: Path) -> None:
    known = versions()
    model = copy.deepcopy(known.model)
    with running(known) as server:
        assert get(server, "/weight_info") == {"weight_version": "default"}
        assert get(server, "/get_world_size") == {"world_size": 1}
        seen = [complete(server)["token_ids"]]
        model.load_state_dict(known.weights[1])
        model.save_pretrained(tmp_path)
        body = {"path": str(tmp_path), "version": "from a folder", "reset_running_requests": True}
        assert post(server, "/update_weights", body)["num_tensors"] == len(known.weights[1])
        choice = complete(server)
        assert choice["weight_versions"] == [{"version": "from a folder", "start": 0, "end": 6}]
        seen.append(choice["token_ids"])
        items = list(known.weights[2].items())
        post(server, "/start_weight_update")
        for part in (dict(items[:3]), dict(items[3:])):
            with SharedWeights(part) as shared:
                info = json.loads(json.dumps(shared.update_info))
                assert post(server, "/update_weights", {"update_info": info})["num_tensors"] == len(part)
        assert complete(server)["token_ids"] == seen[-1]
        assert post(server, "/finish_weight_update", {"weight_version": "in parts"})["num_tensors"] == len(items)
        assert get(server, "/weight_info") == {"weight_version": "in parts"}
        seen.append(complete(server)["token_ids"])
        port = free_port()
        made: list[WeightSender] = []
        trainer = threading.Thread(target=lambda: made.append(WeightSender("127.0.0.1", port)))
        trainer.start()
        post(server, "/init_weight_transfer_engine", {"init_info": WeightSender.describe("127.0.0.1", port)})
        trainer.join()
        sent = threading.Thread(target=made[0].send, args=(known.weights[3],))
        sent.start()
        post(server, "/update_weights", {"update_info": made[0].update_info(known.weights[3])})
        sent.join()
        seen.append(complete(server)["token_ids"])
        post(server, "/shutdown_weight_transfer_engine")
        post(server, "/update_weight_version", {"new_version": "last"})
        assert [each["version"] for each in complete(server)["weight_versions"]] == ["last"]
        # Each text is what a fresh engine writes with these weights.
        for number, tokens in enumerate(seen):
            model.load_state_dict(known.weights[number])
            assert models.greedy(model, [PROMPT], 6)[0] == tokens
        model.load_state_dict({name: torch.full_like(each, torch.nan) for name, each in known.weights[1].items()})
        model.save_pretrained(tmp_path)
        refused = server.http.post("/update_weights", json={"path": str(tmp_path)}, headers=CHIEF)
        assert refused.status_code == 400 and "NaN or infinities" in refused.text
        assert post(server, "/update_weights", {"path": str(tmp_path), "allow_non_finite": True})["num_tensors"]
        for bad in ({}, {"path": "x", "update_info": {}}, {"path": 3}, {"path": str(tmp_path), "version": "last"}):
            assert server.http.post("/update_weights", json=bad, headers=CHIEF).status_code == 400, bad


def test_streams_and_chats_name_their_weights() -> None:
    known = versions()
    with running(known) as server:
        post(server, "/update_weight_version", {"new_version": "v"})
        body = {"model": "tiny", "prompt": PROMPT, "max_tokens": 3, "ignore_eos": True, "stream": True}
        lines = server.http.post("/v1/completions", json=body).text.split("\n")
        chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        spans = [choice.get("weight_versions") for chunk in chunks for choice in chunk["choices"]]
        assert spans[-1] == [{"version": "v", "start": 0, "end": 3}] and not any(spans[:-1])
