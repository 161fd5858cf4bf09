"""Loads the parts of an engine: model, tokenizer, settings, end tokens, and defaults of sampling."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from torchpaged.config import EngineConfig
from torchpaged.engine import prepared, prepared_cache
from torchpaged.engine.prepared import Preparation, PreparedModel, Stored
from torchpaged.engine.prepared_cache import Key, NotPrepared
from torchpaged.engine.prepared_media import ReadsProcessor
from torchpaged.engine_args import LoadOptions, Settings, read_settings
from torchpaged.errors import ConfigError, ModelError, needing
from torchpaged.execution.executor import Executor, LocalExecutor
from torchpaged.execution.ranks import launch
from torchpaged.execution.ranks.ending import raise_explained
from torchpaged.execution.ranks.executor import RankedFactory
from torchpaged.execution.ranks.link import Link
from torchpaged.integrations.transformers.deferred_imports import deferring
from torchpaged.integrations.transformers.pooler_config import max_seq_length, pooler_config
from torchpaged.models.exported import ExportedModel
from torchpaged.models.model import PagedModel
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.ops import library
from torchpaged.requests.chat_sampling import chat_params
from torchpaged.requests.generation_config import default_sampling, eos_token_ids
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils import atomic_files, environment, interrupts, quiet, startup
from torchpaged.utils.heap import uncollected
from torchpaged.utils.huge_pages import lack_as_model_error
from torchpaged.utils.paths import expanded
from torchpaged.utils.torch_state import host_by_default
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import tokenizer_of
from torchpaged.weights.prefault import early_region

if TYPE_CHECKING:
    from transformers import PreTrainedModel

logger = logging.getLogger(__name__)


class Loaded(NamedTuple):
    """The parts of an engine, and the options that `LLM` reads besides."""

    model: PagedModel
    tokenizer: Any
    config: EngineConfig
    eos_token_ids: list[int]
    default_params: SamplingParams
    options: LoadOptions
    executor: Callable[[PagedModel, EngineConfig], Executor] = LocalExecutor

    @property
    def chat_params(self) -> SamplingParams:
        """Defaults of chats: `default_params`, or `CHAT_SAMPLING` if the checkpoint has no sampling parameters."""
        if self.config.generation_config == "ignore":
            return self.default_params
        return chat_params(self.default_params, self.options.override_generation_config)


@uncollected()
@host_by_default()
@interrupts.kept()
@lack_as_model_error()
@quiet.importing_torchao()  # transformers and peft import it too, whichever comes first
@deferring()
def load(model: str | Path | PreTrainedModel, tokenizer: Any, given: Mapping[str, Any]) -> Loaded:
    """Load what `LLM` is given.

    Args:
        given: settings by our names or vLLM's.

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting, or a variable of the environment, is unknown, out of its range, or cannot be had here.
    """
    environment.check()
    settings = read_settings(given)
    library.require_asked_for(device_of(EngineConfig(**settings.engine)).type)
    if int(settings.engine.get("tensor_parallel_size", 1)) != 1:
        return _ranked(model, tokenizer, given, settings)
    if settings.load.skip_tokenizer_init and tokenizer is not None:
        raise ConfigError("LLM: skip_tokenizer_init is True, and there is a tokenizer; give one of them")
    is_exported = isinstance(model, (str, Path)) and str(model).endswith(".pt2")
    if isinstance(model, (str, Path)) and str(model).endswith((".pt2", ".gguf")):
        _require_file(str(model))
    return (_exported if is_exported else _checkpoint)(model, tokenizer, settings)


def _require_file(model: str) -> None:
    """Refuse a pipe or a device, whose reading would not end; a path that does not exist is left to the reader."""
    if atomic_files.is_stream(Path(expanded(model))):
        raise ModelError(f"model {model!r}: this is a pipe or a device, expected a file")


def _ranked(model: Any, tokenizer: Any, given: Mapping[str, Any], settings: Settings) -> Loaded:
    """Load this rank's part of a model, after starting the other ranks, which load theirs."""
    config = EngineConfig(**settings.engine)
    link = launch.link_for(config, device_of(config), model, (tokenizer, dict(given)))
    try:
        loaded = _checkpoint(model, tokenizer, settings, link)
    except Exception as error:
        raise_explained(link, error)
    return loaded._replace(executor=RankedFactory(link))


