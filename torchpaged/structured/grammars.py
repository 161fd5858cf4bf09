"""GrammarCompiler: StructuredOutputsParams -> Grammar, by llguidance, within limits on memory and time."""

from __future__ import annotations

import copy
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from torchpaged.errors import MissingPackageError, RequestError
from torchpaged.reasoning import ReasoningDelimiters
from torchpaged.structured.mask_worker import FAST_SECONDS, lower_priority
from torchpaged.structured.matcher import EndIds, Matcher
from torchpaged.structured.thoughts import OVER, Delimiters, Thoughts
from torchpaged.structured.trial import Trial
from torchpaged.structured.trial_process import LIMITS
from torchpaged.structured_outputs import StructuredOutputsParams

_T = TypeVar("_T")

# JSONSchemaBench's schemas take 1 ms, the slowest of a hundred 12 (`tests/structured/bench_schemas.py`).
MOST_SECONDS = 5.0
# Whitespace between JSON's tokens: enough for indentation, and bounded, because some models would write nothing else.
_WHITESPACE = r"[\x20\x0A\x0D\x09]{1,20}"
# Most grammars that are kept, those that could not be compiled included.
_MOST_KEPT = 256
# Twice the stack of the trial: a grammar that passed it is compiled here.
_STACK_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar compiled for one tokenizer.

    Args:
        inner: a matcher of llguidance that has seen no token; None: any text.
        end_ids: tokens that end a text.
        is_fast: if its first mask takes as little time as those of most grammars.
        thoughts: thoughts that come before; None: there are none.
    """

    inner: Any
    end_ids: EndIds
    is_fast: bool
    thoughts: Thoughts | None = None

    def matcher(self, *, ends: bool) -> Matcher:
        """Return a `Matcher` for a text that begins."""
        inner = None if self.inner is None else self.inner.deep_copy()
        thoughts = None if self.thoughts is None else self.thoughts.copy()
        return Matcher(inner, self.end_ids, ends=ends, is_fast=self.is_fast, thoughts=thoughts)


class GrammarCompiler:
    """Compiles each grammar once. Thread-safe.

    A grammar is compiled in another process first, where it may run out of time or memory.

    Args:
        tokenizer: of transformers; it must be a fast one.
        eos_token_ids: tokens that end a text.
        vocab_size: of the model.
        seconds: most seconds for a grammar.
    """

    def __init__(
        self, tokenizer: Any, eos_token_ids: Iterable[int], vocab_size: int, *, seconds: float = MOST_SECONDS
    ) -> None:
        self.seconds = seconds
        self._tokenizer, self._eos, self._vocab_size = tokenizer, sorted(eos_token_ids), vocab_size
        self._made: tuple[Any, Any, Trial] | None = None  # llguidance's tokenizer and limits
        self._kept: OrderedDict[Any, Grammar | str] = OrderedDict()  # by `_key`; or the reason why there is none
        self._vocabulary: list[bytes] = []  # the bytes of each token, once they are needed
        self._delimiters: OrderedDict[ReasoningDelimiters, Delimiters] = OrderedDict()
        self._turn = threading.Lock()  # held while a grammar is compiled
        self._lock = threading.Lock()  # guards `_kept`; never held for long

    def guide(
        self,
        label: str,
        params: StructuredOutputsParams | None,
        reasoning: ReasoningDelimiters | None,
        budget: int | None,
        prompt: Sequence[int],
    ) -> Grammar | None:
        """Return the grammar of a text that may begin with thoughts; None: it may be any text.

        Args:
            label: name of the request in errors.
            reasoning: delimiters of thoughts; None: the text begins with the answer.
            budget: most tokens of thoughts; None: no limit.
            prompt: tokens before the text, whose end tells if thoughts have begun.

        Raises:
            RequestError, MissingPackageError: as `compile`, or a delimiter has no tokens.
        """
        grammar = None if params is None else self.compile(label, params)
        if reasoning is None or (grammar is None and budget is None):
            return grammar
        delimiters, end_ids = self._delimiters_of(label, reasoning)
        if (state := delimiters.first(prompt)) == OVER:
            return grammar
        thoughts = Thoughts(delimiters, state, budget, guided=grammar is not None)
        return replace(grammar or Grammar(None, end_ids, True), thoughts=thoughts)

    def _delimiters_of(self, label: str, reasoning: ReasoningDelimiters) -> tuple[Delimiters, EndIds]:
        with self._turn:
            if self._made is None:
                self._made = self._make(label)
            tokenizer = self._made[0]
            ends = EndIds(tokenizer.eos_tokens, tokenizer.vocab_size)
            if (found := self._delimiters.get(reasoning)) is None:
                if not self._vocabulary:
                    self._vocabulary = [tokenizer.decode_bytes([each]) for each in range(len(self._tokenizer))]
                closing = _tokens_of(label, tokenizer, reasoning.close[0])
                found = Delimiters(reasoning, self._vocabulary, ends.token_ids, ends.num_words, closing)
                self._delimiters[reasoning] = found
                if len(self._delimiters) > _MOST_KEPT:
                    self._delimiters.popitem(last=False)
            return found, ends

    def compile(self, label: str, params: StructuredOutputsParams) -> Grammar:
        """Return a grammar, compiled now or before.

        Args:
            label: name of the request in errors.

        Raises:
            RequestError: it cannot be compiled, or not within the limits; or the tokenizer is not a fast one.
            MissingPackageError: llguidance is not installed.
        """
        found = self._find(key := _key(params))
        if found is None:
            with self._turn:  # a caller whose grammar is known does not wait for another's
                if self._made is None:
                    self._made = self._make(label)
                found = self._find(key)
                if found is None:
                    found = self._compiled(params, *self._made)
                    self._keep(key, found)
        if isinstance(found, str):
            raise _refused(label, params, found)
        return found

    def knows(self, params: StructuredOutputsParams | None, reasoning: ReasoningDelimiters | None = None) -> bool:
        """Return True if `guide` takes no time."""
        known = params is None or self._find(_key(params)) is not None
        return known and (reasoning is None or reasoning in self._delimiters)

    def _find(self, key: Any) -> Grammar | str | None:
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    def _keep(self, key: Any, found: Grammar | str) -> None:
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)

    def close(self) -> None:
        """End the other process."""
        with self._turn:
            if self._made is not None:
                self._made[2].close()

    def _compiled(self, params: StructuredOutputsParams, tokenizer: Any, limits: Any, trial: Trial) -> Grammar | str:
        import llguidance

        try:
            text = grammar_of(params)
        except ValueError as error:
            return str(error)
        fault = trial.fault_of(text, self.seconds)
        if fault is not None:
            return fault

        def compile() -> tuple[Any, float]:
            matcher = llguidance.LLMatcher(tokenizer, text, log_level=0, limits=limits)
            if matcher.is_error():
                return matcher, 0.0
            matcher.compute_bitmask()  # the first one includes work that is shared by all texts
            begin = time.thread_time()
            matcher.deep_copy().compute_bitmask()
            return matcher, time.thread_time() - begin

        matcher, seconds = _in_a_thread_of_its_own(compile)
        if matcher.is_error():
            return str(matcher.get_error())
        ends = EndIds(tokenizer.eos_tokens, tokenizer.vocab_size)
        return Grammar(matcher, ends, seconds < FAST_SECONDS)

    def _make(self, label: str) -> tuple[Any, Any, Trial]:
        try:
            import llguidance
        except ModuleNotFoundError as error:
            raise MissingPackageError(
                f"structured_outputs and thinking_token_budget need {error.name}, which is not installed: pip install "
                "'torchpaged[structured]'"
            ) from error
        backend = copy.copy(getattr(self._tokenizer, "backend_tokenizer", None))
        if backend is None or not hasattr(backend, "to_str"):
            raise RequestError(
                f"{label}: structured_outputs is given, but {type(self._tokenizer).__name__} is not a fast tokenizer "
                "of transformers (tokenizer.json), whose vocabulary grammars need"
            )
        backend.no_padding()
        backend.no_truncation()
        special = (self._tokenizer.eos_token_id, *self._tokenizer.all_special_ids)
        ends = self._eos or [each for each in special if each is not None][:1]
        if not ends:
            raise RequestError(
                f"{label}: structured_outputs is given, but the tokenizer has no token that ends a text; give it an "
                "eos_token"
            )
        given = {"tokenizer": backend.to_str(), "n_vocab": max(self._vocab_size, len(self._tokenizer))}
        given["eos_token"] = ends
        limits = llguidance.LLParserLimits(**LIMITS)
        return llguidance.LLTokenizer(**given), limits, Trial(given)


def _tokens_of(label: str, tokenizer: Any, text: str) -> list[int]:
    """Return tokens that are written as a text."""
    for tokens in (tokenizer.tokenize_str(text, parse_special=True), tokenizer.greedy_tokenize(text)):
        if tokenizer.decode_bytes(tokens) == text.encode():
            return list(tokens)
    raise RequestError(
        f"{label}: reasoning is given, but the tokenizer has no tokens for {text!r:.80}, which closes it"
    )


def _in_a_thread_of_its_own(compile: Callable[[], _T]) -> _T:
    """Call a function with a larger stack than the trial's, and a lower priority than threads that serve requests."""
    with ThreadPoolExecutor(1, thread_name_prefix="torchpaged-compile", initializer=lower_priority) as pool:
        before = threading.stack_size(_STACK_BYTES)
        try:
            compiled = pool.submit(compile)
        finally:
            threading.stack_size(before)
        return compiled.result()


