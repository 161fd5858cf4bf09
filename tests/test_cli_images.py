"""Images and sounds on the command line: `chat` and `generate`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from transformers.utils import is_torchvision_available

from tests import vision_models
from tests.media.files import bomb, data_url, file_of, wav
from tests.models import STDLIB_LM
from torchpaged import LLM, SamplingParams, cli

TEMPLATE = (
    "{% for m in messages %}{{ m.role }}:{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}"
    "{% if p.type == 'text' %}{{ p.text }}{% else %}<image>{% endif %}{% endfor %}{% endif %};{% endfor %}"
)
FLAGS = ["--num-blocks", "200", "--block-size", "4", "--temperature", "0", "--max-tokens", "5", "--ignore-eos"]
PARAMS = SamplingParams(temperature=0, max_tokens=5, ignore_eos=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tiny llava, with images and a template beside it."""
    path = tmp_path_factory.mktemp("models")
    vision_models.save(vision_models.build("llava"), path / "llava")
    for number in range(2):
        (path / f"{number}.png").write_bytes(file_of(vision_models.image(number)))
    (path / "bomb.png").write_bytes(bomb(60_000, 60_000))
    (path / "text.png").write_text("hello")
    (path / "template.jinja").write_text(TEMPLATE)
    vision_models.save(vision_models.build("qwen2_audio"), path / "audio")
    for number in range(2):
        samples, rate = vision_models.sound(number)
        (path / f"{number}.wav").write_bytes(wav((samples.clip(-1, 1) * 32767).astype("<i2").tobytes(), rate))
    return path


def llava(folder: Path) -> LLM:
    """Load the tiny llava."""
    return LLM(str(folder / "llava"), num_blocks=200, block_size=4, chat_template=TEMPLATE)