def _checkpoint(model: Any, tokenizer: Any, settings: Settings, link: Link | None = None) -> Loaded:
    """Load a folder, a hub id, a GGUF file or an instance; or what an earlier process has prepared of it.

    Args:
        link: to other ranks, if this one has a part of the model.
    """
    config, options = EngineConfig(**settings.engine), settings.load
    device, path = device_of(config), str(model) if isinstance(model, (str, Path)) else None
    if link is not None and device.type == "cuda":
        device = torch.device("cuda", link.local_rank)
    is_prepared = path is not None and device.type == "cpu" and link is None
    with startup.stage("cache"):
        key = _key_of(str(path), config, options) if is_prepared else None
    # The checkpoint's own tokenizer; picklable, as a part of a `FastTokenizer`.
    make_tokenizer = partial(load_tokenizer, path or "", trust_remote_code=config.trust_remote_code, **options.hub)
    if path is not None and key is not None:
        is_own = tokenizer is None and not options.skip_tokenizer_init and options.tokenizer_mode != "slow"
        with startup.stage("cache"):
            stored = prepared.read(key, config.max_model_len, make_tokenizer if is_own else None)
        if stored is not None:
            return _prepared(path, stored, tokenizer, config, options)
    region = None
    if path and config.optimize and device.type == "cpu" and link is None:
        region = early_region(path, config.dtype, config.quantization, float32=config.optimize is True)
    # Imported here: an exported model needs no transformers, and pages are faulted in while it is imported.
    kind = "GGUF file" if path is not None and path.endswith(".gguf") else "transformers model"
    with startup.stage("adapter"), needing(f"LLM of a {kind}"):
        from torchpaged.integrations.checkpoints.checkpoint import Checkpoint
        from torchpaged.integrations.checkpoints.gguf.loader import region_for
        from torchpaged.integrations.transformers import adapter

    with startup.stage("config"):
        checkpoint = Checkpoint.resolve(model, trust_remote_code=config.trust_remote_code, options=options)
    checkpoint.require_floats(config.quantization)
    own = checkpoint.sound_adapter() if config.takes_media and config.default_mm_loras is None else None
    if own is not None:
        config, key = _with_sound_adapter(config, own), None
    if config.enable_expert_parallel:
        checkpoint.require_experts()
    processor = None
    if path is None and hasattr(tokenizer, "tokenizer"):  # a processor of transformers, which has a tokenizer
        processor, tokenizer = tokenizer, tokenizer.tokenizer
    if path is None and not isinstance(tokenizer, (str, Path)):
        options.refuse("model and tokenizer are instances", "revision", "tokenizer_revision", "download_dir")
    if checkpoint.gguf is not None and link is None:
        region = region_for(checkpoint.gguf.file, device)
    if tokenizer is None and not options.skip_tokenizer_init:
        tokenizer = checkpoint.tokenizer_source
    if isinstance(tokenizer, Gguf):  # before the weights: it may be refused, and its merges take memory
        with startup.stage("tokenizer"):
            file, tokenizer = tokenizer, tokenizer_of(tokenizer)
        file.forget("tokenizer.ggml.merges")
    with startup.stage("weights"), nullcontext() if options.use_tqdm_on_load else quiet.without_progress_bars():
        paged = adapter.load_checkpoint(
            checkpoint,
            config.dtype,
            None if path is None and config.device == "auto" else device,
            config.max_model_len,
            quantization=config.quantization,
            region=region,
            embeds=config.enable_prompt_embeds,
            group=None if link is None else link.group,
            whole_experts=link is not None and config.enable_expert_parallel,
            media=config.takes_media,
        )
    tokenizer = _tokenizer(tokenizer, config, options)
    if getattr(paged, "media_encoder", None) is not None:
        with startup.stage("processor"):
            _take_processor(paged, processor, checkpoint, tokenizer)
    values = adapter.generation_values(paged.model)
    if key is not None and (paged.encoder is not None or paged.spec.is_encoder or paged.spec.media_layers):
        what = "layers that attend to images" if paged.spec.media_layers else "an encoder"
        logger.info("%s is not prepared for later starts: it has %s", path, what)
    elif path is not None and key is not None and (key := _key_after(key, path, config, options)) is not None:
        more = {"generation": values, "quantization": config.quantization}
        paged.weights.observer = Preparation(key, paged, config.max_model_len, more, make_tokenizer)
    return _loaded(paged, tokenizer, config, options, values, path)


def _with_sound_adapter(config: EngineConfig, folder: str) -> EngineConfig:
    """Return the settings of a checkpoint in which prompts with sounds have an adapter of their own."""
    from torchpaged.integrations.checkpoints.lora import largest_rank

    if not config.enable_lora:
        config = replace(config, enable_lora=True, max_loras=1)
    rank = max(config.max_lora_rank, largest_rank(folder))
    return replace(config, default_mm_loras={"audio": folder}, max_lora_rank=rank)


def _take_processor(paged: Any, processor: Any, checkpoint: Any, tokenizer: Any) -> None:
    """Give a model with a media encoder the processor that reads its images or sounds, if there is one."""
    from torchpaged.integrations.transformers import adapter

    if processor is not None:
        adapter.take_processor(paged, processor)
    elif checkpoint.instance is None:
        adapter.read_processor(paged, checkpoint, tokenizer)


def _key_of(path: str, config: EngineConfig, options: LoadOptions) -> Key | None:
    """Return the key of a checkpoint in the cache of prepared models; None if it is not prepared."""
    if not prepared_cache.is_enabled(options):
        return None
    try:
        prepared_cache.folder()
        return Key.of(path, config, options)
    except NotPrepared as reason:
        logger.info("%s is not prepared for later starts: %s", path, reason)
        return None


