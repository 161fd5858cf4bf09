"""PreparedModel: a model that an earlier process has compiled and packed, run without transformers.

`Preparation` writes it into the cache, in a background thread of the first load; `read` finds it there. Both give the
same bits: a prepared model runs the same graphs, programs and packed weights.
"""

from __future__ import annotations

import atexit
import errno
import functools
import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchpaged.compiler.program import Program, ReplayedForward
from torchpaged.compiler.stored_graph import NotStorable, read_graph, read_program, write_graph, write_program
from torchpaged.engine import prepared_cache
from torchpaged.engine.prepared_cache import Key, NotPrepared
from torchpaged.engine.prepared_media import PreparedMediaEncoder, PreparedMediaProcessor, ReadsProcessor, written_media
from torchpaged.errors import TorchpagedError, reason_of
from torchpaged.execution import exact
from torchpaged.models import fast_tokenizer
from torchpaged.models.attention_metadata import StepMetadata
from torchpaged.models.fast_tokenizer import FastTokenizer
from torchpaged.models.model import LayerShape, ModelSpec, PagedModel, StateShape
from torchpaged.utils import atomic_files, environment
from torchpaged.weights.tensor_file import DamagedFile, TensorFile, TensorWriter, read_dtype

logger = logging.getLogger(__name__)

# Seconds after a start until the checkpoint's files are read whole, to compare them with those that were prepared.
_COMPARED_AFTER = 10.0
# Most bytes of the weights that the system's fingerprint reads, in even steps over each tensor: a second or two.
FINGERPRINTED = 1 << 31
_CHANGED = "its weights have changed"


class Stored:
    """An entry of the cache, read and verified.

    Args:
        key: what it was found by.
        path: its folder.
        record: as `Preparation` wrote it.
        file: its weights.
        tokenizer: the checkpoint's, made of its record; None if it was not asked for, or could not be recorded.

    Attributes:
        programs: sources of programs by the text of their key.
        tensors: all tensors, by number.
    """

    def __init__(
        self, key: Key, path: Path, record: Mapping[str, Any], file: TensorFile, tokenizer: FastTokenizer | None
    ) -> None:
        self.key, self.path, self.record, self.file, self.tokenizer = key, path, record, file, tokenizer
        self.tensors = file.tensors()
        self.programs = {each["key"]: read_program(each, self.tensors) for each in prepared_cache.read_programs(path)}
        self.spec = _read_spec(record["spec"])


def read(key: Key, max_model_len: int | None, make_tokenizer: Callable[[], Any] | None = None) -> Stored | None:
    """Find a checkpoint in the cache. A damaged entry is removed, with a warning, and counts as missing.

    Args:
        make_tokenizer: loads the tokenizer of transformers; None: none is needed.
    """
    for length in dict.fromkeys((None, max_model_len)):
        path = prepared_cache.folder() / key.name(length)
        try:
            record, file = prepared_cache.read(path)
            with ThreadPoolExecutor(1) as pool:
                verified = pool.submit(file.verify)
                tokenizer = None if make_tokenizer is None else _read_tokenizer(path, make_tokenizer)
                stored = Stored(key, path, record, file, tokenizer)
                verified.result()
            return stored
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except Exception as error:  # of any kind: it is a file
            if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
                continue
            logger.warning(
                "the prepared model in %s cannot be used and is prepared again: %s", path, reason_of(error) or error
            )
            prepared_cache.remove(path)
    return None


def _read_tokenizer(path: Path, make: Callable[[], Any]) -> FastTokenizer | None:
    """Return an entry's tokenizer, whose vocabulary another thread begins to read; None if it has none."""
    try:
        tokenizer = FastTokenizer(prepared_cache.read_json(path / prepared_cache.TOKENIZER), make)
    except FileNotFoundError:
        return None
    tokenizer.prefetch()
    return tokenizer


