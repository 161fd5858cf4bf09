"""PoolingParams and PoolerConfig: how a prompt's hidden states become an embedding or a classification."""

from __future__ import annotations

from dataclasses import dataclass

from torchpaged.errors import ConfigError

# The results: hidden states or a classifier's probabilities, for the prompt or for each token.
TASKS = ("embed", "classify", "token_embed", "token_classify")
# The hidden states that a result for the whole prompt is computed from.
POOLING_TYPES = ("LAST", "MEAN", "CLS")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolingParams:
    """Parameters of a pooling request. Names and meanings follow vLLM's.

    Args:
        task: "embed" (a vector for the prompt), "classify" (probabilities of its classes), or "token_embed" and
            "token_classify" (for each token); None: "classify" or "token_classify" for a classifier, else "embed".
        pooling_type: "LAST" (the last token's hidden state), "MEAN" (of all tokens) or "CLS" (the first token's); None:
            the engine's `PoolerConfig`. Classification always uses the last token.
        use_activation: normalise vectors to length 1, and turn logits of classes into probabilities; None: the
            engine's `PoolerConfig`.
        dimensions: length that a vector is cut to before it is normalised, for models trained for it (matryoshka);
            None: uncut.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    task: str | None = None
    pooling_type: str | None = None
    use_activation: bool | None = None
    dimensions: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pooling_type", _checked(self, self.pooling_type, self.use_activation))
        _require_dimensions(self, self.dimensions)
        _require_task(self, self.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolerConfig:
    """An engine's defaults for pooling requests.

    Args:
        pooling_type: as in `PoolingParams`; None: as a sentence-transformers checkpoint says, else "LAST".
        use_activation: as in `PoolingParams`; None: as such a checkpoint says for vectors, else True.
        dimensions: as in `PoolingParams`.
        task: for requests that name none; with "token_embed" texts are scored by their tokens' vectors.

    Raises:
        ConfigError: a value is out of its range; the message has name, value and limit.
    """

    pooling_type: str | None = None
    use_activation: bool | None = None
    dimensions: int | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pooling_type", _checked(self, self.pooling_type, self.use_activation))
        _require_dimensions(self, self.dimensions)
        _require_task(self, self.task)

    def filled(self, other: PoolerConfig | None) -> PoolerConfig:
        """Fill in values that are None from another config."""
        if other is None:
            return self
        names = ("pooling_type", "use_activation", "dimensions", "task")
        given = {name: getattr(self, name) for name in names}
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
