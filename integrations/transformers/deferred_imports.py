"""Defers what transformers imports at its own import and a decoder does not need: torch._dynamo, DTensor with sympy,
FSDP, scipy, torchao and accelerate, 2 s of 3.2.

Dynamo never meets a stand-in: once it is imported, the other modules are imported as well, and the decorators that
transformers' modules have applied meanwhile are applied for good. Another version of transformers that asks for other
names imports them as it always did.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import torch

from torchpaged.utils import quiet
from torchpaged.utils.deferred_imports import DeferredImports, Replacements
from torchpaged.utils.import_hook import after_import, is_imported

_DYNAMO, _DTENSOR = "torch._dynamo", "torch.distributed.tensor"
# These two modules of transformers make placements when they are imported, for the styles that they register.
_STYLES = ("transformers.distributed.tensor_parallel", "transformers.distributed.expert_parallel")
_NAMES = {
    "torch._dynamo._trace_wrapped_higher_order_op": ["TransformGetItemToIndex"],
    "torch.distributed.tensor": ["DTensor", "Shard"],
    "torch.distributed.tensor._utils": ["compute_local_shape_and_global_offset"],
    "torch.distributed.tensor.placement_types": ["Shard", "_StridedShard"],
    "torch.distributed._composable.fsdp": ["fully_shard"],
    "torch.distributed.fsdp": ["CPUOffloadPolicy", "MixedPrecisionPolicy"],
    "torch.distributed.checkpoint.hf_storage": ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"],
    "transformers.distributed.tensor_parallel": [
        "apply_tensor_parallelism",
        "gather_state_dict_for_save",
        "get_kv_heads_per_rank",
        "verify_tp_plan",
    ],
    "transformers.distributed.expert_parallel": ["apply_expert_parallelism"],
    "accelerate": ["PartialState", "dispatch_model"],
    "accelerate.hooks": ["AlignDevicesHook", "add_hook_to_module"],
    "accelerate.utils": [
        "extract_model_from_parallel",
        "get_balanced_memory",
        "get_max_memory",
        "infer_auto_device_map",
        "reduce",
    ],
    "accelerate.utils.modeling": ["clean_device_map", "get_max_layer_size"],
    "scipy.optimize": ["linear_sum_assignment"],
    "torchao.prototype.safetensors.safetensors_support": ["flatten_tensor_state_dict", "unflatten_tensor_state_dict"],
    "torchao.prototype.safetensors.safetensors_utils": ["is_metadata_torchao"],
}
# Functions of torch.compiler and torch._dynamo that import dynamo to decorate a function.
_DECORATORS = ("allow_in_graph", "assume_constant_result", "disable")

_undecorated: list[Callable[[], object]] = []  # apply the recorded decorators


@contextmanager
def deferring() -> Generator[None]:
    """Defer these imports while this thread imports modules of transformers."""
    if not is_imported("transformers.utils.import_utils"):
        _once("transformers.utils.import_utils", _scan_quickly)
    with _IMPORTS.active():
        yield


def _replace(replaced: Replacements) -> None:
    """Replace the functions of torch that import dynamo. Any other caller gets the original's result."""
    if _DYNAMO not in sys.modules:
        _once(_DYNAMO, _finish)
        for name in _DECORATORS:
            replaced.replace(torch.compiler, name, functools.partial(_recorder, name))
        replaced.replace(torch, "__getattr__", _torch_attribute)
    _once("transformers.distributed.parallel_utils", _complete_styles)
    _once("transformers.distributed.utils", _check_without_import)


@functools.cache
def _once(name: str, change: Callable[[ModuleType], None]) -> None:
    """Change a module after its import. One that is not as expected, in another version, stays as it is."""

    def change_if_possible(module: ModuleType) -> None:
        with suppress(Exception):
            change(module)

    after_import(name, change_if_possible)


# --- torch._dynamo ---------------------------------------------------------------------------------------------


