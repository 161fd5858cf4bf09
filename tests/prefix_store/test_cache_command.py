"""`torchpaged cache ls|verify|gc PATH`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.prefix_store.stores import MIB, held, opened, put
from torchpaged import cli
from torchpaged.prefix_store import folder, segment

Captured = pytest.CaptureFixture[str]


def run(words: str, captured: Captured) -> tuple[int, str]:
    """Return status and output of a command; the error's message if it failed."""
    status = cli.main(["cache", *words.split()])
    out, err = captured.readouterr()
    return status, err if status == 2 else out


def test_ls(tmp_path: Path, capsys: Captured) -> None:
    for namespace in ("one", "two"):
        store = opened(tmp_path, namespace=namespace, metadata={"dtype": "bfloat16", "layers": 28})
        put(store, range(1100), 100)
        store.close()
    damaged = next((tmp_path / "two").glob("*.seg"))
    damaged.write_bytes(b"x" + damaged.read_bytes()[1:])
    status, out = run(f"ls {tmp_path}", capsys)
    lines = out.splitlines()
    assert status == 0 and "1100 values" in lines[0] and "dtype bfloat16, layers 28" in lines[0]
    assert lines[0].startswith("one") and lines[1].startswith("two")
    assert str(damaged) in lines[2] and "header is not as it was written" in lines[2]
    assert lines[3].startswith(f"{tmp_path}: 4 segments")


def test_verify(tmp_path: Path, capsys: Captured) -> None:
    store = opened(tmp_path)
    put(store, range(10))
    store.close()
    assert run(f"verify {tmp_path}", capsys) == (
        0,
        f"{tmp_path}: 10 values are whole, 0 damaged; 0 segments not checked\n",
    )
    (path,) = (tmp_path / "model").iterdir()
    with path.open("r+b") as file:
        file.seek(segment.size_for(0) + 3)
        file.write(b"xyz")
    status, out = run(f"verify {tmp_path}", capsys)
    assert (
        status == 1 and "value 0: a value does not match its checksum" in out and "9 values are whole, 1 damaged" in out
    )


def test_verify_with_a_key(tmp_path: Path, capsys: Captured) -> None:
    key = tmp_path / "key"
    key.write_bytes(b"k" * 32)
    place = tmp_path / "cache"
    for number, each in enumerate((None, b"k" * 32, b"x" * 32)):
        store = opened(place, namespace=f"model-{number}", checksum_key=each)
        put(store, range(10))
        store.close()
    status, out = run(f"verify {place}", capsys)
    assert status == 0 and out.count("it needs its checksum key") == 2 and "10 values are whole" in out
    status, out = run(f"verify {place} --checksum-key-file {key}", capsys)
    assert status == 0 and "10 values are whole" in out
    assert out.count("without a checksum key") == 1 and out.count("with another checksum key") == 1


def test_gc(tmp_path: Path, capsys: Captured) -> None:
    store = opened(tmp_path)
    put(store, range(40), MIB // 2)
    store.close()
    for number in range(4):
        store = opened(tmp_path, namespace=f"model-{number}", size_limit=16 * MIB * 100)
        put(store, range(40), MIB // 2)
        store.close()
    status, out = run(f"gc {tmp_path} --max-bytes {45 * MIB}", capsys)
    assert status == 0 and "3 of 5 segments removed" in out
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["model-2", "model-3"]
    open_one = opened(tmp_path, namespace="model-3")
    put(open_one, [100])
    assert run(f"gc {tmp_path} --max-bytes 0", capsys)[0] == 0
    assert held(open_one, range(41), MIB // 2) == [*range(40)], "it has a writer"
    assert len(folder.all_segments(tmp_path)) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("ls nowhere/at/all", "cache: nowhere/at/all: No such file or directory"),
        ("gc {}", "cache gc {}: --max-bytes says how much of the folder stays; name it"),
        ("gc {} --max-bytes -1", "--max-bytes -1: expected 0 or more"),
        ("ls {} --max-bytes 1", "--max-bytes: cache ls removes nothing; leave it out"),
        ("gc {} --checksum-key-file f", "--checksum-key-file: cache gc reads no values; leave it out"),
        ("verify", "cache verify PATH: name a folder of cached prefixes"),
        ("verify {} --checksum-key-file nowhere", "cache verify: checksum key 'nowhere': No such file or directory"),
    ],
)
def test_wrong_arguments(tmp_path: Path, capsys: Captured, words: str, said: str) -> None:
    status, err = run(words.format(tmp_path), capsys)
    assert status == 2 and said.format(tmp_path) in err


def test_a_key_file_that_is_too_short(tmp_path: Path, capsys: Captured) -> None:
    store = opened(tmp_path / "cache")
    put(store, range(1))
    store.close()
    (tmp_path / "key").write_bytes(b"short")
    status, err = run(f"verify {tmp_path / 'cache'} --checksum-key-file {tmp_path / 'key'}", capsys)
    assert status == 2 and "key': it has 5 bytes, expected at least 16" in err
    assert os.listdir(tmp_path / "cache") == ["model"]
