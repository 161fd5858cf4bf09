"""Blocks in a store below the pools: the same tokens and logprobs, whatever the store does."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.engine.test_schedules import rowwise
from tests.fakes import FakeModel, drain, engine, follow
from tests.random_runs import HYBRIDS, LATENTS, RandomRun
from tests.tier_stores import DictStore, FaultyStore, read_all, wait_for_stores
from torchpaged import LLMEngine, SamplingParams
from torchpaged.errors import ConfigError, RequestError
from torchpaged.execution.pool_bytes import PoolBytes
from torchpaged.execution.tier_io import IOCounts
from torchpaged.kv_cache import TierCounts
from torchpaged.ops import cpu
from torchpaged.prefix_store import segment

PROMPT = [2 + i * 7 % 29 for i in range(40)]  # ten blocks
GREEDY = SamplingParams(temperature=0.0, max_tokens=6, ignore_eos=True)


@pytest.fixture
def everything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read_all(monkeypatch)


def complete(running: LLMEngine, prompt: list[int] = PROMPT, salt: str | None = None) -> tuple[list[int], int]:
    """Return the completion of a prompt, and how many of its tokens were cached."""
    running.add_request("a", prompt, GREEDY, cache_salt=salt)
    output = drain(running)["a"]
    return list(output.outputs[0].token_ids), output.num_cached_tokens or 0


def filled() -> SlowStore:
    """Return a store with the blocks of `PROMPT`."""
    store = SlowStore()
    first = engine(prefix_cache_dir=store)
    complete(first)
    first.shutdown()
    return store


def tier_counts(running: LLMEngine) -> TierCounts:
    """Return what the engine's tiers have counted."""
    tiers = running.scheduler.manager.tiers
    assert tiers is not None
    return tiers.counts


def io_counts(running: LLMEngine) -> IOCounts:
    """Return what the executor has read and written."""
    assert running.executor.tier is not None
    return running.executor.tier.counts


@pytest.mark.usefixtures("everything_is_read")
@pytest.mark.parametrize("write", ["evict", "through"])
def test_a_new_engine_finds_what_another_has_written(write: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"prefix_cache_dir": tmp_path / "new" / "folder", "prefix_cache_write": write}
    first = engine(**settings)
    assert complete(first) == (follow(PROMPT, 6), 0)
    first.shutdown()
    second = engine(**settings)
    assert complete(second) == (follow(PROMPT, 6), 36)
    assert tier_counts(second).num_hit_tokens == 36 and io_counts(second).num_read == 9
    assert complete(second, salt="another's") == (follow(PROMPT, 6), 0)
    second.shutdown()
    other = engine(FakeModel([3, 4]), **settings)  # other weights
    assert complete(other)[1] == 0
    other.shutdown()


@pytest.mark.usefixtures("everything_is_read")
def test_a_key_keeps_those_out_who_lack_it(tmp_path: Path) -> None:
    keys = [tmp_path / name for name in ("one", "two")]
    for number, key in enumerate(keys):
        key.write_bytes(bytes([number]) * 16)
    hits = []
    for key in (keys[0], None, keys[1], keys[0]):
        running = engine(prefix_cache_dir=tmp_path / "folder", prefix_cache_key_file=key)
        hits.append(complete(running)[1])
        running.shutdown()
    assert hits == [0, 0, 0, 36]
    keys[0].write_bytes(b"short")
    with pytest.raises(ConfigError, match=r"prefix_cache_key_file '.*one': it has 5 bytes, expected at least 16"):
        engine(prefix_cache_dir=tmp_path / "folder", prefix_cache_key_file=keys[0])


@pytest.mark.usefixtures("everything_is_read")
def test_evicted_blocks_come_back_to_the_same_engine() -> None:
    store = DictStore()
    running = engine(prefix_cache_dir=store, num_blocks=14)
    assert complete(running)[1] == 0 and not store.values
    assert complete(running, PROMPT[::-1])[1] == 0
    assert running.executor.tier is not None and running.executor.tier.flush()
    assert store.values
    assert complete(running)[0] == follow(PROMPT, 6)
    assert tier_counts(running).num_hit_tokens > 0
    running.shutdown()


