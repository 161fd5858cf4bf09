"""LaunchedStep: a step under way: what will be its results, as tensors that are on their way to the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from torchpaged.execution.logits import NAN, LogitPlan, ScoreEntries, ScoreTensors
from torchpaged.execution.rows import Ints
from torchpaged.execution.sampler import Draws
from torchpaged.execution.swap_cost import Stopwatch
from torchpaged.ops import devices
from torchpaged.scheduling import Results, Scores, Step


@dataclass(slots=True)
class ScoresUnderWay:
    """What a step's logits say of known tokens.

    Args:
        entries: which tokens.
        tensors: of each entry, on the host once it has arrived.
        token_ids: [num_entries] int64, likewise.
    """

    entries: ScoreEntries
    tensors: ScoreTensors
    token_ids: Tensor


@dataclass(slots=True)
class PendingLogprobs:
    """Of chosen tokens: which of the draws, how many alternatives are reported beside each, and the numbers."""

    places: Ints
    counts: list[int]
    tensors: ScoreTensors


@dataclass(slots=True)
class UnsampledLogits:
    """Logits of all draws of a step, of which some wait for a mask: [num_draws, vocab_size]."""

    logits: Tensor
    draws: Draws


@dataclass(slots=True)
class LaunchedStep:
    """A step under way; `result` waits for it.

    Args:
        step: what runs.
        copying, computing: what times the step's copies and its forward; None: nothing does.
        plan: what is wanted of its logits; None: nothing.
        token_ids: [num_draws] int64 on the host, -1 where the logits are NaN; None: nothing is drawn, or not yet.
        scores, logprobs: where they are asked for.
        hidden: what is asked of hidden states, in the plan's order.
        unchosen: what `choose` draws from; None: all is drawn.
        failures: by draw, why there is no token, where that is known.
        drafts: by sequence, what was guessed behind its last token: [num_drafts] int64, or the tokens.
        arrived: when all that is on its way has come; None: it has.
    """

    step: Step
    copying: Stopwatch | None = None
    computing: Stopwatch | None = None
    plan: LogitPlan | None = None
    token_ids: Tensor | None = None
    scores: ScoresUnderWay | None = None
    logprobs: PendingLogprobs | None = None
    hidden: list[Tensor] = field(default_factory=list)
    unchosen: UnsampledLogits | None = None
    failures: dict[int, str] = field(default_factory=dict)
    drafts: Mapping[int, Sequence[int] | Tensor] = field(default_factory=dict)
    arrived: torch.cuda.Event | None = field(default=None)

    def result(self) -> Results:
        """Once the step has run."""
        assert self.unchosen is None, f"step {self.step.number} waits for masks"
        if self.arrived is not None:
            with devices.current(self.arrived.device):
                self.arrived.synchronize()
        results = Results(self.step.number)
        results.forward_seconds, results.copy_seconds = (
            None if watch is None else watch.seconds() for watch in (self.computing, self.copying)
        )
        if self.token_ids is not None and self.plan is not None:
            results.draws, results.tokens = self.plan.draws, self.token_ids.tolist()
            self._take_logprobs(results)
            if self.plan.lags is not None:
                self._cut_runs(results)
            self._drop_failed(results)
        if self.scores is not None:
            under_way = self.scores
            found, errors = under_way.entries.results(under_way.tensors, under_way.token_ids.tolist())
            results.scores = found
            results.errors |= errors
        if self.hidden and self.plan is not None:
            for asked, values in zip(self.plan.hidden, self.hidden, strict=True):
                scores = results.scores.get(asked.id, Scores(asked.what.first))
                data = values.contiguous().numpy().tobytes()
                results.scores[asked.id] = replace(scores, hidden=asked.what, hidden_values=data)
        return results

    def _take_logprobs(self, results: Results) -> None:
        if self.logprobs is None:
            return
        places = self.logprobs.places.tolist()
        tokens = [results.tokens[place] for place in places]
        rows = self.logprobs.tensors.rows(tokens, self.logprobs.counts)
        for place, row in zip(places, rows, strict=True):
            results.logprobs.setdefault(results.draws[place], []).append(row)

    def _cut_runs(self, results: Results) -> None:
        """One run for each draw: it ends with the first token that is not the draft at its place, or the last of all.

        What follows was drawn behind a token that does not come. So was a token that cannot be chosen: the next step
        finds that, unless it is the first.
        """
        tokens, drawn, drafts = results.tokens, results.draws, self.drafts
        results.draws, results.tokens, results.lengths = [], [], []
        begin = 0
        while begin < len(drawn):
            id = drawn[begin]
            guessed = drafts.get(id, ())
            guessed = guessed.tolist() if isinstance(guessed, Tensor) else guessed
            run = tokens[begin : begin + len(guessed) + 1]
            begin += len(run)
            differing = (place for place, token in enumerate(guessed) if token != run[place])
            run = run[: next(differing, len(guessed)) + 1]
            if len(run) > 1 and run[-1] < 0:
                run.pop()
            results.draws.append(id)
            results.tokens += run
            results.lengths.append(len(run))
            if id in results.logprobs:
                del results.logprobs[id][len(run) :]

    def _drop_failed(self, results: Results) -> None:
        if all(token >= 0 for token in results.tokens):
            return
        runs = list(results.runs())
        failed = [draw for draw, run in runs if run[0] < 0]
        results.errors = {draw: self.failures.get(draw, NAN) for draw in failed}
        for draw in failed:
            results.logprobs.pop(draw, None)
        runs = [(draw, run) for draw, run in runs if draw not in results.errors]
        results.draws = [draw for draw, _ in runs]
        results.tokens = [token for _, run in runs for token in run]
        if results.lengths is not None:
            results.lengths = [len(run) for _, run in runs]