def _key_after(before: Key, path: str, config: EngineConfig, options: LoadOptions) -> Key | None:
    """Return the key of a checkpoint that was loaded; None if its files have changed since `before`.

    Files of a hub id may have come: they were downloaded.
    """
    after = _key_of(path, config, options)
    if after is None or before.values == after.values:
        return after
    kept = all(each in after.values["files"] for each in before.values["files"])
    if kept and before.model == after.model and not os.path.exists(expanded(path)):
        return after
    logger.info("%s is not prepared for later starts: its files have changed while it was loaded", path)
    return None


def _prepared(path: str, stored: Stored, tokenizer: Any, config: EngineConfig, options: LoadOptions) -> Loaded:
    """Load a model that an earlier process has prepared."""
    if tokenizer is None and not options.skip_tokenizer_init:
        tokenizer = stored.tokenizer or path
    tokenizer = _tokenizer(tokenizer, config, options)

    def resolve() -> Any:
        from torchpaged.integrations.checkpoints.checkpoint import Checkpoint

        return Checkpoint.resolve(path, trust_remote_code=config.trust_remote_code, options=options)

    def make() -> PagedModel:
        fresh = {"prepared_cache": False, "skip_tokenizer_init": True}
        given = {each.name: getattr(options, each.name) for each in fields(options)} | fresh
        found = _checkpoint(path, None, Settings(_given(config), LoadOptions(**given))).model
        if config.quantization is not None and found.weights is not None:
            found.weights.quantize(config.quantization, tokenizer)
        return found

    with startup.stage("weights"):
        model = PreparedModel(stored, make, resolve, ReadsProcessor(path, config.trust_remote_code, options))
    prepared.compare_later(stored)
    return _loaded(model, tokenizer, config, options, stored.record["generation"], path)


def _given(config: EngineConfig) -> dict[str, Any]:
    """Return the settings of a config as arguments."""
    return {each.name: getattr(config, each.name) for each in fields(config)}


def _loaded(
    model: PagedModel,
    tokenizer: Any,
    config: EngineConfig,
    options: LoadOptions,
    values: Mapping[str, Any],
    path: str | None,
) -> Loaded:
    """Add what a checkpoint says of pooling, sampling and end tokens; `values` are its generation config's."""
    pooling, name = config.pooler_config, model.spec.name
    if path is not None and (pooling is None or pooling.pooling_type is None):
        found = pooler_config(path)
        config = replace(config, pooler_config=found if pooling is None else pooling.filled(found))
    if path is not None and model.spec.is_encoder and config.max_model_len is None:
        longest = max_seq_length(path) or model.spec.max_model_len
        config = replace(config, max_model_len=min(longest, model.spec.max_model_len))
    params = SamplingParams()
    if config.generation_config != "ignore":
        params = default_sampling({**values, **options.override_generation_config}, name)
    eos = list(eos_token_ids(values, tokenizer, name))
    return Loaded(model, tokenizer, config, eos, params, options)


def _exported(path: str | Path, tokenizer: Any, settings: Settings) -> Loaded:
    """Load a .pt2 file."""
    options = settings.load
    fixed = ("hf_overrides", "override_generation_config", "load_format", "code_revision", "mmproj")
    options.refuse(f"{str(path)!r} has weights and configs in it", *fixed)
    with startup.stage("weights"):
        paged = ExportedModel(path, device_of(EngineConfig(**settings.engine)))
    config = paged.configure(settings.engine)
    if tokenizer is None and not options.skip_tokenizer_init:
        tokenizer = paged.tokenizer(config.trust_remote_code)
    params = SamplingParams() if config.generation_config == "ignore" else paged.default_sampling
    return Loaded(paged, _tokenizer(tokenizer, config, options), config, paged.eos_token_ids, params, options)


def _tokenizer(tokenizer: Any, config: EngineConfig, options: LoadOptions) -> Any:
    """Load a tokenizer that is given by name; return any other as it is."""
    if not isinstance(tokenizer, (str, Path)):
        return tokenizer
    hub = dict(options.hub)
    if options.tokenizer_revision is not None:
        hub["revision"] = options.tokenizer_revision
    if options.tokenizer_mode == "slow":
        hub["use_fast"] = False
    with startup.stage("tokenizer"):
        return load_tokenizer(tokenizer, trust_remote_code=config.trust_remote_code, **hub)


def device_of(config: EngineConfig) -> torch.device:
    """Resolve a config's `device`. ConfigError for one that does not exist."""
    name = config.device
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ConfigError(f"EngineConfig: device is {name!r}, expected 'auto', 'cpu' or 'cuda': {error}") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"EngineConfig: device is {name!r}, but torch sees no CUDA device; use 'cpu' or 'auto'")
    return device
