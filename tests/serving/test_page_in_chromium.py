"""The page in a browser: a completion, a chat with Markdown, copying, errors in place of the answer, two widths.

ChromeDriver is asked over HTTP, as the WebDriver standard has it. `TORCHPAGED_SCREENSHOTS` names a folder for pictures.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed: pip install 'torchpaged[serve]'")
pytest.importorskip("openai", reason="openai is not installed")

import httpx

from tests.fakes import FakeTokenizer, engine
from tests.ports import free_port
from tests.serving.harness import TEMPLATE, Running, until
from torchpaged import AsyncLLM

DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(DRIVER is None, reason="chromedriver is not installed: apt-get install chromium-driver")

ANSWER = """Here is a *queue* in **Python**:

```python
class Queue:
    def __init__(self, items=()):
        self.items = list(items)  # a long comment, so that the line is wider than a phone's screen is
```

1. `put` appends,
2. `get` takes the first:
   - it raises `IndexError` where there is none

| call | cost |
| --- | --- |
| put | O(1) |
| get | O(n) |

> <img src=x onerror="document.title='broken'"> is text. See [the docs](https://docs.python.org/3/).
"""


class Chatting(FakeTokenizer):
    """A tokenizer whose template concatenates messages and drops characters that are not letters."""

    chat_template = TEMPLATE

    def apply_chat_template(self, messages: Any, **options: Any) -> str:
        return "".join(letter for each in messages for letter in each["content"].lower() if "a" <= letter <= "z")


class Browser:
    """A headless window of Chromium."""

    def __init__(self, folder: str) -> None:
        assert DRIVER is not None
        port = free_port()
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120)
        until(self._listens)
        words = "headless=new no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
        words += f" disable-component-update disable-sync disable-dev-shm-usage user-data-dir={folder}"
        options = {"goog:chromeOptions": {"args": [f"--{word}" for word in words.split()]}}
        session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": options}})
        self._path = f"/session/{session['sessionId']}"

    def _listens(self) -> bool:
        try:
            return self._http.get("/status").status_code == 200
        except httpx.HTTPError:
            return False

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._http.request(method, path, json=body).json()["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def run(self, script: str, *arguments: Any) -> Any:
        """Return the result of a function's body in the page."""
        return self._ask("POST", f"{self._path}/execute/sync", {"script": script, "args": list(arguments)})

    def open(self, url: str, width: int, scheme: str) -> None:
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=False)
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._ask("POST", f"{self._path}/url", {"url": url})

    def _command(self, name: str, **parameters: Any) -> None:
        self._ask("POST", f"{self._path}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def picture(self, name: str) -> None:
        if folder := os.environ.get("TORCHPAGED_SCREENSHOTS"):
            data = self._ask("GET", f"{self._path}/screenshot")
            Path(folder, f"{name}.png").write_bytes(base64.b64decode(data))

    def close(self) -> None:
        try:
            self._ask("DELETE", self._path)
        finally:
            self._driver.terminate()
            self._driver.wait(30)
            self._http.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory() as folder:
        opened = Browser(folder)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    llm = AsyncLLM.from_engine(engine(tokenizer=Chatting()), name="fake")
    with Running(llm) as running:
        yield running


def opened(browser: Browser, server: Running, width: int = 1280, scheme: str = "light") -> None:
    browser.open(f"{server.url}/", width, scheme)
    until(lambda: "tokens of context" in browser.run("return document.getElementById('model').textContent"))


def send(browser: Browser, words: str) -> None:
    browser.run("document.getElementById('words').value = arguments[0]; form.requestSubmit();", words)
    until(lambda: browser.run("return document.getElementById('send').textContent") == "Send")


def stream(*pieces: str) -> str:
    """Return a script that answers the next chat with these pieces, framed as the server does."""
    events = [{"choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    usage = {"prompt_tokens": 20, "completion_tokens": 90, "prompt_tokens_details": {"cached_tokens": 16}}
    events += [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return (
        "const asked = window.fetch; window.fetch = (path, given) => path !== 'v1/chat/completions'"
        f" ? asked(path, given) : Promise.resolve(new Response({json.dumps(text)}));"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_chat_is_rendered(browser: Browser, server: Running, width: int, scheme: str) -> None:
    opened(browser, server, width, scheme)
    browser.picture(f"empty-{width}-{scheme}")
    assert browser.run("return document.getElementById('kind').value") == "chat"
    browser.run(stream(*(ANSWER[at : at + 7] for at in range(0, len(ANSWER), 7))))
    send(browser, "Show me a queue.")
    count = "return document.querySelectorAll('.rendered ' + arguments[0]).length"
    for selector, number in (("pre code", 1), ("ol > li", 2), ("ul > li", 1), ("td", 4), ("strong", 1), ("img", 0)):
        assert browser.run(count, selector) == number, selector
    assert browser.run("return document.title") == "torchpaged"
    assert browser.run("return document.querySelector('.rendered a').rel") == "noopener noreferrer nofollow"
    assert "16 of 20 prompt tokens from cache" in browser.run("return document.querySelector('.told').textContent")
    wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0, "the page scrolls sideways"
    below = "const box = document.getElementById('said'); return box.scrollHeight - box.scrollTop - box.clientHeight"
    assert browser.run(below) < 2, "it follows the answer"
    browser.picture(f"chat-{width}-{scheme}")
    shown = "return document.getElementById('settings').checkVisibility()"
    assert browser.run(shown) is (width > 720), "a phone's screen is for the conversation"
    browser.run("document.getElementById('fold').click()")
    assert browser.run(shown)
    browser.picture(f"settings-{width}-{scheme}")
    copied = "window.copied = []; document.execCommand = () => copied.push(document.activeElement.value) > 0;"
    browser.run(copied + "Object.defineProperty(navigator, 'clipboard', { value: undefined });")
    browser.run("for (const button of document.querySelectorAll('.copy')) button.click();")
    until(lambda: len(browser.run("return window.copied")) == 2)
    code, whole = browser.run("return window.copied")
    assert code.startswith("class Queue:\n    def") and whole == ANSWER
    browser.run("document.getElementById('clear').click()")
    assert browser.run("return document.getElementById('said').childElementCount") == 0


def test_a_completion_of_the_server_s_own(browser: Browser, server: Running) -> None:
    opened(browser, server)
    mode = "const kind = document.getElementById('kind'); kind.value = 'complete';"
    browser.run(mode + "kind.dispatchEvent(new Event('change')); document.getElementById('max_tokens').value = 5;")
    send(browser, "abc")
    answer = server.client().completions.create(model="fake", prompt="abc", max_tokens=5).choices[0].text
    assert browser.run("return document.querySelector('.turn .text:not(.own)').textContent") == answer
    assert "5 tokens" in browser.run("return document.querySelector('.told').textContent")


def test_errors_stand_where_the_answer_would_be(browser: Browser, server: Running) -> None:
    opened(browser, server)
    browser.run("document.getElementById('temperature').value = -1;")
    send(browser, "hello")
    said = browser.run("return document.querySelector('#said .turn:last-child .wrong[role=alert]').textContent")
    assert said.startswith("Error") and "temperature is -1" in said
    assert browser.run("return document.getElementById('words').value") == "hello", "nothing has to be typed again"
    browser.picture("error")


def test_a_server_that_requires_a_key(browser: Browser) -> None:
    llm = AsyncLLM.from_engine(engine(tokenizer=Chatting()), name="fake")
    with Running(llm, api_key=["correct-horse"]) as server:
        browser.open(f"{server.url}/", 1280, "light")
        until(lambda: "API key" in browser.run("return document.getElementById('model').textContent"))
        send(browser, "hello")
        until(lambda: browser.run("return document.querySelectorAll('.wrong').length"))
        assert "requires an API key" in browser.run("return document.querySelector('.wrong').textContent")
        key = "const key = document.getElementById('key'); key.value = 'correct-horse';"
        browser.run(key + "key.dispatchEvent(new Event('change'));")
        until(lambda: "fake, " in browser.run("return document.getElementById('model').textContent"))
        browser.run("sessionStorage.clear()")
        browser.open("about:blank", 1280, "light")  # whose connections to the server end
