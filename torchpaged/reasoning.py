"""ReasoningDelimiters: the texts between which a model thinks, and the table of them by vLLM's names of parsers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchpaged.errors import ConfigError, did_you_mean


@dataclass(frozen=True, slots=True)
class ReasoningDelimiters:
    """The texts that open and close a model's thoughts. Each may be one token or several.

    Args:
        open: texts that open thoughts, any of which may be written.
        close: texts that close them; the first one is written when a thinking budget is used up.
        newlines: if newlines behind `close` belong neither to the thoughts nor to the answer.
        opened: if the prompt has opened thoughts; None: its end tells.
        commits: beginning of `close` behind which the rest of it must follow, where an answer is constrained.

    Raises:
        ConfigError: there is no text, or one is empty.
    """

    open: tuple[str, ...]
    close: tuple[str, ...]
    newlines: bool = False
    opened: bool | None = None
    commits: str = ""

    def __post_init__(self) -> None:
        for name in ("open", "close"):
            given = getattr(self, name)
            texts = (given,) if isinstance(given, str) else tuple(given)
            if not texts or not all(isinstance(each, str) and each for each in texts):
                raise ConfigError(
                    f"reasoning: {name} is {given!r:.80}, expected one text or several, none of them empty"
                )
            object.__setattr__(self, name, texts)

    @classmethod
    def of(cls, given: object) -> ReasoningDelimiters:
        """Return the delimiters of a parser's name or of a dictionary of fields; ReasoningDelimiters as they are.

        Raises:
            ConfigError: an unknown name, or another type.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            if (known := PARSERS.get(given)) is not None:
                return known
            hint = did_you_mean(given, PARSERS)
            raise ConfigError(f"reasoning: there is no parser {given!r:.80}, only {', '.join(sorted(PARSERS))}{hint}")
        if isinstance(given, Mapping) and given.keys() <= set(cls.__slots__) and {"open", "close"} <= given.keys():
            return cls(**given)
        raise ConfigError(f"reasoning: it is {given!r:.80}, expected the name of a parser, or 'open' and 'close' texts")


_THINK = ReasoningDelimiters(("<think>",), ("</think>",), newlines=True)

PARSERS: Mapping[str, ReasoningDelimiters] = {
    **dict.fromkeys(
        (
            *("deepseek_r1", "deepseek_v3", "glm45", "holo2", "kimi_k2", "minimax_m2"),
            *("nemotron_v3", "olmo3", "qwen3", "step3"),
        ),
        _THINK,
    ),
    # Thoughts end with a message of their own, and the answer begins with the header of another one.
    **dict.fromkeys(
        ("gpt_oss", "openai_gptoss"),
        ReasoningDelimiters(
            ("<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>analysis<|message|>"),
            ("<|end|><|start|>assistant<|channel|>final<|message|>",),
            commits="<|end|>",
        ),
    ),
    "granite": ReasoningDelimiters(
        ("Here is my thought process:", "Here's my thought process:"), ("Here is my response:", "Here's my response:")
    ),
    "mistral": ReasoningDelimiters(("[THINK]",), ("[/THINK]",)),
    "seed_oss": ReasoningDelimiters(("<seed:think>",), ("</seed:think>",), newlines=True),
}
