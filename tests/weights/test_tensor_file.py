"""TensorFile: tensors of all kinds come back as they were, and damage shows."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchpaged.ops import cpu
from torchpaged.weights import tensor_file
from torchpaged.weights.tensor_file import DamagedFile, TensorFile, TensorWriter, file_checksum

pytestmark = pytest.mark.skipif(cpu.isa() == "none", reason="there is no C++ library: ops.cpu.isa()")


def _tensors() -> list[Tensor]:
    torch.manual_seed(0)
    whole = torch.randn(300, 5000).to(torch.bfloat16)
    return [
        whole,
        whole[10:20, ::2].T,
        nn.Parameter(torch.arange(10.0)),
        nn.Parameter(torch.arange(10.0), requires_grad=False),
        torch.empty(0, 5),
        torch.zeros(1).expand(4, 5),
        torch.tensor(3, dtype=torch.int64),
        torch.tensor([True, False]),
        torch.randn(7).to(torch.float8_e4m3fn),
        torch.arange(100)[3:50:7],
    ]


def _bits(tensor: Tensor) -> Tensor:
    return tensor.view(torch.uint8) if tensor.dtype == torch.float8_e4m3fn else tensor


def _written(tensors: list[Tensor], path: Path) -> tuple[list[int], dict[str, Any]]:
    writer = TensorWriter()
    numbers = [writer.add(each) for each in tensors]
    table = writer.write(path, lambda: True)
    assert table is not None
    return numbers, table


def test_tensors_come_back_as_they_were(tmp_path: Path) -> None:
    tensors = _tensors()
    numbers, table = _written([*tensors, tensors[0]], tmp_path / "file")
    assert numbers == [*range(len(tensors)), 0]
    file = TensorFile(tmp_path / "file", table)
    file.verify()
    for moved in (False, True):
        if moved:
            file.move().join()
        for found, expected in zip(file.tensors(), tensors, strict=True):
            assert torch.equal(_bits(found), _bits(expected))
            assert (found.dtype, found.stride(), type(found)) == (expected.dtype, expected.stride(), type(expected))
            assert found.requires_grad == expected.requires_grad


def test_views_of_one_storage_are_written_once(tmp_path: Path) -> None:
    whole = torch.randn(1 << 20)
    _, table = _written([whole[:1000], whole[500:2000], whole[-10:]], tmp_path / "file")
    assert table["size"] == 4 << 20
    found = TensorFile(tmp_path / "file", table).tensors()
    assert torch.equal(found[1], whole[500:2000]) and torch.equal(found[2], whole[-10:])


def test_tensors_outlive_their_file(tmp_path: Path) -> None:
    tensors = _tensors()
    _, table = _written(tensors, tmp_path / "file")
    file = TensorFile(tmp_path / "file", table)
    (found, *_), moving = file.tensors(), file.move()
    del file, _
    (tmp_path / "file").unlink()
    moving.join()
    assert torch.equal(found, tensors[0])


def test_a_move_rests_between_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, table = _written([torch.zeros(10 << 20)], tmp_path / "file")  # 40 MiB: three pieces of at most 16
    clock, rests = count(step=0.25), list[float]()  # each look at the clock is 0.25 s later
    monkeypatch.setattr(tensor_file, "time", SimpleNamespace(perf_counter=lambda: next(clock), sleep=rests.append))
    file = TensorFile(tmp_path / "file", table)
    file.move().join()
    assert rests == [0.75] * 3


def test_writes_stay_in_the_process(tmp_path: Path) -> None:
    _, table = _written([torch.zeros(10)], tmp_path / "file")
    TensorFile(tmp_path / "file", table).tensors()[0].add_(1)
    assert torch.equal(TensorFile(tmp_path / "file", table).tensors()[0], torch.zeros(10))


@pytest.mark.parametrize("kind", ["meta", "sparse", "conjugate"])
def test_what_is_no_plain_tensor_is_refused(kind: str) -> None:
    tensors = {
        "meta": torch.empty(3, device="meta"),
        "sparse": torch.eye(3).to_sparse(),
        "conjugate": torch.randn(3, dtype=torch.complex64).conj(),
    }
    tensor = tensors[kind]
    with pytest.raises(ValueError, match="cannot be written"):
        TensorWriter().add(tensor)


def test_writing_stops(tmp_path: Path) -> None:
    writer, asked = TensorWriter(), iter([True, False])
    for _ in range(3):
        writer.add(torch.randn(10))
    assert writer.write(tmp_path / "file", lambda: next(asked)) is None


def test_every_flipped_bit_shows(tmp_path: Path) -> None:
    _, table = _written(_tensors(), tmp_path / "file")
    data, rng = (tmp_path / "file").read_bytes(), random.Random(0)
    for _ in range(100):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (tmp_path / "file").write_bytes(damaged)
        with pytest.raises(DamagedFile, match="not those that were written"):
            TensorFile(tmp_path / "file", table).verify()


@pytest.mark.parametrize(
    "change",
    [
        {"offset": -64},
        {"offset": 1 << 40},
        {"offset": 1},
        {"shape": [1 << 30]},
        {"stride": [1 << 40]},
        {"dtype": "nn"},
        {"shape": [-1]},
    ],
    ids=str,
)
def test_tables_that_do_not_fit_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    _, table = _written([torch.randn(100)], tmp_path / "file")
    table["tensors"][0] |= change
    with pytest.raises((DamagedFile, AttributeError)):
        TensorFile(tmp_path / "file", table).tensors()


def test_another_size_is_refused(tmp_path: Path) -> None:
    _, table = _written([torch.randn(100)], tmp_path / "file")
    with (tmp_path / "file").open("ab") as file:
        file.write(b"x")
    with pytest.raises(DamagedFile, match="another size"):
        TensorFile(tmp_path / "file", table)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, (1 << 24) - 1, 1 << 24, (1 << 24) + 1])
def test_the_checksum_of_a_file_is_of_all_its_bytes(size: int, tmp_path: Path) -> None:
    data, rng = bytearray(random.Random(size).randbytes(size)), random.Random(1)
    path = tmp_path / "file"
    path.write_bytes(data)
    before = file_checksum(path)
    assert before == file_checksum(path)
    path.write_bytes(data + b"\0")
    assert file_checksum(path) != before
    for _ in range(5 if size else 0):
        place = rng.randrange(size)
        data[place] ^= 1
        path.write_bytes(data)
        assert file_checksum(path) != before
        data[place] ^= 1