def _key(params: StructuredOutputsParams) -> tuple[Any, ...]:
    """Return everything that determines the grammar."""
    closes, blanks = params.disable_additional_properties, params.disable_any_whitespace
    return params.kind, params.text_of(params.kind), closes, blanks, params.whitespace_pattern


# In llguidance's message if no token may come first, and the text may not be empty.
_NO_TEXT = "NoExtensionBias"


def _refused(label: str, params: StructuredOutputsParams, fault: str) -> RequestError:
    kind = params.kind
    shown = str(params.text_of(kind)).encode(errors="backslashreplace").decode()
    said = "no text matches it" if _NO_TEXT in fault else " ".join(fault.split())
    return RequestError(f"{label}: structured_outputs has the {kind} {shown:.200}, which is not possible: {said:.400}")


def grammar_of(params: StructuredOutputsParams) -> str:
    """Return the grammar as llguidance reads it.

    Raises:
        ValueError: a grammar that is neither Lark's nor GBNF's.
    """
    import llguidance

    if params.json is not None or params.json_object:
        schema = {"type": "object"} if params.json is None else params.json
        schema = json.loads(schema) if isinstance(schema, str) else schema
        if params.disable_additional_properties:
            schema = closed(schema)
        options: Any = {"whitespace_flexible": False}
        if not params.disable_any_whitespace:
            options = {"whitespace_pattern": params.whitespace_pattern or _WHITESPACE}
        return str(llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema), defaults=options))
    if params.regex is not None:
        return str(llguidance.LLMatcher.grammar_from_regex(params.regex))
    if params.choice is not None:  # one terminal, because alternatives of a rule would each be parsed
        texts = " | ".join(json.dumps(each, ensure_ascii=False) for each in params.choice)
        return str(llguidance.LLMatcher.grammar_from_lark(f"start: CHOICE\nCHOICE: {texts}"))
    if params.grammar is not None:
        return str(llguidance.grammar_from("grammar", params.grammar))
    tag: Any = params.structural_tag
    tag = json.loads(tag) if isinstance(tag, str) else tag
    structures = []
    for each in tag["structures"]:
        trigger = next(trigger for trigger in tag["triggers"] if each["begin"].startswith(trigger))
        schema = closed(each["schema"]) if params.disable_additional_properties else each["schema"]
        structures.append(
            llguidance.StructTag(trigger=trigger, begin=each["begin"], grammar=dict(schema), end=each["end"])
        )
    return str(llguidance.StructTag.to_grammar(structures, assume_special=False))


# Keywords of JSON schemas that hold schemas by name, and those that hold one or several.
_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS = ("additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "prefixItems")


def closed(schema: Any) -> Any:
    """Return a schema whose objects allow only the properties that they name, unless they say otherwise."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    found = dict(schema)
    for name in _BY_NAME:
        if isinstance(found.get(name), Mapping):
            found[name] = {key: closed(each) for key, each in found[name].items()}
    for name in _SCHEMAS:
        if name in found:
            found[name] = closed(found[name])
    if isinstance(found.get("properties"), Mapping) or isinstance(found.get("patternProperties"), Mapping):
        found.setdefault("additionalProperties", False)
    return found
