"""The cache of prepared models: what the first load of a checkpoint found out, for the starts after it.

Each entry is a folder named after a key, with `record.json`, `weights.bin`, `tokenizer.json` if the tokenizer can be
recorded, and a file for each program. The record appears last: without it there is no entry. Whatever is wrong with
one, it counts as missing: the checkpoint is loaded, and prepared again.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b, sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import torch

from torchpaged.config import EngineConfig
from torchpaged.csrc import build
from torchpaged.engine_args import LoadOptions
from torchpaged.errors import reason_of
from torchpaged.ops import active_backend, cpu
from torchpaged.utils import atomic_files, environment
from torchpaged.weights.tensor_file import DamagedFile, TensorFile, file_checksum

logger = logging.getLogger(__name__)

FORMAT = 1  # of the files; another one is another key
RECORD, WEIGHTS, TOKENIZER = "record.json", "weights.bin", "tokenizer.json"
EXACT = "exact.json"  # the result of `why_not_exact`, once it was asked for
FINGERPRINT = "fingerprint.json"  # of all weights, once it was asked for
_PROGRAM = "program-"
# A file is known by its size, its time and so many pieces of so many bytes, which take some milliseconds to read.
_PIECES, _PIECE_BYTES = 64, 1 << 12
_MOST_FILES = 4096
_NAME = re.compile("[0-9a-f]{32}")  # of an entry
# Ends of the names of a checkpoint's files, and of those in folders in it (pooling, code).
_READ_BELOW = (".json", ".py")
_READ = (*_READ_BELOW, ".safetensors", ".bin", ".jinja", ".txt", ".model", ".tiktoken", ".bpe")
# Variables of the environment that choose kernels.
_VARIABLES = ("TORCHPAGED_BACKEND", "TORCHPAGED_LIBRARY")
# Distributions that decide what a loaded model computes.
_DISTRIBUTIONS = ("torch", "transformers", "tokenizers", "safetensors", "torchao")


class NotPrepared(Exception):
    """The reason why a model is not prepared."""


def folder() -> Path:
    """Return the cache's folder: in TORCHPAGED_CACHE if that is set, else in the user's cache.

    Raises:
        NotPrepared: the user has no home.
        ConfigError: TORCHPAGED_CACHE names something other than a folder.
    """
    given = environment.cache_folder()
    try:
        # Absolute, since a program may change its working directory while a model is used.
        return Path(os.path.abspath(given) if given else build.cache_directory()) / "prepared"
    except OSError as error:
        raise NotPrepared(f"{error.filename}: {error.strerror}") from error


def is_enabled(options: LoadOptions) -> bool:
    """Return True unless the options or TORCHPAGED_PREPARED_CACHE=0 switch the cache off."""
    return options.prepared_cache and environment.switch(environment.PREPARED_CACHE, default=True)


class Entry(NamedTuple):
    """An entry in the cache's folder, for listing.

    Args:
        path: its folder.
        model: the checkpoint's path; "" if the record cannot be read.
        num_bytes: of all its files.
        used: time of the last use, in seconds since 1970.
    """

    path: Path
    model: str
    num_bytes: int
    used: float


@dataclass(frozen=True, slots=True)
class Key:
    """Everything that a prepared model depends on: equal keys, equal models.

    Args:
        model: the checkpoint's real path.
        files: its files.
        values: states of the files, settings, versions, kernels and threads, for JSON.
    """

    model: str
    files: tuple[Path, ...]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, path: str, config: EngineConfig, options: LoadOptions) -> Key:
        """Compute the key of a checkpoint under these settings.

        Raises:
            NotPrepared: a model of this kind, or with these settings, is not prepared.
        """
        if active_backend("packed_linear", "cpu") != "cpp" or cpu.isa() == "portable":
            raise NotPrepared("there are no kernels for packed weights here")
        if config.compiles("cpu"):
            raise NotPrepared("compile is True")
        if not config.optimize:
            raise NotPrepared("optimize is False")
        if config.speculation is not None and config.speculation.method == "mtp":
            raise NotPrepared("its MTP head is a part of the transformers model")
        if not isinstance(config.quantization, (str, type(None))):
            raise NotPrepared("quantization is a config of torchao's")
        if callable(options.hf_overrides):
            raise NotPrepared("hf_overrides is a function")
        if options.load_format == "dummy":
            raise NotPrepared("its weights are random")
        real = os.path.realpath(_local(path, options))
        towers = None if options.mmproj is None else Path(os.path.realpath(options.mmproj))
        files = (*_files(Path(real)), *([] if towers is None else [towers]))
        values = {
            "format": FORMAT,
            "model": real,
            "files": [_state(file, Path(real)) for file in files],
            "settings": [
                config.dtype,
                config.quantization,
                str(config.optimize),
                config.enable_prompt_embeds,
                config.enable_lora,
                config.enable_expert_parallel,  # refused for some models, before they are prepared
                config.trust_remote_code,
                config.takes_media,
                repr(sorted(options.hf_overrides.items())),
                options.load_format,
            ],
            "versions": [sys.version, *map(_version, _DISTRIBUTIONS), _code()],
            "kernels": [build.library_name(), cpu.isa(), *map(os.environ.get, _VARIABLES)],
            "threads": torch.get_num_threads(),
        }
        return cls(real, files, values)

    def name(self, max_model_len: int | None = None) -> str:
        """Return the entry's name; with a length where the model depends on it (LongRoPE)."""
        text = json.dumps({**self.values, "max_model_len": max_model_len}, sort_keys=True)
        return sha256(text.encode()).hexdigest()[:32]

    def is_current(self) -> bool:
        """Return whether the files are still those of the key."""
        try:
            found = [_state(file, Path(self.model)) for file in dict.fromkeys((*_files(Path(self.model)), *self.files))]
        except NotPrepared:
            return False
        return bool(found == self.values["files"])

    def checksums(self) -> dict[str, int]:
        """Return a checksum of each file's whole contents. OSError if one cannot be read."""
        return {str(file): file_checksum(file) for file in self.files}


