"""AdapterRegistry: adapters by name, and their way from files into host memory."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from torchpaged.config import EngineConfig
from torchpaged.engine.adapter_names import AdapterNames, AdapterSource, NamedAdapter, Stamp, stamp_of
from torchpaged.errors import ConfigError, ModelError, RequestError, reason_of
from torchpaged.execution.executor import Executor
from torchpaged.lora_request import LoRARequest
from torchpaged.models.model import PagedModel
from torchpaged.weights.lora_adapter import LoraAdapter

logger = logging.getLogger(__name__)

# Times that files which change while they are read are read.
_TRIES = 3
# Seconds between two tries to put an adapter into host memory that is full of adapters in use by steps.
_PATIENCE = 0.01
# Seconds that `close` waits for a file that is being read.
_LONGEST_CLOSE = 10.0


class AdapterHost(Protocol):
    """The methods of an `Executor` that have to do with adapters."""

    def add_adapter(self, adapter: LoraAdapter) -> bool: ...

    def remove_adapter(self, content: str) -> bool: ...

    def has_adapter(self, content: str) -> bool: ...

    def hold_adapter(self, content: str) -> None: ...

    def unhold_adapter(self, content: str) -> None: ...


@dataclass(frozen=True, slots=True)
class AdapterCounts:
    """State of the adapters, and counters since the engine was made.

    Args:
        num_known: adapters with a name.
        num_reads: adapters read from files.
        num_hits, num_misses: turns in steps that found their adapter in host memory, and that had to wait for it.
        num_failures: adapters that could not be read again when a turn came.
        read_seconds: time of all reads together, until the adapter was in host memory.
    """

    num_known: int
    num_reads: int
    num_hits: int
    num_misses: int
    num_failures: int
    read_seconds: float


class AdapterRegistry:
    """Adapters by name, for all threads; implements `AdapterStore` for the scheduler.

    A request's adapter is known by its content. `resolve` finds the content for a name and reads files that it does not
    know, or that have changed, in the calling thread. The numbers may leave host memory again when other adapters need
    the room. `claim` brings them back, in a thread that lives while it has something to read: no step waits for a file.

    Invariants:
        - A claimed content is ready, about to be read, or failed; a ready one is held in host memory.
        - Pinned names are known.

    Args:
        host: has the adapters in host memory.
        read: reads the adapter at a path. Raises ModelError.
        max_pinned: adapters that may be pinned beside the claimed ones.
    """

    def __init__(self, host: AdapterHost, read: Callable[[str], LoraAdapter], max_pinned: int) -> None:
        self._host, self._read_path, self._max_pinned = host, read, max_pinned
        self._loading = threading.Lock()  # one `resolve` reads at a time, so that no file is read twice
        self._changed = threading.Condition()  # guards everything below; the host's locks are inside of it
        self._names = AdapterNames()
        self._pinned: set[str] = set()  # names
        self._claims: set[str] = set()
        self._ready: set[str] = set()  # claimed contents in host memory
        self._failed: dict[str, str] = {}  # claimed contents that could not be read, and why
        self._queue: deque[str] = deque()  # claimed or pinned contents to be read
        self._reader: threading.Thread | None = None
        self._reading: str | None = None  # content that the thread is at
        self._is_closed = False
        self._num_reads = self._num_hits = self._num_misses = self._num_failures = 0
        self._read_seconds = 0.0

    # --- Names ---------------------------------------------------------------------------------------------

    @property
    def named(self) -> Mapping[str, NamedAdapter]:
        """The adapters by name."""
        with self._changed:
            return dict(self._names.named)

    @property
    def counts(self) -> AdapterCounts:
        """State and counters."""
        with self._changed:
            return AdapterCounts(
                len(self._names.named),
                self._num_reads,
                self._num_hits,
                self._num_misses,
                self._num_failures,
                self._read_seconds,
            )

    def reserve(self, request: LoRARequest) -> None:
        """Keep a name and its number for the files of this request: others with one of them are refused."""
        with self._changed:
            self._names.reserve(request)

    def knows(self, request: LoRARequest) -> bool:
        """Return True if `resolve` would read nothing."""
        try:
            return self._find(request)[1] is not None
        except (ConfigError, RequestError):
            return True  # `resolve` raises it before it reads

    def resolve(self, request: LoRARequest, *, again: bool = False) -> NamedAdapter:
        """Return the adapter that a request names, after reading it if its files are new or have changed.

        Args:
            again: read the files even if they have not changed.

        Raises:
            ModelError: it cannot be read, or does not fit the model. Nothing has changed then.
            RequestError: no path, and an unknown name.
            ConfigError: the number is another name's.
        """
        path, content = self._find(request)
        if content is None or (again and path):
            with self._loading:
                if not again:
                    path, content = self._find(request)  # another thread may have read it meanwhile
                if content is None or again:
                    return self._load(request, path)
        with self._changed:
            known = self._names.named.get(request.lora_name)
            if known is None or (known.number, known.path, known.content) != (request.lora_int_id, path, content):
                known = self._enter(replace(request, lora_path=path), content)
            return known

    def _load(self, request: LoRARequest, path: str) -> NamedAdapter:
        begin = time.perf_counter()
        adapter, stamp = self._read(path)
        self._host.add_adapter(adapter)  # if there is no room it is read again when its turn comes
        with self._changed:
            self._num_reads += 1
            self._read_seconds += time.perf_counter() - begin
            return self._enter(replace(request, lora_path=path), adapter.content, stamp=stamp)

    def put(self, name: str, adapter: LoraAdapter, number: int | None = None) -> NamedAdapter:
        """Give a name to an adapter in memory, in place of the one that had it.

        Args:
            number: None: the name's own, or the smallest that is free.

        Raises:
            ModelError: it does not fit the model. Nothing has changed then.
            ConfigError: the number is another name's.
        """
        with self._loading:
            with self._changed:
                request = LoRARequest(name, self._names.number_for(name) if number is None else number)
                self._names.require_free(request, "")
            self._host.add_adapter(adapter)
            with self._changed:
                return self._enter(request, adapter.content, adapter=adapter)

    def adapter_of(self, name: str) -> LoraAdapter | None:
        """Return the numbers that a name has; None: there is no such name.

        Raises:
            ModelError: its files cannot be read any more.
        """
        with self._changed:
            if (found := self._names.named.get(name)) is None:
                return None
            source = self._names.sources[found.content]
        return source.adapter or self._read_again(found.content, source.paths)

    def remove(self, number: int) -> bool:
        """Forget the name that has a number; its unfinished requests go on. Returns False if there is none."""
        with self._changed:
            found = self._names.with_number(number)
            for each in found:
                self._unpin(each)
            self._names.remove(found)
            return bool(found)

    def pin(self, number: int) -> bool:
        """Keep the adapter of a number in host memory, whatever version its name has. Returns False if there is none.

        Raises:
            ConfigError: so many are pinned that the adapters which steps need would have no room beside them.
        """
        with self._changed:
            found = self._names.with_number(number)
            contents = {each.content for each in found}
            others = {self._names.named[name].content for name in self._pinned} - contents
            if len(others) + len(contents) > self._max_pinned:
                raise ConfigError(
                    f"pin_lora: {len(others)} adapters are pinned, expected at most {self._max_pinned}, half of the "
                    "room that max_cpu_loras leaves beside max_loras; raise max_cpu_loras"
                )
            for each in found:
                self._pinned.add(each.name)
                self._keep(each.content)
            return bool(found)

    def prune(self, in_use: Collection[str]) -> None:
        """Forget contents without a name, except those in use; called in the thread that adds requests."""
        with self._changed:
            gone = set(self._names.stale).difference(in_use, self._claims)
            self._names.forget(gone)
            for content in gone:
                self._host.remove_adapter(content)

    @property
    def has_stale(self) -> bool:
        """True if `prune` may have something to do."""
        return bool(self._names.stale)

    def _find(self, request: LoRARequest) -> tuple[str, str | None]:
        """Return the path and content that a request names; None: the files must be read."""
        with self._changed:
            path, known = self._names.path_of(request), self._names.named.get(request.lora_name)
            before, content = self._names.read(path)
        if known is not None and not path:
            return path, known.content
        stamp = stamp_of(path)
        if stamp == before is not None:
            return path, content
        # Without files a name goes on as long as its numbers are in memory.
        is_there = stamp is None and known is not None and known.path == path and self._host.has_adapter(known.content)
        return path, known.content if is_there and known is not None else None

    def _enter(
        self, request: LoRARequest, content: str, *, stamp: Stamp = None, adapter: LoraAdapter | None = None
    ) -> NamedAdapter:
        """Enter a name's content, which is in host memory if that had room."""
        before = self._names.named.get(request.lora_name)
        found = self._names.enter(request, content, stamp=stamp, adapter=adapter)
        if before is not None and before.content != content and found.name in self._pinned:
            self._keep(content)
            self._let_go(before.content)
        if content in self._claims and content not in self._ready and self._host.has_adapter(content):
            self._become_ready(content)
        return found

    def _unpin(self, found: NamedAdapter) -> None:
        if found.name in self._pinned:
            self._pinned.discard(found.name)
            self._let_go(found.content)

    # --- Host memory ---------------------------------------------------------------------------------------

    def claim(self, content: str) -> None:
        """`AdapterStore.claim`."""
        with self._changed:
            if content in self._claims:
                return
            self._claims.add(content)
            if self._keep(content):
                self._num_hits += 1
                self._ready.add(content)
            else:
                self._num_misses += 1

    def release(self, content: str) -> None:
        """`AdapterStore.release`."""
        with self._changed:
            if content in self._claims:
                self._ready.discard(content)
                self._failed.pop(content, None)
                if not self._is_pinned(content):
                    self._host.unhold_adapter(content)
                self._claims.discard(content)  # last, so that `reset` completes what an interrupt has left
                self._changed.notify_all()

    def is_ready(self, content: str) -> bool:
        """`AdapterStore.is_ready`."""
        return content in self._ready

    def wait(self, contents: Collection[str], timeout: float) -> None:
        """`AdapterStore.wait`."""
        with self._changed:
            self._changed.wait_for(
                lambda: any(each in self._ready or each in self._failed for each in contents), timeout
            )

    @property
    def failures(self) -> Mapping[str, str]:
        """Reasons why claimed adapters cannot be read, by content, until they are released."""
        return self._failed and dict(self._failed)

    def reset(self) -> None:
        """Forget all claims, after the scheduler has lost its sequences."""
        with self._changed:
            for content in list(self._claims):
                self.release(content)

    def close(self) -> None:
        """Read nothing more, and wait for the file that is being read."""
        with self._changed:
            self._is_closed = True
            self._queue.clear()
            reader = self._reader
            self._changed.notify_all()
        if reader is not None and reader.is_alive():
            reader.join(_LONGEST_CLOSE)

    @property
    def is_reading(self) -> bool:
        """True while adapters are on their way into host memory."""
        return bool(self._queue) or self._reading is not None

    def _is_wanted(self, content: str) -> bool:
        return content in self._claims or self._is_pinned(content)

    def _is_pinned(self, content: str) -> bool:
        return any(self._names.named[name].content == content for name in self._pinned)

    def _keep(self, content: str) -> bool:
        """Hold a claimed or pinned adapter in host memory, and have it read unless it is there. Returns True if so."""
        self._host.hold_adapter(content)  # before the question, so that it cannot leave after it
        if self._host.has_adapter(content):
            return True
        if content not in self._queue and content != self._reading and not self._is_closed:
            self._queue.append(content)
        # An interrupt may have come before its start.
        if self._queue and (self._reader is None or not self._reader.is_alive()):
            self._reader = threading.Thread(target=self._bring_all, name="torchpaged-adapters", daemon=True)
            self._reader.start()
        return False

    def _let_go(self, content: str) -> None:
        """Undo `_keep`, unless the adapter is wanted still."""
        if not self._is_wanted(content):
            self._host.unhold_adapter(content)
            self._changed.notify_all()

    def _become_ready(self, content: str) -> None:
        self._ready.add(content)
        self._failed.pop(content, None)
        self._changed.notify_all()

    def _bring_all(self) -> None:
        """Read what is queued, and end: an idle thread would keep the engine's memory."""
        while (content := self._next()) is not None:
            reason = None
            try:
                self._bring(content)
            except Exception as error:  # of any kind: its requests end, and others go on
                reason = reason_of(error)
            with self._changed:
                self._reading = None
                if not self._is_wanted(content):
                    continue
                if self._host.has_adapter(content):
                    if content in self._claims:
                        self._become_ready(content)
                elif reason is not None:
                    self._fail(content, reason)
                elif not self._is_closed:  # it was released meanwhile, and claimed again
                    self._queue.append(content)

    def _next(self) -> str | None:
        """Return the next content to be read; None: the thread ends."""
        with self._changed:
            while self._queue:
                content = self._queue.popleft()
                if self._is_wanted(content):
                    self._reading = content
                    return content
            self._reader = None
            self._changed.notify_all()
            return None

    def _bring(self, content: str) -> None:
        """Put an adapter into host memory, unless it is not wanted any more."""
        if self._host.has_adapter(content):  # another thread was faster
            return
        with self._changed:
            source = self._names.sources.get(content, AdapterSource())
        begin = time.perf_counter()
        adapter = source.adapter or self._read_again(content, source.paths)
        while not self._host.add_adapter(adapter):  # full of adapters that steps in flight use
            with self._changed:
                self._changed.wait(_PATIENCE)
                if self._is_closed or not self._is_wanted(content):
                    return
        with self._changed:
            self._num_reads += source.adapter is None
            self._read_seconds += time.perf_counter() - begin

    def _read_again(self, content: str, paths: Sequence[str]) -> LoraAdapter:
        """Return the adapter with this content from the first path that still has it."""
        error = ModelError(f"the adapter {content:.12} has been removed")
        for path in paths:
            try:
                adapter, _ = self._read(path)
            except ModelError as reason:
                error = reason
                continue
            if adapter.content == content:
                return adapter
            error = ModelError(f"adapter {path!r}: its files were replaced after the request had come")
        raise error

    def _fail(self, content: str, reason: str) -> None:
        self._num_failures += 1
        named = self._names.named
        for name in [name for name in self._pinned if named[name].content == content]:
            logger.warning("the adapter %r is not pinned any more: %s", name, reason)
            self._unpin(named[name])
        if content in self._claims:
            self._failed[content] = reason
            self._changed.notify_all()

    def _read(self, path: str) -> tuple[LoraAdapter, Stamp]:
        """Read files that stay the same meanwhile."""
        for _ in range(_TRIES):
            before = stamp_of(path)
            try:
                adapter = self._read_path(path)
            except ModelError:
                if stamp_of(path) == before:
                    raise
                continue  # one of the new files beside one of the old ones, or a folder that is being replaced
            if stamp_of(path) == before:
                return adapter, before
        raise ModelError(f"adapter {path!r}: its files changed while they were read, {_TRIES} times; write them once")

    def check(self) -> None:
        """Assert the invariants."""
        with self._changed:
            self._names.check()
            assert self._pinned <= self._names.named.keys()
            pending = {*self._queue, self._reading}
            for content in self._claims:
                states = [content in each for each in (self._ready, self._failed, pending)]
                assert any(states), f"the claimed adapter {content:.12} is neither ready nor coming"
                assert not (content in self._ready and content in self._failed)
            assert self._claims >= self._ready | self._failed.keys()
            assert all(map(self._host.has_adapter, self._ready)), "an adapter that is ready has left host memory"


