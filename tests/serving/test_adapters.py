"""Adapters as models of the server: names, routes to load and unload them, and swaps under load."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import openai

from tests.fakes import LONG_BLOCKS, FakeDecoder, LongModel
from tests.serving.adapted import AdaptedLLM, adapted, write
from tests.serving.harness import Running, fake, until
from torchpaged import PoolerConfig
from torchpaged.errors import ConfigError
from torchpaged.serving.app import Service
from torchpaged.serving.lora_modules import LoRAModulePath, parse_all
from torchpaged.serving.options import ServeOptions

ADMIN = "root-of-all-evil"
HEADERS = {"Authorization": f"Bearer {ADMIN}"}
GREEDY: dict[str, Any] = {"prompt": "fgh", "max_tokens": 4, "ignore_eos": True, "temperature": 0}


def text(server: Running, model: str, **more: Any) -> str:
    answer = server.http.post("/v1/completions", json={"model": model, **GREEDY, **more})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["model"] == model
    return str(told["choices"][0]["text"])


def load(server: Running, name: str, path: object, **more: Any) -> Any:
    body = {"lora_name": name, "lora_path": str(path), **more}
    return server.http.post("/v1/load_lora_adapter", json=body, headers=HEADERS)


def unload(server: Running, name: str, **more: Any) -> Any:
    return server.http.post("/v1/unload_lora_adapter", json={"lora_name": name, **more}, headers=HEADERS)


def listed(server: Running) -> list[tuple[str, str, str | None]]:
    cards = server.http.get("/v1/models").json()["data"]
    return [(each["id"], each["root"], each["parent"]) for each in cards]


def test_load_use_and_unload(tmp_path: Path) -> None:
    llm, server = adapted(admin_key=ADMIN, served_model_name=["base", "other"])
    with server:
        before = text(server, "base")
        answer = load(server, "sql", write(tmp_path, "a", "k"))
        assert (answer.status_code, answer.text) == (200, "Success: LoRA adapter 'sql' added successfully.")
        assert load(server, "law", write(tmp_path, "b", "m")).status_code == 200
        assert (text(server, "sql"), text(server, "law"), text(server, "base")) == ("kkkk", "mmmm", before)
        names = [("base", "fake", None), ("other", "fake", None)]
        adapters = [("sql", str(tmp_path / "a"), "base"), ("law", str(tmp_path / "b"), "base")]
        assert listed(server) == names + adapters
        assert server.http.get("/v1/models/sql").json()["parent"] == "base"
        answer = unload(server, "sql")
        assert (answer.status_code, answer.text) == (200, "Success: LoRA adapter 'sql' removed successfully.")
        assert listed(server) == names + adapters[1:] and llm.letters == {2: "m"}
        missing = server.http.post("/v1/completions", json={"model": "sql", **GREEDY})
        assert missing.status_code == 404 and missing.json()["error"]["code"] == "model_not_found"
        assert "expected 'base' or 'other' or 'law'" in missing.json()["error"]["message"]
        assert server.http.get("/v1/models/sql").status_code == 404
        assert load(server, "sql", tmp_path / "b").status_code == 200  # the name is free again, with a new number
        assert llm.letters == {2: "m", 3: "m"}


def test_the_client_of_openai(tmp_path: Path) -> None:
    _, server = adapted(lora_modules=[f"sql={write(tmp_path, 'a', 'k')}"])
    with server:
        client = server.client()
        assert [each.id for each in client.models.list()] == ["fake", "sql"]
        chunks = client.completions.create(model="sql", prompt=["fgh", "ghi"], max_tokens=3, temperature=0, stream=True)
        texts = {0: "", 1: ""}
        for chunk in chunks:
            assert chunk.model == "sql"
            for choice in chunk.choices:
                texts[choice.index] += choice.text
        assert texts == {0: "kkk", 1: "kkk"}
        messages: Any = [{"role": "user", "content": "fgh"}]
        answer = client.chat.completions.create(model="sql", messages=messages, max_tokens=3, temperature=0)
        assert (answer.model, answer.choices[0].message.content) == ("sql", "kkk")
        response = client.responses.create(
            model="sql", input="fgh", max_output_tokens=16, temperature=0, store=False, extra_body={"ignore_eos": True}
        )
        assert (response.model, response.output_text) == ("sql", "k" * 16)
        with pytest.raises(openai.NotFoundError, match="there is no model 'sq'"):
            client.completions.create(model="sq", prompt="fgh")


def test_every_route_takes_an_adapter_s_name(tmp_path: Path) -> None:
    settings = {"pooler_config": PoolerConfig()}
    _, server = adapted(FakeDecoder(), settings=settings, lora_modules=[f"sql={write(tmp_path, 'a', 'k')}"])
    with server:

        def post(path: str, status: int = 200, **body: Any) -> Any:
            answer = server.http.post(path, json=body)
            assert answer.status_code == status, answer.text
            return answer.json()

        for path in ("/v1/embeddings", "/pooling"):
            plain, under = (post(path, model=name, input="fgh") for name in ("fake", "sql"))
            assert under["model"] == "sql" and plain["data"] != under["data"]
            assert under["data"] == post(path, model="fake", input="fghk")["data"]
        assert post("/invocations", model="sql", **GREEDY)["choices"][0]["text"] == "kkkk"
        assert post("/tokenize", model="sql", prompt="fgh")["tokens"] == [5, 6, 7]
        assert post("/detokenize", model="sql", tokens=[5, 6])["prompt"] == "fg"
        for path, body in (
            ("/v1/embeddings", {"input": "fgh"}),
            ("/pooling", {"input": "fgh"}),
            ("/v1/score", {"text_1": "fgh", "text_2": "ghi"}),
            ("/rerank", {"query": "fgh", "documents": ["ghi"]}),
            ("/classify", {"input": "fgh"}),
            ("/tokenize", {"prompt": "fgh"}),
            ("/detokenize", {"tokens": [5]}),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "fgh"}]}),
            ("/v1/responses", {"input": "fgh"}),
            ("/invocations", {"prompt": "fgh"}),
        ):
            assert post(path, 404, model="law", **body)["error"]["param"] == "model", path


def test_a_name_is_swapped_in_place(tmp_path: Path) -> None:
    llm, server = adapted(admin_key=ADMIN)
    with server:
        load(server, "sql", write(tmp_path, "a", "k"))
        refused = load(server, "sql", write(tmp_path, "b", "m"))
        assert refused.status_code == 400 and refused.json()["error"]["code"] == "adapter_exists"
        assert "set 'load_inplace' to true" in refused.json()["error"]["message"] and text(server, "sql") == "kkkk"
        assert load(server, "sql", tmp_path / "b", load_inplace=True).status_code == 200
        assert text(server, "sql") == "mmmm" and llm.letters == {1: "m"}  # by the same number, as in vLLM
        assert listed(server)[1:] == [("sql", str(tmp_path / "b"), "fake")]
        write(tmp_path, "b", "p")  # the same path, too
        assert load(server, "sql", tmp_path / "b", load_inplace=True).status_code == 200
        assert text(server, "sql") == "pppp"
        assert load(server, "law", tmp_path / "a", load_inplace=True).status_code == 200  # in place of none


def test_fingerprints_are_of_contents(tmp_path: Path) -> None:
    """The same file under two names has one fingerprint, the base model and another version have others."""
    _, server = adapted(admin_key=ADMIN)
    with server:

        def fingerprint(model: str) -> str:
            return str(
                server.http.post("/v1/completions", json={"model": model, **GREEDY}).json()["system_fingerprint"]
            )

        path = write(tmp_path, "a", "k")
        load(server, "sql", path)
        load(server, "law", path)
        base, first = fingerprint("fake"), fingerprint("sql")
        assert first == fingerprint("law") != base and first.startswith("fp_") and len(first) == len(base)
        load(server, "sql", write(tmp_path, "b", "m"), load_inplace=True)
        assert fingerprint("sql") not in (first, base) and fingerprint("law") == first


class SlowModel(LongModel):
    """A model on which a request of 400 tokens takes 40 seconds, unless it is hurried."""

    seconds = 0.1

    def forward(self, *args: Any) -> Any:
        time.sleep(self.seconds)
        return super().forward(*args)


def test_a_swap_under_load_neither_waits_nor_changes_requests_under_way(tmp_path: Path) -> None:
    model = SlowModel()
    llm, server = adapted(model, settings={"num_blocks": LONG_BLOCKS}, admin_key=ADMIN)
    found: dict[int, str] = {}

    def ask(number: int) -> None:
        found[number] = text(server, "sql", max_tokens=400)

    with server:
        load(server, "sql", write(tmp_path, "a", "k"))
        early = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
        for thread in early:
            thread.start()
        until(lambda: llm.get_num_unfinished_requests() == 3)
        llm.gate.clear()  # the load takes its time
        write(tmp_path, "b", "m")
        swap = threading.Thread(target=load, args=(server, "sql", tmp_path / "b"), kwargs={"load_inplace": True})
        swap.start()
        until(lambda: server.server.service.state.adapters._changing.locked())
        assert text(server, "sql") == "kkkk"  # meanwhile requests come and go under the old one
        assert not found
        llm.gate.set()
        swap.join()
        assert not found and text(server, "sql") == "mmmm"
        model.seconds = 0.0
        for thread in early:
            thread.join()
        assert found == dict.fromkeys(range(3), "k" * 400)


def test_loads_of_one_name_at_once(tmp_path: Path) -> None:
    llm, server = adapted(admin_key=ADMIN)
    statuses: list[int] = []
    with server:
        path = write(tmp_path, "a", "k")
        llm.gate.clear()
        threads = [
            threading.Thread(target=lambda: statuses.append(load(server, "sql", path).status_code)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        until(lambda: server.server.service.state.traffic.num_open == 4)
        llm.gate.set()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [200, 400, 400, 400] and llm.letters == {1: "k"}


def test_unload_leaves_requests_under_way_alone(tmp_path: Path) -> None:
    model, modules = SlowModel(), [f"sql={write(tmp_path, 'a', 'k')}"]
    llm, server = adapted(model, settings={"num_blocks": LONG_BLOCKS}, admin_key=ADMIN, lora_modules=modules)
    found: list[str] = []
    with server:
        thread = threading.Thread(target=lambda: found.append(text(server, "sql", max_tokens=400)))
        thread.start()
        until(llm.get_num_unfinished_requests)
        assert unload(server, "sql", lora_int_id=2).status_code == 404
        assert unload(server, "sql", lora_int_id=1).status_code == 200 and not found
        model.seconds = 0.0
        thread.join()
        assert found == ["k" * 400]


@pytest.mark.parametrize(
    ("sent", "status", "param", "says"),
    [
        ({"lora_name": "law", "lora_path": "empty"}, 400, "lora_path", "there is no file letter in it"),
        ({"lora_name": "law", "lora_path": "nowhere"}, 404, "lora_path", "nothing is downloaded"),
        ({"lora_name": "law", "lora_path": "a" * 5000}, 404, "lora_path", "no such folder or file"),
        ({"lora_name": "law", "lora_path": "a\0b"}, 404, "lora_path", "no such folder or file"),
        ({"lora_name": "law", "lora_path": "~nobody-here/a"}, 404, "lora_path", "no such folder or file"),
        ({"lora_name": "law", "lora_path": "\ud800"}, 404, "lora_path", "no such folder or file"),
        ({"lora_name": "law", "lora_path": "meta-llama/adapter"}, 404, "lora_path", "no such folder or file"),
        ({"lora_name": "fake", "lora_path": "a"}, 400, "lora_name", "the model's own name"),
        ({"lora_name": " ", "lora_path": "a"}, 400, "lora_name", "lora_name is empty"),
        ({"lora_name": "a\nb", "lora_path": "a"}, 400, "lora_name", "expected at most 128 printable characters"),
        ({"lora_name": "a" * 129, "lora_path": "a"}, 400, "lora_name", "expected at most 128 printable characters"),
        ({"lora_name": "law", "lora_path": ""}, 400, "lora_path", "lora_path is empty"),
        ({"lora_name": "law"}, 400, "lora_path", "lora_path is missing"),
        ({"lora_name": 7, "lora_path": "a"}, 400, "lora_name", "string"),
        ({"lora_name": "sql", "lora_path": "empty", "load_inplace": True}, 400, "lora_path", "no file letter"),
        ({"lora_name": "law", "lora_path": "a", "load_in_place": True}, 400, "load_in_place", "did you mean"),
    ],
)
def test_a_refused_load_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: dict[str, Any], status: int, param: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a", "k")
    (tmp_path / "empty").mkdir()
    llm, server = adapted(admin_key=ADMIN, lora_modules=["sql=a"])
    with server:
        before = listed(server)
        headers = {**HEADERS, "Content-Type": "application/json"}
        answer = server.http.post("/v1/load_lora_adapter", content=json.dumps(sent), headers=headers)
        error = answer.json()["error"]
        assert (answer.status_code, error["param"]) == (status, param) and says in error["message"]
        assert listed(server) == before and llm.letters == {1: "k"} and text(server, "sql") == "kkkk"


def test_a_long_list_of_names_is_not_told(tmp_path: Path) -> None:
    path = write(tmp_path, "a", "k")
    _, server = adapted(lora_modules=[f"adapter-{number}={path}" for number in range(20)])
    with server:
        for name, says in (("adapter-99", "did you mean 'adapter-"), ("law", "; /v1/models lists them")):
            answer = server.http.post("/v1/completions", json={"model": name, **GREEDY})
            assert answer.status_code == 404 and says in answer.json()["error"]["message"]


def test_unload_of_an_unknown_name() -> None:
    _, server = adapted(admin_key=ADMIN)
    with server:
        answer = unload(server, "sql")
        assert answer.status_code == 404 and "'sql' cannot be found" in answer.json()["error"]["message"]


def test_without_an_admin_s_key_nothing_can_be_loaded(tmp_path: Path) -> None:
    with fake() as server:
        assert load(server, "sql", tmp_path).status_code == 404
        assert "/v1/load_lora_adapter" not in server.http.get("/openapi.json").json()["paths"]


def test_an_engine_without_adapters_says_how_to_have_them(tmp_path: Path) -> None:
    with fake(admin_key=ADMIN) as server:
        answer = load(server, "sql", tmp_path)
        assert answer.status_code == 400 and "enable_lora=True; on the command line --enable-lora" in answer.text


def test_openapi_has_the_routes() -> None:
    with fake(admin_key=ADMIN) as server:
        schema = server.http.get("/openapi.json", headers=HEADERS).json()
        for path, body in (("load", "LoadAdapterBody"), ("unload", "UnloadAdapterBody")):
            route = schema["paths"][f"/v1/{path}_lora_adapter"]["post"]
            assert route["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith(body)
            assert {"200", "400", "401", "404"} <= route["responses"].keys()


def test_a_start_with_a_broken_adapter_fails(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for given, says in (
        (f"sql={tmp_path / 'empty'}", r"--lora sql=.*: there is no file letter"),
        ("sql=/nowhere", "--lora sql=/nowhere: .* no such folder"),
        ('{"name": "sql", "path": "/", "base_model_name": "big"}', "base_model_name is 'big', expected 'fake'"),
    ):
        with pytest.raises(ConfigError, match=says):
            adapted(lora_modules=[given])
        assert not AdaptedLLM.letters


def test_a_server_is_made_inside_a_running_loop(tmp_path: Path) -> None:
    """As Ray Serve does."""
    llm, server = adapted()

    async def make() -> Service:
        return Service(llm, ServeOptions(lora_modules=[f"sql={write(tmp_path, 'a', 'k')}"]))

    assert [each.lora_name for each in asyncio.run(make()).state.adapters] == ["sql"] and llm.letters == {1: "k"}
    with server:
        pass


def test_adapters_of_options() -> None:
    assert parse_all(["a=b", '{"name": "c", "path": "d=e", "base_model_name": "f"}', "g=h=i"]) == [
        LoRAModulePath("a", "b"),
        LoRAModulePath("c", "d=e", "f"),
        LoRAModulePath("g", "h=i"),
    ]
    for given, says in (
        ("sql", "expected NAME=PATH"),
        ("=a", "expected NAME=PATH"),
        ("sql=", "expected NAME=PATH"),
        ("{", "is not JSON"),
        ('{"name": "a"}', "expected NAME=PATH"),
        ('{"name": "a", "path": 3}', "expected NAME=PATH"),
        ('{"name": "a", "path": "b", "pat": 3}', "has 'pat', expected name, path"),
    ):
        with pytest.raises(ConfigError, match=says):
            ServeOptions(lora_modules=[given])
    with pytest.raises(ConfigError, match="the name 'a' is given twice"):
        ServeOptions(lora_modules=["a=b", "a=c"])
