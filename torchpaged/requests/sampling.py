"""Sampling: completions of one prompt, which is computed once for as many as can run at once."""

from __future__ import annotations

import time
from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace
from typing import Any

from torchpaged.outputs import CompletionOutput, FlatLogprobs, Logprobs, RequestOutput, copied
from torchpaged.requests.detokenizer import Detokenizer, Spelling
from torchpaged.requests.group import Request
from torchpaged.requests.output import Completion, TokenNames
from torchpaged.requests.stop_strings import StopStrings
from torchpaged.sampling_params import RequestOutputKind, SamplingParams
from torchpaged.scheduling import (
    NOTHING_MORE,
    Results,
    RowParams,
    SamplingRequest,
    Scheduler,
    Scores,
    Sequence,
    StopRule,
)
from torchpaged.scheduling.sequence import Finish
from torchpaged.structured.grammars import Grammar
from torchpaged.structured.matcher import Matcher


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The tokens of an engine.

    Args:
        tokenizer: of transformers, or None.
        eos_token_ids: tokens that end a text.
        names: texts of tokens.
        seed: seed from which requests without one get theirs.
        size: tokens are 0 to size - 1.
    """

    tokenizer: Any
    eos_token_ids: frozenset[int]
    names: TokenNames
    seed: int
    size: int

    def number_of(self, logprobs: int) -> int:
        """Return a number of alternatives; -1 stands for all tokens."""
        return self.size if logprobs == -1 else logprobs


class _PromptLogprobs:
    """Logprobs of a prompt's tokens, as steps bring them.

    Args:
        params: of the request.
        num_tokens: length of the prompt.
        names: texts of tokens.

    Attributes:
        first: position of the first token that is scored.
        is_wanted: True if there are tokens to score.
        failure: reason why the logprobs cannot be shown: a token has no text.
    """

    def __init__(self, params: SamplingParams, num_tokens: int, names: TokenNames) -> None:
        self.first = min(params.prompt_logprobs_start, num_tokens)
        self.is_wanted = params.prompt_logprobs is not None and self.first < num_tokens
        self.failure: str | None = None
        self._names = names
        self._rows: Logprobs | None = None
        if params.prompt_logprobs is not None:
            self._rows = logprobs_of(params)
            self._rows.extend([None] * self.first)

    def extend(self, scores: Scores) -> None:
        """Append the logprobs of the next tokens."""
        if self.failure is not None:
            return
        assert self._rows is not None and scores.first == len(self._rows)
        try:
            self._rows.extend(self._names.all_logprobs(scores.logprobs))
        except Exception as error:  # a tokenizer may raise anything
            self.failure = f"{type(error).__name__}: {error}"

    def show(self, *, once: bool) -> Logprobs | None:
        """Return the logprobs so far, for outputs that repeat them or show them only once."""
        rows = self._rows
        if once:
            self._rows = None
            return rows
        return None if rows is None else copied(rows)


class SamplingGroup:
    """A prompt and `n` completions; with `best_of` more are sampled, and the best are shown.

    The prompt is a held sequence until it is computed; then the first token of each completion is sampled from its last
    row, and the completions fork from it. If there are more completions than can run at once, the others follow when
    the first ones have ended.

    Args:
        request: the request.
        params: how tokens are sampled.
        vocabulary: of the engine.
        bad_words: `params.bad_words` as tokens.
        processed: if logits processors see its logits.
        grammar: grammar of each text, with the thoughts before it; None: any text.
    """

    def __init__(
        self,
        request: Request,
        params: SamplingParams,
        vocabulary: Vocabulary,
        bad_words: tuple[tuple[int, ...], ...] = (),
        processed: bool = False,
        grammar: Grammar | None = None,
    ) -> None:
        self.request, self.params, self._vocabulary = request, params, vocabulary
        self.finished = False
        self._grammar = grammar
        count = params.num_completions
        ranked = count > params.n
        self._names = vocabulary.names if params.detokenize else TokenNames(None)
        self._stop = StopStrings(params.stop) if params.stop else None
        self._completions = [
            Completion(
                index,
                self._detokenizer(),
                logprobs=None if params.logprobs is None else logprobs_of(params),
                ranked=ranked,
            )
            for index in range(count)
        ]
        self._num_unshown = 0  # tokens since the last output
        self._sequences: dict[int, tuple[Completion, Sequence]] = {}  # running completions by sequence
        self._draws: dict[int, list[int]] = {}  # by the prompt's sequence, ids of its completions' first draws
        self._next = 0  # index of the first completion without a sequence
        self._prompt_logprobs = _PromptLogprobs(params, len(request.token_ids), self._names)
        logprobs = 0 if ranked else -1  # ranking needs each token's own logprob
        if params.logprobs is not None:
            logprobs = vocabulary.number_of(params.logprobs)
        stops = vocabulary.eos_token_ids.union(params.stop_token_ids or ())
        # Completion i is sampled with the seed of the first one plus i.
        self._row = RowParams(
            seed=_seed(params, vocabulary.seed, request.number),
            temperature=params.temperature,
            top_k=params.top_k,
            top_p=params.top_p,
            min_p=params.min_p,
            presence_penalty=params.presence_penalty,
            frequency_penalty=params.frequency_penalty,
            repetition_penalty=params.repetition_penalty,
            logprobs=logprobs,
            min_length=len(request.token_ids) + params.min_tokens if params.min_tokens else 0,
            stops=tuple(sorted(stops)) if params.min_tokens else (),
            logit_bias=tuple((params.logit_bias or {}).items()),
            allowed=None if params.allowed_token_ids is None else tuple(params.allowed_token_ids),
            bad_words=bad_words,
            asked=params if processed else None,
        )

    @property
    def shows_deltas(self) -> bool:
        """`Group.shows_deltas`."""
        return self.params.output_kind is RequestOutputKind.DELTA and self.params.num_completions == self.params.n

    def _detokenizer(self) -> Detokenizer:
        params = self.params
        return Detokenizer(
            self._vocabulary.tokenizer if params.detokenize else None,
            self.request.token_ids if self.request.prompt_embeds is None else (),
            self._stop,
            params.min_tokens,
            keep_stop=params.include_stop_str_in_output,
            options=Spelling(params.skip_special_tokens, params.spaces_between_special_tokens),
        )

    def start(self, scheduler: Scheduler) -> None:
        """Add the prompt for as many completions as can run at once."""
        request, params = self.request, self.params
        first, last = self._next, min(self._next + scheduler.limits.max_num_seqs, len(self._completions))
        self._next = last
        ids = [scheduler.new_id() for _ in range(first, last)]
        rows = [self._row_of(index) for index in range(first, last)]
        eos = frozenset[int]() if params.ignore_eos else self._vocabulary.eos_token_ids
        stops = eos.union(params.stop_token_ids or ())
        length = len(request.token_ids)
        wants_logprobs = first == 0 and self._prompt_logprobs.is_wanted
        wanted = NOTHING_MORE
        if len(ids) > 1 or wants_logprobs:
            wanted = SamplingRequest(
                draws=tuple((id, row.seed) for id, row in zip(ids, rows, strict=True)) if len(ids) > 1 else None,
                score_from=self._prompt_logprobs.first if wants_logprobs else None,
                alternatives=self._vocabulary.number_of(params.prompt_logprobs or 0),
            )
        longest = scheduler.limits.max_model_len if params.max_tokens is None else length + params.max_tokens
        sequence = scheduler.add(
            request.token_ids,
            rows[0],
            StopRule(longest, stops, length + params.min_tokens),
            **request.sequence_fields,
            cache_hint=params.cache_hint,
            held=len(ids) > 1,
            wanted=wanted,
            num_slots=len(ids),
            # Proposers look for tokens in the prompt; embeddings have none.
            max_drafts=params.num_speculative_tokens if request.prompt_embeds is None else 0,
            guide=None if self._grammar is None else self._grammar.matcher(ends=bool(eos)),
            id=ids[0],
        )
        self._sequences[ids[0]] = self._completions[first], sequence
        if len(ids) > 1:
            self._draws[ids[0]] = ids

    def score(self, sequence: Sequence, scores: Scores) -> None:
        """Take logprobs of the prompt. If a token has no text, the request ends when the prompt is computed."""
        self.request.note(sequence)
        self._prompt_logprobs.extend(scores)

    def decide(self, sequence: Sequence, results: Results, scheduler: Scheduler) -> None:
        """Fork the computed prompt into completions, each with a first token of its own."""
        self.request.note(sequence)
        if (failure := self._prompt_logprobs.failure) is not None:
            self.end(scheduler, "error", failure)
            return
        first = self._sequences[sequence.id][0].index
        ids, chosen = self._draws.pop(sequence.id), dict(results.runs())
        scheduler.release_slots(sequence)
        sequences = [sequence]
        for index, id in enumerate(ids[1:], start=first + 1):
            if id not in chosen:  # not forked: that would wait for the mask, which may be what failed it
                self._completions[index].finish("error", error=results.errors[id])
                continue
            sequences.append(scheduler.fork(sequence, self._row_of(index), id=id))
            self._sequences[id] = self._completions[index], sequences[-1]
        for each in reversed(sequences):  # the prompt's own sequence last, because the others were forked from it
            if each.id in chosen:
                taken = scheduler.extend(each, chosen[each.id])
                self.move(each, chosen[each.id][:taken], results, scheduler)
            else:
                scheduler.finish(each, "error", results.errors[each.id])
                self.move(each, (), results, scheduler)

    def move(self, sequence: Sequence, tokens: Seq[int], results: Results, scheduler: Scheduler) -> None:
        """Take new tokens of one completion, or its end. A completion whose text cannot be made ends alone."""
        request = self.request
        if (failure := self._prompt_logprobs.failure) is not None:
            self.end(scheduler, "error", failure)
            return
        completion, _ = self._sequences[sequence.id]
        if tokens and request.first_token_time is None:
            request.first_token_time = time.monotonic()
        try:
            used = self._append(completion, sequence, tokens, results)
        except Exception as error:  # a tokenizer may raise anything
            reason = f"{type(error).__name__}: {error}"
            scheduler.finish(sequence, "error", reason)
            sequence.finish = Finish("error", error=reason)  # also if it had ended already
            completion.finish_reason, completion.error, completion.changed = "error", reason, True
        else:
            scheduler.cut(sequence, len(tokens) - used)  # tokens after a stop string
            if isinstance(guide := sequence.sampling.guide, Matcher) and guide.is_idle:
                scheduler.sequence_table.release_guide(sequence)  # only its thoughts were guided
        if completion.finished and not sequence.ended:
            scheduler.finish(sequence, "stop")  # by a stop string
        request.note(sequence)
        if sequence.ended:
            del self._sequences[sequence.id]
            if not self._sequences:
                self._continue(scheduler)

    def _append(self, completion: Completion, sequence: Sequence, tokens: Seq[int], results: Results) -> int:
        """Append tokens up to a stop string or the end of the grammar, and return their number."""
        logprobs, drawn, end = results.logprobs.get(sequence.id), len(tokens), None
        finish = sequence.finish
        # Without tokens the sequence has failed, perhaps for a mask that is late: the matcher would wait for it.
        guide = sequence.sampling.guide
        if tokens and isinstance(guide, Matcher) and (end := guide.take(tokens)) is not None:
            tokens = tokens[:end]
        # A stop token after the end of its grammar is not part of the text.
        stopped_by = finish.stop_token if finish is not None and len(tokens) == drawn else None
        hides = stopped_by is not None and not self.params.include_stop_str_in_output
        for place, token in enumerate(tokens):
            hidden = hides and place == len(tokens) - 1
            row = None if logprobs is None else logprobs[place]
            self._num_unshown += 1
            version = results.weight_version
            if completion.append(token, hidden=hidden, logprobs=row, names=self._names, weight_version=version):
                return place + 1
        if end is not None and stopped_by is None:
            completion.finish("stop")
        elif finish is not None:
            silent = stopped_by in self._vocabulary.eos_token_ids and not self.params.ignore_eos
            completion.finish(finish.reason, None if silent else stopped_by, finish.error)
        return len(tokens)

    def _continue(self, scheduler: Scheduler) -> None:
        """Start the next completions when all running ones have ended; without any, the request is finished."""
        if self._next < len(self._completions):
            self.start(scheduler)
        else:
            self.finished = True

    def end(self, scheduler: Scheduler, why: str, error: str | None = None) -> None:
        """End every completion as it is."""
        self._next = len(self._completions)
        for _, sequence in self._sequences.values():
            scheduler.finish(sequence, why, error)
            self.request.note(sequence)
        for completion in self._completions:
            completion.finish(why, error=error)
        self._sequences.clear()
        self.finished = True

    def output(self) -> RequestOutput | None:
        """Return a new output, as `SamplingParams.output_kind` says."""
        params = self.params
        if not self.finished and not any(completion.changed for completion in self._completions):
            return None
        if params.num_completions > params.n:  # the best are known at the end
            if not self.finished:
                return None
            return self._shown(_best([completion.show(delta=False) for completion in self._completions], params))
        if not self.finished and (params.output_kind is RequestOutputKind.FINAL_ONLY or not self._is_due()):
            return None
        self._num_unshown = 0
        if params.output_kind is RequestOutputKind.DELTA:
            return self._shown([completion.show(delta=True) for completion in self._completions if completion.changed])
        return self._shown([completion.show(delta=False) for completion in self._completions])

    def _is_due(self) -> bool:
        """Return True for the first output, or if `stream_interval` tokens are new."""
        interval = self.params.stream_interval or 1
        return self._num_unshown >= interval or not any(completion.was_shown for completion in self._completions)

    def _shown(self, outputs: list[CompletionOutput]) -> RequestOutput:
        # Outputs that show only what is new have them once: they are as long as the prompt.
        logprobs = self._prompt_logprobs.show(once=self.shows_deltas)
        return self.request.make_output(outputs, finished=self.finished, prompt_logprobs=logprobs)

    def _row_of(self, index: int) -> RowParams:
        return self._row if index == 0 else replace(self._row, seed=_wrapped(self._row.seed + index))


def logprobs_of(params: SamplingParams) -> Logprobs:
    """Return the container of logprobs that the parameters ask for."""
    return FlatLogprobs() if params.flat_logprobs else []


def _best(outputs: list[CompletionOutput], params: SamplingParams) -> list[CompletionOutput]:
    """Return the `n` completions with the highest logprobs; failed ones come last."""
    ranked = sorted(outputs, key=lambda each: (each.error is not None, -(each.cumulative_logprob or 0.0)))
    shown = params.logprobs is not None
    return [
        replace(each, index=index, cumulative_logprob=each.cumulative_logprob if shown else None)
        for index, each in enumerate(ranked[: params.n])
    ]


def _seed(params: SamplingParams, seed: int, number: int) -> int:
    """Return the request's seed, or one derived from the engine's seed and the request's number (splitmix64)."""
    if params.seed is not None:
        return params.seed
    x = (seed + (number + 1) * 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return _wrapped((x ^ (x >> 31)) - 2**63)


def _wrapped(seed: int) -> int:
    """Wrap an integer to 64 bits."""
    return (seed + 2**63) % 2**64 - 2**63
