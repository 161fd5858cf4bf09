"""The page for trying the model: its content, and access to it. Its look is checked by eye."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

from tests.serving.harness import fake


def test_the_page() -> None:
    with fake(api_key=["correct-horse"]) as server:
        answer = server.http.get("/")
        assert server.http.post("/", content=b"x" * 100).status_code == 405
        assert server.http.get("/llm/").status_code == 401
        paths = server.server.service._routes().openapi()["paths"]
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    page = answer.text
    # One file, which contacts only its server, and shows received data as text.
    assert not re.search(r"https?://\w|//cdn|<img|@import|url\(", page) and " src=" not in page
    assert "/* markdown.js */" not in page and "const markdown = " in page
    for label in ("System prompt", "New chat", "Mode", ">completion<", ">chat<", "KV cache", "API key"):
        assert label in page, label
    assert "default-src 'none'" in page and "connect-src 'self'" in page
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|setHTML", page)
    assert not re.search(r"\beval\b|\bFunction\(", page)
    script = page[page.index("<script>") :]
    ids = set(re.findall(r'\bid="([\w-]+)"', page))
    used = set(re.findall(r'\bat\("([\w-]+)"\)', script))
    assert used and used <= ids
    asked = re.findall(r'"((?:v1/|tokenize|debug/)[\w/]*)"', script)
    assert {f"/{path}" for path in asked} - {"/debug/pool"} <= paths.keys() and len(asked) == 6