class PreparedModel:
    """`PagedModel` of a stored model. It has no transformers model until its weights are changed or asked for.

    Args:
        stored: the entry.
        make: loads the checkpoint as a fresh start does, quantised if the prepared one was.
        resolve: reads the checkpoint's configs, as a `Checkpoint`.
        read_processor: reads the checkpoint's processor of images and sounds.

    Attributes:
        media_encoder, media_processor, media_refusal: as a `TransformersModel` has them.
    """

    encoder = None

    def __init__(
        self,
        stored: Stored,
        make: Callable[[], PagedModel],
        resolve: Callable[[], Any],
        read_processor: ReadsProcessor,
    ) -> None:
        self.spec: ModelSpec = stored.spec
        self.weights = _PreparedWeights(stored, make)
        self._stored, self._resolve = stored, functools.cache(resolve)
        graphs = [_Lazy(each, stored.tensors) for each in stored.record["graphs"]]
        forward, *rest = graphs
        self._forward = ReplayedForward(forward, self.spec.vocab_size, stored.programs, self.spec.position_axes)
        self._forward.when_made = _Keeper(
            lambda key, program: _keep_program(stored.path, key, program, _written(stored))
        )
        self._logits = rest.pop(0) if self.spec.hidden_size is not None else _unchanged
        self._embed = rest.pop(0) if rest else None
        self.media_encoder: PreparedMediaEncoder | None = None
        self.media_processor: PreparedMediaProcessor | None = None
        media = stored.record["media"]
        self.media_refusal: str | None = media["refusal"]
        if media["towers"] is not None:
            self.media_encoder = PreparedMediaEncoder(
                media["towers"], stored.tensors, lambda: self.weights.loaded, lambda: self.hf_config, self.spec.dtype
            )
        if media["processor"] is not None:
            self.media_processor = PreparedMediaProcessor(media["processor"], read_processor)

    @property
    def path(self) -> Path:
        """The entry's folder."""
        return self._stored.path

    @property
    def model(self) -> nn.Module:
        """The transformers model, which is loaded at the first use and runs from then on."""
        return self.weights.module

    @property
    def hf_config(self) -> Any:
        """The checkpoint's config."""
        return self._resolve().config

    @property
    def config(self) -> Any:
        """The decoder's part of the config."""
        return self._resolve().decoder_config

    def forward(self, input_ids: Tensor, positions: Tensor, metadata: StepMetadata, rows: Tensor) -> Tensor:
        """Map packed tokens [num_tokens] to hidden states [len(rows), hidden_size]; see `TransformersModel.forward`."""
        if (loaded := self.weights.loaded) is not None:
            return loaded.forward(input_ids, positions, metadata, rows)
        if self.spec.embedding_size and not input_ids.is_floating_point():
            input_ids = self.embed(input_ids)
        result = self._forward(input_ids, positions, metadata, rows)
        self._stored.file.move()  # once: from here on the weights are read again and again
        return result

    def embed(self, input_ids: Tensor) -> Tensor:
        """Embed tokens: [num_tokens] -> [num_tokens, embedding_size]."""
        loaded: Any = self.weights.loaded
        embed = self._embed if loaded is None else loaded.embed
        assert embed is not None
        found: Tensor = embed(input_ids)
        return found

    def logits(self, hidden: Tensor) -> Tensor:
        """Map the rows that `forward` returned to logits [num_rows, vocab_size]."""
        loaded = self.weights.loaded
        result: Tensor = self._logits(hidden) if loaded is None else loaded.logits(hidden)
        return result

    def in_use(self) -> AbstractContextManager[None]:
        """Return a context in which the model runs."""
        loaded = self.weights.loaded
        return nullcontext() if loaded is None else loaded.in_use()

    def fingerprint(self, most_bytes: int | None = None) -> str:
        """Return a hash of the config and the weights, as `TransformersModel.fingerprint`."""
        return self.weights.fingerprint(most_bytes)


