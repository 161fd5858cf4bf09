"""Makes a transformers tokenizer of a GGUF file, and finds the tokens that end a text.

A vocabulary does not say how a text is split before merging: `tokenizer.ggml.pre` names the rule. An unknown name is
refused, since another rule would silently give other tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchpaged.errors import ModelError, needing, reason_of
from torchpaged.weights.gguf_file import Gguf

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = range(1, 7)
_SPACE = "\u2581"

# Rules that split texts: regular expressions, each applied to the pieces of the one before. None: GPT-2's own.
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LINES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_SYMBOLS = r" ?[^\s\p{L}\p{N}]+"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_LLAMA3 = rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}{{1,3}}|{_SYMBOLS}[\r\n]*|{_LINES}"
_QWEN2 = rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}|{_SYMBOLS}[\r\n]*|{_LINES}"
_QWEN35 = (
    rf"{_CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_LINES}"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_BEFORE = r"[^\r\n\p{L}\p{N}]?"
_GPT4O = (
    rf"{_BEFORE}{_UPPER}*{_LOWER}+{_CONTRACTIONS}?|{_BEFORE}{_UPPER}+{_LOWER}*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}|{_SYMBOLS}[\r\n/]*|{_LINES}"
)
_TEKKEN = rf"{_BEFORE}{_UPPER}*{_LOWER}+|{_BEFORE}{_UPPER}+{_LOWER}*|\p{{N}}|{_SYMBOLS}[\r\n/]*|{_LINES}"
_SEED = rf"{_CONTRACTIONS}|{_WORDS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_LINES}"
_DEEPSEEK3 = (
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"""
    + _LINES,
)
_NAMES: dict[tuple[str | None, ...], str] = {
    (None,): "gpt-2 phi-2 olmo mpt exaone4 granite-docling trillion a.x-4.0 mellum modern-bert",
    (r"\p{N}", None): "smollm starcoder refact command-r codeshell exaone minerva-7b mellum2",
    (_LLAMA3,): """
        llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 dbrx smaug-bpe chatglm-bpe glm4
    """,
    (_QWEN2,): "qwen2 stablelm2 deepseek-r1-qwen kormo f2llmv2 megrez hunyuan solar-open grok-2",
    (_QWEN35,): "qwen35",
    (_GPT4O,): "gpt-4o llama4 kanana2 minimax-m2",
    (_TEKKEN,): "tekken",
    (_SEED,): "seed-coder",
    _DEEPSEEK3: "deepseek-v3 hunyuan-dense joyai-llm",
}
_CUTS = {name: cuts for cuts, names in _NAMES.items() for name in names.split()}
# Names of rules with which a piece that is a token is not merged differently.
_WHOLE_FIRST = {
    "llama3",
    "llama-v3",
    "llama-bpe",
    "falcon3",
    "falcon-h1",
    "pixtral",
    "midm-2.0",
    "lfm2",
    "tekken",
    "glm4",
}
_BEGINS_UNLESS_TOLD = _WHOLE_FIRST - {"glm4"}
# Tokens that end a turn even if a file does not name them as end tokens, as in llama.cpp.
_ENDS = frozenset(
    [
        *("<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>"),
        *("<|calls|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>", "<EOT>", "_<EOT>"),
        *("[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>"),
        *("<|tool_response>", "[e~["),
    ]
)
# If a model has both tokens of a pair, <|end|> ends only a part of a turn, such as gpt-oss' reasoning.
_END_TURNS = ({"<|return|>", "<|call|>"}, {"<|calls|>", "<|flush|>"})
_ELSEWHERE = "name a folder or hub id that has the tokenizer: LLM(..., tokenizer=...)"


