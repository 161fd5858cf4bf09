"""Which proposers there are, by name: those that are built in, that programs register, and that packages install."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from torchpaged.errors import ConfigError, did_you_mean
from torchpaged.scheduling.proposers import NGramProposer, Proposer
from torchpaged.scheduling.suffix_automaton import SuffixProposer
from torchpaged.speculative_config import SpeculativeConfig

GROUP = "torchpaged.proposers"

# Makes the proposer of an engine.
MakeProposer = Callable[[SpeculativeConfig], Proposer]

_MADE_BY: dict[str, MakeProposer] = {
    "ngram": lambda config: NGramProposer(*config.prompt_lookup),
    "suffix": lambda config: SuffixProposer(config.prompt_lookup[0]),
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
            known = [*_MADE_BY, *installed]
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