def why_not_exact(model: PagedModel) -> str | None:
    """Return `exact.why_not_exact`; for a prepared model as an earlier process has found it."""
    if not isinstance(model, PreparedModel) or model.weights.loaded is not None:
        return exact.why_not_exact(model)
    path = model.path / prepared_cache.EXACT
    with suppress(OSError, DamagedFile, ValueError, LookupError):
        found: str | None = prepared_cache.read_json(path)["reason"]
        return found
    reason = exact.why_not_exact(model)
    with suppress(OSError):  # the next process finds it out again
        prepared_cache.write_json(path, {"reason": reason})
    return reason


class _PreparedWeights:
    """`Weights` of a prepared model: whatever needs the weights themselves loads the checkpoint.

    Attributes:
        loaded: the model that runs instead; None while the prepared one does.
        report: what `optimize` did when the model was prepared.
    """

    def __init__(self, stored: Stored, make: Callable[[], PagedModel]) -> None:
        from torchpaged.compiler.optimize import OptimizeReport

        self.loaded: PagedModel | None = None
        self.report = OptimizeReport(**stored.record["report"])
        self._make, self._record, self._path = make, stored.record, stored.path
        self._quantized = stored.record["quantization"]

    @property
    def module(self) -> nn.Module:
        """The transformers model."""
        module: nn.Module = self.full(optimized=True).weights.module
        return module

    def full(self, *, optimized: bool) -> Any:
        """Return the checkpoint's model, which is loaded now if it is not there, and runs from now on.

        Args:
            optimized: whether it is optimized if it is loaded now.
        """
        if self.loaded is None:
            made = self._make()
            if self._record["linear_modules"] and made.weights is not None:
                made.weights.accept_adapters()
            if optimized and made.weights is not None:
                made.weights.optimize()  # a prepared model has been optimized, whatever its dtype
            self.loaded = made
        return self.loaded

    @property
    def linear_modules(self) -> Mapping[str, tuple[int, int]]:
        """`Weights.linear_modules`."""
        if self.loaded is not None and self.loaded.weights is not None:
            return self.loaded.weights.linear_modules
        return {name: (outputs, inputs) for name, (outputs, inputs) in self._record["linear_modules"].items()}

    @property
    def merged_linears(self) -> Sequence[tuple[str, ...]]:
        """`Weights.merged_linears`."""
        if self.loaded is not None and self.loaded.weights is not None:
            return self.loaded.weights.merged_linears
        return [tuple(names) for names in self._record["merged_linears"]]

    def accept_adapters(self) -> None:
        """Do nothing while the prepared model runs: it was prepared so."""
        if self.loaded is not None and self.loaded.weights is not None:
            self.loaded.weights.accept_adapters()

    def optimize(self, *, float32: bool = True, few_launches: bool = False) -> None:
        """Do nothing while the prepared model runs: it is optimized."""
        if self.loaded is not None and self.loaded.weights is not None:
            self.loaded.weights.optimize(float32=float32, few_launches=few_launches)

    def restore(self) -> None:
        """Load the checkpoint, as before `optimize`."""
        self.full(optimized=False).weights.restore()

    def quantize(
        self, config: Any, tokenizer: Any = None, calibration: Sequence[str | Sequence[int]] | None = None
    ) -> Any:
        """Quantize the weights, unless the prepared ones are quantized as the engine asks at its start."""
        done, self._quantized = self._quantized, None
        if self.loaded is None and done is not None and config == done and calibration is None:
            return None
        return self.full(optimized=False).weights.quantize(config, tokenizer, calibration)

    def changed(self) -> bool:
        """Return whether the loaded model's weights have changed; a prepared model's do not."""
        return self.loaded is not None and self.loaded.weights is not None and self.loaded.weights.changed()

    def checked(
        self,
        weights: Mapping[str, Tensor] | Iterable[tuple[str, Tensor]],
        *,
        complete: bool = False,
        allow_non_finite: bool = False,
    ) -> list[tuple[str, Tensor]]:
        """Return tensors that fit the checkpoint's weights, which are loaded."""
        own = self.full(optimized=True).weights
        found: list[tuple[str, Tensor]] = own.checked(weights, complete=complete, allow_non_finite=allow_non_finite)
        return found

    def update(self, weights: Sequence[tuple[str, Tensor]], then: Callable[[], object]) -> None:
        """Copy numbers into the checkpoint's weights, which are loaded."""
        self.full(optimized=False).weights.update(weights, then)

    def release(self, *, keep: bool) -> None:
        """Give back the loaded checkpoint's weights; those of a prepared model are a file's pages, which stay."""
        if not keep or self.loaded is not None:
            self.full(optimized=False).weights.release(keep=keep)

    def regain(self) -> None:
        """Undo `release`."""
        if self.loaded is not None and self.loaded.weights is not None:
            self.loaded.weights.regain()

    def fingerprint(self, most_bytes: int | None) -> str:
        """Return what was computed when the model was prepared, or by an earlier process; else load the checkpoint."""
        if self.loaded is not None:
            return self.loaded.fingerprint(most_bytes)
        known: str | None = self._record["fingerprints"].get(str(most_bytes))
        if known is not None:
            return known
        path = self._path / prepared_cache.FINGERPRINT
        with suppress(OSError, DamagedFile, ValueError, LookupError):
            known = prepared_cache.read_json(path)[str(most_bytes)]
            return known
        found: str = self.full(optimized=True).fingerprint(most_bytes)
        with suppress(OSError):  # the next process computes it again
            prepared_cache.write_json(path, {str(most_bytes): found})
        return found


