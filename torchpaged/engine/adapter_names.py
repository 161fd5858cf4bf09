"""AdapterNames: which adapter a name, a number and a path stand for, and where an adapter's numbers come from."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import count

from torchpaged.errors import ConfigError, RequestError, did_you_mean
from torchpaged.lora_request import LoRARequest
from torchpaged.utils.paths import expanded
from torchpaged.weights.lora_adapter import LoraAdapter

# Name, time, size and number of each file of an adapter; None: there are none.
Stamp = tuple[tuple[str, int, int, int], ...] | None

# Paths that are remembered of one content.
_PATHS = 4


@dataclass(frozen=True, slots=True)
class NamedAdapter:
    """An adapter under a name.

    Args:
        request: the last one that had the name.
        content: see `LoraAdapter`.
        version: 1 at first; it grows whenever the name gets another content.
    """

    request: LoRARequest
    content: str
    version: int

    @property
    def name(self) -> str:
        """The name."""
        return self.request.lora_name

    @property
    def number(self) -> int:
        """The integer id."""
        return self.request.lora_int_id

    @property
    def path(self) -> str:
        """The path of its files; "": it came from memory."""
        return self.request.lora_path


@dataclass(frozen=True, slots=True)
class AdapterSource:
    """Where an adapter's numbers come from: files, or memory.

    Args:
        paths: of files that had them, the newest first.
        adapter: the numbers themselves, of an adapter that has no files.
    """

    paths: tuple[str, ...] = ()
    adapter: LoraAdapter | None = None


class AdapterNames:
    """Adapters by name, number, path and content; not thread-safe. An interrupt leaves all of a change, or nothing.

    Invariants:
        - Names with the same number have the same path.
        - Each name's content has a source, and each path's too.

    Attributes:
        named: the adapters by name.
        sources: by content.
        stale: contents that have a source and no name, until they are forgotten.
    """

    def __init__(self) -> None:
        self.named: Mapping[str, NamedAdapter] = {}
        self.sources: Mapping[str, AdapterSource] = {}
        self.stale: Collection[str] = frozenset()
        self._numbered: Mapping[int, list[str]] = {}  # names by number
        self._files: Mapping[str, tuple[Stamp, str]] = {}  # by path, the stamp and content of files that were read
        self._reserved: dict[str, LoRARequest] = {}

    def reserve(self, request: LoRARequest) -> None:
        """Keep a name and its number for the files of this request, known or not."""
        self._reserved[request.lora_name] = request

    def path_of(self, request: LoRARequest) -> str:
        """Return the path of the files that a request names; "": a name that is known, and from memory.

        Raises:
            RequestError: no path, and an unknown name.
            ConfigError: the number is another file's.
        """
        known = self.named.get(request.lora_name)
        if known is None and not request.lora_path:
            near = did_you_mean(request.lora_name, self.named) or "; give its folder"
            raise RequestError(
                f"lora_request names {request.lora_name!r:.80}, which is not loaded, and has no lora_path{near}"
            )
        path = request.lora_path or (known.path if known is not None else "")
        self.require_free(request, path)
        return path

    def read(self, path: str) -> tuple[Stamp, str]:
        """Return the stamp and content that the files at a path had when they were read; (None, ""): they were not."""
        return self._files.get(path, (None, ""))

    def with_number(self, number: int) -> list[NamedAdapter]:
        """Return the adapters that have a number."""
        return [self.named[name] for name in self._numbered.get(number, ())]

    def number_for(self, name: str) -> int:
        """Return a name's number, or for a new one the smallest that is free."""
        if (known := self.named.get(name)) is not None:
            return known.number
        taken = {*self._numbered, *(each.lora_int_id for each in self._reserved.values())}
        return next(each for each in count(1) if each not in taken)

    def enter(
        self, request: LoRARequest, content: str, *, stamp: Stamp = None, adapter: LoraAdapter | None = None
    ) -> NamedAdapter:
        """Give a name to a content.

        Args:
            request: has the path of its files; "": it came from memory.
            stamp: of files that were read now; None: the source is known.
            adapter: the numbers, of an adapter from memory.

        Raises:
            ConfigError: the number is another file's.
        """
        path = request.lora_path
        self.require_free(request, path)
        before = self.named.get(request.lora_name)
        version = 1 if before is None else before.version + (before.content != content)
        source = self.sources.get(content, AdapterSource())
        others = [each for each in source.paths if each != path][: _PATHS - 1]
        source = AdapterSource((path, *others) if path else tuple(others), adapter or source.adapter)
        found = NamedAdapter(request, content, version)
        files = {**self._files, path: (stamp, content)} if stamp is not None else self._files
        self._publish({**self.named, found.name: found}, {**self.sources, content: source}, files)
        return found

    def remove(self, found: Collection[NamedAdapter]) -> None:
        """Forget names."""
        self._publish({name: each for name, each in self.named.items() if each not in found}, self.sources, self._files)

    def forget(self, contents: Collection[str]) -> None:
        """Forget contents without a name."""
        sources = {content: each for content, each in self.sources.items() if content not in contents}
        files = {path: each for path, each in self._files.items() if each[1] not in contents}
        self._publish(self.named, sources, files)

    def _publish(
        self,
        named: Mapping[str, NamedAdapter],
        sources: Mapping[str, AdapterSource],
        files: Mapping[str, tuple[Stamp, str]],
    ) -> None:
        """Replace the tables in one statement."""
        numbered: dict[int, list[str]] = {}
        for name, each in named.items():
            numbered.setdefault(each.number, []).append(name)
        stale = sources.keys() - {each.content for each in named.values()}
        self.named, self.sources, self.stale, self._numbered, self._files = named, sources, stale, numbered, files

    def require_free(self, request: LoRARequest, path: str) -> None:
        """Raise ConfigError if the number is another file's; vLLM's scripts give one file several names.

        So it does if a reserved name or number would stand for other files.
        """
        for name, own in self._reserved.items():
            is_other = _place(path) != _place(own.lora_path)
            is_named, is_numbered = name == request.lora_name, own.lora_int_id == request.lora_int_id
            if (is_named and not is_numbered) or ((is_named or is_numbered) and is_other):
                raise ConfigError(
                    f"LoRARequest: {request.lora_name!r:.80} with lora_int_id {request.lora_int_id} is or has that of "
                    f"{name!r}, which default_mm_loras has for {own.lora_path!r:.200}, with lora_int_id "
                    f"{own.lora_int_id}; choose another name and number"
                )
        for each in self.with_number(request.lora_int_id):
            if each.name != request.lora_name and not (path and path == each.path):
                raise ConfigError(
                    f"LoRARequest: lora_int_id is {request.lora_int_id}, which {each.name!r:.80} has already; give "
                    f"{request.lora_name!r:.80} another one"
                )

    def check(self) -> None:
        """Assert the invariants."""
        numbered = [(number, name) for number, names in self._numbered.items() for name in names]
        assert sorted(numbered) == sorted((each.number, name) for name, each in self.named.items())
        for names in self._numbered.values():
            assert len({self.named[name].path for name in names}) == 1, f"{names} have one number"
        contents = {each.content for each in self.named.values()}
        assert contents.isdisjoint(self.stale) and contents.union(self.stale) == self.sources.keys()
        assert {content for _, content in self._files.values()} <= self.sources.keys()


def _place(path: str) -> str:
    """Return a path in the form in which reserved ones are compared; "" stays."""
    return path and os.path.abspath(expanded(path))


def stamp_of(path: str) -> Stamp:
    """Return what changes when the files of an adapter do: those in a folder, or the one at the path.

    Other files of the folder, a trainer's log or checkpoint, may change all the time.
    """
    place, found = expanded(path), []
    try:
        files = [place]
        if not os.path.isfile(place):
            files = [each.path for each in os.scandir(place) if each.name.startswith("adapter") and each.is_file()]
        for file in sorted(files):
            status = os.stat(file)
            found.append((file, status.st_mtime_ns, status.st_size, status.st_ino))
    except (OSError, ValueError):  # ValueError: a text that cannot be a path
        return None
    return tuple(found) or None