def _local(path: str, options: LoadOptions) -> str:
    """Return the folder of a checkpoint; for a hub id that of its current commit in the hub's cache.

    Raises:
        NotPrepared: it is not there.
    """
    local = os.path.expanduser(path)
    if os.path.exists(local) or path.startswith((".", "/", "~")) or path.endswith(".gguf"):
        return local
    try:
        from huggingface_hub import hf_hub_download

        config = hf_hub_download(
            path, "config.json", revision=options.revision, cache_dir=options.download_dir, token=options.hf_token
        )
    except Exception as error:  # the hub's own; the load says what is wrong
        raise NotPrepared(f"the hub gave no config: {reason_of(error)}") from error
    return os.path.dirname(config)


def _files(path: Path) -> Iterator[Path]:
    """Yield the files of a checkpoint, in order. NotPrepared if there are too many or none."""
    if path.suffix == ".gguf":
        parts = path.name.partition("-00001-of-")
        yield from sorted(path.parent.glob(f"{parts[0]}-*-of-{parts[2]}")) if parts[1] else [path]
        return
    if not (path / "config.json").is_file():
        raise NotPrepared("it is no folder with a config.json")
    count = 0
    for root, folders, names in os.walk(path, followlinks=True):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        read = _READ if root == str(path) else _READ_BELOW
        for name in sorted(names):
            if name.endswith(read):
                count += 1
                if count > _MOST_FILES:
                    raise NotPrepared(f"its folder has more than {_MOST_FILES} such files as models have")
                yield Path(root, name)


