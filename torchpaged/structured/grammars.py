"""GrammarCompiler: StructuredOutputsParams -> Grammar, by llguidance, within limits on memory and time."""

from __future__ import annotations

import copy
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from torchpaged.errors import MissingPackageError, RequestError
from torchpaged.structured.matcher import EndIds, Matcher
from torchpaged.structured.trial import Trial
from torchpaged.structured_outputs import StructuredOutputsParams

# JSONSchemaBench's schemas take 1 ms, the slowest of a hundred 12 (shared/FACTS.md has the figures).
MOST_SECONDS = 5.0
# Between JSON's tokens: enough to indent by, and an end to the blanks of a model that would write nothing else.
_WHITESPACE = r"[\x20\x0A\x0D\x09]{1,20}"
# Compiled ones that are kept, and as many that could not be.
_MOST_KEPT = 256
# Twice the stack of the trial: a grammar that passed it is compiled here.
_STACK_BYTES = 16 << 20


class Grammar:
    """What a text must be, compiled for one tokenizer.

    Args:
        inner: a matcher of llguidance that has seen no token.
        end_ids: tokens that end a text.
    """

    def __init__(self, inner: Any, end_ids: EndIds) -> None:
        self._inner, self._end_ids = inner, end_ids

    def matcher(self, *, ends: bool) -> Matcher:
        """`Matcher` of a text that begins."""
        return Matcher(self._inner.deep_copy(), self._end_ids, ends=ends)


class GrammarCompiler:
    """Compiles each grammar once. For any number of threads.

    A grammar is compiled in another process first: there it may run out of time or memory.

    Args:
        tokenizer: of transformers; it must be a fast one.
        eos_token_ids: tokens that end a text.
        vocab_size: of the model.
        seconds: that a grammar may take.
    """

    def __init__(
        self, tokenizer: Any, eos_token_ids: Iterable[int], vocab_size: int, *, seconds: float = MOST_SECONDS
    ) -> None:
        self.seconds = seconds
        self._tokenizer, self._eos, self._vocab_size = tokenizer, sorted(eos_token_ids), vocab_size
        self._made: tuple[Any, Any, Trial] | None = None  # llguidance's tokenizer and limits
        self._kept: OrderedDict[str, Grammar | str] = OrderedDict()  # by grammar; or why there is none
        self._door = threading.Lock()

    def compile(self, label: str, params: StructuredOutputsParams) -> Grammar:
        """A grammar, perhaps one that was compiled before.

        Args:
            label: what errors call the request.

        Raises:
            RequestError: it cannot be compiled, or not within the limits; or the tokenizer is not a fast one.
            MissingPackageError: llguidance is not installed.
        """
        with self._door:
            if self._made is None:
                self._made = self._make(label)
            try:
                text = grammar_of(params)
            except ValueError as error:
                raise _refused(label, params, str(error)) from None
            found = self._kept.get(text)
            if found is None:
                found = self._kept[text] = self._compiled(text, *self._made)
                if len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(text)
        if isinstance(found, str):
            raise _refused(label, params, found)
        return found

    def knows(self, params: StructuredOutputsParams) -> bool:
        """Whether `compile` takes no time."""
        try:
            return grammar_of(params) in self._kept
        except (ImportError, ValueError):
            return True

    def close(self) -> None:
        """Ends the other process."""
        with self._door:
            if self._made is not None:
                self._made[2].close()

    def _compiled(self, text: str, tokenizer: Any, limits: Any, trial: Trial) -> Grammar | str:
        import llguidance

        fault = trial.fault_of(text, self.seconds)
        if fault is not None:
            return fault
        matcher = _on_a_large_stack(lambda: llguidance.LLMatcher(tokenizer, text, log_level=0, limits=limits))
        if matcher.is_error():
            return str(matcher.get_error())
        matcher.compute_bitmask()  # what the first one needs is there for all texts
        return Grammar(matcher, EndIds(tokenizer.eos_tokens, tokenizer.vocab_size))

    def _make(self, label: str) -> tuple[Any, Any, Trial]:
        try:
            import llguidance
        except ModuleNotFoundError as error:
            raise MissingPackageError(
                f"structured_outputs need {error.name}, which is not installed: pip install 'torchpaged[structured]'"
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
        limits = llguidance.LLParserLimits(verbose_errors=False)
        return llguidance.LLTokenizer(**given), limits, Trial(given)


def _on_a_large_stack(compile: Callable[[], Any]) -> Any:
    """Calls it in a thread whose stack is larger than the trial's: the caller's may be of any size."""
    with ThreadPoolExecutor(1, thread_name_prefix="torchpaged-compile") as pool:
        before = threading.stack_size(_STACK_BYTES)
        try:
            compiled = pool.submit(compile)
        finally:
            threading.stack_size(before)
        return compiled.result()


# What llguidance says where no token may come first, and the text may not be empty.
_NO_TEXT = "NoExtensionBias"


def _refused(label: str, params: StructuredOutputsParams, fault: str) -> RequestError:
    kind = params.kind
    shown = str(params.text_of(kind)).encode(errors="backslashreplace").decode()
    said = "no text is one of its own" if _NO_TEXT in fault else " ".join(fault.split())
    return RequestError(f"{label}: structured_outputs has the {kind} {shown:.200}, which is not possible: {said:.400}")


def grammar_of(params: StructuredOutputsParams) -> str:
    """As llguidance reads it.

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
    if params.choice is not None:  # a terminal, which is one expression: alternatives of rules would be parsed each
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


# Of JSON schemas: what holds schemas by name, and what is one or several.
_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS = ("additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "items", "prefixItems")


def closed(schema: Any) -> Any:
    """A schema whose objects have the properties that they name and no others, unless they say so."""
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