class _Lazy:
    """A stored graph that is made at its first call: short steps run programs and never call it."""

    def __init__(self, stored: Mapping[str, Any], tensors: Sequence[Tensor]) -> None:
        self._stored, self._tensors = stored, tensors
        self._function: Callable[..., Any] | None = None

    def __call__(self, *inputs: Any) -> Any:
        if self._function is None:
            self._function = read_graph(self._stored, self._tensors)
        return self._function(*inputs)


def _unchanged(hidden: Tensor) -> Tensor:
    return hidden


# --- Writing -------------------------------------------------------------------------------------------------------


class Preparation:
    """Writes a freshly loaded model into the cache. Failures are logged and change nothing else.

    Args:
        key: of the entry.
        model: a `TransformersModel` that the engine owns.
        max_model_len: the engine's.
        values: of the record besides what is known of the model.
        make_tokenizer: loads the checkpoint's tokenizer.
    """

    def __init__(
        self,
        key: Key,
        model: Any,
        max_model_len: int | None,
        values: Mapping[str, Any],
        make_tokenizer: Callable[[], Any],
    ) -> None:
        self._make_tokenizer = make_tokenizer
        self._path = prepared_cache.folder() / key.name(max_model_len if model.depends_on_length else None)
        self._key, self._model, self._values = key, model, dict(values)
        self._tensors: TensorWriter | None = None  # those of the entry, once it is there
        self._waiting: list[tuple[str, Program]] = []
        self._lock = threading.Lock()
        self._ended, self._done = threading.Event(), threading.Event()  # it shall end; it has ended
        self._thread: threading.Thread | None = None

    def optimized(self, optimized: Any) -> None:
        """Begin to write, once the weights are packed."""
        if self._thread is not None or self._ended.is_set():
            return
        if isinstance(optimized.forward, ReplayedForward):
            optimized.forward.when_made = _Keeper(self._program_made)
        arguments = (list(optimized.graphs), optimized.report, list(optimized.adapted))
        # A daemon that `finish` waits for: the interpreter's own wait would end at a Ctrl-C with the thread running.
        self._thread = threading.Thread(target=self._run, args=arguments, name="torchpaged prepare", daemon=True)
        self._thread.start()
        _running.add(self)

    def restored(self) -> None:
        """Stop, before weights change."""
        self._ended.set()
        if self._thread is not None:
            self._done.wait()
        with self._lock:
            self._tensors, self._waiting = None, []

    def give_up(self) -> None:
        """End soon, without a result."""
        self._ended.set()

    def wait(self) -> None:
        """Wait until everything that was found so far is written. Ctrl-C makes it end early, without a result."""
        # Not `join`: interrupted, it takes the thread for ended (Python 3.11).
        while self._thread is not None and not self._done.is_set():
            try:
                self._done.wait()
            except KeyboardInterrupt:
                self.give_up()

    def __deepcopy__(self, memo: Any) -> None:
        """Return None: a copy of the model is another model, which may change."""

    def _run(self, *arguments: Any) -> None:
        try:
            self._prepare(*arguments)
        finally:
            self._done.set()

    def _prepare(self, *arguments: Any) -> None:
        _yield_to_others()
        try:
            tensors = self._write(*arguments)
        except (NotPrepared, NotStorable, BlockingIOError, FileExistsError) as reason:
            logger.info("%s is not prepared for later starts: %s", self._key.model, reason)
        except OSError as error:
            logger.warning("%s could not be prepared for later starts: %s", self._key.model, reason_of(error))
        except Exception:  # a start must not fail for want of a cache
            logger.exception("%s could not be prepared for later starts", self._key.model)
        else:
            with self._lock:
                self._tensors, waiting = tensors, self._waiting
                self._waiting = []
            for key, program in waiting:
                self._program_made(key, program)
            return
        finally:
            self._model = None  # which has this as its observer
        with self._lock:  # programs are of no use without an entry
            self._ended.set()
            self._waiting = []

    def _write(self, graphs: list[Any], report: Any, adapted: Sequence[tuple[str, ...]]) -> TensorWriter:
        named = (getattr(self._model.config, "auto_map", None) or {}).values()
        elsewhere = [each for each in map(str, named) if "--" in each]
        if elsewhere:
            raise NotPrepared(f"its code is in another repository: {elsewhere[0]!r:.80}")
        tensors = TensorWriter()
        written = [write_graph(each, tensors) for each in graphs]
        graphs.clear()
        record = {
            **self._values,
            "model": self._key.model,
            "spec": _written_spec(self._model.spec),
            "graphs": written,
            "report": asdict(report) | {"rewrites": dict(report.rewrites)},
            "linear_modules": self._model.weights.linear_modules,
            "merged_linears": adapted,
            "media": written_media(self._model, tensors),
        }
        path = self._path
        prepared_cache.require_room(path.parent, tensors.num_bytes)
        with atomic_files.filled(path, prepared_cache.RECORD) as work:
            path.chmod(0o700)  # whatever the umask: an entry that others may write to is not used
            table = tensors.write(work / prepared_cache.WEIGHTS, lambda: not self._ended.is_set())
            if table is None:
                raise NotPrepared(_CHANGED)
            if (path / prepared_cache.RECORD).exists():
                raise NotPrepared("another process has done so")
            if (tokenizer := self._recorded_tokenizer()) is not None:
                prepared_cache.write_json(work / prepared_cache.TOKENIZER, tokenizer)
            record |= {
                "tensors": table,
                "checksums": self._key.checksums(),
                "fingerprints": {str(FINGERPRINTED): self._model.weights.fingerprint(FINGERPRINTED, num_threads=1)},
            }
            if self._ended.is_set():
                raise NotPrepared(_CHANGED)
            if not self._key.is_current():
                raise NotPrepared("its files have changed")
            prepared_cache.write_json(work / prepared_cache.RECORD, record)
        logger.info("%s is prepared for later starts: %d bytes in %s", self._key.model, table["size"], path)
        prepared_cache.collect(environment.cache_bytes(), keep=path)
        return tensors

    def _recorded_tokenizer(self) -> dict[str, Any] | None:
        """Return the record of a tokenizer of its own: the engine uses its tokenizer meanwhile."""
        try:
            return fast_tokenizer.record(self._make_tokenizer())
        except TorchpagedError as reason:  # a checkpoint may have none
            logger.info("the tokenizer of %s is not recorded: %s", self._key.model, reason)
            return None

    def _program_made(self, key: str, program: Program) -> None:
        with self._lock:
            tensors = self._tensors
            if tensors is None:
                if not self._ended.is_set():
                    self._waiting.append((key, program))
                return
        _keep_program(self._path, key, program, tensors)


