"""From a name to what an engine is made of: model, tokenizer, settings, what ends a text and what samples it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from torchpaged.config import EngineConfig
from torchpaged.engine_args import LoadOptions, Settings, read_settings
from torchpaged.errors import ConfigError, needing
from torchpaged.models.exported import ExportedModel
from torchpaged.models.model import PagedModel
from torchpaged.models.tokenizer import load_tokenizer
from torchpaged.requests.chat_sampling import chat_params
from torchpaged.sampling_params import SamplingParams
from torchpaged.utils import interrupts, quiet
from torchpaged.utils.huge_pages import lack_as_model_error, uncollected
from torchpaged.utils.torch_state import host_by_default
from torchpaged.weights.gguf_file import Gguf
from torchpaged.weights.gguf_tokenizer import tokenizer_of
from torchpaged.weights.prefault import early_region

if TYPE_CHECKING:
    from transformers import PreTrainedModel


_EXPECTED = "expected a folder, a hub id, a .gguf or .pt2 file, or a transformers model"


class Loaded(NamedTuple):
    """What an engine is made of, and what its front door is told beside."""

    model: PagedModel
    tokenizer: Any
    config: EngineConfig
    eos_token_ids: list[int]
    default_params: SamplingParams
    options: LoadOptions

    @property
    def chat_params(self) -> SamplingParams:
        """Defaults of chats: `default_params`, or `CHAT_SAMPLING` where the checkpoint says nothing of sampling."""
        if self.config.generation_config == "ignore":
            return self.default_params
        return chat_params(self.default_params, self.options.override_generation_config)


@uncollected()
@host_by_default()
@interrupts.kept()
@lack_as_model_error()
@quiet.importing_torchao()  # whichever import comes first: transformers' or peft's imports it, too
def load(model: str | Path | PreTrainedModel, tokenizer: Any, given: Mapping[str, Any]) -> Loaded:
    """Loads what `LLM` is given.

    Args:
        given: settings by our names or vLLM's.

    Raises:
        ModelError: the model cannot be loaded or is not supported.
        ConfigError: a setting is unknown, out of its range, or cannot be had here.
    """
    settings = read_settings(given)
    config, options = EngineConfig(**settings.engine), settings.load
    if options.skip_tokenizer_init and tokenizer is not None:
        raise ConfigError("LLM: skip_tokenizer_init is True, and there is a tokenizer; give one of them")
    if isinstance(model, (str, Path)) and str(model).endswith(".pt2"):
        return _exported(model, tokenizer, settings)
    if isinstance(model, (str, Path)) and str(model).endswith(".gguf"):
        return _gguf(Path(model), tokenizer, settings)
    if model is None or model == "":
        raise ConfigError(f"LLM: model is {model!r}, {_EXPECTED}")
    region = None
    if isinstance(model, (str, Path)) and config.optimize and device_of(config).type == "cpu":
        region = early_region(model, config.dtype, config.quantization, float32=config.optimize is True)
    # An exported model needs none of the modelling code: that is why it is imported here.
    with needing("LLM of a transformers model"):
        from torchpaged.integrations.transformers import adapter
        from torchpaged.integrations.transformers.pooler_config import pooler_config

    device = device_of(config)
    if isinstance(model, (str, Path)):
        with _quiet(options):
            wrapped = adapter.load(
                str(model),
                config.dtype,
                device,
                config.max_model_len,
                trust_remote_code=config.trust_remote_code,
                options=options,
                quantization=config.quantization,
                region=region,
                embeds=config.enable_prompt_embeds,
            )
        given_config = config.pooler_config
        if given_config is None or given_config.pooling_type is None:
            found = pooler_config(str(model))
            config = replace(config, pooler_config=found if given_config is None else given_config.filled(found))
        tokenizer = str(model) if tokenizer is None and not options.skip_tokenizer_init else tokenizer
    else:
        if not isinstance(model, torch.nn.Module):
            raise ConfigError(f"LLM: model is {model!r:.80}, {_EXPECTED}")
        options.refuse("the model is an instance", "hf_overrides", "load_format", "code_revision")
        if not isinstance(tokenizer, (str, Path)):
            options.refuse("model and tokenizer are instances", "revision", "tokenizer_revision", "download_dir")
        target = device if config.device != "auto" else None
        wrapped = adapter.wrap(model, config.dtype, target, config.max_model_len, embeds=config.enable_prompt_embeds)
    tokenizer = _tokenizer(tokenizer, config, options)
    eos = list(adapter.eos_token_ids(wrapped.model, tokenizer))
    follows = config.generation_config != "ignore"
    params = adapter.default_sampling(wrapped.model, options.override_generation_config) if follows else None
    return Loaded(wrapped, tokenizer, config, eos, params or SamplingParams(), options)


def _exported(path: str | Path, tokenizer: Any, settings: Settings) -> Loaded:
    options = settings.load
    fixed = ("hf_overrides", "override_generation_config", "load_format", "code_revision")
    options.refuse(f"{str(path)!r} has weights and configs in it", *fixed)
    paged = ExportedModel(path, device_of(EngineConfig(**settings.engine)))
    config = paged.configure(settings.engine)
    if tokenizer is None and not options.skip_tokenizer_init:
        tokenizer = paged.tokenizer(config.trust_remote_code)
    params = SamplingParams() if config.generation_config == "ignore" else paged.default_sampling
    return Loaded(paged, _tokenizer(tokenizer, config, options), config, paged.eos_token_ids, params, options)


def _gguf(path: Path, tokenizer: Any, settings: Settings) -> Loaded:
    config, options = EngineConfig(**settings.engine), settings.load
    with needing("LLM of a GGUF file"):
        from torchpaged.integrations.checkpoints.gguf import loader
        from torchpaged.integrations.transformers import adapter

    fixed = ("load_format", "revision", "code_revision", "hf_overrides")
    options.refuse(f"{str(path)!r} has weights and config in it", *fixed)
    file = Gguf(path)
    if config.quantization is not None and loader.is_quantised(file):
        kinds = ", ".join(sorted(loader.bytes_by_format(file)))
        raise ConfigError(
            f"LLM: quantization is {config.quantization!r:.80}, but {path.name!r} is quantised already ({kinds}); "
            "leave it out, or quantise the checkpoint that the file was made of"
        )
    device = device_of(config)
    region = loader.region_for(file, device)
    if tokenizer is None and not options.skip_tokenizer_init:
        tokenizer = tokenizer_of(file)  # before the weights: it may be refused
        file.forget("tokenizer.ggml.merges")
    model = loader.read_model(file, config.dtype, device, region=region)
    del region  # the weights keep it
    wrapped = adapter.adapt(model, config.max_model_len, owned=True, embeds=config.enable_prompt_embeds)
    tokenizer = _tokenizer(tokenizer, config, options)
    params = SamplingParams()
    if config.generation_config != "ignore":
        params = adapter.default_sampling(wrapped.model, options.override_generation_config)
    eos = list(adapter.eos_token_ids(wrapped.model, tokenizer))
    return Loaded(wrapped, tokenizer, config, eos, params, options)


def _tokenizer(tokenizer: Any, config: EngineConfig, options: LoadOptions) -> Any:
    """One that is named is loaded."""
    if not isinstance(tokenizer, (str, Path)):
        return tokenizer
    hub = dict(options.hub)
    if options.tokenizer_revision is not None:
        hub["revision"] = options.tokenizer_revision
    if options.tokenizer_mode == "slow":
        hub["use_fast"] = False
    return load_tokenizer(tokenizer, trust_remote_code=config.trust_remote_code, **hub)


def _quiet(options: LoadOptions) -> AbstractContextManager[None]:
    return nullcontext() if options.use_tqdm_on_load else quiet.without_progress_bars()


def device_of(config: EngineConfig) -> torch.device:
    """What its `device` stands for. Raises ConfigError for one that there is not."""
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
