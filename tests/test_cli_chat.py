"""`torchpaged chat` and `generate --stream`: incremental texts, Ctrl-C stops an answer, an option per parameter."""

from __future__ import annotations

import dataclasses
import inspect
import io
import json
import select
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests import models
from torchpaged import LLM, SamplingParams, cli
from torchpaged.errors import InputError
from torchpaged.serving.options import ServeOptions
from torchpaged.tools import arguments, chat
from torchpaged.tools.generate import Teller
from torchpaged.utils import dataclass_flags

ROOT = Path(__file__).resolve().parent.parent
MODEL = str(models.STDLIB_LM)
TEMPLATE = "{% for m in messages %}# {{ m.role }}\n{{ m.content }}\n{% endfor %}# assistant\n"
FLAGS = ["--model", MODEL, "--dtype", "float32", "--num-blocks", "120", "--block-size", "4", "--temperature", "0"]


@pytest.fixture
def template(tmp_path: Path) -> str:
    path = tmp_path / "template.jinja"
    path.write_text(TEMPLATE)
    return str(path)


def say(text: str, *words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return cli.main(["chat", *FLAGS, "--max-tokens", "5", "--ignore-eos", *words])


# --- A conversation ---------------------------------------------------------------------------------------


def test_a_conversation_and_a_second_one(
    template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers are `LLM.chat`'s; the second turn finds the first, and /reset forgets."""
    spoken = "import os\n\ndef main(\n/reset\nimport os\n/colour\n/exit now\nnever asked\n"
    assert say(spoken, "--chat-template", template, "--system", "Be short.", monkeypatch=monkeypatch) == 0
    out, err = capsys.readouterr()
    llm = LLM(MODEL, dtype="float32", num_blocks=120, block_size=4, chat_template=TEMPLATE)
    params = SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
    talk = [{"role": "system", "content": "Be short."}]
    answers = []
    for line in ("import os", "def main("):
        talk.append({"role": "user", "content": line})
        answers.append(llm.chat(talk, params, use_tqdm=False)[0].outputs[0].text)
        talk.append({"role": "assistant", "content": answers[-1]})
    assert out == f"{answers[0]}\n{answers[1]}\n{answers[0]}\n"
    took = [line for line in err.splitlines() if "cached" in line]
    assert len(took) == 3 and " 0 cached; 5 tokens" in took[0]
    assert int(took[1].split(" cached")[0].split()[-1]) >= int(took[0][1:].split()[0]) - 4
    assert "[begun anew]" in err and "there is no command /colour: /reset begins anew" in err


def test_commands_of_a_conversation(
    template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """/retry answers the last message again, /system changes the prompt, /save writes the conversation."""
    saved = tmp_path / "talk.json"
    first = f"/retry\n/system\n/save\nimport os\n/retry\n/save {saved}\n/help\n"
    second = f"/system Be brief.\n/system\n/retry\n/save {saved}\n/save {template}\n/save {tmp_path}/no/x\n"
    assert say(first + second, "--chat-template", template, monkeypatch=monkeypatch) == 0
    out, err = capsys.readouterr()
    answers = out.splitlines()
    llm = LLM(MODEL, dtype="float32", num_blocks=120, block_size=4, chat_template=TEMPLATE)
    params = SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)
    asked = [{"role": "user", "content": "import os"}]
    briefly = [{"role": "system", "content": "Be brief."}, *asked]
    plain, brief = (each.outputs[0].text for each in llm.chat([asked, briefly], params, use_tqdm=False))
    assert out == f"{plain}\n{plain}\n{brief}\n", answers
    assert json.loads(saved.read_text()) == {"messages": [*briefly, {"role": "assistant", "content": brief}]}
    for said in (
        "[there is no message yet]",
        "[there is no system prompt]",
        "[/save FILE.json: name a file]",
        f"[2 messages are in {saved}]",
        "[the system prompt is: Be brief.]",
        f"[3 messages are in {saved}]",
        f"[{template} exists already; name another file]",
        "No such file",
    ):
        assert said in err, err
    for command in chat.COMMANDS:
        assert f"\n{command} " in err.replace("[/help", "\n/help"), command


def test_an_answer_ends_with_the_context(
    template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("import os\n"))
    words = ["--chat-template", template, "--max-model-len", "24", "--ignore-eos", "--quiet"]
    assert cli.main(["chat", *FLAGS, *words]) == 0
    assert capsys.readouterr().err == ("[the answer ends here: the context of 24 tokens is full; /reset begins anew]\n")


def test_how_a_chat_samples_is_said(
    template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Printed once, at the start, if the checkpoint names no parameters; --generation-config vllm uses vLLM's."""
    words = [each for each in FLAGS if each not in ("--temperature", "0")]
    for more, says in (([], True), (["--generation-config", "vllm"], False), (["--quiet"], False)):
        monkeypatch.setattr(sys, "stdin", io.StringIO("import os\nimport sys\n"))
        assert cli.main(["chat", *words, "--chat-template", template, "--max-tokens", "2", *more]) == 0
        said = capsys.readouterr().err
        assert said.count("chats sample with temperature 0.8, top_k 40, top_p 0.95, min_p 0.05") == says
    assert cli.main(["chat", *words, "--generation-config", "mine"]) == 2
    assert "generation_config is 'mine', expected one of auto, ignore" in capsys.readouterr().err


def test_what_cannot_be_answered(
    template: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error is printed, and the conversation continues without the message."""
    spoken = "x " * 400 + "\nimport os\n"
    words = ["--chat-template", template, "--max-model-len", "64", "--quiet"]
    assert say(spoken, *words, monkeypatch=monkeypatch) == 0
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and "max_model_len is 64" in err and "/reset begins anew" in err
    assert len(out.splitlines()) >= 1


def test_without_a_template_or_with_several_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say("import os\n", monkeypatch=monkeypatch) == 0
    assert "the tokenizer has no chat template" in capsys.readouterr().err
    assert say("", "-n", "2", monkeypatch=monkeypatch) == 2
    assert "chat: -n 2: expected 1" in capsys.readouterr().err
    assert say("", "--chat-template", "no-such-file", monkeypatch=monkeypatch) == 2
    assert "expected a Jinja template or a file with one" in capsys.readouterr().err


def test_ctrl_c_stops_the_answer_and_not_the_program(template: str) -> None:
    """During an answer, and at the prompt; the process then continues to answer and ends normally."""
    words = [sys.executable, "-u", "-m", "torchpaged.cli", "chat", *FLAGS, "--chat-template", template, "--ignore-eos"]
    with subprocess.Popen(
        words,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background processes ignore it
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        watch = threading.Timer(600, process.kill)
        watch.start()
        try:
            for _ in range(20):  # an answer may have ended before the signal comes
                process.stdin.write("import os\n")  # a long answer: as many tokens as there is room for
                process.stdin.flush()
                process.stdout.read(1)
                process.send_signal(signal.SIGINT)
                while "stopped" not in (line := process.stderr.readline()) and "/reset begins anew" not in line:
                    assert line, "it ended"
                if "stopped" in line:
                    break
                process.stdin.write("/reset\n")
            assert "stopped" in line
            process.stderr.readline()  # the answer's statistics: no prompt is open from here on
            while process.poll() is None:
                process.send_signal(signal.SIGINT)  # a signal between the answer and the prompt stops nothing
                if select.select([process.stderr], [], [], 1.0)[0]:
                    break
            assert "/reset begins anew" in process.stderr.readline()
            process.stdin.write("/exit\n")
            process.stdin.close()
            assert process.wait() == 0
        finally:
            watch.cancel()


def a_chat() -> chat.Chat:
    """A conversation with no model, for commands that need none."""
    engine = SimpleNamespace(default_params=SamplingParams(), chat_params=SamplingParams())
    return chat.Chat(cast(LLM, SimpleNamespace(engine=engine)), {}, quiet=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_no_ctrl_c_ends_the_program(number: signal.Signals) -> None:
    """At the prompt, also after a Ctrl-C there; the handlers are the command line's."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    lines = iter(
        [lambda: "/help", lambda: signal.raise_signal(signal.SIGINT), lambda: "", lambda: signal.raise_signal(number)]
    )
    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, number)}
    try:
        with pytest.raises(KeyboardInterrupt):
            a_chat().run(lambda: next(lines)())
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert next(lines, None) is None


@pytest.mark.parametrize("name", ["a" * 300, "a\0b", "~no-such-user/x", "/no-such-folder/x", "/dev/full"])
def test_a_name_that_cannot_be_saved_to_loses_nothing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    talk = a_chat()
    talk.messages.append({"role": "user", "content": "a byte that was no UTF-8: \udcff"})
    lines = iter([f"/save {name}", None])
    talk.run(lambda: next(lines))
    assert capsys.readouterr().err.startswith(f"[{name}") and len(talk.messages) == 1


def test_a_conversation_with_a_lone_surrogate_is_saved(tmp_path: Path) -> None:
    talk, path = a_chat(), tmp_path / "talk.json"
    talk.messages.append({"role": "user", "content": "\udcff"})
    lines = iter([f"/save {path}", None])
    talk.run(lambda: next(lines))
    assert json.loads(path.read_text("utf-8")) == {"messages": [{"role": "user", "content": "?"}]}


# --- Texts as they come -----------------------------------------------------------------------------------


def test_streamed_texts_are_whole(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*FLAGS, "--max-tokens", "6", "-n", "2", "--temperature", "0.8", "--seed", "1", "--quiet"]
    prompts = ["--prompt", "import os", "--prompt", "def main(", "--prompt", "x " * 3000]
    assert cli.main(["generate", *words, *prompts, "--stream"]) == 2  # the last prompt is too long
    out = capsys.readouterr().out
    llm = LLM(MODEL, dtype="float32", num_blocks=120, block_size=4)
    params = SamplingParams(n=2, temperature=0.8, seed=1, max_tokens=6)
    wanted = ""
    for number, output in enumerate(llm.generate(["import os", "def main("], params, use_tqdm=False)):
        for completion in output.outputs:
            wanted += f"\n--- prompt {number}, {completion.index + 1} of 2 {'-' * 40}\n{output.prompt}"
            wanted += f"{completion.text}\n({completion.finish_reason})\n"
    assert out.startswith(wanted) and "max_model_len is" in out[len(wanted) :]
    assert cli.main(["generate", *words, *prompts, "--stream", "--output", "x.jsonl"]) == 2
    assert "--stream writes to the screen: leave out --output" in capsys.readouterr().err


def test_later_prompts_wait_for_their_turn(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.fakes import engine
    from torchpaged.tools.generate import steps

    teller, seen = Teller(), []
    params = SamplingParams(temperature=0, max_tokens=3)
    for outputs in steps(engine(tokenizer=None), [(0, [3, 4]), (1, [5, 6])], params):
        teller.tell(outputs)
        seen.append(capsys.readouterr().out)
    assert sum("prompt 0" in each for each in seen) == sum("prompt 1" in each for each in seen) == 1
    assert "".join(seen).index("prompt 0") < "".join(seen).index("(length)") < "".join(seen).index("prompt 1")


# --- Every parameter --------------------------------------------------------------------------------------


def test_every_parameter_is_an_option() -> None:
    """A new field of SamplingParams becomes an option, with its docstring as help."""
    parsed = arguments.parse(["generate", "--model", "m", "--prompt", "x"])
    assert arguments.sampling_params(parsed) == SamplingParams(temperature=0.0, max_tokens=128)
    given = {"n": 2, "top_p": 0.5, "top_k": 3, "min_p": 0.1, "seed": 4, "stop": ["a", "b"], "stop_token_ids": [5, 6]}
    given |= {"max_tokens": 7, "min_tokens": 2, "logprobs": 1, "prompt_logprobs": 0, "presence_penalty": 0.5}
    given |= {"frequency_penalty": 0.25, "repetition_penalty": 1.5, "ignore_eos": True, "best_of": 3}
    words = ["generate", "--model", "m", "--prompt", "x"]
    for name, value in given.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(flag)
        for each in [] if value is True else value if isinstance(value, list) else [value]:
            words += [flag, str(each)]
    assert arguments.sampling_params(arguments.parse(words)) == SamplingParams(**{"temperature": 0.0, **given})  # type: ignore[arg-type]
    words = ["chat", "--model", "m", "--top-k", "3"]
    assert arguments.sampling_given(arguments.parse(words)) == {"top_k": 3}
    assert dataclass_flags.described(SamplingParams).keys() >= given.keys()


@dataclasses.dataclass
class Odd:
    """Fields of every kind.

    Args:
        bias: by token, 100 % of it.
        words, tokens: several
            lines.
    """

    bias: Any = None


@pytest.mark.parametrize("shown", ["as written", "stripped", "none"])
def test_docstrings_of_any_python(monkeypatch: pytest.MonkeyPatch, shown: str) -> None:
    """3.13 strips their indentation, -OO removes them: then options exist without help."""
    before = dataclass_flags.described(SamplingParams)
    assert len(before) > 20
    for kind in (SamplingParams, ServeOptions):
        first, _, more = inspect.cleandoc(kind.__doc__ or "").partition("\n")
        forms = {"stripped": f"{first}\n{more}", "as written": f"{first}\n{textwrap.indent(more, ' ' * 4)}"}
        monkeypatch.setattr(kind, "__doc__", forms.get(shown))
    assert dataclass_flags.described(SamplingParams) == ({} if shown == "none" else before)
    given = arguments.parse(["serve", "m", "--host", "::1"])
    assert given.host == "::1"


def test_kinds_of_fields() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    says = dataclass_flags.described(Odd)
    assert says == {"bias": "by token, 100 %% of it.", "words": "several lines.", "tokens": "several lines."}
    for name, kind in (
        ("bias", "Mapping[int, float] | None"),
        ("words", "Sequence[str] | None"),
        ("tokens", "Sequence[int] | None"),
        ("how", "bool | str"),
        ("whether", "bool"),
        ("more", "Mapping[str, Any] | None"),
    ):
        dataclass_flags.add(parser, name, kind, default=None, help="")
    words = ["--bias", '{"5": -1.5}', "--words", "a", "--words", "b c", "--tokens", "7", "--how", "auto"]
    given = vars(parser.parse_args([*words, "--no-whether", "--more", '{"a": [1]}']))
    assert given == {
        "bias": {5: -1.5},
        "words": ["a", "b c"],
        "tokens": [7],
        "how": "auto",
        "whether": False,
        "more": {"a": [1]},
    }
    assert vars(parser.parse_args(["--how", "true"]))["how"] is True
    for bad in (["--bias", '{"x": 1}'], ["--more", "{"], ["--tokens", "x"]):
        with pytest.raises(SystemExit):
            parser.parse_args(bad)


def test_an_option_of_sampling_that_cannot_be() -> None:
    with pytest.raises(InputError, match=r"unknown option '--top-kk'; did you mean '--top-k'?"):
        arguments.parse(["chat", "--model", "m", "--top-kk", "3"])