def end_tokens(file: Gguf) -> list[int]:
    """List the tokens that end a text."""
    count = file.tensors["token_embd.weight"].shape[0] if "token_embd.weight" in file.tensors else 0
    named = [file.metadata.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom")]
    found = [number for number in named if type(number) is int and 0 <= number < count]
    tokens, kinds = file.metadata.get("tokenizer.ggml.tokens"), file.metadata.get("tokenizer.ggml.token_type")
    if isinstance(tokens, list) and isinstance(kinds, np.ndarray) and len(kinds) == len(tokens) <= count:
        marks = np.flatnonzero((kinds == _CONTROL) | (kinds == _USER_DEFINED)).tolist()
        ends = {tokens[i]: i for i in marks if tokens[i] in _ENDS}
        found += ends.values()
        if any(both <= ends.keys() for both in _END_TURNS):
            found = [number for number in found if number != ends.get("<|end|>")]
    return list(dict.fromkeys(found))


def tokenizer_of(file: Gguf, begins: bool | None = None) -> Any:
    """Make a transformers tokenizer.

    Args:
        begins: whether texts begin with the beginning-of-sequence token; None: as the file says.

    Raises:
        ModelError: the file has no tokenizer, or one that is unknown or inconsistent.
        ConfigError: transformers is not installed.
    """
    with needing("a tokenizer"):
        from transformers import PreTrainedTokenizerFast

    kind = file.text("tokenizer.ggml.model", "none")
    makers = {"gpt2": _byte_level, "llama": _sentencepiece, "gemma4": _merging_spaces}
    if kind not in makers:
        raise file.fault("tokenizer.ggml.model", kind, f"{', '.join(makers)}; {_ELSEWHERE}")
    tokens = file.texts("tokenizer.ggml.tokens")
    kinds = [_NORMAL] * len(tokens)
    if "tokenizer.ggml.token_type" in file.metadata:
        kinds = file.numbers("tokenizer.ggml.token_type", len(tokens))
    try:
        made = makers[kind](file, tokens, kinds)
        _frame(made, file, tokens, begins)
        names = _special(file, tokens)
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=_Given(made),
            clean_up_tokenization_spaces=False,
            chat_template=file.text("tokenizer.chat_template", "") or None,
            **names,
        )
    except ModelError:
        raise
    except Exception as error:  # the tokenizers library's own, for inconsistent vocabularies
        raise ModelError(
            f"model {str(file.path)!r}: no tokenizer can be made of it: {reason_of(error)}; {_ELSEWHERE}"
        ) from error
    tokenizer.name_or_path = str(file.path)
    return tokenizer


class _Given:
    """A tokenizer that is not deep-copied: transformers copies it by way of JSON, which costs more than building it."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __deepcopy__(self, memo: Any) -> Any:
        return self._made


def _special(file: Gguf, tokens: Sequence[str]) -> dict[str, str]:
    """Find special tokens by transformers' names."""
    found = {}
    for name, key in (("bos", "bos"), ("eos", "eos"), ("unk", "unknown"), ("pad", "padding")):
        number = file.metadata.get(f"tokenizer.ggml.{key}_token_id")
        if number is not None:
            number = file.integer(f"tokenizer.ggml.{key}_token_id", least=0, most=len(tokens) - 1)
            found[f"{name}_token"] = tokens[number]
    return found


def _byte_level(file: Gguf, tokens: list[str], kinds: Sequence[int]) -> Any:
    """Build a byte-level BPE tokenizer, as GPT-2's."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    pre = file.text("tokenizer.ggml.pre", "missing")
    if pre not in _CUTS:
        known = ", ".join(sorted(_CUTS))
        raise file.fault("tokenizer.ggml.pre", pre, f"one of {known}; {_ELSEWHERE}")
    merges = _pairs(file, file.texts("tokenizer.ggml.merges"))
    vocabulary = dict(zip(tokens, range(len(tokens)), strict=True))
    made = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=pre in _WHOLE_FIRST))
    cuts = [pre_tokenizers.Split(Regex(each), "isolated") for each in _CUTS[pre] if each is not None]
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=_CUTS[pre][-1] is None)
    made.pre_tokenizer = pre_tokenizers.Sequence([*cuts, last])
    made.decoder = decoders.ByteLevel()
    _add(made, tokens, kinds)
    return made


def _pairs(file: Gguf, merges: Sequence[str]) -> list[tuple[str, str]]:
    """Split merges into pairs. There may be hundreds of thousands, so the loop is kept minimal."""
    pairs: Any = [merge.partition(" ")[::2] for merge in merges]
    for number, (left, right) in enumerate(pairs):
        if not left or not right:
            raise file.fault("tokenizer.ggml.merges", merges[number], "two parts with a space between them")
    found: list[tuple[str, str]] = pairs
    return found


def _sentencepiece(file: Gguf, tokens: list[str], kinds: Sequence[int]) -> Any:
    """Build a sentencepiece BPE tokenizer, as Llama 2's."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    scores = file.numbers("tokenizer.ggml.scores", len(tokens))
    vocabulary = {token: number for number, token in enumerate(tokens)}
    unknown = next((tokens[i] for i, kind in enumerate(kinds) if kind == _UNKNOWN), None)
    bytes_too = _BYTE in kinds
    merges = _merges(tokens, kinds, scores, vocabulary)
    made = Tokenizer(models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=True, byte_fallback=bytes_too))
    prefix = file.boolean("tokenizer.ggml.add_space_prefix", True)
    begin = [normalizers.Prepend(_SPACE)] if prefix else []
    made.normalizer = normalizers.Sequence([*begin, normalizers.Replace(" ", _SPACE)])
    strip = [decoders.Strip(" ", 1, 0)] if prefix else []
    made.decoder = decoders.Sequence([decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *strip])
    _add(made, tokens, kinds)
    return made