def _finish(_: ModuleType) -> None:
    """Make all modules of transformers what they are without deferred imports, after dynamo was imported."""
    with quiet.importing_torchao():
        _IMPORTS.resolve()
    while _undecorated:
        with suppress(Exception):  # the function stays undecorated: it is compiled where it should not be
            _undecorated.pop()()


def _recorder(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that is recorded where a module of transformers applies it."""

    def decorator(*args: Any, **kwargs: Any) -> Any:
        decorate = functools.partial(original, **kwargs)
        if not _IMPORTS.is_import(sys._getframe(1)) or len(args) > 1 or "fn" in kwargs:
            return original(*args, **kwargs)
        return _record(name, decorate, args[0]) if args else functools.partial(_record, name, decorate)

    return decorator


def _record(name: str, decorate: Callable[[Any], Any], function: Any) -> Any:
    """Return what the decorator would, and decorate once dynamo is imported."""
    if name != "disable" and callable(function):  # the others tell dynamo of the function and return it
        _undecorated.append(lambda: decorate(function))
        return function
    if not inspect.isfunction(function):
        return decorate(function)
    target: Any = function

    @functools.wraps(function)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        return target(*args, **kwargs)

    def apply() -> None:
        nonlocal target
        target = decorate(function)
        *path, last = function.__qualname__.split(".")
        holder: Any = sys.modules.get(function.__module__)
        for part in path:
            holder = getattr(holder, part, None)
        if getattr(holder, "__dict__", {}).get(last) is disabled:
            setattr(holder, last, target)

    _undecorated.append(apply)
    return disabled


def _torch_attribute(original: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a `torch.__getattr__` whose `_dynamo` has the decorators, where a module of transformers asks for it."""

    def attribute(name: str) -> Any:
        if name == "_dynamo" and _IMPORTS.is_import(sys._getframe(1)):
            return _DynamoDecorators()
        return original(name)

    return attribute


class _DynamoDecorators:
    """A stand-in for the module torch._dynamo, whose decorators are recorded."""

    def __getattr__(self, name: str) -> Any:
        def real(*args: Any, **kwargs: Any) -> Any:
            return getattr(importlib.import_module(_DYNAMO), name)(*args, **kwargs)

        return _recorder(name, real) if name in _DECORATORS else getattr(importlib.import_module(_DYNAMO), name)


# --- Modules of transformers -----------------------------------------------------------------------------------


def _complete_styles(module: Any) -> None:
    """Import the modules that register parallel styles when transformers' registry of them is first read."""
    styles = module.ALL_PARALLEL_STYLES
    own = type(styles)

    def complete() -> None:
        for each in _STYLES:
            with suppress(ImportError):
                importlib.import_module(each)
        styles.__class__ = own

    class Incomplete(own):  # type: ignore[misc, valid-type]
        """The registry before the modules are imported."""

        def __getitem__(self, key: str) -> Any:
            complete()
            return self[key]

        def __iter__(self) -> Any:
            complete()
            return iter(self)

        def __len__(self) -> int:
            complete()
            return len(self)

    styles.__class__ = Incomplete


def _check_without_import(module: Any) -> None:
    """Let `is_dtensor`, which transformers calls for each weight, not import DTensor: without it there are none."""
    original = module.is_dtensor

    @functools.wraps(original)
    def is_dtensor(obj: object) -> bool:
        return _DTENSOR in sys.modules and original(obj)

    module.is_dtensor = is_dtensor
    after_import(_DTENSOR, lambda _: _IMPORTS.replace_globals(is_dtensor, original))


def _scan_quickly(module: Any) -> None:
    """Let transformers look for the names in its 1,600 model files once, and not in every line: it takes 0.6 s.

    It does so twice, and the results of the folders are in a cache that is smaller than their number.
    """
    scan, find = module.create_import_structure_from_path, module.fetch__all__
    module.create_import_structure_from_path = functools.cache(scan.__wrapped__)
    # The last line that begins with __all__ counts.
    module.fetch__all__ = lambda content: find(content[content.rfind("\n__all__") + 1 :])


_IMPORTS = DeferredImports("transformers", _NAMES, until=_DYNAMO, replace=_replace)