# Preparations that may be running, for `finish`.
_running: weakref.WeakSet[Preparation] = weakref.WeakSet()


@atexit.register
def finish() -> None:
    """Wait for all preparations of this process, a few seconds: a short script's next start is fast then."""
    for each in list(_running):
        each.wait()


def give_up() -> None:
    """End all preparations of this process soon, without a result: it was interrupted."""
    for each in list(_running):
        each.give_up()


class _Keeper:
    """A `ReplayedForward.when_made` that writes programs into an entry; copies of the forward write none."""

    def __init__(self, keep: Callable[[str, Program], None]) -> None:
        self._keep = keep

    def __call__(self, key: str, program: Program) -> None:
        self._keep(key, program)

    def __deepcopy__(self, memo: Any) -> Callable[[str, Program], None]:
        return lambda key, program: None


def _keep_program(path: Path, key: str, program: Program, tensors: TensorWriter) -> None:
    """Write a program into an entry. Failures are logged: the next process makes it again."""
    try:
        written = {"key": key, **write_program(program.source, tensors)}
        prepared_cache.write_json(prepared_cache.program_file(path, key), written)
    except Exception as error:
        logger.info("a program is not kept for later starts: %s", error)


def _written(stored: Stored) -> TensorWriter:
    """Return the numbers of an entry's tensors, for a further program."""
    tensors = TensorWriter()
    for each in stored.tensors:
        tensors.add(each)
    return tensors