def _state(path: Path, root: Path) -> list[Any]:
    """Return a file's name, size, time, and a hash of pieces of it. NotPrepared if it cannot be read."""
    try:
        found, digest = path.stat(), blake2b(digest_size=16)
        if not stat.S_ISREG(found.st_mode):
            raise NotPrepared(f"{path.name} is no regular file")
        with path.open("rb", buffering=0) as file:
            step = max(_PIECE_BYTES, (found.st_size - _PIECE_BYTES) // (_PIECES - 1))
            for at in range(0, found.st_size, step):
                file.seek(at)
                digest.update(file.read(_PIECE_BYTES))
    except OSError as error:
        raise NotPrepared(f"{path.name}: {error.strerror}") from error
    return [os.path.relpath(path, root), found.st_size, found.st_mtime_ns, digest.hexdigest()]


def _version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


def _code() -> str:
    """Return a hash of the names, sizes and times of torchpaged's own files."""
    digest, root = sha256(), Path(__file__).parents[1]
    for each, folders, names in os.walk(root, followlinks=True):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                state = os.stat(os.path.join(each, name))
                digest.update(f"{os.path.relpath(each, root)} {name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


# --- Entries -----------------------------------------------------------------------------------------------------


def read(path: Path) -> tuple[dict[str, Any], TensorFile]:
    """Read an entry's record, and map its weights, which the caller has to verify.

    Raises:
        FileNotFoundError: there is no such entry.
        PermissionError: it belongs to another user.
        DamagedFile: it cannot be used.
    """
    record = read_json(path / RECORD)
    state = path.stat()
    if state.st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "it belongs to another user", str(path))
    if state.st_mode & stat.S_IWOTH:
        raise DamagedFile("others may write into its folder")
    with suppress(OSError):
        os.utime(path / RECORD)  # the time of the last use
    return record, TensorFile(path / WEIGHTS, record["tensors"])


def read_programs(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the programs of an entry; damaged ones are left out."""
    for each in sorted(path.glob(f"{_PROGRAM}*.json")):
        with suppress(DamagedFile, OSError):
            yield read_json(each)


def program_file(path: Path, key: str) -> Path:
    """Return the file for the program of a key."""
    return path / f"{_PROGRAM}{sha256(key.encode()).hexdigest()[:16]}.json"


def read_json(path: Path) -> dict[str, Any]:
    """Read what `write_json` wrote. DamagedFile if a byte of it differs."""
    if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe or a device may never end
        raise DamagedFile(f"{path.name} is no regular file")
    digest, _, text = path.read_bytes().partition(b"\n")
    if sha256(text).hexdigest().encode() != digest:
        raise DamagedFile(f"{path.name} is not as it was written")
    found: dict[str, Any] = json.loads(text)
    return found


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a file atomically: a line with a checksum, then JSON. Other values than JSON's raise TypeError."""
    text = json.dumps(values).encode()
    with atomic_files.replaced(path) as made:
        made.write_bytes(sha256(text).hexdigest().encode() + b"\n" + text)


def entries(root: Path | None = None) -> list[Entry]:
    """List the entries in the cache's folder, or in `root`, the longest unused first.

    Raises:
        NotPrepared: there is no place for a cache, or it cannot be read.
    """
    found, root = [], root or folder()
    try:
        for path in root.iterdir():
            # The folder may have other things of the user's, which must not be removed.
            if _NAME.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
                found.append(_entry(path))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise NotPrepared(f"{root}: {error.strerror}") from error
    return sorted(found, key=lambda each: each.used)


def _entry(path: Path) -> Entry:
    model, used, num_bytes = "", 0.0, 0
    with suppress(OSError):
        num_bytes = sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
        used = (path / RECORD).stat().st_mtime
    with suppress(OSError, DamagedFile, ValueError, LookupError, TypeError):
        model = read_json(path / RECORD)["model"]
    return Entry(path, model, num_bytes, used)


def remove(path: Path) -> None:
    """Remove an entry. Processes that have mapped it go on."""
    gone = path.with_name(f".{path.name}-{os.getpid()}.removed")
    with suppress(OSError):
        path.rename(gone)  # at once, so that no other process finds half of it
        shutil.rmtree(gone, ignore_errors=True)


def collect(most_bytes: int, keep: Path | None = None) -> list[Entry]:
    """Remove the longest unused entries until all together have at most so many bytes, and return the removed ones."""
    root = keep.parent if keep is not None else folder()
    for half in root.glob(".*.removed"):  # a killed process has begun
        if _NAME.fullmatch(half.name[1:33]):
            shutil.rmtree(half, ignore_errors=True)
    known = entries(root)
    total, removed = sum(each.num_bytes for each in known), []
    for each in known:
        is_unfinished = not each.used and atomic_files.is_being_filled(each.path)
        if total > most_bytes and each.path != keep and not is_unfinished:
            remove(each.path)
            total -= each.num_bytes
            removed.append(each)
    return removed


def require_room(path: Path, num_bytes: int) -> None:
    """Raise NotPrepared unless the disk has room for an entry of so many bytes, and as much again for others."""
    if num_bytes > (limit := environment.cache_bytes()):
        raise NotPrepared(f"it has {num_bytes} bytes, the cache's limit is {limit}")
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        free = shutil.disk_usage(path).free
    except OSError as error:
        raise NotPrepared(f"{path}: {reason_of(error)}") from error
    if free < 2 * num_bytes:
        raise NotPrepared(f"the disk has {free} bytes free, expected twice its {num_bytes}")
