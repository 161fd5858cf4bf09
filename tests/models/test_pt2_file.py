"""Damaged and malicious .pt2 files are refused before torch unpacks them, with the reason."""

from __future__ import annotations

import copy
import itertools
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from torchpaged import LLM
from torchpaged.errors import ModelError
from torchpaged.models import pt2_file
from torchpaged.models.model import LayerShape
from torchpaged.models.pt2_file import Record

RECORD = Record(
    device="cpu",
    vocab_size=8,
    dtype="float32",
    layers={0: LayerShape(1, 8, 8), 1: LayerShape(1, 8, 8, sliding_window=4)},
    settings={"block_size": 16, "kv_cache_dtype": "auto", "max_model_len": 64},
    eos_token_ids=[1],
    sampling={"temperature": 0.5},
    fingerprint="of the weights",
)
PROGRAM = "data/aotinductor/model/program.so"


class Tokenizer:
    """Tokenizer that saves files, one in a folder, as one with several chat templates does."""

    def save_pretrained(self, folder: str) -> None:
        (Path(folder) / "tokenizer.json").write_text("{}")
        (Path(folder) / "additional_chat_templates").mkdir()
        (Path(folder) / "additional_chat_templates" / "tool.jinja").write_text("a tool")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a file as torch does, with an invalid program."""
    path = tmp_path / "model.pt2"
    writer = torch._C.PyTorchFileWriter(str(path))
    for name, content in ((PROGRAM, bytes(range(256)) * 2), ("archive_format", b"pt2")):
        writer.write_record(name, content, len(content))
    writer.write_end_of_file()
    pt2_file.add_record(path, RECORD, Tokenizer())
    return path


def change(path: Path, edit: Callable[[dict[str, bytes]], Any]) -> None:
    """Rewrite the archive with other members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    edit(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_what_was_written_is_read(path: Path, tmp_path: Path) -> None:
    assert pt2_file.read_record(str(path)) == RECORD
    assert pt2_file.unpack_tokenizer(str(path), tmp_path / "tokenizer")
    files = {each.relative_to(tmp_path / "tokenizer").as_posix() for each in (tmp_path / "tokenizer").rglob("*.j*")}
    assert files == {"tokenizer.json", "additional_chat_templates/tool.jinja"}


@pytest.mark.parametrize("bits", [(0x10,), pytest.param(tuple(1 << i for i in range(8)), marks=pytest.mark.long)])
def test_every_damaged_byte_is_found(bits: tuple[int, ...], path: Path) -> None:
    """A byte that is not found is never read: zipfile and torch still see the original contents."""
    whole = path.read_bytes()

    def seen() -> tuple[dict[str, bytes], bytes]:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        return members, torch._C.PyTorchFileReader(str(path)).get_record(PROGRAM)

    expected, found = seen(), 0
    for place, bit in itertools.product(range(len(whole)), bits):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        try:
            assert pt2_file.read_record(str(path)) == RECORD
        except ModelError as error:
            assert str(path) in str(error)
            found += 1
            continue
        try:
            assert seen() == expected, f"bit {bit} of byte {place}"
        except RuntimeError:  # torch reads another field than zipfile, and refuses it
            continue
    assert found > sum(map(len, expected[0].values()))


@pytest.mark.parametrize("size", [0, 1, 100, -1, -30])
def test_a_file_that_is_cut_off(size: int, path: Path) -> None:
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ModelError, match="is not a file that `torchpaged export` wrote"):
        LLM(path)


def test_a_damaged_program_is_named(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole.replace(bytes(range(64)), bytes(64), 1))
    with pytest.raises(ModelError, match=r"is damaged: the bytes of .*program\.so are not those that were written"):
        LLM(path)


@pytest.mark.parametrize(
    "name",
    [
        "model/data/aotinductor/model/../../../../escaped",  # torch would follow this path
        "model/torchpaged/tokenizer/../../escaped",  # and our own unpacking this one
        "/tmp/escaped",
        "..\\escaped",
        "C:escaped",
    ],
)
def test_a_name_that_leads_out(name: str, path: Path) -> None:
    change(path, lambda members: members.update({name: b"escaped"}))
    with pytest.raises(ModelError, match="outside of the folder that it is unpacked to"):
        LLM(path)


