"""The admin key: routes that require it, and the answers to callers without it."""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.fakes import LONG_BLOCKS, LONG_TOKENS, LongModel
from tests.serving.harness import Running, fake, until
from tests.tier_stores import DictStore, read_all
from torchpaged.errors import ConfigError
from torchpaged.serving import admin
from torchpaged.serving.keys import Keys

USER, OTHER, ADMIN = "correct-horse", "battery-staple", "root-of-all-evil"
PREFIX = "fghijklmnopqrstuv"  # four blocks and a letter


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def running(**more: Any) -> Running:
    return fake(api_key=[f"alice:{USER}", f"bob:{OTHER}"], admin_key=ADMIN, **more)


def test_every_route_and_every_key() -> None:
    """A new route must be listed here; by default routes require a key."""
    open_to_all = {"/health", "/ready", "/ping", "/"}
    for_admins = {
        *("/v1/prefixes", "/v1/prefixes/{name}", "/v1/prefixes/prefetch", "/debug/pool"),
        *("/v1/load_lora_adapter", "/v1/unload_lora_adapter"),
        *(
            "/pause",
            "/resume",
            "/is_paused",
            "/abort_requests",
            "/reset_prefix_cache",
            "/sleep",
            "/wake_up",
            "/is_sleeping",
        ),
        *(
            "/init_weight_transfer_engine",
            "/shutdown_weight_transfer_engine",
            "/start_weight_update",
            "/update_weights",
        ),
        *("/finish_weight_update", "/update_weight_version", "/weight_info", "/get_world_size"),
    }
    with running() as server:
        routes = server.server.service._routes().openapi()["paths"]
        assert for_admins <= routes.keys()
        for path, methods in [*routes.items(), ("/openapi.json", ["get"]), ("/nowhere", ["get"])]:
            for method in methods:
                asked = re.sub(r"\{.*\}", "x", path)

                def status(headers: dict[str, str], method: str = method, asked: str = asked) -> int:
                    return server.http.request(method.upper(), asked, headers=headers).status_code

                anybody = [status({}), status(bearer("wrong-horse")), status({"Authorization": ADMIN})]
                user, chief = status(bearer(USER)), status(bearer(ADMIN))
                assert 401 not in (user, chief) and chief != 403, path
                if path in open_to_all:
                    assert 401 not in anybody
                else:
                    assert anybody == [401, 401, 401], path
                assert (user == 403) == (path in for_admins), path
        # Other ways to write a path lead nowhere else.
        for path in (
            "//v1/prefixes",
            "/v1/./prefixes",
            "/v1/prefixes/",
            "/V1/prefixes",
            "/debug/pool/",
            "/debug%2Fpool",
        ):
            for headers in ({}, bearer(USER)):
                found = server.http.get(path, headers=headers, follow_redirects=True).status_code
                assert found in (401, 403, 404), path


def test_without_an_admin_s_key_there_are_no_such_routes() -> None:
    with fake() as server:
        for path in ("/v1/prefixes", "/debug/pool"):
            assert server.http.get(path).status_code == 404
    with fake(admin_key=ADMIN) as server:  # and without a key for other routes
        assert server.http.get("/v1/models").status_code == 200
        answer = server.http.get("/v1/prefixes")
        assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer"
        assert server.http.get("/v1/prefixes", headers=bearer(ADMIN)).status_code == 200


def test_keys() -> None:
    keys = Keys([f"alice:{USER}"], ADMIN)
    assert keys.is_admin(f"Bearer {ADMIN}") and not keys.is_admin(f"Bearer {USER}") and not keys.is_admin(ADMIN)
    assert keys.name_of(f"Bearer {ADMIN}") is None and [*keys.names] == ["alice"]
    assert not Keys([]).is_admin("Bearer ") and not Keys([]).is_admin("")
    for given, admins, says in (([f"alice:{ADMIN}"], ADMIN, "given twice"), ([], "short", "admin has 5 characters")):
        with pytest.raises(ConfigError, match=says):
            Keys(given, admins)


def cached(server: Running, key: str) -> int:
    answer = server.client(key).completions.create(model="fake", prompt=PREFIX + "w", max_tokens=1)
    assert answer.usage is not None and answer.usage.prompt_tokens_details is not None
    return answer.usage.prompt_tokens_details.cached_tokens or 0


def test_a_pin_is_found_by_one_key_until_it_is_let_go() -> None:
    with running(settings={"num_blocks": 31}) as server:
        headers = bearer(ADMIN)
        made = server.http.post("/v1/prefixes", json={"prompt": PREFIX, "key": "alice"}, headers=headers).json()
        assert (made["num_tokens"], made["num_blocks"], made["num_own_blocks"], made["key"]) == (16, 4, 4, "alice")
        longer = server.http.post(
            "/v1/prefixes", json={"prompt": PREFIX + "wxy", "key": "alice"}, headers=headers
        ).json()
        assert (longer["num_tokens"], longer["num_blocks"], longer["num_own_blocks"]) == (20, 5, 1)
        listed = server.http.get("/v1/prefixes", headers=headers).json()
        assert [each["num_own_blocks"] for each in listed["data"]] == [0, 1]
        assert listed["pool"] == {"num_blocks": 30, "num_used_blocks": 5}
        assert cached(server, USER) >= 16 and cached(server, OTHER) == 0
        for name in (made["name"], longer["name"]):
            answer = server.http.delete(f"/v1/prefixes/{name}", headers=headers)
            assert answer.json() == {"name": name, "deleted": True}
        assert server.http.get("/v1/prefixes", headers=headers).json()["data"] == []