def _written_spec(spec: ModelSpec) -> dict[str, Any]:
    """Return a spec for JSON."""
    values = {each.name: getattr(spec, each.name) for each in fields(spec)}
    return values | {
        "layers": {str(index): asdict(shape) for index, shape in spec.layers.items()},
        "states": {str(index): asdict(shape) for index, shape in spec.states.items()},
        "dtype": str(spec.dtype).removeprefix("torch."),
        "device": str(spec.device),
    }


def _read_spec(values: Mapping[str, Any]) -> ModelSpec:
    layers = {int(index): LayerShape.read(shape) for index, shape in values["layers"].items()}
    states = {int(index): _state_shape(shape) for index, shape in values["states"].items()}
    more = {
        "dtype": read_dtype(values["dtype"]),
        "device": torch.device(values["device"]),
        "labels": tuple(values["labels"]),
        "media_sizes": tuple(values["media_sizes"]),
    }
    return ModelSpec(**{**values, **more, "layers": layers, "states": states})


def _state_shape(values: Mapping[str, Any]) -> StateShape:
    shape = StateShape(**values)
    return replace(shape, state=tuple(shape.state))


def _yield_to_others() -> None:
    """Give this thread the lowest priority: the engine computes meanwhile."""
    with suppress(OSError, AttributeError):  # priorities of threads are Linux's
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


# --- The checkpoint's files ------------------------------------------------------------------------------------------


def compare_later(stored: Stored) -> None:
    """Read the checkpoint's files whole, in the background, and compare them with those that were prepared.

    Weights that no step has read yet are moved off the mapped file then.
    """

    def run(file: weakref.ref[TensorFile], *given: Any) -> None:
        _yield_to_others()
        if (mapped := file()) is not None:
            mapped.move()
        compare(*given)

    timer = threading.Timer(_COMPARED_AFTER, run, [weakref.ref(stored.file), stored.key, stored.record, stored.path])
    timer.daemon = True
    timer.start()


def compare(key: Key, record: Mapping[str, Any], path: Path) -> bool:
    """Return whether a checkpoint's files are those that were prepared; remove the entry if not, with an error."""
    try:
        if key.checksums() == record["checksums"] or not key.is_current():
            return True
    except OSError as error:
        logger.info("%s could not be compared with what was prepared of it: %s", key.model, reason_of(error))
        return True
    logger.error(
        "%s has other contents than when it was prepared, with the same sizes and times; this process runs the "
        "prepared weights, the next start loads the new ones",
        key.model,
    )
    prepared_cache.remove(path)
    return False
