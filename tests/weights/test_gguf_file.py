"""`gguf_file`: files of the `gguf` package are read; anything else is a typed error, before memory is allocated."""

from __future__ import annotations

import random
import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch

from tests.integrations.gguf_files import finish
from torchpaged.errors import ModelError
from torchpaged.weights.gguf_blocks import decode
from torchpaged.weights.gguf_file import Gguf

TENSORS = {
    "token_embd.weight": np.arange(64 * 32, dtype=np.float32).reshape(64, 32),
    "blk.0.attn_q.weight": np.random.default_rng(0).normal(size=(32, 64)).astype(np.float32),
    "blk.0.ffn_gate_exps.weight": np.random.default_rng(1).normal(size=(2, 3, 32)).astype(np.float32),
    "output_norm.weight": np.ones(32, dtype=np.float32),
}


def write(path: Path, tensors: dict[str, np.ndarray] | None = None, **options: Any) -> Path:
    """Write a small file with every kind of field, using the `gguf` package."""
    writer = gguf.GGUFWriter(path, "llama", **options)
    writer.add_uint8("a.u8", 200)
    writer.add_int8("a.i8", -100)
    writer.add_uint16("a.u16", 60_000)
    writer.add_int16("a.i16", -30_000)
    writer.add_uint32("llama.block_count", 1)
    writer.add_int32("a.i32", -5)
    writer.add_uint64("a.u64", 1 << 40)
    writer.add_int64("a.i64", -(1 << 40))
    writer.add_float32("a.f32", 0.5)
    writer.add_float64("a.f64", 0.1)
    writer.add_bool("a.bool", True)
    writer.add_string("a.text", "grüß")
    writer.add_array("a.texts", ["a", "", "ü"])
    writer.add_array("a.numbers", [1, -2, 3])
    writer.add_array("a.floats", [0.5, 1.5])
    for name, values in (TENSORS if tensors is None else tensors).items():
        if name == "blk.0.attn_q.weight":
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, values)
    finish(writer)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("gguf") / "m.gguf")


def test_fields_are_those_that_were_written(whole: Path) -> None:
    file = Gguf(whole)
    assert file.metadata["a.u8"] == 200 and file.metadata["a.i8"] == -100
    assert file.metadata["a.u16"] == 60_000 and file.metadata["a.i16"] == -30_000
    assert file.metadata["a.i32"] == -5 and file.integer("a.u64", most=1 << 50) == 1 << 40
    assert file.metadata["a.i64"] == -(1 << 40) and file.number("a.f64") == 0.1
    assert file.number("a.f32") == 0.5 and file.boolean("a.bool") and file.text("a.text") == "grüß"
    assert file.texts("a.texts") == ["a", "", "ü"]
    assert file.numbers("a.numbers", 3) == [1, -2, 3] and file.numbers("a.floats", 2) == [0.5, 1.5]
    assert file.integer("no.such", 7) == 7 and file.text("general.architecture") == "llama"


def test_tensors_are_those_that_were_written(whole: Path) -> None:
    file = Gguf(whole)
    assert list(file.tensors) == list(TENSORS)
    for name, expected in TENSORS.items():
        info = file.tensors[name]
        assert info.shape == expected.shape
        found = decode(info.block, file.data(info))
        if info.block.name == "Q8_0":
            assert torch.allclose(found.dequantize(), torch.from_numpy(expected), atol=0.02)  # type: ignore[union-attr]
        else:
            assert torch.equal(found.view(info.shape), torch.from_numpy(expected))  # type: ignore[union-attr]
        file.release(info)
        assert torch.equal(file.data(info).clone(), file.data(info)), "released pages are read anew"