def counted(server: Running) -> dict[str, float]:
    """Return the samples of /metrics that are of the prefix cache's tiers, by name and tier."""
    lines = server.http.get("/metrics", headers=bearer(ADMIN)).text.splitlines()
    found = [re.fullmatch(r'torchpaged:prefix_tier_(\w+)\{.*tier="(\w+)".*\} (\S+)', line) for line in lines]
    return {f"{each[1]} {each[2]}": float(each[3]) for each in found if each}


def test_a_prefetched_prefix_is_found_by_its_key_and_counted_by_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    read_all(monkeypatch)
    store, headers = DictStore(), bearer(ADMIN)
    settings = {"num_blocks": 31, "prefix_cache_dir": store, "prefix_cache_write": "through"}
    with running(settings=settings) as server:
        assert cached(server, USER) == 0
        until(lambda: counted(server)["blocks_written_total store"] >= 4)
    with running(settings=settings) as server:
        body = {"prompt": PREFIX, "key": "alice"}
        found = server.http.post("/v1/prefixes/prefetch", json=body, headers=headers).json()
        assert found == {"num_tokens": 17, "num_cached_tokens": 16, "is_pending": False}
        assert counted(server)["blocks_read_total store"] == 4
        assert cached(server, OTHER) == 0 and cached(server, USER) == 16
        assert counted(server)["hits_total pool"] == 16 and counted(server)["hits_total store"] == 0
        assert server.http.post("/reset_prefix_cache", headers=headers).json() == {"success": True}
        assert cached(server, USER) == 16  # now a request itself waits for the store
        figures = counted(server)
        assert figures["hits_total pool"] == figures["hits_total store"] == 16
        assert figures["blocks_read_total store"] == 8 and figures["errors_total store"] == 0
        assert figures["read_bytes_total store"] == 2 * figures["written_bytes_total store"] > 0
        assert figures["read_seconds_total store"] > 0 and "saved_seconds_total store" in figures


def test_prefetching_is_refused_by_name() -> None:
    headers = bearer(ADMIN)
    with running() as server:
        answer = server.http.post("/v1/prefixes/prefetch", json={"prompt": PREFIX, "key": "alice"}, headers=headers)
        assert answer.status_code == 400 and "set prefix_cache_dir" in answer.json()["error"]["message"]
    with running(settings={"prefix_cache_dir": DictStore()}) as server:
        for body, says in (
            ({"prompt": PREFIX}, "key is missing"),
            ({"prompt": PREFIX, "key": "alic"}, "alice"),
            ({"key": "alice"}, "prompt"),
            ({"prompt": PREFIX, "key": "alice", "timeout": 5}, "timeout"),
        ):
            answer = server.http.post("/v1/prefixes/prefetch", json=body, headers=headers)
            assert answer.status_code == 400 and says in answer.json()["error"]["message"], body


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({}, "expected one of them"),
        ({"prompt": PREFIX}, "key is missing"),
        ({"prompt": PREFIX, "key": "alic"}, "there is no key 'alic'; did you mean 'alice'"),
        ({"prompt": "f", "key": "bob"}, "the prefix has 1 tokens"),
        ({"prompt": [99] * 9, "key": "bob"}, "token id 99"),
        ({"prompt": PREFIX, "key": "bob", "ttl": 3}, "unknown field 'ttl'"),
    ],
)
def test_what_is_refused(sent: dict[str, Any], says: str) -> None:
    with running() as server:
        answer = server.http.post("/v1/prefixes", json=sent, headers=bearer(ADMIN))
        assert answer.status_code == 400 and says in answer.json()["error"]["message"]
        assert server.http.delete("/v1/prefixes/pin-9", headers=bearer(ADMIN)).status_code == 400


def test_a_pin_waits_for_a_moment_between_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    with fake(LongModel(), settings={"num_blocks": LONG_BLOCKS}, admin_key=ADMIN) as server:
        body = {"prompt": "fgh", "max_tokens": LONG_TOKENS, "ignore_eos": True}
        busy = threading.Thread(target=server.http.post, args=("/v1/completions",), kwargs={"json": body})
        busy.start()
        until(server.llm.get_num_unfinished_requests)
        asked: Any = {"url": "/v1/prefixes", "json": {"prompt": PREFIX}, "headers": bearer(ADMIN)}
        monkeypatch.setattr(admin, "_PATIENCE", -1.0)
        refused = server.http.post(**asked)
        assert refused.status_code == 409 and "unfinished" in refused.json()["error"]["message"]
        monkeypatch.setattr(admin, "_PATIENCE", 60.0)
        pinned: list[Any] = []
        pinning = threading.Thread(target=lambda: pinned.append(server.http.post(**asked).json()))
        pinning.start()
        asyncio.run(server.llm.abort(list(server.llm._requests._unfinished)))
        pinning.join()
        assert pinned[0]["num_tokens"] == 16
        busy.join()
        server.http.delete("/v1/prefixes/pin-1", headers=bearer(ADMIN))


def test_the_pool_as_a_page() -> None:
    with running() as server:
        server.http.post("/v1/prefixes", json={"prompt": PREFIX, "key": "alice"}, headers=bearer(ADMIN))
        page = server.http.get("/debug/pool", headers=bearer(ADMIN))
        assert page.headers["content-type"].startswith("text/html") and '"pin-1"' in page.text
        server.http.delete("/v1/prefixes/pin-1", headers=bearer(ADMIN))