def num_pinnable(config: EngineConfig) -> int:
    """Return how many adapters may be pinned: half of those in host memory that no step needs."""
    return (config.num_host_adapters - config.max_loras) // 2


def registry_of(model: PagedModel, config: EngineConfig, executor: Executor) -> AdapterRegistry | None:
    """Return a registry over an executor; None if adapters are off.

    Raises:
        ConfigError: adapters are on, and the model has no linear module that could have one.
    """
    if not config.enable_lora:
        return None
    if not executor.adapter_modules:
        raise ConfigError(
            f"EngineConfig: enable_lora is True, but {model.spec.name} has no linear modules that could have adapters; "
            "leave it out"
        )
    return AdapterRegistry(executor, partial(_read_files, model, config, executor), num_pinnable(config))


def _read_files(model: PagedModel, config: EngineConfig, executor: Executor, path: str) -> LoraAdapter:
    from torchpaged.integrations.checkpoints.lora import read_adapter  # takes a while to import

    modules = executor.adapter_modules
    return read_adapter(path, modules, max_rank=config.max_lora_rank, model_config=_ConfigOf(model))


class _ConfigOf:
    """The config of a model, which a prepared one reads, by transformers, at its first use."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def get_text_config(self) -> Any:
        """Return the decoder's config; None for a model that is not transformers'."""
        config = getattr(self._model, "hf_config", None)
        return None if config is None else config.get_text_config()


def of_state_dict(
    model: PagedModel, config: EngineConfig, executor: Executor, name: str, weights: Mapping[str, Any], given: Any
) -> LoraAdapter:
    """Return the adapter of tensors by name.

    Args:
        name: of the adapter, for errors.
        weights, given: the tensors and their config, as of `adapter_of_state_dict`.

    Raises:
        ModelError: they do not fit the model.
    """
    from torchpaged.integrations.checkpoints.lora import adapter_of_state_dict  # takes a while to import

    return adapter_of_state_dict(
        weights,
        given,
        executor.adapter_modules,
        name=name,
        max_rank=config.max_lora_rank,
        model_config=_ConfigOf(model),
    )
