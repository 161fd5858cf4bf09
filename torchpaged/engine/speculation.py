"""Who guesses: the proposers, by name (built in, registered by programs, installed by packages), or a draft model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from torchpaged.config import EngineConfig
from torchpaged.engine.loader import load
from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.execution.executor import Executor
from torchpaged.models.draft_model import TargetWithDraft, TargetWithMtp
from torchpaged.models.model import PagedModel
from torchpaged.scheduling.drafter import Drafter
from torchpaged.scheduling.proposers import NGramProposer, Proposer
from torchpaged.scheduling.step_cost import ASKING, GuessCost, StepCost, bookkeeping
from torchpaged.scheduling.suffix_proposer import SuffixProposer
from torchpaged.speculative_config import DRAFT_MODEL, MTP, SpeculativeConfig
from torchpaged.utils import quiet

logger = logging.getLogger(__name__)

GROUP = "torchpaged.proposers"

# Makes the proposer of an engine.
MakeProposer = Callable[[SpeculativeConfig], Proposer]

_MADE_BY: dict[str, MakeProposer] = {
    "ngram": lambda config: NGramProposer(*config.prompt_lookup),
    "suffix": lambda config: SuffixProposer(config.prompt_lookup[0], config.suffix_decoding_max_cached_requests),
}


def register_proposer(name: str, make: MakeProposer) -> None:
    """Makes a proposer known as `speculative_config={"method": name}`; one of that name is replaced.

    Packages offer theirs as entry points of the group "torchpaged.proposers".

    Args:
        make: of the configuration, whose `options` are the user's, what has `Proposer`'s method.

    Raises:
        ConfigError: a name that is no text, or something that cannot be called.
    """
    if not isinstance(name, str) or not name or not callable(make):
        raise ConfigError(f"register_proposer: {name!r:.80}, {make!r:.80}; expected a name and what makes a proposer")
    _MADE_BY[name] = make


def proposer_of(config: SpeculativeConfig) -> Proposer:
    """The proposer that is meant.

    Raises:
        ConfigError: there is none of that name, or what was made proposes nothing.
    """
    make = _MADE_BY.get(config.method)
    if make is None:
        installed = {point.name: point for point in entry_points(group=GROUP)}
        if config.method not in installed:
            known = [*_MADE_BY, DRAFT_MODEL, MTP, *installed]
            hint = did_you_mean(config.method, known) or f", expected one of {', '.join(known)}"
            raise ConfigError(f"EngineConfig: speculative_config has method={config.method!r:.80}{hint}")
        make = installed[config.method].load()
    proposer = make(config)
    if not callable(getattr(proposer, "propose", None)):
        raise ConfigError(
            f"EngineConfig: speculative_config has method={config.method!r:.80}, which made {proposer!r:.80}, expected "
            "what has a method propose(transcript, max_drafts)"
        )
    return proposer


def with_draft(target: PagedModel, config: EngineConfig, tokenizer: Any) -> PagedModel:
    """The model with the draft model that the settings name, or with its own head, or as it is where neither is meant.

    Args:
        config: resolved.
        tokenizer: the target's; None: tokens are compared by their number alone.

    Raises:
        ConfigError: a draft that is none of attention layers alone, or one whose tokens or positions are not the
            target's.
        ModelError: it cannot be loaded.
    """
    speculation = config.speculation
    if speculation is not None and speculation.method == MTP:
        if config.compiles(target.spec.device.type):
            raise ConfigError("EngineConfig: compile is True, but a head ('mtp') is not compiled; take one of the two")
        from torchpaged.integrations.transformers.mtp import head_of

        return TargetWithMtp(target, head_of(target))
    if speculation is None or speculation.model is None:
        return target
    given = speculation.model
    wanted = {
        "dtype": str(target.spec.dtype).removeprefix("torch."),
        "device": str(target.spec.device),
        "trust_remote_code": config.trust_remote_code,
        "skip_tokenizer_init": tokenizer is None or not isinstance(given, (str, Path)),
    }
    with quiet.without_progress_bars():  # the target's load has shown one
        loaded = load(given, None, wanted)
    draft = loaded.model
    _require_fit(draft, target, config.max_model_len or target.spec.max_model_len)
    _require_same_tokens(draft.spec.name, _tokens(loaded.tokenizer), target.spec.name, _tokens(tokenizer))
    return TargetWithDraft(target, draft)


def require_exact(model: PagedModel, config: EngineConfig) -> None:
    """Where tokens are guessed ahead, no row of the model may depend on how many a step has, unless that was said.

    Raises:
        ConfigError: one does.
    """
    if config.speculation is None or (reason := _why_not_exact(model, config)) is None:
        return
    if not config.speculation.allow_inexact:
        raise ConfigError(
            f"EngineConfig: speculative_config is given, but tokens of {model.spec.name} would depend on it: "
            f"{reason}; take dtype='bfloat16' or optimize=True on a CPU with AVX2, or give it 'allow_inexact': True"
        )
    logger.warning("speculation may change the tokens of %s: %s", model.spec.name, reason)


def _why_not_exact(model: PagedModel, config: EngineConfig) -> str | None:
    from torchpaged.execution.exact import why_not_exact

    compiled = config.compiles(model.spec.device.type)
    return "its forward is compiled, which nobody has tried" if compiled else why_not_exact(model)


def drafter_of(model: PagedModel, config: EngineConfig, executor: Executor) -> Drafter | None:
    """Who decides on guesses, by what steps and guesses of this executor cost; None where nothing is guessed.

    Args:
        config: resolved.
    """
    if (speculation := config.speculation) is None:
        return None
    proposer = None if speculation.computes else proposer_of(speculation)
    asking = 0.0 if proposer is None else ASKING
    most, vocab_size = speculation.num_speculative_tokens, model.spec.vocab_size
    costs = _costs(model, config, executor, proposer is None)
    return Drafter(proposer, most, vocab_size, *costs, asking, lags=speculation.method == DRAFT_MODEL)


def renew_drafter(drafter: Drafter, model: PagedModel, config: EngineConfig, executor: Executor) -> None:
    """The weights are of another kind than they were: guesses cost something else, and none are made, with a warning,
    where they would not be exact any more."""
    speculation = config.speculation
    assert speculation is not None
    reason = None if speculation.allow_inexact else _why_not_exact(model, config)
    drafter.rests = reason is not None
    if reason is not None:
        logger.warning(
            "nothing is guessed ahead any more: tokens of %s would depend on it: %s", model.spec.name, reason
        )
        return
    drafter.cost, drafter.guess_cost = _costs(model, config, executor, drafter.computes)


def _costs(
    model: PagedModel, config: EngineConfig, executor: Executor, computes: bool
) -> tuple[StepCost, Callable[[int, int], float]]:
    """Of steps by their rows, and of guesses."""
    assert config.speculation is not None
    most = min(
        config.max_num_seqs * (1 + config.speculation.num_speculative_tokens),
        config.max_num_batched_tokens,
        config.max_model_len or model.spec.max_model_len,
    )
    cost = StepCost.timed(executor.step_seconds, most)
    return cost, GuessCost.timed(executor.draft_seconds, config.max_num_seqs) if computes else bookkeeping


def _require_fit(draft: PagedModel, target: PagedModel, max_model_len: int) -> None:
    spec, own = draft.spec, target.spec
    reason = None
    if spec.states or any(shape.convolution or shape.cross for shape in spec.layers.values()):
        reason = "has recurrent layers, convolutions or cross-attention; expected a decoder of attention layers alone"
    elif draft.encoder is not None or spec.num_labels:
        reason = "has an encoder or gives classes; expected a decoder of attention layers alone"
    elif target.encoder is not None:
        reason = f"cannot guess for {own.name}, which has an encoder; take 'ngram' or 'suffix'"
    elif spec.vocab_size != own.vocab_size:
        reason = f"has {spec.vocab_size} tokens, {own.name} has {own.vocab_size}; expected a model with the same tokens"
    elif spec.max_model_len < max_model_len:
        reason = f"has {spec.max_model_len} positions, max_model_len is {max_model_len}; lower that"
    if reason is not None:
        raise ConfigError(f"EngineConfig: speculative_config has a model, {spec.name}, that {reason}")


def _tokens(tokenizer: Any) -> Mapping[str, int] | None:
    """A tokenizer's, by their text; None where it does not say."""
    get = getattr(tokenizer, "get_vocab", None)
    return None if get is None else get()


def _require_same_tokens(
    draft: str, guessed: Mapping[str, int] | None, target: str, known: Mapping[str, int] | None
) -> None:
    if guessed is None or known is None or guessed == known:
        return
    text = next(text for text in (*known, *guessed) if known.get(text) != guessed.get(text))
    raise ConfigError(
        f"EngineConfig: speculative_config has a model, {draft}, whose tokenizer is not that of {target}: {text!r:.40} "
        f"is {guessed.get(text, 'no token')} there and {known.get(text, 'no token')} here; expected a model with the "
        "same tokens"
    )
