"""Speculation: proposers by name (built in, registered by programs, installed by packages), draft models and their
costs.
"""

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
from torchpaged.scheduling.drafter import DraftCosts, Drafter
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
    """Register a proposer as `speculative_config={"method": name}`; it replaces one of the same name.

    Packages register theirs as entry points of the group "torchpaged.proposers".

    Args:
        make: returns an object with `Proposer`'s method for a configuration, whose `options` are the user's.

    Raises:
        ConfigError: the name is not a text, or `make` cannot be called.
    """
    if not isinstance(name, str) or not name or not callable(make):
        raise ConfigError(
            f"register_proposer: {name!r:.80}, {make!r:.80}; expected a name and a function that makes a proposer"
        )
    _MADE_BY[name] = make


def proposer_of(config: SpeculativeConfig) -> Proposer:
    """Return the proposer of a configuration.

    Raises:
        ConfigError: there is none of that name, or the object that was made does not propose.
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
            "an object with a method propose(transcript, max_drafts)"
        )
    return proposer


def with_draft(target: PagedModel, config: EngineConfig, tokenizer: Any) -> PagedModel:
    """Return the model with the draft model that the settings name, or with its own MTP head, or unchanged.

    Args:
        config: resolved.
        tokenizer: the target's; None: tokens are compared by number only.

    Raises:
        ConfigError: the draft model has other than attention layers, or its tokens or positions are not the target's.
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
    """Check that with speculation no row of the model depends on the number of rows, unless that was allowed.

    Raises:
        ConfigError: a row does.
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
    from torchpaged.engine.prepared import why_not_exact

    if config.batch_invariant:  # the runner tries it, and raises
        return None
    compiled = config.compiles(model.spec.device.type)
    return "its forward is compiled, which was not tested" if compiled else why_not_exact(model)


def drafter_of(model: PagedModel, config: EngineConfig, executor: Executor) -> Drafter | None:
    """Return the drafter, with the costs of this executor's steps and guesses; None without speculation.

    Args:
        config: resolved.
    """
    if (speculation := config.speculation) is None:
        return None
    proposer = None if speculation.computes else proposer_of(speculation)
    most, vocab_size = speculation.num_speculative_tokens, model.spec.vocab_size
    costs = _costs(model, config, executor, proposer is None)
    return Drafter(proposer, most, vocab_size, costs, lags=speculation.method == DRAFT_MODEL)


def renew_drafter(drafter: Drafter, model: PagedModel, config: EngineConfig, executor: Executor) -> None:
    """Adjust the drafter to weights of another kind.

    Costs are measured again. If speculation would change tokens now, it is paused, with a warning.
    """
    speculation = config.speculation
    assert speculation is not None
    reason = None if speculation.allow_inexact else _why_not_exact(model, config)
    drafter.paused = reason is not None
    if reason is not None:
        logger.warning("speculation is paused: tokens of %s would depend on it: %s", model.spec.name, reason)
        return
    drafter.costs = _costs(model, config, executor, drafter.computes)


def _costs(model: PagedModel, config: EngineConfig, executor: Executor, computes: bool) -> DraftCosts:
    """Time steps and guesses of the executor; `computes` if it computes the guesses."""
    assert config.speculation is not None
    most = min(
        config.max_num_seqs * (1 + config.speculation.num_speculative_tokens),
        config.max_num_batched_tokens,
        config.max_model_len or model.spec.max_model_len,
    )
    step = StepCost.timed(executor.step_seconds, most)
    if computes:
        return DraftCosts(step, GuessCost.timed(executor.draft_seconds, config.max_num_seqs))
    return DraftCosts(step, bookkeeping, ASKING)


def _require_fit(draft: PagedModel, target: PagedModel, max_model_len: int) -> None:
    spec, own = draft.spec, target.spec
    reason = None
    if spec.states or any(shape.convolution or shape.cross for shape in spec.layers.values()):
        reason = "has recurrent layers, convolutions or cross-attention; expected a decoder of attention layers alone"
    elif draft.encoder is not None or spec.is_encoder or spec.num_labels:
        reason = "is or has an encoder or gives classes; expected a decoder of attention layers alone"
    elif target.encoder is not None:
        reason = f"cannot guess for {own.name}, which has an encoder; take 'ngram' or 'suffix'"
    elif spec.vocab_size != own.vocab_size:
        reason = f"has {spec.vocab_size} tokens, {own.name} has {own.vocab_size}; expected a model with the same tokens"
    elif spec.max_model_len < max_model_len:
        reason = f"has {spec.max_model_len} positions, max_model_len is {max_model_len}; lower that"
    if reason is not None:
        raise ConfigError(f"EngineConfig: speculative_config has a model, {spec.name}, that {reason}")


def _tokens(tokenizer: Any) -> Mapping[str, int] | None:
    """Return a tokenizer's token ids by text; None if it has no such table."""
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
