"""`--lora NAME=PATH` of the commands: flags, the adapter of each prompt, resumed files, and /lora in a chat."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fakes import FakeTokenizer, engine
from torchpaged import LLMEngine, SamplingParams, cli
from torchpaged.errors import ConfigError, InputError, ModelError
from torchpaged.lora_request import LoRARequest
from torchpaged.tools import arguments, cli_utils
from torchpaged.tools.adapters import Adapters
from torchpaged.tools.chat import Chat
from torchpaged.tools.completion_file import BadPrompt


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, LoRARequest | None]]:
    """The prompts that `generate` computes, each with its adapter, by an engine that has none."""
    found: list[tuple[int, LoRARequest | None]] = []
    add = LLMEngine.add_request

    def add_request(self: Any, name: str, prompt: Any, params: Any, *, lora_request: LoRARequest | None = None) -> None:
        found.append((int(name), lora_request))
        add(self, name, prompt, params)

    def add_lora(request: LoRARequest) -> None:
        if not Path(request.lora_path).exists():
            raise ModelError(f"adapter {request.lora_path!r}: there is no such folder")

    def load(model: str, settings: dict[str, Any]) -> Any:
        assert settings["enable_lora"] is True
        return SimpleNamespace(engine=engine(tokenizer=FakeTokenizer()), add_lora=add_lora)

    monkeypatch.setattr(LLMEngine, "add_request", add_request)
    monkeypatch.setattr(cli_utils, "load_llm", load)
    return found


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """Two adapters."""
    for name in ("sql", "law"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "adapter_model.safetensors").write_text(name)
    return [f"{name}={tmp_path / name}" for name in ("sql", "law")]


def generate(*words: str) -> int:
    return cli.main(["generate", "model", "--quiet", "--max-tokens", "2", *words])


def test_one_adapter_is_for_all_prompts(computed: Any, folders: list[str]) -> None:
    assert generate("--prompt", "fgh", "--prompt", "ghi", "--lora", folders[0]) == 0
    path = folders[0].partition("=")[2]
    assert computed == [(0, LoRARequest("sql", 1, path)), (1, LoRARequest("sql", 1, path))]
    assert computed[0][1].lora_path == path


def test_a_line_names_its_adapter(computed: Any, folders: list[str], tmp_path: Path) -> None:
    prompts = tmp_path / "in.jsonl"
    lines = [{"prompt": "fgh", "lora": "law"}, {"prompt": "fgh", "lora": None}, {"prompt": "fgh", "lora": "sql"}]
    prompts.write_text("\n".join(map(json.dumps, lines)))
    assert generate("--prompts", str(prompts), "--lora", folders[0], "--lora", folders[1], "--stream") == 0
    assert [(number, lora and (lora.lora_name, lora.lora_int_id)) for number, lora in computed] == [
        (0, ("law", 2)),
        (1, None),
        (2, ("sql", 1)),
    ]


@pytest.mark.parametrize(
    ("given", "record", "says"),
    [
        (["a=b", "c=d"], {}, "prompt 0 names no adapter, and --lora gives 2"),
        (["sql=b"], {"lora": "sqll"}, "names the adapter 'sqll', expected one that --lora gives; did you mean 'sql'"),
        (["sql=b"], {"lora": 3}, r"names the adapter 3, expected one that --lora gives \(sql\)"),
        ([], {"lora": "sql"}, "expected one that --lora gives: --lora NAME=PATH"),
    ],
)
def test_a_prompt_without_an_adapter_of_its_own(given: list[str], record: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Adapters(given).of_records([{"prompt": "fgh", **record}])


def test_an_invalid_line_needs_no_adapter() -> None:
    assert Adapters(["a=b", "c=d"]).of_records([{"prompt": BadPrompt("line 1: no JSON")}]) == [None]


def test_a_resumed_run_computes_what_a_replaced_adapter_changes(
    computed: Any, folders: list[str], tmp_path: Path
) -> None:
    prompts, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    lines = [{"prompt": "fgh", "lora": name} for name in ("law", None, "sql")]
    prompts.write_text("\n".join(map(json.dumps, lines)))
    words = ["--prompts", str(prompts), "--output", str(output), "--lora", folders[0], "--lora", folders[1]]
    assert generate(*words) == 0
    computed.clear()
    assert generate(*words, "--resume") == 0 and not computed
    (tmp_path / "law" / "adapter_model.safetensors").write_text("another")
    assert generate(*words, "--resume") == 0 and [number for number, _ in computed] == [0]
    assert [json.loads(line)["lora"] for line in output.read_text().splitlines()] == ["law", None, "sql"]


def test_a_broken_adapter_is_one_line_and_status_2(computed: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate("--prompt", "fgh", "--lora", "sql=/nowhere") == 2
    assert capsys.readouterr().err == "torchpaged: adapter '/nowhere': there is no such folder\n" and not computed
    assert generate("--prompt", "fgh", "--lora", "sql") == 2
    assert "--lora: 'sql', expected NAME=PATH" in capsys.readouterr().err


def test_flags() -> None:
    given = arguments.parse(["serve", "m", "--lora", "a=b", "--lora-modules", "c=d", '{"name": "e", "path": "f"}'])
    assert arguments.serve_options(given).lora_modules == ["a=b", "c=d", '{"name": "e", "path": "f"}']
    assert arguments.engine_settings(given) == {"enable_lora": True}
    given = arguments.parse(["run-batch", "m", "-i", "a", "-o", "b", "--lora", "a=b", "--max-loras", "2"])
    assert arguments.serve_options(given).lora_modules == ["a=b"]
    assert arguments.engine_settings(given) == {"enable_lora": True, "max_loras": 2}
    flags = ["--enable-lora", "--max-lora-rank", "64", "--max-cpu-loras", "9"]
    for command in (["serve", "m"], ["chat", "m"], ["generate", "m", "--prompt", "a"], ["bench", "m"]):
        found = arguments.engine_settings(arguments.parse([*command, *flags]))
        assert found == {"enable_lora": True, "max_lora_rank": 64, "max_cpu_loras": 9}
    assert arguments.serve_options(arguments.parse(["serve", "m"])).lora_modules is None
    with pytest.raises(ConfigError, match="expected NAME=PATH"):
        arguments.serve_options(arguments.parse(["serve", "m", "--lora", "a"]))


class ChattingLLM:
    """An LLM that answers each message with the name of its adapter."""

    def __init__(self) -> None:
        params = SamplingParams(max_tokens=9)
        self.engine = SimpleNamespace(chat_params=params, default_params=params, max_model_len=100)

    def preprocess_chat(self, messages: Any) -> list[Any]:
        """Return a prompt."""
        return [{"prompt_token_ids": [1]}]

    def stream(self, prompt: Any, params: Any, *, lora_request: LoRARequest | None) -> Iterator[Any]:
        """Yield one output."""
        text = "none" if lora_request is None else lora_request.lora_name
        completion = SimpleNamespace(error=None, text=text, token_ids=[2], finish_reason="stop")
        yield SimpleNamespace(outputs=[completion], prompt_token_ids=[1], num_cached_tokens=0)


def reader(*lines: str) -> Callable[[], str | None]:
    rest = iter(lines)
    return lambda: next(rest, None)


def test_a_chat_switches_adapters(capsys: pytest.CaptureFixture[str]) -> None:
    llm: Any = ChattingLLM()
    chat = Chat(llm, {}, adapters=Adapters(["sql=a", "law=b"]).requests, quiet=True)
    chat.run(reader("/lora", "hi", "/lora law", "hi", "/lora none", "hi", "/lora lwa", "hi"))
    out, err = capsys.readouterr()
    assert out.split() == ["sql", "law", "none", "none"] and len(chat.messages) == 8
    assert "[the adapter is: sql, of sql, law, none]" in err and "[the adapter is: law]" in err
    assert "[there is no adapter lwa, expected one of sql, law, none]" in err
    Chat(llm, {}, quiet=True).run(reader("hi", "/lora sql"))
    out, err = capsys.readouterr()
    assert out == "none\n" and "there are no adapters; start with --lora NAME=PATH" in err


def test_help_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("generate", "chat", "serve", "run-batch"):
        with pytest.raises(SystemExit):
            arguments.parse([command, "-h"])
        assert "--lora NAME=PATH" in capsys.readouterr().out, command
