"""Ranks as threads of the test's process: what the engine does with them, without the seconds that processes take."""

from __future__ import annotations

import functools
import mmap
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from tests import models
from tests.random_runs import EOS, FORMS, HYBRIDS, LONGEST, WIDE, RandomRun, model, saved_form
from torchpaged import LLMEngine
from torchpaged.engine.loader import Loaded, load
from torchpaged.execution.ranks import launch
from torchpaged.execution.ranks.ending import Stopped
from torchpaged.execution.ranks.link import Link
from torchpaged.integrations.transformers import adapter
from torchpaged.ops.collectives import SharedMemoryGroup


class Threads:
    """Ranks of which each has a thread.

    Args:
        world: number of ranks.
        network: each rank is on a machine of its own.

    Attributes:
        links: one for each rank.
        errors: what the other ranks have raised.
    """

    def __init__(self, world: int = 2, *, network: bool = False) -> None:
        self.errors: list[BaseException] = []
        self._threads: list[threading.Thread] = []
        self._network = network
        if network:
            with ThreadPoolExecutor(world) as pool:
                self.links = list(pool.map(functools.partial(_networked, dist.HashStore(), world), range(world)))
            return
        memory = mmap.mmap(-1, SharedMemoryGroup.num_bytes(world))
        groups = [SharedMemoryGroup(memoryview(memory), rank, world) for rank in range(world)]
        self.links = [Link(group, group, world, group.rank) for group in groups]

    def run(self, call: Callable[[Link], Any]) -> list[Any]:
        """Make a call on every rank and return the results; raise the error of the rank that failed first."""
        found: dict[int, Any] = {}
        self._begin(call, self.links, found)
        self.join()
        if self._network:
            self.links[0].channel.give_up(0)  # or its last message would wait for the others
        if self.errors:
            raise self.errors[0]
        return [found[link.rank] for link in self.links]

    def engine(self, folder: Path | str, others: Mapping[str, Any] | None = None, **settings: Any) -> LLMEngine:
        """Make rank 0's engine here, and the others' in their threads.

        Args:
            others: settings that are different there.
        """
        self._begin(lambda link: _engine(folder, link, {**settings, **(others or {})}), self.links[1:], {})
        return _engine(folder, self.links[0], settings)

    def _begin(self, call: Callable[[Link], Any], links: list[Link], found: dict[int, Any]) -> None:
        def work(link: Link) -> None:
            try:
                found[link.rank] = call(link)
            except Stopped:
                pass
            except BaseException as error:
                if link.channel.failed in (None, link.rank):
                    self.errors.append(error)
                link.channel.give_up(link.rank)

        self._threads = [threading.Thread(target=work, args=(link,), daemon=True) for link in links]
        for thread in self._threads:
            thread.start()

    def join(self, timeout: float = 60.0) -> None:
        """Wait for the threads to end."""
        for thread in self._threads:
            thread.join(timeout)
            assert not thread.is_alive(), "a rank hangs"


def _networked(store: Any, world: int, rank: int) -> Link:
    return launch.join_store(store, rank, world, f"machine {rank}", torch.device("cpu"))


def _engine(folder: Path | str, link: Link, settings: dict[str, Any]) -> LLMEngine:
    loaded = _loaded(folder, link, {"tensor_parallel_size": link.world, **settings})
    return LLMEngine(
        loaded.model,
        loaded.config,
        tokenizer=loaded.tokenizer,
        eos_token_ids=loaded.eos_token_ids,
        default_params=loaded.default_params,
        executor=loaded.executor,
    )


_loading = threading.local()


def _loaded(folder: Path | str, link: Link, settings: dict[str, Any]) -> Loaded:
    torch.set_num_threads(1)
    _loading.link = link
    return load(str(folder), None, {"skip_tokenizer_init": True, **settings})


def link_of_thread(*_: Any) -> Link:
    """Replace `launch.link_for`: the link of the thread that loads."""
    link: Link = _loading.link
    return link


class RankedRun(RandomRun):
    """A random run over two ranks of which the other has more memory, and sleeps now and then.

    Nothing fails, since a failure ends all ranks, and no prefix is saved. Requests alone are computed by two ranks too,
    so that equal means equal bits.
    """

    def _make(self, **settings: Any) -> LLMEngine:
        threads = Threads()
        if self.kind in HYBRIDS + FORMS:  # the loader makes chunks of more tokens, with larger tails, than `paged` does
            settings["swap_space"] *= 50
        more = {"num_blocks": settings["num_blocks"] + 5, "swap_space": 2 * settings["swap_space"]}
        made = _over_ranks(threads, self.kind, others=more, **settings)
        self.threads, self.fault_rate = threads, 0.0
        return made

    def _quiet(self) -> LLMEngine:
        return _quiet_ranks(self.kind, *self.shape, self.has_adapters)

    def _fail_now_and_then(self) -> None:
        """Change nothing."""

    def save_and_load(self) -> None:
        """Do nothing: ranks save no prefixes."""

    def run(self) -> None:
        """Run to the end, with all ranks."""
        super().run()
        if self.store is None:
            self.engine.shutdown()
        self.threads.join()
        assert not self.threads.errors


def _over_ranks(threads: Threads, kind: str, **settings: Any) -> LLMEngine:
    common: dict[str, Any] = {"dtype": "float32", "max_model_len": LONGEST, "optimize": False}
    if kind in HYBRIDS + FORMS:
        common["optimize"] = True
    if settings.pop("drafts", kind in FORMS):
        asked = {"method": "mtp"} if kind == "mtp" else {"model": str(saved_form(kind))}
        common["speculative_config"] = {**asked, "num_speculative_tokens": 3}
    return threads.engine(saved(kind), **common, **settings)


@functools.cache
def _quiet_ranks(kind: str, block_size: int, kv_cache_dtype: str, enable_lora: bool) -> LLMEngine:
    settings: dict[str, Any] = {"block_size": block_size, "kv_cache_dtype": kv_cache_dtype, "enable_lora": enable_lora}
    settings["drafts"] = False
    return _over_ranks(Threads(), kind, **settings, num_blocks=2000, enable_prefix_caching=False)


@functools.cache
def saved(kind: str) -> Path:
    """Return the folder of a random run's model."""
    folder = Path(tempfile.mkdtemp(prefix="torchpaged-ranks-"))
    if kind == "mtp":
        return saved_form(kind)
    own = models.build("llama", seed=2, **WIDE) if kind == "draft" else model(kind)
    own.generation_config.eos_token_id = EOS
    own.save_pretrained(folder)
    return folder


def use_threads(monkeypatch: Any) -> None:
    """Let `load` take the link of its thread, instead of starting processes.

    Models are built and filled one after the other: transformers replaces functions of torch meanwhile.
    """
    monkeypatch.setattr(launch, "link_for", link_of_thread)
    lock = threading.Lock()

    def alone(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            with lock:
                return function(*args, **kwargs)

        return call

    for name in ("build_empty", "stream_weights"):
        monkeypatch.setattr(adapter, name, alone(getattr(adapter, name)))