def test_a_zip_bomb_is_not_unpacked(path: Path, tmp_path: Path) -> None:
    """Neither one of a compressed member, nor one whose members share bytes."""
    bomb = tmp_path / "compressed.pt2"
    bomb.write_bytes(path.read_bytes())
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model/data/zeros", bytes(1 << 20))
    with pytest.raises(ModelError, match="data/zeros is compressed"):
        LLM(bomb)
    with zipfile.ZipFile(path, "a") as archive:
        (member,) = (each for each in archive.infolist() if each.filename.endswith(PROGRAM))
        for number in range(30):
            copied = copy.copy(member)
            copied.filename = f"model/data/{number}"
            archive.filelist.append(copied)
        archive.NameToInfo.update({each.filename: each for each in archive.filelist})
        archive._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"is damaged: it has \d+ bytes, and its members \d+ together"):
        LLM(path)


def test_two_files_of_a_name(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr(f"model/{PROGRAM}", b"another")
    with pytest.raises(ModelError, match=r"program\.so' twice"):
        LLM(path)


def edited(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    """Return an edit for `change` that sets values in the record; None removes one."""

    def edit(members: dict[str, bytes]) -> None:
        name = "model/torchpaged/model.json"
        record = {**json.loads(members[name]), **changes}
        members[name] = json.dumps({key: value for key, value in record.items() if value is not None}).encode()

    return edit


SETTINGS = RECORD.settings
SHAPE = {"num_kv_heads": 1, "head_dim": 8, "head_dim_v": 8, "sliding_window": 0, "attention_chunk_size": 0}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 2}, "has the format 2, expected 3; export it again"),
        ({"format": None}, "has the format None, expected 3"),
        *(({name: None}, f"has no {name}; export it again") for name in Record.__dataclass_fields__),
        ({"device": 3}, "has the device 3, expected a name"),
        ({"vocab_size": "8"}, "has the vocab_size '8', expected a number of tokens"),
        ({"vocab_size": True}, "has the vocab_size True"),
        ({"dtype": "load"}, "has the dtype 'load', expected float32"),
        ({"layers": {}}, "has the layers {}, expected the shape of each layer"),
        ({"layers": {"a": {**SHAPE, "cross": False}}}, "has the layers"),
        ({"layers": {"0": SHAPE}}, "has the layers"),
        ({"layers": {"0": {**SHAPE, "cross": False, "head_dim": -8}}}, "has the layers"),
        ({"settings": {"block_size": 16}}, "expected block_size, kv_cache_dtype and max_model_len"),
        ({"settings": {**SETTINGS, "block_size": "many"}}, "settings of which EngineConfig: block_size is 'many'"),
        ({"settings": {**SETTINGS, "max_model_len": 0}}, "settings of which EngineConfig: max_model_len is 0"),
        ({"sampling": {"temperature": -1}}, "has sampling parameters of which SamplingParams: temperature is -1"),
        ({"eos_token_ids": ["a"]}, "expected a list of tokens"),
        ({"fingerprint": 1}, "expected a text"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_a_record_of_something_else(changes: dict[str, Any], says: str, path: Path) -> None:
    change(path, edited(**changes))
    with pytest.raises(ModelError) as error:
        LLM(path)
    assert says in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize("text", [b"", b"[]", b"\xff", b"{" * 100_000])
def test_a_record_that_is_none(text: bytes, path: Path) -> None:
    change(path, lambda members: members.update({"model/torchpaged/model.json": text}))
    with pytest.raises(ModelError, match=r"is not a file that|expected an object"):
        LLM(path)


def test_a_program_that_torch_cannot_load(path: Path) -> None:
    with pytest.raises(ModelError, match="torch could not load its program"):
        LLM(path)
