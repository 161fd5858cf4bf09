"""Registers `attn_implementation="torchpaged"` with transformers and `backend="torchpaged"` with `torch.compile`, in
whichever order the packages are imported.

Nothing here imports transformers or dynamo: an import hook registers when the program imports them. For transformers it
does four things: it registers the attention function and its mask function; it makes `DynamicCache(config=...)`, which
models and `generate` call if no cache was passed, return a `PagedCache` for a config with this attention; it makes
`generate` announce to such a cache how many equal rows it makes of a prompt; and it makes continuous batching and
`transformers serve` accept the name, which their lists of names lack (docs/upstream). The operators' DTensor rules,
which take a second to import, wait for torch.distributed.tensor in the same way.
"""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torchpaged.utils.import_hook import after_import


def _attention(_: ModuleType) -> None:
    importlib.import_module("torchpaged.integrations.transformers.attention_interface")  # registers on import


def _caches(module: ModuleType) -> None:
    dynamic = module.DynamicCache

    def new(cls: type, *args: Any, **options: Any) -> Any:
        data, config = [*args, None, None][:2]
        config = options.get("config", config)
        if cls is not dynamic or config is None or options.get("ddp_cache_data", data) is not None:
            return object.__new__(cls)
        if config.get_text_config(decoder=True)._attn_implementation != "torchpaged":
            return object.__new__(cls)
        if options.get("offloading"):
            raise _errors().ConfigError(_REFUSED.format("offloaded"))
        return importlib.import_module("torchpaged.integrations.transformers.paged_cache").PagedCache(config)

    dynamic.__new__ = new


def torchpaged(graph: Any, inputs: Any, **given: Any) -> Any:
    """Compile a graph. The backend is imported at the first call. A compiled module is pickled with this name."""
    return importlib.import_module("torchpaged.compiler.backend").torchpaged(graph, inputs, **given)


def _backend(module: ModuleType) -> None:
    if "torchpaged" not in module._BACKENDS:  # not found as an entry point, because the package is not installed
        module.register_backend(torchpaged)


def _generation(module: ModuleType) -> None:
    mixin = module.GenerationMixin
    prepare = mixin._prepare_cache_for_generation

    @functools.wraps(prepare)
    def prepared(self: Any, generation_config: Any, model_kwargs: dict[str, Any], *args: Any, **more: Any) -> Any:
        kind = generation_config.cache_implementation
        if self.config._attn_implementation == "torchpaged" and kind not in (None, "dynamic"):
            raise _errors().ConfigError(_REFUSED.format(kind))
        result = prepare(self, generation_config, model_kwargs, *args, **more)
        cache = model_kwargs.get("past_key_values")
        if cache is not None and hasattr(cache, "expect_repeats"):
            cache.expect_repeats(max(generation_config.num_beams or 1, generation_config.num_return_sequences or 1))
        return result

    mixin._prepare_cache_for_generation = prepared


def _continuous_batching(module: ModuleType) -> None:
    manager = module.ContinuousBatchingManager
    switch = manager.switch_to_cb_friendly_attn

    @functools.wraps(switch)
    def switched(self: Any, model: Any, *args: Any, **options: Any) -> None:
        if model.config._attn_implementation != "torchpaged":  # which serves this cache as well
            switch(self, model, *args, **options)

    manager.switch_to_cb_friendly_attn = switched


def _serving(module: ModuleType) -> None:
    manager = module.ModelManager
    validate = manager._validate_args

    @functools.wraps(validate)
    def validated(self: Any) -> None:
        given = self.attn_implementation
        self.attn_implementation = None if given == "torchpaged" else given
        try:
            validate(self)
        finally:
            self.attn_implementation = given

    manager._validate_args = validated


def _sharding(_: ModuleType) -> None:
    importlib.import_module("torchpaged.ops.sharding")  # registers on import


_REFUSED = (
    "generate: cache_implementation is {!r}, and attn_implementation='torchpaged' keeps keys and values in blocks that "
    "grow with the text; leave it out, or set attn_implementation='sdpa'"
)
_REGISTER: dict[str, Callable[[ModuleType], None]] = {
    "transformers.cache_utils": _caches,
    "transformers.modeling_utils": _attention,
    "transformers.generation.utils": _generation,
    "transformers.generation.continuous_batching.continuous_api": _continuous_batching,
    "transformers.cli.serving.model_manager": _serving,
    "torch.distributed.tensor": _sharding,
    "torch._dynamo.backends.registry": _backend,
}
# What may not work if a module is not as expected, for the warning.
_ATTENTION = "attn_implementation='torchpaged'"
_FAILING = {
    "torch.distributed.tensor": "operators over DTensors",
    "torch._dynamo.backends.registry": "torch.compile(backend='torchpaged')",
}


def _errors() -> Any:
    return importlib.import_module("torchpaged.errors")


def _register(name: str, module: ModuleType) -> None:
    try:
        _REGISTER[name](module)
    except Exception as error:  # an unknown version of the package: importing it must still succeed
        said = f"torchpaged: {name} is not as expected, {_FAILING.get(name, _ATTENTION)} may fail: {error}"
        warnings.warn(said, stacklevel=2)


def install() -> None:
    """Register with modules that are imported already, and with the others once they are."""
    for name in _REGISTER:
        after_import(name, functools.partial(_register, name))
