"""SegmentStore: what is put is read again, by this process and others; limits hold; what is wrong is a miss."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.prefix_store.stores import MIB, held, key_of, opened, put, value_of
from torchpaged.errors import ConfigError
from torchpaged.prefix_store import folder, open_store, segment, segment_store


def test_values_outlive_the_store(tmp_path: Path) -> None:
    store = opened(tmp_path / "new" / "folder")
    put(store, range(100))
    assert held(store, range(110)) == [*range(100)]
    assert store.contains([key_of(99), key_of(100)]) == [True, False]
    store.close()
    other = opened(tmp_path / "new" / "folder")
    assert held(other, range(110)) == [*range(100)]
    put(other, range(90, 120))
    assert other.stats()["puts"] == 20 and held(other, range(120)) == [*range(120)]
    other.close()
    assert len(list((tmp_path / "new" / "folder" / "model").iterdir())) == 1, "the second goes on with the first's"


@pytest.mark.parametrize("size", [0, 1, 4095, 4096, 4097, 3 * MIB, 65 * MIB])
def test_sizes(tmp_path: Path, size: int) -> None:
    """A value that is larger than a segment has one of its own."""
    store, numbers = opened(tmp_path), range(3 if size < segment.MOST_BYTES else 1)
    put(store, numbers, size)
    store.flush()
    assert held(store, numbers, size) == [*numbers]
    store.close()
    assert held(opened(tmp_path), range(len(numbers) + 1), size) == [*numbers]


def test_values_may_be_overwritten_after_the_call(tmp_path: Path) -> None:
    store, value = opened(tmp_path), bytearray(value_of(1))
    store.put([(key_of(1), memoryview(value))])
    value[:] = bytes(len(value))
    assert held(store, range(1, 2)) == [1]


def test_full_segments_are_sealed(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, range(2500), 100)
    store.flush()
    names = sorted(path.suffix for path in (tmp_path / "model").iterdir())
    assert names == [".open", ".seg", ".seg"]
    assert held(store, range(2500), 100) == [*range(2500)]
    store.close()
    sizes = [path.stat().st_size for path in (tmp_path / "model").glob("*.seg")]
    assert all(segment.LEAST_BYTES <= size <= segment.MOST_BYTES for size in sizes)
    assert held(opened(tmp_path), range(2500), 100) == [*range(2500)]


def test_namespaces_and_keys_do_not_see_each_other(tmp_path: Path) -> None:
    put(opened(tmp_path), range(3))
    assert held(opened(tmp_path, namespace="another"), range(3)) == []
    keyed = opened(tmp_path, checksum_key=b"k" * 16)
    assert held(keyed, range(3)) == []
    put(keyed, range(3))
    assert held(keyed, range(3)) == [0, 1, 2]
    assert held(opened(tmp_path, checksum_key=b"x" * 16), range(3)) == []
    assert held(opened(tmp_path, checksum_key=b"k" * 16), range(3)) == [0, 1, 2]


def test_the_key_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_bytes(b"k" * 16)
    monkeypatch.setenv("TORCHPAGED_PREFIX_CACHE_KEY_FILE", str(tmp_path / "key"))
    put(opened(tmp_path / "cache"), range(3))
    assert held(opened(tmp_path / "cache", checksum_key=b"x" * 16), range(3)) == []
    monkeypatch.setenv("TORCHPAGED_PREFIX_CACHE_KEY_FILE", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"TORCHPAGED_PREFIX_CACHE_KEY_FILE '.*nowhere': No such file or directory"):
        opened(tmp_path / "cache")
    monkeypatch.delenv("TORCHPAGED_PREFIX_CACHE_KEY_FILE")
    assert held(opened(tmp_path / "cache"), range(3)) == []
    assert held(opened(tmp_path / "cache", checksum_key=b"k" * 16), range(3)) == [0, 1, 2]


def test_deleted_values_stay_deleted(tmp_path: Path) -> None:
    store = opened(tmp_path)
    put(store, range(1100), 100)
    store.flush()
    store.delete([key_of(number) for number in range(1024)])
    store.delete([key_of(1050), key_of(5000)])
    wanted = [number for number in range(1024, 1100) if number != 1050]
    assert held(store, range(1100), 100) == wanted
    assert not list((tmp_path / "model").glob("*.seg")), "a segment without values is removed"
    store.close()
    assert held(opened(tmp_path), range(1100), 100) == wanted


def test_two_stores_share_a_folder(tmp_path: Path) -> None:
    one, two = opened(tmp_path), opened(tmp_path)
    put(one, range(10))
    put(two, range(10, 20))
    one.refresh()
    two.refresh()
    assert held(one, range(20)) == held(two, range(20)) == [*range(20)]
    put(one, range(20, 30))
    two.refresh()
    assert held(two, range(30)) == [*range(30)]
    one.close()
    two.close()
    assert held(opened(tmp_path), range(30)) == [*range(30)]


def test_the_longest_unused_segments_go_first(tmp_path: Path) -> None:
    store = opened(tmp_path, size_limit=16 * MIB)
    for number in range(100):
        put(store, range(number, number + 1), MIB // 2)
        assert held(store, range(1), MIB // 2) == [0], "it is used all the time"
        taken = sum(each.num_bytes for each in folder.segments(tmp_path / "model"))
        assert taken <= 16 * MIB + segment.LEAST_BYTES
    found = held(store, range(100), MIB // 2)
    assert 20 <= len(found) <= 32 and found[-1] == 99
    assert store.stats()["evicted_segments"] > 5
    store.close()
    assert held(opened(tmp_path, size_limit=16 * MIB), range(100), MIB // 2) == found


def test_a_limit_that_is_lowered(tmp_path: Path) -> None:
    """The segment that the last process left may be larger than the new limit."""
    store = opened(tmp_path)
    put(store, range(20), MIB)
    store.close()
    store = opened(tmp_path, size_limit=8 * MIB)
    put(store, range(20, 40), MIB)
    assert held(store, range(20, 40), MIB)[-3:] == [37, 38, 39] and store.stats()["dropped"] == 0
    taken = sum(each.num_bytes for each in folder.segments(tmp_path / "model"))
    assert taken <= 8 * MIB + segment.LEAST_BYTES


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"namespace": "a/b"}, "namespace is 'a/b', expected"),
        ({"namespace": ".."}, "namespace is '..', expected"),
        ({"size_limit": 0}, "size_limit is 0, expected"),
        ({"size_limit": 1.5}, "size_limit is 1.5, expected"),
        ({"checksum_key": b"short"}, "checksum_key is 5 bytes, expected bytes, at least 16"),
        ({"checksum_key": "text"}, "checksum_key is a str, expected bytes"),
        ({"metadata": {"text": "x" * 5000}}, "bytes as JSON, at most"),
    ],
)
def test_wrong_arguments(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(tmp_path, **options)
    assert said in str(caught.value)


def test_a_place_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigError, match="cannot be used"):
            opened(place)
    for wrong in ("", None, 3):
        with pytest.raises(ConfigError, match="expected a folder or a URL"):
            open_store(wrong, namespace="model", size_limit=None)  # type: ignore[arg-type]


def test_a_url_of_a_local_folder(tmp_path: Path) -> None:
    place = tmp_path / "with space"
    store = open_store("file://" + str(place).replace(" ", "%20"), namespace="model", size_limit=None)
    store.put([(key_of(1), value_of(1))])
    assert os.listdir(place) == ["model"]


@pytest.mark.parametrize("seed", range(3))
def test_many_segments_are_added_together(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random puts and deletes of two stores, opened anew now and then: no value is wrong, none that was put is lost."""
    monkeypatch.setattr(segment_store, "_MANY", 1)
    pick, written, deleted = random.Random(seed), set[int](), set[int]()
    stores = [opened(tmp_path) for _ in range(2)]
    for _ in range(100):
        number, store = pick.randrange(40), pick.choice(stores)
        match pick.randrange(6):
            case 0:
                store.delete([key_of(number)])
                deleted.add(number)  # from now on it may be found or not: the other store may have written it too
                assert not store.contains([key_of(number)])[0]
            case 1:
                store.close()
                stores[stores.index(store)] = store = opened(tmp_path)
                assert set(held(store, written)) >= written - deleted
            case 2:
                store._appender.leave()  # the next put may begin another segment
            case _:
                put(store, [number])
                written.add(number)
        assert set(held(store, range(40))) <= written
    fresh = opened(tmp_path)
    assert set(held(fresh, range(40))) >= written - deleted
    assert fresh.stats()["values"] >= len(written - deleted)
