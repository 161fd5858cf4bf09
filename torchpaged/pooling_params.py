"""PoolingParams and PoolerConfig: how a prompt's hidden states become an embedding or a classification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from torchpaged.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The results: hidden states or a classifier's probabilities, for the prompt or for each token.
TASKS = ("embed", "classify", "token_embed", "token_classify")
# The hidden states that a result for the whole prompt is computed from.
POOLING_TYPES = ("LAST", "MEAN", "CLS", "MAX")
# The similarities of two vectors, under sentence-transformers' names; distances count negatively.
SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolingParams:
    """Parameters of a pooling request. Names and meanings follow vLLM's.

    Args:
        task: "embed" (a vector for the prompt), "classify" (probabilities of its classes), or "token_embed" and
            "token_classify" (for each token); None: "classify" or "token_classify" for a classifier, else "embed".
        pooling_type: "LAST" (the last token's hidden state), "MEAN" (of all tokens), "CLS" (the first token's) or "MAX"
            (each number's largest of all tokens); None: the engine's `PoolerConfig`. Classification uses what the model
            was trained with: a decoder's last token, an encoder's first one or the mean.
        use_activation: normalise vectors to length 1, and turn logits of classes into probabilities; None: the
            engine's `PoolerConfig`.
        dimensions: length that a vector is cut to before it is normalised, for models trained for it (matryoshka);
            None: uncut.
        prompt_name: name of one of the engine's `PoolerConfig.prompts`, which is put before a text; None: that of
            `default_prompt_name`.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    task: str | None = None
    pooling_type: str | None = None
    use_activation: bool | None = None
    dimensions: int | None = None
    prompt_name: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pooling_type", _checked(self, self.pooling_type, self.use_activation))
        _require_dimensions(self, self.dimensions)
        _require_task(self, self.task)
        if self.prompt_name is not None and not isinstance(self.prompt_name, str):
            raise ConfigError(f"PoolingParams: prompt_name is {self.prompt_name!r:.80}, expected a name or None")


@dataclass(frozen=True, slots=True, eq=False)
class DenseLayer:
    """A linear layer behind the pooling, as sentence-transformers' `Dense`.

    Args:
        weight: [out_features, in_features] float32.
        bias: [out_features] float32, or None.
        activation: "identity" or "tanh".
    """

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None = None
    activation: str = "identity"

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the layer's result for values [..., in_features]."""
        import numpy as np  # scheduling runs without it

        found = values @ self.weight.T.astype(values.dtype)
        if self.bias is not None:
            found = found + self.bias
        return np.tanh(found) if self.activation == "tanh" else found


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolerConfig:
    """An engine's defaults for pooling requests.

    Args:
        pooling_type: as in `PoolingParams`; None: as a sentence-transformers checkpoint says, else "CLS" for
            an encoder and "LAST" for a decoder.
        use_activation: as in `PoolingParams`; None: as such a checkpoint says for vectors, else True.
        dimensions: as in `PoolingParams`.
        task: for requests that name none; with "token_embed" texts are scored by their tokens' vectors.
        prompts: instructions by name, for `PoolingParams.prompt_name`; None: as such a checkpoint says.
        default_prompt_name: of the instruction for requests that name none; None: as such a checkpoint says.
        similarity: the similarity that `LLM.score` returns for two vectors, one of `SIMILARITIES`; None: as such a
            checkpoint says, else "cosine".
        dense: layers behind the pooling; None: those of such a checkpoint.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    pooling_type: str | None = None
    use_activation: bool | None = None
    dimensions: int | None = None
    task: str | None = None
    prompts: Mapping[str, str] | None = None
    default_prompt_name: str | None = None
    similarity: str | None = None
    dense: tuple[DenseLayer, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pooling_type", _checked(self, self.pooling_type, self.use_activation))
        _require_dimensions(self, self.dimensions)
        _require_task(self, self.task)
        prompts, name = self.prompts, self.default_prompt_name
        if prompts is not None and not (
            isinstance(prompts, Mapping) and all(isinstance(each, str) for pair in prompts.items() for each in pair)
        ):
            raise ConfigError(f"PoolerConfig: prompts is {prompts!r:.80}, expected texts by name or None")
        if name is not None and prompts is not None and name not in prompts:
            raise ConfigError(
                f"PoolerConfig: default_prompt_name is {name!r:.80}, expected one of {', '.join(prompts) or 'none'}"
            )
        if self.similarity is not None and self.similarity not in SIMILARITIES:
            raise ConfigError(
                f"PoolerConfig: similarity is {self.similarity!r:.80}, expected one of {', '.join(SIMILARITIES)}, or "
                "None"
            )

    def instruction(self, params: PoolingParams) -> str:
        """Return the text to put before a request's text; "" for none.

        Raises:
            ConfigError: there is no instruction of this name.
        """
        name = self.default_prompt_name if params.prompt_name is None else params.prompt_name
        if name is None:
            return ""
        prompts = self.prompts or {}
        if name not in prompts:
            known = f"expected one of {', '.join(prompts)}" if prompts else "but the model has no prompts"
            raise ConfigError(f"PoolingParams: prompt_name is {name!r:.80}, {known}{did_you_mean(name, prompts)}")
        return prompts[name]

    def instructed(self, prompt: Any, params: PoolingParams) -> tuple[Any, PoolingParams]:
        """Put the instruction before a text; return the prompt and parameters that name none.

        Raises:
            ConfigError: no such instruction, or one for a prompt of tokens.
        """
        text = self.instruction(params)
        without = replace(params, prompt_name=None)
        if not text:
            return prompt, without
        if isinstance(prompt, str):
            return text + prompt, without
        if isinstance(prompt, Mapping) and isinstance(prompt.get("prompt"), str) and not prompt.get("prompt_token_ids"):
            return {**prompt, "prompt": text + prompt["prompt"]}, without
        if params.prompt_name is not None:
            raise ConfigError(f"PoolingParams: prompt_name is {params.prompt_name!r:.80}, but the prompt is no text")
        return prompt, without

    def filled(self, other: PoolerConfig | None) -> PoolerConfig:
        """Fill in values that are None from another config."""
        if other is None:
            return self
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return PoolerConfig(**{name: getattr(other, name) if each is None else each for name, each in given.items()})


def _checked(params: object, pooling_type: object, use_activation: object) -> str | None:
    """Return the pooling type in upper case."""
    name = type(params).__name__
    if use_activation is not None and not isinstance(use_activation, bool):
        raise ConfigError(f"{name}: use_activation is {use_activation!r:.80}, expected True, False or None")
    if pooling_type is None:
        return None
    found = pooling_type.upper() if isinstance(pooling_type, str) else ""
    if found not in POOLING_TYPES:
        raise ConfigError(
            f"{name}: pooling_type is {pooling_type!r:.80}, expected one of {', '.join(POOLING_TYPES)} or None"
        )
    return found


def _require_task(params: object, task: object) -> None:
    if task is not None and task not in TASKS:
        raise ConfigError(f"{type(params).__name__}: task is {task!r:.80}, expected one of {', '.join(TASKS)} or None")


def _require_dimensions(params: object, dimensions: object) -> None:
    whole = isinstance(dimensions, int) and not isinstance(dimensions, bool)
    if dimensions is not None and not (whole and dimensions >= 1):  # type: ignore[operator]
        raise ConfigError(
            f"{type(params).__name__}: dimensions is {dimensions!r:.80}, expected an integer of 1 or more, or None"
        )