def test_a_chat_about_images(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first message has --image, a later one that of /image; what is saved is OpenAI's format."""
    saved = tmp_path / "saved.json"
    said = f"what is it\n/image {folder / '1.png'}\n/image {folder / 'text.png'}\n/image https://a.org/b.png\n/image\n"
    said += f"and this\n/save {saved}\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    flags = [*FLAGS, "--chat-template", str(folder / "template.jinja"), "--image", str(folder / "0.png")]
    assert cli.main(["chat", str(folder / "llava"), *flags]) == 0
    out, err = capsys.readouterr()
    messages = json.loads(saved.read_text())["messages"]
    kinds = [
        [part["type"] for part in each["content"]] if isinstance(each["content"], list) else 0 for each in messages
    ]
    assert kinds == [["image_url", "text"], 0, ["image_url", "text"], 0]
    assert (
        "the next message has 1 image]" in err and "text.png: its 5 bytes are no image" in err and "name a file" in err
    )
    assert "[is the URL https://a.org/b.png, expected a path" in err
    with llava(folder) as llm:
        for end in (1, 3):
            (expected,) = llm.chat(messages[:end], PARAMS, use_tqdm=False)
            assert messages[end]["content"] == expected.outputs[0].text and expected.outputs[0].text in out


def test_completions_of_an_image(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of completions tells images apart by their contents, and does not hold them."""
    output, done = tmp_path / "out.jsonl", []
    with llava(folder) as llm:
        for number in range(2):
            words = ["generate", str(folder / "llava"), *FLAGS, "--prompt", "<image>import", "--prompt", "<image>"]
            words += ["--image", str(folder / f"{number}.png"), "--output", str(output), "--resume", "--quiet"]
            assert cli.main(words) == 0
            lines = [json.loads(line) for line in output.read_text().splitlines()]
            media = {"multi_modal_data": {"image": vision_models.image(number)}}
            expected = llm.generate([{"prompt": each["prompt"], **media} for each in lines], PARAMS, use_tqdm=False)
            assert [each["completion"] for each in lines] == [each.outputs[0].text for each in expected]
            assert [each["prompt"] for each in lines] == ["<image>import", "<image>"]
            done.append({each["key"] for each in lines})
    assert not done[0] & done[1]
    assert cli.main(["generate", str(folder / "llava"), *FLAGS, "--prompt", "x", "--image", str(folder / "0.png")]) == 2
    assert "has 0 placeholders '<image>' and multi_modal_data has 1" in capsys.readouterr().err


def test_a_chat_about_sounds(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, cut = tmp_path / "saved.json", tmp_path / "cut.wav"
    cut.write_bytes((folder / "0.wav").read_bytes()[:-9])
    items = [f"/audio {cut}", f"/image {folder / '0.png'}", f"/audio {folder / '1.wav'}"]
    lines = [*items, "what is it", f"/save {saved}"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
    template = tmp_path / "template.jinja"
    template.write_text(TEMPLATE.replace("<image>", "<|audio_bos|><|AUDIO|><|audio_eos|>"))
    flags = [*FLAGS, "--chat-template", str(template), "--audio", str(folder / "0.wav")]
    assert cli.main(["chat", str(folder / "audio"), *flags]) == 0
    err = capsys.readouterr().err
    assert "cut.wav: its WAV file is truncated" in err and "the next message has 2 sounds]" in err
    assert "[the model reads audio only]" in err
    asked, answer = json.loads(saved.read_text())["messages"]
    assert [each["type"] for each in asked["content"]] == ["input_audio", "input_audio", "text"]
    with LLM(str(folder / "audio"), num_blocks=200, block_size=4, chat_template=str(template)) as llm:
        (expected,) = llm.chat([asked], PARAMS, use_tqdm=False)
        assert answer["content"] == expected.outputs[0].text


def _mp4(path: Path) -> Path:
    """Write a video of eight frames."""
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as file:
        stream = file.add_stream("mpeg4", rate=4)
        stream.width, stream.height = 48, 32
        for frame in vision_models.video(1, 8, 48, 32).frames:
            file.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        file.mux(stream.encode())
    return path


@pytest.mark.skipif(not is_torchvision_available(), reason="videos need torchvision")
def test_a_chat_about_a_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, saved, template = vision_models.build("qwen2_vl"), tmp_path / "saved.json", tmp_path / "template.jinja"
    vision_models.save(made, tmp_path / "model")
    file = _mp4(tmp_path / "a.mp4")
    template.write_text(TEMPLATE.replace("<image>", vision_models.video_placeholder(made)))
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"/video {file}\nwhat is it\n/save {saved}\n"))
    words = ["chat", str(tmp_path / "model"), *FLAGS, "--chat-template", str(template), "--video", str(file)]
    assert cli.main(words) == 0
    asked, answer = json.loads(saved.read_text())["messages"]
    assert [each["type"] for each in asked["content"]] == ["video_url", "video_url", "text"]
    with LLM(str(tmp_path / "model"), num_blocks=200, block_size=4, chat_template=str(template)) as llm:
        (expected,) = llm.chat([asked], PARAMS, use_tqdm=False)
        assert answer["content"] == expected.outputs[0].text


@pytest.mark.parametrize("command", ["chat", "generate"])
def test_a_video_that_cannot_be_read(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Named before the model is loaded; a model that does not read videos, after it."""
    file = folder / "a.mp4"
    file.write_bytes(b"\0\0\0\x20ftypisom" + bytes(20))
    words = [command, str(folder / "llava"), *FLAGS, *(["--prompt", "x"] if command == "generate" else [])]
    assert cli.main([*words, "--video", str(folder / "text.png")]) == 2
    assert "--video" in (err := capsys.readouterr().err) and "its 5 bytes are no video" in err
    monkeypatch.setitem(sys.modules, "av", None)
    assert cli.main([*words, "--video", str(file)]) == 2
    assert "video files need PyAV, which is not installed" in capsys.readouterr().err
    monkeypatch.setattr("torchpaged.media.video.video_from", len)
    assert cli.main([*words, "--video", str(file)]) == 2
    err = capsys.readouterr().err
    assert "--video: the model reads image only; videos are read by some model types, with torchvision" in err


def test_lines_of_a_file_have_images_of_their_own(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are named as prompts may name them; a line that cannot run ends alone, and --resume knows the others."""
    prompts, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    media: list[Any] = [
        {"image": str(folder / "0.png")},
        None,
        {"image": [data_url((folder / "1.png").read_bytes())]},
        {"image": str(folder / "text.png")},
        {"image": "/etc/hostname"},
        ["x"],
    ]
    lines = [{"prompt": "<image>import" if each else "import", "multi_modal_data": each} for each in media]
    prompts.write_text("".join(json.dumps(each) + "\n" for each in lines))
    words = ["generate", str(folder / "llava"), *FLAGS, "--prompts", str(prompts), "--output", str(output), "--quiet"]
    words += ["--allowed-local-media-path", str(folder)]
    assert cli.main(words) == 2
    assert "3 of 6 prompts could not be completed" in capsys.readouterr().err
    found = [json.loads(line) for line in output.read_text().splitlines()]
    errors = [each.get("error", "") for each in found]
    assert "its 5 bytes are no image" in errors[3] and "is no file in the folder" in errors[4]
    assert errors[:3] == ["", "", ""] and "multi_modal_data is ['x'], expected a dictionary" in errors[5]
    with llava(folder) as llm:
        given = [{"image": vision_models.image(0)}, None, {"image": vision_models.image(1)}]
        asked = [{"prompt": line["prompt"], "multi_modal_data": each} for line, each in zip(lines, given, strict=False)]
        outputs = llm.generate(asked, PARAMS, use_tqdm=False)
        assert [each["completion"] for each in found[:3]] == [each.outputs[0].text for each in outputs]
    assert len({each["key"] for each in found}) == 6
    assert cli.main([*words, "--resume"]) == 2, "what was completed is not computed again"
    again = [json.loads(line) for line in output.read_text().splitlines()]
    assert again == found


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bomb.png", "bomb.png: "),
        ("text.png", "text.png: its 5 bytes are no image, expected a file of type PNG"),
        ("nothing.png", "nothing.png: No such file or directory"),
        (".", "Is a directory"),
    ],
)
@pytest.mark.parametrize("command", ["chat", "generate"])
def test_a_file_that_is_no_image(
    folder: Path, command: str, name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before the model is loaded."""
    more = ["--prompt", "x"] if command == "generate" else []
    assert cli.main([command, "/nowhere", *more, "--image", str(folder / name)]) == 2
    err = capsys.readouterr().err
    assert says in err and "--image" in err and err.count("\n") == 1


@pytest.mark.parametrize("command", ["chat", "generate"])
def test_a_value_that_is_no_path(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--prompt", "x"] if command == "generate" else []
    for value, says in (
        ("", "--image: is empty, expected a path"),
        ("https://a.org//b.png", "--image: is the URL https://a.org//b.png, expected a path; download the file first"),
        ("data:image/png;base64,AA//", "--image: is the URL data:image/png;base64,AA//, expected"),
        ("FILE:///tmp/a.png", "--image: is the URL FILE:///tmp/a.png, expected"),
    ):
        assert cli.main([command, "/nowhere", *more, "--image", value]) == 2
        assert says in capsys.readouterr().err


def test_a_model_that_reads_texts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", str(STDLIB_LM), "--num-blocks", "50", "--prompt", "x", "--image", str(folder / "0.png")]
    assert cli.main(words) == 2
    assert "--image: the model reads texts" in capsys.readouterr().err


def test_flags_of_media(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", str(folder / "llava"), *FLAGS, "--prompt", "<image>", "--image", str(folder / "0.png")]
    assert cli.main([*words, "--limit-mm-per-prompt", '{"image": 0}']) == 2
    assert "has 1 items of type image, expected at most 0" in capsys.readouterr().err
    for flags, says in (
        (["--limit-mm-per-prompt", "3"], "expected an object such as"),
        (["--limit-mm-per-prompt", "{"], "is not JSON"),
        (["--limit-mm-per-prompt", '{"image": -1}'], "limit_mm_per_prompt is {'image': -1}"),
        (["--allowed-local-media-path", "/nowhere/at/all"], "allowed_local_media_path is '/nowhere/at/all'"),
        (
            ["--allowed-media-domains", "http://x/y"],
            "allowed_media_domains is ['http://x/y'], expected a list of hosts",
        ),
        (["--max-encoder-tokens", "0"], "max_encoder_tokens is 0"),
    ):
        assert cli.main([*words, *flags]) == 2
        assert says in capsys.readouterr().err, flags


def test_an_image_of_a_served_folder(folder: Path) -> None:
    """`allowed_local_media_path` of `LLM`: a path and a file: URL are the image itself."""
    settings = {"num_blocks": 200, "block_size": 4, "chat_template": TEMPLATE, "allowed_local_media_path": folder}
    with LLM(str(folder / "llava"), **settings) as llm:
        path = folder / "0.png"
        texts = set()
        for each in (path, str(path), f"file://{path}", vision_models.image(0), path.read_bytes()):
            (found,) = llm.generate({"prompt": "<image>", "multi_modal_data": {"image": each}}, PARAMS, use_tqdm=False)
            texts.add(found.outputs[0].text)
        url = {"type": "image_url", "image_url": {"url": f"file://{path}"}}
        (chatted,) = llm.chat([{"role": "user", "content": [url]}], PARAMS, use_tqdm=False)
        assert len(texts) == 1 and chatted.prompt == "user:<image>;"