@pytest.mark.usefixtures("everything_is_read")
@pytest.mark.parametrize("write", ["evict", "through"])
def test_the_host_tier_is_in_front_of_the_store(write: str) -> None:
    """Blocks go to it first, leave it for the store when it is full, and all of them at the end."""
    store = DictStore()
    settings: dict[str, Any] = {"num_blocks": 14, "prefix_cache_write": write, "prefix_cache_host_gb": 5 * 256 / 2**30}
    running = engine(prefix_cache_dir=store, **settings)
    assert complete(running)[1] == 0
    assert complete(running, PROMPT[::-1])[1] == 0
    assert running.executor.tier is not None and running.executor.tier.flush()
    assert complete(running)[0] == follow(PROMPT, 6)
    running.check()
    counts = io_counts(running)
    assert 0 < counts.num_read_host < counts.num_read == tier_counts(running).num_hit_tokens // 4
    running.shutdown()
    assert len(store.values) == 22  # eleven of each prompt and its completion
    assert complete(engine(prefix_cache_dir=store, prefix_cache_host_gb=0.01)) == (follow(PROMPT, 6), 36)


@pytest.mark.usefixtures("everything_is_read")
def test_the_host_tier_without_a_store() -> None:
    running = engine(prefix_cache_host_gb=0.001, num_blocks=14)
    for _ in range(2):
        for prompt in (PROMPT, PROMPT[::-1]):
            tokens, _ = complete(running, prompt)
            assert tokens == follow(prompt, 6)
    counts = io_counts(running)
    assert counts.num_read == counts.num_read_host > 0 and counts.num_there > 0
    metrics = {each.name: each.value for each in running.get_metrics() if "prefix_tier" in each.name}
    assert metrics["torchpaged:prefix_tier_blocks_read_host"] == counts.num_read_host
    assert running.prefetch([PROMPT])[0].num_cached_tokens == 36
    running.shutdown()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"prefix_cache_host_gb": -1}, "prefix_cache_host_gb is -1, expected GiB of 0 or more"),
        ({"prefix_cache_host_gb": True}, "prefix_cache_host_gb is True, expected"),
        ({"prefix_cache_host_gb": 1.0, "enable_prefix_caching": False}, "prefix_cache_host_gb is given and"),
        ({"prefix_cache_host_gb": 1e5}, "prefix_cache_host_gb is 100000.0, and .* GiB of memory are free; lower it"),
        ({"prefix_cache_host_gb": 1e-7}, "prefix_cache_host_gb is 1e-07, a block takes 256 bytes; raise it, or set 0"),
    ],
)
def test_host_memory_that_cannot_be_had(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        engine(**settings)


@pytest.mark.usefixtures("everything_is_read")
def test_through_nothing_is_lost_with_the_process() -> None:
    store = DictStore()
    running = engine(prefix_cache_dir=store, prefix_cache_write="through")
    complete(running)
    assert running.executor.tier is not None and running.executor.tier.flush()
    assert complete(engine(prefix_cache_dir=store)) == (follow(PROMPT, 6), 36)  # the first was not shut down


@pytest.mark.usefixtures("everything_is_read")
def test_others_run_while_one_waits_for_its_prefix() -> None:
    store = filled()
    store.seconds = 0.3
    running = engine(prefix_cache_dir=store)
    running.add_request("slow", PROMPT, GREEDY)
    running.add_request("fast", [5, 6, 7], SamplingParams(temperature=0.0, max_tokens=3))
    ended: list[str] = []
    while running.has_unfinished_requests:
        ended += [output.request_id for output in running.step() if output.finished]
        running.check()
    assert ended == ["fast", "slow"] and tier_counts(running).num_hit_tokens == 36
    assert running.stats().waits["prefix"] > 0
    running.shutdown()


class SlowStore(DictStore):
    """Store whose reads take some seconds, or as long as `hangs` is cleared."""

    seconds = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.hangs = threading.Event()
        self.hangs.set()

    def get(self, keys: Any) -> Any:
        """Wait, then answer."""
        time.sleep(self.seconds)
        self.hangs.wait()
        return super().get(keys)


@pytest.mark.usefixtures("everything_is_read")
def test_blocks_that_wait_for_the_writer_are_found() -> None:
    """A conversation that comes again at once has not lost what the store is still writing."""
    store = SlowStore()
    store.hangs.clear()
    put = store.put
    store.put = lambda items: (store.hangs.wait(), put(items))[1]  # type: ignore[method-assign]
    running = engine(prefix_cache_dir=store, num_blocks=14)
    for prompt in (PROMPT, PROMPT[::-1], PROMPT):
        assert complete(running, prompt)[0] == follow(prompt, 6)
    assert not store.values and tier_counts(running).num_hit_tokens > 0
    running.check()
    store.hangs.set()
    running.shutdown()
    assert complete(engine(prefix_cache_dir=store)) == (follow(PROMPT, 6), 36)


@pytest.mark.usefixtures("everything_is_read")
def test_a_store_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchpaged.kv_cache.tiers._READ_PATIENCE", 0.1)
    store = filled()
    store.hangs.clear()
    running = engine(prefix_cache_dir=store)
    assert complete(running) == (follow(PROMPT, 6), 0)
    assert not store.hangs.is_set() and tier_counts(running).num_cut == 1
    store.hangs.set()
    running.shutdown()


class RudeStore(DictStore):
    """Answers with what is no list, or ends the calling thread."""

    def contains(self, keys: Sequence[bytes]) -> Any:
        return np.array(super().contains(keys))

    def get(self, keys: Sequence[bytes]) -> Any:
        return iter(super().get(keys))

    def put(self, items: Sequence[tuple[bytes, Any]]) -> None:
        if self.counts["put"]:
            raise SystemExit
        super().put(items)


@pytest.mark.usefixtures("everything_is_read")
def test_a_rude_store_ends_no_thread() -> None:
    store = RudeStore()
    first = engine(prefix_cache_dir=store)
    complete(first)
    first.shutdown()
    second = engine(prefix_cache_dir=store)
    assert complete(second) == (follow(PROMPT, 6), 36)
    complete(second, [5] * 40)
    counts = io_counts(second)
    second.shutdown()
    assert counts.num_errors == 1


def test_a_device_that_fails_ends_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """On CUDA waiting for a copy raises once a kernel has failed: the block is lost, and nothing is read unordered."""

    def fail() -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    store = filled()
    monkeypatch.setattr(PoolBytes, "after_now", lambda self: fail)
    copy_out = PoolBytes.copy_out
    monkeypatch.setattr(PoolBytes, "copy_out", lambda self, ids: copy_out(self, ids)._replace(wait=fail))
    running = engine(prefix_cache_dir=store)
    assert complete(running) == (follow(PROMPT, 6), 0)
    complete(running, [5] * 40)
    counts = io_counts(running)
    running.shutdown()
    assert counts.num_errors > 0 and counts.num_read == counts.num_written == 0


@pytest.mark.usefixtures("everything_is_read")
def test_a_waiting_request_can_be_aborted() -> None:
    store = filled()
    store.hangs.clear()
    running = engine(prefix_cache_dir=store)
    running.add_request("a", PROMPT, GREEDY)
    for _ in range(5):
        running.step()
    output = running.abort("a")
    store.hangs.set()
    assert output is not None and output.outputs[0].finish_reason == "abort"
    running.check()
    assert running.stats().cache.num_used_blocks == 0
    assert complete(running) == (follow(PROMPT, 6), 36)
    running.shutdown()


def test_the_beginning_is_computed_while_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchpaged.execution.tier_io._BATCH", 1)  # a call of the store for each block
    wait_for_stores(monkeypatch)
    store = filled()
    running = engine(prefix_cache_dir=store, max_num_batched_tokens=8)
    tiers = running.scheduler.manager.tiers
    assert tiers is not None
    tiers.seconds_per_token, tiers._seconds_per_block = 0.005, 0.02  # a block of 4 is computed while one is read
    for _ in range(3):
        running.pipeline._swap_cost._per_token.add(0.005, 1)
    store.hangs.clear()
    running.add_request("a", PROMPT, GREEDY)
    output, end, tier = None, time.monotonic() + 60, running.executor.tier
    assert tier is not None
    while running.has_unfinished_requests:
        output = next(iter(running.step()), output)
        running.check()
        if running.num_computed_tokens and not store.hangs.is_set():
            store.hangs.set()
            while len(tier._threads.events) < 5 and time.monotonic() < end:
                time.sleep(0.002)
    assert output is not None and list(output.outputs[0].token_ids) == follow(PROMPT, 6)
    assert output.num_cached_tokens == tier_counts(running).num_hit_tokens == 20
    assert tier_counts(running).num_shared == 1 and running.num_computed_tokens == 20 + 5
    running.shutdown()


def test_what_cannot_be_trusted_is_deleted() -> None:
    store = DictStore()
    running = engine(
        FakeModel(nan_at=31), prefix_cache_dir=store, prefix_cache_write="through", max_num_batched_tokens=8
    )
    running.add_request("a", [*PROMPT, 31], GREEDY)
    assert drain(running)["a"].outputs[0].finish_reason == "error"
    assert running.executor.tier is not None and running.executor.tier.flush()
    assert not store.values and store.counts["put"] and store.counts["delete"]
    running.shutdown()


def test_another_model_s_values_are_not_found_in_a_user_s_store() -> None:
    store = DictStore()
    for script in ([], [3, 4, 5]):
        running = engine(FakeModel(script), prefix_cache_dir=store)
        assert complete(running)[1] == 0
        running.shutdown()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prefix_cache_dir": 5}, "prefix_cache_dir is 5, expected a directory, a URL, or an object with the calls"),
        ({"prefix_cache_dir": ""}, "prefix_cache_dir is '', expected a directory"),
        ({"prefix_cache_disk_gb": 0}, "prefix_cache_disk_gb is 0, expected GiB above 0"),
        ({"prefix_cache_disk_gb": True}, "prefix_cache_disk_gb is True, expected"),
        ({"prefix_cache_disk_gb": 2.5}, "prefix_cache_disk_gb is 2.5, but there is no prefix_cache_dir"),
        ({"prefix_cache_write": "back"}, "prefix_cache_write is 'back', expected one of evict, through"),
        ({"prefix_cache_dir": "x", "enable_prefix_caching": False}, "enable_prefix_caching is False"),
        ({"prefix_cache_key_file": 5}, "prefix_cache_key_file is 5, expected the path of a file"),
        ({"prefix_cache_dir": "x", "prefix_cache_key_file": "/no/key"}, "prefix_cache_key_file '/no/key': No such"),
        ({"prefix_cache_dir": "nowhere://x"}, "nowhere"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        engine(**settings)


# --- Random requests, cache restored by new engines ------------------------------------------------------------


@pytest.fixture
def rows_do_not_know_of_each_other(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch.nn.Linear, "forward", rowwise)
    yield


SHAPES = {"int8": (4, "int8")}


def restored(kind: str | None, seeds: range, folder: Path, store: Any, shape: tuple[int, str]) -> tuple[int, int]:
    """Run engines one after the other over one store; return the number of requests, and of restored tokens."""
    requests = tokens = 0
    for seed in seeds:
        (own := folder / str(seed)).mkdir()
        run = RandomRun(seed, own, kind, store=store, shape=shape)
        try:
            run.run()
        except Exception as error:
            raise AssertionError(f"RandomRun({seed}, {kind!r}, shape={shape}): {error}") from error
        requests += run.num_finished
        tokens += run.tiers.num_hit_tokens
    return requests, tokens


@pytest.mark.usefixtures("rows_do_not_know_of_each_other")
@pytest.mark.parametrize(
    ("kind", "cache_dtype"),
    [("llama", "auto"), ("llama", "int8"), ("mistral", "auto"), ("gemma2", "int8"), ("lfm2", "auto")],
)
def test_restored_tokens_have_the_same_bits(
    kind: str, cache_dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_stores(monkeypatch)
    requests, tokens = restored(kind, range(2), tmp_path, tmp_path / "store", (4, cache_dtype))
    assert requests > 8 and tokens > 30


@pytest.mark.usefixtures("rows_do_not_know_of_each_other")
def test_failing_stores_end_no_request(tmp_path: Path) -> None:
    requests, _ = restored("gemma2", range(2), tmp_path, FaultyStore(1), (4, "auto"))
    assert requests > 8


@pytest.mark.skipif(not cpu.available_isas(), reason="without the C++ library no forward of these is exact")
@pytest.mark.parametrize("kind", ["falcon_h1", "mamba2", "deepseek_v3"])
def test_restored_states_and_latents_have_the_same_bits(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_stores(monkeypatch)
    requests, tokens = restored(kind, range(2), tmp_path, tmp_path / "store", (4, "auto"))
    assert requests > 8 and tokens > 7


def restored_here(kind: str, *args: Any) -> tuple[int, int]:
    """Return what `restored` does, in a process that does nothing else."""
    torch.set_num_threads(1)
    if kind not in HYBRIDS + LATENTS:
        torch.nn.Linear.forward = rowwise  # type: ignore[method-assign]
    return restored(kind, *args)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma2", "lfm2", *LATENTS, *HYBRIDS])
def test_100_requests_restored_by_new_processes(kind: str, tmp_path: Path) -> None:
    """About 1,000 requests of all kinds together. Each process finds what the ones before have written."""
    first = int(os.environ.get("TORCHPAGED_SEED", "1000"))
    shape = (4, "auto" if kind in ("lfm2", *LATENTS, *HYBRIDS) else "int8")
    counts = []
    for number in range(first, first + 10, 5):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            seeds = range(number, number + 5)
            counts.append(pool.submit(restored_here, kind, seeds, tmp_path, tmp_path / "store", shape).result())
    requests, tokens = map(sum, zip(*counts, strict=True))
    assert requests > 80 and tokens > 200 and counts[1][1] > 50


@pytest.mark.long
def test_20000_requests_keep_the_limit(tmp_path: Path) -> None:
    """Bytes on disk, descriptors and memory stay the same, for all that pass through a pool and a folder with no room.

    The limit is 64 MiB where a large model's would be 1 GiB, which its requests fill as often.
    """
    pick, limit = random.Random(1), 64 << 20
    settings: dict[str, Any] = {"prefix_cache_dir": tmp_path, "prefix_cache_disk_gb": limit / 2**30, "max_num_seqs": 8}
    running = engine(num_blocks=120, prefix_cache_write="through", **settings)
    beginnings = [[pick.randrange(2, 30) for _ in range(20)] for _ in range(50)]
    most_bytes, descriptors, memory = 0, list[int](), list[int]()
    for part in range(100):
        for number in range(200):
            prompt = pick.choice(beginnings) + [pick.randrange(2, 30) for _ in range(pick.randrange(4, 40))]
            running.add_request(str(number), prompt, SamplingParams(temperature=0.0, max_tokens=2, ignore_eos=True))
            assert number % 50 or running.check() is None
        outputs = drain(running)
        assert len(outputs) == 200 and all(each.outputs[0].finish_reason == "length" for each in outputs.values())
        assert running.executor.tier is not None and running.executor.tier.flush(60)
        files = (file.stat() for file in tmp_path.rglob("*.[so]*"))
        most_bytes = max(most_bytes, sum(min(file.st_size, 512 * file.st_blocks) for file in files))
        if part >= 20:  # the folder and the pool are full
            descriptors.append(len(os.listdir("/proc/self/fd")))
            memory.append(int(Path("/proc/self/statm").read_text().split()[1]) * 4096)
    counts, num_hit_tokens = io_counts(running), tier_counts(running).num_hit_tokens
    running.shutdown()
    assert counts.num_errors == 0 and num_hit_tokens > 5_000
    assert counts.written_bytes > 0 and counts.num_written * 4096 > 2 * limit
    assert most_bytes <= limit + segment.LEAST_BYTES
    assert max(descriptors) - min(descriptors) <= 4
    assert max(memory[-10:]) - memory[0] < 32 << 20, memory


# --- Hints and prefetching -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("everything_is_read")
def test_a_prefetched_prompt_is_found_in_the_pool(tmp_path: Path) -> None:
    first = engine(prefix_cache_dir=tmp_path)
    complete(first)
    first.shutdown()
    running = engine(prefix_cache_dir=tmp_path)
    (found,) = running.prefetch([PROMPT])
    assert (found.num_tokens, found.num_cached_tokens, found.is_pending) == (40, 36, False)
    running.check()
    assert running.stats().cache.num_used_blocks == 0
    assert complete(running) == (follow(PROMPT, 6), 36) and tier_counts(running).num_hit_tokens == 0
    with pytest.raises(RequestError, match=r"prefetch: the prompt has 200 tokens, max_model_len is"):
        running.prefetch([[5] * 200])
    (found,) = running.prefetch([[5] * 20], cache_salt="another's")
    assert found.num_cached_tokens == 0
    running.shutdown()


@pytest.mark.usefixtures("everything_is_read")
def test_prefetching_goes_on_beside_requests() -> None:
    store = filled()
    store.seconds = 0.2
    running = engine(prefix_cache_dir=store)
    running.add_request("other", [5, 6, 7], SamplingParams(temperature=0.0, max_tokens=3))
    assert running.prefetch([PROMPT], timeout=0.0)[0].is_pending
    while running.has_unfinished_requests:
        running.step()
        running.check()
    end = time.monotonic() + 60
    while running.prefetch([PROMPT], timeout=0.05)[0].is_pending:
        assert time.monotonic() < end
    assert running.prefetch([PROMPT])[0].num_cached_tokens == 36
    assert running.reset_prefix_cache() and running.prefetch([PROMPT], timeout=0.0)[0].is_pending
    assert running.reset_prefix_cache()
    running.shutdown()


def test_prefetching_needs_a_store() -> None:
    with pytest.raises(ConfigError, match="prefetch: the engine has no tier below its pool; set prefix_cache_dir or"):
        engine().prefetch([PROMPT])
    with pytest.raises(ConfigError, match="prefetch: timeout is -1"):
        engine(prefix_cache_dir=DictStore()).prefetch([PROMPT], timeout=-1)


def with_hint(running: LLMEngine, prompt: list[int], hint: dict[str, Any] | None) -> int:
    """Complete a prompt with a hint, and return how many of its tokens were cached."""
    params = SamplingParams(temperature=0.0, max_tokens=2, ignore_eos=True, cache_hint=hint)
    running.add_request("a", prompt, params)
    return drain(running)["a"].num_cached_tokens or 0


def others(running: LLMEngine, count: int) -> None:
    """Fill the pool with other prompts."""
    for number in range(count):
        with_hint(running, [3 + (number * 11 + i) % 29 for i in range(40)], None)


@pytest.mark.parametrize("retain", ["session", 100.0])
def test_a_retained_session_outlives_others(retain: Any) -> None:
    running = engine(num_blocks=24)
    with_hint(running, PROMPT, None)
    others(running, 6)
    assert with_hint(running, PROMPT, {"session": "mine", "retain": retain}) == 0
    others(running, 6)
    assert with_hint(running, PROMPT, {"session": "mine", "release": True}) == 39
    others(running, 6)
    assert with_hint(running, PROMPT, None) == 0


def test_retained_blocks_go_when_their_time_is_over_or_nothing_else_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchpaged.kv_cache.block._LOOK_PERIOD", 0.0)
    running = engine(num_blocks=24)
    with_hint(running, PROMPT, {"retain": 0.05})
    time.sleep(0.1)
    others(running, 6)
    assert with_hint(running, PROMPT, {"session": "a", "retain": "session"}) == 0
    for name in "bcdef":  # more sessions than the pool has room for
        with_hint(running, [7, *PROMPT[:-1]] if name == "b" else [ord(name) - 90] * 40, {"session": name, "retain": 60})
    assert with_hint(running, PROMPT, None) == 0
    running.check()


def test_a_block_that_two_sessions_share_stays_for_the_other() -> None:
    running = engine(num_blocks=24)
    for name in ("one", "two"):
        with_hint(running, PROMPT, {"session": name, "retain": "session"})
    with_hint(running, PROMPT, {"session": "one", "release": True})
    others(running, 6)
    assert with_hint(running, PROMPT, None) == 39


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("keep", "cache_hint is 'keep', expected a dictionary of session, retain and release"),
        ({"sesion": "a"}, "cache_hint: unknown field 'sesion'; did you mean 'session'"),
        ({"session": ""}, "session is '', expected a text of 1 to 256 characters"),
        ({"retain": -1}, r"retain is -1, expected seconds of 0 to 1e\+09, or 'session'"),
        ({"retain": 10**400}, "retain is 1000"),
        ({"retain": float("nan")}, "retain is nan, expected"),
        ({"retain": "session"}, "retain is 'session', expected a session beside it"),
        ({"release": True}, "release is True, expected the session that has ended beside it"),
        ({"session": "a", "release": True, "retain": 5}, "expected no retain beside it, which is 5"),
        ({"release": "yes"}, "release is 'yes', expected True or False"),
    ],
    ids=str,
)
def test_bad_hints(hint: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SamplingParams(cache_hint=hint)