def test_parts_of_a_split_file_are_one(tmp_path: Path) -> None:
    write(tmp_path / "m.gguf", split_max_tensors=2)
    first = tmp_path / "m-00001-of-00002.gguf"
    assert first.is_file()
    file = Gguf(first)
    assert sorted(file.tensors) == sorted(TENSORS)
    assert {each.file for each in file.tensors.values()} == {0, 1}
    assert torch.equal(
        decode(file.tensors["output_norm.weight"].block, file.data(file.tensors["output_norm.weight"])),
        torch.ones(1, 32),
    )
    with pytest.raises(ModelError, match="name the first part"):
        Gguf(tmp_path / "m-00002-of-00002.gguf")
    (tmp_path / "m-00002-of-00002.gguf").rename(tmp_path / "away.gguf")
    with pytest.raises(ModelError, match=r"part 'm-00002-of-00002\.gguf' of 2 is missing"):
        Gguf(first)
    first.rename(tmp_path / "other.gguf")
    with pytest.raises(ModelError, match=r"split\.count is 2, expected a file named"):
        Gguf(tmp_path / "other.gguf")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda file: file.integer("no.such"), "no.such missing, expected a whole number from 1"),
        (lambda file: file.integer("a.i32"), "a.i32 is -5, expected a whole number from 1"),
        (lambda file: file.integer("a.f32"), "a.f32 is 0.5, expected a whole number"),
        (lambda file: file.integer("a.bool"), "a.bool is True"),
        (lambda file: file.number("a.text"), "a.text is 'grüß', expected a finite number"),
        (lambda file: file.text("a.u8"), "a.u8 is 200, expected a text"),
        (lambda file: file.texts("a.numbers"), "a.numbers is .*, expected an array of texts"),
        (lambda file: file.numbers("a.numbers", 4), "expected an array of 4 numbers"),
        (lambda file: file.boolean("a.u8"), "expected true or false"),
    ],
)
def test_a_field_of_another_kind_is_an_error(whole: Path, ask: Callable[[Gguf], object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ask(Gguf(whole))


def _patched(whole: Path, path: Path, find: bytes, put: bytes, after: int = 0) -> Path:
    """Write a copy of the file with some bytes changed, `after` bytes from where `find` begins."""
    data = bytearray(whole.read_bytes())
    at = data.index(find) + after
    data[at : at + len(put)] = put
    path.write_bytes(data)
    return path


def _u64(value: int) -> bytes:
    return struct.pack("<Q", value)


Q = b"blk.0.attn_q.weight"
FAULTS: dict[str, tuple[bytes, int, bytes, str]] = {
    "magic": (b"GGUF", 0, b"GGML", "magic is b'GGML'"),
    "version": (b"GGUF", 4, b"\1", "version is 1, expected 2 or 3"),
    "byte order": (b"GGUF", 4, b"\0\0\0\3", "this one is big-endian"),
    "tensors": (b"GGUF", 8, _u64(1 << 60), "number of tensors is 1152921504606846976, expected at most"),
    "fields": (b"GGUF", 16, _u64(1 << 40), "number of fields is 1099511627776, expected at most"),
    "text": (b"a.text", 6 + 4, _u64(1 << 50), "length of a.text is 1125899906842624, expected at most"),
    "utf-8": (b"gr\xc3", 2, b"\xff", "expected UTF-8"),
    "type": (b"a.u8", 4, struct.pack("<I", 77), "type of 'a.u8' is 77, expected one of 0, 1"),
    "bool": (b"a.bool", 6 + 4, b"\7", "a.bool is b'\\\\x07', expected 0 or 1"),
    "array": (b"a.texts", 7 + 4 + 4, _u64(1 << 61), "length of 'a.texts' is"),
    "array of arrays": (b"a.texts", 7 + 4, struct.pack("<I", 9), "of arrays"),
    "numbers": (b"a.numbers", 9 + 4 + 4, _u64(1 << 61), "length of 'a.numbers' is"),
    "dimensions": (Q, len(Q), struct.pack("<I", 5), "number of dimensions of tensor .* is 5, expected 1 to 4"),
    "size 0": (Q, len(Q) + 4, _u64(0), "sizes of tensor"),
    "size": (Q, len(Q) + 4, _u64(1 << 62), "sizes of tensor"),
    "row": (Q, len(Q) + 4, _u64(33), "row of tensor .* is 33, expected a multiple of the 32 numbers of a Q8_0"),
    "kind": (Q, len(Q) + 4 + 16, struct.pack("<I", 16), "type of tensor .* is 'IQ2_XXS', expected one of BF16"),
    "offset": (Q, len(Q) + 4 + 16 + 4, _u64(1), "offset of tensor .* is 1, expected a multiple of 32"),
    "overlap": (Q, len(Q) + 4 + 16 + 4, _u64(32), "tensors do not overlap"),
    "end": (Q, len(Q) + 4 + 16 + 4, _u64(1 << 40), "the file is cut off"),
    "same key": (b"a.i32", 0, b"a.u16", "key 'a.u16' is 'there twice'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_is_an_error_that_names_it(whole: Path, tmp_path: Path, fault: str) -> None:
    find, after, put, message = FAULTS[fault]
    path = _patched(whole, tmp_path / "bad.gguf", find, put, after)
    with pytest.raises(ModelError, match=message) as raised:
        Gguf(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("kept", [0, 3, 23, 24, 100, 600, -1])
def test_a_file_that_is_cut_off_is_an_error(whole: Path, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "short.gguf"
    path.write_bytes(whole.read_bytes()[:kept])
    with pytest.raises(ModelError, match=r"short\.gguf"):
        Gguf(path)


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Gguf(tmp_path / "none.gguf")
    with pytest.raises(ModelError, match="cannot be read"):
        Gguf(tmp_path)


def mutated(data: bytes, rng: random.Random, *, cut: bool = True) -> bytes:
    """Return a copy with some bytes of the header changed, a length made huge, or the end cut off."""
    out = bytearray(data)
    header = data.index(b"output_norm.weight") + 60
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(header)
        kind = rng.randrange(4 if cut else 3)
        if kind == 0:
            out[at] = rng.randrange(256)
        elif kind == 1:
            out[at : at + 8] = _u64(rng.choice([0, 1, 1 << 16, 1 << 31, 1 << 32, 1 << 40, 1 << 63, (1 << 64) - 1]))
        elif kind == 2:
            out[at : at + 4] = struct.pack("<I", rng.choice([0, 1, 8, 9, 10, 1 << 31, (1 << 32) - 1]))
        else:
            del out[rng.randrange(len(out)) :]
            break
    return bytes(out)


def _fuzz(whole: Path, path: Path, seeds: range) -> int:
    """Read mutated files and their tensors; return how many were refused."""
    data, refused = whole.read_bytes(), 0
    for seed in seeds:
        path.write_bytes(mutated(data, random.Random(seed)))
        try:
            file = Gguf(path)
            for tensor in file.tensors.values():
                decode(tensor.block, file.data(tensor))
        except ModelError as error:
            refused += 1
            assert str(path) in str(error) and len(str(error)) < 1000
    return refused


def test_mutations_are_read_or_refused(whole: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused = _fuzz(whole, tmp_path / "mutation.gguf", range(500))
    assert 100 < refused < 500, "mutations that are too wild test the first check alone"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10, "in KiB: memory is not taken"


@pytest.mark.long
def test_many_mutations_are_read_or_refused(whole: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert _fuzz(whole, tmp_path / "mutation.gguf", range(500, 10_500)) > 2000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