def _merging_spaces(file: Gguf, tokens: list[str], kinds: Sequence[int]) -> Any:
    """Build Gemma 4's tokenizer: sentencepiece's characters with explicit merges, which cross spaces but not lines."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    vocabulary = dict(zip(tokens, range(len(tokens)), strict=True))
    unknown = next((tokens[i] for i, kind in enumerate(kinds) if kind == _UNKNOWN), None)
    merges = _pairs(file, file.texts("tokenizer.ggml.merges"))
    made = Tokenizer(models.BPE(vocabulary, merges, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Replace(" ", _SPACE)
    made.pre_tokenizer = pre_tokenizers.Split(Regex(r"[^\n]+|\n+"), "isolated")
    made.decoder = decoders.Sequence([decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse()])
    _add(made, tokens, kinds)
    return made


def _merges(
    tokens: Sequence[str], kinds: Sequence[int], scores: Sequence[float], vocabulary: dict[str, int]
) -> list[tuple[str, str]]:
    """Derive sentencepiece's merges: all pairs that make a token, best scores first."""
    found = []
    for number, token in enumerate(tokens):
        if kinds[number] != _NORMAL or len(token) < 2:
            continue
        for at in range(1, len(token)):
            left, right = token[:at], token[at:]
            if left in vocabulary and right in vocabulary:
                found.append((-scores[number], vocabulary[left], vocabulary[right], left, right))
    found.sort()
    return [(left, right) for *_, left, right in found]


def _add(made: Any, tokens: Sequence[str], kinds: Sequence[int]) -> None:
    """Add the tokens that are matched in a text before it is split."""
    from tokenizers import AddedToken

    there = made.token_to_id
    special = [
        AddedToken(tokens[i], normalized=False, special=True)
        for i, kind in enumerate(kinds)
        if kind == _CONTROL and there(tokens[i]) == i
    ]
    plain = [
        AddedToken(tokens[i], normalized=False, special=False)
        for i, kind in enumerate(kinds)
        if kind == _USER_DEFINED and there(tokens[i]) == i
    ]
    made.add_special_tokens(special)
    made.add_tokens(plain)


def _frame(made: Any, file: Gguf, tokens: Sequence[str], begins: bool | None) -> None:
    """Set the tokens that are added before and after each text."""
    from tokenizers import processors

    bytes_too = file.text("tokenizer.ggml.model") == "gpt2"
    if begins is None and file.text("tokenizer.ggml.model") == "gemma4":
        begins = True  # some files wrongly say otherwise
    if begins is None:
        begins = not bytes_too or file.text("tokenizer.ggml.pre") in _BEGINS_UNLESS_TOLD
        begins = file.boolean("tokenizer.ggml.add_bos_token", begins)
    ends = file.boolean("tokenizer.ggml.add_eos_token", False)
    frame, special = ["$A"], []
    for name, wanted in (("bos", begins), ("eos", ends)):
        if not wanted or f"tokenizer.ggml.{name}_token_id" not in file.metadata:
            continue
        number = file.integer(f"tokenizer.ggml.{name}_token_id", least=0, most=len(tokens) - 1)
        special.append((tokens[number], number))
        frame = [tokens[number], *frame] if name == "bos" else [*frame, tokens[number]]
    steps: list[Any] = [processors.ByteLevel(trim_offsets=False)] if bytes_too else []
    if special:
        pair = [*frame, *("$B:1" if each == "$A" else f"{each}:1" for each in frame)]
        steps.append(processors.TemplateProcessing(single=frame, pair=pair, special_tokens=special))
    if steps:
        made.post_processor = processors.Sequence(steps)
