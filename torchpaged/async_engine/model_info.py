"""ServedModel: what is to be known of an engine where it is not: its settings, its limits and its tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchpaged.config import EngineConfig
from torchpaged.engine.llm_engine import LLMEngine
from torchpaged.engine.loader import load
from torchpaged.models.model import ModelSpec
from torchpaged.requests.chat import load_template
from torchpaged.sampling_params import SamplingParams

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A value, for another thread or another process.

    Args:
        name: of the model.
        config: the settings as they are for this model.
        spec: what the model is.
        max_model_len: prompt and completion together at most.
        default_params: of requests that bring none.
        chat_params: of chats that bring none.
        tokenizer: of transformers, or None.
        chat_template: for conversations; None: the tokenizer's own.
        has_encoder: whether the engine reads prompts itself.
    """

    name: str
    config: EngineConfig
    spec: ModelSpec
    max_model_len: int
    default_params: SamplingParams
    chat_params: SamplingParams
    tokenizer: Any
    chat_template: str | None
    has_encoder: bool

    @classmethod
    def of(cls, engine: LLMEngine, name: str | None, chat_template: str | None) -> ServedModel:
        """What an engine says of itself."""
        spec, tokenizer = engine.model.spec, engine.tokenizer
        return cls(
            name or spec.name,
            engine.config,
            spec,
            engine.max_model_len,
            engine.default_params,
            engine.chat_params,
            tokenizer,
            chat_template,
            engine.model.encoder is not None,
        )


def build(
    model: str | Path | PreTrainedModel, tokenizer: Any, settings: Mapping[str, Any]
) -> tuple[LLMEngine, ServedModel]:
    """An engine of what `LLM` takes.

    Raises:
        ModelError, ConfigError: as `LLM`.
    """
    loaded = load(model, tokenizer, settings)
    template = load_template(loaded.options.chat_template)
    engine = LLMEngine(
        loaded.model,
        loaded.config,
        tokenizer=loaded.tokenizer,
        eos_token_ids=loaded.eos_token_ids,
        default_params=loaded.default_params,
        chat_params=loaded.chat_params,
    )
    name = loaded.options.served_model_name or (str(model) if isinstance(model, (str, Path)) else None)
    return engine, ServedModel.of(engine, name, template)
